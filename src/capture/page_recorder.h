// What jobs reach of memory, page by page: stored when one first does, later only what changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "capture/memory_writer.h"

namespace warpjit::capture {

class PageRecorder {
 public:
  // `before_change`: what is to be done before a section with changes.
  explicit PageRecorder(MemoryWriter& memory, std::function<void()> before_change = {})
      : memory_(memory), before_change_(std::move(before_change)) {}
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
  // A page of memory that a job has reached.
  struct Page {
    std::unique_ptr<std::byte[]> known;  // what a replay has there; null: no job has reached it
    std::uint32_t job = 0;               // that has reached it last
    bool writes = false;                 // it may have written there
  };
  struct Range {
    std::uint64_t address = 0;
    std::byte* data = nullptr;
    std::size_t size = 0;
    std::vector<Page> pages;  // by guest address, from that of the first byte on

    std::uint64_t first_page() const { return address / kPageBytes; }
    // The bytes of a page that lie in the range.
    std::span<std::byte> bytes_of(std::size_t page) const;
  };
  struct PageOfRange {
    Range* range = nullptr;
    std::size_t page = 0;
  };
  void write_changes(std::uint64_t address, std::span<const std::byte> bytes, const std::byte* known);

  MemoryWriter& memory_;
  std::function<void()> before_change_;
  std::deque<Range> ranges_;  // pages are named by them
  std::uint32_t job_ = 0;     // the one that runs, from 1 on
  std::vector<PageOfRange> written_;
};

}  // namespace warpjit::capture
