#include "scene/load_scene.h"

#include <array>
#include <fstream>

#include "capture/neutral.h"
#include "capture/pica200/scene_sections.h"
#include "capture/valhall/chain_sections.h"
#include "output.h"
#include "scene/trace_replay.h"

namespace warpjit::tool {

bool is_trace(const std::string& file) {
  std::ifstream stream(path_of(file), std::ios::binary);
  std::array<char, 4> magic{};
  return stream.read(magic.data(), magic.size()) && is_citrace(std::as_bytes(std::span(magic)));
}

bool is_scene(const std::string& file) {
  if (is_trace(file) || is_scene_capture(file)) return true;
  if (!is_launch_file(file)) return false;
  const auto bytes = read_file(file, kMaxJsonBytes);
  return bytes && is_scene_text(as_text(*bytes));
}

bool is_scene_capture(const std::string& file) {
  std::ifstream stream(path_of(file), std::ios::binary);
  std::array<char, 16> start{};
  return stream.read(start.data(), start.size()) &&
         capture::version_of(std::as_bytes(std::span(start))) == capture::kVersion &&
         !is_neutral_capture(file) && !valhall::is_chain_file(std::as_bytes(std::span(start)));
}

Result<Scene> load_scene(const std::string& file) {
  if (is_scene_capture(file)) {
    WARPJIT_TRY(std::vector<std::byte> bytes, read_file(file));
    return pica200::read_capture(std::make_shared<const std::vector<std::byte>>(std::move(bytes)), file);
  }
  if (is_trace(file)) {
    WARPJIT_TRY(const std::vector<std::byte> trace, read_file(file));
    WARPJIT_TRY(ImportedScene imported, read_citrace(trace, file));
    replay_trace(imported, file);
    for (const std::string& note : imported.notes) print_err("warpjit: note: {}\n", note);
    return std::move(imported.scene);
  }
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(file, kMaxJsonBytes));
  return read_scene(as_text(bytes), file, path_of(file).parent_path());
}

Result<std::vector<std::byte>> scene_as_capture(const Scene& scene) {
  std::vector<std::byte> bytes;
  WARPJIT_CHECK(pica200::write_capture(
      scene,
      [](void* to, std::span<const std::byte> part) {
        auto& all = *static_cast<std::vector<std::byte>*>(to);
        all.insert(all.end(), part.begin(), part.end());
        return true;
      },
      &bytes));
  return bytes;
}

Status write_scene_capture(const Scene& scene, const std::string& file) {
  WARPJIT_TRY(const std::vector<std::byte> bytes, scene_as_capture(scene));
  return write_file(file, bytes);
}

}  // namespace warpjit::tool
