#include "frontend/valhall/shader.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "frontend/key.h"
#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/flow/texture_uses.h"
#include "frontend/valhall/interpret/interpret.h"
#include "frontend/valhall/interpret/lanes.h"
#include "frontend/valhall/interpret/op.h"
#include "frontend/valhall/translate/program.h"

namespace warpjit::valhall {
namespace {

// Blocks of a grid, or the pixels of a draw.
class Interpreted final : public frontend::GuestInterpreter {
 public:
  explicit Interpreted(Interpreter interpreter) : interpreter_(std::move(interpreter)) {}

  Status run_blocks(const frontend::Grid& grid, std::uint64_t first, std::uint64_t count, std::uint64_t fuel,
                    std::optional<frontend::BlockFault>& fault) const override {
    RunReport run;
    Status status;
    if (grid.fuel == fuel) {
      status = interpreter_.run(grid, first, count, run);
    } else {
      frontend::Grid other = grid;
      other.fuel = fuel;
      status = interpreter_.run(other, first, count, run);
    }
    fault = run.first_fault;
    return status;
  }
  Status draw(const frontend::Values& values, const interpret::PixelWork& work,
              std::uint64_t fuel) const override {
    frontend::Grid grid = values.grid;
    grid.fuel = fuel;
    RunReport run;
    WARPJIT_TRY(const auto program, interpreter_.make_fragment_program(grid, work, run));
    const Status status = interpret::draw(work, *program);
    if (run.first_fault && work.fault != nullptr) work.fault->add(run.first_fault->access);
    return status;
  }
  unsigned lanes() const override { return kWarpLanes; }

 private:
  Interpreter interpreter_;
};

}  // namespace

Shader::Shader(Program program) : program_(std::move(program)), code_(find_reached(program_)) {
  if (!code_) return;
  const std::vector<SamplingInstruction> sampling = sampling_instructions(program_, *code_);
  texture_uses_ = valhall::texture_uses(sampling);
  computes_textures_ =
      std::ranges::any_of(sampling, [](const SamplingInstruction& one) { return !one.handle; });
  buffer_uses_ = valhall::buffer_uses(program_, *code_);
  table_ = uniform_table(program_, *code_,
                         texture_uses_.size() + (computes_textures_ ? frontend::kMaxComputedUses : 0),
                         buffer_uses_.most());
  if (program_.stage == Stage::fragment) uses_ = fragment_uses(program_, *code_);
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
  unsigned index = 0;
  const char* const end = name.data() + name.size();
  const bool numbered = name.size() > 1 && name[0] == 'c' && (name.size() == 2 || name[1] != '0');
  if (numbered) {
    const auto [stop, error] = std::from_chars(name.data() + 1, end, index);
    if (error == std::errc() && stop == end && index < kMaxBuffers)
      return frontend::SpaceName{.constant = true, .index = static_cast<std::uint8_t>(index)};
  }
  return Error{ErrorCode::bad_input,
               "there is no memory space '" + std::string(name) + "', but mem and c0 to c14",
               program_.source_name};
}

std::string Shader::address_text(const ir::MemoryFault& access, const frontend::Grid& grid) const {
  char text[32];
  const std::string low = frontend::Shader::address_text(access, grid);
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
  if (access.index >= grid.high_words.size()) return "mem, with a high word that is not mapped, " + low;
  std::snprintf(text, sizeof text, "mem[0x%x%08x]", grid.high_words[access.index], access.address);
  return text;
}

Result<frontend::CheckedGrid> Shader::check_grid(const frontend::Grid& grid) const {
  return check_launch(program_, grid);
}

frontend::GridFacts Shader::grid_facts(const frontend::Grid& grid,
                                       const frontend::CheckedGrid& checked) const {
  frontend::GridFacts facts;
  facts.block = grid.block;
  facts.shared_bytes = checked.shared_bytes;
  for (std::size_t k = 0; k < checked.constants.size(); ++k)
    facts.constant_bytes[k] = static_cast<std::uint32_t>(checked.constants[k].size());
  facts.high_words = grid.high_words;
  facts.offset_blocks = grid.first_block != std::array<std::uint32_t, 3>{};
  facts.parameter_bytes = static_cast<std::uint32_t>(grid.parameters.size());
  if (program_.stage == Stage::vertex) facts.attributes = attribute_facts(grid);
  if (table_.images != 0) facts.images = image_facts(grid);
  if (table_.buffers != 0) facts.buffers = buffer_facts(buffers_of(buffer_uses_, grid.buffers));
  return facts;
}

std::size_t Shader::table_bytes() const { return (table_.bytes() + 63) / 64 * 64; }

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
  std::size_t number = 0;
  frontend::each_texture_use(*this, grid.bound, [&](const frontend::TextureUse& use) {
    const textures::TextureView* texture = grid.bound.texture(use.texture);
    const Sampler* sampler = use.needs_sampler ? grid.bound.sampler(use.sampler) : nullptr;
    const std::uint32_t words = table_.sample_table().words(number++);
    if (texture != nullptr)
      frontend::fill_sample_words(*texture, sampler != nullptr ? *sampler : Sampler{},
                                  table.subspan(words / 4));
  });
}

