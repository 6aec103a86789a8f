// Memory of compute programs: widths, edges, what fails, private memory, buffers.
#include "valhall/run_one_thread.h"

namespace warpjit::valhall {
namespace {

// What a load puts into r4 to r7, which held 0x11111111, 0x22222222, ...; `ok`: there was no fault.
struct Loaded {
  std::array<std::uint32_t, 4> r;
  bool ok;
  std::uint32_t fault_address;
};
Loaded load(const std::string& type, unsigned count, std::uint32_t offset, std::int32_t immediate = 0) {
  std::string staging = "@r4";
  for (unsigned k = 1; k < count; ++k) staging += ":r" + std::to_string(4 + k);
  // The results are stored at 0x100, another piece of the same window.
  std::vector<std::uint32_t> results(4);
  GuestOptions options;
  options.uniforms = {0x9000, kMemoryHigh};
  options.memory = pattern();
  options.uniforms.insert(options.uniforms.begin(), {offset, 0});
  auto program = assemble(
      "IADD_IMM.i32 r4, 0x0, #0x11111111\nIADD_IMM.i32 r5, 0x0, #0x22222222\n"
      "IADD_IMM.i32 r6, 0x0, #0x33333333\nIADD_IMM.i32 r7, 0x0, #0x44444444\n"
      "MOV.i32 r8, u0\nMOV.i32 r9, u1\nMOV.i32 r10, u2\nMOV.i32 r11, u3\n"
      "IADD.u64 r8, r8, r10\n"
      "LOAD." +
          type + ".slot0 " + staging + ", r8, offset:" + std::to_string(immediate) +
          "\nSTORE.i128.slot0.end @r4:r5:r6:r7, u4, offset:0\n",
      "test");
  EXPECT_TRUE(program.ok()) << (program ? "" : to_string(program.error()));
  if (!program) return {};
  const auto interpreter = Interpreter::prepare(*program);
  EXPECT_TRUE(interpreter.ok()) << type << (interpreter ? "" : to_string(interpreter.error()));
  if (!interpreter) return {};
  frontend::Grid grid;
  grid.high_words = {kMemoryHigh};
  grid.globals[0] = {{kMemoryLow, std::as_writable_bytes(std::span(options.memory))},
                     {0x9000, std::as_writable_bytes(std::span(results))}};
  std::vector<std::uint32_t> uniforms{kMemoryLow, kMemoryHigh, offset, 0, 0x9000, kMemoryHigh};
  const auto bytes = std::as_bytes(std::span(uniforms));
  grid.parameters.assign(bytes.begin(), bytes.end());
  RunReport report;
  EXPECT_TRUE(interpreter->run(grid, report).ok());
  Loaded loaded{{}, !report.first_fault, report.first_fault ? report.first_fault->access.address : 0};
  std::ranges::copy(results, loaded.r.begin());
  return loaded;
}
using Words = std::array<std::uint32_t, 4>;

TEST(ValhallMemory, WidthsAndLanesOfLoads) {
  const auto r = [](const std::string& type, unsigned count, std::uint32_t offset = 0) {
    const Loaded loaded = load(type, count, offset);
    EXPECT_TRUE(loaded.ok) << type;
    return loaded.r;
  };
  constexpr std::uint32_t k5 = 0x22222222, k6 = 0x33333333, k7 = 0x44444444;
  EXPECT_EQ(r("i8", 1, 1), (Words{0x11111181, k5, k6, k7}));
  EXPECT_EQ(r("i8.b1", 1), (Words{0x11118011, k5, k6, k7}));
  EXPECT_EQ(r("i8.b2.unsigned", 1, 3), (Words{0x11831111, k5, k6, k7}));
  EXPECT_EQ(r("i8.b3", 1), (Words{0x80111111, k5, k6, k7}));
  EXPECT_EQ(r("i8.h0", 1), (Words{0x1111ff80, k5, k6, k7}));
  EXPECT_EQ(r("i8.h0.unsigned", 1), (Words{0x11110080, k5, k6, k7}));
  EXPECT_EQ(r("i8.h1", 1), (Words{0xff801111, k5, k6, k7}));
  EXPECT_EQ(r("i8.w0", 1), (Words{0xffffff80, k5, k6, k7}));
  EXPECT_EQ(r("i8.w0.unsigned", 1), (Words{0x80, k5, k6, k7}));
  EXPECT_EQ(r("i8.d0", 2), (Words{0xffffff80, 0xffffffff, k6, k7}));
  EXPECT_EQ(r("i8.d0.unsigned", 2), (Words{0x80, 0, k6, k7}));
  EXPECT_EQ(r("i16", 1, 2), (Words{0x11118382, k5, k6, k7}));
  EXPECT_EQ(r("i16.h1", 1), (Words{0x81801111, k5, k6, k7}));
  EXPECT_EQ(r("i16.w0", 1), (Words{0xffff8180, k5, k6, k7}));
  EXPECT_EQ(r("i16.w0.unsigned", 1), (Words{0x8180, k5, k6, k7}));
  EXPECT_EQ(r("i16.d0", 2), (Words{0xffff8180, 0xffffffff, k6, k7}));
  EXPECT_EQ(r("i16.d0.unsigned", 2), (Words{0x8180, 0, k6, k7}));
  EXPECT_EQ(r("i24", 1, 5), (Words{0xff878685, k5, k6, k7}));
  EXPECT_EQ(r("i24.unsigned", 1, 5), (Words{0x878685, k5, k6, k7}));
  EXPECT_EQ(r("i32", 1, 4), (Words{0x87868584, k5, k6, k7}));
  EXPECT_EQ(r("i32.d0", 2), (Words{0x83828180, 0xffffffff, k6, k7}));
  EXPECT_EQ(r("i32.d0.unsigned", 2), (Words{0x83828180, 0, k6, k7}));
  EXPECT_EQ(r("i48", 2, 2), (Words{0x85848382, 0xffff8786, k6, k7}));
  EXPECT_EQ(r("i48.unsigned", 2, 2), (Words{0x85848382, 0x8786, k6, k7}));
  EXPECT_EQ(r("i64", 2, 4), (Words{0x87868584, 0x8b8a8988, k6, k7}));
  EXPECT_EQ(r("i96", 3, 4), (Words{0x87868584, 0x8b8a8988, 0x8f8e8d8c, k7}));
  EXPECT_EQ(r("i128", 4, 4), (Words{0x87868584, 0x8b8a8988, 0x8f8e8d8c, 0x93929190}));
}

TEST(ValhallMemory, LoadsAtTheEdges) {
  // 64 bytes from 0x1000 on. Each word that is outside is 0.
  EXPECT_TRUE(load("i128", 4, 48).ok);
  const Loaded last = load("i128", 4, 52);
  EXPECT_EQ(last.r, (Words{0xb7b6b5b4, 0xbbbab9b8, 0xbfbebdbc, 0}));
  EXPECT_EQ(last.fault_address, 0x1040U);
  const Loaded first = load("i96", 3, 0, -4);
  EXPECT_EQ(first.r, (Words{0, 0x83828180, 0x87868584, 0x44444444}));
  EXPECT_EQ(first.fault_address, 0xffcU);
  const Loaded bytes = load("i24.unsigned", 1, 62);
  EXPECT_EQ(bytes.r[0], 0xbfbeU);
  EXPECT_EQ(bytes.fault_address, 0x1040U);
  const Loaded half = load("i48.unsigned", 2, 60);
  EXPECT_EQ(half.r, (Words{0xbfbebdbc, 0, 0x33333333, 0x44444444}));
  EXPECT_EQ(half.fault_address, 0x1040U);
  const Loaded straddles = load("i48.unsigned", 2, 62);  // its word lies inside by half
  EXPECT_EQ(straddles.r[0], 0U);
  EXPECT_EQ(straddles.fault_address, 0x103eU);
  const Loaded byte = load("i8.b1", 1, 64);
  EXPECT_EQ(byte.r[0], 0x11110011U);
  EXPECT_FALSE(byte.ok);
  EXPECT_FALSE(load("i8", 1, 0, -1).ok);
  EXPECT_TRUE(load("i8", 1, 0x8000, -0x8000).ok);
  EXPECT_TRUE(load("i8", 1, 0xffff8001, 0x7fff).ok == false);  // no carry into the high word by a 64-bit sum
}

TEST(ValhallMemory, Alignment) {
  for (const std::uint32_t offset : {1U, 2U, 3U}) {
    EXPECT_TRUE(load("i8", 1, offset).ok);
    EXPECT_TRUE(load("i24", 1, offset).ok);
    EXPECT_EQ(load("i16", 1, offset).ok, offset == 2) << offset;
    EXPECT_EQ(load("i48", 2, offset).ok, offset == 2) << offset;
    for (const auto& [type, count] : {std::pair{"i32", 1U}, {"i64", 2U}, {"i96", 3U}, {"i128", 4U}}) {
      const Loaded loaded = load(type, count, offset);
      EXPECT_FALSE(loaded.ok) << type;
      EXPECT_EQ(loaded.fault_address, 0x1000 + offset);
      for (unsigned k = 0; k < count; ++k) EXPECT_EQ(loaded.r[k], 0U);
    }
  }
  EXPECT_TRUE(load("i128", 4, 4).ok);
  // A pattern's part of a misaligned half keeps the rest of the register.
  EXPECT_EQ(load("i16.h1", 1, 1).r[0], 0x00001111U);
}

const std::string kValues =
    "IADD_IMM.i32 r4, 0x0, #0x11121314\nIADD_IMM.i32 r5, 0x0, #0x15161718\n"
    "IADD_IMM.i32 r6, 0x0, #0x191A1B1C\nIADD_IMM.i32 r7, 0x0, #0x1D1E1F20\n";

TEST(ValhallMemory, Stores) {
  const auto stored = [](const std::string& type, const std::string& staging, std::uint32_t offset) {
    const OneThread one =
        run_one(kValues + "STORE." + type + ".slot0 " + staging + ", r8, offset:0\n", offset);
    EXPECT_FALSE(one.finished.report.first_fault) << type;
    return std::vector(one.finished.memory.begin(), one.finished.memory.begin() + 5);
  };
  using List = std::vector<std::uint32_t>;
  EXPECT_EQ(stored("i8", "@r4", 1), (List{0x83821480, 0x87868584, 0x8b8a8988, 0x8f8e8d8c, 0x93929190}));
  EXPECT_EQ(stored("i16", "@r4", 2), (List{0x13148180, 0x87868584, 0x8b8a8988, 0x8f8e8d8c, 0x93929190}));
  EXPECT_EQ(stored("i24", "@r4", 3), (List{0x14828180, 0x87861213, 0x8b8a8988, 0x8f8e8d8c, 0x93929190}));
  EXPECT_EQ(stored("i32", "@r4", 4), (List{0x83828180, 0x11121314, 0x8b8a8988, 0x8f8e8d8c, 0x93929190}));
  EXPECT_EQ(stored("i48", "@r4:r5", 2), (List{0x13148180, 0x17181112, 0x8b8a8988, 0x8f8e8d8c, 0x93929190}));
  EXPECT_EQ(stored("i64", "@r4:r5", 4), (List{0x83828180, 0x11121314, 0x15161718, 0x8f8e8d8c, 0x93929190}));
  EXPECT_EQ(stored("i96", "@r4:r5:r6", 4),
            (List{0x83828180, 0x11121314, 0x15161718, 0x191a1b1c, 0x93929190}));
  EXPECT_EQ(stored("i128", "@r4:r5:r6:r7", 4),
            (List{0x83828180, 0x11121314, 0x15161718, 0x191a1b1c, 0x1d1e1f20}));
}

TEST(ValhallMemory, StoresThatAreDropped) {
  struct Case {
    const char *type, *staging;
    std::uint32_t offset;
  };
  constexpr Case kCases[] = {{"i8", "@r4", 64},
                             {"i16", "@r4", 1},
                             {"i16", "@r4", 63},
                             {"i24", "@r4", 62},
                             {"i32", "@r4", 2},
                             {"i32", "@r4", 0xfffffffc},
                             {"i48", "@r4:r5", 1},
                             {"i48", "@r4:r5", 60},
                             {"i64", "@r4:r5", 60},
                             {"i96", "@r4:r5:r6", 56},
                             {"i128", "@r4:r5:r6:r7", 52},
                             {"i128", "@r4:r5:r6:r7", 0xfffffff8}};
  for (const Case& c : kCases) {
    const OneThread one =
        run_one(kValues + "STORE." + c.type + ".slot0 " + c.staging + ", r8, offset:0\n", c.offset);
    EXPECT_EQ(one.finished.memory, pattern()) << c.type << " " << c.offset;
    EXPECT_TRUE(one.fault().happened && one.fault().is_store);
    EXPECT_EQ(one.fault().space, ir::Space::global);
    EXPECT_EQ(one.fault().address, 0x1000 + c.offset) << c.type;
  }
}

TEST(ValhallMemory, OverlappingStoresGoWordByWord) {
  // Word k of all lanes, then word k + 1: lane 0's second word is written after lane 1's first.
  GuestOptions options;
  options.grid.block = {2, 1, 1};
  const Finished finished = run_source(kPrologue +
                                           "IADD_IMM.i32 r4, r0, #0x10\nIADD_IMM.i32 r5, r0, "
                                           "#0x20\nSTORE.i64.slot0.end @r4:r5, r2, offset:0\n",
                                       options);
  EXPECT_EQ(finished.memory[0], 0x10U);
  EXPECT_EQ(finished.memory[1], 0x20U);
  EXPECT_EQ(finished.memory[2], 0x21U);
}

TEST(ValhallMemory, FaultsGoWordByWord) {
  // Lane 1's first word is outside, lane 0's second one: lane 1 comes first.
  GuestOptions options;
  options.grid.block = {2, 1, 1};
  options.memory.resize(2);
  const Finished finished =
      run_source(kPrologue + "LOAD.i64.unsigned.slot0 @r4:r5, r2, offset:4\nNOP.end\n", options);
  ASSERT_TRUE(finished.report.first_fault);
  EXPECT_EQ(finished.report.first_fault->access.thread, 1U);
  EXPECT_EQ(finished.report.first_fault->access.address, 0x1008U);
  EXPECT_EQ(finished.report.first_fault->access.guest_address, 16U);
}

TEST(ValhallMemory, WindowsAndHighWords) {
  std::vector<std::uint32_t> other{0xabcdef01, 2}, low{3, 4};
  GuestOptions options;
  options.grid.high_words = {0x12, 0};
  options.grid.globals[1] = {{0xfffffff8, std::as_writable_bytes(std::span(other))}};
  options.grid.globals[2] = {{0, std::as_writable_bytes(std::span(low))}};
  const auto at = [&](std::uint32_t low_word, std::uint32_t high_word, std::int32_t offset) {
    GuestOptions with = options;
    with.uniforms = {low_word, high_word};
    return run_body("LOAD.i32.unsigned.slot0 @r4, u2, offset:" + std::to_string(offset) + "\n", with);
  };
  EXPECT_EQ(at(0xfffffff8, 0x12, 0).memory[0], 0xabcdef01U);
  EXPECT_EQ(at(0xfffffff8, 0x12, 4).memory[0], 2U);
  EXPECT_EQ(at(0, 0x13, -4).memory[0], 2U);  // borrows from the high word
  EXPECT_EQ(at(4, 0, 0).memory[0], 4U);
  EXPECT_EQ(at(0xfffffffc, 0xffffffff, 4).memory[0], 3U);  // carries into it, and around
  const Finished none = at(0x1000, 0x13, 0);
  ASSERT_TRUE(none.report.first_fault);
  EXPECT_EQ(none.report.first_fault->access.index, kNoWindow);
  EXPECT_EQ(none.report.first_fault->access.address, 0x1000U);
  // An access has one high word: after the last word of its 4 GiB comes the first one.
  GuestOptions with = options;
  with.grid.high_words = {0x12, 0x13};
  with.uniforms = {0xfffffffc, 0x12};
  const Finished wrapped =
      run_body("LOAD.i64.unsigned.slot0 @r4:r5, u2, offset:0\nIADD.u32 r4, r4, r5\n", with);
  ASSERT_TRUE(wrapped.report.first_fault);
  EXPECT_EQ(wrapped.report.first_fault->access.address, 0U);
  EXPECT_EQ(wrapped.memory[0], 2U);
}

// Addresses side by side of which some have another high word: none, some lanes, all; where one of the
// windows or both are mapped. Other engines do what the guest interpreter does.
TEST(ValhallMemory, LanesOnBothSidesOfAHighWord) {
  constexpr std::uint32_t kThreads = 128;
  std::size_t number = 0;
  for (const std::uint32_t below : {0u, 1u, 15u, 16u, 17u, 31u, 40u, 63u, 64u, 100u, 127u, 128u, 200u})
    for (const unsigned mapped : {1u, 2u, 3u})
      for (const char* shift : {"0x2", "0x3", "0x1"}) {
        if (!in_share(number++)) continue;
        SCOPED_TRACE(std::to_string(below) + " words below, windows " + std::to_string(mapped) + shift);
        std::vector<std::uint32_t> before(2 * kThreads), after(2 * kThreads);
        for (std::uint32_t k = 0; k < 2 * kThreads; ++k) before[k] = 100 + k, after[k] = 1000 + k;
        GuestOptions options;
        options.grid.block = {kThreads, 1, 1};
        options.grid.high_words = {0x12, 0x13};
        const auto size = static_cast<std::uint32_t>(before.size() * 4);
        if ((mapped & 1) != 0)
          options.grid.globals[1] = {{0u - size, std::as_writable_bytes(std::span(before))}};
        if ((mapped & 2) != 0) options.grid.globals[2] = {{0, std::as_writable_bytes(std::span(after))}};
        options.uniforms = {0u - 4 * below, below == 0 ? 0x13u : 0x12u};
        const std::string address = "SHADDX.u64 r6, u2, r0.w0, shift:" + std::string(shift) + "\n";
        const Finished finished = run_body(address +
                                               "LOAD.i32.unsigned.slot0.wait0 @r4, r6, offset:0\n"
                                               "IADD_IMM.i32 r8, r4, #7\n"
                                               "STORE.i32.slot0.wait0 @r8, r6, offset:0\n",
                                           options);
        EXPECT_TRUE(finished.status.ok());
        if (mapped != 3 || std::string_view(shift) != "0x2") continue;
        for (std::uint32_t t = 0; t < kThreads; ++t) {
          const std::uint32_t wanted = t < below ? 100 + 2 * kThreads - below + t : 1000 + t - below;
          EXPECT_EQ(finished.memory[t], wanted) << t;
        }
      }
}

// Two loops around barriers that halve a number: a sum and a greatest value of a workgroup. Both are
// unrolled, in the order of addresses.
TEST(ValhallMemory, TwoReductionsOfAWorkgroup) {
  constexpr std::uint32_t kThreads = 64;
  const auto reduce = [](const std::string& name, const std::string& operation) {
    return "IADD_IMM.i32 r7, 0x0, #0x20\n" + name +
           ":\nBARRIER.slot7.wait\nICMP_OR.u32.lt.m1 r8, r0, r7, 0x0\nBRANCHZ.eq.reconverge r8.h0, offset:" +
           name +
           "_skip\nLSHIFT_OR.i32 r10, r7, 0x3020100.b22, 0x0\nIADD.u32 r10, r10, r5\n"
           "MOV.i32 r11, r6\nLOAD.i32.unsigned.slot0.wait0 @r12, r10, offset:0\nMOV.i32 r10, r5\n"
           "LOAD.i32.unsigned.slot0.wait0 @r13, r10, offset:0\n" +
           operation + " r12, r12, r13\nSTORE.i32.slot0.wait0 @r12, r10, offset:0\n" + name +
           "_skip:\nRSHIFT_OR.i32 r7, r7, 0x3020100.b11, 0x0\nBRANCHZ.reconverge r7, offset:" + name + "\n";
  };
  const std::string own =
      "LSHIFT_OR.i32 r5, r0, 0x3020100.b22, 0x0\nIADD.u32 r5, r5, workgroup_local_pointer.w0\n"
      "MOV.i32 r6, workgroup_local_pointer.w1\nMOV.i32 r10, r5\nMOV.i32 r11, r6\n";
  GuestOptions options;
  options.grid.block = {kThreads, 1, 1};
  options.shared_bytes = 4 * kThreads;
  const Finished finished =
      run_body(own + "IADD_IMM.i32 r9, r0, #5\nSTORE.i32.slot0.wait0 @r9, r10, offset:0\n" +
                   reduce("sum", "IADD.u32") + "BARRIER.slot7.wait\n" +
                   "LOAD.i32.unsigned.slot0.wait0 @r4, r10, offset:0\n" + reduce("bits", "IADD.u32") +
                   "BARRIER.slot7.wait\n" +
                   "MOV.i32 r10, r5\nLOAD.i32.unsigned.slot0.wait0 @r12, r10, offset:0\n"
                   "IADD.u32 r4, r4, r12\n",
               options);
  EXPECT_TRUE(finished.status.ok()) << to_string(finished.status.error());
  EXPECT_FALSE(finished.report.first_fault);
  EXPECT_EQ(finished.memory[kThreads - 1], 2 * (kThreads - 1 + 5));
}

TEST(ValhallMemory, PiecesDoNotJoin) {
  std::vector<std::uint32_t> first{1, 2}, second{3, 4};
  GuestOptions options;
  options.grid.high_words = {0x12};
  options.grid.globals[1] = {{0x100, std::as_writable_bytes(std::span(first))},
                             {0x108, std::as_writable_bytes(std::span(second))}};
  options.uniforms = {0x104, 0x12};
  const Finished loaded =
      run_body("LOAD.i64.unsigned.slot0 @r4:r5, u2, offset:0\nIADD.u32 r4, r4, r5\n", options);
  EXPECT_FALSE(loaded.report.first_fault);
  EXPECT_EQ(loaded.memory[0], 5U);
  const Finished stored = run_body("STORE.i64.slot0 @r4:r5, u2, offset:0\n", options);
  EXPECT_TRUE(stored.report.first_fault);
  EXPECT_EQ(first[1], 2U);
}

TEST(ValhallMemory, ThreadsOwnMemory) {
  GuestOptions options;
  options.local_bytes = 32;
  options.grid.grid = {2, 1, 1};
  // Each finds 0, and what it left.
  const auto words = words_of(
      "LOAD.i32.unsigned.slot0 @r5, thread_local_pointer.w0, offset:28\n"
      "IADD_IMM.i32 r4, r0, #100\n"
      "IADD.u32 r4, r4, r5\n"
      "STORE.i32.slot0 @r4, thread_local_pointer.w0, offset:28\n"
      "LOAD.i32.unsigned.slot0 @r4, thread_local_pointer.w0, offset:28\n",
      options);
  for (std::uint32_t t = 0; t < 16; ++t) EXPECT_EQ(words[t], 100 + t);
  for (const char* access : {"LOAD.i32.unsigned.slot0 @r4, thread_local_pointer.w0, offset:32\n",
                             "STORE.i64.slot0 @r4:r5, thread_local_pointer.w0, offset:28\n"}) {
    const Finished finished = run_body(access, options);
    ASSERT_TRUE(finished.report.first_fault) << access;
    EXPECT_EQ(finished.report.first_fault->access.space, ir::Space::local);
  }
  // Below the first byte the high word is another.
  const Finished below =
      run_body("LOAD.i32.unsigned.slot0 @r4, thread_local_pointer.w0, offset:-4\n", options);
  ASSERT_TRUE(below.report.first_fault);
  EXPECT_EQ(below.report.first_fault->access.space, ir::Space::global);
  EXPECT_EQ(below.report.first_fault->access.index, kNoWindow);
  EXPECT_EQ(below.report.first_fault->access.address, 0xfffffffcU);
}

TEST(ValhallMemory, WorkgroupsMemory) {
  GuestOptions options;
  options.shared_bytes = 4;
  options.grid.grid = {2, 1, 1};
  options.grid.block = {32, 1, 1};
  const auto words = words_of(
      "IADD_IMM.i32 r5, 0x0, #1\n"
      "MOV.i32 r6, workgroup_local_pointer.w0\nMOV.i32 r7, workgroup_local_pointer.w1\n"
      "ATOM_RETURN.i32.slot0.aadd @r4, @r5, r6, offset:0x0\n",
      options);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(words[t], t);
  // 64 bytes at least; the launch may ask for more.
  const std::string load = "LOAD.i32.unsigned.slot0 @r4, workgroup_local_pointer.w0, offset:";
  EXPECT_FALSE(run_body(load + "60\n", options).report.first_fault);
  const Finished outside = run_body(load + "64\n", options);
  ASSERT_TRUE(outside.report.first_fault);
  EXPECT_EQ(outside.report.first_fault->access.space, ir::Space::shared);
  options.grid.shared_bytes = 68;
  EXPECT_FALSE(run_body(load + "124\n", options).report.first_fault);
}

TEST(ValhallMemory, Buffers) {
  const std::vector<std::uint32_t> buffer{0x83828180, 0x87868584, 0x8b8a8988};
  GuestOptions options;
  options.grid.constants[0] = std::as_bytes(std::span(buffer));
  options.grid.constants[14] = options.grid.constants[0];
  struct Case {
    const char *type, *staging;
    std::uint32_t offset, mode;
    std::uint32_t r4, r5;
    bool fault;
  };
  constexpr Case kCases[] = {
      {"i32.unsigned", "@r4", 4, 0, 0x87868584, 0, false},
      {"i32.unsigned", "@r4", 4, 14, 0x87868584, 0, false},
      {"i32.unsigned", "@r4", 12, 0, 0, 0, false},
      {"i32.unsigned", "@r4", 0xfffffffc, 0, 0, 0, false},
      {"i64.unsigned", "@r4:r5", 8, 0, 0x8b8a8988, 0, false},
      {"i64.unsigned", "@r4:r5", 0xfffffffc, 0, 0, 0, false},
      {"i48.unsigned", "@r4:r5", 6, 0, 0x89888786, 0x8b8a, false},
      {"i48.unsigned", "@r4:r5", 8, 0, 0x8b8a8988, 0, false},
      {"i24.unsigned", "@r4", 9, 0, 0x8b8a89, 0, false},
      {"i24.unsigned", "@r4", 10, 0, 0, 0, false},  // as a whole
      {"i16.w0.unsigned", "@r4", 10, 0, 0x8b8a, 0, false},
      {"i8.w0", "@r4", 11, 0, 0xffffff8b, 0, false},
      {"i8.w0", "@r4", 12, 0, 0, 0, false},
      {"i16.w0", "@r4", 1, 0, 0, 0, true},
      {"i48", "@r4:r5", 1, 0, 0, 0, true},
      {"i32", "@r4", 2, 0, 0, 0, true},
      {"i64", "@r4:r5", 2, 0, 0, 0, true},
      {"i32", "@r4", 4, 1, 0, 0, true},           // no such buffer
      {"i32", "@r4", 4, 15, 0, 0, true},          // no constant space
      {"i32", "@r4", 4, 0x00000100, 0, 0, true},  // of the entry all 24 bits count
      {"i32", "@r4", 4, 0x01000000, 0, 0, true},  // another table
      {"i32", "@r4", 4, 0xfe000000, 0, 0, true},  // descriptors
  };
  for (const Case& c : kCases) {
    GuestOptions with = options;
    with.uniforms = {c.offset, c.mode};
    with.compiled = true;
    const Finished finished = run_body("LD_BUFFER." + std::string(c.type) + ".slot0 " + c.staging +
                                           ", u2, u3\nSTORE.i32.slot0 @r5, r2, offset:64\n",
                                       with);
    EXPECT_EQ(finished.memory[0], c.r4) << c.type << " " << c.offset << " " << c.mode;
    EXPECT_EQ(finished.memory[16], c.r5) << c.type << " " << c.offset << " " << c.mode;
    EXPECT_EQ(finished.report.first_fault.has_value(), c.fault) << c.type << " " << c.offset << " " << c.mode;
    if (!finished.report.first_fault) continue;
    const ir::MemoryFault& fault = finished.report.first_fault->access;
    EXPECT_EQ(fault.space, c.mode == 0 ? ir::Space::constant : ir::Space::global);
    EXPECT_EQ(fault.index, c.mode == 0 ? 0 : kBufferSpace);
    EXPECT_EQ(fault.address, c.mode == 0 ? c.offset : c.mode);
  }
}

// The number of the buffer is the thread's own.
TEST(ValhallMemory, BuffersByNumber) {
  const std::uint32_t three[] = {30, 31}, five[] = {50, 51, 52, 53};
  GuestOptions options;
  options.compiled = true;
  options.grid.constants[3] = std::as_bytes(std::span(three));
  options.grid.constants[5] = std::as_bytes(std::span(five));
  options.uniforms = {3};
  options.grid.block = {3, 1, 1};  // the buffers 3, 4 and 5
  const Finished some = run_body(
      "IADD.u32 r6, u2, r0\nIADD.u32 r7, r0, r0\nIADD.u32 r7, r7, r7\n"
      "LD_BUFFER.i32.unsigned.slot0.wait0 @r4, r7, r6\n",
      options);
  EXPECT_EQ(some.memory[0], 30U);
  EXPECT_EQ(some.memory[1], 0U);
  EXPECT_EQ(some.memory[2], 52U);
  ASSERT_TRUE(some.report.first_fault);
  EXPECT_EQ(some.report.first_fault->access.address, 4U);
  // Pairs that end past the buffer, and a number whose top byte is another table's.
  options.uniforms = {5, 0xff000000};
  options.grid.block = {1, 1, 1};
  const Finished pairs = run_source(
      "IADD_IMM.i32 r7, 0x0, #0xC\nIADD_IMM.i32 r6, r57, #5\n"
      "LD_BUFFER.i64.unsigned.slot0.wait0 @r4:r5, r7, r6\nSTORE.i64.slot0 @r4:r5, u0, offset:0\n"
      "IADD.u32 r6, r6, u3\nLD_BUFFER.i32.unsigned.slot0.wait0 @r4, r7, r6\n"
      "STORE.i32.slot0.end @r4, u0, offset:8\n",
      options);
  EXPECT_EQ(pairs.memory[0], 53U);
  EXPECT_EQ(pairs.memory[1], 0U);
  EXPECT_EQ(pairs.memory[2], 0U);
  ASSERT_TRUE(pairs.report.first_fault);
  EXPECT_EQ(pairs.report.first_fault->access.address, 0xff000005U);
}

}  // namespace
}  // namespace warpjit::valhall
