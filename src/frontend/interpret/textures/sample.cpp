#include "frontend/interpret/textures/sample.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/bits.h"
#include "frontend/interpret/pixels/arithmetic.h"
#include "frontend/interpret/textures/cube.h"

namespace warpjit::interpret {

namespace {

using f32::Word;
using textures::Level;
using textures::TextureView;

constexpr Word kHalf = 0x3f000000;
constexpr std::uint32_t kWhole = 256;  // of weights

Word word_of(std::int64_t number) { return to_bits(static_cast<float>(number)); }
Word floor_of(Word number) { return to_bits(std::floor(to_float(f32::flushed(number)))); }

unsigned axes_of(TextureDimension dimension) {
  switch (dimension) {
    case TextureDimension::d1:
    case TextureDimension::buffer:
      return 1;
    case TextureDimension::d2:
    case TextureDimension::cube:
      return 2;
    case TextureDimension::d3:
      break;
  }
  return 3;
}
std::int32_t extent(const Level& level, unsigned axis) {
  return static_cast<std::int32_t>(axis == 0 ? level.width : axis == 1 ? level.height : level.depth);
}

bool is_constant(TexelSource source) { return source > TexelSource::alpha; }
// The component that a result selects; none: a constant.
const TexelComponent* selected(const TextureView& texture, unsigned result) {
  const TexelSource source = texture.swizzle[result];
  if (is_constant(source)) return nullptr;
  const TexelComponent& component = texture.format.components[static_cast<std::size_t>(source)];
  return component.type == TexelType::none ? nullptr : &component;
}

// ---- Places along an axis

// What of a texel along one axis is sampled.
struct AxisPlace {
  std::array<std::int32_t, 2> index{};  // the second one of linear filters
  std::uint32_t weight = 0;             // of the second one, in 1/256
  std::array<bool, 2> outside{};        // a border texel
};

bool is_mirror_once(Wrap wrap) {
  return wrap == Wrap::mirror_once || wrap == Wrap::mirror_once_to_edge ||
         wrap == Wrap::mirror_once_to_border;
}
bool clamps_place(Wrap wrap) { return wrap == Wrap::clamp || wrap == Wrap::mirror_once; }

// A coordinate as a place in texels. `mirrors_texels`: of SamplePlace.
Word place_of(Word u, Wrap wrap, bool normalized, std::int32_t size, bool mirrors_texels) {
  u = f32::is_nan(u) ? 0 : f32::flushed(u);
  const bool both_ways = mirrors_texels && is_mirror_once(wrap);
  if (is_mirror_once(wrap) && !both_ways) u &= ~f32::kSign;
  if (normalized && (wrap == Wrap::repeat || wrap == Wrap::mirror)) {
    const bool huge = std::fabs(to_float(u)) >= 0x1p24f;
    if (huge)
      u = 0;
    else if (wrap == Wrap::repeat)
      u = f32::sub(u, floor_of(u));
    else
      u = f32::sub(u, f32::mul(to_bits(2.0f), floor_of(f32::mul(u, kHalf))));
  }
  float p = to_float(normalized ? f32::mul(u, word_of(size)) : u);
  const auto end = static_cast<float>(size);
  if (clamps_place(wrap)) p = std::clamp(p, both_ways ? -end : 0.0f, end);
  return to_bits(std::clamp(p, -65536.0f, 65536.0f));
}

std::int64_t modulo(std::int64_t number, std::int64_t size) {
  const std::int64_t rest = number % size;
  return rest < 0 ? rest + size : rest;
}

// The texel that an index means; outside: the border.
void wrap_index(std::int64_t number, Wrap wrap, bool linear, std::int32_t size, std::int32_t& index,
                bool& outside) {
  outside = false;
  switch (wrap) {
    case Wrap::repeat:
      number = modulo(number, size);
      break;
    case Wrap::mirror:
      number = modulo(number, 2 * std::int64_t{size});
      if (number >= size) number = 2 * std::int64_t{size} - 1 - number;
      break;
    case Wrap::clamp_to_edge:
    case Wrap::mirror_once_to_edge:
      number = std::clamp<std::int64_t>(number, 0, size - 1);
      break;
    case Wrap::clamp:
    case Wrap::mirror_once:
      if (!linear) number = std::clamp<std::int64_t>(number, 0, size - 1);
      [[fallthrough]];
    case Wrap::clamp_to_border:
    case Wrap::mirror_once_to_border:
      outside = number < 0 || number >= size;
      break;
  }
  index = outside ? 0 : static_cast<std::int32_t>(number);
}

// First index and weight, before wrapping.
struct Footprint {
  std::int64_t first = 0;
  std::uint32_t weight = 0;
};
Footprint footprint_of(Word place, bool linear, std::int32_t offset) {
  const float p = to_float(place);
  if (!linear) return {static_cast<std::int64_t>(std::floor(p)) + offset, 0};
  const auto t = static_cast<std::int64_t>(std::nearbyint(p * 256)) - 128;
  return {(t >> 8) + offset, static_cast<std::uint32_t>(t & 255)};
}

AxisPlace find_on_axis(Word u, Wrap wrap, bool normalized, bool linear, std::int32_t size,
                       std::int32_t offset, bool mirrors_texels) {
  const Footprint footprint =
      footprint_of(place_of(u, wrap, normalized, size, mirrors_texels), linear, offset);
  AxisPlace place;
  place.weight = footprint.weight;
  for (unsigned n = 0; n < (linear ? 2U : 1U); ++n) {
    std::int64_t number = footprint.first + n;
    if (mirrors_texels && is_mirror_once(wrap) && number < 0) number = -1 - number;
    wrap_index(number, wrap, linear, size, place.index[n], place.outside[n]);
  }
  return place;
}

// ---- The texels of a footprint

// A texel as memory has it, and as the program sees it.
struct FoundTexel {
  bool border = false;
  std::array<std::uint32_t, 4> raw{};  // components of the format, as bits; not of a border
  TexelWords words{};                  // x, y, z, w
};

class LevelSampler {
 public:
  // `share`: of this level in the sample, in 1/256.
  LevelSampler(const TextureView& texture, const Sampler& sampler, const SamplePlace& place,
               std::uint32_t number, bool linear, std::uint32_t share = kWhole)
      : texture_(texture),
        sampler_(sampler),
        place_(place),
        number_(number),
        level_(texture.levels[number]),
        linear_(linear),
        share_(share),
        axes_(axes_of(texture.dimension)) {
    const std::uint32_t layers = texture.array ? texture.layers / (cube() ? 6 : 1) : 1;
    layer_ = texture.array ? std::min(place.layer, layers - 1) : 0;
    if (cube())
      find_on_cube();
    else
      find_on_axes();
  }

