// Turns discovered blocks into IR: makes an IR block for each, has the guest translate them in their order,
// and seals each one for SSA construction as soon as all its edges are made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontend/flow/graph.h"
#include "ir/function.h"
#include "ir/pass/ssa.h"

namespace warpjit::flow {

class SsaBlocks {
 public:
  SsaBlocks(ir::Function& function, ir::Builder& builder, ir::SsaBuilder& ssa)
      : function_(function), builder_(builder), ssa_(ssa) {}

  // The IR block of a discovered block.
  ir::Block operator[](std::uint32_t number) const { return blocks_[number]; }
  // Where threads end.
  ir::Block exit() const { return exit_; }
  // An edge to a discovered block is made.
  void edge_made(std::uint32_t target) {
    if (--edges_left_[target] == 0) ssa_.seal(blocks_[target]);
  }

  // `order`: the reached blocks in translation order. first_address(number): where the code of a block
  // begins. begin() ends the function's entry with an edge to block 0, which it does not report by
  // edge_made(); translate(number) fills a block, which is current, and reports its edges; end() fills
  // the exit up to its return. The code runs `times` times in a row: begin() is called anew in each
  // exit but the last.
  template <class FirstAddress, class Begin, class Translate, class End>
  Status run(const Successors& successors, std::span<const std::uint32_t> order,
             const FirstAddress& first_address, const Begin& begin, const Translate& translate,
             const End& end, unsigned times = 1) {
    exit_ = function_.add_block();
    for (unsigned time = 0; time < times; ++time) {
      const ir::Block start = exit_;
      add_blocks(successors, order, first_address);
      builder_.set_guest_address(ir::kNoAddress);
      builder_.set_block(start);
      ssa_.seal(start);
      begin();
      edge_made(0);
      for (const std::uint32_t b : order) {
        builder_.set_block(blocks_[b]);
        translate(b);
      }
    }
    builder_.set_guest_address(ir::kNoAddress);
    builder_.set_block(exit_);
    ssa_.seal(exit_);
    end();
    builder_.ret();
    return ssa_.finish();
  }

 private:
  template <class FirstAddress>
  void add_blocks(const Successors& successors, std::span<const std::uint32_t> order,
                  const FirstAddress& first_address) {
    blocks_.resize(successors.size());
    edges_left_.assign(successors.size(), 0);
    for (const std::uint32_t b : order) {
      blocks_[b] = function_.add_block(first_address(b));
      for (const std::uint32_t target : successors[b]) ++edges_left_[target];
    }
    ++edges_left_[0];
    exit_ = function_.add_block();
  }

  ir::Function& function_;
  ir::Builder& builder_;
  ir::SsaBuilder& ssa_;
  std::vector<ir::Block> blocks_;  // of the discovered ones
  std::vector<std::uint32_t> edges_left_;
  ir::Block exit_;
};

}  // namespace warpjit::flow
