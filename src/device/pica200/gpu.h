// The GPU as a whole: command lists, draws through Pipeline and the fixed function, tables.
#pragma once

#include <array>
#include <cstdint>
#include <set>

#include "device/pica200/pipeline.h"
#include "frontend/pica200/facts/fragment.h"
#include "frontend/pica200/facts/physical_memory.h"

namespace warpjit::pica200 {

namespace fragment {
class Drawing;
}

// Vertices to triangles. Strips and fans go on from draw to draw until they are restarted.
class PrimitiveAssembly {
 public:
  void restart() { count_ = 0; }
  // Calls draw(triangle) if the vertex completes one.
  template <class Draw>
  Status add(Topology topology, const Vertex& vertex, const Draw& draw) {
    if (topology != topology_) restart();
    topology_ = topology;
    const std::uint64_t number = count_++;
    if (number < 2) {
      held_[number] = vertex;
      return {};
    }
    std::array<Vertex, 3> triangle = {held_[0], held_[1], vertex};
    if (topology == Topology::strip) {
      if (number % 2 != 0) std::swap(triangle[0], triangle[1]);
      held_[0] = held_[1];
      held_[1] = vertex;
    } else if (topology == Topology::fan) {
      held_[1] = vertex;
    } else {
      restart();
    }
    return draw(triangle);
  }

 private:
  Topology topology_ = Topology::list;
  std::array<Vertex, 2> held_{};
  std::uint64_t count_ = 0;
};

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
};

}  // namespace warpjit::pica200

class warpjit::pica200::Gpu::State final : public warpjit::pica200::GpuState {};
