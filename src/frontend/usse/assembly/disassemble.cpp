#include "frontend/usse/assembly/disassemble.h"

#include <cinttypes>
#include <cstdio>
#include <map>
#include <optional>

#include "frontend/assembly/lines.h"
#include "frontend/usse/assembly/interface.h"
#include "frontend/usse/encoding/encoding.h"

namespace warpjit::usse {
namespace {

using assembly::hex;

std::string register_text(const Register& reg) {
  std::string text(name(reg.bank));
  if (reg.index == 0) return text + std::to_string(reg.number);
  return text + (reg.index_words == 2 ? "[2*idx" : "[idx") + std::to_string(reg.index) + "+" +
         std::to_string(reg.number) + "]";
}

std::string destination_text(const SyntaxToken& token, const Destination& destination) {
  std::string text = register_text(destination);
  if (destination.mask == low_mask<unsigned>(token.mask.width())) return text;
  text += destination.mask == 0 ? ".none" : ".";
  for (unsigned k = 0; k < 4; ++k)
    if ((destination.mask >> k & 1) != 0) text += "xyzw"[k];
  return text;
}

std::string source_text(const SyntaxToken& token, const Source& source) {
  std::string text = register_text(source);
  if (token.table != kNoSwizzle && !is_identity(token, source.swizzle))
    text += "." + swizzle_text(token, source.swizzle);
  if (source.absolute) text = "|" + text + "|";
  return source.negate ? "-" + text : text;
}

std::string immediate_text(const SyntaxToken& token, const Instruction& i) {
  const std::int32_t value = i.value(token.immediate);
  std::string text(kImmediateNames[static_cast<std::size_t>(token.immediate)]);
  text += ":";
  if (token.immediate == Immediate::value) return text + hex(static_cast<std::uint32_t>(value), 8);
  return text + std::to_string(value);
}

const Pattern* pattern_of(const Instruction& i) {
  for (const Pattern& pattern : patterns_of(i.opcode))
    if (pattern.opcode == i.opcode && encoding::modifiers_fit(pattern, i)) return &pattern;
  return nullptr;
}

std::string text_of(const Instruction& i, const std::string& label) {
  const Pattern* pattern = pattern_of(i);
  if (pattern == nullptr) return "?";
  std::string predicate, mnemonic(name(i.opcode)), operands;
  for (const SyntaxToken& token : pattern->syntax()) {
    if (encoding::is_modifier(token)) {
      const Modifier& modifier = modifiers()[token.modifier];
      const std::string word(modifier.words[modifier.field_of(modifier.get(i))]);
      if (is_predicate(modifier))
        predicate = word.empty() ? word : word + " ";
      else if (!word.empty())
        mnemonic += "." + word;
      continue;
    }
    if (!is_operand(token)) continue;
    operands += operands.empty() ? " " : ", ";
    if (token.kind == SyntaxToken::Kind::destination)
      operands += destination_text(token, i.d[token.index]);
    else if (token.kind == SyntaxToken::Kind::source)
      operands += source_text(token, i.s[token.index]);
    else if (token.immediate == Immediate::offset && !label.empty())
      operands += "offset:" + label;
    else
      operands += immediate_text(token, i);
  }
  std::string text = predicate + mnemonic + operands;
  if (i.unused != 0) text += " {unused " + hex(i.unused) + "}";
  return text;
}

// Targets of branches inside the code.
std::optional<std::size_t> target_of(const Instruction& i, std::size_t at, std::size_t size) {
  if (i.opcode != Opcode::br && i.opcode != Opcode::ba) return {};
  const std::int64_t target =
      i.value(Immediate::offset) + (i.opcode == Opcode::br ? static_cast<std::int64_t>(at) : 0);
  if (target < 0 || target >= static_cast<std::int64_t>(size)) return {};
  return static_cast<std::size_t>(target);
}

// `first`: the address of the first instruction, which Shader::where takes.
void list(std::span<const std::uint64_t> code, const std::string& prefix, std::size_t first,
          const DisassembleOptions& options, std::string& text) {
  std::map<std::size_t, std::string> labels;
  if (options.labels)
    for (std::size_t k = 0; k < code.size(); ++k)
      if (const auto i = decode(code[k]))
        if (const auto target = target_of(*i, k, code.size())) labels[*target];
  const auto address = [&](std::size_t at) { return hex(first + at, 4).substr(2); };
  for (auto& [at, label] : labels) label = prefix + address(at);
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (const auto label = labels.find(k); label != labels.end()) text += label->second + ":\n";
    std::string line, reason;
    const auto i = decode(code[k]);
    if (i) {
      const auto target = options.labels ? target_of(*i, k, code.size()) : std::nullopt;
      line = text_of(*i, target ? labels[*target] : std::string());
    } else {
      line = ".word " + hex(code[k], 16);
      reason = i.error().message;
    }
    text += "  " + line;
    if (options.words) {
      constexpr std::size_t kColumn = 72;
      text += std::string(line.size() < kColumn ? kColumn - line.size() : 1, ' ');
      text += "// " + address(k) + ": " + hex(code[k], 16);
      if (!reason.empty()) text += ": " + reason;
    } else if (!reason.empty()) {
      text += "  // " + reason;
    }
    text += '\n';
  }
}

}  // namespace

std::string disassemble(const Instruction& instruction) { return text_of(instruction, {}); }

std::string disassemble(const Program& program, const DisassembleOptions& options) {
  std::string text = ".stage " + std::string(stage_name(program.stage)) + "\n" + list_interface(program);
  if (!program.secondary.empty()) {
    text += ".secondary\n";
    list(program.secondary, "s", program.primary.size(), options, text);
    text += ".primary\n";
  }
  list(program.primary, "L", 0, options, text);
  return text;
}

}  // namespace warpjit::usse
