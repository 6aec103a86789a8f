#include <array>
#include <cstddef>

#include "backend/x64/emitter.h"

namespace warpjit::backend::x64 {
namespace {

struct Encoding {
  Form form = Form::none;
  InstId ids[2] = {};  // with AVX2, with AVX-512
};
constexpr std::array<Encoding, kOpCount> kEncodings = {{
#define LIR_OP(name, kind, effects, x64, a64) x64,
#define X64(form, v3, v4, ...)                             \
  {                                                        \
    Form::form, { x86::Inst::kId##v3, x86::Inst::kId##v4 } \
  }
#define NONE \
  {}
#include "backend/lir/opcodes.inc"
#undef LIR_OP
#undef X64
#undef NONE
}};

}  // namespace

void X64Emitter::encode(const Inst& inst) {
  const Op op = static_cast<Op>(inst.op);
  const Encoding& e = kEncodings[inst.op];
  const InstId id = e.ids[host_.encoding];
  const asmjit::Imm imm(inst.imm);
  switch (e.form) {
    case Form::vvv:
      return put(id, vec(inst.def), vec(inst.use[0]), operand(inst, 1));
    case Form::vv:
      return put(id, vec(inst.def), operand(inst, 0));
    case Form::round: {  // no precision exception
      const int mode = op == Op::Floor ? 1 : op == Op::Ceil ? 2 : op == Op::Trunc ? 3 : 0;
      return put(id, vec(inst.def), operand(inst, 0), asmjit::Imm(8 | mode));
    }
    case Form::vvv_zero:
      toward_zero();
      return put(id, vec(inst.def), vec(inst.use[0]), vec(inst.use[1]));
    case Form::vv_zero:
      toward_zero();
      return put(id, vec(inst.def), vec(inst.use[0]));
    case Form::fma_down:
    case Form::fma_up:
      a_.addInstOptions(
          asmjit::InstOptions::kX86_ER |
          (e.form == Form::fma_down ? asmjit::InstOptions::kX86_RD_SAE : asmjit::InstOptions::kX86_RU_SAE));
      return put(id, vec(inst.def), vec(inst.use[1]), vec(inst.use[2]));
    case Form::fma_zero:
      toward_zero();
      return put(id, vec(inst.def), vec(inst.use[1]), vec(inst.use[2]));
    case Form::range: {
      constexpr int kSignOfResult = 4, kNoSign = 8, kMagnitudes = 2, kMax = 1;
      const bool max = op == Op::RangeMax || op == Op::RangeMaxAbs;
      const bool magnitudes = op == Op::RangeMinAbs || op == Op::RangeMaxAbs;
      return put(id, vec(inst.def), vec(inst.use[0]), operand(inst, 1),
                 asmjit::Imm((magnitudes ? kNoSign | kMagnitudes : kSignOfResult) | (max ? kMax : 0)));
    }
    case Form::subroutine:
      if (!multiply_add_.isValid()) multiply_add_ = a_.newLabel();
      multiply_add_words_ = inst.mem.displacement;
      return put(id, multiply_add_);
    case Form::set_float_mode:
      ++out_.statistics.instructions;
      return change_mode(static_cast<lir::FloatMode>(inst.imm));
    case Form::store_float_flags:
      return put(id, memory(inst, 4));
    case Form::vv_imm:
      return put(id, vec(inst.def), operand(inst, 0), imm);
    case Form::vvv_imm:
      return put(id, vec(inst.def), vec(inst.use[0]), operand(inst, 1), imm);
    case Form::vvvv_imm:
      return put(id, vec(inst.def), vec(inst.use[1]), operand(inst, 2), imm);
    case Form::shift:
      return put(id, vec(inst.def), vec(inst.use[0]), imm);
    case Form::fma:
      return fma(inst);
    case Form::look_up:
      return put(id, vec(inst.def), vec(inst.use[1]), operand(inst, 2));
    case Form::to_halves:
      return put(id, lower_half(inst.def), vec(inst.use[0]));
    case Form::to_halves_imm:
      return put(id, lower_half(inst.def), vec(inst.use[0]), imm);
    case Form::from_halves:
      return put(id, vec(inst.def), lower_half(inst.use[0]));
    case Form::upper_half:
      if (host_.vector_bytes == 64) return put(id, x86::ymm(inst.def), x86::zmm(inst.use[0]), asmjit::Imm(1));
      return put(id, x86::xmm(inst.def), x86::ymm(inst.use[0]), asmjit::Imm(1));
    case Form::upper_quarter: {
      Reg s = inst.use[0];  // registers 16 and up need the EVEX form
      return put(x86::Inst::kIdVextracti32x4, x86::xmm(inst.def), x86::ymm(s), asmjit::Imm(1));
    }
    case Form::compare:
      if (host_.mask_registers) return put(id, k(inst.def), vec(inst.use[0]), operand(inst, 1), imm);
      return put(id, vec(inst.def), vec(inst.use[0]), operand(inst, 1), imm);
    case Form::compare_masked:
      return put_masked(id, inst.use[2], false, k(inst.def), vec(inst.use[0]), operand(inst, 1), imm);
    case Form::test:
      return put(id, k(inst.def), vec(inst.use[0]), operand(inst, 1));
    case Form::test_masked:
      return put_masked(id, inst.use[2], false, k(inst.def), vec(inst.use[0]), operand(inst, 1));
    case Form::blend:
      if (host_.mask_registers)
        return put_masked(id, inst.use[2], false, vec(inst.def), vec(inst.use[0]), operand(inst, 1));
      return put(id, vec(inst.def), vec(inst.use[0]), operand(inst, 1), vec(inst.use[2]));
    case Form::vv_zero_mask:
      return put_masked(id, inst.use[1], true, vec(inst.def), operand(inst, 0));
    case Form::merge_zero:
      return put_masked(id, inst.use[1], false, vec(inst.def), vec(inst.def), vec(inst.def));
    case Form::kkk:
      return put(id, k(inst.def), k(inst.use[0]), k(inst.use[1]));
    case Form::kk:
      return put(id, k(inst.def), k(inst.use[0]));
    case Form::k_constant:
      return put(id, k(inst.def), k(inst.def), k(inst.def));
    case Form::v_from_k:
      return put(id, vec(inst.def), k(inst.use[0]));
    case Form::k_from_v:
      return put(id, k(inst.def), vec(inst.use[0]));
    case Form::k_from_scalar:
      return put(id, k(inst.def), gp32(inst.use[0]));
    case Form::k_to_scalar:
      return put(id, gp32(inst.def), k(inst.use[0]));
    case Form::mask_to_scalar:
      return put(id, gp32(inst.def), vec(inst.use[0]));
    case Form::k_load:
      return put(id, k(inst.def), memory(inst, 2));
    case Form::k_store:
      return put(id, memory(inst, 2), k(inst.use[0]));
    case Form::v_constant:
      if (op == Op::Zero) return clear(inst.def);
      if (host_.mask_registers)
        return put(id, vec(inst.def), vec(inst.def), vec(inst.def), asmjit::Imm(0xff));
      return put(id, vec(inst.def), vec(inst.def), vec(inst.def));
    case Form::load_broadcast:
      return put(id, vec(inst.def), memory(inst, 4));
    case Form::broadcast_masked:
      return put_masked(id, inst.use[0], true, vec(inst.def), memory(inst, 4));
    case Form::broadcast_scalar:
      if (host_.mask_registers) return put(id, vec(inst.def), gp32(inst.use[0]));
      put(x86::Inst::kIdVmovd, x86::xmm(inst.def), gp32(inst.use[0]));
      return put(id, vec(inst.def), x86::xmm(inst.def));
    case Form::v_to_scalar:
      return put(id, gp32(inst.def), x86::xmm(inst.use[0]));
    case Form::lane_to_scalar:
      if (inst.imm == 0) return put(x86::Inst::kIdVmovd, gp32(inst.def), x86::xmm(inst.use[0]));
      return put(id, gp32(inst.def), x86::xmm(inst.use[0]), imm);
    case Form::load_full:
      return put(id, vec(inst.def), memory(inst, host_.vector_bytes));
    case Form::load_full_ahead: {
      x86::Mem ahead = memory(inst, host_.vector_bytes);
      put(id, vec(inst.def), ahead);
      ahead.addOffset(inst.imm);
      ahead.setSize(0);
      return put(x86::Inst::kIdPrefetcht0, ahead);
    }
    case Form::store_full:
      return put(id, memory(inst, host_.vector_bytes), vec(inst.use[0]));
    case Form::store_masked:
      if (host_.mask_registers)
        return put_masked(id, inst.use[1], false, memory(inst, host_.vector_bytes), vec(inst.use[0]));
      return put(id, memory(inst, host_.vector_bytes), vec(inst.use[1]), vec(inst.use[0]));
    case Form::load_masked:
      if (host_.mask_registers)
        return put_masked(id, inst.use[0], true, vec(inst.def), memory(inst, host_.vector_bytes));
      return put(id, vec(inst.def), vec(inst.use[0]), memory(inst, host_.vector_bytes));
    case Form::spread_first:
      return put(id, vec(inst.def), x86::xmm(inst.use[0]));
    case Form::gather: {
      clear(inst.def);  // lanes without guard would wait for what it held
      const x86::Mem from = lanes_of(inst, inst.use[0]);
      if (!host_.mask_registers) return put(id, vec(inst.def), from, vec(inst.use[1]));
      return put_masked(id, inst.use[1], false, vec(inst.def), from);
    }
    case Form::gather_pairs: {
      clear(inst.def);
      x86::Mem from = lanes_of(inst, inst.use[0]);
      from.setIndex(lower_half(inst.use[0]));
      if (!host_.mask_registers) return put(id, vec(inst.def), from, vec(inst.use[1]));
      return put_masked(id, inst.use[1], false, vec(inst.def), from);
    }
    case Form::scatter:
      return put_masked(id, inst.use[2], false, lanes_of(inst, inst.use[1]), vec(inst.use[0]));
    case Form::ask:
      return put(id, memory(inst, 0));
    case Form::load_row:
      return put(id, x86::xmm(inst.def), memory(inst, 16));
    case Form::insert_row:
      return put(id, vec(inst.def), vec(inst.use[0]), memory(inst, 16), imm);
    case Form::store_row:
      return put(id, memory(inst, 16), x86::xmm(inst.use[0]));
    case Form::extract_row:
      return put(id, memory(inst, 16), vec(inst.use[0]), imm);
    case Form::store_word:
      return put(id, memory(inst, 4), x86::xmm(inst.use[0]));
    case Form::s_imm:
      // No xor: flags may be live.
      if (inst.imm == 0) return put(x86::Inst::kIdMov, gp32(inst.def), asmjit::Imm(0));
      return put(id, gp32(inst.def), imm);
    case Form::s_load:
      return put(id, gp32(inst.def), memory(inst, 4));
    case Form::s_load8:
      return put(id, gp32(inst.def), memory(inst, 1));
    case Form::s_load16:
      return put(id, gp32(inst.def), memory(inst, 2));
    case Form::s_load64:
      return put(id, gp64(inst.def), memory(inst, 8));
    case Form::s_store:
      return put(id, memory(inst, 8), gp64(inst.use[0]));
    case Form::s_store_word:
      return put(id, memory(inst, 4), gp32(inst.use[0]));
    case Form::s_store_byte:
      return put(id, memory(inst, 1), x86::gpb_lo(inst.use[0]));
    case Form::s_copy:
      return put(id, gp64(inst.def), gp64(inst.use[0]));
    case Form::s_lea:
      return put(id, gp64(inst.def), memory(inst));
    case Form::s_tied:
      return put(id, gp32(inst.def), gp32(inst.use[1]));
    case Form::s_tied_imm:
      return put(id, gp32(inst.def), imm);
    case Form::s_neg:
      return put(id, gp32(inst.def));
    case Form::s_compare:
      scalar_compare(inst);
      put(set_condition(inst), x86::al);
      return put(x86::Inst::kIdMovzx, gp32(inst.def), x86::al);
    case Form::s_extreme: {
      const bool is_signed = unpack_condition(inst.imm) == Condition::less_s;
      const bool least = static_cast<Op>(inst.op) == Op::SMin;
      put(x86::Inst::kIdCmp, gp32(inst.def), gp32(inst.use[1]));
      return put(!is_signed ? id
                 : least    ? x86::Inst::kIdCmovnl
                            : x86::Inst::kIdCmovl,
                 gp32(inst.def), gp32(inst.use[1]));
    }
    case Form::s_select:
      put(x86::Inst::kIdTest, gp32(inst.use[2]), gp32(inst.use[2]));
      return put(id, gp32(inst.def), gp32(inst.use[1]));
    case Form::s_select64:
      put(x86::Inst::kIdTest, gp32(inst.use[2]), gp32(inst.use[2]));
      return put(id, gp64(inst.def), gp64(inst.use[1]));
    case Form::s_sign_extend:
      return put(id, gp64(inst.def), gp32(inst.use[0]));
    case Form::s_bit_scan:
      return put(id, gp32(inst.def), gp32(inst.use[0]));
    case Form::s_compare_exchange:
      return put_locked(unpack_atomic(inst.imm).shared, id, memory(inst, 4), gp32(inst.use[1]));
    case Form::s_atomic:
      return atomic(inst);
    case Form::halves:
      return put_halves({half_instruction(op), inst.def, inst.use[0], inst.use[1]});
    case Form::halves_fma:
      return fma_of_halves(inst);
    case Form::halves_compare:  // k0 is no one's
      put_halves({kCompareHalves, 0, inst.use[0], inst.use[1], static_cast<std::uint8_t>(inst.imm)});
      return put(id, vec(inst.def), x86::k0);
    case Form::none:
      break;
  }
  assert(false && "the x64 lowering does not make this");
}

// As fma().
void X64Emitter::fma_of_halves(const Inst& inst) {
  const Reg d = inst.def, x = inst.use[0], y = inst.use[1], z = inst.use[2];
  if (d == z) return put_halves({kFma231OfHalves, d, x, y});
  if (d == y) return put_halves({kFma213OfHalves, d, x, z});
  if (d != x) {
    put(x86::Inst::kIdVmovaps, vec(d), vec(x));
    ++out_.statistics.moves;
  }
  put_halves({kFma213OfHalves, d, y, z});
}

// use[0]*use[1] + use[2], or less use[2], or use[2] less the product, in the form in which the definition
// overwrites what ends here, if anything does.
void X64Emitter::fma(const Inst& inst) {
  struct Forms {
    InstId id132, id213, id231;
  };
  static constexpr Forms kSum{x86::Inst::kIdVfmadd132ps, x86::Inst::kIdVfmadd213ps,
                              x86::Inst::kIdVfmadd231ps},
      kDifference{x86::Inst::kIdVfmsub132ps, x86::Inst::kIdVfmsub213ps, x86::Inst::kIdVfmsub231ps},
      kLessProduct{x86::Inst::kIdVfnmadd132ps, x86::Inst::kIdVfnmadd213ps, x86::Inst::kIdVfnmadd231ps};
  const Op op = static_cast<Op>(inst.op);
  const Forms& forms = op == Op::Fms ? kDifference : op == Op::Fnma ? kLessProduct : kSum;
  Reg d = inst.def, x = inst.use[0], y = inst.use[1], z = inst.use[2];
  if (d == z && z != lir::kNoReg) {
    if (x == lir::kNoReg) return put(forms.id231, vec(d), vec(y), operand(inst, 0));
    return put(forms.id231, vec(d), vec(x), operand(inst, 1));
  }
  int first = d == y && y != lir::kNoReg ? 1 : 0;  // the factor that d holds
  int second = 1 - first;
  if (inst.use[first] == lir::kNoReg) std::swap(first, second);
  if (inst.use[first] != d) {
    // d holds no operand that is still to be read: it has its own register, or that of an operand, which
    // the cases above handle.
    put(x86::Inst::kIdVmovaps, vec(d), vec(inst.use[first]));
    ++out_.statistics.moves;
  }
  if (inst.use[second] == lir::kNoReg) return put(forms.id132, vec(d), vec(z), operand(inst, second));
  put(forms.id213, vec(d), vec(inst.use[second]), operand(inst, 2));
}

void X64Emitter::scalar_compare(const Inst& inst) {
  if (inst.imm & kCompareImmediate)
    put(x86::Inst::kIdCmp, gp32(inst.use[0]), asmjit::Imm(unpack_constant(inst.imm)));
  else if (static_cast<Op>(inst.op) == Op::BranchCompare64)
    put(x86::Inst::kIdCmp, gp64(inst.use[0]), gp64(inst.use[1]));
  else
    put(x86::Inst::kIdCmp, gp32(inst.use[0]), gp32(inst.use[1]));
}

InstId X64Emitter::set_condition(const Inst& inst) {
  static constexpr InstId kIds[] = {x86::Inst::kIdSete,  x86::Inst::kIdSetne, x86::Inst::kIdSetl,
                                    x86::Inst::kIdSetle, x86::Inst::kIdSetb,  x86::Inst::kIdSetbe};
  return kIds[static_cast<std::size_t>(unpack_condition(inst.imm))];
}

void X64Emitter::branch(const Inst& inst, bool sense, const Label& target) {
  static constexpr InstId kNotZero[] = {x86::Inst::kIdJz, x86::Inst::kIdJnz};
  switch (static_cast<Op>(inst.op)) {
    case Op::BranchScalar:
      put(x86::Inst::kIdTest, gp32(inst.use[0]), gp32(inst.use[0]));
      return put(kNotZero[sense], target);
    case Op::BranchBits:
      put(x86::Inst::kIdTest, gp32(inst.use[0]), asmjit::Imm(inst.imm));
      return put(kNotZero[sense], target);
    case Op::BranchMask:
      if (inst.use_count == 2)
        put(x86::Inst::kIdKortestw, k(inst.use[0]), k(inst.use[1]));
      else
        test_mask(inst.use[0]);
      return put(kNotZero[sense], target);
    case Op::BranchUnlessAll:  // the carry flag: all ones
      test_mask(inst.use[0]);
      return put(sense ? x86::Inst::kIdJnc : x86::Inst::kIdJc, target);
    case Op::BranchUnlessBits:
      put(x86::Inst::kIdVptest, vec(inst.use[0]), operand(inst, 1));
      return put(sense ? x86::Inst::kIdJnc : x86::Inst::kIdJc, target);
    default: {
      scalar_compare(inst);
      static constexpr InstId kJumps[][2] = {
          {x86::Inst::kIdJne, x86::Inst::kIdJe}, {x86::Inst::kIdJe, x86::Inst::kIdJne},
          {x86::Inst::kIdJge, x86::Inst::kIdJl}, {x86::Inst::kIdJg, x86::Inst::kIdJle},
          {x86::Inst::kIdJae, x86::Inst::kIdJb}, {x86::Inst::kIdJa, x86::Inst::kIdJbe}};
      return put(kJumps[static_cast<std::size_t>(unpack_condition(inst.imm))][sense], target);
    }
  }
}

void X64Emitter::jump_if_any(Reg mask, const Label& target) {
  test_mask(mask);
  put(x86::Inst::kIdJnz, target);
}

void X64Emitter::jump_if_at_least(Reg index, std::uint32_t bound, const Label& target) {
  put(x86::Inst::kIdCmp, gp32(index), asmjit::Imm(bound));
  put(x86::Inst::kIdJae, target);
}

Status emit(const EntryCode& kernel, const EntryCode* preamble, const Host& host, const ConstantPool& pool,
            const CompileOptions& options, MachineCode& out) {
  return X64Emitter(host, options, out).run(kernel, preamble, pool);
}

}  // namespace warpjit::backend::x64
