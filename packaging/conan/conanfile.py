"""A Conan 2 recipe of the tree that it lies in: `conan create packaging/conan -o "&:asmjit_dir=..."`."""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Warpjit(ConanFile):
    name = "warpjit"
    description = "Just-in-time translator that runs GPU shader binaries on a CPU, one GPU thread per SIMD lane"
    license = "MIT"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    # asmjit_dir: a source tree of asmjit, 1.9 to 1.12, that is built in. Empty: the installed package.
    options = {"shared": [True, False], "zydis": [True, False], "asmjit_dir": ["ANY"]}
    default_options = {"shared": False, "zydis": False, "asmjit_dir": ""}

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "..", "..", "include", "warpjit", "version.h"))
        self.version = re.search(r'WARPJIT_VERSION_STRING "([^"]+)"', header).group(1)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "cmake/*", "include/*", "src/*", "README.md", "CHANGES.md", "LICENSE", "NOTICE"):
            copy(self, pattern, root, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("there are backends for x86_64 and armv8 alone")

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        if self.options.zydis:
            self.requires("zydis/4.0.0")

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name in ("TOOLS", "TESTS", "BENCH"):
            toolchain.cache_variables[f"WARPJIT_{name}"] = False
        toolchain.cache_variables["WARPJIT_UNITY"] = True
        toolchain.cache_variables["WARPJIT_ZYDIS"] = bool(self.options.zydis)
        toolchain.cache_variables["WARPJIT_ASMJIT_DIR"] = str(self.options.asmjit_dir)
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="warpjit")

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "NOTICE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["warpjit"]
        self.cpp_info.set_property("cmake_target_name", "warpjit::warpjit")
        self.cpp_info.set_property("pkg_config_name", "warpjit")
        if self.options.shared:
            self.cpp_info.defines = ["WARPJIT_SHARED"]
        elif self.settings.os == "Linux":
            self.cpp_info.system_libs = ["pthread", "rt"]
