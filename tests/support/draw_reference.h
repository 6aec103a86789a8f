// What a draw gives by docs/guests/pica200.md 11, one vertex at a time with the guest interpreter.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "frontend/pica200/interpret/interpret.h"
#include "warpjit/pica200.hpp"

namespace warpjit::tests {

// The set-up of a Pipeline, kept so that a test can compute the expected result.
struct DrawSetup {
  struct Attribute {
    bool in_array = false;
    pica200::AttributeArray array;
    float fixed[4] = {};
    unsigned reg = 0;
  };
  std::vector<Attribute> attributes;  // at most 12
  std::uint16_t output_mask = 0;
  std::vector<std::uint32_t> output_map;  // at most 7 words
  pica200::Program program;               // its code fits in 512 words
  pica200::Uniforms uniforms;

  Status apply(pica200::Pipeline& pipeline) const {
    WARPJIT_CHECK(pipeline.set_code(program.code));
    WARPJIT_CHECK(pipeline.set_descriptors(program.descriptors));
    WARPJIT_CHECK(pipeline.set_entry(program.entry));
    pipeline.set_f24(program.f24);
    for (unsigned n = 0; n < 96; ++n) {
      std::uint32_t bits[4];
      std::memcpy(bits, uniforms.c[n], sizeof bits);
      WARPJIT_CHECK(pipeline.set_float(n, bits));
    }
    for (unsigned n = 0; n < 4; ++n) {
      std::uint32_t bytes = 0;
      for (unsigned c = 0; c < 4; ++c) bytes |= std::uint32_t{uniforms.i[n][c]} << 8 * c;
      WARPJIT_CHECK(pipeline.set_int(n, bytes));
    }
    pipeline.set_bools(uniforms.b);
    pipeline.unbind_attributes();
    WARPJIT_CHECK(pipeline.set_attribute_count(static_cast<unsigned>(attributes.size())));
    for (unsigned n = 0; n < attributes.size(); ++n) {
      const Attribute& a = attributes[n];
      WARPJIT_CHECK(pipeline.set_permutation(n, a.reg));
      std::uint32_t bits[4];
      std::memcpy(bits, a.fixed, sizeof bits);
      WARPJIT_CHECK(pipeline.set_fixed_attribute(n, bits));
      if (a.in_array) WARPJIT_CHECK(pipeline.bind_attribute(n, a.array));
    }
    pipeline.set_output_mask(output_mask);
    return pipeline.set_output_map(output_map);
  }
};

inline void convert_attribute(const pica200::AttributeArray& array, std::size_t vertex, float* to) {
  const auto* from = static_cast<const std::byte*>(array.data) + array.offset + vertex * array.stride;
  to[0] = to[1] = to[2] = 0;
  to[3] = 1;
  for (unsigned c = 0; c < array.format.components; ++c) {
    std::int8_t s8;
    std::uint8_t u8;
    std::int16_t s16;
    switch (array.format.type) {
      case ComponentType::s8:
        std::memcpy(&s8, from + c, 1);
        to[c] = s8;
        break;
      case ComponentType::u8:
        std::memcpy(&u8, from + c, 1);
        to[c] = u8;
        break;
      case ComponentType::s16:
        std::memcpy(&s16, from + 2 * c, 2);
        to[c] = s16;
        break;
      default:
        std::memcpy(to + c, from + 4 * c, 4);
        break;
    }
  }
}

// The vertex by its words' bits.
using VertexBits = std::array<std::uint32_t, 24>;
inline VertexBits bits_of(const pica200::Vertex& vertex) {
  VertexBits bits;
  std::memcpy(bits.data(), &vertex, sizeof bits);
  return bits;
}

inline Result<VertexBits> reference_vertex(const DrawSetup& setup, const pica200::Interpreter& interpreter,
                                           std::size_t vertex, std::uint64_t fuel) {
  pica200::ThreadState state;
  for (const DrawSetup::Attribute& a : setup.attributes) {
    if (a.in_array)
      convert_attribute(a.array, vertex, state.v[a.reg]);
    else
      std::memcpy(state.v[a.reg], a.fixed, 16);
  }
  WARPJIT_CHECK(interpreter.run(setup.uniforms, state, fuel));
  pica200::canonicalize_outputs(state);
  VertexBits words;
  words.fill(0x3f800000u);
  std::size_t map = 0;
  for (unsigned o = 0; o < 16; ++o) {
    if ((setup.output_mask >> o & 1) == 0) continue;
    if (map == setup.output_map.size()) break;
    for (unsigned c = 0; c < 4; ++c) {
      const std::uint32_t semantic = setup.output_map[map] >> 8 * c & 31;
      if (semantic >= 24) continue;
      std::memcpy(&words[semantic], &state.o[o][c], 4);
      if (semantic < 8 || semantic > 11) continue;
      const float color = std::fmin(std::fabs(state.o[o][c]), 1.0f);
      std::memcpy(&words[semantic], &color, 4);
    }
    ++map;
  }
  return words;
}

}  // namespace warpjit::tests
