// Buffers of the host that jobs bind, at addresses of a capture's own: their bytes are stored when a job first
// binds them, later only what changed. Two jobs that bind the same memory have it at the same address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "capture/launch/recorded_launch.h"
#include "capture/memory_writer.h"

namespace warpjit::capture {

class BufferRecorder {
 public:
  explicit BufferRecorder(MemoryWriter& memory) : memory_(memory) {}
  struct Buffer {
    const std::byte* data = nullptr;
    std::size_t size = 0;
    bool writes = false;  // the job may change it
  };
  // All that a job binds, before it runs. Nothing else is read of the host's memory, and nothing between jobs.
  // Errors: resource_limit for more memory than files have.
  Status begin_job(std::vector<Buffer> buffers);
  // Where a buffer of the job is.
  BufferPlace find(const void* data, std::size_t size) const;
  // True if a byte of it was not known to a replay when the job began.
  bool has_changed(const void* data, std::size_t size) const;
  // What the job has left is what a replay has, too.
  void end_job();
  // What a replay has at a place.
  std::span<const std::byte> known(const BufferPlace& place) const;

 private:
  // Memory that overlapping buffers of a job have together.
  struct Region {
    const std::byte* data = nullptr;
    std::size_t size = 0;
    std::uint64_t address = 0;
    std::unique_ptr<std::byte[]> known;               // what a replay has ...
    std::map<std::size_t, std::size_t> known_ranges;  // ... from here to there, apart from each other
    bool contains(const std::byte* from, std::size_t bytes) const {
      return from >= data && from < data + size && bytes <= static_cast<std::size_t>(data + size - from);
    }
  };
  Result<Region*> region_of(const std::byte* data, std::size_t size);
  Region* live_region(const std::byte* data, std::size_t size) const;
  void reach(Region& region, const Buffer& buffer);
  void store_changes(Region& region, std::size_t from, std::size_t to);

  MemoryWriter& memory_;
  std::deque<Region> regions_;
  // Those that are not overlapped by later ones, by where they begin; they lie apart.
  std::map<const std::byte*, Region*> live_;
  std::map<std::uint64_t, const Region*> by_address_;
  std::uint64_t next_address_ = 0x10000, total_ = 0;
  std::vector<Buffer> job_;
  std::vector<std::pair<const std::byte*, const std::byte*>> changed_;  // in this job
};

}  // namespace warpjit::capture
