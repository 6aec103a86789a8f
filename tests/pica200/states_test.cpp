// Random states of the fixed function: every engine leaves the memory that the guest interpreter leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "device/pica200/fragment_draws.h"
#include "random/pica200/states.h"
#include "support/same_bytes.h"
#include "support/share.h"

namespace warpjit::pica200 {
namespace {

struct Outcome {
  std::vector<std::byte> memory;
  std::string error;
};

// `keeps`: in tiles that are kept after the draw.
Outcome run(const RandomDraw& draw, const Engine& engine, FragmentDraws& draws, const RunOptions& options,
            bool keeps = false) {
  Outcome outcome{draw.memory, ""};
  const PhysicalMemory memory({{RandomDraw::kAddress, outcome.memory.data(), outcome.memory.size()}});
  draws.change_tables();
  const std::vector<std::uint32_t> indices(draw.indices.begin(), draw.indices.end());
  Status status = draws.begin(draw.registers, 1, draw.tables, memory, keeps);
  if (status) status = draws.add(engine, {draw.vertices, indices, !indices.empty()}, options);
  if (status) status = draws.flush(engine, options);
  draws.write_back();
  if (!status) outcome.error = to_string(status.error());
  return outcome;
}

TEST(PicaStates, RandomStatesAgree) {
  // WARPJIT_STATES: how many, from seed 1 on.
  const char* const given = std::getenv("WARPJIT_STATES");
  const std::uint64_t states = given != nullptr ? std::strtoull(given, nullptr, 10) : share(2000);
  const Engine engine;
  std::vector<RunOptions> machines;
  for (const EngineKind kind : {EngineKind::ir, EngineKind::jit}) {
    RunOptions options;
    options.engine = kind;
    if (kind == EngineKind::jit)
      for (const Target target : engine.info().targets) {
        options.target = target;
        machines.push_back(options);
      }
    else
      machines.push_back(options);
  }
  FragmentDraws draws;
  std::uint64_t drawn = 0, levels = 0;
  for (std::uint64_t seed = 1; seed <= states; ++seed) {
    const RandomDraw draw = random_draw(seed);
    RunOptions guest;
    guest.engine = EngineKind::guest;
    const Outcome expected = run(draw, engine, draws, guest);
    drawn += expected.memory != draw.memory ? 1 : 0;
    for (const RunOptions& options : machines) {
      const Outcome result = run(draw, engine, draws, options, seed % 2 != 0);
      ASSERT_EQ(result.error.empty(), expected.error.empty())
          << "seed " << seed << ": " << result.error << "; " << expected.error;
      if (!result.error.empty()) {  // engines draw in other orders until then
        const auto is_level = [](const Outcome& outcome) {
          return outcome.error.find("smaller than 8 x 8") != std::string::npos;
        };
        EXPECT_EQ(is_level(result), is_level(expected)) << "seed " << seed << ": " << result.error;
        levels += is_level(result) ? 1 : 0;
        continue;
      }
      const std::size_t differ = tests::first_difference(result.memory, expected.memory);
      ASSERT_EQ(differ, expected.memory.size())
          << "seed " << seed << ", engine " << name(options.engine) << " " << name(options.target) << ": "
          << std::to_integer<int>(result.memory[differ]) << " not "
          << std::to_integer<int>(expected.memory[differ]);
    }
  }
  EXPECT_GT(drawn, states / 3);
  if (states >= 1000) {
    EXPECT_GT(levels, 0u);
  }
}

}  // namespace
}  // namespace warpjit::pica200
