// Textures as their control words describe them: numbers and integers of all formats, sRGB, and what is
// refused (docs/guests/usse.md 9.1, 9.2).
#include <bit>
#include <cmath>

#include "base/random.h"
#include "frontend/usse/container/texture.h"
#include "frontend/usse/interpret/sample.h"
#include "textures/view.h"
#include "usse/run_rows.h"

namespace warpjit::usse {
namespace {

constexpr std::uint32_t kAddress = 0x1000, kSide = 8, kNormalized = 1U << 31;
constexpr std::uint32_t kPoint = 0x03fe0090, kLinear = 0x03fe1490;  // both directions clamped, one level

ControlWords words_of(std::uint32_t code, std::uint32_t swizzle, bool normalized, std::uint32_t gamma = 0,
                      std::uint32_t filter = kPoint, std::uint32_t type = 3) {
  return {filter | gamma << 27 | (code >> 7) << 31,
          type << 29 | (code & 31) << 24 | (kSide - 1) << 12 | (kSide - 1), kAddress,
          (normalized ? kNormalized : 0) | swizzle << 28 | 0x2000 / 64};
}

const std::vector<std::byte>& memory() {
  static const std::vector<std::byte> kMemory = [] {
    std::vector<std::byte> bytes(0x4000);
    Random random(3);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    return bytes;
  }();
  return kMemory;
}
std::span<const std::byte> read_memory(std::uint32_t address, std::uint64_t size) {
  const std::uint64_t first = address - kAddress;
  if (address < kAddress || first + size > memory().size()) return {};
  return std::span(memory()).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size));
}
std::uint64_t raw_bits(std::uint64_t first, unsigned bits) {
  std::uint64_t value = 0;
  for (unsigned n = 0; n < bits; ++n) {
    const std::uint64_t at = first + n;
    value |= (std::to_integer<std::uint64_t>(memory()[at / 8]) >> at % 8 & 1) << n;
  }
  return value;
}

struct Texture4 {
  BoundTexture bound;
  textures::TextureView view;
};
Texture4 texture_of(const ControlWords& words) {
  Texture4 made;
  auto state = read_texture(words);
  EXPECT_TRUE(state.ok()) << to_string(state.error());
  if (!state) return made;
  auto bound = bind_texture(*state, read_memory);
  EXPECT_TRUE(bound.ok()) << to_string(bound.error());
  if (!bound) return made;
  made.bound = std::move(*bound);
  if (!made.bound.copy.empty()) made.bound.texture.data = made.bound.copy.data();
  made.bound.texture.level_places = made.bound.places;
  auto view = textures::make_view(made.bound.texture, "texture");
  EXPECT_TRUE(view.ok()) << to_string(view.error());
  if (view) made.view = std::move(*view);
  return made;
}
Texels texel_at(const Texture4& texture, unsigned x, unsigned y, bool native = false) {
  const auto place = [](unsigned n) { return (static_cast<float>(n) + 0.5F) / kSide; };
  return TextureSampler(texture.view, texture.bound.sampler, native).sample({place(x), place(y), 0}, 0);
}

