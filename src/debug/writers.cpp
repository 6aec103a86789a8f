#include "debug/writers.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "debug/saved_memory.h"
#include "debug/whole_run.h"
#include "frontend/interpret/pixel_observer.h"
#include "runtime/work/pixel_plan.h"

namespace warpjit::debug {
namespace {

// Launches that are looked through for stores of what was there before.
constexpr std::size_t kMostUnchanged = 2;

// The byte in memory, while its launch is about to run; null: it is not there.
std::byte* find(const runtime::LaunchState& launch, const WrittenByte& byte) {
  const auto pieces = runtime::written_memory(launch);
  return byte.piece < pieces.size() && byte.offset < pieces[byte.piece].size()
             ? pieces[byte.piece].data() + byte.offset
             : nullptr;
}

bool lies_in(const std::byte* byte, std::span<const std::byte> bytes) {
  return byte >= bytes.data() && byte < bytes.data() + bytes.size();
}

// The last launch that wrote the bytes, and of targets the fragment.
class LastWriter final : public runtime::RunWatcher,
                         public CaptureVisitor,
                         public capture::StoreVisitor,
                         public interpret::PixelObserver {
 public:
  LastWriter(const DebugPlace& reader, const ReadBytes& read, const RunOptions& options)
      : reader_(reader), read_(read), next_(read.writers.begin()), options_(options) {
    engine_.state().set_watcher(this);
  }

  Status run(const capture::Frames& frames) {
    return frames.run_with_stores(engine_, *this, options_, *this);
  }

  const DebugWriter& writer() const { return writer_; }
  // A launch that may have stored them.
  struct Storing {
    WrittenByte byte;
    std::size_t draw = 0;
  };
  // That of a writer that is no fragment.
  const Storing& launch() const { return writer_launch_; }
  // After the writer, those that left the bytes as they were.
  const std::vector<Storing>& unchanged() const { return unchanged_; }
  // Whether the bytes stayed as the writer left them.
  bool stayed() const {
    return std::equal(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(common()),
                      read_.bytes.begin());
  }

 private:
  std::size_t common() const { return std::min(left_.size(), read_.bytes.size()); }

  CaptureInterest interest() const override { return {.draws = true}; }
  bool draw(const CaptureDraw& draw) override {
    draw_ = draw.number + 1;
    fragments_ = 0;
    return draw_ <= reader_.draw;
  }

  Status before(runtime::LaunchState& launch, const RunOptions& options) override {
    const std::size_t number = launches_++;
    while (next_ != read_.writers.end() && next_->launch < number) ++next_;
    launch_ = nullptr;
    if (draw_ > reader_.draw || next_ == read_.writers.end() || next_->launch != number) return {};
    place_ = find(launch, *next_);
    if (place_ == nullptr) return {};
    pixel_ = launch.pixels ? runtime::pixel_at(*launch.pixels, place_) : std::nullopt;
    if (!pixel_ && draw_ == reader_.draw) return {};
    launch_ = &launch;
    has_written_ = false;
    if (pixel_) return watch_pixel(launch, options);
    const std::size_t piece = runtime::written_memory(launch)[next_->piece].size();
    before_.assign(place_, place_ + std::min(read_.bytes.size(), piece - next_->offset));
    return {};
  }

  Status watch_pixel(runtime::LaunchState& launch, const RunOptions& options) {
    x = static_cast<std::int32_t>(pixel_->x);
    y = static_cast<std::int32_t>(pixel_->y);
    is_depth_ = pixel_->target == runtime::kDepthTarget;
    target = is_depth_ ? 0 : pixel_->target;
    SavedMemory memory;
    // How it ends, the run itself says.
    return memory.lend(runtime::written_memory(launch, *this),
                       [&] { (void)runtime::run_observed(engine_.state(), launch, *this, options); });
  }

  Status after(runtime::LaunchState& launch) override {
    if (&launch != launch_) return {};
    launch_ = nullptr;
    if (pixel_) {
      if (!has_written_) return {};
      writer_ = fragment_;
      is_stored_ = false;
      unchanged_.clear();
      return {};
    }
    if (std::equal(before_.begin(), before_.end(), place_)) {
      unchanged_.push_back({*next_, draw_});
      return {};
    }
    writer_ = {.by = DebugWriter::By::draw, .place = {.draw = draw_}};
    writer_launch_ = {*next_, draw_};
    unchanged_.clear();
    left_.assign(place_, place_ + before_.size());
    return {};
  }

  // The memory's own form of what the writer left in its target.
  void stored(const capture::StoredTarget& target) override {
    const std::size_t number = stores_++;
    const auto store = std::ranges::find(read_.stores, number, &ReadBytes::Store::number);
    if (store == read_.stores.end() || std::exchange(is_stored_, true)) return;
    const auto bytes = target.memory.subspan(store->offset);
    left_.assign(bytes.begin(),
                 bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), read_.bytes.size())));
  }

  void met(const interpret::SeenFragment& seen) override {
    const std::uint64_t number = seen.ran ? fragments_++ : fragments_;
    const bool writes = is_depth_ ? seen.writes_depth : seen.writes_color;
    if (!writes || seen.end != interpret::FragmentEnd::passed) return;
    // A fragment reads what those before it left in its pixel.
    if (draw_ == reader_.draw && number >= reader_.number) return;
    has_written_ = true;
    fragment_ = {.by = DebugWriter::By::fragment,
                 .place = {.draw = draw_,
                           .of = DebugPlace::Of::pixel,
                           .number = number,
                           .x = pixel_->x,
                           .y = runtime::other_row(*launch_->pixels, pixel_->y)},
                 .target = pixel_->target,
                 .blended = !is_depth_ && (seen.blends || !seen.whole_color)};
    const auto& bits = is_depth_ ? seen.depth_after.bits : seen.color_after.bits;
    const auto* const bytes = reinterpret_cast<const std::byte*>(bits.data());
    left_.assign(bytes + pixel_->offset, bytes + std::min<std::size_t>(pixel_->bytes, sizeof bits));
  }
  void missed(std::uint32_t, interpret::Miss) override {}

  DebugPlace reader_;
  const ReadBytes& read_;
  std::vector<WrittenByte>::const_iterator next_;  // of those that are to come
  RunOptions options_;
  Engine engine_;
  std::size_t draw_ = 0, launches_ = 0, stores_ = 0;
  std::uint64_t fragments_ = 0;  // of the pixel, in the draw

  // The launch that runs.
  runtime::LaunchState* launch_ = nullptr;
  std::byte* place_ = nullptr;
  std::optional<runtime::FoundPixel> pixel_;
  bool is_depth_ = false, has_written_ = false;
  bool is_stored_ = true;  // what the writer wrote to a target
  DebugWriter fragment_;
  std::vector<std::byte> before_;

  DebugWriter writer_;
  Storing writer_launch_;
  std::vector<Storing> unchanged_;
  std::vector<std::byte> left_;  // where the bytes are, after the writer
};

