#include "frontend/tesla/shader.h"

#include <algorithm>
#include <bit>

#include "frontend/key.h"
#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/facts/launch.h"
#include "frontend/tesla/flow/lane_order.h"
#include "frontend/tesla/guest_interpreter.h"

namespace warpjit::tesla {
namespace {

constexpr unsigned kAttributes = 16;

constexpr std::pair<ProgramType, Stage> kStages[] = {{ProgramType::compute, Stage::compute},
                                                     {ProgramType::vertex, Stage::vertex},
                                                     {ProgramType::geometry, Stage::geometry},
                                                     {ProgramType::fragment, Stage::fragment}};

// The code with what branches through tables lead to that the container gives; nothing if that cannot be.
std::optional<ReachedCode> with_preset_tables(const Program& program, std::uint32_t spaces) {
  const auto preset = check_memory(program, {});
  if (!preset) return std::nullopt;
  auto code = ReachedCode::find(program, branch_targets(program, spaces, preset->constants));
  if (!code) return std::nullopt;
  return std::move(*code);
}

std::vector<frontend::TextureUse> texture_uses_of(const ReachedCode& code, const Modes& modes) {
  std::vector<frontend::TextureUse> uses;
  for (const ReachedInstruction& reached : code.instructions()) {
    const Instruction& i = reached.instruction;
    if (!needs_texture(i.opcode)) continue;
    const bool sampler = needs_sampler(i.opcode);
    uses.push_back({.texture = static_cast<std::uint8_t>(i.number),
                    .sampler = static_cast<std::uint8_t>(sampler ? sampler_of(i, modes) : 0),
                    .needs_sampler = sampler});
  }
  std::ranges::sort(uses);
  uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
  return uses;
}

}  // namespace

Stage stage_of(ProgramType type) {
  return std::ranges::find(kStages, type, &std::pair<ProgramType, Stage>::first)->second;
}
ProgramType program_type(Stage stage) {
  return std::ranges::find(kStages, stage, &std::pair<ProgramType, Stage>::second)->first;
}

Result<std::shared_ptr<const Shader>> Shader::make(Program program, const Modes& modes) {
  WARPJIT_CHECK(check_limits(program));
  WARPJIT_CHECK(check_graphics(program));
  return std::shared_ptr<const Shader>(new Shader(std::move(program), modes));
}

namespace {

frontend::Traits traits_of(const Program& program) {
  frontend::Traits traits;
  traits.isa = Isa::tesla;
  traits.stage = stage_of(program.type);
  traits.name = program.name;
  traits.entry = program.entry;
  traits.code_words = program.code.size();
  traits.resources = {program.registers, program.shared_bytes, program.local_bytes};
  traits.input_registers = kIdInput + 1;
  traits.runs_on_grid = traits.memory.parameters = program.type == ProgramType::compute;
  if (program.type == ProgramType::geometry) traits.varyings.strips = strip_output(program);
  if (program.type == ProgramType::fragment) traits.varyings.slots_read = fragment_uses(program.graphics);
  if (program.type != ProgramType::vertex) return traits;
  traits.varyings.result_slots = static_cast<unsigned>(program.graphics.vertex_results.size());
  const AttributeLayout layout = attribute_layout(program.graphics);
  for (const std::uint8_t component : layout.components)
    traits.usage.inputs |= std::uint64_t{1} << component / 4;
  if (layout.vertex_id || layout.instance_id) traits.usage.inputs |= std::uint64_t{1} << kIdInput;
  return traits;
}

}  // namespace

Shader::Shader(Program program, const Modes& modes)
    : frontend::Shader(traits_of(program)),
      program_(std::move(program)),
      modes_(modes),
      code_key_(std::vector<std::byte>{}) {
  const auto code = ReachedCode::find(program_);
  if (!code) {
    code_key_ = code.error();
    return;
  }
  code_key_ = code_key(program_, *code);
  if (code->branches_through_constants()) branch_spaces_ = branch_spaces(program_);
  traits_.memory.code_addresses = branch_spaces_ != 0;
  const std::optional<ReachedCode> behind_tables =
      branch_spaces_ != 0 ? with_preset_tables(program_, branch_spaces_) : std::nullopt;
  std::vector<frontend::TextureUse>& uses = traits_.sampling.uses;
  uses = texture_uses_of(behind_tables ? *behind_tables : *code, modes_);
  sample_table_.count = static_cast<std::uint32_t>(uses.size());
  if (program_.type != ProgramType::compute) {
    graphics_.emplace(program_, *code);
    sample_table_.first = graphics_->constants.end;
  }
  traits_.table_bytes = sample_table_.end();
  if (program_.type == ProgramType::vertex || program_.type == ProgramType::geometry)
    traits_.rows_form_quads =
        branch_spaces_ != 0 ||
        std::ranges::any_of(code->instructions(), [](const ReachedInstruction& reached) {
          return shows_lanes(reached.instruction);
        });
}

GraphicsParts::GraphicsParts(const Program& program, ReachedCode reached)
    : code(std::move(reached)),
      constants(program, code, program.type == ProgramType::fragment ? frontend::kPixelTableBytes : 0) {}

Result<Location> Shader::find(LocationKind kind, std::string_view name) const {
  if (stage() != Stage::vertex) return frontend::Shader::find(kind, name);
  Location location;
  location.kind = kind;
  location.count = 1;
  if (kind == LocationKind::input) {
    if (const auto attribute = frontend::number_after(name, "a", kAttributes)) {
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
    if (const auto row = frontend::number_after(name, "slots", (varyings().result_slots + 3) / 4)) {
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

Result<frontend::SpaceName> Shader::find_space(std::string_view name) const {
  for (const bool constant : {true, false})
    if (const auto index = frontend::number_after(name, constant ? "c" : "g", ir::kMaxSpaces))
      return frontend::SpaceName{constant, static_cast<std::uint8_t>(*index)};
  return Error{ErrorCode::bad_input,
               "there is no memory space '" + std::string(name) + "', but c0 to c15 and g0 to g15",
               source_name()};
}

std::string Shader::address_text(const ir::MemoryFault& access, const frontend::LaunchMemory&) const {
  constexpr const char* kNames[] = {"c", "s", "l", "g"};  // by ir::Space
  const bool indexed = access.space == ir::Space::constant || access.space == ir::Space::global;
  return kNames[static_cast<std::size_t>(access.space)] +
         (indexed ? std::to_string(access.index) : std::string()) + frontend::bracketed(access.address);
}

Result<frontend::CheckedGrid> Shader::check_grid(const frontend::Grid& grid) const {
  return graphics_ ? check_memory(program_, grid) : check_launch(program_, grid);
}

// Threads of a block, the sizes of s[] and c[], and where branches through c[] lead.
std::vector<std::byte> Shader::pack_facts(const frontend::Grid& grid,
                                          const frontend::CheckedGrid& checked) const {
  std::vector<std::byte> facts;
  frontend::append_value(facts, grid.block);
  frontend::append_value(facts, checked.shared_bytes);
  for (const std::span<const std::byte> space : checked.constants)
    frontend::append_value(facts, static_cast<std::uint32_t>(space.size()));
  if (branch_spaces_ != 0)
    frontend::append_list(facts, branch_targets(program_, branch_spaces_, checked.constants));
  return facts;
}

ComputeFacts Shader::compute_facts(const frontend::Facts& facts) const {
  ComputeFacts result;
  result.local_bytes = program_.local_bytes;
  result.modes = modes_;
  if (facts.guest.empty()) return result;
  frontend::KeyReader packed(facts.guest);
  result.block = packed.value<std::array<std::uint32_t, 3>>();
  result.shared_bytes = packed.value<std::uint32_t>();
  result.constant_bytes = packed.value<std::array<std::uint32_t, kConstantSpaces>>();
  if (branch_spaces_ != 0) result.branch_targets = packed.list<BranchTarget>();
  return result;
}

Status Shader::append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const {
  WARPJIT_CHECK(code_key_);
  key.insert(key.end(), code_key_->begin(), code_key_->end());
  frontend::append_value(key, program_.local_bytes);
  append_modes(modes_, key);
  frontend::append_list(key, facts.guest);
  if (graphics_) append_graphics_key(facts, key);
  frontend::append_key(facts.samples, key);
  return {};
}

void Shader::append_graphics_key(const frontend::Facts& facts, std::vector<std::byte>& key) const {
  const GraphicsState& state = program_.graphics;
  frontend::append_value(key, program_.type);
  if (stage() == Stage::vertex) {
    frontend::append_value(key, state.attributes);
    frontend::append_value(key, state.builtin_attributes);
    frontend::append_list(key, state.vertex_results);
    frontend::append_value(key, state.color_slots);
    const auto& rows = facts.get<frontend::RowFacts>();
    frontend::append_value(key, rows.bound_inputs);
    frontend::append_list(key, rows.output_numbers());
    return;
  }
  if (stage() == Stage::geometry) {
    frontend::append_list(key, state.geometry_results);
    frontend::append_value(key, state.geometry_output);
    frontend::append_value(key, state.geometry_vertices);
    frontend::append_value(key, state.color_slots);
    frontend::append_value(key, facts.get<frontend::StripFacts>());
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
  frontend::append_key(facts.get<frontend::PixelFacts>(), key);
}

Result<Shader::Translation> Shader::translate(const frontend::Facts& facts, bool dispatch_all) const {
  Translation translation;
  if (program_.type != ProgramType::compute) {
    WARPJIT_TRY(translation.function, translate_graphics(facts, dispatch_all));
    return translation;
  }
  WARPJIT_TRY(translation.function, tesla::translate(program_, compute_facts(facts), dispatch_all,
                                                     {sampling().uses, facts.samples, sample_table_}));
  return translation;
}

void Shader::fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const {
  if (graphics_) {
    if (stage() == Stage::fragment) frontend::fill_pixel_table(values.pixels, table);
    graphics_->constants.fill(values.grid.constants, table);
  } else {
    const std::span<std::uint32_t> launched = table.subspan(sample_table_.end() / 4);
    std::ranges::fill(launched, 0U);
    write_header(values.grid, {}, std::as_writable_bytes(launched));
  }
  frontend::fill_samples(sampling(), values.grid.bound, sample_table_, table);
}

std::size_t Shader::begin_block(const frontend::Grid& grid, const ir::BlockPosition& block,
                                std::span<std::byte> shared) const {
  write_header(grid, block, shared);
  return std::min(shared.size(), kParameterOffset + grid.parameters.size());
}

Result<std::unique_ptr<frontend::GuestInterpreter>> Shader::prepare_interpreter(
    const frontend::Facts& facts) const {
  return make_guest_interpreter(program_, modes_, compute_facts(facts).branch_targets, traits());
}

Result<ir::Function> Shader::translate_graphics(const frontend::Facts& facts, bool dispatch_all) const {
  WARPJIT_CHECK(code_key_);
  const ComputeFacts common = compute_facts(facts);
  const SampledTextures textures{sampling().uses, facts.samples, sample_table_};
  std::optional<ReachedCode> with_targets;
  if (branch_spaces_ != 0) {
    WARPJIT_TRY(with_targets, ReachedCode::find(program_, common.branch_targets));
  }
  const ReachedCode& code = with_targets ? *with_targets : graphics_->code;
  if (const auto* rows = facts.get_if<frontend::RowFacts>())
    return translate_vertex(program_, common, code, graphics_->constants, textures, rows->bound_inputs,
                            rows->output_numbers(), dispatch_all);
  if (const auto* pixels = facts.get_if<frontend::PixelFacts>())
    return translate_fragment(program_, common, code, graphics_->constants, textures, *pixels, dispatch_all);
  return translate_geometry(program_, common, code, graphics_->constants, textures,
                            facts.get<frontend::StripFacts>(), dispatch_all);
}

}  // namespace warpjit::tesla
