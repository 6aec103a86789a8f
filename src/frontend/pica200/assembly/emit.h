// Emits PICA200 code from syntax trees: scopes, padding, operand placement and targets.
#pragma once

#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/assembly/descriptors.h"
#include "frontend/pica200/assembly/header_fields.h"
#include "frontend/pica200/assembly/symbols.h"

namespace warpjit::pica200 {

class Emitter {
 public:
  explicit Emitter(SourceNotes& notes) : notes_(notes) {}
  // Emits the statements of one file; `file_name` must outlive the emitter.
  Status file(const std::vector<Statement>& statements, const std::string& file_name);
  // Resolves targets and entries.
  Result<Container> finish();

 private:
  enum class ScopeKind { procedure, conditional, loop };
  struct OpenScope {
    ScopeKind kind;
    Position position;
    std::uint32_t start;        // first word of the block that is being filled
    std::uint32_t instruction;  // of IFC, IFU, LOOP
    std::optional<std::uint32_t> otherwise;
    std::string name;
  };
  struct Procedure {
    std::uint32_t start = 0, end = 0;
    std::size_t file = 0;
  };
  struct Patch {
    std::uint32_t address;
    std::size_t file;
    std::string target;
    Position position;
  };
  // One program with its names: a file, or what follows .program in one.
  struct File {
    File(const std::string& file_name, const std::shared_ptr<UniformSpace>& space, Warnings& warnings)
        : name(&file_name), symbols(space, warnings) {}
    const std::string* name;
    bool empty = true;  // there are no statements
    Symbols symbols;
    std::map<std::string, std::uint32_t, std::less<>> labels;
    std::string entry = "main";
    Position entry_position;
    std::optional<ProgramInfo> exact;  // stage and entry given by .exact
    std::vector<std::pair<const HeaderField*, std::uint32_t>> header;
  };

  Status directive(const DirectiveNode& node);
  Status program(OperandReader& in);
  Status header(OperandReader& in);
  Status procedure(OperandReader& in, const Position& position);
  Status otherwise(const Position& position);
  Status end(const Position& position);
  Status label(const LabelNode& node);
  Status instruction(const InstructionNode& node);
  Status operands(const InstructionNode& node, Instruction& out);
  Status mova(const InstructionNode& node, Instruction& out, Descriptor& descriptor);
  Status exact(OperandReader& in);
  Status exact_instruction(OperandReader& in);
  Status raw_word(OperandReader& in, bool is_descriptor, const Position& position);
  Status append(std::uint32_t word, const Position& position);
  void pad();
  void place_word(std::uint32_t word, const Position& position);
  Status check_inputs(const InstructionNode& node, const std::vector<Source>& sources);
  Result<Procedure> entry(const File& file, std::string& name) const;
  std::uint32_t here() const { return static_cast<std::uint32_t>(code_.size()); }
  Status set_length(std::uint32_t address, std::uint32_t target, std::uint32_t length,
                    const Position& position);
  Status resolve(const Patch& patch);

  SourceNotes& notes_;
  std::vector<std::uint32_t> code_;  // with positions in notes_.words
  DescriptorTable descriptors_;
  std::map<std::string, Procedure, std::less<>> procedures_;
  std::shared_ptr<UniformSpace> space_ = std::make_shared<UniformSpace>();  // of all vertex programs
  std::vector<File> files_;
  std::size_t first_ = 0, current_ = 0;  // of files_: the first of this source file, the one being filled
  std::vector<Patch> patches_;
  std::vector<OpenScope> scopes_;
  bool needs_padding_ = false;  // a scope may not end after the last word as it is
  bool ends_in_break_ = false;  // the last word is a BREAK or BREAKC: a LOOP may not end after it
  bool verbatim_ = false;       // instructions stay as they are written
};

}  // namespace warpjit::pica200
