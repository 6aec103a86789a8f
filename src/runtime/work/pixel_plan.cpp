#include "runtime/work/pixel_plan.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "pixels/format.h"

namespace warpjit::runtime {
namespace {

pixels::TargetMemory memory_of(const TargetBuffer& target, const LaunchPixels& work) {
  return {static_cast<std::byte*>(target.data), static_cast<std::ptrdiff_t>(target.pitch), work.width,
          work.height};
}

// Calls body(format, memory, first plane) for each bound target.
template <class Body>
void each_target(const LaunchPixels& work, const frontend::TileLayout& layout, Body body) {
  for (unsigned k = 0; k < kMaxColorTargets; ++k)
    if (layout.color[k] != frontend::TileLayout::kNone)
      body(work.output.colors[k], memory_of(work.colors[k], work), layout.color[k]);
  if (layout.depth != frontend::TileLayout::kNone)
    body(work.output.depth_format, memory_of(work.depth, work), layout.depth);
  if (layout.passed != frontend::TileLayout::kNone)
    body(PixelFormat::r32ui, memory_of(work.pass_counts, work), layout.passed);
}

// Runs the groups of a tile as they come.
template <class Record>
class TileSink final : public pixels::GroupSink<Record> {
 public:
  TileSink(const Kernel& kernel, const LaunchState& launch, backend::KernelArgs& args)
      : kernel_(kernel), launch_(launch), args_(args), fuel_(args.fuel) {}

  bool run(const Record* records, std::span<const pixels::GroupRecord> groups) override {
    args_.quads = records;
    args_.groups = groups.data();
    args_.group_count = groups.size();
    args_.fuel = fuel_;
    groups_ += groups.size();
    status_ = kernel_.run(args_, *launch_.shader, launch_.values);
    return static_cast<bool>(status_);
  }

  std::uint64_t groups() const { return groups_; }
  Status take_status() { return std::move(status_); }

