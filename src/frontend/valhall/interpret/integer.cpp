#include <algorithm>

#include "frontend/valhall/interpret/families.h"

namespace warpjit::valhall {

const Pieces& pieces_of(Lanes lanes) {
  static const std::array<Pieces, static_cast<std::size_t>(Lanes::reserved) + 1> kPieces = [] {
    std::array<Pieces, static_cast<std::size_t>(Lanes::reserved) + 1> all{};
    for (std::size_t n = 0; n < static_cast<std::size_t>(Lanes::reserved); ++n) {
      const std::string_view digits = name(static_cast<Lanes>(n));
      if (digits.empty() || n == static_cast<std::size_t>(Lanes::both) ||
          n == static_cast<std::size_t>(Lanes::lowbits))
        continue;
      all[n].bits = digits[0] == 'b' ? 8 : digits[0] == 'h' ? 16 : 32;
      for (std::size_t k = 0; k < 4; ++k)
        all[n].index[k] = static_cast<std::uint8_t>(digits[1 + std::min(k, digits.size() - 2)] - '0');
    }
    return all;
  }();
  return kPieces[static_cast<std::size_t>(lanes)];
}

namespace {

using Wide = std::uint64_t;

std::int64_t element(const Instruction& i, const Inputs& in, unsigned source, unsigned k) {
  return integer_element(i.source[source], in.source[source], elements_of(i.type), k);
}
// The element's bits alone.
Wide element_bits(const Instruction& i, const Inputs& in, unsigned source, unsigned k) {
  return static_cast<Wide>(element(i, in, source, k)) & element_mask(elements_of(i.type).bits);
}

template <class Function>
Wide each_element(const Instruction& i, const Function& function) {
  return pack_elements(elements_of(i.type), function);
}

// To the range of an element of at most 32 bits.
std::int64_t saturated(std::int64_t value, const Elements& elements) {
  const std::int64_t ones = static_cast<std::int64_t>(element_mask(elements.bits));
  const std::int64_t most = elements.is_signed ? ones >> 1 : ones;
  return std::clamp(value, elements.is_signed ? -most - 1 : 0, most);
}
std::int64_t fit(const Instruction& i, std::int64_t value) {
  return i.saturate ? saturated(value, elements_of(i.type)) : value;
}

// Sums of 64 bits wrap; those of less do not reach 64.
std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<Wide>(a) + static_cast<Wide>(b));
}
std::int64_t wrapping_difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<Wide>(a) - static_cast<Wide>(b));
}

Wide iadd(const Instruction& i, const Inputs& in) {
  return each_element(
      i, [&](unsigned k) { return fit(i, wrapping_sum(element(i, in, 0, k), element(i, in, 1, k))); });
}
Wide isub(const Instruction& i, const Inputs& in) {
  return each_element(
      i, [&](unsigned k) { return fit(i, wrapping_difference(element(i, in, 0, k), element(i, in, 1, k))); });
}
Wide imul(const Instruction& i, const Inputs& in) {
  return each_element(i, [&](unsigned k) -> Wide {
    const Elements elements = elements_of(i.type);
    const std::int64_t a = element(i, in, 0, k), b = element(i, in, 1, k);
    if (elements.is_signed) return static_cast<Wide>(fit(i, a * b));
    const Wide product = static_cast<Wide>(a) * static_cast<Wide>(b);
    return i.saturate ? std::min(product, element_mask(elements.bits)) : product;
  });
}
Wide imuld(const Instruction& i, const Inputs& in) {
  return (static_cast<Wide>(element(i, in, 0, 0)) & 0xffffffff) *
         (static_cast<Wide>(element(i, in, 1, 0)) & 0xffffffff);
}
Wide hadd(const Instruction& i, const Inputs& in) {
  return each_element(i, [&](unsigned k) {
    return (element(i, in, 0, k) + element(i, in, 1, k) + (i.round_up ? 1 : 0)) >> 1;
  });
}
Wide iadd_imm(const Instruction& i, const Inputs& in) {
  return each_element(i, [&](unsigned k) {
    const Elements elements = elements_of(i.type);
    return element(i, in, 0, k) + static_cast<std::int64_t>(i.constant >> (k * elements.bits));
  });
}
Wide shaddx(const Instruction& i, const Inputs& in) {
  return static_cast<Wide>(element(i, in, 0, 0)) + (static_cast<Wide>(element(i, in, 1, 0)) << i.shift);
}
Wide seg_add(const Instruction& i, const Inputs& in) {
  const auto a = static_cast<Wide>(element(i, in, 0, 0)), b = static_cast<Wide>(element(i, in, 1, 0));
  if (i.preserve_null && a == 0) return 0;
  return i.subtract ? a - b : a + b;
}
Wide idp(const Instruction& i, const Inputs& in) {
  const Elements bytes = elements_of(i.type);
  const Elements sum{32, 1, bytes.is_signed};
  std::int64_t total = integer_element(i.source[2], in.source[2], sum, 0);
  for (unsigned k = 0; k < bytes.count; ++k) total += element(i, in, 0, k) * element(i, in, 1, k);
  return static_cast<Wide>(i.saturate ? saturated(total, sum) : total) & 0xffffffff;
}

