// Runs a few lines of Tesla assembly on the guest interpreter, and checks that the IR gives the same.
#pragma once

#include <cstring>

#include "frontend/tesla/interpret/interpret.h"
#include "tesla/tesla_test.h"

namespace warpjit::tesla {

// g0 as words at 0, and how the run ended.
struct Finished {
  Status status;
  RunReport report;
  std::vector<std::uint32_t> g0;
};

// A launch whose member has that value.
template <class Owner, class Member, class Value>
Launch launch_with(Member Owner::*member, const Value& value) {
  Launch launch;
  launch.*member = static_cast<Member>(value);
  return launch;
}
using BlockExtents = std::array<std::uint32_t, 3>;

struct GuestOptions {
  Launch launch{};
  std::vector<std::uint32_t> g0 = std::vector<std::uint32_t>(512);
  Modes modes{};
};

// With $r0 = thread in x, $r1 = 4 times that, as the address of the thread's word of g0.
inline const std::string kPrologue = "and b32 $r0 $r0 0xffff\nshl b32 $r1 $r0 0x2\n";
inline const std::string kStoreR2 = "st b32 g0[$r1] $r2\nexit nop\n";

Finished run_source(const std::string& source, GuestOptions options = {});
// kPrologue, the body, kStoreR2; a block of 32 threads unless the launch has more.
Finished run_body(const std::string& body, GuestOptions options = {});

}  // namespace warpjit::tesla
