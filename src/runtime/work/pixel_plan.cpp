#include "runtime/work/pixel_plan.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bits.h"
#include "pixels/blocks.h"
#include "pixels/format.h"

namespace warpjit::runtime {
namespace {

pixels::TargetMemory memory_of(const TargetBuffer& target, const LaunchPixels& work,
                               const pixels::TargetBlocks& blocks = {}) {
  return {static_cast<std::byte*>(target.data), static_cast<std::ptrdiff_t>(target.pitch), work.width,
          work.height, blocks};
}

// Calls body(format, memory, first plane) for each bound target.
template <class Body>
void each_target(const LaunchPixels& work, const frontend::TileLayout& layout, Body body) {
  for (unsigned k = 0; k < kMaxColorTargets; ++k)
    if (layout.color[k] != frontend::TileLayout::kNone)
      body(work.output.colors[k],
           memory_of(work.colors[k], work, k == 0 ? work.color_blocks : pixels::TargetBlocks()),
           layout.color[k]);
  if (layout.depth != frontend::TileLayout::kNone)
    body(work.output.depth_format, memory_of(work.depth, work, work.depth_blocks), layout.depth);
  if (layout.passed != frontend::TileLayout::kNone)
    body(PixelFormat::r32ui, memory_of(work.pass_counts, work), layout.passed);
}

// Runs the groups of a tile as they come.
template <class Record>
class TileSink final : public pixels::GroupSink<Record> {
 public:
  TileSink(const KernelCall& call, backend::KernelArgs& args) : call_(call), args_(args) {}

  bool run(const Record* records, std::span<const pixels::GroupRecord> groups) override {
    if (call_.cancelled()) {
      status_ = cancelled_run();
      return false;
    }
    args_.quads = records;
    args_.groups = groups.data();
    groups_ += groups.size();
    status_ = call_.run(args_, groups.size(), args_.memory);
    return static_cast<bool>(status_);
  }

  std::uint64_t groups() const { return groups_; }
  Status take_status() { return std::move(status_); }