// Channels of a format, c0 first.
struct Channel {
  unsigned first, bits;
  bool is_signed;
};
struct FormatCase {
  std::uint32_t code;
  unsigned bits;  // of a texel
  std::vector<Channel> channels;
};
std::vector<FormatCase> integer_formats() {
  std::vector<FormatCase> formats = {{0x06, 16, {{0, 5, true}, {5, 5, true}, {10, 6, false}}},
                                     {0x14, 32, {{0, 8, false}, {8, 8, true}, {16, 8, true}}},
                                     {0x15, 32, {{0, 24, false}}}};
  struct Plain {
    std::uint32_t code;
    std::vector<unsigned> bits;
    bool is_signed;
  };
  for (const Plain& plain : {Plain{0x00, {8}, false},
                             {0x01, {8}, true},
                             {0x02, {4, 4, 4, 4}, false},
                             {0x04, {5, 5, 5, 1}, false},
                             {0x05, {5, 6, 5}, false},
                             {0x07, {8, 8}, false},
                             {0x08, {8, 8}, true},
                             {0x09, {16}, false},
                             {0x0a, {16}, true},
                             {0x0c, {8, 8, 8, 8}, false},
                             {0x0d, {8, 8, 8, 8}, true},
                             {0x0e, {10, 10, 10, 2}, false},
                             {0x0f, {16, 16}, false},
                             {0x10, {16, 16}, true},
                             {0x1c, {16, 16, 16, 16}, false},
                             {0x1d, {16, 16, 16, 16}, true},
                             {0x98, {8, 8, 8}, false},
                             {0x99, {8, 8, 8}, true}}) {
    FormatCase format{plain.code, 0, {}};
    for (const unsigned bits : plain.bits) {
      format.channels.push_back({format.bits, bits, plain.is_signed});
      format.bits += bits;
    }
    formats.push_back(format);
  }
  return formats;
}

// Bit 31 of word 3, which every texture of a console has, means numbers of 0 to 1 and -1 to 1; without it a
// channel is its integer. What a program gets in the texture's own type is the same.
TEST(UsseTextures, ChannelsAreNumbersOrIntegers) {
  for (const FormatCase& format : integer_formats()) {
    const Texture4 normalized = texture_of(words_of(format.code, 0, true)),
                   integers = texture_of(words_of(format.code, 0, false));
    for (unsigned y = 0; y < kSide; ++y)
      for (unsigned x = 0; x < kSide; ++x) {
        const Texels numbers = texel_at(normalized, x, y), values = texel_at(integers, x, y);
        EXPECT_EQ(texel_at(integers, x, y, true), numbers) << format.code;
        for (unsigned k = 0; k < format.channels.size(); ++k) {
          const Channel& channel = format.channels[k];
          const std::uint64_t raw = raw_bits((y * kSide + x) * format.bits + channel.first, channel.bits);
          const std::int64_t value = channel.is_signed && raw >> (channel.bits - 1) != 0
                                         ? static_cast<std::int64_t>(raw) - (std::int64_t{1} << channel.bits)
                                         : static_cast<std::int64_t>(raw);
          const auto most = static_cast<float>((1U << (channel.bits - (channel.is_signed ? 1 : 0))) - 1);
          EXPECT_EQ(values[k], static_cast<float>(value)) << format.code << ' ' << k;
          EXPECT_EQ(numbers[k], std::max(-1.0F, static_cast<float>(value) / most)) << format.code << ' ' << k;
        }
      }
  }
}

