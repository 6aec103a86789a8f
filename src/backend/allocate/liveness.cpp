#include "backend/allocate/liveness.h"

#include <algorithm>
#include <bit>

namespace warpjit::lir {

namespace {

constexpr std::size_t kFewBlocks = 64;  // a set of them is one word

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

std::uint64_t liveness_bound(const Code& code) {
  // The block that defines a register; kNever: counted.
  std::vector<std::uint32_t> home(code.classes.size(), 0);
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
  find_loops();
  collect_uses();
  solve();
  pressure_.clear();
}

void Liveness::use(Reg v, std::uint32_t block, std::uint32_t position) {
  Value& value = values_[v];
  later_.push_back(value.next);
  if (value.next == kNever) value.last_position = position;
  value.next = position;
  if (!is_aside(block)) {
    later_on_way_.push_back(value.next_on_way);
    value.next_on_way = position;
  }
  if (value.seen_in == block) return;
  value.seen_in = block;
  exposed_.push_back({block, value.exposed});
  value.exposed = static_cast<std::uint32_t>(exposed_.size() - 1);
}

void Liveness::define(Reg v, std::uint32_t block, std::uint32_t position) {
  Value& value = values_[v];
  value.definition = position;
  value.definition_block = block;
  value.last_position = std::max(value.last_position, position);
  if (value.last_position < code_->blocks[block].end) return;
  value.global = static_cast<std::uint32_t>(globals_.size());
  globals_.push_back({v});
}

// One walk from the end.
void Liveness::collect_uses() {
  values_.assign(code_->classes.size(), Value{});
  later_.clear();
  later_on_way_.clear();
  globals_.clear();
  exposed_.clear();
  for (auto b = static_cast<std::uint32_t>(code_->blocks.size()); b-- > 0;) {
    const Block& block = code_->blocks[b];
    for (std::size_t k = block.args.size(); k-- > 0;) use(block.args[k], b, block.end - 1);
    for (std::uint32_t i = block.end; i-- > block.first;) {
      const Inst& inst = code_->insts[i];
      if (inst.def != kNoReg) define(inst.def, b, i);
      for (int k = inst.use_count; k-- > 0;)
        if (inst.use[k] != kNoReg) use(inst.use[k], b, i);
    }
    for (Reg param : block.params) define(param, b, block.first);
  }
  later_end_ = later_.data() + later_.size();
  later_on_way_end_ = later_on_way_.data() + later_on_way_.size();
}

// Each register by itself: the time grows with the blocks that it lives in.
void Liveness::solve() {
  ranges_.clear();
  const std::size_t words = code_->blocks.size() / 64 + 1;
  in_.assign(words, 0);
  out_.assign(words, 0);
  predecessors_.clear();
  if (code_->blocks.size() <= kFewBlocks)
    for (const Block& block : code_->blocks) {
      std::uint64_t bits = 0;
      for (std::uint32_t p : block.predecessors) bits |= std::uint64_t{1} << p;
      predecessors_.push_back(bits);
    }
  for (const Global& global : globals_) walk_up(global.value);
}

// From the blocks that use it up to the one that defines it.
void Liveness::walk_up(Reg v) {
  Value& value = values_[v];
  const std::uint32_t last = code_->blocks.size() <= kFewBlocks ? walk_few(value) : walk_many(value);
  Global& global = globals_[value.global];
  global.first_in = static_cast<std::uint32_t>(ranges_.size());
  take_ranges(in_, value.definition_block, last);
  global.first_out = static_cast<std::uint32_t>(ranges_.size());
  take_ranges(out_, value.definition_block, last);
  global.end = static_cast<std::uint32_t>(ranges_.size());
}

// Fills in_ and out_ and returns the last block of both.
std::uint32_t Liveness::walk_few(Value& value) {
  const auto bit = [](std::uint32_t b) { return std::uint64_t{1} << b; };
  const std::uint64_t others = ~bit(value.definition_block);
  std::uint64_t in = 0, out = 0;
  for (std::uint32_t use = value.exposed; use != kNever; use = exposed_[use].next)
    in |= bit(exposed_[use].block);
  in &= others;
  for (std::uint64_t pending = in; pending != 0;) {
    const auto b = static_cast<std::uint32_t>(std::countr_zero(pending));
    pending &= pending - 1;
    const std::uint64_t from = predecessors_[b] & ~out;
    out |= from;
    const std::uint64_t entered = from & others & ~in;
    in |= entered;
    pending |= entered;
  }
  in_[0] = in;
  out_[0] = out;
  const auto highest = [](std::uint64_t bits) {
    return 63 - static_cast<std::uint32_t>(std::countl_zero(bits));
  };
  if (out != 0) value.last_position = std::max(value.last_position, code_->blocks[highest(out)].end - 1);
  return highest(in | out | ~others);
}

std::uint32_t Liveness::walk_many(Value& value) {
  std::uint32_t last = value.definition_block;
  const auto add = [](std::vector<std::uint64_t>& blocks, std::uint32_t b) {
    const std::uint64_t bit = std::uint64_t{1} << (b % 64);
    const bool is_new = (blocks[b / 64] & bit) == 0;
    blocks[b / 64] |= bit;
    return is_new;
  };
  const auto enter = [&](std::uint32_t b) {
    if (b == value.definition_block || !add(in_, b)) return;
    last = std::max(last, b);
    to_visit_.push_back(b);
  };
  for (std::uint32_t use = value.exposed; use != kNever; use = exposed_[use].next) enter(exposed_[use].block);
  while (!to_visit_.empty()) {
    const std::uint32_t b = to_visit_.back();
    to_visit_.pop_back();
    for (std::uint32_t p : code_->blocks[b].predecessors) {
      if (!add(out_, p)) continue;
      last = std::max(last, p);
      value.last_position = std::max(value.last_position, code_->blocks[p].end - 1);
      enter(p);
    }
  }
  return last;
}

// Moves the blocks from `first` to `last`, where all of the set are, to ranges_.
void Liveness::take_ranges(std::vector<std::uint64_t>& blocks, std::uint32_t first, std::uint32_t last) {
  bool open = false;  // true if the last range goes up to the end of the word before
  for (std::uint32_t word = first / 64; word <= last / 64; ++word) {
    std::uint64_t bits = blocks[word];
    blocks[word] = 0;
    if ((bits & 1) == 0) open = false;
    while (bits != 0) {
      const auto begin = static_cast<std::uint32_t>(std::countr_zero(bits));
      const auto count = static_cast<std::uint32_t>(std::countr_one(bits >> begin));
      const std::uint32_t end = word * 64 + begin + count - 1;
      if (begin == 0 && open)
        ranges_.back().last = end;
      else
        ranges_.push_back({word * 64 + begin, end});
      open = begin + count == 64;
      bits = open ? 0 : bits >> (begin + count) << (begin + count);
    }
  }
}

// Loops that overlap without one holding the other count as nested; the one that begins later is inside.
void Liveness::find_loops() {
  const Code& code = *code_;
  loops_.assign(code.blocks.size(), Loop{});
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b)
    for (std::uint32_t s : code.blocks[b].successors)
      if (s <= b) loops_[s] = {s, b};  // of several back edges the last one
  for (std::uint32_t b = 0; b < loops_.size(); ++b) {
    if (loops_[b].header == b || b == 0) continue;
    // The loop of the block before, or one around that.
    Loop around = loops_[b - 1];
    while (around.header != kNever && around.last < b)
      around = around.header == 0 ? Loop{} : loops_[around.header - 1];
    loops_[b] = around;
  }
  aside_.clear();
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
    const auto leaves = [&](std::uint32_t to) { return to < loops_[b].header || to > loops_[b].last; };
    const Edges& to = code.blocks[b].successors;
    const bool all_leave =
        loops_[b].header != kNever && !to.empty() && std::all_of(to.begin(), to.end(), leaves);
    aside_.push_back(code.blocks[b].cold || all_leave ? 1 : 0);
  }
}

