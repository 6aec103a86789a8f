#include "frontend/valhall/interpret/fragment.h"

#include <algorithm>
#include <utility>

#include "base/bits.h"
#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/facts/varyings.h"
#include "frontend/valhall/interpret/families.h"
#include "frontend/valhall/interpret/texture.h"
#include "frontend/valhall/interpret/warp.h"

namespace warpjit::valhall {
namespace {

using pixels::SlotUse;

// ---- What instructions need

constexpr std::uint8_t kFlat32 = 0, kFlat16 = 1, kFloat16 = 3;          // source formats; 2 is f32
constexpr std::uint8_t kCentroid = 1, kSample = 2, kExplicitPlace = 3;  // where a varying is read
// Where the sample's number stands in a word, and how many samples there are.
constexpr unsigned kSampleShift = 16, kSamples = 4;
constexpr std::uint8_t kPlace = 0, kInverseW = 2, kDepth = 3;  // of LD_VAR_SPECIAL
constexpr std::uint8_t kFirstBlend = 8, kLastBlend = 15;       // special values of page 0

bool is_half(RegisterFormat format) {
  return format == RegisterFormat::f16 || format == RegisterFormat::s16 || format == RegisterFormat::u16;
}
bool is_integer(RegisterFormat format) {
  return format != RegisterFormat::automatic && format != RegisterFormat::f32 &&
         format != RegisterFormat::f16;
}

// True if source 0 names the place.
bool reads_place(const Instruction& i) { return i.sample == kSample || i.sample == kExplicitPlace; }

// Registers that `components` components take.
unsigned registers_of(unsigned components, bool halves) { return halves ? (components + 1) / 2 : components; }

// Varyings that a table names, four words each; else they are named by a byte, in a source format.
bool is_of_table(const Instruction& i) {
  return i.opcode == Opcode::ld_var || i.opcode == Opcode::ld_var_imm || i.opcode == Opcode::ld_var_flat ||
         i.opcode == Opcode::ld_var_flat_imm;
}
constexpr std::uint32_t kVaryingTable = 0, kTableVaryingBytes = 16;

// What an instruction of a table names; nothing: it is not a constant.
std::optional<AttributeEntry> varying_entry(const Instruction& i) {
  if (i.opcode == Opcode::ld_var_imm || i.opcode == Opcode::ld_var_flat_imm)
    return AttributeEntry{i.table, i.index};
  const Source& source = i.source[i.opcode == Opcode::ld_var ? 1 : 0];
  if (source.kind != Source::Kind::constant) return std::nullopt;
  const std::uint32_t word = kConstants[source.value];
  return AttributeEntry{word >> 24, word & 0xffffff};
}

std::uint32_t first_byte(const Instruction& i) {
  if (is_of_table(i)) return varying_entry(i)->index * kTableVaryingBytes;
  return i.opcode == Opcode::ld_var_buf_imm ? i.index : kConstants[i.source[1].value];
}
std::uint32_t element_bytes(const Instruction& i) {
  return !is_of_table(i) && (i.source_format == kFlat16 || i.source_format == kFloat16) ? 2 : 4;
}
bool is_flat(const Instruction& i) {
  if (is_of_table(i)) return i.opcode == Opcode::ld_var_flat || i.opcode == Opcode::ld_var_flat_imm;
  return i.source_format == kFlat32 || i.source_format == kFlat16;
}
bool gives_halves(const Instruction& i) {
  return is_of_table(i) ? is_half(i.register_format) : i.type == Type::f16;
}

Status check_table_varying(const Instruction& i) {
  const auto entry = varying_entry(i);
  if (!entry) return refused(i, "which varying it is is not a constant");
  if (entry->table != kVaryingTable)
    return refused(i, "table " + std::to_string(entry->table) + " is not that of varyings, 0");
  constexpr std::uint32_t kMost = 4 * (kMaxSlots - kFirstVarying) / kTableVaryingBytes;
  if (entry->index >= kMost)
    return refused(
        i, "varying " + std::to_string(entry->index) + " is not one of 0 to " + std::to_string(kMost - 1));
  return check_count(i, i.write, registers_of(i.vector_size + 1U, gives_halves(i)));
}

Status check_varying(const Instruction& i) {
  if (is_of_table(i)) return check_table_varying(i);
  const bool halves = i.type == Type::f16;
  if (i.opcode == Opcode::ld_var_buf && i.source[1].kind != Source::Kind::constant)
    return refused(i, "the byte is not a constant");
  const unsigned components = i.vector_size + 1U;
  const std::uint32_t first = first_byte(i), bytes = element_bytes(i);
  constexpr std::uint32_t kBytes = 4 * (kMaxSlots - kFirstVarying);
  if (first % bytes != 0 || first > kBytes - components * bytes)
    return refused(i, "byte " + std::to_string(first) + " is not where varyings are");
  if (i.source_format == kFlat32 && halves) return refused(i, "flat words as f16");
  return check_count(i, i.write, registers_of(components, halves));
}

Status check_special_varying(const Instruction& i) {
  if (i.index != kPlace && i.index != kInverseW && i.index != kDepth)
    return refused(i, "value " + std::to_string(i.index) + " is not known");
  if (is_integer(i.register_format)) return refused(i, "a value as an integer");
  const unsigned components = i.vector_size + 1U;
  if (components != (i.index == kPlace ? 2U : 1U))
    return refused(i, "the value has not " + std::to_string(components) + " components");
  return check_count(i, i.write, registers_of(components, is_half(i.register_format)));
}

// The number of its descriptor becomes the index.
Status make_blend(Instruction& i) {
  const Source& descriptor = i.source[0];
  const unsigned entry = special_entry(descriptor.value);
  if (descriptor.kind != Source::Kind::special || special_page(descriptor.value) != 0 ||
      entry < kFirstBlend || entry > kLastBlend)
    return refused(i, "the descriptor is not a blend_descriptor");
  i.index = static_cast<std::uint8_t>(entry - kFirstBlend);
  i.source[0] = {};
  return check_count(i, i.read, registers_of(i.vector_size + 1U, is_half(i.register_format)));
}

// The uses of slots that an instruction reads, one of each component.
std::vector<SlotUse> uses_of(const WarpOp& op, const FragmentSetup& setup) {
  using Plane = SlotUse::Plane;
  using Sprite = SlotUse::Sprite;
  const Instruction& i = op.i;
  if (op.kind == WarpOp::Kind::special_varying && i.index == kPlace)
    return {{.slot = 0, .plane = Plane::linear, .sprite = Sprite::from_left},
            {.slot = 1,
             .plane = Plane::linear,
             .sprite = setup.points_from_bottom ? Sprite::from_bottom : Sprite::from_top}};
  std::vector<SlotUse> uses;
  if (op.kind != WarpOp::Kind::varying) return uses;
  for (unsigned k = 0; k <= i.vector_size; ++k) {
    const std::uint32_t byte = first_byte(i) + k * element_bytes(i);
    SlotUse use{.slot = static_cast<std::uint8_t>(kFirstVarying + byte / 4)};
    if (!is_flat(i)) {
      use.plane = Plane::perspective;
      if (element_bytes(i) == 2)
        use.part = byte % 4 == 0 ? SlotUse::Part::low_half : SlotUse::Part::high_half;
    }
    uses.push_back(use);
  }
  return uses;
}

// ---- Numbers

std::uint32_t to_half(std::uint32_t word) { return round_to(kHalf, static_cast<double>(to_float(word))); }

// a / b, rounded once.
std::uint32_t quotient(std::uint32_t a, std::uint32_t b) {
  const float result = to_float(a) / to_float(b);
  return std::isnan(result) ? kSingle.nan() : to_bits(result);
}

// A word as it is, of 16 bits as what it is in that format: a number, or an integer that is limited.
std::uint32_t flat_in_format(std::uint32_t word, RegisterFormat format) {
  if (format == RegisterFormat::f16) return to_half(word);
  if (format == RegisterFormat::u16) return std::min(word, 0xffffU);
  if (format == RegisterFormat::s16)
    return static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(word), -0x8000, 0x7fff)) & 0xffff;
  return word;
}
// An f32 in a format: as an integer towards zero and limited, a NaN is 0.
std::uint32_t number_in_format(std::uint32_t word, RegisterFormat format) {
  if (format == RegisterFormat::f16) return to_half(word);
  if (!is_integer(format)) return word;
  const auto number = std::trunc(static_cast<double>(to_float(word)));
  if (std::isnan(number)) return 0;
  const bool is_signed = format == RegisterFormat::s32 || format == RegisterFormat::s16;
  const double all = is_half(format) ? 0x1p16 : 0x1p32, least = is_signed ? -all / 2 : 0;
  const auto integer = static_cast<std::int64_t>(std::clamp(number, least, least + all - 1));
  return static_cast<std::uint32_t>(integer) & (is_half(format) ? 0xffffU : ~0U);
}

