// Any words as a USSE program: decode and encode, and the listing, which assembles to the same words. Input:
// a byte for the stage and whether half of the words are the secondary program, then words.
#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/assembly/disassemble.h"
#include "target.h"

int warpjit::fuzz::fuzz_usse_decode(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  if (size < 9 || size > 1 << 14) return 0;
  const std::size_t words = (size - 1) / 8;
  auto program = usse::read_words(fuzz::bytes(data + 1, 8 * words),
                                  (data[0] & 1) != 0 ? Stage::fragment : Stage::vertex, "words");
  fuzz::require(program.ok() && program->primary.size() == words, "words are a program");
  if ((data[0] & 2) != 0 && words > 1) {
    const auto middle = program->primary.begin() + static_cast<std::ptrdiff_t>(words / 2);
    program->secondary.assign(program->primary.begin(), middle);
    program->primary.erase(program->primary.begin(), middle);
  }
  for (const std::uint64_t word : program->primary) {
    const auto instruction = usse::decode(word);
    if (!instruction) {
      fuzz::require(!instruction.error().message.empty(), "an error says what is wrong");
      continue;
    }
    const auto again = usse::encode(*instruction);
    fuzz::require(again.ok() && (*again ^ instruction->unused) == word, "encode(decode(w)) == w");
  }
  for (const bool labels : {true, false}) {
    const auto again = usse::assemble(usse::disassemble(*program, {.labels = labels}), "words");
    fuzz::require(again.ok(), "the listing assembles");
    fuzz::require(*again == *program, "to the same words");
  }
  return 0;
}
