// What else an emulator does: see own_list.cpp.
#pragma once

#include <cstddef>
#include <optional>

#include "game.h"
#include "warpjit/pica200.hpp"

// `traced`: the vertex of the last draw whose instructions are printed. False if something is not as it must be;
// stderr says what.
bool show_own_list(const warpjit::Engine& engine, const Game& game, std::optional<std::size_t> traced);
