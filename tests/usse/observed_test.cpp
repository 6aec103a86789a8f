// What observers of the guest interpreter are told (frontend/interpret/observer.h).
#include <algorithm>
#include <bit>
#include <map>

#include "frontend/usse/container/texture.h"
#include "frontend/usse/facts/register_file.h"
#include "frontend/usse/interpret/numbers.h"
#include "random/usse/random.h"
#include "random/words.h"
#include "support/share.h"
#include "textures/view.h"
#include "usse/run_quad.h"

namespace warpjit::usse {
namespace {

using interpret::Event;
using interpret::ObservedGroup;

// Follows the registers of each group, and checks that events go on from each other.
class Follower final : public interpret::Observer {
 public:
  bool observes(const ObservedGroup& group) override {
    groups.push_back(group);
    words_.clear();
    return sees;
  }
  void holds(std::uint16_t word, unsigned lane, std::uint32_t value) override {
    words_[{word, lane}] = value;
  }
  bool step() override {
    events.push_back(event());
    const std::uint32_t lanes = groups.back().lanes;
    EXPECT_EQ(event().lanes & ~lanes, 0U);
    EXPECT_NE(event().lanes, 0U);
    for (const Event::Read& read : event().reads) {
      EXPECT_EQ((read.value ^ at(read.word, read.lane)) & read.bits, 0U)
          << "word " << read.word << " at " << event().address;
      EXPECT_NE(read.bits, 0U);
      EXPECT_NE(lanes >> read.lane & 1, 0U);
    }
    for (const Event::Write& write : event().writes) {
      EXPECT_EQ(write.before, at(write.word, write.lane)) << "word " << write.word;
      EXPECT_EQ((write.before ^ write.after) & ~write.bits, 0U);
      EXPECT_NE(event().lanes >> write.lane & 1, 0U);
      words_[{write.word, write.lane}] = write.after;
    }
    return --steps_left != 0;
  }
  std::uint32_t at(unsigned word, unsigned lane) const {
    const auto found = words_.find({word, lane});
    return found == words_.end() ? 0 : found->second;
  }
  // All words of a bank, as the group has left them, are those of the quad.
  template <class Words>
  void expect(const Words& bank, unsigned first) const {
    for (unsigned n = 0; n < bank.size(); ++n)
      for (unsigned lane = 0; lane < kLanes; ++lane)
        if ((groups.back().lanes >> lane & 1) != 0) {
          EXPECT_EQ(at(first + n, lane), bank[n][lane]) << "word " << first + n << ", lane " << lane;
        }
  }

  bool sees = true;
  std::uint64_t steps_left = ~std::uint64_t{0};
  std::vector<ObservedGroup> groups;
  std::vector<Event> events;