  // The sum over the footprint before the last factor, or the result itself.
  struct Sum {
    bool integer = false;
    TexelWords words{};  // integer path: the sums as f32; of constants their value
  };
  Sum sum() const {
    if (!linear_) return take_nearest();
    return integer_path() ? sum_integers() : Sum{false, mix_floats()};
  }
  bool mixes_slices() const { return linear_ && axes_ == 3; }

  // Component x of the texels (0, 1), (1, 1), (1, 0), (0, 0).
  TexelWords gathered() const {
    const unsigned rows = axes_ > 1 ? 2 : 0;
    return {texels_[rows].words[0], texels_[rows + 1].words[0], texels_[1].words[0], texels_[0].words[0]};
  }

 private:
  bool cube() const { return texture_.dimension == TextureDimension::cube; }
  bool decodes_srgb() const { return texture_.format.srgb && sampler_.decode_srgb; }

  void find_on_axes() {
    std::array<AxisPlace, 3> places{};
    for (unsigned axis = 0; axis < axes_; ++axis)
      places[axis] = find_on_axis(place_.coordinates[axis], sampler_.wrap[axis], texture_.normalized, linear_,
                                  extent(level_, axis), place_.offsets[axis], place_.mirrors_texels);
    find_texels(places, layer_);
  }

  // Texel n of the footprint takes bit a of n along axis a.
  void find_texels(const std::array<AxisPlace, 3>& places, std::uint32_t layer) {
    for (unsigned n = 0; n < texels(); ++n) {
      std::array<std::uint32_t, 3> at{};
      bool outside = false;
      for (unsigned axis = 0; axis < axes_; ++axis) {
        at[axis] = static_cast<std::uint32_t>(places[axis].index[n >> axis & 1]);
        outside |= places[axis].outside[n >> axis & 1];
      }
      texels_[n] = outside ? border() : read(layer, at);
      if (place_.seen != nullptr && !outside) [[unlikely]]
        show(n, {places[0].weight, places[1].weight, places[2].weight}, layer, at);
    }
    for (unsigned axis = 0; axis < axes_; ++axis) weights_[axis] = places[axis].weight;
  }
  // That texel n of the footprint was read.
  void show(unsigned n, const std::array<std::uint32_t, 3>& weights, std::uint32_t layer,
            const std::array<std::uint32_t, 3>& at) const {
    float weight = static_cast<float>(share_) / 256;
    for (unsigned axis = 0; linear_ && axis < axes_; ++axis)
      weight *= static_cast<float>((n >> axis & 1) != 0 ? weights[axis] : kWhole - weights[axis]) / 256;
    place_.seen->see(texture_, number_, layer, at, weight);
  }

