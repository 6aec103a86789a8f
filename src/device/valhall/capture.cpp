#include "device/valhall/capture.h"

#include <algorithm>
#include <utility>

#include "base/float_environment.h"

namespace warpjit::valhall {
namespace {

Error at_number(std::size_t number, const Error& error) {
  return {error.code, "draw " + std::to_string(number) + ": " + error.message, error.where};
}

}  // namespace

Result<const Image*> ChainImages::next() {
  const std::size_t chain = chain_++;
  if (chain < file_.changes.size() && !file_.changes[chain].list.empty()) {
    if (!own_) {
      WARPJIT_TRY(own_, file_.image.copy());
    }
    apply_changes(file_.changes[chain], *own_);
  }
  return own_ ? &*own_ : &file_.image;
}

Result<std::vector<std::vector<Job>>> read_chains(const CaptureFile& file) {
  std::vector<std::vector<Job>> chains;
  std::size_t count = 0;
  ChainImages images(file);
  for (const JobChain& chain : file.chains) {
    WARPJIT_TRY(const Image* const image, images.next());
    WARPJIT_TRY(std::vector<Job> jobs, read_jobs(*image, chain.address));
    count += jobs.size();
    if (count > kMaxJobs)
      return Error{ErrorCode::resource_limit,
                   "the chains have more than " + std::to_string(kMaxJobs) + " jobs", file.image.name()};
    chains.push_back(std::move(jobs));
  }
  return chains;
}

Result<std::size_t> count_draws(const CaptureFile& file) {
  WARPJIT_TRY(const std::vector<std::vector<Job>> chains, read_chains(file));
  std::size_t count = 0;
  for (const std::vector<Job>& jobs : chains)
    count += static_cast<std::size_t>(std::ranges::count(jobs, JobKind::malloc_vertex, &Job::kind));
  return count;
}

Status CaptureState::run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options) {
  CaptureRun run(file.image, engine, visitor, options);
  return run_chains(file, file.image, run);
}

Status run_chains(const CaptureFile& file, Image& image, CaptureRun& run) {
  const FloatEnvironment environment;  // of what the descriptors say, and of tiles
  run.expect(file.expected);
  if (file.chains.empty()) return Error{ErrorCode::bad_input, "the capture names no jobs", file.image.name()};
  WARPJIT_TRY(const std::vector<std::vector<Job>> chains, read_chains(file));
  for (std::size_t n = 0; n < chains.size() && !run.ended(); ++n) {
    if (n < file.changes.size())
      apply_changes(file.changes[n], image, [&](const MemoryRange& range) { run.forget(range); });
    WARPJIT_CHECK(run.run(chains[n]));
  }
  return run.finish();
}

Status CaptureRun::run(std::span<const Job> jobs) {
  for (const Job& job : jobs) {
    if (ended_) return {};
    if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed) != 0)
      return Error{ErrorCode::cancelled, "the run was cancelled", ""};
    ++jobs_;
    WARPJIT_CHECK(run_job(job));
    if (watcher_ != nullptr) ended_ = ended_ || !watcher_->ended(job);
  }
  return {};
}

Status CaptureRun::finish() {
  // What no fragment job has asked for.
  for (const auto& [tiler, context] : contexts_) {
    if (context.used) continue;
    for (const WaitingDraw& waiting : context.draws) {
      if (ended_) return {};
      ended_ = !visitor_.draw(record_of(waiting));
    }
  }
  return {};
}

Status CaptureRun::run_job(const Job& job) {
  CaptureJob seen{.address = job.address, .kind = name(job.kind), .report = std::nullopt};
  switch (job.kind) {
    case JobKind::null:
    case JobKind::cache_flush:
      break;
    case JobKind::write_value:
      WARPJIT_CHECK(write_value(job));
      break;
    case JobKind::compute: {
      const auto& payload = std::get<ComputePayload>(job.payload);
      if (std::ranges::find(payload.count, 0U) != payload.count.end()) break;
      WARPJIT_TRY(seen.report, run_compute(engine_, image_, job, kept_, options_));
      break;
    }
    case JobKind::malloc_vertex:
      WARPJIT_CHECK(shade(job));
      break;
    case JobKind::fragment:
      return run_fragments(job);
  }
  ended_ = ended_ || !visitor_.job(seen);
  return {};
}

// Counters have the value 0.
Status CaptureRun::write_value(const Job& job) {
  const auto& payload = std::get<WriteValue>(job.payload);
  const std::size_t size = payload.kind < 4 ? 8 : std::size_t{1} << (payload.kind - 4);
  const std::uint64_t value = payload.kind < 4 ? 0 : payload.value;
  if (const auto bytes = image_.find_writable(payload.address, size)) {
    for (std::size_t k = 0; k < size; ++k) (*bytes)[k] = static_cast<std::byte>(value >> 8 * k);
    kept_.forget(payload.address, size);
    return {};
  }
  return Error{ErrorCode::bad_input,
               job.place() + ", address: " + std::to_string(size) + " bytes at " + hex_text(payload.address) +
                   " are outside of the image",
               image_.name()};
}

