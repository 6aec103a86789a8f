#include "frontend/tesla/assembly/disassemble.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "frontend/assembly/lines.h"
#include "frontend/encoding/syntax.h"
#include "frontend/tesla/container/graphics_fields.h"
#include "frontend/tesla/encoding/encoding.h"

namespace warpjit::tesla {
namespace {

constexpr std::string_view kConditions[32] = {
    "never", "l", "e", "le", "g", "lg", "ge", "lge", "u", "lu", "eu", "leu", "gu", "lgu", "geu", "always",
    "o",     "c", "a", "s",  "",  "",   "",   "",    "",  "",   "",   "",    "ns", "na",  "nc",  "no"};

using assembly::hex;

std::string signed_hex(std::uint32_t value) {
  const auto number = static_cast<std::int32_t>(value);
  return number < 0 ? "-" + hex(static_cast<std::uint64_t>(-std::int64_t{number})) : hex(value);
}

std::string address_name(unsigned address) { return address == 0 ? "0x0" : "$a" + std::to_string(address); }

std::string memory_text(const Operand& operand, std::string_view space) {
  std::string text(space);
  text += '[';
  if (operand.post_increment)
    return text + address_name(operand.address) + "++" + signed_hex(operand.value) + ']';
  if (operand.address == 0) return text + hex(operand.value) + ']';
  text += address_name(operand.address);
  if (operand.value != 0) text += "+" + hex(operand.value);
  return text + ']';
}

std::string lanes_text(unsigned lanes) {
  if (lanes == 0) return "(lnone)";
  std::string text = "(l";
  for (unsigned k = 0; k < 4; ++k)
    if ((lanes >> k & 1) != 0) text += static_cast<char>('0' + k);
  return text + ')';
}

// The pattern that encodes an instruction: the first whose fixed bits its words have. Patterns that decode to
// the same instruction are written alike.
const Pattern* pattern_of(const Instruction& i) {
  const std::uint64_t canonical = i.raw ^ i.unused;
  for (const Pattern& pattern : patterns_of(i.opcode))
    if (pattern.opcode == i.opcode && pattern.form == i.form && pattern.matches(canonical) &&
        modifiers_fit(pattern, i))
      return &pattern;
  return nullptr;
}

// Registers of tex* as "$r4:$r5:#:#"; those that are not in `mask` are #.
std::string registers_text(std::uint32_t first, unsigned count, unsigned mask) {
  std::string text;
  for (unsigned n = 0; n < count; ++n) {
    if (n != 0) text += ':';
    text += (mask >> n & 1) != 0 ? "$r" + std::to_string(first++) : "#";
  }
  return text;
}
void add_offsets(const Instruction& i, encoding::Text& text) {
  for (const std::int8_t offset : i.offsets)
    text.add((offset < 0 ? "-" : "") + hex(static_cast<unsigned>(offset < 0 ? -offset : offset)));
}

// An operand as a source of arithmetic, where s[] has a type of its own.
std::string source_text(const Operand& operand) {
  if (operand.kind == Operand::Kind::shared)
    return std::string(name(operand.type)) + " " + to_string(operand);
  return to_string(operand);
}

std::string instruction_text(const Instruction& i, const std::string& target) {
  const Pattern* pattern = pattern_of(i);
  if (pattern == nullptr) return {};
  encoding::Text text;
  if (i.marker == Instruction::Marker::exit) text.add("exit");
  if (i.marker == Instruction::Marker::join) text.add("join");
  if (i.condition != kAlways)
    text.add("(" + std::string(condition_name(i.condition)) + " $c" + std::to_string(i.condition_register) +
             ")");
  encoding::print_syntax<Grammar>(pattern->syntax(), i, text,
                                  [&](const SyntaxToken& token, encoding::Text& text) {
                                    switch (token.kind) {
                                      case SyntaxToken::Kind::dst:
                                      case SyntaxToken::Kind::address_dst:
                                        text.add(to_string(i.dst));
                                        break;
                                      case SyntaxToken::Kind::src:
                                        text.add(source_text(i.src[token.index]));
                                        break;
                                      case SyntaxToken::Kind::memory:
                                        text.add(to_string(token.is_store ? i.dst : i.src[token.index]));
                                        break;
                                      case SyntaxToken::Kind::dst_again:
                                      case SyntaxToken::Kind::condition_read:
                                      case SyntaxToken::Kind::address_src:
                                      case SyntaxToken::Kind::special:
                                      case SyntaxToken::Kind::immediate:
                                      case SyntaxToken::Kind::number_operand:
                                        text.add(to_string(i.src[token.index]));
                                        break;
                                      case SyntaxToken::Kind::flags:
                                      case SyntaxToken::Kind::flags_always:
                                        if (i.flags >= 0) text.add("$c" + std::to_string(i.flags));
                                        break;
                                      case SyntaxToken::Kind::carry:
                                        if (i.operation == static_cast<int>(AddOperation::addc))
                                          text.add("$c" + std::to_string(i.condition_register));
                                        break;
                                      case SyntaxToken::Kind::number:
                                        text.add(hex(i.number));
                                        break;
                                      case SyntaxToken::Kind::count:
                                        text.add(hex(i.count));
                                        break;
                                      case SyntaxToken::Kind::target:
                                        text.add(target);
                                        break;
                                      case SyntaxToken::Kind::results:
                                        text.add(registers_text(i.dst.value, 4, i.results));
                                        break;
                                      case SyntaxToken::Kind::arguments:
                                        text.add(registers_text(i.dst.value, i.arguments, 15));
                                        break;
                                      case SyntaxToken::Kind::texture:
                                        text.add("$t" + std::to_string(i.number));
                                        break;
                                      case SyntaxToken::Kind::sampler:
                                        text.add("$s" + std::to_string(i.count));
                                        break;
                                      case SyntaxToken::Kind::offsets:
                                        add_offsets(i, text);
                                        break;
                                      case SyntaxToken::Kind::lanes:
                                        if (i.lanes != 15) text.add(lanes_text(i.lanes));
                                        break;
                                      default:  // a predicate stands before the instruction
                                        break;
                                    }
                                  });
  if (!i.is_long()) text.add("{short}");
  if (i.unused != 0) text.add("{unused " + hex(i.unused) + "}");
  return text.take();
}

// "0018: 10000001 0423c780"
std::string words_text(std::uint32_t address, std::span<const std::uint32_t> words) {
  char text[16];
  std::snprintf(text, sizeof text, "%04x:", address);
  std::string all = text;
  for (const std::uint32_t word : words) {
    std::snprintf(text, sizeof text, " %08x", word);
    all += text;
  }
  return all;
}

// After an instruction, or after a word that is no instruction, with the reason.
void add_comment(const std::string& words, const std::string& why, std::string& line) {
  if (words.empty() && why.empty()) return;
  line.append(line.size() < 46 ? 46 - line.size() : 1, ' ');
  line += "// " + words + (words.empty() || why.empty() ? "" : "  ") + why;
}

}  // namespace

std::string_view condition_name(unsigned condition) { return kConditions[condition & 31]; }

std::string special_register_name(unsigned number) {
  switch (number) {
    case 0:
      return "$physid";
    case 1:
      return "$clock";
    case 3:
      return "$vstride";
    case 8:
      return "$sampleid";
    default:
      if (number >= 4 && number < 8) return "$pm" + std::to_string(number - 4);
      return "$sr" + std::to_string(number);
  }
}

std::string to_string(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::none:
      return {};
    case Operand::Kind::discarded:
      return operand.type == Type::b16 ? "#h" : "#";
    case Operand::Kind::gpr:
      switch (operand.type) {
        case Type::b16:
          return "$r" + std::to_string(operand.value / 2) + ((operand.value & 1) != 0 ? "h" : "l");
        case Type::b64:
          return "$r" + std::to_string(operand.value) + "d";
        case Type::b128:
          return "$r" + std::to_string(operand.value) + "q";
        default:
          return "$r" + std::to_string(operand.value);
      }
    case Operand::Kind::flags:
      return "$c" + std::to_string(operand.value);
    case Operand::Kind::address:
      return address_name(operand.value);
    case Operand::Kind::special:
      return special_register_name(operand.value);
    case Operand::Kind::number:
    case Operand::Kind::immediate:
      return hex(operand.value);
    case Operand::Kind::constant:
      return memory_text(operand, "c" + std::to_string(operand.space));
    case Operand::Kind::shared:
      return memory_text(operand, "s");
    case Operand::Kind::local:
      return memory_text(operand, "l");
    case Operand::Kind::attribute:
      return memory_text(operand, "a");
    case Operand::Kind::vertex:
      return memory_text(operand, "p");
    case Operand::Kind::output:
      return memory_text(operand, "o") + (operand.type == Type::b16 ? "h" : "");
    case Operand::Kind::interpolant:
      return memory_text(operand, "v");
    case Operand::Kind::global:
      return "g" + std::to_string(operand.space) + "[$r" + std::to_string(operand.value) + "]";
  }
  return {};
}

