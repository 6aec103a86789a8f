// Memory that fails while the 3DS's GPU works: each job gives its result or an error, and afterwards the same GPU and a
// new one draw right.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/hash.h"
#include "failing/sweep.h"
#include "files.h"
#include "scene_file.h"
#include "support/source_dir.h"
#include "unpack.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::test {
namespace {

Status run_job(pica200::Gpu& gpu, const Engine& engine, const RunOptions& options,
               const tool::SceneJob& job) {
  if (const auto* list = std::get_if<tool::CommandList>(&job)) {
    const auto report = gpu.run_commands(engine, list->address, list->bytes, options);
    return report ? Status() : Status(report.error());
  }
  if (const auto* fill = std::get_if<pica200::MemoryFill>(&job)) return gpu.fill(*fill);
  if (const auto* transfer = std::get_if<pica200::DisplayTransfer>(&job)) return gpu.transfer(*transfer);
  return {};
}

class FailingGpu : public testing::TestWithParam<EngineKind> {
 protected:
  void draw_all(const std::string& name, std::uint64_t most) {
    const std::string file = tests::source_file("tests/corpus/pica200/frames/" + name + "/scene.json");
    const auto text = tool::read_file(file);
    ASSERT_TRUE(text.ok());
    const auto scene =
        tool::read_scene(tool::as_text(*text), file, std::filesystem::path(file).parent_path());
    ASSERT_TRUE(scene.ok()) << to_string(scene.error());
    std::vector<tool::SceneMemory> memory = scene->memory;
    std::vector<pica200::GpuMemory> ranges;
    for (tool::SceneMemory& piece : memory)
      ranges.push_back({piece.address, piece.bytes.data(), piece.bytes.size()});
    RunOptions options;
    options.engine = GetParam();
    options.threads = 1;
    const auto draw = [&](pica200::Gpu& gpu, const Engine& engine) -> Result<std::uint64_t> {
      for (std::size_t n = 0; n < memory.size(); ++n)
        std::copy(scene->memory[n].bytes.begin(), scene->memory[n].bytes.end(), memory[n].bytes.begin());
      WARPJIT_CHECK(gpu.reset());
      for (const tool::SceneJob& job : scene->jobs) WARPJIT_CHECK(run_job(gpu, engine, options, job));
      std::uint64_t hash = 0;
      for (const tool::SceneMemory& piece : memory) hash = hash * 31 + hash_bytes(piece.bytes);
      return hash;
    };
    pica200::Gpu kept;
    ASSERT_TRUE(kept.set_memory(ranges).ok());
    const Engine engine;
    sweep(
        [&]() -> Result<std::uint64_t> {
          engine.clear_cache();
          WARPJIT_TRY(const std::uint64_t first, draw(kept, engine));
          pica200::Gpu gpu;
          WARPJIT_CHECK(gpu.set_memory(ranges));
          WARPJIT_TRY(const std::uint64_t second, draw(gpu, engine));
          return first * 31 + second;
        },
        most);
  }
};

TEST_P(FailingGpu, Draws) {
  if (const auto result = tool::unpack_xz({}, "", 1);
      !result && result.error().code == ErrorCode::unsupported)
    GTEST_SKIP() << "no liblzma";
  const std::uint64_t most = share(GetParam() == EngineKind::jit ? 200 : 60);
  for (const char* name : {"light_bump", "strips_fans_indices"}) {
    SCOPED_TRACE(name);
    draw_all(name, most);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, FailingGpu,
                         testing::Values(EngineKind::guest, EngineKind::ir, EngineKind::jit),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace warpjit::test
