// A scene and its draws: launches of a vertex and a fragment program.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/usse/attributes.h"
#include "device/usse/scene_recording.h"
#include "device/usse/surface.h"
#include "frontend/usse/container/texture.h"
#include "frontend/usse/stage_values.h"

namespace warpjit::usse {

struct SceneState {
  Surface surface;
  std::vector<std::byte> color;
  std::optional<DepthSurface> depth;
  std::vector<std::byte> depth_pixels;
  std::shared_ptr<SceneRecording> recording;  // null: nobody records
  std::size_t number = 0;                     // that the recording has given it
};

// The launches of a draw, all of it bound, and what they refer to. The draw's memory, the programs and the
// scene must outlive it.
struct BoundDraw {
  std::optional<Launch> vertex, fragment;  // the fragment program's has the other as its vertex stage
  FetchedAttributes attributes;
  std::vector<BoundTexture> textures;
  bool keeps_reads = false;                       // set before the draw is bound
  std::vector<std::span<const std::byte>> reads;  // of the draw's memory, for textures
  // The default uniform buffers, for programs that read them from memory.
  std::array<std::vector<std::uint32_t>, 2> uniforms;
  bool nothing = false;  // there is nothing to draw
};
// Fills `bound`, which must stay where it is.
Status bind_draw(SceneState& scene, const Draw& draw, BoundDraw& bound);

}  // namespace warpjit::usse

class warpjit::usse::Scene::State final : public warpjit::usse::SceneState {};
