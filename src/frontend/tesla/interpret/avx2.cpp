// The interpreter's loop compiled for AVX2 (see CMakeLists.txt): eight lanes in one operation.
#define TESLA_RUN_NAME run_warp_avx2
#include "frontend/tesla/interpret/loop.inc"
