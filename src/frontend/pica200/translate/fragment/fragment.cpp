#include "frontend/pica200/translate/fragment/fragment.h"

#include <algorithm>

#include "frontend/pica200/translate/fragment/combiners.h"
#include "frontend/pica200/translate/fragment/lighting.h"
#include "frontend/pica200/translate/fragment/output.h"
#include "frontend/pica200/translate/fragment/procedural.h"
#include "frontend/pica200/translate/fragment/texture.h"
#include "frontend/pixels/fragment_frame.h"

namespace warpjit::pica200 {

namespace {

// A fragment from its triangle to the tile: straight code.
class FragmentTranslator : private FragmentSteps {
 public:
  FragmentTranslator(ir::Builder& b, const FragmentState& state, const frontend::PixelFacts& pixels)
      : FragmentSteps(b), state_(state), pixels_(pixels), frame_(b, pixels), memories_(state) {}

  void translate() {
    ir::Function& f = b_.function();
    f.name = "fragment";
    f.texture_count = memories_.count;
    f.uniform_bytes = frontend::kPixelTableBytes + (sizeof(FragmentWords) + 63) / 64 * 64;
    if (reads_quads(state_)) f.lane_order = ir::LaneOrder::lowest_address_first;
    b_.set_block(f.add_block(0));
    live_ = b_.PixelCovered();
    if (state_.outside_box) live_ = b_.And1(live_, b_.Not1(is_in_box()));
    w_ = div(real(1), frame_.inverse_w());
    CombinerColors inputs;
    inputs.fill({word(0), word(0), word(0), word(0)});
    gather(inputs);
    CombinerSteps combiners(b_, state_);
    Color color = combiners.combine(inputs);
    OutputSteps output(b_, state_.output);
    if (state_.output.shadow) {
      output.store_shadow(live_, color, depth());
    } else {
      const I1 live = output.alpha_test(live_, color);
      if (state_.fog) color = combiners.fogged(color, depth(), memories_.tables);
      output.store(live, color, depth());
    }
    b_.ret();
  }

 private:
  static Color& slot(CombinerColors& colors, CombinerSource source) {
    return colors[static_cast<std::size_t>(source)];
  }

  unsigned use_of(unsigned slot) const {
    const auto use = std::ranges::find(pixels_.uses, slot, &pixels::SlotUse::slot);
    return static_cast<unsigned>(use - pixels_.uses.begin());
  }
  F32 value(unsigned slot) { return mul(frame_.value(use_of(slot)), w_); }

  I1 is_in_box() {
    const auto side = [&](std::uint32_t n) { return uniform_real(WARPJIT_FRAGMENT_WORD(box) + 4 * n); };
    const F32 column = frame_.column(), row = frame_.row();
    const auto between = [&](F32 x, std::uint32_t n) {
      return b_.And1(b_.FGe32(x, side(n)), b_.FLe32(x, side(n + 1)));
    };
    return b_.And1(between(column, 0), between(row, 2));
  }

  F32 depth() {
    F32 depth = add(mul(frame_.unlimited_depth(), uniform_real(WARPJIT_FRAGMENT_WORD(depth_scale))),
                    uniform_real(WARPJIT_FRAGMENT_WORD(depth_offset)));
    if (state_.w_buffer) depth = mul(depth, w_);
    return limited(depth, 0, 1);
  }

  void gather(CombinerColors& inputs) {
    if (reads(state_, CombinerSource::primary)) slot(inputs, CombinerSource::primary) = primary();
    std::array<Color, 4> texels;
    texels.fill({word(0), word(0), word(0), word(0)});
    for (unsigned unit = 0; unit < 3; ++unit)
      if (state_.textures[unit].type != TextureType::off) texels[unit] = sample(unit);
    if (state_.procedural.on) {
      constexpr std::array<VertexSlot, 3> kSlots = {kCoordinates0Slot, kCoordinates1Slot, kCoordinates2Slot};
      const unsigned first = kSlots[state_.procedural.coordinates];
      texels[3] =
          ProceduralSteps(b_, state_.procedural, memories_.tables).sample(value(first), value(first + 1));
    }
    for (std::size_t n = 0; n < 4; ++n)
      inputs[static_cast<std::size_t>(CombinerSource::texture0) + n] = texels[n];
    if (!state_.lighting.on) return;
    LightingSteps::Inputs lights;
    for (unsigned n = 0; n < 4; ++n) lights.quaternion[n] = value(kQuaternionSlot + n);
    for (unsigned n = 0; n < 3; ++n) lights.view[n] = value(kViewSlot + n);
    lights.bump = texels[state_.lighting.bump_unit];
    lights.shadow = texels[state_.lighting.shadow_unit];
    const LightingSteps::Colors colors = LightingSteps(b_, state_.lighting, memories_.tables).light(lights);
    slot(inputs, CombinerSource::light_primary) = colors.primary;
    slot(inputs, CombinerSource::light_secondary) = colors.secondary;
  }

  Color primary() {
    Color color;
    for (unsigned n = 0; n < 4; ++n) {
      const unsigned of = kColorSlot + n;
      const F32 c = state_.flat_color ? as_real(frame_.flat(use_of(of))) : value(of);
      color[n] = integer(add(mul(limited(c, 0, 1), real(255)), real(0.5f)));
    }
    return color;
  }

  Color sample(unsigned unit) {
    const TextureState& texture = state_.textures[unit];
    const unsigned first = coordinates_slot(state_, unit);
    const F32 w = texture.reads_w() ? value(kCoordinatesWSlot) : real(0);
    return TextureSteps(b_, texture, unit, memories_.units[unit])
        .sample(value(first), value(first + 1), w, live_);
  }

  const FragmentState& state_;
  const frontend::PixelFacts& pixels_;
  frontend::FragmentFrame frame_;
  const FragmentMemories memories_;
  F32 w_;
  I1 live_;  // at the start
};

}  // namespace

ir::Function translate_fragment(const FragmentState& state, const frontend::PixelFacts& pixels) {
  ir::Function function;
  ir::Builder b(function);
  FragmentTranslator(b, state, pixels).translate();
  return function;
}

}  // namespace warpjit::pica200
