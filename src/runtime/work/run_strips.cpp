// The geometry stage of a draw: rounds of invocations, whose strips go to the rasterizer.
#include <algorithm>
#include <cstring>
#include <new>

#include "runtime/work/pixel_draw.h"
#include "runtime/work/row_plan.h"

namespace warpjit::runtime {
namespace {

// What the outputs of a round may take, beyond one group.
constexpr std::uint64_t kRoundBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kMostInvocations = 4096;
constexpr std::uint32_t kPart = ~std::uint32_t{0};  // the index between strips

class StripPlan final : public WorkPlan {
 public:
  StripPlan(const KernelCall& call, GeometryRun& run) : WorkPlan(call), run_(run) {}

  // The first invocation is that of a group.
  Status run(std::uint64_t first, std::uint64_t count) const override {
    const auto rows = [&](const std::byte* begin, std::size_t stride) {
      return group_rows(begin + first * stride, static_cast<std::ptrdiff_t>(stride), run_.lanes);
    };
    backend::KernelArgs args;
    args.inputs[0] = rows(run_.input.data(), run_.input_bytes());
    args.outputs[frontend::kEmittedOutput] = rows(run_.emitted.get(), kRowBytes);
    args.outputs[frontend::kVerticesOutput] = rows(run_.vertices.get(), run_.output_bytes());
    return call_.run(args, (count + run_.lanes - 1) / run_.lanes);
  }

 private:
  GeometryRun& run_;
};

// Lists the strips of the round. Strips of triangles begin at even places,
// so that the turn of each starts anew.
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

void set_up_geometry(const LaunchState& launch, const SlotRows& rows, GeometryRun& geometry) {
  const LaunchPixels& work = *launch.pixels;
  if (!work.geometry) return;
  geometry.stage = std::make_unique<LaunchState>(*work.geometry);
  LaunchState& stage = *geometry.stage;
  geometry.output = *stage.shader->varyings().strips;
  stage.strips =
      frontend::StripFacts{pixels::vertices_of(work.raster.topology),
                           work.vertex ? work.vertex->shader->varyings().result_slots : rows.slots};
  ++stage.facts_generation;
}

Status begin_geometry(const Run& run, const SlotRows& rows, GeometryRun& geometry) {
  set_up_geometry(run.launch, rows, geometry);
  if (!geometry.stage) return {};
  LaunchState& stage = *geometry.stage;
  CompileReport ignored;
  // Whichever kernel is there runs all of it.
  WARPJIT_CHECK(run.kernels.lease_at_once(stage, run.options, geometry.use, ignored, false));
  geometry.use.awaited.reset();
  geometry.lanes = geometry.use.kernel().lanes();
  const std::uint64_t invocations =
      std::clamp<std::uint64_t>(kRoundBytes / geometry.output_bytes(), 1, kMostInvocations);
  geometry.most = (invocations + geometry.lanes - 1) / geometry.lanes * geometry.lanes;
  const auto bytes = static_cast<std::size_t>(geometry.most);
  geometry.input.resize(bytes * geometry.input_bytes());
  geometry.emitted.reset(new (std::nothrow) std::byte[bytes * kRowBytes]);
  geometry.vertices.reset(new (std::nothrow) std::byte[bytes * geometry.output_bytes()]);
  if (!geometry.emitted || !geometry.vertices)
    return Error{ErrorCode::resource_limit, "no memory for what a geometry program emits",
                 stage.shader->source_name()};
  return {};
}

Status add_input(GeometryRun& geometry, PrimitiveRun& primitives, const pixels::Vertices& part) {
  const Topology topology = primitives.run().launch.pixels->raster.topology;
  const frontend::StripFacts& facts = *geometry.stage->strips;
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
    std::byte* to = geometry.input.data() + geometry.waiting * geometry.input_bytes();
    const std::array<std::uint32_t, 4> first{static_cast<std::uint32_t>(i), 0, 0, 0};
    std::memcpy(to, first.data(), kRowBytes);
    to += kRowBytes;
    for (std::uint32_t n = 0; n < facts.vertices; ++n, to += vertex_bytes) {
      std::memcpy(to, part.words + vertices[n] * part.stride, words * 4);
      std::memset(to + words * 4, 0, vertex_bytes - words * 4);
    }
    if (++geometry.waiting == geometry.most) WARPJIT_CHECK(run_waiting(geometry, primitives));
  }
  return {};
}

Status run_waiting(GeometryRun& geometry, PrimitiveRun& primitives) {
  if (geometry.waiting == 0) return {};
  // The last group is filled up with copies of invocations.
  const std::uint64_t padded = (geometry.waiting + geometry.lanes - 1) / geometry.lanes * geometry.lanes;
  const std::size_t size = geometry.input_bytes();
  for (std::uint64_t t = geometry.waiting; t < padded; ++t)
    std::memcpy(geometry.input.data() + t * size,
                geometry.input.data() + copied_thread(t, geometry.waiting) * size, size);
  Run& run = primitives.run();
  const StripPlan plan(run.call(*geometry.stage, geometry.use), geometry);
  unsigned workers = 0;
  std::uint64_t next = 0;
  WARPJIT_CHECK(run_units(run, geometry.use, plan, {geometry.waiting, 1, geometry.lanes}, next, workers));
  run.report.invocations += geometry.waiting;
  list_strips(geometry);
  geometry.waiting = 0;
  pixels::Vertices part;
  part.words = reinterpret_cast<const std::uint32_t*>(geometry.vertices.get());
  part.stride = geometry.output.vertex_rows() * 4;
  part.count = geometry.most * geometry.vertices_each();
  part.indexed = true;
  part.indices = geometry.indices;
  part.numbers = geometry.numbers;
  return primitives.add(part);
}

}  // namespace warpjit::runtime