// U8U3U3U2 always has alpha highest; blocks and palettes are bytes; floats are themselves in both.
TEST(UsseTextures, IntegersOfOtherFormats) {
  const Texels packed = texel_at(texture_of(words_of(0x03, 0, false)), 0, 0);
  EXPECT_EQ(packed, (Texels{static_cast<float>(raw_bits(5, 3)), static_cast<float>(raw_bits(2, 3)),
                            static_cast<float>(raw_bits(0, 2)), static_cast<float>(raw_bits(8, 8))}));
  for (const std::uint32_t code : {0x85U, 0x86U, 0x87U, 0x88U, 0x89U, 0x8aU, 0x8bU, 0x94U, 0x95U})
    for (const std::uint32_t type : {3U, 5U}) {
      const float most = code == 0x89 || code == 0x8b ? 127.0F : 255.0F;
      const Texture4 normalized = texture_of(words_of(code, 0, true, 0, kPoint, type)),
                     integers = texture_of(words_of(code, 0, false, 0, kPoint, type));
      const unsigned channels = code == 0x88 || code == 0x89 ? 1 : code == 0x8a || code == 0x8b ? 2 : 4;
      for (unsigned n = 0; n < kSide * kSide; ++n) {
        const Texels numbers = texel_at(normalized, n % kSide, n / kSide),
                     values = texel_at(integers, n % kSide, n / kSide);
        for (unsigned k = 0; k < channels; ++k)
          EXPECT_EQ(values[k] / most, numbers[k]) << code << ' ' << type << ' ' << n << ' ' << k;
      }
    }
  for (const std::uint32_t code : {0x0bU, 0x11U, 0x12U, 0x13U, 0x19U, 0x1aU, 0x1bU, 0x1eU})
    for (unsigned n = 0; n < kSide * kSide; ++n) {
      const Texels numbers = texel_at(texture_of(words_of(code, 0, true)), n % kSide, n / kSide),
                   values = texel_at(texture_of(words_of(code, 0, false)), n % kSide, n / kSide);
      for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(bits(values[k]), bits(numbers[k])) << code;
    }
  // The two bits of U2F10F10F10 are an integer, too.
  EXPECT_EQ(texel_at(texture_of(words_of(0x9a, 0, false)), 0, 0)[3], static_cast<float>(raw_bits(30, 2)));
  // Filters mix what channels are.
  const Texture4 mixed = texture_of(words_of(0x00, 0, false, 0, kLinear));
  const float first = static_cast<float>(raw_bits(0, 8)), second = static_cast<float>(raw_bits(8, 8));
  EXPECT_EQ(TextureSampler(mixed.view, mixed.bound.sampler).sample({1.0F / kSide, 0, 0}, 0)[0],
            first + (second - first) * 0.5F);
}

float from_srgb(float encoded) {
  const double c = static_cast<double>(std::lround(encoded * 255)) / 255;
  return static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
}

// Gamma: colours, wherever a swizzle has them, are decoded before filters; alpha is not.
TEST(UsseTextures, GammaDecodesColors) {
  struct Case {
    std::uint32_t code, gamma, swizzles;
    unsigned channels;
  };
  for (const Case& one : {Case{0x00, 1, 8, 1}, Case{0x07, 3, 6, 2}, Case{0x98, 1, 2, 3}, Case{0x0c, 1, 8, 4},
                          Case{0x85, 1, 8, 4}, Case{0x86, 1, 8, 4}, Case{0x87, 1, 8, 4}, Case{0x88, 1, 8, 1},
                          Case{0x8a, 3, 6, 2}, Case{0x94, 1, 8, 4}, Case{0x95, 1, 8, 4}})
    for (std::uint32_t swizzle = 0; swizzle < one.swizzles; ++swizzle) {
      const Texture4 plain = texture_of(words_of(one.code, swizzle, true)),
                     encoded = texture_of(words_of(one.code, swizzle, true, one.gamma));
      EXPECT_EQ(texel_components(plain.view.swizzle), texel_components(encoded.view.swizzle));
      for (unsigned n = 0; n < kSide * kSide; ++n) {
        const Texels before = texel_at(plain, n % kSide, n / kSide),
                     after = texel_at(encoded, n % kSide, n / kSide);
        for (unsigned k = 0; k < 4; ++k) {
          const bool constant = before[k] == 0 || before[k] == 1;  // the curve keeps both
          const bool color = one.channels < 4 || k < 3;
          EXPECT_EQ(after[k], constant || !color ? before[k] : from_srgb(before[k]))
              << one.code << " swizzle " << swizzle << " texel " << n << " component " << k;
        }
      }
    }
}

