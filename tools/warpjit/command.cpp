#include "command.h"

#include <fmt/core.h>

#include <filesystem>

namespace warpjit::tool {

ExitCode exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::out_of_fuel:
    case ErrorCode::fault:
    case ErrorCode::cancelled:
    case ErrorCode::internal:
      return kFault;
    case ErrorCode::target_unavailable:
      return kTargetUnavailable;
    default:
      return kBadInput;
  }
}

int fail(const Error& error) {
  std::fflush(stdout);
  fmt::print(stderr, "warpjit: {}: {}\n", name(error.code), to_string(error));
  return exit_code(error.code);
}

void print_json(const Json& document) {
  // Names come from hostile files: bytes that are not UTF-8 are replaced.
  fmt::print("{}\n", document.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string hex(std::uint32_t word) { return fmt::format("{:#010x}", word); }

Json statistics_json(const EngineStatistics& statistics) {
  return {{"hits", statistics.hits},
          {"misses", statistics.misses},
          {"compiles", statistics.compiles},
          {"failures", statistics.failures},
          {"evictions", statistics.evictions},
          {"kernels", statistics.kernels},
          {"bytes", statistics.bytes},
          {"capacity", statistics.capacity},
          {"compile_ns", statistics.compile_ns},
          {"background_compiles", statistics.background_compiles},
          {"interpreted_runs", statistics.interpreted_runs}};
}

void ProgramInput::add_to(CLI::App& command) {
  command.add_option("file", file, "SHBIN container, assembly source (*.pica) or launch file (*.json)")
      ->required();
  command.add_option("--entry", entry, "entry point: a name, or a word address");
}

Result<LoadedProgram> load_program(const ProgramInput& input) {
  LoadedProgram loaded;
  ProgramRequest request;
  if (!input.entry.empty()) set_entry(request, input.entry);
  if (is_launch_file(input.file)) {
    if (!input.entry.empty())
      return Error{ErrorCode::bad_input, "a launch file names its entry itself; --entry is for programs",
                   input.file};
    WARPJIT_TRY(loaded.launch, read_launch(input.file));
    loaded.program = loaded.launch->program;
    return loaded;
  }
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(input.file));
  WARPJIT_TRY(const pica200::Container container, read_container(bytes, input.file));
  WARPJIT_TRY(loaded.program, choose_program(container, request));
  return loaded;
}

void RunInput::add_to(CLI::App& command) {
  command.add_option("file", file, "launch file (docs/launch.md)")->required();
  command.add_option("--count", count, "threads to run; rows of the launch repeat if it has fewer")
      ->check(CLI::Range(std::uint64_t{1}, kMaxThreads));
  command.add_option("--fuel", fuel, "backward transfers that a guest thread may make");
  command.add_option("--threads", threads, "host threads; 0: as many as the work is worth")
      ->check(CLI::Range(0u, 1024u));
}

RunOptions RunInput::on(EngineKind engine, Target target) const {
  RunOptions run;
  run.engine = engine;
  run.target = target;
  run.threads = threads;
  run.fuel = fuel;
  return run;
}

Result<LaunchFile> load_launch(const RunInput& input) {
  WARPJIT_TRY(LaunchFile launch, read_launch(input.file));
  if (input.count) WARPJIT_CHECK(set_count(launch, *input.count));
  return launch;
}

CLI::Validator engine_names() { return CLI::IsMember({"guest", "ir", "jit"}); }
CLI::Validator target_names() { return CLI::IsMember({"automatic", "v3", "v4", "a64"}); }

}  // namespace warpjit::tool
