// Runs a fuzz target over files instead of under libFuzzer: how tests replay the corpus with any compiler.
//   warpjit_fuzz_replay TARGET FILE-OR-FOLDER...
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void replay(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  // Every prefix length of a small seed is a truncated file.
  for (std::size_t size = bytes.size() > 512 ? bytes.size() : 0; size <= bytes.size(); ++size) {
    const std::vector<std::uint8_t> exact(data, data + size);  // so that sanitizers see its end
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
  }
}

}  // namespace

int main(int argc, char** argv) {
  LLVMFuzzerInitialize(&argc, &argv);
  unsigned count = 0;
  for (int k = 1; k < argc; ++k) {
    if (!std::filesystem::is_directory(argv[k])) {
      replay(argv[k]);
      ++count;
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[k])) {
      replay(entry.path());
      ++count;
    }
  }
  std::printf("%u seeds replayed\n", count);
  return count == 0 ? 2 : 0;
}
