// A register at an instruction, for every pixel of a draw.
#include <algorithm>

#include "base/result.h"
#include "debug/trace.h"
#include "debug/whole_run.h"

namespace warpjit {
namespace {

using interpret::Event;

constexpr std::size_t kMostLanes = 64;

class Picture final : public debug::WholeRun {
 public:
  Picture(std::size_t draw, unsigned word, std::uint32_t address)
      : of_(draw), word_(word), address_(address) {}
  DebugPicture take() { return std::move(picture_); }

 private:
  bool wants(const runtime::LaunchState& launch, runtime::ObservedPart::Program which) override {
    return draw_ == of_ && launch.pixels && which == runtime::ObservedPart::Program::own;
  }
  bool goes_on() const override { return draw_ <= of_; }
  void begin_program(const runtime::LaunchState& launch, const runtime::LaunchData& holder) override {
    WholeRun::begin_program(launch, holder);
    picture_.width = launch.pixels->width;
    picture_.height = launch.pixels->height;
    const std::size_t pixels = std::size_t{picture_.width} * picture_.height;
    picture_.values.assign(pixels, 0);
    picture_.there.assign(pixels, 0);
  }
  void begin_group() override { values_.assign(kMostLanes, 0); }
  // The value before the last time that a fragment executes the instruction; of fragments that lie over each other the
  // last one's.
  bool step() override {
    const Event& happened = event();
    if (happened.address == address_)
      for (unsigned lane = 0; lane < quads_.size(); ++lane) {
        if ((happened.lanes >> lane & 1) == 0 || !is_thread(lane)) continue;
        const Fragment& fragment = quads_[lane];
        if (fragment.x >= picture_.width || fragment.y >= picture_.height) continue;
        const std::size_t at = std::size_t{fragment.y} * picture_.width + fragment.x;
        picture_.values[at] = values_[lane];
        picture_.there[at] = 1;
      }
    for (const Event::Write& write : happened.writes)
      if (write.word == word_) values_[write.lane] = write.after;
    end_step();
    return true;
  }
  void holds(std::uint16_t word, unsigned lane, std::uint32_t value) override {
    if (word == word_ && lane < values_.size()) values_[lane] = value;
  }

  std::size_t of_;
  unsigned word_;
  std::uint32_t address_;
  std::vector<std::uint32_t> values_;  // of the word, by lanes
  DebugPicture picture_;
};

}  // namespace

Result<DebugPicture> picture_of(const Capture& capture, std::size_t draw, unsigned word,
                                std::uint32_t address, const RunOptions& options) try {
  Picture picture(draw, word, address);
  WARPJIT_CHECK(picture.run(capture, options));
  DebugPicture result = picture.take();
  if (result.width == 0)
    return Error{ErrorCode::bad_input, "the draw has no pixels", "draw " + std::to_string(draw)};
  return result;
} catch (...) {
  return caught();
}

}  // namespace warpjit
