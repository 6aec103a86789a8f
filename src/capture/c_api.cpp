// The C interface: captures of every guest.
#include <string>
#include <vector>

#include "runtime/api/c/boundary.h"
#include "warpjit/capture.h"
#include "warpjit/capture.hpp"

struct warpjit_capture {
  warpjit::Capture capture;
};

namespace warpjit::c_api {
namespace {

static_assert(same(CaptureName::Of::address, WARPJIT_NAME_OF_ADDRESS) &&
              same(CaptureName::Of::reg, WARPJIT_NAME_OF_REGISTER) &&
              same(CaptureName::Of::draw, WARPJIT_NAME_OF_DRAW) &&
              same(CaptureName::Of::uniform, WARPJIT_NAME_OF_UNIFORM));

// Programs as C has them, with what their pointers name.
class Programs {
 public:
  explicit Programs(std::span<const CaptureProgram> from) {
    stages_.reserve(from.size());
    reports_.reserve(from.size());
    for (const CaptureProgram& program : from) {
      stages_.emplace_back(program.stage);
      warpjit_report report = to_c(*program.report);
      report.size = sizeof report;
      reports_.push_back(report);
      list_.push_back({stages_.back().c_str(), &reports_.back()});
    }
  }
  template <class Struct>
  void set(Struct& to) const {
    to.programs = list_.data();
    to.program_count = list_.size();
  }

 private:
  std::vector<std::string> stages_;
  std::vector<warpjit_report> reports_;
  std::vector<warpjit_capture_program> list_;
};

class VisitorCalls final : public CaptureVisitor {
 public:
  explicit VisitorCalls(const warpjit_capture_visitor& to) : to_(to) {}

  CaptureInterest interest() const override {
    return {.draws = to_.draw != nullptr,
            .targets_of_draws = to_.targets_of_draws != 0,
            .textures = to_.texture == nullptr ? 0 : to_.textures};
  }
  bool job(const CaptureJob& from) override {
    if (to_.job == nullptr) return true;
    const std::string what(from.what);
    const Programs programs(from.programs);
    warpjit_capture_job job{};
    job.size = sizeof job;
    job.number = from.number;
    job.frame = from.frame;
    job.what = what.c_str();
    programs.set(job);
    return to_.job(to_.context, &job) != 0;
  }
  bool draw(const CaptureDraw& from) override {
    if (to_.draw == nullptr) return true;
    const std::string what(from.what);
    const Programs programs(from.programs);
    warpjit_capture_draw draw{};
    draw.size = sizeof draw;
    draw.number = from.number;
    draw.job = from.job;
    draw.frame = from.frame;
    draw.what = what.c_str();
    draw.drawn = from.drawn ? 1 : 0;
    programs.set(draw);
    return to_.draw(to_.context, &draw) != 0;
  }
  bool picture(const CapturePicture& from) override {
    if (to_.picture == nullptr) return true;
    const std::string name(from.name);
    warpjit_capture_picture picture{};
    picture.size = sizeof picture;
    picture.name = name.c_str();
    picture.frame = from.frame;
    picture.job = from.job;
    picture.draw = from.draw.value_or(WARPJIT_CAPTURE_NO_DRAW);
    picture.address = from.address;
    picture.format = static_cast<std::int32_t>(from.format);
    picture.width = from.width;
    picture.height = from.height;
    picture.pixels = from.pixels.data();
    picture.pixels_size = from.pixels.size();
    picture.bytes = from.bytes.data();
    picture.bytes_size = from.bytes.size();
    picture.first = UINT64_MAX;
    if (from.compared) {
      picture.first = from.compared->first.value_or(UINT64_MAX);
      picture.compared = 1;
      picture.units = from.compared->units;
      picture.differ = from.compared->differ;
      picture.beyond = from.compared->beyond;
      picture.allowed = from.compared->allowed;
    }
    return to_.picture(to_.context, &picture) != 0;
  }
  bool texture(const CaptureTexture& from) override {
    const std::string stage(from.stage), format(from.format);
    warpjit_capture_texture texture{};
    texture.size = sizeof texture;
    texture.draw = from.draw;
    texture.stage = stage.c_str();
    texture.unit = from.unit;
    texture.layer = from.layer;
    texture.address = from.address;
    texture.format = format.c_str();
    texture.width = from.width;
    texture.height = from.height;
    texture.levels = from.levels;
    texture.number = from.number;
    texture.picture_width = from.picture_width;
    texture.picture_height = from.picture_height;
    texture.rgba = from.rgba.empty() ? nullptr : from.rgba.data();
    return to_.texture(to_.context, &texture) != 0;
  }

