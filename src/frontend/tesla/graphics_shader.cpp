// What shaders of the graphics stages do otherwise than kernels.
#include <bit>
#include <charconv>
#include <cstring>

#include "frontend/key.h"
#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/interpret/interpret.h"
#include "frontend/tesla/shader.h"
#include "frontend/tesla/translate/graphics.h"

namespace warpjit::tesla {
namespace {

constexpr unsigned kAttributes = 16;

// The number behind a prefix, if it is below `limit` and written plainly.
std::optional<unsigned> numbered(std::string_view name, std::string_view prefix, unsigned limit) {
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size());
  unsigned number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool padded = digits.size() > 1 && digits[0] == '0';
  if (error != std::errc() || stop != digits.data() + digits.size() || padded || number >= limit)
    return std::nullopt;
  return number;
}

}  // namespace

GraphicsParts::GraphicsParts(const Program& program, ReachedCode reached)
    : code(std::move(reached)),
      constants(program, code, program.type == ProgramType::fragment ? frontend::kPixelTableBytes : 0) {
  if (program.type == ProgramType::fragment) uses = fragment_uses(program.graphics);
}

Result<Location> Shader::find(LocationKind kind, std::string_view name) const {
  if (stage() != Stage::vertex) return frontend::Shader::find(kind, name);
  Location location;
  location.kind = kind;
  location.count = 1;
  if (kind == LocationKind::input) {
    if (const auto attribute = numbered(name, "a", kAttributes)) {
      location.first = static_cast<std::uint16_t>(*attribute);
      return location;
    }
    if (name == "id") {
      location.first = kIdInput;
      return location;
    }
    return Error{ErrorCode::bad_input,
                 "there is no input '" + std::string(name) +
                     "', but a0 to a15, and id with the ids of vertex "
                     "and instance",
                 source_name()};
  }
  if (kind == LocationKind::output) {
    if (const auto row = numbered(name, "slots", (result_slots() + 3) / 4)) {
      location.first = static_cast<std::uint16_t>(*row);
      return location;
    }
    return Error{
        ErrorCode::bad_input,
        "there is no output '" + std::string(name) + "', but slots0, slots1, ... with four slots each",
        source_name()};
  }
  return frontend::Shader::find(kind, name);
}

std::string Shader::register_name(const Location& location) const {
  if (location.kind == LocationKind::input)
    return location.first == kIdInput ? "id" : "a" + std::to_string(location.first);
  return "slots" + std::to_string(location.first);
}

unsigned Shader::result_slots() const {
  return stage() == Stage::vertex ? static_cast<unsigned>(program_.graphics.vertex_results.size()) : 0;
}

std::optional<frontend::StripOutput> Shader::strip_output() const {
  if (stage() != Stage::geometry) return std::nullopt;
  return tesla::strip_output(program_);
}

frontend::Usage Shader::usage() const {
  frontend::Usage usage;
  if (stage() != Stage::vertex) return usage;
  const AttributeLayout layout = attribute_layout(program_.graphics);
  for (const std::uint8_t component : layout.components) usage.inputs |= std::uint64_t{1} << component / 4;
  if (layout.vertex_id || layout.instance_id) usage.inputs |= std::uint64_t{1} << kIdInput;
  return usage;
}

std::span<const pixels::SlotUse> Shader::slot_uses() const {
  if (!graphics_) return {};
  return graphics_->uses;
}

std::size_t Shader::table_bytes() const { return sample_table_.end(); }

void Shader::append_graphics_key(const frontend::Facts& facts, std::vector<std::byte>& key) const {
  const GraphicsState& state = program_.graphics;
  frontend::append_value(key, program_.type);
  frontend::append_value(key, program_.local_bytes);
  append_modes(modes_, key);
  if (branch_spaces_ != 0) {
    frontend::append_value(key, facts.grid.constant_bytes);
    frontend::append_list(key, std::span(facts.grid.code_addresses));
  }
  if (stage() == Stage::vertex) {
    frontend::append_value(key, state.attributes);
    frontend::append_value(key, state.builtin_attributes);
    frontend::append_list(key, state.vertex_results);
    frontend::append_value(key, state.color_slots);
    frontend::append_value(key, facts.bound_inputs);
    frontend::append_list(key, std::span(facts.outputs.data(), facts.output_count));
    return;
  }
  if (stage() == Stage::geometry) {
    frontend::append_list(key, state.geometry_results);
    frontend::append_value(key, state.geometry_output);
    frontend::append_value(key, state.geometry_vertices);
    frontend::append_value(key, state.color_slots);
    frontend::append_value(key, facts.strips);
    return;
  }
  frontend::append_value(key, state.interpolants);
  frontend::append_value(key, state.noperspective);
  frontend::append_value(key, state.fragment_control);
  frontend::append_value(key, state.fragment_results);
  frontend::append_value(key, state.pixel_center_integer);
  frontend::append_value(key, state.primitive_id_slot);
  frontend::append_value(key, state.two_sided);
  frontend::append_value(key, state.color_slots);
  frontend::append_key(facts.pixels, key);
}

