// What the profiler says of small kernels whose behaviour is plain from their text.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "warpjit/tesla.hpp"
#include "warpjit/warpjit.hpp"

namespace warpjit::tesla {
namespace {

// With $r0 = thread, $a1 = 4 times that. 256 bytes of s[] after the header; g0 is 1 KiB at 0.
Profile profile_of(const std::string& body, std::uint32_t threads = 64, Status* status = nullptr) {
  const auto program = load_assembly("and b32 $r0 $r0 0xffff\nshl $a1 $r0 0x2\n" + body + "exit nop\n");
  EXPECT_TRUE(program.ok());
  if (!program) return {};
  std::vector<std::uint64_t> words(128);
  warpjit::Launch launch(*program);
  EXPECT_TRUE(launch.set_grid(2));
  EXPECT_TRUE(launch.set_block(threads));
  EXPECT_TRUE(launch.set_shared_bytes(16 + 256));
  launch.set_fuel(100);
  EXPECT_TRUE(launch.map_memory("g0", 0, words.data(), 8 * words.size()));
  const Engine engine;
  Profile profile;
  const auto report = engine.profile(launch, profile);
  if (status != nullptr)
    *status = report ? Status() : report.error();
  else
    EXPECT_TRUE(report.ok()) << body << to_string(report.error());
  return profile;
}
const Profile::Instruction& line_of(const Profile& profile, const std::string& text) {
  for (const auto& line : profile.instructions)
    if (line.text == text) return line;
  ADD_FAILURE() << "no " << text;
  return profile.instructions[0];
}
const Profile::Instruction& line_at(const Profile& profile, std::uint32_t address) {
  for (const auto& line : profile.instructions)
    if (line.address == address) return line;
  ADD_FAILURE() << "nothing at " << address;
  return profile.instructions[0];
}
std::uint64_t uninitialized(const Profile& profile) {
  std::uint64_t sum = 0;
  for (const auto& line : profile.instructions)
    sum += line.uninitialized_registers + line.uninitialized_shared;
  return sum;
}

TEST(TeslaProfile, CountsWarpsLanesAndDivergence) {
  // Lanes 0 to 9 of warp 0 take the branch, all of warp 1 do not.
  const Profile profile = profile_of(
      "mov b32 $r1 10\njoinat #end\nset $c0 # l u32 $r0 $r1\n(e $c0) bra #end\nmov b32 $r2 1\nend:\njoin "
      "nop\n",
      40);
  const auto& branch = line_at(profile, 0x28);
  EXPECT_EQ(branch.warps, 4u);
  EXPECT_EQ(branch.lanes, 2u * (22 + 8));
  EXPECT_EQ(branch.diverged, 2u);
  const auto& inside = line_of(profile, "mov b32 $r2 0x1");
  EXPECT_EQ(inside.warps, 2u);
  EXPECT_EQ(inside.lanes, 20u);
  EXPECT_EQ(profile.active_lanes[10], 2u);
  EXPECT_EQ(profile.deepest_stack, 2u);
  EXPECT_EQ(uninitialized(profile), 0u);
}

TEST(TeslaProfile, BranchesThroughTablesDivergeOncePerFurtherTarget) {
  const Profile profile = profile_of(
      ".const c1[0x0] #one #two #three #one\nmov b32 $r1 3\nand b32 $r1 $r1 $r0\nshl $a2 $r1 0x2\n"
      "joinat #end\nbra c1[$a2]\none:\ntwo:\nnop\nthree:\nnop\nend:\njoin nop\n");
  const auto& branch = line_of(profile, "bra c1[$a2]");
  EXPECT_EQ(branch.warps, 8u);  // two targets, for the labels one and two are the same
  EXPECT_EQ(branch.diverged, 4u);
}

TEST(TeslaProfile, ReadsOfUnwrittenMemory) {
  EXPECT_EQ(uninitialized(profile_of("mov b32 $r1 $r0\nadd b32 $r2 $r1 $r0\n")), 0u);
  const Profile some =
      profile_of("mov b32 $r3 1\nset $c0 # e u32 $r0 $r3\n(lg $c0) mov b32 $r1 $r0\nadd b32 $r2 $r1 $r0\n");
  const auto& sum = line_of(some, "add b32 $r2 $r1 $r0");
  EXPECT_EQ(sum.uninitialized_registers, 2u * 63);
  EXPECT_EQ(sum.first_uninitialized, "$r1 of thread 0 of block (0, 0)");
  EXPECT_EQ(uninitialized(profile_of("mov b16 $r1l $r0l\nadd b16 $r2l $r1l $r0l\n")), 0u);
  EXPECT_EQ(uninitialized(profile_of("mov b16 $r1l $r0l\nmov b32 $r2 $r1\n")), 2u * 64);
  EXPECT_EQ(uninitialized(profile_of("(e $c1) mov b32 $r2 $r0\n")), 2u * 64);
  EXPECT_EQ(uninitialized(profile_of("mov $r2 $a2\n")), 2u * 64);
  // The header is written, what comes after it is not, what a lane stored is.
  EXPECT_EQ(uninitialized(profile_of("ld $r1 u16 s[0xc]\n")), 0u);
  EXPECT_EQ(uninitialized(profile_of("ld $r1 b32 s[$a1+0x10]\n")), 2u * 64);
  EXPECT_EQ(uninitialized(profile_of("st b32 s[$a1+0x10] $r0\nld $r1 b32 s[$a1+0x10]\n")), 0u);
}

TEST(TeslaProfile, RacesBetweenWarps) {
  const std::string store = "st b32 s[$a1+0x10] $r0\n", barrier = "bar inc wait 0x0 all\n";
  const std::string load = "mov b32 $r3 63\nsubr b32 $r2 $r0 $r3\nshl $a2 $r2 0x2\nld $r1 b32 s[$a2+0x10]\n";
  EXPECT_TRUE(profile_of(store + barrier + load).races.empty());
  EXPECT_TRUE(profile_of(store + load, 32).races.empty());  // one warp
  // Warp 0 loads what warp 1 will store, warp 1 loads what warp 0 stored.
  const Profile profile = profile_of(store + load);
  ASSERT_EQ(profile.races.size(), 2u);
  EXPECT_EQ(profile.races[0].first, 0x10u);
  EXPECT_EQ(profile.races[0].count, 2u * 32);
  EXPECT_EQ(profile.races[0].example, "s[140]: store by thread 31, load by thread 32 of block (0, 0)");
  EXPECT_EQ(profile.races[1].second, 0x10u);
  // A load after the barrier, then a store without one.
  EXPECT_EQ(profile_of(store + barrier + load + store).races.size(), 2u);
  EXPECT_TRUE(profile_of(store + barrier + load + barrier + store).races.empty());
  // Everybody adds to the same word; with a lock that is no race.
  EXPECT_EQ(profile_of("ld $r1 b32 s[0x20]\nst b32 s[0x20] $r1\n").races.size(), 3u);
  EXPECT_TRUE(profile_of("mov b32 $r5 0\nagain:\njoinat #tried\nld lock $c1 $r4 b32 s[0x20]\n"
                         "(e $c1) bra #tried\nadd b32 $r4 $r4 1\nst unlock b32 s[0x20] $r4\nmov b32 $r5 1\n"
                         "tried:\njoin nop\nset $c0 # e u32 $r5 $r63\n(lg $c0) bra #again\n")
                  .races.empty());
}

TEST(TeslaProfile, FaultsAndErrors) {
  const Profile faults = profile_of("shl b32 $r1 $r0 0x5\nld b32 $r2 g0[$r1]\n");
  EXPECT_EQ(line_of(faults, "ld b32 $r2 g0[$r1]").faults, 2u * 32);
  Status status;
  const Profile endless = profile_of("loop:\nbra #loop\n", 64, &status);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::out_of_fuel);
  EXPECT_GT(line_at(endless, 0x10).warps, 90u);
}

}  // namespace
}  // namespace warpjit::tesla
