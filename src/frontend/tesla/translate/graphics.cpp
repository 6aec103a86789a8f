#include "frontend/tesla/translate/graphics.h"

#include <bit>
#include <memory>

#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/translate/stage.h"

namespace warpjit::tesla {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

class VertexTranslator final : public StageTranslator {
 public:
  VertexTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                   const ConstantTable& constants, const SampledTextures& textures, std::uint64_t inputs,
                   std::span<const std::uint8_t> outputs)
      : StageTranslator(program, facts, code, constants, textures), inputs_(inputs), outputs_(outputs) {
    function_.input_count = static_cast<std::uint32_t>(std::popcount(inputs));
    function_.output_count = static_cast<std::uint32_t>(outputs.size());
  }

 private:
  void begin() override {
    lanes_ = b_.constant(true);
    clear_kept();
    const AttributeLayout layout = attribute_layout(program_.graphics);
    attributes_.assign(layout.words, word(0));
    std::array<I32, 4> row;
    for (std::uint32_t k = 0; k < layout.components.size(); ++k) {
      const std::uint32_t attribute = layout.components[k] / 4;
      if (k == 0 || attribute != layout.components[k - 1] / 4U) row = input(attribute);
      attributes_[k] = row[layout.components[k] % 4];
    }
    const std::array<I32, 4> ids = input(kIdInput);
    if (layout.vertex_id) attributes_[*layout.vertex_id] = ids[0];
    if (layout.instance_id) attributes_[*layout.instance_id] = ids[1];
    enter(lanes_);
  }

  // Zeros if it is not bound.
  std::array<I32, 4> input(std::uint32_t number) {
    if ((inputs_ >> number & 1) == 0) return {word(0), word(0), word(0), word(0)};
    const std::uint64_t below = inputs_ & ((std::uint64_t{1} << number) - 1);
    const auto row = b_.LoadInput(static_cast<std::uint32_t>(std::popcount(below)));
    std::array<I32, 4> words;
    for (unsigned k = 0; k < 4; ++k) words[k] = b_.BitcastF32ToI32(row[k]);
    return words;
  }

  I32 attribute(const Operand& operand) override {
    if (is_static(operand)) {
      const std::uint32_t n = (operand.value & 0xffff) / 4;
      return n < attributes_.size() ? attributes_[n] : word(0);
    }
    const I32 n = b_.IShrU32(address(operand), word(2));
    I32 value = word(0);
    for (std::uint32_t k = 0; k < attributes_.size(); ++k)
      value = b_.select(b_.IEq32(n, word(k)), attributes_[k], value);
    return value;
  }

  void end() override {
    const std::vector<ResultWord> results = result_words(program_);
    for (std::uint32_t k = 0; k < outputs_.size(); ++k) {
      std::array<F32, 4> row;
      for (std::size_t c = 0; c < 4; ++c) {
        const std::size_t slot = std::size_t{4} * outputs_[k] + c;
        row[c] = slot < results.size() ? result(results[slot]) : b_.constant(0.0F);
      }
      b_.StoreOutput(b_.constant(true), row[0], row[1], row[2], row[3], k);
    }
  }

  const std::uint64_t inputs_;
  const std::span<const std::uint8_t> outputs_;
  std::vector<I32> attributes_;
};

