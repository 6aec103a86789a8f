// Fragment programs: what lies in pa at the start, and what becomes of their results.
#include <algorithm>
#include <optional>

#include "frontend/pixels/fragment_frame.h"
#include "frontend/usse/facts/color.h"
#include "frontend/usse/facts/slots.h"
#include "frontend/usse/translate/program.h"

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

// Bytes that stand for 0 to 1.
bool has_bytes(PixelFormat format) {
  return format == PixelFormat::rgba8 || format == PixelFormat::srgb8 || format == PixelFormat::rgb565 ||
         format == PixelFormat::rgba4 || format == PixelFormat::rgb5a1 || format == PixelFormat::rgb10a2;
}
// True if a colour first becomes one of bytes.
bool loses_bits(PixelFormat format) {
  return format == PixelFormat::rgb565 || format == PixelFormat::rgba4 || format == PixelFormat::rgb5a1;
}

// How many components of a native colour there are.
unsigned native_count(PixelFormat format) {
  return format == PixelFormat::r32f || format == PixelFormat::r32i || format == PixelFormat::r32ui ? 1 : 4;
}
bool is_word(ParameterType type) {
  return type == ParameterType::f32 || type == ParameterType::u32 || type == ParameterType::s32;
}

class FragmentTranslator final : public ProgramTranslator {
 public:
  FragmentTranslator(const Program& program, const RegisterFile32& file, const UniformTable& table,
                     Code primary, Code secondary, const frontend::PixelFacts& pixels,
                     std::span<const ir::SampleKey> samples)
      : ProgramTranslator(program, file, table, std::move(primary), std::move(secondary), samples),
        frame_(b_, pixels),
        pixels_(pixels),
        exports_depth_(effects_.sets_depth) {
    const bool presampled = std::ranges::any_of(
        program.fragment.inputs, [](const FragmentInput& input) { return input.sampled.has_value(); });
    reads_quads_ = effects_.quads || effects_.samples || presampled;
    if (reads_quads_) function_.lane_order = ir::LaneOrder::lowest_address_first;
    function_.uniform_bytes = table.bytes();
  }

  Status check() const { return check_color(program_, target()); }
  const Status& status() const { return status_; }

 private:
  PixelFormat target() const { return pixels_.output.colors[0]; }

  void begin() override {
    const I1 live = frame_.begin({effects_.kills, exports_depth_, effects_.stores});
    write(kVarLive, live);
    set_inputs();
    if (program_.has(Flag::native_color) && program_.has(Flag::reads_color) && target() != PixelFormat::none)
      set_stored_color();
    // The exit stores, after all else.
    function_.block(exit()).guest_address = static_cast<std::uint32_t>(program_.primary.size());
    if (reads_quads_) {
      // Quads that leave nothing, as those that only fill a group, neither load nor use up fuel.
      if (effects_.loads || effects_.loops) return b_.branch(any_of_quad(live), start(), gone());
      return b_.jump(start());
    }
    if (effects_.loads || effects_.loops || frame_.tests_first()) return b_.branch(live, start(), gone());
    b_.jump(start());
  }

  // ---- Inputs

  F32 value_of(FragmentInput::Value value, unsigned index, unsigned component) {
    if (value == FragmentInput::Value::position) {
      switch (component) {
        case 0:
          return frame_.center_x();
        case 1:
          return frame_.center_y();
        case 2:
          return frame_.depth();
        default:
          return frame_.inverse_w();
      }
    }
    const auto use = std::ranges::find(pixels_.uses, slot_use(value, index, component));
    const F32 part = frame_.value(static_cast<unsigned>(use - pixels_.uses.begin()));
    return b_.FDiv32(part, frame_.inverse_w());
  }

