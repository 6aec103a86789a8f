// Which launches have which calls, and what calls change.
#pragma once

#include <string>
#include <utility>

#include "runtime/work/launch.h"

namespace warpjit {

// Kinds of launches. A call that some of them lack says which ones have it.
enum Kinds : unsigned { kRows = 1, kPrimitives = 2, kStrips = 4, kCompute = 8, kFetching = 16, kPixels = 32 };
inline constexpr std::pair<Kinds, const char*> kKindTexts[] = {
    {kRows, "vertex programs over rows"},
    {kPrimitives, "geometry programs over primitives"},
    {kCompute, "compute programs"},
    {kFetching, "vertex programs that fetch attributes"},
    {kPixels, "fragment programs"}};

inline Kinds kind_of(const runtime::LaunchState& state) {
  if (state.shader->traits().runs_on_grid)
    return state.shader->stage() == Stage::compute ? kCompute : kFetching;
  if (state.pixels) return kPixels;
  if (state.primitives) return kPrimitives;
  return state.shader->varyings().strips ? kStrips : kRows;
}

// An error unless launches of this kind have the call. `kinds`: the Kinds that have it.
inline Status check_kind(const runtime::LaunchState& state, const char* call, unsigned kinds) {
  if ((kind_of(state) & kinds) != 0) return {};
  std::string text;
  for (const auto& [kind, of] : kKindTexts)
    if ((kinds & kind) != 0) text += (text.empty() ? "" : ", ") + std::string(of);
  return Error{ErrorCode::bad_input,
               std::string(call) + " is for " + text + ", and this is a " + name(state.shader->stage()) +
                   " program of " + name(state.shader->isa()),
               state.shader->source_name()};
}

// The grid and the memory, to be changed. `facts`: what changes may decide the translation.
inline frontend::Grid& change_grid(runtime::LaunchState& state, bool facts) {
  ++state.bindings_generation;
  ++state.values_generation;
  if (facts) ++state.facts_generation;
  return state.values.grid;
}

// The launch of a fragment program, to be changed.
inline Result<runtime::LaunchPixels*> change_pixels(runtime::LaunchState& state) {
  if (!state.pixels)
    return Error{ErrorCode::bad_input, "this is not a fragment program", state.shader->source_name()};
  ++state.bindings_generation;
  return &*state.pixels;
}

}  // namespace warpjit
