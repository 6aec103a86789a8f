// Multiply-adds and loops in compute kernels: every engine and target gives the guest interpreter's bits.
#include <gtest/gtest.h>

#include "frontend/tesla/shader.h"
#include "random/tesla/random.h"
#include "runtime/compute_ways.h"
#include "runtime/engine/engine.h"
#include "support/share.h"
#include "warpjit/tesla.hpp"

namespace warpjit {

using namespace compute_test;

namespace {

// Chains of multiply-adds, in a loop or not, whose operands are ordinary but for one lane in one turn.
TEST(Compute, MultiplyAddsWithAnUnusualOperandAreExact) {
  const Engine engine;
  constexpr std::uint32_t kThreads = 64, kFactors = 6, kOperands = kFactors + 1, kTurns = 3, kChains = 2,
                          kSteps = 6, kFirst = 0x1000;
  // A row of memory has a word of each thread. First come the first addends, in whose place the sums go; in
  // that of another row all sums that were there, joined by xor.
  const auto reg = [](std::uint32_t n) { return " $r" + std::to_string(n); };
  const std::string next_row = " $r1 $r1 " + std::to_string(4 * kThreads) + "\n";
  const auto load = [&](std::uint32_t n) { return "ld b32" + reg(n) + " g14[$r1]\nadd b32" + next_row; };
  constexpr std::uint32_t kFactor = 2, kSum = 10, kSeen = kSum + kChains;
  std::string begin =
      "and b32 $r0 $r0 0xffff\nshl b32 $r1 $r0 0x2\nadd b32 $r1 b32 s[0x10] $r1\nmov b32 $r8 $r1\n"
      "mov b32 $r15 b32 s[0x14]\nmov b32 $r14 1\n";
  std::string end =
      "(lg $c1) add b32 $r13 $r13 $r14\n(lg $c2) add b32 $r13 $r13 $r8\nmov b32 $r1 $r8\nxor b32" +
      reg(kSeen) + reg(kSeen) + " $r13\n";
  for (std::uint32_t n = kSum; n <= kSeen; ++n) {
    begin += load(n);
    end += "st b32 g14[$r1]" + reg(n) + "\nadd b32" + next_row;
  }
  // With a load near its end a turn is one run of accesses, else most of it is arithmetic after one.
  const auto turn = [&](bool loads_late) {
    std::string text;
    for (std::uint32_t n = 0; n < kFactors; ++n) text += load(kFactor + n);
    if (!loads_late) text += load(9);
    for (std::uint32_t n = 0; n < kSteps; ++n) {
      if (loads_late && n + 1 == kSteps) text += load(kFactor);
      if (n == 1) text += "add rz f32 $r13" + reg(kFactor) + reg(kFactor + 3) + "\n";  // in another mode
      if (n == 2)  // comparisons of a sum, which are looked at in the row and after it
        text += "set $c1 # ge f32" + reg(kSum) + reg(kFactor) + "\nset $c2 # l f32" + reg(kSum) +
                reg(kFactor + 1) + "\n(lg $c1) mov b32 $r13 $r3\n(lg $c2) add b32 $r13 $r13 $r4\n";
      for (std::uint32_t sum = kSum; sum < kSeen; ++sum)
        text += "add f32" + reg(sum) + " (mul" + reg(kFactor + (n + sum - kSum) % kFactors) +
                reg(kFactor + (3 * n + 1) % kFactors) + ")" + reg(sum) + "\nxor b32" + reg(kSeen) +
                reg(kSeen) + reg(sum) + "\n";
    }
    return text;
  };
  const std::string back = "sub b32 $c0 $r15 $r15 $r14\n(lg $c0) bra #turn\n", exit = "exit nop\n";
  std::vector<Program> loops, once;
  for (const bool loads_late : {false, true}) {
    loops.push_back(kernel(begin + "turn:\n" + turn(loads_late) + back + end + exit));
    once.push_back(kernel(begin + turn(loads_late) + end + exit));
  }
  constexpr std::uint32_t kFirstOperand = kChains + 1;  // row
  std::uint32_t random = 1;
  const auto draw = [&](std::uint32_t below) {
    return (random = random * 1664525 + 1013904223) / 65536 % below;
  };
  const auto number = [&](float greatest) {  // of 24 bits, most of them
    const float fraction = static_cast<float>(draw(4096) * 4096 + draw(4096)) / 16777216.0F;
    return (draw(2) == 0 ? 1.0F : -1.0F) * greatest * (0.5F + fraction / 2);
  };
  for (std::uint32_t seed = 0; seed < share(1200); ++seed) {
    const bool repeats = draw(2) == 0;
    std::vector<std::uint32_t> start(kThreads * (kFirstOperand + kOperands * kTurns));
    for (std::uint32_t& word : start) word = bits(number(8));
    const std::uint32_t kind = draw(16), lane = draw(kThreads);
    const std::uint32_t of_turn = repeats && kind > 2 && kind < 9 ? draw(kTurns) : 0;
    const auto first = [&](std::uint32_t chain) -> std::uint32_t& { return start[lane + kThreads * chain]; };
    const auto operand = [&](std::uint32_t n) -> std::uint32_t& {
      return start[lane + kThreads * (kFirstOperand + kOperands * of_turn + n)];
    };
    const auto scale = [&](float operands, float addends) {
      for (std::uint32_t turn = 0; turn < kTurns; ++turn)
        for (std::uint32_t n = 0; n < kOperands; ++n)
          start[lane + kThreads * (kFirstOperand + kOperands * turn + n)] = bits(number(operands));
      for (std::uint32_t chain = 0; chain < kChains; ++chain) first(chain) = bits(number(addends));
    };
    switch (kind) {
      case 0:  // as all lanes
        break;
      case 1:  // the first product and its addend cancel
        operand(0) = bits(2), operand(1) = bits(3), first(0) = bits(-6);
        break;
      case 2:  // the first product is -0, and so is its addend; the second one is not exact
        operand(0) = draw(2) << 31, operand(1) ^= (operand(0) ^ operand(1) ^ 1u << 31) & 1u << 31;
        first(0) = 1u << 31;
        break;
      case 3:  // low products
        scale(0x1p-59F, 0x1p-118F);
        break;
      case 4:  // products beyond the greatest number, sums below it
        scale(0x1.4p64F, 0x1.ep127F);
        break;
      case 5:
        operand(draw(kOperands)) = draw(2) == 0 ? 0x7f800000 : 0xff800000;
        break;
      case 6:
        operand(draw(kOperands)) = 0x7fc00001;
        break;
      case 7:  // zeros and denormals
        for (std::uint32_t n = 0; n < 3; ++n) operand(draw(kOperands)) = draw(2) << 31 | draw(2);
        first(0) = draw(2) << 31 | draw(3);
        break;
      case 8:  // sums of zeros
        scale(0, 0);
        break;
      case 9:  // a low product, the first one alone
        operand(0) = first(0) = bits(number(0x1p-118F));
        break;
      case 10: {  // a low factor, but no low product
        const std::uint32_t low = draw(2);
        operand(low) = bits(number(0x1p-110F)), operand(1 - low) = bits(number(0x1p+100F));
        first(0) = bits(number(0x1p-10F));
        break;
      }
      case 11:  // first products near a power of two, in all lanes
        for (std::uint32_t t = 0; t < kThreads; ++t) {
          const float factor = number(2);
          std::uint32_t* const row = &start[t + kThreads * kFirstOperand];
          row[0] = bits(factor), row[kThreads] = bits(1 / factor) + draw(5) - 2;
          start[t] = bits(-0.75F);
        }
        break;
      case 12: {  // too large or too low beside infinities or NaNs in the same lane of other vectors
        const std::uint32_t special = draw(2) == 0 ? 0x7f800000 : 0x7fc00001;
        draw(2) == 0 ? scale(0x1.4p64F, 0x1.ep127F) : scale(0x1p-59F, 0x1p-118F);
        for (std::uint32_t t = lane % 8; t < kThreads; t += 8) {
          if (t == lane || draw(4) == 0) continue;
          std::uint32_t* const row = &start[t + kThreads * (kFirstOperand + draw(kOperands))];
          (draw(3) == 0 ? start[t] : *row) = special;
        }
        break;
      }
      case 13:  // integers, whose sum is 0 after some product; the next one is not exact
      case 14: {
        const std::uint32_t chain = kind - 13, after = draw(4);
        constexpr std::uint32_t kLast[kChains][4] = {{0, 1, 2, 4}, {0, 1, 3, 4}};  // of these products
        constexpr std::uint32_t kIntegers[kChains][4] = {{0b000011, 0b010011, 0b010111, 0b011111},
                                                         {0b000010, 0b010110, 0b011110, 0b111110}};
        float factors[kFactors] = {}, sum = 0;
        for (std::uint32_t n = 0; n < kFactors; ++n)
          if (kIntegers[chain][after] >> n & 1)
            operand(n) = bits(factors[n] = static_cast<float>(2 * draw(4) + 3));
        for (std::uint32_t n = 0; n <= kLast[chain][after]; ++n)
          sum += factors[(n + chain) % kFactors] * factors[(3 * n + 1) % kFactors];
        first(chain) = bits(-sum);
        break;
      }
      case 15:  // a sum that is -0, as it is too low: the first one, or that after the third product
        if (draw(2) == 0) {
          operand(0) = operand(1) = bits(0x1.123456p-63F), first(0) = bits(-0x1.8p-126F);
          break;
        }
        for (const std::uint32_t n : {0, 1, 2}) operand(n) = bits(0x1p-63F);
        operand(4) = bits(0x3p-63F), first(0) = bits(-0x5.4p-126F);
        break;
    }
    const Program& program = (repeats ? loops : once)[draw(2)];
    Launch launch(program);
    EXPECT_TRUE(launch.set_block(kThreads));
    const std::uint32_t parameters[] = {kFirst, kTurns};
    EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(parameters))));
    ASSERT_NO_FATAL_FAILURE(expect_same_memory(engine, launch, kFirst, start)) << "seed " << seed;
  }
}

