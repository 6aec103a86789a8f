#include "backend/lower/memory_records.h"

#include <algorithm>
#include <cstddef>

namespace warpjit::backend {

using ir::Element;
using ir::LaneShape;
using ir::MemoryAccess;
using ir::Opcode;
using ir::Space;
using ir::Value;
using lir::Reg;
using lir::Regs;

namespace {

bool is_like(const MemoryAccess& a, const MemoryAccess& b) {
  return a.space == b.space && a.index == b.index && a.alignment == b.alignment;
}

}  // namespace

RecordLowering::RecordLowering(State& state, const HostParts& host, const ir::LaneShapes& shapes,
                               WindowFields& windows, RowLowering& rows, CalloutLowering& callouts,
                               MemoryLowering& accesses, InstLowering& insts)
    : ValueForms(state),
      memory_(*host.memory),
      masks_(host.masks),
      windows_(windows),
      rows_(rows),
      callouts_(callouts),
      accesses_(accesses),
      insts_(insts),
      lane_guards_(state),
      shapes_(shapes) {}

// True if it may be a word of four that are loaded or stored at once.
bool RecordLowering::is_word_of_row(ir::Inst i) const {
  const ir::InstData& data = f_.inst(i);
  if (data.opcode != Opcode::LoadMemory && data.opcode != Opcode::StoreMemory) return false;
  const MemoryAccess access = MemoryAccess::unpack(data.immediate);
  const Value guard = operand(i, 0);
  // An access that is aligned to more than a word is part of one that is as large.
  return access.space != Space::local && access.element == Element::word && access.alignment >= 4 &&
         access.alignment <= std::max<std::uint32_t>(access.extent, 4) && varying(operand(i, 1)) &&
         !(is_constant(guard) && constant(guard) == 0);
}

// None: lanes have addresses of their own, or words side by side.
std::optional<LaneShape::Stride> RecordLowering::stride_of(ir::Inst i) const {
  const bool store = f_.inst(i).opcode == Opcode::StoreMemory;
  const LaneShape& shape = shapes_[operand(i, 1)];
  if (MemoryAccess::unpack(f_.inst(i).immediate).space != Space::global ||
      shape.kind != LaneShape::Kind::exact)
    return std::nullopt;
  const LaneShape::Stride stride = shape.strides[0];
  for (std::uint32_t k = 0; 1u << k < (store ? parts_ * host_.lanes : host_.lanes); ++k)
    if (shape.strides[k].factor != stride.factor || shape.strides[k].coefficient != stride.coefficient << k)
      return std::nullopt;
  if (stride.coefficient == 0) return std::nullopt;
  // Words side by side are runs. Records that are stored do not overlap.
  const auto step = static_cast<std::int32_t>(stride.coefficient);
  const bool known = !stride.factor.valid();
  const bool apart = step >= kRowBytes || step <= -kRowBytes || step == kPairBytes;
  if (store ? !known || !apart : known && step == 4) return std::nullopt;
  return stride;
}

// True if the lanes have words side by side, or one word. Those have better ways.
bool RecordLowering::is_beside_or_one(ir::Inst i) const {
  const LaneShape& shape = shapes_[operand(i, 1)];
  if (!shape.known() || !shape.constant_strides()) return false;
  const std::uint32_t step = shape.strides[0].coefficient;
  return step == 4 || step == 0;
}

// Hosts that gather well have masks of their own.
RecordLowering::Way RecordLowering::way_of(ir::Inst i, const std::optional<LaneShape::Stride>& stride) const {
  if (!stride) return Way::lanes;
  if (scalars_tell(i, *stride)) return Way::scalars;
  const bool all = is_constant(operand(i, 0));
  return all || host_.mask_registers || f_.inst(i).opcode == Opcode::StoreMemory ? Way::vectors : Way::lanes;
}

RecordLowering::Place RecordLowering::place_of(ir::Inst i) const {
  Place place{operand(i, 1), MemoryAccess::unpack(f_.inst(i).immediate).offset};
  while (f_.definition_of(place.root).opcode == Opcode::IAdd32) {
    const ir::Inst sum = f_.definition(place.root);
    const std::uint32_t k = is_constant(f_.operand(sum, 0)) ? 0 : 1;
    if (!is_constant(f_.operand(sum, k))) break;
    place.offset += static_cast<std::uint32_t>(constant(f_.operand(sum, k)));
    place.root = f_.operand(sum, 1 - k);
  }
  return place;
}

// True if word n of a row is inside whenever the row is: its access is of the word alone,
// or begins where the row begins.
bool RecordLowering::lies_in_row(ir::Inst i, std::size_t n) const {
  const MemoryAccess access = MemoryAccess::unpack(f_.inst(i).immediate);
  return access.extent <= 4 || access.offset == 4 * n;
}

// True if scalars tell where the whole group's rows are, with a stride that is not negative.
bool RecordLowering::scalars_tell(ir::Inst i, const LaneShape::Stride& stride) const {
  const LaneShape& shape = shapes_[operand(i, 1)];
  for (std::uint32_t k = 0; 1u << k < parts_ * host_.lanes; ++k)
    if (shape.strides[k].factor != stride.factor || shape.strides[k].coefficient != stride.coefficient << k)
      return false;
  const Value guard = operand(i, 0);
  const std::uint32_t alignment = MemoryAccess::unpack(f_.inst(i).immediate).alignment;
  return (is_constant(guard) || lane_guards_.tells_all(guard)) && stride.coefficient <= kMostStride &&
         (stride.factor.valid() || stride.coefficient % alignment == 0);
}

bool RecordLowering::begins_record(ir::Inst first) {
  if (!is_word_of_row(first) || !lies_in_row(first, 0)) return false;
  const bool load = f_.inst(first).opcode == Opcode::LoadMemory;
  const std::optional<LaneShape::Stride> stride = stride_of(first);
  const Way way = way_of(first, stride);
  if (way == Way::lanes && (!load || host_.mask_registers || is_beside_or_one(first))) return false;
  const MemoryAccess access = MemoryAccess::unpack(f_.inst(first).immediate);
  const bool pairs = !load && stride->coefficient == kPairBytes;
  const std::size_t most = pairs ? 2 : kWords;
  record_ = {{}, place_of(first), stride.value_or(LaneShape::Stride()), way, pairs ? kPairBytes : kRowBytes};
  if (access.extent > record_.bytes) return false;
  record_.accesses.push_back(first);
  constexpr int kMostBetween = 16;
  int between = 0;
  for (ir::Inst i = f_.inst(first).next; record_.accesses.size() < most && between <= kMostBetween;
       i = f_.inst(i).next) {
    const ir::InstData& data = f_.inst(i);
    const Place next{record_.place.root,
                     record_.place.offset + static_cast<std::uint32_t>(4 * record_.accesses.size())};
    if (data.opcode == f_.inst(first).opcode && is_word_of_row(i) &&
        lies_in_row(i, record_.accesses.size()) && operand(i, 0) == operand(first, 0) &&
        place_of(i) == next && is_like(MemoryAccess::unpack(data.immediate), access) &&
        MemoryAccess::unpack(data.immediate).extent <= record_.bytes)
      record_.accesses.push_back(i);
    else if (may_stand_between(i))
      ++between;
    else
      break;
  }
  if (way == Way::lanes) return record_.accesses.size() == kWords;  // fewer may end a window
  return load ? record_.accesses.size() > 1 || way == Way::scalars : record_.accesses.size() == most;
}

// What the frame keeps between barriers is not memory of the guest.
bool RecordLowering::may_stand_between(ir::Inst i) const {
  const Opcode opcode = f_.inst(i).opcode;
  const ir::OpcodeInfo& row = ir::info(opcode);
  if (opcode == Opcode::StoreFrame) return f_.inst(record_.accesses.front()).opcode == Opcode::LoadMemory;
  return row.pure && !row.callout && !row.terminator && opcode != Opcode::LoadInput;
}

ir::Inst RecordLowering::lower_record() {
  const Record record = record_;
  const ir::Inst first = record.accesses.front(), last = record.accesses.back();
  // What stands between comes first, unless it needs what is loaded.
  std::vector<ir::Inst> after;
  std::vector<Value> late;
  for (ir::Inst i = first; i != last; i = f_.inst(i).next) {
    const bool access = std::ranges::find(record.accesses, i) != record.accesses.end();
    // Stores to the frame wait, so that they stay in order.
    const bool waits = f_.inst(i).opcode == Opcode::StoreFrame ||
                       std::ranges::any_of(f_.operands(i),
                                           [&](Value v) { return std::ranges::find(late, v) != late.end(); });
    if (access || waits)
      for (std::uint32_t k = 0; k < f_.inst(i).result_count; ++k) late.push_back(f_.result(i, k));
    state_.guest_address = f_.inst(i).guest_address;
    if (!access && waits) after.push_back(i);
    if (!access && !waits) insts_.lower(i);
  }

  state_.guest_address = f_.inst(first).guest_address;
  const Regs made = record.way == Way::scalars   ? move_by_scalars(record)
                    : record.way == Way::vectors ? move(record)
                                                 : load_of_lanes(record);
  std::size_t next = 0;
  if (f_.inst(first).opcode == Opcode::LoadMemory)
    for (ir::Inst i : record.accesses)
      for (std::uint32_t p = 0; p < parts_; ++p) define(f_.result(i), p, made[next++]);
  for (ir::Inst i : after) {
    state_.guest_address = f_.inst(i).guest_address;
    insts_.lower(i);
  }
  return last;
}

WindowFields::Window RecordLowering::window_of_row(const Record& record) {
  MemoryAccess access = MemoryAccess::unpack(f_.inst(record.accesses.front()).immediate);
  access.extent = static_cast<std::uint8_t>(record.bytes);
  return windows_.window_of(access, operand(record.accesses.front(), 1));
}

// Vectors tell whether all is inside.
Regs RecordLowering::move(const Record& record) {
  const WindowFields::Window window = window_of_row(record);
  const Value guard = operand(record.accesses.front(), 0);
  Reg wrong = lir::kNoReg;
  const auto also_wrong = [&](Reg m) {
    wrong = wrong == lir::kNoReg ? m : masks_.mask_op(MaskOp::or_, wrong, m);
  };
  const Reg begin = windows_.load_field(Op::Broadcast, window, offsetof(MemoryWindow, address));
  Regs offsets;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg where = vector(record.place.root, p);
    if (record.place.offset != 0) where = vvv(Op::IAdd, where, constant_source(record.place.offset));
    const Reg offset = vvv(Op::ISub, where, begin);
    const std::uint32_t alignment = window.access.alignment;
    also_wrong(
        memory_.lanes_with_bits(alignment > kWindowAlignment ? where : offset, alignment - 1, lir::kNoReg));
    also_wrong(memory_.lanes_from(offset, window.table, window.limit, lir::kNoReg));
    if (!is_constant(guard)) also_wrong(masks_.mask_not(mask(guard, p)));
    offsets.push_back(offset);
  }
  const Reg bytes = windows_.load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
  branch_if_any(wrong);
  return hot_or_cold(
      [&] {
        for (Reg& offset : offsets) offset = address(bytes, sign_extend(vector_to_scalar(offset)), 0);
        return move_rows(record, offsets, sign_extend(stride_in_bytes(record.stride)));
      },
      [&] { return call_for(record); });
}

