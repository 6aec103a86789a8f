// Combiners, outputs, raster and targets; fragment_units.cpp has the units that make what combiners read.
#include "frontend/pica200/facts/fragment.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/bits.h"

namespace warpjit::pica200 {

namespace {

std::array<std::uint8_t, 4> bytes_of(std::uint32_t word) {
  return {static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8),
          static_cast<std::uint8_t>(word >> 16), static_cast<std::uint8_t>(word >> 24)};
}

// ---- Combiners

// Codes 7 to 12 are reserved.
Result<CombinerSource> source_of(std::uint32_t code, std::uint32_t id) {
  constexpr std::array<CombinerSource, 7> kFirst = {
      CombinerSource::primary,   CombinerSource::light_primary, CombinerSource::light_secondary,
      CombinerSource::texture0,  CombinerSource::texture1,      CombinerSource::texture2,
      CombinerSource::procedural};
  if (code < kFirst.size()) return kFirst[code];
  if (code == 13) return CombinerSource::buffer;
  if (code == 14) return CombinerSource::constant;
  if (code == 15) return CombinerSource::previous;
  return reserved(id, "combiner source " + std::to_string(code));
}

bool is_color_operand(std::uint32_t code) {
  return code <= 5 || code == 8 || code == 9 || code == 12 || code == 13;
}

struct HalfFields {
  std::array<std::uint32_t, 3> sources{}, operands{};
  std::uint32_t op = 0, scale = 0;
};

Result<CombinerHalf> read_half(const HalfFields& fields, std::uint32_t id, unsigned stage, bool color) {
  CombinerHalf half;
  if (fields.op > 9) return reserved(id + 2, "combiner operation " + std::to_string(fields.op));
  half.op = static_cast<CombinerOp>(fields.op);
  half.shift = static_cast<std::uint8_t>(fields.scale == 3 ? 0 : fields.scale);
  for (unsigned n = 0; n < argument_count(half.op); ++n) {
    CombinerArgument& argument = half.arguments[n];
    WARPJIT_TRY(argument.source, source_of(fields.sources[n], id));
    // In the first stage a previous result is what the third source names.
    if (stage == 0 && argument.source == CombinerSource::previous) {
      argument.source = CombinerSource::zero;
      if (n != 2) {
        WARPJIT_TRY(argument.source, source_of(fields.sources[2], id));
        if (argument.source == CombinerSource::previous) argument.source = CombinerSource::zero;
      }
    }
    if (stage == 0 && argument.source == CombinerSource::buffer) argument.source = CombinerSource::zero;
    if (color && !is_color_operand(fields.operands[n]))
      return reserved(id + 1, "combiner operand " + std::to_string(fields.operands[n]));
    argument.operand = static_cast<std::uint8_t>(fields.operands[n]);
  }
  return half;
}

Status read_combiners(GpuRegisters r, FragmentSetup& setup) {
  for (unsigned stage = 0; stage < kCombinerStages; ++stage) {
    const std::uint32_t id = kStageIds[stage];
    const std::uint32_t sources = r[id], operands = r[id + 1], ops = r[id + 2], scales = r[id + 4];
    CombinerStage& to = setup.state.stages[stage];
    HalfFields color, alpha;
    for (unsigned n = 0; n < 3; ++n) {
      color.sources[n] = bits(sources, 4 * n, 4);
      alpha.sources[n] = bits(sources, 16 + 4 * n, 4);
      color.operands[n] = bits(operands, 4 * n, 4);
      alpha.operands[n] = bits(operands, 12 + 4 * n, 3);
    }
    color.op = bits(ops, 0, 4);
    alpha.op = bits(ops, 16, 4);
    color.scale = bits(scales, 0, 2);
    alpha.scale = bits(scales, 16, 2);
    WARPJIT_TRY(to.color, read_half(color, id, stage, true));
    if (to.color.op == CombinerOp::dot3_all) {
      to.alpha.shift = static_cast<std::uint8_t>(alpha.scale == 3 ? 0 : alpha.scale);
    } else {
      if (alpha.op == 6 || alpha.op == 7)
        return reserved(id + 2, "combiner operation " + std::to_string(alpha.op) + " of alpha alone");
      WARPJIT_TRY(to.alpha, read_half(alpha, id, stage, false));
    }
    if (stage < 4) {
      to.color.updates = bit(r[0x0E0], 8 + stage);
      to.alpha.updates = bit(r[0x0E0], 12 + stage);
    }
    setup.values.constants[stage] = bytes_of(r[id + 3]);
  }
  setup.values.buffer = bytes_of(r[0x0FD]);
  return {};
}

// What an argument reads of its source.
Halves halves_of(const CombinerArgument& argument, bool of_color) {
  const unsigned component = argument.operand / 2;
  const bool alpha = of_color ? component == 1 : component == 0;
  return {!alpha, alpha};
}

// Clears halves of stages whose results nothing reads.
void drop_dead_stages(FragmentState& state) {
  const bool reads_buffer = reads(state, CombinerSource::buffer);
  Halves live = halves_read(state.output);
  for (std::size_t n = kCombinerStages; n-- > 0;) {
    CombinerStage& stage = state.stages[n];
    if (!reads_buffer) stage.color.updates = stage.alpha.updates = false;
    live.color = live.color || stage.color.updates;
    live.alpha = live.alpha || stage.alpha.updates;
    // A dot product may be the alpha, too.
    if (stage.color.op == CombinerOp::dot3_all) live.color = live.color || live.alpha;
    if (!live.alpha) stage.alpha = {};
    if (!live.color) stage.color = {};
    live = {};
    for (const bool of_color : {true, false})
      for (const CombinerArgument& argument : (of_color ? stage.color : stage.alpha).arguments) {
        if (argument.source != CombinerSource::previous) continue;
        const Halves read = halves_of(argument, of_color);
        live.color = live.color || read.color;
        live.alpha = live.alpha || read.alpha;
      }
  }
}

Status read_fog(GpuRegisters r, FragmentSetup& setup) {
  const std::uint32_t mode = bits(r[0x0E0], 0, 3);
  if (mode == 7) return Error{ErrorCode::unsupported, "gas is not supported", register_name(0x0E0)};
  if (mode != 0 && mode != 5) return reserved(0x0E0, "fog mode " + std::to_string(mode));
  setup.state.fog = mode == 5;
  if (!setup.state.fog) return {};
  setup.state.fog_flipped = bit(r[0x0E0], 16);
  const auto color = bytes_of(r[0x0E1]);
  setup.values.fog_color = {color[0], color[1], color[2]};
  return {};
}

// ---- Tests and blending

Status read_color_format(GpuRegisters r, OutputState& out) {
  const std::uint32_t code = bits(r[0x117], 16, 3);
  if (code > 4) return reserved(0x117, "colour format " + std::to_string(code));
  out.color_format = static_cast<ColorFormat>(code);
  return {};
}

Status read_blending(GpuRegisters r, FragmentSetup& setup) {
  OutputState& out = setup.state.output;
  out.color_mask = static_cast<std::uint8_t>(bits(r[0x113], 0, 4) == 0 ? 0 : bits(r[0x107], 8, 4));
  if (out.color_mask == 0) return {};
  WARPJIT_CHECK(read_color_format(r, out));
  if (out.color_format == ColorFormat::rgb8 || out.color_format == ColorFormat::rgb565) out.color_mask &= 7;
  if (out.color_mask == 0) return {};
  out.blends = bit(r[0x100], 8);
  if (!out.blends) {
    out.logic_op = static_cast<std::uint8_t>(bits(r[0x102], 0, 4));
    return {};
  }
  for (unsigned n = 0; n < 2; ++n) {
    const std::uint32_t equation = bits(r[0x101], 8 * n, 3);
    out.equations[n] = static_cast<std::uint8_t>(equation > 4 ? 0 : equation);
  }
  for (unsigned n = 0; n < 4; ++n) {
    const std::uint32_t factor = bits(r[0x101], 16 + 4 * n, 4);
    if (factor == 15) return reserved(0x101, "blend factor 15");
    out.factors[n] = static_cast<std::uint8_t>(factor);
  }
  setup.values.blend_constant = bytes_of(r[0x103]);
  return {};
}

Status read_depth_stencil(GpuRegisters r, FragmentSetup& setup) {
  OutputState& out = setup.state.output;
  if (bit(r[0x107], 0)) out.depth_test = static_cast<Comparison>(bits(r[0x107], 4, 3));
  out.depth_writes = bit(r[0x107], 12) && bit(r[0x115], 1);
  const std::uint32_t code = bits(r[0x116], 0, 2);
  const bool stencil = bit(r[0x105], 0) && (code == 3 || code == 1);
  if (!stencil && out.depth_test == Comparison::always && !out.depth_writes) return {};
  if (code == 1) return reserved(0x116, "depth format 1");
  out.depth_format = static_cast<DepthFormat>(code);
  if (!stencil) return {};
  out.stencil_test = static_cast<Comparison>(bits(r[0x105], 4, 3));
  out.stencil_writes = bit(r[0x115], 0) && bits(r[0x105], 8, 8) != 0;
  out.stencil = out.stencil_writes || out.stencil_test != Comparison::always;
  if (out.stencil_writes)
    for (unsigned n = 0; n < 3; ++n) out.stencil_ops[n] = static_cast<std::uint8_t>(bits(r[0x106], 4 * n, 3));
  setup.values.stencil_write_mask = static_cast<std::uint8_t>(bits(r[0x105], 8, 8));
  setup.values.stencil_reference = static_cast<std::uint8_t>(bits(r[0x105], 16, 8));
  setup.values.stencil_input_mask = static_cast<std::uint8_t>(bits(r[0x105], 24, 8));
  return {};
}

Status read_output(GpuRegisters r, FragmentSetup& setup) {
  OutputState& out = setup.state.output;
  const std::uint32_t mode = bits(r[0x100], 0, 2);
  if (mode == 1) return Error{ErrorCode::unsupported, "gas is not supported", register_name(0x100)};
  if (mode == 2) return reserved(0x100, "fragment mode 2");
  if (bits(r[0x100], 24, 2) != 0) return reserved(0x100, "drawing of every second line");
  if (mode == 3) {
    out.shadow = true;
    WARPJIT_CHECK(read_color_format(r, out));
    if (out.color_format != ColorFormat::rgba8)
      return reserved(0x117, "a shadow map in another format than RGBA8");
    setup.values.shadow_constant = decode_float(r[0x130], 5, 10);
    setup.values.shadow_linear = decode_float(r[0x130] >> 16, 5, 10);
    return {};
  }
  if (bit(r[0x104], 0)) {
    out.alpha_test = static_cast<Comparison>(bits(r[0x104], 4, 3));
    if (out.alpha_test != Comparison::always && out.alpha_test != Comparison::never)
      setup.values.alpha_reference = static_cast<std::uint8_t>(bits(r[0x104], 8, 8));
  }
  WARPJIT_CHECK(read_depth_stencil(r, setup));
  return read_blending(r, setup);
}

// ---- Raster and targets

Status read_raster(GpuRegisters r, FragmentSetup& setup) {
  RasterSetup& raster = setup.raster;
  raster.cull = static_cast<std::uint8_t>(bits(r[0x040], 0, 2));
  raster.half_width = decode_float(r[0x041], 7, 16);
  raster.half_height = decode_float(r[0x043], 7, 16);
  raster.x = sign_extend(r[0x068], 10);
  raster.y = sign_extend(r[0x068] >> 16, 10);
  raster.user_plane = bit(r[0x047], 0);
  for (unsigned n = 0; n < 4; ++n) raster.plane[n] = decode_float(r[0x048 + n], 7, 16);
  if (bits(r[0x060], 8, 2) != 0) return reserved(0x060, "drawing of every second pixel");
  const std::uint32_t scissor = bits(r[0x065], 0, 2);
  if (scissor == 1) raster.scissor = RasterSetup::Scissor::outside;
  if (scissor == 3) raster.scissor = RasterSetup::Scissor::inside;
  setup.state.outside_box = scissor == 1;
  raster.left = static_cast<std::int32_t>(bits(r[0x066], 0, 10));
  raster.bottom = static_cast<std::int32_t>(bits(r[0x066], 16, 10));
  raster.right = static_cast<std::int32_t>(bits(r[0x067], 0, 10));
  raster.top = static_cast<std::int32_t>(bits(r[0x067], 16, 10));
  setup.values.depth_scale = decode_float(r[0x04D], 7, 16);
  setup.values.depth_offset = decode_float(r[0x04E], 7, 16);
  return {};
}

Status read_target(GpuRegisters r, FragmentSetup& setup) {
  const OutputState& out = setup.state.output;
  TargetSetup& target = setup.target;
  target.width = bits(r[0x11E], 0, 11);
  target.height = bits(r[0x11E], 12, 10) + 1;
  target.mirrored = !bit(r[0x11E], 24);
  target.color_address = bits(r[0x11D], 0, 28) << 3;
  target.depth_address = bits(r[0x11C], 0, 28) << 3;
  if (!out.touches_color() && !out.touches_depth()) return {};
  if (target.width == 0 || target.width % 8 != 0 || target.width > 1024)
    return Error{
        ErrorCode::bad_input,
        "the target has width " + std::to_string(target.width) + ", allowed are multiples of 8 up to 1024",
        register_name(0x11E)};
  if (bit(r[0x11B], 0)) return reserved(0x11B, "targets in blocks of 32 x 32");
  return {};
}

}  // namespace