void Liveness::measure_pressure() {
  const Code& code = *code_;
  pressure_.assign(code.blocks.size(), {});
  // What lives out of a block: of ranges by their begin those that have begun and not ended.
  struct Live {
    Range range;
    Reg value;
  };
  std::vector<Live> all, now;
  for (const Global& global : globals_)
    for (std::uint32_t k = global.first_out; k < global.end; ++k) all.push_back({ranges_[k], global.value});
  std::sort(all.begin(), all.end(),
            [](const Live& a, const Live& b) { return a.range.first < b.range.first; });
  std::size_t begun = 0;
  for (Value& value : values_) value.seen_in = kNever;
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
    for (; begun < all.size() && all[begun].range.first <= b; ++begun) now.push_back(all[begun]);
    if (loops_[b].header == kNever || is_aside(b)) continue;
    std::erase_if(now, [&](const Live& live) { return live.range.last < b; });
    const Block& block = code.blocks[b];
    std::array<Pressure, kClassCount> live = {}, most = {};
    const auto made_in_loop = [&](Reg v) {
      const Value& value = values_[v];
      return value.definition_block >= loops_[b].header && code.insts[value.definition].def == v;
    };
    auto start = [&](Reg v) {
      if (values_[v].seen_in == b) return;
      values_[v].seen_in = b;
      const auto c = static_cast<std::size_t>(code.classes[v]);
      most[c].all = std::max(most[c].all, ++live[c].all);
      if (made_in_loop(v)) most[c].made = std::max(most[c].made, ++live[c].made);
    };
    auto end = [&](Reg v) {
      if (values_[v].seen_in != b) return;
      Pressure& of_class = live[static_cast<std::size_t>(code.classes[v])];
      --of_class.all;
      if (made_in_loop(v)) --of_class.made;
    };
    for (const Live& out : now) start(out.value);
    for (Reg arg : block.args) start(arg);
    for (std::uint32_t i = block.end; i-- > block.first;) {
      const Inst& inst = code.insts[i];
      for (int k = 0; k < inst.use_count; ++k)
        if (inst.use[k] != kNoReg) start(inst.use[k]);
      if (inst.def != kNoReg) end(inst.def);
    }
    pressure_[b] = most;
  }
}

Liveness::Pressure Liveness::loop_pressure(std::uint32_t header, RegClass c) {
  if (pressure_.empty()) measure_pressure();
  Pressure most;
  for (std::uint32_t b = header; b < loops_.size() && loops_[b].header != kNever; ++b) {
    if (b > loops_[header].last) break;
    const Pressure& here = pressure_[b][static_cast<std::size_t>(c)];
    most = {std::max(most.all, here.all), std::max(most.made, here.made)};
  }
  return most;
}

}  // namespace warpjit::lir
