// Any words as a program: decode and encode, both listings, and a bounded run of the guest interpreter.
// Input: a byte that says how many descriptors, a byte for the entry, then words.
#include <cstring>

#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/assembly/disassemble.h"
#include "frontend/pica200/interpret/interpret.h"
#include "target.h"

int warpjit::fuzz::fuzz_decode(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  if (size < 6 || size > 4 * pica200::kMaxCodeWords) return 0;
  std::vector<std::uint32_t> words((size - 2) / 4);
  std::memcpy(words.data(), data + 2, words.size() * 4);
  const std::size_t descriptors = std::min<std::size_t>(data[0] % 128, words.size() - 1);
  pica200::Program program;
  program.source_name = "fuzz";
  program.descriptors.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(descriptors));
  program.code.assign(words.begin() + static_cast<std::ptrdiff_t>(descriptors), words.end());
  program.entry = data[1] % static_cast<std::uint32_t>(program.code.size());

  for (const std::uint32_t word : program.code)
    if (const auto instruction = pica200::try_decode(word))
      fuzz::require(pica200::encode(*instruction) == word, "encode(decode(w)) == w");
  for (const std::uint32_t word : program.descriptors)
    fuzz::require(pica200::encode_descriptor(pica200::decode_descriptor(word)) == word, "descriptors too");

  pica200::disassemble(program, {.names = false, .structure = false, .words = false});
  for (const bool exact : {false, true}) {
    const pica200::SourceFile source{"listing", pica200::disassemble(program, {.exact = exact})};
    const auto again = pica200::assemble({&source, 1});
    fuzz::require(again.ok(), "the listing assembles");
    fuzz::require(again->code == program.code && again->descriptors == program.descriptors,
                  "to the same words");
  }

  if (auto interpreter = pica200::Interpreter::prepare(program, program.entry)) {
    pica200::ThreadState state;
    const pica200::Uniforms uniforms;
    if (const Status status = interpreter->run(uniforms, state, 64); !status)
      fuzz::require(!status.error().message.empty(), "an error says what happened");
  }
  return 0;
}
