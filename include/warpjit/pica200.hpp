// The PICA200, the GPU of the Nintendo 3DS, from a command list to shaded vertices and triangles: programs of
// its units, and its pipeline as the registers set it up.
//
//   warpjit::pica200::Pipeline pipeline;
//   pipeline.write_register(0x2CB, 0);                        // the command list, write by write ...
//   pipeline.bind_attribute(0, {memory, size, 0, 24, {warpjit::ComponentType::s16, 3}});  // ... and arrays
//   auto result = pipeline.draw_indexed(engine, indices);     // shaded vertices, indices into them
//
// Nothing throws. docs/guests/pica200.md of the sources has the rules; "section" means one of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "warpjit/capture.hpp"
#include "warpjit/warpjit.hpp"

namespace warpjit::pica200 {

// ---- Programs. Registers that names stand for: inputs v0-v15; uniforms c0-c95, i0-i3, b0-b15; outputs
// o0-o15, r0-r15, a0, aL, cmp and, of geometry programs, emit (the vertex, primitive and winding flag that
// SETEMIT latched); state r0-r15 (4 floats), a0 (2 signed integers), aL (1), cmp (2, each 0 or 1).

// How the program computes.
struct Modes {
  bool f24 = false;  // round every result to 24 bits, as the hardware: truncate, flush, overflow to infinity
  // Scopes (CALL, IF, LOOP) that end together all close, the innermost first, as in some emulators. The
  // hardware's stacks close one of a kind (section 9).
  bool structural_scopes = false;
  bool operator==(const Modes&) const = default;
};

// An SHBIN container, which may be hostile and is not kept. Errors: bad_input.
WARPJIT_API Result<warpjit::Program> load_shbin(std::span<const std::byte> bytes,
                                                const Selection& selection = {}, const Modes& modes = {});

// warpjit's assembly, which is also what it lists: one source. Errors: bad_input, naming line and column.
WARPJIT_API Result<warpjit::Program> load_assembly(std::string_view text, const Selection& selection = {},
                                                   const Modes& modes = {});

// Raw words. Errors: bad_input.
struct RawProgram {
  std::span<const std::uint32_t> code{};          // at most 4096
  std::span<const std::uint32_t> descriptors{};   // of operands, at most 128
  std::uint32_t entry = 0;                        // word address
  warpjit::Stage stage = warpjit::Stage::vertex;  // or geometry
  std::string source_name = {};                   // for messages
};
WARPJIT_API Result<warpjit::Program> load_words(const RawProgram& raw, const Modes& modes = {});

// ---- The geometry unit

// What the geometry unit keeps from one invocation to the next, across programs (section 10): the words that
// Launch::bind_unit takes. Plain data of the host's byte order; all 0 is a unit that nothing has run on. What
// a field cannot hold is dropped when a run begins: other bits of `cmp`, `vertex` and `flags`. A NaN that a
// run leaves is 0x7fc00000.
struct GeometryUnit {
  static constexpr std::uint32_t kPrimitive = 1, kWinding = 2, kHasRun = 4;

  std::uint32_t r[16][4] = {};      // r0-r15
  std::int32_t a0[2] = {}, aL = 0;  // address registers
  std::uint32_t cmp = 0;            // bit 0: cmp.x, bit 1: cmp.y
  std::uint32_t vertex = 0;         // 0 to 3, latched by SETEMIT
  // SETEMIT's flags; and kHasRun: b15 is true, also if the launch says false. Every invocation sets it; the
  // unit's owner clears it where the hardware's booleans are written.
  std::uint32_t flags = 0;
  std::uint32_t unused[2] = {};
  std::uint32_t outputs[2][16][4] = {};   // o0-o15: the bank that instructions write, then the other one
  std::uint32_t vertices[3][16][4] = {};  // of EMIT: o0-o15 of vertices 0 to 2, as far as they were enabled

