// The memory of the host that this process takes; 0 where nobody says.
#pragma once

#include <cstddef>

#if defined(__linux__)
#include <unistd.h>

#include <fstream>
#endif

namespace warpjit::tests {

inline std::size_t resident_bytes() {
#if defined(__linux__)
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#else
  return 0;
#endif
}

}  // namespace warpjit::tests
