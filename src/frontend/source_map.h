// Where code comes from: what messages about it need to know of a program.
#pragma once

#include <cstdint>
#include <string>

namespace warpjit::frontend {

class SourceMap {
 public:
  virtual ~SourceMap() = default;
  virtual const std::string& source_name() const = 0;
  // "file, word 12 (0x4e000000)".
  virtual std::string where(std::uint32_t guest_address) const = 0;
};

}  // namespace warpjit::frontend