  void find_on_cube() {
    const FacePlace face = place_.on_face ? *place_.on_face : find_face(place_.coordinates);
    const std::int32_t size = extent(level_, 0);
    const std::array<Word, 2> st{face.s, face.t};
    if (!sampler_.seamless) {
      std::array<AxisPlace, 3> places{};
      for (unsigned axis = 0; axis < 2; ++axis)
        places[axis] =
            find_on_axis(st[axis], sampler_.wrap[axis], true, linear_, size, 0, place_.mirrors_texels);
      return find_texels(places, layer_ * 6 + face.face);
    }
    // As `clamp`, but for what lies outside.
    std::array<std::int64_t, 2> first{};
    for (unsigned axis = 0; axis < 2; ++axis) {
      const Footprint footprint =
          footprint_of(place_of(st[axis], Wrap::clamp, true, size, false), linear_, 0);
      first[axis] = linear_ ? footprint.first : std::clamp<std::int64_t>(footprint.first, 0, size - 1);
      weights_[axis] = footprint.weight;
    }
    std::optional<unsigned> corner;
    for (unsigned n = 0; n < texels(); ++n) {
      const std::int64_t x = first[0] + (n & 1), y = first[1] + (n >> 1);
      const auto found =
          cube_texel(face.face, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), size);
      if (!found) {
        corner = n;
        continue;
      }
      texels_[n] = read(layer_ * 6 + found->face, {found->x, found->y, 0});
      if (place_.seen != nullptr) [[unlikely]]
        show(n, weights_, layer_ * 6 + found->face, {found->x, found->y, 0});
    }
    if (corner) fill_corner(*corner);
  }

  // The mean of the other three.
  void fill_corner(unsigned corner) {
    std::array<unsigned, 3> others{};
    for (unsigned n = 0, count = 0; n < 4; ++n)
      if (n != corner) others[count++] = n;
    texels_[corner].border = true;  // there is no such integer
    for (unsigned c = 0; c < 4; ++c) {
      const TexelComponent* component = selected(texture_, c);
      const Word a = texels_[others[0]].words[c];
      const bool is_number = component != nullptr && !textures::is_integer(component->type);
      const bool keeps = is_constant(texture_.swizzle[c]) || (!is_number && !sampler_.compare);
      texels_[corner].words[c] =
          keeps ? a
                : f32::mul(f32::add(f32::add(a, texels_[others[1]].words[c]), texels_[others[2]].words[c]),
                           to_bits(1.0f / 3.0f));
    }
  }

  unsigned texels() const { return linear_ ? 1U << axes_ : 1U; }

  FoundTexel border() const {
    FoundTexel texel;
    texel.border = true;
    texel.words = textures::border_of(texture_, sampler_);
    if (sampler_.compare) texel.words = compared(texel.words[0]);
    return texel;
  }

  FoundTexel read(std::uint32_t layer, const std::array<std::uint32_t, 3>& at) const {
    const std::byte* bytes = texture_.base + texture_.texel_offset(number_, layer, at[0], at[1], at[2]);
    FoundTexel texel;
    for (unsigned n = 0; n < 4; ++n) texel.raw[n] = raw_component(bytes, n);
    TextureFormat plain = texture_.format;
    plain.srgb = decodes_srgb();
    const textures::Texel decoded = textures::decode_texel(plain, bytes);
    texel.words = sampler_.compare ? compared(decoded[0]) : select(decoded);
    return texel;
  }

  std::uint32_t raw_component(const std::byte* bytes, unsigned number) const {
    const TexelComponent& component = texture_.format.components[number];
    std::uint64_t raw = 0;
    for (unsigned bit = 0; bit < component.bits; ++bit) {
      const unsigned at = component.first_bit + bit;
      raw |= static_cast<std::uint64_t>(static_cast<unsigned>(bytes[at / 8]) >> at % 8 & 1) << bit;
    }
    return static_cast<std::uint32_t>(raw);
  }

