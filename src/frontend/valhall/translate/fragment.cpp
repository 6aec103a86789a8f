// Fragment programs (valhall.md 10).
#include <algorithm>
#include <optional>

#include "frontend/pixels/fragment_frame.h"
#include "frontend/valhall/facts/varyings.h"
#include "frontend/valhall/translate/program.h"

namespace warpjit::valhall {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

constexpr unsigned kFirstBlendDescriptor = 8;                      // entries of page 0
constexpr std::uint8_t kCentroid = 1, kSample = 2, kExplicit = 3;  // sample modes
constexpr unsigned kSampleShift = 16;                              // of the sample's number in a word
constexpr std::uint32_t kOnes = 0x3f800000;

bool is_half(RegisterFormat format) {
  return format == RegisterFormat::f16 || format == RegisterFormat::s16 || format == RegisterFormat::u16;
}
// True if pixels keep a number as it is, also which NaN it is. Numbers of integer formats may be any bits.
bool keeps_bits(PixelFormat format) {
  return is_integer(format) || format == PixelFormat::r32f || format == PixelFormat::rg32f ||
         format == PixelFormat::rgba32f;
}
bool is_float(RegisterFormat format) {
  return format == RegisterFormat::automatic || format == RegisterFormat::f32 ||
         format == RegisterFormat::f16;
}

// The blend descriptor that a BLEND names; nothing: another value.
std::optional<unsigned> descriptor_of(const Instruction& i) {
  const Source& a = i.source[0];
  if (a.kind != Source::Kind::special || special_page(a.value) != 0 || (a.value & 1) != 0)
    return std::nullopt;
  const unsigned entry = special_entry(a.value);
  if (entry < kFirstBlendDescriptor) return std::nullopt;
  return entry - kFirstBlendDescriptor;
}

// The colour target that a BLEND writes, if any.
std::optional<unsigned> target_of(const Instruction& i, const FragmentSetup& setup) {
  const auto descriptor = i.opcode == Opcode::blend ? descriptor_of(i) : std::nullopt;
  if (!descriptor || setup.blend_targets[*descriptor] >= kMaxColorTargets) return std::nullopt;
  return setup.blend_targets[*descriptor];
}

// An ST_TILE: where it is, and the target that it writes.
struct TileStore {
  std::uint32_t address;
  unsigned target;
};

// Checks that control cannot come from a BLEND, or from an ST_TILE, to a BLEND of the same target. An ST_TILE
// replaces what any has written.
Status check_written_once(const Program& program, const ReachedCode& code, const ControlFlow& flow,
                          const std::vector<TileStore>& stores) {
  const flow::Successors successors = flow.successors();
  std::vector<std::vector<std::uint32_t>> predecessors(successors.size());
  for (std::uint32_t b = 0; b < successors.size(); ++b)
    for (const std::uint32_t to : successors[b]) predecessors[to].push_back(b);
  const auto last = [&](std::uint32_t b) { return flow.blocks[b].end - 8; };  // BLEND ends its block
  const auto block_of = [&](std::uint32_t address) -> std::size_t {
    const FlowBlock& entry = flow.blocks.front();
    if (address >= entry.first && address < entry.end) return 0;
    const auto after =
        std::upper_bound(flow.blocks.begin() + 1, flow.blocks.end(), address,
                         [](std::uint32_t place, const FlowBlock& block) { return place < block.first; });
    return static_cast<std::size_t>(after - flow.blocks.begin()) - 1;
  };
  for (unsigned target = 0; target < kMaxColorTargets; ++target) {
    const auto blends = [&](std::uint32_t b) {
      return target_of(*code.at(last(b)), program.fragment) == target;
    };
    std::vector<bool> replaces(successors.size());
    for (const TileStore& store : stores)
      if (store.target == target) replaces[block_of(store.address)] = true;
    const auto twice = [&](std::uint32_t b) {
      return Error{ErrorCode::unsupported, "BLEND: a lane may write a colour target twice",
                   program.where(last(b))};
    };
    std::vector<bool> leads_there(successors.size());
    std::vector<std::uint32_t> work;
    for (std::uint32_t b = 0; b < successors.size(); ++b)
      if (blends(b)) {
        if (replaces[b]) return twice(b);
        work.push_back(b);
      }
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      for (const std::uint32_t from : predecessors[b]) {
        if (leads_there[from]) continue;
        if (blends(from) || replaces[from]) return twice(from);
        leads_there[from] = true;
        work.push_back(from);
      }
    }
  }
  return {};
}

