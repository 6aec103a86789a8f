// Targets that stay in tiles from draw to draw: whoever reads memory sees what every engine has drawn there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/random.h"
#include "device/pica200/fragment_draws.h"
#include "random/pica200/states.h"
#include "support/same_bytes.h"
#include "support/share.h"
#include "warpjit/pica200.h"

namespace warpjit::pica200 {
namespace {

// Draws one after the other over one memory, whose targets and textures lie over each other, and between them somebody
// who reads or writes some of it.
class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : random_(seed) {
    for (unsigned left = 2 + random_.below(6); left > 0; --left) {
      Step step{random_draw(random_.next())};
      if (!steps_.empty() && random_.chance(60)) take_targets(steps_.back().draw, step.draw);
      if (random_.one_in(3)) move(step.draw, 0x11D);
      if (random_.one_in(3)) move(step.draw, 0x11C);
      if (random_.one_in(3)) move(step.draw, 0x085);
      if (random_.one_in(2)) {
        step.access = random_.one_in(2) ? Access::read : Access::write;
        step.at = 64 * random_.below(static_cast<unsigned>(step.draw.memory.size() / 64));
        step.size = std::min<std::size_t>(1 + random_.below(0x800), step.draw.memory.size() - step.at);
      }
      steps_.push_back(std::move(step));
    }
  }

  // What readers saw, which draws were errors, and the memory at the end.
  struct Outcome {
    std::vector<std::byte> read, memory;
    std::string errors;
  };
  Outcome run(const Engine& engine, const RunOptions& options, bool keeps, bool finishes) const {
    Outcome outcome;
    outcome.memory = steps_[0].draw.memory;
    FragmentDraws draws;
    PhysicalMemory memory({{RandomDraw::kAddress, outcome.memory.data(), outcome.memory.size()}});
    memory.set_watch(&draws);
    for (std::size_t n = 0; n < steps_.size(); ++n) {
      const Step& step = steps_[n];
      const std::vector<std::uint32_t> indices(step.draw.indices.begin(), step.draw.indices.end());
      draws.change_tables();
      Status status = draws.begin(step.draw.registers, 1, step.draw.tables, memory, keeps);
      if (status) status = draws.add(engine, {step.draw.vertices, indices, !indices.empty()}, options);
      if (status)
        status =
            finishes && n + 1 == steps_.size() ? draws.finish(engine, options) : draws.flush(engine, options);
      outcome.errors += status ? '0' : '1';
      if (step.access == Access::none) continue;
      const bool writes = step.access == Access::write;
      std::byte* const data = memory.access(RandomDraw::kAddress + step.at, step.size, writes);
      if (writes)
        std::memset(data, static_cast<int>(n + 1), step.size);
      else
        outcome.read.insert(outcome.read.end(), data, data + step.size);
    }
    draws.write_back();
    return outcome;
  }

 private:
  enum class Access : std::uint8_t { none, read, write };
  struct Step {
    RandomDraw draw;
    Access access = Access::none;
    std::size_t at = 0, size = 0;
  };

  static void take_targets(const RandomDraw& from, RandomDraw& to) {
    for (const std::uint32_t id : {0x116u, 0x117u, 0x11Cu, 0x11Du, 0x11Eu})
      to.registers[id] = from.registers[id];
  }
  // Targets and textures may then lie over each other.
  void move(RandomDraw& draw, std::uint32_t id) {
    constexpr std::uint32_t kPlaces[] = {0, 0, 0xA000, 0xA000, 0x2000, 0x9000, 0x14000, 0x18040};
    draw.registers[id] = (RandomDraw::kAddress + kPlaces[random_.below(8)]) >> 3;
  }

  Random random_;
  std::vector<Step> steps_;
};

TEST(KeptTargets, ReadersSeeWhatWasDrawn) {
  const Engine engine;
  std::vector<RunOptions> machines(1);
  machines[0].engine = EngineKind::ir;
  for (const Target target : engine.info().targets) {
    RunOptions options;
    options.engine = EngineKind::jit;
    options.target = target;
    machines.push_back(options);
    options.threads = 2;
    machines.push_back(options);
  }
  RunOptions guest;
  guest.engine = EngineKind::guest;
  std::uint64_t equal = 0;
  const std::uint64_t count = share(300);
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const Sequence sequence(seed);
    const Sequence::Outcome expected = sequence.run(engine, guest, false, false);
    for (const RunOptions& options : machines) {
      const Sequence::Outcome result = sequence.run(engine, options, true, seed % 2 == 0);
      ASSERT_EQ(result.errors, expected.errors) << "seed " << seed;
      if (result.errors.find('1') != std::string::npos && result.memory != expected.memory)
        continue;  // drawn in other orders until then
      ASSERT_EQ(result.read == expected.read, true) << "seed " << seed;
      ASSERT_EQ(tests::first_difference(result.memory, expected.memory), expected.memory.size())
          << "seed " << seed << ", engine " << name(options.engine) << " " << name(options.target);
      ++equal;
    }
  }
  EXPECT_GT(equal, count * machines.size() / 2);
}

