#include <stdio.h>
#include <warpjit/pica200.h>

void example(warpjit_engine* engine, warpjit_pica200_pipeline* pipeline, uint32_t id, uint32_t value,
             const void* memory, size_t memory_size, const uint16_t* indices, size_t count) {
  // the block
}
