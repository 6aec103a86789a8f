#include "textures/view.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "textures/decode.h"

namespace warpjit::textures {

namespace {

template <class Enum>
std::string unknown(Enum value) {
  return std::to_string(static_cast<unsigned>(value)) + " is not known";
}

// A texture while it is checked. Numbers that do not fit anywhere are found in 64 bits.
class Checker {
 public:
  Checker(const Texture& texture, std::string_view where) : t_(texture), where_(where) {}

  Result<TextureView> run() {
    WARPJIT_CHECK(check_enumerations());
    if (auto status = check_format(t_.format); !status)
      return fail("format", status.error().message, status.error().code);
    if (compressed() && find_block_decoder(t_.format.compression) == nullptr)
      return fail("format", "is of a compression that is not supported", ErrorCode::unsupported);
    WARPJIT_CHECK(check_extents());
    WARPJIT_CHECK(place_levels());
    WARPJIT_CHECK(check_memory());
    describe();
    return bind();
  }

 private:
  bool compressed() const { return t_.format.compression != BlockCompression::none; }
  bool cube() const { return t_.dimension == TextureDimension::cube; }

  Error fail(std::string_view field, const std::string& message,
             ErrorCode code = ErrorCode::bad_input) const {
    std::string text(field);
    text += ' ';
    return {code, text + message, std::string(where_)};
  }

  Status check_enumerations() const {
    if (t_.dimension > TextureDimension::buffer) return fail("dimension", unknown(t_.dimension));
    if (t_.layout > TextureLayout::morton) return fail("layout", unknown(t_.layout));
    for (TexelSource source : t_.swizzle)
      if (source > TexelSource::integer_one) return fail("swizzle", unknown(source));
    return {};
  }

  Status check_extents() const {
    const bool buffer = t_.dimension == TextureDimension::buffer, flat = t_.dimension == TextureDimension::d1;
    const auto extent = [&](const char* field, std::uint32_t value, std::uint32_t most) -> Status {
      if (value == 0) return fail(field, "is 0");
      if (value > most)
        return fail(field, "is " + std::to_string(value) + "; at most " + std::to_string(most));
      return {};
    };
    WARPJIT_CHECK(extent("width", t_.width, buffer ? kMaxBufferTexels : kMaxTextureExtent));
    WARPJIT_CHECK(extent("height", t_.height, buffer || flat ? 1 : kMaxTextureExtent));
    WARPJIT_CHECK(
        extent("depth", t_.depth_extent, t_.dimension == TextureDimension::d3 ? kMaxTextureExtent : 1));
    WARPJIT_CHECK(extent("layers", t_.layers, t_.array ? kMaxTextureLayers : 1));
    if (t_.array && (buffer || t_.dimension == TextureDimension::d3))
      return fail("array", "is set, but the dimension has no arrays");
    if (cube() && t_.width != t_.height) return fail("height", "of a cube is not its width");
    if (buffer && t_.layout != TextureLayout::linear) return fail("layout", "of a buffer is not linear");
    if (buffer && compressed()) return fail("format", "of a buffer is compressed");
    const auto most_levels = static_cast<std::uint32_t>(
        buffer ? 1 : std::bit_width(std::max({t_.width, t_.height, t_.depth_extent})));
    if (t_.levels == 0) return fail("levels", "is 0");
    if (t_.levels > most_levels)
      return fail("levels",
                  "is " + std::to_string(t_.levels) + "; the extents allow " + std::to_string(most_levels));
    if (t_.first_level >= t_.levels) return fail("first_level", "is a level that the texture does not have");
    if (t_.last_level < t_.first_level) return fail("last_level", "is before the first level");
    if (t_.block_height > 5) return fail("block_height", "is above 5");
    if (t_.block_depth > 5) return fail("block_depth", "is above 5");
    const auto within = [](std::int32_t lod) { return lod >= -(1 << 15) && lod <= 1 << 15; };
    if (!within(t_.min_lod)) return fail("min_lod", "is beyond 128 levels");
    if (!within(t_.lod_bias)) return fail("lod_bias", "is beyond 128 levels");
    return {};
  }

  // A number of bytes that the caller gave for what has `least` of them; 0: those.
  Status pad(const char* field, std::uint64_t given, std::uint64_t least, std::uint64_t& bytes) const {
    bytes = given == 0 ? least : given;
    if (bytes < least)
      return fail(field,
                  "is " + std::to_string(given) + "; less than the " + std::to_string(least) + " it has");
    if (bytes > kMaxTextureBytes) return fail(field, "is " + std::to_string(bytes) + "; too many bytes");
    if (bytes % element_alignment(t_.format.bytes) != 0)
      return fail(field, "is no multiple of " + std::to_string(element_alignment(t_.format.bytes)));
    return {};
  }

