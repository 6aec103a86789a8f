#include "backend/lower/pixels.h"

#include <cstddef>

namespace warpjit::backend {

using ir::Opcode;
using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;
using lir::Regs;
using pixels::GroupRecord;
using pixels::PixelRecord;
using pixels::PrimitiveHeader;
using pixels::QuadRecord;

namespace {

constexpr std::uint32_t kHalf = 0x3f000000, kOne = 0x3f800000, kOneAndHalf = 0x3fc00000;  // as f32

constexpr lir::Mem behind(std::uint8_t base_use, std::size_t displacement) {
  return {MemBase::reg, base_use, 0xff, 0, false, static_cast<std::int32_t>(displacement)};
}

}  // namespace

void PixelLowering::begin_function() {
  bool reads_primitive = false, reads_tile = false;
  if (!f_.pixels) return;
  for (std::uint32_t b = 0; b < f_.block_count(); ++b)
    for (ir::Inst i : f_.insts(ir::Block{b})) {
      const Opcode opcode = f_.inst(i).opcode;
      reads_primitive = reads_primitive || opcode == Opcode::PrimitiveF32 || opcode == Opcode::PrimitiveI32 ||
                        opcode == Opcode::PixelCenterX || opcode == Opcode::PixelCenterY;
      reads_tile = reads_tile || opcode == Opcode::LoadTile || opcode == Opcode::StoreTile;
    }
  records_.resize(parts_);
  for (std::vector<Cached>& coordinate : coordinates_) coordinate.resize(parts_);
  if (reads_primitive)
    primitive_ = load(Op::SLoad64, RegClass::scalar, behind(0, offsetof(GroupRecord, primitive)), groups());
  if (reads_tile && !role_.single_pixels) find_place();
}

// ---- records

Reg PixelLowering::pointer(std::size_t member, Cached& cached) {
  if (cached.block != current_block()) cached = {load_argument(member), current_block()};
  return cached.reg;
}
Reg PixelLowering::quads() { return pointer(offsetof(KernelArgs, quads), quads_); }
Reg PixelLowering::groups() { return pointer(offsetof(KernelArgs, groups), groups_); }

Reg PixelLowering::load_quad_word(std::uint32_t quad, std::size_t field) {
  return load(Op::SLoad, RegClass::scalar, behind(0, quad * sizeof(QuadRecord) + field), quads());
}

Reg PixelLowering::words_of_quads(std::uint32_t word, std::uint32_t p) {
  Cached& records = records_[p];
  if (host_.memory_operands || records.block != current_block()) {
    const lir::Mem mem = behind(0, std::size_t{p} * host_.vector_bytes);
    records = {load(Op::LoadFull, RegClass::vector, mem, quads()), current_block()};
  }
  return lanes_.swizzle_quads(records.reg, word * 0x55);
}

lir::Mem PixelLowering::repeated(const QuadConstants& constants) {
  std::array<std::uint32_t, kMostHostLanes> lanes{};
  for (std::uint32_t n = 0; n < host_.lanes; ++n) lanes[n] = constants[n % kLanesOfQuad];
  return pool_mem({lanes.data(), host_.lanes});
}

Reg PixelLowering::record_of_pixels(std::uint32_t p) {
  Cached& records = records_[p];
  if (records.block != current_block()) {
    const lir::Mem mem = behind(0, std::size_t{p} * host_.vector_bytes);
    records = {load(Op::LoadFull, RegClass::vector, mem, quads()), current_block()};
  }
  return records.reg;
}

void PixelLowering::locate_pixels(ir::Inst i, const Coordinate& coordinate, Reg of_group) {
  if (coordinate.center) of_group = vvv(Op::Add, of_group, constant_source(kHalf));
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg word = record_of_pixels(p);
    if (coordinate.shift != 0) word = with_immediate(Op::ShrU, word, coordinate.shift);
    Reg in_tile = vvv(Op::And, word, constant_source(PixelRecord::kCoordinate));
    define(f_.result(i), p, vvv(Op::Add, vv(Op::CvtToF, in_tile), of_group));
  }
}

Reg PixelLowering::offset_of_pixels(std::uint32_t p) {
  return with_immediate(Op::ShrU, record_of_pixels(p), PixelRecord::kOffsetShift);
}

PixelLowering::Coordinate PixelLowering::x_of(bool center) {
  return {offsetof(QuadRecord, x) / 4,
          offsetof(GroupRecord, x),
          offsetof(PrimitiveHeader, origin_x),
          center,
          0b1010,
          0};
}
PixelLowering::Coordinate PixelLowering::y_of(bool center) {
  return {offsetof(QuadRecord, y) / 4,
          offsetof(GroupRecord, y),
          offsetof(PrimitiveHeader, origin_y),
          center,
          0b1100,
          PixelRecord::kRowShift};
}