// Lanes without guard load what the window begins with, if it has a row.
Regs RecordLowering::load_of_lanes(const Record& record) {
  const WindowFields::Window window = window_of_row(record);
  const MemoryLowering::LanePlaces places = accesses_.lane_places(record.accesses.front(), window);
  const bool guarded = places.guards[0] != lir::kNoReg;
  const Reg bytes = windows_.load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
  const Reg limit =
      guarded ? windows_.load_field(Op::SLoad, window, static_cast<std::size_t>(window.limit - window.place))
              : lir::kNoReg;
  const Reg nothing = guarded ? constant_vector(0) : lir::kNoReg;
  const CacheState at_parting = cache_state();
  lir::Edges ways_out;
  if (guarded) {
    const lir::InstRef branch = add(Op::BranchCompare);
    use(branch, limit);
    branch->imm = pack_condition(Condition::less_u, 1);
    branch_out(ways_out);
  }
  branch_if_any(places.wrong);
  branch_out(ways_out);
  return hot_or_out(
      at_parting, ways_out,
      [&] {
        Regs made(record.accesses.size() * parts_);
        for (std::uint32_t p = 0; p < parts_; ++p) {
          Reg offset = places.offsets[p];
          if (guarded) offset = blend(nothing, reg_source(offset), places.guards[p]);
          const std::array<Reg, kWords> words = rows_.load_rows_at(bytes, offset);
          for (std::size_t n = 0; n < record.accesses.size(); ++n) made[n * parts_ + p] = words[n];
        }
        return made;
      },
      [&] { return call_for(record); });
}