// Two of 16 bits in each register.
std::array<std::uint32_t, 4> paired(const std::array<std::uint32_t, 4>& halves) {
  return {halves[0] | halves[1] << 16, halves[2] | halves[3] << 16};
}

// ---- A warp of fragments

class Fragments final : public WarpRun, public interpret::FragmentProgram {
 public:
  Fragments(const Interpreter& interpreter, const frontend::Grid& launch, frontend::CheckedGrid checked,
            const interpret::PixelWork& work, RunReport& report, const RunLimits& limits)
      : Fragments(interpreter, launch, std::make_unique<frontend::CheckedGrid>(std::move(checked)), work,
                  report, limits) {}

  Status start() {
    for (const WarpOp& op : ops_) {
      std::vector<unsigned>& numbers = uses_.emplace_back();
      for (const SlotUse& use : uses_of(op, program_.fragment)) {
        const auto found = std::ranges::find(work_.uses, use);
        if (found == work_.uses.end())
          return Error{ErrorCode::bad_input, "the draw lacks a slot that the program uses",
                       program_.where(op.address)};
        numbers.push_back(static_cast<unsigned>(found - work_.uses.begin()));
      }
      const Opcode opcode = op.i.opcode;
      helpers_run_ |= opcode == Opcode::clper || opcode == Opcode::wmask || is_texture(opcode);
      exports_depth_ |= op.kind == WarpOp::Kind::depth && op.i.depth;
    }
    return {};
  }

