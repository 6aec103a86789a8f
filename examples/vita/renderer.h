// The emulator's renderer: hands draws over to warpjit.
#pragma once

#include <cstdio>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "gxm.h"
#include "warpjit/usse.hpp"

class Renderer {
 public:
  // The memory must outlive the renderer.
  explicit Renderer(gxm::Memory& memory);

  warpjit::Status begin_scene(const gxm::ColorSurface& color);
  // sceGxmDraw and sceGxmDrawInstanced.
  warpjit::Status draw(const gxm::Context& context, std::uint32_t primitive, std::uint32_t index_format,
                       std::uint32_t indices, std::uint32_t index_count, std::uint32_t instances = 1);
  warpjit::Status end_scene();
  warpjit::Status end_frame();

  // Records scenes as a capture, from one frame to another (docs/captures.md).
  warpjit::Status record(std::FILE* file);
  warpjit::Status end_record();

  std::uint64_t primitives() const { return primitives_; }  // that were drawn

 private:
  // What a stage's bindings are kept in while it is drawn.
  struct Bindings {
    std::vector<warpjit::usse::UniformBufferBinding> buffers;
    std::vector<warpjit::usse::TextureBinding> textures;
  };

  warpjit::Result<const warpjit::Program*> program_at(std::uint32_t address);
  warpjit::Result<warpjit::usse::StageSetup> stage(const gxm::Context& context, gxm::Stage stage,
                                                   std::uint32_t gxp, Bindings& kept);
  // What lies from an address on; empty outside the memory.
  std::span<std::byte> bytes_at(std::uint32_t address);
  // At most `most` words.
  std::span<const std::uint32_t> words_at(std::uint32_t address, std::size_t most);

  std::span<std::byte> memory_;
  warpjit::Engine engine_;
  std::unordered_map<std::uint32_t, warpjit::Program> programs_;  // by the address of the GXP
  std::optional<warpjit::usse::Recorder> recorder_;
  std::optional<warpjit::usse::Scene> scene_;
  std::vector<std::uint32_t> indices_;
  std::uint64_t primitives_ = 0;
};
