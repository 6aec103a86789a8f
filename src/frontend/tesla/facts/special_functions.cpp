#include "frontend/tesla/facts/special_functions.h"

namespace warpjit::tesla {

std::optional<sfu::Function> special_function_of(Opcode opcode, bool fast) {
  using enum sfu::Function;
  struct Row {
    Opcode opcode;
    sfu::Function of_the_unit;
    std::optional<sfu::Function> fast;
  };
  static constexpr Row kRows[] = {
      {Opcode::rcp, rcp, fast_rcp}, {Opcode::rsqrt, rsqrt, fast_rsqrt},    {Opcode::lg2, lg2, fast_lg2},
      {Opcode::sin, sin, fast_sin}, {Opcode::cos, cos, fast_cos},          {Opcode::ex2, ex2, fast_ex2},
      {Opcode::preex2, preex2, {}}, {Opcode::presin, presin, fast_presin},
  };
  for (const Row& row : kRows)
    if (row.opcode == opcode) return fast ? row.fast : row.of_the_unit;
  return std::nullopt;
}

}  // namespace warpjit::tesla
