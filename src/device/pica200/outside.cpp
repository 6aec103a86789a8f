// Vertices read one by one: those of draws that reach outside of their arrays, and one for a debugger.
#include <algorithm>
#include <array>
#include <cstring>

#include "device/pica200/pipeline.h"
#include "frontend/pica200/facts/register_file.h"
#include "frontend/pica200/interpret/interpret.h"

namespace warpjit::pica200 {
namespace {

// Component `n` of some bytes as a float's bits.
std::uint32_t component_of(ComponentType type, const std::byte* bytes, unsigned n) {
  const auto convert = [&]<class T>(T value) {
    std::memcpy(&value, bytes + n * sizeof value, sizeof value);
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  };
  switch (type) {
    case ComponentType::s8:
      return convert(std::int8_t{});
    case ComponentType::u8:
      return convert(std::uint8_t{});
    case ComponentType::s16:
      return convert(std::int16_t{});
    default: {
      std::uint32_t bits = 0;
      std::memcpy(&bits, bytes + n * sizeof bits, sizeof bits);
      return bits;
    }
  }
}

// An attribute of a vertex; bytes outside of the array are 0. True if there were some.
bool read_attribute(const AttributeArray& array, std::uint64_t vertex, Vector& value) {
  const std::size_t size = warpjit::size(array.format);
  std::array<std::byte, 16> bytes{};
  std::size_t held = 0;
  const bool reachable = array.data != nullptr && array.offset < array.size &&
                         (array.stride == 0 || vertex <= (array.size - array.offset) / array.stride);
  if (reachable) {
    const std::size_t at = array.offset + static_cast<std::size_t>(vertex * array.stride);
    held = std::min(size, array.size - std::min(at, array.size));
    if (held != 0) std::memcpy(bytes.data(), static_cast<const std::byte*>(array.data) + at, held);
  }
  value = {0, 0, 0, std::bit_cast<std::uint32_t>(1.0f)};
  for (unsigned n = 0; n < array.format.components; ++n)
    value[n] = component_of(array.format.type, bytes.data(), n);
  return held < size;
}

// Tells an embedder's function what each instruction wrote.
class StepTeller final : public interpret::Observer {
 public:
  StepTeller(const Program& program, StepFunction function, void* context)
      : program_(program), function_(function), context_(context) {}

