#include "frontend/usse/translate/sampler.h"

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

unsigned wanted_components(const ir::SampleKey& key, unsigned results) {
  unsigned components = 0;
  for (unsigned k = 0; k < results; ++k)
    if (key.swizzle[k] <= TexelSource::alpha) components |= 1U << static_cast<unsigned>(key.swizzle[k]);
  return components;
}

}  // namespace

TextureSampler::TextureSampler(ir::Builder& b, const ir::SampleSource& source, std::uint32_t number,
                               unsigned wanted)
    : Steps(b, source, number),
      where_(b, source, number),
      texels_(b, source, number, wanted_components(source.key, wanted), false),
      wanted_(wanted) {}

void TextureSampler::find_face(const std::array<F32, 3>& direction) {
  const auto [x, y, z] = direction;
  const F32 ax = b_.FAbs32(x), ay = b_.FAbs32(y), az = b_.FAbs32(z);
  const I1 is_x = b_.And1(b_.FGe32(ax, ay), b_.FGe32(ax, az));
  const I1 is_y = b_.AndNot1(b_.FGe32(ay, az), is_x);
  const auto choose = [&](auto of_x, auto of_y, auto of_z) {
    return b_.select(is_x, of_x, b_.select(is_y, of_y, of_z));
  };
  const I1 negative = b_.FLt32(choose(x, y, z), real(0));
  const F32 minus_x = b_.FNeg32(x), minus_y = b_.FNeg32(y), minus_z = b_.FNeg32(z);
  const F32 s = choose(b_.select(negative, z, minus_z), x, b_.select(negative, minus_x, x));
  const F32 t = choose(minus_y, b_.select(negative, minus_z, z), minus_y);
  const F32 size = choose(ax, ay, az);
  const I1 nothing = b_.FEq32(size, real(0));
  const auto place = [&](F32 c) {
    const F32 part = b_.select(nothing, real(0), b_.FDiv32(c, size));
    return b_.FMul32(b_.FAdd32(part, real(1)), real(0.5F));
  };
  at_[0] = place(s);
  at_[1] = place(t);
  face_ = b_.IAdd32(choose(word(0), word(2), word(4)), b_.select(negative, word(1), word(0)));
}

// Of the quad: from lane 0 to lane 1, and to lane 2.
F32 TextureSampler::squared_gradient() {
  constexpr std::uint64_t kAll = 0x55;  // a lane number in all four places
  const I1 all = b_.constant(true);
  const auto lane = [&](I32 x, std::uint64_t n) { return b_.QuadRead(all, x, x, n * kAll); };
  const Level largest = where_.level({});
  const auto along = [&](std::uint64_t n) {
    I1 apart;
    if (face_.valid()) apart = b_.INe32(lane(face_, n), lane(face_, 0));
    F32 sum;
    for (unsigned k = 0; k < 2; ++k) {
      const F32 other = as_float(lane(as_word(at_[k]), n));
      F32 difference = b_.FSub32(other, as_float(lane(as_word(at_[k]), 0)));
      if (apart.valid()) difference = b_.select(apart, real(0), difference);
      difference = b_.FMul32(difference, b_.I32ToF32(largest.extent[k]));
      const F32 square = b_.FMul32(difference, difference);
      sum = k == 0 ? square : b_.FAdd32(sum, square);
    }
    return sum;
  };
  const F32 columns = along(1);
  return b_.FMaxSelect32(columns, along(2));
}

// The level of detail in 1/256, not limited to the levels.
I32 TextureSampler::detail(const SampleRequest& request) {
  using Level = SampleRequest::Level;
  if (request.level == Level::zero) return word(0);
  F32 level = request.detail;
  if (request.level != Level::given) {
    const F32 squared = squared_gradient();
    // A NaN is not above 0 either.
    level = b_.FMul32(b_.Log2F32(squared), real(0.5F));
    level = b_.select(b_.FGt32(squared, real(0)), level, real(-126));
    const F32 bias = b_.FMul32(b_.I32ToF32(uniform_word(ir::sample_words::kLodBias)), real(1.0F / 256));
    level = b_.FAdd32(level, bias);
    if (request.level == Level::biased) level = b_.FAdd32(level, request.detail);
  }
  return b_.F32ToI32Sat(b_.FRoundEven32(b_.FMul32(clamped(level, real(-126), real(126)), real(256))));
}

// For numbers below 2^23: the quotient by the reciprocal is off by one at most.
I32 TextureSampler::modulo(I32 index, I32 extent) {
  const F32 reciprocal = b_.FDiv32(real(1), b_.I32ToF32(extent));
  const I32 turns = b_.F32ToI32Sat(b_.FFloor32(b_.FMul32(b_.I32ToF32(index), reciprocal)));
  I32 rest = b_.ISub32(index, b_.IMul32(turns, extent));
  rest = b_.select(b_.ILtS32(rest, word(0)), b_.IAdd32(rest, extent), rest);
  return b_.select(b_.ILeS32(extent, rest), b_.ISub32(rest, extent), rest);
}

I32 TextureSampler::wrapped(Wrap wrap, I32 index, I32 extent) {
  const I32 last = b_.ISub32(extent, word(1));
  switch (key_.is_cube() ? Wrap::clamp_to_edge : wrap) {
    case Wrap::repeat:
      return modulo(index, extent);
    case Wrap::mirror: {
      const I32 twice = b_.IShl32(extent, word(1));
      const I32 place = modulo(index, twice);
      return b_.IMinS32(place, b_.ISub32(b_.ISub32(twice, word(1)), place));
    }
    case Wrap::mirror_once:
    case Wrap::mirror_once_to_edge:
    case Wrap::mirror_once_to_border:
      index = b_.IMaxS32(index, b_.ISub32(word(~0U), index));
      return b_.IMinS32(index, last);
    default:
      return clamped(index, word(0), last);
  }
}

