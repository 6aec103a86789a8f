#include "frontend/pica200/assembly/disassemble.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "frontend/encoding/syntax.h"
#include "frontend/pica200/encoding/encoding.h"

namespace warpjit::pica200 {
namespace {

constexpr std::string_view kAddressNames[] = {"", "a0.x", "a0.y", "aL"};

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char text[96];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

// The names of registers and addresses.
struct Names {
  const Program* program = nullptr;                // symbols, or none
  std::map<std::uint32_t, std::string> addresses;  // procedures and labels
  bool structure = false;

  // `name[index]` of a symbol that covers the register.
  std::string of(Register reg, std::uint16_t idx = 0) const {
    std::string text;
    std::string index = idx != 0 ? std::string(kAddressNames[idx]) : std::string();
    if (program != nullptr && reg.file == RegisterFile::o)
      for (const Output& output : program->outputs)
        if (output.reg == reg.index && !output.name.empty()) return output.name;
    if (program != nullptr)
      for (const Symbol& symbol : program->symbols) {
        if (symbol.first.file != reg.file || reg.index < symbol.first.index || reg.index > symbol.last)
          continue;
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
    if (!index.empty()) {
      text += "[";
      text += index;
      text += "]";
    }
    return text;
  }

  std::string address(std::uint32_t address) const {
    const auto found = addresses.find(address);
    return found != addresses.end() ? found->second : format("0x%03x", address);
  }
};

std::string mask_text(std::uint8_t mask) {
  if (mask == kXYZW) return {};
  std::string text = ".";
  for (unsigned lane = 0; lane < 4; ++lane)
    if (enables(mask, lane)) text += "xyzw"[lane];
  return mask == 0 ? "._" : text;
}

// A selector as far as the instruction depends on it: the assembler repeats the last component.
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
  text += selector_text(descriptor.selector[k], reads == kLanes ? descriptor.mask : reads);
  return text;
}

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

// Lines that stand before an address: the end or other half of a block, a procedure or label.
struct Structure {
  std::map<std::uint32_t, int> ends, elses, procedures_end;
  std::map<std::uint32_t, bool> procedures, labels;
};

Structure find_structure(const Program& program) {
  Structure result;
  result.procedures[program.entry] = true;
  for (std::uint32_t address = 0; address < program.code.size(); ++address) {
    const auto i = try_decode(program.code[address]);
    if (!i) continue;
    const std::uint32_t target = i->target, end = target + i->num;
    switch (i->opcode) {
      case Opcode::ifc:
      case Opcode::ifu:
        if (i->num != 0) ++result.elses[target];
        ++result.ends[end];
        break;
      case Opcode::loop:
        ++result.ends[target + 1];
        break;
      case Opcode::call:
      case Opcode::callc:
      case Opcode::callu:
        result.procedures[target] = true;
        result.procedures_end[end] = 1;
        break;
      case Opcode::jmpc:
      case Opcode::jmpu:
        result.labels[target] = true;
        break;
      default:
        break;
    }
  }
  return result;
}

std::string header(const Program& program) {
  std::string text = format("; %s program, %u words, %u descriptors, entry 0x%03x\n",
                            program.stage == Stage::vertex ? "vertex" : "geometry",
                            static_cast<unsigned>(program.code.size()),
                            static_cast<unsigned>(program.descriptors.size()), program.entry);
  for (const Symbol& symbol : program.symbols) {
    text += "; " + symbol.name + " = " + name(symbol.first);
    if (symbol.last != symbol.first.index) text += ".." + name(Register{symbol.first.file, symbol.last});
    text += "\n";
  }
  for (const Constant& constant : program.constants) {
    text += "; " + name(constant.reg) + " = ";
    if (constant.reg.file == RegisterFile::c) {
      const auto f = constant.floats();
      text += format("(%.7g, %.7g, %.7g, %.7g)\n", static_cast<double>(f[0]), static_cast<double>(f[1]),
                     static_cast<double>(f[2]), static_cast<double>(f[3]));
    } else if (constant.reg.file == RegisterFile::i) {
      text +=
          format("(%u, %u, %u, %u)\n", constant.raw[0], constant.raw[1], constant.raw[2], constant.raw[3]);
    } else {
      text += constant.raw[0] != 0 ? "true\n" : "false\n";
    }
  }
  for (const Output& output : program.outputs) {
    text += format("; o%u.", output.reg);
    for (unsigned lane = 0; lane < 4; ++lane)
      if ((output.mask >> lane & 1) != 0) text += "xyzw"[lane];
    text += " = " + std::string(name(output.semantic)) + "\n";
  }
  return text;
}

}  // namespace

std::string disassemble(const Instruction& instruction, const Descriptor& descriptor) {
  return instruction_text(instruction, descriptor, Names{});
}

std::string disassemble(const Program& program, const DisassembleOptions& options) {
  const Structure structure = find_structure(program);
  Names names;
  names.structure = options.structure;
  if (options.names) names.program = &program;
  for (const auto& [address, unused] : structure.labels)
    names.addresses[address] = format("label_%03x", address);
  for (const auto& [address, unused] : structure.procedures)
    names.addresses[address] = format("proc_%03x", address);
  if (program.entry < program.code.size()) names.addresses[program.entry] = "main";
  for (const Label& label : program.labels)
    if (options.names) names.addresses[label.address] = label.name;
  if (!options.structure) names.addresses.clear();

  const auto count_at = [](const std::map<std::uint32_t, int>& map, std::uint32_t address) {
    const auto found = map.find(address);
    return found != map.end() ? found->second : 0;
  };
  std::string text = header(program);
  int depth = 0;
  bool in_procedure = false;
  const auto line = [&](std::string_view content) {
    const std::string margin = options.words ? std::string(16, ' ') : std::string();
    text += margin + std::string(static_cast<std::size_t>(depth) * 4, ' ') + std::string(content) + "\n";
  };
  for (std::uint32_t address = 0; address <= program.code.size(); ++address) {
    if (options.structure) {
      for (int k = count_at(structure.ends, address); k > 0; --k) {
        depth = std::max(depth - 1, 0);
        line(".end");
      }
      const bool starts = structure.procedures.contains(address) && address < program.code.size();
      if (in_procedure &&
          (starts || count_at(structure.procedures_end, address) != 0 || address == program.code.size())) {
        depth = 0;
        line(".end");
        in_procedure = false;
      }
      for (int k = count_at(structure.elses, address); k > 0; --k) {
        depth = std::max(depth - 1, 0);
        line(".else");
        ++depth;
      }
      if (starts) {
        line(".proc " + names.address(address));
        in_procedure = true;
        depth = 1;
      } else if (structure.labels.contains(address)) {
        text += names.address(address) + ":\n";
      }
    }
    if (address == program.code.size()) break;
    const std::uint32_t word = program.code[address];
    const auto instruction = try_decode(word);
    if (options.words) text += format("%03x %08x    ", address, word);
    text += std::string(static_cast<std::size_t>(options.structure ? depth : 0) * 4, ' ');
    text += instruction ? instruction_text(*instruction, program.descriptor(instruction->descriptor), names)
                        : format(".word 0x%08x", word);
    text += "\n";
    if (!instruction || !options.structure) continue;
    if (instruction->opcode == Opcode::ifc || instruction->opcode == Opcode::ifu ||
        instruction->opcode == Opcode::loop)
      ++depth;
  }
  return text;
}

std::string disassemble_exact(const Program& program) {
  std::string text =
      format(".exact %s %u\n", program.stage == Stage::vertex ? "vertex" : "geometry", program.entry);
  for (std::size_t k = 0; k < program.descriptors.size(); ++k)
    text += format(".desc 0x%08x  ; %u\n", program.descriptors[k], static_cast<unsigned>(k));
  for (std::uint32_t address = 0; address < program.code.size(); ++address) {
    const std::uint32_t word = program.code[address];
    const auto instruction = try_decode(word);
    if (!instruction) {
      text += format(".word 0x%08x  ; %03x\n", word, address);
      continue;
    }
    std::string line = ".op " + std::string(instruction->info().name);
    for (const Field& field : fields(instruction->opcode)) {
      const unsigned value = (*instruction).*field.member;
      line += ' ';
      line += field.name;
      line += '=';
      line += field.kind == Field::Kind::source ? name(source_register(value))
              : field.kind == Field::Kind::dest ? name(dest_register(value))
                                                : std::to_string(value);
    }
    if (instruction->unused != 0) line += format(" unused=0x%08x", instruction->unused);
    line.resize(std::max<std::size_t>(line.size(), 64), ' ');
    text += line + format("  ; %03x %08x  ", address, word) +
            disassemble(*instruction, program.descriptor(instruction->descriptor)) + "\n";
  }
  return text;
}

}  // namespace warpjit::pica200
