#include "frontend/pica200/draw/registers.h"

#include <bit>

#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {
namespace {

// Ids of pica200.md 11.
enum Id : std::uint32_t {
  kMapCount = 0x04F,
  kMap = 0x050,
  kMapEnd = 0x057,
  kGeometryStage = 0x229,
  kFixedIndex = 0x232,
  kFixedData = 0x233,
  kFixedDataEnd = 0x236,
  kBools = 0x2B0,
  kInts = 0x2B1,
  kIntsEnd = 0x2B5,
  kInputs = 0x2B9,
  kEntry = 0x2BA,
  kPermutationLow = 0x2BB,
  kPermutationHigh = 0x2BC,
  kOutputMask = 0x2BD,
  kFloatIndex = 0x2C0,
  kFloatData = 0x2C1,
  kFloatDataEnd = 0x2C9,
  kCodeIndex = 0x2CB,
  kCodeData = 0x2CC,
  kCodeDataEnd = 0x2D4,
  kDescriptorIndex = 0x2D5,
  kDescriptorData = 0x2D6,
  kDescriptorDataEnd = 0x2DE,
};
constexpr std::uint32_t kImmediateMode = 15;

bool within(std::uint32_t id, std::uint32_t begin, std::uint32_t end) { return id >= begin && id < end; }

std::uint32_t f24_bits(std::uint32_t word) {
  return std::bit_cast<std::uint32_t>(pica200::decode_f24(word & 0xFFFFFF));
}

}  // namespace

bool Registers::Transfer::push(std::uint32_t word, Vector& vector) {
  words[count++] = word;
  if (count < (f32_mode ? 4u : 3u)) return false;
  count = 0;
  const auto& [a, b, c, d] = words;
  if (f32_mode)
    vector = {d, c, b, a};
  else
    vector = {f24_bits(c), f24_bits(b << 8 | c >> 24), f24_bits(a << 16 | b >> 16), f24_bits(a >> 8)};
  return true;
}

Status Registers::write_fixed(std::uint32_t value) {
  if (fixed_index_ == kImmediateMode)
    return Error{ErrorCode::unsupported, "vertices in immediate mode are not supported", "register 0x233"};
  Vector vector;
  if (!fixed_transfer_.push(value, vector) || fixed_index_ >= fixed.size()) return {};
  // The index advances, as in emulators (pica200.md 11).
  set(fixed[fixed_index_++], vector, values_version);
  return {};
}

Status Registers::write(std::uint32_t id, std::uint32_t value) {
  if (within(id, kFloatData, kFloatDataEnd)) {
    Vector vector;
    if (float_transfer_.push(value, vector) && float_index_ < floats.size())
      set(floats[float_index_++], vector, values_version);
    return {};
  }
  if (within(id, kCodeData, kCodeDataEnd)) {
    if (code_index_ < code.size()) set(code[code_index_++], value, program_version);
    return {};
  }
  if (within(id, kDescriptorData, kDescriptorDataEnd)) {
    if (descriptor_index_ < descriptors.size()) set(descriptors[descriptor_index_++], value, program_version);
    return {};
  }
  if (within(id, kMap, kMapEnd)) {
    set(output_map[id - kMap], value, layout_version);
    return {};
  }
  if (within(id, kInts, kIntsEnd)) {
    set(ints[id - kInts], value, values_version);
    return {};
  }
  if (within(id, kFixedData, kFixedDataEnd)) return write_fixed(value);
  switch (id) {
    case kMapCount:
      set(map_count, static_cast<std::uint8_t>(value & 7), layout_version);
      break;
    case kGeometryStage:
      geometry_on = (value & 3) == 2;
      break;
    case kFixedIndex:
      fixed_index_ = value & 15;
      fixed_transfer_.count = 0;
      break;
    case kBools:
      set(bools, static_cast<std::uint16_t>(value), values_version);
      break;
    case kInputs:
      set(attribute_count, static_cast<std::uint8_t>((value & 15) + 1), layout_version);
      break;
    case kEntry:
      set(entry, value & 0xFFFF, program_version);
      break;
    case kPermutationLow:
    case kPermutationHigh: {
      const unsigned first = id == kPermutationLow ? 0 : 8;
      for (unsigned n = 0; n < 8; ++n)
        set(permutation[first + n], static_cast<std::uint8_t>(value >> 4 * n & 15), layout_version);
      break;
    }
    case kOutputMask:
      set(output_mask, static_cast<std::uint16_t>(value), layout_version);
      break;
    case kFloatIndex:
      // Eight bits, so that an index above c95 does not wrap to c0.
      float_index_ = value & 0xFF;
      float_transfer_ = {{}, 0, value >> 31 != 0};
      break;
    case kCodeIndex:
      code_index_ = value & 0xFFF;
      break;
    case kDescriptorIndex:
      descriptor_index_ = value & 0xFF;
      break;
    default:
      break;
  }
  return {};
}

}  // namespace warpjit::pica200
