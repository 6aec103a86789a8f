// CiTrace files: traces of a 3DS's GPU become scenes.
#include "scene/citrace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/random.h"
#include "scene/load_scene.h"
#include "scene/trace_replay.h"
#include "support/scene_files.h"
#include "tool/cli.h"

namespace warpjit::tool {
namespace {

// Builds the file of a trace.
class Trace {
 public:
  Trace() { put_at(0, 0x72546943), put_at(4, 1), put_at(8, 0x64), parts(0x64); }

  // An array of the header's part of this number.
  void add_part(unsigned part, const std::vector<std::uint32_t>& words) {
    put_at(0xC + 8 * part, static_cast<std::uint32_t>(bytes_.size()));
    put_at(0x10 + 8 * part, static_cast<std::uint32_t>(words.size()));
    for (const std::uint32_t word : words) put_at(bytes_.size(), word);
  }
  void load(std::uint32_t address, const std::vector<std::byte>& bytes) {
    const auto offset = static_cast<std::uint32_t>(bytes_.size());
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    element({0xE2, offset, static_cast<std::uint32_t>(bytes.size()), address, 0});
  }
  void write(std::uint32_t address, std::uint32_t value) { element({0xE3, address, 0xD3, value, 0}); }
  void frame() { element({0xE1, 1, 2, 3, 4}); }
  void element(const std::array<std::uint32_t, 5>& words) { stream_.push_back(words); }
  std::vector<std::byte> bytes() {
    std::vector<std::byte> kept = bytes_;
    put_at(0x5C, static_cast<std::uint32_t>(bytes_.size()));
    put_at(0x60, static_cast<std::uint32_t>(stream_.size()));
    for (const auto& words : stream_)
      for (const std::uint32_t word : words) put_at(bytes_.size(), word);
    std::swap(kept, bytes_);
    return kept;
  }

