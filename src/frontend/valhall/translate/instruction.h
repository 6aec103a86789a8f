// Valhall instructions as IR, one thread's worth; a file for each family.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "frontend/valhall/facts/float_format.h"
#include "frontend/valhall/flow/texture_uses.h"
#include "frontend/valhall/translate/translate.h"
#include "ir/builder.h"
#include "ir/builder_ops.h"
#include "ir/pass/ssa.h"

namespace warpjit::valhall {

// SSA variables: the registers, and values of the instruction that is translated.
inline constexpr std::uint32_t kRegisters = 64, kVarScratch = kRegisters, kScratchWords = 4,
                               kVariables = kVarScratch + kScratchWords;
// Those of fragment programs: the words of each colour, of depth and of the stencil's reference; then flags:
// the pixel is live, its depth is set, its reference is, each colour is written, is replaced.
inline constexpr std::uint32_t kVarColors = kVariables, kVarDepth = kVarColors + 4 * kMaxColorTargets,
                               kVarReference = kVarDepth + 1, kVarLive = kVarReference + 1,
                               kVarDepthSet = kVarLive + 1, kVarReferenceSet = kVarDepthSet + 1,
                               kVarWritten = kVarReferenceSet + 1,
                               kVarReplaced = kVarWritten + kMaxColorTargets,
                               kFragmentVariables = kVarReplaced + kMaxColorTargets;

// What the registers of a format hold.
inline bool holds_halves(RegisterFormat format) {
  return format == RegisterFormat::f16 || format == RegisterFormat::s16 || format == RegisterFormat::u16;
}
inline bool holds_signed(RegisterFormat format) {
  return format == RegisterFormat::s32 || format == RegisterFormat::s16;
}
inline bool holds_integers(RegisterFormat format) {
  return holds_signed(format) || format == RegisterFormat::u32 || format == RegisterFormat::u16;
}

// The addend of a product.
inline bool is_minus_zero(const Source& source) {
  return source.kind == Source::Kind::constant && kConstants[source.value] == 0 && source.negate;
}

// True if the instruction looks at more of its warp than a quad, so that groups must be warps.
bool sees_warp(const Instruction& i);

class InstructionTranslator {
 protected:
  using F32 = ir::F32;
  using I1 = ir::I1;
  using I32 = ir::I32;

  InstructionTranslator(const Program& program, const LaunchFacts& facts, const ReachedCode& code);
  virtual ~InstructionTranslator() = default;

  // One instruction at an address that transfers no control. Errors: unsupported.
  Status instruction(const Instruction& i, std::uint32_t address);
  // Whether a branch is taken.
  I1 taken(const Instruction& i);
  // The registers that hold something at the start, of a compute program and of a vertex with that
  // number in its instance.
  void begin_thread();
  void begin_vertex(I32 number);
  I32 thread_index() { return b_.ThreadIndex(); }
  // A number whose low bits are those of the lane in its quad and its warp.
  I32 own_lane() { return is_fragment() ? b_.LaneIndex() : thread_index(); }
  // What fragment programs do otherwise (translate/fragment.cpp): messages to their own units, and in which
  // lanes memory is changed.
  virtual Status fragment_message(const Instruction& i) { return not_of_stage(i); }
  virtual I1 changing_memory(I1 where) { return where; }
  Error not_of_stage(const Instruction& i) const {
    return unsupported(i, std::string(stage_name(program_.stage)) + " programs do not have it");
  }
  bool is_fragment() const { return program_.stage == Stage::fragment; }

  I32 word(std::uint32_t value) { return b_.constant(value); }
  I1 truth(bool value) { return b_.constant(value); }
  I1 is_zero(I32 x) { return b_.IEq32(x, word(0)); }
  I32 launch_word(LaunchWord which) { return b_.LoadUniformI32(table_.place(which)); }
  I32 gpr(std::uint32_t index) { return I32{ssa_.read(b_.block(), index)}; }
  void set_gpr(std::uint32_t index, I32 value) { ssa_.write(b_.block(), index, value); }

  const Program& program_;
  const LaunchFacts& facts_;
  const std::vector<SamplingInstruction> sampling_;
  const std::vector<frontend::TextureUse> texture_uses_;
  const UniformTable table_;
  const std::uint32_t local_bytes_;
  const PrivateWindows private_;
  ir::Function function_;
  ir::Builder b_;
  ir::SsaBuilder ssa_;

  struct Pair {  // 64 bits
    I32 low, high;
  };