float decode_float(std::uint32_t word, unsigned exponent_bits, unsigned mantissa_bits) {
  const auto exponent = static_cast<int>(bits(word, mantissa_bits, exponent_bits));
  const std::uint32_t mantissa = bits(word, 0, mantissa_bits);
  const int bias = (1 << (exponent_bits - 1)) - 1, most = (1 << exponent_bits) - 1;
  float value = 0;
  if (exponent == most)
    value = mantissa == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  else if (exponent == 0)
    value = std::ldexp(static_cast<float>(mantissa), 1 - bias - static_cast<int>(mantissa_bits));
  else
    value = std::ldexp(static_cast<float>(mantissa | 1u << mantissa_bits),
                       exponent - bias - static_cast<int>(mantissa_bits));
  return bit(word, exponent_bits + mantissa_bits) ? -value : value;
}

std::string register_name(std::uint32_t id) {
  char text[24];
  std::snprintf(text, sizeof text, "register 0x%03X", static_cast<unsigned>(id));
  return text;
}

Error reserved(std::uint32_t id, const std::string& what) {
  return {ErrorCode::bad_input, what + " is reserved or not documented", register_name(id)};
}

Halves halves_read(const OutputState& out) {
  if (out.shadow) return {true, false};
  const auto by_alpha = [&](std::size_t factor) {
    const std::uint8_t code = out.factors[factor];
    return code == 6 || code == 7 || code == 14;
  };
  const bool color = (out.color_mask & 7) != 0, alpha = (out.color_mask & 8) != 0;
  const bool blends_by_alpha =
      out.blends && ((color && (by_alpha(0) || by_alpha(1))) || (alpha && (by_alpha(2) || by_alpha(3))));
  return {color, alpha || blends_by_alpha || out.alpha_test != Comparison::always};
}

