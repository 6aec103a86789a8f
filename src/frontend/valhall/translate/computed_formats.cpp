// ST_CVT whose format the program computes: each lane converts to the one that its word
// names (valhall.md 8.5).
#include <algorithm>
#include <bit>

#include "frontend/valhall/translate/instruction.h"
#include "ir/memory.h"

namespace warpjit::valhall {

using ir::F32;
using ir::I1;
using ir::I32;
using Kind = VertexFormat::Kind;

namespace {

constexpr unsigned kNoPlace = 4;  // a component in memory that no channel gives

// What a word of 32 bits says of a format: bits of each component in memory, 6 each, then its kind and the
// number of its components. No format is 0.
constexpr unsigned kWidthBits = 6, kKindShift = 24, kCountShift = 27;
std::uint32_t packed(const VertexFormat& format) {
  std::uint32_t word = static_cast<std::uint32_t>(format.kind) << kKindShift | std::uint32_t{format.count()}
                                                                                   << kCountShift;
  for (unsigned n = 0; n < format.count(); ++n) word |= std::uint32_t{format.bits[n]} << kWidthBits * n;
  return word;
}

// Which channel each component in memory takes, the first one that has it: 4 bits each.
std::uint32_t places(const VertexFormat& format) {
  std::uint32_t word = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const auto channel = std::ranges::find(format.channel, n) - format.channel.begin();
    word |= (n < format.count() ? static_cast<std::uint32_t>(channel) : kNoPlace) << 4 * n;
  }
  return word;
}

// All that ST_CVT stores, taken apart: a format is a code of 8 bits above an order of 12.
struct StoredFormats {
  struct Code {
    std::uint32_t code, packed;
  };
  struct Order {
    std::uint32_t order;
    std::array<std::uint32_t, 4> places;  // of formats with 1 to 4 components
  };
  std::vector<Code> codes;
  std::vector<Order> orders;

  StoredFormats() {
    std::array<std::uint32_t, 4> with_count{};  // a code
    for (std::uint32_t code = 0; code < 256; ++code) {
      const auto format = find_vertex_format(code << 12);
      if (!format || !can_store(*format)) continue;
      codes.push_back({code, packed(*format)});
      with_count[format->count() - 1U] = code;
    }
    for (std::uint32_t order = 0; order < 1U << 12; ++order) {
      if (!is_component_order(order)) continue;
      orders.push_back({order, {}});
      for (unsigned n = 0; n < 4; ++n)
        orders.back().places[n] = places(*find_vertex_format(with_count[n] << 12 | order));
    }
  }
};
const StoredFormats& stored_formats() {
  static const StoredFormats formats;
  return formats;
}

}  // namespace

// As stored_component() has it, of a kind and of a number of bits that are known only in the lane.
I32 InstructionTranslator::computed_component(I32 kind, I32 bits, I32 value, RegisterFormat from) {
  const I32 ones = b_.IShrU32(word(~0U), b_.ISub32(word(32), bits)), most = b_.IShrU32(ones, word(1));
  const bool is_auto = from == RegisterFormat::automatic,
             unsigned_from = holds_integers(from) && !holds_signed(from);
  const auto is = [&](Kind which) { return b_.IEq32(kind, word(static_cast<std::uint32_t>(which))); };
  I32 single = value;
  if (holds_signed(from)) single = b_.BitcastF32ToI32(b_.I32ToF32(value));
  if (unsigned_from) single = b_.BitcastF32ToI32(b_.U32ToF32(value));
  if (from == RegisterFormat::f16) single = widened_half(value, false);
  const F32 x = as_float(single);

  const F32 number = b_.select(b_.FUnordered32(x, x), real(0), x);
  const auto normalized = [&](float least, I32 magnitude) {
    const F32 limited = b_.FMinSelect32(b_.FMaxSelect32(number, real(least)), real(1));
    return rounded(b_.FMul32(limited, b_.U32ToF32(magnitude)), Round::nearest_even);
  };
  const I32 unorm = b_.F32ToU32Sat(normalized(0, ones)), snorm = b_.F32ToI32Sat(normalized(-1, most));
  I32 whole, signed_whole;
  if (is_auto) {
    whole = signed_whole = value;
  } else if (holds_signed(from)) {
    whole = b_.IMaxS32(value, word(0)), signed_whole = value;
  } else if (unsigned_from) {
    whole = value, signed_whole = b_.IMinU32(value, word(0x7fffffff));
  } else {
    whole = b_.F32ToU32Sat(x), signed_whole = b_.F32ToI32Sat(x);
  }
  const I32 least = b_.IXor32(most, word(~0U));
  I32 result = b_.select(is(Kind::unorm), unorm, snorm);
  result = b_.select(is(Kind::unsigned_), b_.IMinU32(whole, ones), result);
  result = b_.select(is(Kind::signed_), b_.IMaxS32(b_.IMinS32(signed_whole, most), least), result);
  result = b_.select(is(Kind::half), half_bits(x, Round::nearest_even), result);
  result = b_.select(is(Kind::single), single, result);
  return b_.IAnd32(result, ones);
}

