#include "support/processor_time.h"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <ctime>
#endif

namespace warpjit::tests {

#if defined(_WIN32)
// std::clock() is the time that went by there.
double processor_seconds() {
  FILETIME created, ended, kernel, user;
  if (!GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user)) return 0;
  const auto seconds = [](const FILETIME& time) {  // units of 100 ns
    return (4294967296.0 * time.dwHighDateTime + time.dwLowDateTime) * 1e-7;
  };
  return seconds(kernel) + seconds(user);
}
#else
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
#endif

}  // namespace warpjit::tests
