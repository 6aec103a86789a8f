#include "frontend/pica200/assembly/disassemble.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "base/parse_float.h"
#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/assembly/header_fields.h"
#include "frontend/pica200/assembly/instruction_text.h"
#include "frontend/pica200/assembly/symbols.h"
#include "frontend/pica200/encoding/encoding.h"

namespace warpjit::pica200 {
namespace {

// Lines that stand before an address: the end or other half of a block, a procedure or label.
struct Structure {
  std::map<std::uint32_t, int> ends, elses;
  std::set<std::uint32_t> procedures, procedure_ends, labels;
};

Structure find_structure(const Container& container) {
  Structure result;
  for (const ProgramInfo& info : container.programs) {
    result.procedures.insert(info.entry);
    result.procedure_ends.insert(info.main_end);
  }
  for (std::uint32_t address = 0; address < container.code.size(); ++address) {
    const auto i = try_decode(container.code[address]);
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
        result.procedures.insert(target);
        result.procedure_ends.insert(end);
        break;
      case Opcode::jmpc:
      case Opcode::jmpu:
        result.labels.insert(target);
        break;
      default:
        break;
    }
  }
  return result;
}

bool is_identifier(std::string_view name) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), is_part);
}
// Whether the assembler takes it as a name of a register.
bool can_be_defined(std::string_view name) { return is_identifier(name) && !is_register_name(name); }

// The name that a source has for a symbol; empty if it has none.
std::string source_name(std::string_view stored) {
  std::string text(stored);
  std::replace(text.begin(), text.end(), '.', '_');
  if (!is_identifier(text)) return {};
  text = stored;
  std::replace(text.begin(), text.end(), '.', '$');
  return text;
}

// Words that the assembler takes as they are only in verbatim source: two input registers in one instruction,
// an inverted form without need, vertex 3.
bool needs_verbatim(const Container& container) {
  return std::any_of(container.code.begin(), container.code.end(), [](std::uint32_t word) {
    const auto i = try_decode(word);
    if (!i) return false;
    if (i->vertex > 2) return true;
    const int wide = wide_source(i->info().format);
    std::optional<Register> input;
    bool uniform = false;
    for (int n = 1; n <= i->source_count(); ++n) {
      const Register reg = source_register(i->source(n));
      uniform |= reg.file == RegisterFile::c;
      if (reg.file != RegisterFile::v) continue;
      if (input && *input != reg) return true;
      input = reg;
    }
    return !uniform && wide > wide_source(info(i->info().swapped).format);
  });
}

// Short text of a 24-bit float; empty if none reads back as the same bits.
std::string float_text(std::uint32_t raw) {
  const auto value = decode_f24(raw);
  for (int digits = 1; digits <= 9; ++digits) {
    const std::string text = format("%.*g", digits, static_cast<double>(value));
    float again = 0;
    const char* begin = text.data() + (text[0] == '-' ? 1 : 0);
    if (text.find("inf") == std::string::npos && text.find("nan") == std::string::npos)
      parse_float(begin, text.data() + text.size(), again);
    else
      again = value < 0 ? -value : value;
    if (begin != text.data()) again = -again;
    if (encode_f24(again) == raw) return text;
  }
  return {};
}

// How much of the source is spelled out.
struct Form {
  bool places = false;       // registers of uniforms
  bool selectors = false;    // components on which an instruction does not depend
  bool descriptors = false;  // the table of descriptors
  bool exact = false;        // code in the exact form
};

class Listing {
 public:
  Listing(const Container& container, const DisassembleOptions& options, const Form& form,
          const Structure& structure)
      : container_(container), options_(options), form_(form), structure_(structure) {
    for (const ProgramInfo& info : container.programs) programs_.push_back(prepare(info));
    name_addresses();
  }

