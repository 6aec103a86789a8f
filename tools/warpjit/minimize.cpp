// warpjit minimize: the smallest capture that still shows something.
#include <fmt/core.h>

#include <chrono>
#include <filesystem>

#include "command.h"
#include "files.h"
#include "minimize/checks.h"
#include "output.h"
#include "regress/collection.h"
#include "stop.h"

namespace warpjit::tool {

namespace {

using capture::kParts;
using capture::Part;

struct MinimizeOptions {
  std::string file, out, error, engine = "jit", target = "automatic";
  std::vector<std::string> differs;
  std::optional<std::uint64_t> draw, fuel;
  std::uint64_t runs = 5000;
  bool json = false;
};

using FramesPointer = std::shared_ptr<const capture::Frames>;

// With the names and notes of the capture that they were, but for those of draws, which have other numbers.
Result<std::vector<std::byte>> bytes_of(const FramesPointer& frames, const Capture& from) {
  auto state = std::make_unique<Capture::State>();
  state->frames = frames;
  state->texts = from.state().texts;
  if (frames->parts(Part::draw) != from.state().frames->parts(Part::draw))
    std::erase_if(state->texts.names,
                  [](const CaptureName& name) { return name.of == CaptureName::Of::draw; });
  std::vector<std::byte> bytes;
  const CaptureSink sink = [](void* to, std::span<const std::byte> part) {
    auto& all = *static_cast<std::vector<std::byte>*>(to);
    all.insert(all.end(), part.begin(), part.end());
    return true;
  };
  WARPJIT_CHECK(Capture(std::move(state)).write(sink, &bytes));
  return bytes;
}

std::size_t count_of(const capture::Frames& frames, Part part) {
  return part == Part::vertices ? frames.vertices() : frames.parts(part);
}

std::array<std::size_t, kParts> count_parts(const capture::Frames& frames) {
  std::array<std::size_t, kParts> counts{};
  for (std::size_t n = 0; n < kParts; ++n) counts[n] = count_of(frames, static_cast<Part>(n));
  return counts;
}

// Writes what is the best so far now and then, so that it is there whenever the process ends.
class Minimizer {
 public:
  Minimizer(const MinimizeOptions& options, const Capture& capture) : options_(options), capture_(capture) {}

  void step(const FramesPointer& best, bool better, Part part, std::uint64_t runs) {
    constexpr auto kPause = std::chrono::seconds(1);
    const auto now = std::chrono::steady_clock::now();
    unwritten_ = unwritten_ || better;
    if (unwritten_ && status_ && now - written_ > kPause) write(best);
    if (now - told_ < kPause) return;
    told_ = now;
    print_err("{} runs, now {}: {} are left\n", runs, name(part), count_of(*best, part));
  }
  void write(const FramesPointer& frames) {
    written_ = std::chrono::steady_clock::now();
    const auto bytes = bytes_of(frames, capture_);
    status_ = bytes ? write_file(options_.out, *bytes) : Status(bytes.error());
    if (bytes) size_ = bytes->size();
    unwritten_ = false;
  }
  bool unwritten() const { return unwritten_; }
  std::size_t size() const { return size_; }
  const Status& status() const { return status_; }

