#include "guest/valhall/textures.h"

#include <string>

#include "frontend/valhall/flow/texture_uses.h"
#include "frontend/valhall/shader.h"

namespace warpjit::tool {

namespace {

// Calls visit(instruction, use) for each instruction whose texture a launch binds.
template <class Visit>
void each_sample(const frontend::Shader& shader, const Visit& visit) {
  const valhall::Program& program = static_cast<const valhall::Shader&>(shader).program();
  const auto code = valhall::find_reached(program);
  if (!code) return;
  for (const valhall::SamplingInstruction& sampling : valhall::sampling_instructions(program, *code))
    if (sampling.use) visit(*code->at(sampling.address), *sampling.use);
}

enum RegisterType : std::uint8_t { kUnsigned = 2, kSigned = 3 };  // of results; else floats
bool gives_integers(const valhall::Instruction& i) {
  return i.register_type == kUnsigned || i.register_type == kSigned;
}

// A texture of 4 texels each way, 8 bits a channel: red from the left, green from the top, blue by slice,
// layer and face.
Json texture_for(const valhall::Instruction& i) {
  constexpr std::uint32_t kSide = 4, kLayers = 2, kFaces = 6, kStep = 255 / (kSide - 1);
  constexpr const char* kDimensions[] = {"1d", "2d", "3d", "cube"};
  const unsigned dimension = i.dimension & 3U;
  const bool line = dimension == 0, deep = dimension == 2, cube = dimension == 3;
  Json texture{{"format", i.register_type == kUnsigned ? "rgba8ui"
                          : i.register_type == kSigned ? "rgba8i"
                                                       : "rgba8"},
               {"dimension", kDimensions[dimension]},
               {"size", Json::array({kSide})}};
  for (unsigned axis = 1; axis < (line ? 1U : deep ? 3U : 2U); ++axis) texture["size"].push_back(kSide);
  if (i.array) texture["layers"] = kLayers;
  const std::uint32_t slices = (deep ? kSide : cube ? kFaces : 1) * (i.array ? kLayers : 1);
  Json& texels = texture["data"] = Json::array();
  for (std::uint32_t slice = 0; slice < slices; ++slice)
    for (std::uint32_t y = 0; y < (line ? 1U : kSide); ++y)
      for (std::uint32_t x = 0; x < kSide; ++x)
        texels.push_back(
            hex(0xff000000 | (slice * 255 / std::max(slices - 1, 1U)) << 16 | y * kStep << 8 | x * kStep));
  return texture;
}

}  // namespace

Json valhall_textures(const frontend::Shader& shader) {
  Json textures = Json::object();
  each_sample(shader, [&](const valhall::Instruction& i, const frontend::TextureUse& use) {
    const std::string slot = std::to_string(use.texture);
    if (!textures.contains(slot)) textures[slot] = texture_for(i);
  });
  return textures;
}

// Filtered, unless they sample integers. They compare if the first instruction gives a reference.
Json valhall_samplers(const frontend::Shader& shader) {
  Json samplers = Json::object();
  each_sample(shader, [&](const valhall::Instruction& i, const frontend::TextureUse& use) {
    if (!use.needs_sampler) return;
    Json& sampler = samplers[std::to_string(use.sampler)];
    if (sampler.is_null()) {
      sampler = {{"wrap", "repeat"}, {"magnify", "linear"}, {"minify", "linear"}};
      if (i.shadow) sampler["compare"] = "less-equal";
    }
    if (!gives_integers(i)) return;
    sampler["magnify"] = sampler["minify"] = "nearest";
    sampler.erase("compare");
  });
  return samplers;
}

}  // namespace warpjit::tool
