// Registers of the guest interpreter: places of words, typed components.
#include <algorithm>
#include <bit>

#include "frontend/usse/facts/special_constants.h"
#include "frontend/usse/interpret/numbers.h"
#include "frontend/usse/interpret/quad.h"

namespace warpjit::usse {
namespace {

// Components of a word of this type.
unsigned per_word(Type type) {
  switch (type) {
    case Type::f16:
      return 2;
    case Type::c10:
      return 3;
    default:
      return 1;
  }
}
unsigned bits_of(Type type) { return type == Type::f32 ? 32 : type == Type::f16 ? 16 : 10; }

}  // namespace

std::uint32_t* QuadAlu::place(const Register& reg, unsigned word, unsigned lane) {
  if (reg.bank == Bank::i) {
    const unsigned at = 4 * (reg.number & 3U) + word;  // of i0 to i3
    return at < 16 ? &quad_.i[at / 4][at % 4][lane] : nullptr;
  }
  if (reg.bank == Bank::idx) {
    if (reg.number == 1 || reg.number == 2) return &quad_.idx[reg.number - 1U][lane];
    quad_.fault = true;
    return nullptr;
  }
  std::uint32_t number = reg.number;
  if (reg.index != 0) number += reg.index_words * quad_.idx[reg.index - 1U][lane];
  number = (number % kMaxRegisters) + word;
  const auto inside = [&](std::uint32_t count) {
    if (number < count) return true;
    quad_.fault = true;
    return false;
  };
  if (is_shared(reg.bank))
    return inside(static_cast<std::uint32_t>(file_.sa.size())) ? &file_.sa[number] : nullptr;
  switch (reg.bank) {
    case Bank::r:
      return inside(file_.r) ? &quad_.r[number][lane] : nullptr;
    case Bank::pa:
      return inside(file_.pa) ? &quad_.pa[number][lane] : nullptr;
    case Bank::o:
      return inside(file_.o) ? &quad_.o[number][lane] : nullptr;
    default:
      return nullptr;
  }
}

void QuadAlu::read_words(const Register& reg, unsigned word, unsigned lanes, LaneWords& words,
                         std::uint32_t bits) {
  if (observer_ != nullptr) [[unlikely]]
    return read_and_show(reg, word, lanes, words, bits);
  switch (reg.bank) {
    case Bank::c:
      return words.fill(word < 2 ? kSpecialConstants[reg.number & 63][word] : 0);
    case Bank::g:
      return words.fill(reg.number == kFaceRegister && word == 0 && quad_.anticlockwise ? 1 : 0);
    case Bank::immediate:
      return words.fill(reg.number);
    default:
      break;
  }
  if (reg.index != 0) {
    words.fill(0);
    for_lanes(lanes, [&](unsigned lane) {
      if (const std::uint32_t* const found = place(reg, word, lane)) words[lane] = *found;
    });
  } else if (const std::uint32_t* const found = place(reg, word, 0)) {
    if (is_shared(reg.bank))
      words.fill(*found);
    else
      std::copy_n(found, kLanes, words.begin());
  } else {
    words.fill(0);
  }
}

void QuadAlu::write_words(const Register& reg, unsigned word, unsigned lanes, const LaneWords& values,
                          std::uint32_t mask) {
  if (reg.bank == Bank::c || reg.bank == Bank::g || lanes == 0) return;
  if (reg.index != 0) {
    if (observer_ != nullptr) show_index(reg, lanes);
    for_lanes(lanes, [&](unsigned lane) {
      if (std::uint32_t* const found = place(reg, word, lane)) writes_.push_back({found, mask, values[lane]});
    });
  } else if (std::uint32_t* const first = place(reg, word, 0)) {
    const unsigned step = is_shared(reg.bank) ? 0 : 1;
    for_lanes(lanes, [&](unsigned lane) { writes_.push_back({first + lane * step, mask, values[lane]}); });
  }
}

void QuadAlu::commit() {
  if (observer_ != nullptr) [[unlikely]]
    return show_commit();
  for (const Write& write : writes_) *write.word = (*write.word & ~write.mask) | (write.value & write.mask);
  writes_.clear();
  for (const PredicateWrite& write : predicate_writes_) {
    const unsigned bit = 1U << write.lane;
    std::uint8_t& predicate = quad_.p[write.predicate];
    predicate = static_cast<std::uint8_t>(write.value ? predicate | bit : predicate & ~bit);
  }
  predicate_writes_.clear();
}

void QuadAlu::raw_components(const Register& reg, Type type, unsigned component, unsigned lanes,
                             LaneFloats& values) {
  if (reg.bank == Bank::immediate) return values.fill(static_cast<float>(reg.number));
  LaneWords words;
  if (reg.bank == Bank::i || type == Type::f32) {
    read_words(reg, component, lanes, words);
    values = std::bit_cast<LaneFloats>(words);
    return;
  }
  const unsigned count = per_word(type), shift = component % count * bits_of(type);
  read_words(reg, component / count, lanes, words, low_mask<std::uint32_t>(bits_of(type)) << shift);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    values[lane] = type == Type::f16 ? half_value(static_cast<std::uint16_t>(words[lane] >> shift))
                                     : c10_value(words[lane] >> shift);
}

void QuadAlu::read_components(const Source& source, Type type, unsigned k, unsigned lanes,
                              LaneFloats& values) {
  constexpr std::array<float, 4> kConstants{0.0F, 1.0F, 2.0F, 0.5F};
  const auto select = static_cast<unsigned>(source.swizzle[k]);
  if (select >= 4)
    values.fill(kConstants[select - 4]);
  else
    raw_components(source, type, select, lanes, values);
  if (!source.absolute && !source.negate) return;
  const std::uint32_t keep = source.absolute ? 0x7fffffff : 0xffffffff, flip = source.negate ? 0x80000000 : 0;
  for (float& value : values) value = to_float((to_bits(value) & keep) ^ flip);
}

void QuadAlu::write_components(const Register& reg, Type type, unsigned k, unsigned lanes,
                               const LaneFloats& values) {
  LaneWords words{};
  if (reg.bank == Bank::i || type == Type::f32) {
    for (unsigned lane = 0; lane < kLanes; ++lane) words[lane] = to_bits(values[lane]);
    return write_words(reg, k, lanes, words);
  }
  const unsigned count = per_word(type), bits = bits_of(type), shift = k % count * bits;
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint32_t field = type == Type::f16 ? to_half(values[lane]) : to_c10(values[lane]);
    words[lane] = field << shift;
  });
  const std::uint32_t mask = reg.bank == Bank::idx ? ~0U : low_mask<std::uint32_t>(bits) << shift;
  write_words(reg, k / count, lanes, words, mask);
}

void QuadAlu::write_masked(const Destination& destination, Type type, unsigned mask, unsigned lanes,
                           const std::array<LaneFloats, 4>& values) {
  for (unsigned k = 0; k < 4; ++k) {
    if ((mask >> k & 1) == 0) continue;
    LaneFloats results{};
    for (unsigned lane = 0; lane < kLanes; ++lane) results[lane] = to_float(result_bits(values[k][lane]));
    write_components(destination, type, k, lanes, results);
  }
}

unsigned QuadAlu::holds(Predicate predicate) const {
  const auto& p = quad_.p;
  switch (predicate) {
    case Predicate::always:
      return 15;
    case Predicate::p0:
    case Predicate::p1:
    case Predicate::p2:
    case Predicate::p3:
      return p[static_cast<std::size_t>(predicate) - static_cast<std::size_t>(Predicate::p0)];
    case Predicate::not_p0:
    case Predicate::not_p1:
    case Predicate::not_p2:
      return ~p[static_cast<std::size_t>(predicate) - static_cast<std::size_t>(Predicate::not_p0)] & 15U;
    case Predicate::pn:
      break;
  }
  unsigned lanes = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) lanes |= p[lane] & 1U << lane;
  return lanes;
}

}  // namespace warpjit::usse
