"""Builds the Python package: a wheel with the files of python/warpjit and the shared library (PEP 517).

The library is built by CMake in build/python, so that a second build is quick. Environment variables:
  WARPJIT_LIBRARY  a shared library that is built already, to take in its place
  CMAKE_ARGS       more arguments for CMake, such as -DWARPJIT_ZYDIS=OFF
"""
import base64
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAMES = {"win32": "warpjit.dll", "darwin": "libwarpjit.dylib"}  # on other systems: libwarpjit.so


def path(*parts):
    return os.path.join(ROOT, *parts)


def version():
    with open(path("include", "warpjit", "version.h"), encoding="utf-8") as file:
        return re.search(r'WARPJIT_VERSION_STRING "([^"]+)"', file.read()).group(1)


def metadata():
    with open(path("docs", "python.md"), encoding="utf-8") as file:
        description = file.read()
    return (f"Metadata-Version: 2.1\nName: warpjit\nVersion: {version()}\n"
            "Summary: Runs GPU shader binaries on the CPU, one GPU thread per SIMD lane\n"
            "License: MIT\nRequires-Python: >=3.9\nRequires-Dist: numpy\n"
            f"Description-Content-Type: text/markdown\n\n{description}")


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """What a wheel will be, without building one."""
    folder = f"warpjit-{version()}.dist-info"
    os.makedirs(os.path.join(metadata_directory, folder))
    for name, text in (("METADATA", metadata()), ("WHEEL", wheel_file())):
        with open(os.path.join(metadata_directory, folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    return folder


def wheel_file():
    return f"Wheel-Version: 1.0\nGenerator: warpjit\nRoot-Is-Purelib: false\nTag: {tag()}\n"


def tag():
    """Any Python 3, no Python ABI, this system."""
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def run(*command):
    print("+", *map(shlex.quote, command), flush=True)
    try:
        subprocess.run(command, check=True)
    except FileNotFoundError:
        sys.exit(f"warpjit: {command[0]} was not found. On Debian: scripts/install-deps library")
    except subprocess.CalledProcessError as error:
        sys.exit(f"warpjit: {command[0]} failed with {error.returncode}. On Debian, scripts/install-deps library installs what "
                 "the library needs")


def library(folder):
    """The shared library, in `folder`."""
    name = NAMES.get(sys.platform, "libwarpjit.so")
    built = os.environ.get("WARPJIT_LIBRARY")
    if built:
        if not os.path.isfile(built):
            sys.exit(f"warpjit: WARPJIT_LIBRARY: there is no file {built}")
    else:
        build, installed = path("build", "python"), os.path.join(folder, "installed")
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        run("cmake", "-S", ROOT, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=ON",
            "-DWARPJIT_TOOLS=OFF", "-DWARPJIT_TESTS=OFF", "-DWARPJIT_BENCH=OFF", "-DWARPJIT_UNITY=ON",
            "-DCMAKE_INSTALL_LIBDIR=lib", *shlex.split(os.environ.get("CMAKE_ARGS", "")))
        run("cmake", "--build", build, "--target", "warpjit", "--parallel", str(os.cpu_count() or 1))
        run("cmake", "--install", build, "--prefix", installed, "--strip")
        where = "bin" if sys.platform == "win32" else "lib"
        found = [os.path.join(installed, where, prefix + name) for prefix in ("", "lib")]  # mingw-w64 has lib before it
        built = os.path.realpath(next(filter(os.path.exists, found)))
    target = os.path.join(folder, name)
    shutil.copyfile(built, target)
    return target


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"warpjit-{version()}"
    info = f"{name}.dist-info"
    file_name = f"{name}-{tag()}.whl"
    records = []
    with tempfile.TemporaryDirectory() as folder, \
            zipfile.ZipFile(os.path.join(wheel_directory, file_name), "w", zipfile.ZIP_DEFLATED) as wheel:

        def add(target, data):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{target},sha256={digest},{len(data)}\n")
            wheel.writestr(target, data)

        def add_file(target, source):
            with open(source, "rb") as file:
                add(target, file.read())

        for source in sorted(os.listdir(path("python", "warpjit"))):
            if source.endswith(".py"):
                add_file(f"warpjit/{source}", path("python", "warpjit", source))
        shared = library(folder)
        add_file(f"warpjit/{os.path.basename(shared)}", shared)
        for source in ("LICENSE", "NOTICE"):
            add_file(f"{info}/licenses/{source}", path(source))
        add(f"{info}/METADATA", metadata().encode())
        add(f"{info}/WHEEL", wheel_file().encode())
        wheel.writestr(f"{info}/RECORD", "".join(records) + f"{info}/RECORD,,\n")
    return file_name


def build_sdist(sdist_directory, config_settings=None):
    name = f"warpjit-{version()}"
    files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, stdout=subprocess.PIPE).stdout
    with tempfile.TemporaryDirectory() as folder, \
            tarfile.open(os.path.join(sdist_directory, f"{name}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for file in files.decode().split("\0"):
            if file and os.path.exists(path(file)):
                archive.add(path(file), f"{name}/{file}")
        information = os.path.join(folder, "PKG-INFO")
        with open(information, "w", encoding="utf-8") as file:
            file.write(metadata())
        archive.add(information, f"{name}/PKG-INFO")
    return f"{name}.tar.gz"
