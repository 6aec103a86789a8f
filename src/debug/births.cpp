// Where NaNs and infinities are born in a whole capture.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/result.h"
#include "capture/frames.h"
#include "debug/float_code.h"
#include "debug/listing_lines.h"
#include "debug/saved_memory.h"
#include "frontend/interpret/observer.h"
#include "frontend/interpret/pixels.h"
#include "runtime/engine/observed_run.h"
#include "warpjit/debug.hpp"
#include "warpjit/listing.hpp"

namespace warpjit {
namespace {

using interpret::ObservedGroup;
using runtime::ObservedPart;

class Births final : public runtime::RunWatcher, public CaptureVisitor, public interpret::Observer {
 public:
  explicit Births(bool infinities) : infinities_(infinities) { engine_.state().set_watcher(this); }

  Result<std::vector<DebugBirth>> find(const Capture& capture, const RunOptions& options) {
    WARPJIT_CHECK(capture.state().frames->run(engine_, *this, options));
    std::vector<DebugBirth> births;
    for (auto& [key, birth] : births_) births.push_back(std::move(birth));
    return births;
  }

 private:
  CaptureInterest interest() const override { return {.draws = true}; }
  bool draw(const CaptureDraw& draw) override {
    draw_ = draw.number + 1;
    return true;
  }

  Status before(runtime::LaunchState& launch, const RunOptions& options) override {
    if (launch.pixels && launch.pixels->vertex)
      WARPJIT_CHECK(look_at(launch, launch.pixels->vertex->program, ObservedPart::Program::vertex, options));
    return look_at(launch, launch.program, ObservedPart::Program::own, options);
  }
  Status after(runtime::LaunchState&) override { return {}; }

  Status look_at(runtime::LaunchState& launch, const Program& program, ObservedPart::Program which,
                 const RunOptions& options) {
    const frontend::Shader& shader = frontend::shader_of(program);
    if (shader.register_banks().empty()) return {};
    threads_end_ = 0;
    for (const frontend::RegisterBank& bank : shader.register_banks())
      if (bank.of == frontend::RegisterBank::Of::thread)
        threads_end_ = std::max(threads_end_, bank.first + unsigned{bank.registers} * bank.components);
    const auto listing = disassemble(program);
    lines_ = listing ? debug::lines_of(*listing) : std::map<std::uint32_t, std::string>();
    floats_ = debug::FloatCode(shader.isa(), lines_);
    stage_ = shader.stage();
    launch_ = &launch;
    rows_ = 0;
    fragments_.clear();
    debug::SavedMemory memory;
    WARPJIT_CHECK(memory.save(runtime::written_memory(launch)));
    const Status status =
        runtime::run_observed(engine_.state(), launch, {.program = which, .whole = true}, *this, options);
    memory.restore();
    // What ends the programs, the run itself says.
    return status.ok() || status.error().code != ErrorCode::cancelled ? Status() : status;
  }

  bool observes(const ObservedGroup& group) override {
    group_ = group;
    steps_ = 0;
    if (group.kind == ObservedGroup::Kind::rows) {
      group_.first = rows_;
      rows_ += static_cast<unsigned>(std::popcount(group.lanes));
    }
    if (group.kind == ObservedGroup::Kind::quads) {
      quads_.clear();
      for (const interpret::Quad& quad : group.quads)
        for (unsigned pixel = 0; pixel < 4; ++pixel) {
          Fragment fragment{static_cast<std::uint32_t>(quad.x) + (pixel & 1),
                            static_cast<std::uint32_t>(quad.y) + (pixel >> 1), 0};
          if ((quad.coverage >> pixel & 1) != 0)
            fragment.number = fragments_[std::uint64_t{fragment.y} << 32 | fragment.x]++;
          quads_.push_back(fragment);
        }
    }
    return true;
  }
  void holds(std::uint16_t, unsigned, std::uint32_t) override {}
  bool step() override {
    const interpret::Event& happened = event();
    for (const interpret::Event::Write& write : happened.writes) {
      if (write.word >= threads_end_ || !is_special(happened.address, write.after) ||
          (group_.lanes >> write.lane & 1) == 0)
        continue;
      const bool was_there = std::ranges::any_of(happened.reads, [&](const interpret::Event::Read& read) {
        return read.lane == write.lane && is_special(happened.address, read.value);
      });
      const bool loaded = std::ranges::any_of(happened.memory, [&](const interpret::Event::Memory& access) {
        return access.lane == write.lane && !access.store && is_special(happened.address, access.value);
      });
      if (!was_there && !loaded) add(write.lane);
    }
    ++steps_;
    return true;
  }
  bool is_special(std::uint32_t address, std::uint32_t word) const {
    return infinities_ ? floats_.is_infinite(address, word) : floats_.is_nan(address, word);
  }

  void add(unsigned lane) {
    const std::uint32_t address = event().address;
    DebugBirth& birth = births_[{draw_, stage_, address}];
    if (birth.count++ != 0) return;
    birth.draw = draw_;
    birth.stage = stage_;
    birth.address = address;
    if (const auto found = lines_.find(address); found != lines_.end()) birth.text = found->second;
    birth.first = place_of(lane);
  }

  DebugPlace place_of(unsigned lane) const {
    DebugPlace place{.draw = draw_, .step = steps_};
    switch (group_.kind) {
      case ObservedGroup::Kind::rows:
        place.of = launch_->primitives ? DebugPlace::Of::invocation : DebugPlace::Of::vertex;
        place.number = group_.first + lane;
        break;
      case ObservedGroup::Kind::quads:
        place.of = DebugPlace::Of::pixel;
        if (lane < quads_.size()) {
          place.x = quads_[lane].x;
          place.y = quads_[lane].y;
          place.number = quads_[lane].number;
        }
        break;
      default: {
        const std::uint64_t thread = group_.first + lane;
        if (stage_ == Stage::vertex) {
          place.number = group_.block[1] * std::uint64_t{launch_->values.grid.vertices.count} +
                         group_.block[0] * std::uint64_t{frontend::Vertices::kOfBlock} + thread;
          break;
        }
        place.of = DebugPlace::Of::thread;
        const auto& size = launch_->values.grid.block;
        place.thread = {static_cast<std::uint32_t>(thread % size[0]),
                        static_cast<std::uint32_t>(thread / size[0] % size[1]),
                        static_cast<std::uint32_t>(thread / size[0] / size[1])};
        place.block = {group_.block[0], group_.block[1], group_.block[2]};
      }
    }
    return place;
  }

  struct Fragment {
    std::uint32_t x = 0, y = 0;
    std::uint64_t number = 0;
  };

  Engine engine_;
  bool infinities_;
  std::size_t draw_ = 0;
  std::map<std::tuple<std::size_t, Stage, std::uint32_t>, DebugBirth> births_;

  // Of the program that runs.
  runtime::LaunchState* launch_ = nullptr;
  Stage stage_{};
  unsigned threads_end_ = 0;
  std::map<std::uint32_t, std::string> lines_;
  debug::FloatCode floats_;
  ObservedGroup group_;
  std::uint64_t steps_ = 0, rows_ = 0;
  std::vector<Fragment> quads_;                                 // by lanes
  std::unordered_map<std::uint64_t, std::uint64_t> fragments_;  // of each pixel so far
};

}  // namespace

Result<std::vector<DebugBirth>> find_births(const Capture& capture, bool infinities,
                                            const RunOptions& options) try {
  return Births(infinities).find(capture, options);
} catch (...) {
  return caught();
}

}  // namespace warpjit
