#include "frontend/usse/facts/launch.h"

#include <string>
#include <utility>

namespace warpjit::usse {

Result<frontend::CheckedGrid> check_launch(const frontend::LaunchMemory& launch) {
  const auto bad = [&](std::string message, std::uint32_t address) {
    return Error{ErrorCode::bad_input, std::move(message), "mem" + frontend::bracketed(address)};
  };
  std::uint64_t end = 0;
  for (const frontend::MappedRange& range : launch.globals[0]) {
    if (range.address % 4 != 0 || range.bytes.size() % 4 != 0)
      return bad("pieces of memory have addresses and sizes that are multiples of 4", range.address);
    if (range.address < end) return bad("pieces of memory overlap", range.address);
    end = range.address + std::uint64_t{range.bytes.size()};
    if (end > std::uint64_t{1} << 32) return bad("the memory ends beyond 4 GiB", range.address);
  }
  return frontend::CheckedGrid();
}

}  // namespace warpjit::usse
