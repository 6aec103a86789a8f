# Windows x86-64 by mingw-w64 from a Debian host, with the packages that `scripts/install-deps windows` installs and the
# libraries that `scripts/windows-deps` builds. The runtime is linked statically: a program runs without other files.
# Programs run under Wine, also those that ctest starts.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR AMD64)
set(WARPJIT_WINDOWS_DEPS ${CMAKE_CURRENT_LIST_DIR}/../build/windows-deps CACHE PATH "What scripts/windows-deps builds")
option(WARPJIT_WINDOWS_CLANG "Compile with clang, with libraries and linker of mingw-w64" OFF)
set(link "")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WARPJIT_WINDOWS_DEPS WARPJIT_WINDOWS_CLANG)
if(WARPJIT_WINDOWS_CLANG)
  set(CMAKE_C_COMPILER clang)
  set(CMAKE_CXX_COMPILER clang++)
  # It does not find Debian's folders, and takes headers and linker of the host for the target's. Variables of threads are
  # GCC's: its standard library has some.
  file(GLOB gcc /usr/lib/gcc/x86_64-w64-mingw32/*-posix)
  execute_process(COMMAND clang -print-resource-dir OUTPUT_VARIABLE clang OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(CONCAT own "--target=x86_64-w64-windows-gnu -femulated-tls -nostdinc -Wno-unused-command-line-argument "
                    "-isystem ${clang}/include -isystem /usr/x86_64-w64-mingw32/include")
  set(CMAKE_C_FLAGS_INIT "${own}")
  set(CMAKE_CXX_FLAGS_INIT "-isystem ${gcc}/include/c++ -isystem ${gcc}/include/c++/x86_64-w64-mingw32 ${own}")
  # GNU ld takes a minute for a program without optimization. The standard library has functions that clang writes into
  # each object, too.
  string(CONCAT link "-B${gcc} -L${gcc} -L/usr/x86_64-w64-mingw32/lib -fuse-ld=lld "
                     "-Wl,--whole-archive,-lpthread,--no-whole-archive,--allow-multiple-definition")
else()
  set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
  set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
endif()
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static ${link}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static ${link}")
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/../scripts/wine)

set(CMAKE_FIND_ROOT_PATH ${WARPJIT_WINDOWS_DEPS} /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