 private:
  const MinimizeOptions& options_;
  const Capture& capture_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now(), told_ = written_;
  std::size_t size_ = 0;
  bool unwritten_ = true;
  Status status_;
};

// "guest", "jit", "jit-v3".
Status set_engine(const std::string& name, RunOptions& run) {
  const std::size_t dash = name.find('-');
  const auto engine = parse_engine(name.substr(0, dash));
  const std::optional<Target> target =
      dash == std::string::npos ? std::optional(Target::automatic) : parse_target(name.substr(dash + 1));
  if (!engine || !target || (dash != std::string::npos && *engine != EngineKind::jit))
    return Error{ErrorCode::bad_input,
                 text::quoted(name) + " is no engine: guest, ir, jit, jit-v3 and so on are", "--differs"};
  run.engine = *engine;
  run.target = *target;
  return {};
}

Result<StillShows> make_check(const MinimizeOptions& options, const Engine& engine,
                              const capture::Frames& frames) {
  RunOptions run;
  run.engine = *parse_engine(options.engine);
  run.target = *parse_target(options.target);
  run.fuel = options.fuel;
  run.cancel = cancel_word();
  if (options.draw) return same_draw(engine, run, frames, *options.draw);
  if (!options.error.empty()) return same_error(engine, run, frames, options.error, options.file);
  const bool expected = options.differs.back() == "expected";
  if (options.differs.size() != 2)
    return Error{ErrorCode::bad_input, "two engines are compared, or one and `expected`", "--differs"};
  RunOptions first = run, second = run;
  WARPJIT_CHECK(set_engine(options.differs.front(), first));
  if (!expected) WARPJIT_CHECK(set_engine(options.differs.back(), second));
  return engines_differ(engine, first, expected ? nullptr : &second, frames);
}

int run_minimize(const MinimizeOptions& options) {
  if (options.draw.has_value() + !options.error.empty() + !options.differs.empty() != 1)
    return fail({ErrorCode::bad_input, "one of --draw, --differs and --error says what must still show",
                 options.file});
  if (!options.out.ends_with(".wjcap"))
    return fail({ErrorCode::bad_input, "the name must end in .wjcap", "--out"});
  auto capture = load_frames(path_of(options.file), options.file);
  if (!capture) return fail(capture.error());
  const FramesPointer frames = capture->state().frames;
  const Engine engine;
  const auto shows = make_check(options, engine, *frames);
  if (!shows) return fail(shows.error());

  const std::array<std::size_t, kParts> before = count_parts(*frames);
  const auto whole = bytes_of(frames, *capture);
  if (!whole) return fail(whole.error());
  Minimizer minimizer(options, *capture);
  ReduceOptions how;
  how.most_runs = options.runs;
  how.step = [&](const FramesPointer& best, bool better, Part part, std::uint64_t runs) {
    minimizer.step(best, better, part, runs);
  };
  Reduction reduction;
  const Status done = reduce(frames, *shows, how, reduction);
  if (minimizer.unwritten()) minimizer.write(reduction.best);
  if (!minimizer.status()) return fail(minimizer.status().error());
  if (!done) return fail(done.error());

  const std::array<std::size_t, kParts> after = count_parts(*reduction.best);
  if (options.json) {
    Json json{{"file", options.out},
              {"runs", reduction.runs},
              {"ended", reduction.ended},
              {"bytes_before", whole->size()},
              {"bytes_after", minimizer.size()}};
    for (std::size_t n = 0; n < kParts; ++n)
      json[name(static_cast<Part>(n))] = {{"before", before[n]}, {"after", after[n]}};
    print_json(json);
    return kOk;
  }
  print_out("{}: {} bytes of {}, {} runs{}\n", options.out, minimizer.size(), whole->size(), reduction.runs,
            reduction.ended ? "" : ", which is --runs: more would make it smaller");
  for (std::size_t n = 0; n < kParts; ++n)
    print_out("  {:9} {:8} of {}\n", name(static_cast<Part>(n)), after[n], before[n]);
  return kOk;
}

}  // namespace

void add_minimize(Command& app) {
  const auto options = std::make_shared<MinimizeOptions>();
  Command command =
      app.add_command("minimize", "Leave out of a capture what it does not need to show something");
  command.option("file", options->file, "a capture or a scene").required();
  command.option("-o,--out", options->out, "the smaller capture, *.wjcap").required();
  command.option("--draw", options->draw,
                 "this draw, from 0 on, gives the pixels that it changes the same values");
  command
      .option("--differs", options->differs,
              "these two engines differ (as --engines of verify names them); jit,expected: outputs are not "
              "as expected")
      .separated_by_commas();
  command.option("--error", options->error, "a run ends with an error that has this text");
  command.option("--engine", options->engine, "guest, ir or jit").one_of(engine_names()).show_default();
  command.option("--target", options->target, "host instructions for jit: v3, v4, v4-fp16, a64, a64-fp16")
      .one_of(target_names())
      .show_default();
  command.option("--runs", options->runs, "runs at most").range(1, 1'000'000'000).show_default();
  command.option("--fuel", options->fuel, "backward transfers that a guest thread may make");
  add_timeout(command);
  command.flag("--json", options->json, "print JSON");
  command.footer(
      "Leaves out frames, jobs, draws, writes of registers, vertices, pages of memory and expected outputs. "
      "The file is "
      "the best so far at any time: Ctrl-C keeps it.\n"
      "Examples:\n"
      "  warpjit minimize frame.wjcap --draw 17 -o draw17.wjcap\n"
      "  warpjit minimize frame.wjcap --differs guest,jit -o differs.wjcap\n"
      "  warpjit minimize frame.wjcap --error 'texture' -o refused.wjcap");
  command.action([options] { return run_minimize(*options); });
}

}  // namespace warpjit::tool