 private:
  void parts(std::size_t size) { bytes_.resize(std::max(bytes_.size(), size)); }
  void put_at(std::size_t at, std::uint32_t word) {
    parts(at + 4);
    std::memcpy(bytes_.data() + at, &word, 4);
  }
  std::vector<std::byte> bytes_;
  std::vector<std::array<std::uint32_t, 5>> stream_;
};

void add_jobs(Trace& trace, const Scene& scene) {
  for (const SceneJob& job : scene.jobs) {
    if (const auto* fill = std::get_if<pica200::MemoryFill>(&job)) {
      trace.write(0x10400010, fill->start >> 3);
      trace.write(0x10400014, fill->end >> 3);
      trace.write(0x10400018, fill->value);
      trace.write(0x1040001C, fill->control | 1);
    } else if (const auto* list = std::get_if<CommandList>(&job)) {
      trace.write(0x104018E0, list->bytes >> 3);
      trace.write(0x104018E8, list->address >> 3);
      trace.write(0x104018F0, 1);
    } else if (const auto* transfer = std::get_if<pica200::DisplayTransfer>(&job)) {
      trace.write(0x10400C00, transfer->input >> 3);
      trace.write(0x10400C04, transfer->output >> 3);
      trace.write(0x10400C08, transfer->output_size);
      trace.write(0x10400C0C, transfer->input_size);
      trace.write(0x10400C10, transfer->flags);
      trace.write(0x10400C18, 1);
    }
  }
}
// What the recorder would make of a scene.
Trace trace_of(const Scene& scene) {
  Trace trace;
  trace.add_part(0, std::vector<std::uint32_t>(0x1000));
  trace.add_part(2, std::vector<std::uint32_t>(0x300));
  trace.frame();
  for (const SceneMemory& piece : scene.memory)
    if (piece.address >= 0x20000000) trace.load(piece.address, {piece.bytes.begin(), piece.bytes.end()});
  add_jobs(trace, scene);
  return trace;
}

Result<Scene> frame(const std::string& name) {
  return load_scene(tests::source_file("tests/corpus/pica200/frames/" + name + "/scene.json"));
}
std::string refusal(std::span<const std::byte> bytes) {
  const auto imported = read_citrace(bytes, "x.ctf");
  return imported ? std::string() : to_string(imported.error());
}

TEST(CiTrace, DrawsWhatTheSceneDraws) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  for (const char* name : {"triangle", "stencil", "texture_mipmaps", "transfer_scale"}) {
    const auto scene = frame(name);
    ASSERT_TRUE(scene.ok()) << to_string(scene.error());
    const auto imported = read_citrace(trace_of(*scene).bytes(), name);
    ASSERT_TRUE(imported.ok()) << to_string(imported.error());
    const auto machine = SceneMachine::make(imported->scene, name);
    ASSERT_TRUE(machine.ok()) << to_string(machine.error());
    RunOptions run;
    run.engine = EngineKind::guest;
    const Status status = (*machine)->run(Engine(), run);
    ASSERT_TRUE(status.ok()) << to_string(status.error());
    for (const SceneOutput& output : scene->outputs) {
      const std::span<const std::byte> bytes = (*machine)->bytes_of(output);
      ASSERT_EQ(bytes.size(), output.size) << name << " " << output.name;
      EXPECT_TRUE(compare_output(output, bytes).holds()) << name << " " << output.name;
    }
  }
}

TEST(CiTrace, BeginsWithTheStoredState) {
  Trace trace;
  std::vector<std::uint32_t> registers(0x300);
  registers[0x103] = 0x12345678;
  trace.add_part(2, registers);
  trace.add_part(4, {0x4c000000, 0x88000000, 0, 0});
  trace.add_part(6, {0x3F0000, 0x400000, 0x408000, 0x410000});  // 1, 2, 3, 4
  trace.write(0x10400010, 0x18000000 >> 3);
  trace.write(0x10400014, 0x18000100 >> 3);
  trace.write(0x1040001C, 0x201);
  auto imported = read_citrace(trace.bytes(), "x");
  ASSERT_TRUE(imported.ok()) << to_string(imported.error());
  Scene& scene = imported->scene;
  ASSERT_EQ(scene.registers.size(), 1u);
  EXPECT_EQ(scene.registers[0].id, 0x103u);
  ASSERT_EQ(scene.jobs.size(), 2u);
  const auto* list = std::get_if<CommandList>(&scene.jobs[0]);
  ASSERT_NE(list, nullptr);
  pica200::Gpu gpu;
  const pica200::GpuMemory memory[] = {
      {scene.memory[0].address, scene.memory[0].bytes.data(), scene.memory[0].bytes.size()}};
  ASSERT_TRUE(gpu.set_memory(memory).ok());
  ASSERT_TRUE(gpu.run_commands(Engine(), list->address, list->bytes).ok());
  const auto unit = gpu.pipeline().unit(pica200::Unit::vertex);
  EXPECT_EQ(unit.code[0], 0x4c000000u);
  EXPECT_EQ(unit.code[1], 0x88000000u);
  EXPECT_EQ(unit.floats[0], (pica200::FloatBits{0x3F800000, 0x40000000, 0x40400000, 0x40800000}));
}

TEST(CiTrace, SaysWhatIsWrong) {
  EXPECT_NE(refusal(Trace().bytes()).find("the stream is empty"), std::string::npos);
  Trace idle;
  idle.frame();
  EXPECT_NE(refusal(idle.bytes()).find("none of the stream's 1 elements starts"), std::string::npos);
  idle.element({0xE7, 0, 0, 0, 0});
  EXPECT_NE(refusal(idle.bytes()).find("type 0xe7"), std::string::npos);
  Trace wide;
  wide.element({0xE3, 0x10400010, 0xD7, 0, 0});
  EXPECT_NE(refusal(wide.bytes()).find("width 0xd7"), std::string::npos);
  Trace elsewhere;
  elsewhere.load(0x08000000, std::vector<std::byte>(16));
  EXPECT_NE(refusal(elsewhere.bytes()).find("neither in VRAM nor in FCRAM"), std::string::npos);
  elsewhere = {};
  elsewhere.write(0x10000000, 1);
  EXPECT_NE(refusal(elsewhere.bytes()).find("no register of the GPU"), std::string::npos);
  std::vector<std::byte> version = idle.bytes();
  version[4] = std::byte{2};
  EXPECT_NE(refusal(version).find("version 2"), std::string::npos);
  Trace large;
  large.add_part(0, std::vector<std::uint32_t>(4));
  std::vector<std::byte> sizes = large.bytes();
  sizes[0x12] = std::byte{1};
  EXPECT_NE(refusal(sizes).find("sizes in bytes where words belong"), std::string::npos);
}

TEST(CiTrace, HostileBytesEnd) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const auto scene = frame("triangle");
  ASSERT_TRUE(scene.ok());
  const std::vector<std::byte> whole = trace_of(*scene).bytes();
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 8)
    EXPECT_FALSE(read_citrace(std::span(whole).first(size), "cut")) << size;
  Random random(3);
  const auto end = static_cast<unsigned>(whole.size());
  for (unsigned n = 0; n < 300; ++n) {
    std::vector<std::byte> spoilt = whole;
    for (unsigned k = 0; k < 3; ++k) {
      // The header and the stream, which comes last.
      const unsigned at = random.one_in(2) ? random.below(0x64) : end - 1 - random.below(400);
      spoilt[at] = static_cast<std::byte>(random.below(256));
    }
    const auto imported = read_citrace(spoilt, "spoilt");
    if (!imported) continue;
    const auto machine = SceneMachine::make(imported->scene, "spoilt");
    if (!machine) continue;
    RunOptions run;
    run.engine = EngineKind::guest;
    (void)(*machine)->run(Engine(), run);
  }
}

