# Linux AArch64 from a Debian host of another architecture, with the packages that `scripts/install-deps aarch64`
# installs. Programs run under qemu-user, also those that ctest starts.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
option(WARPJIT_AARCH64_CLANG "Compile with clang, with libraries of the cross compiler of GCC" OFF)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WARPJIT_AARCH64_CLANG)
if(WARPJIT_AARCH64_CLANG)
  set(CMAKE_C_COMPILER clang)
  set(CMAKE_CXX_COMPILER clang++)
  set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
  set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
else()
  set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
  set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)

# pkg-config does not know the target: without this it gives the libraries of the build host.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