  // `headers`: a line of each program, or empty.
  std::string text(const std::vector<std::string>& headers) {
    text_.clear();
    if (options_.structure && !form_.exact && needs_verbatim(container_))
      text_ += ".verbatim  ; some instructions are not what the assembler would choose or take\n";
    const bool several = programs_.size() > 1;
    for (std::size_t k = 0; k < programs_.size(); ++k) {
      if (several) text_ += format(".program %u\n", static_cast<unsigned>(k));
      directives(k);
      if (k < headers.size() && !headers[k].empty()) text_ += ".header" + headers[k] + "\n";
    }
    if (form_.descriptors || form_.exact)
      for (std::size_t k = 0; k < container_.descriptors.size(); ++k)
        text_ += format(".desc 0x%08x  ; %u\n", container_.descriptors[k], static_cast<unsigned>(k));
    text_ += "\n";
    if (form_.exact)
      exact_code();
    else
      code();
    return text_;
  }

 private:
  struct Prepared {
    std::vector<Symbol> symbols;  // that get names in the source, under these
    bool listed = false;          // the table is listed by .symbol: none
    bool unsorted = false;        // the table is not in the order that the assembler gives it
    Names names;
  };

  Prepared prepare(const ProgramInfo& info) const {
    Prepared result;
    result.names.selectors = form_.selectors;
    std::set<std::string_view> seen;
    bool uniforms = false;
    for (const Symbol& symbol : info.symbols) {
      const bool input = symbol.first.file == RegisterFile::v;
      const std::string name = source_name(symbol.name);
      result.listed |= name.empty() || is_register_name(name) || !seen.insert(symbol.name).second ||
                       (input ? uniforms || symbol.last != symbol.first.index : name[0] == kHidden);
      uniforms |= !input;
    }
    result.unsorted = !std::is_sorted(info.symbols.begin(), info.symbols.end(), lies_before);
    if (!result.listed) {
      result.symbols = info.symbols;
      for (Symbol& symbol : result.symbols) symbol.name = source_name(symbol.name);
    }
    result.names.structure = options_.structure;
    if (!options_.names) return result;
    result.names.symbols = result.symbols;
    for (const Output& output : info.outputs)
      if (!output.name.empty() && (!can_be_defined(output.name) || !seen.insert(output.name).second))
        return result;
    result.names.outputs = info.outputs;
    return result;
  }

  // Names for entries, procedures and labels, each used once.
  void name_addresses() {
    std::set<std::string> used;
    const auto name_it = [&](std::uint32_t address, const std::string& wanted) {
      if (addresses_.contains(address) || !is_identifier(wanted) || !used.insert(wanted).second) return;
      addresses_[address] = wanted;
    };
    for (const ProgramInfo& info : container_.programs)
      for (const Label& label : info.labels) name_it(label.address, label.name);
    for (std::size_t k = 0; k < container_.programs.size(); ++k) {
      const ProgramInfo& info = container_.programs[k];
      name_it(info.entry, info.entry_name);
      name_it(info.entry, "main");
      name_it(info.entry, format("main_%u", static_cast<unsigned>(k)));
    }
    for (const std::uint32_t address : structure_.procedures) name_it(address, format("proc_%03x", address));
    for (const std::uint32_t address : structure_.labels) name_it(address, format("label_%03x", address));
    if (options_.structure)
      for (Prepared& program : programs_) program.names.addresses = addresses_;
  }

  void directive(std::string name, const std::string& operands) {
    name.resize(std::max<std::size_t>(name.size() + 1, 9), ' ');
    text_ += name + operands + "\n";
  }

