// The PICA200 assembler: source text in the syntax of picasso, the community's assembler, or what
// disassemble() prints, to a container. docs/guests/pica200.md 14 has what goes beyond picasso.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "frontend/pica200/assembly/warning.h"
#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {

struct SourceFile {
  std::string name;  // for messages
  std::string text;
};

// What a container does not keep of its sources. The positions name the SourceFiles, which must outlive them.
struct SourceNotes {
  struct Procedure {
    std::uint32_t start = 0, end = 0;
  };
  Warnings warnings;                                 // what assembling noticed
  std::vector<text::Position> words;                 // where the code's words stand
  std::vector<std::vector<text::Position>> outputs;  // of each program: where its outputs stand
  std::vector<Procedure> procedures;
};

// Assembles the files into one container: each file that does not say .nodvle gives one program; code,
// descriptors and procedures are shared, and so are the uniforms of vertex programs. The container's labels
// hold every procedure and label. An error's `where` is "file:line:column". `notes`: null, or what they get.
Result<Container> assemble(std::span<const SourceFile> files, SourceNotes* notes = nullptr);

}  // namespace warpjit::pica200
