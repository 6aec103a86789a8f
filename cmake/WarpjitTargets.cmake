# How modules and tests are made.
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
