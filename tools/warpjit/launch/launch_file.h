// The launch file (docs/launch.md) in memory: which program runs over which data, for every guest and stage.
// What kind of work it is, is data; what only one kind has, is empty for the others. This module knows
// nothing of engines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "guest/guest.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tool {

inline constexpr std::uint64_t kMaxThreads = 16'777'216;
inline constexpr std::uint64_t kMaxInstances = 16'777'216;
inline constexpr std::uint64_t kMaxInputBytes = std::uint64_t{4} << 30;  // of all inputs of a launch together
inline constexpr std::uint64_t kMaxMemoryBytes = std::uint64_t{1} << 30;  // of all pieces of memory

// The value of a uniform or state register.
struct LaunchValue {
  Location location;  // of one register
  std::vector<std::uint32_t> words;
};

// Bytes that inputs lie in.
struct LaunchBuffer {
  std::string name;  // the file, or empty for data in the launch file
  std::vector<std::byte> bytes;
};

// Input register `reg` of thread t comes from buffers[buffer] at offset + t * stride.
struct LaunchInput {
  std::string name;  // as written
  std::uint8_t reg = 0;
  Format format;
  std::size_t buffer = 0;
  std::uint64_t offset = 0;
  std::uint64_t stride = 0;   // 0: every thread reads the same
  std::uint32_t divisor = 0;  // of a draw's vertex stage, as Attribute has it
};

// A piece of a writable space, or a whole constant space (from address 0 on).
struct LaunchMemory {
  std::string space;  // "g14", or kResultSpace
  bool constant = false;
  std::uint64_t address = 0;
  std::vector<std::byte> bytes;
  std::size_t given = 0;                    // how many of them are data, the others are filled
  ComponentType type = ComponentType::u32;  // of the data
};

// What vertex programs store that fetch attributes and store results themselves: the last piece of memory.
inline constexpr const char* kResultSpace = "results";
// What their launches have in place of extents.
struct LaunchVertices {
  std::uint32_t count = 0, instances = 1;  // vertices of an instance; instances
  std::uint32_t first = 0, first_instance = 0;
  std::uint32_t attribute_offset = 0;
  std::uint32_t packet_stride = 128;  // bytes of a vertex's results
  std::vector<AttributeSource> attributes;
};

// Bytes of `mem` that were read as a descriptor, which a run may not change.
struct LaunchDescriptor {
  std::uint64_t address = 0, size = 0;
  Error error;  // of a run that does
};

// What a grid has besides the program.
struct LaunchGrid {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, first_block{};
  std::uint32_t shared_bytes = 0;
  std::vector<std::byte> parameters;
  std::vector<LaunchMemory> memory;
  std::vector<ImageSource> images;            // whose texels are in it
  std::vector<BufferSource> buffers;          // whose bytes are in it
  std::vector<LaunchDescriptor> descriptors;  // of a job
  std::optional<LaunchVertices> vertices;     // of these programs, which have no extents and shared memory
};

// Words that a run leaves: a register at the end of every thread or, of a grid, a range of memory.
struct LaunchOutput {
  std::string name;  // as written; of memory "g14[0x1000]"
  Format format;     // f32, u32 or s32
  Location reg;
  std::size_t piece = 0;   // of a grid: it lies in memory[piece]
  std::size_t offset = 0;  // ... from this byte on
  std::size_t count = 0;   // ... and has this many words
};

// What a result must be: words[t * components + k] for component k of thread t, or the words of the range.
// Without a tolerance bits are compared; any NaN equals any NaN.
struct Expectation {
  LaunchOutput what;
  std::vector<std::uint32_t> words;
  std::optional<std::uint32_t> ulp;
  std::optional<double> absolute, relative;
  // Whether one component satisfies it.
  bool accepts(std::uint32_t got, std::uint32_t wanted) const;
};

// A triangle that a geometry program must emit: words[register][vertex][component] of the registers in
// `given`. Bits are compared; any NaN equals any NaN.
struct ExpectedTriangle {
  bool inverted = false;
  std::uint16_t given = 0;
  std::array<std::array<std::array<std::uint32_t, 4>, 3>, 16> words{};
};

