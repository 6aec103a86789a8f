// ASTC, 2D, LDR: a grid of weights between the ends of up to four partitions. What the LDR profile does not
// have (HDR ends) and what is no block decode to the error colour.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/bits.h"
#include "textures/decode_blocks.h"

namespace warpjit::textures {

namespace {

constexpr std::array<std::uint8_t, 4> kErrorColor{255, 0, 255, 255};
constexpr unsigned kMaxWeights = 64, kMaxValues = 18;

// The 128 bits of a block, from either end.
class BlockBits {
 public:
  explicit BlockBits(const std::byte* block)
      : low_(little_endian(block, 8)), high_(little_endian(block + 8, 8)) {}
  BlockBits reversed() const { return {turned(high_), turned(low_)}; }

  // Up to 32 bits; those after the end are 0.
  std::uint32_t get(unsigned first, unsigned width) const {
    if (first >= 128 || width == 0) return 0;
    std::uint64_t word = first >= 64 ? high_ >> (first - 64) : low_ >> first;
    if (first > 0 && first < 64) word |= high_ << (64 - first);
    return static_cast<std::uint32_t>(word & low_mask<std::uint64_t>(width));
  }

 private:
  BlockBits(std::uint64_t low, std::uint64_t high) : low_(low), high_(high) {}
  static std::uint64_t turned(std::uint64_t word) {
    std::uint64_t result = 0;
    for (unsigned n = 0; n < 64; ++n) result |= (word >> n & 1) << (63 - n);
    return result;
  }
  std::uint64_t low_, high_;
};

// ---- Sequences of integers

// Numbers from 0 to levels - 1: a trit or quint above some bits.
struct Range {
  std::uint16_t levels;
  std::uint8_t trits, quints, bits;
  unsigned size(unsigned count) const {  // bits of `count` numbers
    return count * bits + (trits != 0 ? (8 * count + 4) / 5 : 0) + (quints != 0 ? (7 * count + 2) / 3 : 0);
  }
};
constexpr Range kRanges[] = {{2, 0, 0, 1},  {3, 1, 0, 0},  {4, 0, 0, 2},   {5, 0, 1, 0},   {6, 1, 0, 1},
                             {8, 0, 0, 3},  {10, 0, 1, 1}, {12, 1, 0, 2},  {16, 0, 0, 4},  {20, 0, 1, 2},
                             {24, 1, 0, 3}, {32, 0, 0, 5}, {40, 0, 1, 3},  {48, 1, 0, 4},  {64, 0, 0, 6},
                             {80, 0, 1, 4}, {96, 1, 0, 5}, {128, 0, 0, 7}, {160, 0, 1, 5}, {192, 1, 0, 6},
                             {256, 0, 0, 8}};
constexpr unsigned kSmallestColorRange = 4;  // 6 levels

struct Number {
  std::uint8_t digit = 0;  // the trit or quint
  std::uint8_t bits = 0;
};

void unpack_trits(std::uint32_t t, std::array<std::uint8_t, 5>& digits) {
  const auto bit = [](std::uint32_t word, unsigned n) { return word >> n & 1; };
  std::uint32_t c = 0, d3 = 0, d4 = 0;
  if ((t >> 2 & 7) == 7) {
    c = (t >> 5 & 7) << 2 | (t & 3);
    d3 = d4 = 2;
  } else {
    c = t & 31;
    if ((t >> 5 & 3) == 3) {
      d4 = 2;
      d3 = bit(t, 7);
    } else {
      d4 = bit(t, 7);
      d3 = t >> 5 & 3;
    }
  }
  std::uint32_t d0 = 0, d1 = 0, d2 = 0;
  if ((c & 3) == 3) {
    d2 = 2;
    d1 = bit(c, 4);
    d0 = bit(c, 3) << 1 | (bit(c, 2) & ~bit(c, 3));
  } else if ((c >> 2 & 3) == 3) {
    d2 = d1 = 2;
    d0 = c & 3;
  } else {
    d2 = bit(c, 4);
    d1 = c >> 2 & 3;
    d0 = bit(c, 1) << 1 | (bit(c, 0) & ~bit(c, 1));
  }
  const std::uint32_t all[] = {d0, d1, d2, d3, d4};
  for (unsigned n = 0; n < 5; ++n) digits[n] = static_cast<std::uint8_t>(all[n]);
}

void unpack_quints(std::uint32_t q, std::array<std::uint8_t, 5>& digits) {
  const auto bit = [](std::uint32_t word, unsigned n) { return word >> n & 1; };
  std::uint32_t d0 = 0, d1 = 0, d2 = 0;
  if ((q >> 1 & 3) == 3 && (q >> 5 & 3) == 0) {
    const std::uint32_t others = ~bit(q, 0) & 1;
    d2 = bit(q, 0) << 2 | (bit(q, 4) & others) << 1 | (bit(q, 3) & others);
    d0 = d1 = 4;
  } else {
    std::uint32_t c = 0;
    if ((q >> 1 & 3) == 3) {
      d2 = 4;
      c = (q >> 3 & 3) << 3 | (~(q >> 5) & 3) << 1 | bit(q, 0);
    } else {
      d2 = q >> 5 & 3;
      c = q & 31;
    }
    if ((c & 7) == 5) {
      d1 = 4;
      d0 = c >> 3 & 3;
    } else {
      d1 = c >> 3 & 3;
      d0 = c & 7;
    }
  }
  digits = {static_cast<std::uint8_t>(d0), static_cast<std::uint8_t>(d1), static_cast<std::uint8_t>(d2), 0,
            0};
}

// How the bits of five trits, or three quints, lie after the bits of each number.
constexpr std::uint8_t kTritWidths[] = {2, 2, 1, 2, 1}, kQuintWidths[] = {3, 2, 2};

void read_numbers(const BlockBits& block, unsigned at, const Range& range, unsigned count, Number* numbers) {
  const bool digits = range.trits != 0 || range.quints != 0;
  const unsigned group = range.trits != 0 ? 5 : range.quints != 0 ? 3 : 1;
  const unsigned end = at + range.size(count);
  // Bits after the last number are 0.
  const auto take = [&](unsigned width) {
    const unsigned there = std::min(width, end > at ? end - at : 0);
    const std::uint32_t value = block.get(at, there);
    at += width;
    return value;
  };
  for (unsigned first = 0; first < count; first += group) {
    std::array<std::uint8_t, 5> low{}, high{};
    std::uint32_t packed = 0;
    unsigned shift = 0;
    for (unsigned n = 0; n < group; ++n) {
      low[n] = static_cast<std::uint8_t>(take(range.bits));
      if (!digits) continue;
      const unsigned width = range.trits != 0 ? kTritWidths[n] : kQuintWidths[n];
      packed |= take(width) << shift;
      shift += width;
    }
    if (range.trits != 0) unpack_trits(packed, high);
    if (range.quints != 0) unpack_quints(packed, high);
    for (unsigned n = 0; n < group && first + n < count; ++n) numbers[first + n] = {high[n], low[n]};
  }
}

// `width` bits repeated to fill `wanted` bits.
std::uint32_t repeat_bits(std::uint32_t value, unsigned width, unsigned wanted) {
  std::uint32_t result = 0;
  for (int shift = static_cast<int>(wanted) - static_cast<int>(width); shift > -static_cast<int>(width);
       shift -= static_cast<int>(width))
    result |= shift >= 0 ? value << shift : value >> -shift;
  return result;
}

// Where the bits above the lowest one, h, go in the sum that a number becomes, and what a digit counts there.
struct Spread {
  std::uint8_t bits;
  std::uint16_t factor;
  std::uint32_t (*place)(std::uint32_t h);
};
constexpr Spread kTritWeights[] = {{1, 50, [](std::uint32_t) { return 0U; }},
                                   {2, 23, [](std::uint32_t h) { return h << 6 | h << 2 | h; }},
                                   {3, 11, [](std::uint32_t h) { return h << 5 | h; }}};
constexpr Spread kQuintWeights[] = {{1, 28, [](std::uint32_t) { return 0U; }},
                                    {2, 13, [](std::uint32_t h) { return h << 6 | h << 1; }}};
constexpr Spread kTritColors[] = {{1, 204, [](std::uint32_t) { return 0U; }},
                                  {2, 93, [](std::uint32_t h) { return h << 8 | h << 4 | h << 2 | h << 1; }},
                                  {3, 44, [](std::uint32_t h) { return h << 7 | h << 2 | h; }},
                                  {4, 22, [](std::uint32_t h) { return h << 6 | h; }},
                                  {5, 11, [](std::uint32_t h) { return h << 5 | h >> 2; }},
                                  {6, 5, [](std::uint32_t h) { return h << 4 | h >> 4; }}};
constexpr Spread kQuintColors[] = {{1, 113, [](std::uint32_t) { return 0U; }},
                                   {2, 54, [](std::uint32_t h) { return h << 8 | h << 3 | h << 2; }},
                                   {3, 26, [](std::uint32_t h) { return h << 7 | h << 1 | h >> 1; }},
                                   {4, 13, [](std::uint32_t h) { return h << 6 | h >> 1; }},
                                   {5, 6, [](std::uint32_t h) { return h << 5 | h >> 3; }}};

// `width`: bits of the sum.
std::uint32_t spread_number(const Number& number, const Spread& spread, unsigned width) {
  const std::uint32_t all = (number.bits & 1) != 0 ? low_mask<std::uint32_t>(width) : 0;
  const std::uint32_t sum =
      (number.digit * std::uint32_t{spread.factor} + spread.place(number.bits >> 1U)) ^ all;
  return (all & 1U << (width - 2)) | sum >> 2;
}

unsigned weight_of(const Number& number, const Range& range) {
  constexpr std::uint8_t kTrits[] = {0, 32, 63}, kQuints[] = {0, 16, 32, 47, 63};
  std::uint32_t weight = 0;
  if (range.trits == 0 && range.quints == 0)
    weight = repeat_bits(number.bits, range.bits, 6);
  else if (range.bits == 0)
    weight = range.trits != 0 ? kTrits[number.digit] : kQuints[number.digit];
  else
    weight = spread_number(number, (range.trits != 0 ? kTritWeights : kQuintWeights)[range.bits - 1], 7);
  return weight > 32 ? weight + 1 : weight;
}
int color_of(const Number& number, const Range& range) {
  if (range.trits == 0 && range.quints == 0) return static_cast<int>(repeat_bits(number.bits, range.bits, 8));
  return static_cast<int>(
      spread_number(number, (range.trits != 0 ? kTritColors : kQuintColors)[range.bits - 1], 9));
}

// ---- What a block says

struct Mode {
  unsigned width = 0, height = 0;  // of the grid
  bool two_planes = false;
  const Range* range = nullptr;  // of weights
  unsigned weights() const { return width * height * (two_planes ? 2 : 1); }
};

std::optional<Mode> read_mode(std::uint32_t m) {
  Mode mode;
  const std::uint32_t a = m >> 5 & 3, b = m >> 7 & 3;
  std::uint32_t range = m >> 4 & 1;
  bool high = (m >> 9 & 1) != 0;
  mode.two_planes = (m >> 10 & 1) != 0;
  if ((m & 3) != 0) {
    range |= (m & 3) << 1;
    switch (m >> 2 & 3) {
      case 0:
        mode.width = b + 4, mode.height = a + 2;
        break;
      case 1:
        mode.width = b + 8, mode.height = a + 2;
        break;
      case 2:
        mode.width = a + 2, mode.height = b + 8;
        break;
      default:
        if ((b & 2) == 0)
          mode.width = a + 2, mode.height = (b & 1) + 6;
        else
          mode.width = (b & 1) + 2, mode.height = a + 2;
        break;
    }
  } else {
    range |= (m >> 2 & 3) << 1;
    switch (b) {
      case 0:
        mode.width = 12, mode.height = a + 2;
        break;
      case 1:
        mode.width = a + 2, mode.height = 12;
        break;
      case 2:
        mode.width = a + 6, mode.height = (m >> 9 & 3) + 6;
        high = mode.two_planes = false;
        break;
      default:
        if (a > 1) return std::nullopt;
        mode.width = a == 0 ? 6 : 10, mode.height = a == 0 ? 10 : 6;
        break;
    }
  }
  if (range < 2) return std::nullopt;
  mode.range = &kRanges[range - 2 + (high ? 6 : 0)];
  const unsigned bits = mode.range->size(mode.weights());
  if (mode.weights() > kMaxWeights || bits < 24 || bits > 96) return std::nullopt;
  return mode;
}

using EndColor = std::array<int, 4>;
struct Ends {
  EndColor first{}, second{};
  bool error = false;
};

EndColor contracted(const EndColor& c) { return {(c[0] + c[2]) >> 1, (c[1] + c[2]) >> 1, c[2], c[3]}; }
EndColor limited(EndColor c) {
  for (int& channel : c) channel = std::clamp(channel, 0, 255);
  return c;
}
// Moves the highest bit of `offset` to `base`; the rest is a signed number.
void transfer_bit(int& offset, int& base) {
  base = base >> 1 | (offset & 0x80);
  offset = offset >> 1 & 0x3f;
  if ((offset & 0x20) != 0) offset -= 0x40;
}

Ends read_ends(unsigned kind, std::array<int, 8> v) {
  switch (kind) {
    case 0:
      return {{v[0], v[0], v[0], 255}, {v[1], v[1], v[1], 255}};
    case 1: {
      const int low = v[0] >> 2 | (v[1] & 0xc0), high = std::min(low + (v[1] & 0x3f), 255);
      return {{low, low, low, 255}, {high, high, high, 255}};
    }
    case 4:
      return {{v[0], v[0], v[0], v[2]}, {v[1], v[1], v[1], v[3]}};
    case 5: {
      transfer_bit(v[1], v[0]);
      transfer_bit(v[3], v[2]);
      const int high = v[0] + v[1];
      return {limited({v[0], v[0], v[0], v[2]}), limited({high, high, high, v[2] + v[3]})};
    }
    case 6:
    case 10: {
      const int low_alpha = kind == 10 ? v[4] : 255, high_alpha = kind == 10 ? v[5] : 255;
      return {{v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, low_alpha},
              {v[0], v[1], v[2], high_alpha}};
    }
    case 8:
    case 12: {
      const EndColor first{v[0], v[2], v[4], kind == 12 ? v[6] : 255},
          second{v[1], v[3], v[5], kind == 12 ? v[7] : 255};
      if (v[1] + v[3] + v[5] >= v[0] + v[2] + v[4]) return {first, second};
      return {contracted(second), contracted(first)};
    }
    case 9:
    case 13: {
      for (unsigned n = 0; n < 8; n += 2) transfer_bit(v[n + 1], v[n]);
      const EndColor first{v[0], v[2], v[4], kind == 13 ? v[6] : 255},
          second{v[0] + v[1], v[2] + v[3], v[4] + v[5], kind == 13 ? v[6] + v[7] : 255};
      if (v[1] + v[3] + v[5] >= 0) return {limited(first), limited(second)};
      return {limited(contracted(second)), limited(contracted(first))};
    }
    default:
      return {{}, {}, true};
  }
}

std::uint32_t mix_bits(std::uint32_t p) {
  p ^= p >> 15;
  p -= p << 17;
  p += p << 7;
  p += p << 4;
  p ^= p >> 5;
  p += p << 16;
  p ^= p >> 7;
  p ^= p >> 3;
  p ^= p << 6;
  return p ^ p >> 17;
}

// The partition of a texel.
unsigned find_partition(std::uint32_t seed, std::uint32_t x, std::uint32_t y, unsigned count, bool small) {
  if (small) {
    x <<= 1;
    y <<= 1;
  }
  seed += (count - 1) * 1024;
  const std::uint32_t random = mix_bits(seed);
  const unsigned wide = (seed & 2) != 0 ? 4 : 5, other = count == 3 ? 6 : 5;
  const unsigned odd = (seed & 1) != 0 ? wide : other, even = (seed & 1) != 0 ? other : wide;
  const auto part = [&](unsigned n) {
    const std::uint32_t along = random >> (8 * n) & 15, down = random >> (8 * n + 4) & 15;
    constexpr unsigned kStarts[] = {14, 10, 6, 2};
    return ((along * along >> odd) * x + (down * down >> even) * y + (random >> kStarts[n])) & 63;
  };
  const std::uint32_t a = part(0), b = part(1), c = count < 3 ? 0 : part(2), d = count < 4 ? 0 : part(3);
  if (a >= b && a >= c && a >= d) return 0;
  if (b >= c && b >= d) return 1;
  return c >= d ? 2 : 3;
}

class AstcBlock {
 public:
  AstcBlock(const TextureFormat& format, const std::byte* block)
      : bits_(block), width_(format.block_width), height_(format.block_height), srgb_(format.srgb) {}