// The first and the last record are in the window; those between are, as their addresses do not wrap: the
// stride is small.
Regs RecordLowering::move_by_scalars(const Record& record) {
  const ir::Inst first = record.accesses.front();
  const WindowFields::Window window = window_of_row(record);
  const LaneShape& shape = shapes_[record.place.root];
  const bool told = shape.told && shape.constant_strides();
  const std::uint32_t more = record.place.offset + (told ? shape.offset : 0);
  Reg start = !told                ? vector_to_scalar(vector(record.place.root, 0))
              : shape.base.valid() ? scalar(shape.base)
                                   : lir::kNoReg;
  if (start == lir::kNoReg)
    start = scalar_imm(more);
  else if (more != 0)
    start = scalar_op_imm(Op::SAddImm, start, static_cast<std::int32_t>(more));
  Reg aligned = start;
  if (window.shifted)
    start =
        scalar_op(Op::SSub, start, windows_.load_field(Op::SLoad, window, offsetof(MemoryWindow, address)));
  const std::uint32_t alignment = window.access.alignment;
  if (alignment <= kWindowAlignment) aligned = start;
  const Reg stride = stride_in_bytes(record.stride);
  const Reg limit =
      windows_.load_field(Op::SLoad, window, static_cast<std::size_t>(window.limit - window.place));
  const Reg bytes = windows_.load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
  const Reg first_row = address(bytes, start, 0);
  const Value guard = operand(first, 0);
  const std::optional<LaneBound> bound = is_constant(guard) ? std::nullopt : LaneGuards::bound(f_, guard);
  // True if only some lanes may take part, from the first on.
  const bool some = bound && !bound->at_least && record.bytes == kRowBytes;
  const CacheState at_parting = cache_state();
  lir::Edges ways_out, to_some;
  const auto leave_unless_aligned = [&] {
    if (record.stride.factor.valid())
      branch_out_if(Op::BranchCompare, Condition::less_u, scalar_imm(kMostStride), stride, ways_out);
    branch_out_if_bits(record.stride.factor.valid() ? scalar_op(Op::SOr, aligned, stride) : aligned,
                       alignment - 1, ways_out);
  };
  const auto leave_unless_inside = [&](Reg last_lane) {
    const Reg last = address(start, scalar_op(Op::SMul, stride, last_lane), 0);
    branch_out_if(Op::BranchCompare64, Condition::less_equal_u, limit, last, ways_out);
  };
  if (lane_guards_.branch_unless_all(guard)) branch_out(some ? to_some : ways_out);
  leave_unless_aligned();
  leave_unless_inside(scalar_imm(parts_ * host_.lanes - 1));
  const bool load = f_.inst(first).opcode == Opcode::LoadMemory;
  return hot_or_out(
      at_parting, ways_out,
      [&] {
        Reg from = first_row, step = stride, count = lir::kNoReg;
        if (some) {
          const Regs joined = hot_or_out(
              at_parting, to_some,
              [&] {
                Regs all{first_row, stride};
                if (!load) all.push_back(scalar_imm(0));
                return all;
              },
              [&] {
                const Reg lanes = lane_guards_.clamped(*bound);
                const lir::InstRef branch = add(Op::BranchCompare);
                use(branch, lanes);
                branch->imm = pack_condition(Condition::less_u, 1);
                branch_out(ways_out);
                leave_unless_aligned();
                leave_unless_inside(scalar_op_imm(Op::SAddImm, lanes, -1));
                const Reg own = own_rows(), own_step = scalar_imm(kRowBytes);
                Regs of_some{own, own_step};
                if (load)
                  copy_rows(first_row, stride, own, own_step, lanes);
                else
                  of_some.push_back(lanes);
                return of_some;
              });
          forget_cached();  // what follows is on one way only
          from = joined[0], step = joined[1];
          if (!load) count = joined[2];
        }
        Regs parts{from};
        const Reg of_part = parts_ > 1 ? scalar_op(Op::SMul, step, scalar_imm(host_.lanes)) : lir::kNoReg;
        while (parts.size() < parts_) parts.push_back(address(parts.back(), of_part, 0));
        const Regs made = move_rows(record, parts, step);
        if (count != lir::kNoReg) {
          use(add(Op::BranchScalar), count);
          hot_or_cold([] { return Regs{}; },
                      [&] {
                        copy_rows(from, step, first_row, stride, count);
                        return Regs{};
                      });
        }
        return made;
      },
      [&] { return call_for(record); });
}

