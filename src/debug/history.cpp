// Runs a capture, and sees the fragments of one pixel in each of its draws.
#include <algorithm>
#include <map>
#include <utility>

#include "base/result.h"
#include "capture/frames.h"
#include "debug/saved_memory.h"
#include "frontend/interpret/pixel_observer.h"
#include "runtime/engine/observed_run.h"
#include "warpjit/debug.hpp"

namespace warpjit {
namespace {

using Row = DebugHistoryRow;
using Fate = DebugHistoryRow::Fate;

Fate fate_of(interpret::Miss miss) {
  switch (miss) {
    case interpret::Miss::scissor:
      return Fate::scissor;
    case interpret::Miss::culled:
      return Fate::culled;
    case interpret::Miss::clipped:
      return Fate::clipped;
    case interpret::Miss::degenerate:
      return Fate::degenerate;
    case interpret::Miss::not_finite:
      return Fate::not_finite;
    case interpret::Miss::missing:
      break;
  }
  return Fate::missing;
}

Fate fate_of(const interpret::SeenFragment& fragment, bool of_depth) {
  switch (fragment.end) {
    case interpret::FragmentEnd::passed:
      break;
    case interpret::FragmentEnd::early_stencil:
      return Fate::early_stencil;
    case interpret::FragmentEnd::early_depth:
      return Fate::early_depth;
    case interpret::FragmentEnd::discarded:
      return Fate::discarded;
    case interpret::FragmentEnd::alpha:
      return Fate::alpha;
    case interpret::FragmentEnd::stencil:
      return Fate::stencil;
    case interpret::FragmentEnd::depth:
      return Fate::depth;
    case interpret::FragmentEnd::failed:
      return Fate::failed;
  }
  if (of_depth) return fragment.writes_depth ? Fate::written : Fate::masked;
  if (!fragment.writes_color) return Fate::masked;
  return fragment.blends ? Fate::blended : Fate::written;
}

Row::Pixel pixel_of(const interpret::SeenPixel& seen) { return {seen.bits, seen.values}; }
Row::Test test_of(const interpret::SeenTest& seen) {
  return {seen.on, seen.compare, seen.value, seen.stored};
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text = "0x";
  for (std::size_t n = bytes.size(); n-- != 0;)
    for (const unsigned shift : {4U, 0U})
      text += "0123456789abcdef"[std::to_integer<unsigned>(bytes[n]) >> shift & 15];
  return text;
}

std::string target_name(unsigned target) {
  return target == DebugHistory::kDepth ? "depth" : "color" + std::to_string(target);
}

}  // namespace

class DebugHistory::State final : public runtime::RunWatcher,
                                  public CaptureVisitor,
                                  public interpret::PixelObserver {
 public:
  State(std::uint32_t column, std::uint32_t row, unsigned of, const DebugOptions& options)
      : column_(column), row_(row), of_(of), options_(options) {
    target = of == kDepth ? 0 : of;
  }

  Status run(const Capture& capture) {
    engine_.state().set_watcher(this);
    const Status status = capture.run(engine_, *this, options_.run);
    if (!status) end_ = status;
    if (!launches_ && end_.ok()) return not_there();
    find_overwritten();
    return {};
  }

  const std::vector<Row>& rows() const { return rows_; }
  std::optional<DebugPlace> place(std::size_t row) const {
    if (row >= rows_.size() || !rows_[row].fragment) return std::nullopt;
    DebugPlace place;
    place.draw = rows_[row].draw;
    place.of = DebugPlace::Of::pixel;
    place.x = column_;
    place.y = row_;
    place.number = *rows_[row].fragment;
    return place;
  }
  std::string what(std::size_t draw) const {
    const auto found = draw_texts_.find(draw);
    return found == draw_texts_.end() ? std::string() : found->second;
  }
  std::size_t draws() const { return draws_; }
  std::size_t observed() const { return observed_draws_; }
  const Status& end() const { return end_; }
  const std::string& difference() const { return difference_; }

 private:
  Error not_there() const {
    std::string message = "no draw has that pixel";
    if (width_ == 0)
      message += draws_ == 0 ? "; the capture has no draws" : "; none draws pixels";
    else
      message +=
          "; targets have at most " + std::to_string(width_) + " x " + std::to_string(height_) + " pixels";
    return {ErrorCode::bad_input, message, "pixel " + std::to_string(column_) + "," + std::to_string(row_)};
  }

  // ---- The run of the capture
  CaptureInterest interest() const override { return {.draws = true}; }
  bool draw(const CaptureDraw& draw) override {
    draws_ = draw.number + 1;
    for (; described_ < rows_.size(); ++described_) {
      rows_[described_].job = draw.job;
      rows_[described_].frame = draw.frame;
      draw_texts_[draw.number] = draw.what;
    }
    observed_draws_ += observed_ ? 1 : 0;
    observed_ = false;
    fragments_ = 0;
    return end_.ok();
  }

  Status before(runtime::LaunchState& launch, const RunOptions& options) override {
    launch_ = nullptr;
    if (!launch.pixels || !end_.ok()) return {};
    const runtime::LaunchPixels& work = *launch.pixels;
    width_ = std::max(width_, work.width);
    height_ = std::max(height_, work.height);
    if (column_ >= work.width || row_ >= work.height) return {};
    const bool flips = work.color_blocks.last_first || work.depth_blocks.last_first;
    x = static_cast<std::int32_t>(column_);
    y = static_cast<std::int32_t>(flips ? work.height - 1 - row_ : row_);
    launches_ = observed_ = true;
    instance_ = 0;
    has_begun_ = false;
    one_part_ = work.geometry != nullptr;
    launch_ = &launch;
    first_row_ = rows_.size();
    debug::SavedMemory memory;
    return memory.lend(runtime::written_memory(launch, *this), [&] {
      run_end_ = runtime::run_observed(engine_.state(), launch, *this, options);
      const auto pixels = target_memory(work);
      for (std::size_t n = 0; n < pixels.size(); ++n) left_[n].assign(pixels[n].begin(), pixels[n].end());
    });
  }

  // What the interpreter left, compiled code must have left, too.
  Status after(runtime::LaunchState& launch) override {
    if (&launch != launch_) return {};
    launch_ = nullptr;
    if (!options_.check || !difference_.empty()) return {};
    const std::string draw = "draw " + std::to_string(draws_);
    if (!run_end_) {
      difference_ = draw + ": the interpreter ended with an error: " + run_end_.error().message;
      return {};
    }
    const auto pixels = target_memory(*launch.pixels);
    for (unsigned n = 0; n < pixels.size() && difference_.empty(); ++n)
      if (!std::ranges::equal(pixels[n], left_[n]))
        difference_ = draw + ", " + target_name(n) + ": the interpreter leaves " + hex(left_[n]) +
                      ", compiled code " + hex(pixels[n]);
    return {};
  }

  std::array<std::span<std::byte>, kDepth + 1> target_memory(const runtime::LaunchPixels& work) const {
    std::array<std::span<std::byte>, kDepth + 1> pixels;
    for (unsigned n = 0; n <= kDepth; ++n)
      pixels[n] =
          runtime::pixel_memory(work, n, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
    return pixels;
  }

  // ---- The observed run
  void begin_part() override {
    if (has_begun_ && !one_part_) ++instance_;
    has_begun_ = true;
  }

  void met(const interpret::SeenFragment& seen) override {
    const bool of_depth = of_ == kDepth;
    Row row = row_of(fate_of(seen, of_depth), seen.primitive);
    row.part = seen.part;
    row.front_facing = seen.front_facing;
    if (seen.ran) row.fragment = fragments_++;
    row.instructions = seen.instructions;
    row.alpha = test_of(seen.alpha);
    row.stencil = test_of(seen.stencil);
    row.depth = test_of(seen.depth);
    row.gives_color = seen.gives_color;
    row.color = seen.color;
    if (row.bytes != 0) {
      row.before = pixel_of(of_depth ? seen.depth_before : seen.color_before);
      row.after = pixel_of(of_depth ? seen.depth_after : seen.color_after);
      note_change(row);
    }
    add(row, row.fate == Fate::written && (of_depth || seen.whole_color));
  }

  void missed(std::uint32_t primitive, interpret::Miss why) override {
    const Fate fate = fate_of(why);
    for (std::size_t n = first_row_; n < rows_.size(); ++n)
      if (rows_[n].fate == fate && rows_[n].instance == instance_) {
        ++rows_[n].primitives;
        return;
      }
    add(row_of(fate, primitive), false);
  }

  Row row_of(Fate fate, std::uint32_t primitive) {
    Row row;
    row.fate = fate;
    row.draw = draws_;
    row.instance = instance_;
    row.primitive = primitive;
    const runtime::LaunchPixels& work = *launch_->pixels;
    const auto memory =
        runtime::pixel_memory(work, of_, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
    row.bytes = static_cast<unsigned>(memory.size());
    if (row.bytes == 0) return row;
    if (!work.has_blocks()) row.format = of_ == kDepth ? work.output.depth_format : work.output.colors[of_];
    row.surface =
        surfaces_.try_emplace(memory.data(), static_cast<std::uint32_t>(surfaces_.size())).first->second;
    return row;
  }

  // A row of what came between the last one of the surface and this one.
  void note_change(const Row& now) {
    const auto last = last_.find(now.surface);
    if (last == last_.end() || rows_[last->second].after.bits == now.before.bits) return;
    Row row = row_of(Fate::changed, now.primitive);
    row.primitives = 0;
    row.before = rows_[last->second].after;
    row.after = now.before;
    add(row, true);
  }

  // `replaces`: all that the surface had there.
  void add(const Row& row, bool replaces) {
    if (rows_.size() >= kMostRows) {
      if (end_.ok())
        end_ = Error{ErrorCode::resource_limit,
                     "more than " + std::to_string(kMostRows) + " fragments and other rows are at the pixel",
                     "draw " + std::to_string(draws_)};
      return;
    }
    rows_.push_back(row);
    replaces_.push_back(replaces);
    if (row.bytes != 0 && !row.is_miss()) last_[row.surface] = rows_.size() - 1;
  }

  void find_overwritten() {
    std::map<std::uint32_t, std::size_t> next;  // the row that replaces all, by surface
    for (std::size_t n = rows_.size(); n-- != 0;) {
      Row& row = rows_[n];
      if (row.bytes == 0) continue;
      const auto found = next.find(row.surface);
      if ((row.fate == Fate::written || row.fate == Fate::blended) && found != next.end())
        row.overwritten = found->second;
      if (replaces_[n]) next[row.surface] = n;
    }
  }

  const std::uint32_t column_, row_;  // of pictures
  const unsigned of_;                 // the target
  DebugOptions options_;
  Engine engine_;

  std::vector<Row> rows_;
  std::vector<bool> replaces_;                          // what was there, all of it; by row
  std::map<const std::byte*, std::uint32_t> surfaces_;  // by memory of the pixel
  std::map<std::uint32_t, std::size_t> last_;           // row of a fragment, by surface
  std::map<std::size_t, std::string> draw_texts_;
  std::size_t described_ = 0;  // rows whose draw has ended
  std::size_t draws_ = 0, observed_draws_ = 0;
  Status end_;
  std::string difference_;
  bool launches_ = false;  // one had the pixel
  std::uint32_t width_ = 0, height_ = 0;

  // What the draw and its launch have so far.
  bool observed_ = false, has_begun_ = false, one_part_ = false;
  std::uint64_t fragments_ = 0;
  std::uint32_t instance_ = 0;
  std::size_t first_row_ = 0;
  runtime::LaunchState* launch_ = nullptr;
  Status run_end_;
  std::array<std::vector<std::byte>, kDepth + 1> left_;
};

const char* name(DebugHistoryRow::Fate fate) {
  constexpr const char* kNames[] = {"written",   "blended", "masked",  "early stencil", "early depth",
                                    "discarded", "alpha",   "stencil", "depth",         "failed",
                                    "scissor",   "culled",  "clipped", "degenerate",    "not finite",
                                    "missing",   "changed"};
  return kNames[static_cast<std::size_t>(fate)];
}

DebugHistory::DebugHistory(std::unique_ptr<State> state) : state_(std::move(state)) {}
DebugHistory::DebugHistory(DebugHistory&&) noexcept = default;
DebugHistory& DebugHistory::operator=(DebugHistory&&) noexcept = default;
DebugHistory::~DebugHistory() = default;

Result<DebugHistory> DebugHistory::make(const Capture& capture, std::uint32_t x, std::uint32_t y,
                                        unsigned target, const DebugOptions& options) try {
  if (target > kDepth)
    return Error{ErrorCode::bad_input,
                 "there is no target " + std::to_string(target) + "; colours are 0 to " +
                     std::to_string(kDepth - 1) + ", depth is " + std::to_string(kDepth),
                 ""};
  auto state = std::make_unique<State>(x, y, target, options);
  WARPJIT_CHECK(state->run(capture));
  return DebugHistory(std::move(state));
} catch (...) {
  return caught();
}

const std::vector<DebugHistoryRow>& DebugHistory::rows() const { return state_->rows(); }
std::optional<DebugPlace> DebugHistory::place(std::size_t row) const { return state_->place(row); }
std::string DebugHistory::what(std::size_t draw) const { return state_->what(draw); }
std::size_t DebugHistory::draws() const { return state_->draws(); }
std::size_t DebugHistory::observed() const { return state_->observed(); }
const Status& DebugHistory::end() const { return state_->end(); }
const std::string& DebugHistory::difference() const { return state_->difference(); }

}  // namespace warpjit