  std::span<std::uint32_t> words();
};
static_assert(sizeof(GeometryUnit) == 98 * 16);
inline std::span<std::uint32_t> GeometryUnit::words() {
  return {reinterpret_cast<std::uint32_t*>(this), sizeof *this / sizeof(std::uint32_t)};
}

// ---- The pipeline: attributes, vertex unit, geometry unit

// What the GPU gives to its rasterizer for one vertex: 24 words, of which word n is semantic n of the output
// map (section 11). Semantics that nothing writes are 1.0; a colour c is min(|c|, 1), 1 for NaN.
struct Vertex {
  float position[4];
  float quaternion[4];  // of the normal
  float color[4];
  float texcoord0[2], texcoord1[2];
  float texcoord0_w, unused17;
  float view[3], unused21;
  float texcoord2[2];
};
static_assert(sizeof(Vertex) == 96);

// Where an attribute lies: vertex n has it at data + offset + n * stride. No byte outside `size` is touched.
// Components are s8, u8, s16 or f32 and become the float of the same value; missing ones are 0, 0, 0, 1.
// Attributes of one array of structures are best bound with the same data, size and stride.
struct AttributeArray {
  const void* data = nullptr;
  std::size_t size = 0;  // bytes at `data`
  std::size_t offset = 0;
  std::size_t stride = 0;  // 0: every vertex reads the same
  warpjit::Format format;
};

// A piece of the guest's physical memory, for arrays that the attribute loader's registers find.
struct MemoryRange {
  std::uint32_t address = 0;
  const void* data = nullptr;
  std::size_t size = 0;  // bytes
};

struct RegisterWrite {
  std::uint32_t id = 0, value = 0;
};

enum class Unit : std::uint8_t { vertex, geometry };

using FloatBits = std::array<std::uint32_t, 4>;  // x, y, z, w

// What a shader unit holds. Valid as long as its Pipeline, and shows what that holds at the time.
struct UnitView {
  std::span<const std::uint32_t> code{}, descriptors{};  // all of the tables; 0 where nothing was uploaded
  std::uint32_t entry = 0;                               // word
  std::span<const FloatBits> floats{};                   // c0-c95
  std::span<const std::uint32_t> ints{};                 // i0-i3: x, y, z, w from the lowest byte on
  std::uint16_t bools = 0;                               // b0-b15 from the lowest bit on
  unsigned attribute_count = 0;
  std::span<const std::uint8_t> permutation{};  // by attribute: its input register
  std::uint16_t output_mask = 0;
  bool f24 = false, structural_scopes = false;
};

// What draws do with a vertex, or an index of a list, that does not lie in its array or in memory.
enum class Outside : std::uint8_t {
  error,  // ErrorCode::outside; nothing is drawn
  zero,   // bytes that do not lie there read as 0, and DrawResult counts
};

// What a Pipeline or a Gpu begins with.
enum class Start : std::uint8_t {
  zero,
  // As emulators begin: 0 but for register 0x289, which is 0xA0000001, so that the geometry unit takes two
  // attributes of an invocation in point mode. Some games draw without writing it.
  emulators,
};

// How vertices of a draw without geometry unit become triangles (register 0x25E).
enum class Topology : std::uint8_t { list, strip, fan, shader };

// Valid until the next draw or the end of its Pipeline.
struct DrawResult {
  // A draw without geometry unit has its vertices here, each once. Others have three for each triangle, in
  // the order of the invocations and of their EMITs; the first two of a triangle with a winding flag are
  // swapped if the topology is `shader`.
  std::span<const Vertex> vertices;
  // An indexed draw without geometry unit has the vertex above for each of its indices. Else empty.
  std::span<const std::uint16_t> indices;
  bool triangles = false;  // from the geometry unit; see set_geometry_topology
  Topology topology = Topology::list;
  // Since the draw before: primitive assembly was restarted (register 0x25F); the topology was written
  // (0x25E), with the value that it had or another one.
  bool restarted = false, topology_written = false;
  // With Outside::zero: distinct vertices of which the program reads bytes outside, and indices outside.
  std::uint64_t outside_vertices = 0, outside_indices = 0;
  Report report;  // of the last program that ran
};

// What one vertex of a draw is made of, for debuggers: registers of the vertex program.
struct VertexView {
  std::uint64_t number = 0;        // in its arrays
  FloatBits inputs[16] = {};       // v0-v15; 0 where the program has no attribute
  FloatBits outputs[16] = {};      // o0-o15 at the end, before the output map
  FloatBits temporaries[16] = {};  // r0-r15 at the end
  std::int32_t a0[2] = {}, aL = 0;
  bool cmp[2] = {};
};

// An instruction that a vertex executed, and what it left.
struct VertexStep {
  // The vector register that it wrote: none, o or r.
  enum class File : std::uint8_t { none, output, temporary };

