#include "regress/report.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "files.h"

namespace warpjit::tool {

namespace fs = std::filesystem;

namespace {

constexpr const char* kReportFormat = "warpjit-regress 1";
constexpr Verdict kVerdictsInOrder[] = {Verdict::same, Verdict::differs, Verdict::added, Verdict::missing,
                                        Verdict::error};

std::string text_of(const Share& share) {
  return std::to_string(share.number) + "/" + std::to_string(share.of);
}

}  // namespace

std::size_t RegressReport::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(rows, verdict, &CaptureRow::verdict));
}

bool RegressReport::holds() const {
  return count(Verdict::differs) + count(Verdict::missing) + count(Verdict::error) == 0;
}

Json to_json(const RegressReport& report) {
  Json json{{"format", kReportFormat}, {"engine", report.about.engine}, {"target", report.about.target}};
  if (!report.about.baseline.empty()) json["baseline"] = report.about.baseline;
  if (report.share) json["shard"] = text_of(*report.share);
  if (report.picked) json["picked"] = true;
  Json summary{{"captures", report.rows.size()}};
  for (const Verdict verdict : kVerdictsInOrder) summary[name(verdict)] = report.count(verdict);
  json["summary"] = std::move(summary);
  json["captures"] = Json::array();
  for (const CaptureRow& row : report.rows) json["captures"].push_back(to_json(row));
  return json;
}

Result<RegressReport> load_report(const fs::path& path) {
  const std::string file = name_of(path);
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(path, kMaxResultBytes));
  WARPJIT_TRY(const Json document, parse_json(as_text(bytes), file));
  const JsonField root(document, file);
  WARPJIT_CHECK(
      root.expect_keys({"format", "engine", "target", "baseline", "shard", "picked", "summary", "captures"}));
  WARPJIT_TRY(const JsonField format, root.require("format"));
  WARPJIT_TRY(const std::string format_name, format.string());
  if (format_name != kReportFormat)
    return format.error("is " + text::quoted(format_name) + ", expected \"" + kReportFormat + "\"");
  RegressReport report;
  WARPJIT_TRY(report.about.engine, text_at(root, "engine"));
  WARPJIT_TRY(report.about.target, text_at(root, "target"));
  if (root.has("baseline")) {
    WARPJIT_TRY(report.about.baseline, hash_at(root, "baseline"));
  }
  if (const auto share = root.find("shard")) {
    WARPJIT_TRY(const std::string text, share->string());
    WARPJIT_TRY(report.share, parse_share(text, file + ", shard"));
  }
  if (const auto picked = root.find("picked")) {
    WARPJIT_TRY(report.picked, picked->boolean());
  }
  WARPJIT_TRY(const JsonField captures, root.require("captures"));
  WARPJIT_CHECK(captures.expect_array());
  for (std::size_t n = 0; n < captures.size(); ++n) {
    WARPJIT_TRY(CaptureRow row, read_row(captures.at(n)));
    report.rows.push_back(std::move(row));
  }
  return report;
}

Result<RegressReport> merge_reports(std::vector<ReportPart> parts) {
  const auto failed = [](const std::string& name, std::string message) {
    return Error{ErrorCode::bad_input, std::move(message), name};
  };
  if (parts.empty()) return failed("--merge", "no reports");
  RegressReport whole;
  whole.about = parts.front().report.about;
  const std::optional<Share> first = parts.front().report.share;
  std::set<std::uint32_t> shares;
  for (ReportPart& part : parts) {
    RegressReport& report = part.report;
    if (report.about != whole.about)
      return failed(part.name, "engine, target or baseline are others than in " + parts.front().name);
    if (report.share.has_value() != first.has_value() || (first && report.share->of != first->of))
      return failed(part.name, "is a part of another division than " + parts.front().name);
    if (first && !shares.insert(report.share->number).second)
      return failed(part.name, "the share " + text_of(*report.share) + " is there twice");
    for (CaptureRow& row : report.rows) {
      if (first && !report.share->has(row.file))
        return failed(part.name, text::quoted(row.file) + " is not of the share " + text_of(*report.share));
      whole.rows.push_back(std::move(row));
    }
  }
  for (std::uint32_t n = 1; first && n <= first->of; ++n)
    if (!shares.contains(n))
      return failed("--merge", "the share " + text_of(Share{n, first->of}) + " is missing");
  std::ranges::sort(whole.rows, {}, &CaptureRow::file);
  const auto twice = std::ranges::adjacent_find(whole.rows, {}, &CaptureRow::file);
  if (twice != whole.rows.end())
    return failed("--merge", "the capture " + text::quoted(twice->file) + " is in two reports");
  return whole;
}

Status write_report(const RegressReport& report, const fs::path& folder) {
  WARPJIT_CHECK(write_file(folder / kReportFile, to_json(report).dump(2) + "\n"));
  return write_file(folder / kPageFile, make_page(report, folder / kPicturesFolder));
}

std::string text_of(const RunError& error) {
  return error.code + ": " + (error.where.empty() ? "" : error.where + ": ") + error.message;
}

std::string text_of(const DrawRow& draw) {
  return "draw " + std::to_string(draw.draw) + " (" + draw.what + ") is the first that differs, in " +
         draw.target;
}

std::string text_of(const PictureRow& row) {
  std::string text = row.picture.name;
  if (row.verdict == Verdict::added) return text + ": new";
  if (row.verdict == Verdict::missing) return text + ": is not there any more";
  if (row.verdict == Verdict::same) return text + ": the same";
  if (row.pixels && *row.pixels != 0)
    text += ": " + std::to_string(*row.pixels) + (*row.pixels == 1 ? " pixel differs" : " pixels differ") +
            ", by " + std::to_string(row.largest) + " of 255 at most";
  else
    text += ": differs";
  return row.note.empty() ? text : text + "; " + row.note;
}

}  // namespace warpjit::tool
