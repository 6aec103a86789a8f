// Values of other lanes (valhall.md 7).
#include "frontend/valhall/facts/lanes.h"

#include "frontend/valhall/translate/instruction.h"

namespace warpjit::valhall {

using ir::I1;
using ir::I32;

namespace {

// What CLPER gives in place of a lane that is not active.
constexpr std::uint32_t kInactive[] = {0x00000000, 0xffffffff, 0x00000001, 0x00010001, 0x80000000, 0x7fffffff,
                                       0x80008000, 0x7fff7fff, 0x80808080, 0x7f7f7f7f, 0x3f800000, 0x3c003c00,
                                       0xff800000, 0x7f800000, 0xfc00fc00, 0x7c007c00};

constexpr int kNone = -1;

// The lane of the quad that one reads whose offset is known.
int lane_read(const Instruction& i, int self, int size, std::uint32_t byte) {
  const int first = self & ~(size - 1), own = self - first, offset = static_cast<int>(byte) % size;
  switch (i.lane_operation) {
    case LaneOperation::exclusive_or:
      return first + (own ^ offset);
    case LaneOperation::shift: {
      const int to = own + static_cast<std::int8_t>(byte);
      return to >= 0 && to < size ? first + to : kNone;
    }
    case LaneOperation::rotate:
      return first + (own + offset) % size;
    default:
      return first + offset;
  }
}

std::uint32_t lanes_of(Subgroup subgroup) { return 2U << static_cast<unsigned>(subgroup); }

}  // namespace

bool sees_warp(const Instruction& i) { return i.opcode == Opcode::wmask && i.subgroup > Subgroup::four; }

Status InstructionTranslator::lanes(const Instruction& i) {
  if (const Status known = check_exchange(i); !known)
    return Error{known.error().code, known.error().message, program_.where(address_)};
  if (is_fragment() && i.subgroup > Subgroup::four)
    return unsupported(i, "subgroups of more than four lanes");
  if (i.opcode == Opcode::wmask) {
    set_word(i, votes(i));
    return {};
  }
  const I32 count = element(i.source[1], {32, 1}, 0);
  const bool of_quad = i.subgroup <= Subgroup::four && function_.is_constant(count);
  set_word(i, of_quad ? read_quad(i, static_cast<std::uint32_t>(function_.constant(count)) & 0xff)
                      : read_lane(i, b_.IAnd32(count, word(0xff))));
  return {};
}

I32 InstructionTranslator::votes(const Instruction& i) {
  const std::uint32_t size = lanes_of(i.subgroup);
  const I1 votes_for = b_.Not1(is_zero(source_word(i.source[0])));
  I32 votes = word(0);
  if (!sees_warp(i)) {
    const I32 vote = b_.select(votes_for, word(1), word(0));
    for (std::uint32_t n = 0; n < size; ++n) {
      std::uint64_t lanes = 0;
      for (std::uint32_t self = 0; self < 4; ++self)
        lanes |= std::uint64_t{(self & ~(size - 1)) + n} << (2 * self);
      const I32 one = b_.QuadRead(truth(true), vote, word(0), lanes);
      votes = b_.IOr32(votes, b_.IShl32(one, word(n)));
    }
    return votes;
  }
  const I32 own = b_.IAnd32(own_lane(), word(kWarpLanes - 1));
  for (std::uint32_t n = 0; n < kWarpLanes; ++n) {
    const I1 one = b_.AnyActive(truth(true), b_.And1(votes_for, b_.IEq32(own, word(n))));
    votes = b_.IOr32(votes, b_.select(one, word(1U << n), word(0)));
  }
  if (size == kWarpLanes) return votes;
  const I32 first = b_.IAnd32(own, word(kWarpLanes - size));
  return b_.IAnd32(b_.IShrU32(votes, first), word((1U << size) - 1));
}

I32 InstructionTranslator::read_quad(const Instruction& i, std::uint32_t byte) {
  const int size = static_cast<int>(lanes_of(i.subgroup));
  const I32 inactive = word(kInactive[i.inactive & 15]);
  std::uint64_t lanes = 0;
  std::uint32_t none = 0;  // bit n: lane n of a quad reads no lane
  for (int n = 0; n < 4; ++n) {
    const int lane = lane_read(i, n, size, byte);
    lanes |= static_cast<std::uint64_t>(std::max(lane, 0)) << (2 * n);
    none |= lane == kNone ? 1U << n : 0;
  }
  const I32 value = b_.QuadRead(truth(true), source_word(i.source[0]), inactive, lanes);
  if (none == 0) return value;
  const I32 own = b_.IAnd32(own_lane(), word(3));
  return b_.select(is_zero(b_.IAnd32(b_.IShrU32(word(none), own), word(1))), value, inactive);
}

// `count` is a byte.
I32 InstructionTranslator::read_lane(const Instruction& i, I32 count) {
  const I32 a = source_word(i.source[0]), inactive = word(kInactive[i.inactive & 15]);
  const I32 within = word(lanes_of(i.subgroup) - 1), index = own_lane();
  const I32 own = b_.IAnd32(index, within), first = b_.ISub32(index, own);
  I32 lane = b_.IAnd32(count, within);
  switch (i.lane_operation) {
    case LaneOperation::exclusive_or:
      lane = b_.IXor32(own, lane);
      break;
    case LaneOperation::rotate:
      lane = b_.IAnd32(b_.IAdd32(own, lane), within);
      break;
    case LaneOperation::shift: {
      const I32 to = b_.IAdd32(own, bits_of(count, 0, 8, true));
      const I32 value = b_.LaneRead(truth(true), a, inactive, b_.IAdd32(first, b_.IAnd32(to, within)));
      return b_.select(b_.ILeU32(to, within), value, inactive);
    }
    default:
      break;
  }
  return b_.LaneRead(truth(true), a, inactive, b_.IAdd32(first, lane));
}

}  // namespace warpjit::valhall
