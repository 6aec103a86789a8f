#include "command.h"

#include <fmt/core.h>

#include <algorithm>

#include "files.h"
#include "launch/read_launch.h"
#include "output.h"
#include "stop.h"

namespace warpjit::tool {

ExitCode exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::out_of_fuel:
    case ErrorCode::fault:
    case ErrorCode::cancelled:
    case ErrorCode::internal:
      return kStopped;
    case ErrorCode::target_unavailable:
      return kTargetUnavailable;
    default:
      return kBadInput;
  }
}

int fail(const Error& error) {
  flush_out();
  if (error.code == ErrorCode::cancelled && stopping()) end_stopped();
  write_err("warpjit: " + message_of(error) + "\n");
  return exit_code(error.code);
}

std::string message_of(const Error& error) {
  std::string text = name(error.code);
  text += ": ";
  if (!error.where.empty()) text += text::shortened(error.where) + ": ";
  return text + text::shortened(error.message, kMostOfMessage);
}

std::string json_text(const Json& document) { return document.dump(2) + "\n"; }

void print_json(const Json& document) { write_out(json_text(document)); }

Json launch_json(const LaunchFile& file) {
  Json json{{"launch", file.name},
            {"isa", warpjit::name(file.program->isa())},
            {"stage", warpjit::name(file.program->stage())},
            {"count", file.threads()}};
  if (Json modes = file.guest().modes_json(*file.program); !modes.empty()) json["modes"] = std::move(modes);
  return json;
}

Json mismatch_json(const Mismatch& mismatch) {
  return {{"place", mismatch.place}, {"got", hex(mismatch.got)}, {"wanted", hex(mismatch.wanted)}};
}

std::string fault_text(const MemoryFault& fault) {
  const std::string text = fault.what + " at " + fault.where;
  return fault.accesses > 1 ? fmt::format("{}, the first of {} by lanes", text, fault.accesses) : text;
}
Json fault_json(const MemoryFault& fault) {
  Json json{{"what", fault.what}, {"where", fault.where}};
  if (fault.accesses != 0) json["accesses"] = fault.accesses;
  return json;
}
ExitCode run_exit_code(bool mismatch, bool faulted, bool ignore_faults) {
  return mismatch || (faulted && !ignore_faults) ? kMismatch : kOk;
}

Json statistics_json(const EngineStatistics& statistics) {
  return {{"hits", statistics.hits},
          {"misses", statistics.misses},
          {"compiles", statistics.compiles},
          {"failures", statistics.failures},
          {"evictions", statistics.evictions},
          {"kernels", statistics.kernels},
          {"bytes", statistics.bytes},
          {"capacity", statistics.capacity},
          {"compile_ns", statistics.compile_time.count()},
          {"background_compiles", statistics.background_compiles},
          {"interpreted_runs", statistics.interpreted_runs}};
}

void add_program(Command& command, ProgramInput& input) {
  command
      .option("file", input.file,
              "SHBIN, cubin, assembly source (*.pica, *.tesla, *.valhall, *.usse), bare words or launch "
              "file (*.json)")
      .required();
  add_program_options(command, input);
}

void add_program_options(Command& command, ProgramInput& input) {
  command.option("--entry", input.entry, "entry point or kernel: a name, or an address");
  // `ir` has stages of its own.
  const char* const names = command.name() == "ir" ? "--program" : "--program,--stage";
  command.option(names, input.stage, "which program of the file: the first of this stage")
      .one_of({"vertex", "geometry", "compute", "fragment"});
  const Option words =
      command.option("--words", input.words,
                     "the file holds bare instruction words (little-endian) of this guest: " + guest_names());
  command
      .option("--descriptors", input.descriptors, "a file with the operand descriptors of bare pica200 words")
      .needs(words);
}

void add_timeout(Command& command) {
  command.limit("--timeout", stop_after, "seconds after which the command is cancelled (exit code 3)");
}

