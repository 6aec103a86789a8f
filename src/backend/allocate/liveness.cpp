#include "backend/allocate/liveness.h"

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

void Liveness::run(const Code& code) {
  code_ = &code;
  collect_uses();
  find_loops();
  solve();
  pressure_.clear();
}

void Liveness::use(Reg v, std::uint32_t block, std::uint32_t position) {
  Value& value = values_[v];
  later_.push_back(value.next);
  if (value.next == kNever) value.last_position = position;
  value.next = position;
  if (value.seen_in == block) return;
  value.seen_in = block;
  upward_exposed_.push_back({v, block});
}

void Liveness::define(Reg v, std::uint32_t block, std::uint32_t position) {
  Value& value = values_[v];
  value.definition = position;
  value.definition_block = block;
  value.last_position = std::max(value.last_position, position);
  if (value.last_position < code_->blocks[block].end) return;
  value.global = static_cast<std::uint32_t>(globals_.size());
  globals_.push_back(v);
}

// One walk from the end.
void Liveness::collect_uses() {
  values_.assign(code_->classes.size(), Value{});
  later_.clear();
  globals_.clear();
  upward_exposed_.clear();
  for (auto b = static_cast<std::uint32_t>(code_->blocks.size()); b-- > 0;) {
    const Block& block = code_->blocks[b];
    const std::size_t first_here = upward_exposed_.size();
    for (std::size_t k = block.args.size(); k-- > 0;) use(block.args[k], b, block.end - 1);
    for (std::uint32_t i = block.end; i-- > block.first;) {
      const Inst& inst = code_->insts[i];
      if (inst.def != kNoReg) define(inst.def, b, i);
      for (int k = inst.use_count; k-- > 0;)
        if (inst.use[k] != kNoReg) use(inst.use[k], b, i);
    }
    for (Reg param : block.params) define(param, b, block.first);
    // What the block itself defines is not exposed.
    const auto exposed_end = std::remove_if(
        upward_exposed_.begin() + static_cast<std::ptrdiff_t>(first_here), upward_exposed_.end(),
        [&](const Use& u) { return values_[u.value].definition_block == b; });
    upward_exposed_.erase(exposed_end, upward_exposed_.end());
  }
  later_end_ = later_.data() + later_.size();
}

void Liveness::solve() {
  const Code& code = *code_;
  words_ = static_cast<std::uint32_t>((globals_.size() + 63) / 64);
  if (words_ == 0) return;
  const std::size_t size = code.blocks.size() * words_;
  in_.assign(size, 0);
  out_.assign(size, 0);
  defined_.assign(size, 0);
  auto set = [&](std::vector<std::uint64_t>& bits, std::size_t b, Reg v) {
    bits[b * words_ + values_[v].global / 64] |= std::uint64_t{1} << (values_[v].global % 64);
  };
  for (Reg v : globals_) set(defined_, values_[v].definition_block, v);
  for (const Use& u : upward_exposed_) set(in_, u.block, u.value);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = code.blocks.size(); b-- > 0;) {
      std::uint64_t* const out = out_.data() + b * words_;
      for (std::uint32_t s : code.blocks[b].successors)
        for (std::uint32_t w = 0; w < words_; ++w) out[w] |= in_[std::size_t{s} * words_ + w];
      for (std::uint32_t w = 0; w < words_; ++w) {
        const std::uint64_t old = in_[b * words_ + w], in = old | (out[w] & ~defined_[b * words_ + w]);
        changed |= in != old;
        in_[b * words_ + w] = in;
      }
    }
    if (!has_loops_) break;  // every block came after its successors
  }
  for (std::size_t b = 0; b < code.blocks.size(); ++b)
    for (std::uint32_t w = 0; w < words_; ++w)
      for (std::uint64_t bits = out_[b * words_ + w]; bits != 0; bits &= bits - 1) {
        Reg v = globals_[w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits))];
        values_[v].last_position = std::max(values_[v].last_position, code.blocks[b].end - 1);
      }
}

void Liveness::find_loops() {
  const Code& code = *code_;
  has_loops_ = false;
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

void Liveness::measure_pressure() {
  const Code& code = *code_;
  pressure_.assign(code.blocks.size(), {});
  for (Value& value : values_) value.seen_in = kNever;
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
    if (loops_[b].header == kNever) continue;
    const Block& block = code.blocks[b];
    std::array<std::uint32_t, kClassCount> live = {}, most = {};
    auto start = [&](Reg v) {
      if (values_[v].seen_in == b) return;
      values_[v].seen_in = b;
      const auto c = static_cast<std::size_t>(code.classes[v]);
      most[c] = std::max(most[c], ++live[c]);
    };
    for (std::uint32_t w = 0; w < words_; ++w)
      for (std::uint64_t bits = out_[std::size_t{b} * words_ + w]; bits != 0; bits &= bits - 1)
        start(globals_[w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits))]);
    for (Reg arg : block.args) start(arg);
    for (std::uint32_t i = block.end; i-- > block.first;) {
      const Inst& inst = code.insts[i];
      for (int k = 0; k < inst.use_count; ++k)
        if (inst.use[k] != kNoReg) start(inst.use[k]);
      if (inst.def != kNoReg && values_[inst.def].seen_in == b)
        --live[static_cast<std::size_t>(code.classes[inst.def])];
    }
    pressure_[b] = most;
  }
}

std::uint32_t Liveness::loop_pressure(std::uint32_t header, RegClass c) {
  if (pressure_.empty()) measure_pressure();
  std::uint32_t most = 0;
  for (std::uint32_t b = header; b < loops_.size() && loops_[b].header != kNever; ++b) {
    if (b > loops_[header].last) break;
    most = std::max(most, pressure_[b][static_cast<std::size_t>(c)]);
  }
  return most;
}

}  // namespace warpjit::lir
