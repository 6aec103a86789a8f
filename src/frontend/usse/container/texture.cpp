#include "frontend/usse/container/texture.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>

#include "frontend/usse/container/texel_format.h"
#include "textures/decode.h"
#include "textures/decode_blocks.h"

namespace warpjit::usse {
namespace {

using Special = TexelFormat::Special;

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
      return refused_texture(
          numbered(name, mode, mode == 5 ? "clamp, full border" : "clamp, half border"),
          "is not supported; modes are 0 repeat, 1 mirror, 2 clamp, 3 mirror once, 4 repeat without "
          "border, 6 clamp without border");
  }
}

}  // namespace

namespace {
std::string size_text(const TextureState& state) {
  return std::to_string(state.width) + " x " + std::to_string(state.height);
}
}  // namespace

Result<TextureState> read_texture(const ControlWords& words) {
  TextureState state;
  const std::uint32_t type = field_of(words[1], 29, 3);
  if (type == 1)
    return refused_texture(
        "type 1",
        "is none; types are 0 swizzled, 2 cube, 3 linear, 4 tiled, 5 swizzled of any size, 6 "
        "linear strided, 7 cube of any size");
  state.type = static_cast<TextureType>(type);
  const std::uint32_t code = field_of(words[1], 24, 5) | words[0] >> 31 << 7;
  WARPJIT_CHECK(read_format(state, code, words));
  WARPJIT_CHECK(read_wrap("u address mode", field_of(words[0], 6, 3), state.wrap[0]));
  WARPJIT_CHECK(read_wrap("v address mode", field_of(words[0], 3, 3), state.wrap[1]));
  if (state.is_cube()) state.wrap = {Wrap::clamp_to_edge, Wrap::clamp_to_edge};
  const auto filter = [&](unsigned first) {
    const std::uint32_t mode = field_of(words[0], first, 2);
    return mode == 1 || mode == 2 ? Filter::linear : Filter::nearest;
  };
  state.magnify = filter(12);
  if (state.type == TextureType::linear_strided) {
    state.minify = state.magnify;
    state.stride = 4 * (1 + (field_of(words[0], 9, 3) | field_of(words[0], 17, 4) << 3 |
                             field_of(words[0], 21, 6) << 7));
  } else {
    state.minify = filter(10);
    state.mip_linear = field_of(words[0], 9, 1) != 0;
    const std::uint32_t levels = field_of(words[0], 17, 4);
    state.chain = levels != 15;
    state.levels = state.chain ? levels + 1 : 1;
    state.bias = static_cast<std::int32_t>(field_of(words[0], 21, 6)) - 31;
    state.least_level = static_cast<std::int32_t>(field_of(words[2], 0, 2) | field_of(words[3], 26, 2) << 2);
  }
  const bool logarithms = type == 0 || type == 2;
  if (logarithms) {
    for (const unsigned first : {16U, 0U})
      if (const std::uint32_t n = field_of(words[1], first, 4); n > 12)
        return refused_texture(std::string(first == 16 ? "width" : "height") + " 2^" + std::to_string(n),
                               "is above 4096 texels (2^12)");
    state.width = 1U << field_of(words[1], 16, 4);
    state.height = 1U << field_of(words[1], 0, 4);
  } else {
    state.width = field_of(words[1], 12, 12) + 1;
    state.height = field_of(words[1], 0, 12) + 1;
  }
  if (state.is_cube() && state.width != state.height)
    return refused_texture("size " + size_text(state), "is of no cube, whose width and height are equal");
  const auto most = static_cast<std::uint32_t>(std::bit_width(std::max(state.width, state.height)));
  if (state.levels > most)
    return refused_texture("level count " + std::to_string(state.levels),
                           "is above what its size allows: " + size_text(state) + " texels have up to " +
                               std::to_string(most) + " levels");
  if (state.type == TextureType::tiled) {
    if (state.format.block() > 1 || state.format.special == Special::palette4)
      return refused_texture(
          numbered("type", type, "tiled"),
          "of format " + hex_number(code) + " (" + std::string(state.format.name) +
              ") is not supported; formats of blocks and P4 are swizzled (0) or linear (3)");
  }
  state.address = words[2] & ~3U;
  state.palette = field_of(words[3], 0, 26) * 64;
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

// Texels of a block, row by row: of colours, or of each channel as UBC3's alpha.
using BlockTexels = std::array<std::byte, 64>;
void decode_block(const TexelFormat& format, const std::byte* block, BlockTexels& texels) {
  if (format.special == Special::color_blocks)
    return textures::find_block_decoder(format.blocks)(format.format, block, texels.data());
  const TexelType type = format.format.components[0].type;
  const bool is_signed = type == TexelType::snorm || type == TexelType::sscaled;
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
  const bool blocks = state.format.has_blocks();
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
            BlockTexels texels;
            decode_block(state.format, memory.data() + bit / 8, texels);
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
  const auto missing = [&](const char* name, std::uint32_t address, std::uint64_t bytes) {
    char text[96];
    std::snprintf(text, sizeof text, "texture %s 0x%08x: %llu bytes from there on are not in memory", name,
                  address, static_cast<unsigned long long>(bytes));
    return Error{ErrorCode::bad_input,
                 text + (" (" + size_text(state)) + " texels of " + std::string(state.format.name) + ", " +
                     std::to_string(state.levels) + (state.levels == 1 ? " level)" : " levels)"),
                 {}};
  };
  if (state.type == TextureType::linear_strided) {
    const std::uint64_t least = std::uint64_t{layout.places()[0].width} * state.format.bits *
                                state.format.block() * state.format.block() / 8;
    if (state.stride < least)
      return refused_texture("stride " + std::to_string(state.stride),
                             "is less than the " + std::to_string(least) + " bytes of a row");
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
