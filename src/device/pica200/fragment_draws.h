// PrimitiveTriangles to pixels by the fixed function: a launch for each recent state of its registers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/recent_cache.h"
#include "device/pica200/primitive_assembly.h"
#include "frontend/pica200/facts/fragment_memory.h"
#include "frontend/pica200/facts/fragment_words.h"
#include "frontend/pica200/fragment_shader.h"
#include "pixels/kept_tiles.h"
#include "runtime/work/launch.h"

namespace warpjit::pica200 {

// Draws that follow each other with the same registers, tables and memory are run together. Targets are kept in tiles
// until somebody reads their memory, who tells this watch.
//
//   if (!draws.is_current(version)) { draws.flush(...); draws.begin(...); }
//   draws.add(...);
//   ...
//   draws.finish(...);
class FragmentDraws final : public MemoryWatch {
 public:
  void change_memory() { version_ = kNone; }
  void change_tables() {
    version_ = kNone;
    tables_current_ = false;
  }
  // True if draws of these registers may follow. `version`: Registers::pixel_version.
  bool is_current(std::uint64_t version) const { return version_ == version; }

  // The commands that follow are read there; they see each draw once the next one begins.
  void read_commands(std::span<const std::byte> list);
  // Takes the state of the draws that follow; nothing waits. `memory` must outlive them. `keeps`: targets may be kept
  // in tiles. Errors: those of the registers, of targets and of textures.
  Status begin(GpuRegisters registers, std::uint64_t version, const FragmentTables& tables,
               const PhysicalMemory& memory, bool keeps = false);
  // Draws the triangles, now or with the next flush(). Errors: those of Engine::run.
  Status add(const Engine& engine, const PrimitiveTriangles& triangles, const RunOptions& options);
  Status flush(const Engine& engine, const RunOptions& options) { return flush(engine, options, false); }
  // The same, and memory has what was drawn.
  Status finish(const Engine& engine, const RunOptions& options);
  // Memory has what was drawn; it may change from now on.
  void write_back() { kept_.end(); }
  void reach(const std::byte* data, std::size_t size, bool writes) override {
    kept_.reach(data, size, writes);
  }
  // Null if nothing is kept.
  MemoryWatch* watch() { return kept_.holds() ? this : nullptr; }
  // What was drawn since the last call.
  DrawCounts take_counts() { return std::exchange(counts_, {}); }

 private:
  // Room for more than a thousand launches with their tables.
  static constexpr std::size_t kLaunchBytes = std::size_t{24} << 20;
  struct CachedLaunch {
    Launch launch;
  };

  Result<CachedLaunch*> find_launch(const FragmentState& state);
  Status bind_memories(const FragmentSetup& setup, const FragmentTables& tables, const PhysicalMemory& memory,
                       const FoundTargets& targets, runtime::LaunchState& launch, FragmentWords& words);
  // `last`: no draws are known to follow, so that memory may as well have these.
  Status run(const Engine& engine, const PrimitiveTriangles& triangles, const RunOptions& options, bool last);
  Status flush(const Engine& engine, const RunOptions& options, bool last);

  // What the draws that wait or follow are done with; all launches point there.
  std::unique_ptr<FragmentData> data_ = std::make_unique<FragmentData>();
  RecentCache<CachedLaunch> launches_{kLaunchBytes};
  CachedLaunch* launch_ = nullptr;  // of the draws that wait or follow; null: these draw nothing
  static constexpr std::uint64_t kNone = 0;
  std::uint64_t version_ = kNone;  // of the registers that launch_ was set up from
  TableMemory tables_;
  bool tables_current_ = false;
  std::array<FoundTexture, 3> textures_;
  pixels::KeptTiles kept_;
  bool keeps_ = false;                 // the draws that wait or follow go there
  std::span<const std::byte> list_{};  // commands
  // What waits.
  std::vector<Vertex> vertices_;
  std::shared_ptr<std::vector<std::uint32_t>> indices_ = std::make_shared<std::vector<std::uint32_t>>();
  bool indexed_ = false;
  DrawCounts counts_;
};

}  // namespace warpjit::pica200