Status CaptureRun::shade(const Job& job) {
  const std::size_t number = draws_++;
  const auto& payload = std::get<MallocVertexPayload>(job.payload);
  WaitingDraw waiting{.number = number, .job = job, .tiler = {}, .vertices = {}};
  const auto shaded = [&]() -> Status {
    WARPJIT_TRY(waiting.tiler, read_tiler(image_, job.place(), payload.tiler));
    WARPJIT_TRY(waiting.vertices, shade_vertices(engine_, image_, job, waiting.tiler.first_provoking, kept_,
                                                 kMaxWaitingBytes - waiting_bytes_, options_));
    return {};
  };
  if (const Status status = shaded(); !status) return at_number(number, status.error());
  Context& context = contexts_[payload.tiler];
  if (std::exchange(context.used, false)) {
    for (const WaitingDraw& before : context.draws) waiting_bytes_ -= before.vertices.bytes();
    context.draws.clear();
  }
  waiting_bytes_ += waiting.vertices.bytes();
  if (waiting_bytes_ > kMaxWaitingBytes)
    return at_number(number, {ErrorCode::resource_limit,
                              job.place() + ": vertices that wait for fragment jobs are more than " +
                                  std::to_string(kMaxWaitingBytes) + " bytes",
                              image_.name()});
  context.draws.push_back(std::move(waiting));
  return {};
}

CaptureDraw CaptureRun::record_of(const WaitingDraw& waiting) const {
  const auto& payload = std::get<MallocVertexPayload>(waiting.job.payload);
  CaptureDraw record{.number = waiting.number,
                     .job = waiting.job.address,
                     .mode = name(payload.mode),
                     .vertices = waiting.vertices.count,
                     .instances = payload.instance_count};
  if (waiting.vertices.count != 0) record.position = waiting.vertices.position;
  record.varying = waiting.vertices.varying;
  return record;
}

Status CaptureRun::run_fragments(const Job& job) {
  WARPJIT_TRY(Frame frame, Frame::begin(image_, job, kept_));
  Context& context = contexts_[frame.framebuffer().tiler];
  context.used = true;
  WARPJIT_CHECK(frame.run_pre_frame(engine_, image_, job, options_));
  constexpr const char* kKinds[kPreFrameDraws] = {"pre-frame draw 0", "pre-frame draw 1"};
  for (unsigned k = 0; k < kPreFrameDraws; ++k) {
    const std::optional<Report>& report = frame.pre_frame_reports()[k];
    ended_ =
        ended_ || (report && !visitor_.job({.address = job.address, .kind = kKinds[k], .report = report}));
  }
  if (ended_) return {};
  for (const WaitingDraw& waiting : context.draws) {
    if (stop_ != nullptr && stop_->number == waiting.number) {
      stop_->draw = waiting;
      stop_->frame = std::move(frame);
      ended_ = true;
      return {};
    }
    if (watcher_ != nullptr && watcher_->sees_launches()) {
      const auto prepared = frame.prepare(image_, waiting);
      if (!prepared) return at_number(waiting.number, prepared.error());
      ended_ = prepared->launch && !watcher_->draws(waiting.number, *prepared->launch);
      if (ended_) return {};
    }
    CaptureDraw record = record_of(waiting);
    record.fragment_job = job.address;
    if (const Status drawn = frame.draw(engine_, image_, waiting, options_, record); !drawn)
      return at_number(waiting.number, drawn.error());
    ended_ = !visitor_.draw(record) || (watcher_ != nullptr && !watcher_->drawn(frame, record));
    if (ended_) return {};
  }
  WARPJIT_CHECK(frame.store(image_, kept_));
  if (watcher_ != nullptr && !watcher_->stored(frame)) {
    ended_ = true;
    return {};
  }
  return show_pictures(job, frame);
}

std::optional<CaptureComparison> CaptureRun::compare(const Framebuffer& framebuffer, unsigned target) const {
  for (const ExpectedTarget& expected : expected_) {
    if (expected.job + 1 != jobs_ || expected.target != target || target >= framebuffer.targets.size() ||
        expected.address != framebuffer.targets[target].memory)
      continue;
    const auto got = image_.find(expected.address, expected.bytes.size());
    if (got) return compare_target(framebuffer, target, *got, expected.bytes, expected.tolerance);
  }
  return std::nullopt;
}

Status CaptureRun::show_pictures(const Job& job, const Frame& frame) {
  const Framebuffer& framebuffer = frame.framebuffer();
  const auto stored = [](BlockFormat blocks) {
    return blocks == BlockFormat::linear || blocks == BlockFormat::u_interleaved;
  };
  const auto show = [&](unsigned target, const TilePixels& pixels, bool in_memory) {
    ended_ = ended_ || !visitor_.picture({.fragment_job = job.address,
                                          .target = target,
                                          .format = pixels.format,
                                          .width = framebuffer.width,
                                          .height = framebuffer.height,
                                          .pixel_bytes = pixels.pixel_bytes,
                                          .pixels = pixels.bytes,
                                          .stored = in_memory,
                                          .compared = compare(framebuffer, target)});
  };
  for (unsigned n = 0; n < framebuffer.targets.size(); ++n) {
    const RenderTarget& target = framebuffer.targets[n];
    if (target.is_off()) continue;
    const TilePixels& pixels = frame.pixels().colors[n];
    const std::optional<TilePixels> shown = without_unstored(target, pixels);
    show(n, shown ? *shown : pixels, target.write && stored(target.blocks));
  }
  show(CapturePicture::kDepth, frame.pixels().depth,
       framebuffer.depth_write && framebuffer.depth && stored(framebuffer.depth->blocks));
  return {};
}

CaptureVisitor::~CaptureVisitor() = default;
bool CaptureVisitor::job(const CaptureJob&) { return true; }
bool CaptureVisitor::draw(const CaptureDraw&) { return true; }
bool CaptureVisitor::picture(const CapturePicture&) { return true; }

}  // namespace warpjit::valhall
