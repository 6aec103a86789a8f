#include <array>

#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

// A block of its own on edge k of b. Phi operands keep their places.
Block split_edge(Function& f, Block b, std::size_t k) {
  const Block target = f.block(b).successors[k];
  const Block middle = f.add_block(f.block(target).guest_address);
  f.append(middle, f.make(Opcode::Jump, {}));
  f.block(middle).predecessors = {b};
  f.block(middle).successors = {target};
  f.block(b).successors[k] = middle;
  f.block(target).predecessors[f.predecessor_index(target, b)] = middle;
  return middle;
}

}  // namespace

void insert_fuel(Function& f) {
  const auto count = static_cast<std::uint32_t>(f.block_count());
  for (std::uint32_t id = 0; id < count; ++id) {
    const Block b{id};
    const std::uint64_t backward = f.block(b).backward;
    if (backward == 0) continue;
    f.block(b).backward = 0;
    const std::size_t edges = f.block(b).successors.size();
    for (std::size_t k = 0; k < edges && k < 64; ++k) {
      if (((backward >> k) & 1) == 0) continue;
      const Block home = edges == 1 ? b : split_edge(f, b, k);
      const Inst burn = f.make(Opcode::BurnFuel, std::array{f.constant_value(Type::i1, 1)});
      f.inst(burn).guest_address = f.inst(f.terminator(b)).guest_address;
      f.insert_before(f.terminator(home), burn);
    }
  }
}

}  // namespace warpjit::ir
