// Samples of textures (valhall.md 10.4): staging registers to the operands of a Sample, and its results back.
#include <algorithm>
#include <bit>

#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/translate/instruction.h"
#include "ir/memory.h"
#include "ir/pass/samples/expansion.h"
#include "textures/format.h"

namespace warpjit::valhall {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

constexpr std::uint8_t kCube = 3;  // of Instruction::dimension
constexpr std::uint8_t kLevelZero = 0, kExplicitLevel = 4, kLevelBias = 5, kGradients = 6;  // of lod_mode
constexpr std::uint8_t kOfTexture = 0, kFloats = 1;  // of register_type

ir::SampleOperation operation_of(const Instruction& i) {
  if (i.opcode == Opcode::tex_fetch) return ir::SampleOperation::fetch;
  if (i.opcode == Opcode::tex_gather) return ir::SampleOperation::gather;
  if (i.lod_mode == kLevelZero || i.lod_mode == kExplicitLevel || i.lod_mode == kGradients)
    return ir::SampleOperation::lod;
  return i.lod_mode == kLevelBias ? ir::SampleOperation::bias : ir::SampleOperation::automatic;
}

// Where a gather of the IR has the texels (0, 0), (1, 0), (0, 1), (1, 1).
constexpr std::array<std::uint8_t, 4> kGathered{3, 2, 0, 1};

const char* refusal(const Instruction& i, const SampleOperands& operands) {
  const auto results = static_cast<unsigned>(std::popcount(i.channels));
  if (i.unused != 0) return "bits that no field has are set";
  if (i.read.count != operands.count ||
      i.write.count != (i.register_width != 0 ? results : (results + 1) / 2))
    return "a number of staging registers that does not fit";
  if (i.opcode == Opcode::tex_fetch && i.dimension == kCube) return "texels of a cube";
  if (i.opcode == Opcode::tex_gradient && i.register_width == 0) return "results of 16 bits";
  if (i.opcode == Opcode::tex_gather && i.integer_coordinates) return "integer coordinates";
  if (i.opcode == Opcode::tex_gather && i.dimension != 1 && i.dimension != kCube)
    return "a gather from 1D or 3D";
  return nullptr;
}

// True if it looks at the coordinates of the quad's other lanes.
bool reads_quads(const Instruction& i) {
  if (i.opcode == Opcode::tex_gradient) return !i.derivatives;
  if (i.opcode != Opcode::tex_single) return false;
  const ir::SampleOperation operation = operation_of(i);
  return operation == ir::SampleOperation::automatic || operation == ir::SampleOperation::bias;
}

}  // namespace

Status InstructionTranslator::sample(const Instruction& i) {
  if (const char* reason = refusal(i, sample_operands(i))) return unsupported(i, reason);
  if (const Status registers = check_registers(i); !registers)
    return unsupported(i, registers.error().message);
  const auto sampling = std::ranges::lower_bound(sampling_, address_, {}, &SamplingInstruction::address);
  if (!sampling->handle) return sample_computed(i, *sampling);
  const SampleWords words = sample_words(i);
  if (!sampling->use) {  // entries of other tables, and beyond those that a launch binds
    const bool has_texture = sampling->handle->texture_table == program_.fragment.texture_table &&
                             sampling->handle->texture < kMaxTextures;
    sample_nothing(i, has_texture ? words.sampler : words.texture);
    return {};
  }
  const auto number =
      static_cast<std::size_t>(std::ranges::find(texture_uses_, *sampling->use) - texture_uses_.begin());
  if (number >= facts_.samples.size())
    return unsupported(i, "texture " + std::to_string(sampling->use->texture) + " is not known to be bound");
  if (facts_.samples[number].is_cube() != (i.dimension == kCube)) {
    sample_nothing(i, words.texture);
    return {};
  }
  WARPJIT_TRY(const Words results, sample_from(i, *sampling, number, truth(true)));
  set_results(i, results);
  return {};
}

