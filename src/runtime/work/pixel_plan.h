// Runs the tiles of a batch of primitives through a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "frontend/pixels/facts.h"
#include "pixels/batch.h"
#include "runtime/kernel/block_memory.h"
#include "runtime/kernel/pool.h"
#include "runtime/work/work.h"

namespace warpjit::runtime {

// The planes of a tile, which a host thread keeps from tile to tile.
class TilePlanes {
 public:
  std::byte* planes(std::uint32_t count);  // aligned to 64, with pixels::kSpareBytes more

 private:
  std::vector<std::byte> bytes_;
};

class PixelPlan final : public WorkPlan {
 public:
  // The units are batch.tiles(). All arguments outlive it.
  PixelPlan(const KernelCall& call, const pixels::PrimitiveBatch& batch, Pool<TilePlanes>& planes);

  Status run(std::uint64_t first, std::uint64_t count) const override;

  // Tells how far the run is, of which this is the part from `begin` to `end` (0 to 1).
  // Null: nothing is told.
  void show_progress(std::atomic<std::uint32_t>* thousandths, double begin, double end) {
    progress_ = thousandths;
    begin_ = begin;
    end_ = end;
  }

  // One of the program's faults in memory.
  const ir::MemoryFault& fault() const { return fault_; }

  std::uint64_t groups() const { return groups_.load(std::memory_order_relaxed); }

 private:
  template <class Record>
  Status run_groups(const pixels::PrimitiveBatch::Tile& tile, std::uint32_t per_group,
                    backend::KernelArgs& args) const;
  Status run_tile(const pixels::PrimitiveBatch::Tile& tile, std::byte* planes, ir::BlockMemory& memory) const;
  Status run_kept(const pixels::PrimitiveBatch::Tile& tile, ir::BlockMemory& memory) const;
  // Draws what of its primitives is in a tile. The planes have the targets' pixels, but for those in unneeded().
  Status draw(const pixels::PrimitiveBatch::Tile& tile, std::byte* planes, ir::BlockMemory& memory) const;
  // Bit n: plane n need not be loaded, because the first primitive overwrites all of it.
  std::uint64_t unneeded(const pixels::PrimitiveBatch::Tile& tile) const {
    return tile.starts_covered ? call_.kernel.overwritten_planes() : 0;
  }

  const pixels::PrimitiveBatch& batch_;
  Pool<TilePlanes>& planes_;
  const frontend::TileLayout layout_;
  LaunchMemory memory_;
  mutable std::mutex fault_mutex_;
  mutable ir::MemoryFault fault_;
  std::atomic<std::uint32_t>* progress_ = nullptr;
  double begin_ = 0, end_ = 1;
  mutable std::atomic<std::uint64_t> groups_{0}, tiles_{0};
};

// A pixel of a launch's target: colour `target`, or depth. Empty: it is not bound, or there is no such pixel.
inline constexpr unsigned kDepthTarget = kMaxColorTargets;
std::span<std::byte> pixel_memory(const LaunchPixels& work, unsigned target, std::uint32_t x,
                                  std::uint32_t y);
// The pixel that has a byte; nothing: none of a target's.
struct FoundPixel {
  unsigned target = 0;
  std::uint32_t x = 0, y = 0;
  std::size_t offset = 0, bytes = 0;  // of the byte in the pixel; of the pixel
};
std::optional<FoundPixel> pixel_at(const LaunchPixels& work, const std::byte* byte);

}  // namespace warpjit::runtime
