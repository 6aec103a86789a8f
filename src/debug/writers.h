// Who wrote bytes of memory before a draw of a capture: a fragment, a thread that stored, or nobody. Runs of a capture
// have memory of their own, but all of them launch the same: bytes are known by the launches that may write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "capture/frames.h"
#include "runtime/engine/observed_run.h"
#include "warpjit/debug.hpp"

namespace warpjit::debug {

// A byte that a launch of a run may write: of piece `piece` of runtime::written_memory.
struct WrittenByte {
  std::size_t launch = 0;  // how many the run had before it
  std::size_t piece = 0, offset = 0;
};

// Bytes that a step read.
struct ReadBytes {
  // What may have written the first one, in order: launches, and stores of targets that launches wrote.
  std::vector<WrittenByte> writers;
  struct Store {
    std::size_t number = 0, offset = 0;  // of the run's stores; of the byte in its memory
  };
  std::vector<Store> stores;
  bool stored_by_own_draw = false;  // its own draw stored them before
  std::vector<std::byte> bytes;
};

// What the launches of a run may write.
class WriteLog {
 public:
  void clear() {
    pieces_.clear();
    stores_.clear();
  }
  // Says what the launch that comes next may write; what was stored since the last one.
  void add(std::vector<std::span<std::byte>> pieces) { pieces_.push_back(std::move(pieces)); }
  void add(const capture::StoredTarget& target) { stores_.push_back({pieces_.size(), target}); }
  // Who may have written a byte.
  ReadBytes find(const std::byte* byte) const;

 private:
  struct Store {
    std::size_t launches = 0;  // before it
    capture::StoredTarget target;
  };
  std::vector<std::vector<std::span<std::byte>>> pieces_;  // by launches
  std::vector<Store> stores_;
};

// Runs the capture up to the place that read them. Errors: those of Capture::run.
Result<DebugWriter> find_writer(const capture::Frames& frames, const DebugPlace& reader,
                                const ReadBytes& read, const RunOptions& options);

}  // namespace warpjit::debug
