// What the Tesla tests share.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "frontend/tesla/assembly/assemble.h"
#include "frontend/tesla/assembly/disassemble.h"

namespace warpjit::tesla {

inline std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// The folder of programs and vectors in ../shared (or $WARPJIT_SHARED), which is not part of the project;
// empty if it is not there.
std::string shared_folder();

std::string read_text(const std::string& path);
std::vector<std::string> split(const std::string& text, char separator);

// Assembles a source of one kernel; fails the test and gives an empty program on an error.
Program program_of(const std::string& source);

}  // namespace warpjit::tesla
