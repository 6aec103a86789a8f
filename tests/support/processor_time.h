// Seconds that processors worked for this process: what limits of tests count, so that other processes do not.
#pragma once

namespace warpjit::tests {

double processor_seconds();

}  // namespace warpjit::tests
