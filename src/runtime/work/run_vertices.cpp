// The vertex stage of a draw, for some instances at a time.
#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <tuple>
#include <utility>

#include "base/bits.h"
#include "runtime/work/pixel_draw.h"
#include "runtime/work/row_plan.h"

namespace warpjit::runtime {
namespace {

constexpr std::uint64_t kMostVertexBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kVertexRange = 64;  // vertices that a task has at least
// At most this many vertices of a draw are interpreted before their compilation begins, if that takes no
// longer than the source of kernels waits.
constexpr std::uint64_t kFewVertices = 256;
constexpr std::uint64_t kVerticesAtOnce = 1ULL << 16;  // of several instances
// The input register with the ids of vertex and instance, if vertices of the guest have them.
constexpr unsigned kIds = frontend::kMaxInputs - 1;

// True if every instance finds its rows.
Status check_instances(const LaunchState& stage, std::uint32_t instances) {
  for (std::uint64_t bits = stage.bound_inputs & stage.usage.inputs; bits != 0; bits &= bits - 1) {
    const auto number = static_cast<unsigned>(std::countr_zero(bits));
    const Attribute& a = stage.inputs[number].attribute;
    if (a.divisor == 0 || instances == 0) continue;
    const RowSpan span{reinterpret_cast<std::uintptr_t>(a.data), a.size, a.stride, size(a.format)};
    const std::uint64_t rows = (instances - 1) / a.divisor + 1;
    if (!in_bounds(span, rows))
      return bounds_error(span, rows,
                          "input " + stage.shader->register_name(register_of(LocationKind::input, number)));
  }
  return {};
}

// Where the rows of instance `instance` begin, and how far they are apart.
std::pair<const std::byte*, std::size_t> rows_of(const Attribute& a, std::uint32_t instance) {
  const auto* data = static_cast<const std::byte*>(a.data);
  if (a.divisor == 0) return {data, a.stride};
  return {data + instance / a.divisor * a.stride, 0};
}

// Rows of four words for all vertices of the instances.
void write_rows(VertexRun::Input& input, std::uint64_t vertices, std::uint32_t first, std::uint32_t count) {
  const std::size_t bytes = static_cast<std::size_t>(vertices) * kRowBytes;
  for (std::uint32_t k = 0; k < count; ++k) {
    std::byte* const to = input.rows.data() + k * bytes;
    if (input.source.load != nullptr) {
      const auto [data, stride] = rows_of(input.source.attribute, first + k);
      input.source.load(data, static_cast<std::ptrdiff_t>(stride), static_cast<std::size_t>(vertices), to);
    }
    if (input.number != kIds) continue;
    for (std::uint64_t v = 0; v < vertices; ++v) {
      std::array<std::uint32_t, 4> ids{static_cast<std::uint32_t>(v), 0, 0, 0};
      std::byte* const row = to + v * kRowBytes;
      if (input.source.load != nullptr) std::memcpy(ids.data(), row, kRowBytes);
      ids[1] += first + k;
      std::memcpy(row, ids.data(), kRowBytes);
    }
  }
}

Status allocate_vertices(VertexRun& run) {
  if (!run.stage) return {};
  const SlotRows& rows = run.rows;
  run.words.reset(new (std::nothrow)
                      std::uint32_t[static_cast<std::size_t>(rows.count) * run.at_once * rows.stride]);
  if (!run.words)
    return Error{ErrorCode::resource_limit, "no memory for the vertices", run.stage->shader->source_name()};
  run.rows.words = run.words.get();
  return {};
}

}  // namespace

Status set_up_vertices(const LaunchState& launch, VertexRun& run) {
  const LaunchPixels& work = *launch.pixels;
  SlotRows& rows = run.rows;
  if (!work.vertex) {
    rows.words = static_cast<const std::uint32_t*>(work.vertices.data);
    rows.slots = work.vertices.slots;
    rows.stride = static_cast<std::uint32_t>(work.vertices.stride / 4);
    rows.count = launch.count;
    return {};
  }
  run.stage = std::make_unique<LaunchState>(*work.vertex);
  LaunchState& stage = *run.stage;
  const auto error = [&](ErrorCode code, std::string message) {
    return Error{code, std::move(message), stage.shader->source_name()};
  };
  rows.slots = rows.stride = (stage.shader->varyings().result_slots + 3) / 4 * 4;
  rows.count = stage.count;
  if (rows.slots < 4 && !work.geometry)
    return error(ErrorCode::bad_input, "the vertex stage gives no position");
  if (rows.count > kMostVertexBytes / (rows.stride * 4))
    return error(ErrorCode::resource_limit,
                 "vertices need more than " + std::to_string(kMostVertexBytes) + " bytes");
  WARPJIT_CHECK(stage.become_stage(low_mask<std::uint64_t>(rows.slots / 4)));
  WARPJIT_CHECK(check_instances(stage, work.instances));
  run.at_once = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      kVerticesAtOnce / std::max<std::uint64_t>(rows.count, 1), 1, std::max(work.instances, 1U)));

  for (std::uint64_t bits = stage.usage.inputs; bits != 0; bits &= bits - 1) {
    const auto number = static_cast<unsigned>(std::countr_zero(bits));
    const bool bound = (stage.bound_inputs >> number & 1) != 0;
    if (bound ? work.instances > 1 : number == kIds)
      run.inputs.push_back(
          {static_cast<std::uint8_t>(number), bound ? stage.inputs[number] : LaunchData::Input()});
  }
  // Each run binds them anew; what is bound is a fact.
  for (const VertexRun::Input& input : run.inputs)
    WARPJIT_CHECK(
        stage.bind(register_of(LocationKind::input, input.number), Attribute{nullptr, 0, kRowBytes, f32x4}));
  return {};
}

