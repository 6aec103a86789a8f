// Runs vertices, input primitives and quads through the interpreter, a warp at a time.
#include "frontend/tesla/interpret/graphics.h"

#include <algorithm>
#include <optional>

#include "frontend/tesla/facts/launch.h"
#include "frontend/tesla/facts/register_file.h"
#include "frontend/tesla/interpret/op.h"
#include "frontend/tesla/interpret/ops.h"

namespace warpjit::tesla {

void GraphicsWarp::Emitted::end_strip() {
  if (in_strip != 0) strips.push_back(in_strip);
  in_strip = 0;
}

void GraphicsWarp::append_results(unsigned lane, std::vector<std::uint32_t>& words) const {
  for (const ResultWord& result : results) {
    std::uint32_t word = result.constant ? *result.constant : outputs[result.output][lane];
    if (result.clamped) word = saturated(flushed(word), saturated_nan_is_zero);
    words.push_back(word);
  }
}

void GraphicsWarp::emit(std::uint32_t lanes) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    Emitted& into = emitted[lane];
    if ((lanes >> lane & 1) == 0 || into.count == most_vertices) continue;
    append_results(lane, into.words);
    ++into.count;
    ++into.in_strip;
  }
}

void GraphicsWarp::restart(std::uint32_t lanes) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((lanes >> lane & 1) != 0) emitted[lane].end_strip();
}

// One set of registers and memory, in which warps run one after another.
class GraphicsRun {
 public:
  GraphicsRun(const Interpreter& interpreter, const Launch& launch, const RunLimits& limits, HostCode code)
      : interpreter_(interpreter), launch_(launch), run_warp_(loop_for(code)) {
    context_.limits = limits;
  }

  Status start() {
    const Program& program = interpreter_.program_;
    WARPJIT_TRY(checked_, check_memory(program, launch_));
    interpreter_.set_up(context_, launch_);
    context_.constants = checked_.constants;
    context_.local.resize(std::size_t{program.local_bytes} * kLanes);
    context_.graphics = &graphics_;
    graphics_.saturated_nan_is_zero = interpreter_.modes_.saturated_nan_is_zero;
    if (program.type != ProgramType::fragment) graphics_.results = result_words(program);
    return {};
  }

  // The first `lanes` lanes, of which the first one is thread `number`.
  Status run(unsigned lanes, std::size_t number) {
    std::ranges::fill(context_.local, std::byte{0});
    context_.first_number = static_cast<std::uint32_t>(number);
    for (const ResultWord& result : graphics_.results)  // nobody sees other outputs
      if (!result.constant) graphics_.outputs[result.output].fill(0);
    if (context_.limits.observer != nullptr) graphics_.outputs = {};  // but observers
    start_warp(warp_, interpreter_.program_, lanes, context_.limits.fuel);
    if (!graphics_.helpers_run) {
      warp_.active &= graphics_.live;
      warp_.exited = ~warp_.active;
      if (warp_.active == 0) return {};
    }
    const bool is_fragment = interpreter_.program_.type == ProgramType::fragment;
    using Kind = interpret::ObservedGroup::Kind;
    show_warp(context_, warp_,
              {.kind = is_fragment ? Kind::quads : Kind::rows,
               .first = number,
               .quads = graphics_.quads.first(is_fragment ? lanes / 4 : 0)});
    const RunWarp run_warp = warp_.observer != nullptr ? run_warp_observed : run_warp_;
    if (context_.limits.cancelled())
      context_.cancel_at(warp_.pc);
    else if (run_warp(context_, warp_) != WarpOutcome::stopped)
      return {};
    return Error{context_.stop.code, context_.stop.message,
                 interpreter_.program_.where(context_.stop.address)};
  }

  // Whether its results tell which lanes share a warp.
  bool shows_warps() const {
    return std::ranges::any_of(interpreter_.ops_, [](const WarpOp& op) {
      return op.i.opcode == Opcode::vote || (op.i.opcode == Opcode::mov_from_sr && op.i.src[0].value == 0);
    });
  }
  // Whether lanes of a quad see each other.
  bool reads_quads() const {
    return std::ranges::any_of(interpreter_.ops_, [](const WarpOp& op) {
      return op.i.opcode == Opcode::vote || op.i.opcode == Opcode::quadop || op.i.opcode == Opcode::quadon ||
             is_texture(op.i.opcode);
    });
  }
  // The lanes of a warp of vertex and geometry programs (tesla.md 15.4).
  unsigned lanes_of_warp() const { return shows_warps() ? 4 : kLanes; }
  GraphicsWarp& graphics() { return graphics_; }
  // Counts the instructions that lanes execute; null: it does not.
  void count(LaneCounts* counts) { context_.counts = counts; }
  const Program& program() const { return interpreter_.program_; }
  std::uint32_t register_word(std::uint32_t index, unsigned lane) const {
    return index < interpreter_.registers_ ? warp_.registers.r[index][lane] : 0;
  }
  std::uint32_t registers() const { return interpreter_.registers_; }
  // Who looked at the last warp; null: nobody.
  interpret::Observer* observer() const { return warp_.observer; }
  RunReport take_report() { return std::exchange(context_.report, {}); }