void RunInput::add_to(Command& command) {
  command.option("file", file, "launch file (docs/launch.md)").required();
  command.option("--count", count, "threads to run; rows of the launch repeat if it has fewer")
      .range(1, kMaxThreads);
  command.option("--fuel", fuel, "backward transfers that a guest thread may make");
  add_timeout(command);
  command.option("--threads", threads, "host threads; 0: as many as the work is worth").range(0, 1024);
}

void RunInput::add_faults_to(Command& command) {
  command.flag("--ignore-faults", ignore_faults,
               "tell faults, but end with exit code 0 where a fault is all that is wrong");
}

RunOptions RunInput::on(EngineKind engine, Target target) const {
  RunOptions run;
  run.engine = engine;
  run.target = target;
  run.threads = threads;
  run.fuel = fuel;
  run.cancel = cancel_word();
  return run;
}

namespace {

void print_notes(const LaunchFile& launch) {
  for (const std::string& note : launch.notes) print_err("warpjit: note: {}\n", note);
  for (const auto* stages : {&launch.vertex, &launch.geometry_stage})
    for (const LaunchFile& stage : *stages) print_notes(stage);
}

}  // namespace

Status check_scene_options(const Command& command, std::initializer_list<std::string_view> taken,
                           const char* what) {
  for (const std::string& name : command.given())
    if (name != "file" && std::ranges::find(taken, name) == taken.end())
      return Error{ErrorCode::bad_input, std::string(what) + " do not take this option", "--" + name};
  return {};
}

Result<LaunchFile> load_launch(const RunInput& input) {
  if (!is_launch_file(input.file)) {
    WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(input.file));
    const Guest* guest = find_guest(as_text(bytes), input.file);
    const std::string what = guest != nullptr ? std::string("a program of ") + name(guest->isa()) : "no JSON";
    return Error{ErrorCode::bad_input,
                 "this is " + what + ", not a launch file; `warpjit launch` makes one to fill in",
                 input.file};
  }
  WARPJIT_TRY(LaunchFile launch, read_launch(input.file));
  print_notes(launch);
  if (!input.count) return launch;
  if (launch.work == Work::grid)
    return Error{ErrorCode::bad_input,
                 "the grid and block of a kernel, or its vertices, say how many threads there are",
                 "--count"};
  WARPJIT_CHECK(set_count(launch, *input.count));
  return launch;
}

std::string modes_warning(const LaunchFile& file) {
  const Json modes = file.guest().modes_json(*file.program);
  std::string list;
  for (const std::string_view mode : file.guest().traits().inexact_modes)
    if (modes.contains(mode)) list += (list.empty() ? "" : ", ") + std::string(mode);
  return list.empty() ? list : ", with " + list + ": not the chip's bits";
}

Status write_text(const std::string& file, const std::string& text) {
  if (!file.empty()) return write_file(file, text);
  write_out(text);
  return {};
}

void add_engines(Command& command, std::vector<std::string>& engines) {
  command
      .option("--engines", engines,
              "which: guest, ir, jit, jit-v3, jit-v4, jit-v4-fp16, jit-a64, jit-a64-fp16 (default: all)")
      .separated_by_commas();
}

Result<EngineChoices> usable_engines(const Engine& engine, const std::vector<std::string>& names) {
  WARPJIT_TRY(EngineChoices choices, choose_engines(engine, names));
  for (const std::string& text : choices.unusable) print_err("warpjit: skipped {}\n", text);
  if (choices.usable.empty())
    return Error{ErrorCode::target_unavailable, "none of these engines runs here", "--engines"};
  return choices;
}

std::vector<std::string> engine_names() { return {"guest", "ir", "jit"}; }
Result<backend::Target> pick_target(const std::string& name) {
  if (name == "automatic") return backend::best_target();
  return backend::parse_target(name);
}

std::vector<std::string> target_names() { return {"automatic", "v3", "v4", "v4-fp16", "a64", "a64-fp16"}; }

}  // namespace warpjit::tool
