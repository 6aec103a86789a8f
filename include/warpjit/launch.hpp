// Launches: a program with its values, its memory and its work.
//
//   warpjit::Launch launch(*program);
//   launch.set_uniform("projection", matrix);
//   launch.bind_input("v0", {positions, size, 12, warpjit::f32x3});
//   launch.bind_output("o0", {clip, clip_size, 16, warpjit::f32x4});
//   launch.set_count(vertex_count);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "warpjit/pixels.hpp"
#include "warpjit/program.hpp"
#include "warpjit/result.hpp"
#include "warpjit/textures.hpp"
#include "warpjit/types.hpp"

namespace warpjit {

// Rows that threads read: thread t reads size(format) bytes at data + t * stride. No byte outside `size` is
// touched; the last row may be shorter than the stride. Missing components are 0, 0, 0, 1.
struct Attribute {
  const void* data = nullptr;
  std::size_t size = 0;    // bytes at `data`
  std::size_t stride = 0;  // 0: every thread reads the same row
  Format format;
  // In the vertex stage of a draw: with 0, vertex n of each instance reads row n; else all vertices of
  // instance i read row i / divisor. Elsewhere there is instance 0 alone.
  std::uint32_t divisor = 0;
};
// Rows that threads write: thread t writes size(format) bytes at data + t * stride. f32, u32 or s32.
struct OutputBuffer {
  void* data = nullptr;
  std::size_t size = 0;    // bytes at `data`; none outside is touched
  std::size_t stride = 0;  // bytes
  Format format;
};

// Fuel bounds how long a guest program runs, in all kinds of work and in every engine. It counts the backward
// transfers of each guest thread: branches, calls, returns and breaks to an address that does not follow their
// own, so that a call and its return together count once. (One that is part of no cycle, where calls are copies
// of what they call, need not be counted; a thread takes it once.) With fuel F a run in which no thread takes
// more than F finishes; one in which a thread takes more than 2F ends with out_of_fuel and a guest address;
// between these either may happen. With the default, an endless program ends within two seconds.
inline constexpr std::uint64_t kDefaultFuel = std::uint64_t{1} << 19;

// How the outputs of a vertex stage become the inputs of geometry invocations. The attributes of a vertex are
// the outputs that the vertex stage enables, ascending.
enum class PrimitiveMode : std::uint8_t {
  // The attributes of vertex after vertex fill registers[0], registers[1], ...; an invocation that the end of
  // the launch leaves incomplete is dropped.
  point,
  // Float uniform 0 is the number of vertices; their attributes follow from uniform 1 on: all attributes of
  // the first `full_vertices`, the first attribute of the others. Registers that a primitive does not fill
  // keep what earlier ones put there. Launch::set_primitives lists the vertices of primitives.
  variable,
  // The attributes of `vertices` vertices from float uniform `first` on.
  fixed,
};
WARPJIT_API const char* name(PrimitiveMode mode);
WARPJIT_API std::optional<PrimitiveMode> parse_primitive_mode(std::string_view text);

struct GeometryInput {
  PrimitiveMode mode = PrimitiveMode::point;
  unsigned first = 0;                   // fixed: a float uniform register
  unsigned vertices = 0;                // fixed: of a primitive
  unsigned full_vertices = 0;           // variable
  std::vector<std::uint8_t> registers;  // point: the input register of each attribute, each once
  std::uint64_t outputs = 0;            // bit n: output register n belongs to an emitted vertex
  unsigned max_triangles = 8;           // of one invocation, 1 to 96; more is an error
};

// Where emitted triangles go, in the order of the invocations and of their EMITs: three vertices a triangle,
// in the order of the EMIT buffer; 16 bytes for each enabled output register a vertex, ascending.
struct TriangleBuffer {
  void* vertices = nullptr;
  std::size_t size = 0;              // bytes at `vertices`
  std::uint8_t* inverted = nullptr;  // the winding flag of each triangle, 0 or 1; may be null
  std::size_t inverted_size = 0;     // bytes at `inverted`
};

// Pixels of a target. Rows need no alignment; no byte outside `size` is touched. Row 0 is that with the
// smallest window y.
struct TargetBuffer {
  void* data = nullptr;
  std::size_t size = 0;   // bytes at `data`
  std::size_t pitch = 0;  // bytes from a row to the next
  PixelFormat format = PixelFormat::none;
};
// Vertices as they come to the rasterizer: `slots` words each, the first four of which are the position.
struct VertexBuffer {
  const void* data = nullptr;
  std::size_t size = 0;    // bytes at `data`, which is aligned to 4
  std::size_t stride = 0;  // bytes from a vertex to the next, a multiple of 4, up to 2^20
  unsigned slots = 4;      // 4 to 128
  // Bytes from an instance's first vertex to that of the next one, a multiple of 4;
  // 0: all instances have the same vertices.
  std::size_t instance_stride = 0;
};

// An attribute that vertex programs fetch from memory at 64-bit addresses, as a descriptor of the guest says
// it. Element n begins at byte offset + n * stride of a buffer.
struct AttributeSource {
  std::uint64_t address = 0;  // of the buffer
  std::uint32_t bytes = 0;    // of the buffer
  std::uint32_t format = 0;   // in the guest's own numbers
  std::int32_t offset = 0;
  std::uint32_t stride = 0;
  bool per_instance = false;  // numbered by the instance, not by the vertex
  bool from_first = false;    // the launch's attribute offset is added to that number
  // The element of a number: the number; number >> shift; ((number + add) * multiplier) >> (32 + shift).
  enum class Division : std::uint8_t { none, shift, multiply };
  Division division = Division::none;
  std::uint8_t shift = 0;  // below 32
  bool add = false;
  std::uint32_t multiplier = 0;
  bool operator==(const AttributeSource&) const = default;
};

// An image that programs read and write by coordinates, in memory at 64-bit addresses.
struct ImageSource {
  std::uint64_t address = 0;                       // of texel (0, 0, 0)
  std::uint32_t format = 0;                        // in the guest's own numbers
  std::uint32_t width = 0, height = 1, depth = 1;  // texels; slices or layers. With width 0 there is no image
  std::uint32_t row_stride = 0, slice_stride = 0;  // bytes
  bool interleaved = false;                        // rows are of tiles of 16 x 16 texels
  bool is_3d = false;                              // z counts its slices; else they are layers
  bool operator==(const ImageSource&) const = default;
};

// A buffer that programs name by a table and an entry of it, in memory at 64-bit addresses.
struct BufferSource {
  std::uint8_t table = 0;
  std::uint32_t entry = 0;
  std::uint64_t address = 0;  // of its first byte
  std::uint32_t bytes = 0;    // loads after them give 0
  bool operator==(const BufferSource&) const = default;
};

// A program with its bindings. What `set` calls take is copied, but for the memory of textures. What `bind`
// and `map` calls take is the caller's memory, which must outlive the runs. (Constants of programs over rows,
// primitives and pixels are copied.) Setters and bind calls must not overlap any other call on the same
// launch; const calls, and Engine::run of one launch from several threads, may overlap (their outputs are
// then the same buffers). A launch may be used with several engines and outlive them.
//
// A call that the program's guest and stage do not have gives bad_input at once; the table in
// docs/embedding.md says which have it.
class WARPJIT_API Launch {
 public:
  // Uniforms start as the container presets them, everything else as 0.
  explicit Launch(Program program);
  Launch(const Launch& other);  // copies bindings and values, not what was compiled
  Launch& operator=(const Launch& other);
  Launch(Launch&&) noexcept;
  Launch& operator=(Launch&&) noexcept;
  ~Launch();

