// Where NaNs and infinities are born in a whole capture.
#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

#include "base/result.h"
#include "debug/whole_run.h"

namespace warpjit {
namespace {

using interpret::Event;

// Draw, stage and address of an instruction.
using Key = std::tuple<std::size_t, Stage, std::uint32_t>;

// Draws are looked at by several runs of the capture at once: each run takes those that no other has taken. The next
// draw that is free.
using NextDraw = std::atomic<std::size_t>;

class Births final : public debug::WholeRun {
 public:
  Births(bool infinities, NextDraw& next) : infinities_(infinities), next_(next) {}

  std::map<Key, DebugBirth>& found() { return births_; }

 private:
  bool wants(const runtime::LaunchState&, runtime::ObservedPart::Program) override {
    if (taken_ == draw_ + 1) return true;
    std::size_t free = next_.load();
    while (free <= draw_)
      if (next_.compare_exchange_weak(free, draw_ + 1)) {
        taken_ = draw_ + 1;
        return true;
      }
    return false;
  }

  bool step() override {
    const Event& happened = event();
    const unsigned wanted = infinities_ ? debug::CodeFacts::kInfinity : debug::CodeFacts::kNan;
    const auto took = [&](unsigned word, std::uint32_t value) {
      return (code_.operand(happened.address, word, value) & wanted) != 0;
    };
    for (const Event::Write& write : happened.writes) {
      if (write.word >= threads_end_ || !is_thread(write.lane) ||
          (code_.result(happened.address, write.word, write.after) & wanted) == 0)
        continue;
      const bool was_there =
          std::ranges::any_of(happened.reads,
                              [&](const Event::Read& read) {
                                return read.lane == write.lane && took(read.word, read.value);
                              }) ||
          std::ranges::any_of(happened.memory, [&](const Event::Memory& access) {
            return access.lane == write.lane && !access.store &&
                   took(debug::CodeFacts::kMemory, access.value);
          });
      if (!was_there) add(write.lane);
    }
    end_step();
    return true;
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

  bool infinities_;
  NextDraw& next_;
  std::size_t taken_ = 0;  // one more than the draw that this run has taken
  std::map<Key, DebugBirth> births_;
};

// One run of the capture, on a thread of its own.
struct Run {
  const Capture& capture;
  const RunOptions& options;
  bool infinities;
  NextDraw& next;
  std::map<Key, DebugBirth> found{};
  Status status{};

  void operator()() noexcept try {
    Births births(infinities, next);
    status = births.run(capture, options);
    found = std::move(births.found());
  } catch (...) {
    status = caught();
  }
};

// More threads would mostly wait for memory, of which each has a copy.
constexpr unsigned kMostRuns = 16;

}  // namespace

Result<std::vector<DebugBirth>> find_births(const Capture& capture, bool infinities,
                                            const RunOptions& options) try {
  const unsigned threads =
      std::clamp(options.threads != 0 ? options.threads : std::thread::hardware_concurrency(), 1U, kMostRuns);
  RunOptions each = options;
  if (threads > 1) each.threads = 1;
  NextDraw next = 0;
  std::vector<Run> runs(threads, {capture, each, infinities, next});
  make_thread_pool(threads)->parallel_for(
      threads, [](void* all, std::size_t n) { (*static_cast<std::vector<Run>*>(all))[n](); }, &runs);
  std::map<Key, DebugBirth> found;
  for (Run& run : runs) {
    WARPJIT_CHECK(run.status);
    found.merge(run.found);
  }
  std::vector<DebugBirth> births;
  births.reserve(found.size());
  for (auto& [key, birth] : found) births.push_back(std::move(birth));
  return births;
} catch (...) {
  return caught();
}

}  // namespace warpjit
