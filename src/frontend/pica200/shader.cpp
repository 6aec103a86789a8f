#include "frontend/pica200/shader.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <initializer_list>

#include "frontend/pica200/interpret/draw.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {
namespace {

// Layout of frontend::Values::words.
constexpr std::uint32_t kFloatWord = Shader::kFloatWord, kIntWord = Shader::kIntWord, kStateR = kIntWord + 16,
                        kStateA0 = kStateR + 64, kStateAL = kStateA0 + 2, kStateCmp = kStateAL + 1,
                        kFixedInputs = kStateCmp + 2 + 3, kValueWords = kFixedInputs + 64;
static_assert(kFixedInputs == Shader::kFixedInputWord);
// From kStateR on, words lie as in the uniform table.
static_assert(4 * (kFixedInputs - kStateR) == TableLayout().v(0) - TableLayout().r(0));

// Output number of what SETEMIT latched: geometry programs only.
constexpr std::uint16_t kEmitNumber = 35;

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
    {LocationKind::float_uniform, "c", true, 0, 96, 4, kFloatWord, {}},
    {LocationKind::int_uniform, "i", true, 0, 4, 4, kIntWord, {}},
    {LocationKind::bool_uniform, "b", true, 0, 16, 1, 0, {}},
    {LocationKind::output, "o", true, 0, 16, 4, 0, {ExitFile::o, 0}},
    {LocationKind::output, "r", true, 16, 16, 4, 0, {ExitFile::r, 0}},
    {LocationKind::output, "a0", false, 32, 1, 2, 0, {ExitFile::a0, 0}},
    {LocationKind::output, "aL", false, 33, 1, 1, 0, {ExitFile::aL, 0}},
    {LocationKind::output, "cmp", false, 34, 1, 2, 0, {ExitFile::cmp, 0}},
    {LocationKind::output, "emit", false, kEmitNumber, 1, 3, 0, {ExitFile::emit, 0}},
    {LocationKind::state, "r", true, 0, 16, 4, kStateR, {}},
    {LocationKind::state, "a0", false, 16, 1, 2, kStateA0, {}},
    {LocationKind::state, "aL", false, 17, 1, 1, kStateAL, {}},
    {LocationKind::state, "cmp", false, 18, 1, 2, kStateCmp, {ExitFile::cmp, 0}},
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
    if (!matches(kind, file.kind) || !name.starts_with(file.prefix)) continue;
    const std::string_view digits = name.substr(file.prefix.size());
    if (!file.numbered) {
      if (digits.empty()) return location_of(file, 0);
      continue;
    }
    unsigned index = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, index);
    if (digits.empty() || error != std::errc() || stop != end || index >= file.count) continue;
    if (digits.size() > 1 && digits[0] == '0') continue;
    return location_of(file, index);
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

