// What a part of a function takes, guessed from its IR: a help to choose how many parts there are.
#pragma once

#include <cstdint>

#include "backend/host.h"
#include "ir/analysis/loops.h"
#include "ir/function.h"

namespace warpjit::backend {

struct Clocks {
  double busy = 0;          // of the ports for vectors, for a part
  double chain = 0;         // from the first to the last of operations that wait for each other
  double instructions = 0;  // for a part
};

// Instructions that a part of an operation takes: 0 of what is made once for all parts.
double instructions_of(const ir::Function& f, ir::Inst i, const Host& host);

// The clocks of all of the function or, if there are `loops`, of a turn of these.
Clocks guess_clocks(const ir::Function& f, const Host& host, const ir::Loops* loops);

// The clocks of each of the parts of a group, if `vectors` vectors of a part are live at once.
double clocks_of_part(const Clocks& clocks, const Host& host, bool loops, std::uint32_t vectors,
                      std::uint32_t parts);

}  // namespace warpjit::backend