  TexelWords select(const textures::Texel& components) const {
    TexelWords words{};
    for (unsigned n = 0; n < 4; ++n) {
      const TexelSource source = texture_.swizzle[n];
      words[n] = is_constant(source) ? constant(source) : components[static_cast<std::size_t>(source)];
    }
    return words;
  }
  static Word constant(TexelSource source) {
    return source == TexelSource::zero ? 0 : source == TexelSource::one ? f32::kOne : 1;
  }

  TexelWords compared(Word texel) const {
    const float stored = to_float(texel);
    const bool limited = texture_.format.components[0].type == TexelType::unorm;
    const float reference = to_float(limited ? f32::unit(place_.reference) : place_.reference);
    bool holds = false;
    switch (sampler_.compare_op) {
      case Compare::never:
        break;
      case Compare::less:
        holds = reference < stored;
        break;
      case Compare::equal:
        holds = reference == stored;
        break;
      case Compare::less_equal:
        holds = reference <= stored;
        break;
      case Compare::greater:
        holds = reference > stored;
        break;
      case Compare::not_equal:
        holds = reference != stored;
        break;
      case Compare::greater_equal:
        holds = reference >= stored;
        break;
      case Compare::always:
        holds = true;
        break;
    }
    TexelWords words{};
    for (unsigned n = 0; n < 4; ++n) {
      const TexelSource source = texture_.swizzle[n];
      words[n] = is_constant(source) ? constant(source) : holds ? f32::kOne : 0;
    }
    return words;
  }

  // ---- Mixing

  Sum take_nearest() const {
    // What the sum over one texel would give, which is the texel: to mix levels, sums are wanted.
    if (!integer_path()) return {false, texels_[0].words};
    return sum_integers();
  }

  bool integer_path() const {
    if (sampler_.compare || decodes_srgb()) return false;
    for (unsigned n = 0; n < texels(); ++n)
      if (texels_[n].border) return false;
    for (unsigned n = 0; n < 4; ++n) {
      const TexelComponent* component = selected(texture_, n);
      if (component == nullptr) continue;
      if (component->type != TexelType::unorm && component->type != TexelType::snorm) return false;
      if (component->bits > 8) return false;
    }
    return true;
  }

  // The weight of texel n in its slice, all being 65536.
  std::uint32_t slice_weight(unsigned n) const {
    if (!linear_) return kWhole * kWhole;
    std::uint32_t weight = axes_ == 1 ? kWhole : 1;
    for (unsigned axis = 0; axis < std::min(axes_, 2U); ++axis)
      weight *= (n >> axis & 1) != 0 ? weights_[axis] : kWhole - weights_[axis];
    return weight;
  }

  Sum sum_integers() const {
    Sum result{true, {}};
    for (unsigned c = 0; c < 4; ++c) {
      const TexelComponent* component = selected(texture_, c);
      if (component == nullptr) {
        result.words[c] = texels_[0].words[c];
        continue;
      }
      std::array<std::int64_t, 2> slices{};
      for (unsigned n = 0; n < texels(); ++n)
        slices[n >> 2] +=
            std::int64_t{slice_weight(n)} * integer_of(*component, texels_[n], texture_.swizzle[c]);
      result.words[c] = word_of(slices[0]);
      if (mixes_slices())
        result.words[c] = f32::add(f32::mul(word_of(slices[0]), word_of(kWhole - weights_[2])),
                                   f32::mul(word_of(slices[1]), word_of(weights_[2])));
    }
    return result;
  }

  static std::int64_t integer_of(const TexelComponent& component, const FoundTexel& texel,
                                 TexelSource source) {
    const std::uint32_t raw = texel.raw[static_cast<std::size_t>(source)];
    if (component.type == TexelType::unorm) return raw;
    return std::max<std::int64_t>(sign_extend(raw, component.bits),
                                  -static_cast<std::int64_t>(low_mask<std::uint32_t>(component.bits - 1U)));
  }

  static Word lerp(Word a, Word b, std::uint32_t weight) {
    const auto part = [](std::uint32_t n) { return to_bits(static_cast<float>(n) / 256); };
    return f32::add(f32::mul(a, part(kWhole - weight)), f32::mul(b, part(weight)));
  }

