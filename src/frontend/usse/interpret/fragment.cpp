#include "frontend/usse/interpret/fragment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "frontend/usse/facts/color.h"
#include "frontend/usse/facts/register_file.h"
#include "frontend/usse/facts/slots.h"
#include "frontend/usse/facts/texels.h"
#include "frontend/usse/interpret/numbers.h"
#include "frontend/usse/interpret/sample.h"

namespace warpjit::usse {
namespace {

using interpret::Fragment;
using Color = std::array<std::uint32_t, 4>;

constexpr IntegerType kByte{8, false};

// ---- Results

// True if a colour is four bytes for 0 to 1, of which the target may keep fewer bits.
bool takes_bytes(PixelFormat format) {
  switch (format) {
    case PixelFormat::rgba8:
    case PixelFormat::srgb8:
    case PixelFormat::rgb565:
    case PixelFormat::rgba4:
    case PixelFormat::rgb5a1:
    case PixelFormat::rgb10a2:
      return true;
    default:
      return false;
  }
}
bool is_narrow(PixelFormat format) {
  return format == PixelFormat::rgb565 || format == PixelFormat::rgba4 || format == PixelFormat::rgb5a1;
}

// One word and no more.
bool has_one_word(PixelFormat format) {
  return format == PixelFormat::r32f || format == PixelFormat::r32i || format == PixelFormat::r32ui;
}

std::uint32_t byte_number(std::uint32_t byte) { return to_bits(normalized_value(kByte, byte)); }

// A component that goes through a byte of the output register.
std::uint32_t through_byte(std::uint32_t word) {
  const float value = to_float(word);
  if (value != value) return 0;
  const float scaled = std::clamp(value, 0.0F, 1.0F) * 255.0F;
  return byte_number(static_cast<std::uint32_t>(std::floor(scaled + 0.5F)));
}

// The pixel as o has it.
std::array<std::uint32_t, 4> native_words(PixelFormat format, const Color& color) {
  std::array<std::uint32_t, 4> words{};
  if (takes_bytes(format)) {
    for (unsigned k = 0; k < 4; ++k) words[0] |= to_normalized(kByte, to_float(color[k])) << 8 * k;
  } else if (format == PixelFormat::rgba16f) {
    for (unsigned k = 0; k < 4; ++k) words[k / 2] |= std::uint32_t{to_half(to_float(color[k]))} << k % 2 * 16;
  } else if (format == PixelFormat::rgba8i || format == PixelFormat::rgba8ui) {
    for (unsigned k = 0; k < 4; ++k) words[0] |= (color[k] & 0xff) << 8 * k;
  } else if (has_one_word(format)) {
    words[0] = color[0];
  } else {
    words = color;
  }
  return words;
}
Color native_color(PixelFormat format, const std::array<std::uint32_t, 4>& words) {
  Color color{0, 0, 0, to_bits(1.0F)};
  if (takes_bytes(format)) {
    for (unsigned k = 0; k < 4; ++k) color[k] = byte_number(words[0] >> 8 * k & 0xff);
  } else if (format == PixelFormat::rgba16f) {
    for (unsigned k = 0; k < 4; ++k)
      color[k] = result_bits(half_value(static_cast<std::uint16_t>(words[k / 2] >> k % 2 * 16)));
  } else if (format == PixelFormat::rgba8i) {
    for (unsigned k = 0; k < 4; ++k)
      color[k] = static_cast<std::uint32_t>(sign_extend(words[0] >> 8 * k & 0xff, 8));
  } else if (format == PixelFormat::rgba8ui) {
    for (unsigned k = 0; k < 4; ++k) color[k] = words[0] >> 8 * k & 0xff;
  } else if (has_one_word(format)) {
    color[0] = words[0];
  } else {
    color = words;
  }
  return color;
}

unsigned bits_of(ParameterType type) { return type == ParameterType::c10 ? 10 : 8 * bytes_of(type); }

// Component k of a result of that type, which begins at these words: an integer for a target of integers.
std::uint32_t result_number(PixelFormat format, ParameterType type, std::span<const std::uint32_t> words,
                            unsigned k) {
  const unsigned bits = bits_of(type), count = 32 / bits;
  const std::uint32_t field =
      k / count < words.size() ? words[k / count] >> k % count * bits & low_mask<std::uint32_t>(bits) : 0;
  if (type == ParameterType::f16) return result_bits(half_value(static_cast<std::uint16_t>(field)));
  if (type == ParameterType::c10) return to_bits(c10_value(field));
  if (is_integer(format))
    return type == ParameterType::s16 || type == ParameterType::s8
               ? static_cast<std::uint32_t>(sign_extend(field, bits))
               : field;
  switch (type) {
    case ParameterType::u16:
      return to_bits(normalized_value({16, false}, field));
    case ParameterType::s16:
      return to_bits(normalized_value({16, true}, field));
    case ParameterType::u8:
      return byte_number(field);
    case ParameterType::s8:
      return to_bits(normalized_value({8, true}, field));
    default:
      return field;
  }
}

// ---- Inputs

// Numbers in the words of an input of a format.
// As packed() has them.
unsigned components_of_word(FragmentInput::Format format) {
  switch (format) {
    case FragmentInput::Format::f32:
      return 1;
    case FragmentInput::Format::f16:
      return 2;
    case FragmentInput::Format::c10:
      return 3;
    case FragmentInput::Format::u8:
      break;
  }
  return 4;
}

std::array<std::uint32_t, 4> packed(FragmentInput::Format format, std::span<const float> numbers) {
  using Format = FragmentInput::Format;
  std::array<std::uint32_t, 4> words{};
  for (unsigned k = 0; k < numbers.size(); ++k) {
    switch (format) {
      case Format::f32:
        words[k] = result_bits(numbers[k]);
        break;
      case Format::f16:
        words[k / 2] |= std::uint32_t{to_half(numbers[k])} << k % 2 * 16;
        break;
      case Format::c10:
        words[k / 3] |= to_c10(numbers[k]) << k % 3 * 10;
        break;
      case Format::u8:
        words[0] |= to_normalized(kByte, numbers[k]) << 8 * k;
        break;
    }
  }
  return words;
}

Type texel_type(FragmentInput::Texel format) {
  return format == FragmentInput::Texel::native ? Type::native
         : format == FragmentInput::Texel::f16  ? Type::f16
                                                : Type::f32;
}

class Fragments final : public interpret::FragmentProgram {
 public:
  Fragments(const Interpreter& interpreter, const frontend::Values& values, const interpret::PixelWork& work,
            const RunLimits& limits)
      : interpreter_(interpreter),
        program_(interpreter.program()),
        values_(values),
        work_(work),
        limits_(limits),
        format_(work.output.colors[0]),
        memory_(pieces_of(values.grid)),
        sa_(secondary_attributes(values)) {}

