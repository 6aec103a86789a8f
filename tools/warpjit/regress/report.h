// The report of many captures: as JSON, as a page, and from the reports of its parts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "regress/baseline.h"
#include "regress/collection.h"
#include "regress/results.h"

namespace warpjit::tool {

inline constexpr const char* kReportFile = "report.json";
inline constexpr const char* kPageFile = "report.html";

// What is the same for all parts of a run.
struct ReportAbout {
  std::string engine, target;
  std::string baseline;  // the hash of its file; empty: nothing is compared
  friend bool operator==(const ReportAbout&, const ReportAbout&) = default;
};
struct RegressReport {
  ReportAbout about;
  std::optional<Share> share;  // of a part
  bool picked = false;         // a part of captures that were named
  std::vector<CaptureRow> rows;

  std::size_t count(Verdict verdict) const;
  bool holds() const;  // nothing differs or is missing, and nothing fails as it did not before
};
// Nothing in it depends on when and where it was made.
Json to_json(const RegressReport& report);
// Errors name file and field: bad_input, io, resource_limit.
Result<RegressReport> load_report(const std::filesystem::path& path);
// Parts as one run would have given them. Errors: bad_input for parts of different runs, for a share that is missing
// or there twice.
struct ReportPart {
  std::string name;  // for messages
  RegressReport report;
};
Result<RegressReport> merge_reports(std::vector<ReportPart> parts);

// One file without scripts, which loads nothing. `pictures`: their folder.
std::string make_page(const RegressReport& report, const std::filesystem::path& pictures);
// Both files.
Status write_report(const RegressReport& report, const std::filesystem::path& folder);

// "color0: 12 pixels differ, by 3 of 255 at most".
std::string text_of(const PictureRow& row);
std::string text_of(const RunError& error);
std::string text_of(const DrawRow& draw);

}  // namespace warpjit::tool