// Where draws of a scene read.
struct Places {
  std::uint32_t vertices = 0, texture = 0, color = 0, depth = 0;  // of the first draw that has them
};
class PlaceFinder final : public pica200::DrawVisitor {
 public:
  Result<bool> visit(const pica200::DrawView& draw) override {
    constexpr std::uint32_t kBase = 0x200, kFirstLoader = 0x203;
    const pica200::OutputState& output = draw.setup.state.output;
    if (places.vertices == 0) places.vertices = (draw.registers[kBase] << 3) + draw.registers[kFirstLoader];
    if (places.texture == 0) places.texture = draw.setup.values.textures[0].addresses[0];
    if (places.color == 0 && output.touches_color()) places.color = draw.setup.target.color_address;
    if (places.depth == 0 && output.touches_depth()) places.depth = draw.setup.target.depth_address;
    return false;
  }
  Places places;
};
Places places_of(const Scene& scene) {
  PlaceFinder finder;
  const auto machine = SceneMachine::make(scene, "scene");
  EXPECT_TRUE(machine.ok());
  (*machine)->set_visitor(&finder);
  RunOptions run;
  run.engine = EngineKind::guest;
  EXPECT_TRUE((*machine)->run(Engine(), run).ok());
  return finder.places;
}
// The notes of a trace that is replayed, each in a line.
std::string replay(ImportedScene& imported) {
  imported.notes.clear();
  replay_trace(imported, "trace");
  std::string text;
  for (const std::string& note : imported.notes) text += note + "\n";
  return text;
}

// Notes of a scene's trace that loads all of FCRAM but 64 bytes, and leaves a fill out.
std::string notes_without(const Scene& scene, std::uint32_t hole, std::uint32_t unfilled) {
  Scene less = scene;
  std::erase_if(less.jobs, [&](const SceneJob& job) {
    const auto* fill = std::get_if<pica200::MemoryFill>(&job);
    return fill != nullptr && fill->start == unfilled;
  });
  Trace trace = trace_of(Scene{});
  for (const SceneMemory& piece : scene.memory) {
    if (piece.address < 0x20000000) continue;
    const auto end = static_cast<std::uint32_t>(piece.address + piece.bytes.size());
    const auto add = [&](std::uint32_t from, std::uint32_t to) {
      if (from < to)
        trace.load(
            from, {piece.bytes.begin() + (from - piece.address), piece.bytes.begin() + (to - piece.address)});
    };
    add(piece.address, hole == 0 ? end : hole);
    if (hole != 0) add(hole + 64, end);
  }
  add_jobs(trace, less);
  auto imported = read_citrace(trace.bytes(), "x");
  EXPECT_TRUE(imported.ok()) << to_string(imported.error());
  const std::size_t jobs = imported->scene.jobs.size();
  const std::string text = replay(*imported);
  EXPECT_EQ(imported->scene.jobs.size(), jobs);
  return text;
}

