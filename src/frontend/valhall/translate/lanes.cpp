// Values of other lanes of a quad (valhall.md 7).
#include "frontend/valhall/interpret/lanes.h"

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

}  // namespace

Status InstructionTranslator::lanes(const Instruction& i) {
  if (const Status known = check_exchange(i); !known)
    return Error{known.error().code, known.error().message, program_.where(address_)};
  if (i.subgroup > Subgroup::four) return unsupported(i, "subgroups of more than four lanes");
  const int size = i.subgroup == Subgroup::two ? 2 : 4;
  const I32 a = source_word(i.source[0]);
  const auto read = [&](I32 value, I32 other, const auto& lane_of) {
    std::uint64_t lanes = 0;
    for (int n = 0; n < 4; ++n) lanes |= static_cast<std::uint64_t>(std::max(lane_of(n), 0)) << (2 * n);
    return b_.QuadRead(truth(true), value, other, lanes);
  };
  if (i.opcode == Opcode::wmask) {
    const I32 vote = b_.select(is_zero(a), word(0), word(1));
    I32 votes = word(0);
    for (int n = 0; n < size; ++n) {
      const I32 one = read(vote, word(0), [&](int self) { return (self & ~(size - 1)) + n; });
      votes = b_.IOr32(votes, b_.IShl32(one, word(static_cast<std::uint32_t>(n))));
    }
    set_word(i, votes);
    return {};
  }
  const I32 count = element(i.source[1], {32, 1}, 0);
  if (!function_.is_constant(count)) return unsupported(i, "a lane whose number the program computes");
  const auto byte = static_cast<std::uint32_t>(function_.constant(count)) & 0xff;
  const auto lane_of = [&](int self) { return lane_read(i, self, size, byte); };
  const I32 inactive = word(kInactive[i.inactive & 15]);
  I32 value = read(a, inactive, lane_of);
  std::uint32_t none = 0;  // bit n: lane n of a quad reads no lane
  for (int n = 0; n < 4; ++n) none |= lane_of(n) == kNone ? 1U << n : 0;
  if (none != 0) {
    const I32 own = b_.IAnd32(own_lane(), word(3));
    value = b_.select(is_zero(b_.IAnd32(b_.IShrU32(word(none), own), word(1))), value, inactive);
  }
  set_word(i, value);
  return {};
}

}  // namespace warpjit::valhall
