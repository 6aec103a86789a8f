#include "frontend/usse/container/texture.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <optional>
#include <string>

#include "textures/decode_blocks.h"

namespace warpjit::usse {
namespace {

using Special = TexelFormat::Special;

std::uint32_t field(std::uint32_t word, unsigned first, unsigned bits) {
  return word >> first & ((1U << bits) - 1);
}

Error refused(const char* name, std::uint32_t value, const char* why = "is not supported") {
  char number[16];
  std::snprintf(number, sizeof number, "0x%x", value);
  return {ErrorCode::unsupported, "texture " + std::string(name) + " " + number + " " + why, {}};
}

// ---- Formats

constexpr TexelComponent component(TexelType type, unsigned first, unsigned bits) {
  return {type, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(bits)};
}
// Channels of these bits, the first one lowest.
TexelFormat packed(std::string_view name, TexelType type, std::initializer_list<unsigned> bits) {
  TexelFormat format{.name = name};
  unsigned first = 0;
  for (const unsigned count : bits) {
    format.format.components[format.channels++] = component(type, first, count);
    first += count;
  }
  format.bits = static_cast<std::uint8_t>(first);
  format.format.bytes = static_cast<std::uint8_t>(first / 8);
  return format;
}
TexelFormat blocks(std::string_view name, BlockCompression compression, unsigned bytes) {
  TexelFormat format = packed(name, TexelType::unorm, {8, 8, 8, 8});
  format.format.compression = compression;
  format.format.bytes = static_cast<std::uint8_t>(bytes);
  format.format.block_width = format.format.block_height = 4;
  format.bits = static_cast<std::uint8_t>(bytes / 2);
  return format;
}
TexelFormat palette(std::string_view name, Special special, unsigned bits) {
  TexelFormat format = packed(name, TexelType::unorm, {8, 8, 8, 8});
  format.special = special;
  format.bits = static_cast<std::uint8_t>(bits);
  return format;
}

// One or two channels of 8 bits.
TexelFormat channel_blocks(std::string_view name, TexelType type, unsigned channels) {
  TexelFormat format = channels == 1 ? packed(name, type, {8}) : packed(name, type, {8, 8});
  format.special = Special::channel_blocks;
  format.bits = static_cast<std::uint8_t>(4 * channels);
  return format;
}

std::optional<TexelFormat> find_format(std::uint32_t code, std::uint32_t swizzle) {
  using enum TexelType;
  const bool alpha_first = swizzle == 2 || swizzle == 3 || swizzle == 6 || swizzle == 7;
  switch (code) {
    case 0x00:
      return packed("U8", unorm, {8});
    case 0x01:
      return packed("S8", snorm, {8});
    case 0x02:
      return packed("U4U4U4U4", unorm, {4, 4, 4, 4});
    case 0x03:
      return packed("U8U3U3U2", unorm, {2, 3, 3, 8});
    case 0x04:
      return alpha_first ? packed("U5U5U5U1", unorm, {1, 5, 5, 5}) : packed("U1U5U5U5", unorm, {5, 5, 5, 1});
    case 0x05:
      return packed("U5U6U5", unorm, {5, 6, 5});
    case 0x06: {
      TexelFormat format = packed("S5S5U6", snorm, {5, 5, 6});
      format.format.components[2].type = unorm;
      return format;
    }
    case 0x07:
      return packed("U8U8", unorm, {8, 8});
    case 0x08:
      return packed("S8S8", snorm, {8, 8});
    case 0x09:
      return packed("U16", unorm, {16});
    case 0x0a:
      return packed("S16", snorm, {16});
    case 0x0b:
      return packed("F16", float_bits, {16});
    case 0x0c:
      return packed("U8U8U8U8", unorm, {8, 8, 8, 8});
    case 0x0d:
      return packed("S8S8S8S8", snorm, {8, 8, 8, 8});
    case 0x0e:
      return alpha_first ? packed("U10U10U10U2", unorm, {2, 10, 10, 10})
                         : packed("U2U10U10U10", unorm, {10, 10, 10, 2});
    case 0x0f:
      return packed("U16U16", unorm, {16, 16});
    case 0x10:
      return packed("S16S16", snorm, {16, 16});
    case 0x11:
      return packed("F16F16", float_bits, {16, 16});
    case 0x12:
      return packed("F32", float_bits, {32});
    case 0x13: {
      TexelFormat format = packed("F32M", float_bits, {32});
      format.special = Special::unsigned_float;
      return format;
    }
    case 0x14: {
      TexelFormat format = packed("X8S8S8U8", snorm, {8, 8, 8});
      format.format.components[0].type = unorm;
      format.format.bytes = 4;
      format.bits = 32;
      return format;
    }
    case 0x15: {
      TexelFormat format = packed("X8U24", unorm, {24});
      if (swizzle > 1) return std::nullopt;
      if (swizzle == 1) format.format.components[0].first_bit = 8;
      format.format.bytes = 4;
      format.bits = 32;
      return format;
    }
    case 0x19: {
      TexelFormat format = packed("SE5M9M9M9", shared_exponent, {9, 9, 9});
      format.format.bytes = 4;
      format.bits = 32;
      return format;
    }
    case 0x1a:
      return packed("F11F11F10", float_bits, {11, 11, 10});
    case 0x1b:
      return packed("F16F16F16F16", float_bits, {16, 16, 16, 16});
    case 0x1c:
      return packed("U16U16U16U16", unorm, {16, 16, 16, 16});
    case 0x1d:
      return packed("S16S16S16S16", snorm, {16, 16, 16, 16});
    case 0x1e:
      return packed("F32F32", float_bits, {32, 32});
    case 0x85:
      return blocks("UBC1", BlockCompression::bc1, 8);
    case 0x86:
      return blocks("UBC2", BlockCompression::bc2, 16);
    case 0x87:
      return blocks("UBC3", BlockCompression::bc3, 16);
    case 0x88:
      return channel_blocks("UBC4", unorm, 1);
    case 0x89:
      return channel_blocks("SBC4", snorm, 1);
    case 0x8a:
      return channel_blocks("UBC5", unorm, 2);
    case 0x8b:
      return channel_blocks("SBC5", snorm, 2);
    case 0x94:
      return palette("P4", Special::palette4, 4);
    case 0x95:
      return palette("P8", Special::palette8, 8);
    case 0x98:
      return packed("U8U8U8", unorm, {8, 8, 8});
    case 0x99:
      return packed("S8S8S8", snorm, {8, 8, 8});
    case 0x9a: {
      TexelFormat format = alpha_first ? packed("F10F10F10U2", float_bits, {2, 10, 10, 10})
                                       : packed("U2F10F10F10", float_bits, {10, 10, 10, 2});
      format.format.components[alpha_first ? 0 : 3].type = unorm;
      return format;
    }
    default:
      return std::nullopt;
  }
}

constexpr TexelSource k0 = TexelSource::red, k1 = TexelSource::green, k2 = TexelSource::blue,
                      k3 = TexelSource::alpha, kZero = TexelSource::zero, kOne = TexelSource::one;
using Swizzle = std::array<TexelSource, 4>;
constexpr std::array<Swizzle, 8> kFour{{{k0, k1, k2, k3},
                                        {k2, k1, k0, k3},
                                        {k3, k2, k1, k0},
                                        {k1, k2, k3, k0},
                                        {k0, k1, k2, kOne},
                                        {k2, k1, k0, kOne},
                                        {k3, k2, k1, kOne},
                                        {k1, k2, k3, kOne}}};
constexpr std::array<Swizzle, 2> kThree{{{k0, k1, k2, kOne}, {k2, k1, k0, kOne}}};
constexpr std::array<Swizzle, 6> kTwo{{{k0, k1, kZero, kOne},
                                       {k0, k1, kZero, kZero},
                                       {k0, k0, k0, k1},
                                       {k1, k1, k1, k0},
                                       {k0, k1, k0, k1},
                                       {k1, k0, kZero, kZero}}};
constexpr std::array<Swizzle, 8> kSingle{{{k0, kZero, kZero, kOne},
                                          {k0, kZero, kZero, kZero},
                                          {k0, kOne, kOne, kOne},
                                          {k0, k0, k0, k0},
                                          {k0, k0, k0, kZero},
                                          {k0, k0, k0, kOne},
                                          {kZero, kZero, kZero, k0},
                                          {kOne, kOne, kOne, k0}}};
std::span<const Swizzle> swizzles_of(unsigned channels) {
  switch (channels) {
    case 1:
      return kSingle;
    case 2:
      return kTwo;
    case 3:
      return kThree;
    default:
      return kFour;
  }
}

Status read_format(TextureState& state, std::uint32_t code, std::uint32_t swizzle) {
  const auto format = find_format(code, swizzle);
  if (!format) return refused("format", code);
  state.format = *format;
  const bool only_one = code == 0x03 || code == 0x15;  // the swizzle says other things, or nothing
  const std::uint32_t mode = code == 0x03 ? 1 : only_one ? 0 : swizzle;
  const auto swizzles = swizzles_of(format->channels);
  if (mode >= swizzles.size()) return refused("swizzle", swizzle, "is not one of its format");
  state.swizzle = swizzles[mode];
  return {};
}

Status read_wrap(const char* name, std::uint32_t mode, Wrap& wrap) {
  switch (mode) {
    case 0:
    case 4:
      wrap = Wrap::repeat;
      return {};
    case 1:
      wrap = Wrap::mirror;
      return {};
    case 2:
    case 6:
      wrap = Wrap::clamp_to_edge;
      return {};
    case 3:
      wrap = Wrap::mirror_once_to_edge;
      return {};
    default:
      return refused(name, mode);
  }
}

}  // namespace

Result<TextureState> read_texture(const ControlWords& words) {
  TextureState state;
  const std::uint32_t type = field(words[1], 29, 3);
  if (type == 1) return refused("type", type, "is not defined");
  state.type = static_cast<TextureType>(type);
  if (const std::uint32_t gamma = field(words[0], 27, 2); gamma != 0) return refused("gamma", gamma);
  if (words[3] >> 31 != 0) return refused("normalize mode", 1);
  WARPJIT_CHECK(read_format(state, field(words[1], 24, 5) | words[0] >> 31 << 7, field(words[3], 28, 3)));
  WARPJIT_CHECK(read_wrap("u address mode", field(words[0], 6, 3), state.wrap[0]));
  WARPJIT_CHECK(read_wrap("v address mode", field(words[0], 3, 3), state.wrap[1]));
  if (state.is_cube()) state.wrap = {Wrap::clamp_to_edge, Wrap::clamp_to_edge};
  const auto filter = [&](unsigned first) {
    const std::uint32_t mode = field(words[0], first, 2);
    return mode == 1 || mode == 2 ? Filter::linear : Filter::nearest;
  };
  state.magnify = filter(12);
  if (state.type == TextureType::linear_strided) {
    state.minify = state.magnify;
    state.stride =
        4 * (1 + (field(words[0], 9, 3) | field(words[0], 17, 4) << 3 | field(words[0], 21, 6) << 7));
  } else {
    state.minify = filter(10);
    state.mip_linear = field(words[0], 9, 1) != 0;
    const std::uint32_t levels = field(words[0], 17, 4);
    state.chain = levels != 15;
    state.levels = state.chain ? levels + 1 : 1;
    state.bias = static_cast<std::int32_t>(field(words[0], 21, 6)) - 31;
    state.least_level = static_cast<std::int32_t>(field(words[2], 0, 2) | field(words[3], 26, 2) << 2);
  }
  const bool logarithms = type == 0 || type == 2;
  if (logarithms) {
    for (const unsigned first : {16U, 0U})
      if (const std::uint32_t n = field(words[1], first, 4); n > 12)
        return refused("size", n, "is above 4096 texels");
    state.width = 1U << field(words[1], 16, 4);
    state.height = 1U << field(words[1], 0, 4);
  } else {
    state.width = field(words[1], 12, 12) + 1;
    state.height = field(words[1], 0, 12) + 1;
  }
  if (state.is_cube() && state.width != state.height)
    return refused("size", state.height, "of a cube is not its width");
  const auto most = static_cast<std::uint32_t>(std::bit_width(std::max(state.width, state.height)));
  if (state.levels > most) return refused("level count", state.levels, "is above what its size allows");
  if (state.type == TextureType::tiled) {
    if (state.format.block() > 1) return refused("type", type, "of blocks is not supported");
    if (state.format.special == Special::palette4) return refused("type", type, "of P4 is not supported");
  }
  state.address = words[2] & ~3U;
  state.palette = field(words[3], 0, 26) * 64;
  return state;
}

namespace {

// ---- Places

std::uint64_t up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// A level in memory: elements are texels, or blocks.
struct Place {
  std::uint64_t offset = 0;             // bytes, in its face
  std::uint32_t width = 0, height = 0;  // elements that are shown
  std::uint64_t row = 0;                // elements (linear), tiles (tiled)
  std::uint32_t side = 0;               // log2 of the shorter side as stored (swizzled)
  std::uint64_t bytes = 0;              // to the end of its last element
};

class Layout {
 public:
  explicit Layout(const TextureState& state) : t_(state) {
    block_ = t_.format.block();
    bits_ = t_.format.bits * block_ * block_;
    face();
  }

