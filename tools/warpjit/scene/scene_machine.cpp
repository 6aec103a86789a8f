#include "scene/scene_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "base/float_environment.h"
#include "base/hash.h"
#include "capture/pica200/scene_sections.h"
#include "frontend/pica200/facts/register_titles.h"
#include "output.h"
#include "scene/trace_replay.h"

namespace warpjit::tool {

bool is_trace(const std::string& file) {
  std::ifstream stream(path_of(file), std::ios::binary);
  std::array<char, 4> magic{};
  return stream.read(magic.data(), magic.size()) && is_citrace(std::as_bytes(std::span(magic)));
}

bool is_scene(const std::string& file) {
  if (is_trace(file) || is_scene_capture(file)) return true;
  if (!is_launch_file(file)) return false;
  const auto bytes = read_file(file, kMaxJsonBytes);
  return bytes && is_scene_text(as_text(*bytes));
}

bool is_scene_capture(const std::string& file) {
  std::ifstream stream(path_of(file), std::ios::binary);
  std::array<char, 8> start{};
  return stream.read(start.data(), start.size()) &&
         capture::version_of(std::as_bytes(std::span(start))) == capture::kVersion;
}

Result<Scene> load_scene(const std::string& file) {
  if (is_scene_capture(file)) {
    WARPJIT_TRY(std::vector<std::byte> bytes, read_file(file));
    return pica200::read_capture(std::make_shared<const std::vector<std::byte>>(std::move(bytes)), file);
  }
  if (is_trace(file)) {
    WARPJIT_TRY(const std::vector<std::byte> trace, read_file(file));
    WARPJIT_TRY(ImportedScene imported, read_citrace(trace, file));
    replay_trace(imported, file);
    for (const std::string& note : imported.notes) print_err("warpjit: note: {}\n", note);
    return std::move(imported.scene);
  }
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(file, kMaxJsonBytes));
  return read_scene(as_text(bytes), file, path_of(file).parent_path());
}

Status write_scene_capture(const Scene& scene, const std::string& file) {
  std::vector<std::byte> bytes;
  WARPJIT_CHECK(pica200::write_capture(
      scene,
      [](void* to, std::span<const std::byte> part) {
        auto& all = *static_cast<std::vector<std::byte>*>(to);
        all.insert(all.end(), part.begin(), part.end());
        return true;
      },
      &bytes));
  return write_file(file, bytes);
}

Result<std::unique_ptr<SceneMachine>> SceneMachine::make(const Scene& scene, const std::string& file) {
  std::unique_ptr<SceneMachine> machine(new SceneMachine(scene, file));
  std::vector<pica200::GpuMemory> ranges;
  for (SceneMemory& piece : machine->memory_)
    ranges.push_back({piece.address, piece.bytes.data(), piece.bytes.size()});
  WARPJIT_CHECK(machine->gpu_.set_memory(ranges));
  WARPJIT_CHECK(machine->begin());
  return machine;
}

Status SceneMachine::begin() {
  for (std::size_t n = 0; n < memory_.size(); ++n)
    std::ranges::copy(scene_.memory[n].bytes, memory_[n].bytes.begin());
  WARPJIT_CHECK(gpu_.reset(pica200::Start::zero));
  for (const pica200::RegisterWrite& write : scene_.registers)
    WARPJIT_CHECK(gpu_.set_register(write.id, write.value));
  total_ = {};
  return {};
}

Status SceneMachine::run_job(const SceneJob& job, const Engine& engine, const RunOptions& options) {
  const FloatEnvironment environment;
  if (const auto* list = std::get_if<CommandList>(&job)) {
    WARPJIT_TRY(const pica200::GpuReport report,
                gpu_.run_commands(engine, list->address, list->bytes, options));
    total_.draws += report.draws;
    total_.triangles += report.triangles;
    total_.fragments += report.fragments;
    total_.jumps += report.jumps;
    return {};
  }
  if (const auto* fill = std::get_if<pica200::MemoryFill>(&job)) return gpu_.fill(*fill);
  if (const auto* transfer = std::get_if<pica200::DisplayTransfer>(&job)) return gpu_.transfer(*transfer);
  if (const auto* copy = std::get_if<pica200::TextureCopy>(&job)) return gpu_.copy(*copy);
  if (const auto* state = std::get_if<StateLoad>(&job)) return gpu_.load(*state->bytes);
  const auto& load = std::get<MemoryLoad>(job);
  if (load.size == 0) return {};
  std::byte* const to = gpu_.memory().find(load.address, load.size);
  if (to == nullptr)
    return Error{ErrorCode::bad_input,
                 fmt::format("{} bytes at {:#010x} do not lie in memory", load.size, load.address), "load"};
  if (load.bytes.empty())
    std::fill_n(to, load.size, std::byte{});
  else
    std::ranges::copy(load.bytes, to);
  return {};
}

Status SceneMachine::run_job(std::size_t job, const Engine& engine, const RunOptions& options) {
  const Status done = run_job(scene_.jobs[job], engine, options);
  if (done) return done;
  Error error = done.error();
  error.where = fmt::format("{}, job {}{}{}", file_, job, error.where.empty() ? "" : ", ",
                            pica200::with_register_titles(error.where));
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

}  // namespace warpjit::tool
