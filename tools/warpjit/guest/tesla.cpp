#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "files.h"
#include "frontend/tesla/assembly/assemble.h"
#include "frontend/tesla/assembly/disassemble.h"
#include "frontend/tesla/container/cubin.h"
#include "frontend/tesla/container/graphics_fields.h"
#include "frontend/tesla/facts/default_state.h"
#include "frontend/tesla/facts/reach.h"
#include "frontend/tesla/shader.h"
#include "guest/guest.h"
#include "launch/reading.h"
#include "launch/words.h"

namespace warpjit::tool {

namespace {

const tesla::Program& tesla_program(const frontend::Shader& shader) {
  return static_cast<const tesla::Shader&>(shader).program();
}

class TeslaContainer final : public Container {
 public:
  explicit TeslaContainer(tesla::Container container) : container_(std::move(container)) {}

  std::size_t size() const override { return container_.programs.size(); }
  Stage stage(std::size_t index) const override { return tesla::stage_of(container_.programs[index].type); }
  Result<ShaderPtr> load(const ProgramRequest& request, const GuestModes& modes) const override {
    const auto wrong = [&](std::string message, ErrorCode code = ErrorCode::bad_input) {
      return Error{code, std::move(message), container_.source_name};
    };
    if (request.address && size() != 1 && !request.index)
      return wrong("the container has " + std::to_string(size()) +
                   " kernels: choose one by its name or by 'index', not by an address");
    tesla::Program program;
    if (request.index) {
      if (*request.index >= size())
        return wrong(fmt::format("there is no kernel {}; the container has {}", *request.index, size()));
      program = container_.programs[*request.index];
    } else {
      const auto type = request.stage ? std::optional(tesla::program_type(*request.stage)) : std::nullopt;
      WARPJIT_TRY(program, tesla::select_program(container_, request.entry, type));
    }
    if (request.stage && tesla::stage_of(program.type) != *request.stage)
      return wrong(fmt::format("program {} is a {} program", *request.index, tesla::name(program.type)));
    if (request.address) program.entry = *request.address;
    if (program.entry % 4 != 0 || program.entry / 4 >= std::max<std::size_t>(program.code.size(), 1))
      return wrong(fmt::format("entry {:#x}: expected a multiple of 4 below the code's {:#x} bytes",
                               program.entry, 4 * program.code.size()));
    WARPJIT_TRY(auto shader, tesla::Shader::make(std::move(program), modes_or_usual<tesla::Modes>(modes)));
    return ShaderPtr(std::move(shader));
  }