  TexelWords mix_floats() const {
    TexelWords result{};
    for (unsigned c = 0; c < 4; ++c) {
      std::array<Word, 8> words{};
      for (unsigned n = 0; n < texels(); ++n) words[n] = texels_[n].words[c];
      for (unsigned axis = 0, count = texels(); axis < axes_; ++axis, count /= 2)
        for (unsigned n = 0; n < count / 2; ++n)
          words[n] = lerp(words[2 * n], words[2 * n + 1], weights_[axis]);
      result[c] = words[0];
    }
    return result;
  }

  const TextureView& texture_;
  const Sampler& sampler_;
  const SamplePlace& place_;
  std::uint32_t number_;
  const Level& level_;
  bool linear_;
  std::uint32_t share_;
  unsigned axes_;
  std::uint32_t layer_ = 0;  // of cubes: the cube
  std::array<FoundTexel, 8> texels_{};
  std::array<std::uint32_t, 3> weights_{};
};

// Sums to results: times 1 / (most * 2^fraction_bits), for the components that are numbers.
TexelWords scaled(const TextureView& texture, TexelWords words, int fraction_bits) {
  for (unsigned c = 0; c < 4; ++c) {
    const TexelComponent* component = selected(texture, c);
    if (component == nullptr) continue;
    const unsigned bits = component->bits - (component->type == TexelType::snorm ? 1U : 0U);
    const float factor = std::ldexp(1.0f / static_cast<float>(low_mask<std::uint32_t>(bits)), -fraction_bits);
    words[c] = f32::mul(words[c], to_bits(factor));
  }
  return words;
}

TexelWords mix_levels(const TextureView& texture, const LevelSampler& first, const LevelSampler& second,
                      std::uint32_t weight) {
  LevelSampler::Sum a = first.sum(), b = second.sum();
  const int slice_bits = first.mixes_slices() ? 8 : 0;
  const bool integers = a.integer && b.integer;
  if (a.integer && !integers) a.words = scaled(texture, a.words, 16 + slice_bits);
  if (b.integer && !integers) b.words = scaled(texture, b.words, 16 + slice_bits);
  TexelWords mixed{};
  for (unsigned c = 0; c < 4; ++c)
    mixed[c] =
        integers && selected(texture, c) == nullptr
            ? a.words[c]
            : f32::add(f32::mul(a.words[c], word_of(kWhole - weight)), f32::mul(b.words[c], word_of(weight)));
  if (integers) return scaled(texture, mixed, 24 + slice_bits);
  for (Word& word : mixed) word = f32::mul(word, to_bits(1.0f / 256));
  return mixed;
}

TexelWords sample_level(const TextureView& texture, const Sampler& sampler, const SamplePlace& place,
                        std::uint32_t level, bool linear) {
  const LevelSampler one(texture, sampler, place, level, linear);
  const LevelSampler::Sum sum = one.sum();
  return sum.integer ? scaled(texture, sum.words, one.mixes_slices() ? 24 : 16) : sum.words;
}

// round(128 log2(1 + (i + 1/2) / 256))
const std::array<std::int32_t, 256>& logarithms() {
  static const std::array<std::int32_t, 256> table = [] {
    std::array<std::int32_t, 256> numbers{};
    for (unsigned i = 0; i < 256; ++i)
      numbers[i] = static_cast<std::int32_t>(std::nearbyint(128 * std::log2(1 + (i + 0.5) / 256)));
    return numbers;
  }();
  return table;
}

}  // namespace

std::uint32_t widen_gradient(std::uint32_t most, const TextureView& texture,
                             const std::array<std::uint32_t, 3>& from,
                             const std::array<std::uint32_t, 3>& to) {
  const bool cube = texture.dimension == TextureDimension::cube;
  const unsigned count = cube ? 3 : axes_of(texture.dimension);
  Word sum = 0;
  for (unsigned axis = 0; axis < count; ++axis) {
    Word size = word_of(extent(texture.levels[0], cube ? 0 : axis));
    if (cube) size = f32::mul(size, kHalf);
    if (!texture.normalized) size = f32::kOne;
    const Word distance = f32::mul(f32::sub(to[axis], from[axis]), size);
    const Word square = f32::mul(distance, distance);
    sum = axis == 0 ? square : f32::add(sum, square);
  }
  if (f32::is_nan(sum)) sum = f32::kInfinity;
  return std::max(most, sum);  // of numbers that are not negative
}

