// The instructions that a Sample becomes. A part for each step: coordinates (level of detail, faces, texel
// numbers), texels (addresses, what their bits say), and filters, which put both together.
#pragma once

#include <array>
#include <bit>
#include <optional>

#include "ir/builder.h"
#include "ir/sample.h"

namespace warpjit::ir::samples {

// Builds with the key's float operations, and reads the words of its source.
class Steps {
 public:
  Steps(Builder& b, const SampleSource& source, std::uint32_t number)
      : b_(b), key_(source.key), words_(source.words), number_(number) {}

 protected:
  I32 word(std::uint32_t value) { return b_.constant(value); }
  F32 real(float value) { return b_.constant(value); }
  F32 add(F32 x, F32 y) { return key_.without_denormals ? b_.FAddFlush32(x, y) : b_.FAdd32(x, y); }
  F32 sub(F32 x, F32 y) { return key_.without_denormals ? b_.FSubFlush32(x, y) : b_.FSub32(x, y); }
  F32 mul(F32 x, F32 y) { return key_.without_denormals ? b_.FMulFlush32(x, y) : b_.FMul32(x, y); }
  F32 fma(F32 x, F32 y, F32 z) {
    return key_.without_denormals ? b_.FFmaFlush32(x, y, z) : b_.FFma32(x, y, z);
  }
  F32 flushed(F32 x) { return key_.without_denormals ? b_.FFlush32(x) : x; }
  // NaN: low.
  F32 clamped(F32 x, F32 low, F32 high) { return b_.FMinSelect32(b_.FMaxSelect32(x, low), high); }
  I32 clamped(I32 x, I32 low, I32 high) { return b_.IMinS32(b_.IMaxS32(x, low), high); }
  // For numbers that are not negative, by their words: to hosts that run without
  // denormals, a uniform may be a denormal.
  F32 at_most(F32 x, F32 limit) { return flushed(as_float(b_.IMinS32(as_word(x), as_word(limit)))); }
  F32 number_or_zero(F32 x) { return b_.select(b_.FUnordered32(x, x), real(0), x); }
  I1 either(I1 a, I1 b) { return b_.Or1(a, b); }
  F32 as_float(I32 x) { return b_.BitcastI32ToF32(x); }
  I32 as_word(F32 x) { return b_.BitcastF32ToI32(x); }
  // Bits of a result that was computed.
  I32 as_result(F32 x) {
    return as_word(key_.without_denormals ? b_.CanonicalizeNaNOnes32(x) : b_.CanonicalizeNaN32(x));
  }
  I32 times(I32 x, std::uint32_t factor) {
    return std::has_single_bit(factor)
               ? b_.IShl32(x, word(static_cast<std::uint32_t>(std::countr_zero(factor))))
               : b_.IMul32(x, word(factor));
  }
  I32 uniform_word(std::uint32_t offset) { return b_.LoadUniformI32(words_ + offset); }
  F32 uniform_float(std::uint32_t offset) { return b_.LoadUniformF32(words_ + offset); }

  Builder& b_;
  const SampleKey& key_;
  const std::uint32_t words_, number_;
};

// ---- coordinates

struct Level {
  std::array<I32, 3> extent;           // by axis, of those that the key has
  I32 offset;                          // bytes
  I32 row_bytes, slice_bytes, shifts;  // if the key needs them
};

// Texels of a footprint along an axis.
struct Axis {
  bool linear = false;                      // else `first` alone
  I32 first, second;                        // their numbers
  I32 weight;                               // of `second`, 0 to 255 of 256
  std::optional<I1> first_out, second_out;  // true: it is the border
};

// What a sample is to give.
struct Request {
  SampleUse use;
  std::array<F32, 3> coordinates;
  I32 layer;
  F32 reference, detail;  // detail: level or bias
  I1 present;             // the lane gives its coordinates to those of its quad
};

class Coordinates : public Steps {
 public:
  using Steps::Steps;

