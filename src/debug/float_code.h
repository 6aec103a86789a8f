// Which instructions of a program compute floats, of which width, as its listing says.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "warpjit/types.hpp"

namespace warpjit::debug {

class FloatCode {
 public:
  FloatCode() = default;
  // Reads the instructions of a listing, by their addresses.
  FloatCode(Isa isa, const std::map<std::uint32_t, std::string>& lines);
  // Whether an instruction computes or takes floats, and a word of its results or operands is a NaN or an infinity.
  bool is_nan(std::uint32_t address, std::uint32_t word) const;
  bool is_infinite(std::uint32_t address, std::uint32_t word) const;

 private:
  struct Widths {
    bool single = false, half = false;
  };
  Widths at(std::uint32_t address) const;
  std::unordered_map<std::uint32_t, Widths> widths_;
};

}  // namespace warpjit::debug
