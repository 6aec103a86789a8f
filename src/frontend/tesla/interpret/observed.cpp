// The interpreter's loop with an observer, for debuggers and profiles.
#define TESLA_RUN_NAME run_warp_observed
#define TESLA_OBSERVED
#include "frontend/tesla/interpret/loop.inc"
