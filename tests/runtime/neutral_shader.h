// A fragment program without a guest: the same few lines once over FragmentFrame and once over the quads of
// the guest interpreters, for tests of what a frame can do. It runs on every engine.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "frontend/pixels/fragment_frame.h"
#include "frontend/shader.h"
#include "ir/builder.h"
#include "runtime/shaders.h"
#include "support/same_bytes.h"

namespace warpjit::test {

struct NeutralFragment {
  using Words = frontend::FragmentFrame::Words;
  // What the compiled program leaves.
  struct Results {
    ir::I1 live;
    std::vector<Words> colors;
    std::vector<ir::I1> written{};
    std::optional<ir::I32> depth{};
  };
  std::vector<pixels::SlotUse> uses{};
  frontend::FragmentFrame::Program facts{};
  std::function<void(ir::Builder&, frontend::FragmentFrame&, Results&)> compiled;
  std::function<void(const interpret::Quad&, std::int32_t x, std::int32_t y, interpret::Fragment&)>
      interpreted;
};

class NeutralShader final : public frontend::Shader {
 public:
  explicit NeutralShader(NeutralFragment program)
      : frontend::Shader({.isa = Isa::tesla,
                          .stage = Stage::fragment,
                          .name = "neutral fragment program",
                          .code_words = 1,
                          .table_bytes = frontend::kPixelTableBytes,
                          .varyings = {.slots_read = program.uses}}),
        program_(std::move(program)) {
    static std::uint32_t count = 0;
    number_ = count++;
  }

  const std::string& source_name() const override { return name(); }
  std::string where(std::uint32_t) const override { return name(); }
  void fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const override {
    frontend::fill_pixel_table(values.pixels, table);
  }
  Status append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const override {
    for (unsigned shift = 0; shift < 32; shift += 8) key.push_back(static_cast<std::byte>(number_ >> shift));
    frontend::append_key(facts.get<frontend::PixelFacts>(), key);
    return {};
  }

  Result<Translation> translate(const frontend::Facts& facts, bool) const override {
    Translation translation;
    ir::Builder b(translation.function);
    b.set_block(translation.function.add_block());
    frontend::FragmentFrame frame(b, facts.get<frontend::PixelFacts>());
    NeutralFragment::Results results;
    results.live = frame.begin(program_.facts);
    program_.compiled(b, frame, results);
    frame.end(results.live, results.colors, results.depth, results.written);
    b.ret();
    return translation;
  }

  Result<std::unique_ptr<frontend::GuestInterpreter>> prepare_interpreter(
      const frontend::Facts&) const override {
    return std::unique_ptr<frontend::GuestInterpreter>(std::make_unique<Interpreter>(program_));
  }

 private:
  class Run final : public interpret::FragmentProgram {
   public:
    explicit Run(const NeutralFragment& program) : program_(program) {}
    unsigned most_quads() const override { return 4; }
    bool exports_depth() const override { return program_.facts.exports_depth; }
    Status run(std::span<const interpret::Quad> quads, std::span<interpret::Fragment> fragments) override {
      for (std::size_t n = 0; n < fragments.size(); ++n) {
        const interpret::Quad& quad = quads[n / 4];
        const auto lane = static_cast<std::int32_t>(n % 4);
        program_.interpreted(quad, quad.x + (lane & 1), quad.y + (lane >> 1), fragments[n]);
      }
      return {};
    }

   private:
    const NeutralFragment& program_;
  };
  class Interpreter final : public frontend::GuestInterpreter {
   public:
    explicit Interpreter(NeutralFragment program) : program_(std::move(program)) {}
    Status draw(const frontend::Values&, const interpret::PixelWork& work, const RunLimits&) const override {
      Run run(program_);
      return interpret::draw(work, run);
    }

   private:
    const NeutralFragment program_;
  };

  const NeutralFragment program_;
  std::uint32_t number_ = 0;
};

// A draw of it, over targets of its own.
class NeutralDraw {
 public:
  NeutralDraw(NeutralFragment program, std::uint32_t width, std::uint32_t height)
      : launch(Program(std::make_shared<NeutralShader>(std::move(program)))), width_(width), height_(height) {
    EXPECT_TRUE(launch.set_target_size(width, height));
    raster.window_positions = true;
  }