  // Finds levels_, layer_bytes_ and end_.
  Status place_levels() {
    const bool rows = t_.layout == TextureLayout::linear || t_.layout == TextureLayout::u_interleaved;
    if (!rows && t_.row_bytes != 0) return fail("row_bytes", "is set, but the layout has no rows to set");
    if (!rows && t_.slice_bytes != 0)
      return fail("slice_bytes", "is set, but the layout has no slices to set");
    if (!t_.level_places.empty()) {
      if (t_.level_places.size() != t_.levels) return fail("level_places", "are not as many as levels");
      if (t_.row_bytes != 0 || t_.slice_bytes != 0)
        return fail("level_places", "stand beside row_bytes or slice_bytes");
    }
    std::uint64_t next = 0, layer_end = 0;  // of the level before, of all
    for (std::uint32_t i = 0; i < t_.levels; ++i) {
      WARPJIT_CHECK(place_level(i, rows, next));
      layer_end = std::max(layer_end, next);
    }
    const std::uint64_t block = std::uint64_t{256} << levels_[0].block_height << levels_[0].block_depth;
    if (t_.layout == TextureLayout::block_linear) layer_end = (layer_end + block - 1) / block * block;
    const std::uint64_t layers = std::uint64_t{t_.layers} * (cube() ? 6 : 1);
    // The last bytes of a layer may be none of its texels.
    WARPJIT_CHECK(pad("layer_bytes", t_.layer_bytes, t_.layer_bytes == 0 ? layer_end : end_, layer_bytes_));
    end_ += (layers - 1) * layer_bytes_;
    return {};
  }

  Status place_level(std::uint32_t number, bool rows, std::uint64_t& next) {
    const std::uint32_t bytes = t_.format.bytes, tile_bits = tile_bits_of(compressed());
    const auto elements = [&](std::uint32_t extent, std::uint32_t block) {
      return (std::max(1U, extent >> number) + block - 1) / block;
    };
    Level& level = levels_[number];
    level.width = elements(t_.width, t_.format.block_width);
    level.height = elements(t_.height, t_.format.block_height);
    level.depth = elements(t_.depth_extent, 1);
    const LevelSize size = measure_level(t_.layout, bytes, tile_bits, level.width, level.height, level.depth,
                                         t_.block_height, t_.block_depth);
    TextureLevelPlace place;
    const bool placed = !t_.level_places.empty();
    if (placed) place = t_.level_places[number];
    if (!placed && number == 0) place = {0, t_.row_bytes, t_.slice_bytes};
    if (!rows && (place.row_bytes != 0 || place.slice_bytes != 0))
      return fail("level_places", "have rows or slices, but the layout has none to set");
    std::uint64_t row_bytes = 0, slice_bytes = 0, offset = next;
    WARPJIT_CHECK(pad("row_bytes", place.row_bytes, size.row_bytes, row_bytes));
    const std::uint64_t least = rows ? row_bytes * size.rows : size.slice_bytes;
    WARPJIT_CHECK(pad("slice_bytes", place.slice_bytes, least, slice_bytes));
    if (placed) WARPJIT_CHECK(pad("level_places", place.offset, 0, offset));
    level.offset = static_cast<std::uint32_t>(std::min<std::uint64_t>(offset, kMaxTextureBytes));
    level.row_bytes = static_cast<std::uint32_t>(row_bytes);
    level.slice_bytes = static_cast<std::uint32_t>(slice_bytes);
    level.block_height = size.block_height;
    level.block_depth = size.block_depth;
    level.square_bits = size.square_bits;
    next = offset + slice_bytes * size.slices;
    if (next > kMaxTextureBytes) return too_large();
    end_ = std::max(end_, offset + used_bytes(level, size));
    return {};
  }
  Error too_large() const {
    return fail("width, height, depth, layers, levels",
                "are of more than " + std::to_string(kMaxTextureBytes) + " bytes", ErrorCode::resource_limit);
  }

  // Bytes of a level up to the end of its last element; of tiles, of the last tile. The offset grows with
  // every coordinate but within a tile.
  std::uint64_t used_bytes(const Level& level, const LevelSize& size) const {
    if (t_.layout == TextureLayout::u_interleaved)
      return (size.slices - 1) * level.slice_bytes + (size.rows - 1) * level.row_bytes + size.row_bytes;
    if (t_.layout == TextureLayout::linear)  // may be beyond 32 bits
      return std::uint64_t{level.depth - 1} * level.slice_bytes +
             std::uint64_t{level.height - 1} * level.row_bytes + size.row_bytes;
    return std::uint64_t{element_offset(t_.layout, t_.format.bytes, 0, level, level.width - 1,
                                        level.height - 1, level.depth - 1)} +
           t_.format.bytes;
  }

