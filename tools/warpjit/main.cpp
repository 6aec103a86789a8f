// The warpjit command line tool.
#include <fmt/core.h>

#include "command.h"

int main(int argc, char** argv) {
  using namespace warpjit::tool;
  const warpjit::Version version = warpjit::version();
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
      "Exit codes: 0 ok, 1 mismatch or fault, 2 bad input or usage, 3 stopped by a trap or out of fuel, 4 "
      "target unavailable; of verify also: an engine refuses the program.\n"
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
  add_golden(app);
  int exit = line.run(argc, argv, kBadInput);
  if (std::fflush(stdout) != 0 && exit == kOk) exit = kBadInput;  // a full disk must not look like success
  return exit;
}