  std::uint32_t address = 0;  // of the instruction, in words
  File file = File::none;
  std::uint8_t index = 0;  // of the register
  std::uint8_t mask = 0;   // components that it wrote: bit 0 is x
  FloatBits value{};       // all of the register; a NaN is 0x7fc00000
  std::int32_t a0[2] = {}, aL = 0;
  bool cmp[2] = {};
};
// Called after each instruction of a vertex, in the order in which it executes them. False ends the vertex there.
using StepFunction = bool (*)(void* context, const VertexStep& step);

// An entry of a command list: words that go to registers.
struct Packet {
  std::uint32_t id = 0;                     // of the first register
  std::span<const std::uint32_t> values{};  // any number
  unsigned bytes = 15;                      // a bit for each byte that is written, the lowest first
  bool consecutive = false;                 // each word goes to the next register, else all to the first
};

// Sees what a command list does, in its order.
class WARPJIT_API CommandVisitor {
 public:
  virtual ~CommandVisitor();
  // A draw, or why it gave nothing. False ends the list.
  virtual bool draw(const Result<DrawResult>& result) = 0;
  // A write, once it is done: what the register now holds. Also of registers that are not the pipeline's; a
  // jump to another list (0x23C, 0x23D) is the visitor's.
  virtual void write(std::uint32_t id, std::uint32_t value);
};

inline constexpr unsigned kAttributes = 12;
inline constexpr std::size_t kUploadedWords = 512, kUploadedDescriptors = 128;  // of a vertex program
inline constexpr std::size_t kGeometryWords = 4096;                             // of a geometry program
inline constexpr std::size_t kMaxDrawVertices = std::size_t{1} << 20;  // vertices or indices of a draw
inline constexpr std::size_t kMaxMemoryRanges = 64;

// Everything is 0 at first: no code, no uniforms, no attributes, no outputs. Calls on one Pipeline must not
// overlap. An engine may serve several, and may be destroyed before them.
struct PipelineCall;

class WARPJIT_API Pipeline {
 public:
  Pipeline();
  Pipeline(Pipeline&&) noexcept;
  Pipeline& operator=(Pipeline&&) noexcept;
  ~Pipeline();

  // Errors: resource_limit if there was no memory for the pipeline, which every call then gives.
  Status status() const;

  // ---- Registers of section 11, in the order of a command list. `bytes` has a bit for each byte that is
  // written, the lowest first. Registers that the section does not name are ignored, and so is what it says
  // is discarded: float vectors from index 96 on, code and descriptors after the end of the unit's tables,
  // fixed attributes from 12 on. Writes of draw triggers do nothing here. Errors: resource_limit for more
  // than kMaxDrawVertices vertices sent in immediate mode.
  Status write_register(std::uint32_t id, std::uint32_t value, unsigned bytes = 15);
  Status write_registers(std::span<const RegisterWrite> writes);  // stops at the first error

