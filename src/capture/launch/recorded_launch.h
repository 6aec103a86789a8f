// A launch of any kind of work as data: all that the setters of warpjit::Launch can set, with its memory at
// addresses of the capture's own.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "warpjit/launch.hpp"

namespace warpjit::capture {

// Memory of a launch. No bytes: nothing is bound.
struct BufferPlace {
  std::uint64_t address = 0, size = 0;
  bool operator==(const BufferPlace&) const = default;
};

struct RecordedTexture {
  std::uint32_t slot = 0;
  Texture texture;                        // without its memory and
  std::vector<TextureLevelPlace> places;  // ... the places of its levels
  BufferPlace memory;
};
struct RecordedSampler {
  std::uint32_t slot = 0;
  Sampler sampler;
};

// Inputs and outputs of work over rows, and of geometry programs over primitives.
struct RecordedRows {
  struct Row {
    std::uint32_t reg = 0, divisor = 0;
    Format format;
    std::uint64_t stride = 0;
    BufferPlace memory;
  };
  std::vector<Row> inputs, outputs;  // outputs have no divisors
  bool allow_overlap = false;
};

struct RecordedGrid {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, first_block{};
  std::uint32_t shared_bytes = 0;
};

// Vertex programs that fetch their attributes.
struct RecordedVertices {
  std::uint32_t instances = 1, first = 0, first_instance = 0, attribute_offset = 0;
  std::vector<AttributeSource> attributes;
  std::uint32_t packet_stride = 0;
  BufferPlace results;
};

struct RecordedPrimitives {
  GeometryInput input;
  std::vector<std::uint32_t> list;
  BufferPlace triangles, inverted, unit;
};

struct RecordedTarget {
  PixelFormat format = PixelFormat::none;
  std::uint64_t pitch = 0;
  BufferPlace memory;
};
struct RecordedPixels {
  RasterState raster;
  OutputState output;  // the formats are those of the targets
  std::uint32_t width = 0, height = 0, instances = 1;
  std::array<RecordedTarget, kMaxColorTargets> colors;
  RecordedTarget depth, pass_counts;
  struct Vertices {
    BufferPlace memory;
    std::uint64_t stride = 0, instance_stride = 0;
    std::uint32_t slots = 4;
  } vertices;
  bool indexed = false;
  std::vector<std::uint32_t> indices;
};

struct RecordedLaunch {
  std::uint32_t program = 0;  // number of the file's program
  std::uint64_t count = 0, fuel = kDefaultFuel;
  // Words of registers that are not as the program presets them.
  struct Words {
    std::uint32_t first = 0;
    std::vector<std::uint32_t> words;
  };
  std::vector<Words> values;
  std::uint64_t bools = 0, state_given = 0;
  std::vector<RecordedTexture> textures;
  std::vector<RecordedSampler> samplers;
  std::vector<std::byte> parameters;
  // A whole constant space: where it lies, or the bytes that the launch has copied.
  struct Constants {
    std::uint32_t space = 0;
    std::vector<std::byte> copied;
    BufferPlace memory;
  };
  std::vector<Constants> constants;
  struct Mapped {
    std::uint32_t space = 0;
    std::uint64_t address = 0;  // in it
    BufferPlace memory;
  };
  std::vector<Mapped> memory;
  std::vector<ImageSource> images;
  std::vector<BufferSource> buffers;

  std::optional<RecordedRows> rows;
  std::optional<RecordedGrid> grid;
  std::optional<RecordedVertices> vertices;
  std::optional<RecordedPrimitives> primitives;
  std::optional<RecordedPixels> pixels;
  // None or one each. Their programs run over rows, or are Tesla's geometry programs.
  std::vector<RecordedLaunch> vertex, geometry;
  std::uint64_t vertex_outputs = 0;  // of primitives: those that are attributes
};

// Says where memory of a launch lies. `writes`: the launch may change it.
using PlaceBuffer = std::function<BufferPlace(const void* data, std::size_t size, bool writes)>;
using NumberProgram = std::function<std::uint32_t(const Program& program)>;
// Errors: unsupported for what no setter sets.
Result<RecordedLaunch> describe_launch(const Launch& launch, const PlaceBuffer& place,
                                       const NumberProgram& number);

// The memory of a place; null: it does not lie in memory.
using FindBuffer = std::function<std::byte*(const BufferPlace& place)>;
// Errors: those of the setters; bad_input for registers that there are not.
Result<Launch> make_launch(const RecordedLaunch& launch, std::span<const Program> programs,
                           const FindBuffer& find);

// What a launch has memory for: "color0", "vertex_output3".
struct BufferName {
  const char* stage = "";  // before the name of what it is
  const char* what = "";
  std::optional<std::uint32_t> number{};
  std::optional<std::uint64_t> address{};  // in the space of that number
  std::string text() const;
};
// Calls visit(place, writes, name) for all memory of a launch, those of its stages too.
using VisitBuffer = std::function<void(const BufferPlace& place, bool writes, const BufferName& name)>;
void each_buffer(const RecordedLaunch& launch, const VisitBuffer& visit);
// The same for who changes the places.
void each_buffer(RecordedLaunch& launch, const std::function<void(BufferPlace& place)>& visit);

// "a space": "g14", "c0", "mem".
std::string space_name(Isa isa, bool constant, std::uint32_t space);

}  // namespace warpjit::capture
