#include "frontend/valhall/interpret/lanes.h"

#include "frontend/valhall/interpret/families.h"

namespace warpjit::valhall {
namespace {

// What CLPER gives in place of a lane that is not active, by the field's value.
constexpr std::uint32_t kInactive[] = {0x00000000, 0xffffffff, 0x00000001, 0x00010001, 0x80000000, 0x7fffffff,
                                       0x80008000, 0x7fff7fff, 0x80808080, 0x7f7f7f7f, 0x3f800000, 0x3c003c00,
                                       0xff800000, 0x7f800000, 0xfc00fc00, 0x7c007c00};

unsigned lanes_of(Subgroup subgroup) { return 2U << static_cast<unsigned>(subgroup); }

// Which lane CLPER reads, or kWarpLanes: none.
unsigned lane_read(const Instruction& i, unsigned self, std::uint32_t byte) {
  const unsigned size = lanes_of(i.subgroup), first = self & ~(size - 1), offset = byte % size;
  switch (i.lane_operation) {
    case LaneOperation::exclusive_or:
      return first + ((self - first) ^ offset);
    case LaneOperation::shift: {
      const int lane = static_cast<int>(self - first) + static_cast<std::int8_t>(byte);
      return lane >= 0 && lane < static_cast<int>(size) ? first + static_cast<unsigned>(lane) : kWarpLanes;
    }
    case LaneOperation::rotate:
      return first + (self - first + offset) % size;
    default:
      return first + offset;
  }
}

std::uint32_t permute(const Instruction& i, unsigned self, const LaneWords& a, const LaneWords& b,
                      unsigned active) {
  const auto byte = static_cast<std::uint32_t>(integer_element(i.source[1], b[self], {32, 1}, 0) & 0xff);
  const unsigned lane = lane_read(i, self, byte);
  return lane < kWarpLanes && (active >> lane & 1) != 0 ? a[lane] : kInactive[i.inactive & 15];
}

// Bit n: lane n of the subgroup is active and its word is not 0.
std::uint32_t vote(const Instruction& i, unsigned self, const LaneWords& a, unsigned active) {
  const unsigned size = lanes_of(i.subgroup), first = self & ~(size - 1);
  std::uint32_t votes = 0;
  for (unsigned n = 0; n < size; ++n)
    if ((active >> (first + n) & 1) != 0 && a[first + n] != 0) votes |= 1U << n;
  return votes;
}

}  // namespace

LaneWords exchange(const Instruction& i, const LaneWords& first, const LaneWords& second, unsigned active) {
  LaneWords results{};
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    if ((active >> lane & 1) != 0)
      results[lane] =
          i.opcode == Opcode::wmask ? vote(i, lane, first, active) : permute(i, lane, first, second, active);
  return results;
}

}  // namespace warpjit::valhall
