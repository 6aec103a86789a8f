// The PICA200 assembler: source text in the syntax of picasso, the community's assembler, or what
// disassemble() prints, to a container. docs/guests/pica200.md 14 has what goes beyond picasso.
#pragma once

#include <span>
#include <string>

#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {

struct SourceFile {
  std::string name;  // for messages
  std::string text;
};

// Assembles the files into one container: each file that does not say .nodvle gives one program; code,
// descriptors and procedures are shared, and so are the uniforms of vertex programs. The container's labels
// hold every procedure and label. An error's `where` is "file:line:column".
Result<Container> assemble(std::span<const SourceFile> files);

}  // namespace warpjit::pica200