  Status start() {
    WARPJIT_CHECK(check_color(program_, format_));
    for (const FragmentInput& input : program_.fragment.inputs) {
      if (!input.sampled) continue;
      const unsigned unit = input.sampled->unit;
      if (values_.grid.bound.texture(unit) == nullptr || values_.grid.bound.sampler(unit) == nullptr)
        return failed(ErrorCode::bad_input, "no texture is bound to unit " + std::to_string(unit));
    }
    return interpreter_.check_textures(values_.grid.bound);
  }

  unsigned most_quads() const override { return 1; }
  bool exports_depth() const override { return interpreter_.gives_depth(); }

  Status run(std::span<const interpret::Quad> quads, std::span<Fragment> fragments) override {
    // A draw of no quads runs neither program.
    if (!std::exchange(has_secondary_results_, true)) {
      QuadRun run = new_run();
      run.observer = limits_.observer;
      WARPJIT_CHECK(interpreter_.run_secondary(sa_, run));
      keep_fault(run);
    }
    for (std::size_t n = 0; n < quads.size(); ++n)
      WARPJIT_CHECK(run_quad(quads[n], fragments.subspan(kLanes * n, kLanes)));
    return {};
  }

 private:
  Error failed(ErrorCode code, const std::string& message) const {
    return {code, message, program_.source_name};
  }
  QuadRun new_run() const {
    return {
        .memory = memory_, .textures = &values_.grid.bound, .fuel = limits_.fuel, .cancel = limits_.cancel};
  }
  void keep_fault(const QuadRun& run) const {
    if (!run.access || work_.fault == nullptr || work_.fault->happened) return;
    work_.fault->happened = true;
    work_.fault->is_store = run.access->store;
    work_.fault->address = run.access->address;
    work_.fault->guest_address = run.access->word;
    work_.fault->thread = run.access->lane;
  }

