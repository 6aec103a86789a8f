// The interpreter's loop with an observer, for debuggers.
#define PICA_RUN_NAME run_loop_observed
#define PICA_OBSERVED
#include "frontend/pica200/interpret/loop.inc"
