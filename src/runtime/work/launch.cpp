#include "runtime/work/launch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>

#include "frontend/textures/facts.h"
#include "runtime/work/pixel_checks.h"
#include "runtime/work/primitives.h"
#include "runtime/work/textures.h"

namespace warpjit::runtime {
namespace {

// What threads of instance 0 read.
RowSpan span_of(const Attribute& a) {
  return {reinterpret_cast<std::uintptr_t>(a.data), a.size, a.divisor == 0 ? a.stride : 0, size(a.format)};
}
RowSpan span_of(const OutputBuffer& b) {
  return {reinterpret_cast<std::uintptr_t>(b.data), b.size, b.stride, size(b.format)};
}

// What a geometry program of a rasterizer gives without one.
Error alone_error(const frontend::Shader& shader) {
  return {ErrorCode::bad_input, "this geometry program runs in draws: set_geometry_stage",
          shader.source_name()};
}

}  // namespace

LaunchData::LaunchData(Program with)
    : program(std::move(with)), shader(&frontend::shader_of(program)), usage(shader->usage()) {
  shader->reset(values);
  if (shader->stage() == Stage::fragment) pixels.emplace();
  if (shader->geometry_unit() == nullptr) return;
  primitives.emplace();
  primitives->input = shader->geometry_unit()->geometry_input();
}

Status LaunchData::set_words(const Location& location, LocationKind kind, const void* words,
                             std::size_t count) {
  const auto where = [&] { return shader->register_name(location); };
  if (location.kind != kind) return Error{ErrorCode::bad_input, "this register takes other values", where()};
  const std::size_t room = std::size_t{location.count} * location.components;
  if (count > room || location.word + count > values.words.size())
    return Error{ErrorCode::bad_input,
                 std::to_string(count) + " values given, there is room for " + std::to_string(room), where()};
  if (count != 0) std::memcpy(values.words.data() + location.word, words, count * sizeof(std::uint32_t));
  ++values_generation;
  return {};
}

Status LaunchData::bind(const Location& location, const Attribute& attribute) {
  if (location.kind != LocationKind::input || location.first >= shader->traits().input_registers)
    return Error{ErrorCode::bad_input, "this is not an input", shader->register_name(location)};
  const LoadRows load = load_rows(attribute.format);
  if (load == nullptr)
    return Error{ErrorCode::bad_input, "inputs cannot have the format " + name(attribute.format),
                 shader->register_name(location)};
  inputs[location.first] = {attribute, load};
  const std::uint64_t bit = std::uint64_t{1} << location.first;
  if ((bound_inputs & bit) == 0) ++facts_generation;
  bound_inputs |= bit;
  ++bindings_generation;
  return {};
}

Status LaunchData::bind(const Location& location, const OutputBuffer& buffer) {
  if (location.kind != LocationKind::output || location.first >= frontend::kMaxOutputs)
    return Error{ErrorCode::bad_input, "this is not an output", shader->register_name(location)};
  if (primitives && (shader->declarations().vertex_outputs >> location.first & 1) != 0)
    return Error{ErrorCode::bad_input, "output registers of a geometry program are in its triangles",
                 shader->register_name(location)};
  const StoreRows store = store_rows(buffer.format);
  if (store == nullptr)
    return Error{ErrorCode::bad_input, "outputs cannot have the format " + name(buffer.format),
                 shader->register_name(location)};
  std::uint32_t at = 0;
  while (at < output_count && outputs[at].number != location.first) ++at;
  if (at == output_count) {
    ++output_count;
    ++facts_generation;
  }
  outputs[at] = {buffer, store, static_cast<std::uint8_t>(location.first)};
  ++bindings_generation;
  return {};
}

Status LaunchData::set_geometry_input(const GeometryInput& input) {
  const auto wrong = [&](std::string message) {
    return Error{ErrorCode::bad_input, std::move(message), shader->source_name()};
  };
  if (!primitives) return wrong("this is not a geometry program");
  const frontend::PrimitiveLimits limits = shader->geometry_unit()->primitive_limits();
  if (input.mode > PrimitiveMode::fixed) return wrong("there is no such input mode");
  if (input.max_triangles < 1 || input.max_triangles > frontend::kMaxTriangles)
    return wrong("an invocation may emit 1 to " + std::to_string(frontend::kMaxTriangles) + " triangles");
  if ((input.outputs & ~shader->declarations().vertex_outputs) != 0)
    return wrong("there is no such output register");
  if (input.first >= limits.uniform_rows || input.vertices > limits.uniform_rows ||
      input.full_vertices > limits.uniform_rows)
    return wrong("there are " + std::to_string(limits.uniform_rows) + " float uniform registers");
  std::uint64_t seen = 0;
  for (const std::uint8_t reg : input.registers) {
    if (reg >= shader->traits().input_registers || (seen >> reg & 1) != 0)
      return wrong("input register " + std::to_string(reg) + " does not exist or is listed twice");
    seen |= std::uint64_t{1} << reg;
  }
  GeometryInput copy = input;
  primitives->input = std::move(copy);
  ++facts_generation;
  ++bindings_generation;
  return {};
}

std::uint64_t LaunchData::thread_count() const {
  return primitives && primitives->vertex ? primitive_count(*primitives) : count;
}

std::uint64_t LaunchData::given_inputs() const {
  if (!primitives || !primitives->vertex) return bound_inputs;
  std::uint64_t given = 0;
  if (primitives->input.mode == PrimitiveMode::point)
    for (const std::uint8_t reg : primitives->input.registers) given |= std::uint64_t{1} << reg;
  return given;
}

std::string LaunchState::place(LocationKind kind, unsigned number) const {
  return (kind == LocationKind::input ? "input " : "output ") +
         shader->register_name(register_of(kind, number));
}

Status LaunchState::check() {
  if (draw.active) return {};
  if (checked_generation_.load(std::memory_order_acquire) == bindings_generation) return {};
  const std::lock_guard lock(check_mutex_);
  if (checked_generation_.load(std::memory_order_relaxed) == bindings_generation) return {};
  if (shader->varyings().strips) return alone_error(*shader);
  WARPJIT_CHECK(check_textures(*this));
  if (work() == Work::grid) {
    WARPJIT_TRY(checked_, shader->memory()->check_grid(values.grid));
  } else if (pixels) {
    WARPJIT_CHECK(check_pixels(*pixels, count));
    const bool has_memory =
        std::ranges::any_of(values.grid.globals, [](const auto& ranges) { return !ranges.empty(); });
    if (has_memory || shader->traits().memory.parameters) {
      WARPJIT_TRY(checked_, shader->memory()->check_grid(values.grid));
    }
  } else {
    WARPJIT_CHECK(check_rows());
    if (shader->traits().memory.rows) {
      WARPJIT_TRY(checked_, shader->memory()->check_grid(values.grid));
    }
  }
  checked_generation_.store(bindings_generation, std::memory_order_release);
  return {};
}

Status LaunchState::become_stage(std::uint64_t output_registers) {
  output_count = 0;
  WARPJIT_CHECK(check());
  for (std::uint64_t bits = output_registers; bits != 0; bits &= bits - 1) {
    const auto number = static_cast<unsigned>(std::countr_zero(bits));
    WARPJIT_CHECK(bind(register_of(LocationKind::output, number), OutputBuffer{nullptr, 0, 0, f32x4}));
  }
  return {};
}

Result<const frontend::CheckedGrid*> LaunchState::checked_grid(
    std::optional<frontend::CheckedGrid>& fresh) const {
  // compile() and warm() also take launches that cannot run.
  const bool is_checked = checked_generation_.load(std::memory_order_acquire) == bindings_generation;
  if (is_checked && checked_.lasting) return &checked_;
  WARPJIT_TRY(fresh, shader->memory()->check_grid(values.grid));
  return &*fresh;
}

Status LaunchState::check_rows() const {
  const std::uint64_t threads = thread_count();
  RowSpan in[frontend::kMaxInputs];
  for (std::uint64_t bits = bound_inputs; bits != 0; bits &= bits - 1) {
    const auto number = static_cast<unsigned>(std::countr_zero(bits));
    in[number] = span_of(inputs[number].attribute);
    if (!in_bounds(in[number], threads))
      return bounds_error(in[number], threads, place(LocationKind::input, number));
  }
  for (std::uint32_t k = 0; k < output_count; ++k) {
    const RowSpan output = span_of(outputs[k].buffer);
    const auto what = [&](std::uint32_t n) { return place(LocationKind::output, outputs[n].number); };
    if (!in_bounds(output, threads)) return bounds_error(output, threads, what(k));
    if (allow_overlap) continue;
    if (overlaps_itself(output, threads))
      return Error{ErrorCode::bad_input, "rows overlap each other", what(k)};
    for (std::uint32_t other = 0; other < k; ++other)
      if (rows_overlap(output, span_of(outputs[other].buffer), threads))
        return Error{ErrorCode::bad_input, "rows overlap those of " + what(other), what(k)};
    for (std::uint64_t bits = bound_inputs; bits != 0; bits &= bits - 1) {
      const auto number = static_cast<unsigned>(std::countr_zero(bits));
      if (rows_overlap(output, in[number], threads))
        return Error{ErrorCode::bad_input, "rows overlap those of " + place(LocationKind::input, number),
                     what(k)};
    }
  }
  return {};
}

void LaunchState::add_sample_facts(frontend::Facts& facts) const {
  const frontend::BoundTextures& bound = values.grid.bound;
  if (shader->sampling().computed) {
    facts.computed_uses = frontend::computed_uses(bound);
    facts.equal_samplers = frontend::equal_samplers(bound);
  }
  bool complete = true;
  frontend::each_sample(
      shader->sampling(), bound,
      [&](const frontend::TextureUse& use, const textures::TextureView* texture, const Sampler* sampler) {
        complete = complete && texture != nullptr && (!use.needs_sampler || sampler != nullptr);
        if (complete)
          facts.samples.push_back(frontend::sample_key(*texture, sampler != nullptr ? *sampler : Sampler{}));
      });
  if (!complete) facts.samples.clear();
}

Status LaunchState::add_guest_facts(frontend::Facts& facts) const {
  const frontend::MemoryUse& uses = shader->traits().memory;
  if (uses.code_addresses) {
    WARPJIT_TRY(const frontend::CheckedGrid checked, shader->memory()->check_grid(values.grid));
    facts.guest = shader->memory()->pack_facts(values.grid, checked);
  } else if (uses.parameters) {
    std::optional<frontend::CheckedGrid> fresh;
    WARPJIT_TRY(const frontend::CheckedGrid* checked, checked_grid(fresh));
    facts.guest = shader->memory()->pack_facts(values.grid, *checked);
  }
  return {};
}

namespace {

// Every input that the program declares must be `given`. Bit n: input register n.
Status check_declared(const frontend::Shader& shader, std::uint64_t given) {
  const auto& inputs = shader.declarations().inputs;
  std::size_t bound = 0;
  std::optional<Error> error;
  for (const Symbol& symbol : inputs) {
    WARPJIT_TRY(const Location location, shader.find(LocationKind::input, symbol.reg));
    const unsigned covered = std::min<unsigned>(symbol.count, location.count);
    unsigned n = location.first;
    while (n < location.first + covered && (given >> n & 1) != 0) ++n;
    if (n == location.first + covered) {
      ++bound;
    } else if (!error) {
      error = Error{ErrorCode::bad_input, "the declared input '" + symbol.name + "' is not bound",
                    "input " + shader.register_name(register_of(LocationKind::input, n))};
    }
  }
  if (!error) return {};
  error->message +=
      "; of " + std::to_string(inputs.size()) + " declared inputs " +
      (bound == 0 ? "none is bound" : std::to_string(bound) + (bound == 1 ? " is bound" : " are bound"));
  return *error;
}

}  // namespace

Result<frontend::Facts> LaunchState::facts(std::uint64_t known) const {
  frontend::Facts facts;
  if (work() == Work::grid) {
    facts.work = frontend::GridFacts();
    std::optional<frontend::CheckedGrid> fresh;
    WARPJIT_TRY(const frontend::CheckedGrid* checked, checked_grid(fresh));
    facts.guest = shader->memory()->pack_facts(values.grid, *checked);
    add_sample_facts(facts);
    return facts;
  }
  if (draw.active) {
    facts.work = draw.facts;
    facts.known_bools = known;
    facts.bools = values.bools & known;
    return facts;
  }
  if (pixels) {
    auto& of_pixels = facts.work.emplace<frontend::PixelFacts>();
    of_pixels.output = pixels->output;
    of_pixels.output.blend_constant = {};
    of_pixels.output.alpha_reference = 0;
    of_pixels.narrow_depth = pixels->has_narrow_depth();
    of_pixels.uses = shader->varyings().slots_read;
  } else if (shader->varyings().strips) {
    if (!strips) return alone_error(*shader);
    facts.work = *strips;
  } else {
    WARPJIT_CHECK(check_declared(*shader, given_inputs()));
    facts.known_bools = known;
    facts.bools = values.bools & known;
    frontend::RowFacts& rows = primitives
                                   ? facts.work.emplace<frontend::PrimitiveFacts>(primitive_facts(*this))
                                   : facts.work.emplace<frontend::RowFacts>();
    rows.bound_inputs = given_inputs() & usage.inputs;
    rows.state_given = values.state_given;
    rows.output_count = output_count;
    for (std::uint32_t k = 0; k < output_count; ++k) rows.outputs[k] = outputs[k].number;
  }
  add_sample_facts(facts);
  WARPJIT_CHECK(add_guest_facts(facts));
  return facts;
}

}  // namespace warpjit::runtime
