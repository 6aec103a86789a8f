// Whole frames through Gpu: scenes with the memory that they leave, and scenes that must be refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>

#include "files.h"
#include "scene_file.h"
#include "support/scene_files.h"
#include "support/share.h"
#include "support/source_dir.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tool {
namespace {

namespace fs = std::filesystem;

// An engine, and with the JIT its target.
struct Machine {
  EngineKind kind = EngineKind::guest;
  Target target = Target::automatic;
  unsigned threads = 0;
};

// Runs a job of any kind by the public calls.
struct JobRunner {
  Scene& scene;
  pica200::Gpu& gpu;
  const Engine& engine;
  RunOptions options;

  Status operator()(const CommandList& list) const {
    const auto report = gpu.run_commands(engine, list.address, list.bytes, options);
    return report ? Status() : Status(report.error());
  }
  Status operator()(const pica200::MemoryFill& fill) const { return gpu.fill(fill); }
  Status operator()(const pica200::DisplayTransfer& transfer) const { return gpu.transfer(transfer); }
  Status operator()(const pica200::TextureCopy& copy) const { return gpu.copy(copy); }
  Status operator()(const MemoryLoad& load) const {
    for (SceneMemory& piece : scene.memory)
      if (load.address >= piece.address && load.address - piece.address <= piece.bytes.size() &&
          load.size <= piece.bytes.size() - (load.address - piece.address)) {
        const auto to = piece.bytes.begin() + (load.address - piece.address);
        if (load.bytes.empty())
          std::fill_n(to, load.size, std::byte{});
        else
          std::ranges::copy(load.bytes, to);
        return {};
      }
    return Error{ErrorCode::bad_input, "it does not lie in memory", "load"};
  }
  Status operator()(const StateLoad& state) const { return gpu.load(*state.bytes); }
  Status operator()(const pica200::CallList&) const {
    return Error{ErrorCode::unsupported, "no scene has calls", ""};
  }
};

Status run_scene(Scene& scene, const Machine& machine = {}) {
  const Engine engine;
  pica200::Gpu gpu;
  std::vector<pica200::GpuMemory> memory;
  for (SceneMemory& piece : scene.memory)
    memory.push_back({piece.address, piece.bytes.data(), piece.bytes.size()});
  if (Status set = gpu.set_memory(memory); !set) return set;
  for (const pica200::RegisterWrite& write : scene.registers)
    if (Status set = gpu.set_register(write.id, write.value); !set) return set;
  RunOptions options;
  options.engine = machine.kind;
  options.target = machine.target;
  options.threads = machine.threads;
  const JobRunner runner{scene, gpu, engine, options};
  for (const SceneJob& job : scene.jobs)
    if (Status done = std::visit(runner, job); !done) return done;
  return {};
}

// What the scene says that a message must name at least one of.
bool names_one(const nlohmann::json& names, std::string message) {
  std::transform(message.begin(), message.end(), message.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  std::vector<unsigned long long> numbers;
  const std::regex pattern("0x([0-9a-f]+)");
  for (auto at = std::sregex_iterator(message.begin(), message.end(), pattern); at != std::sregex_iterator();
       ++at)
    numbers.push_back(std::stoull((*at)[1].str(), nullptr, 16));
  const auto holds = [&](const std::string& name) {
    if (name.starts_with("word ")) return message.find(name.substr(5)) != std::string::npos;
    const std::string text = name.substr(name.find(' ') + 1);
    const std::size_t dash = text.find('-');
    const unsigned long long first = std::stoull(text.substr(0, dash), nullptr, 16);
    const unsigned long long end =
        dash == std::string::npos ? first + 1 : std::stoull(text.substr(dash + 1), nullptr, 16);
    return std::any_of(numbers.begin(), numbers.end(),
                       [&](unsigned long long number) { return number >= first && number < end; });
  };
  return std::any_of(names.begin(), names.end(), [&](const nlohmann::json& name) { return holds(name); });
}

Result<Scene> load(const fs::path& file) {
  auto bytes = read_file(file);
  if (!bytes) return bytes.error();
  return read_scene(as_text(*bytes), name_of(file), file.parent_path());
}

// The scenes, each with what it leaves, on one machine; of several machines each takes its share.
void expect_scenes(const Machine& machine, std::size_t number = 0, std::size_t machines = 1) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  std::size_t drawn = 0;
  for (const fs::path& file : tests::scene_files()) {
    if (machines != 1 && !in_share(number++)) continue;
    auto scene = load(file);
    ASSERT_TRUE(scene.ok()) << to_string(scene.error());
    if (scene->refused) continue;
    const Status done = run_scene(*scene, machine);
    ASSERT_TRUE(done.ok()) << file << ": " << to_string(done.error());
    for (const SceneOutput& output : scene->outputs) {
      const auto piece =
          std::find_if(scene->memory.begin(), scene->memory.end(), [&](const SceneMemory& memory) {
            return output.address >= memory.address && output.address < memory.address + memory.bytes.size();
          });
      ASSERT_NE(piece, scene->memory.end()) << file;
      ASSERT_TRUE(output.expected) << file << " " << output.name;
      const CaptureComparison difference = compare_output(
          output, std::span(piece->bytes).subspan(output.address - piece->address, output.size));
      EXPECT_TRUE(difference.holds()) << file << " " << output.name << ": " << difference.beyond << " of "
                                      << difference.units << " differ by more than " << output.tolerance;
    }
    ++drawn;
  }
  if (machines == 1) {
    EXPECT_GE(drawn, 20u) << "where are the scenes?";
  }
}

TEST(PicaFrames, ScenesInTheGuestInterpreter) { expect_scenes({EngineKind::guest}); }
TEST(PicaFrames, ScenesInTheIrInterpreter) { expect_scenes({EngineKind::ir}); }
TEST(PicaFrames, ScenesInCode) {
  const EngineInfo info = Engine().info();
  const std::size_t machines = 2 * info.targets.size();
  std::size_t number = 0;
  for (const Target target : info.targets)
    for (const unsigned threads : {1u, 2u}) {
      SCOPED_TRACE(name(target));
      expect_scenes({EngineKind::jit, target, threads}, number++, machines);
    }
}

// Registers that a scene begins with, and what the processor writes between jobs.
TEST(PicaFrames, ScenesBeginWithRegistersAndLoad) {
  constexpr std::uint32_t kList = 0x20000000;
  const auto bytes_of = [](std::initializer_list<std::uint32_t> words) {
    std::vector<std::byte> bytes;
    for (const std::uint32_t word : words)
      for (unsigned n = 0; n < 4; ++n) bytes.push_back(static_cast<std::byte>(word >> 8 * n));
    return bytes;
  };
  Scene scene;
  scene.memory.push_back({kList, std::vector<std::byte>(32)});
  scene.registers.push_back({0x0AF, 15U << 8});  // no table of the procedural unit
  const auto list = std::make_shared<const std::vector<std::byte>>(bytes_of({7, 0xF00B0, 0, 0}));
  scene.jobs = {pica200::make_load(kList + 16, list), CommandList{kList + 16, 16}};
  const Status refused = run_scene(scene);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(to_string(refused.error()).find("procedural table 15"), std::string::npos);
  scene.jobs = {pica200::make_load(kList + 24, list)};
  EXPECT_FALSE(run_scene(scene).ok());
}

TEST(PicaFrames, HostileScenesAreRefusedByName) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  std::size_t refused = 0;
  for (const fs::path& file : tests::scene_files()) {
    auto scene = load(file);
    ASSERT_TRUE(scene.ok()) << to_string(scene.error());
    if (!scene->refused) continue;
    const auto start = std::chrono::steady_clock::now();
    const Status done = run_scene(*scene);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << file;
    ASSERT_FALSE(done.ok()) << file;
    const auto bytes = read_file(file);
    const auto document = nlohmann::json::parse(as_text(*bytes));
    if (document.contains("names")) {
      EXPECT_TRUE(names_one(document["names"], to_string(done.error())))
          << file << ": " << to_string(done.error());
    }
    ++refused;
  }
  EXPECT_GE(refused, 2u) << "where are the scenes?";
}