// Integers and a half, whose sums are exact: what all lanes share is summed first.
void PixelLowering::locate(ir::Inst i, const Coordinate& coordinate) {
  Reg of_group = rows_.broadcast_word(groups(), static_cast<std::int32_t>(coordinate.of_group));
  if (coordinate.center)
    of_group = vvv(Op::Add, of_group,
                   rows_.broadcast_word(primitive_, static_cast<std::int32_t>(coordinate.origin)));
  if (role_.single_pixels) return locate_pixels(i, coordinate, of_group);
  const std::uint32_t first = coordinate.center ? kHalf : 0, second = coordinate.center ? kOneAndHalf : kOne;
  QuadConstants in_quad;
  for (std::uint32_t n = 0; n < kLanesOfQuad; ++n)
    in_quad[n] = (coordinate.lanes >> n & 1) != 0 ? second : first;
  const lir::Mem constants = repeated(in_quad);
  const Source of_lanes =
      host_.memory_operands ? Source{lir::kNoReg, constants} : reg_source(load_constant(constants));
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Cached& words = coordinates_[coordinate.quad_word][p];
    if (words.block != current_block()) words = {words_of_quads(coordinate.quad_word, p), current_block()};
    Reg of_quad = vvv(Op::Add, words.reg, of_group);
    define(f_.result(i), p, vvv(Op::Add, of_quad, of_lanes));
  }
}

void PixelLowering::covered(ir::Inst i) {
  if (role_.single_pixels) {
    constexpr std::uint32_t kCovered = PixelRecord::kCovered;
    const lir::Mem bits = repeated({kCovered, kCovered, kCovered, kCovered});
    for (std::uint32_t p = 0; p < parts_; ++p)
      define(f_.result(i), p, masks_.lanes_with_bits(record_of_pixels(p), bits));
    return;
  }
  const lir::Mem bits = repeated({1, 2, 4, 8});
  for (std::uint32_t p = 0; p < parts_; ++p)
    define(f_.result(i), p,
           masks_.lanes_with_bits(words_of_quads(offsetof(QuadRecord, coverage) / 4, p), bits));
}

Reg PixelLowering::primitive_word(ir::Inst i) {
  return rows_.broadcast_word(primitive_, static_cast<std::int32_t>(f_.inst(i).immediate));
}

void PixelLowering::primitive_float(ir::Inst i) { define(f_.result(i), 0, primitive_word(i)); }

// As a scalar and as a vector; what is not used goes away.
void PixelLowering::primitive_int(ir::Inst i) {
  define(f_.result(i), 0, load(Op::SLoad, RegClass::scalar, behind(0, f_.inst(i).immediate), primitive_));
  define_vector_form(f_.result(i), primitive_word(i));
}

// ---- the tile

void PixelLowering::find_place() {
  const std::uint32_t last = quads_of_part() * parts_ - 1;
  Reg tile = pointer(offsetof(KernelArgs, tile), tile_);
  if (quads_of_part() == 1) {
    for (std::uint32_t quad = 0; quad <= last; ++quad)
      places_.push_back(address(tile, load_quad_word(quad, offsetof(QuadRecord, offset)), 0));
    return;
  }
  // Covered quads ascend and have places of their own; what fills the group up after them covers nothing.
  Reg first = load_quad_word(0, offsetof(QuadRecord, offset));
  first_ = address(tile, first, 0);
  Reg distance = scalar_op(Op::SSub, load_quad_word(last, offsetof(QuadRecord, offset)), first);
  Reg gaps = scalar_op_imm(Op::SAddImm, distance, -static_cast<std::int64_t>(last * sizeof(QuadRecord)));
  Reg fills = scalar_op_imm(Op::SAddImm, load_quad_word(last, offsetof(QuadRecord, coverage)), -1);
  scattered_ = scalar_op(Op::SOr, gaps, fills);
}

void PixelLowering::branch_if_scattered() {
  const InstRef branch = add(Op::BranchBits);
  use(branch, scattered_);
  branch->imm = kScattered;
}

lir::Mem PixelLowering::vector_place(std::uint64_t plane, std::uint32_t p, std::uint8_t base_use) const {
  return behind(base_use, plane * pixels::kPlaneBytes + std::size_t{p} * host_.vector_bytes);
}

PixelLowering::Place PixelLowering::quad_place(std::uint64_t plane, std::uint32_t quad) {
  const auto displacement = static_cast<std::int32_t>(plane * pixels::kPlaneBytes);
  if (!places_.empty()) return {places_[quad], lir::kNoReg, displacement};
  Reg tile = pointer(offsetof(KernelArgs, tile), tile_);
  return {tile, load_quad_word(quad, offsetof(QuadRecord, offset)), displacement};
}

void PixelLowering::at(InstRef inst, const Place& place) {
  inst->mem = {MemBase::reg, inst->use_count, 0xff, 0, false, place.displacement};
  use(inst, place.base);
  if (place.index == lir::kNoReg) return;
  inst->mem.index_use = inst->use_count;
  use(inst, place.index);
}

