// PowerVR USSE, the PlayStation Vita's GPU: vertex and fragment programs of GXP containers
// (docs/guests/usse.md), their words and assembly, and draws in the console's own terms.
//
//   auto vertex = warpjit::Program::load(gxp_bytes), fragment = warpjit::Program::load(other_bytes);
//   auto scene = warpjit::usse::Scene::begin(color_surface, depth_surface);
//   warpjit::usse::Draw draw{.vertex = {.program = &*vertex}, .fragment = {.program = &*fragment}};
//   draw.streams = streams;            // vertex data
//   draw.attributes = attributes;      // which registers they fill
//   draw.vertex.uniforms = uniforms;   // by name
//   draw.fragment.textures = textures; // control words, over draw.memory
//   auto report = scene->draw(engine, draw);
//   auto status = scene->end();        // the pixels come to the surface
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "warpjit/capture.hpp"
#include "warpjit/warpjit.hpp"

namespace warpjit::usse {

// ---- Programs without a GXP container, which Program::load reads

// Bare code words of a primary program, which may be hostile and are not kept. Nothing says what their inputs
// and outputs mean; samples name control words of units 0, 1 and so on, in the order of registers.
struct RawProgram {
  std::span<const std::uint64_t> code{};  // 1 to 65536 instructions
  Stage stage = Stage::vertex;            // or fragment
  std::string source_name = {};           // for messages
};
// Errors: bad_input; resource_limit.
WARPJIT_API Result<warpjit::Program> load_words(const RawProgram& raw);
// warpjit's assembly, which is also what it lists: one program, without a name.
WARPJIT_API Result<warpjit::Program> load_assembly(std::string_view text, const Selection& selection = {});

// ---- Draws

// Where a field says so, it takes numbers of the console's headers as they are. A number that is not
// supported is an error that names it.

// Formats of attributes in memory, as the console numbers them.
enum class AttributeFormat : std::uint8_t { u8, s8, u16, s16, u8n, s8n, u16n, s16n, f16, f32, untyped };
inline constexpr unsigned kAttributeFormats = 11;
WARPJIT_API const char* name(AttributeFormat format);  // "u8n"
WARPJIT_API std::optional<AttributeFormat> parse_attribute_format(std::string_view text);

struct VertexStream {
  const void* data = nullptr;
  std::size_t size = 0;       // bytes; what lies beyond them is 0
  std::uint32_t stride = 0;   // from an element to the next
  bool per_instance = false;  // else an element a vertex
};
struct VertexAttribute {
  unsigned stream = 0;
  std::uint32_t offset = 0;  // of the first element
  AttributeFormat format = AttributeFormat::f32;
  std::uint8_t components = 4;  // 1 to 4
  std::uint16_t reg = 0;        // the first word of pa
};

// Words in the order in which memory has them.
struct NamedUniform {
  std::string_view name;
  std::span<const std::uint32_t> words;
};
// A uniform buffer, 0 to 13. Programs have it in registers (`words`) or read it from memory (`address`), or
// both, as their container says.
struct UniformBufferBinding {
  unsigned buffer = 0;
  std::span<const std::uint32_t> words{};
  std::uint32_t address = 0;
};
struct TextureBinding {
  unsigned unit = 0;  // 0 to 15
  // The words of a SceGxmTexture as consoles write them: bit 31 of the last one is set, which means that
  // channels are numbers of 0 to 1 or -1 to 1; clear, they are their integers (docs/guests/usse.md 9).
  std::array<std::uint32_t, 4> control{};
};
// A program of one stage and what is its own.
struct StageSetup {
  const warpjit::Program* program = nullptr;
  std::span<const NamedUniform> uniforms{};
  // The default uniform buffer as it is, instead of names.
  std::span<const std::uint32_t> default_uniforms{};
  std::span<const UniformBufferBinding> buffers{};
  std::span<const TextureBinding> textures{};
};

// A piece of the guest's memory. Address and data are multiples of 8.
struct Memory {
  std::uint32_t address = 0;
  void* data = nullptr;
  std::size_t size = 0;
};

// x of the screen is offset + scale * (x / w); the same for y and z.
struct Viewport {
  float x_offset = 0, x_scale = 1, y_offset = 0, y_scale = 1, z_offset = 0.5F, z_scale = 0.5F;
};
enum class Primitive : std::uint8_t { triangles, triangle_strip, triangle_fan, points };
enum class Cull : std::uint8_t { none, clockwise, counter_clockwise };

// The fields of a SceGxmBlendInfo, by their numbers.
struct Blend {
  std::uint8_t color_mask = 15;  // 1 alpha, 2 red, 4 green, 8 blue
  std::uint8_t color_function = 0, alpha_function = 0;
  std::uint8_t color_source = 1, color_target = 0, alpha_source = 1, alpha_target = 0;
};
struct StencilFunction {
  Compare compare = Compare::always;
  StencilOp fail = StencilOp::keep, depth_fail = StencilOp::keep, pass = StencilOp::keep;
  std::uint8_t reference = 0, compare_mask = 0xff, write_mask = 0xff;
};
struct DepthStencil {
  Compare depth_compare = Compare::always;
  bool depth_write = false;
  bool stencil = false;
  bool two_sided = false;  // else the front function holds for both sides
  StencilFunction front{}, back{};
};

struct Draw {
  StageSetup vertex, fragment;
  std::span<const VertexStream> streams{};
  std::span<const VertexAttribute> attributes{};
  std::span<const Memory> memory{};  // not overlapping
  Primitive primitive = Primitive::triangles;
  std::span<const std::uint32_t> indices{};
  std::uint32_t instances = 1;
  Viewport viewport{};
  Cull cull = Cull::none;
  // Pixels outside are not drawn: columns and rows, first and last.
  std::optional<std::array<std::uint32_t, 4>> region{};  // left, top, right, bottom
  std::optional<Blend> blend{};                          // nothing: the colour replaces what is there
  DepthStencil depth_stencil{};
};

// Where a scene is drawn: format, type and stride as the console's headers number them.
struct ColorSurface {
  std::uint32_t format = 0;  // SceGxmColorFormat: base format and swizzle
  std::uint32_t type = 0;    // SceGxmColorSurfaceType: 0 linear, 0x04000000 tiled, 0x08000000 swizzled
  std::uint32_t width = 0, height = 0;
  std::uint32_t stride = 0;  // pixels, of a linear one
  void* data = nullptr;
  std::size_t size = 0;  // bytes
};
// What depth and stencil are in, while the scene lasts, and what they begin with.
struct DepthSurface {
  PixelFormat format = PixelFormat::d32f;  // d16, d24s8 or d32f
  float depth = 1;
  std::uint8_t stencil = 0;
};

// Records scenes as a capture (docs/captures.md), as many as begin with it, one after the other or at the same
// time: an emulator draws several a frame, and one samples what another has drawn. Recording begins and ends
// between frames, as the embedder calls; scenes without a recorder do nothing for it.
//
// Memory that draws and surfaces reach is stored in pages as it was before, later only what changed. Streams
// and surfaces that do not lie in memory that the recorder or the draw has, are stored without an address of the
// guest. A draw that fails is the last one of the file. Calls on a recorder and on its scenes must not overlap.
class WARPJIT_API Recorder {
 public:
  // `memory`: the guest's, whose addresses streams and surfaces get that lie in it; it must live as long as
  // scenes are recorded. Errors: bad_input for a sink that is null.
  static Result<Recorder> begin(CaptureSink sink, void* context, std::span<const Memory> memory = {});
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;
  ~Recorder();  // without end(), the file is cut

