// The order of lanes that have parted: lowest guest address first, against a model that runs lane by lane.
#include "ir/analysis/lane_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "ir/builder.h"
#include "ir/interpret.h"
#include "ir/parser.h"
#include "ir/pass/ssa.h"
#include "ir/pipeline.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "support/share.h"

namespace warpjit::ir {
namespace {

constexpr std::uint32_t kGroupLanes = 32;
constexpr std::uint32_t kWords =
    1 + 2 * kGroupLanes;  // a hash of the blocks that ran; each lane's state and turns
constexpr std::uint32_t kMostTurns = 6;

// Blocks with addresses of their own. Each adds its number to the hash, once for all lanes that run it, and
// to the state of each of these, and goes on by a bit of that: to the first target or to the second. After
// some turns a lane ends.
struct Graph {
  struct Node {
    std::uint32_t address;
    std::uint32_t targets[2];
  };
  std::vector<Node> nodes;  // lanes start at the first
};

Graph random_graph(std::uint32_t seed) {
  std::mt19937 random(seed);
  Graph graph;
  const auto count = static_cast<std::uint32_t>(3 + random() % 5);
  std::vector<std::uint32_t> addresses(count);
  std::iota(addresses.begin(), addresses.end(), 1);
  if (random() % 3 != 0) std::shuffle(addresses.begin(), addresses.end(), random);
  for (std::uint32_t n = 0; n < count; ++n) {
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    const std::uint32_t first = below(count);
    graph.nodes.push_back({10 * addresses[n], {first, (first + 1 + below(count - 1)) % count}});
  }
  return graph;
}

std::uint32_t next_state(std::uint32_t state, std::uint32_t node, std::uint32_t lane) {
  return state * 5 + node + 1 + lane;
}

// Lane by lane, as LaneOrder::lowest_address_first says.
std::vector<std::uint32_t> model(const Graph& graph) {
  constexpr std::uint32_t kEnded = ~0u;
  std::vector<std::uint32_t> words(kWords), at(kGroupLanes, 0);
  for (;;) {
    std::uint32_t lowest = kEnded;
    for (const std::uint32_t node : at)
      if (node != kEnded && (lowest == kEnded || graph.nodes[node].address < graph.nodes[lowest].address))
        lowest = node;
    if (lowest == kEnded) return words;
    words[0] = words[0] * 31 + lowest + 1;
    for (std::uint32_t lane = 0; lane < kGroupLanes; ++lane) {
      if (at[lane] != lowest) continue;
      std::uint32_t &state = words[1 + lane], &turns = words[1 + kGroupLanes + lane];
      state = next_state(state, lowest, lane);
      at[lane] = ++turns == kMostTurns ? kEnded : graph.nodes[lowest].targets[state >> 3 & 1];
    }
  }
}

Function function_of(const Graph& graph) {
  Function f;
  f.name = "graph";
  f.group_lanes = kGroupLanes;
  f.block_groups = 1;
  f.lane_order = LaneOrder::lowest_address_first;
  Builder b(f);
  const Block entry = f.add_block();
  std::vector<Block> blocks;
  for (const Graph::Node& node : graph.nodes) blocks.push_back(f.add_block(node.address));
  const Block exit = f.add_block(1000);
  b.set_block(entry);
  const I1 yes = b.constant(true);
  b.jump(blocks[0]);
  constexpr std::uint64_t kWord = MemoryAccess{.space = Space::shared}.pack();
  for (std::uint32_t n = 0; n < blocks.size(); ++n) {
    b.set_block(blocks[n]);
    b.set_guest_address(graph.nodes[n].address);
    const I32 zero = b.constant(0u), lane = b.LaneIndex();
    const I32 hash = b.LoadMemory(yes, zero, kWord);
    b.StoreMemory(yes, zero, b.IAdd32(b.IMul32(hash, b.constant(31)), b.constant(n + 1)), kWord);
    const I32 state_at = b.IShl32(b.IAdd32(lane, b.constant(1)), b.constant(2));
    const I32 turns_at = b.IAdd32(state_at, b.constant(4 * kGroupLanes));
    const I32 old = b.LoadMemory(yes, state_at, kWord);
    const I32 state = b.IAdd32(b.IAdd32(b.IMul32(old, b.constant(5)), b.constant(n + 1)), lane);
    b.StoreMemory(yes, state_at, state, kWord);
    const I32 turns = b.IAdd32(b.LoadMemory(yes, turns_at, kWord), b.constant(1));
    b.StoreMemory(yes, turns_at, turns, kWord);
    const I32 side = b.IAnd32(b.IShrU32(state, b.constant(3)), b.constant(1));
    const std::vector<Block> targets = {blocks[graph.nodes[n].targets[0]], blocks[graph.nodes[n].targets[1]],
                                        exit};
    b.switch_(b.select(b.IEq32(turns, b.constant(kMostTurns)), b.constant(2), side), targets);
  }
  b.set_block(exit);
  b.ret();
  return f;
}

PipelineOptions verified(bool dispatch_all, bool optimize) {
  PipelineOptions options;
  options.verify = true;
  options.dispatch_all = dispatch_all;
  options.optimize = optimize;
  return options;
}

// `made`: gets the kernel.
std::vector<std::uint32_t> run(Function f, const PipelineOptions& options,
                               std::span<const std::uint32_t> uniforms = {}, Function* made = nullptr) {
  const auto program = run_pipeline(std::move(f), options);
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  if (!program.ok()) return {};
  const auto interpreter = Interpreter::prepare(program->kernel, kGroupLanes);
  EXPECT_TRUE(interpreter.ok());
  std::vector<std::uint32_t> words(kWords), table(program->kernel.uniform_bytes / 4);
  std::copy(uniforms.begin(), uniforms.end(), table.begin());
  if (made != nullptr) *made = program->kernel;
  BlockMemory block;
  block.shared = std::as_writable_bytes(std::span(words));
  Memory memory;
  memory.uniform = table;
  memory.block = &block;
  EXPECT_TRUE(interpreter->run(memory, 0, kGroupLanes, 1000).ok());
  return words;
}

TEST(LaneOrder, RandomGraphsRunAtTheLowestAddressFirst) {
  for (std::uint32_t seed = 0; seed < share(400); ++seed) {
    const Graph graph = random_graph(seed);
    const std::vector<std::uint32_t> wanted = model(graph);
    for (const bool dispatch_all : {false, true})
      for (const bool optimize : {false, true}) {
        const PipelineOptions options = verified(dispatch_all, optimize);
        EXPECT_EQ(run(function_of(graph), options), wanted) << "seed " << seed << dispatch_all << optimize;
      }
  }
}

// Graphs in which the order is seen in some blocks only, and in which lanes part at some branches only. State
// and turns are values; what is loud adds to the hash.
struct Quiet {
  struct Node {
    std::uint32_t address;
    std::uint32_t targets[2];  // the first may lead back, and is taken but for kMostTurns times
    bool loud, uniform;        // uniform: the launch chooses the target
  };
  std::vector<Node> nodes;             // lanes start at the first and end after the last
  std::vector<std::uint32_t> choices;  // of the launch, per node
};

Quiet random_quiet_graph(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Quiet graph;
  const std::uint32_t count = 4 + below(7), loudness = 2 + below(3);
  std::vector<std::uint32_t> addresses(count);
  std::iota(addresses.begin(), addresses.end(), 1);
  if (below(4) == 0) std::shuffle(addresses.begin(), addresses.end(), random);
  for (std::uint32_t n = 0; n < count; ++n) {
    const std::uint32_t next = n + 1 + below(std::min(3u, count - n));
    const bool back = below(5) == 0;
    const std::uint32_t other = back ? below(n + 1) : n + 1 + below(std::min(3u, count - n));
    graph.nodes.push_back({10 * addresses[n], {other, next}, below(loudness) == 0, below(2) == 0});
    graph.choices.push_back(below(2));
  }
  return graph;
}

std::vector<std::uint32_t> model(const Quiet& graph) {
  const auto ended = static_cast<std::uint32_t>(graph.nodes.size());
  std::vector<std::uint32_t> words(kWords), at(kGroupLanes, 0);
  for (;;) {
    std::uint32_t lowest = ended;
    for (const std::uint32_t node : at)
      if (node != ended && (lowest == ended || graph.nodes[node].address < graph.nodes[lowest].address))
        lowest = node;
    if (lowest == ended) return words;
    const Quiet::Node& node = graph.nodes[lowest];
    if (node.loud) words[0] = words[0] * 31 + lowest + 1;
    for (std::uint32_t lane = 0; lane < kGroupLanes; ++lane) {
      if (at[lane] != lowest) continue;
      std::uint32_t &state = words[1 + lane], &turns = words[1 + kGroupLanes + lane];
      state = next_state(state, lowest, lane);
      const bool back = node.targets[0] <= lowest;
      if (back) ++turns;
      const bool first = node.uniform ? graph.choices[lowest] != 0 : (state >> 3 & 1) != 0;
      at[lane] = node.targets[first && (!back || turns < kMostTurns) ? 0 : 1];
    }
  }
}

Function function_of(const Quiet& graph) {
  Function f;
  f.name = "quiet";
  f.group_lanes = kGroupLanes;
  f.block_groups = 1;
  f.lane_order = LaneOrder::lowest_address_first;
  f.uniform_bytes = 64;
  Builder b(f);
  SsaBuilder ssa(b, std::vector<Type>{Type::i32, Type::i32});
  const Block entry = f.add_block();
  std::vector<Block> blocks;
  for (const Quiet::Node& node : graph.nodes) blocks.push_back(f.add_block(node.address));
  blocks.push_back(f.add_block(1000));
  constexpr std::uint64_t kWord = MemoryAccess{.space = Space::shared}.pack();
  b.set_block(entry);
  const I1 yes = b.constant(true);
  const I32 zero = b.constant(0u);
  ssa.write(entry, 0, zero);
  ssa.write(entry, 1, zero);
  b.jump(blocks[0]);
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const Quiet::Node& node = graph.nodes[n];
    b.set_block(blocks[n]);
    b.set_guest_address(node.address);
    if (node.loud) {
      const I32 hash = b.LoadMemory(yes, zero, kWord);
      b.StoreMemory(yes, zero, b.IAdd32(b.IMul32(hash, b.constant(31)), b.constant(n + 1)), kWord);
    }
    const I32 old = ssa.read<I32>(blocks[n], 0);
    const I32 state = b.IAdd32(b.IAdd32(b.IMul32(old, b.constant(5)), b.constant(n + 1)), b.LaneIndex());
    ssa.write(blocks[n], 0, state);
    I1 first = node.uniform ? b.INe32(b.LoadUniformI32(4 * n), zero)
                            : b.INe32(b.IAnd32(b.IShrU32(state, b.constant(3)), b.constant(1)), zero);
    if (node.targets[0] <= n) {
      const I32 turns = b.IAdd32(ssa.read<I32>(blocks[n], 1), b.constant(1));
      ssa.write(blocks[n], 1, turns);
      first = b.And1(first, b.ILtU32(turns, b.constant(kMostTurns)));
    }
    b.branch(first, blocks[node.targets[0]], blocks[node.targets[1]]);
  }
  b.set_block(blocks.back());
  b.set_guest_address(1000);
  const I32 place = b.IShl32(b.IAdd32(b.LaneIndex(), b.constant(1)), b.constant(2));
  b.StoreMemory(yes, place, ssa.read<I32>(blocks.back(), 0), kWord);
  b.StoreMemory(yes, b.IAdd32(place, b.constant(4 * kGroupLanes)), ssa.read<I32>(blocks.back(), 1), kWord);
  b.ret();
  EXPECT_TRUE(ssa.finish().ok());
  return f;
}

TEST(LaneOrder, BlocksRunOnceWhereOnlyLanesTogetherAreObserved) {
  unsigned dispatched = 0, parted = 0;
  constexpr auto kGraphs = static_cast<std::uint32_t>(share(600));
  for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
    const Quiet graph = random_quiet_graph(seed);
    const std::vector<std::uint32_t> wanted = model(graph);
    for (const bool dispatch_all : {false, true})
      for (const bool optimize : {false, true}) {
        const PipelineOptions options = verified(dispatch_all, optimize);
        Function made;
        EXPECT_EQ(run(function_of(graph), options, graph.choices, &made), wanted)
            << "seed " << seed << dispatch_all << optimize;
        if (dispatch_all || !optimize) continue;
        if (made.slot_count != 0)
          ++dispatched;
        else
          ++parted;
      }
  }
  EXPECT_GT(dispatched, kGraphs / 10);
  EXPECT_GT(parted, kGraphs / 10);
}

