// What observers of the guest interpreter are told (frontend/interpret/observer.h).
#include <cmath>
#include <functional>
#include <optional>

#include "frontend/interpret/observer.h"
#include "frontend/usse/facts/register_file.h"
#include "frontend/usse/interpret/quad.h"
#include "frontend/usse/interpret/run.h"

namespace warpjit::usse {
namespace {

// A word as observers number them, and whose it is.
struct ObservedWord {
  unsigned word = 0, lane = 0;
};
// Of a word of the quad, or of the secondary attributes, which only one lane writes.
ObservedWord word_at(const std::uint32_t* at, const Quad& quad, std::span<const std::uint32_t> sa) {
  const auto in = [&](const auto& bank, unsigned first) -> std::optional<ObservedWord> {
    const auto* const begin = reinterpret_cast<const std::uint32_t*>(&bank);
    const std::less<> before;
    if (before(at, begin) || !before(at, begin + sizeof bank / sizeof *at)) return std::nullopt;
    const auto n = static_cast<unsigned>(at - begin);
    return ObservedWord{first + n / kLanes, n % kLanes};
  };
  if (const auto found = in(quad.r, kRWords)) return *found;
  if (const auto found = in(quad.pa, kPaWords)) return *found;
  if (const auto found = in(quad.o, kOWords)) return *found;
  if (const auto found = in(quad.i, kIWords)) return *found;
  if (const auto found = in(quad.idx, kIdxWords + 1)) return *found;
  return {kSaWords + static_cast<unsigned>(at - sa.data()), 0};
}

// Calls visit(word, value) for what a lane's turns add to the numbers of an operand's registers.
template <class Visit>
void for_moves(const MoeState& moe, unsigned operand, const Visit& visit) {
  visit(kIncrementWords + operand, static_cast<std::uint32_t>(moe.increment[operand]));
  visit(kSwizzledWords + operand, moe.swizzled[operand] ? 1U : 0U);
  visit(kOffsetWords + operand, static_cast<std::uint32_t>(moe.offset[operand]));
}

}  // namespace

void QuadAlu::show_read(unsigned word, unsigned lane, std::uint32_t value, std::uint32_t bits) {
  if ((shown_ >> lane & 1) == 0) return;
  interpret::Event& event = observer_->event();
  // What an earlier turn of the same instruction has written is nothing that the instruction reads.
  for (const interpret::Event::Write& write : event.writes)
    if (write.word == word && write.lane == lane) bits &= ~write.bits;
  if (bits == 0) return;
  for (interpret::Event::Read& read : event.reads)
    if (read.word == word && read.lane == lane) {
      read.bits |= bits;
      return;
    }
  observer_->read(word, lane, value, bits);
}

void QuadAlu::show_write(unsigned word, unsigned lane, std::uint32_t before, std::uint32_t after,
                         std::uint32_t bits) {
  if ((shown_ >> lane & 1) == 0) return;
  for (interpret::Event::Write& write : observer_->event().writes)
    if (write.word == word && write.lane == lane) {
      write.bits |= bits;
      write.after = after;
      return;
    }
  observer_->wrote(word, lane, before, after, bits);
}

void QuadAlu::show_index(const Register& reg, unsigned lanes) {
  for_lanes(lanes,
            [&](unsigned lane) { show_read(kIdxWords + reg.index, lane, quad_.idx[reg.index - 1U][lane]); });
}

void QuadAlu::read_and_show(const Register& reg, unsigned word, unsigned lanes, LaneWords& words,
                            std::uint32_t bits) {
  unobserved([&] { read_words(reg, word, lanes, words); });
  if (reg.bank == Bank::c || reg.bank == Bank::g || reg.bank == Bank::immediate) return;
  if (reg.index != 0) show_index(reg, lanes);
  for_lanes(lanes, [&](unsigned lane) {
    if (const std::uint32_t* const at = place(reg, word, lane))
      show_read(word_at(at, quad_, file_.sa).word, lane, *at, bits);
  });
}

void QuadAlu::show_commit() {
  for (const Write& write : writes_) {
    const std::uint32_t before = *write.word;
    *write.word = (before & ~write.mask) | (write.value & write.mask);
    const auto [word, lane] = word_at(write.word, quad_, file_.sa);
    show_write(word, lane, before, *write.word, write.mask);
  }
  writes_.clear();
  for (const PredicateWrite& write : predicate_writes_)
    show_write(kPWords + write.predicate, write.lane, quad_.p[write.predicate] >> write.lane & 1,
               write.value ? 1 : 0);
  unobserved([&] { commit(); });
}

void QuadAlu::show_predicate(Predicate predicate, unsigned lanes) {
  if (predicate == Predicate::always) return;
  const auto number = [&](Predicate first) {
    return static_cast<unsigned>(predicate) - static_cast<unsigned>(first);
  };
  for_lanes(lanes, [&](unsigned lane) {
    const unsigned p = predicate == Predicate::pn       ? lane
                       : predicate >= Predicate::not_p0 ? number(Predicate::not_p0)
                                                        : number(Predicate::p0);
    show_read(kPWords + p, lane, quad_.p[p] >> lane & 1);
  });
}

void QuadAlu::show_moves(const Instruction& i, unsigned lanes) {
  if ((i.group == Group::mad || i.group == Group::dp) && i.repeat_mode != RepeatMode::moe) return;
  const auto show = [&](const Register& reg, unsigned operand) {
    if (reg.bank == Bank::c || reg.bank == Bank::g || reg.bank == Bank::immediate || reg.bank == Bank::idx)
      return;
    for_lanes(lanes, [&](unsigned lane) {
      for_moves(quad_.moe[lane], operand,
                [&](unsigned word, std::uint32_t value) { show_read(word, lane, value); });
    });
  };
  if (i.group != Group::dp) show(i.d[0], 0);
  for (unsigned k = 0; k < 3; ++k) show(i.s[k], k + 1);
}

void QuadAlu::show_increments(const Instruction& i, const std::array<MoeState, kLanes>& before) {
  for (unsigned operand = 0; operand < 4; ++operand)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      std::array<std::uint32_t, 3> old{};
      std::size_t n = 0;
      for_moves(before[lane], operand, [&](unsigned, std::uint32_t value) { old[n++] = value; });
      n = 0;
      for_moves(quad_.moe[lane], operand, [&](unsigned word, std::uint32_t value) {
        const std::uint32_t was = old[n++];
        if ((word >= kOffsetWords) == (i.opcode == Opcode::smbo)) show_write(word, lane, was, value);
      });
    }
}

