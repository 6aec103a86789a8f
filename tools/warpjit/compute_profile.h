// What a profiled launch did, as text and JSON.
#pragma once

#include "command.h"
#include "warpjit/compute.hpp"

namespace warpjit::tool {

void print_profile(const ComputeProfile& profile);
Json profile_json(const ComputeProfile& profile);

}  // namespace warpjit::tool