bool has(const ReachedCode& code, const auto& wanted) {
  return std::ranges::any_of(code.instructions(),
                             [&](const auto& reached) { return wanted(reached.instruction); });
}

class FragmentTranslator final : public ProgramTranslator {
 public:
  FragmentTranslator(const Program& program, const LaunchFacts& facts, const ReachedCode& code,
                     const frontend::PixelFacts& pixels)
      : ProgramTranslator(program, facts, code),
        frame_(b_, pixels),
        pixels_(pixels),
        effects_(code, facts),
        reads_quads_(effects_.other_lanes || samples_quads()) {
    if (facts.half_arithmetic) frame_.use_half_arithmetic();
    if (reads_quads_) function_.lane_order = ir::LaneOrder::lowest_address_first;
    function_.group_lanes = 0;
    function_.block_groups = 0;
    function_.uniform_bytes = table_.bytes();
  }
  const ControlFlow& control_flow() const { return flow_; }
  const std::vector<TileStore>& tile_stores() const { return tile_stores_; }

 private:
  void begin() override {
    const bool ends_living = has(code_, [](const Instruction& i) {
      return i.opcode == Opcode::discard || i.opcode == Opcode::zs_emit;
    });
    sets_reference_ =
        has(code_, [](const Instruction& i) { return i.opcode == Opcode::zs_emit && i.stencil; });
    sets_depth_ = has(code_, [](const Instruction& i) { return i.opcode == Opcode::zs_emit && i.depth; });
    const I1 live = frame_.begin({ends_living, sets_depth_, effects_.stores || effects_.atomics});
    write(kVarLive, live);
    set_gpr(57, frame_.primitive_number());
    set_gpr(58, b_.IAdd32(frame_.front_facing(), word(1)));
    const I32 column = b_.F32ToI32Lowest(frame_.center_x()), row = b_.F32ToI32Lowest(frame_.center_y());
    set_gpr(59, b_.IOr32(column, b_.IShl32(row, word(16))));
    const I1 covered = b_.PixelCovered();
    set_gpr(60, coverage(covered));
    const std::uint32_t sample = program_.fragment.sample;
    set_gpr(61, sample == 0 ? coverage(covered) : b_.IOr32(coverage(covered), word(sample << kSampleShift)));
    for (unsigned target = 0; target < kMaxColorTargets; ++target)
      set_gpr(kVarColors + 4 * target + 3, word(0));
    if (local_bytes_ != 0 && (effects_.loads || effects_.atomics)) clear_local_memory();
    // The exit stores, after all else.
    function_.block(exit()).guest_address = static_cast<std::uint32_t>(8 * program_.code.size());
    if (reads_quads_) {
      // Quads without live lanes neither load nor use up fuel. Those that only fill a group do as the one
      // whose place they have, unless they load.
      if (loads() || (has_loops() && frame_.tests_first()))
        return b_.branch(any_of_quad(live), start(), gone());
      return b_.jump(start());
    }
    // Lanes that are not live could turn in a loop for long, or load from outside.
    if (loads() || has_loops() || frame_.tests_first()) return b_.branch(live, start(), gone());
    b_.jump(start());
  }

  void end() override {
    std::array<frontend::FragmentFrame::Words, kMaxColorTargets> colors;
    std::array<I1, kMaxColorTargets> written, replaced;
    for (unsigned target = 0; target < kMaxColorTargets; ++target) {
      for (unsigned k = 0; k < 4; ++k) colors[target][k] = gpr(kVarColors + 4 * target + k);
      written[target] = flag(kVarWritten + target);
    }
    for (const TileStore& store : tile_stores_) replaced[store.target] = flag(kVarReplaced + store.target);
    std::optional<I32> depth;
    if (sets_depth_) {
      const I32 own = b_.BitcastF32ToI32(frame_.depth());
      depth = b_.select(flag(kVarDepthSet), gpr(kVarDepth), own);
    }
    std::optional<frontend::FragmentFrame::StencilReference> reference;
    if (sets_reference_) reference = {flag(kVarReferenceSet), gpr(kVarReference)};
    frame_.end(flag(kVarLive), colors, depth, written, reference, replaced);
    if (!gone_) return;
    b_.jump(*gone_);
    ssa_.seal(*gone_);
    b_.set_block(*gone_);
  }

