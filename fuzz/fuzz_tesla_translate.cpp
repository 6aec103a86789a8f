// Any words as a Tesla kernel, translated, compiled and run with little fuel. Random words race, so results
// are not compared. Input: a byte for the block, then words.
#include <cstring>

#include "target.h"
#include "warpjit/tesla.hpp"

int warpjit::fuzz::fuzz_tesla_translate(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  if (size < 5 || size > 1 << 11) return 0;
  static const Engine engine([] {
    EngineOptions options;
    options.checks = true;
    return options;
  }());
  std::vector<std::uint32_t> words((size - 1) / 4);
  std::memcpy(words.data(), data + 1, words.size() * 4);
  const auto program = tesla::load_words(
      {.code = words, .registers = 64, .shared_bytes = 64, .local_bytes = 32, .source_name = "fuzz"});
  if (!program) return 0;
  std::vector<std::uint64_t> memory(64, 7);
  std::vector<std::uint32_t> constants(64);  // addresses in the code, for branches through c[]
  for (std::uint32_t k = 0; k < constants.size(); ++k) constants[k] = 8 * k;
  Launch launch(*program);
  fuzz::require(launch.set_grid(2).ok(), "set");
  fuzz::require(launch.set_block(1 + data[0] % 96U).ok(), "set");
  launch.set_fuel(64);
  for (unsigned k = 0; k < 16; ++k)
    fuzz::require(launch.bind_constants("c" + std::to_string(k), constants.data(), 256).ok(), "bound");
  fuzz::require(launch.map_memory("g0", 0, memory.data(), 512).ok(), "mapped");
  for (const EngineKind kind : {EngineKind::ir, EngineKind::jit}) {
    RunOptions options;
    options.engine = kind;
    options.threads = 1;
    const auto report = engine.run(launch, options);
    if (!report) {
      fuzz::require(report.error().code != ErrorCode::internal, to_string(report.error()).c_str());
      fuzz::require(!report.error().message.empty(), "an error says what is wrong");
    }
  }
  engine.clear_cache();
  return 0;
}
