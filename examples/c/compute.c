/* Runs a compute kernel of an NVIDIA Tesla over two blocks of threads: y[i] = a * x[i] + y[i]. */
#include <warpjit/tesla.h>

#include "check.h"

/* The parameters begin at s[0x10]: the addresses of x and y, a, n. */
static const char kSaxpy[] =
    ".kernel saxpy\n"
    ".registers 4\n"
    ".shared 0x20\n"
    "  mov b32 $r1 u16 s[0xc]\n" /* i = block * threads + thread */
    "  mov b32 $r2 u16 s[0x2]\n"
    "  and b32 $r0 $r0 0xffff\n"
    "  add $r0 (mul u16 $r1l $r2l) $r0\n"
    "  joinat #end\n"
    "  set $c0 # le u32 b32 s[0x1c] $r0\n"
    "  (lg $c0) bra #end\n"
    "  shl b32 $r0 $r0 0x2\n"
    "  add b32 $r1 b32 s[0x10] $r0\n"
    "  add b32 $r2 b32 s[0x14] $r0\n"
    "  ld b32 $r1 g14[$r1]\n"
    "  ld b32 $r3 g14[$r2]\n"
    "  add f32 $r1 (mul b32 s[0x18] $r1) $r3\n"
    "  st b32 g14[$r2] $r1\n"
    "end:\n"
    "  join nop\n"
    "  exit nop\n";

enum { kElements = 100, kAddress = 0x1000 };

int main(void) {
  warpjit_engine* engine = NULL;
  warpjit_program* program = NULL;
  warpjit_launch* launch = NULL;
  const warpjit_program_choice choice = {.size = sizeof choice, .source_name = "saxpy"};
  check(warpjit_engine_create(NULL, &engine, &error));
  check(warpjit_program_from_tesla_assembly(kSaxpy, &choice, NULL, &program, &error));
  check(warpjit_launch_create(program, &launch, &error));
  warpjit_program_info info = {.size = sizeof info};
  check(warpjit_program_get_info(program, &info, &error));
  printf("%s: %s, %u registers\n", warpjit_name(WARPJIT_NAMES_STAGE, info.stage), info.name, info.registers);

  /* x and y lie side by side in the memory that the guest sees at g14[0x1000]. */
  static float memory[2][kElements];
  for (int n = 0; n < kElements; ++n) {
    memory[0][n] = (float)n;
    memory[1][n] = 1000;
  }
  struct {
    uint32_t x, y;
    float a;
    uint32_t n;
  } parameters = {kAddress, kAddress + sizeof memory[0], 3, kElements};
  check(warpjit_launch_map_memory(launch, "g14", kAddress, memory, sizeof memory, &error));
  check(warpjit_launch_set_parameters(launch, &parameters, sizeof parameters, &error));
  check(warpjit_launch_set_grid(launch, 2, 1, 1, &error));
  check(warpjit_launch_set_block(launch, 64, 1, 1, &error));
  warpjit_report report = {.size = sizeof report};
  check(warpjit_engine_run(engine, launch, NULL, &report, &error));
  printf("  y[0] = %g, y[99] = %g\n", memory[1][0], memory[1][99]);
  for (int n = 0; n < kElements; ++n)
    if (memory[0][n] != (float)n || memory[1][n] != 3 * (float)n + 1000) return 1;
  if (report.fault != 0) return 1;

  /* Accesses outside the memory read 0 or write nothing, and the report tells of the first. */
  parameters.n = kElements + 1;
  check(warpjit_launch_set_parameters(launch, &parameters, sizeof parameters, &error));
  check(warpjit_engine_run(engine, launch, NULL, &report, &error));
  printf("  %s: %s\n", report.fault_where, report.fault_what);
  if (report.fault == 0) return 1;
  warpjit_launch_destroy(launch);
  warpjit_program_destroy(program);
  warpjit_engine_destroy(engine);
  return 0;
}
