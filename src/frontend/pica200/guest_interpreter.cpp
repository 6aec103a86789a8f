#include "frontend/pica200/guest_interpreter.h"

#include <bit>
#include <cstddef>
#include <cstring>

#include "frontend/pica200/interpret/draw.h"
#include "frontend/pica200/stage_values.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {

// The owner of a unit has its rows, too.
static_assert(sizeof(GeometryUnit) == 16 * UnitRows::kCount);
static_assert(offsetof(GeometryUnit, a0) == 16 * UnitRows::kAddress &&
              offsetof(GeometryUnit, vertex) == 16 * UnitRows::kLatch &&
              offsetof(GeometryUnit, outputs) == 16 * UnitRows::kBank &&
              offsetof(GeometryUnit, vertices) == 16 * UnitRows::kBuffer);

void write_unit(const InterpretedUnit& unit, bool b15, std::byte* rows) {
  const ThreadState& s = unit.registers;
  const auto at = [&](std::uint32_t number) { return rows + 16 * std::size_t{number}; };
  std::memcpy(at(UnitRows::kR), s.r, sizeof s.r);
  const std::int32_t address[4] = {s.a0[0], s.a0[1], s.aL, s.cmp[0] | s.cmp[1] << 1};
  std::memcpy(at(UnitRows::kAddress), address, sizeof address);
  const std::int32_t latch[4] = {unit.vertex, unit.primitive | unit.winding << 1 | b15 << 2, 0, 0};
  std::memcpy(at(UnitRows::kLatch), latch, sizeof latch);
  std::memcpy(at(UnitRows::kBank), s.o, sizeof s.o);
  std::memcpy(at(UnitRows::kOther), unit.other_bank, sizeof unit.other_bank);
  std::memcpy(at(UnitRows::kBuffer), unit.vertices, sizeof unit.vertices);
}
bool read_unit(const std::byte* rows, InterpretedUnit& unit) {
  ThreadState& s = unit.registers;
  const auto at = [&](std::uint32_t number) { return rows + 16 * std::size_t{number}; };
  std::memcpy(s.r, at(UnitRows::kR), sizeof s.r);
  std::int32_t address[4], latch[4];
  std::memcpy(address, at(UnitRows::kAddress), sizeof address);
  std::memcpy(latch, at(UnitRows::kLatch), sizeof latch);
  s.a0[0] = address[0];
  s.a0[1] = address[1];
  s.aL = address[2];
  s.cmp[0] = (address[3] & 1) != 0;
  s.cmp[1] = (address[3] & 2) != 0;
  unit.vertex = latch[0] & 3;
  unit.primitive = (latch[1] & 1) != 0;
  unit.winding = (latch[1] & 2) != 0;
  std::memcpy(s.o, at(UnitRows::kBank), sizeof s.o);
  std::memcpy(unit.other_bank, at(UnitRows::kOther), sizeof unit.other_bank);
  std::memcpy(unit.vertices, at(UnitRows::kBuffer), sizeof unit.vertices);
  return (latch[1] & 4) != 0;
}

namespace {

void load_inputs(const frontend::RowFacts& facts, std::span<const frontend::Rows> inputs, std::size_t thread,
                 ThreadState& state) {
  std::size_t binding = 0;
  for (std::uint64_t bits = facts.bound_inputs; bits != 0; bits &= bits - 1, ++binding)
    std::memcpy(state.v[std::countr_zero(bits)], inputs[binding].row(thread), 16);
}

void store_register(const ThreadState& state, unsigned number, std::byte* to) {
  if (number < 32) {
    std::memcpy(to, number < 16 ? state.o[number] : state.r[number - 16], 16);
    return;
  }
  std::int32_t words[4] = {};
  if (number == 32) std::memcpy(words, state.a0, sizeof state.a0);
  if (number == 33) words[0] = state.aL;
  if (number == 34) words[0] = state.cmp[0], words[1] = state.cmp[1];
  std::memcpy(to, words, sizeof words);
}

// The observer, if it is to see a thread. Null: nobody is.
interpret::Observer* observer_of(const RunLimits& limits, std::size_t thread) {
  interpret::Observer* const observer = limits.observer;
  if (observer == nullptr ||
      !observer->observes({.kind = interpret::ObservedGroup::Kind::rows, .lanes = 1, .first = thread}))
    return nullptr;
  return observer;
}

class InvocationInterpreter final : public frontend::GuestInterpreter {
 public:
  explicit InvocationInterpreter(Interpreter interpreter) : interpreter_(std::move(interpreter)) {}

