#include "frontend/valhall/assembly/disassemble.h"

#include <cinttypes>
#include <cstdio>
#include <map>
#include <optional>

#include "frontend/assembly/lines.h"
#include "frontend/valhall/encoding/encoding.h"

namespace warpjit::valhall {
namespace {

using assembly::hex;

// In the case that this ISA's listings have.
std::string upper_hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%" PRIX32, value);
  return text;
}
std::string base_text(const Source& source) {
  switch (source.kind) {
    case Source::Kind::none:
      break;
    case Source::Kind::gpr:
      return (source.last_use ? "^r" : "r") + std::to_string(source.value);
    case Source::Kind::uniform:
      return "u" + std::to_string(source.value);
    case Source::Kind::constant:
      // Constant 0 has the same value as a later one.
      for (std::uint8_t k = 0; k < source.value; ++k)
        if (kConstants[k] == kConstants[source.value]) return "k" + std::to_string(source.value);
      return upper_hex(kConstants[source.value]);
    case Source::Kind::special:
      return std::string(special_name(special_page(source.value), special_entry(source.value))) +
             (source.value % 2 != 0 ? ".w1" : ".w0");
  }
  return "?";
}

std::string source_text(const SyntaxToken& token, const Source& source) {
  std::string text = base_text(source);
  if (source.invert) text += ".not";
  if (source.negate) text += ".neg";
  if (source.absolute) text += ".abs";
  if (token.select != kNoSelect && source.lanes != selects()[token.select].implied)
    text += "." + std::string(name(source.lanes));
  return text;
}

std::string destination_text(const Instruction& i) {
  constexpr std::string_view kMasks[] = {".none", ".h0", ".h1", ""};
  return "r" + std::to_string(i.destination) + std::string(kMasks[i.write_mask & 3]);
}

// "@r0:r1:r2"; "@" for none.
std::string staging_text(const Staging& staging) {
  std::string text = "@";
  for (unsigned k = 0; k < staging.count; ++k)
    text += (k == 0 ? "r" : ":r") + std::to_string(staging.first + k);
  return text;
}

std::string immediate_text(const SyntaxToken& token, const Instruction& i, const std::string& label) {
  const std::int64_t value = get(i, token.immediate);
  const auto bits = static_cast<std::uint32_t>(value);
  if (token.immediate == Immediate::constant) return "#" + upper_hex(bits);
  const std::string text = std::string(name(token.immediate)) + ":";
  if (token.immediate == Immediate::offset && !label.empty()) return text + label;
  return text + (token.is_signed ? std::to_string(value) : upper_hex(bits));
}

// `label`: where a branch goes, if that has a name.
std::string instruction_text(const Instruction& i, const std::string& label) {
  const Pattern* pattern = find_pattern(i.opcode, i.type);
  if (pattern == nullptr) return {};
  std::string head = mnemonic(i), operands;
  const auto add = [&](const std::string& operand) { operands += (operands.empty() ? " " : ", ") + operand; };
  for (const SyntaxToken& token : pattern->syntax()) switch (token.kind) {
      case SyntaxToken::Kind::modifier: {
        const Modifier& modifier = modifiers()[token.modifier];
        const std::string_view word = modifier.words[modifier.field_of(modifier.get(i))];
        if (!word.empty()) head += "." + std::string(word);
        break;
      }
      case SyntaxToken::Kind::destination:
        add(destination_text(i));
        break;
      case SyntaxToken::Kind::source:
        add(source_text(token, i.source[token.index]));
        break;
      case SyntaxToken::Kind::read:
        add(staging_text(i.read));
        break;
      case SyntaxToken::Kind::write:
        add(staging_text(i.write));
        break;
      case SyntaxToken::Kind::immediate:
        add(immediate_text(token, i, label));
        break;
      default:
        break;
    }
  std::string text = head + operands;
  if (i.unused != 0) text += " {unused " + hex(i.unused) + "}";
  if (!check_operands(i)) text += " {unchecked}";
  return text;
}

// Where a branch at word k goes, as the number of a word;
// nothing for other instructions and outside the code.
std::optional<std::size_t> target_of(const Instruction& i, std::size_t k, std::size_t words) {
  if (i.opcode != Opcode::branchz) return {};
  const std::int64_t target = static_cast<std::int64_t>(k) + 1 + i.offset;
  if (target < 0 || target >= static_cast<std::int64_t>(words)) return {};
  return static_cast<std::size_t>(target);
}

std::string why_no_instruction(std::uint64_t word) {
  if (word == 0) return "padding, which runs as NOP";
  const auto decoded = decode(word);
  return decoded ? std::string() : decoded.error().message;
}

}  // namespace

std::string disassemble(const Instruction& instruction) { return instruction_text(instruction, {}); }

std::string disassemble(const Program& program, const DisassembleOptions& options) {
  constexpr std::size_t kCommentColumn = 70;
  const std::size_t count = program.code.size();
  std::map<std::size_t, std::string> labels;
  std::vector<std::optional<Instruction>> instructions(count);
  for (std::size_t k = 0; k < count; ++k) {
    if (program.code[k] == 0) continue;
    const auto decoded = decode(program.code[k]);
    if (!decoded) continue;
    instructions[k] = *decoded;
    if (const auto target = target_of(*decoded, k, count); target && options.labels)
      labels[*target] = "l" + hex(8 * *target).substr(2);
  }

  std::string out;
  if (program.stage != Program().stage) out += ".stage " + std::string(stage_name(program.stage)) + "\n";
  for (const auto& [name, bytes] :
       {std::pair{".local ", program.local_bytes}, std::pair{".shared ", program.shared_bytes}})
    if (bytes != 0) out += name + std::to_string(bytes) + "\n";
  for (std::size_t k = 0; k < count; ++k) {
    if (const auto label = labels.find(k); label != labels.end()) out += label->second + ":\n";
    std::string line = "  ", comment;
    if (options.words) {
      char text[64];
      std::snprintf(text, sizeof text, "%04" PRIx64 ": %016" PRIx64, std::uint64_t{8 * k}, program.code[k]);
      comment = text;
    }
    if (const auto& i = instructions[k]) {
      const auto target = target_of(*i, k, count);
      const auto label = target ? labels.find(*target) : labels.end();
      line += instruction_text(*i, label != labels.end() ? label->second : std::string());
    } else {
      line += ".word " + hex(program.code[k]);
      comment += (comment.empty() ? "" : ", ") + why_no_instruction(program.code[k]);
    }
    if (!comment.empty()) {
      const std::size_t column = options.words ? kCommentColumn : 0;
      line.append(line.size() < column ? column - line.size() : 1, ' ');
      line += "// " + comment;
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace warpjit::valhall
