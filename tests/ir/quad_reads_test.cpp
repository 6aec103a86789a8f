// Lanes that read others of their quad under control flow that parts them: what they get, by a calculation of
// its own, from linearize and from the dispatcher.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "ir/interpret.h"
#include "ir/parser.h"
#include "ir/pipeline.h"
#include "ir/printer.h"

namespace warpjit::ir {
namespace {

constexpr std::uint32_t kThreads = 32;

using Words = std::array<std::uint32_t, 4>;

Words input_of(std::uint32_t thread) { return {thread * 5 % 7, thread * 3 % 5, thread, thread * thread}; }

// Output word x of each thread.
std::vector<std::uint32_t> run(const std::string& text, bool dispatch_all, bool optimize) {
  const auto thread_form = parse(text);
  EXPECT_TRUE(thread_form.ok()) << to_string(thread_form.error());
  if (!thread_form) return {};
  PipelineOptions options;
  options.verify = true;
  options.dispatch_all = dispatch_all;
  options.optimize = optimize;
  const auto program = run_pipeline(*thread_form, options);
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  if (!program) return {};
  const std::string kernel = print(program->kernel);
  EXPECT_EQ(kernel.find("MinLaneU32") != std::string::npos, dispatch_all) << kernel;
  EXPECT_EQ(kernel.find("QuadRead"), std::string::npos) << kernel;
  std::vector<Words> in(kThreads), out(kThreads);
  for (std::uint32_t t = 0; t < kThreads; ++t) in[t] = input_of(t);
  const InputBinding input{reinterpret_cast<const std::byte*>(in.data()), 16};
  const OutputBinding output{reinterpret_cast<std::byte*>(out.data()), 16};
  std::vector<std::uint32_t> table(program->kernel.uniform_bytes / 4);
  const Memory memory{{&input, 1}, {&output, 1}, table};
  auto interpreter = Interpreter::prepare(program->kernel, 8);
  EXPECT_TRUE(interpreter.ok());
  const Status done = interpreter->run(memory, 0, kThreads, 1000);
  EXPECT_TRUE(done.ok()) << to_string(done.error());
  std::vector<std::uint32_t> words;
  for (const Words& each : out) words.push_back(each[0]);
  return words;
}

void expect(const std::string& text, const std::vector<std::uint32_t>& wanted) {
  for (const bool dispatch_all : {false, true})
    for (const bool optimize : {false, true})
      EXPECT_EQ(run(text, dispatch_all, optimize), wanted)
          << "dispatcher " << dispatch_all << ", optimized " << optimize;
}

const std::string kHead = R"(function "q" thread inputs 1 outputs 1 uniform 0 slots 1 {
b0:
  %0 : i1 = ConstI1 true
  %1 : i32 = ConstI32 0x00000000
  %2 : i32 = ConstI32 0x00000003
  %3 : i32 = ConstI32 0x00000001
  %4 : f32, %5 : f32, %6 : f32, %7 : f32 = LoadInput 0
  %8 : i32 = BitcastF32ToI32 %4
  %9 : i32 = BitcastF32ToI32 %5
)";

// Lanes read the next one (of lane 3: lane 0) only where that one took the branch, too.
TEST(QuadReads, InABranch) {
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    const std::uint32_t from = t - t % 4 + (t + 1) % 4;
    const bool here = input_of(t)[0] < 3, there = input_of(from)[0] < 3;
    wanted.push_back(!here ? 0 : there ? input_of(from)[1] + 1 : 100);
  }
  expect(kHead + R"(
  %10 : i32 = ConstI32 0x00000064
  %11 : i1 = ILtU32 %8, %2
  Branch %11, b1, b2
b1: <- b0
  %12 : i32 = IAdd32 %9, %3
  %13 : i32 = QuadRead 57, %0, %12, %10
  Jump b2
b2: <- b0, b1
  %14 : i32 = Phi b0: %1, b1: %13
  %15 : f32 = BitcastI32ToF32 %14
  StoreOutput 0, %0, %15, %15, %15, %15
  Return
}
)",
         wanted);
}