// Turns of random arithmetic, most of it multiply-adds whose products do not depend on their sums; of some
// turns sums are factors, too.
TEST(Compute, RandomRowsOfMultiplyAddsAreExact) {
  const Engine engine;
  constexpr std::uint32_t kThreads = 64, kFirst = 0x1000, kTurns = 3, kSteps = 28, kLoads = 6, kRuns = 6;
  constexpr std::uint32_t kFactors[] = {2, 3, 4, 5, 6}, kSums[] = {7, 9, 10, 11, 12};  // registers
  std::uint32_t random = 7;
  const auto draw = [&](std::uint32_t below) {
    return (random = random * 1664525 + 1013904223) / 65536 % below;
  };
  const auto reg = [](std::uint32_t n) { return " $r" + std::to_string(n); };
  const auto factor = [&] { return reg(kFactors[draw(std::size(kFactors))]); };
  const auto sum = [&] { return reg(kSums[draw(std::size(kSums))]); };
  const std::string next_row = "add b32 $r1 $r1 " + std::to_string(4 * kThreads) + "\n";
  const auto load = [&](const std::string& into) { return "ld b32" + into + " g14[$r1]\n" + next_row; };
  std::uint32_t labels = 0;
  const auto step = [&]() -> std::string {
    const std::string a = factor(), b = factor(), c = sum();
    switch (draw(16)) {
      case 0:
        return "add f32" + c + " (mul" + a + sum() + ")" + c + "\n";
      case 1:
        return "add f32" + a + " (mul" + b + factor() + ")" + sum() + "\n";
      case 2:
        return "mul rn f32" + a + a + b + "\n";
      case 3:
        return "add rn f32" + c + sum() + a + "\n";
      case 4:
        return "add " + std::string(draw(2) == 0 ? "rz" : "rn") + " f32" + a + b + factor() + "\n";
      case 5:
        return "set $c1 # ge f32" + c + a + "\n(lg $c1) mov b32" + sum() + b + "\n";
      case 6: {  // a result for all lanes, which some take
        const std::string skip = "skip" + std::to_string(labels++);
        return "set $c1 # l f32" + c + a + "\n(" + (draw(2) == 0 ? "lg" : "e") + " $c1) bra #" + skip +
               "\nadd f32" + sum() + " (mul $r18 $r17) $r16\n" + skip + ":\n";
      }
      case 7:
        return "min f32" + c + c + a + "\n";
      default:
        return "add f32" + c + " (mul" + a + b + ")" + c + "\n";
    }
  };
  std::string begin =
      "and b32 $r0 $r0 0xffff\nshl b32 $r1 $r0 0x2\nadd b32 $r1 b32 s[0x10] $r1\nmov b32 $r8 $r1\n"
      "mov b32 $r15 b32 s[0x14]\nmov b32 $r14 1\n";
  for (std::uint32_t n = 0; n < 3; ++n)
    begin += "mov b32" + reg(16 + n) + " b32 s[" + std::to_string(0x18 + 4 * n) + "]\n";
  std::string end = "mov b32 $r1 $r8\n";
  for (const auto* registers : {&kFactors, &kSums})
    for (const std::uint32_t n : *registers) {
      begin += load(reg(n));
      end += "st b32 g14[$r1]" + reg(n) + "\n" + next_row;
    }
  for (std::uint32_t number = 0; number < share(80); ++number) {
    std::string turn = "turn:\nadd f32 $r18 (mul $r18 $r17) $r16\n";
    const std::uint32_t late = draw(kLoads + 1);  // loads among the arithmetic
    for (std::uint32_t n = late; n < kLoads; ++n) turn += load(factor());
    for (std::uint32_t n = 0; n < kSteps; ++n) {
      if (n % 4 == 0 && n / 4 < late) turn += load(factor());
      turn += step();
    }
    const Program program =
        kernel(begin + turn + "sub b32 $c0 $r15 $r15 $r14\n(lg $c0) bra #turn\n" + end + "exit nop\n");
    for (std::uint32_t run = 0; run < kRuns; ++run) {
      std::vector<std::uint32_t> start(kThreads * (2 * std::size(kFactors) + kLoads * kTurns));
      const bool integers = draw(3) == 0;
      const std::uint32_t lane = draw(kThreads), rare = draw(3);
      for (std::size_t n = 0; n < start.size(); ++n) {
        const float fraction = static_cast<float>(draw(4096) * 4096 + draw(4096)) / 16777216.0F;
        start[n] = bits((draw(2) == 0 ? 1.0F : -1.0F) * (0.5F + fraction));
        if (n % kThreads != lane) continue;  // the others have nothing unusual
        constexpr std::uint32_t kSpecial[] = {0,          0x80000000, 1,          0x80000001, 0x7f800000,
                                              0x7fc00001, 0x00800000, 0x80c00000, 0x20000001, 0x5f800000};
        if (integers)
          start[n] = bits(static_cast<float>(draw(7)) - 3);
        else if (rare != 0 && draw(8) == 0)
          start[n] = kSpecial[draw(std::size(kSpecial))];
      }
      Launch launch(program);
      EXPECT_TRUE(launch.set_block(kThreads));
      const std::uint32_t parameters[] = {kFirst, kTurns, bits(1.25F), bits(-0x1.123456p0F), bits(0.75F)};
      EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(parameters))));
      ASSERT_NO_FATAL_FAILURE(expect_same_memory(engine, launch, kFirst, start))
          << "program " << number << ", run " << run << "\n"
          << turn;
    }
  }
}