namespace {

// Vertices and input primitives as rows, and whole draws of fragment programs.
class GraphicsGuest final : public frontend::GuestInterpreter {
 public:
  GraphicsGuest(Interpreter interpreter, const GraphicsState& state, const frontend::StripOutput& output,
                bool shows_lanes)
      : interpreter_(std::move(interpreter)),
        layout_(attribute_layout(state)),
        output_(output),
        shows_lanes_(shows_lanes) {}

  // Where threads see each other, those of a warp come together, and copies after the last one.
  unsigned lanes() const override { return shows_lanes_ ? kLanes : 1; }

  Status run(const frontend::Values& values, const frontend::Facts& facts,
             std::span<const frontend::Rows> inputs, std::span<const frontend::Rows> outputs,
             std::size_t thread_count, std::uint64_t fuel) const override {
    frontend::Grid grid = values.grid;
    grid.fuel = fuel;
    if (facts.strips.vertices != 0) return run_geometry(grid, facts.strips, inputs[0], outputs, thread_count);
    return run_vertices(grid, facts, inputs, outputs, thread_count);
  }

  Status draw(const frontend::Values& values, const interpret::PixelWork& work,
              std::uint64_t fuel) const override {
    frontend::Grid grid = values.grid;
    grid.fuel = fuel;
    RunReport report;
    WARPJIT_TRY(
        const std::unique_ptr<interpret::FragmentProgram> program,
        interpreter_.make_fragment_program(grid, report, HostCode::best, work.instructions != nullptr));
    const Status status = interpret::draw(work, *program);
    if (const auto fault = fault_of(report); fault && work.fault != nullptr) work.fault->add(fault->access);
    return status;
  }

 private:
  static const std::byte* row(const frontend::Rows& rows, std::size_t thread) {
    return rows.address + static_cast<std::ptrdiff_t>(thread) * rows.stride;
  }

  Status run_vertices(const frontend::Grid& grid, const frontend::Facts& facts,
                      std::span<const frontend::Rows> inputs, std::span<const frontend::Rows> outputs,
                      std::size_t thread_count) const {
    // Which binding has an input register; none if it is not bound.
    const auto binding = [&](std::uint32_t reg) -> const frontend::Rows* {
      if ((facts.bound_inputs >> reg & 1) == 0) return nullptr;
      return &inputs[static_cast<std::size_t>(
          std::popcount(facts.bound_inputs & ((std::uint64_t{1} << reg) - 1)))];
    };
    const auto word = [](const frontend::Rows* rows, std::size_t thread, unsigned k) {
      std::uint32_t value = 0;
      if (rows != nullptr) std::memcpy(&value, row(*rows, thread) + 4 * k, 4);
      return value;
    };
    std::vector<std::uint32_t> attributes, vertex_ids, instance_ids, slots;
    for (std::size_t t = 0; t < thread_count; ++t) {
      for (const std::uint8_t component : layout_.components)
        attributes.push_back(word(binding(component / 4U), t, component % 4));
      vertex_ids.push_back(word(binding(kIdInput), t, 0));
      instance_ids.push_back(word(binding(kIdInput), t, 1));
    }
    RunReport report;
    WARPJIT_CHECK(interpreter_.run_vertices(grid, {attributes, vertex_ids, instance_ids}, slots, report));
    const std::size_t each = thread_count == 0 ? 0 : slots.size() / thread_count;
    for (std::uint32_t k = 0; k < facts.output_count; ++k)
      for (std::size_t t = 0; t < thread_count; ++t) {
        std::array<std::uint32_t, 4> words{};
        for (std::size_t c = 0; c < 4; ++c)
          if (const std::size_t slot = 4U * facts.outputs[k] + c; slot < each)
            words[c] = slots[t * each + slot];
        std::memcpy(outputs[k].address + static_cast<std::ptrdiff_t>(t) * outputs[k].stride, words.data(),
                    16);
      }
    return {};
  }

