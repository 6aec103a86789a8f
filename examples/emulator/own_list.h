// What else an emulator does: see own_list.cpp.
#pragma once

#include "game.h"
#include "warpjit/pica200.hpp"

// False if something is not as it must be; stderr says what.
bool show_own_list(const warpjit::Engine& engine, const Game& game);
