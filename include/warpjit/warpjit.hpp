// warpjit: runs GPU shader binaries on the CPU, one GPU thread per SIMD lane.
//
//   auto program = warpjit::Program::load(bytes);              // guest code, immutable
//   warpjit::Launch launch(*program);                          // bindings and work, resolved once
//   launch.set_uniform("projection", matrix);
//   launch.bind_input("v0", {positions, size, 12, warpjit::f32x3});
//   launch.bind_output("o0", {clip, clip_size, 16, warpjit::f32x4});
//   launch.set_count(vertex_count);
//   warpjit::Engine engine;                                    // code cache, executor, options
//   auto report = engine.run(launch);
//
// What one GPU alone has (containers, modes, register interfaces) is in the header of that name: pica200.hpp,
// tesla.hpp, valhall.hpp, usse.hpp.
//
// Nothing throws. Every fallible call returns a Result or Status (result.hpp). Sizes and strides are bytes.
#pragma once

#include "warpjit/capture.hpp"
#include "warpjit/debug.hpp"
#include "warpjit/engine.hpp"
#include "warpjit/launch.hpp"
#include "warpjit/listing.hpp"
#include "warpjit/pixels.hpp"
#include "warpjit/program.hpp"
#include "warpjit/report.hpp"
#include "warpjit/result.hpp"
#include "warpjit/textures.hpp"
#include "warpjit/types.hpp"
#include "warpjit/version.h"
