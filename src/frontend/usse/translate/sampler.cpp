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

SampleTranslator::SampleTranslator(ir::Builder& b, const ir::SampleSource& source, std::uint32_t number,
                                   unsigned wanted)
    : Steps(b, source, number),
      where_(b, source, number),
      texels_(b, source, number, wanted_components(source.key, wanted), false),
      wanted_(wanted) {}

SampleTranslator::Place SampleTranslator::find_face(const std::array<F32, 3>& direction) {
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
    // Two infinities divide to no number.
    return number_or_zero(b_.FMul32(b_.FAdd32(part, real(1)), real(0.5F)));
  };
  const I32 face = b_.IAdd32(choose(word(0), word(2), word(4)), b_.select(negative, word(1), word(0)));
  return {{place(s), place(t)}, face};
}

SampleTranslator::Place SampleTranslator::place(std::array<F32, 3> coordinates) {
  for (F32& c : coordinates)
    if (c.valid()) c = number_or_zero(c);
  if (key_.is_cube()) return find_face(coordinates);
  return {{coordinates[0], coordinates[1].valid() ? coordinates[1] : real(0)}, {}};
}

// The square of a change of u and v, in texels.
F32 SampleTranslator::squared(const std::array<F32, 2>& difference) {
  const Level largest = where_.level({});
  F32 sum;
  for (unsigned k = 0; k < 2; ++k) {
    const F32 texels = b_.FMul32(difference[k], b_.I32ToF32(largest.extent[k]));
    const F32 square = b_.FMul32(texels, texels);
    sum = k == 0 ? square : b_.FAdd32(sum, square);
  }
  return sum;
}

// The differences in the quad: from lane 0 to lane 1, and to lane 2.
std::array<F32, 2> SampleTranslator::squared_differences(const SampleRequest& request) {
  constexpr std::uint64_t kAll = 0x55;  // a lane number in all four places
  const bool parted = request.last_coordinates[0].valid();
  const Place own = parted ? place(request.last_coordinates) : place_;
  const I1 all = b_.constant(true);
  const auto lane = [&](I32 x, std::uint64_t n) {
    return parted ? b_.QuadSwizzle32(x, n * kAll) : b_.QuadRead(all, x, x, n * kAll);
  };
  const auto along = [&](std::uint64_t n) {
    I1 apart;
    if (own.face.valid()) apart = b_.INe32(lane(own.face, n), lane(own.face, 0));
    std::array<F32, 2> difference;
    for (unsigned k = 0; k < 2; ++k) {
      const F32 other = as_float(lane(as_word(own.at[k]), n));
      difference[k] = b_.FSub32(other, as_float(lane(as_word(own.at[k]), 0)));
      if (apart.valid()) difference[k] = b_.select(apart, real(0), difference[k]);
    }
    return squared(difference);
  };
  const F32 columns = along(1);
  return {columns, along(2)};
}

// For a cube the changes to the places that a direction plus its gradients leads to, if they are on its face.
std::array<F32, 2> SampleTranslator::squared_gradients(const SampleRequest& request) {
  std::array<F32, 2> squares;
  for (unsigned k = 0; k < 2; ++k) {
    const std::array<F32, 3>& gradient = request.gradients[k];
    if (!key_.is_cube()) {
      squares[k] = squared({gradient[0], gradient[1].valid() ? gradient[1] : real(0)});
      continue;
    }
    std::array<F32, 3> direction;
    for (unsigned axis = 0; axis < 3; ++axis)
      direction[axis] = b_.FAdd32(request.coordinates[axis], gradient[axis]);
    const Place moved = place(direction);
    const I1 apart = b_.INe32(moved.face, place_.face);
    std::array<F32, 2> change;
    for (unsigned axis = 0; axis < 2; ++axis)
      change[axis] = b_.select(apart, real(0), b_.FSub32(moved.at[axis], place_.at[axis]));
    squares[k] = squared(change);
  }
  return squares;
}

// Half of the logarithm of the greater change.
F32 SampleTranslator::changes_as_level(const SampleRequest& request) {
  const std::array<F32, 2> squares = request.level == SampleRequest::Level::of_gradients
                                         ? squared_gradients(request)
                                         : squared_differences(request);
  // As words: a NaN of either sign is the greatest.
  const F32 most = as_float(b_.IMaxU32(as_word(squares[0]), as_word(squares[1])));
  return b_.select(b_.FGt32(most, real(0)), b_.FMul32(b_.Log2F32(most), real(0.5F)), real(-126));
}

