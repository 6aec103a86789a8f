// Rows with an index that varies, on AVX-512: components are looked up in registers, in tables that hold a
// window of the uniform table (RowTables). A permutation has 32 words to choose from: two of them and a
// select serve 64 rows, enough for most matrix palettes; a group jumps over the third if no lane needs it. A
// lane that wants a row outside the window raises the invalid flag, and the launch goes on without tables.
// Measured on Sapphire Rapids, 3 rows for 16 lanes: 25 ns by loads, 6.5 ns with 64 rows, 14 ns with 96.
#include <algorithm>

#include "backend/x64/lower.h"
#include "ir/analysis/range.h"

namespace warpjit::backend::x64 {

using ir::Opcode;
using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;
using lir::Regs;

namespace {

constexpr std::int32_t kRowBytes = 16;
constexpr std::int32_t kMostRows = 96, kRowsOfLookUp = 32;
constexpr std::uint32_t kNaN = 0x7fc00000u;
constexpr std::int32_t kFewRows = 32;  // a window that serves fewer is not worth its test

// The row where a table probably begins to be used. Guests whose index may be negative add an origin, and
// have their index fall back to it.
std::uint32_t likely_first(const ir::Function& f, Value index) {
  const ir::InstData& made = f.definition_of(index);
  if (made.opcode != Opcode::SelectI32 && made.opcode != Opcode::IAdd32) return 0;
  const Value last = f.operand(f.definition(index), made.operand_count - 1u);
  return f.is_constant(last) ? static_cast<std::uint32_t>(f.constant(last)) : 0;
}

struct Reach {
  std::int32_t first;  // byte offset in the uniform table
  std::int32_t rows;
};

}  // namespace

// The window begins where as many loads as possible begin.
RowTables choose_row_tables(const ir::Function& kernel) {
  std::vector<Reach> reaches;
  for (std::uint32_t b = 0; b < kernel.block_count(); ++b)
    for (ir::Inst i : kernel.insts(ir::Block{b})) {
      if (kernel.inst(i).opcode != Opcode::LoadUniformRow) continue;
      const Value index = kernel.operand(i, 0);
      if (kernel.value(index).uniformity != ir::Uniformity::varying) continue;
      const std::uint64_t immediate = kernel.inst(i).immediate;
      const std::uint64_t end = std::min(immediate >> 32, ir::upper_bound(kernel, index) + 1);
      const std::uint32_t first = likely_first(kernel, index);
      if (first >= end) continue;
      reaches.push_back({static_cast<std::int32_t>((immediate & 0xffffffffu) + first * kRowBytes),
                         static_cast<std::int32_t>(end - first)});
    }
  const auto before = [](const Reach& a, const Reach& b) { return a.first < b.first; };
  std::sort(reaches.begin(), reaches.end(), before);
  constexpr std::int32_t kSpan = (kMostRows - kFewRows) * kRowBytes;
  std::size_t best = 0, most = 0, end = 0;
  for (std::size_t k = 0; k < reaches.size(); ++k) {
    while (end < reaches.size() && reaches[end].first <= reaches[k].first + kSpan) ++end;
    if (end - k > most) best = k, most = end - k;
  }
  if (most == 0) return {};
  RowTables tables;
  tables.source = reaches[best].first;
  std::int32_t wanted = 0;
  for (std::size_t k = best; k < best + most; ++k)
    wanted = std::max(wanted, (reaches[k].first - tables.source) / kRowBytes + reaches[k].rows);
  tables.rows = static_cast<std::uint32_t>(
      std::min(kMostRows, (wanted + kRowsOfLookUp - 1) / kRowsOfLookUp * kRowsOfLookUp));
  return tables;
}

// Words `first_row` to `first_row` + 31 of the component's table, by the lowest bits of the numbers.
Reg Rows::look_up(std::uint32_t component, std::uint32_t first_row, Reg numbers) {
  const RowTables& tables = role_.row_tables;
  Source lower, upper;
  lower.mem.base = MemBase::table;
  lower.mem.displacement =
      tables.place + static_cast<std::int32_t>((component * tables.rows + first_row) * 4);
  upper = lower;
  upper.mem.displacement += static_cast<std::int32_t>(host_.vector_bytes);
  const InstRef load = add(Op::LoadFull, RegClass::vector);
  load->mem = lower.mem;
  load->flags |= lir::kRemat;
  const Reg words = load->def;
  const InstRef inst = add(Op::LookUp, RegClass::vector);
  inst->flags |= lir::kTied;
  use(inst, words);
  use(inst, numbers);
  use_source(inst, upper);
  return inst->def;
}

Reg Rows::at_least(Reg numbers, std::int64_t bound) {
  return compare(Op::CmpI, numbers, constant_source(static_cast<std::uint32_t>(bound)),
                 integer_predicate::kGe);
}

// The invalid flag, if a lane of the mask is set.
void Rows::raise_invalid(Reg mask) {
  const Reg nan = constant_vector(kNaN);
  const InstRef inst = add(Op::RaiseInvalid, RegClass::mask);
  use(inst, nan);
  use(inst, nan);
  use(inst, mask);
  inst->imm = predicate::kLtSignaling;
}

// Those rows that share a window of indices, if the window is worth its test.
Regs Rows::load_rows_together(Value index, std::span<const TableRow> rows) {
  const RowTables& tables = role_.row_tables;
  if (tables.rows == 0) return {};
  const std::int64_t bound = static_cast<std::int64_t>(ir::upper_bound(f_, index)) + 1;
  const std::int64_t likely = likely_first(f_, index);
  std::int64_t first = 0, end = bound, nearest = end;
  std::size_t served = 0;
  // The index that is row 0 of the tables.
  const auto begin_of = [&](const TableRow& row) {
    return (std::int64_t{tables.source} - row.offset) / kRowBytes;
  };
  for (const TableRow& row : rows) {
    const std::int64_t begin = begin_of(row), count = row.count;
    if ((tables.source - row.offset) % kRowBytes != 0) break;
    const std::int64_t from = std::max(first, begin), to = std::min({end, begin + tables.rows, count});
    if (from > likely || to < std::min({likely + kFewRows, count, bound})) break;
    first = from;
    end = to;
    nearest = std::min(nearest, begin);
    ++served;
  }
  if (served == 0) return {};
  rows = rows.first(served);

  const auto constant = [&](std::int64_t n) { return constant_source(static_cast<std::uint32_t>(n)); };
  // Indices from `far` on need the third permutation for some row.
  const std::int64_t far = nearest + 2 * kRowsOfLookUp;
  Regs indices;
  Reg any_far = lir::kNoReg;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    const Reg all = vector(index, p);
    indices.push_back(all);
    if (first != 0 || end < bound) {
      const Reg from_first = first == 0 ? all : vvv(Op::ISub, all, constant(first));
      raise_invalid(compare(Op::CmpU, from_first, constant(end - first), integer_predicate::kGe));
    }
    if (far >= end) continue;
    const Reg is_far = at_least(all, far);
    any_far = p == 0 ? is_far : state_.masks->mask_op(MaskOp::or_, any_far, is_far);
  }
  Regs numbers, components;
  for (const TableRow& row : rows)
    for (std::uint32_t p = 0; p < parts_; ++p) {
      const std::int64_t begin = begin_of(row);
      // A permutation looks at the lowest bits alone.
      numbers.push_back(begin % kRowsOfLookUp == 0 ? indices[p] : vvv(Op::ISub, indices[p], constant(begin)));
      const bool any_second = begin + kRowsOfLookUp < end;
      const Reg second = any_second ? at_least(indices[p], begin + kRowsOfLookUp) : lir::kNoReg;
      for (std::uint32_t c = 0; c < 4; ++c) {
        Reg r = look_up(c, 0, numbers.back());
        if (any_second) r = blend(r, reg_source(look_up(c, kRowsOfLookUp, numbers.back())), second);
        components.push_back(r);
      }
    }
  if (any_far != lir::kNoReg) {
    const auto with_third = [&] {
      Regs result;
      for (const TableRow& row : rows)
        for (std::uint32_t p = 0; p < parts_; ++p) {
          const Reg third = at_least(indices[p], begin_of(row) + 2 * kRowsOfLookUp);
          const Reg number = numbers[result.size() / 4];
          for (std::uint32_t c = 0; c < 4; ++c)
            result.push_back(
                blend(components[result.size()], reg_source(look_up(c, 2 * kRowsOfLookUp, number)), third));
        }
      return result;
    };
    components = either_way(any_far, with_third, [&] { return components; });
  }
  return components;
}

}  // namespace warpjit::backend::x64
