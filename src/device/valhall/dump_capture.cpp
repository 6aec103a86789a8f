#include "device/valhall/dump_capture.h"

#include <algorithm>
#include <memory>

#include "device/valhall/target_memory.h"
#include "frontend/valhall/container/dump_text.h"

namespace warpjit::valhall {
namespace {

// Descriptors that are looked at for memory that a text lacks.
constexpr std::size_t kMostDescriptorsOfText = 65536;
// New buffers of all chains, in the most bytes that an image has.
constexpr std::uint64_t kMostFreshMemories = 4;

// Memory that the jobs of a chain name and its text does not have: the driver writes no buffers that the
// processor never saw, targets above all.
class MissingMemory {
 public:
  MissingMemory(const DumpedChain& chain, const Image& image, const ImageLimits& limits)
      : chain_(chain), image_(image), limits_(limits) {}

  void add(const Job& job) {
    if (const auto* compute = std::get_if<ComputePayload>(&job.payload)) add(compute->environment);
    if (const auto* vertices = std::get_if<MallocVertexPayload>(&job.payload)) {
      add(vertices->position);
      add(vertices->varying);
      if (const auto draw = read_draw(image_, job)) add(draw->fragment);
    }
    if (job.kind != JobKind::fragment) return;
    const auto framebuffer = read_framebuffer(image_, job);
    if (!framebuffer) return;
    for (const TargetRange& target : target_ranges(*framebuffer)) add({target.address, target.size});
  }
  std::vector<MemoryRange> take() { return std::move(ranges_); }

  // True if the chain's text has all of it.
  bool is_known(const MemoryRange& range) const {
    std::uint64_t at = range.address;
    const std::vector<DumpedBuffer>& buffers = chain_.buffers;  // by their addresses
    auto next = std::ranges::upper_bound(buffers, at, {}, &DumpedBuffer::address);
    if (next != buffers.begin()) --next;
    for (; next != buffers.end() && next->address <= at && at - range.address < range.size; ++next)
      at = std::max(at, next->address + next->size);
    return at - range.address >= range.size;
  }

 private:
  void add(const Environment& environment) {
    for (std::uint32_t table = 0; table < environment.tables.size(); ++table)
      for (std::uint32_t n = 0; n < environment.tables[table].count() && looked_at_ < kMostDescriptorsOfText;
           ++n, ++looked_at_) {
        const auto buffer = read_buffer(image_, environment, table, n);
        if (!buffer) break;
        if (*buffer) add({(*buffer)->memory, (*buffer)->size});
      }
  }
  // Those that are hopeless stay missing: the job that needs them says so.
  void add(const MemoryRange& range) {
    if (range.address == 0 || range.size == 0 || range.size > limits_.window_bytes ||
        range.address + range.size < range.address || is_known(range))
      return;
    ranges_.push_back(range);
  }

