// Lowering of i1 logic, selects and operations across lanes.
#include "backend/x64/lower.h"

namespace warpjit::backend::x64 {

using ir::Opcode;
using ir::Type;
using ir::Value;
using lir::Inst;
using lir::Reg;
using lir::RegClass;

// Bit of lane 0 of a mask that is the same in all lanes.
Reg Lowering::scalar_from_mask(Reg m) {
  Inst& inst = add(host_.mask_registers ? Op::KToScalar : Op::MaskToScalar, RegClass::scalar);
  use(inst, m);
  return scalar_tied_imm(Op::SAndImm, inst.def, 1);
}

Reg Lowering::mask_op(Opcode op, Reg a, Reg b) {
  if (op == Opcode::AndNot1) std::swap(a, b);  // the host negates its first operand
  Op host_op;
  switch (op) {
    case Opcode::And1:
      host_op = host_.mask_registers ? Op::KAnd : Op::And;
      break;
    case Opcode::Or1:
      host_op = host_.mask_registers ? Op::KOr : Op::Or;
      break;
    case Opcode::Xor1:
      host_op = host_.mask_registers ? Op::KXor : Op::Xor;
      break;
    default:
      host_op = host_.mask_registers ? Op::KAndNot : Op::AndNot;
      break;
  }
  Inst& inst = add(host_op, host_.mask_registers ? RegClass::mask : RegClass::vector);
  use(inst, a);
  use(inst, b);
  return inst.def;
}

void Lowering::logic(ir::Inst i) {
  Value a = operand(i, 0), b = operand(i, 1), result = f_.result(i);
  Opcode op = f_.inst(i).opcode;
  if (varying(result)) {
    for (std::uint32_t p = 0; p < parts_; ++p) {
      Reg left = mask(a, p), right = mask(b, p);
      define(result, p, mask_op(op, left, right));
    }
    return;
  }
  Reg left = scalar(a), right = scalar(b);
  switch (op) {
    case Opcode::And1:
      define(result, 0, scalar_tied(Op::SAnd, left, right));
      break;
    case Opcode::Or1:
      define(result, 0, scalar_tied(Op::SOr, left, right));
      break;
    case Opcode::Xor1:
      define(result, 0, scalar_tied(Op::SXor, left, right));
      break;
    default:
      define(result, 0, scalar_tied(Op::SAnd, scalar_tied_imm(Op::SXorImm, right, 1), left));
      break;
  }
}

void Lowering::lower_And1(ir::Inst i) { logic(i); }
void Lowering::lower_Or1(ir::Inst i) { logic(i); }
void Lowering::lower_Xor1(ir::Inst i) { logic(i); }
void Lowering::lower_AndNot1(ir::Inst i) { logic(i); }

void Lowering::lower_Not1(ir::Inst i) {
  Value a = operand(i, 0), result = f_.result(i);
  if (!varying(result)) return define(result, 0, scalar_tied_imm(Op::SXorImm, scalar(a), 1));
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg m = mask(a, p);
    if (!host_.mask_registers) {
      define(result, p, vvv(Op::Xor, m, reg_source(constant_vector(~0u))));
      continue;
    }
    Inst& inst = add(Op::KNot, RegClass::mask);
    use(inst, m);
    define(result, p, inst.def);
  }
}

void Lowering::select(ir::Inst i, bool floating) {
  Value condition = operand(i, 0), a = operand(i, 1), b = operand(i, 2), result = f_.result(i);
  if (!varying(result) && !floating) {
    Reg if_false = scalar(b), if_true = scalar(a), bit = scalar(condition);
    Inst& inst = add(Op::SSelect, RegClass::scalar);
    inst.flags |= lir::kTied;
    use(inst, if_false);
    use(inst, if_true);
    use(inst, bit);
    return define(result, 0, inst.def);
  }
  auto is_zero = [&](Value v) { return is_constant(v) && constant(v) == 0; };
  for (std::uint32_t p = 0; p < parts_of(result); ++p) {
    Reg m = mask(condition, p);
    if (is_zero(b)) {  // condition ? a : 0
      Reg r = vector(a, p);
      if (!host_.mask_registers) {
        define(result, p, vvv(Op::And, m, reg_source(r)));
        continue;
      }
      Inst& inst = add(Op::MoveZeroMask, RegClass::vector);
      inst.flags |= lir::kZeroMask;
      use(inst, r);
      use(inst, m);
      define(result, p, inst.def);
      continue;
    }
    if (is_zero(a) && !host_.mask_registers) {
      Reg r = vector(b, p);
      define(result, p, vvv(Op::AndNot, m, reg_source(r)));
      continue;
    }
    Reg if_false = vector(b, p);
    Source if_true = source(a, p);
    define(result, p, blend(if_false, if_true, m));
  }
}

void Lowering::lower_SelectF32(ir::Inst i) { select(i, true); }
void Lowering::lower_SelectI32(ir::Inst i) { select(i, false); }

void Lowering::lower_SelectI1(ir::Inst i) {
  Value condition = operand(i, 0), a = operand(i, 1), b = operand(i, 2), result = f_.result(i);
  if (!varying(result)) return select(i, false);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg c = mask(condition, p), if_true = mask(a, p), if_false = mask(b, p);
    if (!host_.mask_registers) {
      define(result, p, blend(if_false, reg_source(if_true), c));
    } else {
      Reg from_true = mask_op(Opcode::And1, if_true, c);
      define(result, p, mask_op(Opcode::Or1, from_true, mask_op(Opcode::AndNot1, if_false, c)));
    }
  }
}

void Lowering::lower_AnyLane(ir::Inst i) {
  Value a = operand(i, 0), result = f_.result(i);
  ir::Inst end = f_.terminator(f_.inst(i).block);
  if (use_count_[result.id] == 1 && f_.inst(end).opcode == Opcode::Branch && operand(end, 0) == result)
    return;
  Reg any = mask(a, 0);
  for (std::uint32_t p = 1; p < parts_; ++p) any = mask_op(Opcode::Or1, any, mask(a, p));
  Inst& bits = add(host_.mask_registers ? Op::KToScalar : Op::MaskToScalar, RegClass::scalar);
  use(bits, any);
  Reg word = bits.def;
  Inst& inst = add(Op::SCompare, RegClass::scalar);
  use(inst, word);
  inst.imm = pack_condition(Condition::not_equal, 0);
  define(result, 0, inst.def);
}

void Lowering::lower_MinLaneU32(ir::Inst i) {
  Value a = operand(i, 0);
  Reg least = vector(a, 0);
  for (std::uint32_t p = 1; p < parts_of(a); ++p) least = vvv(Op::IMinU, least, reg_source(vector(a, p)));
  auto with_upper = [&](Op extract) {  // whose source is always a register
    Inst& inst = add(extract, RegClass::vector);
    use(inst, least);
    least = vvv(Op::IMinU, least, reg_source(inst.def));
  };
  with_upper(Op::UpperHalf);
  if (host_.mask_registers) with_upper(Op::UpperQuarter);
  for (std::int64_t swap : {0x4e, 0xb1})  // the halves of 128 bits, then of 64
    least = vvv(Op::IMinU, least, reg_source(vv(Op::Shuffle32, reg_source(least), swap)));
  define_from_vector(i, least);
}

}  // namespace warpjit::backend::x64
