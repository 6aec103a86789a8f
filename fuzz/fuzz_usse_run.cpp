// Any words as a USSE program that the guest interpreter runs on a quad: it ends, and touches nothing but its
// registers and memory. Input: a byte for the stage and whether half of the words are
// the secondary program, then words.
#include "base/float_environment.h"
#include "frontend/usse/interpret/run.h"
#include "target.h"

int warpjit::fuzz::fuzz_usse_run(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  if (size < 9 || size > 1 << 12) return 0;
  const FloatEnvironment environment;
  const std::size_t words = (size - 1) / 8;
  auto program = usse::read_words(fuzz::bytes(data + 1, 8 * words),
                                  (data[0] & 1) != 0 ? Stage::fragment : Stage::vertex, "words");
  fuzz::require(program.ok(), "words are a program");
  if ((data[0] & 2) != 0 && words > 1) {
    const auto middle = program->primary.begin() + static_cast<std::ptrdiff_t>(words / 2);
    program->secondary.assign(program->primary.begin(), middle);
    program->primary.erase(program->primary.begin(), middle);
  }
  const auto interpreter = usse::Interpreter::prepare(*program);
  if (!interpreter) {
    fuzz::require(!interpreter.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  std::array<std::byte, 64> memory{};
  const usse::MemoryPiece piece{0xfffffff0U, std::span(memory), true};
  std::array<std::uint32_t, usse::kMaxRegisters> sa{};
  usse::Quad quad;
  for (std::uint32_t n = 0; n < usse::kMaxRegisters; ++n) {
    sa[n] = n * 0x9e3779b1U;
    for (std::uint32_t lane = 0; lane < usse::kLanes; ++lane) quad.pa[n][lane] = (n * 4 + lane) * 0x85ebca77U;
  }
  usse::QuadRun run{.memory = {&piece, 1}, .fuel = 20};
  const auto check = [](const Status& status) {
    if (status) return true;
    fuzz::require(status.error().where.find("words, ") == 0, "an error names a word");
    return false;
  };
  if (check(interpreter->run_secondary(sa, run))) check(interpreter->run_primary(quad, sa, run));
  return 0;
}
