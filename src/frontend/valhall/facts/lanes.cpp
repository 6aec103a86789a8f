#include "frontend/valhall/facts/lanes.h"

namespace warpjit::valhall {

Status check_exchange(const Instruction& i) {
  const auto unsupported = [&](const char* why) {
    return Error{ErrorCode::unsupported, mnemonic(i) + ": " + why, {}};
  };
  if (i.unused != 0) return unsupported("bits that no field has are set");
  if (i.write_mask != 3) return unsupported("a write mask is not defined");
  if (i.opcode == Opcode::wmask) return {};
  if (i.opcode != Opcode::clper) return unsupported("this instruction exchanges nothing");
  if (i.type != Type::i32 && i.type != Type::s32)
    return unsupported("its meaning for this type is not known");
  if (i.lane_operation == LaneOperation::accumulate) return unsupported("`accumulate` is not defined");
  return {};
}

}  // namespace warpjit::valhall