  // False: it is no block.
  bool decode(std::byte* texels) {
    if (bits_.get(0, 9) == 0x1fc) return decode_void(texels);
    const auto mode = read_mode(bits_.get(0, 11));
    if (!mode || mode->width > width_ || mode->height > height_) return false;
    mode_ = *mode;
    partitions_ = bits_.get(11, 2) + 1;
    if (mode_.two_planes && partitions_ == 4) return false;
    if (!read_colors()) return false;
    read_weights();
    for (unsigned y = 0; y < height_; ++y)
      for (unsigned x = 0; x < width_; ++x) store(texels + std::size_t{4} * (y * width_ + x), texel(x, y));
    return true;
  }

 private:
  using Bytes = std::array<std::uint8_t, 4>;
  static void store(std::byte* to, const Bytes& texel) { std::memcpy(to, texel.data(), 4); }

  // One colour, perhaps for a part of the picture that does not matter here.
  bool decode_void(std::byte* texels) {
    const bool hdr = bits_.get(9, 1) != 0;
    if (hdr || bits_.get(10, 2) != 3) return false;
    const std::uint32_t s0 = bits_.get(12, 13), s1 = bits_.get(25, 13), t0 = bits_.get(38, 13),
                        t1 = bits_.get(51, 13);
    const bool everywhere = (s0 & s1 & t0 & t1) == 0x1fff;
    if (!everywhere && (s0 >= s1 || t0 >= t1)) return false;
    Bytes color{};
    for (unsigned c = 0; c < 4; ++c) color[c] = static_cast<std::uint8_t>(bits_.get(72 + 16 * c, 8));
    for (unsigned n = 0; n < width_ * height_; ++n) store(texels + std::size_t{4} * n, color);
    return true;
  }

