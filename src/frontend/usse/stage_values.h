// What a draw gives to a stage before its programs run: the secondary attributes, and the primary attributes
// of a vertex (docs/guests/usse.md 7).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "frontend/usse/container/program.h"
#include "warpjit/usse.hpp"

namespace warpjit::usse {

inline constexpr std::size_t kUniformBuffers = kDefaultContainer + 1;  // the default buffer is the last one

struct StageValues {
  // Words of each buffer that lies in registers; what is missing is 0.
  std::array<std::span<const std::uint32_t>, kUniformBuffers> buffers{};
  std::array<std::uint32_t, kUniformBuffers> addresses{};  // of those in memory
  std::array<std::array<std::uint32_t, kControlWords>, kTextureUnits> textures{};
};
// The secondary attributes before the secondary program runs. `sa`: kMaxRegisters words.
void fill_secondary_attributes(const Program& program, const StageValues& values,
                               std::span<std::uint32_t> sa);

// How far elements of a uniform's array are apart in its buffer, in words.
std::uint32_t uniform_stride(const Parameter& parameter);

unsigned bytes_of(AttributeFormat format);  // of a component

// The words of pa that an attribute fills, from its parameter's first one on.
unsigned attribute_words(const Parameter& parameter, AttributeFormat format, unsigned components);
// Stores an attribute's components, as its parameter's type, in the words of pa from the parameter's first
// one on. `memory`: `components` of them, packed. Missing ones are 0, 0, 0, 1; those that the parameter does
// not have are dropped. Untyped ones are words, with any type of the parameter; of narrow types none is
// missing. Errors: unsupported for a type that attributes cannot have.
Status store_attribute(const Parameter& parameter, AttributeFormat format, unsigned components,
                       std::span<const std::byte> memory, std::span<std::uint32_t> pa);

}  // namespace warpjit::usse
