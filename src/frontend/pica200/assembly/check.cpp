#include "frontend/pica200/assembly/check.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "frontend/pica200/assembly/instruction_text.h"
#include "frontend/pica200/facts/usage.h"

namespace warpjit::pica200 {
namespace {

constexpr std::uint32_t kUploadedWords = 512;  // what a vertex unit takes

// Code as the assembler lays it out: blocks lie in each other, and their ends differ.
class CheckedCode {
 public:
  CheckedCode(const Container& container, const SourceNotes& notes)
      : container_(container), notes_(notes), warnings_(notes.warnings) {
    find_ways();
  }

  Warnings run() {
    check_address_registers();
    for (std::size_t k = 0; k < container_.programs.size(); ++k) check_program(k);
    return std::move(warnings_);
  }

 private:
  using Procedure = SourceNotes::Procedure;

  std::optional<Instruction> at(std::uint32_t address) const {
    return address < container_.code.size() ? try_decode(container_.code[address]) : std::nullopt;
  }
  // Once, however many programs and ways come there.
  void warn(std::uint32_t address, std::string message) {
    if (address >= notes_.words.size() || !warned_.emplace(address, message).second) return;
    warnings_.add(notes_.words[address], std::move(message));
  }

  // Where control goes from the last word of a block. `after`: it goes to the word after it as well.
  struct Ways {
    std::vector<std::uint32_t> to;
    bool after = false;
  };
  void find_ways() {
    for (const Procedure& procedure : notes_.procedures) ways_[procedure.end];
    for (std::uint32_t address = 0; address < container_.code.size(); ++address) {
      const auto i = at(address);
      if (!i) continue;
      switch (i->opcode) {
        case Opcode::ifc:
        case Opcode::ifu:
          if (i->num != 0) ways_[i->target].to.push_back(std::uint32_t{i->target} + i->num);
          break;
        case Opcode::loop:
          ways_[i->target + 1U].to.push_back(address + 1);
          ways_[i->target + 1U].after = true;
          break;
        case Opcode::call:
        case Opcode::callc:
        case Opcode::callu:
          ways_[std::uint32_t{i->target} + i->num].to.push_back(address + 1);
          break;
        default:
          break;
      }
    }
  }
  template <class Visit>
  void for_each_next(std::uint32_t address, const Visit& visit) const {
    const auto found = ways_.find(address + 1);
    if (found == ways_.end() || found->second.after) visit(address + 1);
    if (found != ways_.end())
      for (const std::uint32_t next : found->second.to) visit(next);
  }

  static std::uint8_t written(const Instruction& i, const Container& container) {
    const std::uint32_t word =
        i.descriptor < container.descriptors.size() ? container.descriptors[i.descriptor] : 0;
    return decode_descriptor(word).mask;
  }

  // Two MOVAs in a row freeze the chip; the instruction after one may read the old address.
  void check_address_registers() {
    for (std::uint32_t address = 0; address < container_.code.size(); ++address) {
      const auto mova = at(address);
      if (!mova || mova->opcode != Opcode::mova) continue;
      const std::uint8_t mask = written(*mova, container_);
      for_each_next(address, [&](std::uint32_t next) {
        const auto i = at(next);
        if (!i) return;
        if (i->opcode == Opcode::mova)
          warn(next, "a mova follows a mova: the hardware freezes; put another instruction between them");
        const bool reads = (i->idx == 1 && (mask & kX) != 0) || (i->idx == 2 && (mask & kY) != 0);
        if (reads && source_register(i->source(wide_source(i->info().format))).file == RegisterFile::c)
          warn(next, std::string("a0.") + (i->idx == 1 ? "x" : "y") +
                         " is used by the instruction after the mova that sets it: the hardware may read "
                         "its old value; put another instruction between them");
      });
    }
  }

  // True if control can come from the start of a procedure to its end. Calls are taken to come back if the
  // called procedure can; `open` has those on the way to this one, which do not come back on it.
  bool returns(const Procedure& procedure, std::set<std::uint32_t>& open) {
    const auto known = returns_.find(procedure.start);
    if (known != returns_.end()) return known->second;
    if (open.size() > 64 || !open.insert(procedure.start).second) return false;
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> work = {procedure.start};
    bool result = false;
    while (!work.empty() && !result) {
      const std::uint32_t address = work.back();
      work.pop_back();
      if (address >= procedure.end) {
        result = address == procedure.end;
        continue;
      }
      if (address < procedure.start || !seen.insert(address).second) continue;
      const auto i = at(address);
      if (!i || i->opcode == Opcode::end) continue;
      const bool jumps = i->opcode == Opcode::jmpc || i->opcode == Opcode::jmpu;
      if (jumps || i->opcode == Opcode::ifc || i->opcode == Opcode::ifu) work.push_back(i->target);
      if (i->opcode == Opcode::break_) {
        for (const std::uint32_t end : loop_ends(address)) work.push_back(end);
        continue;
      }
      if (i->opcode == Opcode::breakc)
        for (const std::uint32_t end : loop_ends(address)) work.push_back(end);
      if (i->opcode == Opcode::call && !comes_back(*i, open)) continue;
      if (address + 1 == procedure.end)
        work.push_back(address + 1);
      else
        for_each_next(address, [&](std::uint32_t next) { work.push_back(next); });
    }
    open.erase(procedure.start);
    returns_[procedure.start] = result;
    return result;
  }
  bool comes_back(const Instruction& call, std::set<std::uint32_t>& open) {
    for (const Procedure& procedure : notes_.procedures)
      if (procedure.start == call.target && procedure.end == std::uint32_t{call.target} + call.num)
        return returns(procedure, open);
    return true;
  }
  // After the innermost LOOP around an address.
  std::vector<std::uint32_t> loop_ends(std::uint32_t address) const {
    for (std::uint32_t k = address; k-- > 0;)
      if (const auto i = at(k); i && i->opcode == Opcode::loop && i->target >= address)
        return {i->target + 1U};
    return {};
  }

