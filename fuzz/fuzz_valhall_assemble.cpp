// Any text through the Valhall assembler; what assembles is listed and assembles again.
#include "frontend/valhall/assembly/assemble.h"
#include "frontend/valhall/assembly/disassemble.h"
#include "target.h"

int warpjit::fuzz::fuzz_valhall_assemble(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  const auto program = valhall::assemble(fuzz::text(data, size), "fuzz.valhall");
  if (!program) {
    fuzz::require(!program.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  const auto again = valhall::assemble(valhall::disassemble(*program), "fuzz.valhall");
  fuzz::require(again.ok() && *again == *program, "the listing assembles to the same words");
  return 0;
}
