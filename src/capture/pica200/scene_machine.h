// A scene of the PICA200 that runs: its memory, a GPU, one job after the other.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/pica200/scene.h"
#include "device/pica200/gpu.h"

namespace warpjit::pica200 {

class SceneMachine {
 public:
  // The scene must outlive it. Errors: those of memory and registers; `file` is for messages.
  static Result<std::unique_ptr<SceneMachine>> make(const Scene& scene, const std::string& file);
  SceneMachine(const SceneMachine&) = delete;
  SceneMachine& operator=(const SceneMachine&) = delete;

  // Memory, registers and state as the scene says; what was compiled stays.
  Status begin();
  // Null: nobody looks at draws. Its draws count from 0.
  void set_visitor(DrawVisitor* visitor) { gpu_.set_visitor(visitor); }
  // Errors name the file, the job and registers.
  Status run_job(std::size_t job, const Engine& engine, const RunOptions& options);
  Status run(const Engine& engine, const RunOptions& options);

  const Scene& scene() const { return scene_; }
  // Since begin().
  const GpuReport& total() const { return total_; }
  std::span<const SceneMemory> memory() const { return memory_; }
  std::span<SceneMemory> memory() { return memory_; }
  // The bytes of an output; none: they do not lie in the scene's memory.
  std::span<const std::byte> bytes_of(const SceneOutput& output) const;
  // A hash of what each call gave that drew vertices alone, since begin().
  std::span<const std::uint64_t> call_results() const { return call_results_; }
  std::uint64_t call_differences() const { return call_differences_; }  // of these from those in the scene
  std::uint64_t hash() const;                                           // of all memory

 private:
  SceneMachine(const Scene& scene, const std::string& file)
      : scene_(scene), file_(file), memory_(scene.memory) {}
  Status run_job(const SceneJob& job, const Engine& engine, const RunOptions& options);
  Status run_calls(const CallList& list, const Engine& engine, const RunOptions& options);
  void add(const GpuReport& report);

  const Scene& scene_;
  std::string file_;
  std::vector<SceneMemory> memory_;
  GpuState gpu_;
  GpuReport total_;
  std::vector<std::uint64_t> call_results_;
  std::uint64_t call_differences_ = 0;
};

// Where a byte of a scene's memory differs.
struct SceneByte {
  std::uint32_t address = 0;
  std::byte got{}, wanted{};
};
std::optional<SceneByte> first_difference(std::span<const SceneMemory> got,
                                          std::span<const SceneMemory> wanted);

}  // namespace warpjit::pica200