  // ---- The same, typed. Errors: bad_input for a number or a length outside the hardware's range. Each call
  // sets one unit alone.
  Status set_code(std::span<const std::uint32_t> words, std::size_t first = 0, Unit unit = Unit::vertex);
  Status set_descriptors(std::span<const std::uint32_t> words, std::size_t first = 0,
                         Unit unit = Unit::vertex);
  Status set_entry(std::uint32_t word, Unit unit = Unit::vertex);
  // Rounds every result of both programs to the hardware's 24 bits, as Modes::f24 does. Off at first.
  void set_f24(bool on);
  // Closes scopes of both programs that end together, as Modes::structural_scopes does. Off at first.
  void set_structural_scopes(bool on);
  // The same of one unit's program.
  void set_f24(bool on, Unit unit);
  void set_structural_scopes(bool on, Unit unit);
  // c0-c95 by their bits, i0-i3 as x, y, z, w from the lowest byte on, b0-b15 from the lowest bit on.
  Status set_float(unsigned index, std::span<const std::uint32_t, 4> bits, Unit unit = Unit::vertex);
  Status set_int(unsigned index, std::uint32_t bytes, Unit unit = Unit::vertex);
  void set_bools(std::uint16_t bits, Unit unit = Unit::vertex);
  // Several from number `first` on; nothing is set after an error. Of booleans, b[first] is bit 0 of `bits`.
  Status set_floats(unsigned first, std::span<const FloatBits> values, Unit unit = Unit::vertex);
  Status set_ints(unsigned first, std::span<const std::uint32_t> values, Unit unit = Unit::vertex);
  Status set_bools(unsigned first, unsigned count, std::uint16_t bits, Unit unit = Unit::vertex);
  // Vertex unit: attributes 0 to count - 1 are fed to the program, 0 to 12. Geometry unit: attributes of an
  // invocation in point mode, 1 to 16.
  Status set_attribute_count(unsigned count, Unit unit = Unit::vertex);
  // Attribute to input register. Where several go to one register, the highest counts. At first all go to v0.
  Status set_permutation(unsigned attribute, unsigned input_register, Unit unit = Unit::vertex);
  void set_output_mask(std::uint16_t mask, Unit unit = Unit::vertex);
  // Words of the output map: for each enabled output of the last unit, ascending, four semantics from the
  // lowest byte on. At most 7; outputs without one are dropped. Semantics 24 to 31 are ignored. Where two
  // outputs write one semantic, the later counts.
  Status set_output_map(std::span<const std::uint32_t> words);

  // The value of an attribute that has no array.
  Status set_fixed_attribute(unsigned attribute, std::span<const std::uint32_t, 4> bits);
  Status set_fixed_attributes(unsigned first, std::span<const FloatBits> values);
  // The arrays must outlive the draws. An array that is bound goes before one that the loader's registers
  // name. Errors: bad_input for another format.
  Status bind_attribute(unsigned attribute, const AttributeArray& array);
  void unbind_attribute(unsigned attribute);
  void unbind_attributes();
  // The guest's memory, at most kMaxMemoryRanges pieces that do not overlap; it must outlive the draws, and
  // may change between them. Without it the attribute loader's registers count for nothing. An array lies in
  // one piece. Errors: bad_input.
  Status set_memory(std::span<const MemoryRange> ranges);

  // ---- What it holds; a Pipeline without memory holds nothing.
  UnitView unit(Unit unit) const;
  std::span<const FloatBits> fixed_attributes() const;  // 12
  // The program that draws would run on a unit, for disassemble() and Launch; uniforms are not part of it. Equal
  // code is one program, with the same kernels. Errors: bad_input, as those of draws.
  Result<warpjit::Program> program(Unit unit = Unit::vertex) const;
  // What was last written, also to a data port; 0 from 0x300 on. Typed calls write no register.
  std::uint32_t get_register(std::uint32_t id) const;

  // ---- Options, which are no part of a saved state.
  void set_outside(Outside outside);  // error at first
  // While the geometry unit is on and the topology is `strip` or `fan`, the three vertices of each submitted
  // triangle go through primitive assembly, as in some emulators: DrawResult::triangles is false, and
  // DrawResult::topology says what the vertices are. Off at first: they are triangles in every topology.
  void set_geometry_topology(bool on);

