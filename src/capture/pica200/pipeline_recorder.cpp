// Records a Pipeline as a capture: its calls, and what draws reach of memory.
#include <memory>

#include "capture/pica200/capture_log.h"

namespace warpjit::pica200 {
namespace {

class PipelineRecorder final : public PipelineRecording {
 public:
  PipelineRecorder(PipelineState& pipeline, CaptureSink sink, void* context)
      : pipeline_(pipeline), log_(sink, context) {
    for (const MemoryRange& range : pipeline.attributes.ranges())
      if (range.size != 0)  // nothing is written there
        log_.pages().add_range(range.address, static_cast<std::byte*>(const_cast<void*>(range.data)),
                               range.size);
    log_.file().write(capture::SectionKind::state, capture::kPipelineFlag, pipeline.save());
    log_.add_options(pipeline);
  }

  void begin_call(const PipelineCall& call) override { log_.begin(pipeline_, call); }
  void end_call(const PipelineCall& call, const CallResult& result) override { log_.end(call, result); }
  void reach(const std::byte* data, std::size_t size, bool writes) override {
    log_.reach(data, size, writes);
  }
  void lose(const char* what) override { log_.lose(what); }
  Status end_frame() override {
    if (log_.lost()) log_.end_frame();
    return log_.lost();
  }
  Status finish() override {
    if (log_.lost() && !log_.frame_ended()) log_.end_frame();
    return log_.finish();
  }

 private:
  PipelineState& pipeline_;
  CaptureLog log_;
};

Error not_recorded() { return {ErrorCode::bad_input, "no capture is recorded", "capture"}; }

}  // namespace

Status Pipeline::record(CaptureSink sink, void* context) try {
  if (state().recording != nullptr)
    return Error{ErrorCode::bad_input, "a capture is recorded already", "capture"};
  if (sink == nullptr) return Error{ErrorCode::bad_input, "the sink is null", "capture"};
  WARPJIT_CHECK(can_record(state()));
  state().own_recording = std::make_unique<PipelineRecorder>(state(), sink, context);
  state().recording = state().own_recording.get();
  return {};
} catch (...) {
  return caught();
}

Status Pipeline::end_frame() try {
  if (state().own_recording == nullptr) return not_recorded();
  return state().own_recording->end_frame();
} catch (...) {
  return caught();
}

Status Pipeline::end_record() try {
  if (state().own_recording == nullptr) return not_recorded();
  const Status done = state().own_recording->finish();
  state().recording = nullptr;
  state().own_recording.reset();
  return done;
} catch (...) {
  return caught();
}

}  // namespace warpjit::pica200