InstructionTranslator::SampleWords InstructionTranslator::sample_words(const Instruction& i) {
  const Pair pair = source_pair(i.source[0]);
  return {i.wide_indices ? pair.high : pair.low, pair.low};
}

// A fault that names the word, in lanes that are live.
void InstructionTranslator::report_no_texture(I1 where, I32 handle) {
  const ir::MemoryAccess nothing{.space = ir::Space::global,
                                 .index = kTextureSpace,
                                 .element = ir::Element::u8,
                                 .alignment = 1,
                                 .extent = 1};
  b_.LoadMemory(changing_memory(where), handle, nothing.pack());
}
void InstructionTranslator::sample_nothing(const Instruction& i, I32 handle) {
  report_no_texture(truth(true), handle);
  set_results(i, {word(0), word(0), word(0), word(0)});
}

// Each lane has what its word names, among all that is bound. Lanes that look at each other's coordinates
// stay together; others go to a block for each texture and sampler.
Status InstructionTranslator::sample_computed(const Instruction& i, const SamplingInstruction& sampling) {
  if (facts_.computed_uses.empty())
    return unsupported(i, "it computes its texture, of too many that are bound, or of none");
  const bool fetches = i.opcode == Opcode::tex_fetch, together = reads_quads(i);
  const FragmentSetup& setup = program_.fragment;
  const SampleWords words = sample_words(i);
  const I32 texture = i.wide_indices ? words.texture : b_.IShrU32(words.texture, word(16)),
            sampler = i.wide_indices ? words.sampler : b_.IAnd32(words.sampler, word(0xffff));
  const auto entry = [&](std::uint32_t table, std::uint32_t slot) {
    return word(table << (i.wide_indices ? 24 : 11) | slot);
  };
  const auto is_sampler = [&](std::uint8_t first) {
    I1 any = truth(false);
    for (std::uint32_t slot = 0; slot < facts_.equal_samplers.size(); ++slot)
      if (facts_.equal_samplers[slot] == first)
        any = b_.Or1(any, b_.IEq32(sampler, entry(setup.sampler_table, slot)));
    return any;
  };
  Words results{word(0), word(0), word(0), word(0)};
  const auto keep = [&](const Words& found) {
    for (unsigned k = 0; k < i.write.count; ++k) set_gpr(kVarScratch + k, found[k]);
  };
  ir::Block done;
  if (!together) done = function_.add_block(address_ + 4);
  I1 is_texture, has_texture = truth(false), nothing = truth(true);
  for (std::size_t number = texture_uses_.size() - facts_.computed_uses.size();
       number < facts_.samples.size(); ++number) {
    const frontend::TextureUse& use = texture_uses_[number];
    if (facts_.samples[number].is_cube() != (i.dimension == kCube)) continue;
    // The first use of a texture is that without a sampler.
    if (!use.needs_sampler) {
      is_texture = b_.IEq32(texture, entry(setup.texture_table, use.texture));
      has_texture = b_.Or1(has_texture, is_texture);
    }
    if (use.needs_sampler == fetches) continue;
    const I1 here = fetches ? is_texture : b_.And1(is_texture, is_sampler(use.sampler));
    if (together) {
      WARPJIT_TRY(const Words found, sample_from(i, sampling, number, here));
      for (unsigned k = 0; k < i.write.count; ++k) results[k] = b_.select(here, found[k], results[k]);
      nothing = b_.AndNot1(nothing, here);
      continue;
    }
    const ir::Block found = function_.add_block(address_ + 2), next = function_.add_block(address_ + 2);
    b_.branch(here, found, next);
    ssa_.seal(found);
    ssa_.seal(next);
    b_.set_block(found);
    WARPJIT_TRY(const Words sampled, sample_from(i, sampling, number, truth(true)));
    keep(sampled);
    b_.jump(done);
    b_.set_block(next);
  }
  report_no_texture(nothing, b_.select(has_texture, words.sampler, words.texture));
  keep(results);
  if (done.valid()) {
    b_.jump(done);
    ssa_.seal(done);
    b_.set_block(done);
  }
  for (unsigned k = 0; k < i.write.count; ++k) results[k] = gpr(kVarScratch + k);
  set_results(i, results);
  return {};
}

