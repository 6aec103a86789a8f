// Runs a capture up to a draw, and lets an observer see the threads of a place there.
#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/result.h"
#include "capture/frames.h"
#include "debug/call_stack.h"
#include "debug/origin.h"
#include "debug/saved_memory.h"
#include "debug/trace.h"
#include "debug/writers.h"
#include "frontend/interpret/pixels.h"
#include "frontend/listing_lines.h"
#include "pixels/batch.h"
#include "runtime/engine/observed_run.h"
#include "warpjit/debug.hpp"
#include "warpjit/listing.hpp"

namespace warpjit {
namespace {

using interpret::ObservedGroup;
using runtime::ObservedPart;

// Steps show the bits of events as they are.
static_assert(DebugStep::sampled == unsigned{interpret::kSampled} &&
              DebugStep::discarded == unsigned{interpret::kDiscarded} &&
              DebugStep::diverged == unsigned{interpret::kDiverged} &&
              DebugStep::joined == unsigned{interpret::kJoined} &&
              DebugStep::faulted == unsigned{interpret::kFaulted} &&
              DebugStep::ended == unsigned{interpret::kEnded} &&
              DebugStep::barrier == unsigned{interpret::kBarrier} &&
              DebugStep::rule == unsigned{interpret::kRule} &&
              DebugStep::undefined == unsigned{interpret::kUndefined});

}  // namespace

class DebugSession::State final : public runtime::RunWatcher,
                                  public CaptureVisitor,
                                  public capture::StoreVisitor,
                                  public interpret::Observer {
 public:
  State(const Capture& capture, const DebugOptions& options)
      : frames_(capture.state().frames), options_(options) {
    engine_.state().set_watcher(this);
  }

  Status go(const DebugPlace& place) {
    place_ = place;
    place_.step = 0;
    what_.clear();
    read_bytes_.clear();
    WARPJIT_CHECK(record(0));
    return go_to(place.step);
  }
  Status go_to(std::uint64_t step) {
    if (step > trace_.steps()) return no_step(step);
    place_.step = step;
    return {};
  }
  // Makes sure that the trace has a step, or the registers after the last one.
  Status look_at(std::uint64_t step) {
    if (trace_.has(step) || (step == trace_.end() && step >= trace_.first())) return {};
    if (step > trace_.steps()) return no_step(step);
    // Some before it, as people mostly step back.
    constexpr std::uint64_t kBefore = 100000;
    return record(step > kBefore ? step - kBefore : 0);
  }

  Result<std::optional<std::uint64_t>> search(const debug::Search& what, std::uint64_t from, bool backwards) {
    // Each part of the run that the trace can hold, one after the other.
    for (std::uint64_t at = std::min(from, trace_.steps());;) {
      if (backwards ? at == 0 : at >= trace_.steps()) return std::optional<std::uint64_t>();
      WARPJIT_CHECK(look_at(backwards ? at - 1 : at));
      if (const auto found = trace_.find(what, at, backwards)) return found;
      at = backwards ? trace_.first() : trace_.end();
    }
  }
  Result<std::vector<DebugCall>> calls(unsigned lane) {
    debug::CallStack stack(code_, lines_);
    if (!stack.has_calls()) return std::vector<DebugCall>();
    for (std::uint64_t step = 0; step <= place_.step && step < trace_.steps(); ++step) {
      WARPJIT_CHECK(look_at(step));
      const debug::Trace::Head head = trace_.head(step);
      if ((head.lanes >> lane & 1) != 0) stack.come_to(step, head.address);
    }
    return stack.calls();
  }
  // Where a word comes from; and what a writer wrote, if the place is the writer's.
  DebugOrigin origin(unsigned word, unsigned lane, std::uint64_t step, bool special, std::size_t most) {
    return kept(debug::find_origin({trace_, banks_, code_, special, most}, word, lane, step));
  }
  Result<DebugOrigin> origin(const DebugWriter& writer, bool special, std::size_t most) {
    const debug::OriginSearch search{trace_, banks_, code_, special, most};
    if (writer.by == DebugWriter::By::fragment)
      return kept(debug::find_origin_of_color(search, writer.target, lane_));
    return kept(debug::find_origin_of_store(search, lane_, writer.place.step, writer.value));
  }
  Result<DebugWriter> writer(std::size_t bytes) {
    if (bytes >= read_bytes_.size())
      return Error{ErrorCode::bad_input, "no origin has bytes " + std::to_string(bytes), place_.text()};
    const auto& read = read_bytes_[bytes];
    if (!read) return DebugWriter{.by = DebugWriter::By::unknown};
    WARPJIT_TRY(DebugWriter writer, debug::find_writer(*frames_, place_, *read, options_.run));
    std::memcpy(&writer.value, read->bytes.data(), std::min(read->bytes.size(), sizeof writer.value));
    return writer;
  }

  const DebugPlace& place() const { return place_; }
  const std::string& what() const { return what_; }
  const Program& program() const { return program_; }
  const debug::Trace& trace() const { return trace_; }
  const Status& end() const { return end_; }
  const std::string& difference() const { return difference_; }
  unsigned lane() const { return lane_; }
  const std::vector<DebugPlace>& vertices() const { return vertices_; }
  std::span<const frontend::RegisterBank> banks() const { return banks_; }
  const debug::RegisterFile& registers() {
    if (!file_ || file_step_ != place_.step) {
      file_ = trace_.before(place_.step);
      file_step_ = place_.step;
    }
    return *file_;
  }
  const std::map<std::uint32_t, std::string>& lines() const { return lines_; }
  const debug::CodeFacts& code() const { return code_; }
  std::string text(std::uint32_t address) const {
    const auto found = lines_.find(address);
    return found == lines_.end() ? std::string() : found->second;
  }

 private:
  Error no_step(std::uint64_t step) const {
    return {
        ErrorCode::bad_input,
        "there is no step " + std::to_string(step) + "; the threads made " + std::to_string(trace_.steps()),
        place_.text()};
  }

  // Other runs have their memory elsewhere: what they know of bytes is kept.
  DebugOrigin kept(debug::FoundOrigin found) {
    for (DebugOrigin::Node& node : found.origin.nodes)
      if (node.bytes) *node.bytes += read_bytes_.size();
    for (const debug::FoundOrigin::Bytes& bytes : found.bytes) {
      auto& read = read_bytes_.emplace_back();
      if (bytes.place == nullptr) continue;
      read = log_.find(bytes.place);
      const auto* const value = reinterpret_cast<const std::byte*>(bytes.value.data());
      read->bytes.assign(value, value + std::min<std::size_t>(bytes.count, sizeof bytes.value));
      read->stored_by_own_draw = was_stored(bytes.place, read->bytes);
    }
    return std::move(found.origin);
  }
  // Whether bytes were others when the place's launch began, and are no target's.
  bool was_stored(const std::byte* place, std::span<const std::byte> bytes) const {
    if (std::ranges::any_of(targets_, [&](std::span<const std::byte> target) {
          return place >= target.data() && place < target.data() + target.size();
        }))
      return false;
    for (std::size_t k = 0; k < memory_before_.pieces().size(); ++k) {
      const std::span<std::byte> piece = memory_before_.pieces()[k];
      if (place < piece.data() || place >= piece.data() + piece.size()) continue;
      const std::span<const std::byte> before =
          std::span(memory_before_.copy(k)).subspan(static_cast<std::size_t>(place - piece.data()));
      return !std::ranges::equal(before.first(std::min(before.size(), bytes.size())),
                                 bytes.first(std::min(before.size(), bytes.size())));
    }
    return false;
  }

  // ---- The run of the capture
  void forget() {
    found_ = seen_ = false;
    first_row_ = rows_seen_ = fragments_seen_ = 0;
    vertices_.clear();
    launch_ = nullptr;
    trace_ = {};
    file_.reset();
    end_ = Status();
    difference_.clear();
  }
  Status record(std::uint64_t from) {
    from_ = from;
    draws_ = 0;
    programs_ = 0;
    log_.clear();
    has_.clear();
    has_vertices_ = has_geometry_ = false;
    forget();
    const Status run = frames_->run_with_stores(engine_, *this, options_.run, *this);
    // Compiled code ends by what has ended the threads here, too.
    if (!run && !(found_ && !end_.ok() && end_.error().code == run.error().code)) return run.error();
    if (found_) return {};
    return not_there();
  }

  Error not_there() const {
    std::string message;
    if (draws_ <= place_.draw)
      message = draws_ == 0 ? "the capture has no draws"
                            : "there is no draw " + std::to_string(place_.draw) + "; the last one is " +
                                  std::to_string(draws_ - 1);
    else if (!seen_)
      message = "the draw has no such threads, but" + has_ + ": " + what_;
    else if (programs_ <= place_.program)
      message = "the draw has " + std::to_string(programs_) + " programs with such threads";
    else if (place_.of == DebugPlace::Of::pixel && fragments_seen_ != 0)
      message = "the draw has " + std::to_string(fragments_seen_) + " fragments at that pixel";
    else if (place_.of == DebugPlace::Of::pixel)
      message = "the draw has no fragment at that pixel: " + what_;
    else
      message = "there is no such thread: " + what_;
    return {ErrorCode::bad_input, message, place_.text()};
  }

  CaptureInterest interest() const override { return {.draws = true}; }
  bool draw(const CaptureDraw& draw) override {
    draws_ = draw.number + 1;
    if (draw.number == place_.draw) what_ = draw.what;
    return draw.number < place_.draw;
  }

  // What a message says that the draw has.
  void note_threads(const runtime::LaunchState& launch) {
    const auto add = [&](bool has, const char* what) {
      if (has && has_.find(what) == std::string::npos)
        has_ += (has_.empty() ? " " : ", ") + std::string(what);
    };
    add(launch.pixels.has_value(), "pixel X,Y");
    add(launch.primitives || (launch.pixels && launch.pixels->geometry), "invocation N");
    add(launch.shader->stage() == Stage::compute, "thread X,Y,Z block X,Y,Z");
    add((launch.pixels && launch.pixels->vertex) ||
            (launch.shader->stage() == Stage::vertex && !launch.primitives),
        "vertex N");
    add(launch.shader->traits().has_secondary, "secondary N");
  }

  // The part of a launch that has the place; nothing: none of it has.
  std::optional<ObservedPart> part_of(const runtime::LaunchState& launch) const {
    const Stage stage = launch.shader->stage();
    ObservedPart part;
    switch (place_.of) {
      case DebugPlace::Of::pixel:
        if (!launch.pixels) return std::nullopt;
        part.pixels = {place_.x & ~1U, runtime::other_row(*launch.pixels, place_.y) & ~1U, 2, 2};
        return part;
      case DebugPlace::Of::vertex:
        if (launch.pixels && launch.pixels->vertex) {
          part.program = ObservedPart::Program::vertex;
          return part;
        }
        if (launch.pixels || launch.primitives || (stage == Stage::compute && launch.work() == Work::grid))
          return std::nullopt;
        part.unit = place_.number;
        if (launch.work() == Work::grid) {
          const frontend::Vertices& vertices = launch.values.grid.vertices;
          if (vertices.count == 0) return std::nullopt;
          const std::uint64_t columns = launch.values.grid.grid[0];
          part.unit = place_.number / vertices.count * columns +
                      place_.number % vertices.count / frontend::Vertices::kOfBlock;
        }
        return part;
      case DebugPlace::Of::invocation:
        if (launch.pixels && launch.pixels->geometry)
          part.program = ObservedPart::Program::geometry;
        else if (!launch.primitives)
          return std::nullopt;
        return part;
      case DebugPlace::Of::secondary:
        if (!launch.shader->traits().has_secondary) return std::nullopt;
        if (place_.number == 0) return part;
        if (!launch.pixels || !launch.pixels->vertex) return std::nullopt;
        part.program = ObservedPart::Program::vertex;
        return part;
      case DebugPlace::Of::thread: {
        if (launch.work() != Work::grid || stage != Stage::compute) return std::nullopt;
        const auto& extents = launch.values.grid.grid;
        for (std::size_t k = 0; k < 3; ++k)
          if (place_.block[k] >= extents[k] || place_.thread[k] >= launch.values.grid.block[k])
            return std::nullopt;
        part.unit = place_.block[0] + std::uint64_t{extents[0]} *
                                          (place_.block[1] + std::uint64_t{extents[1]} * place_.block[2]);
        return part;
      }
    }
    return std::nullopt;
  }

  Status before(runtime::LaunchState& launch, const RunOptions& options) override {
    if (draws_ <= place_.draw) log_.add(runtime::written_memory(launch));
    if (draws_ != place_.draw) return {};
    // Its last run failed, or after() would have been called: whoever runs it again has changed it.
    if (&launch == launch_) {
      forget();
      --programs_;
    }
    if (found_) return {};
    std::optional<ObservedPart> part = part_of(launch);
    has_vertices_ =
        has_vertices_ || launch.shader->stage() == Stage::vertex || (launch.pixels && launch.pixels->vertex);
    note_threads(launch);
    has_geometry_ = has_geometry_ || launch.primitives.has_value();
    if (!part) return {};
    seen_ = true;
    if (programs_++ != place_.program) return {};
    launch_ = &launch;
    targets_.clear();
    if (launch.pixels) {
      for (const TargetBuffer& color : launch.pixels->colors)
        targets_.push_back({static_cast<const std::byte*>(color.data), color.size});
      const TargetBuffer& depth = launch.pixels->depth;
      targets_.push_back({static_cast<const std::byte*>(depth.data), depth.size});
    }
    part->first_row = &first_row_;
    const runtime::LaunchData& holder = *runtime::holder_of(launch, part->program);
    const frontend::Shader& shader = *holder.shader;
    banks_ = shader.register_banks();
    if (banks_.empty())
      return Error{ErrorCode::unsupported, "programs of this GPU cannot be looked at yet",
                   shader.source_name()};
    const auto pieces = runtime::written_memory(launch);
    Status status;
    WARPJIT_CHECK(memory_before_.lend(pieces, [&] {
      status = runtime::run_observed(engine_.state(), launch, *part, *this, options);
      compares_ = found_ && status.ok() && options_.check && observed_.save(pieces).ok();
    }));
    if (found_) {
      end_ = status;
      if (from_ == 0) {
        program_ = holder.program;
        const auto listing = disassemble(program_);
        lines_ = listing ? frontend::lines_of(*listing) : std::map<std::uint32_t, std::string>();
        code_ = debug::CodeFacts(shader);
      }
      // With the program of an earlier stage, the whole draw has run.
      whole_ = part->program != ObservedPart::Program::own || launch.work() == Work::grid;
      return {};
    }
    return status.ok() || status.error().code == ErrorCode::bad_input ? status : Status();
  }

  void stored(const capture::StoredTarget& target) override {
    if (draws_ <= place_.draw) log_.add(target);
  }

  // What the interpreter changed, compiled code must have changed, too.
  Status after(runtime::LaunchState& launch) override {
    if (&launch != launch_) return {};
    launch_ = nullptr;
    if (!found_ || !compares_) return {};
    const auto& pieces = observed_.pieces();
    for (std::size_t k = 0; k < pieces.size() && difference_.empty(); ++k) {
      const auto &was = memory_before_.copy(k), &is = observed_.copy(k);
      for (std::size_t n = 0; n < pieces[k].size(); ++n) {
        if (is[n] == pieces[k][n] || (!whole_ && is[n] == was[n])) continue;
        difference_ = "byte " + std::to_string(n) + " of piece " + std::to_string(k) +
                      " of what the launch writes: the interpreter leaves " +
                      std::to_string(std::to_integer<unsigned>(is[n])) + ", compiled code " +
                      std::to_string(std::to_integer<unsigned>(pieces[k][n]));
        break;
      }
    }
    return {};
  }

  // ---- The observed run
  bool observes(const ObservedGroup& group) override {
    if (found_ || !chooses(group)) return false;
    found_ = true;
    // Lanes without a thread may run for their quad.
    const auto lanes = static_cast<unsigned>(std::bit_width(group.lanes | 1U << lane_));
    trace_ = debug::Trace(banks_, (lanes + 3) / 4 * 4, from_);
    return true;
  }
  // Whether a group has the place's thread, whose lane it sets.
  bool chooses(const ObservedGroup& group) {
    if ((group.kind == ObservedGroup::Kind::launch) != (place_.of == DebugPlace::Of::secondary)) return false;
    switch (group.kind) {
      case ObservedGroup::Kind::rows:
        return chooses_row(group);
      case ObservedGroup::Kind::block:
        return chooses_thread(group);
      case ObservedGroup::Kind::quads:
        return chooses_fragment(group);
      case ObservedGroup::Kind::launch:
        lane_ = 0;
        return true;
    }
    return false;
  }
  bool chooses_row(const ObservedGroup& group) {
    const auto count = static_cast<std::uint64_t>(std::popcount(group.lanes));
    const std::uint64_t first = first_row_ + rows_seen_;
    rows_seen_ += count;
    if (place_.number < first || place_.number - first >= count) return false;
    lane_ = static_cast<unsigned>(place_.number - first);
    return true;
  }
  bool chooses_thread(const ObservedGroup& group) {
    std::uint64_t thread = 0;
    if (place_.of == DebugPlace::Of::vertex) {
      const frontend::Vertices& vertices = launch_->values.grid.vertices;
      const std::uint64_t number = place_.number % vertices.count;
      if (group.block[0] != number / frontend::Vertices::kOfBlock ||
          group.block[1] != place_.number / vertices.count)
        return false;
      thread = number % frontend::Vertices::kOfBlock;
    } else {
      if (group.block != ir::BlockPosition{place_.block[0], place_.block[1], place_.block[2]}) return false;
      const auto& size = launch_->values.grid.block;
      thread = place_.thread[0] +
               std::uint64_t{size[0]} * (place_.thread[1] + std::uint64_t{size[1]} * place_.thread[2]);
    }
    if (thread < group.first || thread - group.first >= 32) return false;
    lane_ = static_cast<unsigned>(thread - group.first);
    return (group.lanes >> lane_ & 1) != 0;
  }
  bool chooses_fragment(const ObservedGroup& group) {
    const std::uint32_t row = runtime::other_row(*launch_->pixels, place_.y);
    const unsigned pixel = (place_.x & 1) | (row & 1) << 1;  // of its quad
    for (std::size_t q = 0; q < group.quads.size(); ++q) {
      const interpret::Quad& quad = group.quads[q];
      if (static_cast<std::uint32_t>(quad.x) != (place_.x & ~1U) ||
          static_cast<std::uint32_t>(quad.y) != (row & ~1U) || (quad.coverage >> pixel & 1) == 0)
        continue;
      if (fragments_seen_++ != place_.number) continue;
      lane_ = static_cast<unsigned>(4 * q) + pixel;
      find_vertices(quad.primitive != nullptr ? quad.primitive->number() : group.first);
      return true;
    }
    return false;
  }
  void find_vertices(std::uint64_t primitive) {
    const runtime::LaunchPixels& pixels = *launch_->pixels;
    if (!has_vertices_ || has_geometry_ || pixels.geometry) return;
    const Topology topology = pixels.raster.topology;
    const std::size_t corners = topology == Topology::points                                      ? 1
                                : topology == Topology::lines || topology == Topology::line_strip ? 2
                                                                                                  : 3;
    const auto places = pixels::vertex_places(topology, primitive);
    for (std::size_t k = 0; k < corners; ++k) {
      std::uint64_t vertex = places[k];
      if (pixels.indices) {
        if (vertex >= pixels.indices->size()) return vertices_.clear();
        vertex = (*pixels.indices)[static_cast<std::size_t>(vertex)];
      }
      vertices_.push_back({.draw = place_.draw, .of = DebugPlace::Of::vertex, .number = vertex});
    }
  }
  void holds(std::uint16_t word, unsigned lane, std::uint32_t value) override {
    trace_.hold(word, lane, value);
  }
  void made_of(std::uint16_t word, std::uint16_t slot, bool sampled) override {
    trace_.note({word, slot, sampled});
  }
  void made_of_texel(std::uint16_t word, const interpret::Event::Texel& texel) override {
    trace_.note(word, texel);
  }
  void gave(unsigned target, std::uint16_t word, unsigned lane) override {
    trace_.note_given(target, word, lane);
  }
  bool step() override { return trace_.add(event()); }

  std::shared_ptr<const capture::Frames> frames_;
  DebugOptions options_;
  Engine engine_;
  DebugPlace place_;
  std::string what_, has_;    // the draw; and which threads it has
  Program program_{nullptr};  // that the threads run
  std::span<const frontend::RegisterBank> banks_;
  std::map<std::uint32_t, std::string> lines_;  // of the program, by address
  debug::CodeFacts code_;

  // What the last run left.
  debug::Trace trace_;
  std::optional<debug::RegisterFile> file_;  // before step file_step_
  std::uint64_t file_step_ = 0;
  Status end_;
  std::string difference_;
  unsigned lane_ = 0;
  std::vector<DebugPlace> vertices_;
  bool has_vertices_ = false;  // a vertex program has run for the draw
  bool has_geometry_ = false;  // so has one that makes vertices of its own
  unsigned programs_ = 0;      // of the draw that have such threads
  std::uint64_t from_ = 0;     // of the trace
  std::size_t draws_ = 0;      // that have run
  bool found_ = false, seen_ = false, compares_ = false, whole_ = false;
  std::uint64_t first_row_ = 0;  // that runs; of draws their first vertex
  std::uint64_t rows_seen_ = 0, fragments_seen_ = 0;
  runtime::LaunchState* launch_ = nullptr;
  debug::SavedMemory memory_before_, observed_;
  std::vector<std::span<const std::byte>> targets_;  // of the place's launch
  debug::WriteLog log_;                              // of the draws before the place's
  std::vector<std::optional<debug::ReadBytes>>
      read_bytes_;  // of origins since go(); nothing: memory has none
};

DebugSession::DebugSession(std::unique_ptr<State> state) : state_(std::move(state)) {}
DebugSession::DebugSession(DebugSession&&) noexcept = default;
DebugSession& DebugSession::operator=(DebugSession&&) noexcept = default;
DebugSession::~DebugSession() = default;

Result<DebugSession> DebugSession::open(const Capture& capture, const DebugOptions& options) try {
  return DebugSession(std::make_unique<State>(capture, options));
} catch (...) {
  return caught();
}

Status DebugSession::go(const DebugPlace& place) try { return state_->go(place); } catch (...) {
  return caught();
}
Status DebugSession::go_to(std::uint64_t step) { return state_->go_to(step); }
const DebugPlace& DebugSession::place() const { return state_->place(); }
const std::string& DebugSession::what() const { return state_->what(); }
std::uint64_t DebugSession::steps() const { return state_->trace().steps(); }
unsigned DebugSession::lane() const { return state_->lane(); }
unsigned DebugSession::lanes() const { return state_->trace().lanes(); }
std::vector<DebugPlace> DebugSession::vertices() const { return state_->vertices(); }
const Status& DebugSession::end() const { return state_->end(); }
const std::string& DebugSession::difference() const { return state_->difference(); }

Result<DebugStep> DebugSession::step(std::uint64_t number) try {
  WARPJIT_CHECK(state_->look_at(number));
  if (!state_->trace().has(number))
    return Error{ErrorCode::bad_input, "the threads have ended before step " + std::to_string(number),
                 state_->place().text()};
  const interpret::Event event = state_->trace().event(number);
  DebugStep step{.number = number,
                 .address = event.address,
                 .lanes = event.lanes,
                 .happened = event.happened,
                 .reads = {},
                 .writes = {},
                 .accesses = {},
                 .texels = {}};
  for (const auto& read : event.reads) step.reads.push_back({read.word, read.lane, read.bits, read.value});
  for (const auto& write : event.writes) {
    const unsigned special = state_->code().result(event.address, write.word, write.after);
    step.writes.push_back({write.word, write.lane, write.bits, write.before, write.after,
                           (special & debug::CodeFacts::kNan) != 0,
                           (special & debug::CodeFacts::kInfinity) != 0});
  }
  for (const auto& access : event.memory)
    step.accesses.push_back({access.address, access.bytes, access.lane, access.store, access.faulted,
                             access.before, access.value});
  for (const auto& texel : event.texels)
    step.texels.push_back({texel.texture, texel.level, texel.layer, texel.x, texel.y, texel.bytes, texel.lane,
                           texel.weight, texel.special, texel.bits});
  return step;
} catch (...) {
  return caught();
}

Result<std::optional<std::uint64_t>> DebugSession::search(const DebugSearch& what, std::uint64_t from,
                                                          bool backwards) try {
  return state_->search({what.addresses, what.words, what.happened, what.nan, what.infinity, what.any,
                         what.copies, what.lanes, &state_->code()},
                        from, backwards);
} catch (...) {
  return caught();
}

Result<DebugOrigin> DebugSession::origin(unsigned word, unsigned lane, std::uint64_t step, bool special,
                                         std::size_t most) try {
  if (word >= words() || lane >= lanes())
    return Error{ErrorCode::bad_input, "there is no such register or lane", state_->place().text()};
  WARPJIT_CHECK(state_->look_at(step));
  return state_->origin(word, lane, step, special, most);
} catch (...) {
  return caught();
}

Result<DebugWriter> DebugSession::writer(std::size_t bytes) try {
  return state_->writer(bytes);
} catch (...) {
  return caught();
}

Result<DebugOrigin> DebugSession::origin(const DebugWriter& writer, bool special, std::size_t most) try {
  DebugPlace own = state_->place(), wanted = writer.place;
  own.step = wanted.step = 0;
  const bool is_followed = writer.by == DebugWriter::By::fragment || writer.by == DebugWriter::By::store;
  if (!is_followed || own.text() != wanted.text())
    return Error{ErrorCode::bad_input, "the session does not stand where the writer is", own.text()};
  WARPJIT_CHECK(state_->look_at(writer.by == DebugWriter::By::store ? writer.place.step : steps()));
  return state_->origin(writer, special, most);
} catch (...) {
  return caught();
}

const char* name(DebugOrigin::From from) {
  constexpr const char* kNames[] = {"computed", "copied",    "start", "uniform", "varying", "memory",
                                    "texture",  "undefined", "more",  "texel",   "written"};
  return kNames[static_cast<std::size_t>(from)];
}
const char* name(DebugWriter::By by) {
  constexpr const char* kNames[] = {"given", "same draw", "fragment", "store", "draw", "unknown"};
  return kNames[static_cast<std::size_t>(by)];
}

unsigned DebugSession::words() const { return debug::words_of(state_->banks()); }
std::string DebugSession::name(unsigned word) const { return debug::name_of(state_->banks(), word); }
std::optional<unsigned> DebugSession::find(std::string_view name) const {
  return debug::word_of(state_->banks(), name);
}
Result<std::uint32_t> DebugSession::value(unsigned word, unsigned lane) try {
  if (word >= words() || lane >= lanes())
    return Error{ErrorCode::bad_input, "there is no such register or lane", state_->place().text()};
  WARPJIT_CHECK(state_->look_at(state_->place().step));
  return state_->registers().get(word, lane);
} catch (...) {
  return caught();
}
Result<std::vector<DebugCall>> DebugSession::calls(unsigned lane) try {
  if (lane >= lanes())
    return Error{ErrorCode::bad_input, "there is no lane " + std::to_string(lane), state_->place().text()};
  return state_->calls(lane);
} catch (...) {
  return caught();
}
const Program& DebugSession::program() const { return state_->program(); }
std::string DebugSession::text(std::uint32_t address) const { return state_->text(address); }
std::vector<std::uint32_t> DebugSession::addresses() const {
  std::vector<std::uint32_t> addresses;
  for (const auto& [address, text] : state_->lines()) addresses.push_back(address);
  return addresses;
}

}  // namespace warpjit
