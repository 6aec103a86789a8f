// What the control stack becomes when it is followed statically: edges in a line each.
#include "frontend/tesla/flow/control_flow.h"

#include "frontend/tesla/flow/lane_order.h"
#include "tesla/tesla_test.h"

namespace warpjit::tesla {
namespace {

// "0: 0x0-0x10 -> 1, 2*" for each block; * takes fuel, "end" ends the thread.
std::string to_text(const ControlFlow& flow) {
  std::string text;
  char line[64];
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    const FlowBlock& block = flow.blocks[b];
    std::snprintf(line, sizeof line, "%zu: 0x%x-0x%x ->", b, block.first, block.end);
    text += line;
    for (unsigned k = 0; k < block.edge_count; ++k) {
      const FlowEdge& edge = block.edges[k];
      text += (k == 0 ? " " : ", ") + (edge.target == kThreadEnds ? "end" : std::to_string(edge.target)) +
              (edge.backward ? "*" : "");
    }
    text += "\n";
  }
  return text;
}

// The blocks, or the error.
std::string flow_of(const std::string& source, std::vector<std::uint32_t> split = {},
                    std::uint32_t call_limit = 4096) {
  const Program program = program_of(source);
  const auto code = ReachedCode::find(program);
  if (!code) return to_string(code.error());
  const auto flow = discover(program, *code, call_limit, split);
  return flow ? to_text(*flow) : to_string(flow.error());
}

bool mentions(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(TeslaControlFlow, IfWithJoin) {
  EXPECT_EQ(flow_of("joinat #end\n(e $c0) bra #end\nnop\nend:\njoin nop\nexit nop\n"),
            "0: 0x0-0x10 -> 1, 2\n"
            "1: 0x18-0x28 -> end\n"
            "2: 0x10-0x18 -> 1\n");
}

TEST(TeslaControlFlow, SplitSidesMeetAtTheJoin) {
  const std::string body = "joinat #end\n(e $c0) bra #over\nnop\nover:\nnop\nend:\njoin nop\nexit nop\n";
  EXPECT_EQ(flow_of(body),
            "0: 0x0-0x10 -> 1, 2\n"
            "1: 0x18-0x20 -> 3\n"
            "2: 0x10-0x18 -> 1\n"
            "3: 0x20-0x30 -> end\n");
  EXPECT_EQ(flow_of(body, {8}),
            "0: 0x0-0x10 -> 1, 2\n"
            "1: 0x18-0x20 -> 3\n"
            "2: 0x10-0x18 -> 4\n"
            "3: 0x20-0x30 -> end\n"
            "4: 0x18-0x20 -> 5\n"
            "5: 0x20-0x30 -> end\n");
}

TEST(TeslaControlFlow, LoopsTakeFuel) {
  EXPECT_EQ(flow_of("loop:\nnop\n(e $c0) bra #loop\nexit nop\n"),
            "0: 0x0-0x10 -> 0*, 1\n"
            "1: 0x10-0x18 -> end\n");
  // Nothing comes back here: no fuel.
  EXPECT_EQ(flow_of("bra #b\na:\nexit nop\nb:\nbra #a\n"),
            "0: 0x0-0x8 -> 1\n"
            "1: 0x10-0x18 -> 2\n"
            "2: 0x8-0x10 -> end\n");
  // Returns and breaks pay, not the push.
  EXPECT_EQ(flow_of("loop:\npreret #loop\nret\n"), "0: 0x0-0x10 -> 0*\n");
  EXPECT_EQ(flow_of("loop:\nbreakaddr #loop\nbreak\n"), "0: 0x0-0x10 -> 0*\n");
  EXPECT_EQ(flow_of("loop:\ncall #f\nbra #loop\nf:\nret\n"),
            "0: 0x0-0x8 -> 1\n"
            "1: 0x10-0x18 -> 2*\n"
            "2: 0x8-0x10 -> 0*\n");
}

TEST(TeslaControlFlow, BreakDropsPendingJoins) {
  EXPECT_EQ(flow_of("breakaddr #done\nloop:\njoinat #next\n(e $c0) bra #next\nbreak\nnext:\njoin nop\n"
                    "bra #loop\ndone:\nexit nop\n"),
            "0: 0x0-0x8 -> 1\n"
            "1: 0x8-0x18 -> 2, 3\n"
            "2: 0x20-0x30 -> 1*\n"
            "3: 0x18-0x20 -> 4\n"
            "4: 0x30-0x38 -> end\n");
}

TEST(TeslaControlFlow, CallsAreInlined) {
  EXPECT_EQ(flow_of("call #f\ncall #f\nret\nf:\n(e $c0) ret\nnop\nret\n"),
            "0: 0x0-0x8 -> 1\n"
            "1: 0x18-0x20 -> 2, 3\n"
            "2: 0x8-0x10 -> 4\n"
            "3: 0x20-0x30 -> 2\n"
            "4: 0x18-0x20 -> 5, 6\n"
            "5: 0x10-0x18 -> end\n"
            "6: 0x20-0x30 -> 5\n");
}

TEST(TeslaControlFlow, LimitedCallsAreSkipped) {
  const std::string body = "call lim #f\nexit nop\nf:\ncall lim #f\nret\n";
  EXPECT_EQ(flow_of(body, {}, 1),
            "0: 0x0-0x8 -> 1\n"
            "1: 0x10-0x18 -> 2\n"
            "2: 0x18-0x20 -> 3\n"
            "3: 0x8-0x10 -> end\n");
  EXPECT_TRUE(mentions(flow_of(body), "recursive"));
}

TEST(TeslaControlFlow, ErrorsOfControlFlow) {
  EXPECT_TRUE(mentions(flow_of("join nop\nexit nop\n"), "underflows"));
  EXPECT_TRUE(mentions(flow_of("break\n"), "underflows"));
  EXPECT_TRUE(mentions(flow_of("breakaddr #a\na:\njoin nop\nexit nop\n"), "does not match"));
  EXPECT_TRUE(mentions(flow_of("joinat #b\njoin nop\nb:\nexit nop\n"), "does not name"));
  EXPECT_TRUE(mentions(flow_of("call #f\nexit nop\nf:\nbreakaddr #f\nret\n"), "does not match"));
  EXPECT_TRUE(mentions(flow_of("f:\ncall #f\n"), "recursive"));
  EXPECT_TRUE(mentions(flow_of("quadon\nbra #a\na:\nexit nop\n"), "under quadon"));
  EXPECT_TRUE(mentions(flow_of("quadon\nexit nop\n"), "under quadon"));
  EXPECT_TRUE(mentions(flow_of("bra #f\ng:\nret\nf:\ncall #g\n"), "not there"));
}

// Whether the order of lanes is kept if every conditional transfer parts them: empty, else why not.
std::string order_of(const std::string& source, std::size_t* splits = nullptr) {
  const Program program = program_of(source);
  const auto code = ReachedCode::find(program);
  auto flow = discover(program, *code, 4096);
  if (!flow) return to_string(flow.error());
  const auto effects = lane_effects(*code, *flow, program);
  arrange(*flow, effects);
  LaneOrder order{*flow, effects, {}, {}, std::vector<std::uint32_t>(flow->blocks.size())};
  for (const FlowBlock& block : flow->blocks) order.diverges.push_back(block.edge_count == 2);
  order.has_all_lanes.assign(flow->blocks.size(), false);
  std::uint32_t position = 0;
  for (const std::uint32_t b : flow->order()) order.position[b] = position++;
  const OrderProblem problem = check_lane_order(order);
  if (splits != nullptr) *splits = problem.splits.size();
  return problem.reason == nullptr ? "" : problem.reason;
}

TEST(TeslaLaneOrder, JoinsKeepTheOrder) {
  EXPECT_EQ(order_of("joinat #end\n(e $c0) bra #end\nst b32 s[0x20] $r1\nend:\njoin ld $r2 b32 s[0x20]\n"
                     "vote any $c1\nbar inc wait 0x0 all\nexit nop\n"),
            "");
  EXPECT_EQ(
      order_of(
          "joinat #end\nloop:\nvote any $c1\n(e $c0) bra #loop\nend:\njoin nop\nvote any $c1\nexit nop\n"),
      "");
}

TEST(TeslaLaneOrder, LoopWithoutJoinat) {
  for (const char* op : {"vote any $c1", "bar inc wait 0x0 all", "ld add u32 $r1 g0[$r2] $r3"}) {
    std::size_t splits = 0;
    EXPECT_NE(order_of("loop:\nnop\n(e $c0) bra #loop\n" + std::string(op) + "\nexit nop\n", &splits), "")
        << op;
    EXPECT_EQ(splits, 0U);
  }
  // Only stores, or sums that nobody looks at, come after it.
  EXPECT_EQ(order_of("ld b32 $r1 g0[$r2]\nloop:\nnop\n(e $c0) bra #loop\nexit st b32 g0[$r2] $r3\n"), "");
  EXPECT_EQ(order_of("loop:\nnop\n(e $c0) bra #loop\nred add u32 g0[$r2] $r3\nexit nop\n"), "");
  EXPECT_NE(
      order_of("loop:\nnop\n(e $c0) bra #loop\nred add u32 g0[$r2] $r3\nld b32 $r1 g0[$r2]\nexit nop\n"), "");
}

TEST(TeslaLaneOrder, IfWithoutJoinatCanBeSplit) {
  std::size_t splits = 0;
  EXPECT_NE(order_of("(e $c0) bra #over\nnop\nover:\nvote any $c1\nexit nop\n", &splits), "");
  EXPECT_EQ(splits, 1U);
}

TEST(TeslaLaneOrder, LocksInLoops) {
  EXPECT_EQ(
      order_of(
          "joinat #end\nagain:\njoinat #tried\nld lock $c1 $r4 b32 s[0x20]\n(geu $c1) bra #tried\n"
          "st unlock b32 s[0x20] $r4\ntried:\njoin nop\n(geu $c1) bra #again\nend:\njoin nop\nexit nop\n"),
      "");
  EXPECT_NE(order_of("again:\nld lock $c1 $r4 b32 s[0x20]\n(geu $c1) bra #again\nst unlock b32 s[0x20] $r4\n"
                     "exit nop\n"),
            "");
}

TEST(TeslaLaneOrder, ExitInsideAnIf) {
  EXPECT_EQ(order_of("joinat #over\n(e $c0) bra #over\nst b32 g1[$r2] $r3\nexit nop\nover:\njoin nop\n"
                     "ld b32 $r4 g1[$r5]\nexit nop\n"),
            "");
}

}  // namespace
}  // namespace warpjit::tesla