// The registers that a texture and a sampler give which are bound, in the lanes that are there.
Result<InstructionTranslator::Words> InstructionTranslator::sample_from(const Instruction& i,
                                                                        const SamplingInstruction& sampling,
                                                                        std::size_t number, I1 present) {
  const SampleOperands operands = sample_operands(i);
  const ir::SampleKey& key = function_.samples[number].key;
  if (const char* reason = ir::unsupported(key))
    return unsupported(i, "texture " + std::to_string(texture_uses_[number].texture) + ": " + reason);

  const auto staged = [&](unsigned place) { return gpr(i.read.first + place); };
  if (i.opcode == Opcode::tex_gradient)
    return packed(i, {gradient_level(i, number, present), word(0), word(0), word(0)}, false);
  ir::SampleUse use;
  use.operation = operation_of(i);
  use.source = static_cast<std::uint16_t>(number);
  use.component = i.component;
  const bool fetches = use.operation == ir::SampleOperation::fetch,
             gathers = use.operation == ir::SampleOperation::gather;
  use.components = 0;
  for (unsigned k = 0; k < 4; ++k)
    if ((i.channels >> k & 1) != 0)
      use.components = static_cast<std::uint8_t>(use.components | 1U << (gathers ? kGathered[k] : k));

  std::array<I32, 3> coordinates = sample_coordinates(i, key);
  I32 layer = operands.layer != 0 ? staged(operands.layer) : word(0);
  if (!fetches && operands.layer != 0)
    layer = b_.F32ToI32Sat(b_.FRoundEven32(b_.FMaxSelect32(as_float(layer), real(0.0F))));
  const I32 reference = operands.reference != 0 ? staged(operands.reference) : word(0);

  I32 detail = word(0);
  if (operands.offsets != 0 && fetches) {
    const I32 offsets = staged(operands.offsets);
    for (unsigned k = 0; k < key.axes(); ++k)  // also where no coordinate is given
      coordinates[k] = b_.IAdd32(coordinates[k], bits_of(offsets, 8 * k, 8, true));
    detail = bits_of(offsets, 24, 8, false);
  } else if (operands.offsets != 0) {
    if (!sampling.offsets) return unsupported(i, "offsets that are no constant of the program");
    for (unsigned k = 0; k < 3; ++k) use.offsets[k] = static_cast<std::int8_t>(*sampling.offsets >> (8 * k));
  }
  if (operands.level != 0) {
    constexpr std::uint32_t kMost = 64 * 256;
    const I32 level = bits_of(staged(operands.level), 0, 16, true);
    const I32 limited = b_.IMinS32(b_.IMaxS32(level, word(0U - kMost)), word(kMost));
    detail = b_.BitcastF32ToI32(b_.FMul32(b_.I32ToF32(limited), real(1.0F / 256)));
  }
  std::array<I32, 4> found = b_.Sample(present, coordinates[0], coordinates[1], coordinates[2], layer,
                                       reference, detail, use.pack());
  if (fetches && key.array && operands.layer != 0) {
    const std::uint32_t words = table_.sample_table().words(number);
    const I1 there = b_.ILeU32(layer, b_.LoadUniformI32(words + ir::sample_words::kLastLayer));
    for (I32& one : found) one = b_.select(there, one, word(0));
  }
  if (gathers) {
    const std::array<I32, 4> turned = found;
    for (unsigned k = 0; k < 4; ++k) found[k] = turned[kGathered[k]];
  }
  return packed(i, found, !textures::has_integers(key.format));
}

