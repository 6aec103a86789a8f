// The contract of a guest with captures: what a file of its frames holds, and how it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/section_file.h"
#include "warpjit/capture.hpp"

namespace warpjit::capture {

struct FramesInfo {
  Isa isa{};
  std::uint32_t product = 0;
  std::size_t frames = 1, jobs = 0;
};

// What frames may do without, from coarse to fine.
enum class Part : std::uint8_t {
  frame,
  job,  // what the processor did between jobs counts, too
  draw,
  state,     // one write of registers
  vertices,  // a part of a draw's
  memory,    // a page that is not all zeros
  expected,  // what an output should be
};
inline constexpr std::size_t kParts = 7;

// Pixels that draws left in a target of the GPU's own, and that were stored to memory.
struct StoredTarget {
  std::span<const std::byte> pixels;  // as launches had them bound
  std::span<const std::byte> memory;
  // The byte of `pixels` where the pixel begins of which a byte of `memory` is; nothing: it is of none.
  std::function<std::optional<std::size_t>(std::size_t)> pixel_of;
};
class StoreVisitor {
 public:
  virtual ~StoreVisitor() = default;
  virtual void stored(const StoredTarget& target) = 0;
};

class Frames {
 public:
  virtual ~Frames() = default;
  virtual FramesInfo info() const = 0;
  // From what memory holds at first, on memory of the run's own. Runs may overlap.
  virtual Status run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options) const = 0;
  // The same. `stores` sees what launches do not write themselves.
  virtual Status run_with_stores(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options,
                                 StoreVisitor& /*stores*/) const {
    return run(engine, visitor, options);
  }
  // All sections but those of names and notes, and the end.
  virtual Status write(SectionWriter& file) const = 0;
  // How many of a kind can be left out, one by one; 0: none. What is left runs as it did.
  virtual std::size_t parts(Part) const { return 0; }
  // The number of vertices of all draws; parts of them are divided anew when there are fewer.
  virtual std::size_t vertices() const { return 0; }
  // Without those parts whose flags are set, one flag for each. Null: that would change nothing, or cannot be.
  virtual std::unique_ptr<const Frames> without(Part, const std::vector<bool>& /*left_out*/) const {
    return nullptr;
  }
};

// What people wrote into a capture.
struct Texts {
  std::vector<CaptureName> names;
  std::vector<std::string> notes;
};
inline constexpr std::size_t kMaxNames = std::size_t{1} << 20;
// From the sections of names and notes. Errors name the byte: bad_input, resource_limit.
Result<Texts> read_texts(const SectionFile& file);
// Errors: bad_input for a text that is empty or not UTF-8; resource_limit.
Status check_names(std::span<const CaptureName> names);
void write_texts(SectionWriter& file, const Texts& texts);

// The bytes of a file, which what was read of it may share.
using FileOwner = std::shared_ptr<const std::vector<std::byte>>;

}  // namespace warpjit::capture

class warpjit::Capture::State {
 public:
  std::shared_ptr<const capture::Frames> frames;
  capture::Texts texts;
};
