// Random valid programs, for differential tests and fuzzing. They end within kRandomFuel backward transfers
// of each thread with any data. Compute kernels have a launch and are free of races between blocks: each
// thread writes only its own words of g1 and s[], others read those of s[] after a barrier or, in its own
// warp, without one. A fragment writes only the words of its pixel. Graphics programs read c[] and read and
// write l[] also outside of them. No result of theirs depends on which quads run together,
// but for votes and $physid.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "frontend/tesla/container/program.h"

namespace warpjit::tesla {

inline constexpr std::uint64_t kRandomFuel = 1 << 16;
inline constexpr unsigned kRandomTextures = 4, kRandomSamplers = 2;

struct RandomOptions {
  bool flow = true;              // ifs with and without joinat, loops, breaks, calls, early exits
  bool barriers = true;          // in half of the kernels: those reconverge everywhere
  bool barrier_forms = true;     // in a third of those: counts, arriving and waiting apart
  bool wild_barriers = false;    // of any form and anywhere: the warps may wait for ever
  bool warp_synchronous = true;  // reads words of s[] that other lanes of the warp wrote
  bool votes = true;
  bool quads = true;  // quadon, quadop
  bool doubles = true;
  bool textures = false;   // samples
  bool memory = false;     // of fragment programs: words of their pixel in g0
  bool tables = true;      // branches through tables in c[], in an eighth of the kernels with `flow`
  bool lanes_meet = true;  // else none of these but doubles, no atomics and no stores to s[]
  // Fragment programs only: lanes that part meet again at once, and read each other or touch memory only
  // outside of all control flow. Compiled code runs these programs; it leaves most others to the interpreter.
  bool together = false;
  unsigned size = 60;  // about how many instructions
};

struct RandomKernel {
  Program program;
  std::array<std::uint32_t, 2> grid{};
  std::array<std::uint32_t, 3> block{};
  std::vector<std::uint32_t> c0;  // 256 bytes, then the tables
  std::vector<std::uint32_t> g0;  // 1 KiB, read only
  std::uint32_t g1_words = 0;     // written: 32 for each thread of the grid
  bool samples = false;           // as RandomFragment
};

// The same seed and options give the same kernel on every host.
RandomKernel random_kernel(std::uint64_t seed, const RandomOptions& options = {});

struct RandomFragment {
  Program program;
  std::vector<std::uint32_t> c0;  // 256 bytes
  std::uint32_t slots = 0;        // of a vertex: those of the position, and what v[] reads, of any words
  bool samples = false;           // textures and samplers from 0 on, all of them
  std::uint32_t targets = 0;      // of which each has a colour of its own, of any words
  bool memory = false;            // reads and writes the pixel's words of g0
};
// Bytes of a pixel in g0, and pixels of a row there: as many as targets may have columns.
inline constexpr std::uint32_t kRandomPixelBytes = 32, kRandomPixelColumns = 128;

struct RandomVertex {
  Program program;
  std::vector<std::uint32_t> c0;  // 256 bytes
  bool samples = false;           // as RandomFragment
};

struct RandomGeometry {
  Program program;
  std::vector<std::uint32_t> c0;  // 256 bytes
  bool samples = false;           // as RandomFragment
};

// A vertex program whose attributes 0 to 3 have four words each, the first of them a position, which is
// mostly kept. It makes vertices of `slots` words, for a geometry program or for the rasterizer.
RandomVertex random_vertex(std::uint64_t seed, std::uint32_t slots, bool before_geometry,
                           const RandomOptions& options = {});

// A geometry program for input primitives of `vertices` vertices of `words` words each, the first four a
// position; it makes vertices of `slots` words, mostly at such positions, and strips of any length.
RandomGeometry random_geometry(std::uint64_t seed, std::uint32_t vertices, std::uint32_t words,
                               std::uint32_t slots, const RandomOptions& options = {});

// With interp in its forms, discard, derivatives and the control flow of the options, which apply as far as
// fragment programs have what they are about.
RandomFragment random_fragment(std::uint64_t seed, const RandomOptions& options = {});

}  // namespace warpjit::tesla
