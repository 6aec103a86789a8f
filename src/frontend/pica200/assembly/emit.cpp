#include "frontend/pica200/assembly/emit.h"

#include <algorithm>

namespace warpjit::pica200 {
namespace {

// pica200.md 9: in the last slot of a scope these would lose their effect.
bool is_unfit_for_last_slot(Opcode opcode) {
  switch (opcode) {
    case Opcode::jmpc:
    case Opcode::jmpu:
    case Opcode::call:
    case Opcode::callc:
    case Opcode::callu:
      return true;
    default:
      return false;
  }
}

// "a, b and 3 more", or "no procedures".
template <class Map>
std::string list_names(const Map& map, std::string_view what) {
  constexpr std::size_t kMost = 8;
  if (map.empty()) return "no " + std::string(what);
  std::string list;
  std::size_t count = 0;
  for (const auto& [name, value] : map) {
    if (++count > kMost) return list + " and " + std::to_string(map.size() - kMost) + " more";
    list.append(list.empty() ? "" : ", ").append(quoted(name));
  }
  return list;
}

// Why a source cannot be a c register, of an instruction and its other form.
std::string no_wide_operand(Opcode opcode) {
  const OpcodeInfo& plain = info(opcode);
  const int first = wide_source(plain.format), second = wide_source(info(plain.swapped).format);
  std::string text = "this operand of " + std::string(plain.name) + " cannot be a c register, source " +
                     std::to_string(std::min(first, second));
  if (first != second) text += " or " + std::to_string(std::max(first, second));
  return text + " can; exchange the operands or copy it to a temporary register (mov) before";
}

}  // namespace

Status Emitter::file(const std::vector<Statement>& statements, const std::string& file_name) {
  first_ = current_ = files_.size();
  files_.emplace_back(file_name, space_, notes_.warnings);
  files_.back().empty = statements.empty();
  verbatim_ = false;
  for (const Statement& statement : statements) {
    if (const auto* node = std::get_if<InstructionNode>(&statement)) {
      WARPJIT_CHECK(instruction(*node));
    } else if (const auto* name = std::get_if<LabelNode>(&statement)) {
      WARPJIT_CHECK(label(*name));
    } else {
      WARPJIT_CHECK(directive(std::get<DirectiveNode>(statement)));
    }
  }
  if (!scopes_.empty()) return scopes_.back().position.error("this is not closed by .end");
  for (std::size_t k = first_; k < files_.size(); ++k)
    if (const auto& array = files_[k].symbols.open_array())
      return array->position.error("the array " + quoted(array->text) + " is not closed by .end");
  return {};
}

Status Emitter::directive(const DirectiveNode& node) {
  OperandReader in(node.tokens, &notes_.warnings);
  File& file = files_[current_];
  if (node.name == "end") {
    WARPJIT_TRY(const bool closed_array, file.symbols.close_array());
    WARPJIT_CHECK(in.expect_end());
    return closed_array ? Status() : end(node.position);
  }
  WARPJIT_TRY(const bool done, file.symbols.directive(node));
  if (done) return {};
  if (node.name == "proc") {
    WARPJIT_CHECK(procedure(in, node.position));
  } else if (node.name == "else") {
    WARPJIT_CHECK(otherwise(node.position));
  } else if (node.name == "entry") {
    WARPJIT_TRY(const Token name, in.expect_name("a procedure"));
    file.entry = std::string(name.text);
    file.entry_position = name.position;
  } else if (node.name == "program") {
    WARPJIT_CHECK(program(in));
  } else if (node.name == "header") {
    WARPJIT_CHECK(header(in));
  } else if (node.name == "exact") {
    WARPJIT_CHECK(exact(in));
  } else if (node.name == "op") {
    WARPJIT_CHECK(exact_instruction(in));
  } else if (node.name == "word" || node.name == "desc") {
    WARPJIT_CHECK(raw_word(in, node.name == "desc", node.position));
  } else if (node.name == "verbatim") {
    verbatim_ = true;
  } else {
    return node.position.error(
        "there is no directive '." + std::string(node.name) +
        "'; there are .proc, .else, .end, .alias, .set, .fvec, .ivec, .bool, .constf, .consti, .constfa, "
        ".in, .out, .entry, .nodvle, .gsh, .setf, .seti and .setb, and those of listings");
  }
  return in.expect_end();
}

// .program number: what follows belongs to that program of the file, or begins the next one
Status Emitter::program(OperandReader& in) {
  if (!scopes_.empty()) return in.peek().position.error("a program cannot begin inside a block");
  const auto count = static_cast<std::int64_t>(files_.size() - first_);
  WARPJIT_TRY(const std::int64_t number, in.whole(0, count, PicassoNumber::none));
  current_ = first_ + static_cast<std::size_t>(number);
  if (number == count) {
    files_.emplace_back(*files_[first_].name, space_, notes_.warnings);
    files_.back().empty = false;
  }
  return {};
}

// .header field=value ...
Status Emitter::header(OperandReader& in) {
  while (!in.at_end()) {
    WARPJIT_TRY(const Token key, in.expect_name("a field"));
    WARPJIT_CHECK(in.expect("="));
    const auto* field = std::find_if(std::begin(kHeaderFields), std::end(kHeaderFields),
                                     [&](const HeaderField& f) { return f.name == key.text; });
    if (field == std::end(kHeaderFields)) {
      std::string names;
      for (const HeaderField& known : kHeaderFields)
        names.append(names.empty() ? "" : ", ").append(known.name);
      return key.position.error("a program has no field " + quoted(key.text) + "; its fields are " + names);
    }
    WARPJIT_TRY(const std::int64_t value, in.expect_integer(0, field->most));
    files_[current_].header.emplace_back(field, static_cast<std::uint32_t>(value));
  }
  return {};
}

Status Emitter::procedure(OperandReader& in, const Position& position) {
  if (!scopes_.empty()) return position.error("a procedure cannot be inside another block");
  WARPJIT_TRY(const Token name, in.expect_name("a name"));
  const bool is_new = procedures_.emplace(std::string(name.text), Procedure{here(), here(), current_}).second;
  if (!is_new) return name.position.error("the procedure " + quoted(name.text) + " is already defined");
  scopes_.push_back({ScopeKind::procedure, position, here(), 0, {}, std::string(name.text)});
  needs_padding_ = ends_in_break_ = false;
  return {};
}

// A NOP where the block would be empty or would end in a word that cannot be the last one.
void Emitter::pad() {
  const OpenScope& scope = scopes_.back();
  if (needs_padding_ || (ends_in_break_ && scope.kind == ScopeKind::loop) || here() == scope.start)
    place_word(encode(Instruction{}), notes_.words.empty() ? scope.position : notes_.words.back());
  needs_padding_ = ends_in_break_ = false;
}
void Emitter::place_word(std::uint32_t word, const Position& position) {
  code_.push_back(word);
  notes_.words.push_back(position);
}

Status Emitter::otherwise(const Position& position) {
  if (scopes_.empty() || scopes_.back().kind != ScopeKind::conditional || scopes_.back().otherwise)
    return position.error(".else belongs to no ifc or ifu");
  pad();
  scopes_.back().otherwise = here();
  scopes_.back().start = here();
  return {};
}

Status Emitter::end(const Position& position) {
  if (scopes_.empty()) return position.error(".end closes nothing");
  pad();
  if (here() > kMaxCodeWords) return position.error("the program has more than 4096 words");
  const OpenScope scope = std::move(scopes_.back());
  scopes_.pop_back();
  needs_padding_ = true;  // the ends of two scopes must differ
  switch (scope.kind) {
    case ScopeKind::procedure:
      procedures_.find(scope.name)->second.end = here();
      break;
    case ScopeKind::loop:
      return set_length(scope.instruction, here() - 1, 0, scope.position);
    case ScopeKind::conditional: {
      const std::uint32_t otherwise = scope.otherwise.value_or(here());
      return set_length(scope.instruction, otherwise, here() - otherwise, scope.position);
    }
  }
  return {};
}

Status Emitter::set_length(std::uint32_t address, std::uint32_t target, std::uint32_t length,
                           const Position& position) {
  if (target >= kMaxCodeWords) return position.error("the target is past word 4095");
  if (length > 255)
    return position.error("the block has " + std::to_string(length) + " words; the limit is 255");
  Instruction instruction = *try_decode(code_[address]);
  instruction.target = static_cast<std::uint16_t>(target);
  instruction.num = static_cast<std::uint16_t>(length);
  code_[address] = encode(instruction);
  return {};
}

Status Emitter::label(const LabelNode& node) {
  if (scopes_.empty()) return node.position.error("a label must be inside a procedure");
  if (!files_[current_].labels.emplace(std::string(node.name), here()).second)
    return node.position.error("the label " + quoted(node.name) + " is already defined");
  // A jump to the very end of a block would miss the block's end.
  needs_padding_ = true;
  return {};
}

Status Emitter::append(std::uint32_t word, const Position& position) {
  if (code_.size() == kMaxCodeWords) return position.error("the program has more than 4096 words");
  place_word(word, position);
  return {};
}

Status Emitter::instruction(const InstructionNode& node) {
  if (scopes_.empty()) return node.position.error("an instruction must be inside a procedure");
  const std::uint32_t address = here();
  Symbols& symbols = files_[current_].symbols;
  Instruction out = node.fields;
  if ((out.info().traits & kGeometry) != 0) symbols.use_geometry();
  if (!node.sources.empty()) WARPJIT_CHECK(operands(node, out));
  if (!node.uniform.name.empty()) {
    const RegisterFile file = out.info().format == Format::bool_flow ? RegisterFile::b : RegisterFile::i;
    WARPJIT_TRY(const Register reg, symbols.uniform(node.uniform, file));
    out.uniform = reg.index;
  }
  WARPJIT_CHECK(append(encode(out), node.position));
  needs_padding_ = is_unfit_for_last_slot(node.fields.opcode);
  ends_in_break_ = node.fields.opcode == Opcode::break_ || node.fields.opcode == Opcode::breakc;
  if (!node.sources.empty()) descriptors_.used_by(address);
  if (!node.target.empty())
    patches_.push_back({address, current_, std::string(node.target), node.target_position});
  if (node.fields.opcode == Opcode::ifc || node.fields.opcode == Opcode::ifu)
    scopes_.push_back({ScopeKind::conditional, node.position, here(), address, {}, {}});
  if (node.fields.opcode == Opcode::loop)
    scopes_.push_back({ScopeKind::loop, node.position, here(), address, {}, {}});
  return {};
}

// MOVA's destination is not in a register file: a0 and a0.x, a1 and a0.y, a01 and a0.xy.
Status Emitter::mova(const InstructionNode& node, Instruction& out, Descriptor& descriptor) {
  constexpr struct {
    std::string_view name;
    std::uint8_t mask;
  } kNames[] = {{"a0", kX}, {"a1", kY}, {"a01", kXY}};
  const std::string name = lower_case(node.dst.name);
  const Swizzle& swizzle = node.dst.swizzle;
  const auto* known =
      std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& row) { return row.name == name; });
  if (known == std::end(kNames) || node.dst.indexed || node.dst.negate ||
      (swizzle.count != 0 && name != "a0"))
    return node.dst.position.error("mova writes a0.x (or a0), a0.y (or a1) or a0.xy (or a01), not " +
                                   quoted(node.dst.name));
  out.dst = 0;
  descriptor.mask = swizzle.count == 0 ? known->mask : 0;
  for (unsigned k = 0; k < swizzle.count; ++k)
    descriptor.mask = static_cast<std::uint8_t>(descriptor.mask | 8U >> swizzle.component[k]);
  if ((descriptor.mask & ~kXY) != 0) return node.dst.position.error("a0 has only x and y");
  return {};
}

