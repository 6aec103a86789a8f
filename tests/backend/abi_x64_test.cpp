// The calling conventions of x86-64: entries take their argument where the ABI says, and keep every register
// that belongs to the caller, in kernels that use all there are.
#include <gtest/gtest.h>

#include <cstring>

#include "backend/hungry_kernel.h"
#include "backend/kernel.h"
#include "ir/callout.h"

#if defined(__x86_64__)
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#include <windows.h>
#endif

namespace warpjit::backend {
namespace {

// What a callee sees and leaves: general registers 0 .. 15 in encoding order, then xmm0 .. xmm15.
struct alignas(64) Registers {
  std::uint64_t general[16];
  std::uint64_t vector[16][2];
  std::uint32_t mxcsr;
};

// Loads all registers but rsp from `before`, calls, stores them to `after`. The call goes through memory so
// that no register is special.
struct alignas(64) CallFrame {
  Registers before, after;
  void* target;
  std::uint64_t stack;  // rsp of the caller
};
static_assert(offsetof(CallFrame, before) == 0);

thread_local CallFrame frame;

[[gnu::noinline]] void call_with_all_registers(CallFrame* f) {
  // rbp and the rest are saved by hand: an asm statement may not clobber the frame pointer. The frame's
  // address waits on the stack; Win64's 32 bytes of home space lie above the return address.
  asm volatile(
      "push %%rbx\n\tpush %%rbp\n\tpush %%r12\n\tpush %%r13\n\tpush %%r14\n\tpush %%r15\n\t"
      "mov %%rsp, %c[stack](%%rdi)\n\t"
      "sub $256, %%rsp\n\t"  // also past the red zone
      "and $-64, %%rsp\n\t"
      "mov %%rdi, 56(%%rsp)\n\t"
      "mov %c[target](%%rdi), %%rax\n\t"
      "mov %%rax, 48(%%rsp)\n\t"
      "movups 128+0x00(%%rdi), %%xmm0\n\tmovups 128+0x10(%%rdi), %%xmm1\n\t"
      "movups 128+0x20(%%rdi), %%xmm2\n\tmovups 128+0x30(%%rdi), %%xmm3\n\t"
      "movups 128+0x40(%%rdi), %%xmm4\n\tmovups 128+0x50(%%rdi), %%xmm5\n\t"
      "movups 128+0x60(%%rdi), %%xmm6\n\tmovups 128+0x70(%%rdi), %%xmm7\n\t"
      "movups 128+0x80(%%rdi), %%xmm8\n\tmovups 128+0x90(%%rdi), %%xmm9\n\t"
      "movups 128+0xa0(%%rdi), %%xmm10\n\tmovups 128+0xb0(%%rdi), %%xmm11\n\t"
      "movups 128+0xc0(%%rdi), %%xmm12\n\tmovups 128+0xd0(%%rdi), %%xmm13\n\t"
      "movups 128+0xe0(%%rdi), %%xmm14\n\tmovups 128+0xf0(%%rdi), %%xmm15\n\t"
      "mov 0x00(%%rdi), %%rax\n\tmov 0x08(%%rdi), %%rcx\n\tmov 0x10(%%rdi), %%rdx\n\tmov 0x18(%%rdi), "
      "%%rbx\n\t"
      "mov 0x28(%%rdi), %%rbp\n\tmov 0x30(%%rdi), %%rsi\n\tmov 0x40(%%rdi), %%r8\n\tmov 0x48(%%rdi), %%r9\n\t"
      "mov 0x50(%%rdi), %%r10\n\tmov 0x58(%%rdi), %%r11\n\tmov 0x60(%%rdi), %%r12\n\tmov 0x68(%%rdi), "
      "%%r13\n\t"
      "mov 0x70(%%rdi), %%r14\n\tmov 0x78(%%rdi), %%r15\n\tmov 0x38(%%rdi), %%rdi\n\t"
      "call *48(%%rsp)\n\t"
      "push %%rax\n\t"
      "mov 64(%%rsp), %%rax\n\t"
      "mov %%rcx, %c[after]+0x08(%%rax)\n\tmov %%rdx, %c[after]+0x10(%%rax)\n\t"
      "mov %%rbx, %c[after]+0x18(%%rax)\n\tmov %%rbp, %c[after]+0x28(%%rax)\n\t"
      "mov %%rsi, %c[after]+0x30(%%rax)\n\tmov %%rdi, %c[after]+0x38(%%rax)\n\t"
      "mov %%r8, %c[after]+0x40(%%rax)\n\tmov %%r9, %c[after]+0x48(%%rax)\n\t"
      "mov %%r10, %c[after]+0x50(%%rax)\n\tmov %%r11, %c[after]+0x58(%%rax)\n\t"
      "mov %%r12, %c[after]+0x60(%%rax)\n\tmov %%r13, %c[after]+0x68(%%rax)\n\t"
      "mov %%r14, %c[after]+0x70(%%rax)\n\tmov %%r15, %c[after]+0x78(%%rax)\n\t"
      "mov %%rax, %%rdi\n\tpop %%rax\n\tmov %%rax, %c[after](%%rdi)\n\t"
      "movups %%xmm0, %c[after]+128+0x00(%%rdi)\n\tmovups %%xmm1, %c[after]+128+0x10(%%rdi)\n\t"
      "movups %%xmm2, %c[after]+128+0x20(%%rdi)\n\tmovups %%xmm3, %c[after]+128+0x30(%%rdi)\n\t"
      "movups %%xmm4, %c[after]+128+0x40(%%rdi)\n\tmovups %%xmm5, %c[after]+128+0x50(%%rdi)\n\t"
      "movups %%xmm6, %c[after]+128+0x60(%%rdi)\n\tmovups %%xmm7, %c[after]+128+0x70(%%rdi)\n\t"
      "movups %%xmm8, %c[after]+128+0x80(%%rdi)\n\tmovups %%xmm9, %c[after]+128+0x90(%%rdi)\n\t"
      "movups %%xmm10, %c[after]+128+0xa0(%%rdi)\n\tmovups %%xmm11, %c[after]+128+0xb0(%%rdi)\n\t"
      "movups %%xmm12, %c[after]+128+0xc0(%%rdi)\n\tmovups %%xmm13, %c[after]+128+0xd0(%%rdi)\n\t"
      "movups %%xmm14, %c[after]+128+0xe0(%%rdi)\n\tmovups %%xmm15, %c[after]+128+0xf0(%%rdi)\n\t"
      "lea 0(%%rsp), %%rax\n\tmov %%rax, %c[after]+0x20(%%rdi)\n\t"
      "mov %c[stack](%%rdi), %%rsp\n\t"
      "pop %%r15\n\tpop %%r14\n\tpop %%r13\n\tpop %%r12\n\tpop %%rbp\n\tpop %%rbx\n\t"
      : "+D"(f)
      : [after] "i"(offsetof(CallFrame, after)), [target] "i"(offsetof(CallFrame, target)),
        [stack] "i"(offsetof(CallFrame, stack))
      : "memory", "cc", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3",
        "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

enum General { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 };

// What C++ functions that code calls have here.
#if defined(_WIN32)
constexpr Abi kAbis[] = {Abi::win64};
#else
constexpr Abi kAbis[] = {Abi::system_v, Abi::win64};
#endif

class Convention : public testing::TestWithParam<std::tuple<Target, Abi>> {
 protected:
  void SetUp() override {
    if (!runs_here(std::get<0>(GetParam())))
      GTEST_SKIP() << "this CPU does not run " << name(std::get<0>(GetParam()));
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, Convention,
                         testing::Combine(testing::Values(Target::x64_v3, Target::x64_v4),
                                          testing::ValuesIn(kAbis)),
                         [](const auto& tested) {
                           return std::string(name(std::get<0>(tested.param))) +
                                  (std::get<1>(tested.param) == Abi::win64 ? "win64" : "sysv");
                         });

void expect_kept(const CallFrame& f, Abi abi) {
  const auto kept = [&](int r) {
    EXPECT_EQ(f.after.general[r], f.before.general[r]) << "general register " << r;
  };
  for (int r : {3, 5, 12, 13, 14, 15}) kept(r);
  // rsp is where it was: that the frame was found at all shows it; its low bits are those of the call.
  EXPECT_EQ(f.after.general[rsp] % 64, 0u);
  if (abi != Abi::win64) return;
  kept(rsi);
  kept(rdi);
  for (int v = 6; v < 16; ++v)
    EXPECT_EQ(std::memcmp(f.after.vector[v], f.before.vector[v], 16), 0) << "xmm" << v;
}

void fill(CallFrame& f, KernelArgs& args, Abi abi, void* target) {
  for (std::uint64_t r = 0; r < 16; ++r) {
    f.before.general[r] = 0x1111'0000'2222'0000u + r * 0x1'0000'0001u;
    f.before.vector[r][0] = 0x3333'4444'5555'0000u + r;
    f.before.vector[r][1] = ~f.before.vector[r][0];
  }
  f.before.general[abi == Abi::win64 ? rcx : rdi] = reinterpret_cast<std::uintptr_t>(&args);
  f.target = target;
}

TEST_P(Convention, KeepsTheCallersRegisters) {
  const auto [target, abi] = GetParam();
  const ir::GroupProgram program = hungry_program();
  for (const Setting& setting : all_settings(target)) {
    SCOPED_TRACE(setting.text());
    const Executable executable(compile(program, setting, abi));
    const Executable reference(compile(program, setting));
    Launch launch = hungry_launch(2 * setting.lanes()), wanted = hungry_launch(2 * setting.lanes());
    EXPECT_EQ(run(reference, wanted).status, KernelStatus::done);

    GuardedBytes table(launch.table.size() * 4, true);
    std::memcpy(table.data(), launch.table.data(), table.size());
    KernelArgs args =
        make_args(executable.code(), launch, reinterpret_cast<std::uint32_t*>(table.data()), abi);
    const std::uint32_t mxcsr = __builtin_ia32_stmxcsr();
    ASSERT_NE(executable.preamble(), nullptr);
    for (void* entry : {executable.preamble(), executable.kernel()}) {
      fill(frame, args, abi, entry);
      call_with_all_registers(&frame);
      expect_kept(frame, abi);
    }
    if (abi == Abi::system_v && setting.registers == 0) {  // the kernel does use what Win64 wants kept
      EXPECT_NE(std::memcmp(frame.after.vector[6], frame.before.vector[6], 10 * 16), 0);
    }
    EXPECT_EQ(__builtin_ia32_stmxcsr() & ~0x3fu, mxcsr & ~0x3fu);
    EXPECT_EQ(args.status, KernelStatus::done);
    EXPECT_EQ(std::memcmp(table.data(), wanted.table.data(), table.size()), 0);
    for (std::uint32_t k = 0; k < 2; ++k)
      for (std::uint64_t t = 0; t < launch.threads; ++t)
        ASSERT_EQ(launch.outputs[k].get(t), wanted.outputs[k].get(t)) << "output " << k << ", thread " << t;

    // Leaving early restores them too.
    launch.fuel = 1;
    args = make_args(executable.code(), launch, reinterpret_cast<std::uint32_t*>(table.data()), abi);
    fill(frame, args, abi, executable.kernel());
    call_with_all_registers(&frame);
    expect_kept(frame, abi);
    EXPECT_EQ(args.status, KernelStatus::out_of_fuel);
  }
}

// As a compiler calls it.
TEST_P(Convention, IsCallableFromCompiledCode) {
  const auto [target, abi] = GetParam();
  const Setting setting{target, 1, 0};
  const Executable executable(compile(hungry_program(), setting, abi));
  Launch launch = hungry_launch(3 * setting.lanes());
  GuardedBytes table(launch.table.size() * 4, true);
  std::memcpy(table.data(), launch.table.data(), table.size());
  KernelArgs args = make_args(executable.code(), launch, reinterpret_cast<std::uint32_t*>(table.data()), abi);
  using Win64 = __attribute__((ms_abi)) void (*)(KernelArgs*);
  using SystemV = __attribute__((sysv_abi)) void (*)(KernelArgs*);
  if (abi == Abi::win64)
    reinterpret_cast<Win64>(executable.kernel())(&args);
  else
    reinterpret_cast<SystemV>(executable.kernel())(&args);
  EXPECT_EQ(args.status, KernelStatus::done);
  // The bindings have moved by three groups.
  for (std::uint32_t k = 0; k < 2; ++k) {
    EXPECT_EQ(args.inputs[k].address, launch.inputs[k].first() + launch.threads * 16);
    EXPECT_EQ(args.outputs[k].address, launch.outputs[k].first() + launch.threads * 16);
    for (std::uint64_t t = 0; t < launch.threads; ++t) ASSERT_NE(launch.outputs[k].get(t), Words{});
  }
}

// UNWIND_INFO covers all code of both entries, and names what the prologue does.
TEST(UnwindInfo, CoversAllCode) {
  const Setting setting{Target::x64_v3, 1, 0};
  EXPECT_TRUE(compile(hungry_program(), setting, Abi::system_v).unwinding.empty());
  const MachineCode code = compile(hungry_program(), setting, Abi::win64);
  ASSERT_GE(code.unwinding.size(), 2U);
  EXPECT_EQ(code.unwinding.back().end, code.code_size);
  bool has_preamble = false;
  for (std::size_t n = 0; n < code.unwinding.size(); ++n) {
    const MachineCode::Unwinding& part = code.unwinding[n];
    EXPECT_EQ(part.begin, n == 0 ? code.kernel_offset : code.unwinding[n - 1].end);
    has_preamble = has_preamble || part.begin == code.preamble_offset;
    EXPECT_LT(part.begin, part.end);
    EXPECT_EQ(part.info % 4, 0U);
    EXPECT_GE(part.info, code.code_size);
    ASSERT_LE(part.info + 4 + 2 * code.bytes[part.info + 2], code.bytes.size());
    EXPECT_EQ(code.bytes[part.info], 1);  // version, no handler
    EXPECT_LE(code.bytes[part.info + 1], part.end - part.begin);
  }
  EXPECT_TRUE(has_preamble);
  // The kernel: all ten vectors (two words of code each), eight pushes, the room, the frame.
  EXPECT_EQ(code.bytes[code.unwinding[0].info + 2], 10 * 2 + 8 + 2 + 1);
  EXPECT_EQ(code.bytes[code.unwinding[0].info + 3], 5);  // rbp
}

#if defined(_WIN32)
// What the system finds from within a callout, walking out of the code.
struct Walk {
  const std::byte *begin, *end;
  unsigned parts = 0;  // of the code that the walk met
  CONTEXT caller{};
};
thread_local Walk* walk = nullptr;

void walk_out(KernelArgs* args, std::uint32_t site, std::uint32_t* words) {
  CONTEXT context;
  RtlCaptureContext(&context);
  bool inside = false;
  for (unsigned n = 0; n < 20; ++n) {
    const auto* at = reinterpret_cast<const std::byte*>(context.Rip);
    const bool in_code = at >= walk->begin && at < walk->end;
    if (inside && !in_code) {
      walk->caller = context;
      break;
    }
    inside = in_code;
    walk->parts += in_code;
    DWORD64 base = 0, frame_at = 0;
    PVOID data = nullptr;
    RUNTIME_FUNCTION* const function = RtlLookupFunctionEntry(context.Rip, &base, nullptr);
    if (function == nullptr) break;
    RtlVirtualUnwind(UNW_FLAG_NHANDLER, base, context.Rip, function, &context, &data, &frame_at, nullptr);
  }
  call_out(args, site, words);
}

TEST(UnwindInfo, LeadsFromCalloutsToTheCaller) {
  if (!runs_here(Target::x64_v3)) GTEST_SKIP() << "this CPU does not run v3";
  KernelBuilder k(1, 1, 0);
  const auto in = k.b.LoadInput(0);
  std::vector<ir::F32> live;
  for (unsigned n = 0; n < 40; ++n)
    live.push_back(k.b.FMul32(in[n % 4], k.b.constant(static_cast<float>(n + 1))));
  // A fused sum of doubles: called out for.
  const auto wide = k.b.TeslaF64Operation(
      k.b.BitcastF32ToI32(in[0]), k.b.BitcastF32ToI32(in[1]), k.b.BitcastF32ToI32(in[2]),
      k.b.BitcastF32ToI32(in[3]), k.b.constant(1), k.b.constant(2),
      ir::f64_immediate(ir::TeslaF64Function::fma, ir::RoundingMode::nearest));
  ir::F32 sum = k.b.BitcastI32ToF32(wide[0]);
  for (const ir::F32 v : live) sum = k.b.FAdd32(sum, v);
  k.store(sum, sum, sum, sum);
  k.b.ret();
  ir::GroupProgram program;
  program.kernel = k.function;
  const Setting setting{Target::x64_v3, 1, 0};
  const Executable executable(compile(program, setting, Abi::win64));
  const MachineCode& code = executable.code();
  const auto* const begin = reinterpret_cast<const std::byte*>(executable.kernel()) - code.kernel_offset;
  std::vector<RUNTIME_FUNCTION> table(code.unwinding.size());
  for (std::size_t n = 0; n < table.size(); ++n) {
    table[n].BeginAddress = code.unwinding[n].begin;
    table[n].EndAddress = code.unwinding[n].end;
    table[n].UnwindData = code.unwinding[n].info;
  }
  ASSERT_TRUE(
      RtlAddFunctionTable(table.data(), static_cast<DWORD>(table.size()), reinterpret_cast<DWORD64>(begin)));
  Walk found{begin, begin + code.code_size};
  walk = &found;
  Launch launch = hungry_launch(setting.lanes());
  alignas(64) std::uint32_t words[64] = {};
  KernelArgs args = make_args(code, launch, words, Abi::win64);
  args.call = walk_out;
  fill(frame, args, Abi::win64, executable.kernel());
  call_with_all_registers(&frame);
  RtlDeleteFunctionTable(table.data());
  EXPECT_EQ(args.status, KernelStatus::done);
  EXPECT_EQ(found.parts, 2U);  // the subroutine of calls, and the kernel
  const auto& before = frame.before;
  EXPECT_EQ(found.caller.Rbx, before.general[rbx]);
  EXPECT_EQ(found.caller.Rbp, before.general[rbp]);
  EXPECT_EQ(found.caller.Rsi, before.general[rsi]);
  EXPECT_EQ(found.caller.Rdi, before.general[rdi]);
  const DWORD64 numbered[] = {found.caller.R12, found.caller.R13, found.caller.R14, found.caller.R15};
  for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(numbered[n], before.general[12 + n]) << "r" << 12 + n;
  EXPECT_EQ(found.caller.Rsp, frame.after.general[rsp]);
  const M128A* const vectors = &found.caller.Xmm6;
  for (std::size_t v = 6; v < 16; ++v)
    EXPECT_EQ(std::memcmp(&vectors[v - 6], before.vector[v], 16), 0) << "xmm" << v;
}
#endif

}  // namespace
}  // namespace warpjit::backend

#endif