// Lanes go around as often as they like; each turn adds what the neighbour in the row has summed up if that
// one is still there, else 1.
TEST(QuadReads, InALoopThatLanesLeaveOneByOne) {
  std::vector<std::uint32_t> wanted(kThreads, 0);
  for (std::uint32_t turn = 0; turn < 7; ++turn) {
    const std::vector<std::uint32_t> before = wanted;
    for (std::uint32_t t = 0; t < kThreads; ++t) {
      if (input_of(t)[0] <= turn) continue;
      const bool there = input_of(t ^ 1)[0] > turn;
      wanted[t] += (there ? before[t ^ 1] + input_of(t ^ 1)[1] : 1);
    }
  }
  expect(kHead + R"(
  Jump b1
b1: <- b0, b2
  %10 : i32 = Phi b0: %1, b2: %15
  %11 : i32 = Phi b0: %1, b2: %14
  %12 : i1 = ILtU32 %10, %8
  Branch %12, b2, b3
b2: <- b1
  %16 : i32 = IAdd32 %11, %9
  %13 : i32 = QuadRead 177, %0, %16, %3
  %14 : i32 = IAdd32 %11, %13
  %15 : i32 = IAdd32 %10, %3
  Jump b1 backward
b3: <- b1
  %17 : f32 = BitcastI32ToF32 %11
  StoreOutput 0, %0, %17, %17, %17, %17
  Return
}
)",
         wanted);
}

// The neighbour's last value, whether or not it is here.
TEST(QuadReads, SlotsHoldStoresOfLanesThatLeft) {
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    const auto stored = [](std::uint32_t thread) {
      return input_of(thread)[0] < 3 ? input_of(thread)[1] + 1 : input_of(thread)[0];
    };
    wanted.push_back(input_of(t)[0] < 3 ? stored(t ^ 2) : 0);
  }
  expect(kHead + R"(
  %11 : i1 = ILtU32 %8, %2
  StoreSlot 0, %0, %8
  Branch %11, b1, b2
b1: <- b0
  %12 : i32 = IAdd32 %9, %3
  StoreSlot 0, %0, %12
  %13 : i32 = LoadSlot 0
  %14 : i32 = QuadSwizzle32 78, %13
  Jump b2
b2: <- b0, b1
  %15 : i32 = Phi b0: %1, b1: %14
  %16 : f32 = BitcastI32ToF32 %15
  StoreOutput 0, %0, %16, %16, %16, %16
  Return
}
)",
         wanted);
}

// Two reads that lanes make together share the swizzle of the mask; where all lanes are there is none.
TEST(QuadReads, AreFewOperations) {
  const auto count = [](const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
  };
  const auto compiled = [](const std::string& body) {
    PipelineOptions options;
    options.verify = true;
    const auto f = parse(kHead + body);
    EXPECT_TRUE(f.ok()) << to_string(f.error());
    const auto program = run_pipeline(*f, options);
    EXPECT_TRUE(program.ok()) << to_string(program.error());
    return print(program->kernel);
  };
  const std::string everywhere = compiled(R"(
  %10 : i32 = QuadRead 177, %0, %8, %1
  %11 : i32 = QuadRead 177, %0, %9, %1
  %12 : f32 = BitcastI32ToF32 %10
  %13 : f32 = BitcastI32ToF32 %11
  StoreOutput 0, %0, %12, %13, %12, %12
  Return
}
)");
  EXPECT_EQ(count(everywhere, "QuadSwizzle32"), 2u) << everywhere;
  EXPECT_EQ(count(everywhere, "Select"), 0u) << everywhere;
  EXPECT_EQ(count(everywhere, "QuadSwizzle1"), 0u) << everywhere;
  const std::string parted = compiled(R"(
  %14 : i1 = ILtU32 %8, %2
  Branch %14, b1, b2
b1: <- b0
  %10 : i32 = QuadRead 177, %0, %8, %1
  %11 : i32 = QuadRead 177, %0, %9, %1
  %12 : f32 = BitcastI32ToF32 %10
  %13 : f32 = BitcastI32ToF32 %11
  StoreOutput 0, %0, %12, %13, %12, %12
  Jump b2
b2: <- b0, b1
  Return
}
)");
  EXPECT_EQ(count(parted, "QuadSwizzle32"), 2u) << parted;
  EXPECT_EQ(count(parted, "QuadSwizzle1"), 1u) << parted;
}

}  // namespace
}  // namespace warpjit::ir