  // Errors: resource_limit if there was no memory for the launch, which every call then gives.
  Status status() const;
  const Program& program() const;

  // ---- How much, and how far. All programs.

  // Threads over rows; invocations of a geometry program without a vertex stage; vertices of an instance of a
  // draw, and of a vertex program that fetches its attributes. At first 0, which does nothing, but is an
  // error of the run of a program that fetches. Errors: bad_input for compute programs, whose grid says it.
  Status set_count(std::uint64_t count);
  std::uint64_t count() const;
  // Instances of a draw, or of a vertex program that fetches its attributes; at first 1. They run one after
  // the other. Vertex stages see their numbers, from 0 on, and inputs with a divisor advance.
  Status set_instances(std::uint32_t count);
  // Backward transfers that one thread may take (kDefaultFuel has the rule).
  void set_fuel(std::uint64_t fuel);
  std::uint64_t fuel() const;

  // ---- Values that all threads share.

  // Float uniforms: consecutive components x y z w of consecutive registers. Components that are not given
  // keep their value. Errors: bad_input for an unknown name, another kind of register, or too many values.
  Status set_uniform(std::string_view name, std::span<const float> values);
  Status set_uniform(const Location& location, std::span<const float> values);
  // The same as bit patterns: NaN payloads are kept.
  Status set_bits(std::string_view name, std::span<const std::uint32_t> words);
  Status set_bits(const Location& location, std::span<const std::uint32_t> words);
  // Integer uniforms: four components of 0 to 255 a register.
  Status set_int(std::string_view name, std::span<const std::uint32_t> values);
  Status set_int(const Location& location, std::span<const std::uint32_t> values);
  Status set_bool(std::string_view name, bool value);
  Status set_bool(const Location& location, bool value);
  // Registers at the start of every thread, as words.
  Status set_state(std::string_view name, std::span<const std::uint32_t> words);
  Status set_state(const Location& location, std::span<const std::uint32_t> words);