// A target of work over pixels. `clear`: the words of red, green, blue and alpha, or of depth and stencil,
// that it is filled with.
struct LaunchTarget {
  PixelFormat format = PixelFormat::none;
  std::array<std::uint32_t, 4> clear{};
  // Not null: what it holds at first instead, packed, row 0 first.
  std::shared_ptr<const std::vector<std::byte>> data{};
};
inline constexpr unsigned kDepthPicture = kMaxColorTargets;
// What a target must hold at the end: its bytes, packed, row 0 first; or their hash (FNV-1a, 64 bits).
struct ExpectedPicture {
  std::string name;     // as written
  unsigned target = 0;  // number of the colour target, or kDepthPicture
  std::optional<std::uint64_t> hash;
  std::vector<std::byte> bytes;
};
// What pixels have besides the program.
struct LaunchPixels {
  std::uint32_t width = 0, height = 0;
  std::vector<LaunchTarget> colors;  // by number; those without format are not bound
  LaunchTarget depth;                // bound if it has a format
  RasterState raster;
  OutputState output;
  std::uint32_t instances = 1;
  bool indexed = false;
  std::vector<std::uint32_t> indices;
  std::uint32_t slots = 4;              // without a vertex stage: words of a vertex ...
  std::vector<std::uint32_t> vertices;  // ... one vertex after the other
  std::vector<ExpectedPicture> expected;
};

// A texture and a sampler of a slot.
struct LaunchTexture {
  unsigned slot = 0;
  std::string where;  // the field, for messages
  Texture texture;    // whose data lie in `bytes`
  std::shared_ptr<const std::vector<std::byte>> bytes;
  std::shared_ptr<const void> keep{};  // what else it refers to
};
struct LaunchSampler {
  unsigned slot = 0;
  Sampler sampler;
};

struct LaunchFile {
  std::string name;                // of the file, for messages
  std::vector<std::string> notes;  // what is odd about it and no error, for the user
  ShaderPtr program;               // null: none yet
  Work work = Work::rows;          // rows, primitives, grid or pixels
  std::vector<LaunchOutput> outputs;
  std::vector<Expectation> expectations;

  // ---- Rows and primitives
  std::uint64_t count = 0;  // threads (of the first stage), 1 to kMaxThreads
  std::uint64_t rows = 0;   // rows that the data has: the count that the file says
  std::vector<LaunchValue> uniforms,
      state;  // what the file gives, each register once; uniforms of pixels, too
  std::vector<LaunchBuffer> buffers;
  std::vector<LaunchInput> inputs;  // each register at most once; every read lies in its buffer

  // ---- Primitives and pixels. The vertex stage, if there is one, has the inputs.
  GeometryInput geometry;
  std::vector<std::uint32_t> primitives;
  std::vector<LaunchFile> vertex;  // none or one; its outputs are the attributes
  std::optional<std::vector<ExpectedTriangle>> triangles;

  std::vector<LaunchTexture> textures;
  std::vector<LaunchSampler> samplers;

  LaunchGrid grid;  // of pixels and their stages: memory alone
  LaunchPixels pixels;
  std::vector<LaunchFile> geometry_stage;  // of pixels: none or one

  const Guest& guest() const { return guest_of(program->isa()); }
  std::uint64_t threads() const;  // of the first stage; of a grid those of all blocks
  bool has_expectations() const { return !expectations.empty() || triangles || !pixels.expected.empty(); }
};

// Output register `name` with `components` of its components, 0: all. Errors: no such output.
Result<LaunchOutput> register_output(const frontend::Shader& shader, const std::string& name,
                                     unsigned components = 0);

// Makes the launch run over `count` threads. Inputs that have fewer rows repeat from the first; data that
// is interleaved stays so, and so does a list of primitives. Errors: 0, more than kMaxThreads, more than
// kMaxInputBytes; a grid, which says itself how many threads it has.
Status set_count(LaunchFile& launch, std::uint64_t count);

// The same view on targets of another size, 1 to kMaxTargetExtent both ways; expected pixels go.
void set_target_size(LaunchFile& launch, std::uint32_t width, std::uint32_t height);

}  // namespace warpjit::tool