 private:
  std::map<std::pair<unsigned, unsigned>, std::uint32_t> words_;
};

// A program as text, by all four lanes from registers as they are.
struct Observed {
  explicit Observed(const std::string& text, QuadState start = {}, Follower* given = nullptr)
      : state(std::move(start)) {
    Follower own;
    Follower& follower = given != nullptr ? *given : own;
    const FloatEnvironment environment;
    const auto program = assemble(text, "a.usse");
    EXPECT_TRUE(program.ok()) << to_string(program.error());
    const auto interpreter = Interpreter::prepare(*program);
    EXPECT_TRUE(interpreter.ok()) << to_string(interpreter.error());
    state.outcome.fuel = 100;
    state.outcome.observer = &follower;
    status = interpreter->run_secondary(state.sa, state.outcome);
    if (!status) return;
    state.outcome.observer = nullptr;
    show(follower, {.kind = ObservedGroup::Kind::rows, .lanes = state.outcome.covered}, {}, state.quad,
         state.sa, state.outcome);
    status = interpreter->run_primary(state.quad, state.sa, state.outcome);
    groups = follower.groups;
    events = follower.events;
  }
  // What happened at an address, in all steps.
  unsigned happened(std::uint32_t address) const {
    unsigned all = 0;
    for (const Event& event : events) all |= event.address == address ? event.happened : 0U;
    return all;
  }
  QuadState state;
  Status status;
  std::vector<ObservedGroup> groups;
  std::vector<Event> events;
};

bool reads(const Event& event, unsigned word, unsigned lane, std::uint32_t bits = ~0U) {
  return std::ranges::any_of(event.reads, [&](const Event::Read& read) {
    return read.word == word && read.lane == lane && read.bits == bits;
  });
}
bool writes(const Event& event, unsigned word, unsigned lane, std::uint32_t bits, std::uint32_t after) {
  return std::ranges::any_of(event.writes, [&](const Event::Write& write) {
    return write.word == word && write.lane == lane && write.bits == bits && write.after == after;
  });
}

TEST(UsseObserved, RegistersHaveTheirWordsAndBits) {
  QuadState state;
  state.quad.pa[2].fill(0x3c004000);  // 2 and 1
  state.quad.p[1] = 0b0101;
  state.quad.idx[1].fill(2);
  state.quad.i[1][2].fill(to_bits(3.0F));
  const Observed seen(
      "vadd.f16 r0.x, pa2, pa2\n"
      "p1 or r4, r1, #7, rot:0\n"  // in lanes 0 and 2
      "or r6, sa[idx2+1], #0, rot:0\n"
      "vadd.f32 o2.x, i1.zzzz, i0.xxxx\nnop.end",
      std::move(state));
  ASSERT_TRUE(seen.status.ok()) << to_string(seen.status.error());
  ASSERT_EQ(seen.events.size(), 5u);
  EXPECT_TRUE(reads(seen.events[0], kPaWords + 2, 2, 0xffff));
  EXPECT_TRUE(writes(seen.events[0], kRWords, 2, 0xffff, 0x4400));
  const Event& predicated = seen.events[1];
  EXPECT_EQ(predicated.lanes, 15U);
  EXPECT_EQ(predicated.writes.size(), 2u);
  EXPECT_TRUE(reads(predicated, kPWords + 1, 3));
  EXPECT_TRUE(reads(predicated, kRWords + 1, 2));
  EXPECT_FALSE(reads(predicated, kRWords + 1, 3));
  EXPECT_TRUE(writes(predicated, kRWords + 4, 2, ~0U, 7));
  EXPECT_TRUE(reads(seen.events[2], kSaWords + 3, 1));
  EXPECT_TRUE(reads(seen.events[2], kIdxWords + 2, 1));
  EXPECT_TRUE(reads(seen.events[3], kIWords + 6, 0));
  EXPECT_TRUE(writes(seen.events[3], kOWords + 2, 0, ~0U, to_bits(3.0F)));
  EXPECT_EQ(seen.events[4].happened, interpret::kEnded);
  EXPECT_EQ(seen.events[4].address, 4U);
}

// What a turn has written, a later turn of the same instruction does not read from outside.
TEST(UsseObserved, RepeatsAreOneStep) {
  const Observed seen(
      "smlsi temp:0, pa:0, sa:0, d:1, s0:0, s1:1, s2:0\n"
      "or.rpt3 r1, r0, #1, rot:0\nnop.end");
  ASSERT_TRUE(seen.status.ok()) << to_string(seen.status.error());
  ASSERT_EQ(seen.events.size(), 3u);
  EXPECT_TRUE(reads(seen.events[1], kRWords, 0));
  EXPECT_FALSE(reads(seen.events[1], kRWords + 1, 0));
  EXPECT_TRUE(writes(seen.events[1], kRWords + 3, 3, ~0U, 1));
  EXPECT_TRUE(reads(seen.events[1], kIncrementWords, 2));
  EXPECT_TRUE(writes(seen.events[0], kIncrementWords + 1, 2, ~0U, 0));
}

TEST(UsseObserved, LanesPartAndJoin) {
  QuadState state;
  state.quad.p[0] = 0b0011;
  const Observed seen("p0 br offset:over\nor r0, #1, #0, rot:0\nover: or r1, #1, #0, rot:0\nnop.end",
                      std::move(state));
  ASSERT_EQ(seen.events.size(), 4u);
  EXPECT_EQ(seen.happened(0), interpret::kDiverged);
  EXPECT_EQ(seen.events[1].lanes, 12U);
  EXPECT_EQ(seen.happened(1), 0U);
  EXPECT_EQ(seen.happened(2), interpret::kJoined);
  EXPECT_EQ(seen.events[2].lanes, 15U);
}

TEST(UsseObserved, MemoryFaultsAndKills) {
  std::array<std::uint32_t, 4> words{1, 2, 0x30004, 4};
  const MemoryPiece piece{0x1000, std::as_writable_bytes(std::span(words)), true};
  QuadState state;
  state.quad.p[0] = 0b1000;
  state.sa[0] = 0x1000;
  state.sa[1] = 0x9000;
  state.outcome.memory = {&piece, 1};
  state.outcome.covered = 0b1110;
  const Observed seen(
      ".stage fragment\n.registers pa:8 sa:8 r:8\n.primary\np0 kill sa0, sa0\nld.b16.x1.drc0 r0, sa0, #3, "
      "#0\n"
      "st.b32.x1.drc0 r0, sa0, #0, r0\nld.b32.x1.drc0 r1, sa1, #0, #0\nor r9, #1, #0, rot:0\nnop.end",
      std::move(state));
  ASSERT_TRUE(seen.status.ok()) << to_string(seen.status.error());
  EXPECT_EQ(seen.happened(0), interpret::kDiscarded);
  ASSERT_EQ(seen.events.size(), 6u);
  const Event& load = seen.events[1];
  ASSERT_EQ(load.memory.size(), 2u) << "lane 0 is a helper, lane 3 is dead";
  EXPECT_EQ(load.memory[0].address, 0x1008U);
  EXPECT_EQ(load.memory[0].bytes, 2U);
  EXPECT_EQ(load.memory[0].value, 4U);
  EXPECT_FALSE(load.memory[0].store);
  const Event& store = seen.events[2];
  ASSERT_EQ(store.memory.size(), 2u);
  EXPECT_TRUE(store.memory[0].store);
  EXPECT_EQ(store.memory[0].before, 2U);
  EXPECT_EQ(store.memory[0].value, 4U);
  EXPECT_EQ(store.memory[1].before, 4U);
  EXPECT_EQ(seen.happened(3), interpret::kFaulted);
  EXPECT_TRUE(seen.events[3].memory[0].faulted);
  EXPECT_EQ(seen.happened(4), interpret::kFaulted) << "there is no r9";
  EXPECT_EQ(seen.happened(5), interpret::kEnded);
  EXPECT_TRUE(seen.state.outcome.fault);
}

TEST(UsseObserved, SecondaryProgramsAreALaunchOfOneLane) {
  QuadState state;
  state.sa[4] = to_bits(3.0F);
  const Observed seen(
      ".secondary\nvmul.f32 pa0.x, sa4.xxxx, r4.xxxx\n.primary\nor o0, sa0, #0, rot:0\nnop.end",
      std::move(state));
  ASSERT_EQ(seen.groups.size(), 2u);
  EXPECT_EQ(seen.groups[0].kind, ObservedGroup::Kind::launch);
  EXPECT_EQ(seen.groups[0].lanes, 1U);
  ASSERT_EQ(seen.events.size(), 3u);
  // Addresses are those of the primary program, then these.
  EXPECT_EQ(seen.events[0].address, 2U);
  EXPECT_TRUE(reads(seen.events[0], kSaWords + 4, 0));
  EXPECT_TRUE(writes(seen.events[0], kSaWords, 0, ~0U, to_bits(9.0F)));
  EXPECT_EQ(seen.events[1].address, 0U);
  EXPECT_TRUE(reads(seen.events[1], kSaWords, 3));
}

TEST(UsseObserved, RulesThatLoseNans) {
  QuadState state;
  state.quad.pa[0].fill(kNan);
  state.quad.pa[2].fill(to_bits(2.0F));
  const Observed seen(
      "vexp.f32.f32 r0.x, pa0.x\nvexp.f32.f32 r0.x, pa2.x\nvmin.f32 r0.x, pa0, pa2\nvmin.f32 r0.x, pa2, pa0\n"
      "vmul.f32 r0.x, pa0, pa2\nnop.end",
      std::move(state));
  ASSERT_TRUE(seen.status.ok()) << to_string(seen.status.error());
  for (std::uint32_t address = 0; address < 5; ++address)
    EXPECT_EQ(seen.happened(address), address == 0 || address == 2 ? interpret::kRule : 0) << address;
}

TEST(UsseObserved, ObserversEndRuns) {
  Follower follower;
  follower.steps_left = 3;
  const Observed seen("again: br offset:again", {}, &follower);
  ASSERT_FALSE(seen.status.ok());
  EXPECT_EQ(seen.status.error().code, ErrorCode::cancelled);
  EXPECT_EQ(follower.events.size(), 3u);
}

// Random programs of both stages: registers that events lead to are those that the run leaves, which are the same
// without an observer.
TEST(UsseObserved, RandomPrograms) {
  const FloatEnvironment environment;
  std::uint64_t steps = 0;
  for (std::uint64_t seed = 0; seed < share(200); ++seed) {
    SCOPED_TRACE(seed);
    const Stage stage = seed % 2 == 0 ? Stage::vertex : Stage::fragment;
    RandomProgram random = random_program(seed, stage, {.textures = true});
    const auto interpreter = Interpreter::prepare(random.program);
    ASSERT_TRUE(interpreter.ok()) << to_string(interpreter.error());
    frontend::BoundTextures textures;
    for (const BoundTexture& bound : random.textures) {
      const auto view = textures::make_view(bound.texture, "texture");
      ASSERT_TRUE(view.ok());
      textures.textures.push_back(std::make_shared<const textures::TextureView>(*view));
      textures.samplers.push_back(bound.sampler);
    }
    const MemoryPiece piece{kRandomAddress, std::as_writable_bytes(std::span(random.memory))};
    QuadState plain;
    Random numbers(seed);
    for (auto* bank : {&plain.quad.pa, &plain.quad.o})
      for (unsigned n = 0; n < 48; ++n)
        for (std::uint32_t& word : (*bank)[n])
          word = numbers.one_in(6) ? random::one_of(numbers, random::kFloatEdges)
                                   : std::bit_cast<std::uint32_t>(random::moderate_float(numbers));
    std::ranges::copy(random.sa, plain.sa.begin());
    plain.outcome = {.memory = {&piece, 1}, .textures = &textures, .fuel = kRandomFuel};
    // Sometimes a lane is a helper, and not shown.
    plain.outcome.covered = numbers.one_in(3) ? 7 : 15;
    QuadState watched = plain;
    const Status wanted_first = interpreter->run_secondary(plain.sa, plain.outcome);
    const Status wanted = interpreter->run_primary(plain.quad, plain.sa, plain.outcome);

    Follower follower;
    watched.outcome.observer = &follower;
    const Status first = interpreter->run_secondary(watched.sa, watched.outcome);
    watched.outcome.observer = nullptr;
    show(follower, {.kind = ObservedGroup::Kind::quads, .lanes = watched.outcome.covered}, {}, watched.quad,
         interpreter->own_attributes(watched.sa), watched.outcome);
    const Status status = interpreter->run_primary(watched.quad, watched.sa, watched.outcome);
    EXPECT_EQ(first.ok(), wanted_first.ok());
    EXPECT_EQ(status.ok(), wanted.ok());
    EXPECT_EQ(watched.sa, plain.sa);
    EXPECT_EQ(watched.quad.r, plain.quad.r);
    EXPECT_EQ(watched.quad.pa, plain.quad.pa);
    EXPECT_EQ(watched.quad.o, plain.quad.o);
    EXPECT_EQ(watched.quad.i, plain.quad.i);
    EXPECT_EQ(watched.quad.p, plain.quad.p);
    EXPECT_EQ(watched.quad.idx, plain.quad.idx);
    EXPECT_EQ(watched.outcome.fault, plain.outcome.fault);
    EXPECT_EQ(watched.outcome.dead, plain.outcome.dead);
    follower.expect(watched.quad.r, kRWords);
    follower.expect(watched.quad.pa, kPaWords);
    follower.expect(watched.quad.o, kOWords);
    for (unsigned n = 0; n < 4; ++n) {
      follower.expect(watched.quad.i[n], kIWords + 4 * n);
      for (unsigned lane = 0; lane < kLanes; ++lane)
        if ((watched.outcome.covered >> lane & 1) != 0) {
          EXPECT_EQ(follower.at(kPWords + n, lane), watched.quad.p[n] >> lane & 1U);
        }
    }
    follower.expect(watched.quad.idx, kIdxWords + 1);
    steps += follower.events.size();
    if (HasFailure()) FAIL() << disassemble(random.program);
  }
  EXPECT_GT(steps, share(4000));
}

}  // namespace
}  // namespace warpjit::usse