// A Gpu that draws two triangles over 64 x 64 pixels of RGBA8 at kTarget, in the colour of its fixed attribute.
class LazyTargets : public testing::Test {
 protected:
  static constexpr std::uint32_t kBase = 0x20000000, kTarget = 0x4000, kTargetBytes = 64 * 64 * 4,
                                 kCopy = 0x8000, kVertices = 0x100;

  LazyTargets() {
    const std::array<GpuMemory, 1> ranges = {{{kBase, memory.data(), memory.size()}}};
    EXPECT_TRUE(gpu.set_memory(ranges).ok());
    constexpr float kCorners[6][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, -1}, {1, 1}, {-1, 1}};
    for (std::size_t n = 0; n < 6; ++n) {
      const float position[4] = {kCorners[n][0], kCorners[n][1], -0.5f, 1};
      std::memcpy(memory.data() + kVertices + 16 * n, position, sizeof position);
    }
    write(0x2CB, 0);
    for (std::uint32_t n = 0; n < 2; ++n) write(0x2CC, 0x4c000000 | n << 21 | n << 12);  // mov on, vn
    write(0x2CC, 0x88000000);                                                            // end
    write(0x2D5, 0);
    write(0x2D6, 0x0d86c36f);
    write(0x2BA, 0x7FFF0000);
    write(0x2BD, 3);
    write(0x2B9, 0xA0000001);
    write(0x2BB, 0x10);
    write(0x242, 1);
    write(0x24A, 1);
    write(0x04F, 2);
    write(0x050, 0x03020100);
    write(0x051, 0x0B0A0908);
    write(0x200, kBase >> 3);
    write(0x201, 0xF);
    write(0x202, 1U << 28 | 2U << 16);  // attribute 1 is fixed
    write(0x203, kVertices);
    write(0x204, 0);
    write(0x205, 1U << 28 | 16U << 16);
    write(0x041, 0x440000);  // 32
    write(0x043, 0x440000);
    write(0x04D, 0xBF0000);
    write(0x06D, 1);
    for (const std::uint32_t id : {0x0C8u, 0x0D0u, 0x0D8u, 0x0F0u, 0x0F8u}) write(id, 0x000F000F);
    write(0x100, 0x00E40100);
    write(0x101, 0x01010000);
    write(0x107, 0x0F00);
    write(0x113, 0xF);
    write(0x116, 3);
    write(0x11D, (kBase + kTarget) >> 3);
    write(0x11E, 64 | 63U << 12 | 1U << 24);
    write(0x25F, 1);
  }

  void write(std::uint32_t id, std::uint32_t value) {
    const auto report = gpu.write_register(engine, id, value, {});
    EXPECT_TRUE(report.ok()) << (report ? "" : to_string(report.error()));
  }
  void draw(bool white) {
    write(0x232, 1);
    write(0x233, white ? 0x3F00003F : 0);
    write(0x234, white ? 0x00003F00 : 0);
    write(0x235, white ? 0x003F0000 : 0);
    write(0x228, 6);
    write(0x22E, 1);
  }
  unsigned byte(std::size_t at) const { return std::to_integer<unsigned>(memory[at]); }

  std::vector<std::byte> memory = std::vector<std::byte>(0x10000, std::byte{0x11});
  Engine engine;
  Gpu gpu;
};

TEST_F(LazyTargets, AreWrittenAtTheEndOfACallUnlessAsked) {
  draw(true);
  EXPECT_EQ(byte(kTarget), 0xFFu);
  gpu.set_lazy_targets(true);
  draw(false);
  EXPECT_EQ(byte(kTarget), 0xFFu) << "not yet";
  gpu.write_back(kBase, kTarget);
  EXPECT_EQ(byte(kTarget), 0xFFu) << "beside it";
  gpu.write_back(kBase + kTarget + kTargetBytes - 1, 1);
  EXPECT_EQ(byte(kTarget), 0u);
  draw(true);
  gpu.write_back();
  EXPECT_EQ(byte(kTarget + kTargetBytes - 1), 0xFFu);
  draw(false);
  gpu.set_lazy_targets(false);
  EXPECT_EQ(byte(kTarget), 0u);
  EXPECT_EQ(byte(kTarget - 1), 0x11u);
  EXPECT_EQ(byte(kTarget + kTargetBytes), 0x11u);
}

