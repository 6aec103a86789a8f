// warpjit: runs GPU shader binaries on the CPU, one GPU thread per SIMD lane.
//
//   auto program = warpjit::Program::load(bytes);              // guest code, immutable
//   warpjit::Launch launch(*program);                          // bindings and work, resolved once
//   launch.set_uniform("projection", matrix);
//   launch.bind_input("v0", {positions, size, 12, warpjit::f32x3});
//   launch.bind_output("o0", {clip, clip_size, 16, warpjit::f32x4});
//   launch.set_count(vertex_count);
//   warpjit::Engine engine;                                    // code cache, executor, options
//   auto report = engine.run(launch);
//
// What one GPU alone has (containers, modes, register interfaces) is in the header of that name: pica200.hpp,
// tesla.hpp, valhall.hpp.
//
// Nothing throws. Every fallible call returns a Result or Status (result.hpp). Sizes and strides are bytes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpjit/pixels.hpp"
#include "warpjit/result.hpp"
#include "warpjit/textures.hpp"

namespace warpjit {

namespace frontend {
class Shader;
}
namespace runtime {
class LaunchState;
class EngineState;
class CompileJob;
class PreparedState;
}  // namespace runtime

struct Version {
  unsigned major, minor, patch;
};
// Of the library that is linked, which may be newer than this header.
WARPJIT_API Version version();

enum class Isa : std::uint8_t { pica200, tesla, valhall, usse };
enum class Stage : std::uint8_t { vertex, geometry, compute, fragment };
// What a launch runs its program over.
enum class Work : std::uint8_t {
  rows,        // threads, each with a row of every bound input and output
  draw,        // vertices of a draw, through indices or in order
  primitives,  // invocations of a geometry program
  grid,        // blocks of threads
  pixels,      // pixels that primitives cover
};
// Three ways to run a launch, with bit-identical results.
enum class EngineKind : std::uint8_t {
  jit,    // host SIMD code
  ir,     // the IR interpreter; what runs where there is no JIT
  guest,  // the interpreter of the guest's own instructions
};
// Host instruction set that the JIT makes code for.
enum class Target : std::uint8_t {
  automatic,  // the widest that this machine runs
  v3,         // x86-64-v3: AVX2 and FMA
  v4,         // x86-64-v4: AVX-512
  a64,        // AArch64: NEON
  v4_fp16,    // v4 with AVX512-FP16: f16 arithmetic of Mali programs is that of the host
  a64_fp16,   // a64 with FEAT_FP16, likewise
};
// Those that name one.
inline constexpr Target kTargets[] = {Target::v3, Target::v4, Target::a64, Target::v4_fp16, Target::a64_fp16};

// Lower-case names as the CLI has them ("pica200", "vertex", "jit", "v3"), and back.
WARPJIT_API const char* name(Isa isa);
WARPJIT_API const char* name(Stage stage);
WARPJIT_API const char* name(Work work);
WARPJIT_API const char* name(EngineKind engine);
WARPJIT_API const char* name(Target target);
WARPJIT_API std::optional<Isa> parse_isa(std::string_view text);
WARPJIT_API std::optional<Stage> parse_stage(std::string_view text);
WARPJIT_API std::optional<EngineKind> parse_engine(std::string_view text);
WARPJIT_API std::optional<Target> parse_target(std::string_view text);

// ---- Formats of rows in memory -------------------------------------------------------------------------

enum class ComponentType : std::uint8_t {
  f32,
  u8,
  s8,
  u16,
  s16,  // inputs: converted to the float of the same value
  unorm8,
  snorm8,
  unorm16,
  snorm16,  // inputs: value / maximum; snorm at least -1
  u32,
  s32,  // outputs: the 32 bits as they are
};
// 1 to 4 components, packed without padding, in the host's byte order. Rows need no alignment.
struct Format {
  ComponentType type = ComponentType::f32;
  std::uint8_t components = 4;
  friend bool operator==(const Format&, const Format&) = default;
};
inline constexpr Format f32x1{ComponentType::f32, 1}, f32x2{ComponentType::f32, 2},
    f32x3{ComponentType::f32, 3}, f32x4{ComponentType::f32, 4};
WARPJIT_API std::size_t component_size(ComponentType type);
inline std::size_t size(Format format) { return component_size(format.type) * format.components; }
// "f32x3", "unorm8x4", "s16" (one component; "s16x1" parses too).
WARPJIT_API std::string name(Format format);
WARPJIT_API std::optional<Format> parse_format(std::string_view text);

// ---- Programs ------------------------------------------------------------------------------------------

// A name that a program declares.
struct Symbol {
  std::string name;
  std::string reg;     // its first register: "c8"
  unsigned count = 1;  // registers
};

enum class LocationKind : std::uint8_t {
  input,
  output,
  float_uniform,
  int_uniform,
  bool_uniform,
  state,
  uniform
};

// A resolved name. Valid for the program that made it.
struct Location {
  LocationKind kind = LocationKind::input;
  std::uint16_t first = 0;       // register number in its file
  std::uint16_t count = 0;       // registers it covers; a register name covers its file from there on
  std::uint16_t components = 4;  // words a register has
  std::uint32_t word = 0;        // internal: place of the first register in the launch's values
};

// Which program of a container. What is empty is not asked for; the first that fits is taken.
struct Selection {
  std::string entry{};                 // name of the entry point or kernel
  std::optional<std::size_t> index{};  // position in the container
  std::optional<Stage> stage{};
  std::string source_name{};  // for messages
};

// What a program needs of its machine, as its container says.
struct Resources {
  std::uint32_t registers = 0;     // of a thread
  std::uint32_t shared_bytes = 0;  // of a block, launch header and parameters included
  std::uint32_t local_bytes = 0;   // of a thread
};

// Immutable guest code with one entry point. A cheap shared handle; all calls are thread-safe.
class WARPJIT_API Program {
 public:
  // Reads any container that warpjit knows. The bytes may be hostile and are not kept. Modes are the default
  // ones; the headers of the GPUs have functions that take others. Errors: bad_input, naming the place;
  // resource_limit; unsupported.
  static Result<Program> load(std::span<const std::byte> bytes, const Selection& selection);
  static Result<Program> load(std::span<const std::byte> bytes) { return load(bytes, Selection()); }

