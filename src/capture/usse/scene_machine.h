// Scenes of the Vita that run: their memory, programs, one step after the other.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/frames.h"
#include "capture/usse/scene.h"
#include "device/usse/scene.h"

namespace warpjit::usse {

class SceneMachine {
 public:
  // The scenes must outlive it. Errors: those of programs; `file` is for messages.
  static Result<std::unique_ptr<SceneMachine>> make(const SceneList& scenes, const std::string& file);
  SceneMachine(const SceneMachine&) = delete;
  SceneMachine& operator=(const SceneMachine&) = delete;

  // Memory as it is at first, and no scene.
  void begin();
  // Errors name the file, the scene and the draw.
  Status run_step(std::size_t step, const Engine& engine, const RunOptions& options);
  // Nothing names the scene after this step.
  bool is_last_of(std::size_t step, std::size_t scene) const { return last_steps_[scene] == step; }
  void drop(std::size_t scene) { scenes_[scene].reset(); }

  // Sees the launch of each draw before it runs.
  void watch(std::function<void(const Launch&)> see) { see_ = std::move(see); }
  // Sees what scenes store; null: nobody does.
  void set_store_visitor(capture::StoreVisitor* stores) { stores_ = stores; }
  const DrawReport& report() const { return report_; }  // of the last draw
  const usse::SceneState& state(std::size_t scene) const { return scenes_[scene]->state(); }
  // Nothing of memory that is not there.
  std::span<const std::byte> bytes_of(const SceneBegin& scene) const {
    return find(scene.address, scene.color.size);
  }
  std::span<const capture::MemoryPiece> memory() const { return memory_; }
  // The address of a byte of its memory; 0: it is none that the guest has.
  std::uint64_t address_of(const std::byte* data) const;
  std::span<const warpjit::Program> programs() const { return programs_; }

 private:
  SceneMachine(const SceneList& list, const std::string& file);
  std::span<std::byte> find(std::uint64_t address, std::uint64_t size) const;
  Status run(std::size_t step, const SceneStep& what, const Engine& engine, const RunOptions& options);
  Status begin_scene(const SceneBegin& begin);
  Status end_scene(const SceneEnd& end);
  Status draw(const DrawData& data, const Engine& engine, const RunOptions& options);

  const SceneList& list_;
  std::string file_;
  std::vector<capture::MemoryPiece> memory_;  // at multiples of 8
  std::vector<warpjit::Program> programs_;
  std::vector<std::size_t> last_steps_;       // of each scene
  std::vector<std::optional<Scene>> scenes_;  // by number
  std::size_t draws_ = 0;
  DrawReport report_;
  std::function<void(const Launch&)> see_;
  capture::StoreVisitor* stores_ = nullptr;
};

}  // namespace warpjit::usse
