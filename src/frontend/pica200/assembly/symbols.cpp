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

Status Symbols::define(const Token& name, Meaning meaning) {
  if (parse_register(name.text) || name.text == "a0" || name.text == "aL" || name.text == "cmp")
    return name.position.error(quoted(name.text) + " is a register's name");
  if (!meanings_.emplace(std::string(name.text), meaning).second)
    return name.position.error(quoted(name.text) + " is already defined");
  return {};
}

Result<unsigned> Symbols::lowest(RegisterFile file, unsigned count, const Position& position) {
  auto& taken = taken_[static_cast<std::size_t>(file)];
  const unsigned size = kFileSizes[static_cast<std::size_t>(file)];
  for (unsigned first = file == RegisterFile::c ? first_free_c_ : 0; first + count <= size; ++first) {
    unsigned run = 0;
    while (run < count && !taken[first + run]) ++run;
    if (run < count) continue;
    std::fill_n(taken.begin() + first, count, true);
    return first;
  }
  return position.error("there are not " + std::to_string(count) + " free " +
                        std::string(kFileNames[static_cast<std::size_t>(file)]) + " registers left");
}

Result<unsigned> Symbols::highest(RegisterFile file, unsigned count, const Position& position) {
  auto& taken = taken_[static_cast<std::size_t>(file)];
  const unsigned size = kFileSizes[static_cast<std::size_t>(file)];
  const unsigned low = file == RegisterFile::c ? first_free_c_ : 0;
  for (unsigned end = size; end >= low + count; --end) {
    unsigned run = 0;
    while (run < count && !taken[end - 1 - run]) ++run;
    if (run < count) continue;
    std::fill_n(taken.begin() + (end - count), count, true);
    return end - count;
  }
  return position.error("there are not " + std::to_string(count) + " free " +
                        std::string(kFileNames[static_cast<std::size_t>(file)]) + " registers left");
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
  } else {
    return false;
  }
  WARPJIT_CHECK(status);
  WARPJIT_CHECK(in.expect_end());
  return true;
}

// .fvec name[size], name ...
Result<bool> Symbols::names(const DirectiveNode& node, RegisterFile file) {
  OperandReader in(node.tokens);
  do {
    WARPJIT_TRY(const Token name, in.expect_name("a name"));
    unsigned count = 1;
    if (in.accept("[")) {
      WARPJIT_TRY(const std::int64_t size, in.expect_integer(1, kFileSizes[static_cast<std::size_t>(file)]));
      count = static_cast<unsigned>(size);
      WARPJIT_CHECK(in.expect("]"));
    }
    WARPJIT_TRY(const unsigned first, lowest(file, count, name.position));
    Meaning meaning;
    meaning.source.reg = {file, static_cast<std::uint8_t>(first)};
    meaning.count = count;
    WARPJIT_CHECK(define(name, meaning));
    uniforms_.push_back(
        {std::string(name.text), meaning.source.reg, static_cast<std::uint8_t>(first + count - 1)});
  } while (in.accept(","));
  WARPJIT_CHECK(in.expect_end());
  return true;
}

