// Frames that are larger than a page touch each page as the stack grows, so that none goes past the guard page.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "backend/kernel.h"
#include "base/float_environment.h"

#if defined(__linux__) && !defined(WARPJIT_SANITIZED)
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#define WARPJIT_TESTS_GUARD_PAGES 1
#endif

namespace warpjit::backend {
namespace {

using ir::F32;

// Powers of an input, all of which wait until the last one is there: `count` values are in spill slots.
ir::GroupProgram many_values(unsigned count) {
  KernelBuilder k(1, 1, 0);
  const auto in = k.b.LoadInput(0);
  std::vector<F32> values{in[0]};
  while (values.size() < count) values.push_back(k.b.FMul32(values.back(), in[1]));
  F32 sum = values.back();
  for (std::size_t n = values.size() - 1; n-- > 0;) sum = k.b.FAdd32(k.b.FMul32(sum, in[2]), values[n]);
  k.store(sum, sum, sum, sum);
  k.b.ret();
  ir::GroupProgram program;
  program.kernel = k.function;
  return program;
}

Launch launch_of(std::uint64_t threads) {
  Launch launch;
  launch.threads = threads;
  launch.inputs.emplace_back(threads, 16);
  launch.outputs.emplace_back(threads, 16);
  for (std::uint64_t t = 0; t < threads; ++t)
    launch.inputs[0].set(t, {std::bit_cast<std::uint32_t>(static_cast<float>(t + 1)),
                             std::bit_cast<std::uint32_t>(1.0625F), std::bit_cast<std::uint32_t>(0.5F), 0});
  return launch;
}

float expected(unsigned count, std::uint64_t thread) {
  std::vector<float> values{static_cast<float>(thread + 1)};
  while (values.size() < count) values.push_back(values.back() * 1.0625F);
  float sum = values.back();
  for (std::size_t n = values.size() - 1; n-- > 0;) {
    sum *= 0.5F;
    sum += values[n];
  }
  return sum;
}

MachineCode code_of(unsigned count, Target target) {
  CompileOptions options;
  options.parts = 1;
  options.validate = options.listing = true;
  Result<MachineCode> code = compile(many_values(count), target, options);
  EXPECT_TRUE(code.ok()) << to_string(code.error());
  return code ? std::move(code).value() : MachineCode();
}

// How often the stack grows by a page.
std::size_t page_steps(const MachineCode& code, Target target) {
  const std::string step = target == Target::a64 ? "sub sp, sp, 4096" : "sub rsp, 4096";
  std::size_t found = 0;
  for (const MachineCode::Line& line : code.listing) found += line.text.find(step) != std::string::npos;
  return found;
}

class StackOfCode : public testing::TestWithParam<Target> {};
WARPJIT_ON_EVERY_TARGET(StackOfCode);

TEST_P(StackOfCode, GrowsByPages) {
  const std::uint32_t per_page = 4096 / (4 * lanes(GetParam()));
  EXPECT_EQ(page_steps(code_of(4, GetParam()), GetParam()), 0U);
  EXPECT_EQ(page_steps(code_of(per_page / 2, GetParam()), GetParam()), 0U);
  EXPECT_EQ(page_steps(code_of(per_page * 3 / 2, GetParam()), GetParam()), 1U);
  EXPECT_EQ(page_steps(code_of(per_page * 7 / 2, GetParam()), GetParam()), 3U);
  EXPECT_EQ(page_steps(code_of(per_page * 15 / 2, GetParam()), GetParam()), 1U);  // in a loop
}

class StackOfRuns : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(StackOfRuns);

TEST_P(StackOfRuns, HoldsAllValues) {
  for (const unsigned count : {20U, 100U, 130U, 300U, 700U, 2000U}) {
    const Executable executable(code_of(count, GetParam()));
    Launch launch = launch_of(2 * lanes(GetParam()));
    EXPECT_EQ(run(executable, launch).status, KernelStatus::done);
    for (std::uint64_t t = 0; t < launch.threads; ++t)
      EXPECT_EQ(std::bit_cast<float>(launch.outputs[0].get(t)[0]), expected(count, t)) << count << ", " << t;
  }
}

#if WARPJIT_TESTS_GUARD_PAGES

// What a thread does on a stack that is too small for the kernel, with a guard page below it, and other memory
// below that.
struct SmallStack {
  enum Exit { kGuarded = 40, kElsewhere, kReturned };

  // Not below the least that threads may have, which is 128 KiB on Linux AArch64.
#if defined(__aarch64__)
  static constexpr std::size_t kStack = std::size_t{132} << 10;
#else
  static constexpr std::size_t kStack = std::size_t{32} << 10;
#endif
  static constexpr std::size_t kFrame = kStack + (std::size_t{96} << 10);  // of the kernel
  static constexpr std::size_t kBelow = std::size_t{1} << 20;
  std::byte* guard = nullptr;
  std::size_t page = 0;
  KernelArgs* args = nullptr;
  void (*entry)(KernelArgs*) = nullptr;
};
SmallStack small;

// The fault is in the guard page, and nothing below it was written.
void on_fault(int, siginfo_t* info, void*) {
  const auto* const address = static_cast<const std::byte*>(info->si_addr);
  const bool guarded = address >= small.guard && address < small.guard + small.page;
  const bool below = std::any_of(small.guard - SmallStack::kBelow, small.guard,
                                 [](std::byte b) { return b != std::byte{0}; });
  _exit(guarded && !below ? SmallStack::kGuarded : SmallStack::kElsewhere);
}

void* call_kernel(void*) {
  alignas(16) static std::byte handlers[64 << 10];
  const stack_t other{.ss_sp = handlers, .ss_flags = 0, .ss_size = sizeof handlers};
  sigaltstack(&other, nullptr);
  small.entry(small.args);
  _exit(SmallStack::kReturned);
}

// In a process of its own.
[[noreturn]] void call_on_small_stack() {
  small.page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t stack = SmallStack::kStack / small.page * small.page;
  void* const memory = mmap(nullptr, SmallStack::kBelow + small.page + stack, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) _exit(1);
  small.guard = static_cast<std::byte*>(memory) + SmallStack::kBelow;
  if (mprotect(small.guard, small.page, PROT_NONE) != 0) _exit(1);
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  if (pthread_attr_setstack(&attributes, small.guard + small.page, stack) != 0 ||
      pthread_create(&thread, &attributes, call_kernel, nullptr) != 0)
    _exit(1);
  pthread_join(thread, nullptr);
  _exit(1);
}

TEST_P(StackOfRuns, EndsAtTheGuardPage) {
  const Executable executable(code_of(SmallStack::kFrame / (4 * lanes(GetParam())), GetParam()));
  Launch launch = launch_of(lanes(GetParam()));
  alignas(64) std::uint32_t table[64] = {};
  KernelArgs args = make_args(executable.code(), launch, table);
  small.args = &args;
  small.entry = reinterpret_cast<void (*)(KernelArgs*)>(executable.kernel());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) call_on_small_stack();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), SmallStack::kGuarded);
}

#endif

}  // namespace
}  // namespace warpjit::backend
