#include "backend/random_lir.h"

#include <algorithm>
#include <random>

#include "backend/allocate/parallel_move.h"

namespace warpjit::lir {
namespace {

enum Opcodes : std::uint16_t {
  kOperation = 1,
  kFixedOperation = 90,
  kSink = 100,
  kJump = 200,
  kBranch,
  kSwitch,
  kReturn
};
// In registers that random files may have or not.
constexpr FixedOperand kFixedOperands[] = {{kFixedOperation, 0, 1},
                                           {kFixedOperation, FixedOperand::kDefinition, 1},
                                           {kFixedOperation + 1, 0, 0},
                                           {kFixedOperation + 1, 1, 2},
                                           {kFixedOperation + 2, FixedOperand::kDefinition, 3},
                                           {kFixedOperation + 2, 1, 0}};

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}
std::uint64_t memory_value(const Mem& mem) {
  return mix(mix(77, static_cast<std::uint64_t>(mem.base)), static_cast<std::uint32_t>(mem.displacement));
}
// A value that folds must be exactly what its memory operand holds.
std::uint64_t result_of(const Inst& inst, std::span<const std::uint64_t> operands) {
  if (inst.flags & kRematFolds) return memory_value(inst.mem);
  std::uint64_t hash = mix(inst.op, static_cast<std::uint64_t>(inst.imm));
  // A memory operand counts only where it is not in place of a use.
  if (inst.flags & kRemat) hash = mix(hash, memory_value(inst.mem));
  for (std::uint64_t value : operands) hash = mix(hash, value);
  return hash;
}

class Generator {
 public:
  Generator(std::uint64_t seed, std::uint32_t size) : random_(seed), budget_(size) {
    style_live_ = below(4);
    style_remat_ = below(3);
  }

  Code run() {
    code_.fixed = kFixedOperands;
    new_block();
    for (int k = 0; k < 6; ++k) operation();
    region(0);
    while (budget_ > 0) region(0);
    // Some of what was ever made is needed at the end.
    for (std::uint32_t n = below(20); n-- > 0;) sink();
    sink();
    terminate(kReturn, {});
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b)
      for (std::uint32_t s : code_.blocks[b].successors) code_.blocks[s].predecessors.push_back(b);
    const std::uint32_t cold_share = below(3);
    for (std::uint32_t b = 1; b < code_.blocks.size(); ++b) code_.blocks[b].cold = below(4) < cold_share;
    std::vector<std::uint32_t> last(code_.blocks.size(), 0);
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b)
      for (std::uint32_t s : code_.blocks[b].successors)
        if (s <= b) last[s] = std::max(last[s], b + 1);
    for (std::uint32_t header = 0; header < code_.blocks.size(); ++header)
      for (std::uint32_t b = header; b < last[header]; ++b) ++code_.blocks[b].loop_depth;
    return std::move(code_);
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool chance(std::uint32_t one_in) { return below(one_in) == 0; }
  RegClass random_class() {
    const std::uint32_t pick = below(10);
    return pick < 6 ? RegClass::vector : pick < 8 ? RegClass::mask : RegClass::scalar;
  }

  std::uint32_t new_block() {
    code_.blocks.emplace_back();
    code_.blocks.back().first = here();
    return static_cast<std::uint32_t>(code_.blocks.size() - 1);
  }
  std::uint32_t current() const { return static_cast<std::uint32_t>(code_.blocks.size() - 1); }
  std::uint32_t here() const { return static_cast<std::uint32_t>(code_.insts.size()); }
  InstRef add(std::uint16_t op) {
    const InstRef inst = code_.new_inst();
    inst->op = op;
    return inst;
  }
  void terminate(std::uint16_t op, Edges successors) {
    Reg condition = op == kBranch || op == kSwitch ? any(RegClass::scalar) : kNoReg;
    const InstRef inst = add(op);
    if (condition != kNoReg) inst->use[inst->use_count++] = condition;
    code_.blocks.back().end = here();
    code_.blocks.back().successors = std::move(successors);
  }