class GeometryTranslator final : public StageTranslator {
 public:
  GeometryTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                     const ConstantTable& constants, const SampledTextures& textures,
                     const frontend::StripFacts& strips)
      : StageTranslator(program, facts, code, constants, textures),
        strips_(strips),
        output_(strip_output(program)),
        results_(result_words(program)) {
    function_.input_count = 1;
    function_.output_count = frontend::kVerticesOutput + 1;
  }

 private:
  void begin() override {
    lanes_ = b_.constant(true);
    clear_kept();
    number_ = b_.BitcastF32ToI32(input_row(word(0))[0]);
    write(kVarEmitted, word(0));
    write(kVarStrip, word(0));
    enter(lanes_);
  }

  std::array<F32, 4> input_row(I32 index) {
    return b_.LoadInputRow(index, std::uint64_t{strips_.input_rows()} << 32);
  }

  // a[] has the pointers of the vertices and the primitive's number (tesla.md 15.2).
  I32 attribute(const Operand& operand) override {
    if (operand.kind == Operand::Kind::vertex) return vertex_word(operand);
    if (!is_static(operand)) {
      const I32 at = b_.IAnd32(address(operand), word(~3U));
      const I32 pointer = b_.select(b_.ILtU32(at, word(4 * strips_.vertices)), at, word(0));
      return b_.select(b_.IEq32(at, word(kPrimitiveIdAddress)), number_, pointer);
    }
    const std::uint32_t n = (operand.value & 0xffff) / 4;
    if (n == kPrimitiveIdAddress / 4) return number_;
    return n < strips_.vertices ? word(4 * n) : word(0);
  }

  I32 vertex_word(const Operand& operand) {
    const I32 base = address_register(operand.address);
    const I32 at = b_.IAnd32(b_.IAdd32(base, word(operand.value / 4 * kVertexStride)), word(0xffff));
    const I32 vertex = b_.IAnd32(b_.IShrU32(at, word(2)), word(kVertexStride / 4 - 1));
    const I32 n = b_.IShrU32(at, word(7));
    static_assert(kVertexStride == 1 << 7);
    const I1 exists = b_.And1(b_.ILtU32(vertex, word(strips_.vertices)), b_.ILtU32(n, word(strips_.words)));
    const I32 first = b_.IAdd32(b_.IMul32(vertex, word(strips_.vertex_rows())), word(1));
    const auto row = input_row(b_.IAdd32(first, b_.IShrU32(n, word(2))));
    return b_.select(exists, component(row, b_.IAnd32(n, word(3))), word(0));
  }

  void emit(I1 where) override {
    const I32 emitted = read<I32>(kVarEmitted);
    const I1 fits = b_.And1(where, b_.ILtU32(emitted, word(output_.most_vertices)));
    const std::uint32_t rows = output_.vertex_rows();
    const I32 first = b_.IMul32(emitted, word(rows));
    for (std::uint32_t row = 0; row < rows; ++row) {
      std::array<F32, 4> words;
      for (std::uint32_t c = 0; c < 4; ++c) {
        const std::uint32_t slot = 4 * row + c;
        words[c] = slot < output_.slots    ? result(results_[slot])
                   : slot == output_.slots ? b_.BitcastI32ToF32(read<I32>(kVarStrip))
                                           : b_.constant(0.0F);
      }
      b_.StoreOutputRow(fits, b_.IAdd32(first, word(row)), words[0], words[1], words[2], words[3],
                        frontend::kVerticesOutput | std::uint64_t{rows * output_.most_vertices} << 32);
    }
    write(kVarEmitted, b_.select(fits, b_.IAdd32(emitted, word(1)), emitted));
  }
  void restart(I1 where) override {
    const I32 strip = read<I32>(kVarStrip);
    write(kVarStrip, b_.select(where, b_.IAdd32(strip, word(1)), strip));
  }

  void end() override {
    const F32 zero = b_.constant(0.0F);
    b_.StoreOutput(b_.constant(true), b_.BitcastI32ToF32(read<I32>(kVarEmitted)), zero, zero, zero,
                   frontend::kEmittedOutput);
  }

  const frontend::StripFacts strips_;
  const frontend::StripOutput output_;
  const std::vector<ResultWord> results_;
  I32 number_;
};

}  // namespace

Result<ir::Function> translate_vertex(const Program& program, const ComputeFacts& facts,
                                      const ReachedCode& code, const ConstantTable& constants,
                                      const SampledTextures& textures, std::uint64_t inputs,
                                      std::span<const std::uint8_t> outputs, bool dispatch_all) {
  WARPJIT_CHECK(check_supported(program, code, textures, facts.modes));
  const auto make = [&] {
    return std::make_unique<VertexTranslator>(program, facts, code, constants, textures, inputs, outputs);
  };
  return translate_stage({program, facts, code, textures}, make, dispatch_all);
}

frontend::StripOutput strip_output(const Program& program) {
  constexpr Topology kTopologies[] = {Topology::points, Topology::line_strip, Topology::triangle_strip};
  const GraphicsState& state = program.graphics;
  return {kTopologies[state.geometry_output - 1], static_cast<std::uint32_t>(state.geometry_results.size()),
          state.geometry_vertices};
}

Result<ir::Function> translate_geometry(const Program& program, const ComputeFacts& facts,
                                        const ReachedCode& code, const ConstantTable& constants,
                                        const SampledTextures& textures, const frontend::StripFacts& strips,
                                        bool dispatch_all) {
  WARPJIT_CHECK(check_supported(program, code, textures, facts.modes));
  const auto make = [&] {
    return std::make_unique<GeometryTranslator>(program, facts, code, constants, textures, strips);
  };
  return translate_stage({program, facts, code, textures}, make, dispatch_all);
}

}  // namespace warpjit::tesla