  // ---- All of it. Back to how a new one begins; arrays, memory and options stay. Errors: resource_limit.
  Status reset(Start start = Start::zero);
  // The state as bytes, for save states: registers, code, uniforms, tables, the geometry unit, and vectors
  // and vertices that were sent in part; not arrays, memory, options and what a draw gave. The bytes name
  // their version, do not depend on the host, and are equal for equal states.
  Result<std::vector<std::byte>> save() const;
  // Errors: bad_input for bytes that are no state of a Pipeline, of another version, or cut: the place is
  // named. The Pipeline is then as it was.
  Status load(std::span<const std::byte> bytes);

  // What the geometry unit keeps from invocation to invocation, draw to draw and program to program. Nothing
  // resets it but set_geometry_unit; a write of the unit's booleans sets b15 anew.
  const GeometryUnit& geometry_unit() const;
  void set_geometry_unit(const GeometryUnit& unit);

  // ---- Draws. Each needed vertex is shaded once; if the geometry unit is on, its program then runs for each
  // primitive that the vertices make, and incomplete ones at the end are dropped. Arrays of attributes
  // that the program reads must have every needed vertex. After an error the geometry unit is as it was.
  // Errors: those of Engine::run; outside for a vertex outside an array, naming it; bad_input for registers
  // that fit nothing; resource_limit for more than kMaxDrawVertices, for an index whose bytes begin 4 GiB
  // after the array, and for an invocation that emits more than 96 triangles, with EngineKind::guest 254.
  Result<DrawResult> draw(const Engine& engine, std::uint32_t first, std::size_t count,
                          const RunOptions& options = {});
  // In the geometry unit's variable mode the indices are each primitive's number of vertices, then those.
  Result<DrawResult> draw_indexed(const Engine& engine, std::span<const std::uint8_t> indices,
                                  const RunOptions& options = {});
  Result<DrawResult> draw_indexed(const Engine& engine, std::span<const std::uint16_t> indices,
                                  const RunOptions& options = {});

  // The draws that writes of 0x22E and 0x22F trigger, with the vertices or indices that registers 0x227,
  // 0x228 and 0x22A name. Errors: also outside for an index list outside the memory.
  Result<DrawResult> draw_arrays(const Engine& engine, const RunOptions& options = {});
  Result<DrawResult> draw_elements(const Engine& engine, const RunOptions& options = {});
  // Vertices that were sent in immediate mode (fixed attribute 15) and not drawn yet, in order. They are
  // forgotten. A caller that writes registers one by one draws them before it writes other registers than
  // 0x232 to 0x235.
  Result<DrawResult> draw_immediate(const Engine& engine, const RunOptions& options = {});
  std::size_t immediate_vertices() const;
  // The n-th vertex that the last draw shades (without geometry unit: DrawResult::vertices[n]), again, in the
  // guest interpreter: with the uniforms and the bytes of the arrays that there are now, which must live.
  // Errors: bad_input if the last draw has no such vertex; out_of_fuel, fault.
  Result<VertexView> inspect_vertex(std::size_t n) const;
  // The same, instruction by instruction. The view is of where the vertex ended, or where `function` ended it.
  Result<VertexView> trace_vertex(std::size_t n, StepFunction function, void* context = nullptr) const;

  // A command list as the GPU reads it: writes and draws. Vertices that were sent in immediate mode are drawn
  // before the next write of another register, and at the end of the list. Errors: bad_input for a list that
  // is cut: then nothing of it is done; those of write_register. Errors of draws are the visitor's.
  Status run_commands(const Engine& engine, std::span<const std::uint32_t> words, CommandVisitor& visitor,
                      const RunOptions& options = {});
  // One entry of a list, for callers that walk through lists themselves: writes, and the draws that they
  // trigger. Vertices sent in immediate mode wait until the next write of another register, or
  // draw_immediate, which the caller calls at a list's end. Errors: as run_commands.
  Status run_packet(const Engine& engine, const Packet& packet, CommandVisitor& visitor,
                    const RunOptions& options = {});