  Status check_memory() const {
    if (end_ > kMaxTextureBytes) return too_large();
    if (t_.data == nullptr) return fail("data", "is null");
    if (end_ > t_.size)
      return fail("data", "has " + std::to_string(t_.size) + " bytes; the levels and layers end at byte " +
                              std::to_string(end_));
    if (decoded_bytes() > kMaxDecodedTextureBytes)
      return fail("width, height, layers, levels",
                  "are, decoded, of more than " + std::to_string(kMaxDecodedTextureBytes) + " bytes",
                  ErrorCode::resource_limit);
    return {};
  }

  std::uint32_t memory_layers() const { return t_.layers * (cube() ? 6 : 1); }
  // One layer and level of a compressed texture, decoded.
  std::uint64_t decoded_level_bytes(std::uint32_t number) const {
    const std::uint64_t row =
        std::uint64_t{std::max(1U, t_.width >> number)} * decoded_format(t_.format).bytes;
    return (row + 3) / 4 * 4 * std::max(1U, t_.height >> number) * std::max(1U, t_.depth_extent >> number);
  }
  std::uint64_t decoded_layer_bytes() const {
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < t_.levels; ++i) bytes += decoded_level_bytes(i);
    return bytes;
  }
  std::uint64_t decoded_bytes() const { return compressed() ? decoded_layer_bytes() * memory_layers() : 0; }

  void describe() {
    view_.dimension = t_.dimension;
    view_.array = t_.array;
    view_.format = t_.format;
    view_.layout = t_.layout;
    view_.swizzle = t_.swizzle;
    view_.normalized = t_.normalized;
    view_.four_pairs = t_.four_pairs;
    view_.depth = t_.depth;
    view_.bound = static_cast<const std::byte*>(t_.data);
    view_.bound_size = static_cast<std::size_t>(end_);
    view_.levels = levels_;
    view_.level_count = t_.levels;
    view_.first_level = t_.first_level;
    view_.last_level = std::min(t_.last_level, t_.levels - 1);
    view_.layers = memory_layers();
    view_.layer_bytes = memory_layers() > 1 ? static_cast<std::uint32_t>(layer_bytes_) : 0;
    view_.min_lod = t_.min_lod;
    view_.lod_bias = t_.lod_bias;
  }

  TextureView bind() {
    if (compressed()) {
      decode();
      return std::move(view_);
    }
    const std::uint64_t whole = (end_ + 3) / 4 * 4;
    view_.base = view_.bound;
    view_.size = static_cast<std::uint32_t>(whole);
    if (whole > t_.size || reinterpret_cast<std::uintptr_t>(view_.base) % 4 != 0) {
      auto words = std::make_shared<std::vector<std::uint32_t>>(static_cast<std::size_t>(whole / 4));
      std::memcpy(words->data(), view_.bound, static_cast<std::size_t>(end_));
      hold(std::move(words));
    }
    return std::move(view_);
  }
  void hold(std::shared_ptr<const std::vector<std::uint32_t>> words) {
    view_.base = reinterpret_cast<const std::byte*>(words->data());
    view_.copy = std::move(words);
  }

  // To linear levels, rows of whole words.
  void decode() {
    auto words = std::make_shared<std::vector<std::uint32_t>>(static_cast<std::size_t>(decoded_bytes() / 4));
    auto* base = reinterpret_cast<std::byte*>(words->data());
    view_.format = decoded_format(t_.format);
    view_.layout = TextureLayout::linear;
    view_.decoded = true;
    view_.layer_bytes = memory_layers() > 1 ? static_cast<std::uint32_t>(decoded_layer_bytes()) : 0;
    view_.size = static_cast<std::uint32_t>(decoded_bytes());
    std::uint32_t offset = 0;
    for (std::uint32_t i = 0; i < t_.levels; ++i) {
      Level& level = view_.levels[i];
      level = {};
      level.width = std::max(1U, t_.width >> i);
      level.height = std::max(1U, t_.height >> i);
      level.depth = std::max(1U, t_.depth_extent >> i);
      level.offset = offset;
      level.row_bytes = (level.width * view_.format.bytes + 3) / 4 * 4;
      level.slice_bytes = level.row_bytes * level.height;
      offset += level.slice_bytes * level.depth;
      for (std::uint32_t layer = 0; layer < memory_layers(); ++layer)
        for (std::uint32_t z = 0; z < level.depth; ++z)
          decode_slice(levels_[i], level, z,
                       view_.bound + levels_[i].offset + layer * static_cast<std::size_t>(layer_bytes_),
                       base + level.offset + layer * static_cast<std::size_t>(view_.layer_bytes));
    }
    hold(std::move(words));
  }

