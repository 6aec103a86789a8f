#include "capture/pica200/recorder.h"

#include <cstdio>
#include <string>
#include <utility>

#include "capture/pica200/scene_sections.h"

namespace warpjit::pica200 {

using capture::SectionKind;

Recorder::Recorder(GpuState& gpu, CaptureSink sink, void* context)
    : pipeline_(gpu.pipeline_state()), log_(sink, context) {
  for (const PhysicalMemory::Piece& piece : gpu.memory().pieces())
    if (piece.size != 0) log_.pages().add_range(piece.address, piece.data, piece.size);
  load(gpu.save());
  log_.add_options(pipeline_);
}

Result<std::unique_ptr<Recorder>> Recorder::make(GpuState& gpu, CaptureSink sink, void* context) {
  WARPJIT_CHECK(can_record(gpu.pipeline_state()));
  return std::unique_ptr<Recorder>(new Recorder(gpu, sink, context));
}

void Recorder::load(std::span<const std::byte> state) {
  if (records()) log_.file().write(SectionKind::state, 0, state);
}

void Recorder::begin_call(const PipelineCall& call) {
  if (records()) log_.begin(pipeline_, call);
}

void Recorder::end_call(const PipelineCall& call, const CallResult& result) {
  if (records()) log_.end(call, result);
}

void Recorder::reach(const std::byte* data, std::size_t size, bool writes) {
  if (records()) log_.reach(data, size, writes);
}

void Recorder::begin_job(GpuState&, const StartedJob& job) {
  ++job_;
  if (const auto* call = std::get_if<PipelineCall>(&job)) return begin_call(*call);
  log_.pages().begin_job();
  if (!std::holds_alternative<CommandList>(job) || !records()) return;
  if (!can_record(pipeline_)) lose("arrays that were bound");
}

void Recorder::end_job(GpuState&, const StartedJob& job, const Status& done) {
  if (records()) {
    if (const auto* list = std::get_if<CommandList>(&job)) {
      write_job(log_.file(), *list);
    } else if (const auto* call = std::get_if<PipelineCall>(&job)) {
      log_.end(*call, {});
    } else if (const auto* fill = std::get_if<MemoryFill>(&job)) {
      write_job(log_.file(), *fill);
    } else if (const auto* transfer = std::get_if<DisplayTransfer>(&job)) {
      write_job(log_.file(), *transfer);
      if (const auto picture = presented_picture(*transfer)) pictures_[picture->address] = *picture;
    } else {
      write_job(log_.file(), std::get<TextureCopy>(job));
    }
    log_.end_job();
    if (!done)
      failed_job_ = Error{
          done.error().code, "the job failed, and the capture ends with it: " + done.error().message,
          "job " + std::to_string(job_ - 1) + (done.error().where.empty() ? "" : ", " + done.error().where)};
  }
  if (!std::holds_alternative<PipelineCall>(job)) log_.pages().end_job();
}

Status Recorder::end_frame() {
  if (records()) log_.end_frame();
  return log_.lost();
}

Status Recorder::finish() {
  log_.pages().begin_job();
  if (records()) {
    if (!log_.frame_ended()) log_.end_frame();
    for (auto& picture : pictures_) {
      const std::uint32_t address = picture.first;
      SceneOutput& output = picture.second;
      const std::span<const std::byte> bytes = log_.pages().find(address, output.size);
      if (bytes.empty()) continue;
      // What the processor has changed there.
      log_.reach(bytes.data(), bytes.size(), false);
      char name[32];
      std::snprintf(name, sizeof name, "display_%08x", static_cast<unsigned>(address));
      output.name = name;
      output.expected.emplace(bytes.begin(), bytes.end());
      write_output(log_.file(), output);
    }
  }
  const Status ended = log_.finish();
  if (!ended) return ended;
  return failed_job_ ? Status(*failed_job_) : Status();
}

Status Gpu::record(CaptureSink sink, void* context) try {
  if (state().pipeline_state().recording != nullptr)
    return Error{ErrorCode::bad_input, "a capture is recorded already", "capture"};
  if (sink == nullptr) return Error{ErrorCode::bad_input, "the sink is null", "capture"};
  WARPJIT_TRY(std::unique_ptr<Recorder> recorder, Recorder::make(state(), sink, context));
  state().set_recording(std::move(recorder));
  return {};
} catch (...) {
  return caught();
}

Status Gpu::end_frame() try {
  if (state().recording() == nullptr) return Error{ErrorCode::bad_input, "no capture is recorded", "capture"};
  return state().recording()->end_frame();
} catch (...) {
  return caught();
}

Status Gpu::end_record() try {
  if (state().recording() == nullptr) return Error{ErrorCode::bad_input, "no capture is recorded", "capture"};
  const Status done = state().recording()->finish();
  state().set_recording(nullptr);
  return done;
} catch (...) {
  return caught();
}

}  // namespace warpjit::pica200
