// The geometry stage of a draw: rounds of invocations, whose strips go to the rasterizer.
#include <algorithm>
#include <cstring>
#include <new>

#include "runtime/engine/engine.h"
#include "runtime/work/pixel_draw.h"
#include "runtime/work/run_plan.h"

namespace warpjit::runtime {
namespace {

// What the outputs of a round may take, beyond one group.
constexpr std::uint64_t kRoundBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kMostInvocations = 4096;
constexpr std::uint32_t kPart = ~std::uint32_t{0};  // the index between strips

class StripPlan final : public WorkPlan {
 public:
  StripPlan(GeometryRun& run, std::uint64_t fuel, const std::atomic<std::uint32_t>* cancel)
      : WorkPlan(cancel), run_(run), fuel_(fuel) {}

  // The first invocation is that of a group.
  Status run(std::uint64_t first, std::uint64_t count) const override {
    const auto binding = [&](std::byte* rows, std::size_t stride) {
      return backend::Binding{rows + first * stride, static_cast<std::ptrdiff_t>(stride),
                              static_cast<std::ptrdiff_t>(stride * run_.lanes)};
    };
    backend::KernelArgs args;
    args.inputs[0] = binding(run_.input.data(), run_.input_bytes());
    args.outputs[frontend::kEmittedOutput] = binding(run_.emitted.get(), kRowBytes);
    args.outputs[frontend::kVerticesOutput] = binding(run_.vertices.get(), run_.output_bytes());
    args.table = run_.lease.table();
    args.group_count = (count + run_.lanes - 1) / run_.lanes;
    args.fuel = fuel_;
    args.cancel = cancel_word(cancel_);
    args.memory = nullptr;
    return run_.lease.kernel().run(args, *run_.stage->shader, run_.stage->values);
  }

 private:
  GeometryRun& run_;
  const std::uint64_t fuel_;
};

// Lists the strips of the round. Strips of triangles begin at even places, so that the turn of each starts
// anew.
void list_strips(GeometryRun& run) {
  const unsigned least = pixels::vertices_of(run.output.topology);
  const std::size_t row_words = std::size_t{run.output.vertex_rows()} * 4;
  run.indices.clear();
  run.numbers.clear();
  for (std::uint64_t t = 0; t < run.waiting; ++t) {
    std::uint32_t emitted = 0, number = 0;
    std::memcpy(&emitted, run.emitted.get() + t * kRowBytes, 4);
    std::memcpy(&number, run.input.data() + t * run.input_bytes(), 4);
    const std::byte* const vertices = run.vertices.get() + t * run.output_bytes();
    const auto strip_of = [&](std::uint32_t n) {
      std::uint32_t strip = 0;
      std::memcpy(&strip, vertices + (n * row_words + run.output.slots) * 4, 4);
      return strip;
    };
    for (std::uint32_t first = 0, next = 0; first < emitted; first = next) {
      for (next = first + 1; next < emitted && strip_of(next) == strip_of(first);) ++next;
      if (next - first < least) continue;
      for (std::uint32_t n = first; n < next; ++n)
        run.indices.push_back(static_cast<std::uint32_t>(t * run.vertices_each() + n));
      if (least > 1) run.indices.push_back(kPart);
      if (run.indices.size() % 2 != 0 && least > 2) run.indices.push_back(kPart);
      run.numbers.resize(run.indices.size(), number);
    }
  }
}

}  // namespace

Status EngineState::begin_geometry(const LaunchState& launch, const SlotRows& rows, const RunOptions& options,
                                   GeometryRun& run) {
  const LaunchPixels& work = *launch.pixels;
  if (!work.geometry) return {};
  run.stage = std::make_unique<LaunchState>(*work.geometry);
  LaunchState& stage = *run.stage;
  run.output = *stage.shader->strip_output();
  stage.strips = {pixels::vertices_of(work.raster.topology),
                  work.vertex ? work.vertex->shader->result_slots() : rows.slots};
  ++stage.facts_generation;
  CompileReport ignored;
  WARPJIT_CHECK(lease_at_once(stage, options, run.lease, ignored));
  run.lanes = run.lease.kernel().lanes();
  const std::uint64_t wanted =
      std::clamp<std::uint64_t>(kRoundBytes / run.output_bytes(), 1, kMostInvocations);
  run.most = (wanted + run.lanes - 1) / run.lanes * run.lanes;
  const auto bytes = static_cast<std::size_t>(run.most);
  run.input.resize(bytes * run.input_bytes());
  run.emitted.reset(new (std::nothrow) std::byte[bytes * kRowBytes]);
  run.vertices.reset(new (std::nothrow) std::byte[bytes * run.output_bytes()]);
  if (!run.emitted || !run.vertices)
    return Error{ErrorCode::resource_limit, "no memory for what a geometry program emits",
                 stage.shader->source_name()};
  return {};
}

Status EngineState::add_input(GeometryRun& run, PrimitiveRun& primitives, const pixels::Vertices& part) {
  const Topology topology = primitives.launch.pixels->raster.topology;
  const frontend::StripFacts& facts = run.stage->strips;
  const std::size_t vertex_bytes = facts.vertex_rows() * kRowBytes, words = facts.words;
  const std::uint64_t count = part.primitives(topology);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::array<std::uint64_t, 3> vertices = pixels::vertex_places(topology, i);
    bool exists = true;
    for (std::uint32_t n = 0; n < facts.vertices; ++n) {
      if (part.indexed) vertices[n] = part.indices[static_cast<std::size_t>(vertices[n])];
      exists = exists && vertices[n] < part.count;
    }
    if (!exists) continue;
    std::byte* to = run.input.data() + run.waiting * run.input_bytes();
    const std::array<std::uint32_t, 4> first{static_cast<std::uint32_t>(i), 0, 0, 0};
    std::memcpy(to, first.data(), kRowBytes);
    to += kRowBytes;
    for (std::uint32_t n = 0; n < facts.vertices; ++n, to += vertex_bytes) {
      std::memcpy(to, part.words + vertices[n] * part.stride, words * 4);
      std::memset(to + words * 4, 0, vertex_bytes - words * 4);
    }
    if (++run.waiting == run.most) WARPJIT_CHECK(run_waiting(run, primitives));
  }
  return {};
}

Status EngineState::run_waiting(GeometryRun& run, PrimitiveRun& primitives) {
  if (run.waiting == 0) return {};
  // The last group has copies of invocations where there are none.
  const std::uint64_t padded = (run.waiting + run.lanes - 1) / run.lanes * run.lanes;
  const std::size_t size = run.input_bytes();
  for (std::uint64_t t = run.waiting; t < padded; ++t)
    std::memcpy(run.input.data() + t * size, run.input.data() + copied_thread(t, run.waiting) * size, size);
  const StripPlan plan(run, primitives.fuel(), primitives.options.cancel);
  const WorkSize work{run.waiting, 1, run.lanes, 0};
  const unsigned workers = worker_count(work, primitives.options, run.lease.kernel());
  const std::uint64_t chunk = (run.waiting / workers + run.lanes) / run.lanes * run.lanes;
  WARPJIT_CHECK(run_parallel(plan, {0, run.waiting, chunk}, workers));
  primitives.report.invocations += run.waiting;
  list_strips(run);
  run.waiting = 0;
  pixels::Vertices part;
  part.words = reinterpret_cast<const std::uint32_t*>(run.vertices.get());
  part.stride = run.output.vertex_rows() * 4;
  part.count = run.most * run.vertices_each();
  part.indexed = true;
  part.indices = run.indices;
  part.numbers = run.numbers;
  return add_primitives(primitives, part);
}

}  // namespace warpjit::runtime
