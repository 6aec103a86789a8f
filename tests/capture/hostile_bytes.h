// Bytes of captures that tests make and spoil.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "capture/pica200/scene_sections.h"
#include "support/byte_sink.h"

namespace warpjit::tests {

inline std::vector<std::byte> written(const pica200::Scene& scene) {
  std::vector<std::byte> bytes;
  const Status done = pica200::write_capture(scene, append, &bytes);
  return done ? bytes : std::vector<std::byte>();
}

inline Result<pica200::Scene> read(std::vector<std::byte> bytes, const pica200::SceneLimits& limits = {}) {
  return pica200::read_capture(std::make_shared<const std::vector<std::byte>>(std::move(bytes)), "file.wjcap",
                               limits);
}

}  // namespace warpjit::tests