TEST(CiTrace, ReadsOfWhatNothingWroteAreTold) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const auto textured = frame("texture_mipmaps"), lit = frame("light_specular");
  ASSERT_TRUE(textured.ok() && lit.ok());
  const Places places = places_of(*textured), lit_places = places_of(*lit);
  EXPECT_EQ(notes_without(*textured, 0, 0), "");
  EXPECT_EQ(notes_without(*lit, 0, 0), "");
  for (const auto& [notes, wanted] :
       {std::pair(notes_without(*textured, places.texture, 0),
                  fmt::format("draw 0: the texture of unit 0 reads {:#010x} to {:#010x}, ", places.texture,
                              places.texture + 63)),
        std::pair(notes_without(*textured, places.vertices, 0),
                  fmt::format("draw 0: attribute 0 reads {:#010x} to ", places.vertices)),
        std::pair(notes_without(*lit, 0, lit_places.depth),
                  fmt::format("draw 0: the depth target reads {:#010x} to ", lit_places.depth))})
    EXPECT_NE(notes.find(wanted), std::string::npos) << wanted << "\n" << notes;
  EXPECT_EQ(notes_without(*lit, 0, lit_places.color), "") << "nothing reads it";
  EXPECT_EQ(notes_without(*textured, 0, places.depth), "") << "nothing reads it";
}

// What a trace draws and then samples: its loads there are what the recorder's renderer had.
TEST(CiTrace, LoadsOfWhatTheTraceDrawsAreLeftOut) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const auto scene = load_scene(tests::source_file("examples/pica200/scenes/render_to_texture/scene.json"));
  ASSERT_TRUE(scene.ok()) << to_string(scene.error());
  const Places places = places_of(*scene);
  ASSERT_NE(places.texture, 0u);
  // Twice the frame; before the second one its texture, and something that nothing samples, are loaded.
  Trace trace = trace_of(*scene);
  const std::vector<std::byte> stale(256, std::byte{0x5A});
  constexpr std::uint32_t kElsewhere = 0x185FF000;
  trace.load(places.texture, stale);
  trace.load(kElsewhere, stale);
  add_jobs(trace, *scene);
  auto imported = read_citrace(trace.bytes(), "x");
  ASSERT_TRUE(imported.ok()) << to_string(imported.error());
  const auto loads_at = [&](std::uint32_t address) {
    return std::ranges::count_if(imported->scene.jobs, [&](const SceneJob& job) {
      const auto* load = std::get_if<MemoryLoad>(&job);
      return load != nullptr && load->address == address;
    });
  };
  EXPECT_EQ(loads_at(places.texture), 1);
  const std::string notes = replay(*imported);
  EXPECT_NE(
      notes.find(fmt::format("256 bytes of 1 loads, the first at {:#010x}, are left out", places.texture)),
      std::string::npos)
      << notes;
  EXPECT_EQ(loads_at(places.texture), 0);
  EXPECT_EQ(loads_at(kElsewhere), 1);

  // Before anything was drawn there, it is the processor's.
  Trace first = trace_of(Scene{});
  first.load(places.texture, stale);
  for (const SceneMemory& piece : scene->memory)
    if (piece.address >= 0x20000000) first.load(piece.address, {piece.bytes.begin(), piece.bytes.end()});
  add_jobs(first, *scene);
  imported = read_citrace(first.bytes(), "x");
  ASSERT_TRUE(imported.ok());
  EXPECT_EQ(replay(*imported).find("left out"), std::string::npos);
  EXPECT_EQ(loads_at(places.texture), 1);
}

TEST_F(ToolTest, TracesRunAndBecomeScenes) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const auto scene = frame("transfer_scale");
  ASSERT_TRUE(scene.ok());
  const std::vector<std::byte> bytes = trace_of(*scene).bytes();
  write("trace.ctf", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  const Outcome direct = run("render trace.ctf -o direct --raw direct");
  EXPECT_EQ(direct.code, 0) << direct.err;
  EXPECT_NE(direct.err.find("not part of traces"), std::string::npos) << direct.err;
  EXPECT_EQ(run("info trace.ctf").code, 0);
  const Outcome imported = run("import trace.ctf -o scene.json");
  EXPECT_EQ(imported.code, 0) << imported.err;
  const Outcome again = run("render scene.json -o again --raw again");
  EXPECT_EQ(again.code, 0) << again.err;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("direct"))) {
    EXPECT_EQ(read(entry.path()), read(path("again/" + entry.path().filename().string()))) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 2u);
  write("empty.ctf", "CiTr");
  EXPECT_EQ(run("info empty.ctf").code, 2);
  EXPECT_EQ(run("import empty.ctf -o x.json").code, 2);
}

}  // namespace
}  // namespace warpjit::tool
