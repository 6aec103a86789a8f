// A scene of the PICA200 that runs: its memory, a GPU, one job after the other.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/pica200/gpu.h"
#include "scene_file.h"

namespace warpjit::tool {

// True for scenes, and for traces that become scenes.
bool is_scene(const std::string& file);
bool is_trace(const std::string& file);
bool is_scene_capture(const std::string& file);
// Says on stderr what a trace lacks.
Result<Scene> load_scene(const std::string& file);

// As a capture. Errors: io, bad_input for a scene that must be refused.
Status write_scene_capture(const Scene& scene, const std::string& file);

class SceneMachine {
 public:
  // The scene must outlive it. Errors: those of memory and registers; `file` is for messages.
  static Result<std::unique_ptr<SceneMachine>> make(const Scene& scene, const std::string& file);
  SceneMachine(const SceneMachine&) = delete;
  SceneMachine& operator=(const SceneMachine&) = delete;

  // Memory, registers and state as the scene says; what was compiled stays.
  Status begin();
  // Null: nobody looks at draws. Its draws count from 0.
  void set_visitor(pica200::DrawVisitor* visitor) { gpu_.set_visitor(visitor); }
  // Errors name the file, the job and registers.
  Status run_job(std::size_t job, const Engine& engine, const RunOptions& options);
  Status run(const Engine& engine, const RunOptions& options);

  const Scene& scene() const { return scene_; }
  // Since begin().
  const pica200::GpuReport& total() const { return total_; }
  std::span<const SceneMemory> memory() const { return memory_; }
  std::span<SceneMemory> memory() { return memory_; }
  // The bytes of an output; none: they do not lie in the scene's memory.
  std::span<const std::byte> bytes_of(const SceneOutput& output) const;
  std::uint64_t hash() const;  // of all memory

 private:
  SceneMachine(const Scene& scene, const std::string& file)
      : scene_(scene), file_(file), memory_(scene.memory) {}
  Status run_job(const SceneJob& job, const Engine& engine, const RunOptions& options);

  const Scene& scene_;
  std::string file_;
  std::vector<SceneMemory> memory_;
  pica200::GpuState gpu_;
  pica200::GpuReport total_;
};

// Where a byte of a scene's memory differs.
struct SceneByte {
  std::uint32_t address = 0;
  std::byte got{}, wanted{};
};
std::optional<SceneByte> first_difference(std::span<const SceneMemory> got,
                                          std::span<const SceneMemory> wanted);

}  // namespace warpjit::tool