  unsigned most_quads() const override { return kWarpLanes / 4; }
  bool exports_depth() const override { return exports_depth_; }

  Status run(std::span<const interpret::Quad> quads, std::span<interpret::Fragment> fragments) override {
    quads_ = quads;
    fragments_ = fragments;
    covered_ = live_ = 0;
    for (unsigned quad = 0; quad < quads.size(); ++quad) {
      covered_ |= (quads[quad].coverage & 15U) << 4 * quad;
      live_ |= (quads[quad].coverage & ~quads[quad].failed & 15U) << 4 * quad;
    }
    const auto lanes = static_cast<unsigned>(4 * quads.size());
    start_warp(warp_, helpers_run_ ? low_mask<std::uint32_t>(lanes) : live_);
    memory_.begin({});
    counts_.fill(0);
    for (unsigned lane = 0; lane < lanes; ++lane) start_lane(lane);
    show(warp_, {.kind = interpret::ObservedGroup::Kind::quads, .lanes = covered_, .quads = quads_});
    const Status status = run_warp(warp_);
    report_.first_fault = memory_.take_fault();
    all_.add(std::exchange(report_, {}));
    for_lanes(low_mask<std::uint32_t>(lanes), [&](unsigned lane) {
      fragments[lane].live = ((live_ | ~covered_) >> lane & 1) != 0;
      fragments[lane].instructions = counts_[lane];
    });
    return status;
  }

 private:
  Fragments(const Interpreter& interpreter, const frontend::Grid& launch,
            std::unique_ptr<frontend::CheckedGrid> checked, const interpret::PixelWork& work,
            RunReport& report, const RunLimits& limits)
      : WarpRun(interpreter, launch, *checked, limits), kept_(std::move(checked)), work_(work), all_(report) {
    last_lane_id_ = 3;
    framebuffer_size_ = work.width | work.height << 16;
    if (work.counts_instructions()) executed_ = &counts_;
  }

  // ---- Where a lane is
  const interpret::Quad& quad(unsigned lane) const { return quads_[lane / 4]; }
  const interpret::Primitive& primitive(unsigned lane) const { return *quad(lane).primitive; }
  std::int32_t column(unsigned lane) const { return quad(lane).x + static_cast<std::int32_t>(lane & 1); }
  std::int32_t row(unsigned lane) const { return quad(lane).y + static_cast<std::int32_t>(lane >> 1 & 1); }
  bool is_live(unsigned lane) const { return (live_ >> lane & 1) != 0; }
  // The bit of coverage that stands for the sample of this run.
  std::uint32_t sample_bit() const { return 1U << program_.fragment.sample; }

