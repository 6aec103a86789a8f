// Words in vectors, for AVX2 and AVX-512; tables.
#include "backend/x64/lower.h"

#include <bit>

namespace warpjit::backend::x64 {

using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

Reg Words::shift_by(Shift kind, Reg value, Reg count) {
  static constexpr Op kOps[] = {Op::ShlV, Op::ShrUV, Op::ShrSV};
  return vvv(kOps[static_cast<std::size_t>(kind)], value, count);
}

Reg Words::greater_than(Reg a, const Source& b) {
  if (!host_.mask_registers) return vvv(Op::ICmpGt, a, b);
  return compare(Op::CmpI, a, b, integer_predicate::kGt);
}

Reg Words::equal(Reg a, const Source& b) {
  if (!host_.mask_registers) return vvv(Op::ICmpEq, a, b);
  return compare(Op::CmpI, a, b, integer_predicate::kEq);
}

Reg Words::multiply_add(Reg a, Reg b, const Source& c) {
  const InstRef inst = add(Op::Fma, RegClass::vector);
  use(inst, a);
  use(inst, b);
  use_source(inst, c);
  if (c.in_memory()) inst->fold = 0;
  inst->prefer = 7;
  return inst->def;
}

// The least numbers become zeros in any rounding: to nearest and to zero they do so here. The NaN is
// that of all ones. Denormals are what they are in either mode.
Reg Words::to_half(Reg x, ir::RoundingMode mode) {
  constexpr int kNearest = 0, kToZero = 3;
  if (mode != ir::RoundingMode::nearest && mode != ir::RoundingMode::zero) return lir::kNoReg;
  Reg halves = with_halves(Op::CvtToHalves, nan_as(0x7fffffff, x),
                           mode == ir::RoundingMode::nearest ? kNearest : kToZero);
  return with_halves(Op::WordsOfHalves, halves);
}

Reg Words::lower_halves(Reg words) {
  if (host_.mask_registers) return with_halves(Op::HalvesOfWords, words);
  std::array<std::uint32_t, kMostHostLanes> lower{};  // bytes of each 128 bits
  for (std::size_t n = 0; n < lower.size(); n += 4) lower[n] = 0x05040100, lower[n + 1] = 0x0d0c0908;
  Reg halves = vvv(Op::ShuffleBytes, words, Source{lir::kNoReg, pool_mem(lower)});
  return vv(Op::Permute64, halves, 0b1000);
}

Reg Words::from_half(Reg half) { return nan_as(0x7fffffff, number_of_half(half)); }
Reg Words::number_of_half(Reg half) { return with_halves(Op::CvtFromHalves, lower_halves(half)); }
Reg Words::round_to_half(Reg x) { return with_halves(Op::CvtFromHalves, with_halves(Op::CvtToHalves, x)); }
Reg Words::half_of(Reg x) {
  return with_halves(Op::WordsOfHalves, with_halves(Op::CvtToHalves, nan_as(0x7fc00000, x)));
}

// A permutation of AVX-512 chooses among 32 words; bits of the index that it does not look at choose among
// permutations. Measured on an AMD EPYC (family 25, model 17): eight loads and permutations with their
// selects take half the time of a gather; with 256 words they take as long. A permutation of AVX2 chooses
// among 8; four of them and three selects, which look up 32, take 0.7 times as long as a gather on Zen 3.
bool Words::permutes(std::size_t words) const { return words <= host_.permuted_words; }

Reg Words::look_up(std::span<const std::uint32_t> words, Reg index) {
  if (permutes(words.size())) return permute(words, index);
  const bool folds = !host_.mask_registers && permutes(words.size() / 4) && is_wave(words);
  return folds ? look_up_wave(words, index) : gather(words, index);
}

// True if the words are one turn of a sine. Then both halves begin with 0, the rest of each half is the same
// backwards, and the second half has the other signs.
bool Words::is_wave(std::span<const std::uint32_t> words) {
  constexpr std::uint32_t kSign = 0x80000000;
  const std::size_t half = words.size() / 2;
  if (half < 4 || words[0] != 0 || words[half] != 0) return false;
  for (std::size_t n = 1; n < half; ++n)
    if (words[half - n] != words[n] || words[half + n] != (words[n] ^ kSign)) return false;
  return true;
}

// Only the words of the first quarter are looked up, but for its 0. Twelve instructions, where a gather of
// Zen 3 takes 12 clocks, of Zen 5 six and of a Xeon four.
Reg Words::look_up_wave(std::span<const std::uint32_t> words, Reg index) {
  const auto quarter = static_cast<std::uint32_t>(words.size() / 4), half = 2 * quarter;
  const Source last = constant_source(half - 1);
  Reg inside = vvv(Op::And, index, last);
  // The word among these, from either side of the sine's top; -1: one of the two zeros.
  Reg place = vvv(Op::IMinS, vvv(Op::IAdd, inside, constant_source(UINT32_MAX)),
                  reg_source(vvv(Op::Xor, inside, last)));
  Reg sign = vvv(Op::And, bit_to_sign(index, half), constant_source(0x80000000));
  Reg found = vvv(Op::Xor, permute(words.subspan(1, quarter), place), sign);
  return blend(found, constant_source(0), place);
}

Reg Words::bit_to_sign(Reg index, std::uint32_t bit) {
  return with_immediate(Op::Shl, index, std::countl_zero(bit));
}

// A sum of products of halves takes half as long as vpmulld (costs.inc).
Reg Words::multiply_lower_halves(Reg a, Reg b) {
  Reg product = vvv(Op::DotHalves, a, b);
  code_.insts.back().prefer = 3;
  return product;
}

// With AVX2 rows of both tables are loaded lane by lane, which takes less time than two gathers.
std::array<Reg, 2> Words::look_up_rows(std::span<const std::uint32_t> first,
                                       std::span<const std::uint32_t> second, Reg word, int bit) {
  if (host_.mask_registers || permutes(first.size())) return {lir::kNoReg, lir::kNoReg};
  constexpr std::size_t kRow = 4;  // words: two, and two that are not used
  constexpr int kRowBytesLog2 = 4;
  std::vector<std::uint32_t> rows(kRow * first.size());
  for (std::size_t n = 0; n < first.size(); ++n) {
    rows[kRow * n] = first[n];
    rows[kRow * n + 1] = second[n];
  }
  Reg base = table_address(rows);
  const auto last_row = static_cast<std::uint32_t>(first.size() - 1) << kRowBytesLog2;
  Reg places = vvv(Op::And, with_immediate(Op::ShrU, word, bit - kRowBytesLog2), constant_source(last_row));
  const std::array<Reg, 4> vectors = rows_of_lanes(base, places);
  Reg lower = vvv(Op::UnpackLo, vectors[0], vectors[1]), upper = vvv(Op::UnpackLo, vectors[2], vectors[3]);
  Reg of_first = vvv(Op::UnpackLoD, lower, upper);
  return {of_first, vvv(Op::UnpackHiD, lower, upper)};
}

Reg Words::table_address(std::span<const std::uint32_t> words) {
  const InstRef address = add(Op::SPoolAddress, RegClass::scalar);
  address->mem.base = MemBase::pool;
  address->mem.displacement = pool_.table(words);
  address->flags |= lir::kRemat;
  return address->def;
}

Reg Words::permute(std::span<const std::uint32_t> words, Reg index) {
  const std::size_t lanes = host_.lanes;
  if (words.size() <= lanes) {
    std::array<std::uint32_t, kMostHostLanes> repeated{};
    for (std::size_t n = 0; n < lanes; ++n) repeated[n] = words[n % words.size()];
    return vvv(Op::LookUpInOne, index, Source{lir::kNoReg, pool_mem({repeated.data(), lanes})});
  }
  if (!host_.mask_registers) {  // a select looks at signs alone
    const auto half = static_cast<std::uint32_t>(words.size() / 2);
    Reg lower = permute(words.first(half), index), upper = permute(words.last(half), index);
    return blend(lower, reg_source(upper), bit_to_sign(index, half));
  }
  if (words.size() > 2 * lanes) {
    const std::size_t half = words.size() / 2;
    Reg lower = permute(words.first(half), index), upper = permute(words.last(half), index);
    return blend(lower, reg_source(upper), has_bit(index, static_cast<std::uint32_t>(half)));
  }
  Source lower, upper;
  lower.mem.base = MemBase::pool;
  lower.mem.displacement = pool_.table(words);
  upper = lower;
  upper.mem.displacement += static_cast<std::int32_t>(host_.vector_bytes);
  Reg first = load_constant(lower.mem);
  const InstRef inst = add(Op::LookUp, RegClass::vector);
  inst->flags |= lir::kTied;
  use(inst, first);
  use(inst, index);
  use_source(inst, upper);
  return inst->def;
}

// Two tables are often looked up by one index.
Reg Words::has_bit(Reg index, std::uint32_t bit) {
  for (const Tested& known : tested_)
    if (known.index == index && known.bit == bit && known.block == current_block()) return known.mask;
  const InstRef inst = add(Op::TestBits, RegClass::mask);
  use(inst, index);
  use_source(inst, constant_source(bit));
  tested_[next_tested_] = {index, inst->def, bit, current_block()};
  next_tested_ = (next_tested_ + 1) % tested_.size();
  return inst->def;
}

Reg Words::gather(std::span<const std::uint32_t> words, Reg index) {
  Reg inside = vvv(Op::And, index, constant_source(static_cast<std::uint32_t>(words.size() - 1)));
  Reg base = table_address(words);
  Reg mask = add(host_.mask_registers ? Op::KOnes : Op::Ones, mask_class())->def;  // which the gather clears
  const InstRef inst = add(Op::Gather, RegClass::vector);
  inst->flags |= lir::kEarlyClobber;
  use(inst, inside);
  use(inst, mask);
  use(inst, base);
  inst->mem = {MemBase::reg, 2, 0xff, 2, false, 0};
  return inst->def;
}

}  // namespace warpjit::backend::x64
