#include "regress/results.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "regress/sha256.h"

namespace warpjit::tool {
namespace {

constexpr std::array<const char*, 5> kVerdicts = {"same", "differs", "new", "missing", "error"};
constexpr std::uint64_t kMostExtent = 65536;

bool is_hash(std::string_view text) {
  return text.size() == kSha256Digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<Verdict> verdict_at(const JsonField& object) {
  WARPJIT_TRY(const JsonField field, object.require("result"));
  WARPJIT_TRY(const std::string text, field.string());
  const auto found = std::ranges::find(kVerdicts, text);
  if (found == kVerdicts.end())
    return field.error("is " + text::quoted(text) + ", expected same, differs, new, missing or error");
  return static_cast<Verdict>(found - kVerdicts.begin());
}

Json to_json(const RunError& error) {
  return {{"code", error.code}, {"where", error.where}, {"message", error.message}};
}
Result<RunError> read_error(const JsonField& field) {
  WARPJIT_CHECK(field.expect_keys({"code", "where", "message"}));
  RunError error;
  WARPJIT_TRY(error.code, text_at(field, "code"));
  WARPJIT_TRY(error.where, text_at(field, "where"));
  WARPJIT_TRY(error.message, text_at(field, "message"));
  return error;
}

Json to_json(const RunPicture& picture) {
  Json json{{"name", picture.name},     {"frame", picture.frame}, {"job", picture.job},
            {"format", picture.format}, {"width", picture.width}, {"height", picture.height},
            {"hash", picture.hash}};
  if (picture.as_expected) json["as_expected"] = *picture.as_expected;
  return json;
}
Result<RunPicture> read_picture(const JsonField& field) {
  RunPicture picture;
  WARPJIT_TRY(picture.name, text_at(field, "name"));
  WARPJIT_TRY(picture.frame, number_at(field, "frame"));
  WARPJIT_TRY(picture.job, number_at(field, "job"));
  WARPJIT_TRY(picture.format, text_at(field, "format"));
  WARPJIT_TRY(const std::uint64_t width, number_at(field, "width", kMostExtent));
  WARPJIT_TRY(const std::uint64_t height, number_at(field, "height", kMostExtent));
  picture.width = static_cast<std::uint32_t>(width);
  picture.height = static_cast<std::uint32_t>(height);
  WARPJIT_TRY(picture.hash, hash_at(field, "hash"));
  if (const auto expected = field.find("as_expected")) {
    WARPJIT_TRY(picture.as_expected, expected->boolean());
  }
  return picture;
}

// What results and rows have of the capture itself.
Status read_about(const JsonField& field, std::string& isa, std::uint64_t& frames, std::uint64_t& jobs) {
  WARPJIT_TRY(isa, text_at(field, "isa"));
  WARPJIT_TRY(frames, number_at(field, "frames"));
  WARPJIT_TRY(jobs, number_at(field, "jobs"));
  return {};
}

Result<PictureRow> read_picture_row(const JsonField& field) {
  PictureRow row;
  WARPJIT_CHECK(field.expect_keys({"name", "frame", "job", "format", "width", "height", "hash", "as_expected",
                                   "result", "before", "pixels", "largest", "note"}));
  WARPJIT_TRY(row.picture, read_picture(field));
  WARPJIT_TRY(row.verdict, verdict_at(field));
  if (field.has("before")) {
    WARPJIT_TRY(row.before, hash_at(field, "before"));
  }
  if (field.has("pixels")) {
    WARPJIT_TRY(row.pixels, number_at(field, "pixels"));
    WARPJIT_TRY(row.largest, number_at(field, "largest", 255));
  }
  if (field.has("note")) {
    WARPJIT_TRY(row.note, text_at(field, "note"));
  }
  return row;
}

Result<DrawRow> read_draw_row(const JsonField& field) {
  DrawRow row;
  WARPJIT_CHECK(field.expect_keys({"draw", "target", "what", "before", "after"}));
  WARPJIT_TRY(row.draw, number_at(field, "draw"));
  WARPJIT_TRY(row.target, text_at(field, "target"));
  WARPJIT_TRY(row.what, text_at(field, "what"));
  if (field.has("before")) {
    WARPJIT_TRY(row.before, hash_at(field, "before"));
  }
  if (field.has("after")) {
    WARPJIT_TRY(row.after, hash_at(field, "after"));
  }
  return row;
}

}  // namespace

const char* name(Verdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }

std::string picture_file(const std::string& hash) { return hash + ".png"; }
std::string difference_file(const std::string& before, const std::string& after) {
  constexpr std::size_t kDigits = 32;
  return before.substr(0, kDigits) + "-" + after.substr(0, kDigits) + ".png";
}

Result<std::string> text_at(const JsonField& object, std::string_view key) {
  WARPJIT_TRY(const JsonField field, object.require(key));
  return field.string();
}
Result<std::uint64_t> number_at(const JsonField& object, std::string_view key, std::uint64_t most) {
  WARPJIT_TRY(const JsonField field, object.require(key));
  WARPJIT_TRY(const std::int64_t value, field.integer(0, static_cast<std::int64_t>(most)));
  return static_cast<std::uint64_t>(value);
}
Result<std::string> hash_at(const JsonField& object, std::string_view key) {
  WARPJIT_TRY(const JsonField field, object.require(key));
  WARPJIT_TRY(std::string text, field.string());
  if (!is_hash(text)) return field.error("is no SHA-256: 64 digits of 0 to 9 and a to f");
  return text;
}

Json to_json(const RunResult& result) {
  if (result.error) return {{"error", to_json(*result.error)}};
  Json json{
      {"isa", result.isa}, {"frames", result.frames}, {"jobs", result.jobs}, {"pictures", Json::array()}};
  for (const RunPicture& picture : result.pictures) json["pictures"].push_back(to_json(picture));
  if (result.draws.empty()) return json;
  Json draws = Json::array();
  for (const RunDraw& draw : result.draws)
    draws.push_back({{"draw", draw.draw}, {"target", draw.target}, {"hash", draw.hash}});
  json["draws"] = std::move(draws);
  return json;
}

Result<RunResult> read_result(const JsonField& field) {
  RunResult result;
  WARPJIT_CHECK(field.expect_keys({"file", "isa", "frames", "jobs", "pictures", "draws", "error"}));
  if (const auto error = field.find("error")) {
    WARPJIT_TRY(result.error, read_error(*error));
    return result;
  }
  WARPJIT_CHECK(read_about(field, result.isa, result.frames, result.jobs));
  WARPJIT_TRY(const JsonField pictures, field.require("pictures"));
  WARPJIT_CHECK(pictures.expect_array());
  for (std::size_t n = 0; n < pictures.size(); ++n) {
    const JsonField one = pictures.at(n);
    WARPJIT_CHECK(
        one.expect_keys({"name", "frame", "job", "format", "width", "height", "hash", "as_expected"}));
    WARPJIT_TRY(RunPicture picture, read_picture(one));
    result.pictures.push_back(std::move(picture));
  }
  const auto draws = field.find("draws");
  if (!draws) return result;
  WARPJIT_CHECK(draws->expect_array());
  for (std::size_t n = 0; n < draws->size(); ++n) {
    const JsonField one = draws->at(n);
    WARPJIT_CHECK(one.expect_keys({"draw", "target", "hash"}));
    RunDraw draw;
    WARPJIT_TRY(draw.draw, number_at(one, "draw"));
    WARPJIT_TRY(draw.target, text_at(one, "target"));
    WARPJIT_TRY(draw.hash, hash_at(one, "hash"));
    result.draws.push_back(std::move(draw));
  }
  return result;
}

Json to_json(const CaptureRow& row) {
  Json json{{"file", row.file}, {"result", name(row.verdict)}};
  if (!row.isa.empty()) json.update({{"isa", row.isa}, {"frames", row.frames}, {"jobs", row.jobs}});
  if (row.error) json["error"] = to_json(*row.error);
  if (row.before_error) json["before_error"] = to_json(*row.before_error);
  if (!row.pictures.empty()) json["pictures"] = Json::array();
  for (const PictureRow& picture : row.pictures) {
    Json one = to_json(picture.picture);
    one["result"] = name(picture.verdict);
    if (!picture.before.empty()) one["before"] = picture.before;
    if (picture.pixels) one.update({{"pixels", *picture.pixels}, {"largest", picture.largest}});
    if (!picture.note.empty()) one["note"] = picture.note;
    json["pictures"].push_back(std::move(one));
  }
  if (row.draw) {
    Json draw{{"draw", row.draw->draw}, {"target", row.draw->target}, {"what", row.draw->what}};
    if (!row.draw->before.empty()) draw["before"] = row.draw->before;
    if (!row.draw->after.empty()) draw["after"] = row.draw->after;
    json["draw"] = std::move(draw);
  }
  return json;
}

Result<CaptureRow> read_row(const JsonField& field) {
  CaptureRow row;
  WARPJIT_CHECK(field.expect_keys(
      {"file", "result", "isa", "frames", "jobs", "error", "before_error", "pictures", "draw"}));
  WARPJIT_TRY(row.file, text_at(field, "file"));
  WARPJIT_TRY(row.verdict, verdict_at(field));
  if (field.has("isa")) WARPJIT_CHECK(read_about(field, row.isa, row.frames, row.jobs));
  if (const auto error = field.find("error")) {
    WARPJIT_TRY(row.error, read_error(*error));
  }
  if (const auto error = field.find("before_error")) {
    WARPJIT_TRY(row.before_error, read_error(*error));
  }
  if (const auto pictures = field.find("pictures")) {
    WARPJIT_CHECK(pictures->expect_array());
    for (std::size_t n = 0; n < pictures->size(); ++n) {
      WARPJIT_TRY(PictureRow picture, read_picture_row(pictures->at(n)));
      row.pictures.push_back(std::move(picture));
    }
  }
  if (const auto draw = field.find("draw")) {
    WARPJIT_TRY(row.draw, read_draw_row(*draw));
  }
  return row;
}

}  // namespace warpjit::tool