 private:
  const Kernel& kernel_;
  const LaunchState& launch_;
  backend::KernelArgs& args_;
  const std::uint64_t fuel_;
  std::uint64_t groups_ = 0;
  Status status_;
};

std::string color_name(unsigned number) { return "colour target " + std::to_string(number); }

Status check_target(const TargetBuffer& target, const LaunchPixels& work, const std::string& name) {
  const std::uint64_t row = std::uint64_t{work.width} * pixel_size(target.format);
  if (target.pitch < row || target.pitch > std::uint64_t{1} << 32)
    return Error{
        ErrorCode::bad_input,
        "a row has " + std::to_string(row) + " bytes, more than the pitch, " + std::to_string(target.pitch),
        name};
  const std::uint64_t needed = std::uint64_t{target.pitch} * (work.height - 1) + row;
  if (needed > target.size)
    return Error{
        ErrorCode::bad_input,
        "the target needs " + std::to_string(needed) + " bytes and has " + std::to_string(target.size), name};
  return {};
}

bool overlap(const TargetBuffer& a, const TargetBuffer& b) {
  const auto begin = [](const TargetBuffer& t) { return reinterpret_cast<std::uintptr_t>(t.data); };
  return begin(a) < begin(b) + b.size && begin(b) < begin(a) + a.size;
}

}  // namespace

std::byte* TilePlanes::planes(std::uint32_t count) {
  constexpr std::size_t kLine = 64;
  const std::size_t needed = std::size_t{count} * pixels::kPlaneBytes + 2 * kLine;
  if (bytes_.size() < needed) bytes_.resize(needed);
  const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
  return bytes_.data() + (kLine - address % kLine) % kLine;
}

PixelPlan::PixelPlan(const LaunchState& launch, const Kernel& kernel, std::uint32_t* table,
                     std::uint64_t fuel, const std::atomic<std::uint32_t>* cancel,
                     const pixels::PrimitiveBatch& batch, Pool<TilePlanes>& planes)
    : WorkPlan(cancel),
      launch_(launch),
      kernel_(kernel),
      table_(table),
      fuel_(fuel),
      batch_(batch),
      planes_(planes),
      layout_(launch.pixels->output) {
  spaces_.bind(launch.values.grid, launch.constants_of_pixels(), memory_);
  windows_.set(memory_);
  windows_.aim(kernel.pointers(), memory_, table);
}

Status PixelPlan::run(std::uint64_t first, std::uint64_t count) const {
  Pool<TilePlanes>::Lease planes = planes_.borrow();
  ir::BlockMemory memory = memory_;
  Status status;
  for (std::uint64_t k = first; k < first + count && status; ++k) {
    status = run_tile(batch_.tiles()[k], planes->planes(layout_.planes), memory);
    if (!status || progress_ == nullptr) continue;
    const double part = static_cast<double>(tiles_.fetch_add(1, std::memory_order_relaxed) + 1) /
                        static_cast<double>(batch_.tiles().size());
    progress_->store(static_cast<std::uint32_t>(1000 * (begin_ + (end_ - begin_) * part)),
                     std::memory_order_relaxed);
  }
  if (memory.fault.happened) {
    const std::lock_guard lock(fault_mutex_);
    if (!fault_.happened) fault_ = memory.fault;
  }
  return status;
}

template <class Record>
Status PixelPlan::run_groups(const pixels::PrimitiveBatch::Tile& tile, std::uint32_t per_group,
                             backend::KernelArgs& args) const {
  TileSink<Record> sink(kernel_, launch_, args);
  const bool done = batch_.rasterize(tile.column, tile.row, per_group, sink);
  groups_.fetch_add(sink.groups(), std::memory_order_relaxed);
  return done ? Status() : sink.take_status();
}

Status PixelPlan::run_tile(const pixels::PrimitiveBatch::Tile& tile, std::byte* planes,
                           ir::BlockMemory& memory) const {
  const LaunchPixels& work = *launch_.pixels;
#if defined(WARPJIT_CHECKS)
  // What is not loaded must not be seen: here it would be.
  std::memset(planes, 0xa5, layout_.planes * std::size_t{pixels::kPlaneBytes});
#endif
  // What the first primitive overwrites need not be there.
  const std::uint64_t unneeded = tile.starts_covered ? kernel_.overwritten_planes() : 0;
  each_target(work, layout_, [&](PixelFormat format, const pixels::TargetMemory& memory, std::uint8_t plane) {
    const std::uint64_t own = low_mask<std::uint64_t>(pixels::tile_planes(format)) << plane;
    if ((own & ~unneeded) == 0) return;
    load_tile(format, memory, tile.column, tile.row, tile.part,
              planes + plane * std::size_t{pixels::kPlaneBytes});
  });
  backend::KernelArgs args;
  args.table = table_;
  args.fuel = fuel_;
  args.cancel = cancel_word(cancel_);
  args.tile = planes;
  args.memory = &memory;
  args.windows = windows_.data();
  args.group_index = 0;
  args.block = {};
  WARPJIT_CHECK(kernel_.takes_single_pixels()
                    ? run_groups<pixels::PixelRecord>(tile, kernel_.lanes(), args)
                    : run_groups<pixels::QuadRecord>(tile, kernel_.lanes() / 4, args));
  each_target(work, layout_, [&](PixelFormat format, const pixels::TargetMemory& memory, std::uint8_t plane) {
    store_tile(format, memory, tile.column, tile.row, tile.part,
               planes + plane * std::size_t{pixels::kPlaneBytes});
  });
  return {};
}

Status check_state(const RasterState& state) {
  const auto wrong = [](const char* what) { return Error{ErrorCode::bad_input, what, "raster state"}; };
  if (state.topology > Topology::triangle_fan) return wrong("there is no such topology");
  if (state.shade > ShadeModel::flat) return wrong("there is no such shade model");
  const auto [least, most] = state.depth_bounds;
  if (!(least >= 0 && least <= most && most <= 1))
    return wrong("depth bounds are not 0 <= least <= greatest <= 1");
  if (!(state.clip_bounds[0] <= state.clip_bounds[1]))
    return wrong("the first of the clip bounds is above the second");
  return {};
}

Status check_state(const OutputState& state) {
  const auto wrong = [](const char* what) {
    return Error{ErrorCode::bad_input, std::string("there is no such ") + what, "output state"};
  };
  const auto face_is_known = [](const StencilFace& face) {
    return face.compare <= Compare::always &&
           std::max({face.fail, face.depth_fail, face.pass}) <= StencilOp::decrement_wrap;
  };
  if (state.depth.compare > Compare::always) return wrong("comparison of depths");
  if (state.alpha_compare > Compare::always) return wrong("comparison of alpha");
  if (!face_is_known(state.stencil.front) || !face_is_known(state.stencil.back))
    return wrong("comparison or operation of stencils");
  for (const BlendState& blend : state.blend) {
    if (std::max({blend.source, blend.target, blend.source_alpha, blend.target_alpha}) >
        BlendFactor::target_alpha_saturate)
      return wrong("blend factor");
    if (std::max(blend.op, blend.op_alpha) > BlendOp::max) return wrong("blend operation");
    for (const BlendMix& mix : {blend.mix, blend.mix_alpha})
      if (mix.add > BlendMix::Add::target || mix.multiply > BlendMix::Multiply::target ||
          mix.by > BlendMix::By::constant)
        return wrong("operand of blending");
  }
  return {};
}

Status check_pixels(const LaunchPixels& work, std::uint64_t count) {
  if (work.width == 0)
    return Error{ErrorCode::bad_input, "the size of the targets is not set", "target size"};
  struct Bound {
    const TargetBuffer* target;
    std::string name;
  };
  std::vector<Bound> bound;
  for (unsigned k = 0; k < kMaxColorTargets; ++k)
    if (work.colors[k].data != nullptr) bound.push_back({&work.colors[k], color_name(k)});
  if (work.depth.data != nullptr) bound.push_back({&work.depth, "depth target"});
  if (work.output.count_passed) {
    if (work.pass_counts.data == nullptr)
      return Error{ErrorCode::bad_input, "count_passed is set, and no counts are bound", "pass counts"};
    bound.push_back({&work.pass_counts, "pass counts"});
  }
  for (std::size_t k = 0; k < bound.size(); ++k) {
    WARPJIT_CHECK(check_target(*bound[k].target, work, bound[k].name));
    for (std::size_t other = 0; other < k; ++other)
      if (overlap(*bound[k].target, *bound[other].target))
        return Error{ErrorCode::bad_input, "the memory overlaps that of " + bound[other].name, bound[k].name};
  }
  if (work.vertex) return {};
  const VertexBuffer& vertices = work.vertices;
  if (count != 0 && vertices.data == nullptr)
    return Error{ErrorCode::bad_input, "there are no vertices", "vertices"};
  const std::uint64_t row = std::uint64_t{vertices.slots} * 4;
  const std::uint64_t most = vertices.size < row    ? 0
                             : vertices.stride == 0 ? ~std::uint64_t{0}
                                                    : (vertices.size - row) / vertices.stride + 1;
  if (count > 1 && vertices.stride < row && vertices.stride != 0)
    return Error{ErrorCode::bad_input,
                 "vertices of " + std::to_string(row) + " bytes are " + std::to_string(vertices.stride) +
                     " bytes from each other",
                 "vertices"};
  if (count > most)
    return Error{
        ErrorCode::bad_input,
        "the buffer has room for " + std::to_string(most) + " vertices of " + std::to_string(row) + " bytes",
        "vertices"};
  if (count == 0 || work.instances < 2 || vertices.instance_stride == 0) return {};
  const std::uint64_t rest = vertices.size - row - (count - 1) * vertices.stride;
  if ((work.instances - 1) > rest / vertices.instance_stride)
    return Error{ErrorCode::bad_input,
                 "the buffer has room for " + std::to_string(rest / vertices.instance_stride + 1) +
                     " instances, " + std::to_string(vertices.instance_stride) + " bytes from each other",
                 "vertices"};
  return {};
}

}  // namespace warpjit::runtime