  void flow(const Instruction& i) override {
    // Without other lanes to see them, those that are not live are gone, or do no harm.
    if (i.flow == Flow::discard && reads_quads_) leave();
  }

  // True if a sample takes its level of detail from the quad.
  bool samples_quads() const {
    return std::ranges::any_of(sampling_, [&](const SamplingInstruction& sampling) {
      const Instruction& i = *code_.at(sampling.address);
      constexpr std::uint8_t kComputed = 1, kComputedBias = 5;
      if (i.opcode == Opcode::tex_gradient && !i.derivatives) return true;
      if (i.opcode != Opcode::tex_single || (i.lod_mode != kComputed && i.lod_mode != kComputedBias))
        return false;
      if (sampling.handle && !sampling.use) return false;  // a fault
      const auto number =
          static_cast<std::size_t>(std::ranges::find(texture_uses_, sampling.use) - texture_uses_.begin());
      return number >= facts_.samples.size() || facts_.samples[number].needs_lod();
    });
  }

  // Lanes that are not live end.
  void leave() {
    const ir::Block rest = function_.add_block(b_.guest_address() + 8);
    b_.branch(flag(kVarLive), rest, gone());
    ssa_.seal(rest);
    b_.set_block(rest);
  }
  // Where lanes go that leave no results: after the exit, so that no value of theirs is needed there.
  ir::Block gone() {
    if (!gone_) gone_ = function_.add_block();
    return *gone_;
  }
  I1 any_of_quad(I1 condition) {
    const I32 own = flag(condition);
    I32 any = own;
    for (const std::uint32_t neighbours : {0xb1U, 0x4eU, 0x1bU})
      any = b_.IOr32(any, b_.QuadRead(truth(true), own, word(0), neighbours));
    return b_.INe32(any, word(0));
  }
  bool loads() const { return effects_.loads || effects_.atomics || effects_.buffers; }
  bool has_loops() const {
    return std::ranges::any_of(flow_.blocks, [](const FlowBlock& block) {
      return std::ranges::any_of(block.edges, &FlowEdge::backward);
    });
  }

  I32 flag(I1 condition) { return b_.select(condition, word(1), word(0)); }
  I1 flag(std::uint32_t variable) { return ssa_.read<I1>(b_.block(), variable); }
  void write(std::uint32_t variable, I1 value) { ssa_.write(b_.block(), variable, value); }
  // The bit of the run's sample, where the condition holds, and whether a source has it.
  I32 coverage(I1 condition) { return b_.select(condition, word(1U << program_.fragment.sample), word(0)); }
  I1 covers(const Source& source) {
    return b_.INe32(b_.IAnd32(source_word(source), word(1U << program_.fragment.sample)), word(0));
  }

  I1 changing_memory(I1 where) override { return b_.And1(where, flag(kVarLive)); }

  // Checks that a message has as many staging registers as its components of this width take.
  Status check_staging(const Instruction& i, const Staging& staging, bool halves) const {
    const unsigned components = i.vector_size + 1U;
    return check_count(i, staging, halves ? (components + 1) / 2 : components);
  }
  Status check_count(const Instruction& i, const Staging& staging, unsigned count) const {
    if (i.unused != 0) return unsupported(i, "bits that no field has are set");
    if (staging.count != count) return unsupported(i, "the number of staging registers");
    if (const Status known = check_registers(i); !known) return unsupported(i, known.error().message);
    return {};
  }

