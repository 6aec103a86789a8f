// What the parts of the Vita's C interface share.
#pragma once

#include <memory>

#include "runtime/api/c/boundary.h"
#include "warpjit/usse.h"
#include "warpjit/usse.hpp"

struct warpjit_usse_recorder {
  std::shared_ptr<const void> sink;  // stays where it is
  warpjit::usse::Recorder recorder;
};
