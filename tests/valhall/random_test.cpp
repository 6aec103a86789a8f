// Random compute programs on all engines.
#include "random/valhall/random.h"

#include "support/share.h"
#include "valhall/engines.h"
#include "valhall/valhall_test.h"

namespace warpjit::valhall {
namespace {

TEST(ValhallRandom, EnginesAgree) {
  constexpr std::uint64_t kPrograms = share(300);
  const std::size_t left = runs_left();
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    RandomKernel kernel = random_kernel(seed, {.size = 20 + static_cast<unsigned>(seed % 80)});
    std::vector<std::uint32_t> output(kernel.output_words);
    frontend::Grid grid;
    grid.grid = kernel.grid;
    grid.block = kernel.block;
    grid.fuel = kRandomFuel;
    const auto uniforms = std::as_bytes(std::span(kernel.uniforms));
    grid.parameters.assign(uniforms.begin(), uniforms.end());
    grid.images = kernel.images;
    grid.buffers = kernel.buffers;
    grid.constants[0] = std::as_bytes(std::span(kernel.buffer));
    const auto high = [](std::uint64_t address) { return static_cast<std::uint32_t>(address >> 32); };
    grid.high_words = {high(kernel.input_address), high(kernel.output_address)};
    grid.globals[0] = {
        {static_cast<std::uint32_t>(kernel.input_address), std::as_writable_bytes(std::span(kernel.input))}};
    grid.globals[1] = {
        {static_cast<std::uint32_t>(kernel.output_address), std::as_writable_bytes(std::span(output))}};
    RunReport report;
    const Status status = run_everywhere(kernel.program, grid, report);
    ASSERT_TRUE(status.ok()) << seed << ": " << to_string(status.error());
    ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << disassemble(kernel.program);
  }
  // A quarter of the programs: the IR interpreter, and what this machine runs.
  const std::size_t ways = 1 + Engine().info().targets.size();
  EXPECT_LT((runs_left() - left) * 4, ways * kPrograms);
}

}  // namespace
}  // namespace warpjit::valhall
