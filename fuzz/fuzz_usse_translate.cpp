// Any words as a USSE vertex program, translated, compiled and run with little fuel on a few rows. Stores of
// threads race, so results are not compared. Input: a byte for the number of rows and whether half of the
// words are the secondary program, then words.
#include <numeric>

#include "frontend/usse/shader.h"
#include "target.h"
#include "warpjit/warpjit.hpp"

int warpjit::fuzz::fuzz_usse_translate(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  if (size < 9 || size > 1 << 9) return 0;
  static const Engine engine([] {
    EngineOptions options;
    options.checks = true;
    return options;
  }());
  const std::size_t words = (size - 1) / 8;
  auto program = usse::read_words(fuzz::bytes(data + 1, 8 * words), Stage::vertex, "fuzz");
  fuzz::require(program.ok(), "words are a program");
  if ((data[0] & 2) != 0 && words > 1) {
    const auto middle = program->primary.begin() + static_cast<std::ptrdiff_t>(words / 2);
    program->secondary.assign(program->primary.begin(), middle);
    program->primary.erase(program->primary.begin(), middle);
  }
  program->temporaries = program->primary_attributes = program->secondary_attributes = 32;
  constexpr std::size_t kInputs = 8, kOutputs = 4;
  const std::size_t threads = 1 + (data[0] >> 2) % 20;
  std::vector<std::uint32_t> in(4 * kInputs * threads), memory(64, 7);
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = static_cast<std::uint32_t>(k) * 0x85ebca77U;
  std::vector<std::uint32_t> sa(32);
  std::iota(sa.begin(), sa.end(), 0xfffffff0U);
  Launch launch(Program(std::make_shared<const usse::Shader>(*program)));
  for (std::size_t n = 0; n < kInputs; ++n)
    fuzz::require(launch
                      .bind_input("pa" + std::to_string(4 * n),
                                  {in.data() + 4 * n, 4 * (in.size() - 4 * n), 16 * kInputs, f32x4})
                      .ok(),
                  "bound");
  std::vector<std::uint32_t> out(4 * kOutputs * threads);
  for (std::size_t n = 0; n < kOutputs; ++n)
    fuzz::require(launch
                      .bind_output("slots" + std::to_string(n),
                                   {out.data() + 4 * n, 4 * (out.size() - 4 * n), 16 * kOutputs, f32x4})
                      .ok(),
                  "bound");
  fuzz::require(launch.set_bits("sa0", sa).ok(), "set");
  fuzz::require(launch.map_memory("mem", 0, memory.data(), 256).ok(), "mapped");
  fuzz::require(launch.set_count(threads).ok(), "set");
  launch.set_fuel(64);
  for (const EngineKind kind : {EngineKind::guest, EngineKind::ir, EngineKind::jit}) {
    RunOptions options;
    options.engine = kind;
    options.threads = 1;
    const auto report = engine.run(launch, options);
    if (report) continue;
    fuzz::require(report.error().code != ErrorCode::internal, to_string(report.error()).c_str());
    fuzz::require(!report.error().message.empty(), "an error says what is wrong");
  }
  engine.clear_cache();
  return 0;
}
