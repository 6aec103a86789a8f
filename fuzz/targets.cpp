// One libFuzzer program for all targets:
//   warpjit_fuzz_targets TARGET [options of libFuzzer] [folders of seeds]
// A process that libFuzzer starts (-jobs, -merge) gets no target; it finds it in the environment.
#include <cstring>

#include "target.h"

namespace {

using Target = int (*)(const std::uint8_t* data, std::size_t size);
struct Entry {
  const char* name;
  Target target;
};
constexpr Entry kTargets[] = {
#define FUZZ_TARGET(name) {#name, warpjit::fuzz::fuzz_##name},
#include "targets.inc"
#undef FUZZ_TARGET
};
constexpr const char* kVariable = "WARPJIT_FUZZ_TARGET";

Target find(const char* name) {
  for (const Entry& entry : kTargets)
    if (name != nullptr && std::strcmp(entry.name, name) == 0) return entry.target;
  return nullptr;
}

Target chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc > 1 && find((*argv)[1]) != nullptr) {
    setenv(kVariable, (*argv)[1], 1);
    (*argv)[1] = (*argv)[0];
    ++*argv;
    --*argc;
  }
  chosen = find(std::getenv(kVariable));
  if (chosen != nullptr) return 0;
  std::fprintf(stderr, "usage: warpjit_fuzz_targets TARGET ..., a target is one of\n");
  for (const Entry& entry : kTargets) std::fprintf(stderr, "  %s\n", entry.name);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return chosen(data, size);
}
