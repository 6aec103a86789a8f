// Makes NaNs canonical only where someone looks at bits, and where they are not already. It does not matter
// which NaN other values are: one that goes around a loop from one arithmetic operation to the next needs no
// canonical one. What stays stands side by side where that is possible, for code that tests several values at
// once for a NaN.
#include <algorithm>

#include "base/sfu.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

bool is_special_function(const Function& f, Inst i) {
  return f.inst(i).opcode == Opcode::TeslaSpecialFunction32;
}
sfu::Function special_function(const Function& f, Inst i) {
  return static_cast<sfu::Function>(f.inst(i).immediate);
}
bool takes_fixed_point(sfu::Function function) {
  return function == sfu::Function::sin || function == sfu::Function::cos || function == sfu::Function::ex2;
}

// By value: true if it is read by anything but what takes fixed-point numbers. Only the sign of such a number
// shows which NaN it was made of, and that of no number does not matter there.
std::vector<char> read_as_other_than_fixed_point(const Function& f) {
  std::vector<char> read(f.value_count(), 0);
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b}))
      if (!is_special_function(f, i) || !takes_fixed_point(special_function(f, i)))
        for (Value v : f.operands(i)) read[v.id] = 1;
  return read;
}

// The code of samples computes with coordinates, references and levels that are floats.
bool is_float_of_sample(const Function& f, Inst i, std::uint32_t k) {
  constexpr std::uint32_t kLastCoordinate = 3, kLayer = 4;
  const SampleUse use = SampleUse::unpack(f.inst(i).immediate);
  if (use.operation == SampleOperation::fetch || use.operation == SampleOperation::size) return false;
  if (k == kLastCoordinate) return !f.samples[use.source].key.gives_face;
  return k != kLayer;
}

// The NaNs whose bits are looked at: of a word that is an f32, of one that is two halves.
enum : std::uint8_t { kNone = 0, kSingle = 1, kHalves = 2, kAny = 3 };

// What makes halves of halves.
bool is_of_halves(const Function& f, Inst i) {
  const Opcode opcode = f.inst(i).opcode;
  if (opcode == Opcode::HalvesOfF32 || opcode == Opcode::HalvesOfBytes ||
      opcode == Opcode::HalvesOfUpperBytes || opcode == Opcode::HalvesLowBytes)
    return false;
  return family(opcode) == Family::half_arithmetic || opcode == Opcode::CanonicalizeNaNHalves;
}

bool is_by(const Function& f, Inst i, std::uint64_t constant) {
  return f.is_constant(f.operand(i, 1)) && f.constant(f.operand(i, 1)) == constant;
}
// True if this half of the word is 0.
bool lacks_half(const Function& f, Value word, bool upper) {
  if (f.is_constant(word)) return (f.constant(word) & (upper ? 0xffff0000 : 0xffff)) == 0;
  const Inst i = f.definition(word);
  switch (f.inst(i).opcode) {
    case Opcode::IAnd32:
      return is_by(f, i, upper ? 0xffff : 0xffff0000);
    case Opcode::IShrU32:
      return upper && is_by(f, i, 16);
    case Opcode::IShl32:
      return !upper && is_by(f, i, 16);
    default:
      return false;
  }
}
// One half as it is, or two of two words.
bool moves_halves(const Function& f, Inst i) {
  switch (f.inst(i).opcode) {
    case Opcode::IShl32:
    case Opcode::IShrU32:
      return is_by(f, i, 16);
    case Opcode::IAnd32:
      return is_by(f, i, 0xffff) || is_by(f, i, 0xffff0000);
    case Opcode::IOr32: {
      const Value a = f.operand(i, 0), b = f.operand(i, 1);
      return (lacks_half(f, a, true) && lacks_half(f, b, false)) ||
             (lacks_half(f, a, false) && lacks_half(f, b, true));
    }
    default:
      return false;
  }
}

// Pure operations on floats give the same for every NaN, or some NaN, and so do special functions of floats;
// other callouts take raw words.
std::uint8_t looked_at(const Function& f, Inst i, std::uint32_t k, const std::vector<char>& read) {
  const Opcode opcode = f.inst(i).opcode;
  const OpcodeInfo& row = info(opcode);
  if (is_of_halves(f, i) || opcode == Opcode::HalfToF32 || moves_halves(f, i)) return kSingle;
  if (row.hands_on(k)) return kNone;
  if (opcode == Opcode::Sample) return is_float_of_sample(f, i, k) ? kHalves : kAny;
  if (!row.pure || row.operands[k] != 'f') return kAny;
  if (!is_special_function(f, i)) return row.callout ? kAny : kHalves;
  const sfu::Function function = special_function(f, i);
  const bool looks =
      sfu::gives_fixed_point(function) ? read[f.result(i).id] != 0 : takes_fixed_point(function);
  return looks ? kAny : kHalves;
}

// The NaNs for which it gives the bits of operand k as they are.
std::uint8_t handed_on(const Function& f, Inst i, std::uint32_t k) {
  if (moves_halves(f, i)) return kHalves;
  if (!info(f.inst(i).opcode).hands_on(k)) return kNone;
  return is_of_halves(f, i) ? kHalves : kAny;
}

std::uint8_t kind_of(Opcode canonical) {
  return canonical == Opcode::CanonicalizeNaNHalves ? kHalves : kSingle;
}

