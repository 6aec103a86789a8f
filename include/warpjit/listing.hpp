// Listings of guest code.
#pragma once

#include <string>

#include "warpjit/program.hpp"

namespace warpjit {

// The code of a program in the guest's assembly, with its directives, addresses and words in comments.
// load_assembly of the guest's header makes an equal program of it. Words without a meaning are `.word`.
// Errors: resource_limit.
WARPJIT_API Result<std::string> disassemble(const Program& program);

}  // namespace warpjit
