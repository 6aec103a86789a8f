#include "frontend/pica200/interpret/fragment/steps.h"

#include <cstring>
#include <utility>

#include "base/bits.h"
#include "frontend/pica200/interpret/fragment/units.h"

namespace warpjit::pica200::fragment {

namespace {

using F = FragmentFile;

// The first word of a source of a stage; none: it is 0.
std::optional<unsigned> word_of(CombinerSource source, unsigned stage) {
  switch (source) {
    case CombinerSource::primary:
      return F::kPrimary;
    case CombinerSource::light_primary:
      return F::kLightPrimary;
    case CombinerSource::light_secondary:
      return F::kLightSecondary;
    case CombinerSource::texture0:
    case CombinerSource::texture1:
    case CombinerSource::texture2:
      return F::kTexture +
             4 * (static_cast<unsigned>(source) - static_cast<unsigned>(CombinerSource::texture0));
    case CombinerSource::procedural:
      return F::kProcedural;
    case CombinerSource::buffer:
      return F::kBuffer;
    case CombinerSource::constant:
      return F::kConstant + 4 * stage;
    case CombinerSource::previous:
      return stage == 0 ? std::nullopt : std::optional(F::kStage + 4 * (stage - 1));
    default:
      return std::nullopt;
  }
}

}  // namespace

FragmentSteps::FragmentSteps(interpret::Observer& observer, const FragmentSetup& setup, std::int32_t column,
                             std::int32_t row)
    : observer_(observer),
      setup_(setup),
      lane_(static_cast<unsigned>(column & 1) | static_cast<unsigned>(row & 1) << 1) {
  const FragmentValues& values = setup.values;
  const auto hold = [&](unsigned word, std::uint32_t value) {
    words_[word] = value;
    observer_.holds(static_cast<std::uint16_t>(word), lane_, value);
  };
  hold(F::kPixel, static_cast<std::uint32_t>(column));
  hold(F::kPixel + 1, static_cast<std::uint32_t>(row));
  for (unsigned n = 0; n < 4; ++n) {
    for (unsigned stage = 0; stage < kCombinerStages; ++stage)
      hold(F::kConstant + 4 * stage + n, values.constants[stage][n]);
    hold(F::kNextBuffer + n, values.buffer[n]);
    hold(F::kBuffer + n, 0);
    hold(F::kBlendConstant + n, values.blend_constant[n]);
  }
  // Units that are off give black without alpha.
  for (unsigned n = 0; n < 4; ++n) {
    for (const unsigned first : {F::kPrimary, F::kProcedural, F::kLightPrimary, F::kLightSecondary,
                                 F::kTexture, F::kTexture + 4, F::kTexture + 8})
      hold(first + n, 0);
  }
  for (unsigned n = 0; n < 3; ++n) hold(F::kFogColor + n, values.fog_color[n]);
  hold(F::kAlphaReference, values.alpha_reference);
  hold(F::kStencilReference, values.stencil_reference);
}

void FragmentSteps::begin(unsigned step) {
  end();
  observer_.begin(step, 1U << lane_);
  open_ = true;
}

void FragmentSteps::end() {
  if (!std::exchange(open_, false)) return;
  if (!observer_.step()) goes_on_ = false;
  const auto [first, count] = std::exchange(given_, {});
  for (unsigned n = 0; n < count; ++n) observer_.gave(0, static_cast<std::uint16_t>(first + n), lane_);
}

void FragmentSteps::write(unsigned word, std::uint32_t value) {
  observer_.wrote(word, lane_, words_[word], value);
  words_[word] = value;
}
void FragmentSteps::write(unsigned word, float value) { write(word, to_bits(value)); }
void FragmentSteps::write(unsigned first, const Bytes4& color, unsigned count) {
  for (unsigned n = 0; n < count; ++n) write(first + n, std::uint32_t{color[n]});
}
void FragmentSteps::varying(unsigned word, float value) {
  words_[word] = to_bits(value);
  observer_.read_varying(word, lane_, words_[word]);
}

void FragmentSteps::read_stage(const CombinerStage& stage, unsigned number) {
  std::array<bool, F::kCount> seen{};
  const auto see = [&](const CombinerArgument& argument, std::size_t component) {
    const auto first = word_of(argument.source, number);
    if (!first) return;
    const unsigned word = *first + static_cast<unsigned>(component);
    if (!std::exchange(seen[word], true)) read(word);
  };
  for (std::size_t k = 0; k < argument_count(stage.color.op); ++k)
    for (std::size_t n = 0; n < 3; ++n)
      see(stage.color.arguments[k], color_component(stage.color.arguments[k].operand, n));
  if (stage.color.op == CombinerOp::dot3_all) return;
  for (std::size_t k = 0; k < argument_count(stage.alpha.op); ++k)
    see(stage.alpha.arguments[k], alpha_component(stage.alpha.arguments[k].operand));
}

void FragmentSteps::access(bool depth, std::size_t pixel, const std::byte* place, bool store) {
  const OutputState& state = setup_.state.output;
  const TargetSetup& target = setup_.target;
  const unsigned bytes = depth          ? pixel_bytes(state.depth_format)
                         : state.shadow ? 4
                                        : pixel_bytes(state.color_format);
  std::uint32_t value = 0;
  std::memcpy(&value, place, bytes);
  observer_.event().memory.push_back(
      {.address = (depth ? target.depth_address : target.color_address) + std::uint64_t{pixel} * bytes,
       .value = value,
       .before = store ? loaded_ : 0,
       .bytes = static_cast<std::uint8_t>(bytes),
       .lane = static_cast<std::uint8_t>(lane_),
       .store = store,
       .place = place});
  loaded_ = value;
}
void FragmentSteps::load(bool depth, std::size_t pixel, const std::byte* place) {
  access(depth, pixel, place, false);
}
void FragmentSteps::store(bool depth, std::size_t pixel, const std::byte* place) {
  access(depth, pixel, place, true);
}

}  // namespace warpjit::pica200::fragment
