#include "frontend/valhall/flow/varyings.h"

#include <algorithm>
#include <tuple>

namespace warpjit::valhall {
namespace {

using pixels::SlotUse;

// Formats of varyings in memory: 0 flat words, 1 flat halves, 2 f32, 3 f16.
bool reads_flat(const Instruction& i) { return i.source_format < 2; }
bool is_half(const Instruction& i) { return i.source_format % 2 != 0; }
constexpr std::uint8_t kFormats = 4;

SlotUses coordinates_in_point(const Instruction& i, const FragmentSetup& setup) {
  using Sprite = SlotUse::Sprite;
  SlotUses uses;
  if (i.index != 0 || i.vector_size != 1) return uses;
  uses.push_back({0, SlotUse::Plane::linear, Sprite::from_left});
  uses.push_back(
      {1, SlotUse::Plane::linear, setup.points_from_bottom ? Sprite::from_bottom : Sprite::from_top});
  return uses;
}

auto order(const SlotUse& use) { return std::tuple(use.slot, use.plane, use.sprite, use.part); }

}  // namespace

std::optional<std::uint32_t> varying_byte(const Instruction& i) {
  if (i.opcode == Opcode::ld_var_buf_imm) return i.index;
  const bool constant = i.opcode == Opcode::ld_var_buf && i.source[1].kind == Source::Kind::constant;
  return constant ? std::optional(kConstants[i.source[1].value]) : std::nullopt;
}

SlotUses slot_uses(const Instruction& i, const FragmentSetup& setup) {
  if (i.opcode == Opcode::ld_var_special) return coordinates_in_point(i, setup);
  SlotUses uses;
  const std::optional<std::uint32_t> first = varying_byte(i);
  if (!first || i.source_format >= kFormats) return uses;
  const std::uint32_t size = is_half(i) ? 2 : 4, count = i.vector_size + 1U;
  constexpr std::uint32_t kBytes = 4 * (kMaxSlots - kFirstVarying);
  if (*first % size != 0 || *first > kBytes - count * size) return uses;
  for (std::uint32_t byte = *first; byte < *first + count * size; byte += size) {
    SlotUse use{static_cast<std::uint8_t>(kFirstVarying + byte / 4)};
    use.plane = reads_flat(i) ? SlotUse::Plane::none : SlotUse::Plane::perspective;
    if (is_half(i) && !reads_flat(i))
      use.part = byte % 4 == 0 ? SlotUse::Part::low_half : SlotUse::Part::high_half;
    uses.push_back(use);
  }
  return uses;
}

std::vector<SlotUse> fragment_uses(const Program& program, const ReachedCode& code) {
  std::vector<SlotUse> all;
  for (const auto& reached : code.instructions())
    for (const SlotUse& use : slot_uses(reached.instruction, program.fragment)) all.push_back(use);
  std::ranges::sort(all, {}, order);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace warpjit::valhall
