// Any words as a Valhall program: decode and encode, and the listing, which assembles to the same words.
// Input: a byte for the stage, then words.
#include "frontend/valhall/assembly/assemble.h"
#include "frontend/valhall/assembly/disassemble.h"
#include "target.h"

int warpjit::fuzz::fuzz_valhall_decode(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  if (size < 9 || size > 1 << 14) return 0;
  constexpr Stage kStages[] = {Stage::compute, Stage::vertex, Stage::fragment};
  const std::size_t words = (size - 1) / 8;
  const auto program = valhall::read_words(fuzz::bytes(data + 1, 8 * words), kStages[data[0] % 3], "words");
  fuzz::require(program.ok() && program->code.size() == words, "words are a program");

  for (std::size_t k = 0; k < words; ++k) {
    const auto instruction = valhall::decode(program->code, 8 * k);
    if (!instruction) {
      fuzz::require(!instruction.error().message.empty(), "an error says what is wrong");
      continue;
    }
    const auto word = valhall::encode(*instruction);
    fuzz::require(word.ok() && (*word ^ instruction->unused) == program->code[k], "encode(decode(w)) == w");
  }
  for (const bool labels : {true, false}) {
    const auto again = valhall::assemble(valhall::disassemble(*program, {.labels = labels}), "words");
    fuzz::require(again.ok(), "the listing assembles");
    fuzz::require(*again == *program, "to the same words");
  }
  return 0;
}
