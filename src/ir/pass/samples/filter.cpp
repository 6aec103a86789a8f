#include "ir/pass/samples/filter.h"

#include <algorithm>

#include "ir/look_up.h"

namespace warpjit::ir::samples {

Filter::Filter(Builder& b, const SampleSource& source, std::uint32_t number, const Request& request,
               Inst before)
    : Steps(b, source, number),
      request_(request),
      before_(before),
      where_(b, source, number),
      texels_(b, source, number, wanted_components(), request.use.operation == SampleOperation::fetch),
      path_(filter_path(source.key)),
      has_border_(has_border(source.key)),
      direct_(!source.key.linear() && !source.key.mixes_levels()),
      numbers_alone_(!may_be_nan(source.key)),
      at_(request.coordinates) {}

unsigned Filter::wanted_components() const {
  if (key_.compare || request_.use.operation == SampleOperation::gather) {
    const unsigned result = request_.use.component;
    return 1U << (key_.compare || is_constant(result) ? 0 : component_of(result));
  }
  unsigned components = 0;
  for (unsigned k = 0; k < 4; ++k)
    if (wants(k) && !is_constant(k)) components |= 1U << component_of(k);
  return components;
}

I32 Filter::constant_source(TexelSource source) {
  return source == TexelSource::one           ? as_word(real(1))
         : source == TexelSource::integer_one ? word(1)
                                              : word(0);
}

std::optional<I32> Filter::fixed_value(unsigned result) {
  if (is_constant(result)) return constant_source(key_.swizzle[result]);
  if (!key_.compare && !texels_.is_there(component_of(result))) return texels_.missing(component_of(result));
  return {};
}
bool Filter::is_settled(unsigned result) { return fixed_value(result) && (!has_border_ || key_.compare); }

// ---- footprints

I32 Filter::bounded_layer() { return b_.IMinU32(request_.layer, uniform_word(sample_words::kLastLayer)); }

// Layers of cubes as fetches count them: faces.
I32 Filter::bounded_face() {
  if (!key_.is_cube()) return bounded_layer();
  const I32 cubes = b_.IAdd32(uniform_word(sample_words::kLastLayer), word(1));
  return b_.IMinU32(request_.layer, b_.ISub32(b_.IMul32(cubes, word(6)), word(1)));
}

// The face of a cube, and the layer.
void Filter::place(bool linear) {
  std::optional<I32> layer;
  if (key_.array) layer = bounded_layer();
  if (key_.is_cube()) {
    const Coordinates::Face face =
        key_.gives_face ? where_.given_face(request_) : where_.face(request_.coordinates);
    at_[0] = face.s;
    at_[1] = face.t;
    face_ = face.number;
    if (layer) layer = b_.IMul32(*layer, word(6));
    if (!key_.crosses_edges() || !linear) layer = layer ? b_.IAdd32(*layer, face_) : face_;
  }
  for (unsigned k = 0; k < key_.axes(); ++k) at_[k] = where_.wrapped(k, at_[k]);
  if (layer) layer_offset_ = b_.IMul32(*layer, uniform_word(sample_words::kLayerBytes));
}

Filter::Footprint Filter::footprint(const Level& level, bool linear, std::optional<I1> nearest) {
  Footprint made;
  made.axes = key_.axes();
  made.corners = linear ? 1U << made.axes : 1;
  std::array<std::array<Texels::Part, 2>, 3> parts;
  for (unsigned k = made.axes; k-- > 0;) {  // rows first: their products take longest
    Axis& axis = made.axis[k];
    const int offset = key_.is_cube() ? 0 : request_.use.offsets[k];
    axis = where_.axis(k, at_[k], level.extent[k], linear, nearest, offset);
    if (key_.crosses_edges() && linear) continue;
    parts[k][0] = texels_.part(k, level, axis.first);
    if (linear) parts[k][1] = texels_.part(k, level, axis.second);
    for (const std::optional<I1>& out : {axis.first_out, axis.second_out})
      if (out) made.any_out = made.any_out ? either(*made.any_out, *out) : *out;
  }
  if (key_.crosses_edges() && linear) {
    cross_edges(made, level);
    return made;
  }
  const I32 base = layer_offset_ ? b_.IAdd32(level.offset, *layer_offset_) : level.offset;
  for (unsigned corner = 0; corner < made.corners; ++corner) {
    const auto part = [&](unsigned k) { return parts[k][corner >> k & 1]; };
    I32 from = base;
    if (made.axes == 3) from = b_.IAdd32(from, part(2).sum);
    if (made.axes == 1) {
      made.texels[corner].offset = b_.IAdd32(from, texels_.offset(part(0)));
    } else {
      Texels::Part y = part(1);
      y.sum = b_.IAdd32(from, y.sum);
      made.texels[corner].offset = texels_.offset(part(0), y);
    }
    for (unsigned k = 0; k < made.axes; ++k) {
      const std::optional<I1>& out =
          (corner >> k & 1) != 0 ? made.axis[k].second_out : made.axis[k].first_out;
      if (out) made.out[corner] = made.out[corner] ? either(*made.out[corner], *out) : *out;
    }
  }
  return made;
}

// Texels beyond an edge are those of the neighbouring face that touch it.
void Filter::cross_edges(Footprint& f, const Level& level) {
  const I32 extent = level.extent[0], last = b_.ISub32(extent, word(1));
  std::array<std::array<I1, 2>, 2> outside;  // by axis, of its texels
  for (unsigned k = 0; k < 2; ++k) {
    outside[k][0] = b_.ILtS32(f.axis[k].first, word(0));
    outside[k][1] = b_.ILeS32(extent, f.axis[k].second);
  }
  const I32 base = layer_offset_ ? b_.IAdd32(level.offset, *layer_offset_) : level.offset;
  for (unsigned corner = 0; corner < 4; ++corner) {
    const unsigned column = corner & 1, row = corner >> 1;
    I32 x = column != 0 ? f.axis[0].second : f.axis[0].first;
    I32 y = row != 0 ? f.axis[1].second : f.axis[1].first;
    const I1 beside = outside[0][column], above = outside[1][row];
    const I32 edge = b_.select(beside, word(column), word(2 + row));
    const I32 across = b_.LookUp32(b_.IAdd32(b_.IShl32(face_, word(2)), edge), kCubeEdgeTable);
    const I32 along = b_.select(beside, y, x);
    const auto place = [&](std::uint32_t bit) {
      const auto has = [&](std::uint32_t n) { return b_.INe32(b_.IAnd32(across, word(n << bit)), word(0)); };
      const I32 from = b_.select(has(2), along, word(0));
      return b_.select(has(1), b_.ISub32(last, from), from);
    };
    const I1 crosses = either(beside, above);
    x = b_.select(crosses, place(4), x);
    y = b_.select(crosses, place(8), y);
    const I32 face = b_.select(crosses, b_.IAnd32(across, word(7)), face_);
    Texels::Part y_part = texels_.part(1, level, y);
    const I32 of_face = b_.IMul32(face, uniform_word(sample_words::kLayerBytes));
    y_part.sum = b_.IAdd32(b_.IAdd32(base, of_face), y_part.sum);
    f.texels[corner].offset = texels_.offset(texels_.part(0, level, x), y_part);
    f.missing[corner] = b_.And1(beside, above);
    f.any_out = f.any_out ? either(*f.any_out, *f.missing[corner]) : *f.missing[corner];
  }
}

// ---- texels

// reference OP texel.
I1 Filter::passes(Footprint& footprint, unsigned corner) {
  I32 red = texels_.decoded(footprint.texels[corner], 0);
  if (footprint.out[corner]) red = b_.select(*footprint.out[corner], border(0), red);
  F32 reference = request_.reference;
  if (key_.format.components[0].type == TexelType::unorm)
    reference = clamped(flushed(reference), real(0), real(1));
  // As integers in the order of numbers: denormals count.
  const auto ordered = [&](I32 x) {
    return b_.select(b_.ILtS32(x, word(0)), b_.ISub32(word(0x80000000), x), x);
  };
  const I32 a = ordered(as_word(reference)), b = ordered(red);
  const I1 number = b_.Not1(b_.FUnordered32(reference, as_float(red)));
  switch (key_.compare_op) {
    case Compare::never:
      return b_.constant(false);
    case Compare::less:
      return b_.And1(b_.ILtS32(a, b), number);
    case Compare::equal:
      return b_.And1(b_.IEq32(a, b), number);
    case Compare::less_equal:
      return b_.And1(b_.ILeS32(a, b), number);
    case Compare::greater:
      return b_.And1(b_.ILtS32(b, a), number);
    case Compare::not_equal:
      return b_.Not1(b_.And1(b_.IEq32(a, b), number));
    case Compare::greater_equal:
      return b_.And1(b_.ILeS32(b, a), number);
    case Compare::always:
      break;
  }
  return b_.constant(true);
}

// One texel as a result has it.
I32 Filter::texel_result(Footprint& footprint, unsigned corner, unsigned result) {
  if (is_constant(result) && key_.compare) return constant_source(key_.swizzle[result]);
  if (key_.compare) return b_.select(passes(footprint, corner), as_word(real(1)), word(0));
  const I32 inside = is_constant(result) ? constant_source(key_.swizzle[result])
                                         : texels_.decoded(footprint.texels[corner], component_of(result));
  return footprint.out[corner] ? b_.select(*footprint.out[corner], border(result), inside) : inside;
}

// ---- sums in integers

I32 Filter::mix(I32 a, I32 b, I32 weight) {
  return b_.IAdd32(b_.IShl32(a, word(8)), b_.IMul32(b_.ISub32(b, a), weight));
}

F32 Filter::mix_slices(const std::array<F32, 2>& slices, I32 weight) {
  const F32 first = mul(slices[0], b_.I32ToF32(b_.ISub32(word(256), weight)));
  return add(first, mul(slices[1], b_.I32ToF32(weight)));
}

I32 Filter::integer(Footprint& footprint, unsigned corner, unsigned component) {
  if (key_.compare) return b_.select(passes(footprint, corner), word(1), word(0));
  return texels_.bits(footprint.texels[corner], component);
}

F32 Filter::sum(Footprint& f, unsigned component) {
  std::array<I32, kCorners> values;
  for (unsigned corner = 0; corner < f.corners; ++corner) values[corner] = integer(f, corner, component);
  std::array<F32, 2> slices;
  const unsigned per_slice = std::min(f.corners, 4U);
  for (unsigned z = 0; z * per_slice < f.corners; ++z) {
    I32* const slice = values.data() + z * per_slice;
    for (unsigned k = 0; 1U << k < per_slice; ++k)
      for (unsigned n = 0; n < per_slice >> (k + 1); ++n)
        slice[n] = mix(slice[2 * n], slice[2 * n + 1], f.axis[k].weight);
    slices[z] = b_.I32ToF32(slice[0]);
  }
  return f.corners == kCorners ? mix_slices(slices, f.axis[2].weight) : slices[0];
}

// Two components to a word: along the first axis they are mixed together, because each sum stays below 2^16.
void Filter::sum_packed(Footprint& f, std::array<F32, 4>& sums) {
  const unsigned wanted = wanted_components();
  for (unsigned pair = 0; pair < 2; ++pair) {
    unsigned here = 0;  // components of this pair
    for (unsigned c = 0; c < 4; ++c)
      if ((wanted >> c & 1) != 0 && key_.format.components[c].first_bit / 8 % 2 == pair) here |= 1U << c;
    if (here == 0) continue;
    std::array<I32, kCorners / 2> rows;
    const unsigned row_count = std::max(f.corners / 2, 1U);
    for (unsigned row = 0; row < row_count; ++row) {
      const auto two = [&](unsigned corner) {
        const I32 all = texels_.packed_word(f.texels[corner]);
        return b_.IAnd32(pair == 0 ? all : b_.IShrU32(all, word(8)), word(0x00ff00ff));
      };
      rows[row] = f.corners == 1 ? two(0) : mix(two(2 * row), two(2 * row + 1), f.axis[0].weight);
    }
    for (unsigned c = 0; c < 4; ++c) {
      if ((here >> c & 1) == 0) continue;
      const bool high = key_.format.components[c].first_bit >= 16;
      const auto one = [&](I32 two) {
        return high ? b_.IShrU32(two, word(16)) : b_.IAnd32(two, word(0xffff));
      };
      std::array<F32, 2> slices;
      const unsigned per_slice = std::min(row_count, 2U);
      for (unsigned z = 0; z * per_slice < row_count; ++z) {
        const I32 first = one(rows[z * per_slice]);
        const I32 total = per_slice == 1 ? first : mix(first, one(rows[z * per_slice + 1]), f.axis[1].weight);
        slices[z] = b_.I32ToF32(total);
      }
      sums[c] = f.corners == kCorners ? mix_slices(slices, f.axis[2].weight) : slices[0];
    }
  }
}

// What makes a number of a sum: each axis has multiplied by 256.
float Filter::scale(unsigned component) const {
  float scale = key_.compare ? 1.0F : 1.0F / static_cast<float>(texels_.greatest(component));
  if (key_.linear())
    for (unsigned k = 0; k < key_.axes(); ++k) scale /= 256;
  return scale;
}

// ---- in floats

F32 Filter::mix(F32 a, F32 b, I32 weight) {
  const F32 of_b = mul(b_.I32ToF32(weight), real(1.0F / 256));
  return add(mul(a, sub(real(1), of_b)), mul(b, of_b));
}

F32 Filter::mixed(Footprint& f, unsigned result) {
  std::array<F32, kCorners> values;
  for (unsigned corner = 0; corner < f.corners; ++corner)
    values[corner] = as_float(texel_result(f, corner, result));
  if (f.missing[0]) {
    const std::array<F32, kCorners> there = values;
    for (unsigned corner = 0; corner < 4; ++corner) {
      std::optional<F32> sum;
      for (unsigned other = 0; other < 4; ++other)
        if (other != corner) sum = sum ? add(*sum, there[other]) : there[other];
      values[corner] = b_.select(*f.missing[corner], mul(*sum, real(1.0F / 3)), values[corner]);
    }
  }
  const F32 first = values[0];
  for (unsigned k = 0; 1U << k < f.corners; ++k)
    for (unsigned n = 0; n < f.corners >> (k + 1); ++n)
      values[n] = mix(values[2 * n], values[2 * n + 1], f.axis[k].weight);
  if (f.corners == 1) return first;
  const F32 made = numbers_alone_ ? values[0] : as_float(as_result(values[0]));
  return nearest_ ? b_.select(*nearest_, first, made) : made;
}

// ---- results

Filter::LevelResult Filter::level_result(const Level& level) {
  LevelResult made;
  Footprint f = footprint(level, key_.linear(), nearest_);
  // Comparisons at the border are numbers like others, but a mean of them is not.
  made.any_out = key_.compare && !f.missing[0] ? std::nullopt : f.any_out;
  if (path_.integers) {
    if (texels_.is_packed() && !key_.compare) {
      sum_packed(f, made.sums);
    } else {
      for (unsigned c = 0; c < 4; ++c)
        if ((wanted_components() >> c & 1) != 0 && (key_.compare || texels_.is_there(c)))
          made.sums[c] = sum(f, c);
    }
  }
  if (path_.integers && !made.any_out) return made;
  for (unsigned k = 0; k < 4; ++k)
    if (wants(k) && !is_settled(k)) made.mixed[k] = mixed(f, k);
  return made;
}

Filter::Results Filter::nearest_texels(const Level& level) {
  Footprint f = footprint(level, false, {});
  Results results;
  for (unsigned k = 0; k < 4; ++k) results[k] = wants(k) ? texel_result(f, 0, k) : word(0);
  return results;
}

Filter::Results Filter::sample(bool from_quad) {
  place(key_.linear());
  std::optional<I32> detail;
  std::optional<I1> magnified;
  if (key_.needs_lod()) {
    detail = where_.limited(where_.detail(request_, from_quad));
    magnified = b_.ILeS32(*detail, word(0));
  }
  if (key_.magnify != key_.minify)
    nearest_ = key_.magnify == warpjit::Filter::nearest ? *magnified : b_.Not1(*magnified);
  std::optional<I32> first;  // level
  const auto last_level = [&] { return uniform_word(sample_words::kLastLevel); };
  if (key_.mip != MipFilter::none && !key_.one_level) {
    const I32 positive = b_.IMaxS32(*detail, word(0));
    const I32 rounded = key_.mip == MipFilter::nearest ? b_.IAdd32(positive, word(127)) : positive;
    first = b_.IMinU32(b_.IShrU32(rounded, word(8)), last_level());
  }
  if (direct_) return nearest_texels(where_.level(first));

  if (!key_.mixes_levels()) return of_level(level_result(where_.level(first)));
  const I32 weight = b_.IAnd32(b_.IMaxS32(*detail, word(0)), word(255));
  return of_levels(both_levels(first, weight), *magnified);
}

// What is the same in all texels but those of the border is settled or fixed.
F32 Filter::in_floats(const LevelResult& level, unsigned k) {
  if (!path_.integers) return level.mixed[k];
  const std::optional<I32> fixed = fixed_value(k);
  const unsigned component = key_.compare ? 0 : component_of(k);
  const F32 inside = fixed ? as_float(*fixed) : mul(level.sums[component], real(scale(component)));
  return level.any_out ? b_.select(*level.any_out, level.mixed[k], inside) : inside;
}

Filter::Results Filter::of_level(const LevelResult& level) {
  Results results;
  for (unsigned k = 0; k < 4; ++k)
    results[k] = !wants(k) ? word(0) : is_settled(k) ? *fixed_value(k) : as_word(in_floats(level, k));
  return results;
}

// All zero where there is no such texel.
Filter::Results Filter::fetch() {
  const bool buffer = key_.dimension == TextureDimension::buffer;
  const I32 number = as_word(request_.detail);
  I1 inside = b_.constant(true);
  if (!buffer) inside = b_.ILeU32(number, uniform_word(sample_words::kLastLevel));
  std::optional<I32> chosen;
  if (!key_.one_level && !buffer) chosen = number;
  const Level level = where_.level(chosen);
  if (key_.array || key_.is_cube())
    layer_offset_ = b_.IMul32(bounded_face(), uniform_word(sample_words::kLayerBytes));
  I32 at = layer_offset_ ? b_.IAdd32(level.offset, *layer_offset_) : level.offset;
  std::array<Texels::Part, 3> parts;
  for (unsigned k = 0; k < key_.axes(); ++k) {
    I32 index = as_word(request_.coordinates[k]);
    if (request_.use.offsets[k] != 0)
      index = b_.IAdd32(index, word(static_cast<std::uint32_t>(static_cast<int>(request_.use.offsets[k]))));
    inside = b_.And1(inside, b_.ILtU32(index, level.extent[k]));
    parts[k] = texels_.part(k, level, index);
  }
  if (key_.axes() == 3) at = b_.IAdd32(at, parts[2].sum);
  Footprint f;
  if (key_.axes() == 1) {
    f.texels[0].offset = b_.IAdd32(at, texels_.offset(parts[0]));
  } else {
    parts[1].sum = b_.IAdd32(at, parts[1].sum);
    f.texels[0].offset = texels_.offset(parts[0], parts[1]);
  }
  Results results;
  for (unsigned k = 0; k < 4; ++k) {
    results[k] = word(0);
    if (!wants(k)) continue;
    const I32 value =
        is_constant(k) ? constant_source(key_.swizzle[k]) : texels_.decoded(f.texels[0], component_of(k));
    results[k] = b_.select(inside, value, word(0));
  }
  return results;
}

// Counterclockwise from the texel of the first column and the second row.
Filter::Results Filter::gather() {
  constexpr unsigned kOrder[] = {2, 3, 1, 0};
  place(true);
  Footprint f = footprint(where_.level({}), true, {});
  Results results;
  for (unsigned k = 0; k < 4; ++k) {
    results[k] = word(0);
    if (!wants(k)) continue;
    const unsigned corner = kOrder[k] % f.corners;
    results[k] = texel_result(f, corner, request_.use.component);
    if (f.missing[0]) results[k] = b_.select(*f.missing[corner], mean_beside(f, corner), results[k]);
  }
  return results;
}

// The mean of the three texels that meet at a corner of the cube; if they are integers, the first.
I32 Filter::mean_beside(Footprint& f, unsigned corner) {
  const unsigned result = request_.use.component;
  if (const std::optional<I32> fixed = fixed_value(result)) return *fixed;
  std::optional<I32> first;
  std::optional<F32> sum;
  for (unsigned other = 0; other < 4; ++other) {
    if (other == corner) continue;
    const I32 value = texel_result(f, other, result);
    if (!first) first = value;
    sum = sum ? add(*sum, as_float(value)) : as_float(value);
  }
  const bool integers = !key_.compare && texels_.is_integer(component_of(result));
  const F32 mean = mul(*sum, real(1.0F / 3));
  return integers ? *first : numbers_alone_ ? as_word(mean) : as_result(mean);
}

Filter::Results Filter::size() {
  const I32 number = as_word(request_.detail), last = uniform_word(sample_words::kLastLevel);
  const I1 inside = b_.ILeU32(number, last);
  const Level level = where_.level(key_.one_level ? std::nullopt : std::optional<I32>(number));
  const I32 layers = b_.IAdd32(uniform_word(sample_words::kLastLayer), word(1));
  const bool flat = key_.axes() == 1, deep = key_.axes() == 3;
  const Results sizes = {level.extent[0],
                         !flat        ? level.extent[1]
                         : key_.array ? layers
                                      : word(1),
                         deep                  ? level.extent[2]
                         : key_.array && !flat ? layers
                                               : word(1),
                         b_.IAdd32(last, word(1))};
  Results results;
  for (unsigned k = 0; k < 4; ++k) results[k] = wants(k) ? b_.select(inside, sizes[k], word(0)) : word(0);
  return results;
}

Filter::Results Filter::query(bool from_quad) {
  const I32 detail = where_.detail(request_, from_quad);
  return {wants(0) ? where_.limited(detail) : word(0), wants(1) ? detail : word(0), word(0), word(0)};
}

Filter::Results expand(Builder& b, const SampleSource& source, const SampleUse& use, const Operands& operands,
                       I1 present, bool from_quad, Inst before) {
  Request request;
  request.use = use;
  for (unsigned k = 0; k < 3; ++k) request.coordinates[k] = b.BitcastI32ToF32(operands.coordinates[k]);
  request.layer = operands.layer;
  request.reference = b.BitcastI32ToF32(operands.reference);
  request.detail = b.BitcastI32ToF32(operands.detail);
  request.present = present;
  Filter filter(b, source, use.source, request, before);
  switch (use.operation) {
    case SampleOperation::fetch:
      return filter.fetch();
    case SampleOperation::gather:
      return filter.gather();
    case SampleOperation::size:
      return filter.size();
    case SampleOperation::query_lod:
      return filter.query(from_quad);
    default:
      return filter.sample(from_quad);
  }
}

}  // namespace warpjit::ir::samples