 private:
  tesla::Container container_;
};

struct Flag {
  const char* key;
  bool tesla::Modes::*member;
};
constexpr Flag kFlags[] = {{"fast-fmad", &tesla::Modes::fast_fmad},
                           {"fast-sfu", &tesla::Modes::fast_sfu},
                           {"saturated-nan-is-zero", &tesla::Modes::saturated_nan_is_zero},
                           {"zero-wins", &tesla::Modes::zero_wins},
                           {"linked-samplers", &tesla::Modes::linked_samplers},
                           {"infinite-derivatives", &tesla::Modes::infinite_derivatives}};
constexpr std::uint32_t kMostCalls = 4096;

// What the code names of its spaces.
struct Used {
  std::uint32_t parameter_end = tesla::kParameterOffset;  // in s[]
  std::array<std::uint32_t, 16> constant_end{};           // bytes that are read at fixed places
  std::uint32_t constants = 0, globals = 0, stored = 0;   // bit n: c[] n, g[] n, g[] n is written
};

void add_operand(const tesla::Operand& operand, bool is_store, Used& used) {
  using Kind = tesla::Operand::Kind;
  const std::uint32_t end = operand.address == 0 ? operand.value + tesla::size_of(operand.type) : 0;
  if (operand.kind == Kind::shared && !is_store) used.parameter_end = std::max(used.parameter_end, end);
  if (operand.kind == Kind::constant) {
    used.constants |= 1U << operand.space;
    used.constant_end[operand.space] = std::max(used.constant_end[operand.space], end);
  }
  if (operand.kind == Kind::global) {
    used.globals |= 1U << operand.space;
    if (is_store) used.stored |= 1U << operand.space;
  }
}

Result<Used> find_used(const tesla::Program& program) {
  WARPJIT_TRY(const tesla::ReachedCode code, tesla::ReachedCode::find(program));
  Used used;
  for (const tesla::ReachedInstruction& reached : code.instructions()) {
    const tesla::Instruction& i = reached.instruction;
    add_operand(i.dst, true, used);
    const bool updates = i.opcode == tesla::Opcode::atom_g;
    for (const tesla::Operand& operand : i.src) add_operand(operand, updates, used);
  }
  return used;
}

// Coordinates that code gives for each texture that it samples. Only the texture tells what its arguments
// are: these are all but the level or bias.
std::map<unsigned, unsigned> sampled_coordinates(const tesla::Program& program) {
  std::map<unsigned, unsigned> coordinates;
  const auto code = tesla::ReachedCode::find(program);
  if (!code) return coordinates;
  for (const tesla::ReachedInstruction& reached : code->instructions()) {
    using tesla::Opcode;
    const tesla::Instruction& i = reached.instruction;
    if (!tesla::needs_texture(i.opcode)) continue;
    const bool has_level =
        i.opcode == Opcode::texbias || i.opcode == Opcode::texlod || i.opcode == Opcode::texfetch;
    const unsigned given = i.opcode == Opcode::texsize ? 2 : i.arguments - (has_level ? 1U : 0U);
    unsigned& most = coordinates[i.number];
    most = std::max(most, std::clamp(given, 1U, 3U));
  }
  return coordinates;
}

// A texture of as many axes: red, green and blue grow along them.
Json template_texture(unsigned axes) {
  constexpr unsigned kSides[] = {4, 4, 2}, kSteps[] = {0x55, 0x55, 0xff};
  constexpr std::string_view kNames[] = {"1d", "2d", "3d"};
  Json texture{{"format", "rgba8"}, {"dimension", kNames[axes - 1]}, {"size", Json::array()}};
  unsigned count = 1;
  for (unsigned k = 0; k < axes; ++k) {
    texture["size"].push_back(kSides[k]);
    count *= kSides[k];
  }
  for (unsigned n = 0; n < count; ++n) {
    std::uint32_t texel = 0xff000000;
    for (unsigned k = 0, rest = n; k < axes; rest /= kSides[k++])
      texel |= rest % kSides[k] * kSteps[k] << 8 * k;
    texture["data"].push_back(hex(texel));
  }
  return texture;
}

std::uint32_t preset_bytes(const tesla::Program& program, unsigned space) {
  std::uint32_t end = 0;
  for (const tesla::ConstantSegment& segment : program.constants)
    if (segment.space == space) end = std::max(end, segment.offset + segment.bytes);
  return end;
}

// Keys of all types of programs may stand there: one state may serve all programs of a draw.
Status read_graphics(const JsonField& json, tesla::ProgramType type, tesla::GraphicsState& state) {
  WARPJIT_CHECK(json.expect_object());
  for (const auto& [key, value] : json.json().members()) {
    const auto known = std::ranges::any_of(tesla::graphics_fields(),
                                           [&, &key = key](const auto& field) { return field.name == key; });
    if (!known) return json.at(key).error("unknown key of the graphics state");
    const tesla::GraphicsField* const field = tesla::find_graphics_field(type, key);
    if (field == nullptr) continue;
    const JsonField given = json.at(key);
    std::vector<std::uint32_t> numbers;
    const auto read = [&](const JsonField& number) -> Status {
      WARPJIT_TRY(const std::int64_t integer, number.integer(0, field->limit, 32));
      numbers.push_back(static_cast<std::uint32_t>(integer));
      return {};
    };
    if (field->flag) {
      WARPJIT_TRY(const bool set, given.boolean());
      numbers.push_back(set ? 1 : 0);
    } else if (!field->list) {
      WARPJIT_CHECK(read(given));
    } else {
      WARPJIT_CHECK(given.expect_array());
      if (given.size() > field->most) return given.error(fmt::format("at most {} numbers", field->most));
      for (std::size_t k = 0; k < given.size(); ++k) WARPJIT_CHECK(read(given.at(k)));
      if (numbers.empty()) continue;
    }
    if (const Status set = tesla::set_graphics_field(*field, state, numbers); !set)
      return given.wrap(set.error());
  }
  return {};
}

Json graphics_json(const tesla::Program& program) {
  Json json = Json::object();
  for (const auto& [field, numbers] : tesla::given_graphics(program)) {
    Json& value = json[std::string(field->name)];
    if (field->flag) {
      value = numbers[0] != 0;
    } else if (field->limit != ~0U) {
      value = numbers;
    } else {
      value = words_array(numbers);
    }
    if (!field->list && !field->flag) value = Json(*value.begin());
  }
  return json;
}

class TeslaGuest final : public Guest, public MemorySpaces, public SampledTextures, public DriverState {
 public:
  TeslaGuest()
      : Guest(
            {.isa = Isa::tesla,
             .stages = kStages,
             .file_kinds = "a cubin (text that begins with `architecture` or `code`, or ELF) or an assembly "
                           "source (whose name ends in .tesla)",
             .words = {.code = tesla::kMaxCodeWords,
                       .entry_unit = 4,
                       .registers = tesla::kMaxRegisters,
                       .local_bytes = tesla::kMaxLocalBytes},
             .inexact_modes = kInexactModes},
            {.spaces = this, .samples = this, .driver = this}) {}