  Status run_geometry(const frontend::Grid& grid, const frontend::StripFacts& facts,
                      const frontend::Rows& input, std::span<const frontend::Rows> outputs,
                      std::size_t thread_count) const {
    const std::uint32_t each = 4 * facts.vertex_rows();
    const std::size_t primitive = std::size_t{facts.vertices} * each;
    std::vector<std::uint32_t> numbers(thread_count), indices, words(thread_count * primitive);
    for (std::size_t t = 0; t < thread_count; ++t) {
      std::memcpy(&numbers[t], row(input, t), 4);
      if (primitive != 0) std::memcpy(&words[t * primitive], row(input, t) + 16, 4 * primitive);
      for (std::uint32_t n = 0; n < facts.vertices; ++n)
        indices.push_back(static_cast<std::uint32_t>(t) * facts.vertices + n);
    }
    EmittedVertices emitted;
    RunReport report;
    WARPJIT_CHECK(interpreter_.run_geometry(grid,
                                            {.vertex_words = words,
                                             .words = each,
                                             .indices = indices,
                                             .vertices = facts.vertices,
                                             .numbers = numbers},
                                            emitted, report));
    const std::uint32_t slots = output_.slots, row_words = 4 * output_.vertex_rows();
    const std::uint32_t* from = emitted.words.data();
    auto strip = emitted.strips.begin();
    for (std::size_t t = 0; t < thread_count; ++t) {
      const auto at = static_cast<std::ptrdiff_t>(t);
      std::byte* const to =
          outputs[frontend::kVerticesOutput].address + at * outputs[frontend::kVerticesOutput].stride;
      const std::uint32_t count = emitted.invocations[t];
      std::memcpy(outputs[frontend::kEmittedOutput].address + at * outputs[frontend::kEmittedOutput].stride,
                  &count, 4);
      for (std::uint32_t n = 0, number = 0, left = 0; n < count; ++n, --left, from += slots) {
        if (left == 0) {
          left = *strip++;
          ++number;
        }
        std::byte* const vertex = to + std::size_t{n} * row_words * 4;
        std::memcpy(vertex, from, std::size_t{slots} * 4);
        std::memcpy(vertex + std::size_t{slots} * 4, &number, 4);
      }
    }
    return {};
  }

  Interpreter interpreter_;
  AttributeLayout layout_;
  frontend::StripOutput output_;  // of geometry programs
  bool shows_lanes_;
};

}  // namespace

Result<std::unique_ptr<frontend::GuestInterpreter>> Shader::prepare_graphics_guest(
    const frontend::Facts& facts) const {
  WARPJIT_TRY(Interpreter interpreter,
              Interpreter::prepare(program_, modes_, compute_facts(facts).branch_targets));
  return std::unique_ptr<frontend::GuestInterpreter>(
      std::make_unique<GraphicsGuest>(std::move(interpreter), program_.graphics,
                                      strip_output().value_or(frontend::StripOutput()), shows_lanes_));
}

Result<ir::Function> Shader::translate_graphics(const frontend::Facts& facts, bool dispatch_all) const {
  WARPJIT_CHECK(code_key_);
  const ComputeFacts common = compute_facts(facts);
  const SampledTextures textures{texture_uses_, facts.samples, sample_table_};
  std::optional<ReachedCode> with_targets;
  if (branch_spaces_ != 0) {
    WARPJIT_TRY(with_targets, ReachedCode::find(program_, common.branch_targets));
  }
  const ReachedCode& code = with_targets ? *with_targets : graphics_->code;
  if (stage() == Stage::vertex)
    return translate_vertex(program_, common, code, graphics_->constants, textures, facts.bound_inputs,
                            std::span(facts.outputs.data(), facts.output_count), dispatch_all);
  if (stage() == Stage::fragment)
    return translate_fragment(program_, common, code, graphics_->constants, textures, facts.pixels,
                              dispatch_all);
  return translate_geometry(program_, common, code, graphics_->constants, textures, facts.strips,
                            dispatch_all);
}

}  // namespace warpjit::tesla
