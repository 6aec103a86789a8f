// Random sets of moves, done step by step, must give what all of them at once would give.
#include "backend/allocate/parallel_move.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

#include "support/processor_time.h"
#include "support/share.h"

namespace warpjit::lir {
namespace {

using Key = std::tuple<Location::Kind, RegClass, std::uint32_t>;
// Slot numbers are shared by all classes.
Key key(const Location& l) {
  return {l.kind, l.kind == Location::Kind::slot ? RegClass::vector : l.cls, l.index};
}
Location reg(RegClass c, std::uint32_t r) { return Location::in_register(c, r); }

// A machine of values: every place holds a number; an emitted value v is 1,000,000 + v.
class Places {
 public:
  std::uint64_t read(const Location& l) const {
    if (l.kind == Location::Kind::emit) return 1'000'000 + l.index;
    auto found = held_.find(key(l));
    if (found != held_.end()) return found->second;
    return 1000 * (static_cast<std::uint64_t>(l.kind) + 1) +
           100 * static_cast<std::uint64_t>(std::get<1>(key(l))) + l.index;
  }
  void write(const Location& l, std::uint64_t value) { held_[key(l)] = value; }
  void perform(const MoveStep& step) {
    const Location to = reg(step.cls, step.destination), from = reg(step.cls, step.source);
    switch (step.kind) {
      case MoveStep::Kind::copy:
        return write(to, read(from));
      case MoveStep::Kind::load:
        return write(to, read(Location::in_slot(step.cls, step.source)));
      case MoveStep::Kind::store:
        return write(Location::in_slot(step.cls, step.destination), read(from));
      case MoveStep::Kind::emit:
        return write(to, read(Location::emitted_again(step.cls, step.value)));
    }
  }

