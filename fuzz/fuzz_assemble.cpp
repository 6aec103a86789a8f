// Any text as an assembly source; what assembles must survive the container and the listings.
#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/assembly/check.h"
#include "frontend/pica200/assembly/disassemble.h"
#include "frontend/pica200/container/shbin.h"
#include "target.h"

int warpjit::fuzz::fuzz_assemble(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  const pica200::SourceFile source{"fuzz.v.pica", std::string(fuzz::text(data, size))};
  pica200::SourceNotes notes;
  const auto container = pica200::assemble({&source, 1}, &notes);
  if (!container) {
    fuzz::require(!container.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  fuzz::require(notes.words.size() == container->code.size(), "every word has a place");
  fuzz::require(pica200::check(*container, notes).size() <= pica200::Warnings::kMost + 1, "warnings end");
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