  Isa isa() const;
  Stage stage() const;
  const std::string& name() const;  // of the entry point; may be empty
  std::uint32_t entry() const;      // guest address, in words or bytes, as the guest counts
  std::size_t code_size() const;    // words of 32 bits of the whole program, reachable or not
  Resources resources() const;
  const std::string& source_name() const;
  std::span<const Symbol> inputs() const;
  std::span<const Symbol> uniforms() const;
  std::span<const Symbol> outputs() const;
  // Words of the state that the program's unit keeps from run to run (Launch::bind_unit); 0: none.
  std::size_t unit_words() const;

  // Resolves a register name or a declared name. The headers of the GPUs list the registers. Errors:
  // bad_input.
  Result<Location> input(std::string_view name) const;
  Result<Location> uniform(std::string_view name) const;
  Result<Location> output(std::string_view name) const;
  Result<Location> state(std::string_view name) const;

  // For warpjit's own modules.
  explicit Program(std::shared_ptr<const frontend::Shader> shader) : shader_(std::move(shader)) {}
  const std::shared_ptr<const frontend::Shader>& shader() const { return shader_; }

 private:
  std::shared_ptr<const frontend::Shader> shader_;
};

// ---- Launches ------------------------------------------------------------------------------------------

// Rows that threads read: thread t reads size(format) bytes at data + t * stride. No byte outside `size` is
// touched; the last row may be shorter than the stride. Missing components are 0, 0, 0, 1.
struct Attribute {
  const void* data = nullptr;
  std::size_t size = 0;    // bytes at `data`
  std::size_t stride = 0;  // 0: every thread reads the same row
  Format format;
  // Of the vertex stage of a draw: 0, vertex n of each instance reads row n; else all vertices of instance i
  // read row i / divisor. Elsewhere there is instance 0 alone.
  std::uint32_t divisor = 0;
};
// Rows that threads write, likewise. Formats: f32, u32 and s32.
struct OutputBuffer {
  void* data = nullptr;
  std::size_t size = 0;
  std::size_t stride = 0;
  Format format;
};

// Fuel bounds how long a guest program runs, in all kinds of work and in every engine alike. It counts the
// backward transfers of each guest thread: to an address that is not behind the transfer's own. (One that is
// part of no cycle need not be counted; a thread makes it once.) With fuel F a run in which no thread makes
// more than F finishes; one in which a thread makes more than 2F ends with out_of_fuel and a guest address;
// in between either may happen. With the default, an endless program ends within two seconds.
inline constexpr std::uint64_t kDefaultFuel = std::uint64_t{1} << 19;

// How the outputs of a vertex stage become the inputs of geometry invocations. The attributes of a vertex are
// the outputs that the vertex stage enables, ascending.
enum class PrimitiveMode : std::uint8_t {
  point,     // attributes of vertex after vertex fill registers[0], registers[1], ...; what is left over at
             // the end of the launch is dropped
  variable,  // float uniform 0 = the number of vertices, then their attributes from 1 on: of the first
             // `full_vertices` all, of the others the first one. Registers that a primitive does not fill
             // keep what earlier ones put there. The vertices of a primitive are listed (bind_primitives)
  fixed,     // the attributes of `vertices` vertices from float uniform `first` on
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

// Pixels of a target, `pitch` bytes from a row to the next. Rows need no alignment; no byte outside `size` is
// touched. Row 0 is that with the smallest window y.
struct TargetBuffer {
  void* data = nullptr;
  std::size_t size = 0;  // bytes at `data`
  std::size_t pitch = 0;
  PixelFormat format = PixelFormat::none;
};
// Vertices as they come to the rasterizer: of each `slots` words, the first four of which are its position.
struct VertexBuffer {
  const void* data = nullptr;
  std::size_t size = 0;    // bytes at `data`, which is aligned to 4
  std::size_t stride = 0;  // bytes from a vertex to the next, a multiple of 4
  unsigned slots = 4;
  // Bytes from an instance's first vertex to that of the next one, a multiple of 4; 0: all have the same.
  std::size_t instance_stride = 0;
};

// An attribute of vertices in memory at 64-bit addresses, as a descriptor of the guest says it. Element n
// begins at byte offset + n * stride of a buffer.
struct AttributeSource {
  std::uint64_t address = 0;  // of the buffer
  std::uint32_t bytes = 0;    // of it
  std::uint32_t format = 0;   // in the guest's own numbers
  std::int32_t offset = 0;
  std::uint32_t stride = 0;
  bool per_instance = false;  // numbered by the instance, not by the vertex
  bool from_first = false;    // the launch's attribute offset is added to that
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
  std::uint32_t width = 0, height = 1, depth = 1;  // texels; slices or layers. A width of 0: there is none
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
  std::uint32_t bytes = 0;    // beyond them loads give 0
  bool operator==(const BufferSource&) const = default;
};

// A program with its bindings. It refers to the caller's buffers, which must outlive the runs, and copies
// everything else. Setters and bind calls must not overlap any other call on the same launch; const calls,
// and Engine::run of one launch from several threads, may overlap (their outputs are then the same buffers).
// A launch may be used with several engines and outlive them.
class WARPJIT_API Launch {
 public:
  // Uniforms start as the container presets them, everything else as 0.
  explicit Launch(Program program);
  Launch(const Launch& other);  // copies bindings and values, not what was compiled
  Launch& operator=(const Launch& other);
  Launch(Launch&&) noexcept;
  Launch& operator=(Launch&&) noexcept;
  ~Launch();