 private:
  const warpjit_capture_visitor& to_;
};

struct SinkCalls {
  warpjit_capture_sink sink;
  void* context;
};

}  // namespace
}  // namespace warpjit::c_api

using namespace warpjit;
using namespace warpjit::c_api;

warpjit_status warpjit_capture_load(const warpjit_capture_file* files, size_t count,
                                    warpjit_capture** capture, warpjit_error* error) {
  return make(capture, "capture", error, {}, [&]() -> Result<Capture> {
    WARPJIT_TRY(const std::span<const warpjit_capture_file> given, array(files, count, "files"));
    std::vector<CaptureBytes> list;
    for (const warpjit_capture_file& file : given) {
      WARPJIT_TRY(const std::span<const std::byte> bytes, bytes_at(file.bytes, file.size));
      list.push_back({bytes, file.name == nullptr ? "capture" : file.name});
    }
    return Capture::load(list);
  });
}
void warpjit_capture_destroy(warpjit_capture* capture) { delete capture; }

int32_t warpjit_capture_isa(const warpjit_capture* capture) {
  return capture == nullptr ? -1 : static_cast<std::int32_t>(capture->capture.isa());
}
uint32_t warpjit_capture_product(const warpjit_capture* capture) {
  return capture == nullptr ? 0 : capture->capture.product();
}
size_t warpjit_capture_frames(const warpjit_capture* capture) {
  return capture == nullptr ? 0 : capture->capture.frames();
}
size_t warpjit_capture_jobs(const warpjit_capture* capture) {
  return capture == nullptr ? 0 : capture->capture.jobs();
}

size_t warpjit_capture_name_count(const warpjit_capture* capture) {
  return capture == nullptr ? 0 : capture->capture.names().size();
}
warpjit_status warpjit_capture_get_name(const warpjit_capture* capture, size_t index,
                                        warpjit_capture_name* name, warpjit_error* error) {
  return call(error, {{capture, "capture"}, {name, "name"}}, [&]() -> Status {
    WARPJIT_TRY(const CaptureName* const found, element(capture->capture.names(), index));
    *name = {static_cast<std::int32_t>(found->of), found->number, found->text.c_str()};
    return {};
  });
}
warpjit_status warpjit_capture_set_names(warpjit_capture* capture, const warpjit_capture_name* names,
                                         size_t count, warpjit_error* error) {
  return call(error, {{capture, "capture"}}, [&]() -> Status {
    WARPJIT_TRY(const std::span<const warpjit_capture_name> given, array(names, count, "names"));
    std::vector<CaptureName> list;
    for (const warpjit_capture_name& name : given) {
      WARPJIT_TRY(const CaptureName::Of of, enumerator(name.of, CaptureName::Of::uniform, "names"));
      WARPJIT_CHECK(c_api::given(name.text, "names"));
      list.push_back({of, name.number, name.text});
    }
    return capture->capture.set_names(list);
  });
}
size_t warpjit_capture_note_count(const warpjit_capture* capture) {
  return capture == nullptr ? 0 : capture->capture.notes().size();
}
const char* warpjit_capture_note(const warpjit_capture* capture, size_t index) {
  if (capture == nullptr || index >= capture->capture.notes().size()) return nullptr;
  return capture->capture.notes()[index].c_str();
}

warpjit_status warpjit_capture_run(const warpjit_capture* capture, const warpjit_engine* engine,
                                   const warpjit_capture_visitor* visitor, const warpjit_run_options* options,
                                   warpjit_error* error) {
  return call(error, {{capture, "capture"}, {engine, "engine"}}, [&]() -> Status {
    WARPJIT_TRY(const RunOptions run, run_options(options));
    WARPJIT_TRY(const warpjit_capture_visitor to, read(visitor, "visitor"));
    VisitorCalls calls(to);
    return capture->capture.run(engine->engine, calls, run);
  });
}

warpjit_status warpjit_capture_write(const warpjit_capture* capture, warpjit_capture_sink sink, void* context,
                                     warpjit_error* error) {
  return call(error, {{capture, "capture"}}, [&]() -> Status {
    if (sink == nullptr) return bad("it is NULL", "sink");
    SinkCalls to{sink, context};
    return capture->capture.write(
        [](void* calls, std::span<const std::byte> bytes) {
          const auto& [take, with] = *static_cast<const SinkCalls*>(calls);
          return take(with, bytes.data(), bytes.size()) != 0;
        },
        &to);
  });
}