  // The level of detail in 1/256, not limited.
  I32 detail(const Request& request, bool from_quad);
  // The square of a distance in texels: that of some axes, none at first, and of one more, along which
  // coordinates differ so. What that says of the level of detail, before bias and limits.
  F32 add_square(F32 sum, unsigned axis, F32 difference);
  I32 detail_of(I32 squared);
  I32 limited(I32 detail) {
    return b_.IMinS32(b_.IMaxS32(detail, uniform_word(sample_words::kLeastLod)),
                      uniform_word(sample_words::kGreatestLod));
  }
  // A level by its number; without one the first.
  Level level(std::optional<I32> number);
  // Which face a direction meets, and where.
  struct Face {
    I32 number;
    F32 s, t;
  };
  Face face(const std::array<F32, 3>& direction);
  // As the guest gives it.
  Face given_face(const Request& request);
  // A coordinate without whole turns of its wrap: it is the same for all levels.
  F32 wrapped(unsigned number, F32 coordinate);
  // The texels for a coordinate that is wrapped(). `nearest`: where it holds, only the nearest texel is
  // taken, although the filter is linear.
  Axis axis(unsigned number, F32 coordinate, I32 extent, bool linear, std::optional<I1> nearest, int offset);

 private:
  I32 squared_gradient(const Request& request);
  std::array<F32, 3> direction(const Face& face);
  // How far an index may be from the texels: by one below the first, above the last, or anywhere.
  // `mirror` has twice as many texels.
  enum class Reach : std::uint8_t { one_below, one_above, far };
  I32 modulo(I32 x, I32 extent);
  bool mirrors_texels(Wrap wrap) const;
  void find_texel(Wrap wrap, bool linear, I32 extent, Reach reach, I32& index, std::optional<I1>& out);
  F32 scaled(I32 extent, float factor) { return mul(b_.I32ToF32(extent), real(factor)); }
  Wrap wrap(unsigned number) const { return key_.crosses_edges() ? Wrap::clamp_to_edge : key_.wrap[number]; }
  F32 in_texels_unlimited(F32 coordinate, I32 extent, float factor);
  F32 in_texels(Wrap wrap, F32 coordinate, I32 extent, float factor, bool from_zero);
};

// ---- texels

class Texels : public Steps {
 public:
  // `wanted`: bit n is component n. A fetch decodes sRGB with any sampler.
  Texels(Builder& b, const SampleSource& source, std::uint32_t number, unsigned wanted, bool fetches)
      : Steps(b, source, number),
        wanted_(wanted),
        is_srgb_(source.key.format.srgb && (source.key.decode_srgb || fetches)) {}

  // The bytes of a texel, as parts of each axis: sums, and what is combined by exclusive or.
  struct Part {
    I32 sum;
    std::optional<I32> mixed;
  };
  Part part(unsigned axis, const Level& level, I32 index);
  I32 offset(const Part& x, const Part& y);
  I32 offset(const Part& x) {  // alone
    return x.mixed ? b_.IAdd32(x.sum, times(*x.mixed, key_.format.bytes)) : x.sum;
  }

  struct Texel {
    I32 offset;
    std::array<I32, 4> words{};  // that are loaded
  };
  // The bits of a component, without those above; extended by its sign if it has one.
  I32 bits(Texel& texel, unsigned component);
  // As the result has it: bits of f32, or an integer.
  I32 decoded(Texel& texel, unsigned component);
  // One word of four components, each of 8 bits and unorm.
  bool is_packed() const;
  I32 packed_word(Texel& texel) { return load(texel, 0); }
  bool is_there(unsigned component) const {
    return key_.format.components[component].type != TexelType::none;
  }
  bool is_integer(unsigned component) const {
    const TexelType type = key_.format.components[component].type;
    return type == TexelType::uint || type == TexelType::sint;
  }
  I32 missing(unsigned component);  // what a component is that is not there
  std::uint32_t greatest(unsigned component) const {
    const TexelComponent& c = key_.format.components[component];
    return (1U << (c.type == TexelType::snorm ? c.bits - 1 : c.bits)) - 1;
  }

 private:
  I32 spread_bits(I32 x, unsigned count);
  I32 load(Texel& texel, unsigned number);
  I32 element(const Texel& texel, std::uint32_t byte);
  I32 field(Texel& texel, unsigned first_bit, unsigned bits, bool is_signed);
  I32 small_float(I32 value, unsigned fraction_bits, bool is_signed);
  F32 quotient(F32 x, std::uint32_t divisor);

  const unsigned wanted_;
  const bool is_srgb_;
};

}  // namespace warpjit::ir::samples