  const Program& program() const;

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

  // ---- Work over rows, and the inputs of geometry programs. One register each. A register that is not bound
  // reads as 0; running with a declared input name that is not bound is an error. Sizes are checked when the
  // launch runs.
  Status bind_input(std::string_view name, const Attribute& attribute);
  Status bind_input(const Location& location, const Attribute& attribute);
  Status bind_output(std::string_view name, const OutputBuffer& buffer);
  Status bind_output(const Location& location, const OutputBuffer& buffer);
  void unbind_inputs();
  void unbind_outputs();

  // ---- Geometry programs. A thread is an invocation. Registers and flags that persist from one invocation
  // to the next start as set_state says (else 0) in each run of the launch, unless a unit is bound. Outputs
  // that can be bound are registers at the end of each invocation.

  // How inputs come, which outputs a vertex has, how many triangles an invocation emits. Starts as the
  // container says. Errors: bad_input for other programs and for values outside their ranges.
  Status set_geometry_input(const GeometryInput& input);
  const GeometryInput& geometry_input() const;
  // The launch whose outputs feed this one, which then runs for each primitive; that launch's output bindings
  // do not count. `outputs`: the output registers that are attributes, 0: those that its container enables.
  // Without it inputs are bound as for vertex programs, one row an invocation.
  Status set_vertex_stage(const Launch& vertex, std::uint64_t outputs = 0);
  // Variable mode: each primitive as its number of vertices and so many numbers of vertices. Copied.
  Status bind_primitives(std::span<const std::uint32_t> list);
  Status bind_triangles(const TriangleBuffer& buffer);
  // The state of the unit that runs the program, Program::unit_words() words in the layout of the GPU's
  // header (pica200::GeometryUnit). A run starts with it, instead of what set_state says, and leaves there
  // what its last invocation left. After an error, and after a run of no invocations, it is what it was. It
  // belongs to the caller; runs with the same words must not overlap. No words: no unit. Errors: bad_input
  // for another number of words, and for other programs.
  Status bind_unit(std::span<std::uint32_t> words);

