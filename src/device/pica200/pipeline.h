// What a Pipeline holds: registers, arrays, and a launch for each recent combination of program and formats.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/recent_cache.h"
#include "device/pica200/attribute_sources.h"
#include "device/pica200/draw_rows.h"
#include "device/pica200/geometry_stage.h"
#include "device/pica200/index_list.h"
#include "device/pica200/pipeline_call.h"
#include "device/pica200/registers.h"
#include "frontend/pica200/facts/physical_memory.h"
#include "frontend/pica200/shader.h"
#include "runtime/engine/prepared_run.h"
#include "runtime/work/launch.h"

namespace warpjit::pica200 {

using runtime::DrawBindings;

class PipelineState {
 public:
  Registers registers;
  AttributeSources attributes;
  Outside outside = Outside::error;
  bool geometry_topology = false;  // as Pipeline::set_geometry_topology says
  // Who is told of calls, and of arrays and indices that draws read; null: nobody.
  PipelineRecording* recording = nullptr;
  // The same of arrays and indices alone: what a GPU has drawn and did not write to memory yet.
  MemoryWatch* kept = nullptr;
  std::unique_ptr<PipelineRecording> own_recording;  // not of a Gpu's
  std::vector<std::uint32_t> recorded_words;  // of the call that is recorded, where its caller has bytes
  CallResults* results = nullptr;             // of the commands that run; null: nobody wants them

  Status reset(Start start);
  std::vector<std::byte> save();
  Status load(std::span<const std::byte> from);
  // `function`: null, or what trace_vertex calls.
  Result<VertexView> inspect_vertex(std::size_t n, StepFunction function, void* context) const;
  Result<warpjit::Program> program(Unit unit);
  // What the last draw's vertices are made of: visit(attribute, first byte, bytes) for each vertex and array in
  // memory. The arrays must live.
  template <class Visit>
  void visit_reads(const Visit& visit) const {
    if (attributes.sent()) return;
    for (std::size_t k = 0; k < input_count_; ++k) {
      const AttributeArray& array = inputs_[k].array;
      for (std::uint64_t n = 0; n < shaded_.count; ++n)
        visit(input_attributes_[k],
              static_cast<const std::byte*>(array.data) + array.offset + number_of(n) * array.stride,
              size(array.format));
    }
  }

  Result<DrawResult> draw(const Engine& engine, std::uint32_t first, std::size_t count,
                          const RunOptions& options);
  template <class Index>
  Result<DrawResult> draw_indexed(const Engine& engine, std::span<const Index> indices,
                                  const RunOptions& options);
  // Draws as the registers say.
  Result<DrawResult> draw_arrays(const Engine& engine, const RunOptions& options);
  Result<DrawResult> draw_elements(const Engine& engine, const RunOptions& options);
  Result<DrawResult> draw_immediate(const Engine& engine, const RunOptions& options);
  Status run_commands(const Engine& engine, std::span<const std::uint32_t> words, CommandVisitor& visitor,
                      const RunOptions& options);
  // One entry of a list. False: the visitor wants no more.
  Result<bool> run_packet(const Engine& engine, const Packet& packet, CommandVisitor& visitor,
                          const RunOptions& options);

 private:
  // Room for more than a thousand programs, and launches with their tables.
  static constexpr std::size_t kProgramBytes = std::size_t{6} << 20, kLaunchBytes = std::size_t{12} << 20;

  struct CachedLaunch {
    Launch launch;
    std::uint64_t values_version = 0;  // sum of versions of the registers that its values come from
  };
  // What a unit runs.
  struct UnitProgram {
    std::optional<warpjit::Program> program;
    std::uint64_t version = 0;  // of the registers that it comes from
  };

