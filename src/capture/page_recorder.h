// Memory of a guest that stays where it is on the host while jobs are recorded: what they first reach of it is stored in
// whole pages, later each unit that they reach is compared once a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "capture/known_memory.h"

namespace warpjit::capture {

class PageRecorder {
 public:
  explicit PageRecorder(MemoryWriter& memory, KnownMemory::See see = {}) : known_(memory, std::move(see)) {}
  // Memory at an address of the guest; ranges do not overlap, neither there nor at `data`.
  void add_range(std::uint64_t address, std::byte* data, std::size_t size);

  void begin_job() { ++job_; }
  // What the job that runs reads, and if `writes` may change, before it does. False: it lies in no range.
  bool reach(const std::byte* data, std::size_t size, bool writes);
  // What the job may have changed is what a replay has there, too.
  void end_job();
  // The bytes at an address; none: they do not lie in one range.
  std::span<const std::byte> find(std::uint64_t address, std::size_t size) const;

 private:
  // Draws of few vertices reach little of a page, and of large ones there are not too many.
  static constexpr std::uint64_t kUnit = kPageBytes / 4;
  struct Unit {
    std::uint32_t job = 0;  // that has reached it last; 0: none has reached its page
    bool writes = false;    // it may have written there
  };
  struct Range {
    std::uint64_t address = 0;
    std::byte* data = nullptr;
    std::size_t size = 0;
    std::vector<Unit> units;  // whole pages, by guest address, from that of the first byte on

    std::uint64_t first_unit() const { return address / kPageBytes * (kPageBytes / kUnit); }
  };
  struct Units {
    const Range* range = nullptr;
    std::size_t first = 0, end = 0;

    // What of them lies in the range.
    std::uint64_t address() const;
    std::span<const std::byte> bytes() const;
  };

  KnownMemory known_;
  std::deque<Range> ranges_;    // units are named by them
  std::uint32_t job_ = 0;       // the one that runs, from 1 on
  std::vector<Units> written_;  // by it
};

}  // namespace warpjit::capture
