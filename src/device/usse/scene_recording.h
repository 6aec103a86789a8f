// Who is told of all that scenes do, to record it (src/capture).
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "warpjit/usse.hpp"

namespace warpjit::usse {

// It keeps errors until it is finished, and after that does nothing.
class SceneRecording {
 public:
  virtual ~SceneRecording() = default;
  // The surface is as the scene has read it. Returns the scene's number.
  virtual std::size_t begin_scene(const ColorSurface& color, const std::optional<DepthSurface>& depth) = 0;
  // Before the draw runs. `texels`: what it reads of its memory for textures.
  virtual void begin_draw(std::size_t scene, const Draw& draw,
                          std::span<const std::span<const std::byte>> texels) = 0;
  virtual void end_draw(std::size_t scene, const Draw& draw, const Status& done) = 0;
  // Before and after the surface is written.
  virtual void begin_store(std::size_t scene, const ColorSurface& color) = 0;
  virtual void end_store(std::size_t scene, const ColorSurface& color) = 0;
};

}  // namespace warpjit::usse

class warpjit::usse::Recorder::State : public warpjit::usse::SceneRecording {
 public:
  virtual void end_frame() = 0;
  virtual Status finish() = 0;
  // Writes nothing any more.
  virtual void abandon() = 0;
};
