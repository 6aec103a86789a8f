// Every row of the table: it computes, or it is refused by its name.
#include "frontend/valhall/interpret/arithmetic.h"

#include <set>

#include "frontend/valhall/interpret/lanes.h"
#include "random/words.h"
#include "support/share.h"
#include "valhall/evaluate.h"
#include "valhall/random_words.h"

namespace warpjit::valhall {
namespace {

// A word of the row without bits that no field has.
Instruction random_instruction(const Pattern& pattern, Random& random) {
  const auto noisy = decode(random_word(pattern, random.next(), random));
  EXPECT_TRUE(noisy.ok());
  return *decode(noisy->raw ^ noisy->unused);
}

TEST(ValhallArithmetic, RowsComputeOrAreRefusedByName) {
  Random random{1};
  std::set<std::string> refused;
  for (const Pattern& pattern : patterns()) {
    const std::string name = mnemonic(pattern.opcode, pattern.form);
    bool computes = false;
    for (int n = 0; n < 50; ++n) {
      const Instruction instruction = random_instruction(pattern, random);
      const auto operation = find_operation(instruction);
      const Status exchanges = check_exchange(instruction);
      computes |= operation.ok() || exchanges.ok();
      ASSERT_FALSE(operation.ok() && exchanges.ok()) << name;
      if (!operation) {
        ASSERT_EQ(operation.error().code, ErrorCode::unsupported);
        ASSERT_TRUE(operation.error().message.starts_with(name + ": ")) << operation.error().message;
      }
      if (!exchanges) {
        ASSERT_TRUE(exchanges.error().message.starts_with(name + ": ")) << exchanges.error().message;
      }
    }
    if (!computes && !is_message(random_instruction(pattern, random))) refused.insert(name);
  }
  const std::set<std::string> expected = {"BRANCHZ",
                                          "BRANCHZI",
                                          "CLPER.s64",
                                          "CLPER.u64",
                                          "CLPER.v2s16",
                                          "CLPER.v2u16",
                                          "CLPER.v4s8",
                                          "CLPER.v4u8",
                                          "DISCARD.f32",
                                          "FATAN_ASSIST.f32",
                                          "FEXP_TABLE.u4",
                                          "FLOG_TABLE.f32",
                                          "FMA_RSCALE_SCALE16.f32",
                                          "FPCLASS.f16",
                                          "FPCLASS.f32",
                                          "FRCP_APPROX.f32",
                                          "FRSQ_APPROX.f32",
                                          "FSINCOS_OFFSET.u6",
                                          "NOP"};
  EXPECT_EQ(refused, expected);
}

TEST(ValhallArithmetic, AnyOperands) {
  Random random{2};
  const auto word = [&]() -> std::uint32_t {
    switch (random.below(3)) {
      case 0:
        return random::one_of(random, random::kFloatEdges);
      case 1:
        return random::one_of(random, random::kIntegerEdges);
      default:
        return static_cast<std::uint32_t>(random.next());
    }
  };
  for (const Pattern& pattern : patterns())
    for (std::uint64_t n = 0; n < share(200); ++n) {
      const Instruction instruction = random_instruction(pattern, random);
      const auto operation = find_operation(instruction);
      if (!operation) continue;
      Inputs inputs{.destination = word()};
      for (std::uint64_t& source : inputs.source) source = std::uint64_t{word()} << 32 | word();
      for (std::size_t k = 0; k < inputs.source.size(); ++k)
        if (!instruction.source[k].wide) inputs.source[k] &= 0xffffffff;
      inputs.mode = {.flush_single = random.one_in(2),
                     .flush_half = random.one_in(2),
                     .suppress_nan = random.one_in(2),
                     .suppress_infinity = random.one_in(2)};
      const std::uint64_t result = evaluate(*operation, instruction, inputs);
      const std::string name = mnemonic(instruction);
      if (operation->result == ResultShape::wide) continue;
      ASSERT_EQ(result >> 32, 0U) << name;
      const std::uint32_t kept = instruction.write_mask == 1   ? 0xffff0000
                                 : instruction.write_mask == 2 ? 0x0000ffff
                                                               : 0;
      ASSERT_EQ(result & kept, inputs.destination & kept) << name;
      Instruction whole = instruction;
      whole.write_mask = 3;
      const std::uint64_t unmasked = evaluate(*operation, whole, inputs);
      if (operation->result == ResultShape::word) {
        ASSERT_EQ(result & ~kept, unmasked & ~kept) << name;
      } else if (inputs.mode.suppress_nan && instruction.opcode != Opcode::f16_to_f32) {
        ASSERT_LE(unmasked & 0x7fffffff, 0x7f800000U) << name;
      }
    }
}

}  // namespace
}  // namespace warpjit::valhall
