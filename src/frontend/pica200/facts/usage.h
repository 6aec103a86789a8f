// What the code reachable from an entry point may read. An over-approximation that costs one walk over the
// words; made before any translation, because the table layout and the cache key depend on it.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {

struct CodeUsage {
  std::vector<std::uint16_t> addresses;    // reachable words, ascending
  std::vector<std::uint16_t> descriptors;  // descriptor indices that they name, ascending
  std::uint16_t inputs = 0;                // bit n: v[n] may be read
  std::uint16_t bools = 0;                 // bit n: b[n] may be read
  bool relative = false;                   // a c-register is addressed relatively
};

// Follows every edge that the flow instructions could take under either control-flow model of pica200.md 9:
// fall through, target, and the ends of the scopes they open. Undefined words end a path.
CodeUsage find_usage(const Program& program, std::uint32_t entry);

}  // namespace warpjit::pica200
