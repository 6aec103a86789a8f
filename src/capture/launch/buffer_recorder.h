// Buffers of the host that jobs bind, at addresses of a capture's own. Two jobs that bind the same memory have it at
// the same address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "capture/known_memory.h"
#include "capture/launch/recorded_launch.h"

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
  Status add_region(const std::byte* data, std::size_t size);

  KnownMemory known_;
  // By where they begin; they lie apart. What a later one overlaps is gone.
  std::map<const std::byte*, Region> regions_;
  std::uint64_t next_address_ = 0x10000, total_ = 0;
  std::vector<Buffer> job_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> changed_;  // addresses in this job: begin, end
};

}  // namespace warpjit::capture
