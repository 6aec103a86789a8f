// What an observer of the interpreter sees is what happens: registers follow from the writes that it is told of, and
// runs give the same with and without it.
#include <map>

#include "frontend/interpret/observer.h"
#include "frontend/tesla/assembly/disassemble.h"
#include "frontend/tesla/facts/register_file.h"
#include "random/tesla/random.h"
#include "support/share.h"
#include "tesla/interpret_test.h"
#include "tesla/translate_test.h"

namespace warpjit::tesla {
namespace {

// Keeps the registers of all groups by what it is told.
class Follower final : public interpret::Observer {
 public:
  bool observes(const interpret::ObservedGroup& group) override {
    EXPECT_EQ(group.kind, interpret::ObservedGroup::Kind::block);
    group_ = static_cast<std::uint32_t>(group.first);
    words_[group_].assign(std::size_t{output_word(0)} * kLanes, 0);
    ++groups;
    return true;
  }
  void holds(std::uint16_t word, unsigned lane, std::uint32_t value) override {
    words_[group_][std::size_t{word} * kLanes + lane] = value;
  }
  bool step() override {
    const interpret::Event& event = this->event();
    auto& words = words_[event.group];
    for (const auto& read : event.reads)
      if (words[std::size_t{read.word} * kLanes + read.lane] != read.value) ++wrong;
    for (const auto& write : event.writes) {
      std::uint32_t& word = words[std::size_t{write.word} * kLanes + write.lane];
      if (word != write.before || ((write.before ^ write.after) & ~write.bits) != 0) ++wrong;
      word = write.after;
      if ((event.lanes >> write.lane & 1) == 0) ++of_others;
    }
    for (const auto& access : event.memory) {
      if ((event.lanes >> access.lane & 1) == 0) ++of_others;
      if (access.faulted && (event.happened & interpret::kFaulted) == 0) ++wrong;
    }
    if (place == 0 && wrong + of_others != 0) place = event.address;
    if (event.active != 0) ++steps;
    if (event.active == 0 && event.lanes != 0) ++wrong;
    return steps < most_steps;
  }

  std::uint64_t groups = 0, steps = 0, wrong = 0, of_others = 0;
  std::uint64_t most_steps = ~std::uint64_t{0};
  std::uint32_t place = 0;  // of the first one that is wrong

