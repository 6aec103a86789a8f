// Scenes whose lists are walked through packet by packet, with a new Gpu after each one: a saved state has all
// that goes on.
#include <gtest/gtest.h>

#include <cstring>

#include "files.h"
#include "scene_file.h"
#include "support/source_dir.h"
#include "unpack.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tool {
namespace {

struct Walk {
  const Engine& engine;
  Scene& scene;
  bool saves = false;
  pica200::Gpu gpu{};
  std::size_t packets = 0, draws = 0;

  void set_memory() {
    std::vector<pica200::GpuMemory> memory;
    for (SceneMemory& piece : scene.memory)
      memory.push_back({piece.address, piece.bytes.data(), piece.bytes.size()});
    ASSERT_TRUE(gpu.set_memory(memory).ok());
  }
  const std::byte* find(std::uint32_t address) const {
    for (const SceneMemory& piece : scene.memory)
      if (address >= piece.address && address - piece.address < piece.bytes.size())
        return piece.bytes.data() + (address - piece.address);
    return nullptr;
  }
  // The state goes through bytes into a new object.
  void renew() {
    const auto saved = gpu.save();
    ASSERT_TRUE(saved.ok());
    pica200::Gpu next;
    ASSERT_TRUE(next.load(*saved).ok());
    ASSERT_EQ(*next.save(), *saved);
    gpu = std::move(next);
    set_memory();
  }
  void run(CommandList list) {
    RunOptions options;
    options.engine = EngineKind::guest;
    for (std::uint32_t at = 0; at + 8 <= (list.bytes & ~15u);) {
      const std::byte* from = find(list.address + at);
      ASSERT_NE(from, nullptr);
      std::uint32_t first = 0, header = 0;
      std::memcpy(&first, from, 4);
      std::memcpy(&header, from + 4, 4);
      const std::uint32_t others = header >> 20 & 0xFF;
      std::vector<std::uint32_t> words(1 + others);
      words[0] = first;
      std::memcpy(words.data() + 1, from + 8, 4 * std::size_t{others});
      const pica200::Packet packet{header & 0xFFFF, words, header >> 16 & 15, header >> 31 != 0};
      const auto report = gpu.run_packet(engine, packet, options);
      ASSERT_TRUE(report.ok()) << to_string(report.error());
      ++packets;
      draws += report->draws;
      if (saves) renew();
      if (report->interrupt) return;
      if (report->jump != pica200::GpuReport::Jump::none) {
        const std::uint32_t channel = report->jump == pica200::GpuReport::Jump::buffer1 ? 1 : 0;
        list = {gpu.get_register(0x23A + channel) << 3, gpu.get_register(0x238 + channel) << 3};
        at = 0;
        continue;
      }
      at += 4 * ((2 + others + 1) / 2 * 2);
    }
    ASSERT_TRUE(gpu.draw_immediate(engine, options).ok());
  }
  void run() {
    set_memory();
    for (const SceneJob& job : scene.jobs) {
      if (const auto* list = std::get_if<CommandList>(&job)) run(*list);
      if (const auto* fill = std::get_if<pica200::MemoryFill>(&job)) {
        ASSERT_TRUE(gpu.fill(*fill).ok());
      }
      if (const auto* transfer = std::get_if<pica200::DisplayTransfer>(&job)) {
        ASSERT_TRUE(gpu.transfer(*transfer).ok());
      }
      if (const auto* copy = std::get_if<pica200::TextureCopy>(&job)) {
        ASSERT_TRUE(gpu.copy(*copy).ok());
      }
      if (testing::Test::HasFatalFailure()) return;
    }
  }
};

TEST(SaveState, ScenesAreCutAtEveryPacket) {
  if (const auto result = unpack_xz({}, "", 1); !result && result.error().code == ErrorCode::unsupported)
    GTEST_SKIP() << "no liblzma";
  const Engine engine;
  std::size_t packets = 0;
  for (const char* name : {"triangle", "strips_fans_indices", "jumps", "fog", "light_specular", "proctex"}) {
    const auto file = tests::corpus_file(std::string("pica200/frames/") + name + "/scene.json");
    const auto bytes = read_file(file);
    ASSERT_TRUE(bytes.ok()) << name;
    const auto scene = read_scene(as_text(*bytes), name, std::filesystem::path(file).parent_path());
    ASSERT_TRUE(scene.ok()) << to_string(scene.error());
    Scene whole = *scene, cut = *scene;
    Walk first{engine, whole}, second{engine, cut, true};
    first.run();
    second.run();
    if (HasFatalFailure()) FAIL() << name;
    EXPECT_GT(first.draws, 0u);
    EXPECT_EQ(first.draws, second.draws);
    for (std::size_t n = 0; n < whole.memory.size(); ++n)
      EXPECT_TRUE(whole.memory[n].bytes == cut.memory[n].bytes) << name;
    // Walked through by the library, it leaves the same.
    Scene given = *scene;
    Walk third{engine, given};
    third.set_memory();
    RunOptions options;
    options.engine = EngineKind::guest;
    for (const SceneJob& job : given.jobs) {
      if (const auto* list = std::get_if<CommandList>(&job)) {
        ASSERT_TRUE(third.gpu.run_commands(engine, list->address, list->bytes, options).ok());
      }
      if (const auto* fill = std::get_if<pica200::MemoryFill>(&job)) {
        ASSERT_TRUE(third.gpu.fill(*fill).ok());
      }
      if (const auto* transfer = std::get_if<pica200::DisplayTransfer>(&job)) {
        ASSERT_TRUE(third.gpu.transfer(*transfer).ok());
      }
      if (const auto* copy = std::get_if<pica200::TextureCopy>(&job)) {
        ASSERT_TRUE(third.gpu.copy(*copy).ok());
      }
    }
    for (std::size_t n = 0; n < whole.memory.size(); ++n)
      EXPECT_TRUE(whole.memory[n].bytes == given.memory[n].bytes) << name;
    packets += second.packets;
  }
  EXPECT_GT(packets, 100u);
}

}  // namespace
}  // namespace warpjit::tool
