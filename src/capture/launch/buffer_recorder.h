// Buffers of the host that jobs bind, at addresses of a capture's own. Two jobs that bind the same memory have it at
// the same address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "capture/known_memory.h"
#include "capture/launch/recorded_launch.h"
#include "warpjit/pixels.hpp"

namespace warpjit::capture {

class BufferRecorder {
 public:
  explicit BufferRecorder(MemoryWriter& memory)
      : known_(memory, [this](std::uint64_t address, std::size_t size, bool) {
          changed_.emplace_back(address, address + size);
        }) {}
  BufferRecorder(const BufferRecorder&) = delete;
  BufferRecorder& operator=(const BufferRecorder&) = delete;

  struct Buffer {
    const std::byte* data = nullptr;
    std::size_t size = 0;
    bool writes = false;  // the job may change it
    bool drawn = false;   // a target: draw() says where
  };
  // Pixels of a target, which is a buffer of the job.
  struct Target {
    const std::byte* data = nullptr;
    std::size_t size = 0, pitch = 0, pixel = 0;  // bytes: all, of a row to the next, of a pixel
  };
  // All that a job binds, before it runs. Nothing else is read of the host's memory, and nothing between jobs. What is no
  // target is compared with what is known; a target, if the job before had others, or a frame has begun, or if the
  // job may also write there as to memory. Errors: resource_limit for more memory than files have.
  Status begin_job(std::span<const Buffer> buffers);
  // The targets of a job, all of one size in pixels, and then what it draws to, before it does: there they are compared.
  void set_targets(std::span<const Target> targets, std::uint32_t width, std::uint32_t height);
  void draw(const RasterState::Rectangle& pixels);
  // Where a buffer of the job is.
  BufferPlace find(const void* data, std::size_t size) const;
  // True if a byte of it was not known to a replay when the job began.
  bool has_changed(const void* data, std::size_t size) const;
  // What the job has left is what a replay has, too.
  void end_job();
  // What is drawn next is another frame's, or a job has run that a replay does not have.
  void forget_targets() { last_targets_.clear(); }
  // What a replay has at a place of a job's buffer.
  std::vector<std::byte> known(const BufferPlace& place) const {
    return known_.read(place.address, static_cast<std::size_t>(place.size));
  }

 private:
  // Memory that overlapping buffers of a job have together.
  struct Region {
    std::size_t size = 0;
    std::uint64_t address = 0;
  };
  struct JobBuffer : Buffer {
    bool compared = false;  // when the job began
  };
  struct DrawnTarget {
    Target target;
    std::uint64_t address = 0;
    bool is_known = false;  // all of it was compared when the job began
  };
  // Pixels from `left` to `right`, of rows from `top` to `bottom`, those not included.
  struct Part {
    std::uint32_t left = 0, right = 0, top = 0, bottom = 0;
  };
  Status add_region(const std::byte* data, std::size_t size);
  // Sets united_ to what these buffers of the job have.
  template <class Choose>
  void unite(const Choose& choose);
  bool must_compare(const Buffer& buffer) const;
  void reach(const Part& part);
  // Calls visit(first pixel's address, bytes) for each row of a part, or for all of them if they are one piece.
  template <class Visit>
  static void each_row(const DrawnTarget& target, const Part& part, const Visit& visit);

  KnownMemory known_;
  // By where they begin; they lie apart. What a later one overlaps is gone.
  std::map<const std::byte*, Region> regions_;
  std::uint64_t next_address_ = 0x10000, total_ = 0;
  std::vector<JobBuffer> job_;
  std::vector<std::span<const std::byte>> united_;  // of some of them, by where they begin; they lie apart
  std::vector<std::pair<std::uint64_t, std::uint64_t>> changed_;  // addresses in this job: begin, end
  std::vector<BufferPlace> last_targets_;                         // those of the last job that had some
  // The targets of this job, and what of them was drawn to: of each tile the rows, bit 0 the first one.
  std::vector<DrawnTarget> targets_;
  std::uint32_t width_ = 0, height_ = 0, columns_ = 0;
  std::vector<std::uint64_t> tile_rows_;
  std::vector<Part> drawn_;
};

}  // namespace warpjit::capture