  void set_inputs() {
    const FragmentInterface& fragment = program_.fragment;
    std::uint32_t first = 0;
    for (const FragmentInput& input : fragment.inputs) {
      if (input.iterated) {
        constexpr ParameterType kTypes[] = {ParameterType::f32, ParameterType::f16, ParameterType::c10,
                                            ParameterType::u8};
        const ParameterType type = kTypes[static_cast<unsigned>(input.iterated->format)];
        for (unsigned k = 0; k < std::min<unsigned>(input.iterated->components, 4); ++k)
          set_input(first, input.iterated->words,
                    packed(type, k, value_of(input.iterated->value, input.iterated->index, k)));
        first += input.iterated->words;
      }
      if (input.sampled) {
        sample_input(input, first);
        first += input.sampled->words;
      }
    }
    commit(I1());
  }
  void set_input(std::uint32_t first, std::uint32_t words, const Part& part) {
    if (part.offset < words)
      write_part({.bank = Bank::pa, .number = static_cast<std::uint16_t>(first)}, part);
  }

  void sample_input(const FragmentInput& input, std::uint32_t first) {
    using Projection = FragmentInput::Projection;
    const FragmentInput::Sampled& sampled = *input.sampled;
    const auto value = [&](unsigned k) { return value_of(sampled.value, sampled.index, k); };
    const bool cube = samples_cube(program_, sampled.unit);
    SampleRequest request;
    for (unsigned k = 0; k < (cube ? 3U : 2U); ++k) request.coordinates[k] = value(k);
    if (sampled.projection != Projection::none && !cube) {
      const F32 divisor = value(sampled.projection == Projection::by_z ? 2 : 3);
      for (unsigned k = 0; k < 2; ++k) request.coordinates[k] = b_.FDiv32(request.coordinates[k], divisor);
    }
    const bool native = sampled.format == FragmentInput::Texel::native;
    const Result<Texel> texel = fetch_texel(nullptr, sampled.unit, request, native, !input.own_components());
    if (!texel) {
      if (status_) status_ = texel.error();
      return;
    }
    const ParameterType type = sampled.format == FragmentInput::Texel::f16   ? ParameterType::f16
                               : sampled.format == FragmentInput::Texel::f32 ? ParameterType::f32
                                                                             : texel->native;
    for (unsigned k = 0; k < texel->count; ++k)
      set_input(first, sampled.words, packed(type, k, texel->components[k]));
  }

  // ---- Results

  ParameterType native_type() const {
    switch (target()) {
      case PixelFormat::rgba16f:
        return ParameterType::f16;
      case PixelFormat::rgba8i:
        return ParameterType::s8;
      case PixelFormat::rgba8ui:
        return ParameterType::u8;
      default:
        return has_bytes(target()) ? ParameterType::u8 : ParameterType::f32;  // any words
    }
  }

  void set_stored_color() {
    const frontend::FragmentFrame::Words words = frame_.stored_color(0);
    const ParameterType type = native_type();
    for (unsigned k = 0; k < native_count(target()); ++k) {
      Part part;
      if (type == ParameterType::f32)
        part = {.offset = k, .value = words[k]};
      else if (is_integer(target()))
        part = {.mask = 0xffU << 8 * k, .value = b_.IShl32(b_.IAnd32(words[k], word(0xff)), word(8 * k))};
      else
        part = packed(type, k, as_float(words[k]));
      write_part({.bank = Bank::o}, part);
    }
    commit(I1());
  }

  // A component of a colour: bits of a float, or an integer for a target of such.
  I32 result(const Register& reg, ParameterType type, unsigned k) {
    if (is_word(type)) return read_word(reg, k);
    if (type == ParameterType::f16) return as_bits(raw_component(reg, Type::f16, k));
    if (type == ParameterType::c10) return as_bits(raw_component(reg, Type::c10, k));
    const bool wide = type == ParameterType::u16 || type == ParameterType::s16,
               is_signed = type == ParameterType::s16 || type == ParameterType::s8;
    const I32 integer = element(reg, wide ? 16 : 8, k, is_signed);
    if (is_integer(target())) return integer;
    const Type field = wide ? (is_signed ? Type::s16 : Type::u16) : is_signed ? Type::s8 : Type::u8;
    return as_bits(number_of(field, integer, true));
  }
  // What stands for one that there is not.
  I32 missing(ParameterType type, unsigned k) {
    const bool is_float =
        type == ParameterType::f32 || type == ParameterType::f16 || type == ParameterType::c10;
    if (k != 3) return word(0);
    return is_integer(target()) && !is_float ? word(1) : as_bits(real(1.0F));
  }

