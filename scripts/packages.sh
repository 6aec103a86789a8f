# The Debian 12 packages that warpjit needs, in one place. Sourced by install-deps, demo, test and CI.
# shellcheck shell=bash disable=SC2034
library_packages=(g++ cmake ninja-build pkg-config libasmjit-dev libxxhash-dev)
optional_packages=(libzydis-dev)
tool_packages=(libcli11-dev nlohmann-json3-dev libfmt-dev libpng-dev liblzma-dev)
test_packages=(libgtest-dev libmpfr-dev xz-utils python3-numpy python3-pip)
bench_packages=(libbenchmark-dev)
# CPU engines that bench_compute and bench_pixels run their kernels on, too.
peers_packages=(pocl-opencl-icd ocl-icd-opencl-dev opencl-c-headers opencl-clhpp-headers mesa-vulkan-drivers
                libvulkan-dev glslang-tools libegl-dev libgl-dev libgl1-mesa-dri libegl1)
# A newer clang and libc++, and C headers of arm64, for scripts/check-platforms.
platforms_packages=(clang-19 libc++-19-dev libc6-dev-arm64-cross libstdc++-12-dev-arm64-cross libasmjit-dev)
# An emulator of a CPU with AVX-512, and what makes a CD that boots in it (scripts/v4-in-bochs).
bochs_packages=(bochs bochs-term bochsbios vgabios busybox-static isolinux syslinux-common xorriso cpio bsdutils)
# A cluster of Python processes (scripts/check-cluster).
cluster_packages=(python3-distributed python3-numpy)
check_packages=(clang lld libclang-rt-14-dev clang-format clang-tidy)
# To build for Linux AArch64 from another Debian host, and to run the result (nlohmann-json and CLI11 are headers).
aarch64_packages=(g++-aarch64-linux-gnu qemu-user libasmjit-dev:arm64 libxxhash-dev:arm64
                  libzydis-dev:arm64 libfmt-dev:arm64 libpng-dev:arm64 liblzma-dev:arm64 libgtest-dev:arm64 libmpfr-dev:arm64
                  libbenchmark-dev:arm64)
# To build for Windows from a Debian host, with what scripts/windows-deps builds, and to run the result.
windows_packages=(g++-mingw-w64-x86-64-posix libz-mingw-w64-dev dpkg-dev wine64 bsdutils clang lld)
