#include "frontend/pica200/assembly/symbols.h"

namespace warpjit::pica200 {
namespace {

constexpr unsigned kFileSizes[] = {16, 16, 96, 16, 4, 16};
constexpr std::string_view kFileNames[] = {"input",  "temporary",       "float uniform",
                                           "output", "integer uniform", "bool uniform"};

bool is_true(std::string_view text) { return text == "true" || text == "on" || text == "1"; }
bool is_false(std::string_view text) { return text == "false" || text == "off" || text == "0"; }

}  // namespace

std::uint8_t Source::selector() const {
  return static_cast<std::uint8_t>(component[0] << 6 | component[1] << 4 | component[2] << 2 | component[3]);
}

Status Symbols::define(const Token& name, const Source& meaning) {
  if (parse_register(name.text) || name.text == "a0" || name.text == "aL" || name.text == "cmp")
    return name.position.error(quoted(name.text) + " is a register's name");
  if (!meanings_.emplace(std::string(name.text), meaning).second)
    return name.position.error(quoted(name.text) + " is already defined");
  return {};
}

namespace {

Error none_left(RegisterFile file, unsigned count, const Position& position) {
  return position.error("there are not " + std::to_string(count) + " free " +
                        std::string(kFileNames[static_cast<std::size_t>(file)]) + " registers left");
}

// How many registers from `first` on are free, at most `count`.
template <class Free>
unsigned free_run(unsigned first, unsigned count, const Free& is_free) {
  unsigned run = 0;
  while (run < count && is_free(first + run)) ++run;
  return run;
}

}  // namespace

// Inputs, outputs and named uniforms from the lowest register on.
Result<unsigned> Symbols::lowest(RegisterFile file, unsigned count, const Position& position) {
  const auto k = static_cast<std::size_t>(file);
  const bool is_uniform = file != RegisterFile::v && file != RegisterFile::o;
  auto& given = is_uniform ? space_->named[k] : taken_[k];
  const auto is_free = [&](unsigned reg) {
    return !given[reg] && !taken_[k][reg] && !(is_uniform && space_->constant[k][reg]);
  };
  for (unsigned first = file == RegisterFile::c ? space_->first_free_c : 0; first + count <= kFileSizes[k];
       ++first) {
    if (free_run(first, count, is_free) < count) continue;
    std::fill_n(given.begin() + first, count, true);
    return first;
  }
  return none_left(file, count, position);
}

// Constants from the highest register down.
Result<unsigned> Symbols::highest(RegisterFile file, unsigned count, const Position& position) {
  const auto k = static_cast<std::size_t>(file);
  const auto is_free = [&](unsigned reg) { return !space_->named[k][reg] && !taken_[k][reg]; };
  const unsigned low = file == RegisterFile::c ? space_->first_free_c : 0;
  for (unsigned end = kFileSizes[k]; end >= low + count; --end) {
    if (free_run(end - count, count, is_free) < count) continue;
    std::fill_n(taken_[k].begin() + (end - count), count, true);
    std::fill_n(space_->constant[k].begin() + (end - count), count, true);
    return end - count;
  }
  return none_left(file, count, position);
}

Result<bool> Symbols::directive(const DirectiveNode& node) {
  OperandReader in(node.tokens);
  Status status;
  if (array_name_ && node.name != "constfa") {
    return node.position.error("the array " + quoted(array_name_->text) + " is not closed by .end");
  }
  if (node.name == "fvec") return names(node, RegisterFile::c);
  if (node.name == "ivec") return names(node, RegisterFile::i);
  if (node.name == "bool") return names(node, RegisterFile::b);
  if (node.name == "in") {
    status = input(in);
  } else if (node.name == "out") {
    status = output(in);
  } else if (node.name == "alias") {
    status = alias(in);
  } else if (node.name == "constf") {
    status = constant(in, RegisterFile::c);
  } else if (node.name == "consti") {
    status = constant(in, RegisterFile::i);
  } else if (node.name == "constfa") {
    status = array(in, node.position);
  } else if (node.name == "setf") {
    status = preset(in, RegisterFile::c);
  } else if (node.name == "seti") {
    status = preset(in, RegisterFile::i);
  } else if (node.name == "setb") {
    status = preset(in, RegisterFile::b);
  } else if (node.name == "gsh") {
    status = geometry(in);
  } else if (node.name == "nodvle") {
    no_program_ = true;
  } else if (node.name == "symbol") {
    status = symbol(in);
  } else if (node.name == "output") {
    status = raw_output(in);
  } else if (node.name == "rawf") {
    status = raw_constant(in);
  } else {
    return false;
  }
  WARPJIT_CHECK(status);
  WARPJIT_CHECK(in.expect_end());
  return true;
}

// .fvec name[size] [register], name ...
Result<bool> Symbols::names(const DirectiveNode& node, RegisterFile file) {
  OperandReader in(node.tokens);
  do {
    WARPJIT_TRY(const Token name, in.expect_name("a name"));
    unsigned count = 1;
    if (in.accept("[")) {
      WARPJIT_TRY(const std::int64_t size, in.whole(1, kFileSizes[static_cast<std::size_t>(file)]));
      count = static_cast<unsigned>(size);
      WARPJIT_CHECK(in.expect("]"));
    }
    WARPJIT_TRY(const unsigned first, place(in, name, file, count));
    Source meaning;
    meaning.reg = {file, static_cast<std::uint8_t>(first)};
    WARPJIT_CHECK(define(name, meaning));
    uniforms_.push_back({std::string(name.text), meaning.reg, static_cast<std::uint8_t>(first + count - 1)});
  } while (in.accept(","));
  WARPJIT_CHECK(in.expect_end());
  return true;
}

// The first register of a named uniform: the one that is written, else that of the same name in another file
// of the space, else the lowest free ones.
Result<unsigned> Symbols::place(OperandReader& in, const Token& name, RegisterFile file, unsigned count) {
  const auto k = static_cast<std::size_t>(file);
  if (in.peek().kind == Token::Kind::name) {
    const Position position = in.peek().position;
    WARPJIT_TRY(const Register reg, register_of(in, file, kFileNames[k]));
    if (reg.index + count > kFileSizes[k]) return none_left(file, count, position);
    std::fill_n(space_->named[k].begin() + reg.index, count, true);
    return reg.index;
  }
  if (const auto found = space_->names.find(name.text);
      found != space_->names.end() && !meanings_.contains(name.text)) {
    const UniformSpace::Named& known = found->second;
    if (known.file == file && known.count == count) return known.first;
    return name.position.error(quoted(name.text) + " is " + std::to_string(known.count) + " " +
                               std::string(kFileNames[static_cast<std::size_t>(known.file)]) +
                               " registers in another file");
  }
  WARPJIT_TRY(const unsigned first, lowest(file, count, name.position));
  space_->names.emplace(std::string(name.text), UniformSpace::Named{file, first, count});
  return first;
}

Result<Register> Symbols::register_of(OperandReader& in, RegisterFile file, std::string_view what) const {
  WARPJIT_TRY(const Token token, in.expect_name(what));
  auto reg = parse_register(token.text);
  if (!reg)
    if (const auto found = meanings_.find(token.text); found != meanings_.end() && found->second.idx == 0)
      reg = found->second.reg;
  if (!reg || reg->file != file)
    return token.position.error(
        "expected " + name(Register{file, 0}) + " to " +
        name(Register{file, static_cast<std::uint8_t>(kFileSizes[static_cast<std::size_t>(file)] - 1)}));
  return *reg;
}

// .symbol name first [last]: a row of the container's table that gives no name to the source
Status Symbols::symbol(OperandReader& in) {
  WARPJIT_TRY(const Token name, in.expect_name("a name"));
  WARPJIT_TRY(const Token first, in.expect_name("a register"));
  const Token last = in.at_end() ? first : in.take();
  const auto from = parse_register(first.text), to = parse_register(last.text);
  if (!from || from->file == RegisterFile::r || from->file == RegisterFile::o)
    return first.position.error("expected an input or a uniform register");
  if (!to || to->file != from->file || to->index < from->index)
    return last.position.error("expected a register from " + std::string(first.text) + " on");
  listed_.push_back({std::string(name.text), *from, to->index});
  return {};
}

// .output meaning register mask: a row of the container's table by its numbers
Status Symbols::raw_output(OperandReader& in) {
  Output output;
  WARPJIT_TRY(const std::int64_t semantic, in.whole(0, 255));
  output.semantic = static_cast<Semantic>(semantic);
  WARPJIT_TRY(const Register reg, register_of(in, RegisterFile::o, "an output register"));
  output.reg = reg.index;
  WARPJIT_TRY(const std::int64_t mask, in.whole(0, 255));
  output.mask = static_cast<std::uint8_t>(mask);
  info_.output_mask = static_cast<std::uint16_t>(info_.output_mask | 1U << output.reg);
  info_.outputs.push_back(std::move(output));
  return {};
}

// .rawf register(x, y, z, w): .setf with 24-bit floats by their bits
Status Symbols::raw_constant(OperandReader& in) {
  Constant result;
  WARPJIT_TRY(result.reg, register_of(in, RegisterFile::c, "a float uniform"));
  WARPJIT_CHECK(in.expect("("));
  for (unsigned k = 0; k < 4; ++k) {
    if (k != 0) WARPJIT_CHECK(in.expect(","));
    WARPJIT_TRY(const std::int64_t word, in.whole(0, 0xffffff));
    result.raw[k] = static_cast<std::uint32_t>(word);
  }
  info_.constants.push_back(result);
  return in.expect(")");
}

// .in name [register]
Status Symbols::input(OperandReader& in) {
  WARPJIT_TRY(const Token name, in.expect_name("a name"));
  Source meaning;
  meaning.reg.file = RegisterFile::v;
  if (in.at_end()) {
    WARPJIT_TRY(const unsigned index, lowest(RegisterFile::v, 1, name.position));
    meaning.reg.index = static_cast<std::uint8_t>(index);
  } else {
    WARPJIT_TRY(const Token token, in.expect_name("an input register"));
    const auto reg = parse_register(token.text);
    if (!reg || reg->file != RegisterFile::v) return token.position.error("expected v0 to v15");
    meaning.reg = *reg;
    taken_[static_cast<std::size_t>(RegisterFile::v)][reg->index] = true;
  }
  WARPJIT_CHECK(define(name, meaning));
  const Register reg = meaning.reg;
  inputs_.push_back({std::string(name.text), reg, reg.index});
  info_.input_mask = static_cast<std::uint16_t>(info_.input_mask | 1U << reg.index);
  return {};
}

// .out name semantic[.mask] [register]; "-" gives no name
Status Symbols::output(OperandReader& in) {
  std::optional<Token> name;
  if (!in.accept("-")) {
    WARPJIT_TRY(name, in.expect_name("a name or -"));
  }
  WARPJIT_TRY(const Token word, in.expect_name("an output's meaning"));
  const auto semantic = find_semantic(word.text);
  if (!semantic) return word.position.error(quoted(word.text) + " is not the meaning of an output");
  Output output;
  output.semantic = *semantic;
  if (in.accept(".")) {
    WARPJIT_TRY(const Token mask, in.expect_name("components"));
    output.mask = 0;
    for (const char letter : mask.text) {
      const auto component = find_component(letter);
      if (!component) return mask.position.error("expected components out of xyzw, rgba or stpq");
      output.mask = static_cast<std::uint8_t>(output.mask | 1U << *component);
    }
  }
  if (in.at_end()) {
    WARPJIT_TRY(const unsigned index, lowest(RegisterFile::o, 1, word.position));
    output.reg = static_cast<std::uint16_t>(index);
  } else {
    WARPJIT_TRY(const Token token, in.expect_name("an output register"));
    const auto reg = parse_register(token.text);
    if (!reg || reg->file != RegisterFile::o) return token.position.error("expected o0 to o15");
    output.reg = reg->index;
    taken_[static_cast<std::size_t>(RegisterFile::o)][reg->index] = true;
  }
  if (name) {
    Source meaning;
    meaning.reg = {RegisterFile::o, static_cast<std::uint8_t>(output.reg)};
    WARPJIT_CHECK(define(*name, meaning));
    output.name = std::string(name->text);
  }
  info_.output_mask = static_cast<std::uint16_t>(info_.output_mask | 1U << output.reg);
  info_.outputs.push_back(std::move(output));
  return {};
}

// .alias name operand
Status Symbols::alias(OperandReader& in) {
  WARPJIT_TRY(const Token name, in.expect_name("a name"));
  WARPJIT_TRY(const Operand operand, in.operand());
  WARPJIT_TRY(const Source meant, source(operand));
  return define(name, meant);
}

// ( x , y , z , w ) or, for a bool, a truth value
Status Symbols::values(OperandReader& in, Constant& constant) {
  if (constant.reg.file == RegisterFile::b) {
    const Token token = in.take();
    if (!is_true(token.text) && !is_false(token.text)) return token.position.error("expected true or false");
    constant.raw[0] = is_true(token.text) ? 1 : 0;
    return {};
  }
  WARPJIT_CHECK(in.expect("("));
  for (unsigned k = 0; k < 4; ++k) {
    if (k != 0) WARPJIT_CHECK(in.expect(","));
    if (constant.reg.file == RegisterFile::i) {
      WARPJIT_TRY(const std::int64_t value, in.whole(-128, 255));
      constant.raw[k] = static_cast<std::uint8_t>(value);
    } else {
      WARPJIT_TRY(const double value, in.expression());
      constant.raw[k] = encode_f24(static_cast<float>(value));
    }
  }
  return in.expect(")");
}

// .constf name(x, y, z, w)
Status Symbols::constant(OperandReader& in, RegisterFile file) {
  WARPJIT_TRY(const Token name, in.expect_name("a name"));
  Constant result;
  result.reg.file = file;
  WARPJIT_CHECK(values(in, result));
  WARPJIT_TRY(const unsigned index, highest(file, 1, name.position));
  result.reg.index = static_cast<std::uint8_t>(index);
  info_.constants.push_back(result);
  Source meaning;
  meaning.reg = result.reg;
  return define(name, meaning);
}

// .constfa name[size]   then   .constfa (x, y, z, w) ...   then   .end
Status Symbols::array(OperandReader& in, const Position& position) {
  if (in.peek().is("(")) {
    if (!array_name_) return position.error("this element belongs to no array; write .constfa name[] first");
    if (array_size_ != 0 && array_.size() == array_size_)
      return position.error("the array " + quoted(array_name_->text) + " has only " +
                            std::to_string(array_size_) + " elements");
    if (array_.size() == 96) return position.error("there are only 96 float uniforms");
    Constant element;
    element.reg.file = RegisterFile::c;
    WARPJIT_CHECK(values(in, element));
    array_.push_back(element);
    return {};
  }
  if (array_name_) return position.error("the array " + quoted(array_name_->text) + " is not closed by .end");
  WARPJIT_TRY(const Token name, in.expect_name("a name"));
  WARPJIT_CHECK(in.expect("["));
  array_size_ = 0;
  if (!in.peek().is("]")) {
    WARPJIT_TRY(const std::int64_t size, in.whole(1, 96));
    array_size_ = static_cast<unsigned>(size);
  }
  WARPJIT_CHECK(in.expect("]"));
  array_name_ = name;
  return {};
}

Result<bool> Symbols::close_array() {
  if (!array_name_) return false;
  const Token name = *array_name_;
  array_name_.reset();
  const unsigned count = array_size_ != 0 ? array_size_ : static_cast<unsigned>(array_.size());
  if (count == 0) return name.position.error("the array has no elements");
  WARPJIT_TRY(const unsigned first, highest(RegisterFile::c, count, name.position));
  for (std::size_t k = 0; k < array_.size(); ++k) {
    array_[k].reg.index = static_cast<std::uint8_t>(first + k);
    info_.constants.push_back(array_[k]);
  }
  array_.clear();
  Source meaning;
  meaning.reg = {RegisterFile::c, static_cast<std::uint8_t>(first)};
  WARPJIT_CHECK(define(name, meaning));
  return true;
}

// .setf register(x, y, z, w)
Status Symbols::preset(OperandReader& in, RegisterFile file) {
  WARPJIT_TRY(const Operand operand, in.operand());
  WARPJIT_TRY(const Source meant, source(operand));
  if (meant.reg.file != file || meant.idx != 0)
    return operand.position.error("expected a " + std::string(kFileNames[static_cast<std::size_t>(file)]));
  Constant result;
  result.reg = meant.reg;
  WARPJIT_CHECK(values(in, result));
  info_.constants.push_back(result);
  return {};
}

// .gsh                                    a geometry program that shares uniforms with the vertex programs
// .gsh entry                              the same, beginning at that procedure
// .gsh point    [first free c]            one with uniforms of its own, from the first free register on
// .gsh variable [first free c] vertices
// .gsh fixed    [first free c] first vertices
Status Symbols::geometry(OperandReader& in) {
  info_.stage = Stage::geometry;
  if (in.at_end()) return {};
  WARPJIT_TRY(const Token mode, in.expect_name("point, variable or fixed"));
  const std::string word = lower_case(mode.text);
  const bool variable = word == "variable", fixed = word == "fixed";
  if (!variable && !fixed && word != "point") {
    if (!in.at_end()) return mode.position.error("expected point, variable or fixed");
    geometry_entry_ = mode;
    return {};
  }
  // Registers: the first free one, which may be left out, then where a fixed array begins.
  std::vector<std::uint8_t> registers;
  const unsigned least = fixed ? 1 : 0;
  while (registers.size() <= least && (registers.size() < least || in.peek().kind == Token::Kind::name)) {
    WARPJIT_TRY(const Register reg, register_of(in, RegisterFile::c, "a c register"));
    registers.push_back(reg.index);
  }
  space_ = std::make_shared<UniformSpace>();
  if (registers.size() > least) space_->first_free_c = registers.front();
  if (fixed) info_.fixed_start = registers.back();
  if (variable) info_.geometry_mode = GeometryMode::variable;
  if (fixed) info_.geometry_mode = GeometryMode::fixed;
  if (!variable && !fixed) return {};
  WARPJIT_TRY(const std::int64_t vertices, in.whole(0, 255));
  (variable ? info_.variable_vertices : info_.fixed_vertices) = static_cast<std::uint8_t>(vertices);
  return {};
}

Result<Source> Symbols::source(const Operand& operand) const {
  Source result;
  if (const auto found = meanings_.find(operand.name); found != meanings_.end()) {
    result = found->second;
  } else if (const auto reg = parse_register(operand.name)) {
    result.reg = *reg;
  } else {
    return operand.position.error(quoted(operand.name) + " is not defined");
  }
  if (operand.indexed) {
    if (operand.address != 0) {
      if (result.reg.file != RegisterFile::c)
        return operand.position.error("only c registers can be addressed relatively");
      if (result.idx != 0)
        return operand.position.error(quoted(operand.name) + " is already relatively addressed");
      result.idx = operand.address;
    }
    const int index = result.reg.index + operand.offset;
    if (index < 0 || index >= static_cast<int>(kFileSizes[static_cast<std::size_t>(result.reg.file)]))
      return operand.position.error("the index leads past the " +
                                    std::string(kFileNames[static_cast<std::size_t>(result.reg.file)]) +
                                    " registers");
    result.reg.index = static_cast<std::uint8_t>(index);
  }
  result.negate ^= operand.negate;
  if (operand.swizzle.count != 0) {
    const auto own = result.component;
    for (unsigned lane = 0; lane < 4; ++lane) {
      const unsigned k =
          lane < operand.swizzle.count ? lane : operand.swizzle.count - 1U;  // the last repeats
      result.component[lane] = own[operand.swizzle.component[k]];
    }
    result.swizzled = true;
  }
  return result;
}

Result<Symbols::Destination> Symbols::destination(const Operand& operand) const {
  Operand plain = operand;
  plain.swizzle = {};
  WARPJIT_TRY(const Source meant, source(plain));
  if (operand.negate || meant.negate) return operand.position.error("a destination cannot be negated");
  if (!dest_code(meant.reg)) return operand.position.error(quoted(operand.name) + " cannot be written");
  Destination result;
  result.reg = meant.reg;
  if (operand.swizzle.count == 0 && !meant.swizzled) return result;
  result.mask = 0;
  const unsigned count = operand.swizzle.count != 0 ? operand.swizzle.count : 4;
  for (unsigned k = 0; k < count; ++k) {
    const unsigned component =
        operand.swizzle.count != 0 ? meant.component[operand.swizzle.component[k]] : meant.component[k];
    result.mask = static_cast<std::uint8_t>(result.mask | 8U >> component);
  }
  return result;
}

Result<Register> Symbols::uniform(const Operand& operand, RegisterFile file) const {
  WARPJIT_TRY(const Source meant, source(operand));
  if (meant.reg.file != file || meant.swizzled)
    return operand.position.error(quoted(operand.name) + " is not a " +
                                  std::string(kFileNames[static_cast<std::size_t>(file)]));
  return meant.reg;
}

void Symbols::describe(ProgramInfo& info) const {
  info = info_;
  info.symbols = inputs_;
  info.symbols.insert(info.symbols.end(), uniforms_.begin(), uniforms_.end());
  info.symbols.insert(info.symbols.end(), listed_.begin(), listed_.end());
  if (info.stage == Stage::geometry)
    for (const Output& output : info.outputs) info.merge_output_maps |= output.semantic == Semantic::dummy;
}

}  // namespace warpjit::pica200