  // Records all calls until end_record as a capture of version 2 (docs/captures.md), as Gpu::record does, with hashes of
  // what draws give. Memory is what set_memory has named, which is then an error. Errors: bad_input while another
  // capture is recorded, a Gpu's among them; unsupported for arrays that were bound, then and at draws.
  Status record(CaptureSink sink, void* context);
  Status end_frame();
  Status end_record();

 private:
  friend class GpuState;
  class State;
  State& state() const;
  State& changing(const PipelineCall& call) const;  // which a recording sees
  std::unique_ptr<State> state_;                    // null without memory for it
};

// ---- The GPU: command lists to pixels, and the engines that move memory (docs/pica-pixels.md)

// A piece of physical memory, which the GPU reads and writes.
struct GpuMemory {
  std::uint32_t address = 0;
  void* data = nullptr;
  std::size_t size = 0;  // bytes
};

// The words of the memory engines' registers; addresses in bytes.
struct MemoryFill {
  std::uint32_t start = 0, end = 0;  // the end is not filled
  std::uint32_t value = 0;
  std::uint32_t control = 0;  // bits 8 and 9: 0 fills words of 16 bits, 2 of 32, 1 and 3 of 24
};
struct DisplayTransfer {
  std::uint32_t input = 0, output = 0;
  std::uint32_t input_size = 0, output_size = 0;  // pixels: width in bits 0 to 15, height above
  std::uint32_t flags = 0;
};
struct TextureCopy {
  std::uint32_t input = 0, output = 0;
  std::uint32_t size = 0;                         // bytes
  std::uint32_t input_line = 0, output_line = 0;  // 16 bytes: width in bits 0 to 15, gap above
};

// What a Gpu raises when a job is done; the numbers are those of the console's interrupts.
enum class Interrupt : std::uint8_t {
  psc0 = 0x28,  // a fill, of unit 0
  psc1 = 0x29,  // of unit 1
  ppf = 0x2C,   // a display transfer or a texture copy
  p3d = 0x2D,   // a command list: 0x12345678 was written to register 0x010
};
// Called on the thread of the call that did the job, as the last thing that this call does: it may call the
// Gpu, also to start the next job, but not destroy or move it. If it throws, the call gives the error
// `internal` (resource_limit for a lack of memory); the job is done nevertheless.
using InterruptFunction = void (*)(void* context, Interrupt interrupt);

// What command lists or writes did.
struct GpuReport {
  enum class Jump : std::uint8_t { none, buffer0, buffer1 };

  std::uint64_t draws = 0, triangles = 0;  // triangles as they were assembled
  std::uint64_t fragments = 0;             // pixels that they covered: counted by the guest engine alone
  std::uint64_t jumps = 0;                 // to other lists
  bool interrupt = false;                  // the list raised the interrupt P3D, which ended it
  // Of run_packet. What ends a list (the interrupt, a jump) drops the words after it.
  std::uint64_t words = 0;  // that were written
  Jump jump = Jump::none;   // 0x23C or 0x23D was written: the caller goes on with that buffer
};

// The whole GPU over the guest's memory. Everything is 0 at first; geometry state is fresh. Memory is read and
// written in place. Calls on one Gpu must not overlap each other, nor calls that write its memory.
class WARPJIT_API Gpu {
 public:
  Gpu();
  Gpu(Gpu&&) noexcept;
  Gpu& operator=(Gpu&&) noexcept;
  ~Gpu();

  // Errors: resource_limit if there was no memory for the GPU, which every call then gives.
  Status status() const;

  // Whom finished jobs are told; null: nobody. An unfinished job, after an error, tells nothing.
  void set_interrupt(InterruptFunction function, void* context = nullptr);

  // The physical memory, at most kMaxMemoryRanges pieces that do not overlap; it must outlive the calls.
  // Addresses outside of it are errors. Errors: bad_input.
  Status set_memory(std::span<const GpuMemory> ranges);

  // An internal register, below 0x300, as a word without side effects: triggers, data ports, jumps and
  // interrupt registers stay as they were. Errors: bad_input.
  Status set_register(std::uint32_t id, std::uint32_t value);
  std::uint32_t get_register(std::uint32_t id) const;  // 0 from 0x300 on