Result<std::shared_ptr<VertexRun>> begin_vertices(LaunchState& launch) {
  std::shared_ptr<VertexRun> run = launch.take_vertices();
  if (run) return run;
  run = std::make_shared<VertexRun>();
  WARPJIT_CHECK(set_up_vertices(launch, *run));
  WARPJIT_CHECK(allocate_vertices(*run));
  return run;
}

void end_vertices(LaunchState& launch, std::shared_ptr<VertexRun> run) {
  // Runs with more take so long that making it again is little of that.
  constexpr std::uint64_t kMostKeptBytes = 64 * 1024;
  if (!run->stage) return;
  std::uint64_t bytes =
      run->stage->memory_bytes() + run->rows.count * run->at_once * run->rows.stride * sizeof(std::uint32_t);
  for (const VertexRun::Input& input : run->inputs) bytes += input.rows.size();
  if (bytes > kMostKeptBytes) return;
  run->use.lease.reset();
  run->use.awaited.reset();
  launch.keep_vertices(std::move(run));
}

Status run_vertices(const Run& run, VertexRun& vertices, std::uint32_t first, std::uint32_t count) {
  if (!vertices.stage || vertices.rows.count == 0) return {};
  LaunchState& stage = *vertices.stage;
  for (VertexRun::Input& input : vertices.inputs) {
    Attribute attribute = input.source.attribute;
    if (vertices.at_once == 1 && input.number != kIds) {
      std::tie(attribute.data, attribute.stride) = rows_of(attribute, first);
    } else {
      const std::size_t bytes = static_cast<std::size_t>(vertices.rows.count) * count * kRowBytes;
      if (input.rows.size() < bytes) input.rows.resize(bytes);
      write_rows(input, vertices.rows.count, first, count);
      attribute = {input.rows.data(), bytes, kRowBytes, f32x4};
    }
    attribute.divisor = 0;
    WARPJIT_CHECK(stage.bind(register_of(LocationKind::input, input.number), attribute));
  }
  stage.count = vertices.rows.count * count;
  KernelUse& use = vertices.use;
  CompileReport ignored;
  // Few vertices are mostly interpreted before the kernel would be there, so that compilation begins with the
  // pixels'. If they take long, it begins meanwhile.
  if (!use.lease)
    WARPJIT_CHECK(run.kernels.lease_at_once(stage, run.options, use, ignored, stage.count <= kFewVertices));
  std::uint64_t interpreted = 0;
  return run_all(run, stage, use, ignored, interpreted, [&](std::uint64_t& next) {
    WorkSize size{stage.count, 1, kVertexRange};
    size.between_looks = kVertexRange;
    unsigned workers = 0;
    const RowPlan plan =
        RowPlan(run.call(stage, use)).with_rows(reinterpret_cast<std::byte*>(vertices.words.get()), 0);
    return run_units(run, use, plan, size, next, workers);
  });
}

}  // namespace warpjit::runtime