  // All words of the target begin as `fill`.
  void color(unsigned number, PixelFormat format, std::uint32_t fill = 0) {
    colors_[number] = target(format, fill);
    EXPECT_TRUE(launch.bind_color(number, buffer(colors_[number], format)));
  }
  void depth(PixelFormat format, std::uint32_t fill = 0) {
    depth_ = target(format, fill);
    EXPECT_TRUE(launch.bind_depth(buffer(depth_, format)));
  }
  void count_passed(std::uint32_t fill = 0) {
    output.count_passed = true;
    passed_ = target(PixelFormat::r32ui, fill);
    EXPECT_TRUE(launch.bind_pass_counts(buffer(passed_, PixelFormat::r32ui)));
  }
  // x, y, z, 1/w, then further slots, as bits.
  void vertex(float x, float y, float z, float inverse_w, const std::vector<std::uint32_t>& slots = {}) {
    for (const float coordinate : {x, y, z, inverse_w}) vertices_.push_back(to_bits(coordinate));
    vertices_.insert(vertices_.end(), slots.begin(), slots.end());
    slots_ = static_cast<std::uint32_t>(4 + slots.size());
  }
  // Two triangles, or more, over everything, at a depth.
  void cover(float z = 0.5F) {
    const auto x = static_cast<float>(width_), y = static_cast<float>(height_);
    for (const auto& corner : {std::pair{0.0F, 0.0F}, {x, 0.0F}, {0.0F, y}, {0.0F, y}, {x, 0.0F}, {x, y}})
      vertex(corner.first, corner.second, z, 1);
  }

  // The words of all targets after a run, those of depth last but one, then pass counts.
  std::vector<std::uint32_t> run(const Engine& engine, const Way& way) {
    EXPECT_TRUE(launch.set_raster_state(raster));
    EXPECT_TRUE(launch.set_output_state(output));
    EXPECT_TRUE(
        launch.bind_vertices({vertices_.data(), vertices_.size() * 4, std::size_t{slots_} * 4, slots_}));
    EXPECT_TRUE(launch.set_count(vertices_.size() / slots_));
    for (Target* target : targets()) target->words = target->initial;
    const auto report = engine.run(launch, with_hooks(engine, way.options));
    EXPECT_TRUE(report) << way.name << ": " << (report ? "" : to_string(report.error()));
    std::vector<std::uint32_t> all;
    for (const Target* target : targets()) all.insert(all.end(), target->words.begin(), target->words.end());
    return all;
  }
  // What every engine gives, which must be the same.
  std::vector<std::uint32_t> run_everywhere(const Engine& engine, const std::string& what = {}) {
    std::optional<std::vector<std::uint32_t>> first;
    for (const Way& way : all_ways(engine)) {
      const auto got = run(engine, way);
      if (!first) first = got;
      const auto place = tests::first_difference(got, *first);
      EXPECT_TRUE(got == *first) << way.name << ", word " << place << " " << what;
    }
    return *first;
  }
  void fill(unsigned color, const std::vector<std::uint32_t>& words) { colors_[color].initial = words; }
  void fill_depth(const std::vector<std::uint32_t>& words) { depth_.initial = words; }

  RasterState raster;
  OutputState output;
  Launch launch;

 private:
  struct Target {
    std::vector<std::uint32_t> words, initial;
  };
  std::vector<Target*> targets() {
    std::vector<Target*> all;
    for (Target& color : colors_) all.push_back(&color);
    all.push_back(&depth_);
    all.push_back(&passed_);
    return all;
  }
  Target target(PixelFormat format, std::uint32_t fill) const {
    const std::size_t words = (std::size_t{width_} * height_ * pixel_size(format) + 3) / 4;
    return {std::vector(words, fill), std::vector(words, fill)};
  }
  TargetBuffer buffer(Target& target, PixelFormat format) const {
    return {target.words.data(), target.words.size() * 4, width_ * pixel_size(format), format};
  }

  std::uint32_t width_, height_, slots_ = 4;
  std::array<Target, kMaxColorTargets> colors_;
  Target depth_, passed_;
  std::vector<std::uint32_t> vertices_;
};

}  // namespace warpjit::test
