// Runs of a whole capture in which the guest interpreter runs all threads of programs that somebody looks at, while an
// observer sees them, on memory that is put back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/frames.h"
#include "debug/code_facts.h"
#include "frontend/interpret/observer.h"
#include "runtime/engine/observed_run.h"
#include "warpjit/debug.hpp"

namespace warpjit::debug {

class WholeRun : public runtime::RunWatcher, public CaptureVisitor, public interpret::Observer {
 public:
  WholeRun() { engine_.state().set_watcher(this); }
  Status run(const capture::Frames& frames, const RunOptions& options) {
    return frames.run(engine_, *this, options);
  }
  Status run(const Capture& capture, const RunOptions& options) {
    return run(*capture.state().frames, options);
  }

 protected:
  // Whether the program of a draw is looked at.
  virtual bool wants(const runtime::LaunchState& launch, runtime::ObservedPart::Program which) = 0;
  // A program of a launch, which `holder` has, is about to be run.
  virtual void begin_program(const runtime::LaunchState& launch, const runtime::LaunchData& holder);
  // A group of its threads is about to run.
  virtual void begin_group() {}
  // Whether the run goes on after draw `draw_ - 1`.
  virtual bool goes_on() const { return true; }

  // Launches that have begun.
  std::size_t launches() const { return launches_; }
  // The thread of a lane in the group that runs, before the step that is being made.
  DebugPlace place_of(unsigned lane);
  // Whether a lane has a thread that counts.
  bool is_thread(unsigned lane) { return (running().lanes >> lane & 1) != 0; }
  void end_step() { ++running().steps; }

  struct Fragment {
    std::uint32_t x = 0, y = 0;
    std::uint64_t number = 0;
  };

  std::size_t draw_ = 0;  // that runs
  // What the program that runs is and has.
  const runtime::LaunchState* launch_ = nullptr;
  Stage stage_{};
  unsigned threads_end_ = 0;  // the words after those of threads
  std::map<std::uint32_t, std::string> lines_;
  CodeFacts code_;
  interpret::ObservedGroup group_;
  std::vector<Fragment> quads_;  // by lanes

 private:
  CaptureInterest interest() const override { return {.draws = true}; }
  bool draw(const CaptureDraw& draw) override;
  Status before(runtime::LaunchState& launch, const RunOptions& options) override;
  Status after(runtime::LaunchState&) override { return {}; }
  // `holder`: what of the launch has the program.
  Status look_at(runtime::LaunchState& launch, const runtime::LaunchData& holder,
                 runtime::ObservedPart::Program which, const RunOptions& options);
  bool observes(const interpret::ObservedGroup& group) override;
  void holds(std::uint16_t, unsigned, std::uint32_t) override {}

  Engine engine_;
  std::size_t launches_ = 0;
  // Groups of a block take turns.
  struct Running {
    std::uint32_t lanes = 0;
    std::uint64_t steps = 0;
  };
  Running& running() { return running_.try_emplace(event().group, Running{group_.lanes, 0}).first->second; }
  std::unordered_map<std::uint32_t, Running> running_;  // by Event::group
  std::uint64_t rows_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> fragments_;  // of each pixel so far
};

}  // namespace warpjit::debug
