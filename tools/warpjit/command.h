// What the commands of the warpjit tool share: exit codes, error reports and loading what a command names.
// Each add_NAME (one file each) adds one command.
#pragma once

#include <optional>
#include <string>

#include "backend/target.h"
#include "command_line.h"
#include "engines.h"
#include "launch/bound_launch.h"
#include "program.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tool {

// Results go to stdout, diagnostics to stderr.
enum ExitCode : int {
  kOk = 0,
  kMismatch = 1,           // a result differs from what was expected, or accesses faulted
  kBadInput = 2,           // bad input or usage, something not supported yet, no memory, output that failed
  kStopped = 3,            // the guest was stopped: a trap, no more fuel or time
  kTargetUnavailable = 4,  // this machine cannot run the target
};
ExitCode exit_code(ErrorCode code);
// Prints the error to stderr and gives its exit code.
int fail(const Error& error);
// "bad input: run.json, count: must be ...", of one line that is not too long.
inline constexpr std::size_t kMostOfMessage = 1000;  // bytes
std::string message_of(const Error& error);

// A document as text, indented by 2.
std::string json_text(const Json& document);
void print_json(const Json& document);  // to stdout
// What every command says of a launch: file, guest, stage, threads, modes that are not the default.
Json launch_json(const LaunchFile& file);
Json mismatch_json(const Mismatch& mismatch);
Json statistics_json(const EngineStatistics& statistics);

// Adds what the commands that look at one program take.
void add_program(Command& command, ProgramInput& input);
// `host --cost`.
int print_costs(const std::string& target, bool json);
// All of these but the file.
void add_program_options(Command& command, ProgramInput& input);

// Adds --timeout: of commands that may take long.
void add_timeout(Command& command);

// What the commands that run a launch take.
struct RunInput {
  std::string file;
  std::optional<std::uint64_t> count, fuel;
  unsigned threads = 1;
  bool ignore_faults = false;
  // Adds them to a command, all but ignore_faults.
  void add_to(Command& command);
  // Commands that tell faults, memory accesses after which the run went on, also have these.
  void add_faults_to(Command& command);
  RunOptions on(EngineKind engine, Target target) const;
};
// For commands whose file is a scene, or what is said to be. Errors: an option that these do not take.
Status check_scene_options(const Command& command, std::initializer_list<std::string_view> taken,
                           const char* what = "scenes");
// The launch file with the count that the options ask for. Errors: a file of another kind, and its kind.
Result<LaunchFile> load_launch(const RunInput& input);
// ", " and the warning of the program's modes; empty for most modes.
std::string modes_warning(const LaunchFile& file);

// "load from g14[0x1080] by thread 32 of block (0, 0) at saxpy.cubin, byte 0x18".
std::string fault_text(const MemoryFault& fault);
Json fault_json(const MemoryFault& fault);
// What a run that ended gives, by what it told: kMismatch or kOk.
ExitCode run_exit_code(bool mismatch, bool faulted, bool ignore_faults);

// Writes to a file or, without a name, to stdout.
Status write_text(const std::string& file, const std::string& text);

// Adds the option that lists engines.
void add_engines(Command& command, std::vector<std::string>& engines);
// Those of them that run here; says which are skipped. Errors: target_unavailable if that leaves none.
Result<EngineChoices> usable_engines(const Engine& engine, const std::vector<std::string>& names);

// What options that name an engine or a target may be.
std::vector<std::string> engine_names();
std::vector<std::string> target_names();
// One of these: automatic is the best that runs here.
Result<backend::Target> pick_target(const std::string& name);

void add_info(Command& app);
void add_asm(Command& app);
void add_disasm(Command& app);
void add_launch(Command& app);
void add_ir(Command& app);
void add_texture(Command& app);
void add_host(Command& app);
void add_run(Command& app);
void add_verify(Command& app);
void add_bench(Command& app);
void add_render(Command& app);
void add_import(Command& app);
void add_golden(Command& app);
void add_regress(Command& app);
void add_minimize(Command& app);
void add_trace(Command& app);
void add_debug(Command& app);
void add_origin(Command& app);
void add_nan(Command& app);
void add_history(Command& app);

}  // namespace warpjit::tool
