// The interpreter's loop for any host of the build's target.
#define PICA_RUN_NAME run_loop_baseline
#include "frontend/pica200/interpret/loop.inc"
