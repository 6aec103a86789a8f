#include <array>
#include <cstdio>

#include "backend/a64/emitter.h"
#include "backend/a64/immediate.h"

namespace warpjit::backend::a64 {
namespace {

struct Encoding {
  Form form = Form::none;
  asmjit::InstId id = 0;
};
constexpr std::array<Encoding, kOpCount> kEncodings = {{
#define LIR_OP(name, kind, effects, x64, a64) a64,
#define A64(form, id) \
  { Form::form, Id::kId##id }
#define NONE \
  {}
#include "backend/lir/opcodes.inc"
#undef LIR_OP
#undef A64
#undef NONE
}};

}  // namespace

arm::Mem A64Emitter::at(const Gp& base, std::int32_t offset, std::int32_t size, Reg scratch) {
  if (offset >= 0 && offset % size == 0 && offset / size < 4096) return arm::ptr(base, offset);
  put(Id::kIdMov, x(scratch), asmjit::Imm(offset));
  return arm::ptr(base, x(scratch));
}

arm::Mem A64Emitter::memory(const Inst& inst, std::int32_t size) {
  const lir::Mem& from = inst.mem;
  switch (from.base) {
    case MemBase::table:
      return at(x(kTable), from.displacement, size);
    case MemBase::args:
      return at(x(kArgs), from.displacement, size);
    case MemBase::frame:
      return at(asmjit::a64::sp, from.displacement, size);
    case MemBase::spill:
      return at(asmjit::a64::sp, spill_base_ + spill_offset(from), size);
    case MemBase::pool:
      return arm::ptr(pool_, from.displacement);
    case MemBase::reg:
      break;
    case MemBase::none:
      assert(false && "no memory operand");
  }
  const Gp base = x(inst.use[from.base_use]);
  if (from.index_use == 0xff) return at(base, from.displacement, size);
  if (from.displacement == 0) return arm::ptr(base, x(inst.use[from.index_use]), arm::lsl(from.scale_log2));
  put(Id::kIdAdd, x(kScratch), base, x(inst.use[from.index_use]), asmjit::Imm(arm::lsl(from.scale_log2)));
  return at(x(kScratch), from.displacement, size, kScratch2);
}

void A64Emitter::address_in_scratch(const Inst& inst) {
  const lir::Mem& from = inst.mem;
  const Gp base = x(inst.use[from.base_use]);
  if (from.index_use == 0xff) return put_sum(kScratch, base, from.displacement);
  put(Id::kIdAdd, x(kScratch), base, x(inst.use[from.index_use]), asmjit::Imm(arm::lsl(from.scale_log2)));
  if (from.displacement != 0) put_sum(kScratch, x(kScratch), from.displacement);
}

void A64Emitter::put_sum(Reg to, const Gp& base, std::int32_t amount) {
  if (amount >= 0 && amount < 4096) return put(Id::kIdAdd, x(to), base, asmjit::Imm(amount));
  if (amount < 0 && amount > -4096) return put(Id::kIdSub, x(to), base, asmjit::Imm(-amount));
  put(Id::kIdMov, x(kScratch2), asmjit::Imm(std::int64_t{amount}));
  put(Id::kIdAdd, x(to), base, x(kScratch2));
}

void A64Emitter::skip_unless(Reg guard, std::uint32_t n, const Label& skip) {
  put(Id::kIdUmov_v, w(kScratch2), lane(guard, n));
  put(Id::kIdCbz, w(kScratch2), skip);
}

void A64Emitter::access_masked(asmjit::InstId of_lane, asmjit::InstId of_vector, const Inst& inst, Reg vector,
                               Reg guard) {
  const Label some = a_.newLabel(), done = a_.newLabel();
  address_in_scratch(inst);
  for (std::uint32_t half : {0u, 1u}) {
    put(Id::kIdUmov_v, x(kScratch2), arm::VecV(guard).d(half));
    put(Id::kIdCmn, x(kScratch2), asmjit::Imm(1));
    branch_on(arm::CondCode::kNE, some);
  }
  put(of_vector, whole(vector), arm::ptr(x(kScratch)));
  put(Id::kIdB, done);
  a_.bind(some);
  for (std::uint32_t n = 0; n < 4; ++n) {
    const Label skip = a_.newLabel();
    skip_unless(guard, n, skip);
    if (n != 0) put(Id::kIdAdd, x(kScratch2), x(kScratch), asmjit::Imm(4 * n));
    put(of_lane, lane(vector, n), arm::ptr(x(n == 0 ? kScratch : kScratch2)));
    a_.bind(skip);
  }
  a_.bind(done);
}

void A64Emitter::access_lanes(asmjit::InstId id, const Inst& inst, Reg vector, Reg offsets, Reg guard) {
  address_in_scratch(inst);
  for (std::uint32_t n = 0; n < 4; ++n) {
    const Label skip = a_.newLabel();
    if (guard != lir::kNoReg) skip_unless(guard, n, skip);
    put(Id::kIdUmov_v, w(kScratch2), lane(offsets, n));
    put(Id::kIdAdd, x(kScratch2), x(kScratch), x(kScratch2));
    put(id, lane(vector, n), arm::ptr(x(kScratch2)));
    a_.bind(skip);
  }
}

void A64Emitter::put_large(asmjit::InstId id, const Gp& to, const Gp& from, std::uint32_t amount) {
  if (amount < 4096) return put(id, to, from, asmjit::Imm(amount));
  put(Id::kIdMov, x(kScratch), asmjit::Imm(amount));
  put(id, to, from, x(kScratch));
}

arm::GpW A64Emitter::constant(std::int64_t value) {
  put(Id::kIdMov, w(kScratch), asmjit::Imm(static_cast<std::uint32_t>(value)));
  return w(kScratch);
}

void A64Emitter::encode(const Inst& inst) {
  const Encoding& e = kEncodings[inst.op];
  const asmjit::Imm imm(inst.imm);
  const Reg d = inst.def;
  const auto& use = inst.use;
  switch (e.form) {
    case Form::words3:
      return put(e.id, words(d), words(use[0]), words(use[1]));
    case Form::words_from:  // counts bytes
      return put(e.id, bits(d), bits(use[0]), bits(use[1]), asmjit::Imm(4 * inst.imm));
    case Form::words2:
      return put(e.id, words(d), words(use[0]));
    case Form::halves3:
      return put(e.id, all_halves(d), all_halves(use[0]), all_halves(use[1]));
    case Form::halves2:
      return put(e.id, all_halves(d), all_halves(use[0]));
    case Form::halves_fmla:
      return put(e.id, all_halves(d), all_halves(use[1]), all_halves(use[2]));
    case Form::bits3:
      return put(e.id, bits(d), bits(use[0]), bits(use[1]));
    case Form::bits3_swapped:
      return put(e.id, bits(d), bits(use[1]), bits(use[0]));
    case Form::bits2:
      return put(e.id, bits(d), bits(use[0]));
    case Form::pairs3:
      return put(e.id, pairs(d), pairs(use[0]), pairs(use[1]));
    case Form::to_halves:
      return put(e.id, halves(d), words(use[0]));
    case Form::from_halves:
      return put(e.id, words(d), halves(use[0]));
    case Form::widen:
      return put(e.id, words(d), halves(use[0]), asmjit::Imm(0));
    case Form::pairwise:
      return put(e.id, words(d), words(use[0]), words(use[0]));
    case Form::across:
      return put(e.id, arm::VecS(d), words(use[0]));
    case Form::with_zero:
      return put(e.id, words(d), words(use[0]), asmjit::Imm(0));
    case Form::shift:
      if (inst.imm == 0) return put(Id::kIdMov_v, bits(d), bits(use[0]));
      return put(e.id, words(d), words(use[0]), imm);
    case Form::fmla:
      return put(e.id, words(d), words(use[1]), words(use[2]));
    case Form::fmla_lane:
      return put(e.id, words(d), words(use[1]), lane(use[2], inst.imm));
    case Form::lane3:
      return put(e.id, words(d), words(use[0]), lane(use[1], inst.imm));
    case Form::blend:
      return blend(d, use[0], use[1], use[2]);
    case Form::vector_imm:
      return vector_imm(d, static_cast<std::uint32_t>(inst.imm));
    case Form::dup_lane:
      return put(e.id, words(d), lane(use[0], inst.imm));
    case Form::dup_scalar:
      return put(e.id, words(d), w(use[0]));
    case Form::lane_to_scalar:
      return put(e.id, w(d), lane(use[0], inst.imm));
    case Form::low_to_scalar:
      return put(e.id, w(d), arm::VecS(use[0]));
    case Form::load_word:
      return put(e.id, arm::VecS(d), memory(inst, 4));
    case Form::insert_word:
      return put(e.id, lane(d, inst.imm), arm::ptr(x(use[1])));
    case Form::load_quad:
      return put(e.id, whole(d), memory(inst, 16));
    case Form::store_quad:
      return put(e.id, whole(use[0]), memory(inst, 16));
    case Form::store_word:
      return put(e.id, arm::VecS(use[0]), memory(inst, 4));
    case Form::load_broadcast:
      put(e.id, arm::VecS(d), memory(inst, 4));
      return put(Id::kIdDup_v, words(d), lane(d, 0));
    case Form::load_masked:
      put(Id::kIdMovi_v, bits(d), asmjit::Imm(0));
      return access_masked(e.id, Id::kIdLdr_v, inst, d, use[0]);
    case Form::store_masked:
      return access_masked(e.id, Id::kIdStr_v, inst, use[0], use[1]);
    case Form::load_lanes:
      return access_lanes(e.id, inst, d, use[0], inst.mem.base_use == 2 ? use[1] : lir::kNoReg);
    case Form::store_lanes:
      return access_lanes(e.id, inst, use[0], use[1], inst.mem.base_use == 3 ? use[2] : lir::kNoReg);
    case Form::set_float_mode: {
      constexpr std::uint32_t kModes[] = {kFlushMode, kFlushModeZero, kPlainMode};
      put(Id::kIdMov, x(kScratch), asmjit::Imm(kModes[inst.imm]));
      put(e.id, asmjit::Imm(SysReg::kFPCR), x(kScratch));
      return put(e.id, asmjit::Imm(SysReg::kFPSR), asmjit::a64::xzr);
    }
    case Form::store_float_flags:
      put(e.id, x(kScratch2), asmjit::Imm(SysReg::kFPSR));
      return put(Id::kIdStr, w(kScratch2), memory(inst, 4));  // whose address may take kScratch
    case Form::s_imm:
      return put(e.id, w(d), asmjit::Imm(static_cast<std::uint32_t>(inst.imm)));
    case Form::s_load:
      return put(e.id, w(d), memory(inst, 4));
    case Form::s_load64:
      return put(e.id, x(d), memory(inst, 8));
    case Form::s_load8:
      return put(e.id, w(d), memory(inst, 1));
    case Form::s_load16:
      return put(e.id, w(d), memory(inst, 2));
    case Form::s_store:
      return put(e.id, w(use[0]), memory(inst, 4));
    case Form::s_store64:
      return put(e.id, x(use[0]), memory(inst, 8));
    case Form::s_copy:
      return put(e.id, x(d), x(use[0]));
    case Form::s_address:
      if (inst.mem.base == MemBase::frame) return put_sum(d, asmjit::a64::sp, inst.mem.displacement);
      if (inst.mem.index_use == 0xff) return put_sum(d, x(use[0]), inst.mem.displacement);
      if (inst.mem.scale_log2 == 0) return put(e.id, x(d), x(use[0]), x(use[1]));
      return put(e.id, x(d), x(use[0]), x(use[1]), asmjit::Imm(arm::lsl(inst.mem.scale_log2)));
    case Form::s_table_address:
      return put_large(e.id, x(d), x(kTable), static_cast<std::uint32_t>(inst.mem.displacement));
    case Form::s_pool_address:
      put(e.id, x(d), pool_);
      if (inst.mem.displacement != 0)
        put_large(Id::kIdAdd, x(d), x(d), static_cast<std::uint32_t>(inst.mem.displacement));
      return;
    case Form::s3:
      return put(e.id, w(d), w(use[0]), w(use[1]));
    case Form::s2:
      return put(e.id, w(d), w(use[0]));
    case Form::s_add_imm: {
      const auto value = static_cast<std::int32_t>(inst.imm);
      if (value >= 0 && value < 4096) return put(e.id, w(d), w(use[0]), asmjit::Imm(value));
      if (value < 0 && value > -4096) return put(Id::kIdSub, w(d), w(use[0]), asmjit::Imm(-value));
      return put(e.id, w(d), w(use[0]), constant(value));
    }
    case Form::s_logic_imm: {
      const auto value = static_cast<std::uint32_t>(inst.imm);
      if (asmjit::a64::Utils::isLogicalImm(value, 32)) return put(e.id, w(d), w(use[0]), asmjit::Imm(value));
      return put(e.id, w(d), w(use[0]), constant(value));
    }
    case Form::s_shift_imm:
      if (inst.imm == 0) return put(Id::kIdMov, w(d), w(use[0]));
      return put(e.id, w(d), w(use[0]), imm);
    case Form::s_compare:
      scalar_compare(inst);
      return put(Id::kIdCset, w(d), condition(inst, true));
    case Form::s_extreme:
      put(Id::kIdCmp, w(use[0]), w(use[1]));
      return put(e.id, w(d), w(use[1]), w(use[0]), condition(inst, static_cast<Op>(inst.op) == Op::SMax));
    case Form::s_select:
      put(Id::kIdCmp, w(use[2]), asmjit::Imm(0));
      return put(e.id, w(d), w(use[1]), w(use[0]), asmjit::Imm(arm::CondCode::kNE));
    case Form::s_sign_extend:
      return put(e.id, x(d), w(use[0]));
    case Form::none:
      break;
  }
  assert(false && "the a64 lowering does not make this");
}

void A64Emitter::blend(Reg d, Reg f, Reg t, Reg m) {
  if (d == f) return put(Id::kIdBit_v, bits(d), bits(t), bits(m));
  if (d == t) return put(Id::kIdBif_v, bits(d), bits(f), bits(m));
  if (d != m) {
    put(Id::kIdMov_v, bits(d), bits(m));
    ++out_.statistics.moves;
  }
  put(Id::kIdBsl_v, bits(d), bits(t), bits(f));
}

void A64Emitter::vector_imm(Reg d, std::uint32_t word) {
  using Kind = VectorImmediate::Kind;
  const VectorImmediate i = *vector_immediate(word);
  const asmjit::Imm imm8(i.imm8);
  const arm::Vec halves = arm::VecV(d).h8();
  switch (i.kind) {
    case Kind::words:
      return put(Id::kIdMovi_v, words(d), imm8, asmjit::Imm(arm::lsl(i.shift)));
    case Kind::words_inverted:
      return put(Id::kIdMvni_v, words(d), imm8, asmjit::Imm(arm::lsl(i.shift)));
    case Kind::ones:
      return put(Id::kIdMovi_v, words(d), imm8, asmjit::Imm(arm::msl(i.shift)));
    case Kind::ones_inverted:
      return put(Id::kIdMvni_v, words(d), imm8, asmjit::Imm(arm::msl(i.shift)));
    case Kind::halves:
      return put(Id::kIdMovi_v, halves, imm8, asmjit::Imm(arm::lsl(i.shift)));
    case Kind::halves_inverted:
      return put(Id::kIdMvni_v, halves, imm8, asmjit::Imm(arm::lsl(i.shift)));
    case Kind::bytes:
      return put(Id::kIdMovi_v, bits(d), imm8);
    case Kind::real:
      return put_fmov(d, i.imm8, word);
  }
}

void A64Emitter::put_fmov(Reg d, std::uint8_t imm8, std::uint32_t word) {
  char text[48];
  std::snprintf(text, sizeof text, "fmov v%u.4s, %g", d, std::bit_cast<float>(word));
  const std::uint32_t code =
      0x4f00f400u | static_cast<std::uint32_t>(imm8 >> 5) << 16 | (imm8 & 31u) << 5 | d;
  put_bytes(std::bit_cast<std::array<std::uint8_t, 4>>(code), text);
}

arm::CondCode A64Emitter::condition_code(const Inst& inst, bool sense) {
  using Code = arm::CondCode;
  static constexpr Code kCodes[][2] = {{Code::kNE, Code::kEQ}, {Code::kEQ, Code::kNE},
                                       {Code::kGE, Code::kLT}, {Code::kGT, Code::kLE},
                                       {Code::kHS, Code::kLO}, {Code::kHI, Code::kLS}};
  return kCodes[static_cast<std::size_t>(unpack_condition(inst.imm))][sense];
}

asmjit::Imm A64Emitter::condition(const Inst& inst, bool sense) {
  return asmjit::Imm(condition_code(inst, sense));
}

void A64Emitter::scalar_compare(const Inst& inst) {
  if (static_cast<Op>(inst.op) == Op::BranchCompare64) return put(Id::kIdCmp, x(inst.use[0]), x(inst.use[1]));
  if (!(inst.imm & kCompareImmediate)) return put(Id::kIdCmp, w(inst.use[0]), w(inst.use[1]));
  compare_with(inst.use[0], static_cast<std::uint32_t>(unpack_constant(inst.imm)));
}

void A64Emitter::compare_with(Reg r, std::uint32_t value) {
  if (value < 4096) return put(Id::kIdCmp, w(r), asmjit::Imm(value));
  if (value > 0xfffff000u) return put(Id::kIdCmn, w(r), asmjit::Imm(0u - value));
  put(Id::kIdCmp, w(r), constant(value));
}

void A64Emitter::branch(const Inst& inst, bool sense, const Label& target) {
  static constexpr asmjit::InstId kIfNotZero[] = {Id::kIdCbz, Id::kIdCbnz};
  switch (static_cast<Op>(inst.op)) {
    case Op::BranchScalar:
      return put(kIfNotZero[sense], w(inst.use[0]), target);
    case Op::BranchMask:
      put(Id::kIdFmov_v, x(kScratch), arm::VecD(inst.use[0]));
      return put(kIfNotZero[sense], x(kScratch), target);
    case Op::BranchBits:
      put(Id::kIdTst, w(inst.use[0]), asmjit::Imm(inst.imm));
      return branch_on(sense ? arm::CondCode::kNE : arm::CondCode::kEQ, target);
    default: {
      const Condition c = unpack_condition(inst.imm);
      const bool with_zero = (inst.imm & kCompareImmediate) && unpack_constant(inst.imm) == 0;
      if (with_zero && (c == Condition::equal || c == Condition::not_equal))
        return put(kIfNotZero[sense == (c == Condition::not_equal)], w(inst.use[0]), target);
      scalar_compare(inst);
      return branch_on(condition_code(inst, sense), target);
    }
  }
}

void A64Emitter::jump_if_any(Reg pairs, const Label& target) {
  put(Id::kIdFmov_v, x(kScratch), arm::VecD(pairs));
  put(Id::kIdCbnz, x(kScratch), target);
}

void A64Emitter::branch_on(arm::CondCode code, const Label& target) {
  put(asmjit::BaseInst::composeARMInstId(Id::kIdB, code), target);
}

void A64Emitter::jump_if_at_least(Reg index, std::uint32_t bound, const Label& target) {
  compare_with(index, bound);
  branch_on(arm::CondCode::kHS, target);
}

void A64Emitter::burn_fuel(const Label& used_up, const Label& cancelled) {
  put(Id::kIdSubs, x(kFuel), x(kFuel), asmjit::Imm(1));
  branch_on(arm::CondCode::kMI, used_up);
  put(Id::kIdLdr, w(kScratch), arm::ptr(x(kCancel)));
  put(Id::kIdCbnz, w(kScratch), cancelled);
}

void A64Emitter::leave_if_stopped() {
  static_assert(static_cast<int>(KernelStatus::done) == 0);
  put(Id::kIdLdr, w(kScratch), arm::ptr(x(kArgs), offsetof(KernelArgs, status)));
  put(Id::kIdCbnz, w(kScratch), leave_);
}

Status emit(const EntryCode& kernel, const EntryCode* preamble, const Host& host, const ConstantPool& pool,
            const CompileOptions& options, MachineCode& out) {
  if (options.abi == Abi::win64 || options.abi == Abi::system_v)
    return Error{ErrorCode::unsupported, "a64 code follows AAPCS64 only", ""};
  return A64Emitter(host, options, out).run(kernel, preamble, pool);
}

}  // namespace warpjit::backend::a64