  Status find_program(const UnitRegisters& unit, Stage stage, UnitProgram& found);
  Status prepare();
  Status lay_out();
  // The launch of the last draw, and what its runs look up, once some draws in a row had the same.
  struct Current {
    CachedLaunch* launch = nullptr;  // in launches_; null: none
    bool laid_out = false;           // for the program and the layout of this draw
    unsigned draws = 0;              // in a row
    std::uint64_t engine = 0;        // EngineState::id() of what is prepared
    RunOptions options;
    std::unique_ptr<runtime::PreparedState> prepared;
  };
  CachedLaunch& find_launch();
  Current& find_current();
  Result<Report> run_current(Current& current, const Engine& engine, const RunOptions& options);
  std::vector<Vertex>& find_results(std::size_t count);
  void update_values(CachedLaunch& entry) const;
  Status check_arrays(std::uint64_t first, std::uint64_t last) const;
  // Tells of memory that is read.
  void reach(const std::byte* data, std::size_t size) const;
  void watch_arrays(std::uint64_t first, std::uint64_t last) const;
  Result<DrawResult> draw_range(const Engine& engine, std::uint32_t first, std::size_t count,
                                const RunOptions& options);
  // False: the visitor wants no more.
  bool show(const Result<DrawResult>& result, CommandVisitor& visitor) const {
    if (results != nullptr) results->add(result);
    const bool more = visitor.draw(result);
    if (results != nullptr) results->set_ended(!more);
    return more;
  }
  // One write of a command list. False: the visitor wants no more.
  Result<bool> execute(const Engine& engine, std::uint32_t id, std::uint32_t value, unsigned bytes,
                       CommandVisitor& visitor, const RunOptions& options);
  // `held`: false if vertex 0 lies outside of an array, and reads as 0.
  template <class Index>
  Result<DrawResult> draw_listed(const Engine& engine, std::span<const Index> indices, bool held,
                                 const RunOptions& options);
  // Vertices of which some lie outside of their arrays (outside.cpp).
  bool may_read_zero(const Status& status) const {
    return outside == Outside::zero && status.error().code == ErrorCode::outside;
  }
  Result<std::uint64_t> copy_shaded();
  Result<DrawResult> draw_copied(const Engine& engine, const RunOptions& options);
  // In its arrays, the n-th of shaded_.
  std::uint64_t number_of(std::uint64_t n) const {
    return shaded_.listed && !indices_.dense() ? indices_.numbers()[n] : shaded_.first + n;
  }
  std::array<int, 16> attributes_of_inputs() const;
  template <class Index>
  Status split_primitives(std::span<const Index> indices);
  Result<DrawResult> run(const Engine& engine, std::uint64_t base, std::uint64_t count, bool indexed,
                         const RunOptions& options);
  Result<Report> shade(const Engine& engine, std::uint64_t base, std::uint64_t count, std::byte* results,
                       std::size_t result_stride, const RunOptions& options);
  DrawResult finish(DrawResult result);

  RecentCache<warpjit::Program> programs_{kProgramBytes};
  UnitProgram vertex_, geometry_;

  // Laid out for these versions.
  std::uint64_t laid_program_ = 0, laid_layout_ = 0, laid_arrays_ = 0, laid_inputs_ = 0;
  DrawBindings draw_;
  std::array<ArrayInput, kAttributes> inputs_;  // in arrays and read by the program
  std::array<std::uint8_t, kAttributes> input_attributes_{};
  std::size_t input_count_ = 0;
  std::uint64_t held_vertices_ =
      0;  // vertices below this lie in all arrays, less than 4 GiB from their begin
  std::uint64_t whole_vertices_ = 0;  // of these all rows may be read whole

  RecentCache<CachedLaunch> launches_{kLaunchBytes};
  std::array<Current, 2> current_;  // by DrawFacts::numbered
  IndexList indices_;
  struct Results {
    std::uint16_t stored = 0;  // DrawFacts::stored
    std::uint64_t used = 0;    // 0: never
    std::vector<Vertex> vertices;
  };
  std::array<Results, 4> results_;
  std::uint64_t results_clock_ = 0;

  GeometryStage geometry_stage_;
  GeometryStage::Input geometry_input_;
  std::vector<std::byte> attribute_rows_;  // what the vertex unit gives to the geometry unit
  // Variable mode: how many vertices each primitive has, and the numbers of all of them.
  std::vector<std::uint8_t> sizes_;
  std::vector<std::uint16_t> listed_;
  std::vector<std::uint16_t> aligned_;  // an index list whose address is odd, or that ends outside of memory
  std::vector<std::uint8_t> narrow_;
  std::vector<Registers::ImmediateVertex> sent_;    // of the last draw in immediate mode
  std::vector<Registers::ImmediateVertex> copied_;  // by copy_vertices
  // Vertices that the last draw shades: `count` from `first` on, or those of indices_.
  struct Shaded {
    std::uint64_t first = 0, count = 0;
    bool listed = false;
  };
  Shaded shaded_;
};

}  // namespace warpjit::pica200

class warpjit::pica200::Pipeline::State final : public warpjit::pica200::PipelineState {};
