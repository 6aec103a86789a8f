// The C interface: captures of Valhall GPUs.
#include "runtime/api/c/boundary.h"
#include "warpjit/valhall.h"
#include "warpjit/valhall.hpp"

struct warpjit_valhall_capture {
  warpjit::valhall::Capture capture;
};

namespace warpjit::c_api {
namespace {

static_assert(WARPJIT_VALHALL_DEPTH == valhall::CapturePicture::kDepth);

class CaptureCalls final : public valhall::CaptureVisitor {
 public:
  explicit CaptureCalls(const warpjit_valhall_visitor& to) : to_(to) {}

  bool draw(const valhall::CaptureDraw& from) override {
    if (to_.draw == nullptr) return true;
    const std::string mode(from.mode);
    warpjit_valhall_draw draw{};
    draw.size = sizeof draw;
    draw.number = from.number;
    draw.job = from.job;
    draw.fragment_job = from.fragment_job;
    draw.mode = mode.c_str();
    draw.vertices = from.vertices;
    draw.instances = from.instances;
    draw.targets = from.targets;
    draw.depth = from.depth ? 1 : 0;
    warpjit_report report{};
    if (from.fragment) {
      report = to_c(*from.fragment);
      report.size = sizeof report;
    }
    return to_.draw(to_.context, &draw, from.fragment ? &report : nullptr) != 0;
  }

  bool picture(const valhall::CapturePicture& from) override {
    if (to_.picture == nullptr) return true;
    warpjit_valhall_picture picture{};
    picture.size = sizeof picture;
    picture.fragment_job = from.fragment_job;
    picture.target = from.target;
    picture.format = static_cast<std::int32_t>(from.format);
    picture.width = from.width;
    picture.height = from.height;
    picture.pixel_bytes = from.pixel_bytes;
    picture.pixels = from.pixels.data();
    picture.stored = from.stored ? 1 : 0;
    return to_.picture(to_.context, &picture) != 0;
  }

 private:
  const warpjit_valhall_visitor& to_;
};

}  // namespace
}  // namespace warpjit::c_api

using namespace warpjit;
using namespace warpjit::c_api;

warpjit_status warpjit_valhall_capture_load(const void* bytes, size_t size, const char* name,
                                            warpjit_valhall_capture** capture, warpjit_error* error) {
  return make(capture, "capture", error, {}, [&]() -> Result<valhall::Capture> {
    WARPJIT_TRY(const std::span<const std::byte> file, bytes_at(bytes, size));
    return valhall::Capture::load(file, name == nullptr ? "capture" : name);
  });
}
void warpjit_valhall_capture_destroy(warpjit_valhall_capture* capture) { delete capture; }

size_t warpjit_valhall_capture_chain_count(const warpjit_valhall_capture* capture) {
  return capture == nullptr ? 0 : capture->capture.chains().size();
}
warpjit_status warpjit_valhall_capture_add_chain(warpjit_valhall_capture* capture, uint64_t address,
                                                 warpjit_error* error) {
  return call(error, {{capture, "capture"}}, [&] { return capture->capture.add_chain({address, false}); });
}
warpjit_status warpjit_valhall_capture_clear_chains(warpjit_valhall_capture* capture) {
  if (capture == nullptr) return WARPJIT_BAD_INPUT;
  capture->capture.clear_chains();
  return WARPJIT_OK;
}

warpjit_status warpjit_valhall_capture_run(warpjit_valhall_capture* capture, const warpjit_engine* engine,
                                           const warpjit_valhall_visitor* visitor,
                                           const warpjit_run_options* options, warpjit_error* error) {
  return call(error, {{capture, "capture"}, {engine, "engine"}}, [&]() -> Status {
    WARPJIT_TRY(const RunOptions run, run_options(options));
    const warpjit_valhall_visitor none{};
    CaptureCalls calls(visitor == nullptr ? none : *visitor);
    return capture->capture.run(engine->engine, calls, run);
  });
}

warpjit_status warpjit_valhall_capture_read_memory(const warpjit_valhall_capture* capture, uint64_t address,
                                                   void* to, size_t size, warpjit_error* error) {
  return call(error, {{capture, "capture"}}, [&]() -> Status {
    if (size != 0) WARPJIT_CHECK(given(to, "to"));
    return capture->capture.read_memory(address, {static_cast<std::byte*>(to), size});
  });
}
