// Lowering of loads from the memory of textures. Offsets are limited to the view, so that nothing is checked.
#pragma once

#include <vector>

#include "backend/lower/host_parts.h"

namespace warpjit::backend {

class TexelLowering : protected ValueForms {
 public:
  TexelLowering(State& state, HostTexels& texels) : ValueForms(state), texels_(texels) {}

  void begin_block() { fields_.clear(); }

  void load_one(ir::Inst i);
  void load_pair(ir::Inst i);

 private:
  // A member of the texture's view: in a scalar, or in all lanes of a vector.
  Reg field(Op op, ir::Inst i, std::size_t member);
  void load_uniform(ir::Inst i, std::size_t last, std::uint32_t words);

  struct LoadedField {
    Op op;
    std::int32_t displacement;
    Cached loaded;
  };
  HostTexels& texels_;
  Cached views_;                     // KernelArgs::textures
  std::vector<LoadedField> fields_;  // this block's
};

}  // namespace warpjit::backend
