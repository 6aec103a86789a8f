#include "frontend/usse/shader.h"

#include <algorithm>

#include "frontend/key.h"
#include "frontend/usse/encoding/decode.h"
#include "frontend/usse/facts/launch.h"
#include "frontend/usse/facts/slots.h"
#include "frontend/usse/guest_interpreter.h"
#include "frontend/usse/stage_values.h"

namespace warpjit::usse {
namespace {

constexpr unsigned kRowWords = 4;

frontend::Usage usage_of(const Program& program) {
  frontend::Usage usage;
  if (program.stage != Stage::vertex) return usage;
  const VertexInterface& vertex = program.vertex;
  for (unsigned n = 0; n < kRowWords * kVertexRows && n < program.primary_attributes; ++n)
    if (vertex.words == 0 || (vertex.live >> n & 1) != 0) usage.inputs |= std::uint64_t{1} << n / kRowWords;
  if (vertex.index || vertex.instance) usage.inputs |= std::uint64_t{1} << kNumbersInput;
  return usage;
}

// What no control words say (container/texture.h).
const char* refusal(const textures::TextureView& texture, const Sampler& sampler) {
  const bool plane = texture.dimension == TextureDimension::d2 && !texture.array;
  const bool cube = texture.dimension == TextureDimension::cube && !texture.array;
  if (!plane && !cube) return "a texture has two dimensions or is a cube";
  if (sampler.compare) return "samplers do not compare";
  if (sampler.seamless) return "filters do not cross the edges of a cube's faces";
  if (sampler.lod_bias != 0 || sampler.min_lod != 0 || sampler.max_lod < Sampler{}.max_lod)
    return "the texture, not the sampler, has a bias and limits of the level of detail";
  constexpr Wrap kWraps[] = {Wrap::repeat, Wrap::mirror, Wrap::clamp_to_edge, Wrap::mirror_once_to_edge};
  for (unsigned axis = 0; axis < 2 && plane; ++axis)
    if (std::ranges::find(kWraps, sampler.wrap[axis]) == std::end(kWraps))
      return "places beyond the texture are repeated, mirrored, mirrored once or at the edge";
  return nullptr;
}

frontend::Traits traits_of(const Program& program) {
  frontend::Traits traits;
  traits.isa = Isa::usse;
  traits.stage = program.stage;
  traits.code_words = 2 * (program.primary.size() + program.secondary.size());
  traits.input_registers = kNumbersInput + 1;
  traits.usage = usage_of(program);
  traits.rows_form_quads = reads_quads(program);
  traits.has_secondary = true;
  traits.memory.rows = true;
  traits.sampling = {.uses = texture_uses(program), .refusal = refusal};
  if (program.stage == Stage::vertex) traits.varyings.result_slots = kSlots;
  if (program.stage == Stage::fragment) traits.varyings.slots_read = fragment_uses(program);
  return traits;
}

}  // namespace

Shader::Shader(Program program, ProgramSource source)
    : frontend::Shader(traits_of(program)),
      program_(std::move(program)),
      source_(std::move(source)),
      table_(uniform_table(program_, sampling().uses.size())) {
  traits_.table_bytes = (table_.bytes() + 63) / 64 * 64;
  for (const Parameter& parameter : program_.parameters)
    if (parameter.category == Category::uniform)
      if (const auto location = find_uniform(parameter.name))
        traits_.declarations.uniforms.push_back(
            {parameter.name, "sa" + std::to_string(location->first), location->count});
}

std::string Shader::where(std::uint32_t guest_address) const {
  const bool secondary = guest_address >= program_.primary.size();
  return program_.where(secondary, secondary ? guest_address - program_.primary.size() : guest_address);
}

bool Shader::changes_memory() const {
  const auto may_store = [](std::uint64_t word) {
    const auto instruction = decode(word);
    return !instruction || instruction->opcode == Opcode::st;
  };
  return std::ranges::any_of(program_.primary, may_store) ||
         std::ranges::any_of(program_.secondary, may_store);
}

std::optional<Location> Shader::find_uniform(std::string_view name) const {
  for (const Parameter& parameter : program_.parameters) {
    if (parameter.category != Category::uniform || parameter.name != name) continue;
    const RegisterContainer* const container = program_.container(parameter.container);
    if (container == nullptr || parameter.resource >= container->words) continue;
    const std::uint32_t first = container->base + parameter.resource;
    if (first >= table_.words) continue;
    const std::uint64_t words = std::uint64_t{uniform_stride(parameter)} * std::max(1U, parameter.array_size);
    Location location;
    location.kind = LocationKind::float_uniform;
    location.components = 1;
    location.first = static_cast<std::uint16_t>(first);
    location.word = first;
    location.count = static_cast<std::uint16_t>(std::min<std::uint64_t>(
        {words, std::uint64_t{container->words} - parameter.resource, table_.words - first}));
    return location;
  }
  return std::nullopt;
}

std::optional<unsigned> Shader::find_attribute(std::string_view name) const {
  for (const Parameter& parameter : program_.parameters)
    if (parameter.category == Category::attribute && parameter.name == name &&
        parameter.resource < kRowWords * kVertexRows && parameter.resource % kRowWords == 0)
      return parameter.resource / kRowWords;
  return std::nullopt;
}

Result<Location> Shader::find(LocationKind kind, std::string_view name) const {
  Location location;
  location.kind = kind;
  location.count = 1;
  const bool vertex = program_.stage == Stage::vertex;
  const auto found = [&](unsigned first) {
    location.first = static_cast<std::uint16_t>(first);
    return location;
  };
  switch (kind) {
    case LocationKind::input:
      if (const auto n = frontend::number_after(name, "pa", kRowWords * kVertexRows);
          vertex && n && *n % kRowWords == 0)
        return found(*n / kRowWords);
      if (vertex && name == "id") return found(kNumbersInput);
      if (const auto row = find_attribute(name); vertex && row) return found(*row);
      break;
    case LocationKind::output:
      if (const auto n = frontend::number_after(name, "slots", kSlots / kRowWords); vertex && n)
        return found(*n);
      break;
    case LocationKind::uniform:
    case LocationKind::float_uniform:
      if (const auto n = frontend::number_after(name, "sa", table_.words)) {
        location.kind = LocationKind::float_uniform;
        location.components = 1;
        location.count = static_cast<std::uint16_t>(table_.words - *n);
        location.word = *n;
        return found(*n);
      }
      if (const auto uniform = find_uniform(name)) return *uniform;
      break;
    default:
      break;
  }
  return Error{ErrorCode::bad_input,
               "there is no '" + std::string(name) +
                   "', but inputs pa0, pa4, ... and id, outputs slots0, slots1, ... of vertex programs, and "
                   "uniforms sa0, sa1, ...",
               program_.source_name};
}

std::string Shader::register_name(const Location& location) const {
  if (location.kind == LocationKind::input)
    return location.first == kNumbersInput ? "id" : "pa" + std::to_string(kRowWords * location.first);
  return (location.kind == LocationKind::float_uniform ? "sa" : "slots") + std::to_string(location.first);
}

Result<frontend::SpaceName> Shader::find_space(std::string_view name) const {
  if (name == "mem") return frontend::SpaceName{};
  return Error{ErrorCode::bad_input, "there is no memory space '" + std::string(name) + "', but mem",
               program_.source_name};
}

std::string Shader::address_text(const ir::MemoryFault& access, const frontend::LaunchMemory& memory) const {
  const std::string place = "mem" + frontend::bracketed(access.address);
  if (program_.uniform_buffers.empty()) return place;
  // Where a buffer is missing, which are taken says more than the place.
  std::string taken;
  for (unsigned number = 0; number < kUniformBuffers; ++number)
    if (std::ranges::find(program_.uniform_buffers, number, &UniformBuffer::buffer) !=
        program_.uniform_buffers.end())
      taken += (taken.empty() ? "" : ", ") +
               (number == kDefaultContainer ? std::string("default") : std::to_string(number));
  return place + " (the program takes the addresses of buffers: " + taken +
         "; pieces of memory: " + std::to_string(memory.globals[0].size()) + ")";
}

void Shader::reset(frontend::Values& values) const {
  values.words.assign(table_.words, 0);
  fill_secondary_attributes(program_, {}, values.words);
}

void Shader::fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const {
  if (program_.stage == Stage::fragment) frontend::fill_pixel_table(values.pixels, table);
  const std::size_t given = std::min<std::size_t>(values.words.size(), table_.words);
  std::copy_n(values.words.begin(), given, table.begin() + table_.first / 4);
  frontend::fill_samples(sampling(), values.grid.bound, table_.sample_table(), table);
}

Result<frontend::CheckedGrid> Shader::check_grid(const frontend::Grid& grid) const {
  return check_launch(grid);
}

Status Shader::append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const {
  using frontend::append_list;
  using frontend::append_value;
  append_value(key, program_.stage);
  append_list(key, program_.primary);
  append_list(key, program_.secondary);
  append_value(key, program_.flags);
  append_value(key, program_.primary_attributes);
  append_value(key, program_.secondary_attributes);
  append_value(key, program_.temporaries);
  append_value(key, static_cast<std::uint32_t>(program_.dependent_samplers.size()));
  for (const DependentSampler& sampler : program_.dependent_samplers)
    append_value(key, std::uint32_t{sampler.offset} << 16 | std::uint32_t{sampler.unit} << 8 | sampler.word);
  const RegisterContainer* const data = program_.container(kDataContainer);
  append_value(key, data == nullptr ? std::uint16_t{0} : data->base);
  frontend::append_key(facts.samples, key);
  if (program_.stage == Stage::vertex) {
    const VertexInterface& vertex = program_.vertex;
    for (const SlotSource& source : slot_sources(program_)) {
      append_value(key, source.kind);
      append_value(key, source.word);
    }
    append_value(key, static_cast<std::uint32_t>(vertex.index.value_or(0xffff)) << 16 |
                          vertex.instance.value_or(0xffff));
    const auto& rows = facts.get<frontend::RowFacts>();
    append_value(key, rows.bound_inputs);
    append_list(key, rows.output_numbers());
    return {};
  }
  for (const FragmentInput& input : program_.fragment.inputs) append_value(key, input.raw);
  std::uint32_t cubes = 0;
  for (unsigned unit = 0; unit < kTextureUnits; ++unit)
    cubes |= (samples_cube(program_, unit) ? 1U : 0U) << unit;
  append_value(key, cubes);
  append_value(key, program_.fragment.output_start);
  append_value(key, program_.fragment.output_type);
  append_value(key, program_.fragment.output_components);
  frontend::append_key(facts.get<frontend::PixelFacts>(), key);
  return {};
}

Result<frontend::Shader::Translation> Shader::translate(const frontend::Facts& facts, bool) const {
  Translation translation;
  if (const auto* rows = facts.get_if<frontend::RowFacts>()) {
    WARPJIT_TRY(translation.function,
                translate_vertex(program_, rows->bound_inputs, rows->output_numbers(), facts.samples));
  } else {
    WARPJIT_TRY(translation.function,
                translate_fragment(program_, facts.get<frontend::PixelFacts>(), facts.samples));
  }
  return translation;
}

Result<std::unique_ptr<frontend::GuestInterpreter>> Shader::prepare_interpreter(
    const frontend::Facts&) const {
  return make_guest_interpreter(program_);
}

}  // namespace warpjit::usse
