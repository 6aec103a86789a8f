// What chains of a Mali GPU can do without: whole chains, draws, vertices, pages of memory, and what is expected.
#include <algorithm>
#include <functional>
#include <utility>

#include "capture/memory_writer.h"
#include "capture/valhall/chain_frames.h"
#include "capture/vertex_slices.h"
#include "device/valhall/capture.h"

namespace warpjit::valhall {
namespace {

using capture::Part;
using Chains = std::vector<std::vector<Job>>;

// Bytes of a job: its type in bits 1 to 7, the number of its indices or vertices, the place of its indices.
constexpr std::uint64_t kTypeByte = 16, kCountBytes = 44, kIndexPlace = 120;

// The pages that are not all zeros: visit(bytes).
template <class Memory, class Visit>
void each_page(Memory& image, const Visit& visit) {
  for (auto& window : image.windows()) {
    const auto bytes = window.bytes();
    for (std::size_t at = 0; at < bytes.size(); at += capture::kPageBytes) {
      const auto page = bytes.subspan(at, std::min<std::size_t>(capture::kPageBytes, bytes.size() - at));
      if (std::ranges::any_of(page, [](std::byte byte) { return byte != std::byte{}; })) visit(page);
    }
  }
}

// Owns what two others do.
std::shared_ptr<const void> joined(std::shared_ptr<const void> one, std::shared_ptr<const void> other) {
  return std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
      std::move(one), std::move(other));
}

Result<CaptureFile> copy_of(const CaptureFile& file) {
  WARPJIT_TRY(Image image, file.image.copy());
  CaptureFile copy{.image = std::move(image), .chains = file.chains};
  copy.gpu = file.gpu;
  copy.gpu_assumed = file.gpu_assumed;
  copy.changes = file.changes;
  copy.expected = file.expected;
  copy.names = file.names;
  copy.notes = file.notes;
  return copy;
}

// What would be written before a chain is written before the next one that is left.
void leave_out_chains(CaptureFile& file, const Chains& chains, const std::vector<bool>& left_out) {
  std::vector<JobChain> kept;
  std::vector<ChainChanges> changes;
  std::vector<ExpectedTarget> expected;
  ChainChanges waiting;
  std::size_t jobs = 0, kept_jobs = 0;
  for (std::size_t n = 0; n < chains.size(); ++n) {
    if (n < file.changes.size()) {
      const ChainChanges& more = file.changes[n];
      waiting.list.insert(waiting.list.end(), more.list.begin(), more.list.end());
      waiting.owner = joined(waiting.owner, more.owner);
    }
    if (!left_out[n]) {
      kept.push_back(file.chains[n]);
      changes.push_back(std::exchange(waiting, {}));
      for (ExpectedTarget target : file.expected)
        if (target.job >= jobs && target.job < jobs + chains[n].size()) {
          target.job -= jobs - kept_jobs;
          expected.push_back(std::move(target));
        }
      kept_jobs += chains[n].size();
    }
    jobs += chains[n].size();
  }
  // Memory before the first chain is what lies there at first.
  if (!changes.empty()) apply_changes(std::exchange(changes.front(), {}), file.image);
  file.chains = std::move(kept);
  file.changes = std::move(changes);
  file.expected = std::move(expected);
}

template <class Visit>
void each_draw(const Chains& chains, const Visit& visit) {
  for (const std::vector<Job>& jobs : chains)
    for (const Job& job : jobs)
      if (job.kind == JobKind::malloc_vertex) visit(job, std::get<MallocVertexPayload>(job.payload));
}

// A little-endian number that a job has instead of its own, until its chain has run.
struct JobPatch {
  std::uint64_t address = 0;
  unsigned bytes = 0;
  std::uint64_t value = 0;
};
using PatchJob = std::function<void(const Job& job, const Image& memory, std::vector<JobPatch>& patches)>;

void patch_draws(CaptureFile& file, Image state, const Chains& chains, const PatchJob& patch) {
  file.changes.resize(chains.size() + 1);
  for (std::size_t n = 0; n < chains.size(); ++n) {
    apply_changes(file.changes[n], state);
    std::vector<JobPatch> patches;
    for (const Job& job : chains[n])
      if (job.kind == JobKind::malloc_vertex) patch(job, state, patches);
    auto bytes = std::make_shared<std::vector<std::byte>>();  // of each patch, those before and after
    for (const JobPatch& one : patches) {
      for (unsigned k = 0; k < one.bytes; ++k) bytes->push_back(static_cast<std::byte>(one.value >> 8 * k));
      const auto own = state.find(one.address, one.bytes);
      if (own) bytes->insert(bytes->end(), own->begin(), own->end());
      bytes->resize(bytes->size() + (own ? 0 : one.bytes));
    }
    std::vector<MemoryChange> before, after;
    std::size_t at = 0;
    for (const JobPatch& one : patches) {
      const std::span<const std::byte> both =
          std::span<const std::byte>(*bytes).subspan(at, 2 * std::size_t{one.bytes});
      before.push_back({one.address, one.bytes, both.first(one.bytes)});
      after.push_back({one.address, one.bytes, both.last(one.bytes)});
      at += both.size();
    }
    if (n == 0) {
      apply_changes({before, bytes}, file.image);
    } else {
      ChainChanges& own = file.changes[n];
      own.list.insert(own.list.end(), before.begin(), before.end());
      own.owner = joined(own.owner, bytes);
    }
    ChainChanges& next = file.changes[n + 1];
    next.list.insert(next.list.begin(), after.begin(), after.end());
    next.owner = joined(next.owner, bytes);
  }
  file.changes.pop_back();  // after the last chain
}

// They become jobs that do nothing.
PatchJob without_draws(const std::vector<bool>& left_out) {
  return [&left_out, draw = std::size_t{0}](const Job& job, const Image& memory,
                                            std::vector<JobPatch>& patches) mutable {
    if (!left_out[draw++]) return;
    if (const auto type = memory.u8(job.address + kTypeByte))
      patches.push_back({job.address + kTypeByte, 1,
                         (*type & 1) | std::uint64_t{static_cast<unsigned>(JobKind::null)} << 1});
  };
}

// Without indices, what comes before those that stay stays, too: their numbers say where attributes are.
PatchJob without_vertices(const std::vector<bool>& left_out) {
  return [&left_out, part = std::size_t{0}](const Job& job, const Image&,
                                            std::vector<JobPatch>& patches) mutable {
    const auto& payload = std::get<MallocVertexPayload>(job.payload);
    const capture::VertexSlices vertices{payload.index_count};
    auto kept = vertices.kept(left_out, part);
    part += vertices.slices();
    if (payload.index_bytes == 0) kept.begin = 0;
    if (kept.size() == vertices.count) return;
    patches.push_back({job.address + kCountBytes, 4, kept.size()});
    if (kept.begin != 0)
      patches.push_back({job.address + kIndexPlace, 8, payload.indices + kept.begin * payload.index_bytes});
  };
}

}  // namespace