std::array<ir::I32, 3> InstructionTranslator::sample_coordinates(const Instruction& i,
                                                                 const ir::SampleKey& key) {
  std::array<I32, 3> coordinates{word(0), word(0), word(0)};
  for (unsigned k = 0; k < sample_operands(i).coordinates; ++k) coordinates[k] = gpr(i.read.first + k);
  if (key.is_cube()) {
    // The face stands in the upper bits of s, which are 1 for numbers from 2^-63 on.
    coordinates[2] = b_.IShrU32(coordinates[0], word(29));
    coordinates[0] = b_.IOr32(b_.IAnd32(coordinates[0], word(0x1fffffff)), word(0x20000000));
  }
  return coordinates;
}

// What TEX_GRADIENT gives: the level of detail in 1/256, as 16 bits with a sign.
ir::I32 InstructionTranslator::gradient_level(const Instruction& i, std::size_t number, I1 present) {
  using namespace ir::sample_words;
  const ir::SampleSource& source = function_.samples[number];
  ir::samples::Coordinates where(b_, source, static_cast<std::uint32_t>(number));
  I32 level;
  if (i.derivatives) {
    // Along each axis there are the gradients to the next column and to the next row.
    std::array<F32, 2> squares;
    for (unsigned axis = 0; axis < sample_operands(i).coordinates && axis < source.key.axes(); ++axis)
      for (unsigned to = 0; to < 2; ++to) {
        F32 difference = b_.FFlush32(as_float(gpr(i.read.first + 2 * axis + to)));
        // Faces are as wide as 1, but sizes are those of cubes as wide as 2.
        if (source.key.is_cube()) difference = b_.FAddFlush32(difference, difference);
        squares[to] = where.add_square(squares[to], axis, difference);
      }
    const auto bits = [&](unsigned to) { return b_.BitcastF32ToI32(squares[to]); };
    level = where.detail_of(b_.IMaxU32(bits(0), bits(1)));
    if (!i.without_bias) level = b_.IAdd32(level, b_.LoadUniformI32(source.words + kLodBias));
  } else {
    const ir::SampleUse use{.operation = ir::SampleOperation::query_lod,
                            .source = static_cast<std::uint16_t>(number),
                            .components = 2};
    const std::array<I32, 3> at = sample_coordinates(i, source.key);
    level = b_.Sample(present, at[0], at[1], at[2], word(0), word(0), word(0), use.pack())[1];
    if (i.without_bias) level = b_.ISub32(level, b_.LoadUniformI32(source.words + kLodBias));
  }
  if (!i.without_limits)
    level =
        b_.IMinS32(where.limited(level), b_.IShl32(b_.LoadUniformI32(source.words + kLastLevel), word(8)));
  const I32 kept = b_.IMinS32(b_.IMaxS32(level, word(0U - 0x8000)), word(0x7fff));
  return b_.IAnd32(kept, word(0xffff));
}

// The channels that are written, one after the other.
InstructionTranslator::Words InstructionTranslator::packed(const Instruction& i, const Words& found,
                                                           bool of_floats) {
  const bool floats = i.register_type == kFloats || (i.register_type == kOfTexture && of_floats);
  Words words{word(0), word(0), word(0), word(0)};
  unsigned count = 0;
  for (unsigned k = 0; k < 4; ++k) {
    if ((i.channels >> k & 1) == 0) continue;
    const unsigned n = count++;
    if (i.register_width != 0) {
      words[n] = found[k];
      continue;
    }
    const I32 half =
        floats ? half_bits(as_float(found[k]), Round::nearest_even) : b_.IAnd32(found[k], word(0xffff));
    words[n / 2] = n % 2 == 0 ? half : word_of_halves(words[n / 2], half);
  }
  return words;
}

void InstructionTranslator::set_results(const Instruction& i, const Words& words) {
  for (unsigned k = 0; k < i.write.count; ++k) set_gpr(i.write.first + k, words[k]);
}

}  // namespace warpjit::valhall