  Status fragment_message(const Instruction& i) override {
    switch (i.opcode) {
      case Opcode::discard:
        return discard(i);
      case Opcode::ld_var:
      case Opcode::ld_var_imm:
      case Opcode::ld_var_flat:
      case Opcode::ld_var_flat_imm:
      case Opcode::ld_var_buf:
      case Opcode::ld_var_buf_imm:
        return load_varying(i);
      case Opcode::ld_var_special:
        return load_special(i);
      case Opcode::atest:
        WARPJIT_CHECK(check_count(i, i.write, 1));
        set_gpr(i.write.first, coverage(b_.And1(flag(kVarLive), covers(i.source[0]))));
        return {};
      case Opcode::zs_emit:
        return emit_depth(i);
      case Opcode::blend:
        return blend(i);
      case Opcode::st_tile:
        return store_tile(i);
      default:
        return load_tile(i);
    }
  }

  Status discard(const Instruction& i) {
    if (i.unused != 0) return unsupported(i, "bits that no field has are set");
    if (i.condition == Condition::total) return unsupported(i, "the comparison total");
    const F32 a = single_source(i.source[0]), b = single_source(i.source[1]);
    write(kVarLive, b_.AndNot1(flag(kVarLive), holds(i.condition, a, b)));
    if (!reads_quads_) leave();
    return {};
  }

  // ---- Varyings

  // How far from the pixel's centre an instruction reads; nothing: there.
  struct Offset {
    F32 x, y;
  };
  std::optional<Offset> offset_of(const Instruction& i) {
    if (i.sample == kCentroid || i.sample == kSample) return at_sample(i);
    if (i.sample != kExplicit) return std::nullopt;
    const I32 place = source_word(i.source[0]);
    const auto from_center = [&](unsigned n) {
      const I32 half = bits_of(place, 16 * n, 16, true);
      return b_.FMul32(b_.I32ToF32(b_.ISub32(half, word(128))), real(0x1p-8F));
    };
    const F32 x = from_center(0);
    return Offset{x, from_center(1)};
  }
  std::optional<Offset> at_sample(const Instruction& i) {
    const FragmentSetup& setup = program_.fragment;
    if (setup.samples == 1) return std::nullopt;
    const auto from_center = [&](std::size_t number, std::size_t k) {
      return real(static_cast<float>(setup.sample_points[number][k] - 128) / 256);
    };
    if (i.sample == kCentroid) return Offset{from_center(setup.sample, 0), from_center(setup.sample, 1)};
    const I32 number = b_.IAnd32(b_.IShrU32(source_word(i.source[0]), word(kSampleShift)), word(3));
    Offset at{from_center(0, 0), from_center(0, 1)};
    for (std::uint32_t n = 1; n < setup.samples; ++n) {
      const I1 is = b_.IEq32(number, word(n));
      at = {b_.select(is, from_center(n, 0), at.x), b_.select(is, from_center(n, 1), at.y)};
    }
    return at;
  }
  unsigned number_of(const pixels::SlotUse& use) const {
    return static_cast<unsigned>(std::ranges::find(pixels_.uses, use) - pixels_.uses.begin());
  }
  F32 value(unsigned use, const std::optional<Offset>& at) {
    return at ? frame_.value_at(use, at->x, at->y) : frame_.value(use);
  }
  F32 inverse_w(const std::optional<Offset>& at) {
    return at ? frame_.inverse_w_at(at->x, at->y) : frame_.inverse_w();
  }

