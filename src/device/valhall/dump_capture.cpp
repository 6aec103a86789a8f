#include "device/valhall/dump_capture.h"

#include <algorithm>
#include <memory>

#include "device/valhall/target_memory.h"
#include "frontend/valhall/container/dump_text.h"
#include "frontend/valhall/container/texture.h"

namespace warpjit::valhall {
namespace {

// Descriptors that are looked at for memory that a text lacks.
constexpr std::size_t kMostDescriptorsOfText = 65536;
constexpr std::uint64_t kPageBytesOfText = 4096;
// New buffers of all chains, in the most bytes that an image has.
constexpr std::uint64_t kMostFreshMemories = 4;

// Memory that the jobs of a chain name, and whether its text has it: the driver writes no buffers that the
// processor never saw, targets above all, and older versions no zeros at their ends.
class NamedMemory {
 public:
  NamedMemory(const DumpedChain& chain, const Image& image, const ImageLimits& limits)
      : chain_(chain), image_(image), limits_(limits) {}

  void add(const Job& job) {
    if (const auto* value = std::get_if<WriteValue>(&job.payload)) add({value->address, 8});
    if (const auto* compute = std::get_if<ComputePayload>(&job.payload)) add(compute->environment);
    if (const auto* vertices = std::get_if<MallocVertexPayload>(&job.payload)) {
      add({vertices->indices, std::uint64_t{vertices->index_count} * vertices->index_bytes});
      add(vertices->position);
      add(vertices->varying);
      if (const auto draw = read_draw(image_, job)) add(*draw);
    }
    if (job.kind == JobKind::fragment) add_frame(job);
  }
  // What is not in the text.
  std::vector<MemoryRange> take_missing() { return std::move(missing_); }
  // Where fragment jobs store.
  std::vector<MemoryRange> take_targets() { return std::move(targets_); }

  // True if the chain's text has all of it.
  bool is_known(const MemoryRange& range) const { return is_known(range, false); }
  // What the text says of it, with zeros after buffers that end in some; nothing if it has not all of it.
  std::optional<std::vector<std::byte>> known_bytes(const MemoryRange& range) const {
    if (range.size > limits_.window_bytes || !is_known(range, true)) return std::nullopt;
    std::vector<std::byte> bytes(static_cast<std::size_t>(range.size));
    for (const DumpedBuffer& buffer : chain_.buffers) {
      const std::uint64_t begin = std::max(buffer.address, range.address),
                          end = std::min(buffer.address + buffer.size, range.address + range.size);
      if (begin >= end) continue;
      const auto from = image_.find(begin, end - begin);
      if (!from) return std::nullopt;
      std::ranges::copy(*from, bytes.begin() + static_cast<std::ptrdiff_t>(begin - range.address));
    }
    return bytes;
  }

 private:
  // `with_ends`: buffers that end in zeros go on to the next one.
  bool is_known(const MemoryRange& range, bool with_ends) const {
    std::uint64_t at = range.address;
    const std::vector<DumpedBuffer>& buffers = chain_.buffers;  // by their addresses
    auto next = std::ranges::upper_bound(buffers, at, {}, &DumpedBuffer::address);
    if (next != buffers.begin()) --next;
    for (; next != buffers.end() && next->address <= at && at - range.address < range.size; ++next) {
      const bool goes_on = with_ends && next->open;
      const std::uint64_t end = !goes_on                           ? next->address + next->size
                                : std::next(next) == buffers.end() ? range.address + range.size
                                                                   : std::next(next)->address;
      at = std::max(at, end);
    }
    return at - range.address >= range.size;
  }

