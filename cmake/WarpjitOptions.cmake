# warpjit_options: what every target of this project is compiled with.
add_library(warpjit_options INTERFACE)
target_compile_features(warpjit_options INTERFACE cxx_std_20)
# Flags of a parent project come before these. It must come before -ffp-contract, which clang sets with it.
if(NOT PROJECT_IS_TOP_LEVEL)
  target_compile_options(warpjit_options INTERFACE -fno-fast-math)
endif()
# Contraction of a*b+c would make the engines differ in the last bit.
target_compile_options(warpjit_options INTERFACE -Wall -Wextra -Wpedantic -ffp-contract=off -fno-math-errno
                       $<$<BOOL:${WARPJIT_WERROR}>:-Werror>)
# GCC 12 sees an overlap in every `"text" + std::string` that it inlines (its bug 105651), and reads of values not
# set and endless copies in inlined code of std::variant and std::string.
target_compile_options(warpjit_options INTERFACE
  "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict;-Wno-maybe-uninitialized;-Wno-stringop-overflow;-Wno-array-bounds>")
# Batches fill GCC's heap: collecting it again and again takes a tenth of their time.
target_compile_options(warpjit_options INTERFACE
  "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${WARPJIT_UNITY}>>:--param=ggc-min-heapsize=524288>")
# Batches have more sections than objects of Windows usually hold. GCC's frames there are aligned to 16 bytes, but its
# code keeps vectors of 32 bytes in them with aligned moves (its bug 54412): the assembler makes these unaligned ones.
if(MINGW)
  target_compile_options(warpjit_options INTERFACE -Wa,-mbig-obj $<$<CXX_COMPILER_ID:GNU>:-Wa,-muse-unaligned-vector-move>)
endif()
# Indexes of encoding tables are constant expressions that exceed clang's default limit of steps.
target_compile_options(warpjit_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-fconstexpr-steps=67108864>)
# Clang 14 does not have -frounding-math for AArch64; tests see whether that matters.
target_compile_options(warpjit_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-unsupported-floating-point-opt>)
# A frame larger than a page touches each page as it grows, so that a thread whose stack ends faults at its guard page.
# Compilers for Windows do so anyway; clang for AArch64 knows it from version 18 on.
include(CheckCXXCompilerFlag)
set(CMAKE_REQUIRED_FLAGS -Werror)
check_cxx_compiler_flag(-fstack-clash-protection WARPJIT_STACK_CLASH)
unset(CMAKE_REQUIRED_FLAGS)
if(WARPJIT_STACK_CLASH AND NOT WIN32)
  target_compile_options(warpjit_options INTERFACE -fstack-clash-protection)
endif()
target_include_directories(warpjit_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                           $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
if(WARPJIT_CHECKS OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_definitions(warpjit_options INTERFACE WARPJIT_CHECKS=1)
endif()
if(WARPJIT_STANDARD_CXX)
  target_compile_definitions(warpjit_options INTERFACE WARPJIT_STANDARD_CXX=1)
endif()
if(WARPJIT_SANITIZE)
  # The last are those of a target alone, which must follow.
  target_compile_options(warpjit_options INTERFACE -fsanitize=${WARPJIT_SANITIZE} -fno-sanitize-recover=all
                         -fno-omit-frame-pointer $<TARGET_PROPERTY:WARPJIT_LESS_SANITIZED>)
  target_compile_definitions(warpjit_options INTERFACE WARPJIT_SANITIZED=1)
  target_link_options(warpjit_options INTERFACE -fsanitize=${WARPJIT_SANITIZE})
endif()
if(WARPJIT_FUZZ AND WARPJIT_FUZZ_COVERAGE)
  target_compile_options(warpjit_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
