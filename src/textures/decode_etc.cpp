// ETC1, ETC2 and EAC: blocks of 4 x 4 texels, base colours and distances from them.
// Texels are numbered by columns.
#include <algorithm>
#include <array>
#include <optional>

#include "base/bits.h"
#include "textures/decode_blocks.h"

namespace warpjit::textures {

namespace {

using Channels = std::array<int, 3>;

constexpr int kDistances[8][2] = {{2, 8},   {5, 17},  {9, 29},   {13, 42},
                                  {18, 60}, {24, 80}, {33, 106}, {47, 183}};
constexpr int kPaintDistances[8] = {3, 6, 11, 16, 23, 32, 41, 64};
constexpr int kAlphaSteps[16][8] = {
    {-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12}, {-2, -5, -8, -13, 1, 4, 7, 12},
    {-2, -4, -6, -13, 1, 3, 5, 12}, {-3, -6, -8, -12, 2, 5, 7, 11},  {-3, -7, -9, -11, 2, 6, 8, 10},
    {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},  {-2, -6, -8, -10, 1, 5, 7, 9},
    {-2, -5, -8, -10, 1, 4, 7, 9},  {-2, -4, -8, -10, 1, 3, 7, 9},   {-2, -5, -7, -10, 1, 4, 6, 9},
    {-3, -4, -7, -10, 2, 3, 6, 9},  {-1, -2, -3, -10, 0, 1, 2, 9},   {-4, -6, -8, -9, 3, 5, 7, 8},
    {-3, -5, -7, -9, 2, 4, 6, 8}};

std::byte limited(int value) { return static_cast<std::byte>(std::clamp(value, 0, 255)); }
// 4 to 7 bits to 8 by repeating the upper ones.
int widen(std::uint32_t value, unsigned width) {
  return static_cast<int>(value << (8 - width) | value >> (2 * width - 8));
}

class EtcBlock {
 public:
  EtcBlock(const std::byte* block, bool punch_through, std::byte* texels)
      : word_(big_endian(block, 8)), punch_through_(punch_through), texels_(texels) {}

  void decode() {
    // Bit 33: two colours, the second one by its difference. With punch-through alpha it says opaque instead.
    opaque_ = !punch_through_ || field(33, 1) != 0;
    if (!punch_through_ && field(33, 1) == 0) return decode_individual();
    std::array<int, 3> second{};
    for (unsigned c = 0; c < 3; ++c) {
      second[c] = static_cast<int>(field(59 - 8 * c, 5)) + sign_extend(field(56 - 8 * c, 3), 3);
      // A sum that is no colour stands for another mode.
      if (second[c] >= 0 && second[c] <= 31) continue;
      if (c == 0) return decode_t();
      if (c == 1) return decode_h();
      return decode_planar();
    }
    std::array<Channels, 2> bases{};
    for (unsigned c = 0; c < 3; ++c) {
      bases[0][c] = widen(field(59 - 8 * c, 5), 5);
      bases[1][c] = widen(static_cast<std::uint32_t>(second[c]), 5);
    }
    decode_halves(bases);
  }

 private:
  std::uint32_t field(unsigned low, unsigned width) const {
    return static_cast<std::uint32_t>(bits(word_, low, width));
  }
  // The index of texel n: its upper bits stand in bits 16 to 31, its lower ones in 0 to 15.
  std::uint32_t index(unsigned n) const { return field(16 + n, 1) << 1 | field(n, 1); }
  void store(unsigned n, const Channels& color) {
    std::byte* texel = texels_ + std::size_t{4} * (4 * (n & 3) + n / 4);
    for (unsigned c = 0; c < 3; ++c) texel[c] = limited(color[c]);
    texel[3] = std::byte{255};
  }
  void store_nothing(unsigned n) {
    std::byte* texel = texels_ + std::size_t{4} * (4 * (n & 3) + n / 4);
    std::fill(texel, texel + 4, std::byte{0});
  }

  void decode_individual() {
    std::array<Channels, 2> bases{};
    for (unsigned c = 0; c < 3; ++c)
      for (unsigned half = 0; half < 2; ++half) bases[half][c] = widen(field(60 - 8 * c - 4 * half, 4), 4);
    decode_halves(bases);
  }

  void decode_halves(const std::array<Channels, 2>& bases) {
    const bool rows = field(32, 1) != 0;  // the halves lie above each other
    for (unsigned n = 0; n < 16; ++n) {
      const unsigned half = rows ? (n & 3) / 2 : n / 8;
      const int* distances = kDistances[field(37 - 3 * half, 3)];
      const std::uint32_t which = index(n);
      if (!opaque_ && which == 2) {
        store_nothing(n);
        continue;
      }
      const int size = !opaque_ && which == 0 ? 0 : distances[which & 1];
      Channels color = bases[half];
      for (int& channel : color) channel += which >= 2 ? -size : size;
      store(n, color);
    }
  }