  Status run_quad(const interpret::Quad& quad, std::span<Fragment> fragments) {
    registers_ = {};
    // A positive area is clockwise, as rows grow downward.
    registers_.anticlockwise = quad.primitive->front_facing() != work_.raster.positive_is_front;
    const unsigned inputs = fill_inputs(quad);
    const bool native = program_.has(Flag::native_color);
    if (native && program_.has(Flag::reads_color))
      for_lanes([&](unsigned lane) {
        if (quad.targets == nullptr) return;
        const auto words = native_words(format_, quad.targets->color(0, column(quad, lane), row(quad, lane)));
        for (unsigned k = 0; k < 4; ++k) registers_.o[k][lane] = words[k];
      });
    QuadRun run = new_run();
    run.covered = quad.coverage & ~quad.failed & 15U;
    std::array<std::uint32_t, kLanes> executed{};
    if (work_.counts_instructions()) run.executed = &executed;
    if (limits_.observer != nullptr) [[unlikely]]
      show(quad, inputs, run);
    WARPJIT_CHECK(interpreter_.run_primary(registers_, sa_, run));
    keep_fault(run);
    for_lanes([&](unsigned lane) {
      Fragment& fragment = fragments[lane];
      fragment.instructions = executed[lane];
      fragment.live = (run.dead >> lane & 1) == 0;
      fragment.depth = (run.depth_replaced >> lane & 1) != 0
                           ? to_bits(run.depth[lane])
                           : quad.primitive->depth(column(quad, lane), row(quad, lane));
      fragment.written = program_.has(Flag::output_undefined) ? 0 : 1;
      if (fragment.written != 0) fragment.colors[0] = color(lane);
      if (fragment.written != 0 && run.observer != nullptr) [[unlikely]]
        show_color(*run.observer, lane);
    });
    return {};
  }

  // Which words a lane's colour is.
  void show_color(interpret::Observer& observer, unsigned lane) const {
    if (program_.has(Flag::native_color)) {
      for (unsigned n = 0; n < (takes_bytes(format_) ? 1U : 4U); ++n)
        observer.gave(0, static_cast<std::uint16_t>(kOWords + n), lane);
      return;
    }
    const FragmentInterface& fragment = program_.fragment;
    const unsigned bits = bits_of(fragment.output_type);
    const unsigned words = (fragment.output_components * bits + 31) / 32;
    for (unsigned n = fragment.output_start; n < std::min(fragment.output_start + words, kMaxRegisters); ++n)
      observer.gave(0, static_cast<std::uint16_t>(kPaWords + n), lane);
  }