  bool read_colors() {
    const unsigned weight_bits = mode_.range->size(mode_.weights());
    unsigned end = 128 - weight_bits, at = 17;  // of the ends' numbers
    std::array<unsigned, 4> kinds{};
    if (partitions_ == 1) {
      kinds[0] = bits_.get(13, 4);
    } else {
      seed_ = bits_.get(13, 10);
      at = 29;
      const std::uint32_t selector = bits_.get(23, 2);
      if (selector == 0) {
        kinds.fill(bits_.get(25, 4));
      } else {
        const unsigned more = 3 * partitions_ - 4;
        end -= more;
        const std::uint32_t all = bits_.get(23, 6) | bits_.get(end, more) << 6;
        for (unsigned n = 0; n < partitions_; ++n)
          kinds[n] = (selector - 1 + (all >> (2 + n) & 1)) << 2 | (all >> (2 + partitions_ + 2 * n) & 3);
      }
    }
    if (mode_.two_planes) {
      end -= 2;
      plane_component_ = bits_.get(end, 2);
    }
    unsigned count = 0;
    for (unsigned n = 0; n < partitions_; ++n) count += 2 * (kinds[n] / 4 + 1);
    if (count > kMaxValues || end < at) return false;
    unsigned range = static_cast<unsigned>(std::size(kRanges));
    while (range > kSmallestColorRange && kRanges[range - 1].size(count) > end - at) --range;
    if (range == kSmallestColorRange) return false;
    std::array<Number, kMaxValues> numbers{};
    read_numbers(bits_, at, kRanges[range - 1], count, numbers.data());
    unsigned next = 0;
    for (unsigned n = 0; n < partitions_; ++n) {
      std::array<int, 8> values{};
      for (unsigned k = 0; k < 2 * (kinds[n] / 4 + 1); ++k)
        values[k] = color_of(numbers[next++], kRanges[range - 1]);
      ends_[n] = read_ends(kinds[n], values);
    }
    return true;
  }

