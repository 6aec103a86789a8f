#include "capture/pica200/scene_machine.h"

#include <algorithm>

#include "base/float_environment.h"
#include "base/hash.h"
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
    std::ranges::copy(scene_.memory[n].bytes, memory_[n].bytes.begin());
  WARPJIT_CHECK(gpu_.reset(Start::zero));
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
  if (const auto* packets = std::get_if<PacketList>(&job)) return run_packets(*packets, engine, options);
  if (const auto* fill = std::get_if<MemoryFill>(&job)) return gpu_.fill(*fill);
  if (const auto* transfer = std::get_if<DisplayTransfer>(&job)) return gpu_.transfer(*transfer);
  if (const auto* copy = std::get_if<TextureCopy>(&job)) return gpu_.copy(*copy);
  if (const auto* state = std::get_if<StateLoad>(&job)) return gpu_.load(*state->bytes);
  const auto& load = std::get<MemoryLoad>(job);
  if (load.size == 0) return {};
  std::byte* const to = gpu_.memory().find(load.address, load.size);
  if (to == nullptr)
    return Error{
        ErrorCode::bad_input,
        std::to_string(load.size) + " bytes at " + capture::hex_text(load.address) + " do not lie in memory",
        "load"};
  if (load.bytes.empty())
    std::fill_n(to, load.size, std::byte{});
  else
    std::ranges::copy(load.bytes, to);
  return {};
}

void SceneMachine::add(const GpuReport& report) {
  total_.draws += report.draws;
  total_.triangles += report.triangles;
  total_.fragments += report.fragments;
  total_.jumps += report.jumps;
}

Status SceneMachine::run_packets(const PacketList& list, const Engine& engine, const RunOptions& options) {
  const capture::FileBytes words(list.bytes, {});
  std::vector<std::uint32_t> values;
  for (std::size_t at = 0, packet = 0; at < list.bytes.size(); ++packet) {
    const std::uint32_t head = words.word(at), count = words.word(at + 4);
    values.resize(count);
    for (std::uint32_t n = 0; n < count; ++n) values[n] = words.word(at + 8 + 4 * std::size_t{n});
    at += 8 + 4 * std::size_t{count};
    Result<GpuReport> report =
        head >> 31 != 0
            ? gpu_.draw_immediate(engine, options)
            : gpu_.run_packet(engine, {head & 0xFFFF, values, head >> 16 & 15, (head >> 20 & 1) != 0},
                              options);
    if (!report) {
      Error error = report.error();
      error.where = "packet " + std::to_string(packet) + (error.where.empty() ? "" : ", ") + error.where;
      return error;
    }
    add(*report);
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
