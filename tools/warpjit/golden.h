// What golden counts count: a function and its name.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ir/function.h"

namespace warpjit::tool {

struct GoldenCase {
  std::string name;
  ir::Function function;
};

// Instructions and short pieces of USSE code.
Result<std::vector<GoldenCase>> collect_usse();
// States of the PICA200's fixed function.
std::vector<GoldenCase> collect_pica_pixels();

}  // namespace warpjit::tool