  Status run(const frontend::Values& values, const frontend::Facts& facts,
             std::span<const frontend::Rows> inputs, std::span<const frontend::Rows> outputs,
             std::size_t count, const RunLimits& limits) const override {
    if (count == 0) return {};
    const auto& primitives = facts.get<frontend::PrimitiveFacts>();
    Uniforms uniforms = uniforms_of(values);
    InterpretedUnit unit;
    unit.enabled = static_cast<std::uint16_t>(primitives.enabled);
    const bool b15 = read_unit(inputs.back().address, unit);
    uniforms.b = static_cast<std::uint16_t>((uniforms.b & 0x7fff) | b15 << 15);
    const auto bound = static_cast<std::size_t>(std::popcount(primitives.bound_inputs));
    const auto extra = outputs.subspan(primitives.output_count);
    for (std::size_t t = 0; t < count; ++t) {
      load_inputs(primitives, inputs, t, unit.registers);
      if (primitives.row_count != 0)
        std::memcpy(uniforms.c[primitives.first_row], inputs[bound].row(t),
                    std::size_t{primitives.row_count} * 16);
      const bool wide = primitives.max_triangles > Triangles::kMost;
      unit.triangles = {
          extra[frontend::kTrianglesOutput].row(t), primitives.max_triangles - (wide ? 1 : 0), 0, {}};
      if (Status status = interpreter_.run(uniforms, unit, limits, observer_of(limits, t)); !status)
        return status;
      const Triangles& made = unit.triangles;
      if (wide && made.count > Triangles::kMostWide)
        return Error{ErrorCode::resource_limit,
                     "an invocation emits more than " + std::to_string(Triangles::kMostWide) + " triangles",
                     "geometry program"};
      if (wide && unit.enabled != 0) {
        constexpr std::size_t kFirst = Triangles::kMost / 32;
        std::memcpy(
            made.rows + std::size_t{made.room} * 3 * static_cast<unsigned>(std::popcount(unit.enabled)) * 16,
            made.inverted.data() + kFirst, (made.inverted.size() - kFirst) * sizeof(std::uint32_t));
      }
      const std::uint32_t emission[4] = {made.count, made.inverted[0], made.inverted[1], made.inverted[2]};
      std::memcpy(extra[frontend::kEmissionOutput].row(t), emission, sizeof emission);
      for (std::size_t k = 0; k < primitives.output_count; ++k) {
        std::byte* to = outputs[k].row(t);
        if (primitives.outputs[k] != kEmitNumber) {
          store_register(unit.registers, primitives.outputs[k], to);
          continue;
        }
        const std::uint32_t latch[4] = {unit.vertex, unit.primitive, unit.winding, 0};
        std::memcpy(to, latch, sizeof latch);
      }
    }
    write_unit(unit, true, extra[frontend::kUnitOutput].address);
    return {};
  }

 private:
  Interpreter interpreter_;
};

class RowInterpreter final : public frontend::GuestInterpreter {
 public:
  explicit RowInterpreter(Interpreter interpreter) : interpreter_(std::move(interpreter)) {}

  Status run(const frontend::Values& values, const frontend::Facts& facts,
             std::span<const frontend::Rows> inputs, std::span<const frontend::Rows> outputs,
             std::size_t thread_count, const RunLimits& limits) const override {
    const Uniforms uniforms = uniforms_of(values);
    const ThreadState start = start_of(values);
    const auto* draw = facts.get_if<frontend::DrawFacts>();
    const auto* rows = facts.get_if<frontend::RowFacts>();
    for (std::size_t t = 0; t < thread_count; ++t) {
      ThreadState state = start;
      if (draw != nullptr)
        fetch_vertex(*draw, inputs, t, values.words.data() + ValueWords::kFixedInputs, state);
      else
        load_inputs(*rows, inputs, t, state);
      interpret::Observer* const observer = observer_of(limits, t);
      if (Status status = observer == nullptr ? interpreter_.run(uniforms, state, limits)
                                              : interpreter_.run(uniforms, state, limits, *observer);
          !status)
        return status;
      canonicalize_outputs(state);
      if (draw != nullptr) {
        store_vertex(*draw, state, outputs, t);
        continue;
      }
      for (std::size_t k = 0; k < rows->output_count; ++k)
        store_register(state, rows->outputs[k], outputs[k].row(t));
    }
    return {};
  }

 private:
  Interpreter interpreter_;
};

}  // namespace

Result<std::unique_ptr<frontend::GuestInterpreter>> make_guest_interpreter(const Program& program) {
  WARPJIT_TRY(Interpreter interpreter, Interpreter::prepare(program, program.entry));
  std::unique_ptr<frontend::GuestInterpreter> guest;
  if (program.stage == Stage::geometry)
    guest = std::make_unique<InvocationInterpreter>(std::move(interpreter));
  else
    guest = std::make_unique<RowInterpreter>(std::move(interpreter));
  return guest;
}

}  // namespace warpjit::pica200
