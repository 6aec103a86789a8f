// What captures left when all was right: hashes, and pictures if it is a folder.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "regress/results.h"

namespace warpjit::tool {

inline constexpr const char* kBaselineFile = "baseline.json";
inline constexpr const char* kPicturesFolder = "pictures";
inline constexpr std::uint64_t kMaxResultBytes = std::uint64_t{512} << 20;  // of each file of results

struct Baseline {
  std::map<std::string, RunResult> captures;  // by their names
  std::filesystem::path pictures;             // empty: it has hashes alone
  std::string hash;                           // of its file
};

// A file, or a folder with one and pictures. Errors name file and place: bad_input, io, resource_limit.
Result<Baseline> load_baseline(const std::string& name);
// True if --save with this name makes a folder.
bool is_baseline_folder(const std::string& name);
Status save_baseline(const std::string& name, const std::map<std::string, RunResult>& captures);

// Makes a folder and those that it lies in.
Status make_folders(const std::filesystem::path& folder);

}  // namespace warpjit::tool