LaunchFacts Shader::launch_facts(const frontend::Facts& facts) const {
  LaunchFacts result;
  result.block = facts.grid.block;
  result.shared_bytes = facts.grid.shared_bytes;
  result.offset_blocks = facts.grid.offset_blocks;
  result.uniform_words = facts.grid.parameter_bytes / 4;
  result.high_words = facts.grid.high_words;
  std::copy_n(facts.grid.constant_bytes.begin(), kMaxBuffers, result.buffer_bytes.begin());
  const std::span<const std::uint32_t> words = facts.grid.attributes;
  if (!words.empty()) result.packet_stride = words[0];
  for (std::size_t k = 1; k < words.size(); k += AttributeFacts::kWords)
    result.attributes.push_back(AttributeFacts::unpack(words.subspan(k)));
  const std::span<const std::uint32_t> images = facts.grid.images;
  for (std::size_t k = 0; k < images.size(); k += ImageFacts::kWords)
    result.images.push_back(ImageFacts::unpack(images.subspan(k)));
  const std::span<const std::uint32_t> buffers = facts.grid.buffers;
  for (std::size_t k = 0; k < buffers.size(); k += BufferFacts::kWords)
    result.buffers.push_back(BufferFacts::unpack(buffers.subspan(k)));
  result.samples = facts.samples;
  result.computed_uses = facts.computed_uses;
  result.equal_samplers = facts.equal_samplers;
  result.half_arithmetic = facts.half_arithmetic;
  return result;
}

// What the translator does not follow, the guest interpreter may.
Status Shader::append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const {
  const std::vector<std::byte> code = code_ ? code_key(program_, *code_) : code_key(program_, {});
  key.insert(key.end(), code.begin(), code.end());
  if (!code_) frontend::append_list(key, program_.code);
  valhall::append_key(launch_facts(facts), key);
  if (program_.stage == Stage::fragment) frontend::append_key(facts.pixels, key);
  return {};
}

Result<frontend::Shader::Translation> Shader::translate(const frontend::Facts& facts, bool) const {
  if (!code_) return code_.error();
  Translation translation;
  const LaunchFacts launched = launch_facts(facts);
  WARPJIT_TRY(translation.function, program_.stage == Stage::fragment
                                        ? translate_fragment(program_, *code_, launched, facts.pixels)
                                        : valhall::translate(program_, *code_, launched));
  return translation;
}

Result<std::unique_ptr<frontend::GuestInterpreter>> Shader::prepare_guest(const frontend::Facts&) const {
  WARPJIT_TRY(Interpreter interpreter, Interpreter::prepare(program_));
  return std::unique_ptr<frontend::GuestInterpreter>(std::make_unique<Interpreted>(std::move(interpreter)));
}

}  // namespace warpjit::valhall