  // ---- Compute programs. Values are checked when the launch runs.

  // Blocks of the grid, and threads of a block, in x, y and z. At first 1.
  void set_grid(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1);
  void set_block(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1);
  // What threads of the first block read as its number, where the guest can have that other than 0. At first
  // 0.
  void set_first_block(std::uint32_t x, std::uint32_t y = 0, std::uint32_t z = 0);
  void set_parameters(std::span<const std::byte> bytes);  // copied, to where the guest has them
  void set_shared_bytes(std::uint32_t bytes);             // of a block, if more than the program says
  // Memory of the guest. Spaces are named as in the guest's assembly ("g14", "c0"). A constant space is bound
  // whole, from address 0 on; what the container presets lies behind what is given. Of other spaces pieces
  // are mapped: address and data are multiples of 8, pieces of a space do not overlap. Where addresses have
  // more than 32 bits, a piece does not cross a multiple of 4 GiB. Constants of
  // graphics programs are copied; of these only fragment programs have other memory. Errors: bad_input for a
  // space that the guest does not have, or that is of the other kind; unsupported for memory that vertex and
  // geometry programs cannot have.
  Status bind_constants(std::string_view space, const void* data, std::size_t size);
  Status map_memory(std::string_view space, std::uint64_t address, void* data, std::size_t size);
  void unmap_memory();  // all of these

  // ---- Vertex programs that fetch attributes and store results themselves. They have parameters, constants
  // and memory as compute programs have. Values are checked when the launch runs.

  // Vertices of an instance, and instances; what programs read as the numbers of the first ones.
  void set_vertices(std::uint32_t count, std::uint32_t instances = 1, std::uint32_t first = 0,
                    std::uint32_t first_instance = 0);
  void set_attributes(std::span<const AttributeSource> attributes, std::uint32_t attribute_offset = 0);
  // Where the results of vertex n of the launch lie, n * packet_stride bytes from `data` on: a multiple of 8
  // bytes that is a multiple of 8. The stride is a multiple of 16.
  void map_results(void* data, std::size_t size, std::uint32_t packet_stride);

