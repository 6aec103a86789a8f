// Which values are live at the borders of blocks. A phi's operand is live at the end of the predecessor it
// comes from; its result is defined at the start of the phi's block, and not live into it. Time and memory
// grow with the number of live values, summed over the blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/function.h"

namespace warpjit::ir {

class Liveness {
 public:
  // of_lanes: only values that differ between lanes, and not because BurnFuel counts lanes by them; it does
  // so only when all fuel is used up.
  enum class Uses { all, of_lanes };
  explicit Liveness(const Function& f, Uses uses = Uses::all);

  // In ascending order.
  std::span<const Value> live_in(Block b) const { return in_[b]; }
  std::span<const Value> live_out(Block b) const { return out_[b]; }
  bool live_in(Block b, Value v) const { return holds(in_[b], v); }
  bool live_out(Block b, Value v) const { return holds(out_[b], v); }

 private:
  // A set of values for each block, in one piece of memory. Values are added in ascending order.
  class Sets {
   public:
    void add(Block b, Value v) { added_.push_back({b, v}); }
    void finish(std::size_t blocks);
    std::span<const Value> operator[](Block b) const {
      return {values_.data() + first_[b.id], first_[b.id + 1] - first_[b.id]};
    }

   private:
    struct Added {
      Block block;
      Value value;
    };
    std::vector<Added> added_;  // until finish()
    std::vector<std::size_t> first_;
    std::vector<Value> values_;
  };
  static bool holds(std::span<const Value> set, Value v) {
    return std::binary_search(set.begin(), set.end(), v);
  }

  Sets in_, out_;
};

}  // namespace warpjit::ir