// .in name [register]
Status Symbols::input(OperandReader& in) {
  WARPJIT_TRY(const Token name, in.expect_name("a name"));
  Meaning meaning;
  meaning.source.reg.file = RegisterFile::v;
  if (in.at_end()) {
    WARPJIT_TRY(const unsigned index, lowest(RegisterFile::v, 1, name.position));
    meaning.source.reg.index = static_cast<std::uint8_t>(index);
  } else {
    WARPJIT_TRY(const Token token, in.expect_name("an input register"));
    const auto reg = parse_register(token.text);
    if (!reg || reg->file != RegisterFile::v) return token.position.error("expected v0 to v15");
    meaning.source.reg = *reg;
    taken_[static_cast<std::size_t>(RegisterFile::v)][reg->index] = true;
  }
  WARPJIT_CHECK(define(name, meaning));
  const Register reg = meaning.source.reg;
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
      const std::size_t component = std::string_view("xyzw").find(letter);
      if (component == std::string_view::npos) return mask.position.error("expected components out of xyzw");
      output.mask = static_cast<std::uint8_t>(output.mask | 1U << component);
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
    Meaning meaning;
    meaning.source.reg = {RegisterFile::o, static_cast<std::uint8_t>(output.reg)};
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
  Meaning meaning;
  meaning.source = meant;
  if (!operand.indexed)
    if (const auto found = meanings_.find(operand.name); found != meanings_.end())
      meaning.count = found->second.count;
  return define(name, meaning);
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
      WARPJIT_TRY(const std::int64_t value, in.expect_integer(-128, 255));
      constant.raw[k] = static_cast<std::uint8_t>(value);
    } else {
      WARPJIT_TRY(const float value, in.expect_float());
      constant.raw[k] = encode_f24(value);
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
  Meaning meaning;
  meaning.source.reg = result.reg;
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
    WARPJIT_TRY(const std::int64_t size, in.expect_integer(1, 96));
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
  Meaning meaning;
  meaning.source.reg = {RegisterFile::c, static_cast<std::uint8_t>(first)};
  meaning.count = count;
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

// .gsh [point|variable|fixed first_free_c ...]
Status Symbols::geometry(OperandReader& in) {
  info_.stage = Stage::geometry;
  if (in.at_end()) return {};
  const auto c_register = [&]() -> Result<std::uint8_t> {
    WARPJIT_TRY(const Token token, in.expect_name("a c register"));
    const auto reg = parse_register(token.text);
    if (!reg || reg->file != RegisterFile::c) return token.position.error("expected c0 to c95");
    return reg->index;
  };
  WARPJIT_TRY(const Token mode, in.expect_name("point, variable or fixed"));
  if (mode.text != "point" && mode.text != "variable" && mode.text != "fixed")
    return mode.position.error("expected point, variable or fixed");
  WARPJIT_TRY(const std::uint8_t first, c_register());
  first_free_c_ = first;
  if (mode.text == "variable") {
    info_.geometry_mode = GeometryMode::variable;
    WARPJIT_TRY(const std::int64_t vertices, in.expect_integer(0, 255));
    info_.variable_vertices = static_cast<std::uint8_t>(vertices);
  } else if (mode.text == "fixed") {
    info_.geometry_mode = GeometryMode::fixed;
    WARPJIT_TRY(info_.fixed_start, c_register());
    WARPJIT_TRY(const std::int64_t vertices, in.expect_integer(0, 255));
    info_.fixed_vertices = static_cast<std::uint8_t>(vertices);
  }
  return {};
}

Result<Source> Symbols::source(const Operand& operand) const {
  Meaning meaning;
  if (const auto found = meanings_.find(operand.name); found != meanings_.end()) {
    meaning = found->second;
  } else if (const auto reg = parse_register(operand.name)) {
    meaning.source.reg = *reg;
    meaning.count = 0;  // a plain register: any offset inside its file
  } else {
    return operand.position.error(quoted(operand.name) + " is not defined");
  }
  Source result = meaning.source;
  if (operand.indexed) {
    if (operand.address != 0) {
      if (result.reg.file != RegisterFile::c)
        return operand.position.error("only c registers can be addressed relatively");
      if (result.idx != 0)
        return operand.position.error(quoted(operand.name) + " is already relatively addressed");
      result.idx = operand.address;
    } else if (meaning.count != 0 &&
               (operand.offset < 0 || operand.offset >= static_cast<int>(meaning.count))) {
      return operand.position.error(quoted(operand.name) + " has " + std::to_string(meaning.count) +
                                    " registers; there is no index " + std::to_string(operand.offset));
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

Result<Register> Symbols::uniform(std::string_view name, RegisterFile file, const Position& position) const {
  Operand operand;
  operand.name = name;
  operand.position = position;
  WARPJIT_TRY(const Source meant, source(operand));
  if (meant.reg.file != file)
    return position.error(quoted(name) + " is not a " +
                          std::string(kFileNames[static_cast<std::size_t>(file)]));
  return meant.reg;
}

void Symbols::describe(ProgramInfo& info) const {
  info = info_;
  info.symbols = inputs_;
  info.symbols.insert(info.symbols.end(), uniforms_.begin(), uniforms_.end());
  if (info.stage == Stage::geometry)
    for (const Output& output : info.outputs) info.merge_output_maps |= output.semantic == Semantic::dummy;
}

}  // namespace warpjit::pica200
