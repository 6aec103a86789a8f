// The geometry unit's part of a draw: attributes that the vertex unit gave become primitives, invocations,
// and triangles of result vertices (docs/guests/pica200.md 10, 11). It keeps a launch for each recent
// combination of program and input.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/recent_cache.h"
#include "device/pica200/registers.h"
#include "runtime/work/launch.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {

using runtime::LaunchState;

// Copies output registers to the words of a Vertex.
class VertexWriter {
 public:
  VertexWriter() = default;
  // For vertices of `mask`'s output registers, a row each, ascending.
  VertexWriter(const Registers& registers, std::uint16_t mask);
  void write(const std::byte* rows, Vertex& vertex) const;

 private:
  struct Word {
    std::uint8_t from, to;
  };
  std::array<Word, sizeof(Vertex) / sizeof(float)> words_{};
  unsigned count_ = 0;
  bool clamped_ = false;  // the colour is written
};

// Result vertices of a run.
class TriangleList final : public runtime::TriangleSink {
 public:
  VertexWriter writer;
  bool swaps = false;  // the winding flag swaps the first two vertices
  bool wide = false;   // the rows have flags after Triangles::kMostWide triangles
  std::size_t vertex_bytes = 0;
  std::vector<Vertex> vertices;

  Status reserve(std::uint64_t triangles) override;
  void store(std::uint64_t place, const std::byte* rows, std::uint32_t count,
             const std::uint32_t* inverted) override;
};

class GeometryStage {
 public:
  // Attributes as the vertex unit gave them: rows of 16 bytes, `attributes` a vertex.
  struct Vertices {
    const std::byte* rows = nullptr;
    unsigned attributes = 0;
    std::uint64_t count = 0;                 // in the draw
    std::span<const std::uint16_t> order{};  // the draw's vertices among the rows; empty: they are in order
    std::span<const std::uint8_t> sizes{};   // variable mode: vertices of each primitive
  };
  // How the registers say that vertices become invocations.
  struct Input {
    PrimitiveMode mode = PrimitiveMode::point;
    unsigned attributes = 0;     // of a vertex
    unsigned inputs = 0;         // point: of an invocation
    unsigned first_row = 0;      // of the float uniforms
    unsigned vertices = 0;       // fixed: of a primitive
    unsigned vertex_rows = 0;    // fixed: from one vertex to the next
    unsigned full_vertices = 0;  // variable
    // Variable: float uniforms that a primitive of `count` vertices fills.
    std::uint64_t variable_rows(std::uint64_t count) const;
  };
  // Errors: bad_input, naming the register.
  static Result<Input> input_of(const Registers& registers);

  // The unit's state and the float uniforms that vertices came in are left in `registers`.
  Result<DrawResult> run(const Engine& engine, Registers& registers, const warpjit::Program& program,
                         const Input& input, const Vertices& vertices, const RunOptions& options);

 private:
  static constexpr std::size_t kLaunchBytes = std::size_t{8} << 20;  // of launches with their tables
  // What a launch depends on besides the program.
  struct Shape {
    Shape() { attribute_of.fill(-1); }
    std::array<std::int8_t, 16> attribute_of;  // of input registers; -1: none
    std::uint8_t first_row = 0, row_count = 0;
    std::uint16_t outputs = 0;
    bool operator==(const Shape&) const = default;
  };
  struct CachedLaunch {
    Launch launch;
    Shape shape;
    std::uint64_t values_version = 0;
  };
  // Invocations with their rows.
  struct Work {
    Shape shape;
    std::uint64_t count = 0;
    const std::byte* rows = nullptr;
    std::size_t stride = 0;
  };

  Work points(const Registers& registers, const Input& input, const Vertices& vertices);
  Work fixed(const Registers& registers, const Input& input, const Vertices& vertices);
  Result<Work> variable(const Registers& registers, const Input& input, const Vertices& vertices);
  const std::byte* in_order(const Vertices& vertices);
  std::byte* room(std::size_t bytes);
  CachedLaunch& find_launch(const warpjit::Program& program, const Shape& shape, GeometryUnit& unit);
  static void bind(const Work& work, LaunchState& state);
  static void keep_rows(Registers& registers, const Work& work, CachedLaunch& entry);

  std::vector<std::byte> rows_;
  RecentCache<CachedLaunch> launches_{kLaunchBytes};
  TriangleList triangles_;
  std::uint64_t writer_version_ = 0;  // of the output map
  std::uint16_t writer_mask_ = 0;
};

}  // namespace warpjit::pica200
