// The IR around a guest's fragment program: values of planes before it; tests, blending and stores after it
// (docs/pixels.md). One for all guests. The guest's code keeps `live`, the lanes whose results count.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "frontend/pixels/facts.h"
#include "ir/builder.h"

namespace warpjit::frontend {

class FragmentFrame {
 public:
  using F32 = ir::F32;
  using I1 = ir::I1;
  using I32 = ir::I32;
  using Words = std::array<I32, 4>;

  // Sets what `b`'s function says of its work. `facts` must outlive it.
  FragmentFrame(ir::Builder& b, const PixelFacts& facts);

  // ---- What the program reads, made anew by each call; gvn unites them.
  F32 value(unsigned use);  // of the use's plane
  F32 inverse_w() { return facts_.flat_w ? b_.constant(1.0F) : plane(pixels::kInverseWRow); }
  // The same away from the pixel's centre, in pixels; finite.
  F32 value_at(unsigned use, F32 dx, F32 dy);
  F32 inverse_w_at(F32 dx, F32 dy);
  F32 depth();  // within the depth bounds
  F32 unlimited_depth() { return plane(pixels::kDepthRow); }
  F32 column(), row();  // of the pixel in its target
  F32 center_x(), center_y();
  I32 flat(unsigned use);  // the provoking vertex's word
  I32 front_facing();      // all ones or 0
  I32 anticlockwise();     // 1 or 0: the primitive is, with row 0 at the top
  I32 primitive_number();
  // What the target holds before this fragment, as the formats are read back: f32 bits, but integers of
  // integer formats. Outside of the target a pixel's bits are 0; of a colour that is not bound all is 0.
  Words stored_color(unsigned target);

  // The host has arithmetic of two halves in a word.
  void use_half_arithmetic() { half_arithmetic_ = true; }

  // ---- Results. Call begin() once before the program and end() once after it.

  // What the program may do that tests must wait for.
  struct Program {
    bool discards = false, exports_depth = false, has_side_effects = false;
  };
  // The lanes that are live: covered ones, and where that is allowed, those that pass the tests of
  // depth and stencil.
  I1 begin(const Program& program);
  // Whether lanes that are covered may be no longer live at the program's start.
  bool tests_first() const { return tests_first_; }
  // A reference of the stencil test, its low 8 bits, in the lanes that give one in place of the state's.
  struct StencilReference {
    I1 given;
    I32 value;
  };
  // The words of each colour, as the program leaves them, and of depth if it exports one. `written`: of
  // each colour, the lanes that write it, besides being live; empty: all. `replaced`: of each colour,
  // the lanes that store all components of it without blending; empty, or no value of a colour: none.
  // No lane is in both.
  void end(I1 live, std::span<const Words> colors, std::optional<I32> exported_depth,
           std::span<const I1> written = {}, const std::optional<StencilReference>& reference = {},
           std::span<const I1> replaced = {});

 private:
  // At the pixel's centre, or away from that.
  F32 plane(std::uint32_t row, F32 dx = {}, F32 dy = {});
  F32 from_primitive(std::uint32_t row, std::uint32_t word);

  // Tests (fragment_tests.cpp).
  I1 alpha_test(I1 live, const Words& color, I1 written);  // `written` may be none: all
  I1 depth_stencil(I1 live, F32 depth, const std::optional<StencilReference>& reference = {});
  I32 fragment_depth(F32 depth);
  I1 compare_words(Compare compare, I32 a, I32 b);
  I1 compare_floats(Compare compare, F32 a, F32 b);
  struct StencilResult {
    I1 pass;
    I32 failed, depth_failed, passed;  // the stencil's new value
  };
  StencilResult stencil_face(const StencilFace& face, I32 stored,
                             const std::optional<StencilReference>& reference);
  I32 stencil_value(StencilOp op, const StencilFace& face, I32 stored, I32 reference);

  // Colours (fragment_colors.cpp).
  void store_color(unsigned target, const BlendState& blend, I1 live, const Words& words);
  // A pixel as it is in the tile, its words as they are loaded.
  struct StoredPixel {
    PixelFormat format = PixelFormat::none;
    std::uint8_t plane = TileLayout::kNone;
    Words words{};
  };
  StoredPixel stored_pixel(unsigned target) const {
    return {.format = facts_.output.colors[target], .plane = layout_.color[target]};
  }
  I32 stored_word(StoredPixel& stored, unsigned plane);
  I32 stored_field(StoredPixel& stored, unsigned component, bool is_signed);
  I32 read_component(StoredPixel& stored, unsigned component);
  std::array<F32, 4> read_colors(StoredPixel& stored);
  void store_normalized(StoredPixel& stored, unsigned target, const BlendState& blend, I1 live,
                        const Words& words);
  void store_components(StoredPixel& stored, std::uint8_t mask, I1 live, const Words& numbers);
  I32 stored_component(PixelFormat format, unsigned component, I32 bits);
  I32 stored_unorm(F32 value, unsigned bits);  // of a number in the format's range, as the next ones
  I32 stored_snorm(F32 value, unsigned bits);
  I32 stored_small(F32 value, unsigned bits);  // of any number
  std::optional<I32> halves_of(I32 low, I32 high);
  std::optional<I32> bytes_of_halves(const Words& words);
  F32 quotient_of(I32 integer, std::uint32_t most, bool refined);
  I32 stored_srgb(F32 value);
  F32 read_srgb(I32 byte);
  struct BlendInput {
    std::array<F32, 4> source, stored, constant;
    float one = 1;  // what stands for it
  };
  F32 blend_constant(unsigned component);
  std::array<F32, 4> blended(unsigned target, const BlendState& blend, const std::array<F32, 4>& source,
                             const std::array<F32, 4>& stored);
  F32 mixed(const BlendMix& mix, unsigned component, const BlendInput& in);
  F32 factor(BlendFactor factor, unsigned component, const BlendInput& in);
  F32 term(BlendFactor factor, F32 value, unsigned component, const BlendInput& in);
  F32 byte_of(F32 value);  // of a limited one; bytes are whole numbers here
  F32 read_byte(StoredPixel& stored, unsigned component, F32 value);
  F32 blended_byte(const BlendState& blend, unsigned component, const BlendInput& in);
  F32 add_byte_term(F32 sum, BlendFactor factor, F32 byte, bool subtract, unsigned component,
                    const BlendInput& in);
  F32 in_range(PixelFormat format, F32 value);  // to what a normalized format holds, NaN to 0
  F32 limited(F32 value);                       // to [0, 1], NaN to 0
  F32 limited_depth(F32 value);                 // to the depth bounds, NaN to the least

  F32 as_float(I32 word) { return b_.BitcastI32ToF32(word); }
  I32 as_word(F32 value) { return b_.BitcastF32ToI32(value); }
  I32 word(std::uint32_t value) { return b_.constant(value); }

  ir::Builder& b_;
  const PixelFacts& facts_;
  const TileLayout layout_;
  bool tested_early_ = false, tests_first_ = false, half_arithmetic_ = false;
};

}  // namespace warpjit::frontend
