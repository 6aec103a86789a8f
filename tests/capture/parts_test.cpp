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

// A list that jumps to another one, which memory holds only later.
TEST(Parts, OfListsThatJump) {
  pica200::Scene scene;
  constexpr std::uint32_t kBase = 0x20000000, kNext = kBase + 256;
  const auto words = [](std::initializer_list<std::uint32_t> list) {
    std::vector<std::byte> bytes;
    for (const std::uint32_t word : list)
      for (unsigned n = 0; n < 4; ++n) bytes.push_back(static_cast<std::byte>(word >> 8 * n));
    return bytes;
  };
  std::vector<std::byte> memory(512);
  // The size and address of the list that channel 0 goes on with, then the jump, then what nobody runs.
  const auto first = words({32 / 8, 0x000F0238, kNext / 8, 0x000F023A, 1, 0x800F0000 | 1 << 20 | 0x23B, 2, 0,
                            7, 0x000F0040, 0, 0});
  std::ranges::copy(first, memory.begin());
  scene.memory.push_back({kBase, memory});
  scene.jobs.emplace_back(
      pica200::make_load(kNext, std::make_shared<const std::vector<std::byte>>(
                                    words({1, 0x000F0041, 2, 0x803F0042, 3, 4, 5, 0x000F0300}))));
  scene.jobs.emplace_back(pica200::CommandList{kBase, 48});
  const pica200::SceneFrames frames(scene, "jumps");
  // 0x238, 0x23A, 0x23B; after the jump 0x041, 0x042 to 0x045, as one write each.
  EXPECT_EQ(frames.parts(Part::state), 3u + 1 + 4);
  const pica200::FlatScene flat = pica200::flatten(scene);
  ASSERT_EQ(flat.lists.size(), 2u);
  EXPECT_FALSE(flat.lists[0]);
  ASSERT_TRUE(flat.lists[1]);
  EXPECT_EQ(flat.lists[1]->back().id, 0x045u);
  EXPECT_EQ(flat.lists[1]->back().values, std::vector<std::uint32_t>{5});
  // Without the load the list goes on with zeros.
  const auto less = frames.without(Part::job, {true, false});
  ASSERT_NE(less, nullptr);
  EXPECT_EQ(less->parts(Part::job), 1u);
  EXPECT_EQ(less->parts(Part::state), 8u);  // lists are as the frames had them
}

TEST(Parts, AListThatIsCutStaysAsItIs) {
  pica200::Scene scene;
  scene.memory.push_back({0x20000000, std::vector<std::byte>(64, std::byte{0xFF})});
  scene.jobs.emplace_back(pica200::CommandList{0x20000000, 64});
  scene.jobs.emplace_back(pica200::CommandList{0x10000000, 64});  // no memory
  const pica200::SceneFrames frames(scene, "cut");
  EXPECT_EQ(frames.parts(Part::state), 0u);
  EXPECT_EQ(frames.parts(Part::draw), 0u);
  const auto same = frames.without(Part::job, {false, false});
  ASSERT_NE(same, nullptr);
  Shown before, after;
  const Status a = frames.run(Engine(), before, {}), b = same->run(Engine(), after, {});
  EXPECT_FALSE(a.ok());
  EXPECT_EQ(to_string(a.error()), to_string(b.error()));
}

}  // namespace
}  // namespace warpjit
