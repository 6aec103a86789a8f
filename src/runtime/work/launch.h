// What a Launch holds: bindings with their resolved conversions, values, and the kernels it remembers.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "frontend/interpret/pixel_observer.h"
#include "frontend/shader.h"
#include "pixels/format.h"
#include "pixels/kept_tiles.h"
#include "pixels/rules.h"
#include "runtime/kernel/launch_cache.h"
#include "runtime/work/binding.h"
#include "runtime/work/draw.h"
#include "runtime/work/row_format.h"

namespace warpjit::runtime {

struct LaunchData;
struct VertexRun;

inline Location register_of(LocationKind kind, unsigned number) {
  return {.kind = kind, .first = static_cast<std::uint16_t>(number)};
}

// Takes the triangles of a geometry launch in place of a TriangleBuffer.
class TriangleSink {
 public:
  virtual ~TriangleSink() = default;
  // Makes room for `triangles` in all. No store() is under way.
  virtual Status reserve(std::uint64_t triangles) = 0;
  // `count` triangles from number `place` on, of three vertices each, a row for each enabled output register.
  // Bit n of word n / 32 of `inverted` is the winding flag of triangle n. Calls may overlap.
  virtual void store(std::uint64_t place, const std::byte* rows, std::uint32_t count,
                     const std::uint32_t* inverted) = 0;

  // What the invocations of a run that failed emitted at most, if that was more than the launch allows.
  std::atomic<std::uint32_t> most_emitted{0};
};

// What a launch of a geometry program holds in addition.
struct LaunchPrimitives {
  // Without a vertex stage: float uniforms from number `first` on have values of their own in each
  // invocation, `count` packed rows of them.
  struct UniformRows {
    const std::byte* data = nullptr;
    std::uint32_t first = 0, count = 0;
  };

  GeometryInput input;
  UniformRows rows;
  TriangleBuffer triangles;
  TriangleSink* sink = nullptr;
  std::span<std::uint32_t> unit;             // empty: each run starts anew
  std::vector<std::uint32_t> list;           // variable mode
  std::shared_ptr<const LaunchData> vertex;  // null: inputs are bound
  std::uint64_t attributes = 0;              // its outputs: bit n is output register n
  unsigned attribute_count() const { return static_cast<unsigned>(std::popcount(attributes)); }
};

// What a launch of a fragment program holds in addition.
struct LaunchPixels {
  RasterState raster;
  pixels::RasterRules rules{};
  // Of colour 0 and of depth, whose formats then only say how many planes they take. Who binds them checks them.
  pixels::TargetBlocks color_blocks{}, depth_blocks{};
  // Colour 0 and depth are drawn to in there, and nothing else is bound. Engines without tiles tell it of the memory
  // that they reach. Null: memory has what was drawn at the end of the run.
  pixels::KeptTiles* kept = nullptr;
  bool stores_kept = false;  // tiles are written to memory as soon as they are drawn
  bool has_blocks() const { return color_blocks.bytes != 0 || depth_blocks.bytes != 0; }
  bool has_narrow_depth() const { return raster.depth_bounds != std::array<float, 2>{0, 1}; }
  OutputState output;  // with the formats of the bound targets
  std::uint32_t width = 0, height = 0;
  std::array<TargetBuffer, kMaxColorTargets> colors{};
  TargetBuffer depth;
  TargetBuffer pass_counts;
  VertexBuffer vertices;
  std::shared_ptr<const std::vector<std::uint32_t>> indices;  // null: vertices in order
  std::shared_ptr<const LaunchData> vertex;                   // null: vertices are bound
  std::shared_ptr<const LaunchData> geometry;                 // null: none
  std::uint32_t instances = 1;
  std::atomic<std::uint32_t>* progress = nullptr;  // thousandths of a run that are done
  // The guest engine adds here what fragments executed, of each pixel, row 0 first.
  std::uint32_t* instructions = nullptr;
  interpret::PixelObserver* observer = nullptr;  // of the guest engine; null: nobody looks
};

// A texture as the caller has given it: what a launch samples is made of it.
struct GivenTexture {
  unsigned slot = 0;
  Texture texture;
  std::vector<TextureLevelPlace> places;  // those of its levels, which the texture itself does not show
};

// Copied with the launch.
struct LaunchData {
  struct Input {
    Attribute attribute;
    LoadRows load = nullptr;
  };
  struct Output {
    OutputBuffer buffer;
    StoreRows store = nullptr;
    std::uint8_t number = 0;
  };

  using Primitives = LaunchPrimitives;

  explicit LaunchData(Program with);

