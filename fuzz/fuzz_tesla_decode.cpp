// Any words as a Tesla program: decode and encode, and the listing, which assembles to the same words.
// Input: a byte for the program type, then words.
#include <cstring>

#include "frontend/tesla/assembly/assemble.h"
#include "frontend/tesla/assembly/disassemble.h"
#include "target.h"

int warpjit::fuzz::fuzz_tesla_decode(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  if (size < 5 || size > 1 << 14) return 0;
  tesla::Program program;
  program.type = static_cast<tesla::ProgramType>(data[0] % 4);
  program.code.resize((size - 1) / 4);
  std::memcpy(program.code.data(), data + 1, program.code.size() * 4);

  for (std::size_t k = 0; k + 1 < program.code.size(); k += 2)
    if (const auto instruction = tesla::try_decode(program.type, program.code[k], program.code[k + 1]))
      fuzz::require(tesla::encode(program.type, *instruction) == instruction->raw, "encode(decode(w)) == w");
  for (std::size_t k = 0; k < program.code.size(); ++k)
    if (const auto instruction = tesla::decode(program.type, program.code, static_cast<std::uint32_t>(4 * k));
        !instruction)
      fuzz::require(!instruction.error().message.empty(), "an error says what is wrong");

  const auto again = tesla::assemble(tesla::disassemble(program), "listing");
  fuzz::require(again.ok() && again->programs.size() == 1, "the listing assembles");
  fuzz::require(again->programs[0].code == program.code, "to the same words");
  return 0;
}