  void start_lane(unsigned lane) {
    const std::uint32_t covered = covered_ >> lane & 1;
    warp_.registers[57][lane] = primitive(lane).number();
    warp_.registers[58][lane] = primitive(lane).front_facing() ? 0 : 1;
    warp_.registers[59][lane] =
        static_cast<std::uint32_t>(column(lane)) | static_cast<std::uint32_t>(row(lane)) << 16;
    const FragmentSetup& setup = program_.fragment;
    warp_.registers[60][lane] = covered << setup.sample;
    warp_.registers[61][lane] = covered << setup.sample | std::uint32_t{setup.sample} << kSampleShift;
    fragments_[lane].depth = primitive(lane).depth(column(lane), row(lane));
    fragments_[lane].written = fragments_[lane].replaced = 0;
  }

  std::uint32_t storing(std::uint32_t active) const override { return active & live_; }
  std::uint32_t kept(std::uint32_t active) const override { return active & live_; }
  std::string place_text(const Warp&) const override {
    return ", in the quad of pixel (" + std::to_string(quads_[0].x) + ", " + std::to_string(quads_[0].y) +
           ")";
  }

  void execute_own(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneSources& source) override {
    for_lanes(active, [&](unsigned lane) {
      const auto word = [&](unsigned n) { return static_cast<std::uint32_t>(source[n][lane]); };
      const auto write = [&](const std::array<std::uint32_t, 4>& words) {
        for (unsigned n = 0; n < op.i.write.count; ++n) warp.set(op.i.write.first + n, lane, words[n]);
      };
      switch (op.kind) {
        case WarpOp::Kind::varying:
          return write(varying(op, lane, word(0)));
        case WarpOp::Kind::special_varying:
          return write(special_varying(op, lane, word(0)));
        case WarpOp::Kind::discard:
          if (compare_element(op.i, {.source = {source[0][lane], source[1][lane]}, .mode = program_.mode}, 0))
            kill(lane);
          return;
        case WarpOp::Kind::coverage:
          return write({is_live(lane) ? word(0) & sample_bit() : 0});
        case WarpOp::Kind::depth:
          if ((word(2) & sample_bit()) == 0) kill(lane);
          if (is_live(lane) && op.i.depth) fragments_[lane].depth = word(0);
          if (is_live(lane) && op.i.stencil)
            fragments_[lane].stencil_reference = static_cast<std::uint8_t>(word(1));
          return write({is_live(lane) ? sample_bit() : 0});
        case WarpOp::Kind::blend:
          if (is_live(lane) && (word(1) & sample_bit()) != 0) blend(warp, op, lane);
          return;
        case WarpOp::Kind::load_tile:
          return write(tile(op, lane, word(0)));
        case WarpOp::Kind::store_tile:
          if (is_live(lane) && (word(1) & sample_bit()) != 0) store_tile(warp, op, lane, word(0));
          return;
        default:
          return;
      }
    });
  }

  // Discarded lanes run on if someone can read them.
  void kill(unsigned lane) {
    if (warp_.observer != nullptr) warp_.observer->happened(interpret::kDiscarded);
    live_ &= ~(1U << lane);
    if (!helpers_run_) warp_.running &= live_;
  }

  // ---- Varyings
  struct Away {
    float x = 0, y = 0;  // from the pixel's centre, in pixels
  };
  Away away(const Instruction& i, std::uint32_t place) const {
    if (i.sample == kCentroid || i.sample == kSample) {
      const FragmentSetup& setup = program_.fragment;
      if (setup.samples == 1) return {};
      const unsigned number = i.sample == kCentroid ? setup.sample : place >> kSampleShift & (kSamples - 1);
      const auto part = [&](unsigned k) {
        return static_cast<float>(setup.sample_points[number][k] - 128) / 256;
      };
      return {part(0), part(1)};
    }
    if (i.sample != kExplicitPlace) return {};
    const auto part = [&](unsigned shift) {
      return static_cast<float>(static_cast<std::int16_t>(place >> shift & 0xffff) - 128) / 256;
    };
    return {part(0), part(16)};
  }

  std::uint32_t value(unsigned use, unsigned lane, const Away& by) const {
    return primitive(lane).value_at(use, column(lane), row(lane), by.x, by.y);
  }
  std::uint32_t inverse_w(unsigned lane, const Away& by) const {
    return primitive(lane).inverse_w_at(column(lane), row(lane), by.x, by.y);
  }

