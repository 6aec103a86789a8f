// What a launch gives, and what runs it by interpreting the guest's own instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/fuel.h"
#include "base/result.h"
#include "frontend/facts.h"
#include "frontend/grid.h"
#include "frontend/interpret/pixels.h"
#include "frontend/pixels/facts.h"

namespace warpjit::frontend {

// What a guest gives its interpreter beside values.
class GuestData {
 protected:
  ~GuestData() = default;
};

// What a launch gives to all threads alike. Location::word says where the shader has a register in `words`.
struct Values {
  std::vector<std::uint32_t> words;
  std::uint64_t bools = 0;        // bit n: boolean uniform n
  std::uint64_t state_given = 0;  // bit n: state register n was set by the launch
  Grid grid;                      // of compute programs; of graphics programs, their memory and textures
  PixelValues pixels;             // of fragment programs
  const GuestData* data = nullptr;
};

// Rows of four 32-bit words, one a thread, at address + thread * stride.
struct Rows {
  std::byte* address = nullptr;
  std::ptrdiff_t stride = 0;
  std::byte* row(std::size_t thread) const { return address + static_cast<std::ptrdiff_t>(thread) * stride; }
};

// Thread-safe; assumes the default floating-point environment. Errors name the guest address; all may also
// give out_of_fuel and cancelled.
class GuestInterpreter {
 public:
  virtual ~GuestInterpreter() = default;
  // Threads one by one. inputs and outputs follow the binding order of `facts`, those of an ordered kernel
  // for geometry programs. Not for grids.
  virtual Status run(const Values& values, const Facts& facts, std::span<const Rows> inputs,
                     std::span<const Rows> outputs, std::size_t thread_count, const RunLimits& limits) const;
  // Blocks `first` to `first + count - 1` of a grid, x fastest; sets `fault` to the first one.
  virtual Status run_blocks(const Grid& grid, std::uint64_t first, std::uint64_t count,
                            const RunLimits& limits, std::optional<BlockFault>& fault) const;
  // A whole draw of a fragment program, by the scalar rasterizer.
  virtual Status draw(const Values& values, const interpret::PixelWork& work, const RunLimits& limits) const;
  // Threads that run together.
  virtual unsigned lanes() const { return 1; }
};

}  // namespace warpjit::frontend
