// Chains of jobs of a Mali GPU as what captures hold.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "capture/frames.h"
#include "frontend/valhall/container/capture_file.h"

namespace warpjit::valhall {

// A fragment job ends a frame.
class ChainFrames final : public capture::Frames {
 public:
  // Errors: no chains (bad_input), and those of their jobs.
  static Result<std::unique_ptr<const ChainFrames>> make(CaptureFile file);
  capture::FramesInfo info() const override { return info_; }
  Status run(const Engine& engine, warpjit::CaptureVisitor& visitor,
             const RunOptions& options) const override;
  Status run_with_stores(const Engine& engine, warpjit::CaptureVisitor& visitor, const RunOptions& options,
                         capture::StoreVisitor& stores) const override;
  // The same on memory that is a copy of the file's, which jobs change.
  Status run(const Engine& engine, warpjit::CaptureVisitor& visitor, const RunOptions& options, Image& memory,
             capture::StoreVisitor* stores = nullptr) const;
  Status write(capture::SectionWriter& file) const override;
  std::size_t parts(capture::Part part) const override;
  std::size_t vertices() const override;
  std::unique_ptr<const Frames> without(capture::Part part, const std::vector<bool>& left_out) const override;
  const CaptureFile& file() const { return file_; }

 private:
  ChainFrames(CaptureFile file, const capture::FramesInfo& info) : file_(std::move(file)), info_(info) {}

  CaptureFile file_;
  capture::FramesInfo info_;
};

}  // namespace warpjit::valhall
