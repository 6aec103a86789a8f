// What met a pixel, and what became of it: each reason, and all pixels against what a run leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "busy.h"
#include "debug/any_capture.h"
#include "files.h"
#include "support/byte_sink.h"
#include "support/own_folder.h"
#include "support/unpacked.h"
#include "warpjit/debug.hpp"

namespace warpjit::tests {
namespace {

namespace fs = std::filesystem;
using Row = DebugHistoryRow;
using Fate = DebugHistoryRow::Fate;

// The colour of slots 4 to 7; alpha below 0: no fragment.
constexpr const char* kProgram =
    ".kernel plain\n"
    ".type fragment\n"
    ".interpolants 0x8040404\n"
    ".registers 6\n"
    "  interp $r4 v[0x0]\n"
    "  rcp f32 $r4 $r4\n"
    "  interp $r0 v[0x4] $r4\n"
    "  interp $r1 v[0x8] $r4\n"
    "  interp $r2 v[0xc] $r4\n"
    "  interp $r3 v[0x10] $r4\n"
    "  mov b32 $r5 0.0\n"
    "  set $c0 # l f32 $r3 $r5\n"
    "  (lg $c0) discard\n"
    "  exit nop\n";

// A target of 64 x 16 with draws of plain rectangles, each four columns wide.
class Draws {
 public:
  static constexpr std::uint32_t kWidth = 64, kHeight = 16;
  struct Rectangle {
    unsigned first = 0, end = kWidth;  // columns
    float z = 0;                       // of clip space, -1 to 1
    std::array<float, 4> color{0.5F, 0.25F, 0.125F, 1};
    bool turned = false;  // so that the other side is seen
    bool flat = false;    // without area
  };