 private:
  std::map<Key, std::uint64_t> held_;
};

struct Problem {
  std::vector<Move> moves;
  std::array<std::uint32_t, kClassCount> usable = {}, busy = {};
};

void expect_solved(const Problem& problem) {
  std::vector<Move> moves = problem.moves;
  std::vector<MoveStep> steps;
  resolve_parallel_moves(moves, problem.usable, problem.busy, steps);
  const Places before;
  Places after;
  for (const MoveStep& step : steps) {
    if (step.kind != MoveStep::Kind::store) {
      EXPECT_TRUE(problem.usable[static_cast<std::size_t>(step.cls)] >> step.destination & 1)
          << "writes register " << step.destination << ", which is not usable";
    }
    after.perform(step);
  }
  std::set<Key> written;
  for (const Move& m : problem.moves) {
    written.insert(key(m.destination));
    EXPECT_EQ(after.read(m.destination), before.read(m.source));
  }
  for (std::size_t c = 0; c < kClassCount; ++c)
    for (std::uint32_t r = 0; r < 32; ++r) {
      const Location l = reg(static_cast<RegClass>(c), r);
      if ((problem.busy[c] >> r & 1) && !written.count(key(l))) {
        EXPECT_EQ(after.read(l), before.read(l)) << "busy register " << r << " of class " << c;
      }
    }
  for (std::uint32_t s = kReservedSlots; s < 40; ++s) {
    const Location l = Location::in_slot(RegClass::vector, s);
    if (!written.count(key(l))) {
      EXPECT_EQ(after.read(l), before.read(l)) << "slot " << s;
    }
  }
}

// Destinations are distinct; their registers are busy, as are some others.
Problem random_problem(std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Problem problem;
  const bool large = below(50) == 0;
  const std::uint32_t registers = 2 + below(5), slots = large ? 60 : 1 + below(6), classes = 1 + below(3);
  const std::uint32_t reg_weight = below(5), slot_weight = below(5), emit_weight = below(2);
  for (std::size_t c = 0; c < kClassCount; ++c) {
    problem.usable[c] = (1u << registers) - 1;
    if (below(2)) problem.usable[c] <<= 3;
  }
  const auto random_register = [&](RegClass c) {
    const std::uint32_t usable = problem.usable[static_cast<std::size_t>(c)];
    for (;;)
      if (std::uint32_t r = below(32); usable >> r & 1) return reg(c, r);
  };
  // Each slot belongs to one class.
  const auto random_slot = [&](RegClass c) {
    return Location::in_slot(c, kReservedSlots + below(slots) * 3 + static_cast<std::uint32_t>(c));
  };
  std::set<Key> taken;
  const std::uint32_t tries = large ? 400 : 1 + below(12);
  for (std::uint32_t n = 0; n < tries; ++n) {
    const auto c = static_cast<RegClass>(below(classes));
    const auto place = [&](bool source) -> Location {
      const std::uint32_t pick = below(reg_weight + slot_weight + 1 + (source ? emit_weight : 0));
      if (pick <= reg_weight) return random_register(c);
      if (pick <= reg_weight + slot_weight) return random_slot(c);
      return Location::emitted_again(c, below(100));
    };
    const Location destination = place(false), source = place(true);
    if (!taken.insert(key(destination)).second) continue;
    const Reg value = source.kind == Location::Kind::emit ? source.index : below(100);
    problem.moves.push_back({destination, source, value});
  }
  const bool crowded = below(3) == 0;
  for (std::size_t c = 0; c < kClassCount; ++c)
    problem.busy[c] = crowded ? problem.usable[c] : problem.usable[c] & random();
  for (const Move& m : problem.moves)
    if (m.destination.kind == Location::Kind::reg)
      problem.busy[static_cast<std::size_t>(m.destination.cls)] |= 1u << m.destination.index;
  return problem;
}

TEST(ParallelMove, RandomSetsHappenAtOnce) {
  std::mt19937 random(1);
  for (std::uint64_t n = 0; n < share(12'000); ++n) {
    SCOPED_TRACE(n);
    expect_solved(random_problem(random));
    if (HasFailure()) return;
  }
}

TEST(ParallelMove, AChainAndNothingToDo) {
  const RegClass v = RegClass::vector;
  Problem problem;
  problem.usable = problem.busy = {0xff, 0, 0};
  for (std::uint32_t k = 0; k < 6; ++k) problem.moves.push_back({reg(v, k), reg(v, k + 1), k});
  problem.moves.push_back({reg(v, 7), reg(v, 7), 7});
  expect_solved(problem);
  std::vector<MoveStep> steps;
  resolve_parallel_moves(problem.moves, problem.usable, problem.busy, steps);
  EXPECT_EQ(steps.size(), 6u);
}

// What many moves take grows about as their number does: chains from either end, a ring, and pairs that swap.
TEST(ParallelMove, VeryMany) {
#if defined(WARPJIT_SANITIZED) || WARPJIT_TEST_SHARE > 1
  constexpr std::uint32_t kCount = 1000;
#else
  constexpr std::uint32_t kCount = 8000;
#endif
  const auto slot = [](std::uint32_t s) { return Location::in_slot(RegClass::vector, kReservedSlots + s); };
  for (const int shape : {0, 1, 2, 3}) {
    SCOPED_TRACE(shape);
    Problem problem;
    problem.usable = problem.busy = {0xff, 0, 0};
    for (std::uint32_t k = 0; k < kCount; ++k) {
      const std::uint32_t from = shape == 0   ? k + 1
                                 : shape == 1 ? k + kCount
                                 : shape == 2 ? (k + 1) % kCount
                                              : k ^ 1;
      const std::uint32_t to = shape == 1 ? k + kCount + 1 : k;
      problem.moves.push_back({slot(to), slot(from), k});
    }
    const double start = tests::processor_seconds();
    expect_solved(problem);
    EXPECT_LT(tests::processor_seconds() - start, 5);
  }
}

TEST(ParallelMove, CyclesInTwoClassesAndOverSlots) {
  Problem problem;
  problem.usable = problem.busy = {0xf, 0xf, 0xf};
  for (RegClass c : {RegClass::vector, RegClass::mask})
    for (std::uint32_t k = 0; k < 4; ++k) problem.moves.push_back({reg(c, k), reg(c, (k + 1) % 4), k});
  expect_solved(problem);
  // Two slots swap while every register is needed; one of them also goes to a register.
  const auto slot = [](std::uint32_t s) { return Location::in_slot(RegClass::scalar, s); };
  problem.moves = {{slot(5), slot(6), 1}, {slot(6), slot(5), 2}, {reg(RegClass::scalar, 2), slot(6), 1}};
  expect_solved(problem);
}

TEST(ParallelMove, ACycleUsesARegisterThatNobodyNeeds) {
  const RegClass v = RegClass::vector;
  Problem problem;
  problem.usable = {0xf, 0, 0};
  problem.busy = {3, 0, 0};
  problem.moves = {{reg(v, 0), reg(v, 1), 1}, {reg(v, 1), reg(v, 0), 2}};
  expect_solved(problem);
  std::vector<MoveStep> steps;
  resolve_parallel_moves(problem.moves, problem.usable, problem.busy, steps);
  ASSERT_EQ(steps.size(), 3u);
  for (const MoveStep& step : steps) EXPECT_EQ(step.kind, MoveStep::Kind::copy);
}

}  // namespace
}  // namespace warpjit::lir
