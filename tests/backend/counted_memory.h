// Memory that a test program requests, counted by an operator new of its own.
#pragma once

#include <cstddef>

namespace warpjit::backend {

// Bytes that operator new was called for since the program started.
std::size_t requested_bytes();

}  // namespace warpjit::backend
