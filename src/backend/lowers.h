// Operations of the IR that no host has code for yet; a function that has one is refused.
#pragma once

#include "ir/types.h"

namespace warpjit::backend {

#define WARPJIT_LATER(V)                                                                                     \
  V(CanonicalizeNaNOnes32)                                                                                   \
  V(FRoundEven32)                                                                                            \
  V(FCeil32) V(FTrunc32) V(FMaxNum32) V(FMinNum32) V(FFlush32) V(FAddFlush32) V(FSubFlush32) V(FMulFlush32)  \
      V(FFmaFlush32) V(FMadTruncFlush32) V(FAddZeroFlush32) V(FMulZeroFlush32) V(F32ToU32Sat) V(U32ToF32)    \
          V(IMinS32) V(IMaxS32) V(IMinU32) V(IMaxU32) V(SpecialFunction32) V(F32ToF16) V(F16ToF32)           \
              V(IntToF32) V(IntToF16) V(IMulHi24) V(F64Operation) V(LoadMemory) V(StoreMemory)               \
                  V(AtomicMemory) V(AtomicMemory64) V(LockMemory) V(UnlockMemory) V(LaneIndex) V(GroupIndex) \
                      V(AnyActive) V(AllActive) V(QuadSwizzle32) V(Stop) V(Barrier) V(LoadFrame)             \
                          V(StoreFrame) V(LoadFrameUniform) V(StoreFrameUniform)

// Is there code for the operation?
constexpr bool lowers(ir::Opcode opcode) {
  switch (opcode) {
#define WARPJIT_ROW(name) case ir::Opcode::name:
    WARPJIT_LATER(WARPJIT_ROW)
#undef WARPJIT_ROW
    return false;
    default:
      return true;
  }
}

}  // namespace warpjit::backend
