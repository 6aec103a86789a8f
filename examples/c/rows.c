/* Embeds warpjit in a C program: scales and moves the corners of a square with a PICA200 vertex shader, while
 * the kernel is compiled in the background, and prints what came out and what the engine did. */
#include "check.h"

/* What the assembler makes of:
 *   mul r0, c0, v0
 *   add o0, c1, r0
 *   end */
static const uint32_t kCode[] = {0x22020000, 0x00021800, 0x88000000};
static const uint32_t kDescriptors[] = {0x0006C36F};

static warpjit_location find(const warpjit_program* program, int32_t kind, const char* name) {
  warpjit_location location;
  check(warpjit_program_find(program, kind, name, &location, &error));
  return location;
}

static void log_line(void* context, int32_t level, const char* message) {
  (void)context;
  if (level >= WARPJIT_LOG_INFO) fprintf(stderr, "warpjit: %s\n", message);
}

int main(void) {
  if (warpjit_abi_version() != WARPJIT_ABI_VERSION) return 1;

  warpjit_engine* engine = NULL;
  const warpjit_engine_options options = {.size = sizeof options, .cache_bytes = 1 << 20, .log = log_line};
  check(warpjit_engine_create(&options, &engine, &error));

  warpjit_program* program = NULL;
  const warpjit_program_words words = {.size = sizeof words,
                                       .isa = WARPJIT_ISA_PICA200,
                                       .code = kCode,
                                       .code_count = COUNT(kCode),
                                       .descriptors = kDescriptors,
                                       .descriptor_count = 1,
                                       .source_name = "square"};
  check(warpjit_program_from_words(&words, &program, &error));

  /* Positions of two shorts each; a program keeps what it was made of, a launch its program. */
  const int16_t square[4][2] = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
  const float scale[4] = {2, 3, 1, 1}, offset[4] = {10, 20, 0, 0};
  float out[4][4];
  warpjit_launch* launch = NULL;
  check(warpjit_launch_create(program, &launch, &error));
  const warpjit_location c0 = find(program, WARPJIT_UNIFORM, "c0"), c1 = find(program, WARPJIT_UNIFORM, "c1");
  const warpjit_location v0 = find(program, WARPJIT_INPUT, "v0"), o0 = find(program, WARPJIT_OUTPUT, "o0");
  const warpjit_attribute positions = {.size = sizeof positions,
                                       .data = square,
                                       .byte_count = sizeof square,
                                       .stride = sizeof square[0],
                                       .type = WARPJIT_S16,
                                       .components = 2};
  const warpjit_output_buffer results = {.size = sizeof results,
                                         .data = out,
                                         .byte_count = sizeof out,
                                         .stride = sizeof out[0],
                                         .type = WARPJIT_F32,
                                         .components = 4};
  check(warpjit_launch_set_uniform(launch, &c0, scale, 4, &error));
  check(warpjit_launch_set_uniform(launch, &c1, offset, 4, &error));
  check(warpjit_launch_bind_input(launch, &v0, &positions, &error));
  check(warpjit_launch_bind_output(launch, &o0, &results, &error));
  check(warpjit_launch_set_count(launch, 4, &error));
  warpjit_program_destroy(program);

  /* The first run need not wait for the kernel: both give the same bits. */
  const warpjit_run_options run = {.size = sizeof run, .flags = WARPJIT_RUN_BACKGROUND};
  const char* const kEngines[] = {"jit", "ir", "guest"};
  for (int turn = 0; turn < 2; ++turn) {
    warpjit_report report = {.size = sizeof report};
    check(warpjit_engine_run(engine, launch, &run, &report, &error));
    printf("run %d: engine %s, kernel was there: %s\n", turn, kEngines[report.engine],
           report.cache_hit ? "yes" : "no");
    for (int n = 0; n < 4; ++n)
      printf("  %d  %5.1f %5.1f %5.1f %5.1f\n", n, out[n][0], out[n][1], out[n][2], out[n][3]);
    for (int n = 0; n < 4; ++n)
      if (out[n][0] != 2.0f * square[n][0] + 10 || out[n][1] != 3.0f * square[n][1] + 20) return 1;
    check(warpjit_engine_wait_for_compilations(engine));
  }

  /* What a wrong call says. */
  if (warpjit_launch_set_bool(launch, &c0, 1, &error) != WARPJIT_OK)
    printf("a wrong call: %s: %s\n", error.where, error.message);

  warpjit_statistics statistics = {.size = sizeof statistics};
  check(warpjit_engine_get_statistics(engine, &statistics, &error));
  printf("%llu compiled (%llu in the background), %llu hits, %llu of %llu bytes\n",
         (unsigned long long)statistics.compiles, (unsigned long long)statistics.background_compiles,
         (unsigned long long)statistics.hits, (unsigned long long)statistics.bytes,
         (unsigned long long)statistics.capacity);
  warpjit_launch_destroy(launch);
  warpjit_engine_destroy(engine);
  return 0;
}