  bool recognizes(std::string_view content, const std::string& name) const override {
    return tesla::is_cubin(std::as_bytes(std::span(content))) || name.ends_with(".tesla") ||
           name.ends_with(".cubin");
  }
  Result<std::unique_ptr<Container>> read(std::span<const std::byte> bytes,
                                          const std::string& name) const override {
    tesla::Container container;
    if (name.ends_with(".tesla")) {
      WARPJIT_TRY(container, tesla::assemble(as_text(bytes), name));
    } else {
      WARPJIT_TRY(container, tesla::read_cubin(bytes, name));
    }
    return std::unique_ptr<Container>(new TeslaContainer(std::move(container)));
  }
  Result<ShaderPtr> load_words(const RawWords& words, const GuestModes& modes) const override {
    tesla::RawProgram raw;
    raw.code = words.code;
    raw.entry = words.entry;
    raw.registers = words.registers;
    raw.local_bytes = words.local_bytes;
    raw.source_name = words.source_name;
    raw.stage = words.stage;
    raw.graphics = words.graphics;
    const auto chosen = modes_or_usual<tesla::Modes>(modes);
    WARPJIT_TRY(Program program, tesla::load_words(raw, chosen));
    if (!words.guess_state) return frontend::shared_shader(program);
    const tesla::Program& code = tesla_program(frontend::shader_of(program));
    if (words.stage == Stage::fragment) raw.graphics = tesla::state_of_code(code);
    raw.local_bytes = tesla::local_bytes_of_code(code);
    WARPJIT_TRY(program, tesla::load_words(raw, chosen));
    return frontend::shared_shader(program);
  }
  Status read_graphics(const JsonField& field, RawWords& words) const override {
    return tool::read_graphics(field, tesla::program_type(words.stage), words.graphics);
  }
  Result<Assembled> assemble(std::span<const SourceText> sources,
                             const AssembleOptions& options) const override {
    WARPJIT_TRY(const SourceText source, only_source(sources, options));
    WARPJIT_TRY(tesla::Container container, tesla::assemble(source.text, source.name));
    const std::string text = tesla::write_text_cubin(container);
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    Assembled assembled;
    assembled.container.assign(begin, begin + text.size());
    assembled.summary =
        fmt::format("{} program{}", container.programs.size(), container.programs.size() == 1 ? "" : "s");
    assembled.programs = std::make_unique<TeslaContainer>(std::move(container));
    return assembled;
  }

