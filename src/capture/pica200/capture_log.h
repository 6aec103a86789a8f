// What recorders of a Gpu and of a Pipeline share: the file, pages of memory, and calls that are not in it yet.
#pragma once

#include <optional>

#include "capture/memory_writer.h"
#include "capture/page_recorder.h"
#include "capture/pica200/call_list.h"
#include "device/pica200/pipeline.h"

namespace warpjit::pica200 {

class CaptureLog {
 public:
  CaptureLog(CaptureSink sink, void* context)
      : file_(sink, context, capture::FileGuest::pica200),
        memory_(file_),
        pages_(memory_, [this](std::uint64_t, std::size_t, bool first) {
          if (!first) write_calls();
        }) {}
  CaptureLog(const CaptureLog&) = delete;
  CaptureLog& operator=(const CaptureLog&) = delete;

  // With the calls before it.
  capture::SectionWriter& file() {
    write_calls();
    return file_;
  }
  capture::PageRecorder& pages() { return pages_; }
  // What is no part of a saved state, as calls.
  void add_options(const PipelineState& pipeline);
  // Before a call reaches memory; what it changes comes before it, and after those that ran.
  void begin(const PipelineState& pipeline, const PipelineCall& call);
  void end(const PipelineCall& call, const std::optional<CallResult>& result);
  void reach(const std::byte* data, std::size_t size, bool writes);

  void lose(const char* what);
  const Status& lost() const { return lost_; }
  void end_frame();
  // Another job than a call has run.
  void end_job() { frame_ended_ = false; }
  bool frame_ended() const { return frame_ended_; }
  Status finish();

 private:
  void write_calls();

  capture::SectionWriter file_;
  capture::MemoryWriter memory_;
  capture::PageRecorder pages_;
  capture::Numbers calls_;
  bool frame_ended_ = true;  // nothing has run since
  Status lost_;
};

// Arrays that were bound have no address in a guest's memory.
Status can_record(const PipelineState& pipeline);

}  // namespace warpjit::pica200
