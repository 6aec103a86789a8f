#include "regress/baseline.h"

#include "base/text.h"
#include "files.h"
#include "regress/sha256.h"

namespace warpjit::tool {

namespace fs = std::filesystem;

namespace {
constexpr const char* kBaselineFormat = "warpjit-baseline 1";
}  // namespace

bool is_baseline_folder(const std::string& name) { return !name.ends_with(".json"); }

Status make_folders(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure)
    return Error{ErrorCode::io, "the folder cannot be made: " + failure.message(), name_of(folder)};
  return {};
}

Result<Baseline> load_baseline(const std::string& name) {
  std::error_code ignored;
  const bool folder = fs::is_directory(path_of(name), ignored);
  const fs::path path = folder ? path_of(name) / kBaselineFile : path_of(name);
  const std::string file = name_of(path);
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(path, kMaxResultBytes));
  WARPJIT_TRY(const Json document, parse_json(as_text(bytes), file));
  const JsonField root(document, file);
  WARPJIT_CHECK(root.expect_keys({"format", "captures"}));
  WARPJIT_TRY(const JsonField format, root.require("format"));
  WARPJIT_TRY(const std::string format_name, format.string());
  if (format_name != kBaselineFormat)
    return format.error("is " + text::quoted(format_name) + ", expected \"" + kBaselineFormat + "\"");
  WARPJIT_TRY(const JsonField captures, root.require("captures"));
  WARPJIT_CHECK(captures.expect_array());
  Baseline baseline;
  if (folder) baseline.pictures = path_of(name) / kPicturesFolder;
  baseline.hash = sha256(bytes);
  for (std::size_t n = 0; n < captures.size(); ++n) {
    const JsonField field = captures.at(n);
    WARPJIT_TRY(RunResult result, read_result(field));
    WARPJIT_TRY(std::string capture, text_at(field, "file"));
    if (!baseline.captures.emplace(capture, std::move(result)).second)
      return field.error("the capture " + text::quoted(capture) + " is there twice");
  }
  return baseline;
}

Status save_baseline(const std::string& name, const std::map<std::string, RunResult>& captures) {
  Json document{{"format", kBaselineFormat}, {"captures", Json::array()}};
  for (const auto& [file, result] : captures) {
    Json one{{"file", file}};
    one.update(to_json(result));
    document["captures"].push_back(std::move(one));
  }
  fs::path path = path_of(name);
  if (is_baseline_folder(name)) {
    WARPJIT_CHECK(make_folders(path / kPicturesFolder));
    path /= kBaselineFile;
  }
  return write_file(path, document.dump(2) + "\n");
}

}  // namespace warpjit::tool
