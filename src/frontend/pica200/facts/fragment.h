// The fixed function after the shader units, read from its registers (docs/pica-pixels.md): what is done to a
// fragment, apart from the values that it is done with. The first is FragmentState: what cannot matter is
// cleared, and equal states are one program. The values change from draw to draw and compile nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "base/result.h"

namespace warpjit::pica200 {

inline constexpr std::size_t kGpuRegisters = 0x300;
using GpuRegisters = std::span<const std::uint32_t, kGpuRegisters>;

// A small float with its bias in the middle of the exponents: denormals keep their value.
float decode_float(std::uint32_t word, unsigned exponent_bits, unsigned mantissa_bits);

// "register 0x085".
std::string register_name(std::uint32_t id);

// ---- Texture units

enum class TextureType : std::uint8_t { flat, cube, shadow, projection, shadow_cube, off };
enum class TexelFormat : std::uint8_t {
  rgba8,
  rgb8,
  rgb5a1,
  rgb565,
  rgba4,
  ia8,
  rg8,
  i8,
  a8,
  ia4,
  i4,
  a4,
  etc1,
  etc1a4
};
unsigned texel_bits(TexelFormat format);

struct TextureState {
  TextureType type = TextureType::off;
  TexelFormat format = TexelFormat::rgba8;
  std::uint8_t wrap_s = 0, wrap_t = 0;  // codes of 5.3
  bool magnify_linear = false, minify_linear = false, mip_linear = false;
  bool divides = false;       // coordinates, by tc0.w
  bool one_level = false;     // the limits of the level of detail leave but one
  bool absent = false;        // address 0, of textures that are no cubes
  bool lacks_levels = false;  // of several that may be sampled, some are smaller than 8 x 8

