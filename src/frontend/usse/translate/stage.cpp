// The stage around a vertex program: vertices as rows.
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

}  // namespace

Result<ir::Function> translate_vertex(const Program& program, std::uint64_t inputs,
                                      std::span<const std::uint8_t> outputs,
                                      std::span<const ir::SampleKey> samples) {
  WARPJIT_TRY(Code primary, Code::decode(program, false));
  WARPJIT_TRY(Code secondary, Code::decode(program, true));
  return VertexTranslator(program, std::move(primary), std::move(secondary), inputs, outputs, samples).run();
}

}  // namespace warpjit::usse
