#include "frontend/pica200/assembly/fragment_text.h"

#include <cstdio>
#include <string_view>

#include "frontend/pica200/facts/fragment_file.h"

namespace warpjit::pica200 {

namespace {

std::string argument_text(const CombinerArgument& argument, unsigned half,
                          const std::array<std::uint8_t, 4>* constant) {
  constexpr std::array<std::string_view, 11> kSources = {
      "0",        "primary",    "light_primary", "light_secondary", "texture0", "texture1",
      "texture2", "procedural", "buffer",        "constant",        "previous"};
  constexpr std::array<std::string_view, 14> kColor = {"rgb", "rgb", "a", "a", "r", "r", "",
                                                       "",    "g",   "g", "",  "",  "b", "b"};
  constexpr std::array<std::string_view, 8> kAlpha = {"a", "a", "r", "r", "g", "g", "b", "b"};
  const std::string_view part = half == 0 ? kColor[argument.operand] : kAlpha[argument.operand];
  std::string text(kSources[static_cast<std::size_t>(argument.source)]);
  if (argument.source == CombinerSource::constant && constant != nullptr) {
    const auto byte = [&](std::size_t n) { return unsigned{(*constant)[n]}; };
    if (part == "rgb") {
      char digits[32];
      std::snprintf(digits, sizeof digits, "#%02x%02x%02x", byte(0), byte(1), byte(2));
      text = digits;
    } else {
      text = std::to_string(byte(std::string_view("rgba").find(part))) + "/255";
    }
  } else if (argument.source != CombinerSource::zero) {
    text += "." + std::string(part);
  }
  return (argument.operand & 1) != 0 ? "(1 - " + text + ")" : text;
}

std::string factor_text(unsigned code, unsigned half) {
  if (half == 1) {
    constexpr std::array<std::string_view, 8> kAlphaOnly = {
        "src.a", "(1 - src.a)", "dst.a", "(1 - dst.a)", "constant.a", "(1 - constant.a)", "1", ""};
    constexpr std::array<std::uint8_t, 15> kSame = {0, 0, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 4, 5, 6};
    return code < 2 ? std::to_string(code) : std::string(kAlphaOnly[kSame[code]]);
  }
  constexpr std::array<std::string_view, 15> kFactors = {"0",
                                                         "1",
                                                         "src",
                                                         "(1 - src)",
                                                         "dst",
                                                         "(1 - dst)",
                                                         "src.a",
                                                         "(1 - src.a)",
                                                         "dst.a",
                                                         "(1 - dst.a)",
                                                         "constant",
                                                         "(1 - constant)",
                                                         "constant.a",
                                                         "(1 - constant.a)",
                                                         "min(src.a, 1 - dst.a)"};
  return std::string(kFactors[code]);
}

constexpr std::array<std::string_view, 8> kComparisons = {"never", "always", "=", "!=", "<", "<=", ">", ">="};

}  // namespace

std::string combiner_formula(const CombinerHalf& half, unsigned which,
                             const std::array<std::uint8_t, 4>* constant) {
  const auto part = [&](unsigned n) { return argument_text(half.arguments[n], which, constant); };
  const std::string a = part(0), b = part(1), c = part(2);
  std::string text;
  bool sum = true;  // a scale needs brackets
  switch (half.op) {
    case CombinerOp::replace:
      text = a;
      sum = false;
      break;
    case CombinerOp::modulate:
      text = a + " * " + b;
      sum = false;
      break;
    case CombinerOp::add:
      text = a + " + " + b;
      break;
    case CombinerOp::add_signed:
      text = a + " + " + b + " - 128/255";
      break;
    case CombinerOp::interpolate:
      text = a + " * " + c + " + " + b + " * (1 - " + c + ")";
      break;
    case CombinerOp::subtract:
      text = a + " - " + b;
      break;
    case CombinerOp::dot3:
    case CombinerOp::dot3_all:
      text = "dot3(" + a + ", " + b + ")";
      sum = false;
      break;
    case CombinerOp::multiply_add:
      text = a + " * " + b + " + " + c;
      break;
    case CombinerOp::add_multiply:
      text = "(" + a + " + " + b + ") * " + c;
      sum = false;
      break;
  }
  if (half.shift == 0) return text;
  return (sum ? "(" + text + ")" : text) + " * " + std::to_string(1U << half.shift);
}

std::string test_text(Comparison comparison, const std::string& a, const std::string& b) {
  if (comparison == Comparison::never) return "never passes";
  if (comparison == Comparison::always) return "always passes";
  return "passes where " + a + " " + std::string(kComparisons[static_cast<std::size_t>(comparison)]) + " " +
         b;
}

std::string blend_formula(const OutputState& output, unsigned half) {
  const std::string part = half == 1 ? ".a" : "";
  const auto term = [&](const char* value, unsigned factor) {
    const std::string text = factor_text(factor, half);
    if (text == "0") return std::string("0");
    return text == "1" ? value + part : value + part + " * " + text;
  };
  const std::string source = term("src", output.factors[2 * half]);
  const std::string target = term("dst", output.factors[2 * half + 1]);
  switch (output.equations[half]) {
    case 1:
      return target == "0" ? source : source + " - " + target;
    case 2:
      return source == "0" ? target : target + " - " + source;
    case 3:
      return "min(" + source + ", " + target + ")";
    case 4:
      return "max(" + source + ", " + target + ")";
    default:
      return target == "0" ? source : source == "0" ? target : source + " + " + target;
  }
}

std::string logic_formula(unsigned op) {
  constexpr std::array<std::string_view, 16> kOps = {
      "0",          "src & dst",    "src & ~dst", "src",          "1",         "~src",         "dst",
      "~dst",       "~(src & dst)", "src | dst",  "~(src | dst)", "src ^ dst", "~(src ^ dst)", "~src & dst",
      "src | ~dst", "~src | dst"};
  return std::string(kOps[op & 15]);
}

namespace {

// A stage's formula with names of words (facts/fragment_file.h).
std::string in_words(std::string text, unsigned stage) {
  const auto replace = [&](std::string_view word, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
      text.replace(at, word.size(), by);
  };
  replace("constant.", "constant" + std::to_string(stage) + ".");
  if (stage != 0) replace("previous.", "stage" + std::to_string(stage - 1) + ".");
  return text;
}

}  // namespace

std::string list_fragment(const FragmentState& state) {
  std::string listing;
  const auto add = [&](unsigned step, const std::string& text) {
    char comment[16];
    std::snprintf(comment, sizeof comment, "// %x:\n", step);
    listing += text + " " + comment;
  };
  using S = FragmentStep;
  const auto digit = [](unsigned n) { return std::to_string(n); };
  add(S::kDepth, state.w_buffer ? "depth = (position.z * scale + offset) * position.w"
                                : "depth = position.z * scale + offset");
  if (reads(state, CombinerSource::primary))
    add(S::kPrimary, state.flat_color ? "primary = color of the last vertex" : "primary = color");
  for (unsigned unit = 0; unit < state.textures.size(); ++unit) {
    const TextureState& texture = state.textures[unit];
    if (texture.type == TextureType::off) continue;
    constexpr std::array<std::string_view, 5> kTypes = {"2D", "cube", "shadow", "projection", "shadow cube"};
    const unsigned coordinates = unit == 2 && state.unit2_uses_coordinates1 ? 1 : unit;
    add(S::kTexture + unit, "texture" + digit(unit) + " = " +
                                std::string(kTypes[static_cast<std::size_t>(texture.type)]) +
                                " texture at texcoord" + digit(coordinates));
  }
  if (state.procedural.on)
    add(S::kProcedural, "procedural = procedural texture at texcoord" + digit(state.procedural.coordinates));
  if (state.lighting.on)
    add(S::kLighting,
        "light_primary, light_secondary = " + digit(state.lighting.count) +
            (state.lighting.count == 1 ? " light" : " lights") +
            (state.lighting.bump == BumpMode::none ? std::string()
                                                   : ", bumps of texture" + digit(state.lighting.bump_unit)));
  for (unsigned n = 0; n < kCombinerStages; ++n) {
    const CombinerStage& stage = state.stages[n];
    const bool both = stage.color.op == CombinerOp::dot3_all;
    std::string text =
        "stage" + digit(n) + ": rgb = " + in_words(combiner_formula(stage.color, 0, nullptr), n);
    text += both ? "; a = the same" : "; a = " + in_words(combiner_formula(stage.alpha, 1, nullptr), n);
    if (stage.color.updates) text += "; next_buffer.rgb = rgb";
    if (stage.alpha.updates) text += "; next_buffer.a = a";
    add(S::kStage + n, text);
  }
  const OutputState& output = state.output;
  if (output.shadow) {
    add(S::kShadow,
        "shadow map: depth_word where combined.g = 0, else intensity, if depth_word < stored_depth");
    return listing;
  }
  if (output.alpha_test != Comparison::always)
    add(S::kAlphaTest, "alpha test " + test_text(output.alpha_test, "combined.a", "alpha_reference"));
  if (state.fog) add(S::kFog, "combined.rgb = fog * combined.rgb + (1 - fog) * fog_color.rgb");
  if (output.touches_depth()) {
    std::string text = "depth " + test_text(output.depth_test, "depth_word", "stored_depth");
    if (output.stencil)
      text = "stencil " + test_text(output.stencil_test, "stencil_reference", "stored_stencil") + "; " + text;
    if (output.depth_writes) text += "; writes depth";
    add(S::kDepthTest, text);
  }
  if (output.color_mask != 0) {
    if (!output.blends)
      add(S::kOutput, "output = " + logic_formula(output.logic_op) + ", bit by bit");
    else
      add(S::kOutput, "output: rgb = " + blend_formula(output, 0) + "; a = " + blend_formula(output, 1));
  }
  return listing;
}

}  // namespace warpjit::pica200