  // The first words of pa are inputs.
  void show(const interpret::Quad& quad, unsigned inputs, QuadRun& run) {
    std::bitset<kMaxRegisters> words;
    for (unsigned n = 0; n < std::min(inputs, kMaxRegisters); ++n) words.set(n);
    usse::show(*limits_.observer,
               {.kind = interpret::ObservedGroup::Kind::quads,
                .lanes = interpreter_.runs_helpers() ? 15 : run.covered,
                .quads = {&quad, 1}},
               words, registers_, interpreter_.own_attributes(sa_), run);
    if (run.observer == nullptr) return;
    for (unsigned use = 0; use < work_.uses.size(); ++use)
      if (work_.uses[use].sprite == pixels::SlotUse::Sprite::none)
        usse::for_lanes(run.shown, [&](unsigned lane) {
          run.observer->holds(static_cast<std::uint16_t>(kSlotWords + work_.uses[use].slot), lane,
                              to_bits(slot_value(quad, use, lane)));
        });
    tell_inputs(*run.observer);
    for (unsigned word = 0; const FragmentInput& input : program_.fragment.inputs) {
      if (input.iterated) word += input.iterated->words;
      if (!input.sampled) continue;
      show_texels(quad, input, word, run);
      word += input.sampled->words;
    }
  }
  // Which texels the words of pa from `word` on are of.
  void show_texels(const interpret::Quad& quad, const FragmentInput& input, unsigned word,
                   const QuadRun& run) const {
    std::vector<interpret::Event::Texel> texels;
    sample(
        quad, input, [](unsigned, unsigned, const auto&) {}, &texels);
    for (const interpret::Event::Texel& texel : texels)
      for (unsigned n = word; n < std::min(word + input.sampled->words, kMaxRegisters); ++n)
        if ((run.shown >> texel.lane & 1) != 0)
          run.observer->made_of_texel(static_cast<std::uint16_t>(kPaWords + n), texel);
  }
  // Which words of pa are of which slots.
  void tell_inputs(interpret::Observer& observer) const {
    unsigned word = 0;
    const auto tell = [&](FragmentInput::Value value, unsigned index, unsigned component, unsigned first,
                          unsigned words, bool sampled) {
      if (value == FragmentInput::Value::position) return;
      const auto use = std::ranges::find(work_.uses, slot_use(value, index, component));
      if (use == work_.uses.end() || use->sprite != pixels::SlotUse::Sprite::none) return;
      for (unsigned n = first; n < std::min(first + words, kMaxRegisters); ++n)
        observer.made_of(static_cast<std::uint16_t>(kPaWords + n),
                         static_cast<std::uint16_t>(kSlotWords + use->slot), sampled);
    };
    for (const FragmentInput& input : program_.fragment.inputs) {
      if (input.iterated) {
        const FragmentInput::Iterated& iterated = *input.iterated;
        for (unsigned k = 0; k < iterated.components; ++k)
          tell(iterated.value, iterated.index, k, word + k / components_of_word(iterated.format), 1, false);
        word += iterated.words;
      }
      if (input.sampled) {
        const FragmentInput::Sampled& sampled = *input.sampled;
        for (unsigned k = 0; k < 4; ++k)
          if ((coordinate_components(program_, sampled) >> k & 1) != 0)
            tell(sampled.value, sampled.index, k, word, sampled.words, true);
        word += sampled.words;
      }
    }
  }

  template <class Visit>
  static void for_lanes(const Visit& visit) {
    for (unsigned lane = 0; lane < kLanes; ++lane) visit(lane);
  }
  static std::int32_t column(const interpret::Quad& quad, unsigned lane) {
    return quad.x + static_cast<std::int32_t>(lane & 1);
  }
  static std::int32_t row(const interpret::Quad& quad, unsigned lane) {
    return quad.y + static_cast<std::int32_t>(lane >> 1);
  }

  // A component of a value: of what is perspective, what the plane says divided by 1 / w.
  float value(const interpret::Quad& quad, FragmentInput::Value what, unsigned index, unsigned k,
              unsigned lane) const {
    const std::int32_t x = column(quad, lane), y = row(quad, lane);
    if (what == FragmentInput::Value::position) {
      const std::array<float, 4> position{static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F,
                                          to_float(quad.primitive->depth(x, y)),
                                          to_float(quad.primitive->inverse_w(x, y))};
      return position[k];
    }
    const auto found = std::ranges::find(work_.uses, slot_use(what, index, k));
    if (found == work_.uses.end()) return 0;
    return slot_value(quad, static_cast<unsigned>(found - work_.uses.begin()), lane);
  }
  float slot_value(const interpret::Quad& quad, unsigned use, unsigned lane) const {
    const std::int32_t x = column(quad, lane), y = row(quad, lane);
    return to_float(quad.primitive->value(use, x, y)) / to_float(quad.primitive->inverse_w(x, y));
  }

  // The number of words of pa that were set.
  unsigned fill_inputs(const interpret::Quad& quad) {
    unsigned word = 0;
    const auto put = [&](unsigned count, unsigned lane, const std::array<std::uint32_t, 4>& words) {
      for (unsigned k = 0; k < count && word + k < kMaxRegisters; ++k)
        registers_.pa[word + k][lane] = words[k];
    };
    for (const FragmentInput& input : program_.fragment.inputs) {
      if (input.iterated) {
        const FragmentInput::Iterated& iterated = *input.iterated;
        for_lanes([&](unsigned lane) {
          std::array<float, 4> numbers{};
          for (unsigned k = 0; k < iterated.components; ++k)
            numbers[k] = value(quad, iterated.value, iterated.index, k, lane);
          put(iterated.words, lane, packed(iterated.format, std::span(numbers).first(iterated.components)));
        });
        word += iterated.words;
      }
      if (input.sampled) {
        sample(quad, input, put);
        word += input.sampled->words;
      }
    }
    return word;
  }

