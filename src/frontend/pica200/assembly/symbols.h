// Names of one source file of PICA200 assembly, and the registers that its directives hand out.
#pragma once

#include <functional>
#include <map>

#include "frontend/pica200/assembly/parser.h"
#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {

// What an operand means: a register, relatively addressed or not, swizzled and perhaps negated.
struct Source {
  Register reg;
  std::uint8_t idx = 0;
  bool negate = false;
  bool swizzled = false;
  std::array<std::uint8_t, 4> component = {0, 1, 2, 3};
  std::uint8_t selector() const;
};

class Symbols {
 public:
  // Executes a directive that names, allocates or presets registers; false if it is another directive.
  Result<bool> directive(const DirectiveNode& node);
  // `.end` of an open .constfa; false if none is open.
  Result<bool> close_array();

  Result<Source> source(const Operand& operand) const;
  struct Destination {
    Register reg;
    std::uint8_t mask = kXYZW;  // the descriptor's order
  };
  Result<Destination> destination(const Operand& operand) const;
  // A register of file b or i by name.
  Result<Register> uniform(std::string_view name, RegisterFile file, const Position& position) const;

  // Everything but entry and labels.
  void describe(ProgramInfo& info) const;
  bool without_program() const { return no_program_; }

 private:
  struct Meaning {
    Source source;
    unsigned count = 1;  // registers of an array
  };

  Result<bool> names(const DirectiveNode& node, RegisterFile file);
  Status input(OperandReader& in);
  Status output(OperandReader& in);
  Status alias(OperandReader& in);
  Status constant(OperandReader& in, RegisterFile file);
  Status array(OperandReader& in, const Position& position);
  Status preset(OperandReader& in, RegisterFile file);
  Status geometry(OperandReader& in);
  Status define(const Token& name, Meaning meaning);
  Status values(OperandReader& in, Constant& constant);
  Result<unsigned> lowest(RegisterFile file, unsigned count, const Position& position);
  Result<unsigned> highest(RegisterFile file, unsigned count, const Position& position);

  std::map<std::string, Meaning, std::less<>> meanings_;
  std::array<std::array<bool, 96>, 6> taken_{};  // by register file
  unsigned first_free_c_ = 0;
  ProgramInfo info_;
  std::vector<Symbol> inputs_, uniforms_;
  bool no_program_ = false;
  // The open .constfa: its name token, declared size (0: as many as follow) and elements so far.
  std::optional<Token> array_name_;
  unsigned array_size_ = 0;
  std::vector<Constant> array_;
};

}  // namespace warpjit::pica200
