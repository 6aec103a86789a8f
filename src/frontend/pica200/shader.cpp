#include "frontend/pica200/shader.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "frontend/key.h"
#include "frontend/pica200/guest_interpreter.h"
#include "frontend/pica200/stage_values.h"

namespace warpjit::pica200 {
namespace {

using frontend::append_list, frontend::append_value;

constexpr std::uint16_t kCmpState = 18;

// A register file that names can address, for one purpose. Output numbers and state numbers count through
// the rows of their kind.
struct File {
  LocationKind kind;
  std::string_view prefix;
  bool numbered;
  std::uint16_t first, count, components;
  std::uint32_t word;
  ExitRegister exit;
};
constexpr File kFiles[] = {
    {LocationKind::input, "v", true, 0, 16, 4, 0, {}},
    {LocationKind::float_uniform, "c", true, 0, 96, 4, ValueWords::kFloat, {}},
    {LocationKind::int_uniform, "i", true, 0, 4, 4, ValueWords::kInt, {}},
    {LocationKind::bool_uniform, "b", true, 0, 16, 1, 0, {}},
    {LocationKind::output, "o", true, 0, 16, 4, 0, {ExitFile::o, 0}},
    {LocationKind::output, "r", true, 16, 16, 4, 0, {ExitFile::r, 0}},
    {LocationKind::output, "a0", false, 32, 1, 2, 0, {ExitFile::a0, 0}},
    {LocationKind::output, "aL", false, 33, 1, 1, 0, {ExitFile::aL, 0}},
    {LocationKind::output, "cmp", false, 34, 1, 2, 0, {ExitFile::cmp, 0}},
    {LocationKind::output, "emit", false, kEmitNumber, 1, 3, 0, {ExitFile::emit, 0}},
    {LocationKind::state, "r", true, 0, 16, 4, ValueWords::kR, {}},
    {LocationKind::state, "a0", false, 16, 1, 2, ValueWords::kA0, {}},
    {LocationKind::state, "aL", false, 17, 1, 1, ValueWords::kAL, {}},
    {LocationKind::state, "cmp", false, kCmpState, 1, 2, ValueWords::kCmp, {ExitFile::cmp, 0}},
};

bool is_uniform(LocationKind kind) {
  return kind == LocationKind::float_uniform || kind == LocationKind::int_uniform ||
         kind == LocationKind::bool_uniform;
}
bool matches(LocationKind wanted, LocationKind kind) {
  return wanted == kind || (wanted == LocationKind::uniform && is_uniform(kind));
}

Location location_of(const File& file, unsigned index) {
  Location location;
  location.kind = file.kind;
  location.first = static_cast<std::uint16_t>(file.first + index);
  location.count = static_cast<std::uint16_t>(file.count - index);
  location.components = file.components;
  location.word = file.word + index * file.components;
  return location;
}

std::optional<Location> find_register(LocationKind kind, std::string_view name) {
  for (const File& file : kFiles) {
    if (!matches(kind, file.kind)) continue;
    if (!file.numbered && name == file.prefix) return location_of(file, 0);
    if (!file.numbered) continue;
    if (const auto index = frontend::number_after(name, file.prefix, file.count))
      return location_of(file, *index);
  }
  return std::nullopt;
}

const File& file_of(const Location& location) {
  for (const File& file : kFiles)
    if (file.kind == location.kind && location.first >= file.first &&
        location.first < file.first + file.count)
      return file;
  return kFiles[0];
}

std::string output_name(const Output& output) {
  return pica200::name(Register{RegisterFile::o, static_cast<std::uint8_t>(output.reg)});
}

std::string_view kind_name(LocationKind kind) {
  switch (kind) {
    case LocationKind::input:
      return "an input";
    case LocationKind::output:
      return "an output";
    case LocationKind::state:
      return "a state register";
    default:
      return "a uniform";
  }
}

}  // namespace

Result<std::shared_ptr<const Shader>> Shader::make(Program program) {
  if (program.code.empty())
    return Error{ErrorCode::bad_input, "the program has no code", program.source_name};
  if (program.code.size() > kMaxCodeWords)
    return Error{ErrorCode::bad_input, "the code is longer than 4096 words", program.source_name};
  if (program.descriptors.size() > kMaxDescriptors)
    return Error{ErrorCode::bad_input, "there are more than 128 operand descriptors", program.source_name};
  if (program.entry >= program.code.size())
    return Error{ErrorCode::bad_input,
                 "the entry, word " + std::to_string(program.entry) + ", is outside the code of " +
                     std::to_string(program.code.size()) + " words",
                 program.source_name};
  return std::shared_ptr<const Shader>(new Shader(std::move(program)));
}

namespace {

frontend::Traits traits_of(const Program& program) {
  frontend::Traits traits;
  traits.isa = Isa::pica200;
  traits.stage = program.stage == Stage::vertex ? warpjit::Stage::vertex : warpjit::Stage::geometry;
  traits.name = program.entry_name;
  traits.entry = program.entry;
  traits.code_words = program.code.size();
  frontend::Declarations& declared = traits.declarations;
  for (const Symbol& symbol : program.symbols) {
    const unsigned count = symbol.last >= symbol.first.index ? symbol.last - symbol.first.index + 1u : 1u;
    (symbol.first.file == RegisterFile::v ? declared.inputs : declared.uniforms)
        .push_back({symbol.name, pica200::name(symbol.first), count});
  }
  for (const Output& output : program.outputs)
    declared.outputs.push_back(
        {output.name.empty() ? std::string(pica200::name(output.semantic)) : output.name, output_name(output),
         1});
  declared.enabled_outputs = program.output_mask;
  declared.vertex_outputs = 0xffff;
  declared.limits = {{LocationKind::int_uniform, 0, 4, 255}, {LocationKind::state, kCmpState, 1, 1}};
  return traits;
}

}  // namespace

Shader::Shader(Program program)
    : frontend::Shader(traits_of(program)),
      program_(std::move(program)),
      usage_(find_usage(program_, program_.entry)) {
  layout_.relative = usage_.relative;
  traits_.usage = {usage_.inputs, usage_.bools};
  traits_.table_bytes = layout_.bytes();

  append_value(code_key_, program_.stage);
  append_value(code_key_, program_.entry);
  append_value(code_key_, program_.f24);
  append_value(code_key_, program_.structural_scopes);
  append_list(code_key_, usage_.addresses);
  for (const std::uint16_t address : usage_.addresses) append_value(code_key_, program_.code[address]);
  append_list(code_key_, usage_.descriptors);
  for (const std::uint16_t index : usage_.descriptors)
    append_value(code_key_, index < program_.descriptors.size() ? program_.descriptors[index] : 0U);
}

Result<Location> Shader::find(LocationKind kind, std::string_view name) const {
  const std::optional<Location> by_register = find_register(kind, name);
  const bool no_unit = program_.stage != Stage::geometry && by_register && kind == LocationKind::output &&
                       by_register->first == kEmitNumber;
  if (by_register && !no_unit) return *by_register;
  const auto from_register = [&](const std::string& reg, unsigned count) -> std::optional<Location> {
    std::optional<Location> location = find_register(kind, reg);
    if (location) location->count = static_cast<std::uint16_t>(std::min<unsigned>(location->count, count));
    return location;
  };
  if (kind == LocationKind::output) {
    if (const Output* output = program_.find_output(name))
      if (const auto location = from_register(output_name(*output), 1)) return *location;
  } else {
    for (const auto* list : {&declarations().inputs, &declarations().uniforms})
      for (const warpjit::Symbol& symbol : *list)
        if (symbol.name == name)
          if (const auto location = from_register(symbol.reg, symbol.count)) return *location;
  }
  std::string message = "'";
  message.append(name).append("' is not ").append(kind_name(kind));
  return Error{ErrorCode::bad_input, std::move(message), source_name()};
}

std::string Shader::register_name(const Location& location) const {
  const File& file = file_of(location);
  std::string text(file.prefix);
  if (file.numbered) text += std::to_string(location.first - file.first);
  return text;
}

void Shader::reset(frontend::Values& values) const {
  values.words.assign(ValueWords::kCount, 0);
  values.bools = 0;
  values.state_given = 0;
  Uniforms preset;
  apply_constants(program_, preset);
  std::memcpy(values.words.data() + ValueWords::kFloat, preset.c, sizeof preset.c);
  for (unsigned n = 0; n < 4; ++n)
    for (unsigned k = 0; k < 4; ++k) values.words[ValueWords::kInt + 4 * n + k] = preset.i[n][k];
  values.bools = preset.b;
}

void Shader::fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const {
  const std::uint32_t* w = values.words.data();
  auto* bytes = reinterpret_cast<std::byte*>(table.data());
  constexpr std::size_t kFileBytes = 96 * 16;
  std::memcpy(bytes, w + ValueWords::kFloat, kFileBytes);
  if (layout_.relative) {
    // Row n reads index n & 0x7F: three turns of 128 rows, cut at 351.
    const auto ones = [&](std::size_t first_row) {
      auto* out = reinterpret_cast<float*>(bytes + 16 * first_row);
      for (int k = 0; k < 32 * 4; ++k) out[k] = 1.0f;
    };
    ones(96);
    std::memcpy(bytes + 128 * 16, bytes, kFileBytes);
    ones(224);
    std::memcpy(bytes + 256 * 16, bytes, (TableLayout::kRelativeRows - 256) * 16);
  }
  std::memcpy(bytes + layout_.i(0), w + ValueWords::kInt, 64);
  const std::uint32_t bools[4] = {static_cast<std::uint32_t>(values.bools), 0, 0, 0};
  std::memcpy(bytes + layout_.bools(), bools, sizeof bools);
  std::memcpy(bytes + layout_.r(0), w + ValueWords::kR, (ValueWords::kCount - ValueWords::kR) * 4);
}

TranslationFacts Shader::translation_facts(const frontend::Facts& facts) const {
  TranslationFacts result;
  result.layout = layout_;
  result.bools_known = static_cast<std::uint16_t>(facts.known_bools);
  result.bools = static_cast<std::uint16_t>(facts.bools & facts.known_bools);
  if (const auto* draw = facts.get_if<frontend::DrawFacts>()) {
    result.draw = *draw;
    return result;
  }
  const frontend::RowFacts* rows = facts.get_if<frontend::RowFacts>();
  if (const auto* primitives = facts.get_if<frontend::PrimitiveFacts>()) {
    rows = primitives;
    result.bools_known &= 0x7fff;  // b15 belongs to the unit's state
    result.geometry = {static_cast<std::uint16_t>(primitives->enabled),
                       static_cast<std::uint8_t>(primitives->max_triangles),
                       static_cast<std::uint8_t>(primitives->first_row),
                       static_cast<std::uint8_t>(primitives->row_count), primitives->keeps_unit};
  } else {
    result.state_r = static_cast<std::uint16_t>(rows->state_given);
    result.state_a0 = (rows->state_given >> 16 & 1) != 0;
    result.state_aL = (rows->state_given >> 17 & 1) != 0;
    result.state_cmp = (rows->state_given >> 18 & 1) != 0;
  }
  result.bound_inputs = static_cast<std::uint16_t>(rows->bound_inputs);
  for (const std::uint8_t number : rows->output_numbers()) {
    Location location;
    location.kind = LocationKind::output;
    location.first = number;
    const File& file = file_of(location);
    result.outputs.push_back({file.exit.file, static_cast<std::uint8_t>(number - file.first)});
  }
  return result;
}

Status Shader::append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const {
  key.insert(key.end(), code_key_.begin(), code_key_.end());
  append_value(key, facts.known_bools);
  append_value(key, facts.bools & facts.known_bools);
  const frontend::RowFacts* rows = facts.get_if<frontend::RowFacts>();
  if (const auto* draw = facts.get_if<frontend::DrawFacts>()) {
    append_value(key, *draw);
    return {};
  }
  if (const auto* primitives = facts.get_if<frontend::PrimitiveFacts>()) {
    rows = primitives;
    append_value(key, primitives->enabled);
    append_value(key, primitives->max_triangles);
    append_value(key, primitives->first_row);
    append_value(key, primitives->row_count);
    append_value(key, primitives->keeps_unit);
  }
  append_value(key, rows->bound_inputs);
  append_value(key, rows->state_given);
  append_list(key, rows->output_numbers());
  return {};
}

Result<Shader::Translation> Shader::translate(const frontend::Facts& facts, bool) const {
  Translation translation;
  if (program_.stage == Stage::vertex) {
    WARPJIT_TRY(translation.function, pica200::translate(program_, program_.entry, translation_facts(facts)));
    return translation;
  }
  WARPJIT_TRY(GeometryTranslation made,
              pica200::translate_geometry(program_, program_.entry, translation_facts(facts)));
  translation.function = std::move(made.function);
  translation.ordered = made.ordered;
  translation.unit = made.unit;
  return translation;
}

frontend::PrimitiveLimits Shader::primitive_limits() const { return {kFloatUniforms, ValueWords::kFloat}; }

GeometryInput Shader::geometry_input() const {
  GeometryInput input;
  constexpr PrimitiveMode kModes[] = {PrimitiveMode::point, PrimitiveMode::variable, PrimitiveMode::fixed};
  input.mode = kModes[static_cast<std::size_t>(program_.geometry_mode)];
  input.first = std::min<unsigned>(program_.fixed_start, kFloatUniforms - 1);
  input.vertices = std::min<unsigned>(program_.fixed_vertices, kFloatUniforms);
  input.full_vertices = std::min<unsigned>(program_.variable_vertices, kFloatUniforms);
  // Containers that declare no inputs take what a vertex program gives: what is read is what counts.
  const std::uint16_t inputs = program_.input_mask != 0 ? program_.input_mask : usage_.inputs;
  for (std::uint8_t n = 0; n < 16; ++n)
    if ((inputs >> n & 1) != 0) input.registers.push_back(n);
  input.outputs = program_.output_mask;
  return input;
}

void Shader::fill_unit(const frontend::Values& values, std::span<const std::uint32_t> unit,
                       std::byte* rows) const {
  InterpretedUnit start;
  bool b15 = (values.bools >> 15 & 1) != 0;
  if (unit.empty())
    start.registers = start_of(values);
  else
    b15 |= read_unit(reinterpret_cast<const std::byte*>(unit.data()), start);
  write_unit(start, b15, rows);
}

bool Shader::has_run(const std::byte* rows) const {
  InterpretedUnit unit;
  return read_unit(rows, unit);
}

void Shader::swap_banks(std::byte* rows) const {
  std::byte* bank = rows + 16 * std::size_t{UnitRows::kBank};
  std::swap_ranges(bank, bank + 16 * 16, rows + 16 * std::size_t{UnitRows::kOther});
}

void Shader::keep_unit(const std::byte* rows, std::span<std::uint32_t> unit) const {
  std::memcpy(unit.data(), rows, unit.size_bytes());
  for (std::size_t n = 0; n < unit.size(); ++n) {
    const std::size_t row = n / 4;
    if (row != UnitRows::kAddress && row != UnitRows::kLatch && (unit[n] & 0x7fffffff) > 0x7f800000)
      unit[n] = 0x7fc00000;
  }
}

Result<std::unique_ptr<frontend::GuestInterpreter>> Shader::prepare_interpreter(
    const frontend::Facts&) const {
  return make_guest_interpreter(program_);
}

}  // namespace warpjit::pica200