  std::array<std::uint32_t, 4> varying(const WarpOp& op, unsigned lane, std::uint32_t place) const {
    const Instruction& i = op.i;
    const Away by = away(i, place);
    const std::vector<unsigned>& uses = uses_[static_cast<std::size_t>(&op - ops_.data())];
    std::array<std::uint32_t, 4> words{};
    for (unsigned k = 0; k < uses.size(); ++k) {
      if (is_flat(i)) {
        words[k] = primitive(lane).flat(uses[k]);
        if (warp_.observer != nullptr) [[unlikely]]
          warp_.observer->read_varying(varying_word(work_.uses[uses[k]].slot), lane, words[k]);
        const std::uint32_t byte = first_byte(i) + k * element_bytes(i);
        if (element_bytes(i) == 2) words[k] = words[k] >> byte % 4 * 8 & 0xffff;
        if (is_of_table(i)) words[k] = flat_in_format(words[k], i.register_format);
        continue;
      }
      words[k] = quotient(value(uses[k], lane, by), inverse_w(lane, by));
      if (warp_.observer != nullptr) [[unlikely]]
        warp_.observer->read_varying(varying_word(work_.uses[uses[k]].slot), lane, words[k]);
      if (is_of_table(i))
        words[k] = number_in_format(words[k], i.register_format);
      else if (i.type == Type::f16)
        words[k] = to_half(words[k]);
    }
    return gives_halves(i) ? paired(words) : words;
  }

  std::array<std::uint32_t, 4> special_varying(const WarpOp& op, unsigned lane, std::uint32_t place) const {
    const Away by = away(op.i, place);
    std::array<std::uint32_t, 4> words{};
    if (op.i.index == kPlace) {
      const std::vector<unsigned>& uses = uses_[static_cast<std::size_t>(&op - ops_.data())];
      for (unsigned k = 0; k < 2; ++k) words[k] = value(uses[k], lane, by);
    } else {
      words[0] = op.i.index == kDepth ? primitive(lane).depth(column(lane), row(lane)) : inverse_w(lane, by);
    }
    if (!is_half(op.i.register_format)) return words;
    for (std::uint32_t& word : words) word = to_half(word);
    return paired(words);
  }

  // ---- Colours
  void blend(const Warp& warp, const WarpOp& op, unsigned lane) {
    const std::uint8_t target = blend_target(op, program_.fragment);
    if (target == FragmentSetup::kNoTarget) return;
    write_color(warp, op, lane, target);
    fragments_[lane].replaced &= static_cast<std::uint8_t>(~(1U << target));
  }
  // What a place names that is no target's own pixel is dropped.
  void store_tile(const Warp& warp, const WarpOp& op, unsigned lane, std::uint32_t place) {
    const std::uint32_t target = place >> 8 & 0xff, sample = place & 0xff;
    if (place >> 24 != 0xff || sample != program_.fragment.sample || target >= kMaxColorTargets) return;
    write_color(warp, op, lane, target);
    fragments_[lane].replaced |= static_cast<std::uint8_t>(1U << target);
  }
  void write_color(const Warp& warp, const WarpOp& op, unsigned lane, unsigned target) {
    const RegisterFormat format = op.i.register_format;
    std::array<std::uint32_t, 4> color{0, 0, 0, is_integer(format) ? 1 : to_bits(1.0F)};
    for (unsigned k = 0; k <= op.i.vector_size; ++k) {
      const unsigned n = is_half(format) ? k / 2 : k;
      const std::uint32_t word = warp.get(op.i.read.first + n, lane), half = word >> k % 2 * 16 & 0xffff;
      if (warp.observer != nullptr) [[unlikely]]
        warp.observer->gave(target, register_word(op.i.read.first + n), lane);
      color[k] = format == RegisterFormat::f16   ? widen_half(half)
                 : format == RegisterFormat::s16 ? sign_extend(half, 16)
                 : format == RegisterFormat::u16 ? half
                                                 : word;
    }
    fragments_[lane].colors[target] = color;
    fragments_[lane].written |= static_cast<std::uint8_t>(1U << target);
  }

  std::array<std::uint32_t, 4> tile(const WarpOp& op, unsigned lane, std::uint32_t place) const {
    const std::uint32_t target = place >> 8 & 0xff;
    if (place >> 24 != 0xff || target >= kMaxColorTargets || quad(lane).targets == nullptr) return {};
    std::array<std::uint32_t, 4> words = quad(lane).targets->color(target, column(lane), row(lane));
    for (unsigned k = op.i.vector_size + 1U; k < 4; ++k) words[k] = 0;
    if (!is_half(op.i.register_format)) return words;
    for (std::uint32_t& word : words)
      word = op.i.register_format == RegisterFormat::f16 ? to_half(word) : word & 0xffff;
    return paired(words);
  }

