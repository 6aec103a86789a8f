// What the parts of the PICA200's C interface share: handles and packets.
#pragma once

#include <memory>
#include <optional>

#include "runtime/api/c/boundary.h"
#include "warpjit/pica200.h"

struct warpjit_pica200_pipeline {
  std::optional<warpjit::pica200::Pipeline> own;  // none: a Gpu's
  warpjit::pica200::Pipeline& pipeline;
  std::shared_ptr<const void> sink;  // of the capture that is recorded
  explicit warpjit_pica200_pipeline(warpjit::pica200::Pipeline&& from)
      : own(std::move(from)), pipeline(*own) {}
  explicit warpjit_pica200_pipeline(warpjit::pica200::Pipeline& of) : pipeline(of) {}
};
struct warpjit_pica200_gpu {
  warpjit::pica200::Gpu gpu;
  warpjit_pica200_pipeline pipeline{gpu.pipeline()};
  warpjit_pica200_interrupt_function interrupt = nullptr;
  void* interrupt_context = nullptr;
  std::shared_ptr<const void> sink;  // of the capture that is recorded
  explicit warpjit_pica200_gpu(warpjit::pica200::Gpu&& from) : gpu(std::move(from)) {}
};

namespace warpjit::c_api {

inline Result<pica200::Packet> packet_of(const warpjit_pica200_packet* from) {
  WARPJIT_TRY(const warpjit_pica200_packet packet, read(from, "packet"));
  WARPJIT_TRY(const auto values, array(packet.values, packet.value_count, "values"));
  return pica200::Packet{packet.id, values, packet.bytes, packet.consecutive != 0};
}

}  // namespace warpjit::c_api
