// What computes one part of values stands together.
#include <algorithm>
#include <array>
#include <utility>

#include "backend/host.h"

namespace warpjit::backend {

using lir::Inst;

namespace {

constexpr std::size_t kMostParts = 256;  // what a byte tells apart
// Instructions that are ordered together. Measured on Zen 5: in loops of the integer hash, in eight parts, 64
// are better than 32, and as good as 256. Longer chains of one part keep the others waiting.
constexpr std::size_t kWindow = 64;

// Stays where it is, and the others on its sides. What addresses memory by a register is a load that others
// wait for: the loads of all parts begin as early as they did.
bool stays(const Inst& inst) {
  return !info(static_cast<Op>(inst.op)).pure() || inst.mem.base == lir::MemBase::reg;
}

class Orderer {
 public:
  Orderer(lir::Code& code, std::vector<Inst>& workspace) : code_(code), workspace_(workspace) {
    code.part_of.resize(code.classes.size(), 0);
  }

  void order(const lir::Block& block) {
    std::uint32_t first = block.first;
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      if (!stays(code_.insts[i])) {
        note(code_.insts[i]);
        if (part_.size() < kWindow) continue;
      }
      sort(first);
      first = i + 1;
    }
    sort(first);
  }

 private:
  // The last part of what it is made of, or its own, if that is later: so operands stay before their readers.
  void note(const Inst& inst) {
    std::uint8_t part = inst.def != lir::kNoReg ? code_.part_of[inst.def] : std::uint8_t{0};
    for (int k = 0; k < inst.use_count; ++k)
      if (inst.use[k] != lir::kNoReg) part = std::max(part, code_.part_of[inst.use[k]]);
    if (inst.def != lir::kNoReg) code_.part_of[inst.def] = part;
    in_order_ = in_order_ && (part_.empty() || part_.back() <= part);
    part_.push_back(part);
    ++count_[part];
    last_ = std::max(last_, part);
  }

  // Those noted, which begin at `first`; and forgets them.
  void sort(std::uint32_t first) {
    if (!in_order_) {
      workspace_.resize(std::max(workspace_.size(), part_.size()));
      std::uint32_t place = 0;
      for (std::size_t p = 0; p <= last_; ++p) place += std::exchange(count_[p], place);
      for (std::size_t n = 0; n < part_.size(); ++n) workspace_[count_[part_[n]]++] = code_.insts[first + n];
      std::copy_n(workspace_.begin(), part_.size(), code_.insts.begin() + first);
    }
    std::fill_n(count_.begin(), std::size_t{last_} + 1, 0);
    part_.clear();
    last_ = 0;
    in_order_ = true;
  }

  lir::Code& code_;
  std::vector<Inst>& workspace_;
  std::vector<std::uint8_t> part_;  // of each instruction that is noted
  std::array<std::uint32_t, kMostParts> count_ = {};
  std::uint8_t last_ = 0;
  bool in_order_ = true;
};

}  // namespace

void order_parts(lir::Code& code, std::vector<Inst>& workspace) {
  Orderer orderer(code, workspace);
  for (const lir::Block& block : code.blocks)
    if (!block.cold && block.loop_depth != 0) orderer.order(block);
}

}  // namespace warpjit::backend
