// Instructions of AVX512-FP16, which asmjit does not know, between registers of 512 bits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "backend/lir/lir.h"
#include "backend/lir/operations.h"

namespace warpjit::backend::x64 {

// Name, and opcode map, mandatory prefix and opcode of the EVEX form, as Intel's manual lists them.
struct HalfInstruction {
  const char* name;
  std::uint8_t map, prefix, opcode;
};
inline constexpr HalfInstruction kCompareHalves{"vcmpph", 3, 0, 0xc2},
    kFma213OfHalves{"vfmadd213ph", 6, 1, 0xa8}, kFma231OfHalves{"vfmadd231ph", 6, 1, 0xb8};
constexpr HalfInstruction half_instruction(Op op) {
  switch (op) {
    case Op::HalvesAdd:
      return {"vaddph", 5, 0, 0x58};
    case Op::HalvesMul:
      return {"vmulph", 5, 0, 0x59};
    case Op::HalvesMin:
      return {"vminph", 5, 0, 0x5d};
    default:  // HalvesMax
      return {"vmaxph", 5, 0, 0x5f};
  }
}

// One with its registers; a comparison has an immediate, and a mask register as `d`.
struct HalfCode {
  HalfInstruction instruction;
  lir::Reg d, first, second;
  std::optional<std::uint8_t> imm{};

  std::uint32_t size() const { return imm ? 7 : 6; }
  std::array<std::uint8_t, 7> bytes() const {
    const auto inverted = [](lir::Reg r, unsigned bit) { return static_cast<std::uint8_t>(~r >> bit & 1); };
    constexpr unsigned k512Bits = 2;
    return {0x62,
            static_cast<std::uint8_t>(inverted(d, 3) << 7 | inverted(second, 4) << 6 |
                                      inverted(second, 3) << 5 | inverted(d, 4) << 4 | instruction.map),
            static_cast<std::uint8_t>((~first & 15) << 3 | 1 << 2 | instruction.prefix),
            static_cast<std::uint8_t>(k512Bits << 5 | inverted(first, 4) << 3),
            instruction.opcode,
            static_cast<std::uint8_t>(3 << 6 | (d & 7) << 3 | (second & 7)),
            imm.value_or(0)};
  }
  std::string text() const {
    std::string text = std::string(instruction.name) + (imm ? " k" : " zmm") + std::to_string(d);
    for (lir::Reg r : {first, second}) text += ", zmm" + std::to_string(r);
    if (imm) text += ", " + std::to_string(*imm);
    return text;
  }
};

}  // namespace warpjit::backend::x64