  void paint(const std::array<Channels, 4>& colors) {
    for (unsigned n = 0; n < 16; ++n) {
      if (!opaque_ && index(n) == 2)
        store_nothing(n);
      else
        store(n, colors[index(n)]);
    }
  }
  static Channels shifted(Channels color, int distance) {
    for (int& channel : color) channel = std::clamp(channel + distance, 0, 255);
    return color;
  }

  void decode_t() {
    const Channels first{widen(field(59, 2) << 2 | field(56, 2), 4), widen(field(52, 4), 4),
                         widen(field(48, 4), 4)};
    const Channels second{widen(field(44, 4), 4), widen(field(40, 4), 4), widen(field(36, 4), 4)};
    const int distance = kPaintDistances[field(34, 2) << 1 | field(32, 1)];
    paint({first, shifted(second, distance), second, shifted(second, -distance)});
  }

  void decode_h() {
    const std::array<std::uint32_t, 3> a{field(59, 4), field(56, 3) << 1 | field(52, 1),
                                         field(51, 1) << 3 | field(47, 3)};
    const std::array<std::uint32_t, 3> b{field(43, 4), field(39, 4), field(35, 4)};
    const Channels first{widen(a[0], 4), widen(a[1], 4), widen(a[2], 4)};
    const Channels second{widen(b[0], 4), widen(b[1], 4), widen(b[2], 4)};
    // The order of the colours is the lowest bit.
    const int distance = kPaintDistances[field(34, 1) << 2 | field(32, 1) << 1 | (a >= b ? 1U : 0U)];
    paint({shifted(first, distance), shifted(first, -distance), shifted(second, distance),
           shifted(second, -distance)});
  }

  void decode_planar() {
    const Channels origin{widen(field(57, 6), 6), widen(field(56, 1) << 6 | field(49, 6), 7),
                          widen(field(48, 1) << 5 | field(43, 2) << 3 | field(39, 3), 6)};
    const Channels right{widen(field(34, 5) << 1 | field(32, 1), 6), widen(field(25, 7), 7),
                         widen(field(19, 6), 6)};
    const Channels below{widen(field(13, 6), 6), widen(field(6, 7), 7), widen(field(0, 6), 6)};
    for (unsigned n = 0; n < 16; ++n) {
      const int x = static_cast<int>(n / 4), y = static_cast<int>(n & 3);
      Channels color{};
      for (unsigned c = 0; c < 3; ++c)
        color[c] = (x * (right[c] - origin[c]) + y * (below[c] - origin[c]) + 4 * origin[c] + 2) >> 2;
      store(n, color);
    }
  }

  std::uint64_t word_;
  bool punch_through_;
  std::byte* texels_;
  bool opaque_ = true;
};

}  // namespace

namespace {

// The distance of texel n from the base of an 8-byte block of one channel, before the factor.
int eac_step(const std::byte* block, unsigned n) {
  const int* steps = kAlphaSteps[std::to_integer<std::size_t>(block[1] & std::byte{15})];
  return steps[big_endian(block + 2, 6) >> (45 - 3 * n) & 7];
}
int eac_factor(const std::byte* block) { return std::to_integer<int>(block[1] >> 4); }
// Where texel n stands, in rows.
std::size_t row_place(unsigned n) { return 4 * (n & 3) + n / 4; }

}  // namespace

void decode_etc2(const TextureFormat&, const std::byte* block, std::byte* texels) {
  EtcBlock(block, false, texels).decode();
}
void decode_etc2_a1(const TextureFormat&, const std::byte* block, std::byte* texels) {
  EtcBlock(block, true, texels).decode();
}
void decode_etc2_a8(const TextureFormat&, const std::byte* block, std::byte* texels) {
  EtcBlock(block + 8, false, texels).decode();
  for (unsigned n = 0; n < 16; ++n)
    texels[4 * row_place(n) + 3] =
        limited(std::to_integer<int>(block[0]) + eac_factor(block) * eac_step(block, n));
}

// 11 bits in units of an eighth of the base. A factor of 0 is an eighth; a base of -128 counts as -127.
void decode_eac(const TextureFormat& format, const std::byte* block, std::byte* texels) {
  const bool is_signed = format.components[0].type == TexelType::snorm;
  const unsigned count = format.bytes / 8U;
  for (unsigned channel = 0; channel < count; ++channel, block += 8) {
    const int base = is_signed ? 8 * std::max<int>(static_cast<std::int8_t>(block[0]), -127)
                               : 8 * std::to_integer<int>(block[0]) + 4;
    const int factor = eac_factor(block) == 0 ? 1 : 8 * eac_factor(block);
    for (unsigned n = 0; n < 16; ++n) {
      const int value =
          std::clamp(base + factor * eac_step(block, n), is_signed ? -1023 : 0, is_signed ? 1023 : 2047);
      std::byte* const texel = texels + 2 * (count * row_place(n) + channel);
      texel[0] = static_cast<std::byte>(value);
      texel[1] = static_cast<std::byte>(value >> 8 & 7);
    }
  }
}

}  // namespace warpjit::textures
