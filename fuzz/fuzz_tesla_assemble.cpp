// Any text through the Tesla assembler; what assembles is listed and assembles again.
#include "frontend/tesla/assembly/assemble.h"
#include "frontend/tesla/assembly/disassemble.h"
#include "target.h"

int warpjit::fuzz::fuzz_tesla_assemble(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  const auto container = tesla::assemble(fuzz::text(data, size), "fuzz.tesla");
  if (!container) {
    fuzz::require(!container.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  for (const tesla::Program& program : container->programs) {
    const auto again = tesla::assemble(tesla::disassemble(program), "listing");
    fuzz::require(again.ok() && again->programs[0].code == program.code,
                  "the listing assembles to the same words");
  }
  return 0;
}