  // Runs a command list, and the lists that it jumps to, until the interrupt, or the end of a list. Errors name
  // the register and the command's address; what was drawn before stays, and nothing else is written: bad_input,
  // resource_limit; unsupported for gas; those of draws.
  Result<GpuReport> run_commands(const Engine& engine, std::uint32_t address, std::uint32_t bytes,
                                 const RunOptions& options = {});

  // One entry of a list, or one write, for callers that walk through lists themselves. Vertices sent in
  // immediate mode wait until the next write of another register, or draw_immediate, which the caller calls
  // at a list's end. Errors: as run_commands, without an address; writes and draws before them stay.
  Result<GpuReport> run_packet(const Engine& engine, const Packet& packet, const RunOptions& options);
  Result<GpuReport> write_register(const Engine& engine, std::uint32_t id, std::uint32_t value,
                                   const RunOptions& options, unsigned bytes = 15);
  Result<GpuReport> draw_immediate(const Engine& engine, const RunOptions& options);

  // Off at first: once a call has ended, memory has what it drew. On: what is drawn stays with the GPU, which draws faster
  // so, until one of its jobs or draws reaches it in memory, the state is saved or loaded, or a capture begins. Who
  // else reads or writes memory that targets may have calls write_back() before; memory lives until then. What is not
  // written when the Gpu ends is lost.
  void set_lazy_targets(bool lazy);
  // Memory has what was drawn to targets that have some of these bytes; without arguments, all that was drawn.
  void write_back(std::uint64_t address = 0, std::uint64_t bytes = ~std::uint64_t{0});

  // The part up to the vertices: what its typed calls set counts for draws, and its getters read. Register
  // writes through it do what Pipeline says, without tables, triggers and interrupts; its draws make no
  // pixels. Lives as long as the Gpu.
  Pipeline& pipeline();
  const Pipeline& pipeline() const;

  // A look-up table as it was written, a word for each entry; empty for a light table that does not exist.
  // `number`: of a light table, as register 0x1C5 has it. Valid as long as the Gpu.
  enum class Table : std::uint8_t {
    light,              // 256
    fog,                // 128
    noise,              // 128, of the procedural unit, as those after it
    color_map,          // 128
    alpha_map,          // 128
    colors,             // 256
    color_differences,  // 256
  };
  std::span<const std::uint32_t> table(Table table, unsigned number = 0) const;

  // As those of Pipeline, with the look-up tables and primitive assembly. Memory is not part of the bytes,
  // nor is the interrupt function.
  Status reset(Start start = Start::zero);
  Result<std::vector<std::byte>> save() const;
  Status load(std::span<const std::byte> bytes);

  // Records all that the GPU does until end_record as a capture of version 2 (docs/captures.md), which `sink` takes
  // in pieces on the threads of calls: state, memory in pages as jobs reach it, what changed in it, jobs, and the
  // pictures that transfers leave in lines as expected outputs. Memory must not change meanwhile but in calls, or
  // between them as ever; set_memory is an error. Errors: bad_input while another capture is recorded; unsupported
  // for arrays that were bound, then and at draws.
  Status record(CaptureSink sink, void* context);
  // The frame that is recorded ends here, and another one begins with the next job. Errors: bad_input if nothing is
  // recorded; unsupported, as record.
  Status end_frame();
  // Ends the file. Errors: bad_input if nothing is recorded, and for a job that failed, which is the last one of the
  // file; unsupported, as record; io for a sink that did not take bytes.
  Status end_record();

  // Errors: bad_input for what the hardware hangs on, for addresses outside of memory, and for another unit
  // than 0 and 1. Then nothing is written.
  Status fill(const MemoryFill& job, unsigned unit = 0);
  Status transfer(const DisplayTransfer& job);
  Status copy(const TextureCopy& job);

 private:
  class State;
  State& state() const;
  std::unique_ptr<State> state_;  // null without memory for it
};

}  // namespace warpjit::pica200
