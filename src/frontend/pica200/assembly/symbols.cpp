#include "frontend/pica200/assembly/symbols.h"

#include <algorithm>
#include <cctype>

#include "frontend/pica200/assembly/instruction_text.h"
#include "frontend/pica200/assembly/register_files.h"

namespace warpjit::pica200 {
bool is_register_name(std::string_view text) {
  return text.size() > 1 && kRegisterLetters.find(text[0]) != std::string_view::npos &&
         std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

bool lies_before(const Symbol& a, const Symbol& b) {
  constexpr int kOrder[] = {0, 0, 1, 0, 2, 3};  // v, r, c, o, i, b
  const auto key = [&](const Symbol& symbol) {
    return kOrder[static_cast<std::size_t>(symbol.first.file)] * 256 + symbol.first.index;
  };
  return key(a) < key(b);
}

std::string output_conflict(Stage stage, std::span<const Output> before, const Output& output) {
  constexpr unsigned kMapped = 7;  // registers that the output map has words for
  const std::string reg = name(Register{RegisterFile::o, static_cast<std::uint8_t>(output.reg)});
  if (stage == Stage::geometry && output.reg >= kMapped)
    return "a geometry program has the outputs o0 to o6, not " + reg;
  if (output.reg >= kMapped && output.semantic != Semantic::dummy)
    return reg + " can only be a dummy output; o0 to o6 can have a meaning";
  for (const Output& other : before)
    if (other.reg == output.reg && (other.mask & output.mask) != 0)
      return reg + "." + component_letters(other.mask & output.mask) + " is an output already, " +
             std::string(name(other.semantic));
  return {};
}

std::uint8_t Source::selector() const {
  return static_cast<std::uint8_t>(component[0] << 6 | component[1] << 4 | component[2] << 2 | component[3]);
}

Status Symbols::define(const Token& name, const Source& meaning) {
  if (is_register_name(name.text))
    return name.position.error(quoted(name.text) +
                               " is a register's name: one of o, v, r, c, i or b and digits");
  if (!meanings_.emplace(std::string(name.text), meaning).second)
    return name.position.error(quoted(name.text) + " is already defined");
  return {};
}

namespace {

// `longest`: the registers that lie free together.
Error none_left(RegisterFile file, unsigned count, unsigned longest, const Position& position) {
  return position.error("there are not " + std::to_string(count) + " free " +
                        std::string(register_kind(file)) + " registers left: of " + file_range(file) +
                        " at most " + std::to_string(longest) + " lie free together");
}

// How many registers from `first` on are free, at most `count`.
template <class Free>
unsigned free_run(unsigned first, unsigned count, const Free& is_free) {
  unsigned run = 0;
  while (run < count && is_free(first + run)) ++run;
  return run;
}
template <class Free>
unsigned longest_run(unsigned low, unsigned size, const Free& is_free) {
  unsigned longest = 0;
  for (unsigned first = low; first < size; ++first)
    longest = std::max(longest, free_run(first, size - first, is_free));
  return longest;
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
  const unsigned low = file == RegisterFile::c ? space_->first_free_c : 0;
  for (unsigned first = low; first + count <= size(file); ++first) {
    if (free_run(first, count, is_free) < count) continue;
    std::fill_n(given.begin() + first, count, true);
    return first;
  }
  return none_left(file, count, longest_run(low, size(file), is_free), position);
}

// How many registers of a file may be given out.
unsigned Symbols::size(RegisterFile file) const {
  return file == RegisterFile::b ? space_->bools : kRegisterCounts[static_cast<std::size_t>(file)];
}

// Constants from the highest register down.
Result<unsigned> Symbols::highest(RegisterFile file, unsigned count, const Position& position) {
  const auto k = static_cast<std::size_t>(file);
  const auto is_free = [&](unsigned reg) { return !space_->named[k][reg] && !taken_[k][reg]; };
  const unsigned low = file == RegisterFile::c ? space_->first_free_c : 0;
  for (unsigned end = kRegisterCounts[k]; end >= low + count; --end) {
    if (free_run(end - count, count, is_free) < count) continue;
    std::fill_n(taken_[k].begin() + (end - count), count, true);
    std::fill_n(space_->constant[k].begin() + (end - count), count, true);
    return end - count;
  }
  return none_left(file, count, longest_run(low, kRegisterCounts[k], is_free), position);
}

Result<bool> Symbols::directive(const DirectiveNode& node) {
  OperandReader in(node.tokens, warnings_);
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
    status = geometry(in, node.position);
  } else if (node.name == "nodvle") {
    no_program_ = node.position;
  } else if (node.name == "unsorted") {
    unsorted_ = true;
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
  OperandReader in(node.tokens, warnings_);
  do {
    WARPJIT_TRY(const Token name, in.expect_name("a name"));
    unsigned count = 1;
    if (in.accept("[")) {
      WARPJIT_TRY(const std::int64_t size,
                  in.whole(1, kRegisterCounts[static_cast<std::size_t>(file)], PicassoNumber::decimal));
      count = static_cast<unsigned>(size);
      WARPJIT_CHECK(in.expect("]"));
    }
    WARPJIT_TRY(const unsigned first, place(in, name, file, count));
    Source meaning;
    meaning.reg = {file, static_cast<std::uint8_t>(first)};
    meaning.count = count;
    WARPJIT_CHECK(define(name, meaning));
    if (name.text[0] != kHidden)
      uniforms_.push_back(
          {stored_name(name.text), meaning.reg, static_cast<std::uint8_t>(first + count - 1)});
  } while (in.accept(",") && !in.at_end());
  WARPJIT_CHECK(in.expect_end());
  return true;
}

// The first register of a named uniform: the one that is written, else that of the same name in another file
// of the space, else the lowest free ones.
Result<unsigned> Symbols::place(OperandReader& in, const Token& name, RegisterFile file, unsigned count) {
  const auto k = static_cast<std::size_t>(file);
  if (in.peek().kind == Token::Kind::name) {
    const Position position = in.peek().position;
    WARPJIT_TRY(const Register reg, register_of(in, file, kRegisterKinds[k]));
    if (reg.index + count > kRegisterCounts[k])
      return none_left(file, count, kRegisterCounts[k] - reg.index, position);
    std::fill_n(space_->named[k].begin() + reg.index, count, true);
    return reg.index;
  }
  if (const auto found = space_->names.find(name.text);
      found != space_->names.end() && !meanings_.contains(name.text)) {
    const UniformSpace::Named& known = found->second;
    if (known.file == file && known.count == count) return known.first;
    return name.position.error(quoted(name.text) + " is " + std::to_string(known.count) + " " +
                               std::string(kRegisterKinds[static_cast<std::size_t>(known.file)]) +
                               " registers in another file");
  }
  WARPJIT_TRY(const unsigned first, lowest(file, count, name.position));
  space_->names.emplace(std::string(name.text), UniformSpace::Named{file, first, count});
  return first;
}

Result<Register> Symbols::register_of(OperandReader& in, RegisterFile file, std::string_view what) const {
  WARPJIT_TRY(const Token token, in.expect_name(what));
  std::optional<Register> reg;
  if (const auto found = meanings_.find(token.text); found != meanings_.end()) {
    if (found->second.idx == 0) reg = found->second.reg;
  } else if (const auto known = find_register(token.text, token.position)) {
    reg = *known;
  }
  if (!reg || reg->file != file)
    return token.position.error("expected " + file_range(file) + ", found " + quoted(token.text));
  return *reg;
}

// A register by its name. Digits are decimal, also after zeros.
Result<Register> Symbols::find_register(std::string_view name, const Position& position) const {
  if (!is_register_name(name))
    return position.error(quoted(name) + " is not defined, and no register is called so");
  const auto file = static_cast<RegisterFile>(kRegisterLetters.find(name[0]));
  const std::string_view digits = name.substr(1);
  const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  const auto reg = parse_register(std::string(1, name[0]).append(digits.substr(zeros)));
  if (!reg)
    return position.error("there is no register " + quoted(name) + "; the " +
                          std::string(register_kind(file)) + " registers are " + file_range(file));
  if (zeros != 0 && digits.size() > zeros && reg->index > 7)
    warnings_->add(position, "this is " + pica200::name(*reg) +
                                 " here; picasso takes digits after a 0 as octal and reads another register");
  return *reg;
}

// `index` of an array is after its end or before its start, yet a register.
void Symbols::warn_of_index(const Operand& operand, const Source& meant, int index) const {
  if (meant.count == 0 || operand.address != 0) return;
  const int first = meant.reg.index, last = first + static_cast<int>(meant.count) - 1;
  if (index >= first && index <= last) return;
  const Register reg{meant.reg.file, static_cast<std::uint8_t>(index)};
  warnings_->add(
      operand.position,
      quoted(operand.name) + " has " +
          (meant.count == 1 ? "the index 0 alone" : "the indices 0 to " + std::to_string(meant.count - 1)) +
          "; index " + std::to_string(operand.offset) + " is " + name(reg));
}

Result<Source> Symbols::source(const Operand& operand) const {
  Source result;
  if (const auto found = meanings_.find(operand.name); found != meanings_.end()) {
    result = found->second;
  } else {
    WARPJIT_TRY(result.reg, find_register(operand.name, operand.position));
  }
  if (operand.indexed) {
    const std::string range = file_range(result.reg.file);
    if (operand.address != 0) {
      if (result.reg.file != RegisterFile::c)
        return operand.position.error("only c registers can be addressed relatively, not " +
                                      name(result.reg));
      if (result.idx != 0)
        return operand.position.error(quoted(operand.name) + " is already relatively addressed");
      result.idx = operand.address;
    }
    const int first = result.reg.index, index = first + operand.offset;
    const int size = static_cast<int>(kRegisterCounts[static_cast<std::size_t>(result.reg.file)]);
    if (index < 0 || index >= size)
      return operand.position.error("the index " + std::to_string(operand.offset) + " leads past the " +
                                    std::string(register_kind(result.reg.file)) + " registers " + range +
                                    "; " + quoted(operand.name) + " takes " + std::to_string(-first) +
                                    " to " + std::to_string(size - 1 - first));
    warn_of_index(operand, result, index);
    result.reg.index = static_cast<std::uint8_t>(index);
    result.count = 0;
  }
  result.negate ^= operand.negate;
  if (operand.swizzle.count != 0) {
    const auto own = result.component;
    for (unsigned lane = 0; lane < 4; ++lane) {
      // The last one repeats.
      const unsigned k = lane < operand.swizzle.count ? lane : operand.swizzle.count - 1U;
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
  if (!dest_code(meant.reg))
    return operand.position.error(quoted(operand.name) + " cannot be written; " +
                                  file_range(RegisterFile::o) + " and " + file_range(RegisterFile::r) +
                                  " can");
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
    return operand.position.error(quoted(operand.name) + " is not one of the " +
                                  std::string(register_kind(file)) + " registers " + file_range(file));
  return meant.reg;
}

void Symbols::describe(ProgramInfo& info) const {
  info = info_;
  info.symbols = inputs_;
  info.symbols.insert(info.symbols.end(), uniforms_.begin(), uniforms_.end());
  if (!unsorted_) std::stable_sort(info.symbols.begin(), info.symbols.end(), lies_before);
  info.symbols.insert(info.symbols.end(), listed_.begin(), listed_.end());
  if (info.stage == Stage::geometry)
    for (const Output& output : info.outputs)
      info.merge_output_maps |= own_registers_ && output.semantic == Semantic::dummy;
}

}  // namespace warpjit::pica200