  bool swizzled() const {
    return t_.type == TextureType::swizzled || t_.type == TextureType::swizzled_arbitrary || t_.is_cube();
  }
  bool linear() const { return t_.type == TextureType::linear || t_.type == TextureType::linear_strided; }
  const std::vector<Place>& places() const { return places_; }
  std::uint64_t face_bytes() const { return face_bytes_; }
  std::uint64_t end() const { return end_; }
  unsigned faces() const { return t_.is_cube() ? 6 : 1; }
  std::uint64_t row_bytes(const Place& place) const {
    return t_.type == TextureType::linear_strided ? t_.stride : place.row * bits_ / 8;
  }

  // In bits from the level's start.
  std::uint64_t element(const Place& place, std::uint32_t x, std::uint32_t y) const {
    if (t_.type == TextureType::linear_strided)
      return std::uint64_t{y} * t_.stride * 8 + std::uint64_t{x} * bits_;
    if (t_.type == TextureType::linear) return (y * place.row + x) * bits_;
    if (t_.type == TextureType::tiled)
      return (((y >> 5) * place.row + (x >> 5)) * 1024 + ((y & 31) << 5) + (x & 31)) * bits_;
    std::uint64_t index = 0;
    for (unsigned bit = 0; bit < place.side; ++bit)
      index |= std::uint64_t{(y >> bit & 1) | (x >> bit & 1) << 1} << 2 * bit;
    return (index + (std::uint64_t{(x >> place.side) | (y >> place.side)} << 2 * place.side)) * bits_;
  }

