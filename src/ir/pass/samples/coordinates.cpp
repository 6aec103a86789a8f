// From coordinates to levels, faces and numbers of texels.
#include "ir/pass/samples/expansion.h"

#include "ir/look_up.h"

namespace warpjit::ir::samples {
namespace {

constexpr float kFarthest = 65536;         // coordinates in texels are limited to this
constexpr std::uint32_t kNever = 1 << 20;  // a level of detail that is always limited

}  // namespace

// ---- the level of detail

// The squares of the differences of each lane to both its neighbours: the greatest in the quad. A neighbour
// that is not there differs by nothing. A NaN of either sign is the greatest as a word.
I32 Coordinates::squared_gradient(const Request& request) {
  constexpr std::uint64_t kOtherColumn = 0b10'11'00'01, kOtherRow = 0b01'00'11'10, kFirst = 0;
  const unsigned count = key_.is_cube() && !key_.gives_face ? 3 : key_.axes();
  const I1 present = request.present;
  std::array<F32, 3> places = request.coordinates;
  I1 is_x, is_z;
  if (key_.gives_face) {
    const Face face = given_face(request);
    places = direction(face);
    is_x = b_.ILtU32(face.number, word(2));
    is_z = b_.ILeU32(word(4), face.number);
  }
  const auto of_quad = [&](F32 x, std::uint64_t lanes) {
    return as_float(b_.QuadRead(present, as_word(x), as_word(x), lanes));
  };
  const auto along = [&](std::uint64_t lanes) {
    std::array<F32, 3> own = places, others;
    for (unsigned k = 0; k < (key_.gives_face ? 3 : count); ++k) others[k] = of_quad(places[k], lanes);
    if (key_.gives_face) {
      // On this lane's face: the two axes that lie in it.
      const F32 out = b_.FAbs32(b_.select(is_x, others[0], b_.select(is_z, others[2], others[1])));
      const auto in_face = [&](std::array<F32, 3>& of) {
        of = {b_.select(is_x, of[1], of[0]), b_.select(is_z, of[1], of[2]), of[2]};
      };
      in_face(own);
      in_face(others);
      for (unsigned k = 0; k < 2; ++k) others[k] = b_.FDiv32(others[k], out);
    }
    F32 sum;
    for (unsigned k = 0; k < count; ++k) sum = add_square(sum, k, sub(others[k], own[k]));
    // Without a neighbour nothing, also of coordinates that are infinite.
    const I32 there = b_.QuadRead(present, word(~0U), word(0), lanes);
    return b_.IAnd32(as_word(sum), there);
  };
  I32 greatest = b_.IMaxU32(along(kOtherColumn), along(kOtherRow));
  if (key_.own_levels) return greatest;
  if (!key_.four_pairs) return b_.QuadRead(present, greatest, word(0), kFirst);
  for (const std::uint64_t lanes : {kOtherColumn, kOtherRow})
    greatest = b_.IMaxU32(greatest, b_.QuadRead(present, greatest, greatest, lanes));
  return greatest;
}

F32 Coordinates::add_square(F32 sum, unsigned axis, F32 difference) {
  if (key_.normalized) difference = mul(difference, uniform_float(sample_words::kLodSize + 4 * axis));
  const F32 square = mul(difference, difference);
  return sum.valid() ? add(sum, square) : square;
}

// Half of the logarithm of the squared gradient: 128 times its exponent, and a table of 256 steps within one.
I32 Coordinates::detail_of(I32 squared) {
  const I32 exponent = b_.IAnd32(b_.IShrU32(squared, word(23)), word(255));
  const I32 step = b_.IAnd32(b_.IShrU32(squared, word(15)), word(255));
  // The table holds, 4 bits each, what the logarithm is more than half of the step.
  const I32 eight = b_.LookUp32(b_.IShrU32(step, word(3)), kLogarithmTable);
  const I32 more = b_.IAnd32(b_.IShrU32(eight, b_.IShl32(b_.IAnd32(step, word(7)), word(2))), word(15));
  const I32 whole = b_.IShl32(b_.ISub32(exponent, word(127)), word(7));
  I32 detail = b_.IAdd32(b_.IAdd32(whole, b_.IShrU32(step, word(1))), more);
  detail = b_.select(b_.IEq32(exponent, word(0)), word(0U - kNever), detail);
  return b_.select(b_.IEq32(exponent, word(255)), word(kNever), detail);
}

I32 Coordinates::detail(const Request& request, bool from_quad) {
  const bool replaces = request.use.operation == SampleOperation::lod;
  I32 detail;
  if (replaces) {
    detail = word(0);
  } else if (!from_quad) {
    detail = word(0U - kNever);
  } else {
    detail = detail_of(squared_gradient(request));
  }
  if (replaces || request.use.operation == SampleOperation::bias) {
    const F32 operand = clamped(flushed(number_or_zero(request.detail)), real(-64), real(64));
    detail = b_.IAdd32(detail, b_.F32ToI32Sat(b_.FRoundEven32(mul(operand, real(256)))));
  }
  return b_.IAdd32(detail, uniform_word(sample_words::kLodBias));
}

Level Coordinates::level(std::optional<I32> number) {
  using namespace sample_words;
  const auto word_of = [&](std::uint32_t k) {
    return number ? b_.LookUpUniform32(*number, words_ + kLevels + k * kOfLevels)
                  : uniform_word(kFirstLevel + 4 * k);
  };
  Level level;
  level.offset = word_of(kOffset);
  for (unsigned k = 0; k < key_.axes(); ++k) level.extent[k] = word_of(kExtents + k);
  if (key_.axes() > 1) level.row_bytes = word_of(kRowBytes);
  if (key_.axes() > 2) level.slice_bytes = word_of(kSliceBytes);
  if (key_.layout == TextureLayout::block_linear || key_.layout == TextureLayout::morton)
    level.shifts = word_of(kShifts);
  return level;
}

// ---- faces

Coordinates::Face Coordinates::face(const std::array<F32, 3>& direction) {
  std::array<F32, 3> size;
  for (unsigned k = 0; k < 3; ++k) size[k] = b_.FAbs32(flushed(direction[k]));
  const auto [x, y, z] = direction;
  const I1 is_z = b_.And1(b_.FGe32(size[2], size[0]), b_.FGe32(size[2], size[1]));
  const I1 is_y = b_.AndNot1(b_.FGe32(size[1], size[0]), is_z);
  const auto choose = [&](auto of_x, auto of_y, auto of_z) {
    return b_.select(is_z, of_z, b_.select(is_y, of_y, of_x));
  };
  const I1 negative = b_.FLt32(flushed(choose(x, y, z)), real(0));
  const F32 negative_z = b_.FNeg32(z), negative_x = b_.FNeg32(x), negative_y = b_.FNeg32(y);
  const F32 s = choose(b_.select(negative, z, negative_z), x, b_.select(negative, negative_x, x));
  const F32 t = choose(negative_y, b_.select(negative, negative_z, z), negative_y);
  const I32 axis = choose(word(0), word(2), word(4));
  const auto inside = [&](F32 c) { return add(mul(c, real(0.5F)), real(0.5F)); };
  return {b_.IAdd32(axis, b_.select(negative, word(1), word(0))), inside(s), inside(t)};
}

Coordinates::Face Coordinates::given_face(const Request& request) {
  return {b_.IMinU32(as_word(request.coordinates[2]), word(5)), request.coordinates[0],
          request.coordinates[1]};
}

// The point of the cube that is there.
std::array<F32, 3> Coordinates::direction(const Face& face) {
  const auto from_middle = [&](F32 x) { return sub(mul(x, real(2)), real(1)); };
  const I32 u = as_word(from_middle(face.s)), v = as_word(from_middle(face.t));
  const I32 minus = word(0x80000000), one = as_word(real(1)), sign = b_.IShl32(face.number, word(31));
  const I1 is_x = b_.ILtU32(face.number, word(2)), is_z = b_.ILeU32(word(4), face.number);
  const I32 x = b_.select(is_x, b_.IXor32(one, sign), b_.select(is_z, b_.IXor32(u, sign), u));
  const I1 is_y = b_.Not1(either(is_x, is_z));
  const I32 y = b_.select(is_y, b_.IXor32(one, sign), b_.IXor32(v, minus));
  const I32 z = b_.IXor32(b_.select(is_x, b_.IXor32(u, minus), b_.select(is_z, one, v)), sign);
  return {as_float(x), as_float(y), as_float(z)};
}

// ---- texels along an axis

namespace {

bool repeats(Wrap wrap) { return wrap == Wrap::repeat || wrap == Wrap::mirror; }
bool is_mirror_once(Wrap wrap) { return wrap >= Wrap::mirror_once_to_edge; }
bool limits(Wrap wrap) { return wrap == Wrap::clamp || wrap == Wrap::mirror_once; }  // to [0, 1]
bool to_edge(Wrap wrap) { return wrap == Wrap::clamp_to_edge || wrap == Wrap::mirror_once_to_edge; }

}  // namespace

// x modulo the extent, for x of less than 2^18: by the reciprocal, from the middle between two quotients.
I32 Coordinates::modulo(I32 x, I32 extent) {
  const F32 reciprocal = b_.FDiv32(real(1), b_.I32ToF32(extent));
  const F32 quotient = b_.FFloor32(mul(add(b_.I32ToF32(x), real(0.5F)), reciprocal));
  const I32 turns = b_.F32ToI32Sat(clamped(quotient, real(-4 * kFarthest), real(4 * kFarthest)));
  return b_.ISub32(x, b_.IMul32(turns, extent));
}

bool Coordinates::mirrors_texels(Wrap wrap) const { return key_.mirrors_texels && is_mirror_once(wrap); }

// The texel that stands for one at `index`, or that it is the border.
void Coordinates::find_texel(Wrap wrap, bool linear, I32 extent, Reach reach, I32& index,
                             std::optional<I1>& out) {
  const auto last = [&] { return b_.ISub32(extent, word(1)); };
  if (mirrors_texels(wrap)) {
    index = b_.IMaxS32(index, b_.IXor32(index, word(~0U)));  // -1 - i
    reach = Reach::one_above;
  }
  if (wrap == Wrap::repeat) {
    if (reach == Reach::far) index = modulo(index, extent);
    if (reach == Reach::one_below) index = b_.IMinU32(index, last());
    if (reach == Reach::one_above) index = b_.select(b_.ILtU32(index, extent), index, word(0));
    return;
  }
  if (wrap == Wrap::mirror) {
    const I32 twice = b_.IShl32(extent, word(1));
    if (reach == Reach::far) index = modulo(index, twice);
    index = b_.IMinS32(index, b_.ISub32(b_.ISub32(twice, word(1)), index));
    if (reach != Reach::far) index = b_.IMaxS32(index, word(0));
    return;
  }
  if (!to_edge(wrap) && (linear || !limits(wrap))) {
    out = b_.ILeU32(extent, index);
    return;
  }
  if (reach != Reach::one_above) index = b_.IMaxS32(index, word(0));
  if (reach != Reach::one_below) index = b_.IMinS32(index, last());
}

F32 Coordinates::wrapped(unsigned number, F32 coordinate) {
  const Wrap how = wrap(number);
  F32 u = coordinate;
  if (is_mirror_once(how) && !mirrors_texels(how)) u = b_.FAbs32(u);
  if (key_.normalized && how == Wrap::repeat) u = sub(u, b_.FFloor32(flushed(u)));
  if (key_.normalized && how == Wrap::mirror) u = add(u, mul(real(-2), b_.FFloor32(mul(u, real(0.5F)))));
  return u;
}

// In texels, times `factor`, a power of two. Limited: so that it fits an integer.
F32 Coordinates::in_texels_unlimited(F32 coordinate, I32 extent, float factor) {
  return mul(coordinate, key_.normalized ? scaled(extent, factor) : real(factor));
}

F32 Coordinates::in_texels(Wrap wrap, F32 coordinate, I32 extent, float factor, bool from_zero) {
  const F32 limit = real(kFarthest * factor);
  F32 p = in_texels_unlimited(coordinate, extent, factor);
  if (from_zero) return clamped(p, real(0), limit);
  p = number_or_zero(p);
  if (limits(wrap) && mirrors_texels(wrap)) {
    const F32 end = scaled(extent, factor);
    p = clamped(p, b_.FNeg32(end), end);
  } else if (limits(wrap)) {
    p = at_most(b_.FMaxSelect32(p, real(0)), scaled(extent, factor));
  }
  return clamped(p, real(-kFarthest * factor), limit);
}

Axis Coordinates::axis(unsigned number, F32 coordinate, I32 extent, bool linear, std::optional<I1> nearest,
                       int offset) {
  constexpr std::uint32_t kMagic = 0x4b000000;  // 2^23: from there on floats are integers
  const bool crosses = key_.crosses_edges();
  const Wrap wrap = this->wrap(number);
  const bool small = key_.dimension != TextureDimension::buffer;  // no number of a texel is far
  const bool repeated = small && repeats(wrap) && key_.normalized, moved = offset != 0;
  const auto moved_by_offset = [&](I32 index) {
    return moved ? b_.IAdd32(index, word(static_cast<std::uint32_t>(offset))) : index;
  };
  Axis made;
  made.linear = linear;
  // The nearest one.
  I32 near_index;
  std::optional<I1> near_out;
  if (!linear || nearest) {
    const bool at_border = !repeats(wrap) && !to_edge(wrap) && !limits(wrap);
    const bool from_zero = !moved && !at_border && !mirrors_texels(wrap) && (repeated || !repeats(wrap));
    // What is wrapped lies between 0 and 1, or 2 if it is mirrored, or is a NaN.
    const bool from_wrapped = repeated && from_zero, from_one = from_wrapped && wrap == Wrap::repeat;
    if (from_wrapped) {
      near_index = b_.F32ToI32Lowest(in_texels_unlimited(coordinate, extent, 1));
      // A product with less than 1 is rounded to less than the extent.
      if (from_one) near_index = b_.select(b_.FLt32(coordinate, real(1)), near_index, word(0));
    } else {
      F32 p = in_texels(wrap, coordinate, extent, 1, from_zero);
      if (!from_zero) p = b_.FFloor32(p);
      near_index = moved_by_offset(b_.F32ToI32Sat(p));
    }
    if (!from_one)
      find_texel(wrap, false, extent, from_zero ? Reach::one_above : Reach::far, near_index, near_out);
  }
  made.first = near_index;
  made.first_out = near_out;
  if (!linear) return made;

  // Two, and how far it is from the first to the second.
  // Beyond the edge both texels are one. Sums of integers are exact, so that its weights do not matter; but
  // slices are weighted in floats, which round.
  const bool exact = filter_path(key_).integers && !has_border(key_) && number < 2;
  const bool tight = small && !moved && (crosses || exact) && wrap == Wrap::clamp_to_edge;
  I32 place;
  if (!moved && ((wrap == Wrap::repeat && repeated) || tight)) {
    F32 p = b_.FMaxSelect32(in_texels_unlimited(coordinate, extent, 256), real(0));
    if (tight) p = at_most(p, scaled(extent, 256));
    place = b_.ISub32(as_word(add(p, as_float(word(kMagic)))), word(kMagic + 128));
  } else {
    const F32 p = in_texels(wrap, coordinate, extent, 256, false);
    place = b_.ISub32(b_.F32ToI32Sat(b_.FRoundEven32(p)), word(128));
  }
  made.weight = b_.IAnd32(place, word(255));
  made.first = moved_by_offset(b_.IShrS32(place, word(8)));
  made.second = b_.IAdd32(made.first, word(1));
  const bool close = !moved && (repeated || tight);
  made.first_out.reset();
  if (!crosses) {
    find_texel(wrap, true, extent, close ? Reach::one_below : Reach::far, made.first, made.first_out);
    find_texel(wrap, true, extent, close ? Reach::one_above : Reach::far, made.second, made.second_out);
  }
  if (nearest) {
    const I1 never = b_.constant(false);
    made.weight = b_.select(*nearest, word(0), made.weight);
    made.first = b_.select(*nearest, near_index, made.first);
    made.second = b_.select(*nearest, near_index, made.second);
    if (made.first_out) {
      made.first_out = b_.select(*nearest, near_out.value_or(never), *made.first_out);
      made.second_out = b_.select(*nearest, near_out.value_or(never), *made.second_out);
    }
  }
  return made;
}

}  // namespace warpjit::ir::samples