// The level of detail in 1/256, not limited to the levels.
I32 SampleTranslator::detail(const SampleRequest& request) {
  using Level = SampleRequest::Level;
  if (request.level == Level::zero) return word(0);
  F32 level = request.detail;
  if (request.level != Level::given) {
    level = request.level == Level::of_nothing ? real(0) : changes_as_level(request);
    const F32 bias = b_.FMul32(b_.I32ToF32(uniform_word(ir::sample_words::kLodBias)), real(1.0F / 256));
    level = b_.FAdd32(level, bias);
    if (request.detail.valid()) level = b_.FAdd32(level, request.detail);
  }
  return b_.F32ToI32Sat(b_.FRoundEven32(b_.FMul32(clamped(level, real(-126), real(126)), real(256))));
}

// Those of several levels that a level of detail means.
SampleTranslator::Levels SampleTranslator::levels(I32 detail) {
  const I32 last = uniform_word(ir::sample_words::kLastLevel), most = b_.IShl32(last, word(8));
  const I32 least = b_.IMinS32(uniform_word(ir::sample_words::kLeastLod), most);
  const I32 q = b_.IMinS32(b_.IMaxS32(detail, b_.IMaxS32(least, word(0))), most);
  if (key_.mip == MipFilter::nearest) return {b_.IShrU32(b_.IAdd32(q, word(128)), word(8)), {}};
  return {b_.IShrU32(q, word(8)), q};
}

// For numbers below 2^23: the quotient by the reciprocal is off by one at most.
I32 SampleTranslator::modulo(I32 index, I32 extent) {
  const F32 reciprocal = b_.FDiv32(real(1), b_.I32ToF32(extent));
  const I32 turns = b_.F32ToI32Sat(b_.FFloor32(b_.FMul32(b_.I32ToF32(index), reciprocal)));
  I32 rest = b_.ISub32(index, b_.IMul32(turns, extent));
  rest = b_.select(b_.ILtS32(rest, word(0)), b_.IAdd32(rest, extent), rest);
  return b_.select(b_.ILeS32(extent, rest), b_.ISub32(rest, extent), rest);
}

