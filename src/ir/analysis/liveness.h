// Which values are live at the borders of blocks. A phi's operand is live at the end of the predecessor it
// comes from; its result is defined at the start of the phi's block, and not live into it.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace warpjit::ir {

class Liveness {
 public:
  explicit Liveness(const Function& f);

  bool live_in(Block b, Value v) const { return bit(row(b, 0), v); }
  bool live_out(Block b, Value v) const { return bit(row(b, 1), v); }

  // Calls visit(Value) for each live value, in ascending order.
  template <class Visit>
  void for_each_live_in(Block b, Visit visit) const {
    for_each(row(b, 0), visit);
  }
  template <class Visit>
  void for_each_live_out(Block b, Visit visit) const {
    for_each(row(b, 1), visit);
  }

 private:
  std::size_t row(Block b, std::size_t out) const { return (std::size_t{b.id} * 2 + out) * words_; }
  bool bit(std::size_t row, Value v) const { return ((bits_[row + v.id / 64] >> (v.id % 64)) & 1) != 0; }
  template <class Visit>
  void for_each(std::size_t row, Visit visit) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t rest = bits_[row + w]; rest != 0; rest &= rest - 1)
        visit(Value{static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(__builtin_ctzll(rest))});
  }

  std::size_t words_;                // per set
  std::vector<std::uint64_t> bits_;  // live-in and live-out of each block, one after the other
};

}  // namespace warpjit::ir