// Every format, swizzle, filter and type of result, with numbers and integers, on all engines: what the guest
// interpreter gives is what the others give.
TEST(UsseTextures, EnginesAgree) {
  const std::vector<std::array<float, 8>> operands = {{{0.1F, 0.3F}},  {{0.52F, 0.9F}}, {{-0.2F, 1.3F}},
                                                      {{0.99F, 0.0F}}, {{0.4F, 0.45F}}, {{2.0F, -7.0F}},
                                                      {{0.61F, 0.2F}}, {{0.25F, 0.75F}}};
  constexpr const char* kTypes[] = {"f32", "f16", "native"};
  unsigned number = 0;
  for (std::uint32_t code = 0; code < 0xa0; ++code) {
    if ((code & 0x60) != 0) continue;
    for (const bool normalized : {true, false})
      for (const std::uint32_t filter : {kPoint, kLinear})
        for (const std::uint32_t gamma : {0U, 1U, 3U}) {
          const std::uint32_t swizzle = number % 8;
          const ControlWords words =
              words_of(code, swizzle, normalized, gamma, filter, number % 3 == 0 ? 5 : 3);
          if (!read_texture(words)) continue;
          const Texture4 texture = texture_of(words);
          run_rows(std::string("smp.2d.") + kTypes[number++ % 3] + ".f32.drc0 r0, pa0, sa0, #0", operands,
                   nullptr, ".sampler unit:0 sa:0\n", [&](Launch& launch) {
                     EXPECT_TRUE(launch.set_texture(0, texture.bound.texture).ok());
                     EXPECT_TRUE(launch.set_sampler(0, texture.bound.sampler).ok());
                   });
        }
  }
  EXPECT_GT(number, 100U);
}

TEST(UsseTextures, Refusals) {
  const auto message = [](const ControlWords& words) {
    const auto state = read_texture(words);
    return state ? "taken" : state.error().message;
  };
  const auto begins = [&](const ControlWords& words, const std::string& with) {
    EXPECT_EQ(message(words).substr(0, with.size()), with);
  };
  begins(words_of(0x80, 0, true), "texture format 0x80 (PVRT2BPP) is not supported; formats are 0x0 to 0x15");
  begins(words_of(0x17, 0, true), "texture format 0x17 (U32) is not supported");
  begins(words_of(0x92, 0, true), "texture format 0x92 (YUV422) is not supported");
  begins(words_of(0x16, 0, true), "texture format 0x16 is none; formats are");
  begins(words_of(0x98, 2, true), "texture swizzle 2 of format 0x98 (U8U8U8) is none; it has 0 to 1");
  begins(words_of(0x15, 2, true), "texture swizzle 2 of format 0x15 (X8U24) is none; it has 0 and 1");
  begins(words_of(0x0c, 0, true, 2), "texture gamma 0x2 (2) of format 0xc (U8U8U8U8) is not known");
  begins(words_of(0x07, 0, true, 1),
         "texture gamma 0x1 (R or BGR) of format 0x7 (U8U8) is not known; two channels");
  begins(words_of(0x0b, 0, true, 1),
         "texture gamma 0x1 (R or BGR) of format 0xb (F16) is not supported; channels of 8");
  begins(words_of(0x0c, 0, false, 1),
         "texture gamma 1 of integer values (bit 31 of word 3 is 0) is not known");
  begins(words_of(0x0c, 0, true, 0, kPoint, 1), "texture type 1 is none; types are 0 swizzled, 2 cube");
  begins(words_of(0x85, 0, true, 0, kPoint, 4),
         "texture type 0x4 (tiled) of format 0x85 (UBC1) is not supported");
  begins({(kPoint & ~0x1f8U) | 5 << 6, 3U << 29 | 0x0c << 24, kAddress, kNormalized},
         "texture u address mode 0x5 (clamp, full border) is not supported; modes are 0 repeat");
  begins({kPoint, 0x0c0d0001, kAddress, kNormalized}, "texture width 2^13 is above 4096 texels");
  begins({(kPoint & ~(15U << 17)) | 5 << 17, 3U << 29 | 0x0c << 24 | 7 << 12 | 7, kAddress, kNormalized},
         "texture level count 6 is above what its size allows: 8 x 8 texels have up to 4 levels");
}

}  // namespace
}  // namespace warpjit::usse
