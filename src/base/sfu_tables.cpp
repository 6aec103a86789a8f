// The words of base/sfu_lanes.h.
#include <array>
#include <cstdlib>

#include "base/sfu_lanes.h"

namespace warpjit::sfu {
namespace {

using u32 = std::uint32_t;

using Words = std::array<u32, 128>;

u32 slopes(const Segment& s, u32 times = 1) {
  return static_cast<u32>(std::abs(s.c1)) << 16 | times * static_cast<u32>(std::abs(s.c2));
}
u32 base(const Segment& s, unsigned shift, u32 half) {
  return static_cast<u32>(((std::int64_t{s.c0} << shift) + half) >> 8);
}
u32 rcp_base(const Segment& s) {
  return static_cast<u32>(((std::int64_t{s.c0} << 13) + std::int64_t{s.c1} * 0x8000 + kRcpHalf) >> 8);
}
u32 sin_base(const Segment& s) { return static_cast<u32>(s.c0 + s.c1 * 0x20); }

u32 truncated_products(u32 a) {
  u32 row = 0;
  for (u32 b = 0; b < 8; ++b) {
    u32 sum = 0;
    for (unsigned i = 0; i < 3; ++i)
      for (unsigned j = 2 - i; j < 3; ++j) sum += (a >> i & 1 & b >> j) << (i + j - 2);
    row |= sum << 4 * b;
  }
  return row;
}

Words make(Table table) {
  Words made{};
  const auto fill = [&](auto word) {
    for (std::size_t n = 0; n < word_count(table); ++n) made[n] = word(n);
  };
  // Segments of the even exponents come first, here those of the odd ones.
  const auto rsqrt_segment = [](std::size_t n) -> const Segment& { return kRsqrt[n ^ 64]; };
  switch (table) {
    case Table::rcp_base:
      fill([](std::size_t n) { return rcp_base(kRcp[n]); });
      break;
    case Table::rcp_slopes:
      fill([](std::size_t n) { return slopes(kRcp[n]); });
      break;
    case Table::rsqrt_base:
      fill([&](std::size_t n) { return base(rsqrt_segment(n), 14, kRsqrtHalf); });
      break;
    case Table::rsqrt_slopes:
      fill([&](std::size_t n) { return slopes(rsqrt_segment(n), 4); });
      break;
    case Table::lg2_base:
      fill([](std::size_t n) { return base(kLg2[n], 12, kLg2Half); });
      break;
    case Table::lg2_slopes:
      fill([](std::size_t n) { return slopes(kLg2[n], 2); });
      break;
    case Table::sin_base:
      fill([](std::size_t n) { return sin_base(kSin[n]); });
      break;
    case Table::sin_slopes:
      fill([](std::size_t n) { return slopes(kSin[n]); });
      break;
    case Table::ex2_base:
      fill([](std::size_t n) { return base(kEx2[n], 13, kEx2Half); });
      break;
    case Table::ex2_slopes:
      fill([](std::size_t n) { return slopes(kEx2[n]); });
      break;
    case Table::truncated_products:
      fill([](std::size_t n) { return truncated_products(static_cast<u32>(n)); });
      break;
  }
  return made;
}

}  // namespace

std::span<const std::uint32_t> words_of(Table table) {
  static const auto kWords = [] {
    std::array<Words, kTables> all;
    for (std::size_t n = 0; n < kTables; ++n) all[n] = make(static_cast<Table>(n));
    return all;
  }();
  return {kWords[static_cast<std::size_t>(table)].data(), word_count(table)};
}

}  // namespace warpjit::sfu
