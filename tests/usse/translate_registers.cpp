#include "usse/translate_registers.h"

#include <array>

#include "frontend/usse/translate/program.h"

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

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

Result<ir::Function> translate_registers(const Program& program) {
  WARPJIT_TRY(Code primary, Code::decode(program, false, true));
  WARPJIT_TRY(Code secondary, Code::decode(program, true));
  return RegistersTranslator(program, std::move(primary), std::move(secondary)).run();
}

}  // namespace warpjit::usse
