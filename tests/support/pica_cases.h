// Loads PICA200 test cases that are not in the repository (tests::shared_file), so that every engine can be
// checked against them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/pica200/interpret/interpret.h"

namespace warpjit::tests {

struct PicaExpectation {
  enum class Kind { equal, bits, nan, infinite, approximate, integer };
  std::string reg;     // o0, aL, emit.prim
  int component = -1;  // of a float register
  Kind kind = Kind::equal;
  std::uint32_t value = 0;  // float bits, or an integer
  double relative = 0, absolute = 0;
};

struct PicaRun {
  pica200::ThreadState start;
  std::vector<PicaExpectation> expect;
  struct Triangle {
    bool inverted = false;
    std::uint32_t words[3][4] = {};  // o0
  };
  std::vector<Triangle> triangles;
  bool geometry = false;  // expects triangles or the state of EMIT
};

struct PicaCase {
  std::string name, tier;
  pica200::Program program;
  pica200::Uniforms uniforms;
  std::vector<PicaRun> runs;
};

// Where the cases would be (tests::shared_file).
std::string pica_cases_path();
Result<std::vector<PicaCase>> load_pica_cases(const std::string& path);
// What is wrong with a final state; nothing if it is as expected.
std::optional<std::string> mismatch(const PicaExpectation& expected, const pica200::ThreadState& state);

}  // namespace warpjit::tests