  void directives(std::size_t k) {
    const ProgramInfo& info = container_.programs[k];
    const Prepared& program = programs_[k];
    text_ += format("; %s program, %u words, %u descriptors, entry 0x%03x\n",
                    info.stage == Stage::vertex ? "vertex" : "geometry",
                    static_cast<unsigned>(container_.code.size()),
                    static_cast<unsigned>(container_.descriptors.size()), info.entry);
    if (info.stage == Stage::geometry) geometry(info);
    if (form_.exact)
      directive(".exact", std::string(name(info.stage)) + " " + std::to_string(info.entry));
    else if (const auto found = addresses_.find(info.entry);
             found != addresses_.end() && found->second != "main")
      directive(".entry", found->second);
    if (program.unsorted && !program.listed) text_ += ".unsorted\n";
    for (const Symbol& symbol : info.symbols) declare(symbol, program.listed);
    const std::span<const Output> outputs(info.outputs);
    for (std::size_t row = 0; row < outputs.size(); ++row)
      declare(info, outputs.first(row), outputs[row], !program.names.outputs.empty());
    for (const Constant& constant : info.constants) preset(constant);
  }

  void geometry(const ProgramInfo& info) {
    std::uint8_t first = 0;
    for (const Symbol& symbol : info.symbols)
      if (symbol.first.file == RegisterFile::c && (first == 0 || symbol.first.index < first))
        first = symbol.first.index;
    const std::string free = " " + name(Register{RegisterFile::c, first});
    if (info.geometry_mode == GeometryMode::variable)
      directive(".gsh", "variable" + free + " " + std::to_string(info.variable_vertices));
    else if (info.geometry_mode == GeometryMode::fixed && info.fixed_start < 96)
      directive(".gsh", "fixed" + free + " " + name(Register{RegisterFile::c, info.fixed_start}) + " " +
                            std::to_string(info.fixed_vertices));
    else
      directive(".gsh", "point" + free);
  }

  void declare(const Symbol& symbol, bool listed) {
    const Register last{symbol.first.file, symbol.last};
    std::string text = source_name(symbol.name);
    if (listed) {
      if (!text.empty())
        directive(".symbol", text + " " + name(symbol.first) + " " + name(last));
      else
        text_ += "; a name for " + name(symbol.first) + " is not kept: it is no identifier\n";
      return;
    }
    if (symbol.last != symbol.first.index)
      text += "[" + std::to_string(symbol.last - symbol.first.index + 1) + "]";
    const RegisterFile file = symbol.first.file;
    if (file == RegisterFile::v || form_.places) text += " " + name(symbol.first);
    directive(file == RegisterFile::v   ? ".in"
              : file == RegisterFile::c ? ".fvec"
              : file == RegisterFile::i ? ".ivec"
                                        : ".bool",
              text);
  }

  void declare(const ProgramInfo& info, std::span<const Output> before, const Output& output, bool named) {
    const std::string reg = " " + name(Register{RegisterFile::o, static_cast<std::uint8_t>(output.reg)});
    const std::string_view meaning = name(output.semantic);
    if (!find_semantic(meaning) || output.mask == 0 || output.mask > 15 ||
        !output_conflict(info.stage, before, output).empty()) {
      directive(".output", std::to_string(static_cast<unsigned>(output.semantic)) + reg +
                               format(" 0x%x", static_cast<unsigned>(output.mask)));
      return;
    }
    std::string text = named && !output.name.empty() ? output.name : "-";
    text.append(" ").append(meaning);
    if (output.mask != 15) text += "." + component_letters(output.mask);
    directive(".out", text + reg);
  }

  void preset(const Constant& constant) {
    const std::string reg = name(constant.reg);
    if (constant.reg.file == RegisterFile::b)
      return directive(".setb", reg + (constant.raw[0] != 0 ? " true" : " false"));
    std::string values, raw;
    bool exact = true;
    for (const std::uint32_t word : constant.raw) {
      const std::string text = constant.reg.file == RegisterFile::i ? std::to_string(word) : float_text(word);
      exact &= !text.empty();
      values += (values.empty() ? "" : ", ") + text;
      raw += (raw.empty() ? "" : ", ") + format("0x%06x", word);
    }
    directive(constant.reg.file == RegisterFile::i ? ".seti"
              : exact                              ? ".setf"
                                                   : ".rawf",
              reg + "(" + (exact ? values : raw) + ")");
  }

