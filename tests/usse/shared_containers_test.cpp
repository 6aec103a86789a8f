// The containers of the shared corpus become code for all hosts, quickly.
#include <chrono>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "backend/target.h"
#include "frontend/usse/container/gxp.h"
#include "frontend/usse/facts/slots.h"
#include "frontend/usse/translate/translate.h"
#include "ir/pipeline.h"
#include "support/source_dir.h"
#include "usse/usse_test.h"

namespace warpjit::usse {
namespace {

Result<ir::Function> translated(const Program& program) {
  // Textures of four bytes with a linear filter.
  ir::SampleKey key;
  key.format = *parse_texture_format("rgba8");
  key.four_pairs = false;
  key.one_level = true;
  key.magnify = key.minify = Filter::linear;
  std::vector<ir::SampleKey> samples;
  for (const frontend::TextureUse& use : texture_uses(program)) {
    samples.push_back(key);
    if (samples_cube(program, use.texture)) samples.back().dimension = TextureDimension::cube;
  }
  if (program.stage == Stage::vertex) {
    std::vector<std::uint8_t> outputs;
    for (unsigned n = 0; n < kSlots / 4; ++n) outputs.push_back(static_cast<std::uint8_t>(n));
    return translate_vertex(program, 0x1ffff, outputs, samples);
  }
  frontend::PixelFacts pixels;
  pixels.output.colors[0] = PixelFormat::rgba8;
  pixels.uses = fragment_uses(program);
  return translate_fragment(program, pixels, samples);
}

TEST(UsseSharedContainers, BecomeCode) {
  using Clock = std::chrono::steady_clock;
  const std::filesystem::path folder = tests::corpus_file("usse/gxp");
  unsigned count = 0;
  double total = 0, most = 0;
  std::string slowest;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".gxp") continue;
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto program = read_gxp(std::as_bytes(std::span(text)), entry.path().filename().string());
    ASSERT_TRUE(program.ok()) << to_string(program.error());
    ++count;
    backend::Workspace workspace;
    for (const backend::Target target : backend::kPlainTargets) {
      if (!backend::built_in(target)) continue;
      double best = 1e9;
      for (unsigned turn = 0; turn < 3; ++turn) {
        const auto start = Clock::now();
        Result<ir::Function> function = translated(*program);
        ASSERT_TRUE(function.ok()) << to_string(function.error());
        const auto groups = ir::run_pipeline(std::move(*function), {});
        ASSERT_TRUE(groups.ok()) << to_string(groups.error());
        const auto code = backend::compile(*groups, target, {}, workspace);
        ASSERT_TRUE(code.ok()) << to_string(code.error());
        best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
      }
      if (target != backend::Target::x64_v4) continue;
      total += best;
      if (best > most) {
        most = best;
        slowest = entry.path().filename().string();
      }
    }
  }
  EXPECT_EQ(count, tests::has_whole_corpus() ? 34U : 11U);
  std::cout << count << " containers, " << total / count << " ms each for v4, at most " << most << " ms, "
            << slowest << "\n";
}

}  // namespace
}  // namespace warpjit::usse
