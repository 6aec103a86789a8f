#include "frontend/pica200/assembly/instruction_text.h"

#include <algorithm>

#include "frontend/encoding/syntax.h"
#include "frontend/pica200/encoding/encoding.h"

namespace warpjit::pica200 {
namespace {

constexpr std::string_view kAddressNames[] = {"", "a0.x", "a0.y", "aL"};

std::string mask_text(std::uint8_t mask) {
  if (mask == kXYZW) return {};
  std::string text = ".";
  for (unsigned lane = 0; lane < 4; ++lane)
    if (enables(mask, lane)) text += "xyzw"[lane];
  return mask == 0 ? "._" : text;
}

// A whole selector: the assembler repeats the last component.
std::string whole_selector_text(std::uint8_t selector) {
  if (selector == kIdentitySelector) return {};
  unsigned count = 4;
  while (count > 1 && selected(selector, count - 1) == selected(selector, count - 2)) --count;
  std::string text = ".";
  for (unsigned lane = 0; lane < count; ++lane) text += "xyzw"[selected(selector, lane)];
  return text;
}

// A selector as far as the instruction depends on it.
std::string selector_text(std::uint8_t selector, std::uint8_t read) {
  bool identity = true, same = true;
  unsigned first = 4, last = 0;
  for (unsigned lane = 0; lane < 4; ++lane) {
    if (!enables(read, lane)) continue;
    if (first == 4) first = lane;
    last = lane;
    identity &= selected(selector, lane) == lane;
    same &= selected(selector, lane) == selected(selector, first);
  }
  if (first == 4 || (identity && first != last)) return {};
  std::string text = ".";
  for (unsigned lane = same ? last : 0; lane <= last; ++lane) text += "xyzw"[selected(selector, lane)];
  return text;
}

std::string condition_text(const Instruction& i) {
  const std::string x = i.ref_x != 0 ? "cmp.x" : "!cmp.x", y = i.ref_y != 0 ? "cmp.y" : "!cmp.y";
  switch (i.condition) {
    case 0:
      return x + " || " + y;
    case 1:
      return x + " && " + y;
    case 2:
      return x;
    default:
      return y;
  }
}

std::string source_text(const Instruction& i, const Descriptor& descriptor, int n, const Names& names) {
  const Register reg = source_register(i.source(n));
  const bool wide = wide_source(i.info().format) == n && reg.file == RegisterFile::c;
  const auto k = static_cast<std::size_t>(n - 1);
  std::string text = descriptor.negate[k] != 0 ? "-" : "";
  text += names.of(reg, wide ? i.idx : 0);
  const std::uint8_t reads = i.info().reads[k];
  text += names.selectors ? whole_selector_text(descriptor.selector[k])
                          : selector_text(descriptor.selector[k], reads == kLanes ? descriptor.mask : reads);
  return text;
}

}  // namespace

std::string instruction_text(const Instruction& i, const Descriptor& descriptor, const Names& names) {
  encoding::Text operands;
  const auto uniform = [&] {
    const RegisterFile file = i.info().format == Format::bool_flow ? RegisterFile::b : RegisterFile::i;
    return names.of({file, static_cast<std::uint8_t>(i.uniform)});
  };
  const auto add = [&](const SyntaxToken& token, encoding::Text& text) {
    switch (token.kind) {
      case SyntaxToken::Kind::dst:
        return text.add(names.of(dest_register(i.dst)) + mask_text(descriptor.mask));
      case SyntaxToken::Kind::address_registers:
        return text.add("a0" + mask_text(descriptor.mask & kXY));
      case SyntaxToken::Kind::source:
        return text.add(source_text(i, descriptor, token.value, names));
      case SyntaxToken::Kind::condition:
        return text.add(condition_text(i));
      case SyntaxToken::Kind::uniform:
        return text.add(uniform());
      case SyntaxToken::Kind::uniform_or_not:
        return text.add(((i.num & 1) != 0 ? "!" : "") + uniform());
      case SyntaxToken::Kind::target:
        return text.add(names.address(i.target));
      case SyntaxToken::Kind::length:
        return text.add(std::to_string(i.num));
      case SyntaxToken::Kind::vertex:
        return text.add(std::to_string(i.vertex));
      case SyntaxToken::Kind::emit_flags:
        if (i.primitive != 0 || i.winding != 0) text.add(",");
        if (i.primitive != 0) text.add("prim");
        if (i.winding != 0) text.add("inv");
        return;
      default:
        return;
    }
  };
  const OperandSyntax syntax = operand_syntax(i.opcode);
  encoding::print_syntax<Grammar>(syntax.structured, i, operands, add);
  if (!names.structure) encoding::print_syntax<Grammar>(syntax.unstructured, i, operands, add);
  std::string text(i.info().name);
  const std::string rest = operands.take();
  if (rest.empty()) return text;
  text.resize(std::max<std::size_t>(text.size() + 1, 8), ' ');
  return text + rest;
}

std::string component_letters(unsigned mask) {
  std::string text;
  for (unsigned lane = 0; lane < 4; ++lane)
    if ((mask >> lane & 1) != 0) text += "xyzw"[lane];
  return text;
}

std::string Names::of(Register reg, std::uint16_t idx) const {
  std::string text;
  std::string index = idx != 0 ? std::string(kAddressNames[idx]) : std::string();
  if (reg.file == RegisterFile::o)
    for (const Output& output : outputs)
      if (output.reg == reg.index && !output.name.empty()) return output.name;
  for (const Symbol& symbol : symbols) {
    if (symbol.first.file != reg.file || reg.index < symbol.first.index || reg.index > symbol.last) continue;
    const unsigned offset = reg.index - symbol.first.index;
    if (symbol.last == symbol.first.index && idx == 0) return symbol.name;
    text = symbol.name;
    if (idx == 0) {
      index = std::to_string(offset);
    } else if (offset != 0) {
      index += "+" + std::to_string(offset);
    }
    break;
  }
  if (text.empty()) text = name(reg);
  return index.empty() ? text : text + "[" + index + "]";
}

std::string Names::address(std::uint32_t address) const {
  const auto found = addresses.find(address);
  return found != addresses.end() ? found->second : format("0x%03x", address);
}

}  // namespace warpjit::pica200
