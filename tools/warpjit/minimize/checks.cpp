#include "minimize/checks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "warpjit/capture.hpp"

namespace warpjit::tool {
namespace {

using capture::Frames;
using Bytes = std::vector<std::byte>;

struct DrawnTarget {
  std::size_t unit = 1;  // bytes of a pixel
  std::optional<Bytes> before;
  Bytes after;
};
using TargetKey = std::pair<std::string, std::uint64_t>;  // name and address
using DrawnTargets = std::map<TargetKey, DrawnTarget>;

// Sees the targets of each draw, when all of them are there.
class TargetsOfDraws : public CaptureVisitor {
 public:
  CaptureInterest interest() const override { return {true, true}; }
  bool draw(const CaptureDraw& draw) override {
    if (!finish()) return false;
    number_ = draw.number;
    return true;
  }
  bool picture(const CapturePicture& picture) override {
    if (!picture.draw) return true;
    const TargetKey key(picture.name, picture.address);
    DrawnTarget target;
    if (picture.width != 0 && picture.height != 0)
      target.unit =
          std::max<std::size_t>(1, picture.bytes.size() / (std::size_t{picture.width} * picture.height));
    target.after.assign(picture.bytes.begin(), picture.bytes.end());
    Bytes& seen = seen_[key];
    if (seen.size() == target.after.size()) target.before = std::move(seen);
    seen = target.after;
    targets_[key] = std::move(target);
    return true;
  }
  // Shows the last draw, too, after a run. False: enough was seen.
  bool finish() {
    if (!number_) return true;
    const bool more = show(*number_, targets_);
    number_.reset();
    targets_.clear();
    return more;
  }

 private:
  virtual bool show(std::uint64_t draw, const DrawnTargets& targets) = 0;

  std::optional<std::uint64_t> number_;
  std::map<TargetKey, Bytes> seen_;
  DrawnTargets targets_;
};

bool unit_differs(const Bytes& a, const Bytes& b, std::size_t at, std::size_t unit) {
  const auto from = static_cast<std::ptrdiff_t>(at);
  const auto to = static_cast<std::ptrdiff_t>(std::min(at + unit, a.size()));
  return !std::equal(a.begin() + from, a.begin() + to, b.begin() + from);
}

bool changes_any(const DrawnTarget& target) { return !target.before || *target.before != target.after; }

bool shows(const DrawnTarget& wanted, const DrawnTarget& got) {
  if (wanted.after.size() != got.after.size() || wanted.unit != got.unit) return false;
  for (std::size_t at = 0; at < wanted.after.size(); at += wanted.unit) {
    if (wanted.before && !unit_differs(*wanted.before, wanted.after, at, wanted.unit)) continue;
    if (unit_differs(wanted.after, got.after, at, wanted.unit)) return false;
    // It was not there already.
    if (wanted.before && got.before && !unit_differs(*got.before, got.after, at, wanted.unit)) return false;
  }
  return true;
}

// What the draw of a number changes.
class WantedDraw final : public TargetsOfDraws {
 public:
  explicit WantedDraw(std::uint64_t number) : number_(number) {}
  DrawnTargets targets;
  std::uint64_t draws = 0;

 private:
  bool show(std::uint64_t draw, const DrawnTargets& seen) override {
    draws = draw + 1;
    if (draw != number_) return true;
    for (const auto& [key, target] : seen)
      if (changes_any(target)) targets.emplace(key, target);
    return false;
  }
  std::uint64_t number_;
};

// Whether a draw changes the same: it may have another number.
class FoundDraw final : public TargetsOfDraws {
 public:
  explicit FoundDraw(const DrawnTargets& wanted) : wanted_(wanted) {}
  bool found = false;

