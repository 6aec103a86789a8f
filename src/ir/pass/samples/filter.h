// From footprints to results.
#pragma once

#include "ir/pass/samples/expansion.h"

namespace warpjit::ir::samples {

class Filter : public Steps {
 public:
  using Results = std::array<I32, 4>;

  Filter(Builder& b, const SampleSource& source, std::uint32_t number, const Request& request, Inst before);

  Results sample(bool from_quad);
  Results fetch();
  Results gather();
  Results size();
  Results query(bool from_quad);

 private:
  static constexpr unsigned kCorners = 8;  // of a footprint: bit n of a number is the texel along axis n
  struct Footprint {
    unsigned axes = 0, corners = 1;
    std::array<Axis, 3> axis;
    std::array<Texels::Texel, kCorners> texels;
    std::array<std::optional<I1>, kCorners> out;  // true: it is the border
    // Seamless cubes: the texel beyond a corner, which is the mean of the others.
    std::array<std::optional<I1>, kCorners> missing;
    std::optional<I1> any_out;  // a texel of the border or beyond a corner
  };
  // Two levels together, one after the other: sums by component, weighted by 256, and by result those in
  // floats and what the first level gives.
  struct Levels {
    std::array<F32, 4> sums, floats, first;
    std::optional<I1> any_out;
  };
  // What a level gives: sums in integers as floats, by component; and in floats, by result.
  struct LevelResult {
    std::array<F32, 4> sums;
    std::array<F32, 4> mixed;
    std::optional<I1> any_out;
  };

  void place(bool linear);
  I32 bounded_layer();
  I32 bounded_face();
  Footprint footprint(const Level& level, bool linear, std::optional<I1> nearest);
  void cross_edges(Footprint& footprint, const Level& level);
  LevelResult level_result(const Level& level);
  Results nearest_texels(const Level& level);

  // In integers.
  void sum_packed(Footprint& footprint, std::array<F32, 4>& sums);
  F32 sum(Footprint& footprint, unsigned component);
  I32 integer(Footprint& footprint, unsigned corner, unsigned component);
  I32 mix(I32 a, I32 b, I32 weight);
  F32 mix_slices(const std::array<F32, 2>& slices, I32 weight);
  float scale(unsigned component) const;
  // In floats.
  F32 mix(F32 a, F32 b, I32 weight);
  F32 mixed(Footprint& footprint, unsigned result);
  F32 in_floats(const LevelResult& level, unsigned result);
  Results of_level(const LevelResult& level);

  // Both levels.
  class LevelLoop;
  bool is_exact() const { return path_.integers && !has_border_; }
  // `loop`: null if both levels stand one after the other.
  void add_level(Levels& sum, const LevelResult& level, F32 factor, I1 is_first, LevelLoop* loop);
  Levels both_levels(std::optional<I32> first, I32 weight);
  Results of_levels(const Levels& levels, I1 magnified);

  I32 texel_result(Footprint& footprint, unsigned corner, unsigned result);
  I32 constant_source(TexelSource source);
  // For a result that no texel says, and whether that holds for the border, too.
  std::optional<I32> fixed_value(unsigned result);
  bool is_settled(unsigned result);
  I32 mean_beside(Footprint& footprint, unsigned corner);
  I1 passes(Footprint& footprint, unsigned corner);
  bool wants(unsigned result) const { return (request_.use.components >> result & 1) != 0; }
  bool is_constant(unsigned result) const { return key_.swizzle[result] > TexelSource::alpha; }
  unsigned component_of(unsigned result) const { return static_cast<unsigned>(key_.swizzle[result]); }
  unsigned wanted_components() const;
  I32 border(unsigned result) { return uniform_word(sample_words::kBorder + 4 * result); }

  const Request request_;
  const Inst before_;
  Coordinates where_;
  Texels texels_;
  const FilterPath path_;
  const bool has_border_, direct_, numbers_alone_;  // nothing is mixed, ever; no texel is NaN
  std::array<F32, 3> at_;                           // coordinates, on the face of a cube
  std::optional<I32> layer_offset_;                 // of seamless cubes: of its first face
  I32 face_;
  std::optional<I1> nearest_;  // where the filter is the nearest, if levels of detail differ in that
};

// The operands of a Sample as it has them.
struct Operands {
  std::array<I32, 3> coordinates;
  I32 layer, reference, detail;
};
// The instructions of a sample, in place of it, and its results. `present`: lanes that give their coordinates
// to those of their quads. `before`: in group form the instruction before which the builder stands, so that
// its block may be split for a loop; invalid: it may not.
Filter::Results expand(Builder& b, const SampleSource& source, const SampleUse& use, const Operands& operands,
                       I1 present, bool from_quad, Inst before);

}  // namespace warpjit::ir::samples