TEST_F(LazyTargets, AreWrittenForTheMemoryEngines) {
  gpu.set_lazy_targets(true);
  draw(true);
  ASSERT_TRUE(gpu.copy({kBase + kTarget, kBase + kCopy, kTargetBytes, 0, 0}).ok());
  EXPECT_EQ(byte(kCopy), 0xFFu);
  draw(false);
  ASSERT_TRUE(gpu.transfer({kBase + kTarget, kBase + kCopy, 64 | 64U << 16, 64 | 64U << 16, 0}).ok());
  EXPECT_EQ(byte(kCopy), 0u);
  // A fill of a part: what was drawn around it stays, what is drawn then goes over it.
  draw(true);
  ASSERT_TRUE(gpu.fill({kBase + kTarget + 64, kBase + kTarget + 128, 0x22222222, 0x201}).ok());
  EXPECT_EQ(byte(kTarget + 63), 0xFFu);
  EXPECT_EQ(byte(kTarget + 64), 0x22u);
  draw(false);
  gpu.write_back();
  EXPECT_EQ(byte(kTarget + 64), 0u);
}

TEST_F(LazyTargets, AreWrittenForStatesAndOtherMemory) {
  gpu.set_lazy_targets(true);
  draw(true);
  const auto saved = gpu.save();
  ASSERT_TRUE(saved.ok());
  EXPECT_EQ(byte(kTarget), 0xFFu);
  draw(false);
  ASSERT_TRUE(gpu.load(*saved).ok());
  EXPECT_EQ(byte(kTarget), 0u);
  draw(true);
  ASSERT_TRUE(gpu.set_memory({}).ok());
  EXPECT_EQ(byte(kTarget), 0xFFu);
}

TEST_F(LazyTargets, AreWrittenForVertices) {
  gpu.set_lazy_targets(true);
  draw(true);
  draw(false);
  // White pixels as positions are NaNs, black ones a point: nothing is drawn, but memory was read.
  write(0x203, kTarget);
  draw(true);
  EXPECT_EQ(byte(kTarget), 0u);
}

TEST_F(LazyTargets, AreWrittenForRecordings) {
  gpu.set_lazy_targets(true);
  draw(true);
  ASSERT_TRUE(gpu.record([](void*, std::span<const std::byte>) { return true; }, nullptr).ok());
  EXPECT_EQ(byte(kTarget), 0xFFu);
  draw(false);
  EXPECT_EQ(byte(kTarget), 0u) << "a recording wants each call's results";
  ASSERT_TRUE(gpu.end_record().ok());
}

TEST_F(LazyTargets, AreWrittenForTheGuestInterpreter) {
  gpu.set_lazy_targets(true);
  draw(true);
  RunOptions guest;
  guest.engine = EngineKind::guest;
  write(0x107, 0x0100);  // red alone
  write(0x232, 1);
  for (const std::uint32_t id : {0x233u, 0x234u, 0x235u}) write(id, 0);
  write(0x228, 6);
  ASSERT_TRUE(gpu.write_register(engine, 0x22E, 1, guest).ok());
  EXPECT_EQ(byte(kTarget + 3), 0u) << "red is the highest byte";
  EXPECT_EQ(byte(kTarget + 2), 0xFFu);
}

// A list draws, changes its state, draws again and fails.
TEST_F(LazyTargets, StayAfterAnError) {
  std::vector<std::uint32_t> words;
  const auto add = [&](std::uint32_t id, std::uint32_t value) {
    words.push_back(value);
    words.push_back(id | 0xF0000);
  };
  for (const std::uint32_t channels : {0x0F00u, 0x0700u}) {
    add(0x107, channels);
    add(0x232, 1);
    add(0x233, channels == 0x0F00 ? 0x3F00003F : 0);
    add(0x234, channels == 0x0F00 ? 0x00003F00 : 0);
    add(0x235, channels == 0x0F00 ? 0x003F0000 : 0);
    add(0x228, 6);
    add(0x22E, 1);
  }
  add(0x11D, 0);
  add(0x22E, 1);
  std::memcpy(memory.data() + 0x1000, words.data(), 4 * words.size());
  const auto report =
      gpu.run_commands(engine, kBase + 0x1000, static_cast<std::uint32_t>(4 * words.size()), {});
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().where.find("0x11D"), std::string::npos) << report.error().where;
  EXPECT_EQ(byte(kTarget), 0xFFu) << "alpha of the first draw";
  EXPECT_EQ(byte(kTarget + 1), 0u) << "colour of the second one";
}

TEST(LazyTargetsInC, SetAndWrite) {
  warpjit_pica200_gpu* gpu = nullptr;
  ASSERT_EQ(warpjit_pica200_gpu_create(&gpu, nullptr), WARPJIT_OK);
  EXPECT_EQ(warpjit_pica200_gpu_set_lazy_targets(gpu, 1), WARPJIT_OK);
  EXPECT_EQ(warpjit_pica200_gpu_write_back(gpu, 0, UINT64_MAX), WARPJIT_OK);
  EXPECT_EQ(warpjit_pica200_gpu_set_lazy_targets(nullptr, 1), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_pica200_gpu_write_back(nullptr, 0, 1), WARPJIT_BAD_INPUT);
  warpjit_pica200_gpu_destroy(gpu);
}

}  // namespace
}  // namespace warpjit::pica200
