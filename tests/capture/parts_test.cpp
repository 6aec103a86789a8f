// What frames can do without, and what is left then.
#include <gtest/gtest.h>

#include "capture/pica200/scene_frames.h"
#include "hostile_bytes.h"
#include "scene/load_scene.h"
#include "support/scene_files.h"

namespace warpjit {
namespace {

using capture::Part;

struct Shown final : CaptureVisitor {
  CaptureInterest interest() const override { return {true, true}; }
  bool draw(const CaptureDraw&) override { return ++draws, true; }
  bool picture(const CapturePicture& picture) override {
    pictures.emplace_back(picture.bytes.begin(), picture.bytes.end());
    return true;
  }
  std::size_t draws = 0;
  std::vector<std::vector<std::byte>> pictures;
};

std::unique_ptr<const capture::Frames> example(const char* name) {
  const auto scene =
      tool::load_scene(tests::source_file("examples/pica200/scenes/" + std::string(name) + "/scene.json"));
  EXPECT_TRUE(scene.ok()) << to_string(scene.error());
  return std::make_unique<pica200::SceneFrames>(scene ? *scene : pica200::Scene(), name);
}

Shown run(const capture::Frames& frames) {
  Shown shown;
  const Status status = frames.run(Engine(), shown, {});
  EXPECT_TRUE(status.ok()) << to_string(status.error());
  return shown;
}

TEST(Parts, OfScenesDrawAsBeforeWithoutNone) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  for (const char* name : {"emulator", "toon", "stencil_shadow"}) {
    const auto frames = example(name);
    const Shown before = run(*frames);
    for (std::size_t n = 0; n < capture::kParts; ++n) {
      const auto part = static_cast<Part>(n);
      const std::size_t count = frames->parts(part);
      EXPECT_NE(count, 0u) << name << n;
      const auto same = frames->without(part, std::vector<bool>(count));
      ASSERT_NE(same, nullptr);
      EXPECT_EQ(same->parts(part), count);
      const Shown after = run(*same);
      EXPECT_EQ(after.draws, before.draws) << name << n;
      EXPECT_TRUE(after.pictures == before.pictures) << name << n;
    }
  }
}

}  // namespace
}  // namespace warpjit
