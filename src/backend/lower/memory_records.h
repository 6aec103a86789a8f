// Lowering of loads and stores of words side by side: a record of each lane. If all records lie in the
// window, they are moved as rows, else by a call. Mostly they are equally far apart (ir/analysis/lane_shape):
// then scalars tell where they are, if the guard is a comparison with the lane's number. Strides that the
// launch gives go by calls if they are negative or greater than 2^23.
#pragma once

#include <optional>
#include <vector>

#include "backend/lower/callouts.h"
#include "backend/lower/lane_guards.h"
#include "backend/lower/memory.h"
#include "backend/lower/memory_runs.h"
#include "backend/lower/rows.h"
#include "backend/lower/windows.h"
#include "ir/analysis/lane_shape.h"

namespace warpjit::backend {

class RecordLowering : protected ValueForms {
 public:
  RecordLowering(State& state, const HostParts& host, const ir::LaneShapes& shapes, WindowFields& windows,
                 RowLowering& rows, CalloutLowering& callouts, MemoryLowering& accesses, InstLowering& insts);

  // True if a record begins with this instruction. Then lower_record makes it all, and
  // gives its last instruction.
  bool begins_record(ir::Inst i);
  ir::Inst lower_record();

 private:
  static constexpr std::size_t kWords = 4;              // of a row
  static constexpr int kRowBytes = 16, kPairBytes = 8;  // pairs side by side are stored as such
  static_assert(kWords * 4 == kRowBytes);
  static constexpr std::uint32_t kMostStride = 1u << 23;  // times 256 lanes: 31 bits
  // An address: a value plus a constant.
  struct Place {
    Value root;
    std::uint32_t offset;
    bool operator==(const Place&) const = default;
  };
  // What tells that all is inside: scalars, from the first and the last lane; vectors; or vectors of lanes
  // that have addresses of their own, and need not all take part.
  enum class Way : std::uint8_t { scalars, vectors, lanes };
  struct Record {
    SmallVector<ir::Inst, kWords> accesses;
    Place place;                   // of the first word
    ir::LaneShape::Stride stride;  // from lane to lane, of what is not Way::lanes
    Way way;
    int bytes;  // of what is moved at once
  };
  std::optional<ir::LaneShape::Stride> stride_of(ir::Inst i) const;
  Place place_of(ir::Inst i) const;
  bool lies_in_row(ir::Inst i, std::size_t n) const;
  bool scalars_tell(ir::Inst i, const ir::LaneShape::Stride& stride) const;
  bool is_word_of_row(ir::Inst i) const;
  bool is_beside_or_one(ir::Inst i) const;
  bool may_stand_between(ir::Inst i) const;
  Way way_of(ir::Inst i, const std::optional<ir::LaneShape::Stride>& stride) const;
  WindowFields::Window window_of_row(const Record& record);
  Reg stride_in_bytes(const ir::LaneShape::Stride& stride);
  Regs move(const Record& record);
  Regs move_by_scalars(const Record& record);
  Regs load_of_lanes(const Record& record);
  Regs move_rows(const Record& record, const Regs& first_rows, Reg stride);
  Reg own_rows();
  void copy_rows(Reg from, Reg from_step, Reg to, Reg to_step, Reg count);
  Regs call_for(const Record& record) {
    return callouts_.call_for_record({record.accesses.begin(), record.accesses.end()});
  }

  HostMemory& memory_;
  HostMasks& masks_;
  WindowFields& windows_;
  RowLowering& rows_;
  CalloutLowering& callouts_;
  MemoryLowering& accesses_;
  InstLowering& insts_;
  LaneGuards lane_guards_;
  const ir::LaneShapes& shapes_;
  Record record_;               // that begins_record has found
  std::int32_t own_rows_ = -1;  // frame area for a row of each lane
};

}  // namespace warpjit::backend