  void add_frame(const Job& job) {
    const auto framebuffer = read_framebuffer(image_, job);
    if (!framebuffer) return;
    for (const TargetRange& target : target_ranges(*framebuffer)) {
      add({target.address, target.size});
      targets_.push_back({target.address, target.size});
    }
    for (unsigned k = 0; k < kPreFrameDraws; ++k) {
      if (framebuffer->pre_frame[k] == FrameShaderMode::never) continue;
      if (const auto draw = read_draw_at(image_, job.place(), framebuffer->frame_draws + k * kDrawBytes))
        add(*draw);
    }
  }
  void add(const DrawDescriptor& draw) {
    if (draw.query != OcclusionQuery::off) add({draw.query_result, 8});
    add(draw.fragment);
  }
  void add(const Environment& environment) {
    constexpr std::uint64_t kWordBytes = 4;
    add({environment.uniforms, environment.uniform_words * kWordBytes});
    add_pointers(environment);
    for (std::uint32_t table = 0; table < environment.tables.size(); ++table)
      for (std::uint32_t n = 0; n < environment.tables[table].count() && looked_at_ < kMostDescriptorsOfText;
           ++n, ++looked_at_) {
        const auto buffer = read_buffer(image_, environment, table, n);
        if (!buffer) break;
        if (*buffer) add({(*buffer)->memory, (*buffer)->size});
        if (const auto texture = read_texture(image_, environment, table, n); texture && *texture)
          add(**texture);
      }
  }
  // Storage buffers, which have an address and a size in uniforms alone. Other numbers are seldom addresses
  // near those of the text.
  void add_pointers(const Environment& environment) {
    constexpr std::uint64_t kNear = std::uint64_t{1} << 26, kPointerBytes = 8;
    const std::uint64_t size = environment.uniform_words / 2 * kPointerBytes;
    if (size == 0 || !image_.find(environment.uniforms, size)) return;
    for (std::uint64_t at = 0; at < size && looked_at_ < kMostDescriptorsOfText; at += kPointerBytes) {
      ++looked_at_;
      const auto address = image_.u64(environment.uniforms + at);
      const auto is_near = [&](const ImageWindow& window) {
        return *address >> 32 == window.high_word() && *address + kNear >= window.address() &&
               *address < window.address() + window.size() + kNear;
      };
      if (!address || *address % 4 != 0 || std::ranges::none_of(image_.windows(), is_near)) continue;
      const auto bytes = image_.u32(environment.uniforms + at + kPointerBytes);
      const bool is_size = at + kPointerBytes < size && bytes && *bytes != 0 && *bytes <= kNear;
      add({*address, is_size ? *bytes : kPageBytesOfText});
    }
  }
  void add(const TextureDescriptor& texture) {
    const auto planes = read_planes(image_, texture);
    if (!planes) return;
    looked_at_ += planes->size();
    for (const PlaneDescriptor& plane : *planes)
      if (plane.kind != PlaneDescriptor::kAfbc) add({plane.memory, plane.size});
  }
  // Those that are hopeless stay missing: the job that needs them says so.
  void add(const MemoryRange& range) {
    if (range.address == 0 || range.size == 0 || range.size > limits_.window_bytes ||
        range.address + range.size < range.address || is_known(range))
      return;
    missing_.push_back(range);
  }

