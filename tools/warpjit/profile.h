// What a profiled launch did, as text and JSON.
#pragma once

#include "command.h"

namespace warpjit::tool {

void print_profile(const Profile& profile);
Json profile_json(const Profile& profile);

}  // namespace warpjit::tool