std::size_t ChainFrames::parts(Part part) const {
  if (part == Part::job) return file_.chains.size() > 1 ? file_.chains.size() : 0;
  if (part == Part::expected) return file_.expected.size();
  std::size_t count = 0;
  if (part == Part::memory) each_page(file_.image, [&](std::span<const std::byte>) { ++count; });
  if (part == Part::draw || part == Part::vertices)
    if (const auto chains = read_chains(file_))
      each_draw(*chains, [&](const Job&, const MallocVertexPayload& draw) {
        count += part == Part::draw ? 1 : capture::VertexSlices{draw.index_count}.slices();
      });
  return count;
}

std::size_t ChainFrames::vertices() const {
  std::uint64_t sum = 0;
  if (const auto chains = read_chains(file_))
    each_draw(*chains, [&](const Job&, const MallocVertexPayload& draw) { sum += draw.index_count; });
  return static_cast<std::size_t>(sum);
}

std::unique_ptr<const capture::Frames> ChainFrames::without(Part part,
                                                            const std::vector<bool>& left_out) const {
  auto file = copy_of(file_);
  if (!file) return nullptr;
  if (part == Part::job || part == Part::draw || part == Part::vertices) {
    const auto chains = read_chains(file_);
    auto state = file_.image.copy();
    if (!chains || !state) return nullptr;
    if (part == Part::job)
      leave_out_chains(*file, *chains, left_out);
    else
      patch_draws(*file, std::move(*state), *chains,
                  part == Part::draw ? without_draws(left_out) : without_vertices(left_out));
  }
  std::size_t number = 0;
  if (part == Part::memory)
    each_page(file->image, [&](std::span<std::byte> page) {
      if (left_out[number++]) std::ranges::fill(page, std::byte{});
    });
  if (part == Part::expected)
    std::erase_if(file->expected, [&](const ExpectedTarget&) { return left_out[number++]; });
  auto made = make(std::move(*file));
  if (!made) return nullptr;
  return std::move(*made);
}

}  // namespace warpjit::valhall
