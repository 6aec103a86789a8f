// Random programs through the whole pipeline: what generated code stores, in every setting, is what the
// interpreter stores thread by thread. WARPJIT_SEEDS (count) and WARPJIT_FIRST_SEED change what is run.
#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/kernel.h"
#include "ir/pipeline.h"
#include "ir/printer.h"
#include "support/random_ir.h"

namespace warpjit::backend {
namespace {

using warpjit::testing::difference;
using warpjit::testing::random_any_function;
using warpjit::testing::random_pixel_function;
using warpjit::testing::RandomMemory;

std::uint64_t from_environment(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

constexpr std::uint32_t kThreads = 96;  // whole groups at 1, 2 and 3 parts
constexpr std::uint64_t kFuel = 100'000;

// `pixels`: for a function over pixels; the words of the tile follow then.
std::vector<std::uint32_t> run_code(const MachineCode& code, const RandomMemory& memory,
                                    bool pixels = false) {
  Launch launch;
  std::vector<std::uint32_t> tile = memory.tile;
  launch.quads = memory.quads.data();
  launch.groups = memory.groups.data();
  launch.tile = reinterpret_cast<std::byte*>(tile.data());
  launch.threads = kThreads;
  launch.fuel = kFuel * code.lanes;
  launch.table = memory.uniform;
  launch.table.resize(std::max<std::size_t>(launch.table.size(), code.table_bytes / 4));
  for (const auto& input : memory.inputs) {
    launch.inputs.emplace_back(kThreads, 16);
    for (std::uint32_t t = 0; t < kThreads; ++t) launch.inputs.back().set(t, input[t]);
  }
  for (std::uint32_t k = 0; k < RandomMemory::kOutputs; ++k) {
    launch.outputs.emplace_back(kThreads, 16);
    for (std::uint32_t t = 0; t < kThreads; ++t)
      launch.outputs.back().set(t, {0xcccccccc, 0xcccccccc, 0xcccccccc, 0xcccccccc});
  }
  EXPECT_EQ(run(Executable(code), launch).status, KernelStatus::done);
  std::vector<std::uint32_t> words;
  for (std::uint32_t t = 0; t < kThreads; ++t)
    for (const Rows& rows : launch.outputs)
      for (std::uint32_t word : rows.get(t))
        words.push_back((word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word);
  if (pixels) words.insert(words.end(), tile.begin(), tile.end());
  return words;
}

class RandomCode : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(RandomCode);
WARPJIT_ON_TARGETS_WITH_HALVES(RandomCode);

TEST_P(RandomCode, StoresWhatTheInterpreterStores) {
  const std::uint64_t first = from_environment("WARPJIT_FIRST_SEED", 0);
  const std::uint64_t count = from_environment("WARPJIT_SEEDS", 40);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const ir::Function thread_form = random_any_function(seed);
    const RandomMemory memory(seed, kThreads);
    const auto wanted = memory.run(thread_form, 1, kFuel);
    ASSERT_TRUE(wanted.ok()) << "seed " << seed << ": " << to_string(wanted.error());
    ir::PipelineOptions options;
    options.verify = true;
    options.dispatch_all = seed % 4 == 1;
    options.optimize = seed % 4 != 2;
    options.masks_are_numbers = seed % 3 != 0;
    const auto program = ir::run_pipeline(thread_form, options);
    ASSERT_TRUE(program.ok()) << "seed " << seed << ": " << to_string(program.error());
    for (const Setting& setting : all_settings(GetParam())) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + setting.text());
      const MachineCode code = compile(*program, setting);
      if (HasFailure()) return;
      const std::string wrong = difference(*wanted, run_code(code, memory));
      ASSERT_EQ(wrong, "") << ir::print(program->preamble) << ir::print(program->kernel);
      if (HasFailure()) return;
    }
  }
}

// What lanes read of each other needs groups: the interpreter's are of other widths.
TEST_P(RandomCode, OverPixelsStoresWhatTheInterpreterStores) {
  const std::uint64_t first = from_environment("WARPJIT_FIRST_SEED", 0);
  const std::uint64_t count = from_environment("WARPJIT_SEEDS", 40);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const ir::Function thread_form = random_pixel_function(seed, seed % 2 == 0);
    const RandomMemory memory(seed, kThreads);
    ir::PipelineOptions options;
    options.verify = true;
    options.dispatch_all = seed % 4 == 1;
    options.optimize = seed % 8 != 2;
    options.masks_are_numbers = seed % 3 != 0;
    const auto program = ir::run_pipeline(thread_form, options);
    ASSERT_TRUE(program.ok()) << "seed " << seed << ": " << to_string(program.error());
    const auto wanted = memory.run(program->kernel, 4, kFuel, &program->preamble);
    ASSERT_TRUE(wanted.ok()) << "seed " << seed << ": " << to_string(wanted.error());
    for (const Setting& setting : all_settings(GetParam())) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + setting.text());
      const MachineCode code = compile(*program, setting);
      if (HasFailure()) return;
      const std::string wrong = difference(*wanted, run_code(code, memory, true));
      ASSERT_EQ(wrong, "") << ir::print(program->preamble) << ir::print(program->kernel);
      if (HasFailure()) return;
    }
  }
}

// For hosts that this machine is not, too: every check but running.
TEST(RandomCodeOfAllTargets, OverPixelsCompiles) {
  for (std::uint64_t seed = 1000; seed < 1020; ++seed) {
    const auto program = ir::run_pipeline(random_pixel_function(seed, true), {.verify = true});
    ASSERT_TRUE(program.ok()) << "seed " << seed << ": " << to_string(program.error());
    for (const Target target : kPlainTargets)
      if (built_in(target))
        for (const Setting& setting : all_settings(target)) compile(*program, setting);
  }
}

}  // namespace
}  // namespace warpjit::backend