void InstructionTranslator::store_computed(const Instruction& i, Pair at, I1 given, I32 conversion) {
  const StoredFormats& formats = stored_formats();
  const I32 code = b_.IShrU32(conversion, word(12)), order = b_.IAnd32(conversion, word(0xfff));
  I32 format = word(0);
  for (const StoredFormats::Code& known : formats.codes)
    format = b_.select(b_.IEq32(code, word(known.code)), word(known.packed), format);
  const I32 count = b_.IShrU32(format, word(kCountShift)),
            kind = b_.IAnd32(b_.IShrU32(format, word(kKindShift)), word(7));
  const auto none = word(~0U);
  I32 from = none;
  for (const StoredFormats::Order& known : formats.orders) {
    I32 places = word(known.places[3]);
    for (unsigned n = 3; n-- > 0;) {
      // What more components have does not matter.
      const std::uint32_t mask = low_mask<std::uint32_t>(4 * (n + 1));
      bool same = true;
      for (unsigned more = n + 1; more < 4; ++more)
        same = same && ((known.places[n] ^ known.places[more]) & mask) == 0;
      if (!same) places = b_.select(b_.IEq32(count, word(n + 1)), word(known.places[n]), places);
    }
    from = b_.select(b_.IEq32(order, word(known.order)), places, from);
  }
  const I1 known = b_.And1(b_.INe32(format, word(0)), b_.INe32(from, none));
  store_nowhere(at, b_.AndNot1(given, known));

  const bool halves = holds_halves(i.register_format);
  const I1 integers = b_.Or1(b_.IEq32(kind, word(static_cast<std::uint32_t>(Kind::unsigned_))),
                             b_.IEq32(kind, word(static_cast<std::uint32_t>(Kind::signed_))));
  std::array<I32, 4> channels{word(0), word(0), word(0), word(0)};
  if (i.register_format == RegisterFormat::automatic)
    channels[3] = b_.select(integers, word(1), word(0x3f800000));
  else if (holds_integers(i.register_format))
    channels[3] = word(1);
  else
    channels[3] = word(halves ? 0x3c00 : 0x3f800000);
  for (unsigned n = 0; n <= i.vector_size; ++n) {
    channels[n] = gpr(i.read.first + (halves ? n / 2 : n));
    if (halves) channels[n] = bits_of(channels[n], 16 * (n % 2), 16, holds_signed(i.register_format));
  }

  std::array<I32, 4> words{word(0), word(0), word(0), word(0)};
  I32 first = word(0);  // bit of the component
  for (unsigned n = 0; n < 4; ++n) {
    const I32 bits = bits_of(format, kWidthBits * n, kWidthBits, false),
              place = bits_of(from, 4 * n, 4, false);
    I32 value = channels[3];
    for (unsigned channel = 3; channel-- > 0;)
      value = b_.select(b_.IEq32(place, word(channel)), channels[channel], value);
    value = computed_component(kind, bits, value, i.register_format);
    value = b_.select(b_.IEq32(place, word(kNoPlace)), word(0), value);
    const I32 which = b_.IShrU32(first, word(5));
    value = b_.IShl32(value, b_.IAnd32(first, word(31)));
    for (unsigned k = 0; k <= n; ++k)
      words[k] = b_.IOr32(words[k], b_.select(b_.IEq32(which, word(k)), value, word(0)));
    first = b_.IAdd32(first, bits);
  }
  std::vector<SizedStore> stores;
  for (const std::uint32_t bytes : {1U, 2U, 3U, 4U, 6U, 8U, 12U, 16U})
    stores.push_back({bytes, b_.And1(b_.And1(given, known), b_.IEq32(first, word(8 * bytes)))});
  store_bytes(at, words, stores);
}

}  // namespace warpjit::valhall