  Status end_frame();
  // Ends the file; its scenes go on without it. Errors: io for a sink that did not take bytes, unsupported for
  // what a capture cannot have, the error of the draw that failed.
  Status end();

  // For warpjit's own modules.
  class State;
  const std::shared_ptr<State>& shared_state() const { return state_; }

 private:
  explicit Recorder(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

struct DrawReport {
  Report pixels;
  bool drawn = false;  // false: there was nothing to draw
};

// A surface while it is drawn to, as the console's tiles hold it: draws see each other's pixels, the memory
// of the surface sees them at the end. Calls on one scene must not overlap.
class WARPJIT_API Scene {
 public:
  // Reads the surface. Errors name the field: bad_input, unsupported. `recorder`: null, or who records the
  // scene.
  static Result<Scene> begin(const ColorSurface& color, const std::optional<DepthSurface>& depth = {},
                             const Recorder* recorder = nullptr);
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;
  ~Scene();

  // Errors name stage, unit, attribute or field: bad_input, unsupported, resource_limit;
  // also those of Engine::run.
  Result<DrawReport> draw(const Engine& engine, const Draw& draw, const RunOptions& options = {});
  // Writes the surface. The scene can go on.
  Status end();

  // For warpjit's own modules.
  class State;
  const State& state() const { return *state_; }
  State& state() { return *state_; }

 private:
  explicit Scene(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpjit::usse