  Program program;
  const frontend::Shader* shader;
  frontend::Usage usage;
  frontend::Values values;
  std::array<Input, frontend::kMaxInputs> inputs;
  std::array<Output, frontend::kMaxOutputs> outputs;
  std::uint64_t bound_inputs = 0;
  std::uint32_t output_count = 0;
  std::uint64_t count = 0;
  std::uint64_t fuel = kDefaultFuel;
  bool allow_overlap = false;
  bool many_ranges = false;  // some space of values.grid.globals has several
  std::optional<Primitives> primitives;
  std::optional<LaunchPixels> pixels;
  std::optional<frontend::StripFacts> strips;  // of a geometry program before a rasterizer, in its draw
  // Graphics programs: copies of what values.grid.constants shows.
  std::array<std::shared_ptr<const std::vector<std::byte>>, ir::kMaxSpaces> constants{};
  std::vector<GivenTexture> given_textures;  // by slot, those that a setter has set
  DrawBindings draw;  // if active, instead of inputs and outputs; checked by who sets them

  // Each setter advances what it invalidates: the table, the choice of kernel, the checked bindings.
  std::uint64_t values_generation = 1, facts_generation = 1, bindings_generation = 1;

  // Copies `count` 32-bit words to consecutive registers.
  Status set_words(const Location& location, LocationKind kind, const void* words, std::size_t count);
  Status bind(const Location& location, const Attribute& attribute);
  Status bind(const Location& location, const OutputBuffer& buffer);
  Status set_geometry_input(const GeometryInput& input);

  Work work() const {
    if (shader->traits().runs_on_grid) return Work::grid;
    if (pixels) return Work::pixels;
    if (primitives) return Work::primitives;
    return draw.active ? Work::draw : Work::rows;
  }
  // Threads that a run has; those of a geometry program are invocations.
  std::uint64_t thread_count() const;
  // Input registers that something gives a value.
  std::uint64_t given_inputs() const;
};

class LaunchState : public LaunchData {
 public:
  using LaunchData::LaunchData;
  explicit LaunchState(const LaunchData& data) : LaunchData(data) {}

  // An error if it cannot run: every row is inside its buffer; no output overlaps another row, unless
  // allowed; a grid is within the guest's limits. Remembers success.
  Status check();
  // Checks it as a stage of another launch. Its outputs (bit n: register n) are bound to no buffer: a plan
  // says where they go.
  Status become_stage(std::uint64_t output_registers);
  // The grid as the guest checked it: by check(), or now. `fresh` holds one that is not lasting.
  Result<const frontend::CheckedGrid*> checked_grid(std::optional<frontend::CheckedGrid>& fresh) const;
  // To facts of work that is no grid: what code depends on of constants and parameters.
  Status add_guest_facts(frontend::Facts& facts) const;
  // After check(), the constants that the code of a fragment program reads where they lie.
  std::span<const std::span<const std::byte>> constants_of_pixels() const {
    if (!shader->traits().memory.parameters) return {};
    return checked_.constants;
  }
  // Keys of what the program samples; none if something is not bound.
  void add_sample_facts(frontend::Facts& facts) const;
  // The facts of this launch; known_bools is `known`. Errors: a declared input that is not bound.
  Result<frontend::Facts> facts(std::uint64_t known) const;

  // That it takes once it has run with one kernel, without a vertex stage; kernels count with their engine.
  std::size_t memory_bytes() const {
    return sizeof *this + 4 * values.words.capacity() + shader->table_bytes();
  }

  LaunchCache kernels;

  // What a run of this launch prepared for its vertex stage (runtime/work/pixel_draw.h), for the next one to
  // go on with; null if there is nothing, or another run has it. What changes the stage, or how many
  // instances there are, drops it.
  std::shared_ptr<VertexRun> take_vertices() {
    const std::lock_guard lock(vertices_mutex_);
    return std::exchange(vertices_, nullptr);
  }
  void keep_vertices(std::shared_ptr<VertexRun> run) {
    const std::lock_guard lock(vertices_mutex_);
    vertices_.swap(run);  // the other one ends after the lock
  }

 private:
  std::string place(LocationKind kind, unsigned number) const;
  Status check_rows() const;

  std::atomic<std::uint64_t> checked_generation_{0};
  std::mutex check_mutex_;
  frontend::CheckedGrid checked_;  // of checked_generation_; written under check_mutex_
  std::mutex vertices_mutex_;
  std::shared_ptr<VertexRun> vertices_;
};

}  // namespace warpjit::runtime

class warpjit::Launch::State final : public warpjit::runtime::LaunchState {
 public:
  using LaunchState::LaunchState;
};