std::string disassemble(const Instruction& instruction) {
  return instruction_text(instruction, hex(instruction.target));
}

std::string disassemble(const Program& program, const DisassembleOptions& options) {
  // What stands at each word; a long instruction at its first.
  std::vector<std::optional<Instruction>> instructions(program.code.size());
  std::map<std::uint32_t, std::string> labels;
  for (std::size_t k = 0; k < program.code.size();) {
    const auto address = static_cast<std::uint32_t>(4 * k);
    auto decoded = decode(program.type, program.code, address);
    if (!decoded) {
      ++k;
      continue;
    }
    if (options.labels && decoded->target != 0 && decoded->target / 4 < program.code.size())
      labels[decoded->target] = "l" + hex(decoded->target).substr(2);
    instructions[k] = *decoded;
    k += decoded->words();
  }
  // A target that is no instruction's start stays a number.
  std::erase_if(labels, [&](const auto& label) { return !instructions[label.first / 4]; });

  std::string out;
  const auto directive = [&](const char* name, std::uint32_t value, std::uint32_t unless) {
    if (value != unless) out += std::string(".") + name + " " + std::to_string(value) + "\n";
  };
  const Program defaults;
  if (!program.name.empty()) out += ".kernel " + program.name + "\n";
  if (program.type != defaults.type) out += ".type " + std::string(name(program.type)) + "\n";
  for (const auto& [field, numbers] : given_graphics(program)) {
    out += "." + std::string(field->name);
    for (const std::uint32_t number : numbers)
      out += " " + (number < 256 ? std::to_string(number) : hex(number));
    out += "\n";
  }
  directive("registers", program.registers, defaults.registers);
  directive("shared", program.shared_bytes, 0);
  directive("local", program.local_bytes, 0);
  directive("barriers", program.barriers, 0);
  directive("architecture", program.architecture, 0);
  directive("entry", program.entry, 0);
  for (const ConstantSegment& segment : program.constants) {
    out += ".const c" + std::to_string(segment.space) + "[" + hex(segment.offset) + "]";
    if (segment.words.empty() || segment.bytes != 4 * segment.words.size())
      out += " size " + std::to_string(segment.bytes);
    for (const std::uint32_t word : segment.words) out += " " + hex(word);
    out += "\n";
  }
  for (std::size_t k = 0; k < program.code.size();) {
    const auto address = static_cast<std::uint32_t>(4 * k);
    if (const auto label = labels.find(address); label != labels.end()) out += label->second + ":\n";
    std::string line, why;
    std::size_t words = 1;
    if (const auto& i = instructions[k]) {
      const auto label = labels.find(i->target);
      line = instruction_text(*i, label != labels.end() ? "#" + label->second : hex(i->target));
      words = i->words();
    } else {
      line = ".word " + hex(program.code[k]);
      why = decode(program.type, program.code, address).error().message;
    }
    add_comment(options.words ? words_text(address, std::span(program.code).subspan(k, words)) : "", why,
                line);
    out += "  " + line + "\n";
    k += words;
  }
  return out;
}

}  // namespace warpjit::tesla