  void decode_slice(const Level& from, const Level& to, std::uint32_t z, const std::byte* blocks,
                    std::byte* texels) const {
    const DecodeBlock decode_block = find_block_decoder(t_.format.compression);
    const std::uint32_t bytes = view_.format.bytes, columns = t_.format.block_width,
                        rows = t_.format.block_height;
    std::array<std::byte, std::size_t{4} * kMaxBlockTexels> block;
    for (std::uint32_t y = 0; y < from.height; ++y)
      for (std::uint32_t x = 0; x < from.width; ++x) {
        decode_block(t_.format,
                     blocks + element_offset(t_.layout, t_.format.bytes, tile_bits_of(true), from, x, y, z),
                     block.data());
        const std::size_t width = std::size_t{std::min(columns, to.width - x * columns)} * bytes;
        const std::uint32_t height = std::min(rows, to.height - y * rows);
        for (std::uint32_t row = 0; row < height; ++row)
          std::memcpy(texels + z * std::size_t{to.slice_bytes} +
                          (y * rows + row) * std::size_t{to.row_bytes} + std::size_t{x} * columns * bytes,
                      block.data() + std::size_t{row} * columns * bytes, width);
      }
  }

  const Texture& t_;
  std::string_view where_;
  TextureView view_;
  std::array<Level, kMaxTextureLevels> levels_{};
  std::uint64_t layer_bytes_ = 0;
  std::uint64_t end_ = 0;  // of the last texel: of a layer, then of all
};

Error fail_at(std::string_view where, std::string message) {
  return {ErrorCode::bad_input, std::move(message), std::string(where)};
}

}  // namespace

Result<TextureView> make_view(const Texture& texture, std::string_view where) {
  return Checker(texture, where).run();
}

Status check_sampler(const Sampler& sampler, std::string_view where) {
  for (Wrap wrap : sampler.wrap)
    if (wrap > Wrap::mirror_once) return fail_at(where, "wrap " + unknown(wrap));
  if (sampler.magnify > Filter::linear) return fail_at(where, "magnify is no filter");
  if (sampler.minify > Filter::linear) return fail_at(where, "minify is no filter");
  if (sampler.mip > MipFilter::linear) return fail_at(where, "mip is no filter");
  if (sampler.compare_op > Compare::always)
    return fail_at(where, "compare_op " + unknown(sampler.compare_op));
  const auto within = [](std::int32_t lod) { return lod >= -(1 << 15) && lod <= 1 << 15; };
  if (!within(sampler.lod_bias)) return fail_at(where, "lod_bias is beyond 128 levels");
  if (!within(sampler.min_lod)) return fail_at(where, "min_lod is beyond 128 levels");
  if (!within(sampler.max_lod)) return fail_at(where, "max_lod is beyond 128 levels");
  return {};
}

namespace {

// ", of format rgba8ui"; by its bytes if it has no name.
std::string of_format(const TextureFormat& format) {
  if (const auto known = name(format)) return ", of format " + std::string(*known);
  return ", of a format of " + std::to_string(format.bytes) + " bytes";
}

}  // namespace

Status check_pair(const TextureView& texture, const Sampler& sampler, std::string_view where) {
  bool integers = false;  // that a result selects
  for (TexelSource source : texture.swizzle)
    integers |= source == TexelSource::integer_one ||
                (source <= TexelSource::alpha &&
                 is_integer(texture.format.components[static_cast<std::size_t>(source)].type));
  const bool linear = sampler.magnify == Filter::linear || sampler.minify == Filter::linear ||
                      sampler.mip == MipFilter::linear;
  if (integers && linear) return fail_at(where, "a linear filter meets integers" + of_format(texture.format));
  if (sampler.compare && is_integer(texture.format.components[0].type))
    return fail_at(where, "compare meets integers" + of_format(texture.format));
  return {};
}

std::array<std::uint32_t, 4> border_of(const TextureView& texture, const Sampler& sampler) {
  std::array<std::uint32_t, 4> border = sampler.border;
  if (texture.format.srgb && sampler.decode_srgb && sampler.srgb_border)
    std::ranges::copy(*sampler.srgb_border, border.begin());
  if (texture.depth) border.fill(border[0]);
  return border;
}

}  // namespace warpjit::textures
