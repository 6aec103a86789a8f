// Any text through the USSE assembler; what assembles is listed and assembles again.
#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/assembly/disassemble.h"
#include "target.h"

int warpjit::fuzz::fuzz_usse_assemble(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  const auto program = usse::assemble(fuzz::text(data, size), "fuzz.usse");
  if (!program) {
    fuzz::require(!program.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  const auto again = usse::assemble(usse::disassemble(*program), "fuzz.usse");
  fuzz::require(again.ok() && *again == *program, "the listing assembles to the same words");
  return 0;
}
