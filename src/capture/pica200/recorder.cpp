#include "capture/pica200/recorder.h"

#include <cstdio>
#include <string>
#include <utility>

#include "capture/pica200/scene_sections.h"

namespace warpjit::pica200 {

using capture::SectionKind;

namespace {

// What draws need and no capture has; none: nothing.
const char* setting_without_section(GpuState& gpu) {
  const PipelineState& pipeline = gpu.pipeline_state();
  const auto any = [&](auto of) { return of(pipeline.registers.vertex) || of(pipeline.registers.geometry); };
  if (pipeline.attributes.any_bound()) return "arrays that were bound";
  if (pipeline.outside != Outside::error) return "zeros outside of arrays";
  if (pipeline.geometry_topology) return "the topology of geometry programs as set";
  if (any([](const UnitRegisters& unit) { return unit.f24; })) return "f24";
  if (any([](const UnitRegisters& unit) { return unit.structural_scopes; })) return "structural scopes";
  return nullptr;
}

Error unsupported(const char* what) {
  return {ErrorCode::unsupported, std::string("a capture cannot have ") + what, "capture"};
}

}  // namespace

Recorder::Recorder(const PhysicalMemory& memory, CaptureSink sink, void* context)
    : file_(sink, context, capture::FileGuest::pica200),
      memory_(file_),
      pages_(memory_, [this] { write_packets(); }) {
  for (const PhysicalMemory::Piece& piece : memory.pieces())
    if (piece.size != 0) pages_.add_range(piece.address, piece.data, piece.size);
}

Result<std::unique_ptr<Recorder>> Recorder::make(GpuState& gpu, CaptureSink sink, void* context) {
  if (const char* const what = setting_without_section(gpu)) return unsupported(what);
  std::unique_ptr<Recorder> recorder(new Recorder(gpu.memory(), sink, context));
  recorder->write_state(gpu);
  return recorder;
}

void Recorder::write_state(GpuState& gpu) {
  std::vector<std::byte> state = gpu.save();
  if (state == state_) return;
  state_ = std::move(state);
  write_packets();
  file_.write(SectionKind::state, 0, state_);
}

void Recorder::add_packet(const StartedPacket& job) {
  constexpr std::uint32_t kConsecutive = 1 << 20, kImmediate = std::uint32_t{1} << 31;
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  if (job.packet == nullptr) {
    packets_.word(kImmediate).word(0);
  } else {
    const Packet& packet = *job.packet;
    packets_.word((packet.id & 0xFFFF) | (packet.bytes & 15) << 16 | (packet.consecutive ? kConsecutive : 0));
    packets_.word(static_cast<std::uint32_t>(packet.values.size()));
    for (const std::uint32_t value : packet.values) packets_.word(value);
  }
  if (packets_.bytes().size() >= kMostBytes) write_packets();
}

// Before what is to come after them.
void Recorder::write_packets() {
  if (packets_.bytes().empty()) return;
  write_job(file_, PacketList{packets_.bytes(), nullptr});
  packets_.clear();
}

void Recorder::lose(const char* what) {
  if (lost_) lost_ = unsupported(what);
}

void Recorder::begin_job(GpuState& gpu, const StartedJob& job) {
  ++job_;
  pages_.begin_job();
  if (!records()) return;
  if (std::holds_alternative<StartedPacket>(job)) {
    if (std::exchange(after_packets_, true) && changes_ == gpu.pipeline_state().changes) return;
  } else {
    write_packets();
    if (!std::holds_alternative<CommandList>(job)) return;
    after_packets_ = false;
  }
  if (const char* const what = setting_without_section(gpu)) return lose(what);
  // What the embedder has set since the last list or packet.
  write_state(gpu);
  changes_ = gpu.pipeline_state().changes;
}

void Recorder::reach(const std::byte* data, std::size_t size, bool writes) {
  if (records() && !pages_.reach(data, size, writes)) lose("memory outside of the GPU's");
}

void Recorder::end_job(GpuState& gpu, const StartedJob& job, const Status& done) {
  if (records()) {
    if (const auto* list = std::get_if<CommandList>(&job)) {
      write_job(file_, *list);
      state_ = gpu.save();
    } else if (const auto* packet = std::get_if<StartedPacket>(&job)) {
      add_packet(*packet);
    } else if (const auto* fill = std::get_if<MemoryFill>(&job)) {
      write_job(file_, *fill);
    } else if (const auto* transfer = std::get_if<DisplayTransfer>(&job)) {
      write_job(file_, *transfer);
      if (const auto picture = presented_picture(*transfer)) pictures_[picture->address] = *picture;
    } else {
      write_job(file_, std::get<TextureCopy>(job));
    }
    if (!done)
      failed_job_ = Error{
          done.error().code, "the job failed, and the capture ends with it: " + done.error().message,
          "job " + std::to_string(job_ - 1) + (done.error().where.empty() ? "" : ", " + done.error().where)};
  }
  pages_.end_job();
}

Status Recorder::end_frame() {
  write_packets();
  if (records()) file_.write(SectionKind::frame_end, 0, {});
  ended_ = job_;
  return lost_;
}

Status Recorder::finish() {
  pages_.begin_job();
  write_packets();
  if (records()) {
    if (job_ != ended_) file_.write(SectionKind::frame_end, 0, {});
    for (auto& picture : pictures_) {
      const std::uint32_t address = picture.first;
      SceneOutput& output = picture.second;
      const std::span<const std::byte> bytes = pages_.find(address, output.size);
      if (bytes.empty()) continue;
      // What the processor has changed there.
      reach(bytes.data(), bytes.size(), false);
      char name[32];
      std::snprintf(name, sizeof name, "display_%08x", static_cast<unsigned>(address));
      output.name = name;
      output.expected.emplace(bytes.begin(), bytes.end());
      write_output(file_, output);
    }
  }
  const Status ended = file_.finish();
  if (!ended) return ended;
  if (!lost_) return lost_;
  return failed_job_ ? Status(*failed_job_) : Status();
}

}  // namespace warpjit::pica200

namespace warpjit::pica200 {

Status Gpu::record(CaptureSink sink, void* context) try {
  if (state().recording() != nullptr)
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
