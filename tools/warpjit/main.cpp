// The warpjit command line tool.
#include <fmt/core.h>

#include <exception>
#include <new>
#include <system_error>

#include "command.h"
#include "output.h"
#include "stop.h"

namespace warpjit::tool {
namespace {

// Before the initializers that allocate.
struct EarlyPreparation {
  EarlyPreparation() { prepare_process(); }
};
[[gnu::init_priority(101)]] const EarlyPreparation preparation;

int run_command(int argc, char** argv) {
  const Version version = warpjit::version();
  CommandLine line("warpjit", "warpjit runs GPU shader binaries on the CPU, one GPU thread per SIMD lane.",
                   fmt::format("warpjit {}.{}.{}", version.major, version.minor, version.patch));
  Command app = line.root();
  app.footer(
      "A first look at a shader:\n"
      "  warpjit info shader.shbin                 what it declares\n"
      "  warpjit disasm shader.shbin               its code\n"
      "  warpjit launch shader.shbin > run.json    a launch file to fill in (docs/launch.md)\n"
      "  warpjit run run.json                      results of the first threads\n"
      "  warpjit verify run.json                   compare all engines bit by bit\n"
      "  warpjit bench run.json                    measure each engine\n"
      "Exit codes: 0 ok, 1 mismatch or fault, 2 bad input or usage, no memory or output that cannot be "
      "written, 3 stopped by a trap, out of fuel or of --timeout, 4 target unavailable; of verify also: an "
      "engine refuses the program; 130 interrupted.\n"
      "Results are printed to stdout, diagnostics to stderr.");

  add_info(app);
  add_asm(app);
  add_disasm(app);
  add_launch(app);
  add_ir(app);
  add_host(app);
  add_texture(app);
  add_run(app);
  add_verify(app);
  add_bench(app);
  add_render(app);
  add_import(app);
  add_regress(app);
  add_minimize(app);
  add_trace(app);
  add_debug(app);
  add_origin(app);
  add_nan(app);
  add_history(app);
  add_golden(app);
  return line.run(argc, argv, kBadInput);
}

int run_guarded(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (const std::system_error& problem) {  // no thread, no file
    return fail({ErrorCode::resource_limit, problem.what(), {}});
  } catch (const std::exception& problem) {
    return fail({ErrorCode::internal, problem.what(), {}});
  }
}

}  // namespace
}  // namespace warpjit::tool

int main(int argc, char** argv) {
  using namespace warpjit::tool;
  const int exit = run_guarded(argc, argv);
  if (interrupted()) end_stopped();
  const warpjit::Status written = finish_output();
  return written ? exit : fail(written.error());
}