// Lists with random words end, and touch no other memory.
TEST(PicaFrames, SpoiltListsEnd) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  std::mt19937 random(54);
  std::size_t errors = 0, runs = 0;
  for (const char* name :
       {"triangle", "texture_mipmaps", "light_bump", "proctex", "shadow_map", "jumps", "stencil"}) {
    const auto scene = load(tests::corpus_file(std::string("pica200/frames/") + name + "/scene.json"));
    ASSERT_TRUE(scene.ok()) << to_string(scene.error());
    for (unsigned n = 0; n < 40; ++n) {
      Scene spoilt = *scene;
      for (const SceneJob& job : spoilt.jobs) {
        const auto* list = std::get_if<CommandList>(&job);
        if (list == nullptr) continue;
        for (SceneMemory& piece : spoilt.memory) {
          if (list->address < piece.address || list->address - piece.address >= piece.bytes.size()) continue;
          const std::size_t first = list->address - piece.address;
          for (unsigned k = 0; k < 1 + n % 8; ++k) {
            const std::size_t at = first + random() % list->bytes;
            piece.bytes[at] = static_cast<std::byte>(random());
          }
        }
      }
      errors += !run_scene(spoilt);
      ++runs;
    }
  }
  EXPECT_GT(errors, runs / 10);
}

}  // namespace
}  // namespace warpjit::tool
