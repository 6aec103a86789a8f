/* The whole GPU of the 3DS: a fill, a command list that draws a triangle, and a display transfer, each of which
 * tells that it is done. */
#include <string.h>
#include <warpjit/pica200.h>

#include "check.h"

enum { kMemory = 0x18000000, kTarget = 0x1000, kScreen = 0x2000, kSide = 16 };
static uint8_t memory[0x3000]; /* the command list, the target, the screen */

/* mov o0, v0; mov o1, v1; end: position and colour */
static const uint32_t kCode[] = {0x4C000000, 0x4C201000, 0x88000000};
static const uint32_t kDescriptors[] = {0x0006C36F};
static const uint32_t kOutputMap[] = {0x03020100, 0x0B0A0908};

/* The fixed function: colours of vertices go to 16 x 16 pixels of RGBA8 as they are. */
static const warpjit_pica200_register kState[] = {
    {0x041, 0x420000},
    {0x043, 0x420000}, /* half of the viewport: 8.0 as f24 */
    {0x04D, 0xBF0000},
    {0x06D, 1}, /* depth is -z */
    {0x0C8, 0x0FFF0FFF},
    {0x0D0, 0x0FFF0FFF}, /* combiners after the first: what that gives */
    {0x0D8, 0x0FFF0FFF},
    {0x0F0, 0x0FFF0FFF},
    {0x0F8, 0x0FFF0FFF},
    {0x100, 0x00E40100},
    {0x101, 0x01010000}, /* source * 1 + target * 0 */
    {0x107, 0x0F00},
    {0x113, 0xF}, /* write all components */
    {0x117, 2},
    {0x11D, (kMemory + kTarget) >> 3}, /* RGBA8, where */
    {0x11E, kSide | (kSide - 1) << 12 | 1 << 24}};

static uint32_t words; /* of the list */
static void add_word(uint32_t word) { memcpy(memory + 4 * words++, &word, sizeof word); }
/* `count` words for registers from `id` on. */
static void add_packet(uint32_t id, const uint32_t* values, uint32_t count) {
  add_word(values[0]);
  add_word(id | 0xF << 16 | (count - 1) << 20 | 1u << 31);
  for (uint32_t n = 1; n < count; ++n) add_word(values[n]);
  if (words % 2 != 0) add_word(0);
}
/* A vector of immediate mode, as f24: w first. */
static void add_vector(uint32_t x, uint32_t y, uint32_t z, uint32_t w) {
  const uint32_t data[] = {w << 8 | z >> 16, z << 16 | y >> 8, y << 24 | x};
  add_packet(0x233, data, COUNT(data));
}

/* What an emulator tells its CPU. */
static uint32_t raised[4], raised_count;
static void on_interrupt(void* context, int32_t interrupt) {
  (void)context;
  if (raised_count < COUNT(raised)) raised[raised_count++] = (uint32_t)interrupt;
}

static int count_bytes(void* context, const void* bytes, size_t size) {
  (void)bytes;
  *(size_t*)context += size;
  return 1;
}

