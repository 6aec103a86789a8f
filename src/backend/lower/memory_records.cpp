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

RecordLowering::RecordLowering(State& state, const HostParts& host, const ir::LaneShapes& shapes,
                               WindowFields& windows, RowLowering& rows, MemoryLowering& accesses,
                               InstLowering& insts)
    : ValueForms(state),
      memory_(*host.memory),
      masks_(host.masks),
      windows_(windows),
      rows_(rows),
      accesses_(accesses),
      insts_(insts),
      shapes_(shapes) {}

// None: it is no word of a record.
std::optional<LaneShape::Stride> RecordLowering::stride_of(ir::Inst i) const {
  const ir::InstData& data = f_.inst(i);
  if (data.opcode != Opcode::LoadMemory && data.opcode != Opcode::StoreMemory) return std::nullopt;
  const MemoryAccess access = MemoryAccess::unpack(data.immediate);
  const Value guard = operand(i, 0), address = operand(i, 1);
  const LaneShape& shape = shapes_[address];
  if (access.space != Space::global || access.element != Element::word || access.alignment != 4 ||
      !varying(address) || shape.kind != LaneShape::Kind::exact ||
      (is_constant(guard) && constant(guard) == 0))
    return std::nullopt;
  const LaneShape::Stride stride = shape.strides[0];
  const bool store = data.opcode == Opcode::StoreMemory;
  for (std::uint32_t k = 0; 1u << k < (store ? parts_ * host_.lanes : host_.lanes); ++k)
    if (shape.strides[k].factor != stride.factor || shape.strides[k].coefficient != stride.coefficient << k)
      return std::nullopt;
  if (stride.coefficient == 0) return std::nullopt;
  // Words side by side are runs. Records that are stored do not overlap.
  const auto step = static_cast<std::int32_t>(stride.coefficient);
  const bool known = !stride.factor.valid(), apart = step >= kRowBytes || step <= -kRowBytes;
  if (store ? !known || !apart : known && step == 4) return std::nullopt;
  return stride;
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

bool RecordLowering::begins_record(ir::Inst first) {
  const auto stride = stride_of(first);
  if (!stride) return false;
  const bool load = f_.inst(first).opcode == Opcode::LoadMemory;
  const std::uint8_t index = MemoryAccess::unpack(f_.inst(first).immediate).index;
  record_ = {{}, place_of(first), *stride};
  record_.accesses.push_back(first);
  constexpr int kMostBetween = 16;
  int between = 0;
  for (ir::Inst i = f_.inst(first).next; record_.accesses.size() < kWords && between <= kMostBetween;
       i = f_.inst(i).next) {
    const ir::InstData& data = f_.inst(i);
    const ir::OpcodeInfo& row = ir::info(data.opcode);
    const Place next{record_.place.root,
                     record_.place.offset + static_cast<std::uint32_t>(4 * record_.accesses.size())};
    if (data.opcode == f_.inst(first).opcode && stride_of(i) && operand(i, 0) == operand(first, 0) &&
        MemoryAccess::unpack(data.immediate).index == index && place_of(i) == next)
      record_.accesses.push_back(i);
    else if (row.pure && !row.callout && !row.terminator && data.opcode != Opcode::LoadInput)
      ++between;
    else
      break;
  }
  return load ? record_.accesses.size() > 1 : record_.accesses.size() == kWords;
}

ir::Inst RecordLowering::lower_record() {
  const Record record = record_;
  const ir::Inst first = record.accesses.front(), last = record.accesses.back();
  // What stands between comes first, unless it needs what is loaded.
  std::vector<ir::Inst> after;
  std::vector<Value> late;
  for (ir::Inst i = first; i != last; i = f_.inst(i).next) {
    const bool access = std::ranges::find(record.accesses, i) != record.accesses.end();
    const bool waits = std::ranges::any_of(f_.operands(i),
                                           [&](Value v) { return std::ranges::find(late, v) != late.end(); });
    if (access || waits)
      for (std::uint32_t k = 0; k < f_.inst(i).result_count; ++k) late.push_back(f_.result(i, k));
    state_.guest_address = f_.inst(i).guest_address;
    if (!access && waits) after.push_back(i);
    if (!access && !waits) insts_.lower(i);
  }

  state_.guest_address = f_.inst(first).guest_address;
  MemoryAccess access = MemoryAccess::unpack(f_.inst(first).immediate);
  access.extent = kRowBytes;
  const WindowFields::Window window = windows_.window_of(access);
  const Value guard = operand(first, 0);
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
    also_wrong(memory_.lanes_with_bits(offset, 3, lir::kNoReg));
    also_wrong(memory_.lanes_from(offset, window.table, window.limit, lir::kNoReg));
    if (!is_constant(guard)) also_wrong(masks_.mask_not(mask(guard, p)));
    offsets.push_back(offset);
  }
  const Reg bytes = windows_.load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
  branch_if_any(wrong);
  const Regs made =
      hot_or_cold([&] { return move_rows(record, offsets, bytes); }, [&] { return move_words(record); });
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

// All records lie in the window, which is smaller than 2^31: so is the way from one to the next.
Regs RecordLowering::move_rows(const Record& record, const Regs& offsets, Reg bytes) {
  const std::uint32_t step = record.stride.coefficient;
  Reg stride = record.stride.factor.valid() ? scalar(record.stride.factor) : scalar_imm(step);
  if (record.stride.factor.valid() && step != 1) stride = scalar_op(Op::SMul, stride, scalar_imm(step));
  stride = sign_extend(stride);
  const bool load = f_.inst(record.accesses.front()).opcode == Opcode::LoadMemory;
  Regs made(load ? record.accesses.size() * parts_ : 0);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    const Reg first = address(bytes, sign_extend(vector_to_scalar(offsets[p])), 0);
    if (load) {
      const std::array<Reg, kWords> words = rows_.load_rows(first, stride);
      for (std::size_t n = 0; n < record.accesses.size(); ++n) made[n * parts_ + p] = words[n];
      continue;
    }
    std::array<Reg, kWords> words;
    for (std::size_t n = 0; n < kWords; ++n) words[n] = vector(operand(record.accesses[n], 2), p);
    rows_.store_rows(first, stride, words);
  }
  return made;
}

Regs RecordLowering::move_words(const Record& record) {
  Regs made;
  for (ir::Inst i : record.accesses) {
    state_.guest_address = f_.inst(i).guest_address;
    accesses_.access_apart(i);
    if (f_.inst(i).opcode == Opcode::LoadMemory)
      for (std::uint32_t p = 0; p < parts_; ++p) made.push_back(slot(f_.result(i), p));
  }
  return made;
}

}  // namespace warpjit::backend