  // A value in scope of this class: new ones mostly, but old ones too.
  Reg any(RegClass c) {
    std::vector<Reg> found;
    for (Reg v : scope_)
      if (code_.classes[v] == c) found.push_back(v);
    if (found.empty() || chance(30)) return remat(c);
    if (!chance(2 + style_live_)) {
      const auto recent = std::min<std::uint32_t>(4, static_cast<std::uint32_t>(found.size()));
      return found[found.size() - 1 - below(recent)];
    }
    return found[below(static_cast<std::uint32_t>(found.size()))];
  }
  Reg define(InstRef inst, RegClass c) {
    inst->def = code_.new_reg(c);
    scope_.push_back(inst->def);
    return inst->def;
  }
  Reg remat(RegClass c) {
    const InstRef inst = add(kOperation);
    inst->flags = kPure | kRemat;
    inst->imm = below(1000);
    if (chance(2)) {
      inst->mem.base = chance(2) ? MemBase::table : MemBase::pool;
      inst->mem.displacement = static_cast<std::int32_t>(below(100) * 4);
      if (chance(2)) inst->flags |= kRematFolds;
    }
    return define(inst, c);
  }

  // Uses of at most three registers a class, so that four suffice with a definition.
  Inst with_uses(std::uint32_t count) {
    Inst inst;
    std::array<std::uint32_t, kClassCount> used = {};
    for (std::uint32_t k = 0; k < count; ++k) {
      const RegClass c = random_class();
      if (++used[static_cast<std::size_t>(c)] > 3) continue;
      inst.use[inst.use_count++] = any(c);
    }
    return inst;
  }

  void operation() {
    if (budget_ > 0) --budget_;
    const RegClass c = random_class();
    if (below(8) < style_remat_) {
      remat(c);
      return;
    }
    if (chance(8)) return fixed_operation(c);
    Inst inst = with_uses(1 + below(4));
    inst.op = static_cast<std::uint16_t>(kOperation + below(50));
    inst.flags = kPure;
    inst.imm = below(1000);
    inst.prefer = static_cast<std::uint8_t>(random_());
    if (chance(3)) {
      const auto same =
          std::count_if(inst.use.begin() + 1, inst.use.begin() + std::max<int>(inst.use_count, 1),
                        [&](Reg v) { return code_.classes[v] == c; });
      if (same < 3) {
        inst.use[0] = any(c);
        inst.use_count = std::max<std::uint8_t>(inst.use_count, 1);
        inst.flags |= kTied;
      }
    } else if (chance(6)) {
      inst.flags |= kEarlyClobber;
    }
    if (chance(5) && inst.use_count > 0) {  // an address of its own
      const auto last = static_cast<std::uint8_t>(inst.use_count - 1);
      if (code_.classes[inst.use[last]] == RegClass::scalar && !(last == 0 && (inst.flags & kTied))) {
        inst.mem.base = MemBase::reg;
        inst.mem.base_use = last;
      }
    } else if (chance(2)) {
      for (int k = inst.flags & kTied ? 1 : 0; k < inst.use_count; ++k)
        if (chance(2)) inst.fold |= static_cast<std::uint8_t>(1 << k);
    }
    define(append(code_.insts, inst), c);
    if (chance(6)) sink();
  }
  void fixed_operation(RegClass c) {
    Inst inst;
    inst.op = static_cast<std::uint16_t>(kFixedOperation + below(3));
    inst.flags = kPure | kFixed;
    if (inst.op != kFixedOperation && chance(3)) inst.flags |= kEarlyClobber;
    inst.imm = below(1000);
    inst.prefer = static_cast<std::uint8_t>(random_());
    for (int k = 0; k < 2; ++k) inst.use[inst.use_count++] = any(random_class());
    define(append(code_.insts, inst), c);
    sink();
  }
  void sink() {
    Inst inst = with_uses(1 + below(3));
    inst.op = static_cast<std::uint16_t>(kSink + below(50));
    code_.insts.push_back(inst);
  }
  void straight() {
    for (std::uint32_t n = below(12); n-- > 0;) operation();
  }