Reg PixelLowering::load_quads(std::uint64_t plane, std::uint32_t p) {
  Reg loaded = lir::kNoReg;
  for (std::uint32_t k = 0; k < quads_of_part(); ++k) {
    const Place place = quad_place(plane, p * quads_of_part() + k);
    const InstRef inst = add(k == 0 ? Op::LoadRow : Op::InsertRow, RegClass::vector);
    inst->imm = k;
    if (k != 0) {
      inst->prefer = 1;
      use(inst, loaded);
    }
    at(inst, place);
    loaded = inst->def;
  }
  return loaded;
}

// What stays is read and written back: backward, because quads that fill the group up may lie where a quad
// before them does.
void PixelLowering::store_quads(Reg r, Reg guard, std::uint64_t plane, std::uint32_t p) {
  if (guard != lir::kNoReg) r = blend(load_quads(plane, p), reg_source(r), guard);
  for (std::uint32_t k = quads_of_part(); k-- > 0;) {
    const Place place = quad_place(plane, p * quads_of_part() + k);
    const InstRef inst = add(k == 0 ? Op::StoreRow : Op::ExtractRow);
    inst->imm = k;
    use(inst, r);
    at(inst, place);
  }
}

// Lanes that do not store write after the planes.
void PixelLowering::store_pixels(Reg r, Reg guard, std::uint64_t plane, std::uint32_t p) {
  Reg offset = offset_of_pixels(p);
  if (guard != lir::kNoReg) {
    const auto behind_planes = static_cast<std::uint32_t>((f_.tile_planes - plane) * pixels::kPlaneBytes);
    offset = blend(constant_vector(behind_planes), reg_source(offset), guard);
  }
  memory_->store_lanes(r, offset, pointer(offsetof(KernelArgs, tile), tile_),
                       static_cast<std::int32_t>(plane * pixels::kPlaneBytes), lir::kNoReg);
}

Reg PixelLowering::load_vector(std::uint64_t plane, std::uint32_t p) {
  return load(Op::LoadFull, RegClass::vector, vector_place(plane, p, 0), first_);
}

void PixelLowering::store_vector(Reg r, Reg guard, std::uint64_t plane, std::uint32_t p) {
  if (guard != lir::kNoReg && host_.mask_registers)
    return rows_.store_where(r, guard, vector_place(plane, p, 2), first_);
  // Measured on Zen 4: a masked store of AVX2 takes twelve times as long as this.
  if (guard != lir::kNoReg) r = blend(load_vector(plane, p), reg_source(r), guard);
  store(Op::StoreFull, r, vector_place(plane, p, 1), first_);
}

void PixelLowering::load_tile(ir::Inst i) {
  const std::uint64_t plane = f_.inst(i).immediate;
  if (role_.single_pixels) {
    Reg tile = pointer(offsetof(KernelArgs, tile), tile_);
    for (std::uint32_t p = 0; p < parts_; ++p)
      define(f_.result(i), p,
             memory_->load_lanes(offset_of_pixels(p), tile,
                                 static_cast<std::int32_t>(plane * pixels::kPlaneBytes), lir::kNoReg));
    return;
  }
  const auto by = [&](Reg (PixelLowering::*load)(std::uint64_t, std::uint32_t)) {
    return [this, plane, load] {
      Regs parts;
      for (std::uint32_t p = 0; p < parts_; ++p) parts.push_back((this->*load)(plane, p));
      return parts;
    };
  };
  Regs loaded;
  if (scattered_ == lir::kNoReg) {
    loaded = by(&PixelLowering::load_quads)();
  } else {
    branch_if_scattered();
    loaded = hot_or_cold(by(&PixelLowering::load_vector), by(&PixelLowering::load_quads));
  }
  for (std::uint32_t p = 0; p < parts_; ++p) define(f_.result(i), p, loaded[p]);
}

void PixelLowering::store_tile(ir::Inst i) {
  const Value guard = operand(i, 0), value = operand(i, 1);
  const std::uint64_t plane = f_.inst(i).immediate;
  const bool always = is_constant(guard);
  if (always && constant(guard) == 0) return;
  Regs values, guards;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    values.push_back(vector(value, p));
    guards.push_back(always ? lir::kNoReg : mask(guard, p));
  }
  if (role_.single_pixels) {
    for (std::uint32_t p = 0; p < parts_; ++p) store_pixels(values[p], guards[p], plane, p);
    return;
  }
  const auto by = [&](void (PixelLowering::*store)(Reg, Reg, std::uint64_t, std::uint32_t)) {
    return [this, plane, store, &values, &guards] {
      for (std::uint32_t p = parts_; p-- > 0;) (this->*store)(values[p], guards[p], plane, p);
      return Regs();
    };
  };
  if (scattered_ == lir::kNoReg) {
    by (&PixelLowering::store_quads)();
    return;
  }
  branch_if_scattered();
  hot_or_cold(by(&PixelLowering::store_vector), by(&PixelLowering::store_quads));
}

}  // namespace warpjit::backend
