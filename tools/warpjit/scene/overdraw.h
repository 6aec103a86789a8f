// How many fragments the draws of a scene cover in each pixel of their targets, before tests.
#pragma once

#include <cstdint>
#include <vector>

#include "device/pica200/draw_view.h"
#include "device/pica200/fragment_draws.h"

namespace warpjit::tool {

// Draws each draw's triangles once more, into memory of its own, where every fragment adds 1. A draw counts at
// most 255 in a pixel.
class Overdraw final : public pica200::DrawVisitor {
 public:
  struct Target {
    std::uint32_t address = 0;  // of colour, or of depth where a draw has no colour
    std::uint32_t width = 0, height = 0;
    std::vector<std::uint32_t> counts;  // row 0, the lowest, first
  };

  explicit Overdraw(const Engine& engine) : engine_(engine) {}
  Result<bool> visit(const pica200::DrawView& draw) override;
  const std::vector<Target>& targets() const { return targets_; }

 private:
  Target& find_target(const pica200::FragmentSetup& setup);

  const Engine& engine_;
  pica200::FragmentDraws draws_;
  const pica200::FragmentTables tables_;
  std::vector<std::byte> pixels_;
  std::vector<Target> targets_;
};

}  // namespace warpjit::tool
