#include "frontend/valhall/interpret/lanes.h"

#include "valhall/evaluate.h"

namespace warpjit::valhall {
namespace {

constexpr unsigned kAll = 0xffff;

Instruction instruction_of(const std::string& text) {
  const auto word = assemble_instruction(text);
  EXPECT_TRUE(word.ok()) << text << ": " << to_string(word.error());
  return word ? *decode(*word) : Instruction{};
}
std::string refused(const std::string& text) {
  const Status status = check_exchange(instruction_of(text));
  return status ? "runs" : status.error().message;
}
LaneWords numbers(std::uint32_t first, std::uint32_t step = 1) {
  LaneWords words{};
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) words[lane] = first + step * lane;
  return words;
}
LaneWords all(std::uint32_t word) { return numbers(word, 0); }

LaneWords exchanged(const std::string& text, const LaneWords& a, const LaneWords& b, unsigned active = kAll) {
  const Instruction instruction = instruction_of(text);
  const Status status = check_exchange(instruction);
  EXPECT_TRUE(status.ok()) << text;
  return exchange(instruction, a, b, active);
}

TEST(ValhallLanes, Permutations) {
  const LaneWords a = numbers(100);
  const LaneWords by_number = exchanged("CLPER.i32.subgroup4 r0, r1, r2.b0", a, all(0xffff06));
  const LaneWords crossed = exchanged("CLPER.i32.subgroup4.xor r0, r1, r2.b0", a, all(1));
  const LaneWords shifted = exchanged("CLPER.i32.shift.smin r0, r1, r2.b0", a, all(3));
  const LaneWords back = exchanged("CLPER.s32.subgroup8.shift r0, r1, r2.b0", a, all(0xff));
  const LaneWords rotated = exchanged("CLPER.i32.subgroup8.rotate r0, r1, r2.b0", a, all(7));
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    EXPECT_EQ(by_number[lane], 100 + (lane & ~3U) + 2) << lane;
    EXPECT_EQ(crossed[lane], 100 + (lane ^ 1)) << lane;
    EXPECT_EQ(shifted[lane], lane < 13 ? 103 + lane : 0x80000000) << lane;
    EXPECT_EQ(back[lane], lane % 8 == 0 ? 0 : 99 + lane) << lane;
    EXPECT_EQ(rotated[lane], 100 + (lane & 8) + (lane + 7) % 8) << lane;
  }
  // Each lane has an offset of its own.
  const LaneWords own = exchanged("CLPER.i32 r0, r1, r2", a, numbers(15, 0xffffffff));
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) EXPECT_EQ(own[lane], 115 - lane);
}

TEST(ValhallLanes, LanesThatAreNotActive) {
  const LaneWords a = numbers(100);
  const std::pair<const char*, std::uint32_t> values[] = {{"", 0},
                                                          {".umax", 0xffffffff},
                                                          {".i1", 1},
                                                          {".v2i1", 0x00010001},
                                                          {".smin", 0x80000000},
                                                          {".smax", 0x7fffffff},
                                                          {".v2smin", 0x80008000},
                                                          {".v2smax", 0x7fff7fff},
                                                          {".v4smin", 0x80808080},
                                                          {".v4smax", 0x7f7f7f7f},
                                                          {".f1", bits(1.0F)},
                                                          {".v2f1", 0x3c003c00},
                                                          {".infn", 0xff800000},
                                                          {".inf", 0x7f800000},
                                                          {".v2infn", 0xfc00fc00},
                                                          {".v2inf", 0x7c007c00}};
  for (const auto& [word, value] : values) {
    const LaneWords read =
        exchanged(std::string("CLPER.i32.subgroup2.xor") + word + " r0, r1, r2.b0", a, all(1), 0x0007);
    EXPECT_EQ(read[0], 101U);
    EXPECT_EQ(read[1], 100U);
    EXPECT_EQ(read[2], value) << word;
    EXPECT_EQ(read[3], 0U) << "does not execute";
  }
}

TEST(ValhallLanes, Votes) {
  LaneWords a{};
  for (const unsigned lane : {0U, 5U, 6U, 15U}) a[lane] = 0x100;
  EXPECT_EQ(exchanged("WMASK r0, r1", a, {})[3], 0x8061U);
  EXPECT_EQ(exchanged("WMASK r0, r1", a, {}, 0x00ff)[3], 0x0061U);
  EXPECT_EQ(exchanged("WMASK.subgroup4 r0, r1", a, {})[4], 0x6U);  // counted from lane 4
  EXPECT_EQ(exchanged("WMASK.subgroup2 r0, r1", a, {})[15], 0x2U);
  EXPECT_EQ(exchanged("WMASK.subgroup8 r0, r1", a, {}, 0xdfff)[8], 0x80U);
}

TEST(ValhallLanes, RefusedByName) {
  EXPECT_EQ(refused("CLPER.i32.accumulate r0, r1, r2.b0"), "CLPER.i32: `accumulate` is not defined");
  EXPECT_EQ(refused("CLPER.v2u16 r0, r1, r2"), "CLPER.v2u16: its meaning for this type is not known");
  EXPECT_EQ(refused("CLPER.i32 r0.h0, r1, r2"), "CLPER.i32: a write mask is not defined");
  EXPECT_EQ(refused("WMASK r0, r1 {unused 0x100}"), "WMASK: bits that no field has are set");
  EXPECT_EQ(refused("MOV.i32 r0, r1"), "MOV.i32: this instruction exchanges nothing");
}

}  // namespace
}  // namespace warpjit::valhall
