// Which buffers a program names (docs/guests/valhall.md 8.3): LD_BUFFER and LEA_PKA take one from a word,
// which compilers put into a register shortly before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontend/grid.h"
#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/flow/control_flow.h"

namespace warpjit::valhall {

struct BufferUses {
  std::vector<std::uint32_t> handles{};  // each once, ascending
  bool computed = false;                 // other ones, too: all are meant
  bool addresses = false;                // it takes addresses, and does not load alone

  bool names(std::uint32_t handle) const;
  // How many buffers of a launch it may mean.
  std::uint32_t most() const {
    return computed ? static_cast<std::uint32_t>(kMaxBufferSources)
                    : static_cast<std::uint32_t>(handles.size());
  }
};
BufferUses buffer_uses(const Program& program, const ReachedCode& code);

// True if an instruction names a buffer.
bool names_buffers(const Program& program);

// The buffers of a launch that the uses may mean, by their handles.
std::vector<frontend::BufferSource> buffers_of(const BufferUses& uses,
                                               std::span<const frontend::BufferSource> buffers);

}  // namespace warpjit::valhall
