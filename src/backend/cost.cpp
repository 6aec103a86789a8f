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
  mode,    // changes to two modes by turns, with a product behind each
};
constexpr double kNone = -1;
constexpr double kPlain = 1.0 / 6;

struct Row {
  Op op;
  Recipe recipe;
  std::array<OperationCost, 4> costs;  // AVX2, AVX-512 of Intel, then of AMD
};
constexpr std::initializer_list<Row> kRows = {
#if WARPJIT_HAS_X64
#define X64_COST(name, recipe, a, b, c, d, e, f, g, h) \
  {Op::name, Recipe::recipe, {{{Op::name, a, b}, {Op::name, c, d}, {Op::name, e, f}, {Op::name, g, h}}}},
#include "backend/x64/costs.inc"
#undef X64_COST
#endif
};

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

// What is known of operations on vectors beside rows: the unit, and the row that an operation without one
// has.
struct OnVectors {
  Unit unit;
  Op row;
};
constexpr OnVectors kind_of(Op op) {
  switch (op) {
    case Op::Mul:
    case Op::MulZero:
      return {Unit::multiplier, Op::Mul};
    case Op::Fma:
    case Op::Fms:
    case Op::Fnma:
    case Op::FmaZero:
    case Op::FmaDown:
    case Op::FmaUp:
    case Op::HalvesMul:
    case Op::HalvesFma:
      return {Unit::multiplier, Op::Fma};
    case Op::IMul:
      return {Unit::multiplier, Op::IMul};
    case Op::DotHalves:
    case Op::MulHighHalves:
    case Op::Reciprocal:
    case Op::ReciprocalRoot:
      return {Unit::multiplier, Op::DotHalves};
    case Op::Div:
      return {Unit::multiplier, Op::Div};
    case Op::Sqrt:
      return {Unit::multiplier, Op::Sqrt};
    case Op::Add:
    case Op::Sub:
    case Op::AddZero:
    case Op::HalvesAdd:
      return {Unit::adder, Op::Add};
    case Op::Min:
    case Op::Max:
    case Op::RangeMin:
    case Op::RangeMax:
    case Op::RangeMinAbs:
    case Op::RangeMaxAbs:
    case Op::HalvesMin:
    case Op::HalvesMax:
      return {Unit::adder, Op::Min};
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::RoundEven:
      return {Unit::adder, Op::Floor};
    case Op::CvtToF:
    case Op::CvtToFU:
    case Op::CvtToFZero:
    case Op::CvtToFUZero:
      return {Unit::adder, Op::CvtToF};
    case Op::CvtToI:
    case Op::CvtToU:
    case Op::CvtToINearest:
    case Op::CvtToIZeroMask:
    case Op::CvtToHalves:
    case Op::CvtFromHalves:
      return {Unit::adder, Op::CvtToI};
    case Op::CmpF:
    case Op::CmpFMasked:
    case Op::HalvesCompare:
      return {Unit::adder, Op::CmpF};
    case Op::CmpI:
    case Op::CmpU:
    case Op::CmpIMasked:
    case Op::CmpUMasked:
    case Op::TestMasked:
    case Op::TestBits:
      return {Unit::any, Op::CmpU};
    case Op::Shl:
    case Op::ShrU:
    case Op::ShrS:
      return {Unit::shuffler, Op::Shl};
    case Op::ShlV:
    case Op::ShrUV:
    case Op::ShrSV:
      return {Unit::shuffler, Op::ShlV};
    case Op::UnpackLo:
    case Op::UnpackHi:
    case Op::UnpackLoD:
    case Op::UnpackHiD:
    case Op::Shuffle32:
    case Op::ShuffleWords:
    case Op::ShuffleBytes:
    case Op::AlignBytes:
    case Op::PackWords:
    case Op::PackHalves:
      return {Unit::shuffler, Op::UnpackLo};
    case Op::Permute64:
    case Op::Permute128:
    case Op::AlignWords:
    case Op::HalvesOfWords:
    case Op::WordsOfHalves:
    case Op::BroadcastScalar:
    case Op::SpreadFirst:
      return {Unit::shuffler, Op::Permute64};
    case Op::LookUp:
    case Op::LookUpInOne:
    case Op::LookUpHalves:
      return {Unit::shuffler, Op::LookUpInOne};
    case Op::Blend:
    case Op::MergeZero:
    case Op::MoveZeroMask:
      return {Unit::any, Op::Blend};
    case Op::IAdd:
    case Op::ISub:
    case Op::ISign:
      return {Unit::any, Op::IAdd};
    case Op::IMinU:
    case Op::IMaxU:
    case Op::IMinS:
    case Op::IMaxS:
    case Op::IMinHalves:
      return {Unit::any, Op::IMinU};
    case Op::ICmpEq:
    case Op::ICmpEqHalves:
      return {Unit::any, Op::ICmpEq};
    case Op::KAnd:
    case Op::KOr:
    case Op::KXor:
    case Op::KAndNot:
    case Op::KNot:
      return {Unit::any, Op::KAnd};
    case Op::AndNot:
    case Op::Xor:
    case Op::Ternary:
      return {Unit::any, Op::And};
    case Op::LoadConstant:
    case Op::LoadQuad:
    case Op::LoadRow:
    case Op::LoadFullAhead:
    case Op::LoadMasked:
      return {Unit::none, Op::LoadFull};
    case Op::BroadcastMasked:
      return {Unit::none, Op::Broadcast};
    case Op::StoreRow:
    case Op::ExtractRow:
    case Op::StoreWord:
      return {Unit::none, Op::StoreFull};
    case Op::GatherPairs:
      return {Unit::none, Op::Gather};
    default:
      return {info(op).kind == OpKind::arithmetic || op == Op::InsertRow ? Unit::any : Unit::none, op};
  }
}

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
      made[c][op] = made[c][static_cast<std::size_t>(kind_of(static_cast<Op>(op)).row)];
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

Unit unit_of(Op op) { return kind_of(op).unit; }

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
