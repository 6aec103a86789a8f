// Where the order of lanes is what makes a result: as IR with the hardware's bits, by the order of blocks or
// with the warp's stack, or left to the guest interpreter. (The bodies of interpret_flow_test run as IR,
// too.)
#include "frontend/tesla/shader.h"
#include "support/source_dir.h"
#include "tesla/translate_test.h"

namespace warpjit::tesla {
namespace {

// With $r0 = thread, $r1 = 4 times that; g1[$r1] gets $r2.
Compared run(const std::string& body, bool expect_supported, std::array<std::uint32_t, 3> block = {32, 1, 1},
             std::uint64_t fuel = 10000) {
  const Program program =
      program_of("and b32 $r0 $r0 0xffff\nshl b32 $r1 $r0 0x2\n" + body + "st b32 g1[$r1] $r2\nexit nop\n");
  Comparison comparison{.g0 = Words(1024), .g1 = Words(1024), .expect_supported = expect_supported};
  comparison.launch.block = block;
  comparison.launch.shared_bytes = 4096;
  comparison.launch.fuel = fuel;
  return compare(program, comparison, body);
}
void expect_same(const std::string& body, std::array<std::uint32_t, 3> block = {32, 1, 1},
                 std::uint64_t fuel = 10000) {
  EXPECT_EQ(run(body, true, block, fuel), Compared::same) << body;
}
// Only with the stack.
void expect_same_with_stack(const std::string& body, std::array<std::uint32_t, 3> block = {32, 1, 1},
                            std::uint64_t fuel = 10000) {
  const Program program = program_of(body + "exit nop\n");
  ComputeFacts facts;
  facts.block = block;
  const auto function = translate(program, facts);
  ASSERT_TRUE(function.ok()) << body << to_string(function.error());
  EXPECT_EQ(function->form, ir::Form::group) << body;
  expect_same(body, block, fuel);
}

// Lanes leave one after the other.
const std::string kLoop =
    "mov b32 $r3 0\nloop:\nadd b32 $r3 $r3 1\nset $c0 # le u32 $r3 $r0\n(lg $c0) bra #loop\n";

TEST(TeslaTranslateFlow, LoopWithoutJoinat) {
  expect_same_with_stack(kLoop + "vote all $c1\nmov $r2 $c1\n");
  expect_same_with_stack(kLoop + "mov b32 $r4 1\nmov b32 $r5 0\nld add u32 $r2 g0[$r5] $r4\n");
  expect_same_with_stack(kLoop + "bar inc wait 0x0 all\nmov b32 $r2 $r3\n");
  expect_same(kLoop + "mov b32 $r4 1\nmov b32 $r5 0\nred add u32 g0[$r5] $r4\nmov b32 $r2 $r3\n");
  expect_same("ld b32 $r4 g1[$r1]\n" + kLoop + "add b32 $r2 $r3 $r4\n");
}

TEST(TeslaTranslateFlow, LoopWithJoinat) {
  expect_same("joinat #end\n" + kLoop + "end:\njoin vote all $c1\nmov $r2 $c1\n");
  expect_same(
      "joinat #end\n" + kLoop + "end:\njoin nop\nmov b32 $r4 1\nmov b32 $r5 0\nld add u32 $r2 g0[$r5] $r4\n",
      {64, 1, 1});
  // Votes of those that are still there.
  expect_same(
      "mov b32 $r2 0\nmov b32 $r3 0\nmov b32 $r6 7\njoinat #end\nloop:\nadd b32 $r3 $r3 1\n"
      "set $c2 # e u32 $r3 $r6\nset $c0 # le u32 $r3 $r0\n(lg $c0) vote all $c1\nmov $r4 $c1\n"
      "add b32 $r2 $r2 $r4\n(lg $c0) bra #loop\nend:\njoin nop\n");
}

TEST(TeslaTranslateFlow, LockInADivergentLoop) {
  // Each lane adds to one word under a lock; odd ones only, in a loop that fails for all but one at a time.
  const std::string critical =
      "again:\njoinat #tried\nld lock $c1 $r4 b32 s[0x80]\n(geu $c1) bra #tried\nadd b32 $r4 $r4 $r0\n"
      "mov b32 $r2 $r4\nst unlock b32 s[0x80] $r4\ntried:\njoin nop\n(geu $c1) bra #again\n";
  expect_same("mov b32 $r3 1\nand b32 $c0 # $r0 $r3\njoinat #end\n(e $c0) bra #end\n" + critical +
              "end:\njoin nop\n");
  // Spinning while the owner waits: out of fuel.
  expect_same_with_stack(
      "again:\nld lock $c1 $r4 b32 s[0x80]\n(geu $c1) bra #again\nadd b32 $r4 $r4 $r0\n"
      "st unlock b32 s[0x80] $r4\n",
      {32, 1, 1}, 500);
}

TEST(TeslaTranslateFlow, ExitInsideAnIf) {
  const std::string half = "mov b32 $r3 8\nand b32 $c0 # $r0 $r3\n";
  expect_same(half +
              "joinat #over\n(e $c0) bra #over\nst b32 g1[$r1] $r3\nexit nop\nover:\njoin nop\n"
              "vote all $c1\nmov $r2 $c1\nxor b32 $r5 $r1 0x20\nld b32 $r5 g1[$r5]\nadd b32 $r2 $r2 $r5\n");
  // In a loop: what the leaving lanes store is there for the next turn.
  expect_same(
      "mov b32 $r2 0\nmov b32 $r3 0\nmov b32 $r7 20\nmov b32 $r8 31\nloop:\nadd b32 $r3 $r3 1\n"
      "set $c0 # e u32 $r3 $r0\njoinat #over\n(e $c0) bra #over\nst b32 g1[$r1] $r3\nexit nop\nover:\n"
      "join nop\nshl b32 $r5 $r3 0x2\nld b32 $r5 g1[$r5]\nadd b32 $r2 $r2 $r5\n"
      "set $c0 # lg u32 $r3 $r7\n(lg $c0) bra #loop\n");
}

TEST(TeslaTranslateFlow, UniformLoopUnderAnEmptyMask) {
  // Nobody enters the if; its loop would never end.
  expect_same(
      "mov b32 $r2 3\nmov b32 $r3 64\njoinat #end\nset $c0 # l u32 $r0 $r3\n(lg $c0) bra #end\n"
      "loop:\nld $r4 b32 s[0x80]\nset $c1 # e u32 $r4 $r63\n(lg $c1) bra #loop\nend:\njoin nop\n");
}

TEST(TeslaTranslateFlow, SidesRunInTheHardwaresOrder) {
  const std::string odd = "mov b32 $r3 1\nand b32 $c0 # $r0 $r3\nmov b32 $r4 0x400\n";
  for (const char* condition : {"lg", "e"})
    expect_same(odd + "joinat #end\n(" + condition +
                " $c0) bra #other\nld add u32 $r2 g0[$r4] $r3\nbra #end\nother:\nld add u32 $r2 g0[$r4] $r3\n"
                "end:\njoin nop\n");
  // One side reads what the other wrote.
  expect_same(odd +
              "joinat #end\n(lg $c0) bra #other\nld $r2 b32 s[0x80]\nbra #end\nother:\n"
              "mov b32 $r2 9\nst b32 s[0x80] $r2\nend:\njoin nop\n");
  expect_same(odd +
              "joinat #end\n(lg $c0) bra #other\nmov b32 $r2 9\nst b32 s[0x80] $r2\nbra #end\nother:\n"
              "ld $r2 b32 s[0x80]\nend:\njoin nop\n");
}

TEST(TeslaTranslateFlow, IfWithoutJoinatIsSplit) {
  const std::string odd = "mov b32 $r3 1\nand b32 $c0 # $r0 $r3\nmov b32 $r2 0\n";
  expect_same(odd +
              "(lg $c0) bra #over\nadd b32 $r2 $r2 4\nover:\nvote all $c0\nmov $r4 $c0\nmov b32 $r5 0\n"
              "ld add u32 $r6 g0[$r5] $r3\nadd b32 $r2 $r2 $r6\n");
}

TEST(TeslaTranslateFlow, QuadOperationsOfWholeWarps) {
  expect_same("cvt rn f32 $r6 u32 $r0\nquadop f32 add sub subr add $r2 l3 $r6 $r63\n");
  expect_same(
      "cvt rn f32 $r6 u32 $r0\nmov b32 $r3 1\nand b32 $c0 # $r0 $r3\njoinat #end\n(e $c0) bra #end\n"
      "add rn f32 $r6 $r6 $r6\nend:\njoin nop\nquadon\nquadop f32 add add add add $r2 l1 $r6 $r6\nquadpop\n");
  // Lanes that are not there.
  expect_same_with_stack("cvt rn f32 $r6 u32 $r0\nquadop f32 add sub subr add $r2 l3 $r6 $r63\n", {30, 1, 1});
  expect_same_with_stack(
      "cvt rn f32 $r6 u32 $r0\nmov b32 $r3 1\nand b32 $c0 # $r0 $r3\njoinat #end\n"
      "(e $c0) bra #end\nquadop f32 add add add add $r2 l1 $r6 $r6\nend:\njoin nop\n");
}

// What only a stack of a warp's own can say.
// Groups of several warps, where all lanes come to each barrier together.
TEST(TeslaTranslateFlow, WarpsThatMayBeOneGroup) {
  const auto may_widen = [](const std::string& body) {
    ComputeFacts facts;
    facts.block = {64, 1, 1};
    const auto function = translate(program_of(body + "exit nop\n"), facts);
    EXPECT_TRUE(function.ok()) << body << to_string(function.error());
    return function.ok() && function->may_widen;
  };
  const std::string barrier = "bar inc wait 0x0 all\n", store = "shl $a1 $r0 0x2\nst b32 s[$a1+0x20] $r0\n";
  const std::string branch = "mov b32 $r3 9\nset $c0 # l u32 $r0 $r3\n(e $c0) bra #end\n";
  EXPECT_TRUE(may_widen(store + barrier + "ld $r1 b32 s[0x20]\n"));
  EXPECT_TRUE(may_widen("joinat #end\n" + branch + store + "end:\njoin nop\n" + barrier));
  EXPECT_TRUE(may_widen(store + barrier + branch + "ld $r1 b32 s[0x20]\nend:\n"));
  EXPECT_FALSE(may_widen("joinat #end\n" + branch + barrier + "end:\njoin nop\n"));
  EXPECT_FALSE(may_widen(branch + "mov b32 $r1 1\nend:\n" + barrier));  // they do not meet again
  EXPECT_FALSE(may_widen(store + barrier + "vote all $c1\n"));
}

TEST(TeslaTranslateFlow, Recursion) {
  // 1 + 2 + ... + lane, by a function that calls itself; lanes come back at different depths.
  const std::string sum =
      "mov b32 $r2 0\nmov b32 $r4 $r0\nmov b32 $r5 1\ncall #f\nbra #end\nf:\nset $c0 # e u32 $r4 $r63\n"
      "(lg $c0) ret\nadd b32 $r2 $r2 $r4\nsub b32 $r4 $r4 $r5\ncall #f\nret\nend:\n";
  expect_same_with_stack(sum);
  expect_same_with_stack(sum + "vote all $c1\nmov $r4 $c1\nadd b32 $r2 $r2 $r4\n", {45, 1, 1});
  // Deeper than the stack: fails.
  expect_same_with_stack("f:\ncall #g\ng:\ncall #f\n");
  expect_same_with_stack(
      "mov b32 $r2 0\ncall #f\nbra #end\nf:\ncall lim #f\nadd b32 $r2 $r2 0x1\nret\nend:\n");
}

TEST(TeslaTranslateFlow, StacksThatFail) {
  for (const char* body :
       {"join nop\n", "break\n", "quadpop\n", "breakaddr #end\njoin nop\nend:\n", "quadon\nbra #end\nend:\n",
        "quadon\nexit nop\n", "call #f\nf:\nbreakaddr #end\nret\nend:\n", "joinat #end\nquadpop\nend:\n"})
    expect_same_with_stack(body);
  // Nobody comes there.
  expect_same_with_stack("set $c0 # l u32 $r0 $r63\nmov b32 $r2 1\n(lg $c0) break\n");
}

TEST(TeslaTranslateFlow, BarriersWithAStack) {
  // Each warp's stack and registers outlive the other warps' turns.
  expect_same_with_stack(
      "mov b32 $r2 0\nmov b32 $r4 $r0\nmov b32 $r5 1\ncall #f\nbra #end\nf:\nset $c0 # e u32 $r4 $r63\n"
      "(lg $c0) ret\nadd b32 $r2 $r2 $r4\nsub b32 $r4 $r4 $r5\ncall #f\nret\nend:\n"
      "shl $a1 $r0 0x2\nst b32 s[$a1+0x80] $r2\nbar inc wait 0x0 all\nxor b32 $r3 $r0 0x21\n"
      "shl $a2 $r3 0x2\nld $r2 b32 s[$a2+0x80]\n",
      {64, 1, 1});
  // A barrier below entries of the stack.
  expect_same_with_stack(
      kLoop +
          "mov b32 $r2 0\nshl $a1 $r0 0x2\ncall #f\ncall #g\nbra #end\ng:\nquadon\nquadpop\nf:\n"
          "add b32 $r2 $r2 0x5\nst b32 s[$a1+0x80] $r2\nbar inc wait 0x0 all\nxor b32 $r3 $r0 0x21\n"
          "shl $a2 $r3 0x2\nld $r4 b32 s[$a2+0x80]\nadd b32 $r2 $r2 $r4\nbar inc wait 0x1 all\nret\nend:\n",
      {96, 1, 1});
}

// `bra c[]`: always with the stack.
TEST(TeslaTranslateFlow, BranchesThroughTables) {
  const std::string index = "mov b32 $r3 3\nand b32 $r3 $r3 $r0\nshl $a1 $r3 0x2\nmov b32 $r2 0\n";
  const std::string places =
      "zero:\nadd b32 $r2 $r2 0x1\nbra #end\none:\nadd b32 $r2 $r2 0x10\nbra #end\n"
      "two:\nadd b32 $r2 $r2 0x100\nthree:\nadd b32 $r2 $r2 0x1000\n";
  const std::string table = ".const c1[0x0] #zero #one #two #three\n";
  const std::string ticket =
      "mov b32 $r4 1\nmov b32 $r5 0\nld add u32 $r6 g0[$r5] $r4\nadd b32 $r2 $r2 $r6\n";
  expect_same_with_stack(table + index + "joinat #end\nbra c1[$a1]\n" + places + "end:\njoin nop\n" + ticket);
  // The lanes do not meet again; in places other lanes' words are read.
  expect_same_with_stack(table + index + "bra c1[$a1]\n" + places + "end:\n" + ticket, {70, 1, 1});
  // In a loop whose turns the lanes count down, out of which break leads.
  expect_same_with_stack(".const c1[0x0] #zero #one #two #three\n" + index +
                         "mov b32 $r7 1\nbreakaddr #out\nloop:\njoinat #end\nbra c1[$a1]\n" + places +
                         "end:\njoin nop\nsub b32 $c1 $r3 $r3 $r7\n(s $c1) break\nshl $a1 $r3 0x2\n"
                         "bra #loop\nout:\n" +
                         ticket);
  // Before and after barriers.
  expect_same_with_stack(table + index + "joinat #end\nbra c1[$a1]\n" + places +
                             "end:\njoin nop\nshl $a2 $r0 0x2\nst b32 s[$a2+0x80] $r2\n"
                             "bar inc wait 0x0 all\nxor b32 $r3 $r0 0x21\nshl $a2 $r3 0x2\n"
                             "ld $r4 b32 s[$a2+0x80]\nadd b32 $r2 $r2 $r4\n",
                         {64, 1, 1});
  // Some lanes find no code.
  expect_same_with_stack(".const c1[0x0] #zero #one 0x100 #three\n" + index + "bra c1[$a1]\n" + places +
                         "end:\n");
  expect_same_with_stack(".const c1[0x0] #zero #one\n" + index + "bra c1[$a1]\n" + places + "end:\n");
  expect_same_with_stack(".const c1[0x0] #zero\nbra c1[0x0]\nzero:\nmov b32 $r2 7\n");
  // A table of nothing but where the short instruction is that lies in a long one.
  expect_same_with_stack(
      ".const c1[0x0] 0x24 #long\nmov b32 $r2 5\nshr u32 $r3 $r0 0x4\nshl $a1 $r3 0x2\n"
      "bra c1[$a1]\nlong:\n.word 0x1000f001 0x1000000c\nadd b32 $r2 $r2 $r3\n");
}

TEST(TeslaTranslateFlow, TablesOfVeryManyPlaces) {
  // Words of c[] that are addresses, in a kernel of nothing but branches through them: not compiled.
  std::string source = ".const c1[0x0]";
  for (unsigned k = 0; k < 200; ++k) source += " " + std::to_string(8 * k);
  source += "\n";
  for (unsigned k = 0; k < 200; ++k) source += "bra c1[0x4]\n";
  const Program program = program_of(source);
  ComputeFacts facts;
  facts.branch_targets = targets_of(program, {});
  EXPECT_EQ(facts.branch_targets.size(), 200U);
  const auto function = translate(program, facts);
  ASSERT_FALSE(function.ok());
  EXPECT_EQ(function.error().code, ErrorCode::unsupported);
}

TEST(TeslaTranslateFlow, ThreadIndices) {
  constexpr std::array<std::uint32_t, 3> kBlocks[] = {{1, 1, 1},   {33, 1, 1},  {512, 1, 1},
                                                      {7, 9, 3},   {5, 1, 64},  {1, 511, 1},
                                                      {16, 16, 2}, {17, 30, 1}, {3, 2, 64}};
  for (const auto& block : kBlocks) expect_same("mov b32 $r2 0\n", block);
  // What they are.
  const Program program = program_of(
      "mov $r1 $physid\nand b32 $r2 $r1 0xff\nshr u32 $r1 $r1 0x8\nshl b32 $r1 $r1 0x5\nadd b32 $r1 $r1 $r2\n"
      "shl b32 $r1 $r1 0x2\nst b32 g1[$r1] $r0\nexit nop\n");
  for (const auto& block : kBlocks) {
    Comparison comparison{.g1 = Words(512)};
    comparison.launch.block = block;
    EXPECT_EQ(compare(program, comparison, "indices"), Compared::same);
  }
}

TEST(TeslaTranslateFlow, BarriersInSomeTurnsOfALoop) {
  // Groups resume in the middle of the loop, which then has several entries.
  for (const char* barrier : {"bar inc wait 0x0 all\n", "bar inc wait 0x2 0x60\n"})
    expect_same(
        "mov b32 $r2 0\nmov b32 $r3 0\nmov b32 $r6 1\nmov b32 $r7 12\nshl $a1 $r0 0x2\n"
        "xor b32 $r4 $r0 0x21\nshl $a2 $r4 0x2\nloop:\nadd b32 $r3 $r3 0x1\n"
        "and b32 $c0 # $r3 $r6\n(e $c0) bra #skip\nst b32 s[$a1+0x80] $r3\n" +
            std::string(barrier) +
            "ld $r4 b32 s[$a2+0x80]\nadd b32 $r2 $r2 $r4\nskip:\nadd b32 $r2 $r2 $r0\n"
            "set $c0 # l u32 $r3 $r7\n(lg $c0) bra #loop\n",
        {96, 1, 1});
}

TEST(TeslaTranslateFlow, BarrierForms) {
  const std::string first_warp = "mov b32 $r3 32\nset $c0 # l u32 $r0 $r3\n(lg $c0) bra #first\n";
  const std::string store = "shl $a1 $r0 0x2\nst b32 s[$a1+0x80] $r0\n";
  const std::string load = "xor b32 $r3 $r0 0x21\nshl $a2 $r3 0x2\nld $r2 b32 s[$a2+0x80]\n";
  for (const std::uint32_t threads : {32U, 64U, 70U, 512U}) {
    // Those that only arrive; arrival and wait apart; a count of all.
    expect_same(store + "bar inc 0x0 all\n" + load, {threads, 1, 1});
    expect_same(store + "bar inc 0x0 all\nadd b32 $r4 $r0 $r0\nbar wait 0x0 all\n" + load, {threads, 1, 1});
    expect_same(store + "bar inc wait 0x0 " + std::to_string(threads) + "\n" + load, {threads, 1, 1});
    // Counts that are reached too early, or only by what only arrives.
    expect_same(store + "bar inc wait 0x4 0x20\n" + load, {threads, 1, 1});
    expect_same(
        first_warp + store + "bar inc 0x3 0x40\nbra #end\nfirst:\nbar inc wait 0x3 0x40\n" + load + "end:\n",
        {threads, 1, 1});
    // Nobody comes: these wait for ever, but for the barrier that nobody counts at.
    expect_same("bar inc wait 0x1 0x300\n", {threads, 1, 1});
    expect_same("bar inc 0x1 0x300\nbar wait 0x1 all\n", {threads, 1, 1});
    expect_same(store + "bar wait 0x1 all\nbar 0x2 all\n" + load, {threads, 1, 1});
    // Warps that end count no more; the first one waits for those that are still there.
    expect_same(first_warp + store + "exit nop\nfirst:\nbar inc wait 0xf all\nbar inc 0xe all\n" + load,
                {threads, 1, 1});
    expect_same(
        first_warp + store + "bar inc wait 0x1 0x40\nexit nop\nfirst:\nbar inc wait 0x2 0xfff\n" + load,
        {threads, 1, 1});
  }
  // Parted lanes: with the warp's stack.
  const std::string odd = "mov b32 $r3 1\nand b32 $c0 # $r0 $r3\n";
  expect_same(store + odd + "(lg $c0) bra #odd\nodd:\nbar inc wait 0x1 0x80\n" + load, {64, 1, 1});
  expect_same(store + odd +
                  "joinat #end\n(lg $c0) bra #odd\nbar inc 0x1 0x80\nbra #end\nodd:\n"
                  "bar inc 0x1 0x80\nend:\njoin nop\nbar wait 0x1 all\n" +
                  load,
              {64, 1, 1});
  expect_same(
      "shl $a1 $r0 0x2\nst b32 s[$a1+0x80] $r0\nbar inc wait 0x0 all\nxor b32 $r3 $r0 0x21\n"
      "shl $a2 $r3 0x2\nld $r2 b32 s[$a2+0x80]\n",
      {64, 1, 1});
}

// The 32-bit products that compilers build from three 16-bit ones are one again.
TEST(TeslaTranslate, ProductsOfHalvesAreOne) {
  const auto container = assemble(read_text(tests::source_file("examples/tesla/hash.tesla")), "hash");
  ASSERT_TRUE(container.ok());
  ComputeFacts facts;
  facts.block = {256, 1, 1};
  auto f = translate(container->programs.at(0), facts);
  ASSERT_TRUE(f.ok()) << to_string(f.error());
  const auto program = ir::run_pipeline(std::move(*f), {});
  ASSERT_TRUE(program.ok());
  unsigned products = 0;
  for (std::uint32_t b = 0; b < program->kernel.block_count(); ++b)
    for (const ir::Inst i : program->kernel.insts(ir::Block{b}))
      products += program->kernel.inst(i).opcode == ir::Opcode::IMul32 ? 1 : 0;
  EXPECT_EQ(products, 3U);  // two of the hash, one of the index
}

TEST(TeslaTranslate, KeysHoldWhatMatters) {
  const auto key_of = [](const std::string& source, std::uint32_t threads = 1, const Modes& modes = {}) {
    const auto shader = Shader::make(program_of(source), modes);
    frontend::Grid grid;
    grid.block = {threads, 1, 1};
    const auto checked = (*shader)->memory()->check_grid(grid);
    std::vector<std::byte> key;
    const frontend::Facts facts{.work = frontend::GridFacts(),
                                .guest = (*shader)->memory()->pack_facts(grid, *checked)};
    EXPECT_TRUE((*shader)->append_key(facts, key));
    return key;
  };
  const std::string source = "mov b32 $r1 1\nexit nop\n";
  const auto base = key_of(source);
  // What is after the end does not count.
  EXPECT_EQ(base, key_of(source + "mov b32 $r1 2\n"));
  EXPECT_NE(base, key_of("mov b32 $r1 2\nexit nop\n"));
  EXPECT_NE(base, key_of(source, 2));
  EXPECT_NE(base, key_of(source, 1, {.fast_fmad = true}));
  EXPECT_NE(base, key_of(source, 1, {.fast_sfu = true}));
}

TEST(TeslaTranslate, Errors) {
  const auto code_of = [](const std::string& source, ComputeFacts facts = {}) {
    const auto f = translate(program_of(source), facts);
    return f ? ErrorCode::internal : f.error().code;
  };
  ComputeFacts facts;
  facts.block = {0, 1, 1};
  EXPECT_EQ(code_of("exit nop\n", facts), ErrorCode::bad_input);
  facts.block = {512, 512, 64};
  EXPECT_EQ(code_of("exit nop\n", facts), ErrorCode::bad_input);
  EXPECT_EQ(code_of("nop\n"), ErrorCode::bad_input);
}

}  // namespace
}  // namespace warpjit::tesla
