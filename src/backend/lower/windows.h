// Loads of what code must know of a MemoryWindow. Windows do not change while a kernel runs.
#pragma once

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
    std::int32_t count;  // likewise, of the number of pieces of that size
    bool shifted;        // its address may not be 0
  };
  Window window_of(const ir::MemoryAccess& access);
  // The first lock of shared memory, a byte for each word.
  Reg locks();
  Reg load_field(Op op, const Window& window, std::size_t field);
  void begin_block() { fields_.clear(); }

 private:
  struct LoadedField {
    Op op;
    std::int32_t displacement;
    Cached loaded;
  };
  Cached windows_;                   // KernelArgs::windows
  std::vector<LoadedField> fields_;  // this block's
};

}  // namespace warpjit::backend
