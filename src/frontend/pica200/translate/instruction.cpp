#include "frontend/pica200/translate/instruction.h"

#include <bit>

#include "base/math.h"
#include "frontend/pica200/translate/draw.h"
#include "ir/builder_ops.h"

namespace warpjit::pica200 {

using ir::F32;
using ir::I1;
using ir::I32;
using ir::Value;

namespace {

constexpr float kLitpLimit = 127.99609375f;  // 127 + 255/256

constexpr std::uint32_t kGeometryFloats = 4 * 64, kGeometryVariables = kGeometryFloats + 8;

std::vector<ir::Type> variable_types(std::uint32_t count, bool geometry) {
  std::vector<ir::Type> types(count, ir::Type::i32);
  if (geometry) {
    types.resize(count + kGeometryFloats, ir::Type::f32);
    types.resize(count + kGeometryVariables - 3, ir::Type::i32);
    types.resize(count + kGeometryVariables, ir::Type::i1);
  }
  for (std::uint32_t v = 0; v < kVarA0; ++v) types[v] = ir::Type::f32;
  types[kVarCmp] = types[kVarCmp + 1] = ir::Type::i1;
  return types;
}

}  // namespace

InstructionTranslator::InstructionTranslator(const Program& program, const TranslationFacts& facts,
                                             const UnitAccess& unit, std::uint32_t variables)
    : program_(program),
      facts_(facts),
      builder_(function_),
      ssa_(builder_, variable_types(variables, program.stage == Stage::geometry)),
      unit_(unit),
      variables_(variables),
      first_geometry_(variables),
      earlier_(unit.history) {
  function_.name = program_.source_name.empty() ? "pica200" : program_.source_name;
  const std::optional<frontend::DrawFacts>& draw = facts_.draw;
  function_.input_count =
      draw ? draw->input_bindings() : static_cast<std::uint32_t>(std::popcount(facts_.bound_inputs));
  function_.output_count = draw ? draw->output_bindings() : static_cast<std::uint32_t>(facts_.outputs.size());
  function_.uniform_bytes = facts_.layout.bytes();
  if (!is_geometry()) return;
  function_.input_count = (unit_.history + 1) * invocation_bindings() + (unit_.loads ? 1 : 0);
  function_.output_count += 2 + (unit_.stores ? 1 : 0);
}

void InstructionTranslator::begin_thread() {
  if (begun_) {
    --earlier_;
    load_inputs();
    return begin_emission();
  }
  begun_ = true;
  const TableLayout& table = facts_.layout;
  F32 zero = builder_.constant(0.0f);
  for (unsigned n = 0; n < 16; ++n)
    for (unsigned c = 0; c < 4; ++c) {
      write(kVarR + 4 * n + c,
            facts_.state_r >> n & 1 ? Value(builder_.LoadUniformF32(table.r(n) + 4 * c)) : Value(zero));
      write(kVarO + 4 * n + c, zero);
    }
  I32 none = builder_.constant(std::int32_t{0});
  for (unsigned c = 0; c < 2; ++c) {
    write(kVarA0 + c, facts_.state_a0 ? builder_.LoadUniformI32(table.a0(c)) : none);
    write(kVarCmp + c, facts_.state_cmp ? Value(builder_.INe32(builder_.LoadUniformI32(table.cmp(c)), none))
                                        : Value(builder_.constant(false)));
  }
  write(kVarAL, facts_.state_aL ? builder_.LoadUniformI32(table.aL()) : none);
  for (std::uint32_t v = kVarCounter; v < variables_; ++v) write(v, none);
  if (facts_.draw) {
    inputs_ = fetch_inputs(builder_, *facts_.draw, table);
    return;
  }
  load_inputs();
  if (!is_geometry()) return;
  begin_emission();
  if (unit_.loads) load_unit();
}

void InstructionTranslator::load_inputs() {
  F32 zero = builder_.constant(0.0f);
  std::uint32_t binding = is_geometry() ? first_binding() : 0;
  for (unsigned n = 0; n < 16; ++n) {
    inputs_[n] = {zero, zero, zero, zero};
    if (facts_.bound_inputs >> n & 1) inputs_[n] = builder_.LoadInput(binding++);
  }
}

// Outputs with canonical NaNs: a NaN in o or r has one bit pattern.
void InstructionTranslator::end_thread() {
  if (facts_.draw)
    return store_results(builder_, *facts_.draw,
                         [&](unsigned word) { return builder_.CanonicalizeNaN32(read<F32>(kVarO + word)); });
  I1 always = builder_.constant(true);
  F32 none = builder_.constant(0.0f);
  for (std::uint32_t k = 0; k < facts_.outputs.size(); ++k) {
    const ExitRegister& out = facts_.outputs[k];
    std::array<F32, 4> row = {none, none, none, none};
    switch (out.file) {
      case ExitFile::o:
      case ExitFile::r:
        for (unsigned c = 0; c < 4; ++c)
          row[c] = builder_.CanonicalizeNaN32(
              read<F32>((out.file == ExitFile::o ? kVarO : kVarR) + 4u * out.index + c));
        break;
      case ExitFile::a0:
        for (unsigned c = 0; c < 2; ++c) row[c] = builder_.BitcastI32ToF32(read<I32>(kVarA0 + c));
        break;
      case ExitFile::aL:
        row[0] = builder_.BitcastI32ToF32(read<I32>(kVarAL));
        break;
      case ExitFile::cmp:
        for (unsigned c = 0; c < 2; ++c)
          row[c] = builder_.BitcastI32ToF32(builder_.select(
              read<I1>(kVarCmp + c), builder_.constant(std::int32_t{1}), builder_.constant(std::int32_t{0})));
        break;
      case ExitFile::emit:
        row[0] = builder_.BitcastI32ToF32(read<I32>(var_vertex()));
        for (unsigned c = 0; c < 2; ++c)
          row[1 + c] = builder_.select(read<I1>(c == 0 ? var_primitive() : var_winding()),
                                       builder_.constant_bits(1), none);
        break;
    }
    builder_.StoreOutput(always, row[0], row[1], row[2], row[3], k);
  }
  if (is_geometry()) end_invocation();
}

void InstructionTranslator::stay(ir::Block block, std::uint32_t address) {
  ir::Block endless = function_.add_block(address);
  builder_.set_block(block);
  builder_.set_guest_address(address);
  builder_.jump(endless);
  builder_.set_block(endless);
  builder_.jump(endless, true);
  ssa_.seal(endless);
}

I1 InstructionTranslator::boolean(unsigned number) {
  if (number == 15 && is_geometry()) return read<I1>(var_b15());
  I32 bits = builder_.LoadUniformI32(facts_.layout.bools());
  I32 bit = builder_.IAnd32(bits, builder_.constant(std::uint32_t{1} << number));
  return builder_.INe32(bit, builder_.constant(std::int32_t{0}));
}

// pica200.md 8.
I1 InstructionTranslator::condition(const Instruction& i) {
  auto flag = [&](unsigned c, bool wanted) {
    I1 value = read<I1>(kVarCmp + c);
    return wanted ? value : builder_.Not1(value);
  };
  switch (i.condition) {
    case 0:
      return builder_.Or1(flag(0, i.ref_x != 0), flag(1, i.ref_y != 0));
    case 1:
      return builder_.And1(flag(0, i.ref_x != 0), flag(1, i.ref_y != 0));
    case 2:
      return flag(0, i.ref_x != 0);
    default:
      return flag(1, i.ref_y != 0);
  }
}

// ---- operands (pica200.md 4 and 5)

// One source operand, fetched component by component on demand.
class InstructionTranslator::Operand {
 public:
  Operand(InstructionTranslator& translator, const Instruction& i, int n, const Descriptor& descriptor)
      : t_(translator),
        reg_(source_register(i.source(n))),
        selector_(descriptor.selector[n - 1]),
        negate_(descriptor.negate[n - 1] != 0) {
    if (wide_source(i.info().format) == n && i.idx != 0 && reg_.file == RegisterFile::c) index_ = i.idx;
  }
  F32 operator[](unsigned lane) {
    F32 value = fetch(selected(selector_, lane));
    return negate_ ? t_.builder_.FNeg32(value) : value;
  }

