// Lowering of what pixels read of their quad, group and primitive, and of the planes of the tile.
#pragma once

#include <array>
#include <vector>

#include "backend/lower/host_parts.h"

namespace warpjit::backend {

class PixelLowering : protected ValueForms {
 public:
  PixelLowering(State& state, HostMasks& masks, HostLanes& lanes, HostRows& rows, HostMemory* memory)
      : ValueForms(state), masks_(masks), lanes_(lanes), rows_(rows), memory_(memory) {}

  // At the front of the function: what groups read in several places.
  void begin_function();

  // A coordinate: from the primitive's origin, or of the centre.
  struct Coordinate {
    std::uint32_t quad_word;  // of its record
    std::size_t of_group;     // byte of the group's record
    std::size_t origin;       // byte of the primitive's record; if `center`
    bool center;
    std::uint8_t lanes;   // bit n: pixel n of a quad has the second column or row
    std::uint32_t shift;  // in PixelRecord
  };
  static Coordinate x_of(bool center), y_of(bool center);
  void locate(ir::Inst i, const Coordinate& coordinate);
  void covered(ir::Inst i);
  void primitive_float(ir::Inst i);
  void primitive_int(ir::Inst i);
  void load_tile(ir::Inst i);
  void store_tile(ir::Inst i);

 private:
  static constexpr std::uint32_t kLanesOfQuad = 4;
  using QuadConstants = std::array<std::uint32_t, kLanesOfQuad>;  // by lane of the quad

  std::uint32_t quads_of_part() const { return host_.lanes / kLanesOfQuad; }
  // Members of the KernelArgs, once a block.
  Reg pointer(std::size_t member, Cached& cached);
  Reg quads();
  Reg groups();
  Reg load_quad_word(std::uint32_t quad, std::size_t field);
  // Word `word` of the record of each lane's quad.
  Reg words_of_quads(std::uint32_t word, std::uint32_t p);
  lir::Mem repeated(const QuadConstants& constants);
  Reg primitive_word(ir::Inst i);

  // For pixels without quads (PixelRecord): the records, one of their coordinates, and
  // their places in planes.
  Reg record_of_pixels(std::uint32_t p);
  void locate_pixels(ir::Inst i, const Coordinate& coordinate, Reg of_group);
  Reg offset_of_pixels(std::uint32_t p);
  void store_pixels(Reg r, Reg guard, std::uint64_t plane, std::uint32_t p);

  // The tile. Where the group's quads lie one after the other, whole vectors are moved, else quads.
  void find_place();
  void branch_if_scattered();
  lir::Mem vector_place(std::uint64_t plane, std::uint32_t p, std::uint8_t base_use) const;
  struct Place {
    Reg base, index;
    std::int32_t displacement;
  };
  Place quad_place(std::uint64_t plane, std::uint32_t quad);
  static void at(lir::InstRef inst, const Place& place);
  Reg load_vector(std::uint64_t plane, std::uint32_t p);
  void store_vector(Reg r, Reg guard, std::uint64_t plane, std::uint32_t p);
  Reg load_quads(std::uint64_t plane, std::uint32_t p);
  void store_quads(Reg r, Reg guard, std::uint64_t plane, std::uint32_t p);

  HostMasks& masks_;
  HostLanes& lanes_;
  HostRows& rows_;
  HostMemory* memory_;  // there is one for single pixels
  Cached quads_, groups_, tile_;
  // By part: of its quads, where they cannot be an operand in memory, or pixels.
  std::vector<Cached> records_;
  std::array<std::vector<Cached>, 2> coordinates_;  // by part: of its quads, x and y
  Reg primitive_ = lir::kNoReg;                     // where the record of the primitive is
  std::vector<Reg> places_;                         // of quads, in plane 0, where a vector is one quad
  // Else: not one after the other if one of the bits kScattered is set; where the first one is in plane 0.
  static constexpr std::int64_t kScattered = -16;
  Reg scattered_ = lir::kNoReg, first_ = lir::kNoReg;
};

}  // namespace warpjit::backend