 private:
  void face() {
    const bool exact = linear() && !t_.chain;
    std::uint64_t width = exact ? t_.width : std::bit_ceil(t_.width),
                  height = exact ? t_.height : std::bit_ceil(t_.height);
    std::uint64_t offset = 0;
    const auto most = static_cast<std::uint32_t>(std::bit_width(std::max(t_.width, t_.height)));
    const std::uint32_t stored = t_.is_cube() && t_.chain ? most : t_.levels;
    for (std::uint32_t n = 0; n < stored; ++n) {
      if (n < t_.levels) place(n, offset, width, height);
      offset += level_bytes(width, height);
      width = std::max<std::uint64_t>(1, width / 2);
      height = std::max<std::uint64_t>(1, height / 2);
    }
    face_bytes_ = t_.chain ? up(offset, face_alignment()) : offset;
    for (const Place& place : places_) end_ = std::max(end_, place.offset + place.bytes);
    end_ += (faces() - 1) * face_bytes_;
  }

  void place(std::uint32_t n, std::uint64_t offset, std::uint64_t width, std::uint64_t height) {
    Place& place = places_.emplace_back();
    place.offset = offset;
    const std::uint32_t level_width = std::max(1U, t_.width >> n),
                        level_height = std::max(1U, t_.height >> n);
    place.width = (level_width + block_ - 1) / block_;
    place.height = (level_height + block_ - 1) / block_;
    if (linear()) place.row = (up(level_width, 8) + block_ - 1) / block_;
    if (t_.type == TextureType::tiled) place.row = up(level_width, 32) / 32;
    const std::uint64_t columns = (width + block_ - 1) / block_, rows = (height + block_ - 1) / block_;
    place.side = static_cast<std::uint32_t>(std::bit_width(std::min(columns, rows)) - 1);
    // Tiled and swizzled places do not all grow with the coordinates.
    std::uint64_t last = element(place, place.width - 1, place.height - 1) + bits_;
    if (t_.type == TextureType::tiled)
      last = std::uint64_t{(place.height + 31U) / 32} * place.row * 1024 * bits_;
    place.bytes = (last + 7) / 8;
  }