  // ---- Images of programs of all kinds whose guest has them (Valhall), by their numbers. Values are checked
  // when the launch runs. The texels are mapped memory. Errors: bad_input for other guests.
  Status set_images(std::span<const ImageSource> images);

  // ---- Buffers of programs of all kinds whose guest has them (Valhall), by table and entry. Values are
  // checked when the launch runs. Their bytes are mapped memory, and accesses outside of it are faults.
  // Errors: bad_input for other guests.
  Status set_buffers(std::span<const BufferSource> buffers);

  // ---- Textures and samplers of programs of all kinds, by the numbers that the program has for them. Each
  // stage of a draw has its own: those of its launch. Running is an error if one is missing that the program
  // may use, or if memory of one is memory of a bound target. Errors: bad_input, naming slot and field;
  // resource_limit; unsupported.
  Status set_texture(unsigned slot, const Texture& texture);  // docs/textures.md says what is copied
  Status set_sampler(unsigned slot, const Sampler& sampler);
  void unset_textures();  // and samplers

  // ---- Fragment programs. A thread is a pixel; the primitives are set_count() vertices, or those that the
  // index list names. Errors of these calls: bad_input for other programs, and for values that an enumeration
  // does not have.

  Status set_raster_state(const RasterState& state);
  // Formats do not count: the bound targets have them.
  Status set_output_state(const OutputState& state);
  // Of all targets. Errors: bad_input for 0 and above kMaxTargetExtent.
  Status set_target_size(std::uint32_t width, std::uint32_t height);
  Status bind_color(unsigned number, const TargetBuffer& target);  // no data: unbinds
  Status bind_depth(const TargetBuffer& target);                   // with stencil, if the format has it
  // Of PixelFormat::r32ui. With OutputState::count_passed, how many fragments of each pixel passed all tests
  // is added here. Running is an error if that is set and nothing is bound.
  Status bind_pass_counts(const TargetBuffer& target);
  Status bind_vertices(const VertexBuffer& vertices);
  // Instead of vertices: the launch over rows whose outputs these are (set_vertex_stage, above), output n
  // being slots 4n to 4n + 3. Its count is the number of vertices. Numbers of vertices, copied. Nothing:
  // vertices in order.
  Status bind_indices(std::span<const std::uint32_t> indices);
  void unbind_indices();
  // A geometry program of the GPU that the rasterizer draws for: the primitives, of the raster state's
  // topology, are what its invocations read; the strips of vertices that they emit are drawn, in order. The
  // launch has the program's constants and is copied.
  Status set_geometry_stage(const Launch& geometry);
  void unset_geometry_stage();
  // How often all of that is drawn, one instance after the other; at first once. The vertex stage sees the
  // numbers of instances, from 0 on, and its inputs with a divisor advance.
  Status set_instances(std::uint32_t count);

  // ---- How much, and how far.

  // Threads to run; of fragment programs, the vertices; with a vertex stage, the invocations follow from that
  // one's, and a grid has its own. 0 is allowed and does nothing.
  void set_count(std::uint64_t count);
  std::uint64_t count() const;
  // Backward transfers that one thread may make (kDefaultFuel has the rule).
  void set_fuel(std::uint64_t fuel);
  std::uint64_t fuel() const;
  // Lets output rows share bytes with input rows. Promised is only: a thread whose outputs overlap no other
  // thread's rows gets the right results (in-place transformation).
  void set_allow_overlap(bool allow);

  // For warpjit's own modules.
  runtime::LaunchState& state() const { return *state_; }

