#include <stdint.h>
#include <stdio.h>

#include "warpjit/warpjit.h"

void example(warpjit_launch* draw, const uint32_t* texels) {
  // the block
}
