// Post-dominators within one turn of a loop: a back edge counts as leading to the exits of its loop, because
// the lanes that turn back leave some time. So "a post-dominates b" says that every lane which is at b comes
// to a before it is at b again. That is what equality of lane masks needs; plain post-dominance does not
// give it (a `continue` may miss the block through which all threads leave the loop at last).
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/loops.h"
#include "ir/function.h"

namespace warpjit::ir {

class PostDominators {
 public:
  // Expects a reducible function in which every loop has an exit.
  PostDominators(const Function& f, const Loops& loops);

  // Reflexive.
  bool dominates(Block a, Block b) const { return in_[a.id] <= in_[b.id] && in_[b.id] < out_[a.id]; }
  // Invalid if only the end of the function post-dominates b.
  Block immediate(Block b) const { return parent_[b.id]; }

 private:
  std::vector<Block> parent_;
  std::vector<std::uint32_t> in_, out_;  // preorder interval [in, out) of the subtree
};

}  // namespace warpjit::ir
