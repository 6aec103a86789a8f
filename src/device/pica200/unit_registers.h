// The registers of one shader unit of the PICA200 (docs/guests/pica200.md 11): the vertex unit has them from
// 0x2B0 on, the geometry unit from 0x280 on. Counters show the draws what has changed; writing the present
// value changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "frontend/shader.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {

class StateBytes;

using Vector = std::array<std::uint32_t, 4>;  // f32 bits of x, y, z, w

// A vector on its way through a data register: three words of packed f24 or four of f32, w first.
struct VectorTransfer {
  std::array<std::uint32_t, 4> words{};
  unsigned count = 0;
  bool f32_mode = false;
  // Takes a word; true when the vector is complete.
  bool push(std::uint32_t word, Vector& vector);
  void describe(StateBytes& bytes);
};

// Counts a version up if a register gets another value.
template <class T, class U>
void change(T& reg, const U& value, std::uint64_t& version) {
  if (reg == value) return;
  reg = value;
  ++version;
}

class UnitRegisters {
 public:
  static constexpr std::uint32_t kCount = 0x30;
  static constexpr unsigned kAttributeSlots = 16;  // the permutation's

  explicit UnitRegisters(std::size_t code_words) : code(code_words) {}

  // A write to the unit's register number `offset`, below kCount. Program, descriptors and uniforms go to the
  // same places of `also`, too, unless it is null.
  void write(std::uint32_t offset, std::uint32_t value, UnitRegisters* also);

  // Sets all booleans, b15 too, which is true again after the geometry unit's next invocation.
  void set_bools(std::uint16_t value) {
    change(bools, value, values_version);
    ++bools_written;
  }

  // Uniforms as a launch has them.
  void store(frontend::Values& values) const;

  // All but f24 and structural_scopes, which are no part of a saved state. After a read, versions are new.
  void describe(StateBytes& bytes);

  // Read freely; write through change().
  std::vector<std::uint32_t> code;
  std::array<std::uint32_t, kUploadedDescriptors> descriptors{};
  std::uint32_t entry = 0;
  bool f24 = false, structural_scopes = false;  // no registers: Modes
  std::uint64_t program_version = 1;

  std::array<Vector, 96> floats{};
  std::array<std::uint32_t, 4> ints{};
  std::uint16_t bools = 0;
  std::uint64_t values_version = 1;
  std::uint64_t bools_written = 0;

  std::uint8_t attribute_count = 0;
  std::array<std::uint8_t, kAttributeSlots> permutation{};
  std::uint16_t output_mask = 0;
  std::uint64_t layout_version = 1;

 private:
  std::uint32_t code_index_ = 0, descriptor_index_ = 0, float_index_ = 0;
  VectorTransfer float_transfer_;
};

}  // namespace warpjit::pica200
