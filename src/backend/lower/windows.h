// Loads of what code must know of a MemoryWindow. Windows do not change while a kernel runs.
#pragma once

#include <optional>
#include <vector>

#include "backend/lower/value_forms.h"
#include "ir/memory.h"

namespace warpjit::backend {

class WindowFields : protected ValueForms {
 public:
  explicit WindowFields(State& state) : ValueForms(state) {}

  struct Window {  // a MemoryWindow, and the access in it
    ir::MemoryAccess access;
    Reg table;           // address of all windows
    std::int32_t place;  // byte of this one
    std::int32_t limit;  // byte of the limit for the access's extent
    std::int32_t count;  // byte of the number of pieces of that size
    bool shifted;        // its address may not be 0
  };
  Window window_of(const ir::MemoryAccess& access, ir::Value address) {
    return window_at(access, place_of(access, address));
  }
  // The byte of the window among all windows: windows of one place, and no others, have the same fields.
  std::int32_t place_of(const ir::MemoryAccess& access, ir::Value address);
  Window window_at(const ir::MemoryAccess& access, std::int32_t place);
  // The first lock of shared memory, a byte for each word.
  Reg locks();
  Reg load_field(Op op, const Window& window, std::size_t field);
  void begin_block() { fields_.clear(); }

 private:
  std::optional<std::size_t> pointer_in(std::uint8_t space, ir::Value address);
  std::optional<PointerPlace> find_pointer(std::uint8_t space, ir::Value address);
  ir::Value stored_in_frame(std::uint64_t slot);
  struct LoadedField {
    Op op;
    std::int32_t displacement;
    Cached loaded;
  };
  Cached windows_;                   // KernelArgs::windows
  std::vector<ir::Value> in_frame_;  // by slot of the frame: what is stored there first; empty until needed
  std::vector<LoadedField> fields_;  // this block's
};

}  // namespace warpjit::backend