  void read_weights() {
    std::array<Number, kMaxWeights> numbers{};
    read_numbers(bits_.reversed(), 0, *mode_.range, mode_.weights(), numbers.data());
    for (unsigned n = 0; n < mode_.weights(); ++n) weights_[n] = weight_of(numbers[n], *mode_.range);
  }

  // Between four of the grid.
  unsigned weight(unsigned x, unsigned y, unsigned plane) const {
    const unsigned planes = mode_.two_planes ? 2 : 1;
    const auto along = [](unsigned at, unsigned size, unsigned grid) {
      return (((1024 + size / 2) / (size - 1)) * at * (grid - 1) + 32) >> 6;
    };
    const unsigned s = along(x, width_, mode_.width), t = along(y, height_, mode_.height);
    const unsigned column = s >> 4, row = t >> 4, fs = s & 15, ft = t & 15;
    const unsigned both = (fs * ft + 8) >> 4;
    const auto at = [&](unsigned dx, unsigned dy) {
      const unsigned n = ((row + dy) * mode_.width + column + dx) * planes + plane;
      return n < mode_.weights() ? weights_[n] : 0;  // of no weight
    };
    return (at(0, 0) * (16 - fs - ft + both) + at(1, 0) * (fs - both) + at(0, 1) * (ft - both) +
            at(1, 1) * both + 8) >>
           4;
  }

