// Work over pixels as the guest interpreters run it: a scalar rasterizer, quad loop, tests and blending,
// written from docs/pixels.md alone and as plainly as that. It shares no code with src/pixels and with the IR
// around fragment programs, whose oracle it is.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "frontend/interpret/pixel_observer.h"
#include "ir/memory.h"
#include "pixels/records.h"
#include "warpjit/pixels.hpp"

namespace warpjit::interpret {

// The primitive of a quad, as its fragment program sees it. Values are bits of f32.
class Primitive {
 public:
  virtual ~Primitive() = default;
  virtual bool front_facing() const = 0;
  virtual std::uint32_t number() const = 0;  // in the draw, before clipping
  // At a pixel of the target: SlotUse `use`, which has a plane; the plane of 1/w; depth, within the depth
  // bounds. Some also away from the pixel's centre, in pixels; finite.
  virtual std::uint32_t value(unsigned use, std::int32_t x, std::int32_t y) const = 0;
  virtual std::uint32_t inverse_w(std::int32_t x, std::int32_t y) const = 0;
  virtual std::uint32_t value_at(unsigned use, std::int32_t x, std::int32_t y, float dx, float dy) const = 0;
  virtual std::uint32_t inverse_w_at(std::int32_t x, std::int32_t y, float dx, float dy) const = 0;
  virtual std::uint32_t depth(std::int32_t x, std::int32_t y) const = 0;
  virtual std::uint32_t flat(unsigned use) const = 0;  // the provoking vertex's word
};

// Colour targets as they are before the fragments that run.
class Targets {
 public:
  virtual ~Targets() = default;
  // As formats are read back: f32 bits, but integers of integer formats. Outside of the target a pixel's bits
  // are 0; of a colour that is not bound all is 0.
  virtual std::array<std::uint32_t, 4> color(unsigned target, std::int32_t x, std::int32_t y) const = 0;
};

struct Quad {
  std::int32_t x = 0, y = 0;  // of its pixel 0; even
  std::uint8_t coverage = 0;  // bit n: pixel n (bit 0 of n the column, bit 1 the row)
  const Primitive* primitive = nullptr;
  const Targets* targets = nullptr;
  std::uint8_t failed = 0;  // bit n: pixel n is covered, but has failed early tests: not live from the start
};

// What one lane's program leaves.
struct Fragment {
  bool live = true;                                 // not discarded
  std::uint32_t instructions = 0;                   // that it executed, if the work counts them
  std::uint32_t depth = 0;                          // bits of f32, if the program exports one
  std::optional<std::uint8_t> stencil_reference{};  // in place of the state's
  std::uint8_t written = 0xff;                      // bit n: colour n is written
  std::uint8_t replaced = 0;                        // bit n, only if written: all of it, without blending
  std::array<std::array<std::uint32_t, 4>, kMaxColorTargets> colors{};
};

class FragmentProgram {
 public:
  virtual ~FragmentProgram() = default;
  virtual unsigned most_quads() const = 0;  // that one call takes: a warp's
  virtual bool exports_depth() const = 0;
  // Runs quads of one primitive together; fragments 4q to 4q + 3 are those of quad q. Pixels that are not
  // covered run as helpers. Errors: those of the guest's programs.
  virtual Status run(std::span<const Quad> quads, std::span<Fragment> fragments) = 0;
};

struct PixelTarget {
  std::byte* data = nullptr;  // of row 0; null: not bound
  std::ptrdiff_t pitch = 0;   // bytes from a row to the next
};

// How far a draw came: of primitive `primitive`, counted within the draw, remain rows `y` and `y` + 1 from
// column x on and all rows below; and all primitives after it. x and y are even.
struct PixelProgress {
  std::uint64_t primitive = 0;
  std::uint32_t x = 0, y = 0;
  std::uint64_t fragments = 0;  // that ran, without helpers
};

struct PixelWork {
  RasterState raster;
  OutputState output;
  std::uint32_t width = 0, height = 0;  // of all targets
  std::array<PixelTarget, kMaxColorTargets> colors{};
  PixelTarget depth{};
  PixelTarget passed{};  // words: how many fragments of each pixel passed all tests is added
  // Vertices: `slots` words each, of which 0 to 3 are the position.
  // `stride`: words from one to the next; 0: all are the same.
  std::span<const std::uint32_t> vertices{};
  std::uint32_t slots = 4, stride = 4;
  std::uint64_t vertex_count = 0;            // without indices
  std::span<const std::uint32_t> indices{};  // an index outside the vertices drops its primitive
  bool indexed = false;
  std::span<const std::uint32_t> numbers{};            // of the primitives; empty: from 0 on
  std::vector<pixels::SlotUse> uses{};                 // what the fragment program reads
  const std::atomic<std::uint32_t>* cancel = nullptr;  // stops soon after it becomes other than 0
  std::atomic<std::uint32_t>* progress = nullptr;      // thousandths that are done
  ir::MemoryFault* fault = nullptr;                    // the faults of the program are added
  std::uint32_t* instructions = nullptr;  // of each pixel, row 0 first: what its fragments executed is added
  PixelObserver* observer = nullptr;      // null: nobody looks
  bool counts_instructions() const { return instructions != nullptr || observer != nullptr; }
  // Asked now and then, if set: whether somebody else draws the rest, so that draw() returns.
  std::function<bool()> enough{};
  PixelProgress* came_to = nullptr;  // set unless there was an error
  DrawCounts* counts = nullptr;      // become those of this draw
};

// Primitives in order, each completely, until it is `enough`. Errors: the program's; bad_input for state
// outside its limits; cancelled.
Status draw(const PixelWork& work, FragmentProgram& program);

}  // namespace warpjit::interpret
