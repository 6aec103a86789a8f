// Names of one source file of PICA200 assembly, and the registers that its directives hand out.
#pragma once

#include <functional>
#include <map>
#include <memory>

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

// The c, i and b registers that names and constants of one or more files occupy. Vertex programs share a
// space: a uniform of the same name is the same registers in all of them, other names get other registers.
// Constants belong to one file each, and those of different files may lie in the same place.
struct UniformSpace {
  struct Named {
    RegisterFile file;
    unsigned first, count;
  };
  std::map<std::string, Named, std::less<>> names;
  std::array<std::array<bool, 96>, 6> named{}, constant{};  // by register file
  unsigned first_free_c = 0;
};

class Symbols {
 public:
  // `shared`: the space of all vertex programs.
  explicit Symbols(std::shared_ptr<UniformSpace> shared) : space_(std::move(shared)) {}

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
  Result<Register> uniform(const Operand& operand, RegisterFile file) const;

  // Everything but entry and labels.
  void describe(ProgramInfo& info) const;
  bool without_program() const { return no_program_; }
  // An instruction of geometry programs makes it one, without .gsh too.
  void use_geometry() { info_.stage = Stage::geometry; }
  // The procedure that .gsh names as the entry, if any.
  const std::optional<Token>& geometry_entry() const { return geometry_entry_; }

 private:
  Result<bool> names(const DirectiveNode& node, RegisterFile file);
  Result<unsigned> place(OperandReader& in, const Token& name, RegisterFile file, unsigned count);
  Status symbol(OperandReader& in);
  Status raw_output(OperandReader& in);
  Status raw_constant(OperandReader& in);
  Result<Register> register_of(OperandReader& in, RegisterFile file, std::string_view what) const;
  Status input(OperandReader& in);
  Status output(OperandReader& in);
  Status alias(OperandReader& in);
  Status constant(OperandReader& in, RegisterFile file);
  Status array(OperandReader& in, const Position& position);
  Status preset(OperandReader& in, RegisterFile file);
  Status geometry(OperandReader& in);
  Status define(const Token& name, const Source& meaning);
  Status values(OperandReader& in, Constant& constant);
  Result<unsigned> lowest(RegisterFile file, unsigned count, const Position& position);
  Result<unsigned> highest(RegisterFile file, unsigned count, const Position& position);

  std::map<std::string, Source, std::less<>> meanings_;
  // By register file: v and o that are given out; c, i and b of this file's constants.
  std::array<std::array<bool, 96>, 6> taken_{};
  std::shared_ptr<UniformSpace> space_;
  ProgramInfo info_;
  std::optional<Token> geometry_entry_;
  std::vector<Symbol> listed_;  // by .symbol
  std::vector<Symbol> inputs_, uniforms_;
  bool no_program_ = false;
  // The open .constfa: its name token, declared size (0: as many as follow) and elements so far.
  std::optional<Token> array_name_;
  unsigned array_size_ = 0;
  std::vector<Constant> array_;
};

}  // namespace warpjit::pica200
