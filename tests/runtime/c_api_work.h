// The C interface, for tests of programs other than vertex programs.
#pragma once

#include "runtime/c_api.h"

namespace warpjit::test {

// What every test has: an engine, and the text of the last error.
struct CApiWork : ::testing::Test {
  OwnedEngine engine;
  warpjit_error error = sized<warpjit_error>();

  CApiWork() { EXPECT_EQ(warpjit_engine_create(nullptr, engine.out(), &error), WARPJIT_OK); }

  OwnedLaunch launch_of(const warpjit_program* program) {
    OwnedLaunch launch;
    EXPECT_EQ(warpjit_launch_create(program, launch.out(), &error), WARPJIT_OK);
    return launch;
  }
  static warpjit_location find(const warpjit_program* program, std::int32_t kind, const char* name) {
    warpjit_location location{};
    EXPECT_EQ(warpjit_program_find(program, kind, name, &location, nullptr), WARPJIT_OK) << name;
    return location;
  }
};

}  // namespace warpjit::test