  Regs new_params(std::vector<RegClass> classes) {
    Regs params;
    for (RegClass c : classes) {
      params.push_back(code_.new_reg(c));
      scope_.push_back(params.back());
    }
    return params;
  }
  std::vector<RegClass> random_classes() {
    std::vector<RegClass> classes(chance(8) ? 8 + below(8) : below(5));
    for (RegClass& c : classes) c = random_class();
    return classes;
  }
  void set_args(const std::vector<RegClass>& classes) {
    Regs args;
    for (RegClass c : classes) args.push_back(any(c));
    code_.blocks.back().args = std::move(args);
  }

  void region(std::uint32_t depth) {
    straight();
    if (depth > 3 || budget_ == 0) return;
    for (std::uint32_t n = 1 + below(3); n-- > 0;) {
      switch (below(4)) {
        case 0:
          arms(2, depth);
          break;
        case 1:
          arms(2 + below(4), depth);
          break;
        case 2:
          loop_tested_at_top(depth);
          break;
        default:
          loop_tested_at_bottom(depth);
          break;
      }
      straight();
    }
  }

  // A diamond or a switch; with an empty arm now and then.
  void arms(std::uint32_t count, std::uint32_t depth) {
    const std::vector<RegClass> classes = random_classes();
    terminate(count == 2 ? kBranch : kSwitch, {});
    const std::uint32_t from = current();
    const auto scope = scope_;
    std::vector<std::uint32_t> ends;
    for (std::uint32_t n = 0; n < count; ++n) {
      const std::uint32_t arm = new_block();
      code_.blocks[from].successors.push_back(arm);
      scope_ = scope;
      if (!chance(4)) region(depth + 1);
      set_args(classes);
      terminate(kJump, {});
      ends.push_back(current());
    }
    scope_ = scope;
    const std::uint32_t join = new_block();
    for (std::uint32_t end : ends) code_.blocks[end].successors = {join};
    code_.blocks.back().params = new_params(classes);
  }

  void loop_tested_at_top(std::uint32_t depth) {
    const std::vector<RegClass> classes = random_classes();
    set_args(classes);
    terminate(kJump, {});
    const std::uint32_t from = current(), header = new_block();
    code_.blocks[from].successors = {header};
    code_.blocks.back().params = new_params(classes);
    straight();
    terminate(kBranch, {});
    const std::uint32_t test = current();
    const auto scope = scope_;
    const std::uint32_t body = new_block();
    region(depth + 1);
    set_args(classes);
    terminate(kJump, {header});
    scope_ = scope;
    const std::uint32_t exit = new_block();
    code_.blocks[test].successors = {body, exit};
  }

  void loop_tested_at_bottom(std::uint32_t depth) {
    const std::vector<RegClass> classes = random_classes();
    set_args(classes);
    terminate(kJump, {});
    const std::uint32_t from = current(), header = new_block();
    code_.blocks[from].successors = {header};
    code_.blocks.back().params = new_params(classes);
    region(depth + 1);
    terminate(kBranch, {});
    const std::uint32_t test = current();
    const auto scope = scope_;
    const std::uint32_t back = new_block();
    set_args(classes);
    terminate(kJump, {header});
    scope_ = scope;
    const std::uint32_t exit = new_block();
    code_.blocks[test].successors = {back, exit};
  }

  std::mt19937_64 random_;
  std::uint32_t budget_, style_live_ = 0, style_remat_ = 0;
  Code code_;
  std::vector<Reg> scope_;
};

