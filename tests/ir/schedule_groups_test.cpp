// Barriers: groups of a block that meet, and what they keep meanwhile.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "ir/barrier.h"
#include "ir/builder.h"
#include "ir/interpret.h"
#include "ir/pipeline.h"

namespace warpjit::ir {
namespace {

constexpr std::uint32_t kLanes = 32;

struct Kernel {
  Function f;
  Builder b{f};
  explicit Kernel(std::uint32_t groups) {
    f.name = "kernel";
    f.group_lanes = kLanes;
    f.block_groups = groups;
    f.lane_order = LaneOrder::taken_first;
    b.set_block(f.add_block());
  }
  I1 yes() { return b.constant(true); }
  I32 number(std::uint32_t n) { return b.constant(n); }
  I32 thread() { return b.IAdd32(b.IShl32(b.GroupIndex(), number(5)), b.LaneIndex()); }
  I32 load(I32 address, I1 guard) { return b.LoadMemory(guard, address, kWord); }
  void store(I32 address, I32 value, I1 guard) { b.StoreMemory(guard, address, value, kWord); }
  static constexpr std::uint64_t kWord = MemoryAccess{.space = Space::shared}.pack();
};

// Runs a block in shared memory of `words`; returns the memory.
std::vector<std::uint32_t> run(Function f, std::vector<std::uint32_t> words, bool optimize = true,
                               std::uint64_t fuel = 1000, Status* status = nullptr) {
  PipelineOptions options;
  options.verify = true;
  options.optimize = optimize;
  const std::uint32_t groups = f.block_groups;
  const auto program = run_pipeline(std::move(f), options);
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  if (!program.ok()) return {};
  auto interpreter = Interpreter::prepare(program->kernel, kLanes);
  EXPECT_TRUE(interpreter.ok()) << to_string(interpreter.error());
  BlockMemory block;
  block.shared = std::as_writable_bytes(std::span(words));
  std::vector<std::uint32_t> frame(std::size_t{groups} * program->kernel.frame_slots * kLanes, 0xdeadbeef);
  std::vector<std::uint32_t> table(program->kernel.uniform_bytes / 4);
  Memory memory;
  memory.uniform = table;
  memory.block = &block;
  memory.frame = frame;
  const Status done =
      interpreter->run(memory, 0, std::uint64_t{groups / program->kernel.inner_groups} * kLanes, fuel);
  if (status != nullptr)
    *status = done;
  else
    EXPECT_TRUE(done.ok()) << to_string(done.error());
  EXPECT_FALSE(block.fault.happened);
  return words;
}

// A tree over 128 threads: for (step = 64; step; step /= 2) { if (t < step) s[t] += s[t + step]; barrier }
Function reduction(std::uint32_t barrier = 0, bool divergent = false) {
  Kernel k(4);
  Builder& b = k.b;
  const I32 t = k.thread();
  const Block entry = b.block(), head = k.f.add_block(), body = k.f.add_block(), add = k.f.add_block(),
              join = k.f.add_block(), done = k.f.add_block();
  b.jump(head);
  b.set_block(head);
  const I32 step = b.phi<I32>(head);
  const I32 kept = b.phi<I32>(head);  // lives across the barrier and varies
  b.branch(b.INe32(step, k.number(0)), body, done);
  b.set_block(body);
  b.branch(b.ILtU32(t, step), add, join);
  b.set_block(add);
  const I32 mine = b.IShl32(t, k.number(2));
  const I32 sum = b.IAdd32(k.load(mine, k.yes()), k.load(b.IShl32(b.IAdd32(t, step), k.number(2)), k.yes()));
  k.store(mine, sum, k.yes());
  if (divergent) b.Barrier(k.yes(), 1);
  b.jump(join);
  b.set_block(join);
  b.Barrier(k.yes(), barrier);
  const I32 next = b.IShrU32(step, k.number(1));
  const I32 more = b.IAdd32(kept, t);
  b.jump(head, true);
  k.f.set_operands(k.f.definition(step), std::array<Value, 2>{k.number(64), next});
  k.f.set_operands(k.f.definition(kept), std::array<Value, 2>{k.number(0), more});
  (void)entry;
  b.set_block(done);
  k.store(b.IShl32(b.IAdd32(t, k.number(128)), k.number(2)), kept, k.yes());
  b.ret();
  return std::move(k.f);
}

TEST(ScheduleGroups, ReducesABlock) {
  for (bool optimize : {false, true}) {
    std::vector<std::uint32_t> words(256);
    std::iota(words.begin(), words.begin() + 128, 1000);
    const std::uint32_t wanted = std::accumulate(words.begin(), words.begin() + 128, 0u);
    const auto after = run(reduction(), words, optimize);
    EXPECT_EQ(after[0], wanted);
    for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(after[128 + t], 7 * t);
  }
}

TEST(ScheduleGroups, BarriersThatNeverCompleteAreFaults) {
  // Groups 2 and 3 never come to barrier 1 while groups 0 and 1 wait there.
  Status status;
  run(reduction(0, true), std::vector<std::uint32_t>(256), true, 1000, &status);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::fault);
}

TEST(ScheduleGroups, FuelIsThatOfEachThread) {
  Status status;
  run(reduction(), std::vector<std::uint32_t>(256), true, 7, &status);
  EXPECT_TRUE(status.ok());
}

// Group 0 waits at barrier 3 until the two others that are there have arrived, and adds what they stored.
Function consumer(std::uint32_t groups, std::uint32_t arrivals) {
  Kernel k(groups);
  Builder& b = k.b;
  const I32 group = b.GroupIndex(), lane = b.IShl32(b.LaneIndex(), k.number(2));
  const I32 mine = b.IAdd32(b.IShl32(group, k.number(7)), lane);
  const Block others = k.f.add_block(), first = k.f.add_block(), done = k.f.add_block();
  b.branch(b.IEq32(group, k.number(0)), first, others);
  b.set_block(others);
  k.store(mine, group, k.yes());
  b.Barrier(k.yes(), BarrierForm{.number = 3, .waits = false, .arrivals = arrivals}.pack());
  b.jump(done);
  b.set_block(first);
  b.set_guest_address(77);
  b.Barrier(k.yes(), BarrierForm{.number = 3, .arrivals = arrivals}.pack());
  I32 sum = lane;  // lives across the barrier
  for (std::uint32_t g = 1; g < groups; ++g)
    sum = b.IAdd32(sum, k.load(b.IAdd32(lane, k.number(128 * g)), k.yes()));
  k.store(lane, sum, k.yes());
  b.jump(done);
  b.set_block(done);
  b.ret();
  return std::move(k.f);
}

TEST(ScheduleGroups, CountedBarriers) {
  for (bool optimize : {false, true}) {
    const auto words = run(consumer(3, 3), std::vector<std::uint32_t>(96), optimize);
    for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(words[l], 4 * l + 3);
    // As many as have not ended: when one has, but it is the third one's turn.
    EXPECT_EQ(run(consumer(3, 0), std::vector<std::uint32_t>(96), optimize), words);
    // Alone; and one too few.
    EXPECT_EQ(run(consumer(1, 1), std::vector<std::uint32_t>(32), optimize)[5], 20U);
    for (std::uint32_t groups : {1U, 3U}) {
      Status status;
      run(consumer(groups, groups + 1), std::vector<std::uint32_t>(96), optimize, 1000, &status);
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(status.error().code, ErrorCode::fault);
      EXPECT_EQ(status.error().where, "guest address 77");
    }
  }
}

TEST(ScheduleGroups, OneGroupNeedsNoFrame) {
  Kernel k(1);
  k.store(k.b.IShl32(k.thread(), k.number(2)), k.thread(), k.yes());
  k.b.Barrier(k.yes(), 0);
  const I32 other = k.load(k.b.ISub32(k.number(124), k.b.IShl32(k.thread(), k.number(2))), k.yes());
  k.b.Barrier(k.yes(), 0);
  k.store(k.b.IShl32(k.thread(), k.number(2)), other, k.yes());
  k.b.ret();
  const auto words = run(std::move(k.f), std::vector<std::uint32_t>(32));
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(words[t], 31 - t);
}

TEST(ScheduleGroups, TexturesAreReadBehindABarrier) {
  Kernel k(2);
  k.f.texture_count = 2;
  k.b.Barrier(k.yes(), 0);
  k.store(k.b.IShl32(k.thread(), k.number(2)), k.b.LoadTexel(k.thread(), 1), k.yes());
  k.b.ret();
  PipelineOptions options;
  options.verify = true;
  const auto program = run_pipeline(std::move(k.f), options);
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  EXPECT_EQ(program->kernel.texture_count, 2u);
}

// n barriers, across each of which n values live.
Function keeps_much(std::uint32_t n) {
  Kernel k(2);
  std::vector<I32> values;
  for (std::uint32_t v = 0; v < n; ++v) values.push_back(k.load(k.number(4 * v), k.yes()));
  for (std::uint32_t v = 0; v < n; ++v) k.b.Barrier(k.yes(), 0);
  for (std::uint32_t v = 0; v < n; ++v) k.store(k.number(4 * v), values[v], k.yes());
  k.b.ret();
  return std::move(k.f);
}

TEST(ScheduleGroups, GroupStateIsBounded) {
  PipelineOptions options;
  options.optimize = false;
  EXPECT_TRUE(run_pipeline(keeps_much(100), options).ok());
  const auto refused = run_pipeline(keeps_much(1000), options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::resource_limit);
}

}  // namespace
}  // namespace warpjit::ir
