// The directives that name, allocate and preset registers.
#include "frontend/pica200/assembly/register_files.h"
#include "frontend/pica200/assembly/symbols.h"

namespace warpjit::pica200 {
namespace {

bool is_true(std::string_view text) { return text == "true" || text == "on" || text == "1"; }
bool is_false(std::string_view text) { return text == "false" || text == "off" || text == "0"; }

std::string semantics() {
  std::string list;
  for (unsigned k = 0; k < 256; ++k)
    if (const std::string_view word = name(static_cast<Semantic>(k)); find_semantic(word))
      list.append(list.empty() ? "" : ", ").append(word);
  return list;
}

}  // namespace

// .symbol name first [last]: a row of the container's table that gives no name to the source
Status Symbols::symbol(OperandReader& in) {
  WARPJIT_TRY(const Token name, in.expect_name("a name"));
  WARPJIT_TRY(const Token first, in.expect_name("a register"));
  const Token last = in.at_end() ? first : in.take();
  const auto from = parse_register(first.text), to = parse_register(last.text);
  if (!from || from->file == RegisterFile::r || from->file == RegisterFile::o)
    return first.position.error("expected an input or a uniform register, one of " +
                                file_range(RegisterFile::v) + ", " + file_range(RegisterFile::c) + ", " +
                                file_range(RegisterFile::i) + " and " + file_range(RegisterFile::b));
  if (!to || to->file != from->file || to->index < from->index)
    return last.position.error("expected a register from " + std::string(first.text) + " on");
  listed_.push_back({stored_name(name.text), *from, to->index});
  return {};
}

// .output meaning register mask: a row of the container's table by its numbers
Status Symbols::raw_output(OperandReader& in) {
  Output output;
  WARPJIT_TRY(const std::int64_t semantic, in.whole(0, 255, PicassoNumber::none));
  output.semantic = static_cast<Semantic>(semantic);
  WARPJIT_TRY(const Register reg, register_of(in, RegisterFile::o, "an output register"));
  output.reg = reg.index;
  WARPJIT_TRY(const std::int64_t mask, in.whole(0, 255, PicassoNumber::none));
  output.mask = static_cast<std::uint8_t>(mask);
  info_.output_mask = static_cast<std::uint16_t>(info_.output_mask | 1U << output.reg);
  output_positions_.push_back(in.peek().position);
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
    WARPJIT_TRY(const std::int64_t word, in.whole(0, 0xffffff, PicassoNumber::none));
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
    WARPJIT_TRY(meaning.reg, register_of(in, RegisterFile::v, "an input register"));
    taken_[static_cast<std::size_t>(RegisterFile::v)][meaning.reg.index] = true;
  }
  WARPJIT_CHECK(define(name, meaning));
  const Register reg = meaning.reg;
  inputs_.push_back({stored_name(name.text), reg, reg.index});
  info_.input_mask = static_cast<std::uint16_t>(info_.input_mask | 1U << reg.index);
  return {};
}

