#include "capture/pica200/scene_machine.h"

#include <algorithm>

#include "base/float_environment.h"
#include "base/hash.h"
#include "capture/pica200/call_list.h"
#include "capture/section_file.h"
#include "frontend/pica200/facts/register_titles.h"

namespace warpjit::pica200 {

Result<std::unique_ptr<SceneMachine>> SceneMachine::make(const Scene& scene, const std::string& file) {
  std::unique_ptr<SceneMachine> machine(new SceneMachine(scene, file));
  std::vector<GpuMemory> ranges;
  for (SceneMemory& piece : machine->memory_)
    ranges.push_back({piece.address, piece.bytes.data(), piece.bytes.size()});
  WARPJIT_CHECK(machine->gpu_.set_memory(ranges));
  WARPJIT_CHECK(machine->begin());
  return machine;
}

Status SceneMachine::begin() {
  for (std::size_t n = 0; n < memory_.size(); ++n)
    lazy::write(memory_[n].bytes.data(), scene_.memory[n].bytes);
  WARPJIT_CHECK(gpu_.reset(Start::zero));
  Pipeline& pipeline = gpu_.pipeline();
  pipeline.set_outside(Outside::error);
  pipeline.set_geometry_topology(false);
  pipeline.set_f24(false);
  pipeline.set_structural_scopes(false);
  call_results_.clear();
  call_differences_ = 0;
  for (const RegisterWrite& write : scene_.registers) WARPJIT_CHECK(gpu_.set_register(write.id, write.value));
  total_ = {};
  return {};
}

Status SceneMachine::run_job(const SceneJob& job, const Engine& engine, const RunOptions& options) {
  const FloatEnvironment environment;
  if (const auto* list = std::get_if<CommandList>(&job)) {
    WARPJIT_TRY(const GpuReport report, gpu_.run_commands(engine, list->address, list->bytes, options));
    add(report);
    return {};
  }
  if (const auto* calls = std::get_if<CallList>(&job)) return run_calls(*calls, engine, options);
  if (const auto* fill = std::get_if<MemoryFill>(&job)) return gpu_.fill(*fill);
  if (const auto* transfer = std::get_if<DisplayTransfer>(&job)) return gpu_.transfer(*transfer);
  if (const auto* copy = std::get_if<TextureCopy>(&job)) return gpu_.copy(*copy);
  if (const auto* state = std::get_if<StateLoad>(&job))
    return state->of_pipeline ? gpu_.pipeline().load(*state->bytes) : gpu_.load(*state->bytes);
  const auto& load = std::get<MemoryLoad>(job);
  if (load.size == 0) return {};
  std::byte* const to = gpu_.memory().find(load.address, load.size);
  if (to == nullptr)
    return Error{
        ErrorCode::bad_input,
        std::to_string(load.size) + " bytes at " + capture::hex_text(load.address) + " do not lie in memory",
        "load"};
  if (load.bytes.empty())
    lazy::clear(to, load.size);
  else
    lazy::write(to, load.bytes);
  return {};
}

void SceneMachine::add(const GpuReport& report) {
  total_.draws += report.draws;
  total_.triangles += report.triangles;
  total_.fragments += report.fragments;
  total_.jumps += report.jumps;
}

Status SceneMachine::run_calls(const CallList& list, const Engine& engine, const RunOptions& options) {
  CallReader calls(list.bytes);
  for (std::size_t number = 0; !calls.done(); ++number) {
    WARPJIT_TRY(const PipelineCall call, calls.next());
    const bool packet = call.kind == CallKind::gpu_packet;
    if (packet || call.kind == CallKind::gpu_draw_immediate) {
      const Result<GpuReport> report =
          packet ? gpu_.run_packet(engine, packet_of(call), options) : gpu_.draw_immediate(engine, options);
      if (!report) {
        Error error = report.error();
        error.where = "call " + std::to_string(number) + (error.where.empty() ? "" : ", ") + error.where;
        return error;
      }
      add(*report);
      continue;
    }
    const std::optional<CallResult>& wanted = calls.result();
    const std::uint32_t most = wanted && wanted->ended ? wanted->draws : UINT32_MAX;
    const CallResult got = make_call(gpu_.pipeline(), call, most, engine, options);
    if (options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed) != 0)
      return Error{ErrorCode::cancelled, "the run was cancelled", ""};
    if (!wanted) continue;
    call_results_.push_back(got.hash);
    if (got.hash != wanted->hash || got.draws != wanted->draws) ++call_differences_;
  }
  return {};
}

Status SceneMachine::run_job(std::size_t job, const Engine& engine, const RunOptions& options) {
  const Status done = run_job(scene_.jobs[job], engine, options);
  if (done) return done;
  Error error = done.error();
  error.where = file_ + ", job " + std::to_string(job) + (error.where.empty() ? "" : ", ") +
                with_register_titles(error.where);
  return error;
}

Status SceneMachine::run(const Engine& engine, const RunOptions& options) {
  for (std::size_t job = 0; job < scene_.jobs.size(); ++job) WARPJIT_CHECK(run_job(job, engine, options));
  return {};
}

std::span<const std::byte> SceneMachine::bytes_of(const SceneOutput& output) const {
  const std::byte* const data = gpu_.memory().find(output.address, output.size);
  return data == nullptr ? std::span<const std::byte>() : std::span(data, output.size);
}

std::uint64_t SceneMachine::hash() const {
  std::uint64_t hash = 0;
  for (const SceneMemory& piece : memory_) hash = hash_bytes(piece.bytes, hash);
  return hash;
}

std::optional<SceneByte> first_difference(std::span<const SceneMemory> got,
                                          std::span<const SceneMemory> wanted) {
  for (std::size_t n = 0; n < got.size(); ++n) {
    const auto [a, b] = std::ranges::mismatch(got[n].bytes, wanted[n].bytes);
    if (a != got[n].bytes.end())
      return SceneByte{got[n].address + static_cast<std::uint32_t>(a - got[n].bytes.begin()), *a, *b};
  }
  return std::nullopt;
}

}  // namespace warpjit::pica200
