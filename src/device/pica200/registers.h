// What the PICA200's set-up registers hold for the pipeline from attributes to triangles
// (docs/guests/pica200.md 11), and what writes to them mean. Counters show the draws what has changed;
// writing the present value changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "device/pica200/unit_registers.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {

// Words of a vertex as the rasterizer takes it.
inline constexpr unsigned kSemantics = sizeof(Vertex) / sizeof(float);

inline Error bad_input(std::string message, std::string where) {
  return {ErrorCode::bad_input, std::move(message), std::move(where)};
}
inline Error outside_error(std::string message, std::string where) {
  return {ErrorCode::outside, std::move(message), std::move(where)};
}

// Numbers of registers that others than Registers read.
enum RegisterId : std::uint32_t {
  kMapCount = 0x04F,
  kMap = 0x050,
  kPixelsEnd = 0x200,
  kAttributeBase = 0x200,
  kAttributeFormatsLow = 0x201,
  kAttributeFormatsHigh = 0x202,
  kLoaders = 0x203,
  kLoadersEnd = 0x227,
  kIndexList = 0x227,
  kVertexCount = 0x228,
  kGeometryStage = 0x229,
  kFirstVertex = 0x22A,
  kDrawArrays = 0x22E,
  kDrawElements = 0x22F,
  kFixedIndex = 0x232,
  kFixedData = 0x233,
  kFixedDataEnd = 0x236,
  kImmediateAttributes = 0x242,
  kUnitSharing = 0x244,
  kVertexOutputs = 0x24A,
  kGeometryMode = 0x252,
  kFullVertices = 0x254,
  kTopology = 0x25E,
  kRestart = 0x25F,
  kGeometryUnit = 0x280,
  kVertexUnit = 0x2B0,
  kRegisterCount = 0x300,
};

// begin <= id < end.
inline bool within(std::uint32_t id, std::uint32_t begin, std::uint32_t end) {
  return id >= begin && id < end;
}

class Registers {
 public:
  static constexpr unsigned kMapWords = 7;
  // A vertex that was sent attribute by attribute; those that were not sent are the fixed ones.
  using ImmediateVertex = std::array<Vector, kAttributes>;

  // Writes the bytes that `bytes` has a bit for, lowest first; the others keep what was written last. Errors:
  // resource_limit for too many vertices in immediate mode.
  Status write(std::uint32_t id, std::uint32_t value, unsigned bytes = 15);
  // What the register holds, or what was last written to a data port.
  std::uint32_t read(std::uint32_t id) const { return words_[id]; }
  std::span<const std::uint32_t, kRegisterCount> words() const { return words_; }

  // Read freely; write through change().
  UnitRegisters vertex{kUploadedWords}, geometry{kGeometryWords};

  std::array<Vector, kAttributes> fixed{};
  std::uint64_t fixed_version = 1;

  std::uint8_t map_count = 0;
  std::array<std::uint32_t, kMapWords> output_map{};
  std::uint64_t map_version = 1;  // of the output map and of what the geometry stage is set to

  std::uint64_t loader_version = 1;  // of 0x200 to 0x226
  std::uint64_t pixel_version = 1;   // of what is below 0x200

  std::vector<ImmediateVertex> immediate;  // complete vertices that were not drawn yet
  // Since these were last set to false: 0x25F restarted primitive assembly, 0x25E was written.
  bool restarted = false, topology_written = false;

  bool geometry_on() const { return (words_[kGeometryStage] & 3) == 2; }
  Topology topology() const { return static_cast<Topology>(words_[kTopology] >> 8 & 3); }
  std::uint32_t attribute_base() const { return words_[kAttributeBase] << 3; }
  // How many of the vertex unit's enabled outputs reach the geometry unit.
  unsigned vertex_outputs() const;

  // The geometry unit's state. A write of its booleans sets b15 anew.
  GeometryUnit& unit();

  // As UnitRegisters::describe.
  void describe(StateBytes& bytes);

 private:
  Status write_fixed(std::uint32_t value);
  bool shared() const { return (words_[kUnitSharing] & 1) == 0 && !geometry_on(); }

  std::array<std::uint32_t, kRegisterCount> words_{};
  std::uint32_t fixed_index_ = 0;
  VectorTransfer fixed_transfer_;
  ImmediateVertex sent_{};  // of the next vertex in immediate mode
  unsigned sent_count_ = 0;
  GeometryUnit unit_{};
  std::uint64_t unit_bools_written_ = 0;
  bool vertex_outputs_written_ = false;
};

}  // namespace warpjit::pica200
