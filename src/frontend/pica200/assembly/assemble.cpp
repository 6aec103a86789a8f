#include "frontend/pica200/assembly/assemble.h"

#include "frontend/pica200/assembly/emit.h"

namespace warpjit::pica200 {

Result<Container> assemble(std::span<const SourceFile> files, SourceNotes* notes) {
  SourceNotes own;
  SourceNotes& kept = notes != nullptr ? *notes : own;
  Emitter emitter(kept);
  for (const SourceFile& file : files) {
    WARPJIT_TRY(const std::vector<Token> tokens, text::tokenize(file.text, file.name, kLanguage));
    WARPJIT_TRY(const std::vector<Statement> statements, parse(tokens, kept.warnings));
    WARPJIT_CHECK(emitter.file(statements, file.name));
  }
  return emitter.finish();
}

}  // namespace warpjit::pica200
