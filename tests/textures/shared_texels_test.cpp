// The texture fetches of the shared corpus (PowerVR): formats, layouts, blocks and levels as textures of this
// project. Its filters divide where ours multiply, so numbers are compared, not bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "frontend/interpret/textures/sample.h"
#include "support/source_dir.h"

namespace warpjit::interpret {
namespace {

using nlohmann::json;

constexpr auto U = TexelType::unorm, S = TexelType::snorm, F = TexelType::float_bits,
               E = TexelType::shared_exponent;

struct Field {
  TexelType type;
  unsigned bits;
};
TextureFormat fields(std::vector<Field> list) {
  TextureFormat format;
  unsigned first = 0;
  for (std::size_t n = 0; n < list.size(); ++n) {
    format.components[n] = {list[n].type, static_cast<std::uint8_t>(first),
                            static_cast<std::uint8_t>(list[n].bits)};
    first += list[n].bits;
  }
  if (list[0].type == E) first += 5;
  format.bytes = static_cast<std::uint8_t>(first / 8);
  return format;
}

// A component of a word, from a bit on.
TextureFormat wide(TextureFormat format, unsigned first) {
  format.bytes = 4;
  format.components[0].first_bit = static_cast<std::uint8_t>(first);
  return format;
}

std::uint32_t bits_of(std::uint32_t word, unsigned first, unsigned width) {
  return word >> first & ((1u << width) - 1);
}

// None: nothing that this project describes.
std::optional<TextureFormat> format_of(std::uint32_t code, unsigned mode) {
  const bool high_alpha = mode == 2 || mode == 3 || mode == 6 || mode == 7;
  switch (code) {
    case 0x00:
      return fields({{U, 8}});
    case 0x01:
      return fields({{S, 8}});
    case 0x02:
      return fields({{U, 4}, {U, 4}, {U, 4}, {U, 4}});
    case 0x03:
      return fields({{U, 2}, {U, 3}, {U, 3}, {U, 8}});
    case 0x04:
      return high_alpha ? fields({{U, 1}, {U, 5}, {U, 5}, {U, 5}}) : fields({{U, 5}, {U, 5}, {U, 5}, {U, 1}});
    case 0x05:
      return fields({{U, 5}, {U, 6}, {U, 5}});
    case 0x06:
      return fields({{S, 5}, {S, 5}, {U, 6}});
    case 0x07:
      return fields({{U, 8}, {U, 8}});
    case 0x08:
      return fields({{S, 8}, {S, 8}});
    case 0x09:
      return fields({{U, 16}});
    case 0x0a:
      return fields({{S, 16}});
    case 0x0b:
      return fields({{F, 16}});
    case 0x0c:
      return fields({{U, 8}, {U, 8}, {U, 8}, {U, 8}});
    case 0x0d:
      return fields({{S, 8}, {S, 8}, {S, 8}, {S, 8}});
    case 0x0e:
      return high_alpha ? fields({{U, 2}, {U, 10}, {U, 10}, {U, 10}})
                        : fields({{U, 10}, {U, 10}, {U, 10}, {U, 2}});
    case 0x0f:
      return fields({{U, 16}, {U, 16}});
    case 0x10:
      return fields({{S, 16}, {S, 16}});
    case 0x11:
      return fields({{F, 16}, {F, 16}});
    case 0x12:
      return fields({{F, 32}});
    case 0x15:  // the other bits are no component
      return mode > 1 ? std::nullopt : std::optional(wide(fields({{U, 24}}), mode == 0 ? 0 : 8));
    case 0x19:
      return fields({{E, 9}, {E, 9}, {E, 9}});
    case 0x1a:
      return fields({{F, 11}, {F, 11}, {F, 10}});
    case 0x1b:
      return fields({{F, 16}, {F, 16}, {F, 16}, {F, 16}});
    case 0x1c:
      return fields({{U, 16}, {U, 16}, {U, 16}, {U, 16}});
    case 0x1d:
      return fields({{S, 16}, {S, 16}, {S, 16}, {S, 16}});
    case 0x1e:
      return fields({{F, 32}, {F, 32}});
    case 0x85:
      return parse_texture_format("bc1");
    case 0x86:
      return parse_texture_format("bc2");
    case 0x87:
      return parse_texture_format("bc3");
    case 0x98:
      return fields({{U, 8}, {U, 8}, {U, 8}});
    case 0x99:
      return fields({{S, 8}, {S, 8}, {S, 8}});
    case 0x9a:
      return high_alpha ? fields({{U, 2}, {F, 10}, {F, 10}, {F, 10}})
                        : fields({{F, 10}, {F, 10}, {F, 10}, {U, 2}});
    default:
      return std::nullopt;
  }
}

// Digits are stored components, lowest first; z and o are 0 and 1.
constexpr const char* kSwizzles[5][8] = {
    {},
    {"0zzo", "0zzz", "0ooo", "0000", "000z", "000o", "zzz0", "ooo0"},
    {"01zo", "01zz", "0001", "1110", "0101", "10zz", nullptr, nullptr},
    {"012o", "210o", nullptr, nullptr, nullptr, nullptr, nullptr, nullptr},
    {"0123", "2103", "3210", "1230", "012o", "210o", "321o", "123o"},
};

struct Case {
  Texture texture;
  std::vector<TextureLevelPlace> places;
  Sampler sampler;
  bool point = true;
};

std::optional<Case> read_case(const std::array<std::uint32_t, 4>& w) {
  Case c;
  const std::uint32_t type = w[1] >> 29, code = bits_of(w[1], 24, 5) | w[0] >> 31 << 7;
  const std::uint32_t mode = bits_of(w[3], 28, 3), levels = bits_of(w[0], 17, 4);
  constexpr std::uint32_t kSwizzled = 0, kCube = 2, kLinear = 3, kArbitrary = 5, kStrided = 6;
  if (type == 1 || type == 4 || type > kStrided) return std::nullopt;
  if (bits_of(w[0], 27, 2) != 0 || w[3] >> 31 == 0) return std::nullopt;  // gamma, integers
  if (type != kStrided && bits_of(w[0], 21, 6) != 31) return std::nullopt;
  const auto format = format_of(code, mode);
  if (!format) return std::nullopt;
  Texture& t = c.texture;
  t.format = *format;
  unsigned count = 0;
  for (const TexelComponent& component : format->components)
    count += component.type != TexelType::none ? 1 : 0;
  const unsigned order = code == 0x15 ? 0 : code == 0x03 ? 1 : mode;
  const char* swizzle = kSwizzles[count][order];
  if (swizzle == nullptr) return std::nullopt;
  for (unsigned n = 0; n < 4; ++n)
    t.swizzle[n] = swizzle[n] == 'z'   ? TexelSource::zero
                   : swizzle[n] == 'o' ? TexelSource::one
                                       : static_cast<TexelSource>(swizzle[n] - '0');
  const bool has_powers = type == kSwizzled || type == kCube;
  t.width = has_powers ? 1U << bits_of(w[1], 16, 4) : bits_of(w[1], 12, 12) + 1;
  t.height = has_powers ? 1U << bits_of(w[1], 0, 4) : bits_of(w[1], 0, 12) + 1;
  if (type == kArbitrary && std::bit_ceil(t.width) != std::bit_ceil(t.height)) return std::nullopt;
  t.layout = type == kLinear || type == kStrided ? TextureLayout::linear : TextureLayout::morton;
  const bool chain = levels != 15 && type != kStrided;
  if (type == kCube) t.dimension = TextureDimension::cube;
  t.levels = std::min<std::uint32_t>(chain ? levels + 1 : 1, std::bit_width(std::max(t.width, t.height)));
  const std::uint32_t block = t.format.block_width;
  std::uint64_t offset = 0;
  for (std::uint32_t n = 0; n < t.levels; ++n) {
    const auto up = [](std::uint32_t value, std::uint32_t to) { return (value + to - 1) / to * to; };
    const std::uint32_t width = std::max(1U, t.width >> n);
    std::uint32_t stored_width =
        chain || type != kLinear ? std::max(1U, std::bit_ceil(t.width) >> n) : t.width;
    std::uint32_t stored_height =
        chain || type != kLinear ? std::max(1U, std::bit_ceil(t.height) >> n) : t.height;
    if (type == kLinear) stored_width = up(stored_width, 8);
    if (block > 1) stored_width = up(stored_width, 4), stored_height = up(stored_height, 4);
    TextureLevelPlace place;
    place.offset = offset;
    if (type == kLinear) place.row_bytes = up(width, 8) / block * t.format.bytes;
    if (type == kStrided)
      place.row_bytes =
          4 * (1 + (bits_of(w[0], 9, 3) | bits_of(w[0], 17, 4) << 3 | bits_of(w[0], 21, 6) << 7));
    c.places.push_back(place);
    offset += std::uint64_t{stored_width / block} * (stored_height / block) * t.format.bytes;
  }
  if (type == kCube && chain) {
    // Each face has all levels, and large ones are padded.
    std::uint64_t face = 0;
    for (std::uint32_t side = t.width; side != 0; side /= 2)
      face += std::uint64_t{side} * side * t.format.bytes;
    const std::uint32_t padded = t.format.bytes == 1 ? 32 : t.format.bytes == 8 ? 8 : 16;
    const std::uint32_t unit = t.width >= padded ? 2048 : 4;
    t.layer_bytes = (face + unit - 1) / unit * unit;
  }
  const auto wrap = [](std::uint32_t number) {
    constexpr Wrap kWraps[] = {Wrap::repeat, Wrap::mirror, Wrap::clamp_to_edge, Wrap::mirror_once_to_edge};
    return number < 4 ? kWraps[number] : number == 4 ? Wrap::repeat : Wrap::clamp_to_edge;
  };
  c.sampler.wrap = {wrap(bits_of(w[0], 3, 3)), wrap(bits_of(w[0], 6, 3)), Wrap::repeat};
  // The fields of addresses are V, then U.
  std::swap(c.sampler.wrap[0], c.sampler.wrap[1]);
  const auto filter = [](std::uint32_t number) {
    return number == 1 || number == 2 ? Filter::linear : Filter::nearest;
  };
  c.sampler.magnify = filter(bits_of(w[0], 12, 2));
  c.sampler.minify = type == kStrided ? c.sampler.magnify : filter(bits_of(w[0], 10, 2));
  if (type == kCube) c.sampler.wrap.fill(Wrap::clamp_to_edge);
  c.sampler.mip = t.levels == 1              ? MipFilter::none
                  : bits_of(w[0], 9, 1) != 0 ? MipFilter::linear
                                             : MipFilter::nearest;
  c.point = c.sampler.minify == Filter::nearest && c.sampler.magnify == Filter::nearest;
  return c;
}

std::uint32_t word_of(const json& text) {
  return static_cast<std::uint32_t>(std::stoul(text.get<std::string>(), nullptr, 16));
}

TEST(TextureSharedTexels, Fetches) {
  std::ifstream lines(tests::shared_file("corpus/usse/texels.jsonl"));
  if (!lines) GTEST_SKIP() << "the shared corpus is not there";
  unsigned cases = 0, fetches = 0, skipped = 0;
  for (std::string line; std::getline(lines, line);) {
    const json row = json::parse(line);
    std::array<std::uint32_t, 4> words{};
    for (unsigned n = 0; n < 4; ++n) words[n] = word_of(row["words"][n]);
    auto read = read_case(words);
    if (!read || row["memory"].size() != 1) {
      ++skipped;
      continue;
    }
    const std::string hex = row["memory"][0]["data"];
    std::vector<std::byte> memory;
    for (std::size_t n = 0; n + 1 < hex.size(); n += 2)
      memory.push_back(static_cast<std::byte>(std::stoul(hex.substr(n, 2), nullptr, 16)));
    read->texture.level_places = read->places;
    read->texture.data = memory.data();
    read->texture.size = memory.size();
    const auto view = textures::make_view(read->texture, row["id"].get<std::string>());
    ASSERT_TRUE(view) << to_string(view.error());
    ++cases;
    for (std::size_t n = 0; n < row["coords"].size(); ++n) {
      SamplePlace place;
      float largest = 0;
      for (unsigned axis = 0; axis < row["coords"][n].size(); ++axis) {
        place.coordinates[axis] = word_of(row["coords"][n][axis]);
        largest = std::max(largest, std::fabs(std::bit_cast<float>(place.coordinates[axis])));
      }
      if (read->texture.dimension == TextureDimension::cube)
        for (std::uint32_t& axis : place.coordinates)
          axis = std::bit_cast<std::uint32_t>(std::bit_cast<float>(axis) / largest);
      // Places that far out are reduced in another order.
      if (std::fabs(std::bit_cast<float>(place.coordinates[0])) > 0x1p20F) continue;
      const TexelWords got = sample(*view, read->sampler, place, detail_operand(word_of(row["lod"])));
      ++fetches;
      for (std::size_t c = 0; c < row["rgba"][n].size(); ++c) {
        const double wanted = std::bit_cast<float>(word_of(row["rgba"][n][c])),
                     value = std::bit_cast<float>(got[c]);
        if (std::isnan(wanted) && std::isnan(value)) continue;
        EXPECT_NEAR(value, wanted, (std::fabs(wanted) + (read->point ? 0 : 1)) * 0x1p-20 + 0x1p-140)
            << row["id"] << " fetch " << n << " component " << c;
      }
    }
  }
  RecordProperty("cases", static_cast<int>(cases));
  // Palettes, tiles of 32 x 32, squares that are shown in part, and a float of 31 bits are nothing that this
  // project describes.
  EXPECT_EQ(cases, 211u) << skipped << " skipped";
  EXPECT_GT(fetches, 700u);
}

}  // namespace
}  // namespace warpjit::interpret
