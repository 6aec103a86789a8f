#include <cstddef>
#include <cstdio>
#include <span>
#include <warpjit/pica200.hpp>

warpjit::Status example(warpjit::pica200::Gpu& gpu, std::FILE* file) {
  // the block
}