I32 SampleTranslator::wrapped(Wrap wrap, I32 index, I32 extent) {
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

I32 SampleTranslator::parts(unsigned axis, I32 extent) {
  constexpr float kFarthestPart = 1 << 30;
  const F32 place = b_.FMul32(place_.at[axis], b_.I32ToF32(extent));
  const F32 parts = b_.FRoundEven32(b_.FMul32(b_.FSub32(place, real(0.5F)), real(256)));
  return b_.F32ToI32Sat(clamped(parts, real(-kFarthestPart), real(kFarthestPart)));
}

SampleTranslator::Taps SampleTranslator::linear_taps(unsigned axis, I32 parts, I32 extent) {
  const I32 number = b_.IShrS32(parts, word(8));
  return {wrapped(key_.wrap[axis], number, extent),
          wrapped(key_.wrap[axis], b_.IAdd32(number, word(1)), extent), fraction(parts)};
}

SampleTranslator::Taps SampleTranslator::taps(unsigned axis, I32 extent) {
  constexpr float kFarthest = 1 << 22;
  I32 nearest;
  if (!key_.linear() || key_.magnify != key_.minify) {
    const F32 place = b_.FMul32(place_.at[axis], b_.I32ToF32(extent));
    const F32 whole = clamped(b_.FFloor32(place), real(-kFarthest), real(kFarthest));
    nearest = wrapped(key_.wrap[axis], b_.F32ToI32Sat(whole), extent);
  }
  if (!key_.linear()) return {nearest, nearest, {}};
  Taps made = linear_taps(axis, parts(axis, extent), extent);
  if (key_.magnify != key_.minify) {
    const I1 is_nearest = key_.magnify == Filter::nearest ? magnified_ : b_.Not1(magnified_);
    made.first = b_.select(is_nearest, nearest, made.first);
  }
  return made;
}

F32 SampleTranslator::component(ir::samples::Texels::Texel& texel, unsigned component) {
  const TexelComponent& c = key_.format.components[component];
  const bool normalized = c.type == TexelType::unorm || c.type == TexelType::snorm;
  const bool encoded = key_.is_srgb() && component != 3;
  if (!normalized || encoded || c.bits > 8) return as_float(texels_.decoded(texel, component));
  const F32 number = b_.I32ToF32(texels_.bits(texel, component));
  return b_.FDiv32(number, real(static_cast<float>(texels_.greatest(component))));
}

std::array<ir::samples::Texels::Texel, 4> SampleTranslator::texels(const Level& level, const Taps& x,
                                                                   const Taps& y, unsigned corners) {
  I32 base = level.offset;
  if (place_.face.valid())
    base = b_.IAdd32(base, b_.IMul32(place_.face, uniform_word(ir::sample_words::kLayerBytes)));
  std::array<ir::samples::Texels::Texel, 4> texels;
  for (unsigned corner = 0; corner < corners; ++corner) {
    ir::samples::Texels::Part row = texels_.part(1, level, (corner & 2) != 0 ? y.second : y.first);
    row.sum = b_.IAdd32(base, row.sum);
    const auto column = texels_.part(0, level, (corner & 1) != 0 ? x.second : x.first);
    texels[corner].offset = texels_.offset(column, row);
  }
  return texels;
}

F32 SampleTranslator::selected(ir::samples::Texels::Texel& texel, unsigned k) {
  const TexelSource source = key_.swizzle[k];
  if (source > TexelSource::alpha) return real(source == TexelSource::one ? 1.0F : 0.0F);
  return component(texel, static_cast<unsigned>(source));
}

// Component by component, so that few values are live at once.
std::array<F32, 4> SampleTranslator::of_level(const Level& level) {
  const Taps x = taps(0, level.extent[0]), y = taps(1, level.extent[1]);
  const unsigned corners = key_.linear() ? 4 : 1;
  std::array<ir::samples::Texels::Texel, 4> found = texels(level, x, y, corners);
  std::array<F32, 4> results;
  for (unsigned k = 0; k < wanted_; ++k) {
    std::array<F32, 4> of;
    for (unsigned corner = 0; corner < corners; ++corner) of[corner] = selected(found[corner], k);
    results[k] = of[0];
    if (!key_.linear() || key_.swizzle[k] > TexelSource::alpha) continue;
    const F32 upper = mix(of[0], of[1], x.weight), lower = mix(of[2], of[3], x.weight);
    results[k] = mix(upper, lower, y.weight);
    if (key_.magnify != key_.minify) {
      const I1 is_nearest = key_.magnify == Filter::nearest ? magnified_ : b_.Not1(magnified_);
      results[k] = b_.select(is_nearest, of[0], results[k]);
    }
  }
  return results;
}

std::array<F32, 4> SampleTranslator::sample(const SampleRequest& request) {
  place_ = place(request.coordinates);
  I32 q;
  if (has_levels() || key_.magnify != key_.minify) {
    q = detail(request);
    magnified_ = b_.ILeS32(q, word(0));
  }
  if (!has_levels()) return of_level(where_.level({}));
  const Levels found = levels(q);
  std::array<F32, 4> results = of_level(where_.level(found.first));
  if (!found.weight.valid()) return results;
  const I32 last = uniform_word(ir::sample_words::kLastLevel);
  const std::array<F32, 4> next = of_level(where_.level(b_.IMinS32(b_.IAdd32(found.first, word(1)), last)));
  for (unsigned k = 0; k < wanted_; ++k) results[k] = mix(results[k], next[k], fraction(found.weight));
  return results;
}

SampleTranslator::Gathered SampleTranslator::gather(const SampleRequest& request) {
  place_ = place(request.coordinates);
  const Level level =
      where_.level(has_levels() ? std::optional(levels(detail(request)).first) : std::nullopt);
  std::array<Taps, 2> axes;
  for (unsigned k = 0; k < 2; ++k) axes[k] = linear_taps(k, parts(k, level.extent[k]), level.extent[k]);
  std::array<ir::samples::Texels::Texel, 4> found = texels(level, axes[0], axes[1], 4);
  Gathered gathered;
  constexpr std::array<unsigned, 4> kOrder{2, 3, 1, 0};
  for (unsigned n = 0; n < 4; ++n)
    for (unsigned k = 0; k < wanted_; ++k) gathered.texels[n][k] = selected(found[kOrder[n]], k);
  const F32 u = axes[0].weight, v = axes[1].weight;
  const F32 before_u = b_.FSub32(real(1), u), before_v = b_.FSub32(real(1), v);
  gathered.weights = {b_.FMul32(before_u, before_v), b_.FMul32(u, before_v), b_.FMul32(u, v),
                      b_.FMul32(before_u, v)};
  return gathered;
}

I32 SampleTranslator::query(const SampleRequest& request) {
  place_ = place(request.coordinates);
  Levels found;
  if (has_levels()) found = levels(detail(request));
  const Level level = where_.level(found.first.valid() ? std::optional(found.first) : std::nullopt);
  I32 bytes;
  for (unsigned k = 0; k < 2; ++k) {
    const I32 weight = b_.IAnd32(parts(k, level.extent[k]), word(255));
    bytes = k == 0 ? weight : b_.IOr32(bytes, b_.IShl32(weight, word(8)));
  }
  if (found.weight.valid()) bytes = b_.IOr32(bytes, b_.IShl32(b_.IAnd32(found.weight, word(255)), word(16)));
  return found.first.valid() ? b_.IOr32(bytes, b_.IShl32(found.first, word(24))) : bytes;
}

}  // namespace warpjit::usse
