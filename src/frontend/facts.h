// What a translation is made for: what is common to all kinds of work, and what one kind has.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "frontend/draw.h"
#include "frontend/pixels/facts.h"
#include "frontend/textures/bound.h"
#include "ir/sample.h"

namespace warpjit::frontend {

inline constexpr std::size_t kMaxInputs = 17;   // input registers of any guest; numbers are below it
inline constexpr std::size_t kMaxOutputs = 40;  // output numbers are below it

// Facts of threads with a row of each bound input and output.
struct RowFacts {
  std::uint64_t bound_inputs = 0;  // bit n: input register n is bound; it is binding popcount(lower bits)
  std::uint64_t state_given = 0;   // bit n: state register n was set by the launch
  std::uint32_t output_count = 0;
  std::array<std::uint8_t, kMaxOutputs> outputs{};  // output numbers in binding order

  std::span<const std::uint8_t> output_numbers() const { return {outputs.data(), output_count}; }
  std::uint32_t input_bindings() const { return static_cast<std::uint32_t>(std::popcount(bound_inputs)); }
  std::uint32_t output_bindings() const { return output_count; }
  bool operator==(const RowFacts&) const = default;
};

// Bindings of a geometry program after its inputs and outputs (ir/opcodes.inc: bindings of rows). Only
// ordered kernels have the unit's rows, the same ones as input and as output: each invocation reads what the
// one before it left, and writes what it changes.
inline constexpr std::uint32_t kEmissionOutput = 0;   // triangles emitted, then their winding flags as bits
inline constexpr std::uint32_t kTrianglesOutput = 1;  // rows: per triangle 3 vertices of vertex_rows() rows
inline constexpr std::uint32_t kUnitOutput = 2;

// Facts of geometry programs whose triangles are the result. An invocation is a thread.
struct PrimitiveFacts : RowFacts {
  std::uint64_t enabled = 0;        // bit n: output register n belongs to an emitted vertex
  std::uint32_t max_triangles = 0;  // of one invocation
  // Float uniforms that each invocation has values of its own for.
  std::uint32_t first_row = 0, row_count = 0;
  bool keeps_unit = false;  // what the last invocation leaves in the unit is wanted

  std::uint32_t vertex_rows() const { return static_cast<std::uint32_t>(std::popcount(enabled)); }
  // Those of an ordered kernel.
  std::uint32_t input_bindings() const { return RowFacts::input_bindings() + (row_count != 0 ? 1 : 0) + 1; }
  std::uint32_t output_bindings() const { return output_count + kUnitOutput + 1; }
  bool operator==(const PrimitiveFacts&) const = default;
};

// Bindings of a geometry program before a rasterizer, of several rows a thread (ir/opcodes.inc). Input 0: a
// row whose word 0 is the number of the input primitive, then the rows of each vertex.
inline constexpr std::uint32_t kEmittedOutput = 0;   // word 0: how many vertices the invocation emitted
inline constexpr std::uint32_t kVerticesOutput = 1;  // their rows

// Facts of such programs (StripOutput). An invocation is a thread.
struct StripFacts {
  std::uint32_t vertices = 0;  // of an input primitive
  std::uint32_t words = 0;     // of each of its vertices

  std::uint32_t vertex_rows() const { return (words + 3) / 4; }
  std::uint32_t input_rows() const { return 1 + vertices * vertex_rows(); }
  std::uint32_t input_bindings() const { return 1; }
  std::uint32_t output_bindings() const { return kVerticesOutput + 1; }
  bool operator==(const StripFacts&) const = default;
};

// Nothing of a grid is neutral: all is in Facts::guest.
struct GridFacts {
  std::uint32_t input_bindings() const { return 0; }
  std::uint32_t output_bindings() const { return 0; }
  bool operator==(const GridFacts&) const = default;
};

struct Facts {
  std::variant<RowFacts, DrawFacts, PrimitiveFacts, StripFacts, GridFacts, PixelFacts> work{};
  std::uint64_t known_bools = 0;  // booleans whose value is fixed in the translation ...
  std::uint64_t bools = 0;        // ... to these
  // What the guest packed of the launch for itself (MemorySpaces::pack_facts).
  std::vector<std::byte> guest{};
  std::vector<ir::SampleKey> samples{};  // of Sampling::uses, one by one, then of computed_uses
  // For programs that compute which textures they sample.
  std::vector<TextureUse> computed_uses{};
  std::vector<std::uint8_t> equal_samplers{};
  bool half_arithmetic = false;  // the host has it, of two halves in a word

  // Null: this is other work.
  template <class Kind>
  const Kind* get_if() const {
    return std::get_if<Kind>(&work);
  }
  template <class Kind>
  const Kind& get() const {
    return std::get<Kind>(work);
  }
  std::uint32_t input_bindings() const {
    return std::visit([](const auto& kind) { return kind.input_bindings(); }, work);
  }
  std::uint32_t output_bindings() const {
    return std::visit([](const auto& kind) { return kind.output_bindings(); }, work);
  }
  bool operator==(const Facts&) const = default;
};

}  // namespace warpjit::frontend