// A row of each lane, one after the other, in the frame.
Reg RecordLowering::own_rows() {
  if (own_rows_ < 0) own_rows_ = reserve_frame(parts_ * host_.lanes * kRowBytes);
  return frame_address(own_rows_);
}

// At least one.
void RecordLowering::copy_rows(Reg from, Reg from_step, Reg to, Reg to_step, Reg count) {
  const std::uint32_t at = last_block();
  end_edge(at, {from, to, count});
  const std::uint32_t header = begin_edge(at);
  Regs params;
  for (int k = 0; k < 3; ++k) params.push_back(code_.new_reg(lir::RegClass::scalar));
  code_.blocks[header].params = params;
  const lir::Mem there = {lir::MemBase::reg, 0, 0xff, 0, false, 0};
  const Reg row = this->load(Op::LoadRow, lir::RegClass::vector, there, params[0]);
  lir::Mem here = there;
  here.base_use = 1;
  store(Op::StoreRow, row, here, params[1]);
  const Reg next_from = address(params[0], from_step, 0), next_to = address(params[1], to_step, 0);
  const Reg rest = scalar_op_imm(Op::SAddImm, params[2], -1);
  use(add(Op::BranchScalar), rest);
  const std::uint32_t end = last_block();
  end_block(end);
  const std::uint32_t again = begin_edge(end);
  end_edge(again, {next_from, next_to, rest});
  code_.blocks[again].successors.push_back(header);
  begin_edge(end);
}