  const DumpedChain& chain_;
  const Image& image_;
  const ImageLimits& limits_;
  std::size_t looked_at_ = 0;
  std::vector<MemoryRange> missing_, targets_;
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

void add_united(std::vector<MemoryRange> more, std::vector<MemoryRange>& all) {
  if (more.empty()) return;
  std::ranges::move(more, std::back_inserter(all));
  all = united(std::move(all));
}
bool overlap_any(std::span<const MemoryRange> ranges, const MemoryRange& range) {
  const auto after = std::ranges::lower_bound(ranges, range.address + range.size, {}, &MemoryRange::address);
  if (after == ranges.begin()) return false;
  const MemoryRange& before = *std::prev(after);
  return before.address + before.size > range.address;
}

// What is known of memory when a chain comes: ranges that texts have not shown, and those that were targets.
struct KnownRanges {
  std::vector<MemoryRange> missing, targets;  // united
};

// A buffer at the place of one of the same size is another one if most of its bytes are others. Bytes that only jobs can have
// stored do not show: where there were none, much that appears, or anything in a target, is another buffer; a
// little is what the processor has written between jobs, as counters.
bool is_other(const ChangedBytes& bytes, bool was_target) {
  constexpr std::uint64_t kMostBetweenJobs = 64;
  if (bytes.were != 0) return bytes.changed > bytes.were / 2;
  return bytes.appeared > (was_target ? 0 : kMostBetweenJobs);
}

// Marks what is in buffers that the chain before does not have: their addresses may have been a target's, of
// which nothing stays. A driver gives freed buffers to others of the same size, whose bytes then are others. A
// buffer of zeros over memory that was missing is that memory, which the processor now sees.
void mark_fresh(std::span<const DumpedBuffer> before, const ChainMemory& memory_before,
                const KnownRanges& known, DumpedChain& chain) {
  std::vector<MemoryRange> ranges;
  for (const DumpedBuffer& buffer : chain.buffers) ranges.push_back({buffer.address, buffer.size});
  const std::vector<ChangedBytes> changed = count_changes(memory_before, chain.memory, ranges);
  std::size_t next = 0;
  std::vector<MemoryPiece>& pieces = chain.memory.pieces;
  for (std::size_t n = 0; n < chain.buffers.size(); ++n) {
    const DumpedBuffer& buffer = chain.buffers[n];
    while (next < pieces.size() && pieces[next].address < buffer.address) ++next;
    std::size_t end = next;
    while (end < pieces.size() && pieces[end].address - buffer.address < buffer.size) ++end;
    const std::span<MemoryPiece> own = std::span(pieces).subspan(next, end - next);
    next = end;
    const auto same = std::ranges::lower_bound(before, buffer.address, {}, &DumpedBuffer::address);
    if (same != before.end() && same->address == buffer.address &&
        (same->open || buffer.open || same->size == buffer.size) &&
        !is_other(changed[n], overlap_any(known.targets, ranges[n])))
      continue;
    const bool zeros = std::ranges::all_of(own, [&](const MemoryPiece& piece) {
      return std::ranges::all_of(chain.memory.bytes_of(piece), [](std::byte b) { return b == std::byte{0}; });
    });
    if (zeros && overlap_any(known.missing, ranges[n])) continue;
    for (MemoryPiece& piece : own) piece.fresh = true;
  }
}

// Without the parts in ranges that are in order and do not overlap.
void leave_out(std::span<const MemoryRange> ranges, std::vector<MemoryChange>& changes) {
  std::vector<MemoryChange> kept;
  for (const MemoryChange& change : changes) {
    const std::uint64_t end = change.address + change.size;
    std::uint64_t at = change.address;
    const auto keep = [&](std::uint64_t to) {
      if (at >= to) return;
      kept.push_back({at, to - at,
                      change.bytes.empty()
                          ? change.bytes
                          : change.bytes.subspan(static_cast<std::size_t>(at - change.address),
                                                 static_cast<std::size_t>(to - at))});
    };
    auto range = std::ranges::upper_bound(ranges, at, {}, &MemoryRange::address);
    if (range != ranges.begin()) --range;
    for (; range != ranges.end() && range->address < end; ++range) {
      keep(std::min(range->address, end));
      at = std::max(at, range->address + range->size);
    }
    keep(end);
  }
  changes = std::move(kept);
}

// The image gets the first memory. `drawn`: of each chain what its own jobs store, where the texts have that
// already; it stays as it was before.
Status add_changes(std::span<const std::shared_ptr<const ChainMemory>> memories,
                   std::span<const std::vector<MemoryRange>> drawn, CaptureFile& file) {
  std::size_t left = kMaxChanges;
  ChainMemory before;
  for (std::size_t n = 0; n < memories.size(); ++n) {
    auto changes = changes_between(n == 0 ? before : *memories[n - 1], memories[n], left);
    if (!changes) return Error{changes.error().code, changes.error().message, file.image.name()};
    left -= changes->list.size();
    if (n != 0 && !drawn[n].empty()) leave_out(drawn[n], changes->list);
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
  Status add(const NamedMemory& known, const DumpedChain& chain, const Image& image,
             std::span<const Job> jobs, std::size_t first) {
    for (std::size_t n = 0; n < jobs.size(); ++n) {
      if (jobs[n].kind != JobKind::fragment) continue;
      const auto framebuffer = read_framebuffer(image, jobs[n]);
      for (std::size_t target = 0; framebuffer && target < framebuffer->targets.size(); ++target) {
        const auto range = target_memory(*framebuffer, target);
        if (!range || framebuffer->targets[target].samples == SampleStore::layered) continue;
        auto bytes = known.known_bytes(*range);
        if (!bytes) continue;
        // The text has what the last one has left.
        std::erase_if(list_, [&](const ExpectedTarget& other) {
          return other.job >= first && other.address < range->address + range->size &&
                 range->address < other.address + other.bytes.size();
        });
        if (list_.size() == kMaxExpected || range->size > left_)
          return Error{ErrorCode::resource_limit,
                       "targets of all chains are more than " + std::to_string(kMaxExpected) +
                           ", or have too many bytes",
                       chain.file};
        left_ -= range->size;
        const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(*bytes));
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
  KnownRanges known;
  std::vector<std::vector<MemoryRange>> drawn;
  std::size_t open = 0, computes = 0;
  std::uint64_t fresh_left = kMostFreshMemories * limits.bytes;
  std::vector<DumpedBuffer> before;
  ExpectedTargets targets(limits);
  std::size_t count = 0;  // of jobs
  for (DumpedChain& chain : chains) {
    if (!file.chains.empty()) mark_fresh(before, *memories.back(), known, chain);
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
    drawn.emplace_back();
    if (const auto jobs = read_jobs(image, chain.chain.address)) {
      for (const DumpedJob& dumped : chain.jobs)
        if (std::ranges::find(*jobs, dumped.address, &Job::address) == jobs->end())
          return Error{
              ErrorCode::bad_input,
              "the job at " + hex_text(dumped.address) + " is not in the chain of jobs at " +
                  hex_text(chain.chain.address) +
                  ", as where two contexts write one text: expected the memory of each chain after its "
                  "trace",
              chain.file + ", line " + std::to_string(dumped.line)};
      NamedMemory named(chain, image, limits);
      for (const Job& job : *jobs) named.add(job);
      if (expected) WARPJIT_CHECK(targets.add(named, chain, image, *jobs, count));
      count += jobs->size();
      computes += static_cast<std::size_t>(std::ranges::count(*jobs, JobKind::compute, &Job::kind));
      add_united(named.take_missing(), known.missing);
      std::vector<MemoryRange> own = united(named.take_targets());
      if (expected) drawn.back() = own;
      add_united(std::move(own), known.targets);
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
  if (expected && computes != 0)
    file.notes.push_back(
        "texts have memory as it is after a chain has run: what compute jobs read and write in one place "
        "begins with "
        "what they have left there");
  std::vector<MemoryRange>& missing = known.missing;
  auto image = empty_image(memories, missing, name, limits);
  if (!image && !missing.empty()) {
    // Addresses that lead too far are the jobs' affair.
    missing.clear();
    image = empty_image(memories, missing, name, limits);
  }
  if (!image) return image.error();
  file.image = std::move(*image);
  WARPJIT_CHECK(add_changes(memories, drawn, file));
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
    file.notes.push_back("memory that jobs name is not in the texts: zeros are assumed for " + places);
  }
  return file;
}

// "0" of "run.ctx-0.0000", as newer versions of Mesa name their texts; else nothing.
std::string context_of(const std::string& name) {
  constexpr std::string_view kMark = ".ctx-";
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string::npos) return {};
  const std::size_t begin = mark + kMark.size();
  return name.substr(begin, name.find('.', begin) - begin);
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
    const std::string first = context_of(std::string(files[0].name)), context = context_of(name);
    if (context != first && !context.empty() && !first.empty())
      return Error{ErrorCode::bad_input,
                   "texts of the contexts " + first + " and " + context +
                       ", each of which has memory of its own: expected those of one context",
                   name};
    WARPJIT_CHECK(reader.read(file.bytes, name));
  }
  return capture_of(reader.take_chains(), limits, expected);
}

}  // namespace warpjit::valhall
