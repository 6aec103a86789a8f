#include <stdio.h>
#include <warpjit/usse.h>

void example(warpjit_engine* engine, const warpjit_usse_stage* vertex, const warpjit_usse_stage* fragment,
             void* pixels, size_t pixels_size, const warpjit_usse_stream* stream,
             const warpjit_usse_attribute* attributes, const uint32_t* indices) {
  // the block
}