// The hardware reads wrong values where an instruction names two input registers.
Status Emitter::check_inputs(const InstructionNode& node, const std::vector<Source>& sources) {
  const Source* first = nullptr;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    if (sources[k].reg.file != RegisterFile::v) continue;
    if (first == nullptr) first = &sources[k];
    if (first->reg == sources[k].reg) continue;
    const std::string message = name(first->reg) + " and " + name(sources[k].reg) +
                                " are two input registers, of which an instruction can name one: the "
                                "hardware reads wrong values";
    if (!verbatim_)
      return node.sources[k].position.error(message + "; copy one to a temporary register (mov) before");
    notes_.warnings.add(node.sources[k].position, message);
    break;
  }
  return {};
}

Status Emitter::operands(const InstructionNode& node, Instruction& out) {
  const Symbols& symbols = files_[current_].symbols;
  Descriptor descriptor;
  if (node.fields.opcode == Opcode::mova) {
    WARPJIT_CHECK(mova(node, out, descriptor));
  } else if (node.fields.opcode != Opcode::cmp) {
    WARPJIT_TRY(const Symbols::Destination destination, symbols.destination(node.dst));
    out.dst = static_cast<std::uint16_t>(*dest_code(destination.reg));
    descriptor.mask = destination.mask;
  }
  std::vector<Source> sources;
  int wide = 0;  // the source that needs the wide field
  for (std::size_t k = 0; k < node.sources.size(); ++k) {
    WARPJIT_TRY(const Source source, symbols.source(node.sources[k]));
    if (!source_code(source.reg))
      return node.sources[k].position.error(name(source.reg) +
                                            " cannot be read here; v0 to v15, r0 to r15 and c0 to c95 can");
    if (source.reg.file == RegisterFile::c) {
      if (wide != 0)
        return node.sources[k].position.error(
            "only one operand may be a c register; copy the other one to a temporary register (mov) before");
      wide = static_cast<int>(k) + 1;
    }
    descriptor.negate[k] = source.negate ? 1 : 0;
    descriptor.selector[k] = source.selector();
    sources.push_back(source);
  }
  WARPJIT_CHECK(check_inputs(node, sources));
  const Opcode swapped = pica200::info(node.fields.opcode).swapped;
  // Without an operand that needs the wide field the plain one of both forms is taken.
  if (wide == 0 && !verbatim_ && wide_source(out.info().format) > wide_source(pica200::info(swapped).format))
    out.opcode = swapped;
  if (wide != 0 && wide_source(out.info().format) != wide) {
    out.opcode = swapped;
    if (wide_source(out.info().format) != wide)
      return node.sources[static_cast<std::size_t>(wide - 1)].position.error(
          no_wide_operand(node.fields.opcode));
  }
  for (std::size_t k = 0; k < sources.size(); ++k) {
    auto& field = k == 0 ? out.src1 : k == 1 ? out.src2 : out.src3;
    field = static_cast<std::uint16_t>(*source_code(sources[k].reg));
    if (static_cast<int>(k) + 1 == wide) out.idx = sources[k].idx;
  }
  const auto index = descriptors_.intern(out.opcode, encode_descriptor(descriptor), code_);
  if (!index)
    return node.position.error(
        "the program needs too many different operand descriptors: the table has 128, of which mad reaches "
        "the first 32");
  out.descriptor = *index;
  return {};
}

