#include "backend/cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>

#include "backend/host.h"

namespace warpjit::backend {

using lir::Inst;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

namespace {

enum class Recipe : std::uint8_t {
  unary,
  binary,
  shift,  // by an immediate
  fma,
  compare,
  blend,
  masks,
  load,
  broadcast,
  store,
  store_masked,
  gather,
  scalar,  // by nothing but the clock
  mode,    // changes to two modes by turns, with a product after each
};
constexpr double kNone = -1;
constexpr double kPlain = 1.0 / 6;

struct Row {
  Op op;
  Recipe recipe;
  std::array<OperationCost, 4> costs;  // AVX2, AVX-512 of Intel, then of AMD
};
#define X64_COST(name, recipe, a, b, c, d, e, f, g, h) \
  {Op::name, Recipe::recipe, {{{Op::name, a, b}, {Op::name, c, d}, {Op::name, e, f}, {Op::name, g, h}}}},
constexpr std::initializer_list<Row> kRows = {
#include "backend/x64/costs.inc"
};
#undef X64_COST

const std::vector<OperationCost>& table(std::size_t column) {
  static const auto kTables = [] {
    std::array<std::vector<OperationCost>, 4> made;
    for (const Row& row : kRows)
      for (std::size_t c = 0; c < made.size(); ++c)
        if (row.costs[c].clocks != kNone) made[c].push_back(row.costs[c]);
    return made;
  }();
  return kTables[column];
}

// What an operation takes: the unit, and the row of the table that says how long.
struct Use {
  Unit unit;
  Op row;
};
constexpr Use use_of(Op op, OpKind kind) { return {kind == OpKind::arithmetic ? Unit::any : Unit::none, op}; }
constexpr Use use_of(Op, OpKind, Unit unit, Op row) { return {unit, row}; }
constexpr std::array<Use, kOpCount> make_uses() {
  using enum Unit;
  using enum Op;
  return {{
#define LIR_OP(name, kind, effects, x64, a64) use_of(name, OpKind::kind x64),
#define X64(form, v3, v4, ...) __VA_OPT__(, ) __VA_ARGS__
#define NONE
#include "backend/lir/opcodes.inc"
#undef LIR_OP
#undef X64
#undef NONE
  }};
}
constexpr std::array<Use, kOpCount> kUses = make_uses();

std::size_t column_of(Target target, Maker maker) {
  return (maker == Maker::amd ? 2 : 0) + (plain(target) == Target::x64_v4 ? 1 : 0);
}

// Makes the code of a probe, one block.
class Probe {
 public:
  Probe(const Host& host, Op op, Recipe recipe, bool dependent) : host_(host), op_(op), recipe_(recipe) {
    chains_ = dependent ? 1 : recipe == Recipe::masks ? 5 : 12;
  }

  lir::Code run() {
    code_.blocks.emplace_back();
    code_.frame_bytes = 2 * host_.vector_bytes;
    one_ = recipe_ == Recipe::scalar ? kept(Op::SLoad) : one();
    if (recipe_ != Recipe::scalar) mask_ = mask();
    code_.flushes = recipe_ == Recipe::mode;
    const bool of_masks = recipe_ == Recipe::masks;
    // One chain goes on from group to group, by way of the table: else the host would run several at once.
    std::vector<Reg> chains;
    for (std::uint32_t k = 0; k < chains_; ++k)
      chains.push_back(chains_ == 1 ? kept(load_of_chain()) : of_masks ? mask() : one());
    if (recipe_ == Recipe::gather) {
      Inst& base = add(Op::SLoad64, RegClass::scalar);
      base.mem.base = MemBase::args;
      base.mem.displacement = offsetof(KernelArgs, table);
      base_ = base.def;
      offsets_ = add(Op::Zero, RegClass::vector).def;
    }
    for (std::uint32_t n = 0; n < kProbeRepeats; ++n) step(chains[n % chains_]);
    if (chains_ == 1) {
      Inst& inst = add(of_masks ? Op::KStore : recipe_ == Recipe::scalar ? Op::SStoreWord : Op::StoreFull);
      use(inst, {chains[0]});
      inst.mem = kKept;
    }
    add(Op::Return);
    code_.blocks[0].end = static_cast<std::uint32_t>(code_.insts.size());
    return std::move(code_);
  }