  // `seen`: gets the texels that are read; null: nobody looks.
  template <class Put>
  void sample(const interpret::Quad& quad, const FragmentInput& input, const Put& put,
              std::vector<interpret::Event::Texel>* seen = nullptr) const {
    const FragmentInput::Sampled& sampled = *input.sampled;
    const textures::TextureView& texture = *values_.grid.bound.texture(sampled.unit);
    TextureSampler sampler(texture, *values_.grid.bound.sampler(sampled.unit),
                           sampled.format == FragmentInput::Texel::native);
    std::array<Coordinates, kLanes> places{};
    for_lanes([&](unsigned lane) {
      const auto component = [&](unsigned k) { return value(quad, sampled.value, sampled.index, k, lane); };
      Coordinates& at = places[lane];
      at = {component(0), component(1), 0};
      if (sampler.is_cube()) {
        at[2] = component(2);
      } else if (sampled.projection != FragmentInput::Projection::none) {
        const float by = component(sampled.projection == FragmentInput::Projection::by_z ? 2 : 3);
        at = {at[0] / by, at[1] / by, 0};
      }
    });
    const float level = sampler.level_of_quad(places) + sampler.bias();
    const unsigned components = input.own_components() ? texel_components(texture.swizzle) : 4;
    for_lanes([&](unsigned lane) {
      std::optional<interpret::SeenTexels> shown;
      if (seen != nullptr) [[unlikely]]
        sampler.show_to(&shown.emplace(*seen, sampled.unit, lane));
      put(sampled.words, lane,
          pack_texel(texture, texel_type(sampled.format), sampler.sample(places[lane], level), components)
              .words);
    });
  }

  Color color(unsigned lane) const {
    std::array<std::uint32_t, 4> words{};
    if (program_.has(Flag::native_color)) {
      for (unsigned k = 0; k < 4; ++k) words[k] = registers_.o[k][lane];
      return native_color(format_, words);
    }
    const FragmentInterface& fragment = program_.fragment;
    for (unsigned k = 0; k < 4; ++k)
      if (const unsigned n = fragment.output_start + k; n < kMaxRegisters) words[k] = registers_.pa[n][lane];
    const ParameterType type = fragment.output_type;
    const bool integers = is_integer(format_) && type != ParameterType::f32 && type != ParameterType::f16 &&
                          type != ParameterType::c10;
    Color color{0, 0, 0, integers ? 1 : to_bits(1.0F)};
    for (unsigned k = 0; k < fragment.output_components; ++k)
      color[k] = result_number(format_, type, words, k);
    if (is_narrow(format_))
      for (std::uint32_t& word : color) word = through_byte(word);
    return color;
  }

  const Interpreter& interpreter_;
  const Program& program_;
  const frontend::Values& values_;
  const interpret::PixelWork& work_;
  const RunLimits limits_;
  PixelFormat format_;
  std::vector<MemoryPiece> memory_;
  std::vector<std::uint32_t> sa_;
  bool has_secondary_results_ = false;  // in sa_
  Quad registers_;
};

}  // namespace

std::vector<std::uint32_t> secondary_attributes(const frontend::Values& values) {
  std::vector<std::uint32_t> sa(kMaxRegisters);
  std::copy_n(values.words.begin(), std::min(values.words.size(), sa.size()), sa.begin());
  return sa;
}

std::vector<MemoryPiece> pieces_of(const frontend::Grid& grid) {
  std::vector<MemoryPiece> pieces;
  for (const frontend::MappedRange& range : grid.globals[0])
    pieces.push_back({range.address, range.bytes, true});
  return pieces;
}

Status draw_fragments(const Interpreter& interpreter, const frontend::Values& values,
                      const interpret::PixelWork& work, const RunLimits& limits) {
  Fragments fragments(interpreter, values, work, limits);
  WARPJIT_CHECK(fragments.start());
  return interpret::draw(work, fragments);
}

}  // namespace warpjit::usse