// Odd lanes come to the last block by way of a higher address: later than the others.
constexpr std::string_view kDetour =
    R"(function "detour" thread inputs 0 outputs 0 uniform 0 slots 0 lanes 32 groups 1 order lowest_address_first {
b0:
  %0 : i1 launch = ConstI1 true
  %1 : i32 launch = ConstI32 0x00000001
  %2 : i32 launch = ConstI32 0x00000002
  %3 : i32 launch = ConstI32 0x00000000
  %4 : i32 = LaneIndex
  %5 : i32 = IAnd32 %4, %1
  %6 : i1 = IEq32 %5, %3
  %7 : i1 = IEq32 %4, %3
  %8 : i32 = IShl32 %4, %2
  Branch %6, b2, b1
b1: <- b0 @0x1e
  Jump b2
b2: <- b0, b1 @0x14
  %9 : i1 group = AnyActive %0, %7
  %10 : i32 = SelectI32 %9, %1, %2
  StoreMemory 67372033, %0, %8, %10
  Return
}
)";

TEST(LaneOrder, LanesInOtherBlocksComeLater) {
  auto f = parse(kDetour);
  ASSERT_TRUE(f.ok()) << to_string(f.error());
  for (const bool dispatch_all : {false, true}) {
    PipelineOptions options;
    options.verify = true;
    options.dispatch_all = dispatch_all;
    const std::vector<std::uint32_t> words = run(*f, options);
    for (std::uint32_t lane = 0; lane < kGroupLanes; ++lane)
      EXPECT_EQ(words[lane], lane % 2 == 0 ? 1u : 2u) << lane;
  }
}