 private:
  std::unique_ptr<runtime::LaunchState> state_;
};

// ---- Engines -------------------------------------------------------------------------------------------

// Where work runs in parallel. An embedder can pass its own.
class WARPJIT_API Executor {
 public:
  virtual ~Executor();
  // Tasks that may run at once, the caller's thread included; at least 1.
  virtual unsigned concurrency() const = 0;
  // Calls body(context, i) once for each i below count, on any threads and in any order, and returns when
  // all have returned. Called from several threads at once. Bodies never throw and never wait for each other.
  virtual void parallel_for(std::size_t count, void (*body)(void* context, std::size_t index),
                            void* context) = 0;
};
// Built with oneTBB: runs in its arena. Else, or with `threads` given: a pool of that many (0: all) threads.
WARPJIT_API std::shared_ptr<Executor> make_default_executor();
WARPJIT_API std::shared_ptr<Executor> make_thread_pool(unsigned threads = 0);

// How executable memory is got. Nothing is ever writable and executable through one mapping.
enum class CodeMemory : std::uint8_t {
  automatic,  // as the environment variable WARPJIT_CODE_MEMORY names it; without it dual, else flip
  dual,       // two mappings of the same pages
  flip,       // one mapping whose protection is switched
  none,       // no JIT
};

enum class LogLevel : std::uint8_t {
  debug,    // each compilation
  info,     // what this machine cannot do
  warning,  // what runs slower than it might, or failed where nobody sees the error yet
};
// Called from any thread, from several at once; must not call the engine that calls it. `message` is one
// line without its end, valid until the call returns.
using LogFunction = void (*)(void* context, LogLevel level, const char* message);

struct EngineOptions {
  std::size_t cache_bytes = std::size_t{64} << 20;  // kernels kept; the least recently used go first
  std::shared_ptr<Executor> executor;               // empty: make_default_executor()
  CodeMemory code_memory = CodeMemory::automatic;
  // Threads of the engine that compile in the background, started when first needed. 0: none, and what asks
  // for the background waits. At most 64.
  unsigned compile_threads = 1;
  // Compilations that may wait for such a thread; beyond it, who asks for one more compiles it itself.
  std::size_t compile_queue = 1024;
  LogFunction log = nullptr;
  void* log_context = nullptr;
  bool perf_map = false;  // list kernels in /tmp/perf-PID.map
  bool checks = false;    // verify the IR and the machine code between all stages (slow)
};

struct RunOptions {
  EngineKind engine = EngineKind::jit;
  Target target = Target::automatic;
  unsigned threads = 0;               // host threads; 0: chosen by the amount of work
  std::optional<std::uint64_t> fuel;  // instead of the launch's
  bool generic = false;               // do not specialize for the values of booleans
  // Do not wait for a kernel that is not there: it is compiled in the background, and the guest interpreter
  // runs the work until it is ready (of a geometry program all of it), with the same bits. If the
  // compilation fails, the runs after it do.
  bool background = false;
  // Runs stop with `cancelled` soon after it becomes other than 0. Must outlive the run.
  const std::atomic<std::uint32_t>* cancel = nullptr;
  friend bool operator==(const RunOptions&, const RunOptions&) = default;
};

// What it took to get a kernel. Times are nanoseconds; all 0 on a cache hit.
struct CompileReport {
  EngineKind engine = EngineKind::jit;  // what runs; another one than asked for where that is not available
  Target target = Target::automatic;    // of the JIT
  unsigned lanes = 0;                   // threads per group
  bool cache_hit = false;
  bool generic = false;  // booleans are read at run time
  bool ordered = false;  // geometry: invocations may depend on earlier ones and run one after another
  std::uint64_t translate_ns = 0, passes_ns = 0, backend_ns = 0, place_ns = 0;
  std::size_t code_bytes = 0;  // machine code with its constants
  // Why an interpreter runs the program although the JIT was asked for, and is available; else empty.
  std::string interpreted_because;
};

// An access outside its space, or one that is not aligned to its size: it read 0 or wrote nothing.
struct MemoryFault {
  std::string where;  // "saxpy.cubin, byte 0x18 (0x20008409)"
  std::string what;   // "store to g14[0x1000] by thread 3 of block (0, 1)"
  // How many accesses faulted, one for each lane of an instruction; 0: not the guest engine alone ran, which
  // counts them.
  std::uint64_t accesses = 0;
};

struct Report : CompileReport {
  Work work = Work::rows;
  std::uint64_t run_ns = 0;
  unsigned threads = 1;  // host threads asked to work
  // Threads, invocations, blocks or fragments of the launch that the guest interpreter ran while the kernel
  // was compiled in the background. `engine` is guest if no kernel took over.
  std::uint64_t interpreted = 0;
  std::uint64_t invocations = 0, triangles = 0;  // of a geometry program
  std::uint64_t primitives = 0, groups = 0;      // over pixels: primitives drawn, after clipping; groups run
  DrawCounts draw;                               // over pixels
  // The first fault of the first part of the work that had one. The run went on. Of several, which one comes
  // first may depend on the engine: lanes that hardware runs one after the other can run together.
  std::optional<MemoryFault> fault;
};

// What the threads of a launch did, instruction by instruction.
struct Profile {
  struct Instruction {
    std::uint32_t address = 0;   // guest
    std::string text;            // disassembled
    std::uint64_t warps = 0;     // how often a warp executed it
    std::uint64_t lanes = 0;     // ... in how many lanes, all together
    std::uint64_t diverged = 0;  // of a branch, break or return: how often it parted active lanes
    std::uint64_t faults = 0;    // accesses outside their space or not aligned
    std::uint64_t uninitialized_registers = 0;  // reads of registers that the lane has not written
    std::uint64_t uninitialized_shared = 0;  // reads of bytes of shared memory that the block has not written
    std::string first_uninitialized;         // "$r5 of thread 3 of block (0, 0)"
  };
  // Two warps, not ordered by a barrier, access bytes of shared memory, at least one of them stores, not both
  // with a lock.
  struct Race {
    std::uint32_t first = 0, second = 0;  // guest addresses of the instructions, in the order they ran here
    std::uint64_t count = 0;
    std::string example;  // "s[64]: store by thread 3, load by thread 40 of block (0, 0)"
  };
  std::vector<Instruction> instructions;    // those that were executed, by address
  std::vector<std::uint64_t> active_lanes;  // instructions of warps by the number of their active lanes
  std::uint32_t deepest_stack = 0;          // entries of a warp's control stack
  std::vector<Race> races;                  // by pair of instructions, the first 1024 pairs
  std::uint64_t further_races = 0;          // of other pairs
};

// What an engine did since it was made.
struct EngineStatistics {
  std::uint64_t hits = 0;       // runs and compile() calls that found their kernel
  std::uint64_t misses = 0;     // compilations begun, by whomever
  std::uint64_t compiles = 0;   // that gave a kernel
  std::uint64_t failures = 0;   // that gave an error
  std::uint64_t evictions = 0;  // kernels dropped
  std::size_t kernels = 0;      // in the cache
  std::size_t bytes = 0;        // of these
  std::size_t capacity = 0;     // EngineOptions::cache_bytes
  std::uint64_t compile_ns = 0;
  // In the background.
  std::uint64_t background_compiles = 0;  // of `compiles`
  std::uint64_t interpreted_runs = 0;     // that began in the interpreter
  std::size_t waiting = 0;                // compilations that have not begun
  std::size_t compiling = 0;
};

struct EngineInfo {
  std::vector<Target> targets;  // that this machine and build can run, widest last
  Target best = Target::automatic;
  bool jit = false;
  std::string no_jit_reason;  // where jit is false
  CodeMemory code_memory = CodeMemory::none;
  unsigned concurrency = 1;
};

// A compilation in the background. A cheap shared handle, which may outlive launch and engine; all calls are
// thread-safe.
class WARPJIT_API Compilation {
 public:
  enum class State : std::uint8_t { waiting, compiling, done, failed, cancelled };
  State state() const;
  // Waits until it has ended, at most that long; false if it has not.
  bool wait_for(std::uint64_t nanoseconds) const;
  // Waits, and says what became of it. Errors: those of Engine::compile; cancelled.
  Result<CompileReport> wait() const;
  // Gives it up if it has not begun, for all who asked for this kernel; false otherwise. A run that needs the
  // kernel asks for it anew.
  bool cancel() const;