bool is_event(std::uint16_t op) { return op >= kSink && op < kFirstMove; }
std::uint32_t next_block(const Block& block, const Inst& terminator,
                         std::span<const std::uint64_t> operands) {
  if (block.successors.empty()) return ~0u;
  const std::uint64_t pick = operands.empty() ? 0 : mix(terminator.op, operands[0]) >> 7;
  return block.successors[pick % block.successors.size()];
}

// Registers, and spill slots as bytes: a store marks its bytes, a load wants all of one store.
class Machine {
 public:
  Machine(const Code& code, const Allocation& allocation, const RegisterFile& file)
      : code_(code), allocation_(allocation), file_(file), bytes_(allocation.spill_bytes + 64) {
    for (std::size_t c = 0; c < kClassCount; ++c)
      for (std::uint32_t r = 0; r < kMaxRegisters; ++r) registers_[c][r] = 0xbad0000 + c * 100 + r;
  }

  Trace run(std::uint32_t blocks) {
    std::uint32_t b = 0;
    while (b != ~0u && blocks-- > 0) {
      std::uint32_t next = ~0u;
      for (std::uint32_t i = allocation_.block_first[b]; i < allocation_.block_first[b + 1]; ++i) {
        const Inst& inst = allocation_.insts[i];
        if (allocation_.origin[i] == kInserted) {
          inserted(inst);
          continue;
        }
        const std::uint32_t origin = allocation_.origin[i];
        const Inst& original = code_.insts[origin];
        const std::vector<std::uint64_t> operands = operation(inst, original);
        if (is_event(inst.op)) trace_.push_back({origin, inst.op, operands});
        if (origin + 1 == code_.blocks[b].end) next = next_block(code_.blocks[b], inst, operands);
      }
      b = next;
    }
    return std::move(trace_);
  }

 private:
  struct Byte {
    std::uint64_t value = 0xbadbad;
    std::uint64_t store = 0;
  };
  std::uint64_t& reg(RegClass c, Reg r) { return registers_[static_cast<std::size_t>(c)][r]; }

  void store(RegClass c, std::int32_t slot, std::uint64_t value) {
    const std::uint32_t at = allocation_.slot_offset[static_cast<std::size_t>(slot)];
    ++stores_;
    for (std::uint32_t k = 0; k < file_.slot_bytes[static_cast<std::size_t>(c)]; ++k)
      bytes_[at + k] = {value, stores_};
  }
  std::uint64_t load(RegClass c, std::int32_t slot) {
    const std::uint32_t at = allocation_.slot_offset[static_cast<std::size_t>(slot)];
    for (std::uint32_t k = 0; k < file_.slot_bytes[static_cast<std::size_t>(c)]; ++k)
      if (bytes_[at + k].store != bytes_[at].store) return 0xbad10ad;
    return bytes_[at].value;
  }

  void inserted(const Inst& inst) {
    if (inst.op < kFirstMove) {  // made again
      reg(code_.classes[inst.virtual_def], inst.def) = result_of(inst, {});
      return;
    }
    const auto c = static_cast<RegClass>((inst.op - kFirstMove) / 3);
    switch ((inst.op - kFirstMove) % 3) {
      case 0:
        reg(c, inst.def) = reg(c, inst.use[0]);
        break;
      case 1:
        reg(c, inst.def) = load(c, inst.mem.displacement);
        break;
      default:
        store(c, inst.mem.displacement, reg(c, inst.use[0]));
        break;
    }
  }

  std::vector<std::uint64_t> operation(const Inst& inst, const Inst& original) {
    if (inst.flags & kEarlyClobber && inst.def != kNoReg)
      reg(code_.classes[original.def], inst.def) = 0xbadc10b;
    std::vector<std::uint64_t> operands;
    for (int k = 0; k < inst.use_count; ++k) {
      const RegClass c = code_.classes[original.use[k]];
      if (inst.use[k] == kNoReg)
        operands.push_back(inst.mem.base == MemBase::spill ? load(c, inst.mem.displacement)
                                                           : memory_value(inst.mem));
      else if (k == 0 && (inst.flags & kTied))
        operands.push_back(reg(c, inst.def));
      else
        operands.push_back(reg(c, inst.use[k]));
    }
    if (inst.def != kNoReg) reg(code_.classes[original.def], inst.def) = result_of(inst, operands);
    return operands;
  }

