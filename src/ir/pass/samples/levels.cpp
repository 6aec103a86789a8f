// Two levels of detail together.
#include <algorithm>
#include <vector>

#include "ir/pass/samples/filter.h"

namespace warpjit::ir::samples {

// Code that runs for the first level, and again for the second one: a loop of two turns. Phis carry values
// from turn to turn.
class Filter::LevelLoop {
 public:
  // The block of `before` ends with what stands before that.
  LevelLoop(Builder& b, Inst before) : b_(b), before_(before) {
    Function& f = b_.function();
    const Block entering = f.inst(before).block;
    rest_ = f.split_block(before);
    header_ = f.add_block(b_.guest_address());
    b_.set_block(entering);
    b_.jump(header_);
    b_.set_block(header_);
  }
  // `value` becomes a phi: `initial` in the first turn, and in the second one what `value` is when end() is
  // called. It must live until then.
  template <class T>
  void carry(T& value, T initial) {
    value = b_.phi<T>(header_);
    phis_.push_back({value, initial, &value.id});
  }
  // The same, for what is as uniform in the second turn as in the first one.
  template <class T>
  void carry_uniform(T& value, T initial) {
    carry(value, initial);
    Function& f = b_.function();
    f.value(value).uniformity = std::max(Uniformity::group, f.value(initial).uniformity);
  }
  void end(I1 again) {
    b_.branch(again, header_, rest_);
    Function& f = b_.function();
    for (const Phi& phi : phis_)
      f.set_operands(f.definition(phi.value), std::array<Value, 2>{phi.initial, *phi.next});
    b_.set_before(before_);
  }

 private:
  struct Phi {
    Value value, initial;
    const Value* next;  // at the end of the turn
  };
  Builder& b_;
  const Inst before_;
  Block header_, rest_;
  std::vector<Phi> phis_;
};

void Filter::add_level(Levels& sum, const LevelResult& level, F32 factor, I1 is_first, LevelLoop* loop) {
  const auto add_to = [&](F32& total, F32 x) {
    const F32 weighted = mul(x, factor);
    if (loop != nullptr) loop->carry(total, real(-0.0F));  // to which adding is exact
    total = total.valid() ? add(total, weighted) : weighted;
  };
  for (unsigned c = 0; c < 4; ++c)
    if (level.sums[c].valid()) add_to(sum.sums[c], level.sums[c]);
  if (path_.integers && !level.any_out) return;
  for (unsigned k = 0; k < 4; ++k) {
    if (!level.mixed[k].valid()) continue;
    const F32 x = in_floats(level, k);
    add_to(sum.floats[k], x);
    if (is_exact()) continue;
    if (loop != nullptr) loop->carry(sum.first[k], real(0));
    sum.first[k] = sum.first[k].valid() ? b_.select(is_first, x, sum.first[k]) : x;
  }
  if (!level.any_out) return;
  I1 before = sum.any_out.value_or(b_.constant(false));
  if (loop != nullptr) {
    sum.any_out = before;
    loop->carry(*sum.any_out, before);
    before = *sum.any_out;
  }
  sum.any_out = either(before, *level.any_out);
}

// The second level does not count where its weight is 0, if its numbers are finite.
Filter::Levels Filter::both_levels(std::optional<I32> first, I32 weight) {
  const F32 of_first = b_.I32ToF32(b_.ISub32(word(256), weight));
  const auto of_second = [&](F32 of_other) { return sub(real(256), of_other); };
  const auto second = [&](I32 level) {
    return b_.IMinU32(b_.IAdd32(level, word(1)), uniform_word(sample_words::kLastLevel));
  };
  Levels sum;
  if (!first || !before_.valid()) {
    const LevelResult a = level_result(where_.level(first));
    add_level(sum, a, of_first, b_.constant(true), nullptr);
    const LevelResult b = first ? level_result(where_.level(second(*first))) : a;
    add_level(sum, b, of_second(of_first), b_.constant(false), nullptr);
    return sum;
  }
  std::optional<I1> counts;
  if (is_exact()) counts = b_.AnyLane(b_.INe32(weight, word(0)));
  LevelLoop loop(b_, before_);
  I32 turn, number;
  F32 factor;
  loop.carry_uniform(turn, word(0));
  loop.carry_uniform(number, *first);
  loop.carry_uniform(factor, of_first);
  const I1 is_first = b_.IEq32(turn, word(0));
  add_level(sum, level_result(where_.level(number)), factor, is_first, &loop);
  turn = word(1);
  number = second(number);
  factor = of_second(factor);
  loop.end(counts ? b_.And1(is_first, *counts) : is_first);
  return sum;
}

Filter::Results Filter::of_levels(const Levels& levels, I1 magnified) {
  Results results;
  for (unsigned k = 0; k < 4; ++k) {
    results[k] = word(0);
    if (!wants(k)) continue;
    const std::optional<I32> fixed = fixed_value(k);
    if (is_settled(k)) {
      results[k] = *fixed;
      continue;
    }
    const unsigned component = key_.compare ? 0 : component_of(k);
    std::optional<F32> whole;
    if (path_.integers)
      whole = fixed ? as_float(*fixed) : mul(levels.sums[component], real(scale(component) / 256));
    if (!levels.floats[k].valid()) {
      results[k] = as_word(*whole);
      continue;
    }
    F32 chosen = mul(levels.floats[k], real(1.0F / 256));
    if (!numbers_alone_) chosen = as_float(as_result(chosen));
    // The first level alone, where that is magnified.
    if (!is_exact()) chosen = b_.select(magnified, levels.first[k], chosen);
    if (whole) chosen = b_.select(*levels.any_out, chosen, *whole);
    results[k] = as_word(chosen);
  }
  return results;
}

}  // namespace warpjit::ir::samples
