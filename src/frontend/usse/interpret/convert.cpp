// VPCK: moves and conversions of components (docs/guests/usse.md 5.3).
#include "frontend/usse/interpret/numbers.h"
#include "frontend/usse/interpret/quad.h"

namespace warpjit::usse {
namespace {

bool is_float(Type type) { return type == Type::f32 || type == Type::f16 || type == Type::c10; }

}  // namespace

// A half that goes to a half keeps its bits.
void QuadAlu::copy_component(const Register& to, Type to_type, unsigned k, const Register& from,
                             Type from_type, unsigned select, unsigned lane) {
  const bool narrow = to_type != Type::f32 && to.bank != Bank::i;
  const bool from_narrow = from.bank != Bank::i && from.bank != Bank::immediate && select < 4;
  if (narrow && from_narrow && to_type == Type::f16 && from_type == Type::f16) {
    const unsigned shift = select % 2 * 16;
    const std::uint32_t field = read_word(from, select / 2, lane, 0xffffU << shift) >> shift & 0xffff;
    const std::uint32_t mask = to.bank == Bank::idx ? ~0U : 0xffffU << k % 2 * 16;
    return write_word(to, k / 2, lane, field << k % 2 * 16, mask);
  }
  Source source{from};
  source.swizzle[0] = static_cast<Select>(select);
  const float value = component(source, from_type, 0, lane);
  const bool moves_bits = from_type == Type::f32 || from.bank == Bank::i;
  write_component(to, to_type, k, lane, moves_bits ? value : to_float(result_bits(value)));
}

void QuadAlu::pack(const Instruction& i, unsigned lane) {
  const bool from_float = is_float(i.source_type), to_float_type = is_float(i.type);
  const IntegerType from = integer_type(i.source_type), to = integer_type(i.type);
  unsigned mask = i.d[0].mask;
  if (i.d[0].bank != Bank::i) {
    // One register of 64 bits is written at most: the first one if the mask has components of both. The
    // console wrote even less of halves from bytes.
    const bool both = (mask & 3) != 0 && (mask & 12) != 0;
    if (i.type == Type::f32 && (!from_float || i.source_type == Type::f32) && both) mask &= 3;
    if (i.source_type == Type::u8 && i.type == Type::f16 && !i.scale && mask == 15) mask = 3;
  }
  const bool scaled_bytes = i.scale && (i.source_type == Type::u8 || i.type == Type::u8);
  const bool in_order = (!from_float || !to_float_type) && !scaled_bytes;

  unsigned taken = 0;
  for (unsigned k = 0; k < 4; ++k) {
    if ((i.d[0].mask >> k & 1) == 0) continue;
    const unsigned selected = in_order ? taken++ : k;
    if ((mask >> k & 1) == 0) continue;
    auto select = static_cast<unsigned>(i.s[1].swizzle[selected]);
    const Source* source = &i.s[1];
    if (i.source_type == Type::f32 && i.s[1].bank != Bank::i && select >= 2) {
      source = &i.s[2];  // the upper half of the window
      select -= 2;
    }
    if (from_float && to_float_type) {
      copy_component(i.d[0], i.type, k, *source, i.source_type, select, lane);
      continue;
    }
    std::uint32_t field = 0;
    float value = 0.0F;
    if (from_float) {
      value = raw_component(*source, i.source_type, select, lane);
      field = i.scale ? to_normalized(to, value) : to_integer(to, value);
    } else {
      field = element(*source, from.bits, select, lane);
      value = i.scale ? normalized_value(from, field) : static_cast<float>(integer_value(from, field));
      if (!to_float_type) field = static_cast<std::uint32_t>(integer_value(from, field));
    }
    if (to_float_type) {
      write_component(i.d[0], i.type, k, lane, value);
      continue;
    }
    const unsigned shift = k * to.bits % 32;
    const std::uint32_t bits = low_mask<std::uint32_t>(to.bits);
    write_word(i.d[0], k * to.bits / 32, lane, (field & bits) << shift,
               i.d[0].bank == Bank::idx ? ~0U : bits << shift);
  }
}

}  // namespace warpjit::usse