 private:
  RegClass mask_class() const { return host_.mask_registers ? RegClass::mask : RegClass::vector; }

  Inst& add(Op op) {
    Inst& inst = code_.insts.emplace_back();
    inst.op = static_cast<std::uint16_t>(op);
    return inst;
  }
  Inst& add(Op op, RegClass cls) {
    const Reg def = code_.new_reg(cls);
    Inst& inst = add(op);
    inst.def = def;
    return inst;
  }
  static void use(Inst& inst, std::initializer_list<Reg> uses) {
    for (Reg r : uses) inst.use[inst.use_count++] = r;
  }
  Reg one() {
    Inst& inst = add(Op::Broadcast, RegClass::vector);
    inst.mem = {MemBase::table, 0xff, 0xff, 0, true, 0};
    return inst.def;
  }
  static constexpr lir::Mem kKept{MemBase::table, 0xff, 0xff, 0, false, 64};
  Reg kept(Op load) {
    Inst& inst = add(load, load == Op::KLoad   ? RegClass::mask
                           : load == Op::SLoad ? RegClass::scalar
                                               : RegClass::vector);
    inst.mem = kKept;
    return inst.def;
  }
  Op load_of_chain() const {
    return recipe_ == Recipe::masks ? Op::KLoad : recipe_ == Recipe::scalar ? Op::SLoad : Op::LoadFull;
  }
  Reg mask() { return add(host_.mask_registers ? Op::KOnes : Op::Ones, mask_class()).def; }

  // The operation once; `chain` is what it takes, and becomes what it makes.
  void step(Reg& chain) {
    switch (recipe_) {
      case Recipe::store:
      case Recipe::store_masked: {
        Inst& inst = add(op_);
        use(inst, {one_});
        if (recipe_ == Recipe::store_masked) use(inst, {mask_});
        inst.mem.base = MemBase::frame;
        return;
      }
      case Recipe::load:
      case Recipe::broadcast:
        add(op_, RegClass::vector).mem = {MemBase::table, 0xff, 0xff, 0, recipe_ == Recipe::broadcast, 0};
        return;
      case Recipe::gather: {
        const Reg all = mask();
        Inst& inst = add(op_, RegClass::vector);
        inst.flags = lir::kEarlyClobber;
        use(inst, {offsets_, all, base_});
        inst.mem = {MemBase::reg, 2, 0xff, 0, false, 0};
        return;
      }
      case Recipe::compare:
        use(add(op_, mask_class()), {one_, one_});
        return;
      case Recipe::masks:
        return next(chain, RegClass::mask, {chain, mask_});
      case Recipe::mode:
        add(op_).imm = static_cast<std::int64_t>(mode_);
        mode_ = mode_ == lir::FloatMode::flush ? lir::FloatMode::flush_toward_zero : lir::FloatMode::flush;
        use(add(Op::Mul, RegClass::vector), {one_, one_});
        return;
      case Recipe::unary:
        return next(chain, RegClass::vector, {chain});
      case Recipe::shift:
        next(chain, RegClass::vector, {chain});
        code_.insts.back().imm = 1;
        return;
      case Recipe::binary:
        return next(chain, RegClass::vector, {chain, one_});
      case Recipe::fma:
        return next(chain, RegClass::vector, {one_, one_, chain});
      case Recipe::blend:
        return next(chain, RegClass::vector, {chain, one_, mask_});
      case Recipe::scalar:
        next(chain, RegClass::scalar, {chain, one_});
        if (host_.two_operand_scalars) code_.insts.back().flags = lir::kTied;
        return;
    }
  }
  void next(Reg& chain, RegClass cls, std::initializer_list<Reg> uses) {
    Inst& inst = add(op_, cls);
    use(inst, uses);
    chain = inst.def;
  }

