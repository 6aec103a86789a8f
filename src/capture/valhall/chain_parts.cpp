// What chains of a Mali GPU can do without: whole chains, draws, pages of memory, and what is expected.
#include <algorithm>
#include <utility>

#include "capture/memory_writer.h"
#include "capture/valhall/chain_frames.h"
#include "device/valhall/capture.h"

namespace warpjit::valhall {
namespace {

using capture::Part;
using Chains = std::vector<std::vector<Job>>;

constexpr std::uint64_t kTypeByte = 16;  // of a job, in bits 1 to 7

std::size_t count_jobs(const Chains& chains, JobKind kind) {
  std::size_t count = 0;
  for (const std::vector<Job>& jobs : chains)
    count += static_cast<std::size_t>(std::ranges::count(jobs, kind, &Job::kind));
  return count;
}

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
      waiting.owner = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
          waiting.owner, more.owner);
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

// A draw becomes a job that does nothing, until the chain has run.
void leave_out_draws(CaptureFile& file, Image state, const Chains& chains,
                     const std::vector<bool>& left_out) {
  file.changes.resize(chains.size() + 1);
  std::size_t draw = 0;
  for (std::size_t n = 0; n < chains.size(); ++n) {
    apply_changes(file.changes[n], state);
    auto bytes = std::make_shared<std::vector<std::byte>>();
    std::vector<std::uint64_t> places;
    for (const Job& job : chains[n]) {
      if (job.kind != JobKind::malloc_vertex || !left_out[draw++]) continue;
      const auto type = state.u8(job.address + kTypeByte);
      if (!type) continue;
      places.push_back(job.address + kTypeByte);
      bytes->push_back(static_cast<std::byte>((*type & 1) | static_cast<unsigned>(JobKind::null) << 1));
      bytes->push_back(static_cast<std::byte>(*type));
    }
    std::vector<MemoryChange> before, after;
    for (std::size_t k = 0; k < places.size(); ++k) {
      before.push_back({places[k], 1, std::span<const std::byte>(*bytes).subspan(2 * k, 1)});
      after.push_back({places[k], 1, std::span<const std::byte>(*bytes).subspan(2 * k + 1, 1)});
    }
    if (n == 0) {
      apply_changes({before, bytes}, file.image);
    } else {
      ChainChanges& own = file.changes[n];
      own.list.insert(own.list.end(), before.begin(), before.end());
      own.owner = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
          own.owner, bytes);
    }
    ChainChanges& next = file.changes[n + 1];
    next.list.insert(next.list.begin(), after.begin(), after.end());
    next.owner = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
        next.owner, bytes);
  }
  file.changes.pop_back();  // after the last chain
}

}  // namespace

std::size_t ChainFrames::parts(Part part) const {
  if (part == Part::job) return file_.chains.size() > 1 ? file_.chains.size() : 0;
  if (part == Part::expected) return file_.expected.size();
  std::size_t count = 0;
  if (part == Part::memory) each_page(file_.image, [&](std::span<const std::byte>) { ++count; });
  if (part == Part::draw)
    if (const auto chains = read_chains(file_)) count = count_jobs(*chains, JobKind::malloc_vertex);
  return count;
}

std::unique_ptr<const capture::Frames> ChainFrames::without(Part part,
                                                            const std::vector<bool>& left_out) const {
  auto file = copy_of(file_);
  if (!file) return nullptr;
  if (part == Part::job || part == Part::draw) {
    const auto chains = read_chains(file_);
    auto state = file_.image.copy();
    if (!chains || !state) return nullptr;
    if (part == Part::job)
      leave_out_chains(*file, *chains, left_out);
    else
      leave_out_draws(*file, std::move(*state), *chains, left_out);
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