// ---- Bits

Wide mov(const Instruction&, const Inputs& in) { return in.source[0]; }
Wide not_old(const Instruction&, const Inputs& in) { return ~in.source[0]; }

Wide clz(const Instruction& i, const Inputs& in) {
  return each_element(i, [&](unsigned k) -> Wide {
    const Wide bits = element_bits(i, in, 0, k);
    if (i.mask_zero && bits == 0) return ~Wide{0};
    return static_cast<Wide>(std::countl_zero(bits)) - (64 - elements_of(i.type).bits);
  });
}
Wide iabs(const Instruction& i, const Inputs& in) {
  return each_element(i, [&](unsigned k) {
    const std::int64_t a = element(i, in, 0, k);
    return a < 0 ? -a : a;
  });
}
Wide popcount(const Instruction&, const Inputs& in) {
  return static_cast<Wide>(std::popcount(static_cast<std::uint32_t>(in.source[0])));
}
Wide bitrev(const Instruction&, const Inputs& in) {
  Wide reversed = 0;
  for (unsigned bit = 0; bit < 32; ++bit) reversed |= (in.source[0] >> bit & 1) << (31 - bit);
  return reversed;
}

enum class Shift { right, left, rotate_right, rotate_left };
enum class Logic { and_, or_, xor_ };

// The byte of source 1 that counts element k. One element takes the lowest byte that the lanes name; of four,
// the two digits are for two elements each, but b02 is every byte in order.
unsigned shift_count(const Instruction& i, const Inputs& in, unsigned k) {
  const Lanes lanes = i.source[1].lanes;
  const unsigned count = elements_of(i.type).count;
  const unsigned byte =
      count == 4 && lanes == Lanes::b02 ? k : pieces_of(lanes).index[count == 4 ? k / 2 : k];
  return static_cast<unsigned>(in.source[1] >> (8 * byte) & 0xff);
}

template <Shift kShift, Logic kLogic>
Wide shift_logic(const Instruction& i, const Inputs& in) {
  const Elements elements = elements_of(i.type);
  return each_element(i, [&](unsigned k) {
    const unsigned n = shift_count(i, in, k) % elements.bits;
    const Wide mask = element_mask(elements.bits), a = element_bits(i, in, 0, k);
    const unsigned back = (elements.bits - n) % elements.bits;
    Wide t = 0;
    switch (kShift) {
      case Shift::left:
        t = a << n;
        break;
      case Shift::right:
        t = i.arithmetic ? static_cast<Wide>(sign_extend(a, elements.bits) >> n) : a >> n;
        break;
      case Shift::rotate_right:
        t = a >> n | a << back;
        break;
      case Shift::rotate_left:
        t = a << n | a >> back;
        break;
    }
    Wide c = in.source[2] >> (k * elements.bits) & mask;
    if (i.source[2].invert) c = ~c;
    const Wide r = kLogic == Logic::and_ ? t & c : kLogic == Logic::or_ ? t | c : t ^ c;
    return i.not_result ? ~r : r;
  });
}

// ---- Choices

template <class Value>
bool holds(Condition condition, Value a, Value b) {
  switch (condition) {
    case Condition::eq:
      return a == b;
    case Condition::gt:
      return a > b;
    case Condition::ge:
      return a >= b;
    case Condition::ne:
      return a != b;
    case Condition::lt:
      return a < b;
    case Condition::le:
      return a <= b;
    case Condition::gtlt:
      return a < b || a > b;
    case Condition::total:
      break;  // find_operation() refuses it
  }
  return false;
}

// What a comparison that holds gives to an element.
Wide truth(ResultType type, unsigned bits) {
  switch (type) {
    case ResultType::f1:
      return bits == 32 ? 0x3f800000 : 0x3c00;
    case ResultType::m1:
      return element_mask(bits);
    default:
      return 1;
  }
}

template <Logic kLogic>
Wide compare_logic(const Instruction& i, const Inputs& in) {
  const unsigned bits = elements_of(i.type).bits;
  return each_element(i, [&](unsigned k) {
    const bool holds = compare_element(i, in, k);
    const bool other = (in.source[2] >> (k * bits) & element_mask(bits)) != 0;
    return (kLogic == Logic::or_ ? holds || other : holds && other) ? truth(i.result_type, bits) : 0;
  });
}

