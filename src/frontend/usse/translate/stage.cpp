// The stages around a program: vertices as rows, and registers that tests give.
#include <algorithm>
#include <bit>

#include "frontend/usse/facts/slots.h"
#include "frontend/usse/translate/program.h"

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

class VertexTranslator final : public ProgramTranslator {
 public:
  VertexTranslator(const Program& program, Code primary, Code secondary, std::uint64_t inputs,
                   std::span<const std::uint8_t> outputs, std::span<const ir::SampleKey> samples)
      : ProgramTranslator(program, register_file(program),
                          uniform_table(program, texture_uses(program).size()), std::move(primary),
                          std::move(secondary), samples),
        inputs_(inputs),
        outputs_(outputs) {
    function_.input_count = static_cast<std::uint32_t>(std::popcount(inputs));
    function_.output_count = static_cast<std::uint32_t>(outputs.size());
  }

 private:
  void begin() override {
    for (std::uint32_t n = 0; n < kVertexRows; ++n) {
      if ((inputs_ >> n & 1) == 0 || 4 * n >= file_.pa) continue;
      const std::array<I32, 4> row = input(n);
      for (std::uint32_t k = 0; k < 4; ++k) set_attribute(4 * n + k, row[k]);
    }
    const VertexInterface& vertex = program_.vertex;
    if ((inputs_ >> kNumbersInput & 1) != 0 && (vertex.index || vertex.instance)) {
      const std::array<I32, 4> row = input(kNumbersInput);
      if (vertex.index) set_attribute(*vertex.index, row[0]);
      if (vertex.instance) set_attribute(*vertex.instance, row[1]);
    }
    b_.jump(start());
  }

  std::array<I32, 4> input(std::uint32_t number) {
    const std::uint64_t below = inputs_ & ((std::uint64_t{1} << number) - 1);
    const auto row = b_.LoadInput(static_cast<std::uint32_t>(std::popcount(below)));
    std::array<I32, 4> words;
    for (unsigned k = 0; k < 4; ++k) words[k] = b_.BitcastF32ToI32(row[k]);
    return words;
  }
  void set_attribute(std::uint32_t number, I32 value) {
    if (number < file_.pa) write(file_.first_pa() + number, value);
  }

  void end() override {
    const std::array<SlotSource, kSlots> slots = slot_sources(program_);
    secondary_ = false;
    for (std::uint32_t n = 0; n < outputs_.size(); ++n) {
      std::array<F32, 4> row;
      for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t slot = std::size_t{4} * outputs_[n] + k;
        row[k] = slot < kSlots ? slot_value(slots[slot]) : real(0.0F);
      }
      b_.StoreOutput(truth(true), row[0], row[1], row[2], row[3], n);
    }
  }
  F32 slot_value(const SlotSource& source) {
    if (source.kind == SlotSource::Kind::zero) return real(0.0F);
    if (source.kind == SlotSource::Kind::one) return real(1.0F);
    const I32 value = read_bank(Bank::o, source.word);
    if (source.kind == SlotSource::Kind::word) return as_float(value);
    const unsigned low = source.kind == SlotSource::Kind::low_half ? 0 : 16;
    return b_.CanonicalizeNaN32(half_value(bits_of(value, low, 16, false)));
  }

  const std::uint64_t inputs_;
  const std::span<const std::uint8_t> outputs_;
};

class RegistersTranslator final : public ProgramTranslator {
 public:
  RegistersTranslator(const Program& program, Code primary, Code secondary)
      : ProgramTranslator(program, {kRegistersOfBank, kRegistersOfBank, kRegistersOfBank, kRegistersOfBank},
                          uniform_table(program, texture_uses(program).size()), std::move(primary),
                          std::move(secondary), {}) {
    function_.input_count = function_.output_count = 1;
    mark_written(primary_code_);
  }

 private:
  // The variable of a word of the rows.
  std::uint32_t variable(std::uint32_t n) const {
    if (n < kFirstInternalWord) return kVarBanks + n;
    if (n < kFirstPredicateWord) return kVarInternal + n - kFirstInternalWord;
    if (n < kFirstIndexWord) return kVarPredicate + n - kFirstPredicateWord;
    return kVarIndex + n - kFirstIndexWord;
  }
  static bool is_predicate(std::uint32_t n) { return n >= kFirstPredicateWord && n < kFirstIndexWord; }
  static constexpr std::uint32_t kFirstSharedWord = 3 * kRegistersOfBank;
  static bool is_shared(std::uint32_t n) { return n >= kFirstSharedWord && n < kFirstInternalWord; }
  static constexpr std::uint32_t kWords = kFirstIndexWord + 2;
  static bool in_rows(std::uint32_t n) { return n < kWords; }

  void begin() override {
    for (std::uint32_t row = 0; row < kRegisterRows; ++row) {
      const auto words = b_.LoadInputRow(word(row), std::uint64_t{kRegisterRows} << 32);
      for (std::uint32_t k = 0; k < 4; ++k) {
        const std::uint32_t n = 4 * row + k;
        if (!in_rows(n)) continue;
        if (is_shared(n)) {
          if (written_sa_[n - kFirstSharedWord]) before_[n] = read(variable(n));
          continue;
        }
        const I32 value = b_.BitcastF32ToI32(words[k]);
        if (is_predicate(n)) {
          const I1 set = b_.INe32(value, word(0));
          write(variable(n), set);
          before_[n] = set;
        } else {
          write(variable(n), value);
          before_[n] = value;
        }
      }
    }
    b_.jump(start());
  }

  void end() override {
    for (std::uint32_t row = 0; row < kRegisterRows; ++row) {
      std::array<F32, 4> words;
      bool changed = false;
      for (std::uint32_t k = 0; k < 4; ++k) {
        const std::uint32_t n = 4 * row + k;
        words[k] = real(0.0F);
        if (!in_rows(n)) continue;
        if (is_shared(n) && !written_sa_[n - kFirstSharedWord]) {
          // Where others of the row change, it stays as it is.
          words[k] = b_.LoadUniformF32(table_.sa(n - kFirstSharedWord));
          continue;
        }
        const ir::Value value = ssa_.read(b_.block(), variable(n));
        changed = changed || value.id != before_[n].id;
        words[k] = as_float(is_predicate(n) ? b_.select(I1{value}, word(1), word(0)) : I32{value});
      }
      if (changed)
        b_.StoreOutputRow(truth(true), word(row), words[0], words[1], words[2], words[3],
                          std::uint64_t{kRegisterRows} << 32);
    }
  }

  std::array<ir::Value, kWords> before_{};
};

}  // namespace

Result<ir::Function> translate_vertex(const Program& program, std::uint64_t inputs,
                                      std::span<const std::uint8_t> outputs,
                                      std::span<const ir::SampleKey> samples) {
  WARPJIT_TRY(Code primary, Code::decode(program, false));
  WARPJIT_TRY(Code secondary, Code::decode(program, true));
  return VertexTranslator(program, std::move(primary), std::move(secondary), inputs, outputs, samples).run();
}

Result<ir::Function> translate_registers(const Program& program) {
  WARPJIT_TRY(Code primary, Code::decode(program, false, true));
  WARPJIT_TRY(Code secondary, Code::decode(program, true));
  return RegistersTranslator(program, std::move(primary), std::move(secondary)).run();
}

}  // namespace warpjit::usse
