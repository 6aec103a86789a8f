// What the PICA200's set-up registers hold for the vertex stage (docs/guests/pica200.md 11), and what writes
// to them mean. Counters show the draws what has changed; writing the present value changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {

class Registers {
 public:
  static constexpr unsigned kAttributeSlots = 16;  // the permutation's; only 12 exist in memory
  static constexpr unsigned kMapWords = 7;
  using Vector = std::array<std::uint32_t, 4>;  // f32 bits of x, y, z, w

  Status write(std::uint32_t id, std::uint32_t value);

  template <class T, class U>
  void set(T& reg, const U& value, std::uint64_t& version) {
    if (reg == value) return;
    reg = value;
    ++version;
  }

  // Read freely; change through set().
  std::array<std::uint32_t, pica200::kUploadedWords> code{};
  std::array<std::uint32_t, pica200::kUploadedDescriptors> descriptors{};
  std::uint32_t entry = 0;
  bool f24 = false;  // no register: how results are rounded
  std::uint64_t program_version = 1;

  std::array<Vector, 96> floats{};
  std::array<std::uint32_t, 4> ints{};
  std::uint16_t bools = 0;
  std::array<Vector, pica200::kAttributes> fixed{};
  std::uint64_t values_version = 1;

  std::uint8_t attribute_count = 0;
  std::array<std::uint8_t, kAttributeSlots> permutation{};
  std::uint16_t output_mask = 0;
  std::uint8_t map_count = 0;
  std::array<std::uint32_t, kMapWords> output_map{};
  std::uint64_t layout_version = 1;

  bool geometry_on = false;

 private:
  // A vector that is being transferred: three words of packed f24 or four of f32, w first.
  struct Transfer {
    std::array<std::uint32_t, 4> words{};
    unsigned count = 0;
    bool f32_mode = false;
    // Takes a word; true when the vector is complete.
    bool push(std::uint32_t word, Vector& vector);
  };
  Status write_fixed(std::uint32_t value);

  std::uint32_t code_index_ = 0, descriptor_index_ = 0, float_index_ = 0, fixed_index_ = 0;
  Transfer float_transfer_, fixed_transfer_;
};

}  // namespace warpjit::pica200
