#include "capture/pica200/capture_log.h"

#include <string>

namespace warpjit::pica200 {
namespace {

bool draws(const PipelineCall& call) { return call.kind >= CallKind::draw; }
// Results of a Gpu's calls are pixels.
bool has_result(const PipelineCall& call) { return draws(call) && call.kind < CallKind::gpu_packet; }

Error unsupported(const char* what) {
  return {ErrorCode::unsupported, std::string("a capture cannot have ") + what, "capture"};
}

}  // namespace

Status can_record(const PipelineState& pipeline) {
  return pipeline.attributes.any_bound() ? Status(unsupported("arrays that were bound")) : Status();
}

void CaptureLog::add_options(const PipelineState& pipeline) {
  for (const Unit unit : {Unit::vertex, Unit::geometry}) {
    const UnitRegisters& from =
        unit == Unit::geometry ? pipeline.registers.geometry : pipeline.registers.vertex;
    if (from.f24) end({CallKind::f24, unit, 1}, {});
    if (from.structural_scopes) end({CallKind::structural_scopes, unit, 1}, {});
  }
  if (pipeline.outside != Outside::error) end({CallKind::outside, {}, 1}, {});
  if (pipeline.geometry_topology) end({CallKind::topology, {}, 1}, {});
  frame_ended_ = true;
}

void CaptureLog::begin(const PipelineState& pipeline, const PipelineCall& call) {
  if (!draws(call)) return;
  pages_.begin_job();
  if (const Status can = can_record(pipeline); !can && lost_) lost_ = can;
}

void CaptureLog::end(const PipelineCall& call, const std::optional<CallResult>& result) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 16;
  if (draws(call)) pages_.end_job();
  frame_ended_ = false;
  if (!lost_) return;
  add_call(calls_, call, has_result(call) ? result : std::nullopt);
  if (calls_.bytes().size() >= kMostBytes) write_calls();
}

void CaptureLog::reach(const std::byte* data, std::size_t size, bool writes) {
  if (lost_ && !pages_.reach(data, size, writes)) lose("memory outside of the GPU's");
}

void CaptureLog::lose(const char* what) {
  if (lost_) lost_ = unsupported(what);
}

void CaptureLog::write_calls() {
  if (calls_.bytes().empty()) return;
  file_.write(capture::SectionKind::calls, 0, calls_.bytes());
  calls_.clear();
}

void CaptureLog::end_frame() {
  write_calls();
  file_.write(capture::SectionKind::frame_end, 0, {});
  frame_ended_ = true;
}

Status CaptureLog::finish() {
  write_calls();
  const Status ended = file_.finish();
  return ended ? lost_ : ended;
}

}  // namespace warpjit::pica200