Reg RecordLowering::stride_in_bytes(const LaneShape::Stride& stride) {
  if (!stride.factor.valid()) return scalar_imm(stride.coefficient);
  const Reg factor = scalar(stride.factor);
  return stride.coefficient == 1 ? factor : scalar_op(Op::SMul, factor, scalar_imm(stride.coefficient));
}

// `first_rows`: the first row's address of each part. The stride has 64 bits.
Regs RecordLowering::move_rows(const Record& record, const Regs& first_rows, Reg stride) {
  const bool load = f_.inst(record.accesses.front()).opcode == Opcode::LoadMemory;
  Regs made(load ? record.accesses.size() * parts_ : 0);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    const Reg first = first_rows[p];
    if (load) {
      const std::array<Reg, kWords> words = rows_.load_rows(first, stride);
      for (std::size_t n = 0; n < record.accesses.size(); ++n) made[n * parts_ + p] = words[n];
      continue;
    }
    const auto word = [&](std::size_t n) { return vector(operand(record.accesses[n], 2), p); };
    if (record.bytes == kPairBytes)
      rows_.store_pairs(first, word(0), word(1));
    else
      rows_.store_rows(first, stride, {word(0), word(1), word(2), word(3)});
  }
  return made;
}

}  // namespace warpjit::backend