void append(std::vector<std::byte>& key, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  key.insert(key.end(), bytes, bytes + size);
}
template <class T>
void append(std::vector<std::byte>& key, const std::vector<T>& items) {
  const std::uint64_t count = items.size();
  append(key, &count, sizeof count);
  append(key, items.data(), items.size() * sizeof(T));
}
void append(std::vector<std::byte>& key, const frontend::DrawFacts& draw) {
  const auto bytes = [&](std::initializer_list<unsigned> list) {
    for (const unsigned byte : list) key.push_back(static_cast<std::byte>(byte));
  };
  bytes({draw.active});
  if (!draw.active) return;
  bytes({draw.numbered, draw.row_count, draw.input_count});
  for (const std::uint16_t mask : {draw.stored, draw.clamped, draw.fixed_inputs})
    bytes({mask & 0xffu, static_cast<unsigned>(mask >> 8)});
  for (unsigned k = 0; k < draw.input_count; ++k) {
    const frontend::FetchedInput& input = draw.inputs[k];
    bytes({input.reg, input.row, input.offset, static_cast<unsigned>(input.format.type),
           input.format.components});
  }
  for (unsigned k = 0; k < draw.results.size(); ++k)
    if ((draw.stored >> k & 1) != 0) append(key, draw.results[k].data(), draw.results[k].size());
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

std::int32_t signed_word(std::uint32_t word) { return std::bit_cast<std::int32_t>(word); }

ThreadState start_of(const frontend::Values& values) {
  ThreadState start;
  const std::uint32_t* w = values.words.data();
  // What the launch does not give is 0 in `values` already.
  std::memcpy(start.r, w + kStateR, sizeof start.r);
  start.a0[0] = signed_word(w[kStateA0]);
  start.a0[1] = signed_word(w[kStateA0 + 1]);
  start.aL = signed_word(w[kStateAL]);
  start.cmp[0] = w[kStateCmp] != 0;
  start.cmp[1] = w[kStateCmp + 1] != 0;
  return start;
}

std::byte* row(const frontend::Rows& rows, std::size_t thread) {
  return rows.address + static_cast<std::ptrdiff_t>(thread) * rows.stride;
}

void load_inputs(const frontend::Facts& facts, std::span<const frontend::Rows> inputs, std::size_t thread,
                 ThreadState& state) {
  std::size_t binding = 0;
  for (std::uint64_t bits = facts.bound_inputs; bits != 0; bits &= bits - 1, ++binding)
    std::memcpy(state.v[std::countr_zero(bits)], row(inputs[binding], thread), 16);
}

void store_register(const ThreadState& state, unsigned number, std::byte* to) {
  if (number < 32) {
    std::memcpy(to, number < 16 ? state.o[number] : state.r[number - 16], 16);
    return;
  }
  std::int32_t words[4] = {};
  if (number == 32) std::memcpy(words, state.a0, sizeof state.a0);
  if (number == 33) words[0] = state.aL;
  if (number == 34) words[0] = state.cmp[0], words[1] = state.cmp[1];
  std::memcpy(to, words, sizeof words);
}

// The owner of a unit has its rows, too.
static_assert(sizeof(GeometryUnit) == 16 * UnitRows::kCount);
static_assert(offsetof(GeometryUnit, a0) == 16 * UnitRows::kAddress &&
              offsetof(GeometryUnit, vertex) == 16 * UnitRows::kLatch &&
              offsetof(GeometryUnit, outputs) == 16 * UnitRows::kBank &&
              offsetof(GeometryUnit, vertices) == 16 * UnitRows::kBuffer);

// The unit as rows (UnitRows), b15 with it, and back.
void write_unit(const InterpretedUnit& unit, bool b15, std::byte* rows) {
  const ThreadState& s = unit.registers;
  const auto at = [&](std::uint32_t number) { return rows + 16 * std::size_t{number}; };
  std::memcpy(at(UnitRows::kR), s.r, sizeof s.r);
  const std::int32_t address[4] = {s.a0[0], s.a0[1], s.aL, s.cmp[0] | s.cmp[1] << 1};
  std::memcpy(at(UnitRows::kAddress), address, sizeof address);
  const std::int32_t latch[4] = {unit.vertex, unit.primitive | unit.winding << 1 | b15 << 2, 0, 0};
  std::memcpy(at(UnitRows::kLatch), latch, sizeof latch);
  std::memcpy(at(UnitRows::kBank), s.o, sizeof s.o);
  std::memcpy(at(UnitRows::kOther), unit.other_bank, sizeof unit.other_bank);
  std::memcpy(at(UnitRows::kBuffer), unit.vertices, sizeof unit.vertices);
}
bool read_unit(const std::byte* rows, InterpretedUnit& unit) {
  ThreadState& s = unit.registers;
  const auto at = [&](std::uint32_t number) { return rows + 16 * std::size_t{number}; };
  std::memcpy(s.r, at(UnitRows::kR), sizeof s.r);
  std::int32_t address[4], latch[4];
  std::memcpy(address, at(UnitRows::kAddress), sizeof address);
  std::memcpy(latch, at(UnitRows::kLatch), sizeof latch);
  s.a0[0] = address[0];
  s.a0[1] = address[1];
  s.aL = address[2];
  s.cmp[0] = (address[3] & 1) != 0;
  s.cmp[1] = (address[3] & 2) != 0;
  unit.vertex = latch[0] & 3;
  unit.primitive = (latch[1] & 1) != 0;
  unit.winding = (latch[1] & 2) != 0;
  std::memcpy(s.o, at(UnitRows::kBank), sizeof s.o);
  std::memcpy(unit.other_bank, at(UnitRows::kOther), sizeof unit.other_bank);
  std::memcpy(unit.vertices, at(UnitRows::kBuffer), sizeof unit.vertices);
  return (latch[1] & 4) != 0;
}

class GeometryGuest final : public frontend::GuestInterpreter {
 public:
  explicit GeometryGuest(Interpreter interpreter) : interpreter_(std::move(interpreter)) {}

  Status run(const frontend::Values& values, const frontend::Facts& facts,
             std::span<const frontend::Rows> inputs, std::span<const frontend::Rows> outputs,
             std::size_t count, std::uint64_t fuel) const override {
    if (count == 0) return {};
    const frontend::PrimitiveFacts& primitives = facts.primitives;
    Uniforms uniforms = Shader::guest_uniforms(values);
    InterpretedUnit unit;
    unit.enabled = static_cast<std::uint16_t>(primitives.enabled);
    const bool b15 = read_unit(inputs.back().address, unit);
    uniforms.b = static_cast<std::uint16_t>((uniforms.b & 0x7fff) | b15 << 15);
    const std::size_t bound = static_cast<std::size_t>(std::popcount(facts.bound_inputs));
    const auto extra = outputs.subspan(facts.output_count);
    for (std::size_t t = 0; t < count; ++t) {
      load_inputs(facts, inputs, t, unit.registers);
      if (primitives.row_count != 0)
        std::memcpy(uniforms.c[primitives.first_row], row(inputs[bound], t),
                    std::size_t{primitives.row_count} * 16);
      unit.triangles = {row(extra[frontend::kTrianglesOutput], t), primitives.max_triangles, 0, {}};
      if (Status status = interpreter_.run(uniforms, unit, fuel); !status) return status;
      const Triangles& made = unit.triangles;
      const std::uint32_t emission[4] = {made.count, made.inverted[0], made.inverted[1], made.inverted[2]};
      std::memcpy(row(extra[frontend::kEmissionOutput], t), emission, sizeof emission);
      for (std::size_t k = 0; k < facts.output_count; ++k) {
        std::byte* to = row(outputs[k], t);
        if (facts.outputs[k] != kEmitNumber) {
          store_register(unit.registers, facts.outputs[k], to);
          continue;
        }
        const std::uint32_t latch[4] = {unit.vertex, unit.primitive, unit.winding, 0};
        std::memcpy(to, latch, sizeof latch);
      }
    }
    write_unit(unit, true, extra[frontend::kUnitOutput].address);
    return {};
  }

 private:
  Interpreter interpreter_;
};

class ShaderInterpreter final : public frontend::GuestInterpreter {
 public:
  explicit ShaderInterpreter(Interpreter interpreter) : interpreter_(std::move(interpreter)) {}

  Status run(const frontend::Values& values, const frontend::Facts& facts,
             std::span<const frontend::Rows> inputs, std::span<const frontend::Rows> outputs,
             std::size_t thread_count, std::uint64_t fuel) const override {
    const Uniforms uniforms = Shader::guest_uniforms(values);
    const ThreadState start = start_of(values);
    for (std::size_t t = 0; t < thread_count; ++t) {
      ThreadState state = start;
      if (facts.draw.active) {
        fetch_vertex(facts.draw, inputs, t, values.words.data() + kFixedInputs, state);
        if (Status status = interpreter_.run(uniforms, state, fuel); !status) return status;
        canonicalize_outputs(state);
        store_vertex(facts.draw, state, outputs, t);
        continue;
      }
      load_inputs(facts, inputs, t, state);
      if (Status status = interpreter_.run(uniforms, state, fuel); !status) return status;
      canonicalize_outputs(state);
      for (std::size_t k = 0; k < facts.output_count; ++k)
        store_register(state, facts.outputs[k], row(outputs[k], t));
    }
    return {};
  }

 private:
  Interpreter interpreter_;
};

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

Shader::Shader(Program program) : program_(std::move(program)), usage_(find_usage(program_, program_.entry)) {
  layout_.relative = usage_.relative;
  for (const Symbol& symbol : program_.symbols) {
    const unsigned count = symbol.last >= symbol.first.index ? symbol.last - symbol.first.index + 1u : 1u;
    (symbol.first.file == RegisterFile::v ? inputs_ : uniforms_)
        .push_back({symbol.name, pica200::name(symbol.first), count});
  }
  for (const Output& output : program_.outputs)
    outputs_.push_back({output.name.empty() ? std::string(pica200::name(output.semantic)) : output.name,
                        output_name(output), 1});

  append(code_key_, &program_.entry, sizeof program_.entry);
  append(code_key_, &program_.f24, sizeof program_.f24);
  append(code_key_, &program_.structural_scopes, sizeof program_.structural_scopes);
  append(code_key_, usage_.addresses);
  for (const std::uint16_t address : usage_.addresses)
    append(code_key_, &program_.code[address], sizeof(std::uint32_t));
  append(code_key_, usage_.descriptors);
  for (const std::uint16_t index : usage_.descriptors) {
    const std::uint32_t word = index < program_.descriptors.size() ? program_.descriptors[index] : 0;
    append(code_key_, &word, sizeof word);
  }
}

warpjit::Stage Shader::stage() const {
  return program_.stage == Stage::vertex ? warpjit::Stage::vertex : warpjit::Stage::geometry;
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
    for (const auto* list : {&inputs_, &uniforms_})
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

std::uint32_t Shader::largest_word(const Location& location) const {
  if (location.kind == LocationKind::int_uniform) return 255;
  const File& file = file_of(location);
  return file.kind == LocationKind::state && file.exit.file == ExitFile::cmp ? 1 : ~std::uint32_t{0};
}

void Shader::reset(frontend::Values& values) const {
  values.words.assign(kValueWords, 0);
  values.bools = 0;
  values.state_given = 0;
  Uniforms preset;
  apply_constants(program_, preset);
  std::memcpy(values.words.data() + kFloatWord, preset.c, sizeof preset.c);
  for (unsigned n = 0; n < 4; ++n)
    for (unsigned k = 0; k < 4; ++k) values.words[kIntWord + 4 * n + k] = preset.i[n][k];
  values.bools = preset.b;
}

void Shader::fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const {
  const std::uint32_t* w = values.words.data();
  auto* bytes = reinterpret_cast<std::byte*>(table.data());
  constexpr std::size_t kFileBytes = 96 * 16;
  std::memcpy(bytes, w + kFloatWord, kFileBytes);
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
  std::memcpy(bytes + layout_.i(0), w + kIntWord, 64);
  const std::uint32_t bools[4] = {static_cast<std::uint32_t>(values.bools), 0, 0, 0};
  std::memcpy(bytes + layout_.bools(), bools, sizeof bools);
  std::memcpy(bytes + layout_.r(0), w + kStateR, (kValueWords - kStateR) * 4);
}

TranslationFacts Shader::translation_facts(const frontend::Facts& facts) const {
  TranslationFacts result;
  result.layout = layout_;
  result.bound_inputs = static_cast<std::uint16_t>(facts.bound_inputs);
  result.bools_known = static_cast<std::uint16_t>(facts.known_bools);
  result.bools = static_cast<std::uint16_t>(facts.bools & facts.known_bools);
  if (program_.stage == Stage::geometry) {
    const frontend::PrimitiveFacts& primitives = facts.primitives;
    result.bools_known &= 0x7fff;  // b15 belongs to the unit's state
    result.geometry = {static_cast<std::uint16_t>(primitives.enabled),
                       static_cast<std::uint8_t>(primitives.max_triangles),
                       static_cast<std::uint8_t>(primitives.first_row),
                       static_cast<std::uint8_t>(primitives.row_count), primitives.keeps_unit};
  } else {
    result.state_r = static_cast<std::uint16_t>(facts.state_given);
    result.state_a0 = (facts.state_given >> 16 & 1) != 0;
    result.state_aL = (facts.state_given >> 17 & 1) != 0;
    result.state_cmp = (facts.state_given >> 18 & 1) != 0;
  }
  result.draw = facts.draw;
  for (std::uint32_t k = 0; k < facts.output_count; ++k) {
    Location location;
    location.kind = LocationKind::output;
    location.first = facts.outputs[k];
    const File& file = file_of(location);
    result.outputs.push_back({file.exit.file, static_cast<std::uint8_t>(location.first - file.first)});
  }
  return result;
}

Uniforms Shader::guest_uniforms(const frontend::Values& values) {
  Uniforms uniforms;
  std::memcpy(uniforms.c, values.words.data() + kFloatWord, sizeof uniforms.c);
  for (unsigned n = 0; n < 4; ++n)
    for (unsigned k = 0; k < 4; ++k)
      uniforms.i[n][k] = static_cast<std::uint8_t>(values.words[kIntWord + 4 * n + k]);
  uniforms.b = static_cast<std::uint16_t>(values.bools);
  return uniforms;
}

Status Shader::append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const {
  key.insert(key.end(), code_key_.begin(), code_key_.end());
  const frontend::PrimitiveFacts& primitives = facts.primitives;
  const std::uint64_t words[] = {static_cast<std::uint64_t>(program_.stage),
                                 facts.bound_inputs,
                                 facts.known_bools,
                                 facts.bools & facts.known_bools,
                                 facts.state_given,
                                 facts.output_count,
                                 primitives.enabled,
                                 primitives.max_triangles,
                                 std::uint64_t{primitives.row_count} << 32 | primitives.first_row,
                                 primitives.keeps_unit};
  append(key, words, sizeof words);
  append(key, facts.outputs.data(), facts.output_count);
  append(key, facts.draw);
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

Result<std::unique_ptr<frontend::GuestInterpreter>> Shader::prepare_guest(const frontend::Facts&) const {
  WARPJIT_TRY(Interpreter interpreter, Interpreter::prepare(program_, program_.entry));
  std::unique_ptr<frontend::GuestInterpreter> guest;
  if (program_.stage == Stage::geometry)
    guest = std::make_unique<GeometryGuest>(std::move(interpreter));
  else
    guest = std::make_unique<ShaderInterpreter>(std::move(interpreter));
  return guest;
}

}  // namespace warpjit::pica200