  Result<GuestModes> read_modes(const JsonField& field) const override {
    WARPJIT_CHECK(field.expect_keys({"fast-fmad", "fast-sfu", "saturated-nan-is-zero", "zero-wins",
                                     "infinite-derivatives", "linked-samplers", "call-limit"}));
    tesla::Modes modes;
    for (const Flag& flag : kFlags) WARPJIT_CHECK(read_flag(field, flag.key, modes.*flag.member));
    WARPJIT_TRY(modes.call_limit, number_at(field, "call-limit", 0, kMostCalls, kMostCalls));
    return GuestModes(modes);
  }
  Result<Texture> read_texture(const EntryWords& words, const EntryMemory& memory) const override {
    return tesla::read_texture_entry(words, {memory.address, memory.data, memory.size, memory.level_views});
  }
  Result<Sampler> read_sampler(const EntryWords& words, bool seamless) const override {
    return tesla::read_sampler_entry(words, seamless);
  }
  std::string_view source_ending() const override { return ".tesla"; }
  Result<std::optional<assembly::SourceNotes>> source_notes(const frontend::Shader& shader,
                                                            const SourceText& source) const override {
    std::vector<assembly::SourceNotes> notes;
    WARPJIT_TRY(const tesla::Container container, tesla::assemble(source.text, source.name, &notes));
    const tesla::Program& wanted = tesla_program(shader);
    for (std::size_t k = 0; k < container.programs.size(); ++k) {
      const tesla::Program& program = container.programs[k];
      if (program.type == wanted.type && program.name == wanted.name && program.code == wanted.code)
        return std::optional(std::move(notes[k]));
    }
    return std::optional<assembly::SourceNotes>();
  }
  Json words_json(const frontend::Shader& shader) const override {
    const tesla::Program& program = tesla_program(shader);
    Json json{{"words", words_array(program.code)},
              {"registers", program.registers},
              {"local", program.local_bytes}};
    if (program.entry != 0) json["entry"] = program.entry;
    if (Json graphics = graphics_json(program); !graphics.empty()) json["graphics"] = std::move(graphics);
    return json;
  }
  Json modes_json(const frontend::Shader& shader) const override {
    const tesla::Modes& modes = static_cast<const tesla::Shader&>(shader).modes();
    Json json = Json::object();
    for (const Flag& flag : kFlags)
      if (modes.*flag.member) json[flag.key] = true;
    if (modes.call_limit != kMostCalls) json["call-limit"] = modes.call_limit;
    return json;
  }
  Json white_fragment() const override {
    std::string source = ".type fragment\n";
    for (unsigned k = 0; k < 4; ++k) source += fmt::format("mov b32 $r{} 1.0\n", k);
    const auto container = tesla::assemble(source + "exit nop\n", "white");
    return {{"words", words_array(container->programs.front().code)}, {"registers", 4}};
  }
  std::uint32_t vertex_words(const frontend::Shader& shader) const override {
    std::uint32_t words = 4;
    const auto code = tesla::ReachedCode::find(tesla_program(shader));
    if (!code) return words;
    for (const tesla::ReachedInstruction& reached : code->instructions())
      for (const tesla::Operand& operand : reached.instruction.src)
        if (operand.kind == tesla::Operand::Kind::vertex) words = std::max(words, operand.value / 4 + 1);
    return words;
  }
  Json textures(const frontend::Shader& shader) const override {
    Json textures = Json::object();
    for (const auto& [slot, coordinates] : sampled_coordinates(tesla_program(shader)))
      textures[std::to_string(slot)] = template_texture(coordinates);
    return textures;
  }
  Json samplers(const frontend::Shader& shader) const override {
    Json samplers = Json::object();
    for (const frontend::TextureUse& use : shader.sampling().uses)
      if (use.needs_sampler)
        samplers[std::to_string(use.sampler)] = {
            {"wrap", "repeat"}, {"magnify", "linear"}, {"minify", "linear"}};
    return samplers;
  }
  GridLimits grid_limits() const override {
    return {{65535, 65535, 1},
            {512, 512, 512},
            tesla::kMaxSharedBytes,
            tesla::kParameterOffset,
            tesla::kMaxSharedBytes - tesla::kParameterOffset};
  }
  Result<GridUse> use(const frontend::Shader& shader) const override {
    const tesla::Program& program = tesla_program(shader);
    WARPJIT_TRY(const Used used, find_used(program));
    GridUse use;
    use.parameter_bytes = used.parameter_end - tesla::kParameterOffset;
    for (unsigned space = 0; space < tesla::kConstantSpaces; ++space)
      if ((used.constants >> space & 1) != 0)
        use.spaces.push_back(
            {fmt::format("c{}", space), true, false, used.constant_end[space], preset_bytes(program, space)});
    for (unsigned space = 0; space < tesla::kGlobalSpaces; ++space)
      if ((used.globals >> space & 1) != 0)
        use.spaces.push_back({fmt::format("g{}", space), false, (used.stored >> space & 1) != 0, 0, 0});
    return use;
  }

  Result<std::string> list(const frontend::Shader& shader, const ListOptions& options) const override {
    WARPJIT_CHECK(check_names(options));
    // Every form of the listing is exact.
    return tesla::disassemble(tesla_program(shader), {.words = options.words, .labels = options.labels});
  }
  Json list_json(const frontend::Shader& shader) const override {
    const tesla::Program& program = tesla_program(shader);
    Json list = Json::array();
    for (std::uint32_t word = 0; word < program.code.size();) {
      const auto decoded = tesla::decode(program.type, program.code, 4 * word);
      const std::uint32_t count = decoded ? decoded->words() : 1;
      Json row{{"address", 4 * word}, {"words", Json::array()}};
      for (std::uint32_t k = 0; k < count; ++k) row["words"].push_back(hex(program.code[word + k]));
      if (decoded)
        row["text"] = tesla::disassemble(*decoded);
      else
        row["why"] = decoded.error().message;
      list.push_back(std::move(row));
      word += count;
    }
    return list;
  }
  std::string instruction(const frontend::Shader& shader, std::uint32_t address) const override {
    const tesla::Program& program = tesla_program(shader);
    const auto decoded = tesla::decode(program.type, program.code, address);
    return decoded ? tesla::disassemble(*decoded) : std::string();
  }
  void describe(const frontend::Shader& shader, Json& json) const override {
    for (const tesla::ConstantSegment& c : tesla_program(shader).constants)
      json["constants"].push_back({{"space", fmt::format("c{}", c.space)},
                                   {"offset", c.offset},
                                   {"bytes", c.bytes},
                                   {"name", c.name}});
    if (Json graphics = graphics_json(tesla_program(shader)); !graphics.empty())
      json["graphics"] = std::move(graphics);
  }

 private:
  static constexpr Stage kStages[] = {Stage::compute, Stage::vertex, Stage::geometry, Stage::fragment};
  static constexpr std::string_view kInexactModes[] = {"fast-fmad", "fast-sfu"};
};

}  // namespace

const Guest& tesla_guest() {
  static const TeslaGuest kGuest;
  return kGuest;
}

}  // namespace warpjit::tool