 private:
  F32 fetch(unsigned component) {
    Builder& b = t_.builder_;
    switch (reg_.file) {
      case RegisterFile::v:
        return t_.inputs_[reg_.index][component];
      case RegisterFile::r:
        return t_.read<F32>(kVarR + 4u * reg_.index + component);
      default:
        break;
    }
    const GeometryFacts& geometry = t_.facts_.geometry;
    if (index_ == 0) {
      const unsigned row = reg_.index - geometry.first_row;
      if (row >= geometry.row_count) return b.LoadUniformF32(t_.facts_.layout.c(reg_.index) + 4 * component);
      if (!row_[0].valid()) row_ = t_.invocation_row(b.constant(row));
      return row_[component];
    }
    // An offset outside the byte range counts as 0. The table is laid out by effective index, so it includes
    // wrapped rows and rows of ones.
    if (!row_[0].valid()) {
      I32 address = t_.read<I32>(index_ == 3 ? kVarAL : kVarA0 + (index_ - 1));
      I32 origin = b.constant(static_cast<std::int32_t>(TableLayout::kRelativeOrigin));
      I32 shifted = b.IAdd32(address, origin);
      I1 in_range = b.ILtU32(shifted, b.constant(static_cast<std::int32_t>(TableLayout::kRelativeReach)));
      I32 row = b.select(in_range, shifted, origin);
      row_ = b.LoadUniformRow(
          row, std::uint64_t{TableLayout::kRelativeReach} << 32 | TableLayout::relative_base(reg_.index));
      if (geometry.row_count != 0) {
        const unsigned first = TableLayout::kRelativeOrigin - reg_.index;
        I32 effective = b.IAnd32(b.ISub32(row, b.constant(first)), b.constant(0x7Fu));
        I32 own = b.ISub32(effective, b.constant(std::uint32_t{geometry.first_row}));
        I1 is_own = b.ILtU32(own, b.constant(std::uint32_t{geometry.row_count}));
        const Row values = t_.invocation_row(own);
        for (unsigned c = 0; c < 4; ++c) row_[c] = b.select(is_own, values[c], row_[c]);
      }
    }
    return row_[component];
  }