  const Code& code_;
  const Allocation& allocation_;
  const RegisterFile& file_;
  std::array<std::array<std::uint64_t, kMaxRegisters>, kClassCount> registers_;
  std::vector<Byte> bytes_;
  std::uint64_t stores_ = 0;
  Trace trace_;
};

}  // namespace

RegisterFile random_register_file(std::uint64_t seed, std::array<std::uint32_t, kClassCount> counts) {
  std::mt19937_64 random(seed);
  RegisterFile file;
  for (std::size_t c = 0; c < kClassCount; ++c) {
    std::vector<std::uint8_t> numbers;
    for (std::uint8_t r = 0; r < kMaxRegisters; ++r) numbers.push_back(r);
    if (seed % 2 != 0) std::shuffle(numbers.begin(), numbers.end(), random);
    numbers.resize(counts[c]);
    file.allocatable[c].assign(numbers.begin(), numbers.end());
    const auto first = static_cast<std::uint16_t>(kFirstMove + c * 3);
    file.moves[c] = {first, static_cast<std::uint16_t>(first + 1), static_cast<std::uint16_t>(first + 2)};
  }
  file.slot_bytes = {32, 8, 8};
  return file;
}

Code random_code(std::uint64_t seed, std::uint32_t size) { return Generator(seed, size).run(); }

Trace execute(const Code& code, std::uint32_t blocks) {
  std::vector<std::uint64_t> values(code.classes.size(), 0);
  Trace trace;
  std::uint32_t b = 0;
  while (b != ~0u && blocks-- > 0) {
    const Block& block = code.blocks[b];
    std::vector<std::uint64_t> operands;
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      const Inst& inst = code.insts[i];
      operands.clear();
      for (int k = 0; k < inst.use_count; ++k) operands.push_back(values[inst.use[k]]);
      if (is_event(inst.op)) trace.push_back({i, inst.op, operands});
      if (inst.def != kNoReg) values[inst.def] = result_of(inst, operands);
    }
    const std::uint32_t next = next_block(block, code.insts[block.end - 1], operands);
    std::vector<std::uint64_t> args;
    for (Reg arg : block.args) args.push_back(values[arg]);
    for (std::size_t k = 0; k < args.size(); ++k) values[code.blocks[next].params[k]] = args[k];
    b = next;
  }
  return trace;
}

Trace execute(const Code& code, const Allocation& allocation, const RegisterFile& file,
              std::uint32_t blocks) {
  return Machine(code, allocation, file).run(blocks);
}

std::string print(const Code& code) {
  std::string text;
  const auto list = [&](const Regs& values) {
    for (Reg v : values) text += " v" + std::to_string(v);
  };
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
    const Block& block = code.blocks[b];
    text += "block " + std::to_string(b) + ":";
    list(block.params);
    text += "\n";
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      const Inst& inst = code.insts[i];
      text += "  " + std::to_string(i) + ": ";
      if (inst.def != kNoReg) text += "v" + std::to_string(inst.def) + " = ";
      text += "op" + std::to_string(inst.op);
      for (int k = 0; k < inst.use_count; ++k) {
        text += inst.use[k] == kNoReg ? " [memory]" : " v" + std::to_string(inst.use[k]);
        if (inst.fold >> k & 1) text += "/m";
      }
      if (inst.flags & kTied) text += " tied";
      if (inst.flags & kEarlyClobber) text += " early";
      if (inst.flags & kRemat) text += " remat";
      text += "\n";
    }
    text += "  ->";
    for (std::uint32_t s : block.successors) text += " " + std::to_string(s);
    text += ":";
    list(block.args);
    text += "\n";
  }
  return text;
}

}  // namespace warpjit::lir