// .exact vertex|geometry entry
Status Emitter::exact(OperandReader& in) {
  WARPJIT_TRY(const Token stage, in.expect_name("vertex or geometry"));
  if (stage.text != "vertex" && stage.text != "geometry")
    return stage.position.error("expected vertex or geometry");
  WARPJIT_TRY(const std::int64_t entry, in.expect_integer(0, kMaxCodeWords - 1));
  ProgramInfo info;
  info.stage = stage.text == "vertex" ? Stage::vertex : Stage::geometry;
  info.entry = static_cast<std::uint32_t>(entry);
  files_[current_].exact = info;
  files_[current_].entry_position = stage.position;
  return {};
}

// .op mnemonic field=value ... : every field as the encoding has it
Status Emitter::exact_instruction(OperandReader& in) {
  WARPJIT_TRY(const Token mnemonic, in.expect_name("an instruction"));
  const auto opcode = find_opcode(mnemonic.text);
  if (!opcode) return mnemonic.position.error("there is no instruction " + quoted(mnemonic.text));
  Instruction out;
  out.opcode = *opcode;
  while (!in.at_end()) {
    WARPJIT_TRY(const Token key, in.expect_name("a field"));
    WARPJIT_CHECK(in.expect("="));
    if (key.text == "unused") {
      WARPJIT_TRY(const std::int64_t bits, in.expect_integer(0, UINT32_MAX));
      out.unused = static_cast<std::uint32_t>(bits);
      if ((out.unused & ~unused_bits(out.opcode)) != 0)
        return key.position.error("these bits are not unused");
      continue;
    }
    const auto list = fields(out.opcode);
    const auto field =
        std::find_if(list.begin(), list.end(), [&](const Field& f) { return f.name == key.text; });
    if (field == list.end()) {
      std::string names = "unused";
      for (const Field& known : list) names.append(", ").append(known.name);
      return key.position.error(std::string(out.info().name) + " has no field " + quoted(key.text) +
                                "; its fields are " + names);
    }
    const unsigned limit = (1U << field->width) - 1;
    unsigned value = 0;
    const Token token = in.peek();
    if (token.kind == Token::Kind::name) {
      in.take();
      const auto reg = parse_register(token.text);
      const auto code = !reg                                 ? std::nullopt
                        : field->kind == Field::Kind::source ? source_code(*reg)
                        : field->kind == Field::Kind::dest   ? dest_code(*reg)
                                                             : std::nullopt;
      if (!code || *code > limit)
        return token.position.error(quoted(token.text) + " cannot stand in this field");
      value = *code;
    } else {
      WARPJIT_TRY(const std::int64_t number, in.expect_integer(0, limit));
      value = static_cast<unsigned>(number);
    }
    out.*field->member = static_cast<std::uint16_t>(value);
  }
  return append(encode(out), mnemonic.position);
}