  bool is_cube() const { return type == TextureType::cube || type == TextureType::shadow_cube; }
  bool compares() const { return type == TextureType::shadow || type == TextureType::shadow_cube; }
  // tc0.w beside the two coordinates.
  bool reads_w() const { return is_cube() || compares() || divides; }
  // The level of detail decides something.
  bool needs_detail() const {
    return type != TextureType::off && !absent && !compares() &&
           (!one_level || magnify_linear != minify_linear);
  }
  bool operator==(const TextureState&) const = default;
};
struct TextureValues {
  std::uint32_t width = 0, height = 0;             // of level 0, powers of two
  std::array<std::uint32_t, 6> addresses{};        // of level 0, by face
  std::array<std::uint32_t, 6> address_ids{};      // registers that name them
  std::int32_t bias = 0, least = 0, greatest = 0;  // bias in 1/256 of a level
  std::array<std::uint8_t, 4> border{};
  std::uint32_t shadow_bias = 0;
  // The last level whose sides are 8 or more.
  std::int32_t last_level() const {
    std::int32_t level = 0;
    while (width >> (level + 1) >= 8 && height >> (level + 1) >= 8) ++level;
    return level;
  }
};

struct ProceduralState {
  bool on = false;
  std::uint8_t coordinates = 0;  // of texture unit
  std::uint8_t clamp_u = 0, clamp_v = 0, shift_u = 0, shift_v = 0;
  std::uint8_t color_function = 0, alpha_function = 0;
  bool separate_alpha = false, noise = false;
  std::uint8_t filter = 0;
  bool biased = false;  // the bias of the level is not 0
  bool operator==(const ProceduralState&) const = default;
};
struct ProceduralValues {
  std::array<std::int32_t, 2> amplitudes{};
  std::array<float, 2> phases{}, frequencies{};
  float bias = 0;
  std::int32_t least = 0, greatest = 0, width = 0;
  std::array<std::uint8_t, 8> offsets{};
};

// ---- Lighting

// Tables in the order of register 0x1D0.
enum LightTable : std::uint8_t { kD0, kD1, kSP, kFR, kRB, kRG, kRR, kLightTables };
struct LightTableState {
  bool on = false, is_signed = false;
  std::uint8_t input = 0, scale = 0;  // codes
  bool operator==(const LightTableState&) const = default;
};
struct LightState {
  bool directional = false, two_sided = false;
  std::array<bool, 2> geometric{};  // factor on specular 0, 1
  bool shadowed = false, spot = false, attenuated = false;
  bool operator==(const LightState&) const = default;
};
enum class BumpMode : std::uint8_t { none, normal, tangent };
struct LightingState {
  bool on = false;
  std::uint8_t count = 0;
  std::array<LightState, 8> lights;  // by slot
  std::array<LightTableState, kLightTables> tables;
  BumpMode bump = BumpMode::none;
  bool keeps_z = false;  // of a normal map
  std::uint8_t bump_unit = 0, shadow_unit = 0;
  bool shadow = false, shadow_primary = false, shadow_secondary = false, shadow_inverted = false,
       shadow_alpha = false;
  bool fresnel_primary = false, fresnel_secondary = false, clamp_highlights = false;
  bool operator==(const LightingState&) const = default;
};
struct LightValues {
  std::uint8_t id = 0;
  std::array<float, 3> specular0{}, specular1{}, diffuse{}, ambient{}, position{}, spot{};
  float distance_bias = 0, distance_scale = 0;
};

// ---- Combiners

enum class CombinerSource : std::uint8_t {
  zero,
  primary,
  light_primary,
  light_secondary,
  texture0,
  texture1,
  texture2,
  procedural,
  buffer,
  constant,
  previous
};
enum class CombinerOp : std::uint8_t {
  replace,
  modulate,
  add,
  add_signed,
  interpolate,
  subtract,
  dot3,
  dot3_all,
  multiply_add,
  add_multiply
};
struct CombinerArgument {
  CombinerSource source = CombinerSource::zero;
  std::uint8_t operand = 0;  // code
  bool operator==(const CombinerArgument&) const = default;
};
struct CombinerHalf {
  CombinerOp op = CombinerOp::replace;
  std::array<CombinerArgument, 3> arguments;  // those that the operation has
  std::uint8_t shift = 0;                     // the result is scaled by 1 << shift
  bool updates = false;                       // the buffer that the stage after the next reads
  bool operator==(const CombinerHalf&) const = default;
};
unsigned argument_count(CombinerOp op);
struct CombinerStage {
  CombinerHalf color, alpha;
  bool operator==(const CombinerStage&) const = default;
};
inline constexpr unsigned kCombinerStages = 6;
// The first register of each.
inline constexpr std::array<std::uint32_t, kCombinerStages> kStageIds = {0x0C0, 0x0C8, 0x0D0,
                                                                         0x0D8, 0x0F0, 0x0F8};

// ---- What happens to the colour

enum class Comparison : std::uint8_t {
  never,
  always,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal
};
enum class ColorFormat : std::uint8_t { rgba8, rgb8, rgb5a1, rgb565, rgba4 };
enum class DepthFormat : std::uint8_t { d16 = 0, d24 = 2, d24s8 = 3 };
unsigned pixel_bytes(ColorFormat format);
unsigned pixel_bytes(DepthFormat format);

struct OutputState {
  bool shadow = false;  // a shadow map is drawn: of all below nothing counts
  Comparison alpha_test = Comparison::always;
  bool stencil = false;
  Comparison stencil_test = Comparison::always;
  std::array<std::uint8_t, 3> stencil_ops{};  // codes: stencil fails, depth fails, both pass
  bool stencil_writes = false;
  Comparison depth_test = Comparison::always;  // always: no test
  bool depth_writes = false;
  bool blends = false;                      // else a logic operation
  std::array<std::uint8_t, 2> equations{};  // colour, alpha; codes 0 to 4
  std::array<std::uint8_t, 4> factors{};    // colour: source, target; alpha: source, target
  std::uint8_t logic_op = 0;
  std::uint8_t color_mask = 0;  // components that are written: red is bit 0
  ColorFormat color_format = ColorFormat::rgba8;
  DepthFormat depth_format = DepthFormat::d16;
  bool touches_color() const { return shadow || color_mask != 0; }
  bool touches_depth() const {
    return !shadow && (stencil || depth_test != Comparison::always || depth_writes);
  }
  bool operator==(const OutputState&) const = default;
};

// Which halves of a colour count.
struct Halves {
  bool color = false, alpha = false;
};
// What becomes of the last combiner stage.
Halves halves_read(const OutputState& output);

// The program.
struct FragmentState {
  std::array<TextureState, 3> textures;
  bool unit2_uses_coordinates1 = false;
  ProceduralState procedural;
  LightingState lighting;
  std::array<CombinerStage, kCombinerStages> stages;
  bool fog = false, fog_flipped = false;
  bool w_buffer = false;
  bool flat_color = false;
  bool outside_box = false;  // pixels inside of the scissor box are not drawn
  OutputState output;
  bool operator==(const FragmentState&) const = default;
};

// True if a combiner does.
bool reads(const FragmentState& state, CombinerSource source);
static_assert(std::has_unique_object_representations_v<FragmentState>);  // its bytes are a key

// What the data ports fill: words as they were written.
struct FragmentTables {
  std::array<std::array<std::uint32_t, 256>, 24> lights{};  // by table number of 0x1C5
  std::array<std::uint32_t, 128> fog{};
  std::array<std::uint32_t, 128> noise{}, color_map{}, alpha_map{};
  std::array<std::uint32_t, 256> colors{}, color_differences{};
};

struct FragmentValues {
  std::array<TextureValues, 3> textures;
  ProceduralValues procedural;
  std::array<LightValues, 8> lights;  // by slot
  std::array<float, 3> ambient{};
  std::array<std::array<std::uint8_t, 4>, kCombinerStages> constants{};
  std::array<std::uint8_t, 4> buffer{};
  std::array<std::uint8_t, 3> fog_color{};
  float depth_scale = 0, depth_offset = 0;
  std::uint8_t alpha_reference = 0;
  std::uint8_t stencil_reference = 0, stencil_input_mask = 0, stencil_write_mask = 0;
  std::array<std::uint8_t, 4> blend_constant{};
  float shadow_constant = 0, shadow_linear = 0;
  const FragmentTables* tables = nullptr;
};

// What covers pixels, and where these lie.
struct RasterSetup {
  std::uint8_t cull = 0;                   // code
  double half_width = 0, half_height = 0;  // of the viewport
  std::int32_t x = 0, y = 0;               // its lower left corner
  bool user_plane = false;
  std::array<float, 4> plane{};
  enum class Scissor : std::uint8_t { off, outside, inside } scissor = Scissor::off;
  std::int32_t left = 0, bottom = 0, right = 0, top = 0;  // of the scissor box, inclusive
};
struct TargetSetup {
  std::uint32_t width = 0, height = 0;  // pixels
  bool mirrored = false;                // row 0 is the lowest in memory
  std::uint32_t color_address = 0, depth_address = 0;
};

struct FragmentSetup {
  FragmentState state;
  FragmentValues values;
  RasterSetup raster;
  TargetSetup target;
};
// Reserved codes and what is not documented, by their register.
Error reserved(std::uint32_t id, const std::string& what);

// Errors name the register: bad_input for reserved codes, unsupported for gas and for what is not documented.
// `tables` must outlive the setup.
Result<FragmentSetup> read_fragment_setup(GpuRegisters registers, const FragmentTables& tables);

// Parts of it. `used`: what the combiners read, by CombinerSource.
using UsedSources = std::array<bool, 11>;
Status read_texture_units(GpuRegisters registers, const UsedSources& used, FragmentSetup& setup);
Status read_procedural(GpuRegisters registers, FragmentSetup& setup);
Status read_lighting(GpuRegisters registers, FragmentSetup& setup);

}  // namespace warpjit::pica200
