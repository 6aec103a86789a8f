#include "frontend/valhall/facts/varyings.h"

namespace warpjit::valhall {
namespace {

using pixels::SlotUse;

constexpr std::uint8_t kFormats = 4;  // of varyings in memory: 0 flat words, 1 flat halves, 2 f32, 3 f16

// The top byte is the number of the table, the rest that of the varying, which has 16 bytes.
std::optional<std::uint32_t> byte_of_entry(std::uint32_t word) {
  constexpr std::uint32_t kBytes = 16, kMost = 4 * (kMaxSlots - kFirstVarying) / kBytes;
  return word < kMost ? std::optional(kBytes * word) : std::nullopt;
}

SlotUses coordinates_in_point(const Instruction& i, const FragmentSetup& setup) {
  using Sprite = SlotUse::Sprite;
  SlotUses uses;
  if (i.index != 0 || i.vector_size != 1) return uses;
  uses.push_back({0, SlotUse::Plane::linear, Sprite::from_left});
  uses.push_back(
      {1, SlotUse::Plane::linear, setup.points_from_bottom ? Sprite::from_bottom : Sprite::from_top});
  return uses;
}

}  // namespace

bool names_varying(Opcode opcode) {
  return opcode == Opcode::ld_var || opcode == Opcode::ld_var_imm || opcode == Opcode::ld_var_flat ||
         opcode == Opcode::ld_var_flat_imm;
}

bool reads_flat(const Instruction& i) {
  if (names_varying(i.opcode)) return i.opcode == Opcode::ld_var_flat || i.opcode == Opcode::ld_var_flat_imm;
  return i.source_format < 2;
}
bool reads_halves(const Instruction& i) { return !names_varying(i.opcode) && i.source_format % 2 != 0; }

std::optional<std::uint32_t> varying_byte(const Instruction& i) {
  const auto constant = [&](unsigned n) {
    const Source& source = i.source[n];
    return source.kind == Source::Kind::constant ? std::optional(kConstants[source.value]) : std::nullopt;
  };
  std::optional<std::uint32_t> word;
  switch (i.opcode) {
    case Opcode::ld_var_buf_imm:
      return i.index;
    case Opcode::ld_var_buf:
      return constant(1);
    case Opcode::ld_var_imm:
    case Opcode::ld_var_flat_imm:
      return byte_of_entry(std::uint32_t{i.table} << 24 | i.index);
    case Opcode::ld_var:
      word = constant(1);
      break;
    case Opcode::ld_var_flat:
      word = constant(0);
      break;
    default:
      break;
  }
  return word ? byte_of_entry(*word) : std::nullopt;
}

SlotUses slot_uses(const Instruction& i, const FragmentSetup& setup) {
  if (i.opcode == Opcode::ld_var_special) return coordinates_in_point(i, setup);
  SlotUses uses;
  const std::optional<std::uint32_t> first = varying_byte(i);
  if (!first || i.source_format >= kFormats) return uses;
  const std::uint32_t size = reads_halves(i) ? 2 : 4, count = i.vector_size + 1U;
  constexpr std::uint32_t kBytes = 4 * (kMaxSlots - kFirstVarying);
  if (*first % size != 0 || *first > kBytes - count * size) return uses;
  for (std::uint32_t byte = *first; byte < *first + count * size; byte += size) {
    SlotUse use{static_cast<std::uint8_t>(kFirstVarying + byte / 4)};
    use.plane = reads_flat(i) ? SlotUse::Plane::none : SlotUse::Plane::perspective;
    if (reads_halves(i) && !reads_flat(i))
      use.part = byte % 4 == 0 ? SlotUse::Part::low_half : SlotUse::Part::high_half;
    uses.push_back(use);
  }
  return uses;
}

}  // namespace warpjit::valhall