Status Emitter::raw_word(OperandReader& in, bool is_descriptor, const Position& position) {
  WARPJIT_TRY(const std::int64_t bits, in.expect_integer(0, UINT32_MAX));
  const auto word = static_cast<std::uint32_t>(bits);
  if (!is_descriptor) return append(word, position);
  if (!descriptors_.append(word)) return position.error("there are only 128 operand descriptors");
  return {};
}

Status Emitter::resolve(const Patch& patch) {
  const Instruction instruction = *try_decode(code_[patch.address]);
  const bool is_jump = instruction.opcode == Opcode::jmpc || instruction.opcode == Opcode::jmpu;
  const auto& labels = files_[patch.file].labels;
  const auto label = labels.find(patch.target);
  const auto procedure = procedures_.find(patch.target);
  if (is_jump) {
    if (label == labels.end() && procedure == procedures_.end())
      return patch.position.error("there is no label " + quoted(patch.target) + " in this file; it has " +
                                  list_names(labels, "labels"));
    const std::uint32_t target = label != labels.end() ? label->second : procedure->second.start;
    return set_length(patch.address, target, instruction.num, patch.position);
  }
  if (procedure == procedures_.end())
    return patch.position.error("there is no procedure " + quoted(patch.target) + "; there are " +
                                list_names(procedures_, "procedures"));
  return set_length(patch.address, procedure->second.start, procedure->second.end - procedure->second.start,
                    patch.position);
}

