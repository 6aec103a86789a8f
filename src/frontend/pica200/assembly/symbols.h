// Names of one source file of PICA200 assembly, and the registers that its directives hand out.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>

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
  unsigned count = 0;  // registers of the array of that name; 0: it is no array
  std::uint8_t selector() const;
};

// True of names of registers, existing or not. Other words can be defined as names.
bool is_register_name(std::string_view text);
// The place of a symbol in a container's table: inputs, then c, i and b, each by its register.
bool lies_before(const Symbol& a, const Symbol& b);
// Uniforms whose names begin with this are not listed in containers.
inline constexpr char kHidden = '_';
// Why this cannot be the next `.out`; empty if it can.
std::string output_conflict(Stage stage, std::span<const Output> before, const Output& output);

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
  unsigned bools = 16;  // that may be given out
};

class Symbols {
 public:
  // `shared`: the space of all vertex programs.
  Symbols(std::shared_ptr<UniformSpace> shared, Warnings& warnings)
      : space_(std::move(shared)), warnings_(&warnings) {}

  // Executes a directive that names, allocates or presets registers; false if it is another directive.
  Result<bool> directive(const DirectiveNode& node);
  // `.end` of an open .constfa; false if none is open.
  Result<bool> close_array();
  // The name of an open .constfa, if there is one.
  const std::optional<Token>& open_array() const { return array_name_; }

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
  bool without_program() const { return no_program_.has_value(); }
  // Where each of the outputs stands.
  const std::vector<Position>& outputs() const { return output_positions_; }
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
  Result<Register> find_register(std::string_view name, const Position& position) const;
  void warn_of_index(const Operand& operand, const Source& meant, int index) const;
  unsigned size(RegisterFile file) const;
  Result<Register> register_of(OperandReader& in, RegisterFile file, std::string_view what) const;
  Status input(OperandReader& in);
  Status output(OperandReader& in);
  Status alias(OperandReader& in);
  Status constant(OperandReader& in, RegisterFile file);
  Status array(OperandReader& in, const Position& position);
  Status preset(OperandReader& in, RegisterFile file);
  Status geometry(OperandReader& in, const Position& position);
  Status define(const Token& name, const Source& meaning);
  Status values(OperandReader& in, Constant& constant) const;
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
  std::vector<Position> output_positions_;
  std::optional<Position> no_program_;  // of .nodvle
  bool unsorted_ = false;               // the table keeps the order of the lines
  bool is_geometry_ = false;            // by .gsh
  bool own_registers_ = false;          // by its mode
  Warnings* warnings_;
  // The open .constfa: its name token, declared size (0: as many as follow) and elements so far.
  std::optional<Token> array_name_;
  unsigned array_size_ = 0;
  std::vector<Constant> array_;
};

}  // namespace warpjit::pica200