  void check_program(std::size_t index) {
    const ProgramInfo& info = container_.programs[index];
    check_end(info);
    Program program;
    static_cast<ProgramInfo&>(program) = info;
    program.code = container_.code;
    program.descriptors = container_.descriptors;
    std::array<std::uint8_t, 16> masks{};  // what is written of each output
    std::array<std::uint32_t, 16> first{};
    std::uint32_t last = 0;
    for (const std::uint16_t address : find_usage(program, info.entry).addresses) {
      const auto i = at(address);
      if (!i) continue;
      last = address;
      if ((i->info().traits & kWritesDest) == 0) continue;
      const Register reg = dest_register(i->dst);
      if (reg.file != RegisterFile::o) continue;
      if (masks[reg.index] == 0) first[reg.index] = address;
      masks[reg.index] |= written(*i, container_);
    }
    check_outputs(index, masks);
    for (unsigned reg = 0; reg < masks.size(); ++reg)
      if (masks[reg] != 0 && (info.output_mask >> reg & 1) == 0)
        warn(first[reg],
             name(Register{RegisterFile::o, static_cast<std::uint8_t>(reg)}) +
                 " is written, but no .out of the program enables it: what is written there has no effect");
    if (info.stage == Stage::vertex && last >= kUploadedWords)
      warn(last, "word " + std::to_string(last) +
                     " of a vertex program: a vertex unit takes the first 512 words of the code");
  }

  void check_end(const ProgramInfo& info) {
    for (const Procedure& procedure : notes_.procedures) {
      if (procedure.start != info.entry || procedure.end != info.main_end) continue;
      std::set<std::uint32_t> open;
      if (procedure.end < kEndAddress && returns(procedure, open))
        warn(procedure.end - 1,
             "the program has no `end` here: control runs on into what follows " +
                 (info.entry_name.empty() ? std::string("it") : text::quoted(info.entry_name)) +
                 "; a program must come to an `end`");
      return;
    }
  }

  static int places(Semantic semantic) {
    switch (semantic) {
      case Semantic::texcoord0w:
        return 1;
      case Semantic::texcoord0:
      case Semantic::texcoord1:
      case Semantic::texcoord2:
        return 2;
      case Semantic::view:
        return 3;
      default:
        return 4;
    }
  }
  // Components that the output map has a place for, bit 0 = x: the first that are enabled.
  static unsigned mapped(const Output& output) {
    unsigned mask = output.mask & 15U;
    while (std::popcount(mask) > places(output.semantic)) mask &= ~std::bit_floor(mask);
    return mask;
  }

  void check_outputs(std::size_t index, const std::array<std::uint8_t, 16>& masks) {
    const ProgramInfo& info = container_.programs[index];
    for (std::size_t k = 0; k < info.outputs.size(); ++k) {
      const Output& output = info.outputs[k];
      unsigned missing = 0;  // bit 0 = x
      const unsigned wanted = mapped(output);
      for (unsigned lane = 0; lane < 4; ++lane)
        if ((wanted >> lane & 1) != 0 && !enables(masks[output.reg & 15], lane)) missing |= 1U << lane;
      // What a geometry program takes of an attribute is not known.
      if (output.semantic == Semantic::dummy && missing != wanted) continue;
      if (missing == 0 || index >= notes_.outputs.size() || k >= notes_.outputs[index].size()) continue;
      const std::string reg = name(Register{RegisterFile::o, static_cast<std::uint8_t>(output.reg)});
      warnings_.add(notes_.outputs[index][k],
                    "the output " + std::string(name(output.semantic)) + ", " + reg +
                        (missing == 15 ? std::string() : "." + component_letters(missing)) +
                        ", is never written: the hardware hangs where a component that is enabled is not "
                        "written");
    }
  }

  const Container& container_;
  const SourceNotes& notes_;
  Warnings warnings_;
  std::map<std::uint32_t, Ways> ways_;  // by the address after the last word
  std::map<std::uint32_t, bool> returns_;
  std::set<std::pair<std::uint32_t, std::string>> warned_;
};

}  // namespace

std::vector<Warning> check(const Container& container, const SourceNotes& notes) {
  const Warnings warnings = CheckedCode(container, notes).run();
  std::vector<Warning> list = warnings.list();
  if (warnings.left_out() != 0)
    list.push_back(
        {std::to_string(warnings.left_out()) + " more warnings are left out", container.source_name});
  return list;
}

}  // namespace warpjit::pica200