  // ---- Work over rows, and inputs of geometry programs without a vertex stage. One register each. A
  // register that is not bound reads as 0; a declared input name that is not bound is an error of the run.
  // Sizes are checked when the launch runs.
  Status bind_input(std::string_view name, const Attribute& attribute);
  Status bind_input(const Location& location, const Attribute& attribute);
  Status bind_output(std::string_view name, const OutputBuffer& buffer);
  Status bind_output(const Location& location, const OutputBuffer& buffer);
  void unbind_inputs();
  void unbind_outputs();
  // Lets output rows share bytes with input rows. The promise: a thread whose outputs overlap no other
  // thread's rows gets the right results (transformation in place).
  Status set_allow_overlap(bool allow);

  // ---- Geometry programs over primitives. A thread is an invocation. Registers and flags that persist from
  // one invocation to the next start as set_state says (else 0) in each run of the launch, unless a unit is
  // bound. Outputs that can be bound are registers at the end of each invocation.

  // How inputs come, which outputs a vertex has, how many triangles an invocation emits. Starts as the
  // container says. Errors: bad_input for values outside their ranges.
  Status set_geometry_input(const GeometryInput& input);
  const GeometryInput& geometry_input() const;
  // The launch of the vertex program whose outputs feed this one: a geometry program, which then runs for
  // each primitive, or a fragment program, which draws these vertices (output n is slots 4n to 4n + 3). That
  // launch's count is the number of vertices; its output bindings do not count. Copied. `outputs`: of
  // geometry programs, the output registers that are attributes; 0: those that its container enables.
  Status set_vertex_stage(const Launch& vertex, std::uint64_t outputs = 0);
  // Variable mode: each primitive as its number of vertices and then their numbers. Copied.
  Status set_primitives(std::span<const std::uint32_t> list);
  Status bind_triangles(const TriangleBuffer& buffer);
  // The state of the unit that runs the program, Program::unit_words() words in the layout of the GPU's
  // header (pica200::GeometryUnit). A run starts with it, instead of what set_state says, and leaves there
  // what its last invocation left. After an error, and after a run of no invocations, it is what it was. It
  // belongs to the caller; runs with the same words must not overlap. No words: no unit. Errors: bad_input
  // for another number of words.
  Status bind_unit(std::span<std::uint32_t> words);

  // ---- Compute programs. Values are checked when the launch runs.