  // For warpjit's own modules.
  explicit Compilation(std::shared_ptr<runtime::CompileJob> job) : job_(std::move(job)) {}

 private:
  std::shared_ptr<runtime::CompileJob> job_;
};

// A launch over rows that runs again and again with little work each time, such as one vertex. What
// Engine::run looks up for each run was found once. The launch may be changed between calls: the next run
// finds what has to be found anew. Launch and engine must outlive it. Calls must not overlap each other, nor
// calls on the launch.
class WARPJIT_API PreparedRun {
 public:
  PreparedRun(PreparedRun&&) noexcept;
  PreparedRun& operator=(PreparedRun&&) noexcept;
  ~PreparedRun();

  // Runs all rows on the calling thread. Errors: those of Engine::run.
  Status run();

  // For warpjit's own modules.
  explicit PreparedRun(std::unique_ptr<runtime::PreparedState> state);

 private:
  std::unique_ptr<runtime::PreparedState> state_;
};

// Cache, executor and options. All calls are thread-safe. A run uses at most 384 KiB of the stack of each
// thread that it runs on.
class WARPJIT_API Engine {
 public:
  explicit Engine(const EngineOptions& options);
  Engine() : Engine(EngineOptions()) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  // Waits for the compilation that runs; those that wait for their turn are cancelled. No other call may run.
  ~Engine();

