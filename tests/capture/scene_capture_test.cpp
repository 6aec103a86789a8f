// The project's scenes as captures: they leave the same bytes on every engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "hostile_bytes.h"
#include "scene/load_scene.h"
#include "support/scene_files.h"
#include "support/source_dir.h"

namespace warpjit::tool {
namespace {

namespace fs = std::filesystem;

// The outputs of a scene, after each other.
std::vector<std::byte> outputs_of(const Scene& scene, EngineKind kind) {
  const auto machine = SceneMachine::make(scene, "scene");
  EXPECT_TRUE(machine.ok()) << to_string(machine.error());
  if (!machine) return {};
  RunOptions options;
  options.engine = kind;
  const Engine engine;
  const Status done = (*machine)->run(engine, options);
  EXPECT_TRUE(done.ok()) << to_string(done.error());
  std::vector<std::byte> all;
  for (const SceneOutput& output : scene.outputs) {
    const auto bytes = (*machine)->bytes_of(output);
    EXPECT_EQ(bytes.size(), output.size);
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

TEST(SceneCapture, LeavesTheSameBytes) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  std::size_t count = 0;
  for (const fs::path& file : tests::scene_files()) {
    SCOPED_TRACE(file);
    const auto scene = load_scene(file.string());
    ASSERT_TRUE(scene.ok()) << to_string(scene.error());
    if (scene->refused) continue;
    const auto capture = tests::read(tests::written(*scene));
    ASSERT_TRUE(capture.ok()) << to_string(capture.error());
    ASSERT_EQ(capture->outputs.size(), scene->outputs.size());
    for (std::size_t n = 0; n < scene->outputs.size(); ++n)
      EXPECT_EQ(capture->outputs[n].expected, scene->outputs[n].expected);
    const std::vector<std::byte> wanted = outputs_of(*scene, EngineKind::jit);
    for (const EngineKind kind : {EngineKind::guest, EngineKind::ir, EngineKind::jit})
      EXPECT_EQ(outputs_of(*capture, kind), wanted) << name(kind);
    ++count;
  }
  EXPECT_GE(count, 10u);
}

}  // namespace
}  // namespace warpjit::tool