  bool observes(const interpret::ObservedGroup&) override { return true; }
  void holds(std::uint16_t word, unsigned, std::uint32_t value) override { words_[word] = value; }
  bool step() override {
    for (const interpret::Event::Write& write : event().writes) words_[write.word] = write.after;
    VertexStep step;
    step.address = event().address;
    for (unsigned n = 0; n < 2; ++n) {
      step.a0[n] = static_cast<std::int32_t>(words_[RegisterWords::kA0 + n]);
      step.cmp[n] = words_[RegisterWords::kCmp + n] != 0;
    }
    step.aL = static_cast<std::int32_t>(words_[RegisterWords::kAL]);
    const auto instruction = step.address < program_.code.size() && step.address != kEndAddress
                                 ? try_decode(program_.code[step.address])
                                 : std::nullopt;
    if (instruction && (instruction->info().traits & kWritesDest) != 0) {
      const Register written = dest_register(instruction->dst);
      const bool output = written.file == RegisterFile::o;
      step.file = output ? VertexStep::File::output : VertexStep::File::temporary;
      step.index = written.index;
      const std::uint8_t mask = program_.descriptor(instruction->descriptor).mask;
      const unsigned first = (output ? RegisterWords::kO : RegisterWords::kR) + 4U * written.index;
      for (unsigned n = 0; n < 4; ++n) {
        if (enables(mask, n)) step.mask |= static_cast<std::uint8_t>(1u << n);
        const std::uint32_t word = words_[first + n];
        step.value[n] = (word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word;
      }
    }
    ended_ = !function_(context_, step);
    return !ended_;
  }
  // The function has ended the vertex.
  bool ended() const { return ended_; }

 private:
  const Program& program_;
  StepFunction function_;
  void* context_;
  std::array<std::uint32_t, RegisterWords::kCount> words_{};
  bool ended_ = false;
};

}  // namespace

// The vertices of the draw, as if they had been sent in immediate mode; how many reach outside.
Result<std::uint64_t> PipelineState::copy_shaded() {
  const std::array<int, 16> attribute_of = attributes_of_inputs();
  const std::uint64_t read = frontend::shader_of(*vertex_.program).usage().inputs;
  copied_.assign(static_cast<std::size_t>(shaded_.count), registers.fixed);
  std::uint64_t outside_count = 0;
  for (std::uint64_t n = 0; n < shaded_.count; ++n) {
    bool reaches_outside = false;
    for (unsigned reg = 0; reg < attribute_of.size(); ++reg) {
      if (attribute_of[reg] < 0 || (read >> reg & 1) == 0) continue;
      const auto attribute = static_cast<unsigned>(attribute_of[reg]);
      if (const AttributeArray* array = attributes.array(attribute))
        reaches_outside |= read_attribute(*array, number_of(n), copied_[n][attribute]);
    }
    outside_count += reaches_outside;
  }
  attributes.use(copied_);
  WARPJIT_CHECK(prepare());
  return outside_count;
}

Result<DrawResult> PipelineState::draw_copied(const Engine& engine, const RunOptions& options) {
  WARPJIT_TRY(const std::uint64_t outside_vertices, copy_shaded());
  draw_.facts.numbered = false;
  WARPJIT_TRY(DrawResult result, run(engine, 0, shaded_.count, shaded_.listed, options));
  result.outside_vertices = outside_vertices;
  return result;
}

Result<VertexView> PipelineState::inspect_vertex(std::size_t n, StepFunction function, void* context) const {
  if (n >= shaded_.count || !vertex_.program)
    return bad_input("the last draw shades " + std::to_string(shaded_.count) + " vertices",
                     "vertex " + std::to_string(n));
  VertexView view;
  view.number = number_of(n);
  const std::array<int, 16> attribute_of = attributes_of_inputs();
  // Vertices that were copied, or sent, lie in order.
  const bool in_order = attributes.sent();
  ThreadState state;
  for (unsigned reg = 0; reg < attribute_of.size(); ++reg) {
    if (attribute_of[reg] < 0) continue;
    const auto attribute = static_cast<unsigned>(attribute_of[reg]);
    view.inputs[reg] = registers.fixed[attribute];
    if (const AttributeArray* array = attributes.array(attribute))
      read_attribute(*array, in_order ? n : view.number, view.inputs[reg]);
  }
  std::memcpy(state.v, view.inputs, sizeof state.v);
  Uniforms uniforms;
  const UnitRegisters& unit = registers.vertex;
  std::memcpy(uniforms.c, unit.floats.data(), sizeof uniforms.c);
  for (unsigned k = 0; k < 4; ++k)
    for (unsigned c = 0; c < 4; ++c) uniforms.i[k][c] = static_cast<std::uint8_t>(unit.ints[k] >> 8 * c);
  uniforms.b = unit.bools;
  const Program& program = static_cast<const Shader&>(frontend::shader_of(*vertex_.program)).program();
  WARPJIT_TRY(const Interpreter interpreter, Interpreter::prepare(program, program.entry));
  const RunLimits limits(kDefaultFuel);
  if (function != nullptr) {
    StepTeller teller(program, function, context);
    const Status status = interpreter.run(uniforms, state, limits, teller);
    if (!status && !teller.ended()) return status.error();
  } else {
    WARPJIT_CHECK(interpreter.run(uniforms, state, limits));
  }
  canonicalize_outputs(state);
  std::memcpy(view.outputs, state.o, sizeof state.o);
  std::memcpy(view.temporaries, state.r, sizeof state.r);
  std::copy_n(state.a0, 2, view.a0);
  view.aL = state.aL;
  std::copy_n(state.cmp, 2, view.cmp);
  return view;
}

}  // namespace warpjit::pica200