  // Runs all work of the launch and returns when it is done. Code that only an interpreter can run, one runs,
  // unless a target is asked for by name: then unsupported or resource_limit. Errors: bad_input (bindings, or
  // what this kind of program does not take), unsupported and bad_input (code), fault (a trap, a barrier that
  // can never complete), out_of_fuel, cancelled, target_unavailable (a target asked for by name). After an
  // error the contents of the output buffers are unspecified.
  Result<Report> run(const Launch& launch, const RunOptions& options) const;
  Result<Report> run(const Launch& launch) const { return run(launch, RunOptions()); }
  // Finds what a run needs, compiling if necessary. Of the options, `threads` and `background` do not count.
  // Errors: those of run(); unsupported for other work than rows.
  Result<PreparedRun> prepare(const Launch& launch, const RunOptions& options) const;
  Result<PreparedRun> prepare(const Launch& launch) const { return prepare(launch, RunOptions()); }
  // Gets the kernel without running it, so that the first run finds it. Large runs may have one of their own:
  // the count should be that of the run.
  Result<CompileReport> compile(const Launch& launch, const RunOptions& options) const;
  Result<CompileReport> compile(const Launch& launch) const { return compile(launch, RunOptions()); }
  // The same in the background: returns at once, unless the queue is full (EngineOptions::compile_queue).
  // Neither the launch nor its program need live on. Errors: those that show without compiling.
  Result<Compilation> warm(const Launch& launch, const RunOptions& options) const;
  Result<Compilation> warm(const Launch& launch) const { return warm(launch, RunOptions()); }
  // Waits until nothing is compiled in the background.
  void wait_for_compilations() const;
  // Cancels what has not begun.
  void cancel_compilations() const;

  // Runs a launch in the guest interpreter, slowly, on the calling thread. `profile` gets what was seen until
  // the end, also if the run ends with an error. Errors: as run(); unsupported for guests without warps.
  Result<Report> profile(const Launch& launch, Profile& profile) const;

  EngineInfo info() const;
  EngineStatistics statistics() const;
  // Drops all kernels that are not running, and forgets what failed in the background.
  void clear_cache() const;
  // The guest address that a host address inside a kernel belongs to, for crash reports.
  struct GuestPlace {
    std::string program;
    std::uint32_t guest_address;
  };
  std::optional<GuestPlace> find_guest_place(const void* host_address) const;

  // For warpjit's own modules.
  runtime::EngineState& state() const { return *state_; }

 private:
  std::unique_ptr<runtime::EngineState> state_;
};

}  // namespace warpjit
