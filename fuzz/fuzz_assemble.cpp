// Any text as an assembly source; what assembles must survive the container and the listings.
#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/assembly/disassemble.h"
#include "frontend/pica200/container/shbin.h"
#include "target.h"

int warpjit::fuzz::fuzz_assemble(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  const pica200::SourceFile source{"fuzz.v.pica", std::string(fuzz::text(data, size))};
  const auto container = pica200::assemble({&source, 1});
  if (!container) {
    fuzz::require(!container.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  const auto bytes = pica200::write_shbin(*container, {.labels = true});
  const auto again = pica200::read_shbin(bytes, "fuzz.shbin");
  fuzz::require(again.ok(), "what is written can be read");
  fuzz::require(again->code == container->code && again->programs.size() == container->programs.size(),
                "and is the same");
  for (std::size_t index = 0; index < again->programs.size(); ++index) {
    const auto program = pica200::select_program(*again, {.index = index, .entry = {}, .stage = {}});
    fuzz::require(program.ok(), "every program can be chosen");
    pica200::disassemble(*program);
  }
  return 0;
}