  // What levels in front of another one take.
  std::uint64_t level_bytes(std::uint64_t width, std::uint64_t height) const {
    if (t_.type == TextureType::linear_strided) return height * t_.stride;
    if (linear()) width = up(width, 8);
    if (t_.type == TextureType::tiled) width = up(width, 32), height = up(height, 32);
    return ((width + block_ - 1) / block_) * ((height + block_ - 1) / block_) * bits_ / 8;
  }
  std::uint64_t face_alignment() const {
    if (!t_.is_cube()) return 1;
    const bool small = t_.format.bits <= 8 || block_ > 1;
    const std::uint32_t from = small ? 32 : t_.format.bits <= 32 ? 16 : 8;
    return t_.width >= from ? 2048 : 4;
  }

  const TextureState& t_;
  std::uint32_t block_ = 1;
  std::uint64_t bits_ = 0;  // of an element
  std::vector<Place> places_;
  std::uint64_t face_bytes_ = 0, end_ = 0;
};

// Whether levels lie as the textures that all GPUs share do.
bool lies_so(const TextureState& state, const Layout& layout) {
  if (state.format.special != Special::none || state.type == TextureType::tiled) return false;
  const std::uint32_t bytes = state.format.format.bytes, unit = std::min(4U, bytes & (~bytes + 1));
  if (layout.linear())
    return std::ranges::all_of(layout.places(),
                               [&](const Place& place) { return layout.row_bytes(place) % unit == 0; });
  // Smaller levels whose sides are not powers of two have been rounded up in another way.
  return state.levels == 1 || (std::has_single_bit(state.width) && std::has_single_bit(state.height));
}

// Texels of a block, row by row: of each channel as UBC3's alpha.
void decode_channels(const TexelFormat& format, const std::byte* block, std::array<std::byte, 32>& texels) {
  const bool is_signed = format.format.components[0].type == TexelType::snorm;
  for (unsigned k = 0; k < format.channels; ++k)
    textures::decode_channel(block + 8 * k, is_signed, true, format.channels, texels.data() + k);
}

std::byte nibble(std::byte byte, bool high) { return high ? byte >> 4 : byte & std::byte{15}; }

// Rows without padding, level by level and face by face.
Result<BoundTexture> move_texels(const TextureState& state, const Layout& layout,
                                 std::span<const std::byte> memory, std::span<const std::byte> palette,
                                 BoundTexture bound) {
  const bool indexed = state.format.special == Special::palette4 || state.format.special == Special::palette8;
  const std::uint32_t bytes = state.format.format.bytes;
  const bool blocks = state.format.special == Special::channel_blocks;
  const std::uint32_t side = blocks ? 4 : 1;  // texels of an element
  std::uint64_t total = 0, face = 0;
  for (const Place& place : layout.places()) {
    bound.places.push_back({face, up(std::uint64_t{place.width} * side * bytes, 4), 0});
    face += bound.places.back().row_bytes * place.height * side;
  }
  face = up(face, 4);
  total = face * layout.faces();
  if (total > kMaxDecodedTextureBytes)
    return Error{ErrorCode::resource_limit,
                 "texture size is more than " + std::to_string(kMaxDecodedTextureBytes) + " bytes",
                 {}};
  bound.copy.resize(static_cast<std::size_t>(total));
  for (unsigned f = 0; f < layout.faces(); ++f)
    for (std::size_t n = 0; n < layout.places().size(); ++n) {
      const Place& place = layout.places()[n];
      for (std::uint32_t y = 0; y < place.height; ++y)
        for (std::uint32_t x = 0; x < place.width; ++x) {
          const std::uint64_t bit =
              (f * layout.face_bytes() + place.offset) * 8 + layout.element(place, x, y);
          std::byte* const to = bound.copy.data() + f * face + bound.places[n].offset +
                                y * side * bound.places[n].row_bytes + std::uint64_t{x} * side * bytes;
          if (blocks) {
            std::array<std::byte, 32> texels;
            decode_channels(state.format, memory.data() + bit / 8, texels);
            for (std::uint32_t row = 0; row < side; ++row)
              std::copy_n(texels.begin() + row * side * bytes, side * bytes,
                          to + row * bound.places[n].row_bytes);
          } else if (indexed) {
            std::byte index = memory[static_cast<std::size_t>(bit / 8)];
            if (state.format.special == Special::palette4) index = nibble(index, bit % 8 != 0);
            std::ranges::copy(palette.subspan(std::to_integer<std::size_t>(index) * 4, 4), to);
          } else {
            std::ranges::copy(memory.subspan(static_cast<std::size_t>(bit / 8), bytes), to);
            if (state.format.special == Special::unsigned_float) to[3] &= std::byte{0x7f};
          }
        }
    }
  bound.texture.layout = TextureLayout::linear;
  bound.texture.layer_bytes = layout.faces() > 1 ? face : 0;
  bound.texture.data = bound.copy.data();
  bound.texture.size = bound.copy.size();
  bound.texture.level_places = bound.places;
  return bound;
}

}  // namespace

Result<BoundTexture> bind_texture(const TextureState& state, const ReadMemory& memory) {
  const Layout layout(state);
  const auto missing = [](const char* name, std::uint32_t address, std::uint64_t bytes) {
    char text[96];
    std::snprintf(text, sizeof text, "texture %s 0x%08x: %llu bytes from there on are not in memory", name,
                  address, static_cast<unsigned long long>(bytes));
    return Error{ErrorCode::bad_input, text, {}};
  };
  if (state.type == TextureType::linear_strided) {
    const std::uint64_t least = std::uint64_t{layout.places()[0].width} * state.format.bits *
                                state.format.block() * state.format.block() / 8;
    if (state.stride < least) return refused("stride", state.stride, "is less than a row");
  }
  const std::span<const std::byte> texels = memory(state.address, layout.end());
  if (texels.size() < layout.end()) return missing("address", state.address, layout.end());

  BoundTexture bound;
  bound.address = state.address;
  bound.size = layout.end();
  Texture& texture = bound.texture;
  texture.dimension = state.is_cube() ? TextureDimension::cube : TextureDimension::d2;
  texture.format = state.format.format;
  texture.swizzle = state.swizzle;
  texture.four_pairs = false;
  texture.width = state.width;
  texture.height = state.height;
  texture.levels = state.levels;
  texture.min_lod = 256 * state.least_level;
  texture.lod_bias = 32 * state.bias;
  bound.sampler.wrap = {state.wrap[0], state.wrap[1], Wrap::clamp_to_edge};
  bound.sampler.magnify = state.magnify;
  bound.sampler.minify = state.minify;
  bound.sampler.mip = state.mip_linear ? MipFilter::linear : MipFilter::nearest;

  if (!lies_so(state, layout)) {
    const std::uint64_t entries = state.format.special == Special::palette4   ? 16
                                  : state.format.special == Special::palette8 ? 256
                                                                              : 0;
    std::span<const std::byte> palette;
    if (entries != 0) {
      palette = memory(state.palette, 4 * entries);
      if (palette.size() < 4 * entries) return missing("palette address", state.palette, 4 * entries);
    }
    return move_texels(state, layout, texels, palette, std::move(bound));
  }
  texture.layout = layout.linear() ? TextureLayout::linear : TextureLayout::morton;
  texture.data = texels.data();
  texture.size = texels.size();
  for (const Place& place : layout.places())
    bound.places.push_back({place.offset, layout.linear() ? layout.row_bytes(place) : 0, 0});
  texture.level_places = bound.places;
  if (layout.faces() > 1) texture.layer_bytes = layout.face_bytes();
  return bound;
}

}  // namespace warpjit::usse
