// Any words as instructions, operands and modes: what computes does not fail, and what is refused says why.
// Input: a byte of modes, then for each instruction its word and four sources of 64 bits.
#include <cstring>

#include "frontend/valhall/interpret/arithmetic.h"
#include "frontend/valhall/interpret/lanes.h"
#include "target.h"

int warpjit::fuzz::fuzz_valhall_evaluate(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  if (size < 1 || size > 1 << 14) return 0;
  valhall::Inputs inputs;
  inputs.mode = {.flush_single = (data[0] & 1) != 0,
                 .flush_half = (data[0] & 2) != 0,
                 .suppress_nan = (data[0] & 4) != 0,
                 .suppress_infinity = (data[0] & 8) != 0};
  constexpr std::size_t kBytes = 8 + sizeof inputs.source;
  for (std::size_t at = 1; at + kBytes <= size; at += kBytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + at, 8);
    std::memcpy(inputs.source.data(), data + at + 8, sizeof inputs.source);
    const auto noisy = valhall::decode(word);
    if (!noisy) continue;
    const auto instruction = valhall::decode(noisy->raw ^ noisy->unused);
    fuzz::require(instruction.ok() && instruction->unused == 0, "a canonical word has no unused bits");
    if (const auto operation = valhall::find_operation(*instruction))
      inputs.destination = valhall::evaluate(*operation, *instruction, inputs);
    else
      fuzz::require(!operation.error().message.empty(), "a refusal says why");
    if (!valhall::check_exchange(*instruction)) continue;
    valhall::LaneWords first{}, second{};
    for (unsigned lane = 0; lane < valhall::kWarpLanes; ++lane) {
      first[lane] = static_cast<std::uint32_t>(inputs.source[0] * (lane + 1));
      second[lane] = static_cast<std::uint32_t>(inputs.source[1] * (lane + 1));
    }
    valhall::exchange(*instruction, first, second, static_cast<unsigned>(inputs.source[2]));
  }
  return 0;
}