  // Which program's procedures have which entry of programs_: the first that reaches them.
  std::map<std::uint32_t, std::size_t> owners(const std::set<std::uint32_t>& starts) const {
    std::map<std::uint32_t, std::size_t> result;
    for (std::size_t k = 0; k < programs_.size(); ++k) {
      std::vector<std::uint32_t> work = {container_.programs[k].entry};
      while (!work.empty()) {
        auto start = starts.upper_bound(work.back());
        work.pop_back();
        if (start == starts.begin() || !result.emplace(*std::prev(start), k).second) continue;
        const std::size_t end = start == starts.end() ? container_.code.size() : *start;
        for (std::uint32_t address = *std::prev(start); address < end && address < container_.code.size();
             ++address)
          if (const auto i = try_decode(container_.code[address]); i && (i->info().traits & kTarget) != 0)
            work.push_back(i->target);
      }
    }
    return result;
  }

  void line(unsigned depth, const std::string& content) {
    text_ += std::string(static_cast<std::size_t>(depth) * 4, ' ') + content + "\n";
  }

  void code() {
    const std::map<std::uint32_t, std::size_t> owner = owners(structure_.procedures);
    const auto count_at = [](const std::map<std::uint32_t, int>& map, std::uint32_t address) {
      const auto found = map.find(address);
      return found != map.end() ? found->second : 0;
    };
    std::size_t current = programs_.empty() ? 0 : programs_.size() - 1;
    const Names none;
    const auto words = static_cast<std::uint32_t>(container_.code.size());
    unsigned depth = 0;
    bool in_procedure = false;
    for (std::uint32_t address = 0; address <= words; ++address) {
      const bool listed = structure_.procedures.contains(address);
      if (options_.structure) {
        for (int k = count_at(structure_.ends, address); k > 0; --k) {
          depth = std::max(depth, 1U) - 1;
          line(depth, ".end");
        }
        if (in_procedure && (listed || structure_.procedure_ends.contains(address) || address == words)) {
          depth = 0;
          line(depth, ".end");
          in_procedure = false;
        }
        for (int k = count_at(structure_.elses, address); k > 0; --k) {
          depth = std::max(depth, 1U) - 1;
          line(depth, ".else");
          ++depth;
        }
        if (address == words) break;
      }
      if (address == words) break;
      if (const auto found = owner.find(address); found != owner.end() && found->second != current) {
        current = found->second;
        text_ += format("\n.program %u\n", static_cast<unsigned>(current));
      }
      if (options_.structure && !in_procedure) {
        const auto found = addresses_.find(address);
        line(0, ".proc " + (found != addresses_.end() ? found->second : format("proc_%03x", address)));
        in_procedure = true;
        depth = 1;
      } else if (options_.structure && addresses_.contains(address)) {
        text_ += addresses_.at(address) + ":\n";
      }
      const Names& names = programs_.empty() ? none : programs_[current].names;
      depth += word(address, names, options_.structure ? depth : 0);
    }
  }

  // Prints an instruction; 1 if it begins a block.
  unsigned word(std::uint32_t address, const Names& names, unsigned depth) {
    const std::uint32_t word = container_.code[address];
    const auto instruction = try_decode(word);
    std::string content = std::string(static_cast<std::size_t>(depth) * 4, ' ');
    content += instruction ? instruction_text(*instruction, descriptor(*instruction), names)
                           : format(".word   0x%08x", word);
    if (options_.words || !instruction) {
      content.resize(std::max<std::size_t>(content.size() + 1, 48), ' ');
      content += options_.words ? format("; %03x %08x", address, word) : ";";
    }
    if (!instruction) content += " " + undefined_reason(word);
    text_ += content + "\n";
    const bool begins =
        instruction && (instruction->opcode == Opcode::ifc || instruction->opcode == Opcode::ifu ||
                        instruction->opcode == Opcode::loop);
    return begins && options_.structure ? 1 : 0;
  }