TEST(LaneOrder, IsPartOfTheText) {
  auto f = parse(kDetour);
  ASSERT_TRUE(f.ok());
  EXPECT_EQ(f->lane_order, LaneOrder::lowest_address_first);
  for (const LaneOrder order : {LaneOrder::none, LaneOrder::taken_first, LaneOrder::lowest_address_first}) {
    f->lane_order = order;
    const std::string text = print(*f);
    EXPECT_EQ(text.find(std::string("order ").append(name(order))) != std::string::npos,
              order != LaneOrder::none);
    const auto again = parse(text);
    ASSERT_TRUE(again.ok()) << to_string(again.error());
    EXPECT_EQ(again->lane_order, order);
  }
  EXPECT_FALSE(
      parse("function \"f\" thread inputs 0 outputs 0 uniform 0 slots 0 order any {\nb0:\n Return\n}\n")
          .ok());
}

TEST(LaneOrder, BlocksHaveAddressesOfTheirOwn) {
  Function f = function_of(random_graph(1));
  EXPECT_TRUE(verify(f).ok());
  f.block(Block{2}).guest_address = f.block(Block{1}).guest_address;
  EXPECT_FALSE(verify(f).ok());
  f.block(Block{2}).guest_address = kNoAddress;
  EXPECT_FALSE(verify(f).ok());
  f.lane_order = LaneOrder::taken_first;
  EXPECT_TRUE(verify(f).ok());
}

}  // namespace
}  // namespace warpjit::ir