 private:
  std::uint32_t group_ = 0;
  std::map<std::uint32_t, std::vector<std::uint32_t>> words_;
};

struct Ran {
  std::vector<std::uint32_t> memory;
  RunReport report;
  Status status;
};
Ran run_kernel(const RandomKernel& kernel, interpret::Observer* observer) {
  Launch constants;
  constants.constants[0] = std::as_bytes(std::span(kernel.c0));
  const auto interpreter = Interpreter::prepare(kernel.program, {}, targets_of(kernel.program, constants));
  EXPECT_TRUE(interpreter.ok());
  Ran ran;
  ran.memory.assign(kernel.g1_words, 0);
  std::vector<std::uint32_t> g0 = kernel.g0;
  Launch launch;
  launch.grid = {kernel.grid[0], kernel.grid[1], 1};
  launch.block = kernel.block;
  launch.constants[0] = std::as_bytes(std::span(kernel.c0));
  launch.globals[0] = {{.address = 0, .bytes = std::as_writable_bytes(std::span(g0))}};
  launch.globals[1] = {{.address = 0, .bytes = std::as_writable_bytes(std::span(ran.memory))}};
  ran.status = interpreter->run(launch, 0, launch.blocks(), ran.report, HostCode::best,
                                RunLimits(kRandomFuel, nullptr, observer));
  return ran;
}

TEST(TeslaObserver, RegistersFollowFromWhatItSees) {
  for (std::uint64_t seed = 1; seed <= share(60); ++seed) {
    const RandomKernel kernel = random_kernel(seed, {.quads = seed % 4 == 0});
    Follower follower;
    const Ran plain = run_kernel(kernel, nullptr), seen = run_kernel(kernel, &follower);
    ASSERT_EQ(plain.status.ok(), seen.status.ok()) << seed;
    ASSERT_EQ(plain.memory, seen.memory) << seed;
    EXPECT_EQ(plain.report.warp_instructions, seen.report.warp_instructions) << seed;
    EXPECT_EQ(plain.report.first_fault.has_value(), seen.report.first_fault.has_value()) << seed;
    EXPECT_GT(follower.groups, 0u);
    EXPECT_GT(follower.steps, 0u);
    ASSERT_EQ(follower.wrong, 0u) << seed << " at " << std::hex << follower.place << '\n'
                                  << disassemble(kernel.program);
    ASSERT_EQ(follower.of_others, 0u) << seed << " at " << std::hex << follower.place << '\n'
                                      << disassemble(kernel.program);
  }
}

TEST(TeslaObserver, EndsARun) {
  Follower follower;
  follower.most_steps = 5;
  const Ran ran = run_kernel(random_kernel(1), &follower);
  ASSERT_FALSE(ran.status.ok());
  EXPECT_EQ(ran.status.error().code, ErrorCode::cancelled);
  EXPECT_EQ(follower.steps, 5u);
}

// What the steps of a warp did, by address; and what it loaded and stored.
struct Journal final : interpret::Observer {
  bool observes(const interpret::ObservedGroup&) override { return true; }
  void holds(std::uint16_t, unsigned, std::uint32_t) override {}
  bool step() override {
    happened[event().address] |= event().happened;
    deepest = std::max(deepest, event().stack);
    for (const auto& access : event().memory) accesses.push_back(access);
    return true;
  }
  std::map<std::uint32_t, unsigned> happened;
  std::uint32_t deepest = 0;
  std::vector<interpret::Event::Memory> accesses;
};
Journal journal_of(const std::string& body, std::uint32_t threads = 64) {
  const Program program = program_of("and b32 $r0 $r0 0xffff\nshl $a1 $r0 0x2\n" + body + "exit nop\n");
  const auto interpreter = Interpreter::prepare(program, {}, targets_of(program, {}));
  EXPECT_TRUE(interpreter.ok());
  std::vector<std::uint64_t> words(128);
  Launch launch;
  launch.block = {threads, 1, 1};
  launch.shared_bytes = 16 + 256;
  launch.fuel = 100;
  launch.globals[3] = {{0, std::as_writable_bytes(std::span(words))}};
  Journal journal;
  RunReport report;
  EXPECT_TRUE(
      interpreter->run(launch, 0, 1, report, HostCode::best, RunLimits(launch.fuel, nullptr, &journal)).ok());
  return journal;
}

TEST(TeslaObserver, SaysWhatHappened) {
  // Bytes 0x10 to 0x38: mov, joinat, set, bra, mov, join.
  Journal journal = journal_of(
      "mov b32 $r1 10\njoinat #end\nset $c0 # l u32 $r0 $r1\n(e $c0) bra #end\nmov b32 $r2 1\nend:\njoin "
      "nop\nbar inc wait 0x0 all\n",
      40);
  EXPECT_EQ(journal.happened.at(0x28), unsigned{interpret::kDiverged});
  EXPECT_EQ(journal.happened.at(0x38), unsigned{interpret::kJoined});
  EXPECT_EQ(journal.happened.at(0x40), unsigned{interpret::kBarrier});
  EXPECT_EQ(journal.happened.at(0x48), unsigned{interpret::kEnded});
  EXPECT_EQ(journal.deepest, 2u);
  journal = journal_of("mov b32 $r1 7\nshl b32 $r2 $r0 0x4\nst b32 g3[$r2] $r1\nld b32 $r3 g3[$r2]\n", 40);
  const auto count = [&](bool store, bool faulted) {
    return std::ranges::count_if(journal.accesses, [&](const auto& access) {
      return access.store == store && access.faulted == faulted &&
             access.space == space_number(Operand::Kind::global, 3);
    });
  };
  EXPECT_EQ(count(true, false), 40);
  EXPECT_EQ(count(false, false), 40);
  journal = journal_of("shl b32 $r2 $r0 0x5\nld b32 $r3 g3[$r2]\n", 40);
  EXPECT_EQ(count(false, false), 32);
  EXPECT_EQ(count(false, true), 8);
  EXPECT_EQ(journal.happened.at(0x18) & interpret::kFaulted, unsigned{interpret::kFaulted});
}

}  // namespace
}  // namespace warpjit::tesla