// .out name semantic[.mask]   or   .out name semantic register[.mask]; "-" gives no name
Status Symbols::output(OperandReader& in) {
  std::optional<Token> name;
  if (!in.accept("-")) {
    WARPJIT_TRY(name, in.expect_name("a name or -"));
  }
  const Token word = in.peek();
  WARPJIT_CHECK(in.expect_name("an output's meaning: " + semantics()));
  const auto semantic = find_semantic(lower_case(word.text));
  if (!semantic)
    return word.position.error(quoted(word.text) + " is not the meaning of an output; these are " +
                               semantics());
  Output output;
  output.semantic = *semantic;
  const bool masked = in.accept(".");
  if (masked) {
    WARPJIT_TRY(const Token mask, in.expect_name("components"));
    output.mask = 0;
    for (const char letter : mask.text) {
      const auto component = find_component(letter);
      if (!component)
        return mask.position.error("expected components out of xyzw, rgba or stpq, found " +
                                   quoted(mask.text));
      output.mask = static_cast<std::uint8_t>(output.mask | 1U << *component);
    }
  }
  Position position = word.position;
  if (in.at_end()) {
    WARPJIT_TRY(const unsigned index, lowest(RegisterFile::o, 1, word.position));
    output.reg = static_cast<std::uint16_t>(index);
  } else {
    WARPJIT_TRY(const Operand operand, in.operand());
    WARPJIT_TRY(const Destination wired, destination(operand));
    position = operand.position;
    if (wired.reg.file != RegisterFile::o)
      return position.error("expected " + file_range(RegisterFile::o) + " or the name of an output, found " +
                            quoted(operand.name));
    output.reg = wired.reg.index;
    if (wired.mask != kXYZW) {
      if (masked) return position.error("the components stand twice: at the meaning and at the register");
      output.mask = 0;
      for (unsigned lane = 0; lane < 4; ++lane)
        if (enables(wired.mask, lane)) output.mask = static_cast<std::uint8_t>(output.mask | 1U << lane);
    }
    taken_[static_cast<std::size_t>(RegisterFile::o)][output.reg] = true;
  }
  if (std::string conflict = output_conflict(info_.stage, info_.outputs, output); !conflict.empty())
    return position.error(std::move(conflict));
  if (name) {
    Source meaning;
    meaning.reg = {RegisterFile::o, static_cast<std::uint8_t>(output.reg)};
    WARPJIT_CHECK(define(*name, meaning));
    output.name = std::string(name->text);
  }
  info_.output_mask = static_cast<std::uint16_t>(info_.output_mask | 1U << output.reg);
  info_.outputs.push_back(std::move(output));
  output_positions_.push_back(word.position);
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
Status Symbols::values(OperandReader& in, Constant& constant) const {
  if (constant.reg.file == RegisterFile::b) {
    const std::string word = lower_case(in.peek().text);
    if (!is_true(word) && !is_false(word)) return in.unexpected("true, on, 1, false, off or 0");
    in.take();
    constant.raw[0] = is_true(word) ? 1 : 0;
    return {};
  }
  WARPJIT_CHECK(in.expect("("));
  for (unsigned k = 0; k < 4; ++k) {
    if (k != 0) WARPJIT_CHECK(in.expect(","));
    if (constant.reg.file == RegisterFile::i) {
      WARPJIT_TRY(const std::int64_t value, in.whole(-128, 255, PicassoNumber::decimal));
      constant.raw[k] = static_cast<std::uint8_t>(value);
    } else {
      WARPJIT_TRY(const double value, in.expression(PicassoNumber::fraction));
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
    WARPJIT_TRY(const std::int64_t size, in.whole(1, 96, PicassoNumber::decimal));
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
  if (array_.size() < array_size_) {  // the missing ones are zeros
    Constant zeros;
    zeros.reg.file = RegisterFile::c;
    array_.resize(array_size_, zeros);
  }
  const auto count = static_cast<unsigned>(array_.size());
  if (count == 0)
    return name.position.error("the array has no elements; write .constfa (x, y, z, w) for each before .end");
  WARPJIT_TRY(const unsigned first, highest(RegisterFile::c, count, name.position));
  for (std::size_t k = 0; k < array_.size(); ++k) {
    array_[k].reg.index = static_cast<std::uint8_t>(first + k);
    info_.constants.push_back(array_[k]);
  }
  array_.clear();
  Source meaning;
  meaning.reg = {RegisterFile::c, static_cast<std::uint8_t>(first)};
  meaning.count = count;
  WARPJIT_CHECK(define(name, meaning));
  return true;
}

// .setf register(x, y, z, w)
Status Symbols::preset(OperandReader& in, RegisterFile file) {
  WARPJIT_TRY(const Operand operand, in.operand());
  WARPJIT_TRY(const Source meant, source(operand));
  if (meant.reg.file != file || meant.idx != 0)
    return operand.position.error("expected one of the " + std::string(register_kind(file)) + " registers " +
                                  file_range(file) + " or its name, found " + quoted(operand.name));
  Constant result;
  result.reg = meant.reg;
  WARPJIT_CHECK(values(in, result));
  info_.constants.push_back(result);
  return {};
}

// .gsh                                    a geometry program that shares uniforms with the vertex programs
// .gsh entry                              the same, beginning at that procedure
// .gsh point    [first free c]            one with uniforms of its own, from the first free register on
// .gsh variable [first free c] vertices   also called subdivision
// .gsh fixed    [first free c] first vertices   also called particle
Status Symbols::geometry(OperandReader& in, const Position& position) {
  info_.stage = Stage::geometry;
  if (in.at_end()) {
    is_geometry_ = true;
    return {};
  }
  constexpr std::string_view kModes = "point, variable (or subdivision) or fixed (or particle)";
  WARPJIT_TRY(const Token mode, in.expect_name(kModes));
  const std::string word = lower_case(mode.text);
  const bool variable = word == "variable" || word == "subdivision";
  const bool fixed = word == "fixed" || word == "particle";
  if (!variable && !fixed && word != "point") {
    if (!in.at_end())
      return mode.position.error("expected " + std::string(kModes) + ", found " + quoted(mode.text));
    is_geometry_ = true;
    geometry_entry_ = mode;
    return {};
  }
  if (is_geometry_) return position.error("this program has a .gsh already");
  is_geometry_ = true;
  if (!uniforms_.empty() || !inputs_.empty() || !info_.constants.empty() || !info_.outputs.empty())
    return position.error(
        ".gsh with a mode gives the program registers of its own; it must stand before inputs, outputs, "
        "uniforms and constants");
  // Registers: the first free one, which may be left out, then where a fixed array begins.
  std::vector<std::uint8_t> registers;
  const unsigned least = fixed ? 1 : 0;
  while (registers.size() <= least && (registers.size() < least || in.peek().kind == Token::Kind::name)) {
    WARPJIT_TRY(const Register reg, register_of(in, RegisterFile::c, "a c register"));
    registers.push_back(reg.index);
  }
  own_registers_ = true;
  space_ = std::make_shared<UniformSpace>();
  space_->bools = 15;  // b15 says whether an invocation has run before
  if (registers.size() > least) space_->first_free_c = registers.front();
  if (fixed) info_.fixed_start = registers.back();
  if (fixed && registers.size() > least && registers.back() >= registers.front())
    return position.error("the vertices begin at c" + std::to_string(registers.back()) +
                          ", among the program's own uniforms, which begin at c" +
                          std::to_string(registers.front()) + "; these must lie after the vertices");
  if (variable) info_.geometry_mode = GeometryMode::variable;
  if (fixed) info_.geometry_mode = GeometryMode::fixed;
  if (!variable && !fixed) return {};
  WARPJIT_TRY(const std::int64_t vertices, in.whole(0, 255, PicassoNumber::integer));
  (variable ? info_.variable_vertices : info_.fixed_vertices) = static_cast<std::uint8_t>(vertices);
  return {};
}

}  // namespace warpjit::pica200
