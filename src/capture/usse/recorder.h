// Records scenes of the Vita as a capture.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/known_memory.h"
#include "capture/memory_writer.h"
#include "capture/usse/scene_sections.h"
#include "device/usse/scene_recording.h"

namespace warpjit::usse {

class SceneRecorder final : public Recorder::State {
 public:
  SceneRecorder(CaptureSink sink, void* context, std::span<const Memory> memory);

  std::size_t begin_scene(const ColorSurface& color, const std::optional<DepthSurface>& depth) override;
  void begin_draw(std::size_t scene, const Draw& draw,
                  std::span<const std::span<const std::byte>> texels) override;
  void end_draw(std::size_t scene, const Draw& draw, const Status& done) override;
  void begin_store(std::size_t scene, const ColorSurface& color) override;
  void end_store(std::size_t scene, const ColorSurface& color) override;
  void end_frame() override;
  Status finish() override;
  void abandon() override { finished_ = true; }

 private:
  // What a program needs of memory beside streams and textures.
  struct ProgramUse {
    std::shared_ptr<const warpjit::Program::State> state;  // keeps the key
    std::uint32_t number = 0;
    bool loads = false, stores = false;
  };
  bool records() const { return !finished_ && lost_.ok() && !failed_draw_; }
  void lose(std::string what);
  const ProgramUse* use_of(const warpjit::Program& program);
  bool write_stage(const StageSetup& setup, StageData& data);
  void reach_memory(const Draw& draw, const StageSetup& setup);
  void reach_textures(const Draw& draw, std::size_t scene,
                      std::span<const std::span<const std::byte>> texels);
  void add_streams(const Draw& draw, DrawData& data);
  // The guest's address of bytes that lie in the draw's memory, or in all; none: they do not.
  std::optional<std::uint64_t> address_of(const void* data, std::size_t size, const Draw* draw) const;
  std::uint64_t surface_address(const ColorSurface& color);

  capture::SectionWriter file_;
  capture::MemoryWriter writer_;
  capture::KnownMemory known_;
  SceneWriter scenes_;
  std::vector<Memory> memory_;
  std::unordered_map<const warpjit::Program::State*, ProgramUse> uses_;
  std::map<std::string, std::uint32_t> programs_;  // by form, stage and bytes
  std::map<std::pair<const void*, std::size_t>, std::uint64_t> own_surfaces_;
  std::uint64_t next_own_ = kOwnMemory;
  std::vector<std::uint64_t> addresses_;  // of scenes' surfaces
  // Textures that draws of a scene have read, and which have not changed since, or are assumed so.
  std::set<std::pair<const std::byte*, std::size_t>> texels_;
  std::size_t texels_scene_ = SIZE_MAX;
  std::size_t draws_ = 0;
  bool stores_ = false;  // the draw that runs may
  bool finished_ = false;
  Status lost_;
  std::optional<Error> failed_draw_;
};

}  // namespace warpjit::usse
