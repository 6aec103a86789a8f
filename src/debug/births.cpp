// Where NaNs and infinities are born in a whole capture.
#include <algorithm>
#include <map>
#include <tuple>

#include "base/result.h"
#include "debug/whole_run.h"

namespace warpjit {
namespace {

using interpret::Event;

class Births final : public debug::WholeRun {
 public:
  explicit Births(bool infinities) : infinities_(infinities) {}

  std::vector<DebugBirth> take() {
    std::vector<DebugBirth> births;
    for (auto& [key, birth] : births_) births.push_back(std::move(birth));
    return births;
  }

 private:
  bool wants(const runtime::LaunchState&, runtime::ObservedPart::Program) const override { return true; }

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
  std::map<std::tuple<std::size_t, Stage, std::uint32_t>, DebugBirth> births_;
};

}  // namespace

Result<std::vector<DebugBirth>> find_births(const Capture& capture, bool infinities,
                                            const RunOptions& options) try {
  Births births(infinities);
  WARPJIT_CHECK(births.run(capture, options));
  return births.take();
} catch (...) {
  return caught();
}

}  // namespace warpjit