// The last step of a launch that stores to the bytes.
class LastStore final : public WholeRun {
 public:
  LastStore(const WrittenByte& byte, std::size_t bytes, std::size_t draw)
      : byte_(byte), bytes_(bytes), last_draw_(draw) {}

  const std::optional<DebugPlace>& place() const { return place_; }

 private:
  bool wants(const runtime::LaunchState& launch, runtime::ObservedPart::Program which) override {
    const runtime::LaunchData* const holder = runtime::holder_of(launch, which);
    return launches() == byte_.launch + 1 && holder->shader->changes_memory();
  }
  void begin_program(const runtime::LaunchState& launch, const runtime::LaunchData& holder) override {
    WholeRun::begin_program(launch, holder);
    at_ = find(launch, byte_);
  }
  bool goes_on() const override { return draw_ <= last_draw_; }

  bool step() override {
    for (const interpret::Event::Memory& access : event().memory)
      if (access.store && !access.faulted && is_thread(access.lane) && at_ != nullptr &&
          access.place < at_ + bytes_ && at_ < access.place + access.bytes)
        place_ = place_of(access.lane);
    end_step();
    return true;
  }

  WrittenByte byte_;
  std::size_t bytes_, last_draw_;
  const std::byte* at_ = nullptr;
  std::optional<DebugPlace> place_;
};

}  // namespace

ReadBytes WriteLog::find(const std::byte* byte) const {
  ReadBytes read;
  // A pixel of a target that was stored there, from one store of the target to the next.
  struct Source {
    const std::byte* pixel = nullptr;
    std::size_t first = 0, end = 0;  // launches
  };
  std::vector<Source> sources{{byte, 0, pieces_.size()}};
  for (std::size_t n = 0; n < stores_.size(); ++n) {
    const capture::StoredTarget& target = stores_[n].target;
    if (!lies_in(byte, target.memory)) continue;
    const auto offset = static_cast<std::size_t>(byte - target.memory.data());
    const auto pixel = target.pixel_of(offset);
    if (!pixel || *pixel >= target.pixels.size()) continue;
    read.stores.push_back({n, offset});
    Source source{target.pixels.data() + *pixel, 0, stores_[n].launches};
    // Memory of a target that is no more may be that of another one.
    for (std::size_t before = 0; before < n; ++before)
      if (lies_in(source.pixel, stores_[before].target.pixels)) source.first = stores_[before].launches;
    sources.push_back(source);
  }
  for (std::size_t launch = 0; launch < pieces_.size(); ++launch)
    // What a program stores to memory of a target, the target's pixels replace.
    for (auto at = sources.rbegin(); at != sources.rend(); ++at) {
      const Source& source = *at;
      if (launch < source.first || launch >= source.end) continue;
      const auto& pieces = pieces_[launch];
      const auto piece = std::ranges::find_if(
          pieces, [&](std::span<std::byte> bytes) { return lies_in(source.pixel, bytes); });
      if (piece == pieces.end()) continue;
      read.writers.push_back({launch, static_cast<std::size_t>(piece - pieces.begin()),
                              static_cast<std::size_t>(source.pixel - piece->data())});
      break;
    }
  return read;
}

Result<DebugWriter> find_writer(const capture::Frames& frames, const DebugPlace& reader,
                                const ReadBytes& read, const RunOptions& options) {
  if (read.stored_by_own_draw)
    return DebugWriter{.by = DebugWriter::By::same_draw, .place = {.draw = reader.draw}};
  if (read.writers.empty()) return DebugWriter{};
  LastWriter last(reader, read, options);
  WARPJIT_CHECK(last.run(frames));
  DebugWriter writer = last.writer();
  // Something else has changed them: the processor, a copy.
  if (!last.stayed()) return DebugWriter{};
  // Who stored what was there is seen in the interpreter alone.
  std::vector<LastWriter::Storing> launches;
  for (std::size_t k = last.unchanged().size(); k-- > 0 && launches.size() < kMostUnchanged;)
    launches.push_back(last.unchanged()[k]);
  if (writer.by == DebugWriter::By::draw) launches.push_back(last.launch());
  for (const LastWriter::Storing& launch : launches) {
    LastStore store(launch.byte, read.bytes.size(), launch.draw);
    WARPJIT_CHECK(store.run(frames, options));
    if (store.place()) return DebugWriter{.by = DebugWriter::By::store, .place = *store.place()};
  }
  return writer;
}

}  // namespace warpjit::debug
