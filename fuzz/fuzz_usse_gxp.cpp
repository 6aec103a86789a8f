// Any bytes as a GXP container: an error that names a byte, or a program whose listing gives its words.
// Input: the file.
#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/assembly/disassemble.h"
#include "frontend/usse/container/gxp.h"
#include "target.h"

int warpjit::fuzz::fuzz_usse_gxp(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  if (size > 1 << 16) return 0;
  const auto program = usse::read_gxp(fuzz::bytes(data, size), "a.gxp");
  if (!program) {
    fuzz::require(to_string(program.error()).find("a.gxp, byte 0x") == 0, "an error names a byte");
    return 0;
  }
  unsigned words = 0;
  for (const usse::FragmentInput& input : program->fragment.inputs) words += input.words();
  fuzz::require(words <= program->primary_attributes, "inputs are primary attributes");
  for (const usse::RegisterContainer& container : program->containers)
    fuzz::require(program->container(container.index) == &container, "containers are found");
  if (size > 1 << 13) return 0;
  const auto again = usse::assemble(usse::disassemble(*program), "a.gxp");
  fuzz::require(again.ok() && again->primary == program->primary && again->secondary == program->secondary,
                "the listing assembles to the same words");
  return 0;
}
