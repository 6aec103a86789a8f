// Samples of textures (valhall.md 10.4): staging registers to the operands of a Sample, and its results back.
#include <algorithm>
#include <bit>

#include "frontend/valhall/translate/instruction.h"
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
  if (i.lod_mode == kLevelZero || i.lod_mode == kExplicitLevel) return ir::SampleOperation::lod;
  return i.lod_mode == kLevelBias ? ir::SampleOperation::bias : ir::SampleOperation::automatic;
}

// Of the texels (0, 0), (1, 0), (0, 1), (1, 1), where a gather of the IR has them.
constexpr std::array<std::uint8_t, 4> kGathered{3, 2, 0, 1};

const char* refusal(const Instruction& i, const SampleOperands& operands) {
  const auto results = static_cast<unsigned>(std::popcount(i.channels));
  if (i.unused != 0) return "bits that no field has are set";
  if (i.read.count != operands.count ||
      i.write.count != (i.register_width != 0 ? results : (results + 1) / 2))
    return "a number of staging registers that does not fit";
  if (i.opcode == Opcode::tex_fetch && i.dimension == kCube) return "texels of a cube";
  if (i.opcode == Opcode::tex_single && i.lod_mode == kGradients) return "a descriptor of gradients";
  if (i.opcode == Opcode::tex_gather && i.integer_coordinates) return "integer coordinates";
  if (i.opcode == Opcode::tex_gather && i.dimension != 1 && i.dimension != kCube)
    return "a gather from 1D or 3D";
  return nullptr;
}

}  // namespace

Status InstructionTranslator::sample(const Instruction& i) {
  const SampleOperands operands = sample_operands(i);
  if (const char* reason = refusal(i, operands)) return unsupported(i, reason);
  if (const Status registers = check_registers(i); !registers)
    return unsupported(i, registers.error().message);
  const auto sampling = std::ranges::lower_bound(sampling_, address_, {}, &SamplingInstruction::address);
  if (!sampling->handle)
    return unsupported(i, "its word for texture and sampler is no constant of the program's data flow");
  if (!sampling->use) {  // entries of other tables, and beyond those that a launch binds
    set_sampled(i, {word(0), word(0), word(0), word(0)}, false);
    return {};
  }
  const auto number =
      static_cast<std::size_t>(std::ranges::find(texture_uses_, *sampling->use) - texture_uses_.begin());
  const std::string slot = "texture " + std::to_string(sampling->use->texture);
  if (number >= facts_.samples.size()) return unsupported(i, slot + " is not known to be bound");
  const ir::SampleKey& key = facts_.samples[number];
  if (const char* reason = ir::unsupported(key)) return unsupported(i, slot + ": " + reason);
  if (key.is_cube() != (i.dimension == kCube))
    return unsupported(i, slot + (key.is_cube() ? " is a cube, but the instruction samples none"
                                                : " is no cube, but the instruction samples one"));

  const auto staged = [&](unsigned place) { return gpr(i.read.first + place); };
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

  std::array<I32, 3> coordinates{word(0), word(0), word(0)};
  for (unsigned k = 0; k < operands.coordinates; ++k) coordinates[k] = staged(k);
  if (key.is_cube()) {
    // The face stands in the upper bits of s, which are 1 for numbers from 2^-63 on.
    coordinates[2] = b_.IShrU32(coordinates[0], word(29));
    coordinates[0] = b_.IOr32(b_.IAnd32(coordinates[0], word(0x1fffffff)), word(0x20000000));
  }
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
    if (!sampling->offsets) return unsupported(i, "offsets that are no constant of the program");
    for (unsigned k = 0; k < 3; ++k) use.offsets[k] = static_cast<std::int8_t>(*sampling->offsets >> (8 * k));
  }
  if (operands.level != 0) {
    constexpr std::uint32_t kMost = 64 * 256;
    const I32 level = bits_of(staged(operands.level), 0, 16, true);
    const I32 limited = b_.IMinS32(b_.IMaxS32(level, word(0U - kMost)), word(kMost));
    detail = b_.BitcastF32ToI32(b_.FMul32(b_.I32ToF32(limited), real(1.0F / 256)));
  }
  std::array<I32, 4> found = b_.Sample(b_.constant(true), coordinates[0], coordinates[1], coordinates[2],
                                       layer, reference, detail, use.pack());
  if (fetches && key.array && operands.layer != 0) {
    const std::uint32_t words = table_.sample_table().words(number);
    const I1 there = b_.ILeU32(layer, b_.LoadUniformI32(words + ir::sample_words::kLastLayer));
    for (I32& one : found) one = b_.select(there, one, word(0));
  }
  if (gathers) {
    const std::array<I32, 4> turned = found;
    for (unsigned k = 0; k < 4; ++k) found[k] = turned[kGathered[k]];
  }
  set_sampled(i, found, !textures::has_integers(key.format));
  return {};
}

// The channels that are wanted, one behind the other.
void InstructionTranslator::set_sampled(const Instruction& i, const std::array<I32, 4>& found,
                                        bool of_floats) {
  const bool floats = i.register_type == kFloats || (i.register_type == kOfTexture && of_floats);
  std::uint32_t to = i.write.first;
  unsigned count = 0;
  I32 low;
  for (unsigned k = 0; k < 4; ++k) {
    if ((i.channels >> k & 1) == 0) continue;
    if (i.register_width != 0) {
      set_gpr(to++, found[k]);
      continue;
    }
    const I32 half =
        floats ? half_bits(as_float(found[k]), Round::nearest_even) : b_.IAnd32(found[k], word(0xffff));
    if (count++ % 2 == 0)
      low = half;
    else
      set_gpr(to++, word_of_halves(low, half));
  }
  if (count % 2 != 0) set_gpr(to, low);
}

}  // namespace warpjit::valhall
