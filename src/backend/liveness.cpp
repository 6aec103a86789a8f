#include "backend/liveness.h"

#include <algorithm>

namespace warpjit::lir {

namespace {

// visit(register, position, block) for every use.
template <class Visit>
void for_each_use(const Code& code, Visit&& visit) {
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
    const Block& block = code.blocks[b];
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      const Inst& inst = code.insts[i];
      for (int k = 0; k < inst.use_count; ++k)
        if (inst.use[k] != kNoReg) visit(inst.use[k], i, b);
    }
    for (Reg arg : block.args) visit(arg, block.end - 1, b);
  }
}

}  // namespace

std::uint64_t liveness_bits(const Code& code) {
  std::vector<std::uint32_t> home(code.classes.size(),
                                  0);  // the block that defines a register; kNever: counted
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
    for (Reg param : code.blocks[b].params) home[param] = b;
    for (std::uint32_t i = code.blocks[b].first; i < code.blocks[b].end; ++i)
      if (code.insts[i].def != kNoReg) home[code.insts[i].def] = b;
  }
  std::uint64_t globals = 0;
  for_each_use(code, [&](Reg v, std::uint32_t, std::uint32_t b) {
    if (home[v] == b || home[v] == kNever) return;
    home[v] = kNever;
    ++globals;
  });
  return globals * code.blocks.size();
}

Liveness::Liveness(const Code& code) {
  collect_uses(code);
  solve(code);
  find_loops(code);
  if (has_loops_) measure_pressure(code);
}

void Liveness::collect_uses(const Code& code) {
  const std::size_t count = code.classes.size();
  definition_.assign(count, 0);
  definition_block_.assign(count, 0);
  last_position_.assign(count, 0);
  global_.assign(count, kNever);
  use_first_.assign(count + 1, 0);
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
    const Block& block = code.blocks[b];
    for (Reg param : block.params) {
      definition_[param] = block.first;
      definition_block_[param] = b;
    }
    for (std::uint32_t i = block.first; i < block.end; ++i)
      if (Reg def = code.insts[i].def; def != kNoReg) {
        definition_[def] = i;
        definition_block_[def] = b;
        last_position_[def] = i;
      }
  }
  for_each_use(code, [&](Reg v, std::uint32_t position, std::uint32_t b) {
    ++use_first_[v + 1];
    last_position_[v] = std::max(last_position_[v], position);
    if (definition_block_[v] == b) return;
    if (global_[v] == kNever) {
      global_[v] = static_cast<std::uint32_t>(globals_.size());
      globals_.push_back(v);
    }
    upward_exposed_.push_back({v, b});
  });
  for (std::size_t v = 0; v < count; ++v) use_first_[v + 1] += use_first_[v];
  use_position_.resize(use_first_[count]);
  cursor_.assign(use_first_.begin(), use_first_.end() - 1);
  for_each_use(code,
               [&](Reg v, std::uint32_t position, std::uint32_t) { use_position_[cursor_[v]++] = position; });
  std::copy(use_first_.begin(), use_first_.end() - 1, cursor_.begin());
}

void Liveness::solve(const Code& code) {
  words_ = static_cast<std::uint32_t>((globals_.size() + 63) / 64);
  if (words_ == 0) return;
  const std::size_t size = code.blocks.size() * words_;
  in_.assign(size, 0);
  out_.assign(size, 0);
  std::vector<std::uint64_t> defined(size, 0);
  auto set = [&](std::vector<std::uint64_t>& bits, std::size_t b, Reg v) {
    bits[b * words_ + global_[v] / 64] |= std::uint64_t{1} << (global_[v] % 64);
  };
  for (Reg v : globals_) set(defined, definition_block_[v], v);
  for (const auto& [v, b] : upward_exposed_) set(in_, b, v);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = code.blocks.size(); b-- > 0;) {
      for (std::uint32_t w = 0; w < words_; ++w) {
        std::uint64_t out = 0;
        for (std::uint32_t s : code.blocks[b].successors) out |= in_[std::size_t{s} * words_ + w];
        std::uint64_t in = in_[b * words_ + w] | (out & ~defined[b * words_ + w]);
        changed |= in != in_[b * words_ + w];
        out_[b * words_ + w] = out;
        in_[b * words_ + w] = in;
      }
    }
  }
  for (std::size_t b = 0; b < code.blocks.size(); ++b)
    for (std::uint32_t w = 0; w < words_; ++w)
      for (std::uint64_t bits = out_[b * words_ + w]; bits != 0; bits &= bits - 1) {
        Reg v = globals_[w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits))];
        last_position_[v] = std::max(last_position_[v], code.blocks[b].end - 1);
      }
}

void Liveness::find_loops(const Code& code) {
  loops_.assign(code.blocks.size(), Loop{});
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b)
    for (std::uint32_t s : code.blocks[b].successors) {
      if (s > b) continue;
      has_loops_ = true;
      for (std::uint32_t inside = s; inside <= b; ++inside) {
        Loop& loop = loops_[inside];
        if (loop.header == kNever || s > loop.header || (s == loop.header && b > loop.last)) loop = {s, b};
      }
    }
}

void Liveness::measure_pressure(const Code& code) {
  pressure_.assign(code.blocks.size(), {});
  std::vector<std::uint32_t> seen(code.classes.size(), kNever);
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
    if (loops_[b].header == kNever) continue;
    const Block& block = code.blocks[b];
    std::array<std::uint32_t, kClassCount> live = {};
    auto start = [&](Reg v) {
      if (seen[v] == b) return;
      seen[v] = b;
      ++live[static_cast<std::size_t>(code.classes[v])];
    };
    for (std::uint32_t w = 0; w < words_; ++w)
      for (std::uint64_t bits = out_[std::size_t{b} * words_ + w]; bits != 0; bits &= bits - 1)
        start(globals_[w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits))]);
    for (Reg arg : block.args) start(arg);
    pressure_[b] = live;
    for (std::uint32_t i = block.end; i-- > block.first;) {
      const Inst& inst = code.insts[i];
      for (int k = 0; k < inst.use_count; ++k)
        if (inst.use[k] != kNoReg) start(inst.use[k]);
      for (std::size_t c = 0; c < kClassCount; ++c) pressure_[b][c] = std::max(pressure_[b][c], live[c]);
      if (inst.def != kNoReg && seen[inst.def] == b) --live[static_cast<std::size_t>(code.classes[inst.def])];
    }
  }
}

std::uint32_t Liveness::loop_pressure(std::uint32_t header, RegClass c) const {
  std::uint32_t most = 0;
  for (std::uint32_t b = header; b < loops_.size() && loops_[b].header != kNever; ++b) {
    if (b > loops_[header].last) break;
    most = std::max(most, pressure_[b][static_cast<std::size_t>(c)]);
  }
  return most;
}

bool Liveness::used_between(Reg v, std::uint32_t first, std::uint32_t end) const {
  auto begin = use_position_.begin() + use_first_[v], stop = use_position_.begin() + use_first_[v + 1];
  auto found = std::lower_bound(begin, stop, first);
  return found != stop && *found < end;
}

}  // namespace warpjit::lir