 private:
  const Interpreter& interpreter_;
  const Launch& launch_;
  RunWarp run_warp_;
  frontend::CheckedGrid checked_;
  BlockContext context_;
  GraphicsWarp graphics_;
  Warp warp_;
};

namespace {

Error wrong_type(const Program& program, ProgramType wanted) {
  return {ErrorCode::bad_input,
          std::string("a ") + std::string(name(program.type)) + " program runs as a " +
              std::string(name(wanted)) + " program",
          program.source_name};
}

class Fragments final : public interpret::FragmentProgram {
 public:
  Fragments(const Interpreter& interpreter, const Launch& launch, RunReport& report, const RunLimits& limits,
            HostCode code)
      : run_(interpreter, launch, limits, code), report_(report) {}

  Status start(bool counted) {
    WARPJIT_CHECK(run_.start());
    const GraphicsState& state = run_.program().graphics;
    if (counted) run_.count(&counts_);
    results_ = fragment_results(state);
    most_quads_ = run_.shows_warps() ? 1 : kLanes / 4;
    run_.graphics().inputs = fragment_inputs(state);
    run_.graphics().pixel_center_integer = state.pixel_center_integer;
    run_.graphics().helpers_run = run_.reads_quads();
    return {};
  }

  unsigned most_quads() const override { return most_quads_; }
  bool exports_depth() const override { return results_.depth.has_value(); }

  Status run(std::span<const interpret::Quad> quads, std::span<interpret::Fragment> fragments) override {
    GraphicsWarp& graphics = run_.graphics();
    const auto lanes = static_cast<unsigned>(4 * std::min<std::size_t>(quads.size(), kLanes / 4));
    if (lanes == 0) return {};
    graphics.quads = quads;
    graphics.live = 0;
    for (unsigned quad = 0; quad < lanes / 4; ++quad)
      graphics.live |= (quads[quad].coverage & ~quads[quad].failed & 15U) << (4 * quad);
    const std::uint32_t covered = graphics.live;
    counts_.fill(0);
    const Status status = run_.run(lanes, 0);
    report_.add(run_.take_report());
    WARPJIT_CHECK(status);
    if (run_.observer() != nullptr) [[unlikely]]
      show_colors(*run_.observer(), lanes);
    for (unsigned lane = 0; lane < lanes && lane < fragments.size(); ++lane) {
      interpret::Fragment& fragment = fragments[lane];
      // Pixels that are not covered count as not discarded.
      fragment.live = ((graphics.live | ~covered) >> lane & 1) != 0;
      fragment.instructions = counts_[lane];
      fragment.depth = results_.depth ? run_.register_word(*results_.depth, lane) : 0;
      const auto color = [&](std::uint32_t target) {
        const std::uint32_t first = results_.color(target);
        const auto word = [&](std::uint32_t n) { return run_.register_word(first + n, lane); };
        return std::array<std::uint32_t, 4>{word(0), word(1), word(2), word(3)};
      };
      if (!results_.each_target) {
        fragment.colors.fill(color(0));
        continue;
      }
      for (std::uint32_t target = 0; target < fragment.colors.size(); ++target)
        fragment.colors[target] = color(target);
    }
    return {};
  }

 private:
  // To an observer: where the colours are.
  void show_colors(interpret::Observer& observer, unsigned lanes) const {
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned target = 0; target < kMaxColorTargets; ++target) {
        const std::uint32_t first = results_.color(results_.each_target ? target : 0);
        for (std::uint32_t word = first; word < first + 4 && word < run_.registers(); ++word)
          observer.gave(target, static_cast<std::uint16_t>(general_word(word)), lane);
      }
  }

  GraphicsRun run_;
  RunReport& report_;
  LaneCounts counts_{};
  FragmentResults results_;
  unsigned most_quads_ = kLanes / 4;
};

}  // namespace