  // Operands (translate/operand.cpp). A source as a whole; bits of one, extended to 32 bits or to 64; element
  // k of one, for a type of at most 32 bits.
  I32 source_word(const Source& source);
  Pair source_pair(const Source& source);
  I32 special(const Source& source, unsigned half);
  I32 bits_of(I32 value, unsigned low, unsigned count, bool is_signed);
  I32 element(const Instruction& i, unsigned n, unsigned k);
  I32 element(const Source& source, const Elements& elements, unsigned k);
  I32 two_halves(const Source& source);  // elements 0 and 1, of 16 bits
  Pair wide_element(const Instruction& i, unsigned n);
  // Elements of at most 32 bits, of which the low bits count.
  template <class Function>
  I32 pack(const Elements& elements, const Function& value) {
    if (elements.bits == 32) return value(0U);
    if (elements.bits == 16 && facts_.half_arithmetic) {
      const I32 low = value(0U);
      return word_of_halves(low, value(1U));
    }
    I32 packed = word(0);
    for (unsigned k = 0; k < elements.count; ++k) {
      const I32 bits = b_.IAnd32(value(k), word(low_mask<std::uint32_t>(elements.bits)));
      packed = b_.IOr32(packed, b_.IShl32(bits, word(k * elements.bits)));
    }
    return packed;
  }
  // Two values of which the low 16 bits count.
  // Hosts that have arithmetic of halves convert both floats at once.
  I32 word_of_halves(I32 low, I32 high);
  void set_word(const Instruction& i, I32 value);
  void set_pair(const Instruction& i, Pair value);
  // Results of a message, of 16 bits two to a register.
  void set_staging(const Instruction& i, std::span<const I32> words, bool halves);
  Error unsupported(const Instruction& i, const std::string& why) const;

  // Integers (translate/integer.cpp, bits.cpp).
  Status integer(const Instruction& i);
  I32 sum(const Instruction& i, const Elements& elements, I32 a, I32 b);
  I32 difference(const Instruction& i, const Elements& elements, I32 a, I32 b);
  I32 product(const Instruction& i, const Elements& elements, I32 a, I32 b);
  I32 saturated(const Elements& elements, I32 value);
  I32 dot_product(const Instruction& i);
  Pair wide_integer(const Instruction& i);
  Pair add(Pair a, Pair b);
  Pair subtract(Pair a, Pair b);
  Pair multiply(I32 a, I32 b);  // unsigned
  I32 compared_words(const Instruction& i);
  I1 holds(Condition condition, I32 a, I32 b, bool is_signed);
  I1 holds(Condition condition, F32 a, F32 b);
  I1 compare(const Instruction& i, unsigned k);
  I32 truth_value(ResultType type, unsigned bits, I1 condition);
  I32 choice(const Instruction& i, unsigned k);  // MUX
  I32 leading_zeros(const Instruction& i, unsigned k);
  I32 population(I32 x);
  I32 reversed(I32 x);
  I32 shift(const Instruction& i, unsigned k);
  I32 shifted(const Instruction& i, const Elements& elements, I32 a, I32 n);
  Pair wide_shift(const Instruction& i);
  I32 logic(const Instruction& i, I32 t, I32 c);

  // Floats (translate/float.cpp, functions.cpp). As f32; a half as an f32 that holds its value.
  Status floating(const Instruction& i);
  F32 as_float(I32 bits) { return b_.BitcastI32ToF32(bits); }
  I32 as_bits(F32 x) { return b_.BitcastF32ToI32(b_.CanonicalizeNaN32(x)); }
  F32 real(float value) { return b_.constant(value); }
  F32 half_value(I32 half) { return b_.HalfToF32(half); }
  F32 single_source(const Source& source, bool flush = true);
  F32 half_source(const Source& source, unsigned k, bool flush = true);
  F32 float_source(const Instruction& i, unsigned n, unsigned k);
  F32 changed(const Source& source, F32 x);
  F32 flushed_half(F32 x);
  F32 clamped(Clamp clamp, F32 x);
  // The bits of a result.
  I32 finish_single(const Instruction& i, F32 x);
  I32 finish_half(const Instruction& i, F32 x, Round round = Round::nearest_even);
  I32 half_bits(F32 x, Round round);
  void set_single(const Instruction& i, I32 bits);
  template <class Function>
  Status each_float(const Instruction& i, const Function& function);
  F32 multiply_add(const Instruction& i, F32 a, F32 b, F32 c);
  F32 least(const Instruction& i, F32 a, F32 b, bool greatest);
  F32 scaled(F32 x, I32 exponent);
  F32 scaled_multiply_add(const Instruction& i);
  std::optional<F32> scaled_product(const Instruction& i, F32 a, F32 b, I32 exponent);
  F32 rounded(F32 x, Round round);
  struct Parts {
    F32 mantissa;
    I32 exponent;
  };
  Parts parts_of(F32 x, bool sqrt, bool log);
  F32 function_value(const Instruction& i, F32 x);
  F32 slope_of_logarithm(F32 x);
  F32 cube_coordinate(const Instruction& i);
  I32 cube_face(const Instruction& i);

  // Both halves of a register at once, on hosts that have such arithmetic
  // (translate/halves.cpp). None: as f32.
  std::optional<I32> packed_halves(const Instruction& i);
  I32 packed_source(const Source& source);
  I32 packed_comparison(const Instruction& i);

