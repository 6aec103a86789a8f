#include "backend/lir/lir.h"

#include <algorithm>

namespace warpjit::lir {

// Definitions precede uses in emission order except over back edges, so when one backward walk
// comes to a definition it has counted all its uses: it finds all dead definitions except
// cycles through arguments of blocks.
void count_uses(Code& code, std::vector<std::uint32_t>& uses) {
  uses.assign(code.classes.size(), 0);
  for (auto b = static_cast<std::uint32_t>(code.blocks.size()); b-- > 0;) {
    Block& block = code.blocks[b];
    for (Reg arg : block.args) ++uses[arg];
    for (std::uint32_t i = block.end; i-- > block.first;) {
      const Inst& inst = code.insts[i];
      if (is_dead(inst, uses)) continue;
      for (int k = 0; k < inst.use_count; ++k)
        if (inst.use[k] != kNoReg) ++uses[inst.use[k]];
    }
    for (std::size_t p = block.params.size(); p-- > 0;) {
      if (uses[block.params[p]] != 0) continue;
      block.params.erase(block.params.begin() + p);
      for (std::uint32_t pred : block.predecessors) {
        Regs& args = code.blocks[pred].args;
        if (pred >= b) --uses[args[p]];  // the walk has been there
        args.erase(args.begin() + p);
      }
    }
  }
}

void remove_dead(Code& code, const std::vector<std::uint32_t>& uses) {
  std::uint32_t out = 0;
  for (Block& block : code.blocks) {
    const std::uint32_t first = out;
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      if (is_dead(code.insts[i], uses)) continue;
      if (out != i) code.insts[out] = code.insts[i];
      ++out;
    }
    block.first = first;
    block.end = out;
  }
  code.insts.resize(out);
}

void eliminate_dead_code(Code& code) {
  std::vector<std::uint32_t> uses;
  count_uses(code, uses);
  remove_dead(code, uses);
}

void find_cold_entries(const Code& code, std::vector<std::uint32_t>& entries) {
  entries.clear();
  if (std::none_of(code.blocks.begin(), code.blocks.end(), [](const Block& b) { return b.cold; })) return;
  entries.assign(code.blocks.size(), kNoBlock);
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
    const Block& block = code.blocks[b];
    if (!block.cold) continue;
    std::uint32_t entry = kNoBlock;
    for (std::uint32_t p : block.predecessors) {
      const std::uint32_t before = p < b ? entries[p] : kNoBlock;
      if (before == kNoBlock || (entry != kNoBlock && entry != before)) {
        entry = kNoBlock;
        break;
      }
      entry = before;
    }
    entries[b] = entry == kNoBlock ? b : entry;
  }
}

std::string verify(const Code& code) {
  auto at = [](std::size_t b, std::uint32_t i) {
    return "LIR block " + std::to_string(b) + ", instruction " + std::to_string(i) + ": ";
  };
  std::vector<char> defined(code.classes.size(), 0);
  for (std::size_t b = 0; b < code.blocks.size(); ++b) {
    const Block& block = code.blocks[b];
    if (block.first >= block.end) return at(b, block.first) + "empty block";
    for (Reg param : block.params) {
      if (param >= defined.size() || defined[param]) return at(b, block.first) + "bad parameter";
      defined[param] = 1;
    }
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      const Inst& inst = code.insts[i];
      for (int k = 0; k < inst.use_count; ++k)
        if (inst.use[k] != kNoReg && (inst.use[k] >= defined.size() || !defined[inst.use[k]]))
          return at(b, i) + "use " + std::to_string(k) + " before its definition";
      if (inst.def == kNoReg) continue;
      if (inst.def >= defined.size() || defined[inst.def]) return at(b, i) + "second definition";
      if ((inst.flags & kTied) && code.classes[inst.def] != code.classes[inst.use[0]])
        return at(b, i) + "tied classes differ";
      defined[inst.def] = 1;
    }
    if (block.successors.size() == 1) {
      const Block& next = code.blocks[block.successors[0]];
      if (next.params.size() != block.args.size())
        return at(b, block.end) + "arguments do not match parameters";
      for (std::size_t k = 0; k < block.args.size(); ++k)
        if (code.classes[block.args[k]] != code.classes[next.params[k]])
          return at(b, block.end) + "argument class";
    } else {
      for (std::uint32_t s : block.successors)
        if (!code.blocks[s].params.empty() || code.blocks[s].predecessors.size() != 1)
          return at(b, block.end) + "critical edge";
    }
  }
  return {};
}

}  // namespace warpjit::lir