Status Interpreter::run_vertices(const Launch& launch, const InputVertices& input,
                                 std::vector<std::uint32_t>& slots, RunReport& report, HostCode code,
                                 std::optional<RunLimits> limits) const {
  if (program_.type != ProgramType::vertex) return wrong_type(program_, ProgramType::vertex);
  GraphicsRun run(*this, launch, limits.value_or(launch.fuel), code);
  WARPJIT_CHECK(run.start());
  const AttributeLayout layout = attribute_layout(program_.graphics);
  const std::size_t width = layout.components.size(), count = input.vertex_ids.size();
  if (input.attributes.size() < count * width || input.instance_ids.size() < count)
    return Error{ErrorCode::bad_input, "vertices without their attributes or instances",
                 program_.source_name};
  GraphicsWarp& graphics = run.graphics();
  graphics.attributes.assign(layout.words, {});
  const unsigned most = run.lanes_of_warp();
  for (std::size_t first = 0; first < count; first += most) {
    const auto lanes = static_cast<unsigned>(std::min<std::size_t>(count - first, most));
    for (unsigned lane = 0; lane < lanes; ++lane) {
      for (std::size_t word = 0; word < width; ++word)
        graphics.attributes[word][lane] = input.attributes[(first + lane) * width + word];
      if (layout.vertex_id) graphics.attributes[*layout.vertex_id][lane] = input.vertex_ids[first + lane];
      if (layout.instance_id)
        graphics.attributes[*layout.instance_id][lane] = input.instance_ids[first + lane];
    }
    const Status status = run.run(lanes, first);
    report.add(run.take_report());
    WARPJIT_CHECK(status);
    for (unsigned lane = 0; lane < lanes; ++lane) graphics.append_results(lane, slots);
  }
  return {};
}

Status Interpreter::run_geometry(const Launch& launch, const InputPrimitives& input, EmittedVertices& output,
                                 RunReport& report, HostCode code, std::optional<RunLimits> limits) const {
  if (program_.type != ProgramType::geometry) return wrong_type(program_, ProgramType::geometry);
  const auto wrong = [&](const char* message) {
    return Error{ErrorCode::bad_input, message, program_.source_name};
  };
  if (input.vertices == 0 || input.vertices > kMaxInputVertices)
    return wrong("input primitives have 1 to 6 vertices");
  if (input.indices.size() % input.vertices != 0) return wrong("an input primitive is not complete");
  GraphicsRun run(*this, launch, limits.value_or(launch.fuel), code);
  WARPJIT_CHECK(run.start());
  GraphicsWarp& graphics = run.graphics();
  graphics.input_vertices = input.vertices;
  graphics.most_vertices = program_.graphics.geometry_vertices;
  graphics.attributes.assign(kPrimitiveIdAddress / 4 + 1, {});
  for (std::uint32_t vertex = 0; vertex < input.vertices; ++vertex)
    graphics.attributes[vertex].fill(4 * vertex);
  graphics.vertices.assign(std::size_t{input.words} * input.vertices, {});
  const std::size_t count = input.indices.size() / input.vertices;
  const unsigned most = run.lanes_of_warp();
  if (!input.numbers.empty() && input.numbers.size() < count) return wrong("a primitive without its number");
  for (std::size_t first = 0; first < count; first += most) {
    const auto lanes = static_cast<unsigned>(std::min<std::size_t>(count - first, most));
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const std::size_t n = first + lane;
      graphics.attributes.back()[lane] =
          input.numbers.empty() ? static_cast<std::uint32_t>(n) : input.numbers[n];
      for (std::uint32_t vertex = 0; vertex < input.vertices; ++vertex) {
        const std::uint64_t index = input.indices[(first + lane) * input.vertices + vertex];
        if ((index + 1) * input.words > input.vertex_words.size()) return wrong("there is no such vertex");
        for (std::uint32_t word = 0; word < input.words; ++word)
          graphics.vertices[std::size_t{word} * input.vertices + vertex][lane] =
              input.vertex_words[static_cast<std::size_t>(index) * input.words + word];
      }
      graphics.emitted[lane] = {};
    }
    const Status status = run.run(lanes, first);
    report.add(run.take_report());
    WARPJIT_CHECK(status);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      GraphicsWarp::Emitted& emitted = graphics.emitted[lane];
      emitted.end_strip();
      output.words.insert(output.words.end(), emitted.words.begin(), emitted.words.end());
      output.strips.insert(output.strips.end(), emitted.strips.begin(), emitted.strips.end());
      output.invocations.push_back(emitted.count);
    }
  }
  return {};
}

Result<std::unique_ptr<interpret::FragmentProgram>> Interpreter::make_fragment_program(
    const Launch& launch, RunReport& report, HostCode code, bool counted,
    std::optional<RunLimits> limits) const {
  if (program_.type != ProgramType::fragment) return wrong_type(program_, ProgramType::fragment);
  auto fragments = std::make_unique<Fragments>(*this, launch, report, limits.value_or(launch.fuel), code);
  WARPJIT_CHECK(fragments->start(counted));
  return std::unique_ptr<interpret::FragmentProgram>(std::move(fragments));
}

}  // namespace warpjit::tesla