// By value: the NaNs whose bits may show in anything but the payload of another NaN. Linear.
std::vector<std::uint8_t> seen_as_bits(const Function& f) {
  std::vector<std::uint8_t> seen(f.value_count(), kNone);
  std::vector<Value> work;
  const auto see = [&](Value v, unsigned kinds) {
    if ((kinds & ~seen[v.id]) == 0) return;
    seen[v.id] |= static_cast<std::uint8_t>(kinds);
    work.push_back(v);
  };
  const std::vector<char> read = read_as_other_than_fixed_point(f);
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b})) {
      const auto operands = f.operands(i);
      for (std::uint32_t k = 0; k < operands.size(); ++k) see(operands[k], looked_at(f, i, k, read));
    }
  while (!work.empty()) {
    const Value v = work.back();
    work.pop_back();
    const Inst i = f.definition(v);
    const auto operands = f.operands(i);
    for (std::uint32_t k = 0; k < operands.size(); ++k)
      see(operands[k], static_cast<unsigned>(handed_on(f, i, k) & seen[v.id]));
  }
  return seen;
}

// NaNs that special functions give are all ones; fixed-point numbers are no NaNs.
bool is_canonical(const Function& f, Inst canonical) {
  const Opcode made = f.definition_of(f.operand(canonical, 0)).opcode;
  return f.inst(canonical).opcode == Opcode::CanonicalizeNaNOnes32 && made == Opcode::TeslaSpecialFunction32;
}

}  // namespace

void drop_canonical_nans(Function& f) {
  std::vector<Inst> canonical;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b}))
      if (family(f.inst(i).opcode) == Family::canonical_nan) canonical.push_back(i);
  if (canonical.empty()) return;
  const std::vector<std::uint8_t> seen = seen_as_bits(f);
  std::vector<Value> replacement(f.value_count());
  for (Inst i : canonical) {
    if ((seen[f.result(i).id] & kind_of(f.inst(i).opcode)) != 0 && !is_canonical(f, i)) continue;
    replacement[f.result(i).id] = f.operand(i, 0);
    f.remove(i);
  }
  f.replace_values(replacement);
}

namespace {

bool makes_canonical(const Function& f, Inst i) { return family(f.inst(i).opcode) == Family::canonical_nan; }

// Operations on floats take what there was before, and so need not wait for it; but for special functions,
// whose code may depend on it. `canonical`, by value: true if one of these makes it.
void read_before(Function& f, const std::vector<char>& canonical) {
  std::vector<Value> operands;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b})) {
      const auto now = f.operands(i);
      if (std::none_of(now.begin(), now.end(), [&](Value v) { return canonical[v.id] != 0; })) continue;
      if (makes_canonical(f, i) || is_special_function(f, i)) continue;
      operands.assign(now.begin(), now.end());
      for (std::uint32_t k = 0; k < operands.size(); ++k) {
        if (canonical[operands[k].id] == 0) continue;
        const std::uint8_t kind = kind_of(f.definition_of(operands[k]).opcode);
        if ((handed_on(f, i, k) & kind) == 0 && (looked_at(f, i, k, {}) & kind) == 0)
          operands[k] = f.operand(f.definition(operands[k]), 0);
      }
      f.set_operands(i, operands);
    }
}

// Moves what makes NaNs canonical, with the words of the results, down to where one of these is first read.
class Gatherer {
 public:
  explicit Gatherer(Function& f) : f_(f), waiting_(f.value_count(), 0) {}

  void run() {
    for (std::uint32_t b = 0; b < f_.block_count(); ++b) {
      for (Inst i : f_.insts(Block{b})) look(i);
      forget();  // what other blocks read
    }
  }

 private:
  void look(Inst i) {
    const Opcode opcode = f_.inst(i).opcode;
    if (makes_canonical(f_, i) && waiting_[f_.operand(i, 0).id] == 0) return wait(i, canonical_);
    if (opcode == Opcode::BitcastF32ToI32 && waiting_[f_.operand(i, 0).id] != 0) return wait(i, words_);
    bool reads = false;
    for (Value v : f_.operands(i)) reads = reads || waiting_[v.id] != 0;
    if (!reads) return;
    for (Inst waits : canonical_) move_before(i, waits);
    for (Inst waits : words_) move_before(i, waits);
    forget();
    if (makes_canonical(f_, i)) wait(i, canonical_);  // of a word of another one
  }
  void wait(Inst i, std::vector<Inst>& list) {
    list.push_back(i);
    waiting_[f_.result(i).id] = 1;
  }
  void move_before(Inst position, Inst moved) {
    f_.remove(moved);
    f_.insert_before(position, moved);
  }
  void forget() {
    for (const auto* list : {&canonical_, &words_})
      for (Inst i : *list) waiting_[f_.result(i).id] = 0;
    canonical_.clear();
    words_.clear();
  }

  Function& f_;
  std::vector<char> waiting_;  // by value
  std::vector<Inst> canonical_, words_;
};

}  // namespace

void gather_canonical_nans(Function& f) {
  std::vector<char> canonical(f.value_count(), 0);
  bool any = false;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b}))
      if (makes_canonical(f, i)) canonical[f.result(i).id] = any = true;
  if (!any) return;
  read_before(f, canonical);
  Gatherer(f).run();
}

}  // namespace warpjit::ir