void QuadAlu::show_lost_nan(unsigned lanes, const LaneFloats& in, const LaneFloats& out) {
  for_lanes(lanes & shown_, [&](unsigned lane) {
    if (std::isnan(in[lane]) && !std::isnan(out[lane])) observer_->happened(interpret::kRule);
  });
}

void show(interpret::Observer& observer, const interpret::ObservedGroup& group,
          const std::bitset<kMaxRegisters>& inputs, const Quad& quad, std::span<const std::uint32_t> sa,
          QuadRun& run) {
  if (!observer.observes(group)) return;
  run.observer = &observer;
  run.shown = group.lanes;
  for_lanes(group.lanes, [&](unsigned lane) {
    const auto hold = [&](const auto& bank, unsigned first) {
      for (unsigned n = 0; n < bank.size(); ++n)
        if (bank[n][lane] != 0) observer.holds(static_cast<std::uint16_t>(first + n), lane, bank[n][lane]);
    };
    hold(quad.r, kRWords);
    hold(quad.o, kOWords);
    for (unsigned n = 0; n < 4; ++n) hold(quad.i[n], kIWords + 4 * n);
    hold(quad.idx, kIdxWords + 1);
    // These have a value, be it 0.
    for (unsigned n = 0; n < kMaxRegisters; ++n)
      if (inputs[n] || quad.pa[n][lane] != 0)
        observer.holds(static_cast<std::uint16_t>(kPaWords + n), lane, quad.pa[n][lane]);
    for (unsigned n = 0; n < sa.size(); ++n)
      observer.holds(static_cast<std::uint16_t>(kSaWords + n), lane, sa[n]);
    for (unsigned n = 0; n < 4; ++n) {
      if ((quad.p[n] >> lane & 1) != 0) observer.holds(static_cast<std::uint16_t>(kPWords + n), lane, 1);
      for_moves(quad.moe[lane], n, [&](unsigned word, std::uint32_t value) {
        observer.holds(static_cast<std::uint16_t>(word), lane, value);
      });
    }
  });
}

}  // namespace warpjit::usse