  const DumpedChain& chain_;
  const Image& image_;
  const ImageLimits& limits_;
  std::size_t looked_at_ = 0;
  std::vector<MemoryRange> ranges_;
};

std::string count_text(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// Each once, without parts that lie in another.
std::vector<MemoryRange> united(std::vector<MemoryRange> ranges) {
  std::ranges::sort(ranges, {}, &MemoryRange::address);
  std::vector<MemoryRange> all;
  for (const MemoryRange& range : ranges)
    if (!all.empty() && range.address <= all.back().address + all.back().size)
      all.back().size = std::max(all.back().size, range.address + range.size - all.back().address);
    else
      all.push_back(range);
  return all;
}

// Marks what is in buffers that the chain before does not have: their addresses may have been a target's, of
// which nothing stays. A driver gives freed buffers to others of the same size, whose bytes then are others. A buffer of zeros where a target begins is that target, which the driver has now seen.
void mark_fresh(std::span<const DumpedBuffer> before, const ChainMemory& memory_before,
                std::span<const MemoryRange> missing, DumpedChain& chain) {
  std::vector<MemoryRange> ranges;
  for (const DumpedBuffer& buffer : chain.buffers) ranges.push_back({buffer.address, buffer.size});
  const std::vector<bool> changed = mostly_changed(memory_before, chain.memory, ranges);
  std::size_t number = 0;
  std::size_t next = 0;
  std::vector<MemoryPiece>& pieces = chain.memory.pieces;
  for (const DumpedBuffer& buffer : chain.buffers) {
    while (next < pieces.size() && pieces[next].address < buffer.address) ++next;
    std::size_t end = next;
    while (end < pieces.size() && pieces[end].address - buffer.address < buffer.size) ++end;
    const std::span<MemoryPiece> own = std::span(pieces).subspan(next, end - next);
    next = end;
    const bool other = changed[number++];
    const auto same = std::ranges::lower_bound(before, buffer.address, {}, &DumpedBuffer::address);
    if (same != before.end() && same->address == buffer.address && !other &&
        (same->open || buffer.open || same->size == buffer.size))
      continue;
    const bool zeros = std::ranges::all_of(own, [&](const MemoryPiece& piece) {
      return std::ranges::all_of(chain.memory.bytes_of(piece), [](std::byte b) { return b == std::byte{0}; });
    });
    const auto target = std::ranges::lower_bound(missing, buffer.address, {}, &MemoryRange::address);
    if (zeros && target != missing.end() && target->address == buffer.address) continue;
    for (MemoryPiece& piece : own) piece.fresh = true;
  }
}

// The image gets the first memory.
Status add_changes(std::span<const std::shared_ptr<const ChainMemory>> memories, CaptureFile& file) {
  std::size_t left = kMaxChanges;
  ChainMemory before;
  for (std::size_t n = 0; n < memories.size(); ++n) {
    auto changes = changes_between(n == 0 ? before : *memories[n - 1], memories[n], left);
    if (!changes) return Error{changes.error().code, changes.error().message, file.image.name()};
    left -= changes->list.size();
    if (n == 0) {
      apply_changes(*changes, file.image);
      changes->list.clear();
      changes->owner.reset();
    }
    file.changes.push_back(std::move(*changes));
  }
  return {};
}

// What the fragment jobs of a chain have left in colour targets that its text has.
class ExpectedTargets {
 public:
  explicit ExpectedTargets(const ImageLimits& limits) : left_(limits.bytes) {}

  // `first`: the number of the chain's first job.
  Status add(const MissingMemory& known, const DumpedChain& chain, const Image& image,
             std::span<const Job> jobs, std::size_t first) {
    for (std::size_t n = 0; n < jobs.size(); ++n) {
      if (jobs[n].kind != JobKind::fragment) continue;
      const auto framebuffer = read_framebuffer(image, jobs[n]);
      for (std::size_t target = 0; framebuffer && target < framebuffer->targets.size(); ++target) {
        const auto range = target_memory(*framebuffer, target);
        if (!range || framebuffer->targets[target].samples == SampleStore::layered || !known.is_known(*range))
          continue;
        // The text has what the last one has left.
        std::erase_if(list_, [&](const ExpectedTarget& other) {
          return other.job >= first && other.address < range->address + range->size &&
                 range->address < other.address + other.bytes.size();
        });
        const auto bytes = image.find(range->address, range->size);
        if (!bytes) continue;
        if (list_.size() == kMaxExpected || range->size > left_)
          return Error{ErrorCode::resource_limit,
                       "targets of all chains are more than " + std::to_string(kMaxExpected) +
                           ", or have too many bytes",
                       chain.file};
        left_ -= range->size;
        const auto owner = std::make_shared<const std::vector<std::byte>>(bytes->begin(), bytes->end());
        list_.push_back({.job = first + n,
                         .target = static_cast<std::uint32_t>(target),
                         .address = range->address,
                         .bytes = *owner,
                         .owner = owner});
      }
    }
    return {};
  }
  std::vector<ExpectedTarget> take() { return std::move(list_); }

 private:
  std::uint64_t left_;  // bytes
  std::vector<ExpectedTarget> list_;
};

Result<CaptureFile> capture_of(std::vector<DumpedChain> chains, const ImageLimits& limits, bool expected) {
  CaptureFile file{.image = {}, .chains = {}, .gpu = kAssumedGpu, .gpu_assumed = true};
  std::vector<std::shared_ptr<const ChainMemory>> memories;
  file.notes.push_back("the texts do not say which GPU it is: a Mali-G57 (0x9093) is assumed");
  std::vector<MemoryRange> missing;
  std::size_t open = 0;
  std::uint64_t fresh_left = kMostFreshMemories * limits.bytes;
  std::vector<DumpedBuffer> before;
  ExpectedTargets targets(limits);
  std::size_t count = 0;  // of jobs
  for (DumpedChain& chain : chains) {
    if (!file.chains.empty()) mark_fresh(before, *memories.back(), missing, chain);
    for (const MemoryPiece& piece : chain.memory.pieces) {
      if (!piece.fresh) continue;
      if (piece.size > fresh_left)
        return Error{ErrorCode::resource_limit,
                     "new buffers of all chains have more than " +
                         hex_text(kMostFreshMemories * limits.bytes) + " bytes",
                     chain.file};
      fresh_left -= piece.size;
    }
    WARPJIT_TRY(const Image image, image_of(chain.memory, chain.file, limits));
    if (const auto jobs = read_jobs(image, chain.chain.address)) {
      MissingMemory found(chain, image, limits);
      for (const Job& job : *jobs) found.add(job);
      if (expected) WARPJIT_CHECK(targets.add(found, chain, image, *jobs, count));
      count += jobs->size();
      std::ranges::move(found.take(), std::back_inserter(missing));
      missing = united(std::move(missing));
    }
    open = std::max(open,
                    static_cast<std::size_t>(std::ranges::count(chain.buffers, true, &DumpedBuffer::open)));
    file.chains.push_back(chain.chain);
    before = chain.buffers;
    memories.push_back(std::make_shared<const ChainMemory>(std::move(chain.memory)));
  }
  std::string name = chains.front().file;
  file.expected = targets.take();
  if (expected && file.expected.empty())
    return Error{ErrorCode::bad_input,
                 "no colour target is in the texts: expected one in the memory that follows the trace of its "
                 "fragment job, where newer versions of Mesa write it",
                 name};
  if (expected)
    file.notes.push_back(
        "colour targets in the texts are expected to be what hardware has drawn; channels may "
        "differ by " +
        std::to_string(kExpectedTolerance) + " of 255");
  auto image = empty_image(memories, missing, name, limits);
  if (!image && !missing.empty()) {
    // Addresses that lead too far are the jobs' affair.
    missing.clear();
    image = empty_image(memories, missing, name, limits);
  }
  if (!image) return image.error();
  file.image = std::move(*image);
  WARPJIT_CHECK(add_changes(memories, file));
  if (open != 0)
    file.notes.push_back(
        count_text(open, "buffer") +
        " of a chain end in zeros, whose number is not in the texts: up to the end of a page "
        "or the next buffer is assumed");
  if (!missing.empty()) {
    std::string places;
    constexpr std::size_t kMostNamed = 4;
    for (std::size_t k = 0; k < std::min(missing.size(), kMostNamed); ++k)
      places +=
          (k == 0 ? "" : ", ") + hex_text(missing[k].size) + " bytes at " + hex_text(missing[k].address);
    if (missing.size() > kMostNamed)
      places += " and " + std::to_string(missing.size() - kMostNamed) + " more";
    file.notes.push_back("targets or buffers that jobs name are not in the texts: zeros are assumed for " +
                         places);
  }
  return file;
}

}  // namespace

Result<CaptureFile> read_captures(std::span<const CaptureBytes> files, const ImageLimits& limits,
                                  bool expected) {
  if (files.empty()) return Error{ErrorCode::bad_input, "no file", ""};
  if (files.size() == 1 && !is_dump_text(files[0].bytes)) {
    if (expected)
      return Error{ErrorCode::bad_input,
                   "expected outputs are taken from texts of PAN_MESA_DEBUG=trace,dump alone",
                   std::string(files[0].name)};
    return read_capture(files[0].bytes, std::string(files[0].name), limits);
  }
  DumpTextReader reader(limits);
  for (const CaptureBytes& file : files) {
    const std::string name(file.name);
    if (!is_dump_text(file.bytes))
      return Error{
          ErrorCode::bad_input,
          "several files are one capture only if they are texts of PAN_MESA_DEBUG=trace,dump: expected "
          "\"Job Header (ADDRESS):\"",
          name + ", line 1, byte 0x0"};
    WARPJIT_CHECK(reader.read(file.bytes, name));
  }
  return capture_of(reader.take_chains(), limits, expected);
}

}  // namespace warpjit::valhall