  void exact_code() {
    for (std::uint32_t address = 0; address < container_.code.size(); ++address) {
      const std::uint32_t word = container_.code[address];
      const auto instruction = try_decode(word);
      if (!instruction) {
        text_ += format(".word 0x%08x  ; %03x ", word, address) + undefined_reason(word) + "\n";
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
      text_ += line + format("  ; %03x %08x  ", address, word) +
               disassemble(*instruction, descriptor(*instruction)) + "\n";
    }
  }

  Descriptor descriptor(const Instruction& i) const {
    return decode_descriptor(
        i.descriptor < container_.descriptors.size() ? container_.descriptors[i.descriptor] : 0);
  }

  const Container& container_;
  const DisassembleOptions& options_;
  const Form& form_;
  const Structure& structure_;
  std::vector<Prepared> programs_;
  std::map<std::uint32_t, std::string> addresses_;
  std::string text_;
};

Result<Container> assembled(const std::string& text) {
  const SourceFile file{"listing", text};
  return assemble(std::span(&file, 1));
}

// ` field=value` for each field of a program that its directives do not give;
// empty lines if there are no such fields.
std::vector<std::string> missing_fields(const Container& wanted, const Container& made) {
  std::vector<std::string> lines(wanted.programs.size());
  for (std::size_t k = 0; k < lines.size() && k < made.programs.size(); ++k)
    for (const HeaderField& field : kHeaderFields)
      if (const std::uint32_t value = field.get(wanted.programs[k]); value != field.get(made.programs[k]))
        lines[k].append(" ").append(field.name).append(format("=0x%x", value));
  return lines;
}

ProgramInfo what_is_kept(ProgramInfo info) {
  info.labels.clear();
  info.entry_name.clear();
  for (Output& output : info.outputs) output.name.clear();
  return info;
}

}  // namespace

bool equal_programs(const Container& a, const Container& b) {
  return a.code == b.code && a.descriptors == b.descriptors &&
         std::equal(
             a.programs.begin(), a.programs.end(), b.programs.begin(), b.programs.end(),
             [](const ProgramInfo& x, const ProgramInfo& y) { return what_is_kept(x) == what_is_kept(y); });
}

std::string undefined_reason(std::uint32_t word) {
  if (try_decode(word)) return {};
  return format("no instruction has the opcode 0x%02x (bits 26-31)", word >> 26);
}

std::string disassemble(const Instruction& instruction, const Descriptor& descriptor) {
  return instruction_text(instruction, descriptor, Names{});
}

std::string disassemble(const Container& container, const DisassembleOptions& options) {
  const Structure structure = find_structure(container);
  if (!options.structure && !options.exact) {
    const Form form;
    return Listing(container, options, form, structure).text({});
  }
  // The plainest form that is assembled to the same.
  constexpr Form kForms[] = {{},
                             {.selectors = true},
                             {.places = true},
                             {.places = true, .selectors = true},
                             {.places = true, .descriptors = true},
                             {.places = true, .descriptors = true, .exact = true}};
  std::string text;
  for (const Form& form : kForms) {
    if (options.exact && !form.exact) continue;
    Listing listing(container, options, form, structure);
    text = listing.text({});
    auto made = assembled(text);
    if (!made) continue;
    if (const auto headers = missing_fields(container, *made);
        std::any_of(headers.begin(), headers.end(), [](const std::string& line) { return !line.empty(); })) {
      text = listing.text(headers);
      made = assembled(text);
    }
    if (made && equal_programs(container, *made)) break;
  }
  return text;
}

std::string disassemble(const Program& program, const DisassembleOptions& options) {
  Container container;
  container.code = program.code;
  container.descriptors = program.descriptors;
  container.programs.push_back(program);
  return disassemble(container, options);
}

}  // namespace warpjit::pica200
