// What the programs of a launch sample, as visitors of captures see it.
#pragma once

#include <functional>

#include "capture/texture_picture.h"
#include "warpjit/capture.hpp"
#include "warpjit/launch.hpp"

namespace warpjit::capture {

class SampledTextures {
 public:
  // The guest's address of memory that a texture is bound to; 0: it is no memory of the guest's.
  using FindAddress = std::function<std::uint64_t(const std::byte* data)>;
  SampledTextures(CaptureVisitor& visitor, FindAddress find_address)
      : visitor_(visitor), most_(visitor.interest().textures), find_address_(std::move(find_address)) {}

  bool wanted() const { return most_ != 0; }
  // Those of a draw that is about to run, with those of its stages. False: the visitor ends the run.
  bool show(const Launch& launch, std::size_t draw);

 private:
  CaptureVisitor& visitor_;
  std::uint32_t most_;
  FindAddress find_address_;
  TextureNumbers numbers_;
};

}  // namespace warpjit::capture
