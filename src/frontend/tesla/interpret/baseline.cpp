// The interpreter's loop for any host.
#define TESLA_RUN_NAME run_warp_baseline
#include "frontend/tesla/interpret/loop.inc"