 private:
  const KernelCall& call_;
  backend::KernelArgs& args_;
  std::uint64_t groups_ = 0;
  Status status_;
};

}  // namespace

std::byte* TilePlanes::planes(std::uint32_t count) {
  constexpr std::size_t kLine = 64;
  const std::size_t needed = std::size_t{count} * pixels::kPlaneBytes + kLine + pixels::kSpareBytes;
  if (bytes_.size() < needed) bytes_.resize(needed);
  const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
  return bytes_.data() + (kLine - address % kLine) % kLine;
}

PixelPlan::PixelPlan(const KernelCall& call, const pixels::PrimitiveBatch& batch, Pool<TilePlanes>& planes)
    : WorkPlan(call), batch_(batch), planes_(planes), layout_(call.launch.pixels->output) {
  memory_.bind(call.launch.values.grid, call.launch.constants_of_pixels(), call.kernel.pointers(),
               call.table);
}

Status PixelPlan::run(std::uint64_t first, std::uint64_t count) const {
  Pool<TilePlanes>::Lease planes = planes_.borrow();
  ir::BlockMemory memory = memory_.memory;
  Status status;
  for (std::uint64_t k = first; k < first + count && status; ++k) {
    const pixels::PrimitiveBatch::Tile& tile = batch_.tiles()[k];
    status = call_.launch.pixels->kept != nullptr ? run_kept(tile, memory)
                                                  : run_tile(tile, planes->planes(layout_.planes), memory);
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
  TileSink<Record> sink(call_, args);
  const bool done = batch_.rasterize(tile.column, tile.row, per_group, sink);
  groups_.fetch_add(sink.groups(), std::memory_order_relaxed);
  return done ? Status() : sink.take_status();
}

Status PixelPlan::run_tile(const pixels::PrimitiveBatch::Tile& tile, std::byte* planes,
                           ir::BlockMemory& memory) const {
  const LaunchPixels& work = *call_.launch.pixels;
  const std::uint64_t unneeded = this->unneeded(tile);
#if defined(WARPJIT_CHECKS)
  // What is not loaded must not be seen: here it would be.
  std::memset(planes, 0xa5, layout_.planes * std::size_t{pixels::kPlaneBytes});
#endif
  each_target(work, layout_, [&](PixelFormat format, const pixels::TargetMemory& memory, std::uint8_t plane) {
    const std::uint64_t own = low_mask<std::uint64_t>(pixels::tile_planes(format)) << plane;
    if ((own & ~unneeded) == 0) return;
    load_tile(format, memory, tile.column, tile.row, tile.part,
              planes + plane * std::size_t{pixels::kPlaneBytes});
  });
  WARPJIT_CHECK(draw(tile, planes, memory));
  each_target(work, layout_, [&](PixelFormat format, const pixels::TargetMemory& memory, std::uint8_t plane) {
    store_tile(format, memory, tile.column, tile.row, tile.part,
               planes + plane * std::size_t{pixels::kPlaneBytes});
  });
  return {};
}

Status PixelPlan::run_kept(const pixels::PrimitiveBatch::Tile& tile, ir::BlockMemory& memory) const {
  using Role = pixels::KeptTiles::Role;
  const LaunchPixels& work = *call_.launch.pixels;
  pixels::KeptTiles& kept = *work.kept;
  const bool has_color = layout_.color[0] != frontend::TileLayout::kNone,
             has_depth = layout_.depth != frontend::TileLayout::kNone;
  const auto each_role = [&](auto body) {
    if (has_color) body(Role::kColor, layout_.color[0]);
    if (has_depth) body(Role::kDepth, layout_.depth);
  };
  each_role([&](Role role, std::uint8_t plane) {
    if ((unneeded(tile) >> plane & 1) == 0) kept.load(role, tile.column, tile.row, tile.part);
  });
  std::byte* const color = kept.planes(tile.column, tile.row);
  std::byte* const depth = color + pixels::kPlaneBytes;
  // Kernels write after their last plane, where that of depth may be.
  std::array<std::byte, pixels::kSpareBytes> behind;
  std::memcpy(behind.data(), depth, sizeof behind);
  const Status drawn = draw(tile, has_color ? color : depth, memory);
  if (!has_depth) std::memcpy(depth, behind.data(), sizeof behind);
  WARPJIT_CHECK(drawn);
  each_role([&](Role role, std::uint8_t) {
    kept.change(role, tile.column, tile.row, tile.part);
    if (work.stores_kept) kept.store(role, tile.column, tile.row);
  });
  return {};
}

Status PixelPlan::draw(const pixels::PrimitiveBatch::Tile& tile, std::byte* planes,
                       ir::BlockMemory& memory) const {
  backend::KernelArgs args;
  args.tile = planes;
  args.memory = &memory;
  memory_.lend(args);
  return call_.kernel.takes_single_pixels()
             ? run_groups<pixels::PixelRecord>(tile, call_.kernel.lanes(), args)
             : run_groups<pixels::QuadRecord>(tile, call_.kernel.lanes() / 4, args);
}

std::span<std::byte> pixel_memory(const LaunchPixels& work, unsigned target, std::uint32_t x,
                                  std::uint32_t y) {
  const bool is_depth = target == kDepthTarget;
  const TargetBuffer& buffer = is_depth ? work.depth : work.colors[target];
  if (buffer.data == nullptr || x >= work.width || y >= work.height) return {};
  const pixels::TargetBlocks blocks = is_depth      ? work.depth_blocks
                                      : target == 0 ? work.color_blocks
                                                    : pixels::TargetBlocks();
  std::size_t bytes = blocks.bytes, at = 0;
  if (bytes != 0) {
    at = bytes * pixels::block_place(blocks, work.width, work.height, x, y);
  } else {
    bytes = pixel_size(is_depth ? work.output.depth_format : work.output.colors[target]);
    at = y * buffer.pitch + x * bytes;
  }
  if (bytes == 0 || at > buffer.size || bytes > buffer.size - at) return {};
  return {static_cast<std::byte*>(buffer.data) + at, bytes};
}

std::optional<FoundPixel> pixel_at(const LaunchPixels& work, const std::byte* byte) {
  for (unsigned target = 0; target <= kDepthTarget; ++target) {
    const TargetBuffer& buffer = target == kDepthTarget ? work.depth : work.colors[target];
    const auto* const data = static_cast<const std::byte*>(buffer.data);
    if (data == nullptr || byte < data || byte >= data + buffer.size) continue;
    const bool in_rows =
        target == kDepthTarget ? work.depth_blocks.bytes == 0 : target != 0 || work.color_blocks.bytes == 0;
    const auto row = static_cast<std::uint32_t>(
        in_rows && buffer.pitch != 0 ? static_cast<std::size_t>(byte - data) / buffer.pitch : 0);
    for (std::uint32_t y = row; y < (in_rows ? std::min(row + 1, work.height) : work.height); ++y)
      for (std::uint32_t x = 0; x < work.width; ++x) {
        const std::span<std::byte> pixel = pixel_memory(work, target, x, y);
        if (byte >= pixel.data() && byte < pixel.data() + pixel.size())
          return FoundPixel{target, x, y, static_cast<std::size_t>(byte - pixel.data()), pixel.size()};
      }
  }
  return std::nullopt;
}

}  // namespace warpjit::runtime
