// A draw as it is before its pixels, for tools and debuggers that look at each.
#pragma once

#include <cstdint>
#include <optional>

#include "device/pica200/primitive_assembly.h"
#include "frontend/pica200/facts/fragment.h"
#include "frontend/pica200/facts/physical_memory.h"

namespace warpjit::pica200 {

class PipelineState;

// Valid during the visit.
struct DrawView {
  std::uint64_t number = 0;              // of the draw, from 0 since the visitor was set
  std::optional<std::uint32_t> command;  // address of the entry that triggered it; none: no list did
  std::uint32_t trigger = 0;             // the register that was written
  std::uint64_t vertices = 0;            // that were shaded
  const PrimitiveTriangles& triangles;
  const FragmentSetup& setup;
  GpuRegisters registers;
  const PhysicalMemory& memory;  // as the draws before have left it
  const PipelineState& pipeline;
};

class DrawVisitor {
 public:
  virtual ~DrawVisitor() = default;
  // Called before a draw's vertices, once the pixels of the draws before it are there. An error ends the list.
  virtual Status begin() { return {}; }
  // Called between a draw's vertices and its pixels. False: it makes no pixels, and the list goes on. An error
  // ends the list.
  virtual Result<bool> visit(const DrawView& draw) = 0;
};

}  // namespace warpjit::pica200