unsigned argument_count(CombinerOp op) {
  switch (op) {
    case CombinerOp::replace:
      return 1;
    case CombinerOp::interpolate:
    case CombinerOp::multiply_add:
    case CombinerOp::add_multiply:
      return 3;
    default:
      return 2;
  }
}

unsigned pixel_bytes(ColorFormat format) {
  return format == ColorFormat::rgba8 ? 4 : format == ColorFormat::rgb8 ? 3 : 2;
}
unsigned pixel_bytes(DepthFormat format) {
  return format == DepthFormat::d24s8 ? 4 : format == DepthFormat::d24 ? 3 : 2;
}

bool reads(const FragmentState& state, CombinerSource source) {
  return std::ranges::any_of(state.stages, [&](const CombinerStage& stage) {
    for (const CombinerHalf* half : {&stage.color, &stage.alpha})
      for (const CombinerArgument& argument : half->arguments)
        if (argument.source == source) return true;
    return false;
  });
}

Result<FragmentSetup> read_fragment_setup(GpuRegisters registers, const FragmentTables& tables) {
  FragmentSetup setup;
  setup.values.tables = &tables;
  WARPJIT_CHECK(read_output(registers, setup));
  WARPJIT_CHECK(read_combiners(registers, setup));
  drop_dead_stages(setup.state);
  UsedSources used{};
  for (std::size_t source = 0; source < used.size(); ++source)
    used[source] = reads(setup.state, static_cast<CombinerSource>(source));
  // A shadow map takes no fog, nor does what has no colour, but its mode may still be reserved.
  WARPJIT_CHECK(read_fog(registers, setup));
  if (setup.state.output.shadow || (setup.state.output.color_mask & 7) == 0)
    setup.state.fog = setup.state.fog_flipped = false;
  const auto uses = [&](CombinerSource source) { return used[static_cast<std::size_t>(source)]; };
  if (uses(CombinerSource::light_primary) || uses(CombinerSource::light_secondary)) {
    WARPJIT_CHECK(read_lighting(registers, setup));
    const LightingState& lighting = setup.state.lighting;
    constexpr auto kTexture0 = static_cast<std::size_t>(CombinerSource::texture0);
    if (lighting.bump != BumpMode::none) used[kTexture0 + lighting.bump_unit] = true;
    if (lighting.shadow) used[kTexture0 + lighting.shadow_unit] = true;
  }
  WARPJIT_CHECK(read_texture_units(registers, used, setup));
  if (uses(CombinerSource::procedural)) WARPJIT_CHECK(read_procedural(registers, setup));
  setup.state.flat_color = uses(CombinerSource::primary) && bit(registers[0x058], 0);
  const OutputState& out = setup.state.output;
  setup.state.w_buffer = !bit(registers[0x06D], 0) && (out.shadow || out.touches_depth() || setup.state.fog);
  WARPJIT_CHECK(read_raster(registers, setup));
  WARPJIT_CHECK(read_target(registers, setup));
  return setup;
}

}  // namespace warpjit::pica200
