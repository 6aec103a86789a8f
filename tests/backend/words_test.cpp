// Operations that code makes of many on words (lower/words.h), against the functions that define them: edge
// values, words at even distances, and with WARPJIT_EXHAUSTIVE=1 all words, about a minute a function.
#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/kernel.h"
#include "ir/callout.h"

namespace warpjit::backend {
namespace {

using ir::Opcode;

// Results of an operation of one word: four of a thread, or, where code runs without denormals, three and a
// sum.
// Several operations: each takes the result of the one before.
ir::Function results_of(Opcode opcode, std::span<const std::uint64_t> immediates, bool flushes) {
  KernelBuilder k(1, 1);
  const auto row = k.b.LoadInput(0);
  std::array<ir::F32, 4> results;
  if (flushes) results[3] = k.b.FAddFlush32(row[3], row[3]);
  for (std::size_t n = 0; n < (flushes ? 3 : 4); ++n) {
    const bool real = ir::info(opcode).operands[0] == 'f';
    ir::Value result = real ? ir::Value(row[n]) : ir::Value(k.word(row[n]));
    for (const std::uint64_t immediate : immediates)
      result = k.function.result(k.b.emit_inst(opcode, std::array{result}, immediate));
    results[n] = ir::info(opcode).results[0] == 'f' ? ir::F32{result} : k.real(ir::I32{result});
  }
  k.store(results[0], results[1], results[2], results[3]);
  k.b.ret();
  return k.function;
}

// All exponents, with the corners of each segment and of what is dropped by conversions.
std::vector<std::uint32_t> edge_words() {
  std::vector<std::uint32_t> words;
  for (std::uint32_t top = 0; top < 0x200; ++top)
    for (std::uint32_t segment = 0; segment < 0x80; ++segment)
      for (const std::uint32_t low : {0U, 1U, 0x7fffU, 0x8000U, 0xffffU})
        words.push_back(top << 23 | segment << 16 | low);
  for (std::uint32_t bit = 0; bit < 32; ++bit)
    for (std::uint32_t k = 0; k < 8; ++k) {
      words.push_back((1U << bit) + k - 4);
      words.push_back((0xffffffffU << bit) + k - 4);
    }
  for (const std::uint32_t word : {0x01c90fdbU, 0x81c90fdbU}) words.push_back(word);  // turns next to 2^-126
  return words;
}

class WordCode : public OnTarget {
 protected:
  void check(Opcode opcode, std::uint64_t immediate) { check(opcode, std::array{immediate}); }
  void check(Opcode opcode, std::span<const std::uint64_t> immediates) {
    for (const bool flushes : {false, true}) check(opcode, immediates, flushes);
  }

  void check(Opcode opcode, std::span<const std::uint64_t> immediates, bool flushes) {
    SCOPED_TRACE(std::string(ir::info(opcode).name) + " " + std::to_string(immediates.back()) +
                 (flushes ? ", without denormals" : ""));
    const bool all = std::getenv("WARPJIT_EXHAUSTIVE") != nullptr;
    const Executable executable(compile(results_of(opcode, immediates, flushes), {GetParam(), 2, 0}));
    if (HasFailure()) return;
    std::vector<std::uint32_t> words = edge_words();
    compare(executable, words, opcode, immediates, flushes);
    constexpr std::uint32_t kWords = 1U << 18;
    const std::uint64_t step = all ? 1 : 16381;
    for (std::uint64_t next = 0; next < std::uint64_t{1} << 32 && !HasFailure();) {
      words.clear();
      for (; next < std::uint64_t{1} << 32 && words.size() < kWords; next += step)
        words.push_back(static_cast<std::uint32_t>(next));
      compare(executable, words, opcode, immediates, flushes);
    }
  }

