// Rows with an index that varies, on AVX-512: components are looked up in registers, in tables that hold a
// window of the uniform table (RowTables). A permutation has 32 words to choose from, so two of them and a
// select serve 64 rows, enough for the matrix palettes that programs use. Lanes that want a row elsewhere send
// their group the long way. Measured on Sapphire Rapids, 3 rows for 16 lanes: 25 ns by loads, 6.5 ns with 64
// rows, 14 ns with 96.
#include <algorithm>

#include "backend/x64/lower.h"
#include "ir/analysis/range.h"

namespace warpjit::backend::x64 {

using ir::Opcode;
using ir::Value;
using lir::Inst;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

namespace {

constexpr std::uint32_t kRowBytes = 16;
constexpr std::uint32_t kMostRows = 64, kRowsOfLookUp = 32;
constexpr std::uint32_t kFewRows = 32;  // a window that serves fewer is not worth its test

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
  std::uint32_t rows;
};

}  // namespace

// The window begins where as many loads as possible begin.
RowTables choose_row_tables(const ir::Function& kernel) {
  std::vector<Reach> reaches;
  for (std::uint32_t b = 0; b < kernel.block_count(); ++b)
    for (ir::Inst i : kernel.insts(ir::Block{b})) {
      if (kernel.inst(i).opcode != Opcode::LoadUniformRow) continue;
      const Value index = kernel.operand(i, 0);
      if (kernel.value(index).shape != ir::Shape::varying) continue;
      const std::uint64_t immediate = kernel.inst(i).immediate;
      const std::uint64_t end = std::min(immediate >> 32, ir::upper_bound(kernel, index) + 1);
      const std::uint32_t first = likely_first(kernel, index);
      if (first >= end) continue;
      reaches.push_back({static_cast<std::int32_t>((immediate & 0xffffffffu) + first * kRowBytes),
                         static_cast<std::uint32_t>(end - first)});
    }
  const auto before = [](const Reach& a, const Reach& b) { return a.first < b.first; };
  std::sort(reaches.begin(), reaches.end(), before);
  constexpr auto kSpan = static_cast<std::int32_t>((kMostRows - kFewRows) * kRowBytes);
  std::size_t best = 0, most = 0, end = 0;
  for (std::size_t k = 0; k < reaches.size(); ++k) {
    while (end < reaches.size() && reaches[end].first <= reaches[k].first + kSpan) ++end;
    if (end - k > most) best = k, most = end - k;
  }
  if (most == 0) return {};
  RowTables tables;
  tables.source = reaches[best].first;
  tables.rows = kRowsOfLookUp;
  for (std::size_t k = best; k < best + most; ++k) {
    const auto skipped = static_cast<std::uint32_t>(reaches[k].first - tables.source) / kRowBytes;
    if (skipped + reaches[k].rows > kRowsOfLookUp) tables.rows = kMostRows;
  }
  return tables;
}

// Rows are served as long as their common window stays worth it.
std::size_t Lowering::rows_with_shortcut(Value index, std::span<const TableRow> rows) {
  const RowTables& tables = role_.row_tables;
  if (tables.rows == 0) return 0;
  const std::uint64_t bound = ir::upper_bound(f_, index);
  const std::int64_t likely = likely_first(f_, index);
  std::int64_t first = 0, end = std::int64_t{1} << 32;
  std::size_t served = 0;
  for (const TableRow& row : rows) {
    const std::int64_t distance = std::int64_t{tables.source} - row.offset;
    if (distance % kRowBytes != 0) break;
    const std::int64_t from = std::max(first, distance / kRowBytes);
    const std::int64_t to = std::min({end, distance / kRowBytes + tables.rows, std::int64_t{row.count}});
    const std::int64_t reached = std::min(std::int64_t{row.count}, static_cast<std::int64_t>(bound) + 1);
    if (from > likely || to < std::min(likely + kFewRows, reached)) break;
    first = from;
    end = to;
    ++served;
  }
  near_first_ = static_cast<std::uint32_t>(first);
  near_count_ = static_cast<std::uint32_t>(end - first);
  always_near_ = first == 0 && static_cast<std::int64_t>(bound) < end;
  return served;
}

Mask Lowering::shortcut_refused(Value index, std::uint32_t p) {
  Reg number = vector(index, p);
  if (always_near_) return {};
  if (near_first_ != 0) number = vvv(Op::ISub, number, constant_source(near_first_));
  return {compare(Op::CmpU, number, constant_source(near_count_), integer_predicate::kGe)};
}

std::array<Reg, 4> Lowering::load_by_shortcut(Value index, const TableRow& row, std::uint32_t p) {
  const RowTables& tables = role_.row_tables;
  // To what the index is in the tables; their lowest bits alone count in a permutation.
  const std::int32_t shift = (row.offset - tables.source) / static_cast<std::int32_t>(kRowBytes);
  Reg number = vector(index, p), in_first = lir::kNoReg;
  if (tables.rows > kRowsOfLookUp)
    in_first = compare(Op::CmpI, number,
                       constant_source(kRowsOfLookUp - static_cast<std::uint32_t>(shift)),
                       integer_predicate::kLt);
  if (shift % static_cast<std::int32_t>(kRowsOfLookUp) != 0)
    number = vvv(Op::IAdd, number, constant_source(static_cast<std::uint32_t>(shift)));
  std::array<Reg, 4> components;
  for (std::uint32_t c = 0; c < 4; ++c) {
    const auto look_up = [&](std::uint32_t first_row) {
      const std::int32_t at = tables.place + static_cast<std::int32_t>((c * tables.rows + first_row) * 4);
      Inst& load = add(Op::LoadFull, RegClass::vector);
      load.mem.base = MemBase::table;
      load.mem.displacement = at;
      load.flags |= lir::kRemat;
      const Reg lower = load.def;
      Inst& inst = add(Op::LookUp, RegClass::vector);
      inst.flags |= lir::kTied;
      use(inst, lower);
      use(inst, number);
      Source upper;
      upper.mem.base = MemBase::table;
      upper.mem.displacement = at + static_cast<std::int32_t>(host_.vector_bytes);
      use_source(inst, upper);
      return inst.def;
    };
    components[c] = look_up(0);
    if (in_first == lir::kNoReg) continue;
    components[c] = blend(look_up(kRowsOfLookUp), reg_source(components[c]), in_first);
  }
  return components;
}

}  // namespace warpjit::backend::x64
