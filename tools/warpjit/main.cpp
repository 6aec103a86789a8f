// The warpjit command line tool.
#include <fmt/core.h>

#include "command.h"

int main(int argc, char** argv) {
  using namespace warpjit::tool;
  CLI::App app{"warpjit runs GPU shader binaries on the CPU, one GPU thread per SIMD lane.", "warpjit"};
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help of all commands");
  const warpjit::Version version = warpjit::version();
  app.set_version_flag("--version",
                       fmt::format("warpjit {}.{}.{}", version.major, version.minor, version.patch));
  app.footer(
      "A first look at a shader:\n"
      "  warpjit info shader.shbin                 what it declares\n"
      "  warpjit disasm shader.shbin               its code\n"
      "  warpjit launch shader.shbin > run.json    a launch file to fill in (docs/launch.md)\n"
      "  warpjit run run.json                      results of the first threads\n"
      "  warpjit verify run.json                   do all engines agree?\n"
      "  warpjit bench run.json                    how fast is each?\n"
      "Exit codes: 0 ok, 1 mismatch or fault, 2 bad input or usage, 3 stopped by a trap or out of fuel, 4 "
      "target unavailable; "
      "of verify also: an engine refuses the program.\n"
      "Results are printed to stdout, diagnostics to stderr.");

  int exit = kOk;
  add_info(app, exit);
  add_asm(app, exit);
  add_disasm(app, exit);
  add_launch(app, exit);
  add_ir(app, exit);
  add_host(app, exit);
  add_texture(app, exit);
  add_run(app, exit);
  add_verify(app, exit);
  add_bench(app, exit);
  add_render(app, exit);
  add_import(app, exit);
  add_golden(app, exit);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? kOk : kBadInput;
  }
  if (std::fflush(stdout) != 0 && exit == kOk) exit = kBadInput;  // a full disk must not look like success
  return exit;
}
