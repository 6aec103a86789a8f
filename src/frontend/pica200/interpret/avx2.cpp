// The interpreter's loop compiled for AVX2 (see CMakeLists.txt), where a variable swizzle is one instruction.
#define PICA_RUN_NAME run_loop_avx2
#include "frontend/pica200/interpret/loop.inc"
