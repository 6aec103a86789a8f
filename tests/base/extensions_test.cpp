// Extensions of compilers in src/: only in the headers that have the standard form beside them, and in what is named here.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "support/source_dir.h"

namespace warpjit::tests {
namespace {

constexpr std::string_view kExtensions[] = {
    "__builtin_",    "[[gnu::",     "[[clang::",     "__attribute__", "vector_size(", "__extension__",
    "asm volatile",  "__asm",       "__restrict",    "goto *",        "goto*",        "__declspec",
    "__forceinline", "#pragma GCC", "#pragma clang", "_Pragma(",      "__GNUC__",     "__clang__",
    "_MSC_VER",      "__x86_64__",  "__aarch64__",   "__SSE2__",      "cpuid.h",      "__int128"};

// A file, and how what it may have begins; empty: anything.
struct Exception {
  std::string_view file, extension;
};
constexpr Exception kExceptions[] = {
    {"src/base/compiler.h", ""},
    {"src/base/vector.h", ""},
    // Both compilers' ways to two instructions.
    {"src/base/cpu.cpp", "asm volatile"},
    {"src/base/cpu.cpp", "cpuid.h"},
    {"src/base/cpu.cpp", "_MSC_VER"},
    // The host's instruction, also in code that is not optimized.
    {"src/base/fma.h", "__builtin_"},
    {"src/base/fma.h", "_MSC_VER"},
    // For GNU linkers alone; CMake adds it where there is one.
    {"src/runtime/code/asmjit_stderr.cpp", "__attribute__"},
};

const Exception* exception_for(std::string_view file, std::string_view extension) {
  for (const Exception& exception : kExceptions)
    if (exception.file == file && (exception.extension.empty() || exception.extension == extension))
      return &exception;
  return nullptr;
}

TEST(Extensions, StandInOnePlace) {
  std::string all;
  std::set<const Exception*> used;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_file("src"))) {
    if (!entry.is_regular_file() || entry.path().filename() == "CMakeLists.txt") continue;
    const std::string file = entry.path().lexically_relative(kSourceDir).generic_string();
    std::ifstream stream(entry.path());
    unsigned number = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      for (const std::string_view extension : kExtensions) {
        if (line.find(extension) == std::string::npos) continue;
        if (const Exception* exception = exception_for(file, extension))
          used.insert(exception);
        else
          all += file + ":" + std::to_string(number) + " has \"" + std::string(extension) +
                 "\", which only src/base/compiler.h may have\n";
      }
    }
  }
  EXPECT_EQ(all, "");
  EXPECT_EQ(used.size(), std::size(kExceptions)) << "an exception is no longer one";
}

}  // namespace
}  // namespace warpjit::tests