  using Builder = ir::Builder;
  InstructionTranslator& t_;
  Register reg_;
  std::uint8_t selector_;
  bool negate_;
  unsigned index_ = 0;  // 1 a0.x, 2 a0.y, 3 aL
  std::array<F32, 4> row_;
};

// ---- instructions (pica200.md 6)

void InstructionTranslator::instruction(const Instruction& i) {
  const OpcodeInfo& row = i.info();
  if (row.traits & kFlow || i.opcode == Opcode::nop) return;
  if (i.opcode == Opcode::emit) return emit();
  if (i.opcode == Opcode::setemit) return set_emit(i);
  const Descriptor descriptor = program_.descriptor(i.descriptor);
  Operand s1(*this, i, 1, descriptor), s2(*this, i, i.source_count() >= 2 ? 2 : 1, descriptor),
      s3(*this, i, i.source_count() >= 3 ? 3 : 1, descriptor);
  if (i.opcode == Opcode::mova) {
    std::array<I32, 2> address;
    for (unsigned c = 0; c < 2; ++c)
      if (enables(descriptor.mask, c)) address[c] = builder_.F32ToI32Sat(s1[c]);
    for (unsigned c = 0; c < 2; ++c)
      if (enables(descriptor.mask, c)) write(kVarA0 + c, address[c]);
    return;
  }
  if (i.opcode == Opcode::cmp) {
    I1 x = compare(i.cmp_x, s1[0], s2[0]), y = compare(i.cmp_y, s1[1], s2[1]);
    write(kVarCmp, x);
    write(kVarCmp + 1, y);
    return;
  }
  // All components are computed before one is written: sources may be the destination.
  std::array<F32, 4> result;
  if (row.traits & kReplicates) {
    if (descriptor.mask != 0) result.fill(scalar(i.opcode, s1, s2));
  } else {
    for (unsigned c = 0; c < 4; ++c)
      if (enables(descriptor.mask, c)) result[c] = component(i.opcode, c, s1, s2, s3);
  }
  if (row.traits & kWritesFlags) {  // LITP
    F32 zero = builder_.constant(0.0f);
    I1 x = builder_.FGe32(s1[0], zero), y = builder_.FGe32(s1[3], zero);
    write(kVarCmp, x);
    write(kVarCmp + 1, y);
  }
  const Register dst = dest_register(i.dst);
  const std::uint32_t base = (dst.file == RegisterFile::o ? kVarO : kVarR) + 4u * dst.index;
  for (unsigned c = 0; c < 4; ++c)
    if (enables(descriptor.mask, c)) write(base + c, program_.f24 ? round_f24(result[c]) : result[c]);
}

F32 InstructionTranslator::round_f24(F32 value) {
  if (is_f24(value, 4)) return value;
  ir::BuilderOps ops{builder_};
  const F32 rounded = math::round_f24(ops, value);
  const Value made = rounded;
  if (rounded_.size() <= made.id) rounded_.resize(made.id * 2 + 64);
  rounded_[made.id] = true;
  return rounded;
}

// True if the value is certainly one of the 24-bit format.
// Selecting, negating or flooring such values gives such a value.
bool InstructionTranslator::is_f24(Value value, int depth) const {
  if (value.id < rounded_.size() && rounded_[value.id]) return true;
  if (function_.is_constant(value)) {
    const auto word = static_cast<std::uint32_t>(function_.constant(value));
    return std::bit_cast<std::uint32_t>(math::round_f24(std::bit_cast<float>(word))) == word;
  }
  if (depth == 0) return false;
  const ir::Inst made = function_.definition(value);
  switch (function_.inst(made).opcode) {
    case ir::Opcode::FNeg32:
    case ir::Opcode::FFloor32:
      return is_f24(function_.operand(made, 0), depth - 1);
    case ir::Opcode::FMaxSelect32:
    case ir::Opcode::FMinSelect32:
      return is_f24(function_.operand(made, 0), depth - 1) && is_f24(function_.operand(made, 1), depth - 1);
    case ir::Opcode::SelectF32:
      return is_f24(function_.operand(made, 1), depth - 1) && is_f24(function_.operand(made, 2), depth - 1);
    default:
      return false;
  }
}

I1 InstructionTranslator::compare(unsigned relation, F32 a, F32 b) {
  switch (relation) {
    case 0:
      return builder_.FEq32(a, b);
    case 1:
      return builder_.FNe32(a, b);
    case 2:
      return builder_.FLt32(a, b);
    case 3:
      return builder_.FLe32(a, b);
    case 4:
      return builder_.FGt32(a, b);
    case 5:
      return builder_.FGe32(a, b);
    default:
      return builder_.constant(true);
  }
}

// Results that go to every enabled component. The order of the additions is that of pica200.md 13.
F32 InstructionTranslator::scalar(Opcode op, Operand& s1, Operand& s2) {
  switch (op) {
    case Opcode::dp3: {
      F32 x = multiply(s1[0], s2[0]), y = multiply(s1[1], s2[1]), z = multiply(s1[2], s2[2]);
      return builder_.FAdd32(builder_.FAdd32(x, y), z);
    }
    case Opcode::dp4: {
      F32 x = multiply(s1[0], s2[0]), y = multiply(s1[1], s2[1]), z = multiply(s1[2], s2[2]),
          w = multiply(s1[3], s2[3]);
      F32 left = builder_.FAdd32(x, y), right = builder_.FAdd32(z, w);
      return builder_.FAdd32(left, right);
    }
    case Opcode::dph:
    case Opcode::dphi: {  // the fourth product is 1.0 * s2.w
      F32 x = multiply(s1[0], s2[0]), y = multiply(s1[1], s2[1]), z = multiply(s1[2], s2[2]), w = s2[3];
      F32 left = builder_.FAdd32(x, y), right = builder_.FAdd32(z, w);
      return builder_.FAdd32(left, right);
    }
    case Opcode::ex2:
      return builder_.Exp2F32(s1[0]);
    case Opcode::lg2:
      return builder_.Log2F32(s1[0]);
    case Opcode::rcp:
      return builder_.RcpF32(s1[0]);
    default:
      return builder_.RsqrtF32(s1[0]);
  }
}

F32 InstructionTranslator::component(Opcode op, unsigned c, Operand& s1, Operand& s2, Operand& s3) {
  F32 zero = builder_.constant(0.0f), one = builder_.constant(1.0f);
  switch (op) {
    case Opcode::add: {
      F32 a = s1[c], b = s2[c];
      return builder_.FAdd32(a, b);
    }
    case Opcode::mul: {
      F32 a = s1[c], b = s2[c];
      return multiply(a, b);
    }
    case Opcode::mad:
    case Opcode::madi: {
      F32 a = s1[c], b = s2[c], addend = s3[c];
      return builder_.FAdd32(multiply(a, b), addend);
    }
    case Opcode::max: {
      F32 a = s1[c], b = s2[c];
      return builder_.FMaxSelect32(a, b);
    }
    case Opcode::min: {
      F32 a = s1[c], b = s2[c];
      return builder_.FMinSelect32(a, b);
    }
    case Opcode::sge:
    case Opcode::sgei: {
      F32 a = s1[c], b = s2[c];
      return builder_.select(builder_.FGe32(a, b), one, zero);
    }
    case Opcode::slt:
    case Opcode::slti: {
      F32 a = s1[c], b = s2[c];
      return builder_.select(builder_.FLt32(a, b), one, zero);
    }
    case Opcode::flr:
      return builder_.FFloor32(s1[c]);
    case Opcode::mov:
      return s1[c];
    case Opcode::dst:
    case Opcode::dsti: {  // (1, s1.y * s2.y, s1.z, s2.w)
      if (c == 0) return one;
      if (c == 2) return s1[2];
      if (c == 3) return s2[3];
      F32 a = s1[1], b = s2[1];
      return multiply(a, b);
    }
    default: {  // LITP: (max(x, 0), clamp(y), 0, max(w, 0)) with MAX's rule; the clamp keeps a NaN
      if (c == 1) {
        F32 low = builder_.FMaxSelect32(builder_.constant(-kLitpLimit), s1[1]);
        return builder_.FMinSelect32(builder_.constant(kLitpLimit), low);
      }
      return c == 2 ? zero : builder_.FMaxSelect32(s1[c], zero);
    }
  }
}

}  // namespace warpjit::pica200