  const std::unique_ptr<frontend::CheckedGrid> kept_;  // what checked_ refers to
  const interpret::PixelWork& work_;
  RunReport& all_;
  Warp warp_;
  std::array<std::uint32_t, kWarpLanes> counts_{};
  std::vector<std::vector<unsigned>> uses_;  // of each operation: numbers of uses, by components
  bool helpers_run_ = false, exports_depth_ = false;
  std::span<const interpret::Quad> quads_;
  std::span<interpret::Fragment> fragments_;
  std::uint32_t covered_ = 0, live_ = 0;
};

}  // namespace

bool is_of_fragments(Opcode opcode) {
  constexpr Opcode kOpcodes[] = {Opcode::discard,         Opcode::ld_var_buf,     Opcode::ld_var_buf_imm,
                                 Opcode::ld_var,          Opcode::ld_var_imm,     Opcode::ld_var_flat,
                                 Opcode::ld_var_flat_imm, Opcode::ld_var_special, Opcode::atest,
                                 Opcode::zs_emit,         Opcode::blend,          Opcode::ld_tile,
                                 Opcode::st_tile};
  return std::ranges::find(kOpcodes, opcode) != std::end(kOpcodes);
}

std::uint8_t blend_target(const WarpOp& op, const FragmentSetup& setup) {
  return setup.blend_targets[op.i.index];
}

Status make_fragment_op(WarpOp& op) {
  Instruction& i = op.i;
  using Kind = WarpOp::Kind;
  switch (i.opcode) {
    case Opcode::discard:
      op.kind = Kind::discard;
      if (i.condition == Condition::total) return refused(i, "the comparison `total` is not defined");
      return {};
    case Opcode::ld_var_buf:
    case Opcode::ld_var_buf_imm:
    case Opcode::ld_var:
    case Opcode::ld_var_imm:
      op.kind = Kind::varying;
      WARPJIT_CHECK(check_varying(i));
      if (!reads_place(i) || is_flat(i)) i.source[0] = {};
      return {};
    case Opcode::ld_var_flat:
    case Opcode::ld_var_flat_imm:
      op.kind = Kind::varying;
      return check_varying(i);
    case Opcode::ld_var_special:
      op.kind = Kind::special_varying;
      WARPJIT_CHECK(check_special_varying(i));
      if (!reads_place(i) || i.index == kDepth) i.source[0] = {};
      return {};
    case Opcode::atest:
      op.kind = Kind::coverage;
      i.source[1] = i.source[2] = {};
      return check_count(i, i.write, 1);
    case Opcode::zs_emit:
      op.kind = Kind::depth;
      if (!i.depth) i.source[0] = {};
      if (!i.stencil) i.source[1] = {};
      return check_count(i, i.write, 1);
    case Opcode::blend:
      op.kind = Kind::blend;
      op.target = std::int64_t{op.address} + 8 + std::int64_t{8} * i.target;
      return make_blend(i);
    case Opcode::ld_tile:
      op.kind = Kind::load_tile;
      i.source[1] = i.source[2] = {};
      return check_count(i, i.write, registers_of(i.vector_size + 1U, is_half(i.register_format)));
    default:
      op.kind = Kind::store_tile;
      i.source[2] = {};
      return check_count(i, i.read, registers_of(i.vector_size + 1U, is_half(i.register_format)));
  }
}

Result<std::unique_ptr<interpret::FragmentProgram>> Interpreter::make_fragment_program(
    const frontend::Grid& launch, const interpret::PixelWork& work, RunReport& report,
    std::optional<RunLimits> limits) const {
  if (program_.stage != Stage::fragment)
    return Error{ErrorCode::bad_input, std::string(stage_name(program_.stage)) + " programs run on a grid",
                 program_.source_name};
  WARPJIT_TRY(frontend::CheckedGrid checked, check_launch(program_, launch));
  auto fragments = std::make_unique<Fragments>(*this, launch, std::move(checked), work, report,
                                               limits.value_or(launch.fuel));
  WARPJIT_CHECK(fragments->start());
  return std::unique_ptr<interpret::FragmentProgram>(std::move(fragments));
}

}  // namespace warpjit::valhall