 private:
  bool show(std::uint64_t, const DrawnTargets& seen) override {
    found = std::ranges::all_of(wanted_, [&](const auto& target) {
      const auto same = seen.find(target.first);
      return same != seen.end() && shows(target.second, same->second);
    });
    return !found;
  }
  const DrawnTargets& wanted_;
};

// All that a run leaves that others may see, in order.
class Traces final : public CaptureVisitor {
 public:
  CaptureInterest interest() const override { return {true, true}; }
  bool draw(const CaptureDraw& draw) override {
    add(std::as_bytes(std::span(draw.what)));
    return true;
  }
  bool picture(const CapturePicture& picture) override {
    add(std::as_bytes(std::span(picture.name)));
    add(picture.bytes);
    if (picture.compared && !picture.compared->holds()) unexpected = true;
    return true;
  }
  std::uint64_t hash = 0xcbf29ce484222325;
  bool unexpected = false;

 private:
  void add(std::span<const std::byte> bytes) { hash = hash_bytes(bytes, hash); }
};

struct Outcome {
  std::uint64_t hash = 0;
  std::string error;
  bool unexpected = false;
};
Result<Outcome> run_for_outcome(const Engine& engine, const RunOptions& options, const Frames& frames) {
  Traces traces;
  const Status done = frames.run(engine, traces, options);
  if (!done && done.error().code == ErrorCode::cancelled) return done.error();
  return Outcome{traces.hash, done ? "" : to_string(done.error()), traces.unexpected};
}

// `shows` for the frames as they are, too.
Result<StillShows> checked(StillShows shows, const Frames& frames, std::string message, std::string where) {
  WARPJIT_TRY(const bool holds, shows(frames));
  if (!holds) return Error{ErrorCode::bad_input, std::move(message), std::move(where)};
  return shows;
}

}  // namespace

Result<StillShows> same_draw(const Engine& engine, const RunOptions& options, const Frames& frames,
                             std::uint64_t number) {
  WantedDraw original(number);
  WARPJIT_CHECK(frames.run(engine, original, options));
  original.finish();
  if (original.draws <= number)
    return Error{ErrorCode::bad_input,
                 "the capture has " + std::to_string(original.draws) + " draws, which count from 0",
                 "--draw"};
  if (original.targets.empty())
    return Error{ErrorCode::bad_input, "draw " + std::to_string(number) + " changes no pixels", "--draw"};
  return StillShows(
      [&engine, options, wanted = std::move(original.targets)](const Frames& less) -> Result<bool> {
        FoundDraw draws(wanted);
        const Status done = less.run(engine, draws, options);
        if (!done && done.error().code == ErrorCode::cancelled) return done.error();
        if (done && !draws.found) draws.finish();
        return draws.found;
      });
}

Result<StillShows> engines_differ(const Engine& engine, const RunOptions& first, const RunOptions* second,
                                  const Frames& frames) {
  std::optional<RunOptions> other;
  if (second != nullptr) other = *second;
  return checked(
      [&engine, first, other](const Frames& less) -> Result<bool> {
        WARPJIT_TRY(const Outcome a, run_for_outcome(engine, first, less));
        if (!other) return a.unexpected;
        WARPJIT_TRY(const Outcome b, run_for_outcome(engine, *other, less));
        return a.hash != b.hash || a.error != b.error;
      },
      frames, second != nullptr ? "the engines agree" : "all outputs are as expected, or nothing is expected",
      "--differs");
}

Result<StillShows> same_error(const Engine& engine, const RunOptions& options, const Frames& frames,
                              const std::string& text, const std::string& file) {
  return checked(
      [&engine, options, text, file](const Frames& less) -> Result<bool> {
        WARPJIT_TRY(Outcome outcome, run_for_outcome(engine, options, less));
        if (const std::size_t at = outcome.error.find(file); !file.empty() && at != std::string::npos)
          outcome.error.erase(at, file.size());
        return outcome.error.find(text) != std::string::npos;
      },
      frames, "the run does not end with an error of this text", "--error");
}

}  // namespace warpjit::tool