std::int32_t detail_of(std::uint32_t gradient) {
  const std::uint32_t exponent = gradient >> 23, fraction = gradient & 0x7fffff;
  if (exponent == 0) return kNoDetail;
  if (exponent == 255) return kAllDetail;
  return 128 * (static_cast<std::int32_t>(exponent) - 127) + logarithms()[fraction >> 15];
}

std::int32_t detail_operand(std::uint32_t number) {
  if (f32::is_nan(number)) return 0;
  return static_cast<std::int32_t>(std::nearbyint(std::clamp(to_float(number), -64.0f, 64.0f) * 256));
}

Detail resolve_detail(const TextureView& texture, const Sampler& sampler, std::int32_t detail) {
  Detail result;
  result.unclamped = detail + sampler.lod_bias + texture.lod_bias;
  result.clamped = std::max(result.unclamped, sampler.min_lod);
  result.clamped = std::min(result.clamped, sampler.max_lod);
  result.clamped = std::max(result.clamped, texture.min_lod);
  return result;
}

TexelWords sample(const TextureView& texture, const Sampler& sampler, const SamplePlace& place,
                  std::int32_t detail) {
  const std::int32_t lod = resolve_detail(texture, sampler, detail).clamped;
  const auto level = [&](std::int32_t above) {
    const std::int64_t number = std::int64_t{texture.first_level} + above;
    return static_cast<std::uint32_t>(std::min<std::int64_t>(number, texture.last_level));
  };
  if (lod <= 0) return sample_level(texture, sampler, place, level(0), sampler.magnify == Filter::linear);
  const bool linear = sampler.minify == Filter::linear;
  switch (sampler.mip) {
    case MipFilter::none:
      return sample_level(texture, sampler, place, level(0), linear);
    case MipFilter::nearest:
      return sample_level(texture, sampler, place, level((lod + 127) >> 8), linear);
    case MipFilter::linear:
      break;
  }
  const auto weight = static_cast<std::uint32_t>(lod & 255);
  const LevelSampler first(texture, sampler, place, level(lod >> 8), linear, kWhole - weight);
  const LevelSampler second(texture, sampler, place, level((lod >> 8) + 1), linear, weight);
  return mix_levels(texture, first, second, weight);
}

TexelWords gather(const TextureView& texture, const Sampler& sampler, const SamplePlace& place) {
  return LevelSampler(texture, sampler, place, texture.first_level, true).gathered();
}

TexelWords fetch(const TextureView& texture, const SamplePlace& place, std::int32_t level) {
  const std::int64_t number = std::int64_t{level} + texture.first_level;
  if (level < 0 || number > texture.last_level) return {};
  const auto found = static_cast<std::uint32_t>(number);
  const bool cube = texture.dimension == TextureDimension::cube;
  std::array<std::uint32_t, 3> at{};
  for (unsigned axis = 0; axis < axes_of(texture.dimension); ++axis) {
    const std::int64_t index =
        std::int64_t{static_cast<std::int32_t>(place.coordinates[axis])} + place.offsets[axis];
    if (index < 0 || index >= extent(texture.levels[found], axis)) return {};
    at[axis] = static_cast<std::uint32_t>(index);
  }
  const std::uint32_t layer = texture.array || cube ? std::min(place.layer, texture.layers - 1) : 0;
  if (place.seen != nullptr) [[unlikely]]
    place.seen->see(texture, found, layer, at, 1);
  const textures::Texel texel = textures::decode_texel(
      texture.format, texture.base + texture.texel_offset(found, layer, at[0], at[1], at[2]));
  TexelWords words{};
  for (unsigned n = 0; n < 4; ++n) {
    const TexelSource source = texture.swizzle[n];
    words[n] = source == TexelSource::zero          ? 0
               : source == TexelSource::one         ? f32::kOne
               : source == TexelSource::integer_one ? 1
                                                    : texel[static_cast<std::size_t>(source)];
  }
  return words;
}

TexelWords query_size(const TextureView& texture, std::uint32_t level) {
  const std::uint32_t count = texture.last_level - texture.first_level + 1;
  if (level >= count) return {};
  const Level& found = texture.levels[texture.first_level + level];
  const bool cube = texture.dimension == TextureDimension::cube;
  TexelWords words{found.width, found.height, found.depth, count};
  if (texture.array)
    words[texture.dimension == TextureDimension::d1 ? 1 : 2] = texture.layers / (cube ? 6 : 1);
  return words;
}

}  // namespace warpjit::interpret
