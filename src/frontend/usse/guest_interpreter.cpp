#include "frontend/usse/guest_interpreter.h"

#include <bit>
#include <cstring>

#include "frontend/usse/facts/slots.h"
#include "frontend/usse/interpret/fragment.h"
#include "frontend/usse/interpret/numbers.h"
#include "frontend/usse/interpret/run.h"

namespace warpjit::usse {
namespace {

constexpr unsigned kRows = 16;  // of pa; the input after them is the numbers of vertex and instance

class RowAndPixelInterpreter final : public frontend::GuestInterpreter {
 public:
  RowAndPixelInterpreter(Interpreter interpreter, const Program& program)
      : interpreter_(std::move(interpreter)), program_(program), slots_(slot_sources(program)) {}

  unsigned lanes() const override { return kLanes; }

  Status run(const frontend::Values& values, const frontend::Facts& facts,
             std::span<const frontend::Rows> inputs, std::span<const frontend::Rows> outputs,
             std::size_t thread_count, const RunLimits& limits) const override {
    const auto& rows = facts.get<frontend::RowFacts>();
    std::vector<std::uint32_t> sa = secondary_attributes(values);
    const std::vector<MemoryPiece> memory = pieces_of(values.grid);
    QuadRun outcome{
        .memory = memory, .textures = &values.grid.bound, .fuel = limits.fuel, .cancel = limits.cancel};
    WARPJIT_CHECK(interpreter_.check_textures(values.grid.bound));
    outcome.observer = limits.observer;
    WARPJIT_CHECK(interpreter_.run_secondary(sa, outcome));
    for (std::size_t first = 0; first < thread_count; first += kLanes) {
      const auto count = static_cast<unsigned>(std::min<std::size_t>(thread_count - first, kLanes));
      Quad quad;
      set_inputs(quad, rows, inputs, first, count);
      QuadRun run{.memory = memory,
                  .textures = &values.grid.bound,
                  .fuel = limits.fuel,
                  .cancel = limits.cancel,
                  .covered = low_mask<unsigned>(count)};
      if (limits.observer != nullptr) [[unlikely]]
        usse::show(*limits.observer,
                   {.kind = interpret::ObservedGroup::Kind::rows, .lanes = run.covered, .first = first},
                   words_set(rows), quad, interpreter_.own_attributes(sa), run);
      WARPJIT_CHECK(interpreter_.run_primary(quad, sa, run));
      for (std::uint32_t n = 0; n < rows.output_count; ++n)
        for (unsigned lane = 0; lane < count; ++lane) store(quad, rows.outputs[n], lane, outputs[n], first);
    }
    return {};
  }

  Status draw(const frontend::Values& values, const interpret::PixelWork& work,
              const RunLimits& limits) const override {
    return draw_fragments(interpreter_, values, work, limits);
  }

 private:
  void set_inputs(Quad& quad, const frontend::RowFacts& facts, std::span<const frontend::Rows> inputs,
                  std::size_t first, unsigned count) const {
    std::size_t binding = 0;
    for (std::uint64_t bits = facts.bound_inputs; bits != 0; bits &= bits - 1, ++binding) {
      const auto number = static_cast<unsigned>(std::countr_zero(bits));
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const std::size_t thread = first + std::min(lane, count - 1);
        std::array<std::uint32_t, 4> words;
        std::memcpy(words.data(), inputs[binding].row(thread), sizeof words);
        if (number < kRows) {
          for (unsigned k = 0; k < 4; ++k) quad.pa[4 * number + k][lane] = words[k];
          continue;
        }
        if (program_.vertex.index) quad.pa[*program_.vertex.index][lane] = words[0];
        if (program_.vertex.instance) quad.pa[*program_.vertex.instance][lane] = words[1];
      }
    }
  }
  // Words of pa that set_inputs sets.
  std::bitset<kMaxRegisters> words_set(const frontend::RowFacts& facts) const {
    std::bitset<kMaxRegisters> words;
    for (unsigned n = 0; n < 4 * kRows; ++n)
      if ((facts.bound_inputs >> n / 4 & 1) != 0) words.set(n);
    if ((facts.bound_inputs >> kRows & 1) == 0) return words;
    if (program_.vertex.index) words.set(*program_.vertex.index);
    if (program_.vertex.instance) words.set(*program_.vertex.instance);
    return words;
  }
  void store(const Quad& quad, unsigned number, unsigned lane, const frontend::Rows& rows,
             std::size_t first) const {
    std::array<std::uint32_t, 4> words{};
    for (unsigned k = 0; k < 4; ++k)
      if (4 * number + k < kSlots) words[k] = slot(quad, slots_[4 * number + k], lane);
    std::memcpy(rows.row(first + lane), words.data(), sizeof words);
  }
  static std::uint32_t slot(const Quad& quad, const SlotSource& source, unsigned lane) {
    const std::uint32_t word = quad.o[source.word][lane];
    switch (source.kind) {
      case SlotSource::Kind::zero:
        return 0;
      case SlotSource::Kind::one:
        return to_bits(1.0F);
      case SlotSource::Kind::word:
        return word;
      case SlotSource::Kind::low_half:
        return result_bits(half_value(static_cast<std::uint16_t>(word)));
      default:
        return result_bits(half_value(static_cast<std::uint16_t>(word >> 16)));
    }
  }

  Interpreter interpreter_;
  Program program_;
  std::array<SlotSource, kSlots> slots_;
};

}  // namespace

Result<std::unique_ptr<frontend::GuestInterpreter>> make_guest_interpreter(const Program& program) {
  WARPJIT_TRY(Interpreter interpreter, Interpreter::prepare(program));
  return std::unique_ptr<frontend::GuestInterpreter>(
      std::make_unique<RowAndPixelInterpreter>(std::move(interpreter), program));
}

}  // namespace warpjit::usse
