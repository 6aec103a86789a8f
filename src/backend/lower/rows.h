// Lowering of words and rows of the uniform table, and of rows of bindings: one of each thread, one of
// several that it has (LoadInputRow, StoreOutputRow), or one that another binding numbers.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "backend/lower/host_parts.h"

namespace warpjit::backend {

class RowLowering : protected ValueForms, public InputLoader {
 public:
  RowLowering(State& state, HostMasks& masks, HostRows& rows)
      : ValueForms(state), masks_(masks), rows_(rows) {}

  // Input rows are loaded where their first component is used: fewer registers are busy until then. This
  // loads what is still to be loaded.
  void flush_inputs();
  void load_input(ir::Inst i) override;
  // Rows of four words, of all lanes of a part: the first one's address, and the bytes from each to the next.
  std::array<Reg, 4> load_rows(Reg first, Reg stride);
  // At `base` plus each lane's offset, below 2^31.
  std::array<Reg, 4> load_rows_at(Reg base, Reg offsets) { return rows_.rows_at(base, offsets); }
  void store_rows(Reg first, Reg stride, const std::array<Reg, 4>& components);
  // Two words of each lane, side by side from the address on.
  void store_pairs(Reg first, Reg x, Reg y);
  // At the end of the preamble: the tables that Role::row_tables names.
  void make_row_tables();

  void load_uniform_row(ir::Inst i);
  void look_up_uniform(ir::Inst i);
  void store_uniform_int(ir::Inst i);
  void store_uniform_float(ir::Inst i);
  void begin_input(ir::Inst i) { pending_inputs_.push_back(i); }
  void store_output(ir::Inst i);
  void load_input_row(ir::Inst i);
  void store_output_row(ir::Inst i);

 private:
  using Components = std::array<Reg, 4>;
  // Where a binding's rows are, one part at a time.
  struct RowPointers {
    std::array<Reg, 4> strides;       // times 1, 2 and 3: bytes from a row to later ones
    Reg next;                         // the pointer made last
    std::array<Reg, 4> every_fourth;  // rows 0, 4, 8, ... of the part
  };
  // Bindings (rows.cpp). A binding is named by its displacement in the KernelArgs.
  RowPointers row_pointers(std::size_t binding);
  RowPointers row_pointers(Reg first, Reg stride);
  void point_at_part(RowPointers& rows, std::uint32_t part);
  void at_row(lir::InstRef inst, const RowPointers& rows, std::uint32_t lane, std::uint32_t k) const;
  // Row `quarter` of four of a vector, into the rows before it.
  lir::InstRef begin_row_load(std::uint32_t quarter, Reg before);
  Components load_components(const RowPointers& rows);
  // Prefetches the cache lines of rows that later groups come to. Op::AskToRead or AskToWrite.
  void ask_ahead(Op ask, const RowPointers& rows);
  // Not all lines can be on their way at once: the input rows of these parts are prefetched where they are
  // loaded, those of the others ahead of the first results; where inputs are interleaved, of one input.
  std::uint32_t parts_asked_first() const;
  void ask_for_other_parts();
  void store_components(const RowPointers& rows, const Components& components);
  void define_components(ir::Inst i, std::uint32_t p, const Components& components);
  // One row of several, and numbered rows (indexed_rows.cpp).
  void load_numbered_input(ir::Inst i);
  Reg clamped_offsets(Value index, std::uint32_t limit, std::uint32_t p);
  RowPointers point_at_rows(std::size_t binding, std::uint64_t row);
  template <class Visit>
  void each_row_address(RowPointers& rows, Reg offsets, std::uint32_t p, Visit visit);
  // The uniform table (table_rows.cpp).
  std::vector<TableRow> rows_of_index(ir::Inst first) const;
  Components uniform_row(Reg number, const TableRow& row);
  void load_same_or_any_rows(Value index, std::span<const TableRow> rows);
  // The components of all parts of rows, one after the other: of as many as there are.
  void define_rows(std::span<const TableRow> rows, std::span<const Reg> components);

  HostMasks& masks_;
  HostRows& rows_;
  std::vector<ir::Inst> pending_inputs_;  // loads of this block whose results nothing has read yet
  std::vector<std::size_t> half_asked_;   // input bindings whose other parts are still to be prefetched
  std::int32_t row_offsets_ = -1;         // frame area for the byte offsets of lanes' rows, a part's worth
};

}  // namespace warpjit::backend
