// The GPU as a whole: command lists, draws through Pipeline and the fixed function, tables.
#pragma once

#include <array>
#include <cstdint>
#include <set>

#include "device/pica200/fragment_draws.h"
#include "device/pica200/pipeline.h"
#include "device/pica200/primitive_assembly.h"
#include "frontend/pica200/facts/fragment.h"
#include "frontend/pica200/facts/physical_memory.h"

namespace warpjit::pica200 {

class GpuState {
 public:
  Status set_memory(std::span<const GpuMemory> ranges);
  Status set_register(std::uint32_t id, std::uint32_t value);
  std::uint32_t get_register(std::uint32_t id) const;
  const PhysicalMemory& memory() const { return memory_; }

  Result<GpuReport> run_commands(const Engine& engine, std::uint32_t address, std::uint32_t bytes,
                                 const RunOptions& options);

 private:
  struct List {
    std::uint32_t address = 0, bytes = 0;
  };
  // What a write makes of the list that has it.
  enum class Next : std::uint8_t { go_on, jump0, jump1, end };
  struct Running {
    const Engine& engine;
    const RunOptions& options;
    GpuReport report;
  };

  Result<Next> run_list(Running& running, const List& list);
  Result<Next> write(Running& running, std::uint32_t id, std::uint32_t value, unsigned bytes);
  Status write_table(std::uint32_t id);
  Status draw_sent(Running& running);
  Status draw(Running& running, std::uint32_t id);
  Status draw_pixels(Running& running, const DrawResult& result);

  PipelineState pipeline_;
  PhysicalMemory memory_;
  FragmentTables tables_;
  PrimitiveAssembly assembly_;
  FragmentDraws draws_;
};

}  // namespace warpjit::pica200

class warpjit::pica200::Gpu::State final : public warpjit::pica200::GpuState {};
