// Runs one capture, and compares what it leaves with a baseline.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "picture_file.h"
#include "regress/baseline.h"
#include "regress/collection.h"
#include "regress/results.h"
#include "warpjit/capture.hpp"

namespace warpjit::tool {

struct RunWants {
  RunOptions options;
  bool draws = false;                  // hashes of targets after each draw
  const Baseline* baseline = nullptr;  // null: all is new
  // Where pictures go, folders that exist; empty: nowhere.
  std::filesystem::path report;  // of what is new or differs: before, after, difference
  std::filesystem::path saved;   // of all that is left
  std::mutex* files = nullptr;   // of all runs at once: a process writes one file at a time
};

struct CaptureRun {
  RunResult result;
  CaptureRow row;
};
// What is wrong with the capture is a part of the result. Errors: io of the files that are written; cancelled.
Result<CaptureRun> run_capture(const Engine& engine, const CaptureFile& file, const RunWants& wants);

// Pixels as they are shown, the first row in memory on top, without alpha; none of an output without pixels.
std::optional<Image> shown_picture(const CapturePicture& picture);

}  // namespace warpjit::tool
