#include <stdio.h>
#include <warpjit/pixels.h>

void example(warpjit_engine* engine, warpjit_launch* vertices, warpjit_launch* draw, void* pixels,
             size_t pixels_size, uint32_t width, uint32_t height) {
  // the block
}