  Bytes texel(unsigned x, unsigned y) const {
    const unsigned partition =
        partitions_ == 1 ? 0 : find_partition(seed_, x, y, partitions_, width_ * height_ < 31);
    const Ends& ends = ends_[partition];
    if (ends.error) return kErrorColor;
    Bytes result{};
    for (unsigned c = 0; c < 4; ++c) {
      const unsigned w = weight(x, y, mode_.two_planes && c == plane_component_ ? 1 : 0);
      const auto wide = [&](int end) {
        const auto byte = static_cast<std::uint32_t>(end);
        return byte << 8 | (srgb_ && c < 3 ? 0x80 : byte);
      };
      result[c] = static_cast<std::uint8_t>(
          (wide(ends.first[c]) * (64 - w) + wide(ends.second[c]) * w + 32) / 64 >> 8);
    }
    return result;
  }

  BlockBits bits_;
  unsigned width_, height_;
  bool srgb_;
  Mode mode_;
  unsigned partitions_ = 1;
  std::uint32_t seed_ = 0, plane_component_ = 0;
  std::array<Ends, 4> ends_{};
  std::array<unsigned, kMaxWeights> weights_{};
};

}  // namespace

void decode_astc(const TextureFormat& format, const std::byte* block, std::byte* texels) {
  if (AstcBlock(format, block).decode(texels)) return;
  for (unsigned n = 0; n < unsigned{format.block_width} * format.block_height; ++n)
    std::memcpy(texels + std::size_t{4} * n, kErrorColor.data(), 4);
}

}  // namespace warpjit::textures