// The words of a long comparison, the lowest first: each gives on what those below it found, -1, 0 or 1,
// where its own are equal.
Wide compare_multi(const Instruction& i, const Inputs& in) {
  const std::int64_t a = element(i, in, 0, 0), b = element(i, in, 1, 0);
  const auto below = static_cast<std::int32_t>(in.source[2]);
  const std::int32_t order = a < b ? -1 : a > b ? 1 : below;
  if (i.result_type == ResultType::u1) return static_cast<std::uint32_t>(order);
  return holds(i.condition, order, 0) ? truth(i.result_type, 32) : 0;
}

Wide csel(const Instruction& i, const Inputs& in) {
  const unsigned bits = elements_of(i.type).bits;
  return each_element(i,
                      [&](unsigned k) { return in.source[compare_element(i, in, k) ? 2 : 3] >> (k * bits); });
}

Wide mux(const Instruction& i, const Inputs& in) {
  const unsigned bits = elements_of(i.type).bits;
  return each_element(i, [&](unsigned k) -> Wide {
    const Wide a = element_bits(i, in, 0, k), b = element_bits(i, in, 1, k), c = element_bits(i, in, 2, k);
    const Wide sign = Wide{1} << (bits - 1);
    switch (i.mux) {
      case Mux::negative:
        return (c & sign) != 0 ? a : b;
      case Mux::int_zero:
        return c == 0 ? a : b;
      case Mux::fp_zero:
        return (c & ~sign) == 0 ? a : b;
      case Mux::bit:
        return (a & c) | (b & ~c);
    }
    return 0;
  });
}

// One element of each of two sources: what the first digit of its lanes names. Bytes have a half beside them.
Wide mkvec(const Instruction& i, const Inputs& in) {
  const unsigned bits = elements_of(i.type).bits;
  const Wide pair = element_bits(i, in, 0, 0) | element_bits(i, in, 1, 0) << bits;
  return bits == 8 ? pair | (in.source[2] & 0xffff) << 16 : pair;
}

constexpr Meaning kIntegerMeanings[] = {
    {Opcode::mov, mov},
    {Opcode::not_old, not_old},
    {Opcode::clz, clz},
    {Opcode::iabs, iabs},
    {Opcode::popcount, popcount},
    {Opcode::bitrev, bitrev},
    {Opcode::iadd, iadd},
    {Opcode::isub, isub},
    {Opcode::imul, imul},
    {Opcode::imuld, imuld},
    {Opcode::hadd, hadd},
    {Opcode::iadd_imm, iadd_imm},
    {Opcode::shaddx, shaddx},
    {Opcode::seg_add, seg_add},
    {Opcode::idp, idp},
    {Opcode::rshift_and, shift_logic<Shift::right, Logic::and_>},
    {Opcode::rshift_or, shift_logic<Shift::right, Logic::or_>},
    {Opcode::rshift_xor, shift_logic<Shift::right, Logic::xor_>},
    {Opcode::lshift_and, shift_logic<Shift::left, Logic::and_>},
    {Opcode::lshift_or, shift_logic<Shift::left, Logic::or_>},
    {Opcode::lshift_xor, shift_logic<Shift::left, Logic::xor_>},
    {Opcode::rrot_and, shift_logic<Shift::rotate_right, Logic::and_>},
    {Opcode::rrot_or, shift_logic<Shift::rotate_right, Logic::or_>},
    {Opcode::rrot_xor, shift_logic<Shift::rotate_right, Logic::xor_>},
    {Opcode::lrot_and, shift_logic<Shift::rotate_left, Logic::and_>},
    {Opcode::lrot_or, shift_logic<Shift::rotate_left, Logic::or_>},
    {Opcode::lrot_xor, shift_logic<Shift::rotate_left, Logic::xor_>},
    {Opcode::icmp_or, compare_logic<Logic::or_>},
    {Opcode::icmp_and, compare_logic<Logic::and_>},
    {Opcode::fcmp_or, compare_logic<Logic::or_>},
    {Opcode::fcmp_and, compare_logic<Logic::and_>},
    {Opcode::icmp_multi, compare_multi},
    {Opcode::csel, csel},
    {Opcode::mux, mux},
    {Opcode::mkvec, mkvec},
};

}  // namespace

bool compare_element(const Instruction& i, const Inputs& in, unsigned k) {
  if (i.type == Type::f32)
    return holds(i.condition, single_source(i.source[0], in.source[0], in.mode),
                 single_source(i.source[1], in.source[1], in.mode));
  if (i.type == Type::v2f16)
    return holds(i.condition, half_source(i.source[0], in.source[0], k, in.mode),
                 half_source(i.source[1], in.source[1], k, in.mode));
  return holds(i.condition, element(i, in, 0, k), element(i, in, 1, k));
}

std::span<const Meaning> integer_meanings() { return kIntegerMeanings; }

}  // namespace warpjit::valhall
