// Geometry programs (docs/guests/pica200.md 10) as IR. EMIT's buffer and both output banks are SSA variables:
// what SETEMIT latches is mostly known at compile time, so that emitting costs only the stores of triangles.
// State from the invocation before is loaded from the unit's rows at the start. What of it is really needed
// is found in translate/unit.cpp.
#include "frontend/pica200/translate/instruction.h"

namespace warpjit::pica200 {

using ir::F32;
using ir::I1;
using ir::I32;

template <class Visit>
void InstructionTranslator::each_enabled(Visit visit) {
  for (unsigned n = 0, place = 0; n < 16; ++n)
    if (facts_.geometry.enabled >> n & 1) visit(n, place++);
}

InstructionTranslator::Row InstructionTranslator::read_row(std::uint32_t variable) {
  Row row;
  for (unsigned c = 0; c < 4; ++c) row[c] = read<F32>(variable + c);
  return row;
}
void InstructionTranslator::write_row(std::uint32_t variable, const Row& row) {
  for (unsigned c = 0; c < 4; ++c) write(variable + c, row[c]);
}

InstructionTranslator::Row InstructionTranslator::load_unit_row(std::uint32_t number) {
  const std::uint32_t binding = (unit_.history + 1) * invocation_bindings();
  return builder_.LoadInputRow(builder_.constant(number), std::uint64_t{UnitRows::kCount} << 32 | binding);
}
void InstructionTranslator::store_unit_row(std::uint32_t number, const Row& row) {
  const std::uint64_t binding = facts_.outputs.size() + 2;
  builder_.StoreOutputRow(builder_.constant(true), builder_.constant(number), row[0], row[1], row[2], row[3],
                          std::uint64_t{UnitRows::kCount} << 32 | binding);
}

InstructionTranslator::Row InstructionTranslator::invocation_row(I32 number) {
  return builder_.LoadInputRow(number, std::uint64_t{facts_.geometry.row_count} << 32 | row_binding());
}

void InstructionTranslator::begin_emission() {
  I32 none = builder_.constant(std::int32_t{0});
  write(var_triangles(), none);
  for (unsigned word = 0; word < 3; ++word) write(var_inverted(word), none);
}

void InstructionTranslator::load_unit() {
  I32 none = builder_.constant(std::int32_t{0});
  const auto flag = [&](I32 bits, unsigned bit) {
    return builder_.INe32(builder_.IAnd32(bits, builder_.constant(std::uint32_t{1} << bit)), none);
  };
  for (unsigned n = 0; n < 16; ++n) {
    write_row(kVarR + 4 * n, load_unit_row(UnitRows::kR + n));
    write_row(kVarO + 4 * n, load_unit_row(UnitRows::kBank + n));
    write_row(var_other(n), load_unit_row(UnitRows::kOther + n));
    for (unsigned vertex = 0; vertex < 3; ++vertex)
      write_row(var_buffer(vertex, n), load_unit_row(UnitRows::kBuffer + 16 * vertex + n));
  }
  const Row address = load_unit_row(UnitRows::kAddress), latch = load_unit_row(UnitRows::kLatch);
  for (unsigned c = 0; c < 2; ++c) {
    write(kVarA0 + c, builder_.BitcastF32ToI32(address[c]));
    write(kVarCmp + c, flag(builder_.BitcastF32ToI32(address[3]), c));
  }
  write(kVarAL, builder_.BitcastF32ToI32(address[2]));
  I32 latched = builder_.BitcastF32ToI32(latch[1]);
  write(var_vertex(), builder_.BitcastF32ToI32(latch[0]));
  write(var_primitive(), flag(latched, 0));
  write(var_winding(), flag(latched, 1));
  write(var_b15(), flag(latched, 2));
}

void InstructionTranslator::end_invocation() {
  const auto bits = [&](I32 value) { return builder_.BitcastI32ToF32(value); };
  builder_.StoreOutput(builder_.constant(true), bits(read<I32>(var_triangles())),
                       bits(read<I32>(var_inverted(0))), bits(read<I32>(var_inverted(1))),
                       bits(read<I32>(var_inverted(2))), facts_.outputs.size());
  const auto flag = [&](I1 value, unsigned bit) {
    return builder_.select(value, builder_.constant(std::uint32_t{1} << bit),
                           builder_.constant(std::uint32_t{0}));
  };
  if (!unit_.stores) return;
  for (std::uint32_t number = 0; number < UnitRows::kCount; ++number) {
    F32 none = builder_.constant(0.0f);
    if (number < UnitRows::kAddress) {
      store_unit_row(number, read_row(kVarR + 4 * number));
    } else if (number == UnitRows::kAddress) {
      I32 flags = builder_.IOr32(flag(read<I1>(kVarCmp), 0), flag(read<I1>(kVarCmp + 1), 1));
      store_unit_row(number, {bits(read<I32>(kVarA0)), bits(read<I32>(kVarA0 + 1)), bits(read<I32>(kVarAL)),
                              bits(flags)});
    } else if (number == UnitRows::kLatch) {
      I32 flags = builder_.IOr32(flag(read<I1>(var_primitive()), 0), flag(read<I1>(var_winding()), 1));
      I32 with_b15 = builder_.IOr32(flags, builder_.constant(4u));  // true after every invocation
      store_unit_row(number, {bits(read<I32>(var_vertex())), bits(with_b15), none, none});
    } else if (number < UnitRows::kOther) {
      store_unit_row(number, read_row(kVarO + 4 * (number - UnitRows::kBank)));
    } else {  // the other bank's variables, then the buffer's
      store_unit_row(number, read_row(var_other(number - UnitRows::kOther)));
    }
  }
}

void InstructionTranslator::set_emit(const Instruction& i) {
  write(var_vertex(), builder_.constant(std::uint32_t{i.vertex}));
  write(var_primitive(), builder_.constant(i.primitive != 0));
  write(var_winding(), builder_.constant(i.winding != 0));
}

void InstructionTranslator::emit() {
  I32 vertex = read<I32>(var_vertex());
  for (unsigned k = 0; k < 3; ++k) {
    I1 here = builder_.IEq32(vertex, builder_.constant(k));
    each_enabled([&](unsigned n, unsigned) {
      for (unsigned c = 0; c < 4; ++c) {
        F32 old = read<F32>(var_buffer(k, n) + c), now = read<F32>(kVarO + 4 * n + c);
        write(var_buffer(k, n) + c, builder_.select(here, now, old));
      }
    });
  }
  if (earlier_ == 0) submit_triangle();
  const std::uint16_t swapped = facts_.geometry.keeps_unit ? 0xffff : facts_.geometry.enabled;
  for (unsigned n = 0; n < 16; ++n) {
    if ((swapped >> n & 1) == 0) continue;
    const Row current = read_row(kVarO + 4 * n);
    write_row(kVarO + 4 * n, read_row(var_other(n)));
    write_row(var_other(n), current);
  }
}

void InstructionTranslator::submit_triangle() {
  I1 primitive = read<I1>(var_primitive());
  I32 number = read<I32>(var_triangles());
  store_triangle(primitive, number);
  I1 inverted = builder_.And1(primitive, read<I1>(var_winding()));
  I32 none = builder_.constant(std::int32_t{0}), one = builder_.constant(std::int32_t{1});
  I32 bit = builder_.IShl32(one, builder_.IAnd32(number, builder_.constant(31u)));
  for (unsigned word = 0; word < (facts_.geometry.max_triangles + 31u) / 32; ++word) {
    I1 here = builder_.IEq32(builder_.IShrU32(number, builder_.constant(5u)), builder_.constant(word));
    I32 set = builder_.select(builder_.And1(inverted, here), bit, none);
    write(var_inverted(word), builder_.IOr32(read<I32>(var_inverted(word)), set));
  }
  write(var_triangles(), builder_.select(primitive, builder_.IAdd32(number, one), number));
}

void InstructionTranslator::store_triangle(I1 primitive, I32 number) {
  const GeometryFacts& geometry = facts_.geometry;
  if (geometry.enabled == 0 || (function_.is_constant(primitive) && function_.constant(primitive) == 0))
    return;
  const std::uint64_t immediate = std::uint64_t{geometry.triangle_rows()} << 32 | (facts_.outputs.size() + 1);
  I32 first = builder_.IMul32(number, builder_.constant(3 * geometry.vertex_rows()));
  for (unsigned k = 0; k < 3; ++k)
    each_enabled([&](unsigned n, unsigned place) {
      Row row = read_row(var_buffer(k, n));
      for (F32& value : row) value = builder_.CanonicalizeNaN32(value);
      I32 index = builder_.IAdd32(first, builder_.constant(k * geometry.vertex_rows() + place));
      builder_.StoreOutputRow(primitive, index, row[0], row[1], row[2], row[3], immediate);
    });
}

}  // namespace warpjit::pica200
