// Pipeline: the public handle.
#include <algorithm>
#include <cstring>
#include <new>

#include "base/float_environment.h"
#include "base/result.h"
#include "device/pica200/pipeline.h"
#include "device/pica200/pipeline_call.h"

namespace warpjit::pica200 {

namespace {

Status in_range(std::size_t number, std::size_t count, const char* what) {
  if (number < count) return {};
  return Error{ErrorCode::bad_input,
               std::to_string(number) + " is above the highest number, " + std::to_string(count - 1), what};
}

template <class Value>
Status assign(std::uint64_t& version, std::span<Value> to, std::span<const Value> values, std::size_t first,
              const char* what, const char* unit = "") {
  if (first > to.size() || values.size() > to.size() - first)
    return Error{ErrorCode::bad_input,
                 std::to_string(values.size()) + unit + " from " + std::to_string(first) +
                     " on do not fit in " + std::to_string(to.size()),
                 what};
  const auto place = to.begin() + static_cast<std::ptrdiff_t>(first);
  if (std::equal(values.begin(), values.end(), place)) return {};
  std::copy(values.begin(), values.end(), place);
  ++version;
  return {};
}
Status upload(std::uint64_t& version, std::span<std::uint32_t> to, std::span<const std::uint32_t> words,
              std::size_t first, const char* what) {
  return assign(version, to, words, first, what, " words");
}

template <class Number>
std::uint32_t number(Number value) {
  return static_cast<std::uint32_t>(value);
}
// Values made of words.
template <class Value>
std::span<const std::uint32_t> words_of(std::span<const Value> values) {
  static_assert(sizeof(Value) % 4 == 0);
  return {reinterpret_cast<const std::uint32_t*>(values.data()), values.size() * sizeof(Value) / 4};
}
// Bytes as words, which `words` holds, in memory that it may have from the call before.
std::span<const std::uint32_t> packed(std::span<const std::byte> bytes, std::vector<std::uint32_t>& words) {
  words.resize((bytes.size() + 3) / 4);
  if (bytes.empty()) return {};
  words.back() = 0;
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

Vector vector_of(std::span<const std::uint32_t, 4> bits) { return {bits[0], bits[1], bits[2], bits[3]}; }

UnitRegisters& unit_of(PipelineState& state, Unit unit) {
  return unit == Unit::geometry ? state.registers.geometry : state.registers.vertex;
}

}  // namespace

CommandVisitor::~CommandVisitor() = default;
void CommandVisitor::write(std::uint32_t, std::uint32_t) {}

Pipeline::Pipeline() : state_(make_or_null<State>()) {}
Pipeline::Pipeline(Pipeline&&) noexcept = default;
Pipeline& Pipeline::operator=(Pipeline&&) noexcept = default;
Pipeline::~Pipeline() = default;
Status Pipeline::status() const { return state_ ? Status() : no_memory(); }
Pipeline::State& Pipeline::state() const {
  if (!state_) throw std::bad_alloc();  // the call gives it as its status
  return *state_;
}

Pipeline::State& Pipeline::changing(const PipelineCall& call) const {
  if (PipelineRecording* const recording = state().recording) {
    recording->begin_call(call);
    recording->end_call(call, {});
  }
  return state();
}

Status Pipeline::write_register(std::uint32_t id, std::uint32_t value, unsigned bytes) try {
  return changing({CallKind::write, {}, id | bytes << 16, {&value, 1}}).registers.write(id, value, bytes);
} catch (...) {
  return caught();
}
Status Pipeline::write_registers(std::span<const RegisterWrite> writes) try {
  static_assert(sizeof(RegisterWrite) == 8);
  State& to = changing({CallKind::writes, {}, 0, words_of(writes)});
  for (const RegisterWrite& write : writes) WARPJIT_CHECK(to.registers.write(write.id, write.value));
  return {};
} catch (...) {
  return caught();
}

Status Pipeline::set_code(std::span<const std::uint32_t> words, std::size_t first, Unit unit) try {
  UnitRegisters& to = unit_of(changing({CallKind::code, unit, number(first), words}), unit);
  return upload(to.program_version, to.code, words, first, "code");
} catch (...) {
  return caught();
}
Status Pipeline::set_descriptors(std::span<const std::uint32_t> words, std::size_t first, Unit unit) try {
  UnitRegisters& to = unit_of(changing({CallKind::descriptors, unit, number(first), words}), unit);
  return upload(to.program_version, to.descriptors, words, first, "operand descriptors");
} catch (...) {
  return caught();
}
Status Pipeline::set_entry(std::uint32_t word, Unit unit) try {
  UnitRegisters& to = unit_of(changing({CallKind::entry, unit, word}), unit);
  WARPJIT_CHECK(in_range(word, to.code.size(), "entry"));
  change(to.entry, word, to.program_version);
  return {};
} catch (...) {
  return caught();
}
void Pipeline::set_f24(bool on) {
  for (const Unit unit : {Unit::vertex, Unit::geometry}) set_f24(on, unit);
}
void Pipeline::set_structural_scopes(bool on) {
  for (const Unit unit : {Unit::vertex, Unit::geometry}) set_structural_scopes(on, unit);
}
void Pipeline::set_f24(bool on, Unit unit) {
  if (!state_) return;
  UnitRegisters& to = unit_of(changing({CallKind::f24, unit, on ? 1U : 0U}), unit);
  change(to.f24, on, to.program_version);
}
void Pipeline::set_structural_scopes(bool on, Unit unit) {
  if (!state_) return;
  UnitRegisters& to = unit_of(changing({CallKind::structural_scopes, unit, on ? 1U : 0U}), unit);
  change(to.structural_scopes, on, to.program_version);
}
Status Pipeline::set_floats(unsigned first, std::span<const FloatBits> values, Unit unit) try {
  UnitRegisters& to = unit_of(changing({CallKind::floats, unit, first, words_of(values)}), unit);
  return assign(to.values_version, std::span<FloatBits>(to.floats), values, first, "float uniforms");
} catch (...) {
  return caught();
}
Status Pipeline::set_ints(unsigned first, std::span<const std::uint32_t> values, Unit unit) try {
  UnitRegisters& to = unit_of(changing({CallKind::ints, unit, first, values}), unit);
  return assign(to.values_version, std::span<std::uint32_t>(to.ints), values, first, "integer uniforms");
} catch (...) {
  return caught();
}
Status Pipeline::set_bools(unsigned first, unsigned count, std::uint16_t bits, Unit unit) try {
  constexpr unsigned kBools = 16;
  const std::uint32_t word = bits;
  UnitRegisters& to = unit_of(changing({CallKind::bools, unit, first | count << 16, {&word, 1}}), unit);
  if (first > kBools || count > kBools - first)
    return bad_input(std::to_string(count) + " from " + std::to_string(first) + " on do not fit in 16",
                     "boolean uniforms");
  const std::uint32_t mask = ((1u << count) - 1) << first;
  to.set_bools(static_cast<std::uint16_t>((to.bools & ~mask) | (std::uint32_t{bits} << first & mask)));
  return {};
} catch (...) {
  return caught();
}
Status Pipeline::set_fixed_attributes(unsigned first, std::span<const FloatBits> values) try {
  Registers& registers = changing({CallKind::fixed_attributes, {}, first, words_of(values)}).registers;
  return assign(registers.fixed_version, std::span<FloatBits>(registers.fixed), values, first,
                "fixed attributes");
} catch (...) {
  return caught();
}

UnitView Pipeline::unit(Unit which) const {
  if (!state_) return {};
  const UnitRegisters& from = unit_of(*state_, which);
  UnitView view;
  view.code = from.code;
  view.descriptors = from.descriptors;
  view.entry = from.entry;
  view.floats = from.floats;
  view.ints = from.ints;
  view.bools = from.bools;
  view.attribute_count = from.attribute_count;
  view.permutation = from.permutation;
  view.output_mask = from.output_mask;
  view.f24 = from.f24;
  view.structural_scopes = from.structural_scopes;
  return view;
}
std::span<const FloatBits> Pipeline::fixed_attributes() const {
  return state_ ? std::span<const FloatBits>(state_->registers.fixed) : std::span<const FloatBits>();
}
Result<warpjit::Program> Pipeline::program(Unit which) const try {
  return state().program(which);
} catch (...) {
  return caught();
}
std::uint32_t Pipeline::get_register(std::uint32_t id) const {
  return state_ && id < kRegisterCount ? state_->registers.read(id) : 0;
}

void Pipeline::set_outside(Outside outside) {
  if (state_) changing({CallKind::outside, {}, number(outside)}).outside = outside;
}
void Pipeline::set_geometry_topology(bool on) {
  if (state_) changing({CallKind::topology, {}, on ? 1U : 0U}).geometry_topology = on;
}
Status Pipeline::reset(Start start) try {
  return changing({CallKind::reset, {}, number(start)}).reset(start);
} catch (...) {
  return caught();
}
Result<std::vector<std::byte>> Pipeline::save() const try { return state().save(); } catch (...) {
  return caught();
}
Status Pipeline::load(std::span<const std::byte> bytes) try {
  std::span<const std::uint32_t> words;
  if (state().recording != nullptr) words = packed(bytes, state().recorded_words);
  return changing({CallKind::load, {}, number(bytes.size()), words}).load(bytes);
} catch (...) {
  return caught();
}

Status Pipeline::set_float(unsigned index, std::span<const std::uint32_t, 4> bits, Unit unit) try {
  UnitRegisters& to = unit_of(changing({CallKind::floats, unit, index, bits}), unit);
  WARPJIT_CHECK(in_range(index, to.floats.size(), "float uniform"));
  change(to.floats[index], vector_of(bits), to.values_version);
  return {};
} catch (...) {
  return caught();
}
Status Pipeline::set_int(unsigned index, std::uint32_t bytes, Unit unit) try {
  UnitRegisters& to = unit_of(changing({CallKind::ints, unit, index, {&bytes, 1}}), unit);
  WARPJIT_CHECK(in_range(index, to.ints.size(), "integer uniform"));
  change(to.ints[index], bytes, to.values_version);
  return {};
} catch (...) {
  return caught();
}
void Pipeline::set_bools(std::uint16_t bits, Unit unit) {
  if (state_) (void)set_bools(0, 16, bits, unit);
}
Status Pipeline::set_attribute_count(unsigned count, Unit unit) try {
  UnitRegisters& to = unit_of(changing({CallKind::attribute_count, unit, count}), unit);
  if (unit == Unit::vertex) WARPJIT_CHECK(in_range(count, kAttributes + 1, "attribute count"));
  // 0 wraps to what is out of range.
  if (unit == Unit::geometry)
    WARPJIT_CHECK(in_range(count - 1u, UnitRegisters::kAttributeSlots, "attribute count - 1"));
  change(to.attribute_count, static_cast<std::uint8_t>(count), to.layout_version);
  return {};
} catch (...) {
  return caught();
}
Status Pipeline::set_permutation(unsigned attribute, unsigned input_register, Unit unit) try {
  UnitRegisters& to =
      unit_of(changing({CallKind::permutation, unit, attribute | input_register << 16}), unit);
  WARPJIT_CHECK(
      in_range(attribute, unit == Unit::vertex ? kAttributes : UnitRegisters::kAttributeSlots, "attribute"));
  WARPJIT_CHECK(in_range(input_register, 16, "input register"));
  change(to.permutation[attribute], static_cast<std::uint8_t>(input_register), to.layout_version);
  return {};
} catch (...) {
  return caught();
}
void Pipeline::set_output_mask(std::uint16_t mask, Unit unit) {
  if (!state_) return;
  UnitRegisters& to = unit_of(changing({CallKind::output_mask, unit, mask}), unit);
  change(to.output_mask, mask, to.layout_version);
}
Status Pipeline::set_output_map(std::span<const std::uint32_t> words) try {
  Registers& registers = changing({CallKind::output_map, {}, 0, words}).registers;
  WARPJIT_CHECK(in_range(words.size(), Registers::kMapWords + 1, "output map words"));
  for (std::size_t n = 0; n < words.size(); ++n)
    change(registers.output_map[n], words[n], registers.map_version);
  change(registers.map_count, static_cast<std::uint8_t>(words.size()), registers.map_version);
  return {};
} catch (...) {
  return caught();
}
Status Pipeline::set_fixed_attribute(unsigned attribute, std::span<const std::uint32_t, 4> bits) try {
  Registers& registers = changing({CallKind::fixed_attributes, {}, attribute, bits}).registers;
  WARPJIT_CHECK(in_range(attribute, registers.fixed.size(), "attribute"));
  change(registers.fixed[attribute], vector_of(bits), registers.fixed_version);
  return {};
} catch (...) {
  return caught();
}

Status Pipeline::bind_attribute(unsigned attribute, const AttributeArray& array) try {
  return state().attributes.bind(attribute, array);
} catch (...) {
  return caught();
}
void Pipeline::unbind_attribute(unsigned attribute) {
  if (state_) state().attributes.unbind(attribute);
}
void Pipeline::unbind_attributes() {
  if (!state_) return;
  for (unsigned n = 0; n < kAttributes; ++n) state().attributes.unbind(n);
}
Status Pipeline::set_memory(std::span<const MemoryRange> ranges) try {
  if (state().recording != nullptr)
    return Error{ErrorCode::bad_input, "the memory cannot change while a capture is recorded", "memory"};
  return state().attributes.set_memory(ranges);
} catch (...) {
  return caught();
}

const GeometryUnit& Pipeline::geometry_unit() const {
  static const GeometryUnit kNone;
  return state_ ? state_->registers.unit() : kNone;
}
void Pipeline::set_geometry_unit(const GeometryUnit& unit) {
  if (!state_) return;
  GeometryUnit copy = unit;
  changing({CallKind::geometry_unit, {}, 0, copy.words()}).registers.unit() = unit;
}

namespace {

// A draw that a recording takes.
template <class Run>
Result<DrawResult> drawn(PipelineState& state, const PipelineCall& call, Run run) {
  if (state.recording == nullptr) return run();
  state.recording->begin_call(call);
  Result<DrawResult> result = run();
  CallResults results;
  results.add(result);
  state.recording->end_call(call, results.result());
  return result;
}

// Writes and draws.
template <class Run>
Status listed(PipelineState& state, const PipelineCall& call, Run run) {
  if (state.recording == nullptr) return run();
  CallResults results;
  state.recording->begin_call(call);
  struct Listening {
    PipelineState& state;
    CallResults* before = state.results;
    ~Listening() { state.results = before; }
  };
  const Status done = [&] {
    const Listening listening{state};
    state.results = &results;
    return run();
  }();
  state.recording->end_call(call, results.result());
  return done;
}

template <class Index>
Result<DrawResult> drawn(PipelineState& state, CallKind kind, const Engine& engine,
                         std::span<const Index> indices, const RunOptions& options) {
  std::span<const std::uint32_t> words;
  if (state.recording != nullptr) words = packed(std::as_bytes(indices), state.recorded_words);
  return drawn(state, {kind, {}, number(indices.size()), words},
               [&] { return state.draw_indexed(engine, indices, options); });
}

}  // namespace

Result<DrawResult> Pipeline::draw(const Engine& engine, std::uint32_t first, std::size_t count,
                                  const RunOptions& options) try {
  const std::uint32_t word = number(count);
  return drawn(state(), {CallKind::draw, {}, first, {&word, 1}},
               [&] { return state().draw(engine, first, count, options); });
} catch (...) {
  return caught();
}
Result<DrawResult> Pipeline::draw_indexed(const Engine& engine, std::span<const std::uint8_t> indices,
                                          const RunOptions& options) try {
  return drawn(state(), CallKind::draw_indexed8, engine, indices, options);
} catch (...) {
  return caught();
}
Result<DrawResult> Pipeline::draw_indexed(const Engine& engine, std::span<const std::uint16_t> indices,
                                          const RunOptions& options) try {
  return drawn(state(), CallKind::draw_indexed16, engine, indices, options);
} catch (...) {
  return caught();
}
Result<DrawResult> Pipeline::draw_arrays(const Engine& engine, const RunOptions& options) try {
  return drawn(state(), {CallKind::draw_arrays}, [&] { return state().draw_arrays(engine, options); });
} catch (...) {
  return caught();
}
Result<DrawResult> Pipeline::draw_elements(const Engine& engine, const RunOptions& options) try {
  return drawn(state(), {CallKind::draw_elements}, [&] { return state().draw_elements(engine, options); });
} catch (...) {
  return caught();
}
Result<DrawResult> Pipeline::draw_immediate(const Engine& engine, const RunOptions& options) try {
  return drawn(state(), {CallKind::draw_immediate}, [&] { return state().draw_immediate(engine, options); });
} catch (...) {
  return caught();
}
Result<VertexView> Pipeline::inspect_vertex(std::size_t n) const try {
  const FloatEnvironment environment;
  return state().inspect_vertex(n, nullptr, nullptr);
} catch (...) {
  return caught();
}
Result<VertexView> Pipeline::trace_vertex(std::size_t n, StepFunction function, void* context) const try {
  if (function == nullptr) return bad_input("the function is null", "step");
  const FloatEnvironment environment;
  return state().inspect_vertex(n, function, context);
} catch (...) {
  return caught();
}
std::size_t Pipeline::immediate_vertices() const { return state_ ? state_->registers.immediate.size() : 0; }
Status Pipeline::run_commands(const Engine& engine, std::span<const std::uint32_t> words,
                              CommandVisitor& visitor, const RunOptions& options) try {
  return listed(state(), {CallKind::commands, {}, 0, words},
                [&] { return state().run_commands(engine, words, visitor, options); });
} catch (...) {
  return caught();
}
Status Pipeline::run_packet(const Engine& engine, const Packet& packet, CommandVisitor& visitor,
                            const RunOptions& options) try {
  return listed(state(), packet_call(CallKind::packet, packet), [&]() -> Status {
    WARPJIT_TRY(const bool more, state().run_packet(engine, packet, visitor, options));
    static_cast<void>(more);
    return {};
  });
} catch (...) {
  return caught();
}

}  // namespace warpjit::pica200