  // Blocks of the grid, and threads of a block, in x, y and z. At first 1.
  Status set_grid(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1);
  Status set_block(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1);
  // What threads of the first block read as its number (Valhall). At first 0.
  Status set_first_block(std::uint32_t x, std::uint32_t y = 0, std::uint32_t z = 0);
  Status set_shared_bytes(std::uint32_t bytes);  // of a block, if more than the program says

  // ---- Parameters and memory of programs whose guest and stage have them.

  Status set_parameters(std::span<const std::byte> bytes);  // copied, to where the guest has them
  // Spaces are named as in the guest's assembly ("g14", "c0"). A constant space is bound whole, from address
  // 0 on; after its bytes follow those that the container presets. Other spaces are mapped in pieces: address
  // and data are multiples of 8, pieces of a space do not overlap. Where addresses have more than 32 bits, a
  // piece does not cross a multiple of 4 GiB. Errors: bad_input for a space that the guest does not have, or
  // that is of the other kind; unsupported for memory that vertex and geometry programs cannot have.
  Status bind_constants(std::string_view space, const void* data, std::size_t size);
  Status map_memory(std::string_view space, std::uint64_t address, void* data, std::size_t size);
  void unmap_memory();  // all of these
  // Images by their numbers, and buffers by table and entry (Valhall). Copied; values are checked when the
  // launch runs. Texels and bytes are mapped memory, and accesses outside of it are faults.
  Status set_images(std::span<const ImageSource> images);
  Status set_buffers(std::span<const BufferSource> buffers);

  // ---- Vertex programs that fetch their attributes and store their results themselves (Valhall). Values are
  // checked when the launch runs.

  // What programs read as the numbers of the first vertex and of the first instance. At first 0.
  Status set_first_vertex(std::uint32_t vertex, std::uint32_t instance = 0);
  Status set_attributes(std::span<const AttributeSource> attributes, std::uint32_t attribute_offset = 0);
  // Where the results of vertex n of the launch lie: n * packet_stride bytes from `data` on. `data` and
  // `size` are multiples of 8, the stride of 16.
  Status map_results(void* data, std::size_t size, std::uint32_t packet_stride);

  // ---- Textures and samplers, by the numbers that the program has for them. Each stage of a draw has its
  // own: those of its launch. Errors of the run: one is missing that the program may use; its memory is
  // memory of a bound target. Errors: bad_input, naming slot and field; resource_limit; unsupported.
  Status set_texture(unsigned slot, const Texture& texture);  // docs/textures.md says what is copied
  Status set_sampler(unsigned slot, const Sampler& sampler);
  void unset_textures();  // and samplers

  // ---- Fragment programs. A thread is a pixel; the primitives are set_count() vertices, or those that the
  // index list names. Errors: bad_input for values that an enumeration does not have.

  Status set_raster_state(const RasterState& state);
  // Its formats do not count: the bound targets have them.
  Status set_output_state(const OutputState& state);
  // Columns and rows of all targets. Errors: bad_input for 0 and above kMaxTargetExtent.
  Status set_target_size(std::uint32_t width, std::uint32_t height);
  Status bind_color(unsigned number, const TargetBuffer& target);  // no data: unbinds
  Status bind_depth(const TargetBuffer& target);                   // with stencil, if the format has it
  // Counts of format PixelFormat::r32ui. With OutputState::count_passed, how many fragments of each pixel
  // passed all tests is added here. That state without these counts is an error of the run.
  Status bind_pass_counts(const TargetBuffer& target);
  Status bind_vertices(const VertexBuffer& vertices);  // or set_vertex_stage
  // Numbers of vertices, copied. Unset: vertices in order.
  Status set_indices(std::span<const std::uint32_t> indices);
  void unset_indices();
  // A geometry program of the GPU that the rasterizer draws for (Tesla): the primitives, of the raster
  // state's topology, are what its invocations read; the strips of vertices that they emit are drawn, in
  // order. The launch has the program's constants and is copied.
  Status set_geometry_stage(const Launch& geometry);
  void unset_geometry_stage();

  // For warpjit's own modules.
  class State;
  State& state() const;

 private:
  Program program_;
  std::unique_ptr<State> state_;  // null without memory for it
};

}  // namespace warpjit