  void end() override {
    secondary_ = false;
    const bool native = program_.has(Flag::native_color);
    const FragmentInterface& fragment = program_.fragment;
    const ParameterType type = native ? native_type() : fragment.output_type;
    const unsigned count = native ? native_count(target()) : fragment.output_components;
    const Register first{.bank = native ? Bank::o : Bank::pa,
                         .number = static_cast<std::uint16_t>(native ? 0 : fragment.output_start)};
    std::array<frontend::FragmentFrame::Words, 1> colors;
    for (unsigned k = 0; k < 4; ++k) {
      const I32 bits = k < count ? result(first, type, k) : missing(type, k);
      colors[0][k] = loses_bits(target()) ? as_bits(as_byte(as_float(bits))) : bits;
    }
    std::optional<I32> depth;
    if (exports_depth_) {
      const I32 own = b_.BitcastF32ToI32(frame_.depth());
      depth = b_.select(flag(kVarDepthSet), read(kVarDepth), own);
    }
    const std::array<I1, 1> written{truth(!program_.has(Flag::output_undefined))};
    frame_.end(flag(kVarLive), colors, depth, written);
    if (!gone_) return;
    b_.jump(*gone_);
    ssa_.seal(*gone_);
    b_.set_block(*gone_);
  }

  // The number that a byte of an output register means.
  F32 as_byte(F32 value) {
    const F32 limited = b_.FMinSelect32(b_.FMaxSelect32(value, real(0.0F)), real(1.0F));
    const F32 whole = b_.FFloor32(b_.FAdd32(b_.FMul32(limited, real(255.0F)), real(0.5F)));
    return b_.FDiv32(whole, real(255.0F));
  }

  Status kill(const Instruction&, I1 where) override {
    const I1 live = flag(kVarLive);
    write(kVarLive, where.valid() ? b_.AndNot1(live, where) : truth(false));
    if (reads_quads_) return {};
    const ir::Block rest = function_.add_block(b_.guest_address() + 1);
    b_.branch(flag(kVarLive), rest, gone());
    ssa_.seal(rest);
    b_.set_block(rest);
    return {};
  }
  I1 changing_memory() override { return secondary_ ? I1() : flag(kVarLive); }
  I32 anticlockwise() override { return frame_.anticlockwise(); }

  // Where lanes go that leave no results: after the exit.
  ir::Block gone() {
    if (!gone_) gone_ = function_.add_block();
    return *gone_;
  }
  I1 any_of_quad(I1 condition) {
    const I32 own = b_.select(condition, word(1), word(0));
    I32 any = own;
    for (const std::uint64_t neighbours : {0xb1U, 0x4eU, 0x1bU})
      any = b_.IOr32(any, b_.QuadRead(truth(true), own, word(0), neighbours));
    return b_.INe32(any, word(0));
  }

  frontend::FragmentFrame frame_;
  const frontend::PixelFacts& pixels_;
  const bool exports_depth_;
  bool reads_quads_ = false;
  Status status_;
  std::optional<ir::Block> gone_;
};

}  // namespace

Result<ir::Function> translate_fragment(const Program& program, const frontend::PixelFacts& pixels,
                                        std::span<const ir::SampleKey> samples) {
  WARPJIT_TRY(Code primary, Code::decode(program, false));
  WARPJIT_TRY(Code secondary, Code::decode(program, true));
  FragmentTranslator translation(program, register_file(program),
                                 uniform_table(program, texture_uses(program).size()), std::move(primary),
                                 std::move(secondary), pixels, samples);
  WARPJIT_CHECK(translation.check());
  WARPJIT_TRY(ir::Function function, translation.run());
  WARPJIT_CHECK(translation.status());
  return function;
}

}  // namespace warpjit::usse
