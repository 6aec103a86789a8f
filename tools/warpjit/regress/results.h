// What regress knows of a capture: what a run left, and how that compares with a baseline. Both are parts of its
// files, which may be hostile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json.h"
#include "launch/json_field.h"

namespace warpjit::tool {

struct RunPicture {
  std::string name;
  std::uint64_t frame = 0, job = 0;
  std::string format;  // "none": it has no pixels
  std::uint32_t width = 0, height = 0;
  std::string hash;                   // SHA-256 of its bytes in the guest's memory
  std::optional<bool> as_expected{};  // by what the capture itself expects
};
// A target after a draw that may write it.
struct RunDraw {
  std::uint64_t draw = 0;
  std::string target, hash;
  friend bool operator==(const RunDraw&, const RunDraw&) = default;
};
struct RunError {
  std::string code, where, message;
  friend bool operator==(const RunError&, const RunError&) = default;
};
struct RunResult {
  std::string isa;
  std::uint64_t frames = 0, jobs = 0;
  std::vector<RunPicture> pictures;
  std::vector<RunDraw> draws;
  std::optional<RunError> error;  // then what was seen before it is left out
};

enum class Verdict : std::uint8_t { same, differs, added, missing, error };
const char* name(Verdict verdict);

struct PictureRow {
  RunPicture picture;  // of the baseline if it is missing now
  Verdict verdict = Verdict::same;
  std::string before;  // the baseline's hash
  // If the baseline has a picture: in how many pixels a channel differs, by how much at most, as they are shown.
  std::optional<std::uint64_t> pixels;
  std::uint64_t largest = 0;
  std::string note;
};
// The first draw that differs.
struct DrawRow {
  std::uint64_t draw = 0;
  std::string target, what, before, after;
};
// Captures that are as in the baseline, errors included, are `same`.
struct CaptureRow {
  std::string file;  // relative to the folder, parts with "/" between them
  Verdict verdict = Verdict::same;
  std::string isa;
  std::uint64_t frames = 0, jobs = 0;
  std::optional<RunError> error, before_error;
  std::vector<PictureRow> pictures;
  std::optional<DrawRow> draw;
};

// Files below the folder of pictures.
std::string picture_file(const std::string& hash);
std::string difference_file(const std::string& before, const std::string& after);

Json to_json(const RunResult& result);
Result<RunResult> read_result(const JsonField& field);
Json to_json(const CaptureRow& row);
Result<CaptureRow> read_row(const JsonField& field);

// Members that must be there.
Result<std::string> text_at(const JsonField& object, std::string_view key);
Result<std::uint64_t> number_at(const JsonField& object, std::string_view key,
                                std::uint64_t most = INT64_MAX);
Result<std::string> hash_at(const JsonField& object, std::string_view key);

}  // namespace warpjit::tool
