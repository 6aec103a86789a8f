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
  target_compile_options(warpjit_options INTERFACE -fsanitize=${WARPJIT_SANITIZE} -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  target_compile_definitions(warpjit_options INTERFACE WARPJIT_SANITIZED=1)
  target_link_options(warpjit_options INTERFACE -fsanitize=${WARPJIT_SANITIZE})
endif()
if(WARPJIT_FUZZ AND WARPJIT_FUZZ_COVERAGE)
  target_compile_options(warpjit_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# warpjit_module(NAME SOURCES files... [COLD files...] LINK targets...): one folder of src/, a static library of its own so
# that tests can link just what they test; libwarpjit is made of all their objects. COLD files run seldom and compile
# long: they are optimized less.
function(warpjit_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;COLD;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC warpjit_options ${ARG_LINK})
  set(parts ${name})
  if(ARG_COLD)
    add_library(${name}_cold OBJECT ${ARG_COLD})
    target_link_libraries(${name}_cold PRIVATE warpjit_options ${ARG_LINK})
    target_compile_options(${name}_cold PRIVATE ${WARPJIT_COLD})
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${name}_cold>)
    list(APPEND parts ${name}_cold)
  endif()
  foreach(part IN LISTS parts)
    warpjit_precompiled(${part} library)
    set_target_properties(${part} PROPERTIES UNITY_BUILD ${WARPJIT_UNITY} UNITY_BUILD_BATCH_SIZE 24)
  endforeach()
  set_property(GLOBAL APPEND PROPERTY WARPJIT_MODULES ${parts})
endfunction()

# The environment of every test: new and freed memory is filled with a pattern, so that code which reads it
# gives wrong results in the release build, too. Sanitizers have their own allocator, which ignores this. The filling
# touches all pages of large blocks, so these are kept for the next one.
set(WARPJIT_TEST_ENVIRONMENT
    GLIBC_TUNABLES=glibc.malloc.perturb=165:glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=2147483648)

# warpjit_add_test(NAME COMMAND command... [ENVIRONMENT variables...] [PROPERTIES properties...])
function(warpjit_add_test name)
  cmake_parse_arguments(ARG "" "" "COMMAND;ENVIRONMENT;PROPERTIES" ${ARGN})
  add_test(NAME ${name} COMMAND ${ARG_COMMAND})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${WARPJIT_TEST_ENVIRONMENT};${ARG_ENVIRONMENT}" ${ARG_PROPERTIES})
endfunction()

# warpjit_test(NAME SOURCES files... LINK modules... [LONG patterns...] [COMPILED patterns...]): a GoogleTest program.
# Tests that LONG names have the label `long`: they take long, and go through what others go through. Those that COMPILED
# names have the label `compiled`: they check values that translated code gives, which no sanitizer sees. ctest runs each
# case; with WARPJIT_TEST_PARTS, under an emulator and with sanitizers, where starting a program takes long, it runs the
# program in as many shares as two cores keep busy.
function(warpjit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LONG;COMPILED" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE warpjit_test_support ${ARG_LINK} warpjit_options GTest::gtest GTest::gtest_main)
  # What the tests call is optimized as ever; their own code is long to compile and short to run.
  warpjit_precompiled(${name} test)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${WARPJIT_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  list(JOIN ARG_LONG ":" long)
  list(JOIN ARG_COMPILED ":" compiled)
  warpjit_test_cases(${name} plain "*-${long}:${compiled}")
  if(ARG_LONG)
    warpjit_test_cases(${name} long "${long}-${compiled}")
  endif()
  if(ARG_COMPILED)
    warpjit_test_cases(${name} compiled "${compiled}")
  endif()
endfunction()
# The cases of a program that a filter of GoogleTest selects, with a label.
function(warpjit_test_cases name label filter)
  if(WARPJIT_TEST_PARTS OR CMAKE_CROSSCOMPILING OR WARPJIT_SANITIZE)
    foreach(shard RANGE 3)
      warpjit_add_test(${name}.${label}.${shard} COMMAND ${name} --gtest_brief=1
                       ENVIRONMENT GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=${shard} GTEST_FILTER=${filter}
                       PROPERTIES TIMEOUT 1500 LABELS "${label}")
    endforeach()
  else()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_FILTER "${filter}" TEST_LIST ${name}_${label}_tests
                         PROPERTIES TIMEOUT 300 LABELS "${label}" ENVIRONMENT "${WARPJIT_TEST_ENVIRONMENT}")
  endif()
endfunction()
