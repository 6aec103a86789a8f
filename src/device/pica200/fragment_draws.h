// PrimitiveTriangles to pixels by the fixed function: a launch for each recent state of its registers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/recent_cache.h"
#include "device/pica200/primitive_assembly.h"
#include "frontend/pica200/facts/fragment_memory.h"
#include "frontend/pica200/facts/fragment_words.h"
#include "frontend/pica200/fragment_shader.h"
#include "runtime/work/launch.h"

namespace warpjit::pica200 {

class FragmentDraws {
 public:
  // The tables have changed.
  void change_tables() { tables_current_ = false; }

  // Errors: those of the registers; of targets and textures; of Engine::run.
  Result<Report> draw(const Engine& engine, GpuRegisters registers, const FragmentTables& tables,
                      const PhysicalMemory& memory, const PrimitiveTriangles& triangles,
                      const RunOptions& options);

 private:
  // Room for more than a thousand launches with their tables.
  static constexpr std::size_t kLaunchBytes = std::size_t{24} << 20;
  struct CachedLaunch {
    Launch launch;
    std::unique_ptr<FragmentData> data;  // the launch points there
  };

  Result<CachedLaunch*> find_launch(const FragmentState& state);
  Status bind_memories(const FragmentSetup& setup, const FragmentTables& tables, const PhysicalMemory& memory,
                       const FoundTargets& targets, runtime::LaunchState& launch, FragmentWords& words);

  RecentCache<CachedLaunch> launches_{kLaunchBytes};
  TableMemory tables_;
  bool tables_current_ = false;
  std::array<FoundTexture, 3> textures_;
  std::shared_ptr<std::vector<std::uint32_t>> indices_ = std::make_shared<std::vector<std::uint32_t>>();
};

}  // namespace warpjit::pica200