  Status load_varying(const Instruction& i) {
    const SlotUses uses = slot_uses(i, program_.fragment);
    const bool of_table = names_varying(i.opcode), flat = reads_flat(i), from_half = reads_halves(i),
               to_half = of_table ? is_half(i.register_format) : i.type == Type::f16;
    if (i.source_format > 3) return unsupported(i, "the format of the varying");
    if (uses.size() == 0)
      return unsupported(i, of_table ? "a varying that is not one of 0 to 30 of table 0, by a constant"
                                     : "a byte of the varyings that no instruction may name");
    if (flat && to_half && !from_half && !of_table) return unsupported(i, "a flat word as a half");
    WARPJIT_CHECK(check_staging(i, i.write, to_half));
    const std::uint32_t first = *varying_byte(i);
    const std::optional<Offset> at = offset_of(i);
    std::array<I32, 4> words{};
    for (unsigned k = 0; k < uses.size(); ++k) {
      const unsigned use = number_of(uses[k]);
      if (flat) {
        words[k] = frame_.flat(use);
        if (of_table) words[k] = flat_in_format(words[k], i.register_format);
        if (from_half) words[k] = bits_of(words[k], 8 * ((first + 2 * k) % 4), 16, false);
        continue;
      }
      const F32 quotient = b_.FDiv32(value(use, at), inverse_w(at));
      if (of_table && holds_integers(i.register_format))
        words[k] = to_integer(quotient, Round::to_zero, to_half ? 16 : 32, holds_signed(i.register_format));
      else
        words[k] = to_half ? half_bits(quotient, Round::nearest_even) : as_bits(quotient);
    }
    set_staging(i, std::span(words).first(uses.size()), to_half);
    return {};
  }
  // Integers of 16 bits are limited to what the format has.
  I32 flat_in_format(I32 bits, RegisterFormat format) {
    if (format == RegisterFormat::f16) return half_bits(as_float(bits), Round::nearest_even);
    if (format == RegisterFormat::u16) return b_.IMinU32(bits, word(0xffff));
    if (format == RegisterFormat::s16)
      return b_.IMaxS32(b_.IMinS32(bits, word(0x7fff)), b_.constant(-0x8000));
    return bits;
  }

  Status load_special(const Instruction& i) {
    const RegisterFormat format = i.register_format;
    if (!is_float(format)) return unsupported(i, "the register format");
    const bool half = format == RegisterFormat::f16;
    std::array<F32, 2> values;
    unsigned count = 1;
    switch (i.index) {
      case 0: {
        const SlotUses uses = slot_uses(i, program_.fragment);
        const std::optional<Offset> at = offset_of(i);
        count = 2;
        for (unsigned k = 0; k < uses.size(); ++k) values[k] = value(number_of(uses[k]), at);
        break;
      }
      case 2:
        values[0] = inverse_w(offset_of(i));
        break;
      case 3:
        values[0] = frame_.depth();
        break;
      default:
        return unsupported(i, "the number of the value");
    }
    if (count != i.vector_size + 1U) return unsupported(i, "the number of components");
    WARPJIT_CHECK(check_staging(i, i.write, half));
    std::array<I32, 2> words;
    for (unsigned k = 0; k < count; ++k)
      words[k] = half ? half_bits(values[k], Round::nearest_even)
                      : b_.BitcastF32ToI32(b_.CanonicalizeNaNOnes32(values[k]));  // as planes have it
    set_staging(i, std::span(words).first(count), half);
    return {};
  }

  // ---- Results

  Status emit_depth(const Instruction& i) {
    WARPJIT_CHECK(check_count(i, i.write, 1));
    const I1 live = b_.And1(flag(kVarLive), covers(i.source[2]));
    write(kVarLive, live);
    if (i.depth) {
      set_gpr(kVarDepth, b_.select(live, source_word(i.source[0]), gpr(kVarDepth)));
      write(kVarDepthSet, b_.Or1(flag(kVarDepthSet), live));
    }
    if (i.stencil) {
      set_gpr(kVarReference, b_.select(live, source_word(i.source[1]), gpr(kVarReference)));
      write(kVarReferenceSet, b_.Or1(flag(kVarReferenceSet), live));
    }
    set_gpr(i.write.first, coverage(live));
    return {};
  }

  Status blend(const Instruction& i) {
    const auto descriptor = descriptor_of(i);
    if (!descriptor) return unsupported(i, "another descriptor than blend_descriptor_n");
    WARPJIT_CHECK(check_staging(i, i.read, is_half(i.register_format)));
    const std::optional<unsigned> target = target_of(i, program_.fragment);
    if (!target || pixels_.output.colors[*target] == PixelFormat::none) return {};
    const auto color = staged_color(i, *target);
    for (unsigned k = 0; k < 4; ++k) set_gpr(kVarColors + 4 * *target + k, color[k]);
    write(kVarWritten + *target, covers(i.source[1]));
    return {};
  }