// Random loops that lanes leave one by one, at two places, with what they computed before.
TEST(Compute, LanesLeaveLoopsWithTheirValues) {
  const Engine engine{EngineOptions()};
  constexpr std::uint32_t kThreads = 64, kCarried = 3, kMade = 5, kFirst = 0x1000;
  constexpr std::uint32_t kFirstMade = 2 + kCarried, kCount = kFirstMade + kMade, kLimit = kCount + 1,
                          kOne = kCount + 2, kBits = kCount + 3, kMasks = kCount + 4;  // registers
  std::uint32_t random = 11;
  const auto draw = [&](std::uint32_t below) {
    return (random = random * 1664525 + 1013904223) / 65536 % below;
  };
  const auto reg = [](std::uint32_t n) { return " $r" + std::to_string(n); };
  const std::string next_row = "add b32 $r1 $r1 " + std::to_string(4 * kThreads) + "\n";
  for (std::uint32_t seed = 0; seed < share(300); ++seed) {
    std::string text =
        "and b32 $r0 $r0 0xffff\nshl b32 $r0 $r0 0x2\nadd b32 $r0 b32 s[0x10] $r0\nmov b32 $r1 $r0\n";
    for (std::uint32_t n = 0; n < kCarried; ++n) text += "ld b32" + reg(2 + n) + " g14[$r1]\n" + next_row;
    for (std::uint32_t n = 0; n < kMade; ++n) text += "mov b32" + reg(kFirstMade + n) + " 0\n";
    const std::uint32_t limit = 4 + draw(20), bit = 1u << (3 + draw(6));
    text += "mov b32" + reg(kCount) + " 0\nmov b32" + reg(kLimit) + " " + std::to_string(limit) +
            "\nmov b32" + reg(kOne) + " 1\nmov b32" + reg(kMasks) + " " + std::to_string(bit) +
            "\nbreakaddr #done\nturn:\n";
    const std::string at_limit = "set $c0 # ge u32" + reg(kCount) + reg(kLimit) + "\n(lg $c0) break\n";
    // What the next instruction may read: what is carried and what this turn has made.
    std::uint32_t made = 0;
    const auto any = [&] { return reg(2 + draw(kCarried + made)); };
    const auto statement = [&](std::uint32_t to) {
      const std::string a = any(), b = any(), c = any();
      const bool counts = draw(8) == 0;
      switch (draw(5)) {
        case 0:
          return "add rn f32" + reg(to) + a + b + "\n";
        case 1:
          return "add f32" + reg(to) + " (mul" + a + b + ")" + c + "\n";
        case 2:
          return "xor b32" + reg(to) + a + b + "\n";
        case 3:
          return "mul rn f32" + reg(to) + a + b + "\n";
        default:
          return "add b32" + reg(to) + a + (counts ? reg(kCount) : b) + "\n";
      }
    };
    if (draw(2) == 0) text += at_limit;
    for (; made < kMade; ++made) text += statement(kFirstMade + made);
    const std::uint32_t early = draw(4) == 0 ? 1 : 0;  // carried on before lanes leave
    if (early != 0) text += statement(2);
    text += "and b32" + reg(kBits) + any() + reg(kMasks) + "\nset $c0 # e u32" + reg(kBits) + reg(kMasks) +
            "\n(lg $c0) break\n";
    for (std::uint32_t n = early; n < kCarried; ++n)
      if (n == 1 || draw(3) != 0) text += statement(2 + n);
    text += "add b32" + reg(kCount) + reg(kCount) + reg(kOne) + "\n" + at_limit + "bra #turn\ndone:\n";
    for (std::uint32_t n = 2; n <= kCount; ++n)
      if (draw(5) != 0)
        text += "st b32 g14[$r0]" + reg(n) + "\n" + "add b32 $r0 $r0 " + std::to_string(4 * kThreads) + "\n";
    const Program program = kernel(text + "exit nop\n");
    std::vector<std::uint32_t> start(kThreads * kCount);
    for (std::uint32_t& word : start)
      word = draw(3) == 0 ? draw(65536) * 65536 + draw(65536)
                          : bits(0.5F + static_cast<float>(draw(65536)) / 65536);
    Launch launch(program);
    EXPECT_TRUE(launch.set_block(kThreads));
    EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(&kFirst, 1))));
    ASSERT_NO_FATAL_FAILURE(expect_same_memory(engine, launch, kFirst, start)) << "seed " << seed << "\n"
                                                                               << text;
  }
}

}  // namespace
}  // namespace warpjit
