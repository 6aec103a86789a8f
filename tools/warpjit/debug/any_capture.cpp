#include "debug/any_capture.h"

#include "capture/import_draw.h"
#include "capture/neutral.h"
#include "files.h"
#include "launch/capture_launch.h"
#include "scene/load_scene.h"

namespace warpjit::tool {

Result<Capture> load_any_capture(const std::string& file) {
  if (is_scene(file)) {
    WARPJIT_TRY(const Scene scene, load_scene(file));
    WARPJIT_TRY(const std::vector<std::byte> bytes, scene_as_capture(scene));
    return Capture::load(bytes, file);
  }
  if (is_launch_file(file)) {
    WARPJIT_TRY(const std::vector<std::byte> text, read_file(file, kMaxJsonBytes));
    WARPJIT_TRY(const std::vector<std::byte> bytes,
                is_draw_text(as_text(text)) ? import_draw(as_text(text), file, path_of(file).parent_path())
                                            : launches_as_capture({file}));
    return Capture::load(bytes, file);
  }
  return load_neutral_capture(file);
}

}  // namespace warpjit::tool
