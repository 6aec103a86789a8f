#include "capture/pica200/recorder.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "capture/pica200/scene_sections.h"

namespace warpjit::pica200 {

using capture::kPageBytes;
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

std::span<std::byte> Recorder::Range::bytes_of(std::size_t page) const {
  const std::uint64_t begin = std::max<std::uint64_t>((first_page() + page) * kPageBytes, address),
                      end = std::min((first_page() + page + 1) * kPageBytes, std::uint64_t{address} + size);
  return {data + (begin - address), static_cast<std::size_t>(end - begin)};
}

Recorder::Recorder(const PhysicalMemory& memory, CaptureSink sink, void* context)
    : file_(sink, context, capture::FileGuest::pica200), memory_(file_) {
  for (const PhysicalMemory::Piece& piece : memory.pieces()) {
    if (piece.size == 0) continue;
    Range& range = ranges_.emplace_back();
    range.address = piece.address;
    range.data = piece.data;
    range.size = piece.size;
    const std::uint64_t end = std::uint64_t{piece.address} + piece.size;
    range.pages.resize(static_cast<std::size_t>((end + kPageBytes - 1) / kPageBytes - range.first_page()));
  }
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
  file_.write(SectionKind::state, 0, state_);
}

void Recorder::lose(const char* what) {
  if (lost_) lost_ = unsupported(what);
}

void Recorder::begin_job(GpuState& gpu, const StartedJob& job) {
  ++job_;
  if (!std::holds_alternative<CommandList>(job) || !records()) return;
  if (const char* const what = setting_without_section(gpu)) return lose(what);
  // What the embedder has set since the last list.
  write_state(gpu);
}

void Recorder::reach(const std::byte* data, std::size_t size, bool writes) {
  if (!records() || size == 0) return;
  const auto range =
      std::ranges::find_if(ranges_, [&](const Range& r) { return data >= r.data && data < r.data + r.size; });
  if (range == ranges_.end()) return lose("memory outside of the GPU's");
  const std::uint64_t begin = range->address + static_cast<std::uint64_t>(data - range->data);
  const auto first = static_cast<std::size_t>(begin / kPageBytes - range->first_page()),
             last = static_cast<std::size_t>((begin + size - 1) / kPageBytes - range->first_page());
  // Pages that no job has reached before, neighbours together.
  std::span<std::byte> fresh;
  const auto write_fresh = [&] {
    if (!fresh.empty())
      memory_.write(range->address + static_cast<std::uint64_t>(fresh.data() - range->data), fresh, true);
    fresh = {};
  };
  for (std::size_t n = first; n <= last; ++n) {
    Page& page = range->pages[n];
    if (page.job != job_) {
      const std::span<std::byte> bytes = range->bytes_of(n);
      const bool is_fresh = page.known == nullptr;
      if (is_fresh) {
        page.known = std::make_unique_for_overwrite<std::byte[]>(bytes.size());
        fresh = fresh.empty() ? bytes : std::span(fresh.data(), fresh.size() + bytes.size());
      } else {
        write_fresh();
      }
      if (is_fresh || std::memcmp(page.known.get(), bytes.data(), bytes.size()) != 0) {
        if (!is_fresh)
          write_changes(range->address + static_cast<std::uint64_t>(bytes.data() - range->data), bytes,
                        page.known.get());
        std::memcpy(page.known.get(), bytes.data(), bytes.size());
      }
      page.job = job_;
      page.writes = false;
    } else {
      write_fresh();
    }
    if (writes && !page.writes) {
      page.writes = true;
      written_.push_back({&*range, n});
    }
  }
  write_fresh();
}

// Bytes that differ from those that are known; a few equal ones between them cost less than a section.
void Recorder::write_changes(std::uint64_t address, std::span<const std::byte> bytes,
                             const std::byte* known) {
  constexpr std::size_t kGap = 64;
  for (std::size_t at = 0; at < bytes.size();) {
    if (bytes[at] == known[at]) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    for (std::size_t n = end; n < bytes.size() && n - end < kGap; ++n)
      if (bytes[n] != known[n]) end = n + 1;
    memory_.write(address + at, bytes.subspan(at, end - at), false);
    at = end;
  }
}

void Recorder::end_job(GpuState& gpu, const StartedJob& job, const Status& done) {
  if (records()) {
    if (const auto* list = std::get_if<CommandList>(&job)) {
      write_job(file_, *list);
      state_ = gpu.save();
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
  for (const PageOfRange& page : written_) {
    const std::span<const std::byte> bytes = page.range->bytes_of(page.page);
    std::memcpy(page.range->pages[page.page].known.get(), bytes.data(), bytes.size());
  }
  written_.clear();
}

Status Recorder::finish() {
  ++job_;
  if (records()) {
    file_.write(SectionKind::frame_end, 0, {});
    for (auto& picture : pictures_) {
      const std::uint32_t address = picture.first;
      SceneOutput& output = picture.second;
      const auto range = std::ranges::find_if(ranges_, [&](const Range& r) {
        return address >= r.address && address - r.address < r.size &&
               output.size <= r.size - (address - r.address);
      });
      if (range == ranges_.end()) continue;
      const std::span<const std::byte> bytes(range->data + (address - range->address), output.size);
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

Status Gpu::end_record() try {
  if (state().recording() == nullptr) return Error{ErrorCode::bad_input, "no capture is recorded", "capture"};
  const Status done = state().recording()->finish();
  state().set_recording(nullptr);
  return done;
} catch (...) {
  return caught();
}

}  // namespace warpjit::pica200
