// What the commands of the warpjit tool share: exit codes, error reports and loading what a command names.
// Each add_NAME (one file each) adds one subcommand whose callback stores the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "launch_file.h"
#include "program_file.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tool {

// Results go to stdout, diagnostics to stderr.
enum ExitCode : int {
  kOk = 0,
  kMismatch = 1,           // a result differs from what was expected
  kBadInput = 2,           // bad input or usage, or something not supported yet
  kFault = 3,              // the guest faulted or ran out of fuel
  kTargetUnavailable = 4,  // this machine cannot run the target
};
ExitCode exit_code(ErrorCode code);
// Prints the error to stderr and gives its exit code.
int fail(const Error& error);

using Json = nlohmann::ordered_json;
// Prints a document to stdout, indented by 2.
void print_json(const Json& document);
// "0x3f800000".
std::string hex(std::uint32_t word);
Json statistics_json(const EngineStatistics& statistics);

// What the commands that look at one program take: an SHBIN, a source, or a launch file (*.json).
struct ProgramInput {
  std::string file;
  std::string entry;  // name or address; empty: the file's own
  // Adds both to a command.
  void add_to(CLI::App& command);
};
struct LoadedProgram {
  pica200::Program program;
  std::optional<LaunchFile> launch;  // of a launch file
};
Result<LoadedProgram> load_program(const ProgramInput& input);

// What the commands that run a launch take.
struct RunInput {
  std::string file;
  std::optional<std::uint64_t> count, fuel;
  unsigned threads = 1;
  // Adds them to a command.
  void add_to(CLI::App& command);
  RunOptions on(EngineKind engine, Target target) const;
};
// The launch file with the count that the options ask for.
Result<LaunchFile> load_launch(const RunInput& input);

// Checks for options that name an engine or a target.
CLI::Validator engine_names();
CLI::Validator target_names();

void add_info(CLI::App& app, int& exit);
void add_asm(CLI::App& app, int& exit);
void add_disasm(CLI::App& app, int& exit);
void add_launch(CLI::App& app, int& exit);
void add_ir(CLI::App& app, int& exit);
void add_host(CLI::App& app, int& exit);
void add_run(CLI::App& app, int& exit);
void add_verify(CLI::App& app, int& exit);
void add_bench(CLI::App& app, int& exit);
void add_golden(CLI::App& app, int& exit);

}  // namespace warpjit::tool
