#include "regress/collection.h"

#include <algorithm>

#include "base/text.h"
#include "capture/pica200/scene_frames.h"
#include "files.h"
#include "scene/load_scene.h"

namespace warpjit::tool {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostCaptures = std::size_t{1} << 20;
constexpr std::uint64_t kMostShares = 65536;

bool is_capture_name(const fs::path& path) {
  return path.extension() == ".wjcap" || path.filename() == "scene.json";
}

std::string relative_name(const fs::path& path, const fs::path& folder) {
  std::string name = text::visible(name_of(path.lexically_relative(folder)));
  if constexpr (fs::path::preferred_separator != '/') std::ranges::replace(name, '\\', '/');
  return name;
}

Result<Capture> frames_of(Scene scene, const std::string& name) {
  auto state = std::make_unique<Capture::State>();
  state->texts = std::move(scene.texts);
  state->frames = std::make_unique<pica200::SceneFrames>(std::move(scene), name);
  return Capture(std::move(state));
}

}  // namespace

Result<std::vector<CaptureFile>> list_captures(const std::string& folder) {
  std::vector<CaptureFile> files;
  const fs::path root = path_of(folder);
  std::error_code failure;
  const auto failed = [&] { return Error{ErrorCode::io, failure.message(), folder}; };
  fs::recursive_directory_iterator entry(root, failure);
  if (failure) return failed();
  for (; entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    if (failure) return failed();
    if (!is_capture_name(entry->path()) || !entry->is_regular_file(failure)) continue;
    if (files.size() == kMostCaptures)
      return Error{ErrorCode::resource_limit, "more than " + std::to_string(kMostCaptures) + " captures",
                   folder};
    CaptureFile& file = files.emplace_back();
    file.name = relative_name(entry->path(), root);
    file.path = entry->path();
    file.size = entry->file_size(failure);
    if (!failure) file.modified = entry->last_write_time(failure).time_since_epoch().count();
    if (failure) return Error{ErrorCode::io, failure.message(), file.name};
  }
  if (failure) return failed();
  std::ranges::sort(files, {}, &CaptureFile::name);
  const auto twice = std::ranges::adjacent_find(files, {}, &CaptureFile::name);
  if (twice != files.end())
    return Error{ErrorCode::bad_input, "two files have names that are shown like this", twice->name};
  return files;
}

Result<Capture> load_frames(const fs::path& path, const std::string& name) {
  const std::string file = name_of(path);
  if (is_trace(file)) {
    WARPJIT_TRY(Scene scene, load_scene(file));
    return frames_of(std::move(scene), name);
  }
  const bool text = path.extension() == ".json";
  auto bytes = read_file(path, text ? kMaxJsonBytes : kMaxFileBytes);
  if (!bytes) {
    Error error = bytes.error();
    error.where = name;
    return error;
  }
  if (!text) return Capture::load(*bytes, name);
  WARPJIT_TRY(Scene scene, read_scene(as_text(*bytes), name, path.parent_path()));
  return frames_of(std::move(scene), name);
}

bool Share::has(std::string_view name) const {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char character : name) hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3;
  return (hash >> 32) % of == number - 1;
}

Result<Share> parse_share(const std::string& text, const std::string& where) {
  const std::size_t slash = text.find('/');
  const auto number = text::parse_unsigned(text.substr(0, slash), kMostShares);
  const auto of =
      slash == std::string::npos ? std::nullopt : text::parse_unsigned(text.substr(slash + 1), kMostShares);
  if (!number || !of || *number == 0 || *number > *of)
    return Error{ErrorCode::bad_input,
                 text::quoted(text) + " is no share: 2/3 is one, of at most " + std::to_string(kMostShares),
                 where};
  return Share{static_cast<std::uint32_t>(*number), static_cast<std::uint32_t>(*of)};
}

}  // namespace warpjit::tool
