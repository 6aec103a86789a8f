#include "frontend/valhall/shader.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "frontend/key.h"
#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/flow/texture_uses.h"
#include "frontend/valhall/guest_interpreter.h"
#include "frontend/valhall/interpret/op.h"
#include "frontend/valhall/translate/program.h"

namespace warpjit::valhall {
namespace {

frontend::Traits traits_of(const Program& program) {
  frontend::Traits traits;
  traits.isa = Isa::valhall;
  traits.stage = program.stage;
  traits.entry = program.entry;
  traits.code_words = 2 * program.code.size();
  traits.resources = {
      .registers = 64, .shared_bytes = program.shared_bytes, .local_bytes = program.local_bytes};
  traits.runs_on_grid = program.stage != Stage::fragment;
  traits.memory = {.parameters = true, .tables = true};
  return traits;
}

}  // namespace

Shader::Shader(Program program)
    : frontend::Shader(traits_of(program)), program_(std::move(program)), code_(find_reached(program_)) {
  if (code_) {
    const std::vector<SamplingInstruction> instructions = sampling_instructions(program_, *code_);
    frontend::Sampling& sampling = traits_.sampling;
    sampling.uses = texture_uses(instructions);
    sampling.computed =
        std::ranges::any_of(instructions, [](const SamplingInstruction& one) { return !one.handle; });
    buffer_uses_ = valhall::buffer_uses(program_, *code_);
    table_ = uniform_table(program_, *code_,
                           sampling.uses.size() + (sampling.computed ? frontend::kMaxComputedUses : 0),
                           buffer_uses_.most());
    if (program_.stage == Stage::fragment) traits_.varyings.slots_read = fragment_uses(program_, *code_);
  }
  traits_.table_bytes = (table_.bytes() + 63) / 64 * 64;
}

bool Shader::emits_stencil() const {
  return code_ && std::ranges::any_of(code_->instructions(), [](const auto& reached) {
           return reached.instruction.opcode == Opcode::zs_emit && reached.instruction.stencil;
         });
}

bool Shader::changes_memory() const {
  if (!code_) return true;
  const Effects effects(*code_, {});
  return effects.stores || effects.atomics;
}

std::vector<std::uint32_t> Shader::image_uses() const {
  std::vector<std::uint32_t> uses;
  if (!code_) return uses;
  for (const auto& reached : code_->instructions())
    if (const auto entry = image_entry(reached.instruction);
        entry && entry->table == kImageTable && entry->index < kMaxImages)
      uses.push_back(entry->index);
  std::ranges::sort(uses);
  uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
  return uses;
}

Result<frontend::SpaceName> Shader::find_space(std::string_view name) const {
  if (name == "mem") return frontend::SpaceName{.high_words = kMaxWindows};
  if (const auto index = frontend::number_after(name, "c", kMaxBuffers))
    return frontend::SpaceName{.constant = true, .index = static_cast<std::uint8_t>(*index)};
  return Error{ErrorCode::bad_input,
               "there is no memory space '" + std::string(name) + "', but mem and c0 to c14",
               program_.source_name};
}

std::string Shader::address_text(const ir::MemoryFault& access, const frontend::LaunchMemory& memory) const {
  char text[32];
  const std::string low = frontend::bracketed(access.address);
  switch (access.space) {
    case ir::Space::constant:
      if (access.index == kUniformSpace) return "u" + std::to_string(access.address / 4);
      return "c" + std::to_string(access.index) + low;
    case ir::Space::shared:
      return "the workgroup's memory" + low;
    case ir::Space::local:
      return "the thread's memory" + low;
    case ir::Space::global:
      break;
  }
  if (access.index == kBufferSpace)
    return "buffer " + std::to_string(access.address & kMaxBufferEntry) + " of table " +
           std::to_string(access.address >> 24) + ", which there is not";
  if (access.index == kTextureSpace) {
    std::snprintf(text, sizeof text, "0x%08x", access.address);
    return std::string("texture or sampler ") + text + ", which there is not,";
  }
  if (access.index >= memory.high_words.size()) return "mem, with a high word that is not mapped, " + low;
  std::snprintf(text, sizeof text, "mem[0x%x%08x]", memory.high_words[access.index], access.address);
  return text;
}

Result<frontend::CheckedGrid> Shader::check_grid(const frontend::Grid& grid) const {
  return check_launch(program_, grid);
}

std::vector<std::byte> Shader::pack_facts(const frontend::Grid& grid,
                                          const frontend::CheckedGrid& checked) const {
  std::vector<std::byte> facts;
  frontend::append_value(facts, grid.block);
  frontend::append_value(facts, checked.shared_bytes);
  frontend::append_value(facts, grid.first_block != std::array<std::uint32_t, 3>{});
  frontend::append_value(facts, static_cast<std::uint32_t>(grid.parameters.size() / 4));
  frontend::append_list(facts, grid.high_words);
  for (const std::span<const std::byte> buffer : std::span(checked.constants).first<kMaxBuffers>())
    frontend::append_value(facts, static_cast<std::uint32_t>(buffer.size()));
  if (program_.stage == Stage::vertex) {
    frontend::append_value(facts, grid.vertices.packet_stride);
    frontend::append_list(facts, attribute_facts(grid));
  }
  if (table_.images != 0) frontend::append_list(facts, image_facts(grid));
  if (table_.buffers != 0) frontend::append_list(facts, buffer_facts(buffers_of(buffer_uses_, grid.buffers)));
  return facts;
}

void Shader::fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const {
  const frontend::Grid& grid = values.grid;
  const std::size_t given = std::min<std::size_t>(grid.parameters.size() / 4, table_.words);
  if (program_.stage == Stage::fragment) frontend::fill_pixel_table(values.pixels, table);
  const std::span<std::uint32_t> uniforms = table.subspan(table_.first / 4, table_.words);
  std::ranges::fill(uniforms, 0U);
  if (given != 0) std::memcpy(uniforms.data(), grid.parameters.data(), 4 * given);
  const auto set = [&](LaunchWord word, std::uint32_t value) { table[table_.place(word) / 4] = value; };
  set(LaunchWord::grid_x, grid.grid[0]);
  set(LaunchWord::grid_y, grid.grid[1]);
  set(LaunchWord::first_x, grid.first_block[0]);
  set(LaunchWord::first_y, grid.first_block[1]);
  set(LaunchWord::first_z, grid.first_block[2]);
  set(LaunchWord::vertices, grid.vertices.count);
  set(LaunchWord::first_vertex, grid.vertices.first);
  set(LaunchWord::first_instance, grid.vertices.first_instance);
  set(LaunchWord::attribute_offset, grid.vertices.attribute_offset);
  set(LaunchWord::framebuffer_size, values.pixels.height << 16 | values.pixels.width);
  fill_attribute_words(grid.vertices, table.subspan(table_.attribute_place() / 4,
                                                    std::size_t{kAttributeWords} * table_.attributes));
  fill_image_words(grid.images,
                   table.subspan(table_.image_place() / 4, std::size_t{kImageWords} * table_.images));
  if (table_.buffers != 0)
    fill_buffer_words(buffers_of(buffer_uses_, grid.buffers),
                      table.subspan(table_.buffer_place() / 4, std::size_t{kBufferWords} * table_.buffers));
  frontend::fill_samples(sampling(), grid.bound, table_.sample_table(), table);
}

LaunchFacts Shader::launch_facts(const frontend::Facts& facts) const {
  LaunchFacts result;
  result.samples = facts.samples;
  result.computed_uses = facts.computed_uses;
  result.equal_samplers = facts.equal_samplers;
  result.half_arithmetic = facts.half_arithmetic;
  if (facts.guest.empty()) return result;
  frontend::KeyReader packed(facts.guest);
  result.block = packed.value<std::array<std::uint32_t, 3>>();
  result.shared_bytes = packed.value<std::uint32_t>();
  result.offset_blocks = packed.value<bool>();
  result.uniform_words = packed.value<std::uint32_t>();
  result.high_words = packed.list<std::uint32_t>();
  result.buffer_bytes = packed.value<std::array<std::uint32_t, kMaxBuffers>>();
  if (program_.stage == Stage::vertex) {
    result.packet_stride = packed.value<std::uint32_t>();
    result.attributes = packed.list<AttributeFacts>();
  }
  if (table_.images != 0) result.images = packed.list<ImageFacts>();
  if (table_.buffers != 0) result.buffers = packed.list<BufferFacts>();
  return result;
}

// What the translator does not follow, the guest interpreter may.
Status Shader::append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const {
  const std::vector<std::byte> code = code_ ? code_key(program_, *code_) : code_key(program_, {});
  key.insert(key.end(), code.begin(), code.end());
  if (!code_) frontend::append_list(key, program_.code);
  frontend::append_list(key, facts.guest);
  frontend::append_key(facts.samples, key);
  frontend::append_value(key, static_cast<std::uint32_t>(facts.computed_uses.size()));
  for (const frontend::TextureUse& use : facts.computed_uses)
    for (const unsigned field : {unsigned{use.texture}, unsigned{use.sampler}, unsigned{use.needs_sampler}})
      key.push_back(static_cast<std::byte>(field));
  frontend::append_list(key, facts.equal_samplers);
  frontend::append_value(key, facts.half_arithmetic);
  if (const auto* pixels = facts.get_if<frontend::PixelFacts>()) frontend::append_key(*pixels, key);
  return {};
}

Result<frontend::Shader::Translation> Shader::translate(const frontend::Facts& facts, bool) const {
  if (!code_) return code_.error();
  Translation translation;
  const LaunchFacts launched = launch_facts(facts);
  const auto* const pixels = facts.get_if<frontend::PixelFacts>();
  WARPJIT_TRY(translation.function, pixels != nullptr
                                        ? translate_fragment(program_, *code_, launched, *pixels)
                                        : valhall::translate(program_, *code_, launched));
  return translation;
}

Result<std::unique_ptr<frontend::GuestInterpreter>> Shader::prepare_interpreter(
    const frontend::Facts&) const {
  return make_guest_interpreter(program_);
}

}  // namespace warpjit::valhall