int main(void) {
  warpjit_engine* engine = NULL;
  warpjit_pica200_gpu* gpu = NULL;
  warpjit_pica200_pipeline* pipeline = NULL;
  check(warpjit_engine_create(NULL, &engine, &error));
  check(warpjit_pica200_gpu_create(&gpu, &error));
  check(warpjit_pica200_gpu_set_interrupt(gpu, on_interrupt, NULL));
  const warpjit_pica200_gpu_memory range = {kMemory, memory, sizeof memory};
  check(warpjit_pica200_gpu_set_memory(gpu, &range, 1, &error));

  /* State that the emulator has anyhow: registers as words, programs by typed calls. */
  for (size_t n = 0; n < COUNT(kState); ++n)
    check(warpjit_pica200_gpu_set_register(gpu, kState[n].id, kState[n].value, &error));
  const int32_t unit = WARPJIT_PICA200_VERTEX_UNIT;
  check(warpjit_pica200_gpu_pipeline(gpu, &pipeline, &error));
  check(warpjit_pica200_pipeline_set_code(pipeline, unit, kCode, COUNT(kCode), 0, &error));
  check(
      warpjit_pica200_pipeline_set_descriptors(pipeline, unit, kDescriptors, COUNT(kDescriptors), 0, &error));
  check(warpjit_pica200_pipeline_set_attribute_count(pipeline, unit, 2, &error));
  check(warpjit_pica200_pipeline_set_permutation(pipeline, unit, 1, 1, &error));
  check(warpjit_pica200_pipeline_set_output_mask(pipeline, unit, 3));
  check(warpjit_pica200_pipeline_set_output_map(pipeline, kOutputMap, COUNT(kOutputMap), &error));

  /* The list: three vertices in immediate mode, then the interrupt. 1.0 is 0x3F0000, 3.0 is 0x408000. */
  const uint32_t one = 0x3F0000, three = 0x408000, sign = 0x800000, half = 0x3E0000;
  const uint32_t attributes = 1, immediate = 15, end = 0x12345678, nothing = 0;
  add_packet(0x242, &attributes, 1);
  add_packet(0x232, &immediate, 1);
  for (int n = 0; n < 3; ++n) {
    add_vector(n == 1 ? three : one | sign, n == 2 ? three : one | sign, half | sign, one);
    add_vector(one, half, 0, one); /* orange */
  }
  add_packet(0x010, &end, 1);
  if (words % 4 != 0) add_packet(0x041, &nothing, 1); /* a list has a multiple of 16 bytes */

  const warpjit_run_options options = {.size = sizeof options, .engine = WARPJIT_GUEST};
  warpjit_pica200_gpu_report report = {.size = sizeof report};
  const warpjit_pica200_fill fill = {kMemory + kTarget, kMemory + kTarget + 4 * kSide * kSide, 0xFF, 0x201};
  size_t recorded = 0; /* bytes of a capture, which a file would get */
  check(warpjit_pica200_gpu_record(gpu, count_bytes, &recorded, &error));
  check(warpjit_pica200_gpu_fill(gpu, &fill, 0, &error));
  check(warpjit_pica200_gpu_run_commands(gpu, engine, kMemory, 4 * words, &options, &report, &error));
  const uint32_t size = kSide | kSide << 16;
  const warpjit_pica200_transfer transfer = {kMemory + kTarget, kMemory + kScreen, size, size, 1 << 12};
  check(warpjit_pica200_gpu_transfer(gpu, &transfer, &error));
  check(warpjit_pica200_gpu_end_frame(gpu, &error));
  check(warpjit_pica200_gpu_end_record(gpu, &error));
  printf("gpu: %u draw, %u pixels, interrupts 0x%X 0x%X 0x%X, first pixel %u %u %u\n", (unsigned)report.draws,
         (unsigned)report.fragments, (unsigned)raised[0], (unsigned)raised[1], (unsigned)raised[2],
         memory[kScreen + 2], memory[kScreen + 1], memory[kScreen]);
  if (report.draws != 1 || report.fragments != kSide * kSide || memory[kScreen + 2] != 255 ||
      memory[kScreen + 1] != 128)
    return 1;
  if (raised[0] != WARPJIT_PICA200_PSC0 || raised[1] != WARPJIT_PICA200_P3D ||
      raised[2] != WARPJIT_PICA200_PPF)
    return 1;

  /* A save state. */
  size_t bytes = 0;
  check(warpjit_pica200_gpu_save(gpu, NULL, 0, &bytes, &error));
  void* saved = malloc(bytes);
  check(warpjit_pica200_gpu_save(gpu, saved, bytes, &bytes, &error));
  check(warpjit_pica200_gpu_reset(gpu, WARPJIT_PICA200_START_EMULATORS, &error));
  check(warpjit_pica200_gpu_load(gpu, saved, bytes, &error));
  printf("  a state of %zu bytes, the frame as a capture %zu\n", bytes, recorded);
  if (recorded < bytes) return 1;
  free(saved);
  if (warpjit_pica200_gpu_get_register(gpu, 0x11D) != (kMemory + kTarget) >> 3) return 1;
  warpjit_pica200_gpu_destroy(gpu);
  warpjit_engine_destroy(engine);
  return 0;
}