// The procedure that a program begins with, and its name.
Result<Emitter::Procedure> Emitter::entry(const File& file, std::string& name) const {
  name = file.entry;
  Position position = file.entry_position;
  const char* modes = "";
  if (const auto& named = file.symbols.geometry_entry(); named && position.file == nullptr) {
    name = std::string(named->text);
    position = named->position;
    modes = "; modes are point, variable (or subdivision) and fixed (or particle)";
  }
  const auto entry = procedures_.find(name);
  if (entry != procedures_.end()) return entry->second;
  if (position.file == nullptr) position = Position{file.name, 1, 1};
  return position.error("there is no procedure " + quoted(name) + " to start at; there are " +
                        list_names(procedures_, "procedures") + modes);
}

Result<Container> Emitter::finish() {
  for (const Patch& patch : patches_) WARPJIT_CHECK(resolve(patch));
  Container container;
  for (std::size_t k = 0; k < files_.size(); ++k) {
    const File& file = files_[k];
    if (file.symbols.without_program() || file.empty) continue;
    ProgramInfo info;
    file.symbols.describe(info);
    if (file.exact) {
      info.stage = file.exact->stage;
      info.entry = file.exact->entry;
      info.main_end = here();
      if (info.entry >= code_.size())
        return file.entry_position.error("the entry " + std::to_string(info.entry) + " is past the last of " +
                                         std::to_string(code_.size()) + " words");
    } else {
      WARPJIT_TRY(const Procedure procedure, entry(file, info.entry_name));
      info.entry = procedure.start;
      info.main_end = procedure.end;
    }
    for (const auto& [field, value] : file.header) field->set(info, value);
    for (const auto& [name, procedure] : procedures_)
      if (procedure.file == k || name == info.entry_name)
        info.labels.push_back({name, procedure.start, 0, 0});
    for (const auto& [name, address] : file.labels) info.labels.push_back({name, address, 0, 0});
    std::stable_sort(info.labels.begin(), info.labels.end(),
                     [](const Label& a, const Label& b) { return a.address < b.address; });
    for (std::size_t id = 0; id < info.labels.size(); ++id)
      info.labels[id].id = static_cast<std::uint8_t>(id);
    container.programs.push_back(std::move(info));
    notes_.outputs.push_back(file.symbols.outputs());
  }
  if (container.programs.empty()) {
    const std::string* first = files_.empty() ? nullptr : files_.front().name;
    return Position{first, 1, 1}.error(
        "there is no program: no file has code that it does not keep for others by .nodvle");
  }
  for (const auto& [name, procedure] : procedures_)
    notes_.procedures.push_back({procedure.start, procedure.end});
  container.source_name = *files_.front().name;
  container.code = std::move(code_);
  container.descriptors = descriptors_.words();
  return container;
}

}  // namespace warpjit::pica200
