// warpjit verify of a capture of any guest: all engines leave the same bytes in every target after every draw,
// and what is expected.
#include <fmt/core.h>

#include <algorithm>

#include "capture/neutral.h"
#include "capture_names.h"
#include "command.h"
#include "engines.h"
#include "output.h"
#include "stop.h"

namespace warpjit::tool {

namespace {

class PictureHashes final : public CaptureVisitor {
 public:
  explicit PictureHashes(const NameTable& names) : names_(names) {}
  CaptureInterest interest() const override { return {true, true}; }
  bool picture(const CapturePicture& picture) override {
    const std::uint64_t hash = hash_of(picture);
    const std::string label = picture_label(picture) + (picture.draw ? names_.of_draw(*picture.draw) : "");
    seen.emplace_back(label, hash);
    checksum = (checksum ^ hash) * 0x100000001b3;
    unexpected.see(picture);
    return true;
  }
  bool draw(const CaptureDraw&) override {
    ++draws;
    return true;
  }

  std::vector<std::pair<std::string, std::uint64_t>> seen;
  std::uint64_t checksum = 0xcbf29ce484222325;
  std::size_t draws = 0;
  UnexpectedPictures unexpected;

 private:
  const NameTable& names_;
};

// Ends the run at a picture, and keeps it.
class OnePicture final : public CaptureVisitor {
 public:
  explicit OnePicture(std::size_t number) : number_(number) {}
  CaptureInterest interest() const override { return {true, true}; }
  bool picture(const CapturePicture& picture) override {
    if (seen_++ != number_) return true;
    width = picture.width;
    format = picture.format;
    const std::span<const std::byte> from =
        picture.format == PixelFormat::none ? picture.bytes : picture.pixels;
    bytes.assign(from.begin(), from.end());
    return false;
  }

  std::vector<std::byte> bytes;
  PixelFormat format = PixelFormat::none;
  std::uint32_t width = 0;

 private:
  std::size_t number_ = 0, seen_ = 0;
};

struct EngineOutcome {
  EngineChoice choice;
  PictureHashes hashes;
  std::string error;       // of the run
  std::string unexpected;  // empty: nothing
  std::string differs;     // empty: nothing
  bool holds() const { return unexpected.empty() && differs.empty(); }
};

RunOptions with_engine(RunOptions run, const EngineChoice& choice) {
  run.engine = choice.engine;
  run.target = choice.target;
  return run;
}

std::string hex_bytes(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

// The first pixel of the first picture that is not the same.
std::string find_difference(const Capture& capture, const Engine& engine, const NeutralVerify& options,
                            const EngineOutcome& first, const EngineOutcome& other) {
  const auto& a = first.hashes.seen;
  const auto& b = other.hashes.seen;
  const auto number = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  if (number == a.size() || number == b.size())
    return fmt::format("{} pictures instead of {}", b.size(), a.size());
  OnePicture wanted(number), got(number);
  const Status one = capture.run(engine, wanted, with_engine(options.run, first.choice));
  const Status two = capture.run(engine, got, with_engine(options.run, other.choice));
  const std::string& label = a[number].first;
  if (!one || !two || wanted.bytes.size() != got.bytes.size() || wanted.bytes == got.bytes)
    return label + " differs";
  const auto at =
      static_cast<std::size_t>(std::ranges::mismatch(wanted.bytes, got.bytes).in1 - wanted.bytes.begin());
  const std::size_t unit = wanted.format == PixelFormat::none ? 1 : pixel_size(wanted.format);
  const std::size_t pixel = at / unit;
  const auto part = [&](const OnePicture& picture) {
    return hex_bytes(std::span(picture.bytes).subspan(pixel * unit, unit));
  };
  if (wanted.width == 0 || unit == 1)
    return fmt::format("{}, byte {:#x}: {}, not {}", label, at, part(got), part(wanted));
  return fmt::format("{}, pixel ({}, {}): {}, not {}", label, pixel % wanted.width, pixel / wanted.width,
                     part(got), part(wanted));
}

Json outcome_json(const EngineOutcome& outcome) {
  Json json{{"engine", name(outcome.choice)},
            {"ok", outcome.holds()},
            {"checksum", fmt::format("{:#018x}", outcome.hashes.checksum)}};
  if (!outcome.error.empty()) json["error"] = outcome.error;
  if (!outcome.differs.empty()) json["differs"] = outcome.differs;
  if (!outcome.unexpected.empty()) json["expect"] = outcome.unexpected;
  return json;
}

void print_outcome(const EngineOutcome& outcome, const std::string& reference) {
  print_out("{:16} checksum {:#018x}", name(outcome.choice), outcome.hashes.checksum);
  if (!outcome.error.empty()) print_out("  {}", outcome.error);
  if (!outcome.differs.empty()) print_out("  DIFFERS from {}: {}", reference, outcome.differs);
  if (!outcome.unexpected.empty())
    print_out("  NOT AS EXPECTED: {}", outcome.unexpected);
  else if (outcome.hashes.unexpected.compared() && outcome.error.empty())
    print_out("  as expected");
  write_out("\n");
}

}  // namespace

int verify_neutral(const NeutralVerify& options) {
  const auto capture = load_neutral_capture(options.file);
  if (!capture) return fail(capture.error());
  const Engine engine;
  const auto choices = usable_engines(engine, options.engines);
  if (!choices) return fail(choices.error());
  const NameTable names(capture->names());
  std::vector<EngineOutcome> outcomes;
  bool holds = true;
  for (const EngineChoice& choice : choices->usable) {
    EngineOutcome outcome{choice, PictureHashes(names), {}, {}, {}};
    const auto run = [&](CaptureVisitor& visitor) {
      return capture->run(engine, visitor, with_engine(options.run, choice));
    };
    const Status status = run(outcome.hashes);
    if (stopping()) return fail(stop_error());
    if (!status) outcome.error = to_string(names.in(status.error()));
    outcome.unexpected = outcome.hashes.unexpected.text(run);
    if (!outcomes.empty()) {
      const EngineOutcome& first = outcomes.front();
      if (outcome.error != first.error)
        outcome.differs = outcome.error.empty() ? "no error" : "an error: " + outcome.error;
      else if (outcome.hashes.seen != first.hashes.seen)
        outcome.differs = find_difference(*capture, engine, options, first, outcome);
    }
    holds = holds && outcome.holds() && outcome.error.empty();
    outcomes.push_back(std::move(outcome));
  }
  const EngineOutcome& first = outcomes.front();
  if (options.json) {
    Json json{{"file", options.file}, {"ok", holds}, {"engines", Json::array()}};
    for (const EngineOutcome& outcome : outcomes) json["engines"].push_back(outcome_json(outcome));
    json["skipped"] = choices->unusable;
    print_json(json);
  } else {
    print_out("{}: {} jobs, {} draws, {} pictures\n", options.file, capture->jobs(), first.hashes.draws,
              first.hashes.seen.size());
    for (const EngineOutcome& outcome : outcomes) print_outcome(outcome, name(first.choice));
    const bool agree = std::ranges::all_of(outcomes, &EngineOutcome::holds);
    print_out("{}\n", !agree ? "MISMATCH" : first.error.empty() ? "all agree" : "all agree, and refuse it");
  }
  return holds ? kOk : kMismatch;
}

}  // namespace warpjit::tool
