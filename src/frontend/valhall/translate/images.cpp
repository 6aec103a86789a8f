// Texels by coordinates: LD_TEX, LEA_TEX, and ST_CVT (valhall.md 8.5).
#include "frontend/valhall/translate/images.h"

#include <algorithm>
#include <bit>

#include "frontend/valhall/facts/attribute.h"
#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/translate/instruction.h"
#include "ir/memory.h"
#include "ir/pass/samples/expansion.h"

namespace warpjit::valhall {

using ir::Element;
using ir::F32;
using ir::I1;
using ir::I32;
using Kind = VertexFormat::Kind;

// ---- Facts

std::vector<ImageFacts> image_facts(const frontend::Grid& launch) {
  std::vector<ImageFacts> all;
  for (const frontend::ImageSource& image : launch.images) {
    ImageFacts facts;
    const auto window = std::ranges::find(launch.high_words, static_cast<std::uint32_t>(image.address >> 32));
    const auto format = find_vertex_format(image.format);
    if (image.width != 0 && format && window != launch.high_words.end()) {
      const std::uint32_t places =
          static_cast<std::uint32_t>(image.address) | image.row_stride | image.slice_stride | format->bytes();
      facts = {.exists = true,
               .interleaved = image.interleaved,
               .is_3d = image.is_3d,
               .window = static_cast<std::uint8_t>(window - launch.high_words.begin()),
               .alignment = 1U << std::min(std::countr_zero(places), 2),
               .format = image.format};
    }
    all.push_back(facts);
  }
  return all;
}

void fill_image_words(std::span<const frontend::ImageSource> images, std::span<std::uint32_t> table) {
  for (std::size_t k = 0; k < images.size() && (k + 1) * kImageWords <= table.size(); ++k) {
    const frontend::ImageSource& image = images[k];
    const auto set = [&](ImageWord word, std::uint32_t value) {
      table[k * kImageWords + static_cast<std::size_t>(word)] = value;
    };
    set(ImageWord::address, static_cast<std::uint32_t>(image.address));
    set(ImageWord::width, image.width);
    set(ImageWord::height, image.height);
    set(ImageWord::depth, image.depth);
    set(ImageWord::row_stride, image.row_stride);
    set(ImageWord::slice_stride, image.slice_stride);
  }
}

// ---- Code

namespace {

unsigned registers_of_components(const Instruction& i) {
  return holds_halves(i.register_format) ? (i.vector_size + 2U) / 2 : i.vector_size + 1U;
}

}  // namespace

// The low half of the address of a texel of an image, and whether the image has it.
InstructionTranslator::TexelPlace InstructionTranslator::texel_place(std::uint32_t image,
                                                                     const ImageFacts& facts, I32 xy, I32 z) {
  const auto word_of = [&](ImageWord which) {
    return b_.LoadUniformI32(table_.image_place() +
                             4 * (kImageWords * image + static_cast<std::uint32_t>(which)));
  };
  const I32 x = b_.IAnd32(xy, word(0xffff)), y = b_.IShrU32(xy, word(16));
  const I32 slice = facts.is_3d ? b_.IAnd32(z, word(0xffff)) : b_.IShrU32(z, word(16));
  TexelPlace place;
  place.inside =
      b_.And1(b_.And1(b_.ILtU32(x, word_of(ImageWord::width)), b_.ILtU32(y, word_of(ImageWord::height))),
              b_.ILtU32(slice, word_of(ImageWord::depth)));
  ir::SampleSource source;
  source.key.layout = facts.interleaved ? TextureLayout::u_interleaved : TextureLayout::linear;
  source.key.format.bytes = static_cast<std::uint8_t>(find_vertex_format(facts.format)->bytes());
  const ir::samples::Level level{.extent = {},
                                 .offset = {},
                                 .row_bytes = word_of(ImageWord::row_stride),
                                 .slice_bytes = word_of(ImageWord::slice_stride),
                                 .shifts = {}};
  ir::samples::Texels texels(b_, source, 0, 0, true);
  const I32 in_slice = texels.offset(texels.part(0, level, x), texels.part(1, level, y));
  const I32 offset = b_.IAdd32(texels.part(2, level, slice).sum, in_slice);
  place.address = b_.IAdd32(word_of(ImageWord::address), offset);
  return place;
}

Status InstructionTranslator::load_image(const Instruction& i) {
  const auto named = image_entry(i);
  if (!named) return unsupported(i, "the image is not a constant");
  const bool loads = i.opcode == Opcode::ld_tex || i.opcode == Opcode::ld_tex_imm;
  const unsigned results = loads ? registers_of_components(i) : 3;
  if (i.write.count != results) return unsupported(i, "the number of staging registers");
  const AttributeEntry entry = *named;
  if (entry.table != kImageTable || entry.index >= facts_.images.size() ||
      !facts_.images[entry.index].exists) {
    // A fault that names the image.
    const ir::MemoryAccess nothing{
        .space = ir::Space::global, .index = kNoWindow, .element = Element::u8, .alignment = 1, .extent = 1};
    b_.LoadMemory(truth(true), word(entry.index), nothing.pack());
    for (unsigned k = 0; k < results; ++k) set_gpr(i.write.first + k, word(0));
    return {};
  }
  const ImageFacts& facts = facts_.images[entry.index];
  const TexelPlace place =
      texel_place(entry.index, facts, source_word(i.source[0]), source_word(i.source[1]));
  if (loads) {
    const VertexFormat format = *find_vertex_format(facts.format);
    const auto stored = load_components({facts.window, facts.alignment}, format, place.address, place.inside);
    set_components(i, format, stored, place.inside);
    return {};
  }
  set_gpr(i.write.first, b_.select(place.inside, place.address, word(0)));
  set_gpr(i.write.first + 1U, b_.select(place.inside, word(facts_.high_words[facts.window]), word(0)));
  set_gpr(i.write.first + 2U, word(facts.format));
  return {};
}

// What a register of some format, of which 16 bits are extended to 32, becomes in `bits` bits of a texel.
I32 InstructionTranslator::stored_component(Kind kind, unsigned bits, I32 value, RegisterFormat from) {
  const bool integer = holds_integers(from), is_signed = holds_signed(from);
  const auto single = [&] {
    if (integer) return b_.BitcastF32ToI32(is_signed ? b_.I32ToF32(value) : b_.U32ToF32(value));
    return from == RegisterFormat::f16 ? widened_half(value, false) : value;
  };
  switch (kind) {
    case Kind::unorm:
    case Kind::snorm: {
      const bool both_signs = kind == Kind::snorm;
      const auto ones = static_cast<float>(low_mask<std::uint32_t>(both_signs ? bits - 1 : bits));
      F32 x = as_float(single());
      if (both_signs && !integer) x = b_.select(b_.FUnordered32(x, x), real(0), x);
      const F32 limited = b_.FMinSelect32(b_.FMaxSelect32(x, real(both_signs ? -1.0F : 0.0F)), real(1));
      return to_integer(b_.FMul32(limited, real(ones)), Round::nearest_even, bits, both_signs);
    }
    case Kind::unsigned_:
    case Kind::signed_: {
      const bool to_signed = kind == Kind::signed_;
      if (!integer) return to_integer(as_float(single()), Round::to_zero, bits, to_signed);
      const auto most = low_mask<std::uint32_t>(to_signed ? bits - 1 : bits);
      if (!is_signed) return b_.IMinU32(value, word(most));
      if (bits == 32) return to_signed ? value : b_.IMaxS32(value, word(0));
      return b_.IMaxS32(b_.IMinS32(value, word(most)), word(to_signed ? ~most : 0));
    }
    case Kind::half:
      return half_bits(as_float(single()), Round::nearest_even);
    default:
      return single();
  }
}

Status InstructionTranslator::store_image(const Instruction& i) {
  const I32 conversion = source_word(i.source[1]);
  if (i.read.count != registers_of_components(i)) return unsupported(i, "the number of staging registers");
  const Pair base = source_pair(i.source[0]), at = address(i);
  const I1 given = b_.INe32(b_.IOr32(base.low, base.high), word(0));
  if (!function_.is_constant(conversion)) {
    store_computed(i, at, given, conversion);
    return {};
  }
  const auto format = find_vertex_format(static_cast<std::uint32_t>(function_.constant(conversion)));
  if (!format || !can_store(*format)) {
    store_nowhere(at, given);
    return {};
  }

  RegisterFormat from = i.register_format;
  if (from == RegisterFormat::automatic)
    from = format->kind == Kind::unsigned_ ? RegisterFormat::u32
           : format->kind == Kind::signed_ ? RegisterFormat::s32
                                           : RegisterFormat::f32;
  const std::uint32_t one = holds_integers(from) ? 1 : from == RegisterFormat::f16 ? 0x3c00 : 0x3f800000;
  std::array<I32, 4> words{word(0), word(0), word(0), word(0)};
  for (unsigned n = 0, first = 0; n < format->count(); ++n) {
    const unsigned bits = format->bits[n];
    const auto channel =
        static_cast<unsigned>(std::ranges::find(format->channel, n) - format->channel.begin());
    if (channel < 4) {
      I32 value = word(channel == 3 ? one : 0);
      if (channel <= i.vector_size) {
        const bool halves = holds_halves(from);
        value = gpr(i.read.first + (halves ? channel / 2 : channel));
        if (halves) value = bits_of(value, 16 * (channel % 2), 16, holds_signed(from));
      }
      value =
          b_.IAnd32(stored_component(format->kind, bits, value, from), word(low_mask<std::uint32_t>(bits)));
      words[first / 32] = b_.IOr32(words[first / 32], b_.IShl32(value, word(first % 32)));
    }
    first += bits;
  }

  const SizedStore store{format->bytes(), given};
  store_bytes(at, words, {&store, 1});
  return {};
}

}  // namespace warpjit::valhall
