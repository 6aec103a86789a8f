#include <cstddef>
#include <cstdio>
#include <span>
#include <warpjit/launch_recorder.hpp>

warpjit::Status example(const warpjit::Engine& engine, const warpjit::Launch& launch, std::FILE* file) {
  // the block
}
