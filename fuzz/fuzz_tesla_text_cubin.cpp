// Any text as a text cubin: read, list, assemble.
#include "frontend/tesla/assembly/assemble.h"
#include "frontend/tesla/assembly/disassemble.h"
#include "frontend/tesla/container/cubin.h"
#include "target.h"

int warpjit::fuzz::fuzz_tesla_text_cubin(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  const auto container = tesla::read_text_cubin(fuzz::text(data, size), "fuzz.cubin");
  if (!container) {
    fuzz::require(!container.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  for (std::size_t k = 0; k < container->programs.size() && k < 4; ++k) {
    const tesla::Program& program = container->programs[k];
    fuzz::require(tesla::check_limits(program).ok(), "what was read is within the limits");
    const auto again = tesla::assemble(tesla::disassemble(program), "listing");
    fuzz::require(again.ok() && again->programs[0].code == program.code,
                  "the listing assembles to the same words");
  }
  return 0;
}
