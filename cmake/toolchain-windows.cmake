# Windows x86-64 by mingw-w64 from a Debian host, with the packages that `scripts/install-deps windows` installs and the
# libraries that `scripts/windows-deps` builds. The runtime is linked statically: a program runs without other files.
# Programs run under Wine, also those that ctest starts.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR AMD64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static")
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/../scripts/wine)

set(WARPJIT_WINDOWS_DEPS ${CMAKE_CURRENT_LIST_DIR}/../build/windows-deps CACHE PATH "What scripts/windows-deps builds")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WARPJIT_WINDOWS_DEPS)
set(CMAKE_FIND_ROOT_PATH ${WARPJIT_WINDOWS_DEPS} /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
