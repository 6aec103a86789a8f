# Precompiled headers: the standard library and other libraries take a third of a source file's compile time, half of a
# test's. A source compiles without them, too (CMAKE_DISABLE_PRECOMPILE_HEADERS=ON).
#   library  what the modules of src/ are compiled with
#   test     -Og; GoogleTest and JSON
#   tool     -Og; formatting
# With WARPJIT_UNITY they hold those of the project that most sources include, too: another fifth.
set(WARPJIT_STANDARD_HEADERS <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstddef> <cstdint> <cstdio>
    <cstdlib> <cstring> <functional> <limits> <map> <memory> <mutex> <optional> <span> <string> <string_view>
    <type_traits> <unordered_map> <utility> <vector>)
set(WARPJIT_OWN_HEADERS "")      # of what src/frontend and the rooms before it give
set(WARPJIT_RUNTIME_HEADERS "")  # of what runs it
if(WARPJIT_UNITY)
  set(WARPJIT_OWN_HEADERS <variant> <warpjit/warpjit.hpp> <warpjit/pica200.hpp> <warpjit/tesla.hpp> <warpjit/usse.hpp>
      <warpjit/valhall.hpp> <base/fuel.h> <ir/function.h> <ir/memory.h> <frontend/shader.h> <frontend/draw.h>
      <frontend/interpret/pixels.h>)
  set(WARPJIT_RUNTIME_HEADERS <runtime/engine/engine.h> <runtime/work/run.h> <device/pica200/pipeline.h>)
endif()
function(warpjit_precompiled_set kind)
  cmake_parse_arguments(ARG "" "" "OPTIONS;HEADERS;LINK" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/precompiled/${kind}.cpp)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "")
  endif()
  add_library(warpjit_precompiled_${kind} OBJECT EXCLUDE_FROM_ALL ${source})
  target_link_libraries(warpjit_precompiled_${kind} PRIVATE warpjit_options ${ARG_LINK})
  # Without a time stamp, a precompiled header from a compiler cache of another folder is valid.
  target_compile_options(warpjit_precompiled_${kind} PRIVATE ${ARG_OPTIONS}
                         $<$<CXX_COMPILER_ID:Clang,AppleClang>:SHELL:-Xclang -fno-pch-timestamp>)
  set_target_properties(warpjit_precompiled_${kind} PROPERTIES WARPJIT_OPTIONS "${ARG_OPTIONS}")
  if(WARPJIT_TEST_UNSANITIZED AND kind STREQUAL test)
    set_target_properties(warpjit_precompiled_test PROPERTIES WARPJIT_LESS_SANITIZED -fno-sanitize=${WARPJIT_TEST_UNSANITIZED})
  endif()
  target_precompile_headers(warpjit_precompiled_${kind} PRIVATE ${WARPJIT_STANDARD_HEADERS} ${ARG_HEADERS})
endfunction()
# Options of code of the library that is short to run and long to compile.
set(WARPJIT_COLD $<$<CONFIG:Release>:-O1>)
# Those of tests and tools, which call the library: gcc compiles with -Og as fast as without optimization, whose code
# takes twice as long to run.
set(WARPJIT_OUTSIDE $<$<CONFIG:Release>:-Og> CACHE STRING "Options of tests and tools")
set(WARPJIT_TEST_OPTIONS -DWARPJIT_TEST_SHARE=${WARPJIT_TEST_SHARE} ${WARPJIT_OUTSIDE})
if(WARPJIT_SANITIZE)
  list(APPEND WARPJIT_TEST_OPTIONS -O0)
endif()
warpjit_precompiled_set(library HEADERS ${WARPJIT_OWN_HEADERS})
if(WARPJIT_TESTS)
  warpjit_precompiled_set(test OPTIONS ${WARPJIT_TEST_OPTIONS} LINK GTest::gtest nlohmann_json::nlohmann_json
                          HEADERS <filesystem> <fstream> <random> <set> <sstream> <gtest/gtest.h> <nlohmann/json.hpp>
                                  ${WARPJIT_OWN_HEADERS} ${WARPJIT_RUNTIME_HEADERS})
endif()
if(WARPJIT_TOOLS)
  warpjit_precompiled_set(tool OPTIONS ${WARPJIT_OUTSIDE} LINK fmt::fmt HEADERS <filesystem> <fmt/core.h>
                          ${WARPJIT_OWN_HEADERS} ${WARPJIT_RUNTIME_HEADERS})
endif()

# warpjit_precompiled(TARGET KIND): the target has the options of that kind and uses its precompiled headers.
function(warpjit_precompiled target kind)
  get_target_property(options warpjit_precompiled_${kind} WARPJIT_OPTIONS)
  if(options)
    target_compile_options(${target} PRIVATE ${options})
  endif()
  get_target_property(unsanitized warpjit_precompiled_${kind} WARPJIT_LESS_SANITIZED)
  if(unsanitized)
    set_target_properties(${target} PROPERTIES WARPJIT_LESS_SANITIZED ${unsanitized})
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    target_compile_options(${target} PRIVATE -fPIC)  # not -fPIE: compilers want the option of the header
  endif()
  target_precompile_headers(${target} REUSE_FROM warpjit_precompiled_${kind})
endfunction()

# warpjit_special_options(OPTIONS... FILES files...): files of a module with options that no precompiled header has.
function(warpjit_special_options)
  cmake_parse_arguments(ARG "" "" "OPTIONS;FILES" ${ARGN})
  set_source_files_properties(${ARG_FILES} PROPERTIES COMPILE_OPTIONS "${ARG_OPTIONS}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()