  const Host& host_;
  const Op op_;
  const Recipe recipe_;
  std::uint32_t chains_;
  lir::Code code_;
  lir::FloatMode mode_ = lir::FloatMode::flush;
  Reg one_ = lir::kNoReg, mask_ = lir::kNoReg, base_ = lir::kNoReg, offsets_ = lir::kNoReg;
};

Result<MachineCode> compile_code(const Host& host, const lir::Code& code, const Tuning& tuning) {
  if (std::string wrong = lir::verify(code); !wrong.empty())
    return Error{ErrorCode::internal, wrong, "probe"};
  const lir::Allocation allocation = lir::allocate(code, host.register_file(host, 0));
  ConstantPool pool(host.pool_repeat);
  MachineCode out;
  out.target = host.target;
  out.parts = 1;
  out.lanes = host.lanes;
  out.table_bytes = kProbeTable;
  const EntryCode entry = {&code, &allocation, true, 0, 0};
  CompileOptions options;
  options.tuning = tuning;
  options.validate = true;
  options.costs = true;
  WARPJIT_CHECK(host.emit(entry, nullptr, host, pool, options, out));
  return out;
}

// By table, the last one of which is empty, and by operation.
auto by_operation(double plain, double OperationCost::*member) {
  std::array<std::array<double, kOpCount>, 5> made{};
  for (std::size_t c = 0; c + 1 < made.size(); ++c) {
    made[c].fill(plain);
    for (const OperationCost& cost : table(c)) made[c][static_cast<std::size_t>(cost.op)] = cost.*member;
    for (std::size_t op = 0; op < kOpCount; ++op)
      made[c][op] = made[c][static_cast<std::size_t>(kUses[op].row)];
  }
  return made;
}

}  // namespace

std::span<const OperationCost> costs(Target target, Maker maker) {
  if (plain(target) == Target::a64) return {};
  return table(column_of(target, maker));
}

std::span<const double, kOpCount> clocks_by_operation(Target target, Maker maker) {
  static const auto kByOperation = by_operation(kPlain, &OperationCost::clocks);
  return plain(target) == Target::a64 ? kByOperation.back() : kByOperation[column_of(target, maker)];
}

double latency_of(Target target, Op op, Maker maker) {
  static const auto kByOperation = by_operation(1, &OperationCost::latency);
  return plain(target) == Target::a64 ? 0
                                      : kByOperation[column_of(target, maker)][static_cast<std::size_t>(op)];
}

Unit unit_of(Op op) { return kUses[static_cast<std::size_t>(op)].unit; }

double vector_ports(Target target, Maker maker) {
  // What needs no unit of its own.
  const double clocks = clocks_of(target, Op::And, maker);
  return clocks == 0 ? 1 : std::round(1 / clocks);
}

bool adds_where_it_multiplies(Maker maker) { return maker != Maker::amd; }

double clocks_of(Target target, Op op, Maker maker) {
  return clocks_by_operation(target, maker)[static_cast<std::size_t>(op)];
}

Result<MachineCode> compile_probe(Target target, Op op, bool dependent) {
  const Host* host = find_host(target);
  const bool clock = op == kClock && dependent && plain(target) != Target::a64;
  const bool known =
      clock || std::ranges::any_of(costs(target), [&](const OperationCost& c) { return c.op == op; });
  const Row* row = std::ranges::find_if(kRows, [&](const Row& r) { return r.op == op; });
  if (host == nullptr || !known)
    return Error{ErrorCode::unsupported, "no such operation to measure", std::string(name(target))};
  return compile_code(*host, Probe(*host, op, clock ? Recipe::scalar : row->recipe, dependent).run(), {});
}

Result<MachineCode> compile_mode_probe(Target target, bool guessed_right) {
  const Host* host = find_host(target);
  if (host == nullptr || plain(target) == Target::a64)
    return Error{ErrorCode::unsupported, "no modes to measure", std::string(name(target))};
  return compile_code(*host, Probe(*host, Op::SetFloatMode, Recipe::mode, false).run(),
                      {.guesses_modes = guessed_right});
}

}  // namespace warpjit::backend
