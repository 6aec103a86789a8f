// Random IR functions in thread form, with memory to run them on: for differential tests of passes, engines
// and backends. The same seed gives the same function on every host.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/function.h"
#include "pixels/records.h"

namespace warpjit::testing {

// SplitMix64: small, and unlike the standard distributions the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Uniform in 0 .. count - 1.
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>((next() >> 32) * count >> 32);
  }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

// The seeds that a test runs: `count` from 0 on, unless WARPJIT_FIRST_SEED and WARPJIT_SEEDS say otherwise.
struct Seeds {
  std::uint64_t first, count;
};
inline Seeds seeds_of_run(std::uint64_t count) {
  const auto number = [](const char* variable, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
  };
  return {number("WARPJIT_FIRST_SEED", 0), number("WARPJIT_SEEDS", count)};
}

struct RandomIrOptions {
  unsigned blocks = 12;     // about, at most
  unsigned operations = 6;  // per block, at most
  bool loops = true;
  bool structured = false;  // only if, loop, switch, break, continue, early return: reducible
  bool switches = true;
  bool transcendentals = true;
  bool halves = false;   // arithmetic of two halves in a word, too
  bool flushes = false;  // arithmetic without denormals, too
  bool pixels = false;   // over pixels: records, tile, slots, reads of other lanes; only group forms run
  bool fold = false;     // let the builder fold; else instructions stay as generated
};

// Every loop ends after at most a few dozen iterations, and every backward edge is marked. What a function
// stores does not depend on NaN payloads, up to the payload of stored NaNs: an integer view of a computed
// float goes through CanonicalizeNaN32. 3 inputs, 2 outputs, 256 uniform bytes.
ir::Function random_function(std::uint64_t seed, const RandomIrOptions& options = {});

// Options chosen by the seed too: all shapes of control flow.
ir::Function random_any_function(std::uint64_t seed);

// Over pixels. Without loops the lanes that meet do not depend on how control flow is removed.
ir::Function random_pixel_function(std::uint64_t seed, bool loops);

// Inputs and uniforms for such a function: special values, small numbers and random bits.
struct RandomMemory {
  static constexpr std::uint32_t kInputs = 3, kOutputs = 2, kUniformWords = 64;
  static constexpr std::uint32_t kPrimitiveWords = 24, kPlanes = 3, kSlots = 2;
  using Words = std::array<std::uint32_t, 4>;
  std::uint32_t threads;
  std::vector<std::vector<Words>> inputs;
  std::vector<std::uint32_t> uniform;
  // For functions over pixels, if the threads are whole quads: all groups have the same primitive, each quad
  // its own place in the tile.
  std::vector<std::uint32_t> primitive;
  std::vector<pixels::QuadRecord> quads;
  std::vector<pixels::GroupRecord> groups;
  std::vector<std::uint32_t> tile;

  RandomMemory(std::uint64_t seed, std::uint32_t thread_count);

  // Runs f (after `preamble`, if given) in the IR interpreter; gives the words of all outputs, thread by
  // thread, every NaN as 0x7fc00000, and then those of the tile, if f is over pixels. Outputs start as
  // 0xcccccccc.
  Result<std::vector<std::uint32_t>> run(const ir::Function& f, unsigned lanes = 8, std::uint64_t fuel = 1000,
                                         const ir::Function* preamble = nullptr) const;
};

// "" if the outputs are the same, else where they differ first.
std::string difference(const std::vector<std::uint32_t>& wanted, const std::vector<std::uint32_t>& got);

}  // namespace warpjit::testing
