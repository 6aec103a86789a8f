// The calling convention of AArch64: the entries keep x19 to x29, sp and the low halves of v8 to v15, and
// never touch x18, in kernels that use all registers there are.
#include <gtest/gtest.h>

#include <cstring>

#include "backend/hungry_kernel.h"
#include "backend/kernel.h"
#include "base/float_environment.h"

#if defined(__aarch64__)

namespace warpjit::backend {
namespace {

struct Registers {
  std::uint64_t general[32];  // x0 to x30, sp
  std::uint64_t vector[32][2];
};
struct CallFrame {
  Registers before, after;
  void* target;
};
static_assert(offsetof(CallFrame, after) == 768 && offsetof(CallFrame, target) == 1536);

// clang-format off
#define LOAD_PAIR(a, b, offset) "ldp x" #a ", x" #b ", [x17, #" #offset "]\n\t"
#define STORE_PAIR(a, b, offset) "stp x" #a ", x" #b ", [x17, #" #offset "]\n\t"
#define LOAD_VECTORS(a, b, offset) "ldp q" #a ", q" #b ", [x17, #" #offset "]\n\t"
#define STORE_VECTORS(a, b, offset) "stp q" #a ", q" #b ", [x17, #" #offset "]\n\t"
#define ALL_VECTORS(MOVE)                                                                             \
  MOVE(0, 1, 256)                                                                                     \
  MOVE(2, 3, 288) MOVE(4, 5, 320) MOVE(6, 7, 352) MOVE(8, 9, 384) MOVE(10, 11, 416) MOVE(12, 13, 448) \
      MOVE(14, 15, 480) MOVE(16, 17, 512) MOVE(18, 19, 544) MOVE(20, 21, 576) MOVE(22, 23, 608)       \
          MOVE(24, 25, 640) MOVE(26, 27, 672) MOVE(28, 29, 704) MOVE(30, 31, 736)
#define MOST_GENERAL(MOVE)                                                                      \
  MOVE(0, 1, 0)                                                                                 \
  MOVE(2, 3, 16) MOVE(4, 5, 32) MOVE(6, 7, 48) MOVE(8, 9, 64) MOVE(10, 11, 80) MOVE(12, 13, 96) \
      MOVE(14, 15, 112) MOVE(18, 19, 144) MOVE(20, 21, 160) MOVE(22, 23, 176) MOVE(24, 25, 192) \
          MOVE(26, 27, 208) MOVE(28, 29, 224)

// clang-format on

// Loads all registers but sp, x16, x17 and x30 from `before`, calls, stores them to `after`. What the
// compiler wants kept is saved by hand, and the frame's address waits on the stack.
[[gnu::noinline]] void call_with_all_registers(CallFrame* f) {
  asm volatile(
      "mov x17, %[frame]\n\t"
      "stp x19, x20, [sp, #-192]!\n\t"
      "stp x21, x22, [sp, #16]\n\tstp x23, x24, [sp, #32]\n\tstp x25, x26, [sp, #48]\n\t"
      "stp x27, x28, [sp, #64]\n\tstp x29, x30, [sp, #80]\n\t"
      "stp d8, d9, [sp, #96]\n\tstp d10, d11, [sp, #112]\n\tstp d12, d13, [sp, #128]\n\t"
      "stp d14, d15, [sp, #144]\n\tstp x18, x17, [sp, #160]\n\t"
      "mov x16, sp\n\tstr x16, [x17, #248]\n\t"
      "ldr x16, [x17, #1536]\n\t"
      ALL_VECTORS(LOAD_VECTORS) MOST_GENERAL(LOAD_PAIR)
      "blr x16\n\t"
      "ldr x17, [sp, #168]\n\t"
      "add x17, x17, #768\n\t"
      ALL_VECTORS(STORE_VECTORS) MOST_GENERAL(STORE_PAIR)
      "mov x16, sp\n\tstr x16, [x17, #248]\n\t"
      "ldp x21, x22, [sp, #16]\n\tldp x23, x24, [sp, #32]\n\tldp x25, x26, [sp, #48]\n\t"
      "ldp x27, x28, [sp, #64]\n\tldp x29, x30, [sp, #80]\n\t"
      "ldp d8, d9, [sp, #96]\n\tldp d10, d11, [sp, #112]\n\tldp d12, d13, [sp, #128]\n\t"
      "ldp d14, d15, [sp, #144]\n\tldr x18, [sp, #160]\n\t"
      "ldp x19, x20, [sp], #192\n\t"
      :
      : [frame] "r"(f)
      : "memory", "cc", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
        "x13", "x14", "x15", "x16", "x17", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16",
        "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
        "v31");
}

void fill(CallFrame& f, KernelArgs& args, void* target) {
  for (std::uint64_t r = 0; r < 32; ++r) {
    f.before.general[r] = 0x1111'0000'2222'0000u + r * 0x1'0000'0001u;
    f.before.vector[r][0] = 0x3333'4444'5555'0000u + r;
    f.before.vector[r][1] = ~f.before.vector[r][0];
  }
  f.before.general[0] = reinterpret_cast<std::uintptr_t>(&args);
  f.target = target;
}

void expect_kept(const CallFrame& f) {
  for (int r = 18; r < 30; ++r) EXPECT_EQ(f.after.general[r], f.before.general[r]) << "x" << r;
  EXPECT_EQ(f.after.general[31], f.before.general[31]) << "sp";
  for (int v = 8; v < 16; ++v) EXPECT_EQ(f.after.vector[v][0], f.before.vector[v][0]) << "d" << v;
}

TEST(Aapcs64, KeepsTheCallersRegisters) {
  const ir::GroupProgram program = hungry_program();
  for (const Setting& setting : all_settings(Target::a64)) {
    SCOPED_TRACE(setting.text());
    const Executable executable(compile(program, setting));
    Launch launch = hungry_launch(2 * setting.lanes()), wanted = hungry_launch(2 * setting.lanes());
    EXPECT_EQ(run(executable, wanted).status, KernelStatus::done);

    GuardedBytes table(launch.table.size() * 4, true);
    std::memcpy(table.data(), launch.table.data(), table.size());
    KernelArgs args = make_args(executable.code(), launch, reinterpret_cast<std::uint32_t*>(table.data()));
    ASSERT_NE(executable.preamble(), nullptr);
    const FloatEnvironment environment;
    const auto control = FloatEnvironment::read() >> 32;
    auto frame = std::make_unique<CallFrame>();
    for (void* entry : {executable.preamble(), executable.kernel()}) {
      fill(*frame, args, entry);
      call_with_all_registers(frame.get());
      expect_kept(*frame);
    }
    if (setting.registers == 0) {  // the kernel does use what it has to keep
      EXPECT_NE(frame->after.vector[8][1], frame->before.vector[8][1]);
    }
    EXPECT_EQ(FloatEnvironment::read() >> 32, control);
    EXPECT_EQ(args.status, KernelStatus::done);
    EXPECT_EQ(std::memcmp(table.data(), wanted.table.data(), table.size()), 0);
    for (std::uint32_t k = 0; k < 2; ++k)
      for (std::uint64_t t = 0; t < launch.threads; ++t)
        ASSERT_EQ(launch.outputs[k].get(t), wanted.outputs[k].get(t)) << "output " << k << ", thread " << t;

    // Leaving early restores them too.
    launch.fuel = 1;
    args = make_args(executable.code(), launch, reinterpret_cast<std::uint32_t*>(table.data()));
    fill(*frame, args, executable.kernel());
    call_with_all_registers(frame.get());
    expect_kept(*frame);
    EXPECT_EQ(args.status, KernelStatus::out_of_fuel);
  }
}

}  // namespace
}  // namespace warpjit::backend

#endif
