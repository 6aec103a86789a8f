// What observers of the scalar interpreter see of a fragment: its steps, and words in place of registers. Bytes of
// colours are words from 0 to 255.
#pragma once

#include <array>
#include <span>

#include "frontend/pica200/facts/fragment.h"
#include "frontend/register_bank.h"

namespace warpjit::pica200 {

// In this order; a fragment has those that its state has. The number is the step's address.
struct FragmentStep {
  static constexpr unsigned kDepth = 0, kPrimary = 1, kTexture = 2, kProcedural = 5, kLighting = 6,
                            kStage = 7, kAlphaTest = kStage + kCombinerStages, kFog = kAlphaTest + 1,
                            kDepthTest = kFog + 1, kOutput = kDepthTest + 1, kShadow = kOutput + 1,
                            kCount = kShadow + 1;
};

struct FragmentFile {
  static constexpr unsigned kPixel = 0, kDepth = 2, kPrimary = 3, kLod = 7, kTexture = 10, kProcedural = 22,
                            kLightPrimary = 26, kLightSecondary = 30, kStage = 34,
                            kBuffer = kStage + 4 * kCombinerStages, kNextBuffer = kBuffer + 4,
                            kCombined = kNextBuffer + 4, kFog = kCombined + 4, kDepthWord = kFog + 1,
                            kStoredDepth = kDepthWord + 1, kStoredStencil = kStoredDepth + 1,
                            kStored = kStoredStencil + 1, kOutput = kStored + 4,
                            // of the draw
      kConstant = kOutput + 4, kFogColor = kConstant + 4 * kCombinerStages, kBlendConstant = kFogColor + 3,
                            kAlphaReference = kBlendConstant + 4, kStencilReference = kAlphaReference + 1,
                            // of the triangle, in the pixel's centre
      kZ = kStencilReference + 1, kW = kZ + 1, kColor = kW + 1, kCoordinates = kColor + 4,
                            kQuaternion = kCoordinates + 9, kView = kQuaternion + 4, kCount = kView + 3;
};

// Colours have components of their own names: red is not x.
#define PICA_COMPONENT(text, number, where)                                                   \
  frontend::RegisterBank {                                                                    \
    .name = text, .first = static_cast<std::uint16_t>(number), .registers = 1,                \
    .reading = frontend::RegisterBank::Reading::word, .of = frontend::RegisterBank::Of::where \
  }
#define PICA_COLOR_3(name, number, where)                                                   \
  PICA_COMPONENT(name ".r", number, where), PICA_COMPONENT(name ".g", (number) + 1, where), \
      PICA_COMPONENT(name ".b", (number) + 2, where)
#define PICA_COLOR(name, number, where) \
  PICA_COLOR_3(name, number, where), PICA_COMPONENT(name ".a", (number) + 3, where)

inline constexpr auto kFragmentBanks = [] {
  using Bank = frontend::RegisterBank;
  using F = FragmentFile;
  constexpr auto word = [](std::string_view name, unsigned first, Bank::Of of = Bank::Of::thread,
                           unsigned registers = 1, unsigned components = 1) {
    return Bank{.name = name,
                .first = static_cast<std::uint16_t>(first),
                .registers = static_cast<std::uint16_t>(registers),
                .components = static_cast<std::uint8_t>(components),
                .reading = Bank::Reading::word,
                .of = of};
  };
  constexpr auto number = [](std::string_view name, unsigned first, Bank::Of of, unsigned components = 1) {
    return Bank{.name = name,
                .first = static_cast<std::uint16_t>(first),
                .registers = 1,
                .components = static_cast<std::uint8_t>(components),
                .reading = Bank::Reading::f32,
                .of = of};
  };
  return std::to_array<Bank>({
      word("pixel", F::kPixel, Bank::Of::thread, 1, 2),
      number("depth", F::kDepth, Bank::Of::thread),
      PICA_COLOR("primary", F::kPrimary, thread),
      word("lod", F::kLod, Bank::Of::thread, 3),  // 1/256 of a level
      PICA_COLOR("texture0", F::kTexture, thread),
      PICA_COLOR("texture1", F::kTexture + 4, thread),
      PICA_COLOR("texture2", F::kTexture + 8, thread),
      PICA_COLOR("procedural", F::kProcedural, thread),
      PICA_COLOR("light_primary", F::kLightPrimary, thread),
      PICA_COLOR("light_secondary", F::kLightSecondary, thread),
      PICA_COLOR("stage0", F::kStage, thread),
      PICA_COLOR("stage1", F::kStage + 4, thread),
      PICA_COLOR("stage2", F::kStage + 8, thread),
      PICA_COLOR("stage3", F::kStage + 12, thread),
      PICA_COLOR("stage4", F::kStage + 16, thread),
      PICA_COLOR("stage5", F::kStage + 20, thread),
      PICA_COLOR("buffer", F::kBuffer, thread),
      PICA_COLOR("next_buffer", F::kNextBuffer, thread),
      PICA_COLOR("combined", F::kCombined, thread),
      number("fog", F::kFog, Bank::Of::thread),
      word("depth_word", F::kDepthWord),
      word("stored_depth", F::kStoredDepth),
      word("stored_stencil", F::kStoredStencil),
      PICA_COLOR("stored", F::kStored, thread),
      PICA_COLOR("output", F::kOutput, thread),
      PICA_COLOR("constant0", F::kConstant, launch),
      PICA_COLOR("constant1", F::kConstant + 4, launch),
      PICA_COLOR("constant2", F::kConstant + 8, launch),
      PICA_COLOR("constant3", F::kConstant + 12, launch),
      PICA_COLOR("constant4", F::kConstant + 16, launch),
      PICA_COLOR("constant5", F::kConstant + 20, launch),
      PICA_COLOR_3("fog_color", F::kFogColor, launch),
      PICA_COLOR("blend_constant", F::kBlendConstant, launch),
      word("alpha_reference", F::kAlphaReference, Bank::Of::launch),
      word("stencil_reference", F::kStencilReference, Bank::Of::launch),
      number("position.z", F::kZ, Bank::Of::varying),
      number("position.w", F::kW, Bank::Of::varying),
      number("color.r", F::kColor, Bank::Of::varying),
      number("color.g", F::kColor + 1, Bank::Of::varying),
      number("color.b", F::kColor + 2, Bank::Of::varying),
      number("color.a", F::kColor + 3, Bank::Of::varying),
      number("texcoord0.u", F::kCoordinates, Bank::Of::varying),
      number("texcoord0.v", F::kCoordinates + 1, Bank::Of::varying),
      number("texcoord0.w", F::kCoordinates + 2, Bank::Of::varying),
      number("texcoord1.u", F::kCoordinates + 3, Bank::Of::varying),
      number("texcoord1.v", F::kCoordinates + 4, Bank::Of::varying),
      number("texcoord2.u", F::kCoordinates + 6, Bank::Of::varying),
      number("texcoord2.v", F::kCoordinates + 7, Bank::Of::varying),
      number("quaternion", F::kQuaternion, Bank::Of::varying, 4),
      number("view", F::kView, Bank::Of::varying, 3),
  });
}();
#undef PICA_COLOR
#undef PICA_COLOR_3
#undef PICA_COMPONENT

}  // namespace warpjit::pica200