  // Where it is covered, in place of what the lane has written so far.
  Status store_tile(const Instruction& i) {
    WARPJIT_CHECK(check_staging(i, i.read, is_half(i.register_format)));
    const I32 pixel = source_word(i.source[0]);
    if (!function_.is_constant(pixel)) return unsupported(i, "a pixel that the program computes");
    const auto bits = static_cast<std::uint32_t>(function_.constant(pixel));
    if (bits >> 24 != 0xff) return unsupported(i, "another pixel than the lane's own");
    if ((bits & 0xff) != program_.fragment.sample)
      return unsupported(i, "another sample than that of the run");
    const std::uint32_t target = bits >> 8 & 0xff;
    if (target >= kMaxColorTargets || pixels_.output.colors[target] == PixelFormat::none) return {};
    tile_stores_.push_back({address_, target});
    const I1 covered = b_.And1(flag(kVarLive), covers(i.source[1]));
    const auto color = staged_color(i, target);
    for (unsigned k = 0; k < 4; ++k) {
      const std::uint32_t variable = kVarColors + 4 * target + k;
      set_gpr(variable, b_.select(covered, color[k], gpr(variable)));
    }
    write(kVarWritten + target, b_.AndNot1(flag(kVarWritten + target), covered));
    write(kVarReplaced + target, b_.Or1(flag(kVarReplaced + target), covered));
    return {};
  }

  // The words of a colour in staging registers.
  frontend::FragmentFrame::Words staged_color(const Instruction& i, unsigned target) {
    const bool half = is_half(i.register_format), floats = is_float(i.register_format);
    const bool keeps_nan = keeps_bits(pixels_.output.colors[target]);
    frontend::FragmentFrame::Words color;
    const auto as_word = [&](F32 x) { return b_.BitcastF32ToI32(x); };
    for (unsigned k = 0; k < 4; ++k) {
      I32 component = word(k < 3 ? 0 : floats ? kOnes : 1);
      if (k <= i.vector_size) component = gpr(i.read.first + (half ? k / 2 : k));
      if (k <= i.vector_size && half) {
        component = bits_of(component, 16 * (k % 2), 16, i.register_format == RegisterFormat::s16);
        // Which NaN it is shows in targets of whole words.
        if (floats) component = keeps_nan ? widened_half(component, false) : as_word(half_value(component));
      }
      color[k] = component;
    }
    return color;
  }

  Status load_tile(const Instruction& i) {
    const bool half = is_half(i.register_format);
    WARPJIT_CHECK(check_staging(i, i.write, half));
    const I32 pixel = source_word(i.source[0]);
    if (!function_.is_constant(pixel)) return unsupported(i, "a pixel that the program computes");
    const auto bits = static_cast<std::uint32_t>(function_.constant(pixel));
    const std::uint32_t target = bits >> 8 & 0xff;
    frontend::FragmentFrame::Words words{word(0), word(0), word(0), word(0)};
    if (bits >> 24 == 0xff && target < kMaxColorTargets && pixels_.output.colors[target] != PixelFormat::none)
      words = frame_.stored_color(target);
    if (i.register_format == RegisterFormat::f16)
      for (I32& component : words) component = half_bits(as_float(component), Round::nearest_even);
    set_staging(i, std::span(words).first(i.vector_size + 1U), half);
    return {};
  }

  frontend::FragmentFrame frame_;
  const frontend::PixelFacts& pixels_;
  const Effects effects_;
  const bool reads_quads_;              // lanes of a quad see each other
  std::vector<TileStore> tile_stores_;  // of targets that are bound
  bool sets_depth_ = false, sets_reference_ = false;
  std::optional<ir::Block> gone_;
};

}  // namespace

Result<ir::Function> translate_fragment(const Program& program, const ReachedCode& code,
                                        const LaunchFacts& facts, const frontend::PixelFacts& pixels) {
  WARPJIT_CHECK(check_special_values(program, code));
  FragmentTranslator translation(program, facts, code, pixels);
  WARPJIT_TRY(ir::Function function, translation.run());
  WARPJIT_CHECK(check_written_once(program, code, translation.control_flow(), translation.tile_stores()));
  return function;
}

}  // namespace warpjit::valhall
