// Runs one PICA200 program on several engines with the same launch, below the runtime: what differential
// tests compare. Every run gives the rows of all exit registers of every thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/target.h"
#include "frontend/pica200/interpret/interpret.h"
#include "frontend/pica200/translate/translate.h"
#include "ir/function.h"
#include "ir/pipeline.h"
#include "random/pica200/random.h"

namespace warpjit::tests {

// 35 rows a thread: o0-o15, r0-r15, a0, aL, cmp.
inline constexpr std::size_t kExitRows = 35;
struct EngineResult {
  std::optional<Error> error;
  std::vector<std::uint32_t> words;  // [thread][row][4]
};

// A launch: a program with uniforms, and start states of which v and the flags, a0 and aL of the first one
// count.
struct PicaLaunch {
  pica200::Program program;
  pica200::Uniforms uniforms;
  std::vector<pica200::ThreadState> threads;
  std::uint64_t fuel = pica200::kRandomFuel;
  bool generic_booleans = false;  // booleans are read at run time
};

struct JitOptions {
  backend::Target target = backend::Target::x64_v3;
  std::uint32_t parts = 0;
  std::uint32_t registers = 0;
  bool dispatch_all = false;
};

pica200::TranslationFacts facts_of(const PicaLaunch& launch);
EngineResult run_guest(const PicaLaunch& launch);
EngineResult run_thread_form(const PicaLaunch& launch);
// Thread form with the scope stacks as run-time state.
EngineResult run_dynamic_form(const PicaLaunch& launch);
EngineResult run_group_form(const PicaLaunch& launch, unsigned lanes, bool dispatch_all);
EngineResult run_jit(const PicaLaunch& launch, const JitOptions& options);

// The registers of one thread, as an engine left them.
pica200::ThreadState exit_state(const EngineResult& result, std::size_t thread);

// Empty if both gave the same; else which thread and register differ, with both values. Two failures with the
// same error code count as equal.
std::string difference(const EngineResult& wanted, const EngineResult& got);

}  // namespace warpjit::tests