  void compare(const Executable& executable, std::vector<std::uint32_t>& words, Opcode opcode,
               std::span<const std::uint64_t> immediates, bool flushes) {
    const std::size_t of_a_group = std::size_t{executable.code().lanes} * 4;
    words.resize((words.size() + of_a_group - 1) / of_a_group * of_a_group);
    Launch launch;
    launch.threads = words.size() / 4;
    launch.inputs.emplace_back(launch.threads, 16);
    launch.outputs.emplace_back(launch.threads, 16);
    for (std::size_t t = 0; t < launch.threads; ++t)
      launch.inputs[0].set(t, {words[4 * t], words[4 * t + 1], words[4 * t + 2], words[4 * t + 3]});
    run(executable, launch);
    std::vector<std::uint32_t> wanted = words;
    for (std::uint32_t& word : wanted)
      for (const std::uint64_t immediate : immediates) {
        const std::uint32_t operand = word;
        ir::evaluate_callout(opcode, immediate, &operand, &word);
      }
    for (std::size_t n = 0; n < words.size(); ++n) {
      if (flushes && n % 4 == 3) continue;
      ASSERT_EQ(launch.outputs[0].get(n / 4)[n % 4], wanted[n]) << "of 0x" << std::hex << words[n];
    }
  }
};
WARPJIT_ON_EVERY_TARGET(WordCode);

TEST_P(WordCode, SpecialFunctions) {
  for (std::uint64_t n = 0; n < ir::kSpecialFunctions; ++n) check(Opcode::TeslaSpecialFunction32, n);
}

TEST_P(WordCode, ChainedSpecialFunctions) {
  using sfu::Function;
  for (const auto& [first, second] : {std::pair{Function::rsqrt, Function::rcp},
                                      {Function::lg2, Function::rcp},
                                      {Function::presin, Function::sin},
                                      {Function::preex2, Function::ex2}})
    check(Opcode::TeslaSpecialFunction32,
          std::array{static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(second)});
}

// One lane of a group, wherever it is, has an operand that is not as the others': 0, infinite, a NaN, far
// from 1.
TEST_P(WordCode, SpecialFunctionsOfOneOtherLane) {
  using sfu::Function;
  for (const Function function : {Function::rcp, Function::rsqrt})
    for (const auto& [parts, registers] : {std::pair{1u, 0u}, {2u, 0u}, {4u, 0u}, {4u, 4u}}) {
      const std::uint64_t immediate = static_cast<std::uint64_t>(function);
      SCOPED_TRACE(std::to_string(immediate) + ", parts " + std::to_string(parts));
      const Executable executable(compile(results_of(Opcode::TeslaSpecialFunction32, {&immediate, 1}, false),
                                          {GetParam(), parts, registers}));
      if (HasFailure()) return;
      const std::size_t lanes = executable.code().lanes;
      std::vector<std::uint32_t> words;
      for (const std::uint32_t other : {0U, 1U, 0x80000000U, 0x7f800000U, 0xff800000U, 0x7fc00000U,
                                        0x00800000U, 0x7f000001U, 0xbf800000U, 0x1fffffffU, 0x60000000U})
        for (std::size_t place = 0; place < lanes; ++place)
          for (std::size_t n = 0; n < 4 * lanes; ++n)  // of a row the same words are in all four places
            words.push_back(n / 4 == place
                                ? other
                                : 0x3f000000U + static_cast<std::uint32_t>(n / 4 * 0x1234567 % 0x1000000));
      compare(executable, words, Opcode::TeslaSpecialFunction32, {&immediate, 1}, false);
      if (HasFailure()) return;
    }
}

TEST_P(WordCode, HalfFloats) {
  check(Opcode::TeslaF16ToF32, 0);
  for (std::uint64_t n = 0; n < ir::kRoundingModes; ++n) check(Opcode::TeslaF32ToF16, n);
}

TEST_P(WordCode, RoundedIntegers) {
  for (std::uint64_t n = 0; n < 2 * ir::kRoundingModes; ++n) check(Opcode::IntToF32, n);
}

}  // namespace
}  // namespace warpjit::backend