  Draws() : colors_(std::size_t{kWidth} * kHeight), depths_(colors_.size(), 0x00ffffff) {
    const fs::path folder = own_folder("warpjit-history");
    std::ofstream(folder / "plain.tesla") << kProgram;
    std::ofstream(folder / "plain.json")
        << R"({"warpjit": 1, "isa": "tesla", "stage": "fragment", "count": 3, "program": {"file": "plain.tesla"},
               "vertices": {"slots": 8, "data": [)"
        << "0,0,0,1,0,0,0,0, 0,0,0,1,0,0,0,0, 0,0,0,1,0,0,0,0"
        << R"(]}, "targets": {"size": [64, 16], "colors": [{"format": "rgba8"}]}})";
    auto launch = tool::read_launch((folder / "plain.json").string());
    EXPECT_TRUE(launch.ok()) << to_string(launch.error());
    auto bound = tool::BoundLaunch::make(std::move(*launch));
    EXPECT_TRUE(bound.ok()) << to_string(bound.error());
    bound_.emplace(std::move(*bound));
    raster.viewport_scale = {kWidth / 2.0F, kHeight / 2.0F, 0.5F};
    raster.viewport_translate = {kWidth / 2.0F, kHeight / 2.0F, 0.5F};
    raster.positive_is_front = true;
    output = first_output();
  }

  // With the states as they are, which are as at first afterwards.
  void draw(const Rectangle& what, std::span<const std::uint32_t> indices = {}) {
    const auto x = [](unsigned column) { return static_cast<float>(column) / (kWidth / 2.0F) - 1; };
    const float left = x(what.first), right = x(what.end), top = -1, bottom = what.flat ? -1.0F : 1.0F;
    std::array<std::array<float, 2>, 6> corners{
        {{left, top}, {right, top}, {right, bottom}, {left, top}, {right, bottom}, {left, bottom}}};
    if (what.turned) {
      std::swap(corners[1], corners[2]);
      std::swap(corners[4], corners[5]);
    }
    std::vector<float>& words = vertices_.emplace_back();
    for (const auto& corner : corners)
      for (const float word :
           {corner[0], corner[1], what.z, 1.0F, what.color[0], what.color[1], what.color[2], what.color[3]})
        words.push_back(word);
    Launch& launch = bound_->launch();
    const auto ok = [](const Status& status) { EXPECT_TRUE(status.ok()) << to_string(status.error()); };
    ok(launch.set_target_size(kWidth, kHeight));
    ok(launch.bind_color(0,
                         {colors_.data(), 4 * colors_.size(), 4 * std::size_t{kWidth}, PixelFormat::rgba8}));
    ok(launch.bind_depth({depths_.data(), 4 * depths_.size(), 4 * std::size_t{kWidth}, PixelFormat::d24s8}));
    ok(launch.bind_vertices({.data = words.data(), .size = 4 * words.size(), .stride = 32, .slots = 8}));
    ok(launch.set_count(6));
    if (indices.empty())
      launch.unset_indices();
    else
      ok(launch.set_indices(indices));
    ok(launch.set_raster_state(raster));
    ok(launch.set_output_state(output));
    const auto report = recorder_.run(engine_, launch);
    EXPECT_TRUE(report.ok()) << to_string(report.error());
    raster.scissor = {};
    raster.cull_front = raster.cull_back = false;
    output = first_output();
  }
  // The target's memory, which the processor may change between draws.
  std::vector<std::uint32_t>& colors() { return colors_; }
  std::vector<std::uint32_t>& depths() { return depths_; }

  Capture capture() {
    EXPECT_TRUE(recorder_.finish().ok());
    auto capture = Capture::load(bytes_, "reasons.wjcap");
    EXPECT_TRUE(capture.ok()) << to_string(capture.error());
    return std::move(*capture);
  }

  RasterState raster;
  OutputState output;

 private:
  static OutputState first_output() {
    OutputState state;
    state.depth.test = true;
    state.depth.compare = Compare::less_equal;
    return state;
  }

  std::vector<std::uint32_t> colors_, depths_;
  std::vector<std::vector<float>> vertices_;
  std::optional<tool::BoundLaunch> bound_;
  std::vector<std::byte> bytes_;
  LaunchRecorder recorder_{append, &bytes_};
  Engine engine_;
};

DebugHistory history_of(const Capture& capture, std::uint32_t x, std::uint32_t y, unsigned target = 0) {
  auto history = DebugHistory::make(capture, x, y, target);
  EXPECT_TRUE(history.ok()) << to_string(history.error());
  EXPECT_EQ(history->difference(), "");
  EXPECT_TRUE(history->end().ok()) << to_string(history->end().error());
  return std::move(*history);
}

std::vector<Fate> fates(const DebugHistory& history) {
  std::vector<Fate> result;
  for (const Row& row : history.rows()) result.push_back(row.fate);
  return result;
}

// Each row of a surface begins with what the one before it left.
void expect_chains(const DebugHistory& history) {
  std::map<std::uint32_t, Row::Pixel> last;
  for (std::size_t n = 0; n < history.rows().size(); ++n) {
    const Row& row = history.rows()[n];
    if (row.bytes == 0 || row.is_miss()) continue;
    if (const auto before = last.find(row.surface); before != last.end()) {
      EXPECT_EQ(before->second.bits, row.before.bits) << "row " << n;
    }
    last[row.surface] = row.after;
  }
}

TEST(DebugHistory, NamesEachReason) {
  Draws draws;
  draws.draw({});  // 0: all of the target
  draws.raster.scissor = {0, 0, 4, 16};
  draws.draw({.first = 4, .end = 8});  // 1
  draws.raster.cull_front = true;
  draws.draw({.first = 8, .end = 12});              // 2
  draws.draw({.first = 12, .end = 16, .z = 1.5F});  // 3: behind the far plane
  draws.output.early_tests = true;
  draws.draw({.first = 16, .end = 20, .z = 0.5F});  // 4
  draws.draw({.first = 20, .end = 24, .z = 0.5F});  // 5
  draws.output.stencil.test = true;
  draws.output.stencil.front.compare = Compare::equal;
  draws.output.stencil.front.reference = 7;
  draws.output.stencil.front.fail = StencilOp::increment_wrap;
  draws.output.stencil.back = draws.output.stencil.front;
  draws.draw({.first = 24, .end = 28});  // 6
  draws.output.alpha_test = true;
  draws.output.alpha_compare = Compare::greater;
  draws.output.alpha_reference = 0.5F;
  draws.draw({.first = 28, .end = 32, .color = {1, 1, 1, 0.25F}});  // 7
  draws.draw({.first = 32, .end = 36, .color = {1, 1, 1, -1}});     // 8
  draws.output.blend[0].write_mask = 0;
  draws.draw({.first = 36, .end = 40});  // 9
  draws.output.blend[0].enabled = true;
  draws.output.blend[0].source = draws.output.blend[0].target = BlendFactor::one;
  draws.draw({.first = 40, .end = 44});                         // 10
  draws.draw({.first = 44, .end = 48, .color = {1, 0, 0, 1}});  // 11
  draws.draw({.first = 44, .end = 48, .color = {0, 1, 0, 1}});  // 12
  draws.draw({.first = 48, .end = 52, .flat = true});           // 13: in row 0
  constexpr std::array<std::uint32_t, 3> kBeyond{0, 1, 100};
  draws.draw({.first = 52, .end = 56}, kBeyond);                                       // 14
  draws.draw({.first = 56, .end = 60, .z = std::numeric_limits<float>::quiet_NaN()});  // 15
  draws.output.early_tests = true;
  draws.output.stencil.test = true;
  draws.output.stencil.front.compare = draws.output.stencil.back.compare = Compare::never;
  draws.draw({.first = 60, .end = 64});  // 16
  for (unsigned column = 60; column < 64; ++column) draws.colors()[5 * Draws::kWidth + column] = 0x12345678;
  draws.draw({.first = 60, .end = 64});  // 17: what the processor left
  const Capture capture = draws.capture();

  struct Wanted {
    std::uint32_t x, y;
    std::size_t draw;
    Fate fate;
  };
  constexpr Wanted kWanted[] = {
      {5, 5, 1, Fate::scissor},        {9, 5, 2, Fate::culled},       {13, 5, 3, Fate::clipped},
      {17, 5, 4, Fate::early_depth},   {21, 5, 5, Fate::depth},       {25, 5, 6, Fate::stencil},
      {29, 5, 7, Fate::alpha},         {33, 5, 8, Fate::discarded},   {37, 5, 9, Fate::masked},
      {41, 5, 10, Fate::blended},      {49, 0, 13, Fate::degenerate}, {53, 5, 14, Fate::missing},
      {61, 5, 16, Fate::early_stencil}};
  for (const Wanted& wanted : kWanted) {
    SCOPED_TRACE(name(wanted.fate));
    const DebugHistory history = history_of(capture, wanted.x, wanted.y);
    expect_chains(history);
    EXPECT_EQ(history.draws(), 18u);
    ASSERT_FALSE(history.rows().empty());
    EXPECT_EQ(history.rows()[0].fate, Fate::written);
    EXPECT_EQ(history.rows()[0].draw, 0u);
    std::vector<Fate> own;
    for (const Row& row : history.rows())
      if (row.draw == wanted.draw) own.push_back(row.fate);
    EXPECT_EQ(own, std::vector<Fate>{wanted.fate});
    // Draws with unknown places are told everywhere, others where they are.
    for (const Row& row : history.rows())
      EXPECT_TRUE(row.draw == 0 || row.draw == wanted.draw || row.draw == 14 || row.draw == 15 ||
                  (wanted.x > 60 && row.draw == 17))
          << row.draw << " " << name(row.fate);
  }

  // What is overwritten.
  const DebugHistory over = history_of(capture, 45, 5);
  ASSERT_GE(over.rows().size(), 3u);
  EXPECT_EQ(over.rows()[1].draw, 11u);
  EXPECT_EQ(over.rows()[1].fate, Fate::written);
  EXPECT_EQ(over.rows()[0].overwritten, std::optional<std::size_t>(1));
  EXPECT_EQ(over.rows()[1].overwritten, std::optional<std::size_t>(2));
  EXPECT_EQ(over.rows()[2].overwritten, std::nullopt);
  EXPECT_EQ(over.rows()[2].after.bits[0], 0xff00ff00u);
  // What is blended over is not.
  const DebugHistory blended = history_of(capture, 41, 5);
  EXPECT_EQ(blended.rows()[0].overwritten, std::nullopt);
  // What the processor writes is a row.
  const DebugHistory changed = history_of(capture, 62, 5);
  const auto found = std::ranges::find(changed.rows(), Fate::changed, &Row::fate);
  ASSERT_NE(found, changed.rows().end());
  EXPECT_EQ(found->after.bits[0], 0x12345678u);
  EXPECT_EQ(changed.rows()[0].overwritten,
            std::optional(static_cast<std::size_t>(found - changed.rows().begin())));

  // What tests compare, and the depth's own history.
  const Row late = history_of(capture, 21, 5).rows()[1];
  EXPECT_TRUE(late.depth.on);
  EXPECT_EQ(late.depth.compare, Compare::less_equal);
  EXPECT_NEAR(std::bit_cast<float>(late.depth.value), 0.75, 1e-6);
  EXPECT_NEAR(std::bit_cast<float>(late.depth.stored), 0.5, 1e-6);
  EXPECT_TRUE(late.fragment.has_value());
  EXPECT_FALSE(history_of(capture, 17, 5).rows()[1].fragment.has_value()) << "its program did not run";
  const Row stencil = history_of(capture, 25, 5, DebugHistory::kDepth).rows()[1];
  EXPECT_EQ(stencil.fate, Fate::stencil);
  EXPECT_EQ(stencil.stencil.value, 7u);
  EXPECT_EQ(stencil.stencil.stored, 0u);
  EXPECT_EQ(stencil.before.values[1], 0u);
  EXPECT_EQ(stencil.after.values[1], 1u);
}

TEST(DebugHistory, SeveralFragmentsOfADrawAreSeveralRows) {
  Draws draws;
  constexpr std::array<std::uint32_t, 9> kThrice{0, 1, 2, 0, 1, 2, 0, 1, 2};
  draws.output.blend[0].enabled = true;
  draws.output.blend[0].source = draws.output.blend[0].target = BlendFactor::one;
  draws.draw({.color = {0.25F, 0, 0, 0}}, kThrice);
  const Capture capture = draws.capture();
  const DebugHistory history = history_of(capture, 40, 4);
  ASSERT_EQ(fates(history), std::vector<Fate>(3, Fate::blended));
  expect_chains(history);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(history.rows()[n].primitive, n);
    EXPECT_EQ(history.place(n)->text(), "draw 0 pixel 40,4 fragment " + std::to_string(n));
  }
  EXPECT_EQ(history.rows()[2].after.bits[0], 0xc0u);
}

TEST(DebugHistory, SaysWhatIsNotThere) {
  Draws draws;
  draws.draw({});
  const Capture capture = draws.capture();
  EXPECT_EQ(to_string(DebugHistory::make(capture, 64, 3).error()),
            "pixel 64,3: no draw has that pixel; targets have at most 64 x 16 pixels");
  EXPECT_EQ(DebugHistory::make(capture, 0, 0, 9).error().code, ErrorCode::bad_input);
  // A colour that is not bound.
  const DebugHistory history = history_of(capture, 3, 3, 2);
  ASSERT_EQ(history.rows().size(), 1u);
  EXPECT_EQ(history.rows()[0].fate, Fate::masked);
  EXPECT_EQ(history.rows()[0].bytes, 0u);
}

// ---- All examples

// Pictures of color0 after every draw that may write it.
struct Targets final : CaptureVisitor {
  struct Picture {
    std::size_t draw = 0;
    PixelFormat format = PixelFormat::none;
    std::uint32_t width = 0, height = 0;
    std::vector<std::byte> pixels;
  };
  bool picture(const CapturePicture& picture) override {
    if (picture.draw && picture.name == "color0" && picture.format != PixelFormat::none)
      last = {*picture.draw,
              picture.format,
              picture.width,
              picture.height,
              {picture.pixels.begin(), picture.pixels.end()}};
    return true;
  }
  CaptureInterest interest() const override { return {.draws = true, .targets_of_draws = true}; }
  std::optional<Picture> last;
};

// Some pixels: rows chain, and the last row in the last draw's target leaves what a run shows. False: there is no
// picture to compare with.
bool expect_true_history(const Capture& capture, unsigned pixels, std::size_t& rows) {
  const Engine engine;
  Targets targets;
  const Status ran = capture.run(engine, targets);
  EXPECT_TRUE(ran.ok()) << to_string(ran.error());
  if (!targets.last) return false;
  const Targets::Picture& picture = *targets.last;
  std::mt19937 random(picture.width * 7 + picture.height);
  const std::size_t bytes = pixel_size(picture.format);
  for (unsigned n = 0; n < pixels; ++n) {
    const std::uint32_t x = random() % picture.width, y = random() % picture.height;
    SCOPED_TRACE(std::to_string(x) + "," + std::to_string(y));
    const DebugHistory history = history_of(capture, x, y);
    expect_chains(history);
    rows += history.rows().size();
    // Draws after the last one with that picture draw elsewhere, or nothing.
    const Row* last = nullptr;
    for (const Row& row : history.rows())
      if (row.draw <= picture.draw && row.bytes != 0 && !row.is_miss()) last = &row;
    if (last == nullptr || last->draw != picture.draw) continue;
    const std::byte* const shown = picture.pixels.data() + (std::size_t{y} * picture.width + x) * bytes;
    if (last->format == PixelFormat::none) {  // the guest's own, shown as RGBA8
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_EQ(std::lround(std::bit_cast<float>(last->after.values[k]) * 255),
                  std::to_integer<int>(shown[k]));
      continue;
    }
    EXPECT_EQ(last->format, picture.format);
    EXPECT_EQ(std::memcmp(last->after.bits.data(), shown, bytes), 0);
  }
  return true;
}

// Random pixels of each capture: WARPJIT_PIXELS of them, or 12.
TEST(DebugHistory, IsTrueForExamplesOfAllGuests) {
  const char* const wanted = std::getenv("WARPJIT_PIXELS");
  const unsigned pixels = wanted != nullptr ? static_cast<unsigned>(std::strtoul(wanted, nullptr, 10)) : 12;
  std::map<Isa, std::size_t> rows;
  for (const char* folder :
       {"examples", "fuzz/corpus/valhall_capture", "fuzz/corpus/usse_capture", "fuzz/corpus/pica_parts"})
    for (const auto& entry : fs::recursive_directory_iterator(source_file(folder))) {
      const fs::path& file = entry.path();
      if (file.extension() != ".json" && file.extension() != ".wjcap") continue;
      SCOPED_TRACE(file.string());
      const auto capture = tool::load_any_capture(file.string());
      if (!capture) continue;  // some are no captures, or need liblzma
      expect_true_history(*capture, pixels, rows[capture->isa()]);
    }
  for (const Isa isa : {Isa::pica200, Isa::tesla, Isa::usse, Isa::valhall}) {
    std::printf("%s: %zu rows\n", name(isa), rows[isa]);
    EXPECT_GE(rows[isa], 20u) << name(isa);
  }
}

// Every row's place is one that a session goes to, with the same instructions.
TEST(DebugHistory, PlacesAreThoseOfSessions) {
  for (const char* file : {"examples/valhall/graphics/glass.json", "examples/valhall/graphics/sphere.json"}) {
    SCOPED_TRACE(file);
    const auto capture = tool::load_any_capture(source_file(file));
    ASSERT_TRUE(capture.ok());
    const DebugHistory history = history_of(*capture, 60, 60);
    auto session = DebugSession::open(*capture);
    ASSERT_TRUE(session.ok());
    ASSERT_FALSE(history.rows().empty());
    for (std::size_t n = 0; n < history.rows().size(); ++n) {
      const auto place = history.place(n);
      if (!place) continue;
      const Status gone = session->go(*place);
      ASSERT_TRUE(gone.ok()) << to_string(gone.error());
      std::uint32_t executed = 0;
      for (std::uint64_t k = 0; k < session->steps(); ++k)
        executed += session->step(k)->lanes >> session->lane() & 1;
      EXPECT_GE(executed, history.rows()[n].instructions);
    }
  }
}

TEST(DebugHistory, OfABusyFrameIsFast) {
  const std::vector<std::byte> bytes = busy_capture();
  const auto capture = Capture::load(bytes, "busy.wjcap");
  ASSERT_TRUE(capture.ok());
  const auto start = std::chrono::steady_clock::now();
  const DebugHistory history = history_of(*capture, 256, 256);
  const auto time = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start);
  std::printf("%.0f ms, %zu rows\n", time.count(), history.rows().size());
  EXPECT_GE(history.rows().size(), 5u);
  std::size_t rows = 0;
  EXPECT_TRUE(expect_true_history(*capture, 5, rows));
}

}  // namespace
}  // namespace warpjit::tests