  // Conversions (translate/conversion.cpp).
  Status conversion(const Instruction& i);
  I32 to_integer(F32 x, Round round, unsigned bits, bool is_signed);
  I32 widened_half(I32 half, bool flush);
  I32 half_to_single(const Instruction& i);

  // Memory (translate/memory.cpp).
  Status memory(const Instruction& i);
  Pair address(const Instruction& i);
  template <class Access>
  void at_windows(I32 high, std::uint32_t results, const Access& access);
  std::array<I32, 4> load_words(Type type, Pair at, const std::array<I1, 4>& wanted);
  void load(const Instruction& i);
  void store(const Instruction& i);
  void clear_local_memory();
  Status atomic(const Instruction& i);

  // Buffers by handles (translate/buffers.cpp).
  struct NamedBuffers {
    I1 none;                                 // lanes whose handle names none
    std::vector<std::uint32_t> constants{};  // constant spaces
    std::optional<I1> in_memory{};           // lanes whose handle names one in memory, which is:
    struct Place {
      Pair address;
      I32 bytes;
    } place{};
  };
  NamedBuffers named_buffers(I32 handle, bool loads);
  I32 buffer_word(std::uint32_t buffer, BufferWord which) {
    return b_.LoadUniformI32(table_.buffer_place() +
                             4 * (kBufferWords * buffer + static_cast<std::uint32_t>(which)));
  }
  I1 is_named(I32 handle, std::uint32_t known) {
    return function_.is_constant(handle) ? truth(function_.constant(handle) == known)
                                         : b_.IEq32(handle, word(known));
  }
  void no_buffer(I32 handle, I1 where);
  using Words = std::array<I32, 4>;
  void load_constant_buffer(Type type, std::uint32_t buffer, I32 offset, I1 where, Words& words);
  void load_memory_buffer(Type type, const NamedBuffers::Place& from, I32 offset, I1 where, Words& words);
  void load_buffer(const Instruction& i);
  Status load_buffer_address(const Instruction& i);
  struct SizedStore {
    std::uint32_t bytes;
    I1 where;
  };
  void store_bytes(Pair at, const std::array<I32, 4>& words, std::span<const SizedStore> sizes);
  void store_nowhere(Pair at, I1 where);
  void set_loaded(const Instruction& i, std::array<I32, 4> words);

  // Vertices (translate/attributes.cpp).
  I32 attribute_word(std::uint32_t attribute, AttributeWord which) {
    return b_.LoadUniformI32(table_.attribute_place() +
                             4 * (kAttributeWords * attribute + static_cast<std::uint32_t>(which)));
  }
  Status load_attribute(const Instruction& i);
  I32 element_number(const Instruction& i, std::uint32_t attribute, const AttributeFacts& facts);
  std::array<I32, 4> load_components(ElementMemory memory, const VertexFormat& format, I32 address,
                                     I1 inside);
  void set_components(const Instruction& i, const VertexFormat& format, const std::array<I32, 4>& stored,
                      I1 inside);
  F32 component_value(const VertexFormat& format, unsigned k, I32 bits);
  Status load_result_address(const Instruction& i);
  I32 low_three_bits(I32 x);

  // Images (translate/images.cpp).
  struct TexelPlace {
    I32 address;
    I1 inside;
  };
  TexelPlace texel_place(std::uint32_t image, const ImageFacts& facts, I32 xy, I32 z);
  Status load_image(const Instruction& i);
  Status store_image(const Instruction& i);
  I32 stored_component(VertexFormat::Kind kind, unsigned bits, I32 value, RegisterFormat from);
  // To formats that are not known here (translate/computed_formats.cpp).
  void store_computed(const Instruction& i, Pair at, I1 given, I32 conversion);
  I32 computed_component(I32 kind, I32 bits, I32 value, RegisterFormat from);

  // Textures (translate/texture.cpp).
  Status sample(const Instruction& i);
  struct SampleWords {
    I32 texture, sampler;
  };
  SampleWords sample_words(const Instruction& i);
  Status sample_computed(const Instruction& i, const SamplingInstruction& sampling);
  Result<Words> sample_from(const Instruction& i, const SamplingInstruction& sampling, std::size_t number,
                            I1 present);
  void report_no_texture(I1 where, I32 handle);
  void sample_nothing(const Instruction& i, I32 handle);
  std::array<I32, 3> sample_coordinates(const Instruction& i, const ir::SampleKey& key);
  I32 gradient_level(const Instruction& i, std::size_t number, I1 present);
  Words packed(const Instruction& i, const Words& found, bool of_floats);
  void set_results(const Instruction& i, const Words& words);

  // Other lanes (translate/lanes.cpp).
  Status lanes(const Instruction& i);
  I32 votes(const Instruction& i);
  I32 read_quad(const Instruction& i, std::uint32_t byte);
  I32 read_lane(const Instruction& i, I32 count);

  std::uint32_t address_ = 0;  // of the instruction that is translated
  I32 vertex_;                 // its number, of vertex programs
};

}  // namespace warpjit::valhall