TextureSampler::Taps TextureSampler::taps(unsigned axis, I32 extent) {
  constexpr float kFarthest = 1 << 22, kFarthestPart = 1 << 30;
  const F32 place = b_.FMul32(at_[axis], b_.I32ToF32(extent));
  const Wrap wrap = key_.wrap[axis];
  Taps made;
  I32 nearest;
  if (!key_.linear() || key_.magnify != key_.minify) {
    const F32 whole = clamped(b_.FFloor32(place), real(-kFarthest), real(kFarthest));
    nearest = wrapped(wrap, b_.F32ToI32Sat(whole), extent);
  }
  made.first = made.second = nearest;
  if (!key_.linear()) return made;
  const F32 parts = b_.FRoundEven32(b_.FMul32(b_.FSub32(place, real(0.5F)), real(256)));
  const I32 at = b_.F32ToI32Sat(clamped(parts, real(-kFarthestPart), real(kFarthestPart)));
  const I32 number = b_.IShrS32(at, word(8));
  made.first = wrapped(wrap, number, extent);
  made.second = wrapped(wrap, b_.IAdd32(number, word(1)), extent);
  made.weight = fraction(at);
  if (key_.magnify != key_.minify) {
    const I1 is_nearest = key_.magnify == Filter::nearest ? magnified_ : b_.Not1(magnified_);
    made.first = b_.select(is_nearest, nearest, made.first);
  }
  return made;
}

F32 TextureSampler::component(ir::samples::Texels::Texel& texel, unsigned component) {
  const TexelComponent& c = key_.format.components[component];
  const bool normalized = c.type == TexelType::unorm || c.type == TexelType::snorm;
  if (!normalized || c.bits > 8) return as_float(texels_.decoded(texel, component));
  const F32 number = b_.I32ToF32(texels_.bits(texel, component));
  return b_.FDiv32(number, real(static_cast<float>(texels_.greatest(component))));
}

std::array<F32, 4> TextureSampler::of_level(const Level& level) {
  const Taps x = taps(0, level.extent[0]), y = taps(1, level.extent[1]);
  I32 base = level.offset;
  if (face_.valid()) base = b_.IAdd32(base, b_.IMul32(face_, uniform_word(ir::sample_words::kLayerBytes)));
  const unsigned corners = key_.linear() ? 4 : 1;
  std::array<ir::samples::Texels::Texel, 4> texels;
  for (unsigned corner = 0; corner < corners; ++corner) {
    ir::samples::Texels::Part row = texels_.part(1, level, (corner & 2) != 0 ? y.second : y.first);
    row.sum = b_.IAdd32(base, row.sum);
    const auto column = texels_.part(0, level, (corner & 1) != 0 ? x.second : x.first);
    texels[corner].offset = texels_.offset(column, row);
  }
  std::array<F32, 4> results;
  for (unsigned k = 0; k < wanted_; ++k) {
    const TexelSource source = key_.swizzle[k];
    if (source > TexelSource::alpha) {
      results[k] = real(source == TexelSource::one ? 1.0F : 0.0F);
      continue;
    }
    std::array<F32, 4> of;
    for (unsigned corner = 0; corner < corners; ++corner)
      of[corner] = component(texels[corner], static_cast<unsigned>(source));
    results[k] = of[0];
    if (!key_.linear()) continue;
    const F32 upper = mix(of[0], of[1], x.weight), lower = mix(of[2], of[3], x.weight);
    results[k] = mix(upper, lower, y.weight);
    if (key_.magnify != key_.minify) {
      const I1 is_nearest = key_.magnify == Filter::nearest ? magnified_ : b_.Not1(magnified_);
      results[k] = b_.select(is_nearest, of[0], results[k]);
    }
  }
  return results;
}

std::array<F32, 4> TextureSampler::sample(const SampleRequest& request) {
  std::array<F32, 3> coordinates = request.coordinates;
  for (F32& c : coordinates)
    if (c.valid()) c = number_or_zero(c);
  at_ = {coordinates[0], coordinates[1].valid() ? coordinates[1] : real(0)};
  if (key_.is_cube()) find_face(coordinates);
  I32 q;
  if (has_levels() || key_.magnify != key_.minify) {
    q = detail(request);
    magnified_ = b_.ILeS32(q, word(0));
  }
  if (!has_levels()) return of_level(where_.level({}));
  const I32 last = uniform_word(ir::sample_words::kLastLevel), most = b_.IShl32(last, word(8));
  const I32 least = b_.IMinS32(uniform_word(ir::sample_words::kLeastLod), most);
  q = b_.IMinS32(b_.IMaxS32(q, b_.IMaxS32(least, word(0))), most);
  if (key_.mip == MipFilter::nearest)
    return of_level(where_.level(b_.IShrU32(b_.IAdd32(q, word(128)), word(8))));
  const I32 first = b_.IShrU32(q, word(8));
  const std::array<F32, 4> a = of_level(where_.level(first));
  const std::array<F32, 4> b = of_level(where_.level(b_.IMinS32(b_.IAdd32(first, word(1)), last)));
  std::array<F32, 4> results;
  for (unsigned k = 0; k < wanted_; ++k) results[k] = mix(a[k], b[k], fraction(q));
  return results;
}

}  // namespace warpjit::usse
