// Control of compute programs: lanes with program counters of their own, barriers, fuel, how programs fail.
#include "support/share.h"
#include "valhall/run_program.h"

namespace warpjit::valhall {
namespace {

// r1 = bit `bit` of r0.
std::string bit_of_r0(unsigned bit) {
  return "IADD_IMM.i32 r1, 0x0, #" + std::to_string(1U << bit) + "\nLSHIFT_AND.i32 r1, r0, 0x0.b00, r1\n";
}

TEST(ValhallRun, IfElseMeetsAgain) {
  const auto words = words_of(bit_of_r0(0) +
                              "BRANCHZ.eq.reconverge r1, offset:even\n"
                              "WMASK r4, r55\n"
                              "BRANCHZ.eq.reconverge 0x0, offset:join\n"
                              "even:\n"
                              "IADD_IMM.i32 r4, 0x0, #5\n"
                              "join:\n"
                              "IADD_IMM.i32 r5, 0x0, #1\n"
                              "WMASK r5, r5\n"
                              "LSHIFT_OR.i32 r4, r5, 0x7060504.b00, r4\n");
  // After the join all lanes vote; between, those that are there. 0x7060504.b00 is 4.
  for (std::uint32_t t = 0; t < 16; ++t) EXPECT_EQ(words[t], (0xffff0U | (t % 2 != 0 ? 0xaaaaU : 5U))) << t;
}

TEST(ValhallRun, TheLowestCounterGoesFirst) {
  // Odd lanes jump over the first vote, so that even ones reach the second one with them.
  const auto words = words_of(bit_of_r0(0) +
                              "IADD_IMM.i32 r5, 0x0, #1\n"
                              "BRANCHZ r1, offset:second\n"
                              "WMASK r4, r5\n"
                              "second:\n"
                              "WMASK r6, r5\n"
                              "IADD.u32 r4, r4, r6\n");
  for (std::uint32_t t = 0; t < 16; ++t) EXPECT_EQ(words[t], 0xffffU + (t % 2 == 0 ? 0x5555U : 0U)) << t;
}

TEST(ValhallRun, LoopWithBreak) {
  // Thread t goes round t times; those that leave wait for the last one.
  const auto words = words_of(
      "IADD_IMM.i32 r4, 0x0, #0\n"
      "head:\n"
      "ICMP_OR.u32.ge.m1 r1, r4, r0, 0x0\n"
      "BRANCHZ.reconverge r1, offset:out\n"
      "IADD_IMM.i32 r4, r4, #1\n"
      "BRANCHZ.eq.reconverge 0x0, offset:head\n"
      "out:\n"
      "IADD_IMM.i32 r5, 0x0, #1\n"
      "WMASK r5, r5\n"
      "LSHIFT_OR.i32 r4, r4, 0x13121110.b00, r5\n");
  for (std::uint32_t t = 0; t < 16; ++t) EXPECT_EQ(words[t], t << 16 | 0xffffU) << t;
}

TEST(ValhallRun, NestedDivergentLoops) {
  // Sum over i < t of (i + t) % 3 steps of 1.
  const auto words = words_of(
      "IADD_IMM.i32 r4, 0x0, #0\n"
      "IADD_IMM.i32 r5, 0x0, #0\n"
      "outer:\n"
      "ICMP_OR.u32.ge.m1 r1, r5, r0, 0x0\n"
      "BRANCHZ r1, offset:out\n"
      "IADD.u32 r6, r5, r0\n"
      "mod:\n"
      "IADD_IMM.i32 r7, 0x0, #3\n"
      "ICMP_OR.u32.lt.m1 r1, r6, r7, 0x0\n"
      "BRANCHZ r1, offset:inner\n"
      "ISUB.u32 r6, r6, r7\n"
      "BRANCHZ.eq 0x0, offset:mod\n"
      "inner:\n"
      "BRANCHZ.eq r6, offset:next\n"
      "IADD_IMM.i32 r6, r6, #0xFFFFFFFF\n"
      "IADD_IMM.i32 r4, r4, #1\n"
      "BRANCHZ.eq 0x0, offset:inner\n"
      "next:\n"
      "IADD_IMM.i32 r5, r5, #1\n"
      "BRANCHZ.eq 0x0, offset:outer\n"
      "out:\n");
  for (std::uint32_t t = 0; t < 16; ++t) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < t; ++i) sum += (i + t) % 3;
    EXPECT_EQ(words[t], sum) << t;
  }
}

TEST(ValhallRun, BranchConditions) {
  struct Case {
    const char* branch;
    std::uint32_t value;
    bool taken;
  };
  constexpr Case kCases[] = {
      {"BRANCHZ u2", 0, false},
      {"BRANCHZ u2", 0x10000, true},
      {"BRANCHZ.eq u2", 0, true},
      {"BRANCHZ.eq u2", 0x80000000, false},
      {"BRANCHZ u2.h0", 0xffff0000, false},
      {"BRANCHZ u2.h0", 0x00008000, true},
      {"BRANCHZ.eq u2.h0", 0xffff0000, true},
      {"BRANCHZ u2.h1", 0x0000ffff, false},
      {"BRANCHZ u2.h1", 0x00010000, true},
      {"BRANCHZ.eq u2.h1", 0x0000ffff, true},
      {"BRANCHZ u2.and", 0x00010000, false},
      {"BRANCHZ u2.and", 0x00000100, false},
      {"BRANCHZ u2.and", 0x00010100, true},
      {"BRANCHZ.eq u2.and", 0x00010000, true},
      {"BRANCHZ u2.lowbits", 0xfffefffe, false},
      {"BRANCHZ u2.lowbits", 0x00000001, true},
      {"BRANCHZ u2.lowbits", 0x00010000, true},
      {"BRANCHZ.eq u2.lowbits", 0xfffefffe, true},
      {"BRANCHZ 0x0", 0, false},
      {"BRANCHZ.eq 0x0", 0, true},
      {"BRANCHZ.conservative 0xFFFFFFFF", 0, true},
  };
  for (const Case& c : kCases) {
    GuestOptions options;
    options.uniforms = {c.value};
    const auto words = words_of("IADD_IMM.i32 r4, 0x0, #1\n" + std::string(c.branch) +
                                    ", offset:taken\n"
                                    "IADD_IMM.i32 r4, 0x0, #2\n"
                                    "taken:\n",
                                options);
    EXPECT_EQ(words[0], c.taken ? 1U : 2U) << c.branch << " " << std::hex << c.value;
  }
}

TEST(ValhallRun, FlowComesAfterTheInstruction) {
  // `end` ends the lanes after their store, and on a branch whether it is taken or not.
  const Finished ended = run_body("IADD_IMM.i32 r4, 0x0, #3\nSTORE.i32.slot0.end @r4, r2, offset:0\n");
  ASSERT_TRUE(ended.status.ok());
  EXPECT_EQ(ended.memory[15], 3U);
  const Finished branch = run_body(bit_of_r0(0) + "BRANCHZ.end r1, offset:-1\nIADD_IMM.i32 r4, 0x0, #1\n");
  ASSERT_TRUE(branch.status.ok());
  EXPECT_EQ(branch.memory[0] + branch.memory[1], 0U);
  // In compute programs `discard` ends nobody, waits do nothing.
  EXPECT_EQ(words_of("IADD_IMM.i32.discard r4, 0x0, #4\nNOP.wait0126\nNOP.wait\n")[7], 4U);
}

TEST(ValhallRun, BarriersLetOtherWarpsGoOn) {
  // Each of 40 threads writes its number to the workgroup's memory and reads the one of thread 39 - t.
  const std::string body =
      "LSHIFT_OR.i32 r6, r0, 0x3020100.b22, 0x0\n"
      "IADD.u32 r6, workgroup_local_pointer.w0, r6\n"
      "MOV.i32 r7, workgroup_local_pointer.w1\n"
      "STORE.i32.slot0 @r0, r6, offset:0\n"
      "BARRIER.slot7.wait\n"
      "IADD_IMM.i32 r1, 0x0, #39\n"
      "ISUB.u32 r1, r1, r0\n"
      "LSHIFT_OR.i32 r6, r1, 0x3020100.b22, 0x0\n"
      "IADD.u32 r6, workgroup_local_pointer.w0, r6\n"
      "LOAD.i32.unsigned.slot0 @r4, r6, offset:0\n";
  GuestOptions options;
  options.shared_bytes = 160;
  options.grid.block = {40, 1, 1};
  const auto words = words_of(body, options);
  for (std::uint32_t t = 0; t < 40; ++t) EXPECT_EQ(words[t], 39 - t) << t;
  EXPECT_EQ(words[40], 0U);
}

TEST(ValhallRun, LanesMeetAtAnyBarrier) {
  // Odd lanes wait at one barrier, even ones at another, thread 3 has ended.
  const auto words = words_of(
      "IADD_IMM.i32 r4, 0x0, #7\n"
      "IADD_IMM.i32 r5, r0, #0xFFFFFFFD\n"
      "BRANCHZ r5, offset:live\n"
      "NOP.end\n"
      "live:\n" +
      bit_of_r0(0) +
      "BRANCHZ r1, offset:odd\n"
      "IADD_IMM.i32 r6, 0x0, #1\n"
      "ATOM.i32.slot0.aadd @r6, u0, offset:0x40\n"
      "BARRIER.slot7.wait\n"
      "LOAD.i32.unsigned.slot0 @r4, u0, offset:68\n"
      "BRANCHZ.eq 0x0, offset:join\n"
      "odd:\n"
      "IADD_IMM.i32 r6, 0x0, #1\n"
      "ATOM.i32.slot0.aadd @r6, u0, offset:0x44\n"
      "BARRIER.slot7.wait\n"
      "LOAD.i32.unsigned.slot0 @r4, u0, offset:64\n"
      "join:\n");
  for (std::uint32_t t = 0; t < 16; ++t) EXPECT_EQ(words[t], t == 3 ? 0U : t % 2 != 0 ? 8U : 7U) << t;
}

TEST(ValhallRun, Grids) {
  GuestOptions options;
  options.grid.grid = {2, 2, 2};
  options.grid.block = {3, 2, 2};
  options.grid.first_block = {10, 20, 30};
  // Word 12 * workgroup + thread of each register: the thread's number from r55 and r56.
  const std::string place =
      "U16_TO_U32 r0, r55.h00\nU16_TO_U32 r1, r55.h11\n"
      "IADD_IMM.i32 r4, 0x0, #3\nIMUL.i32 r1, r1, r4\nIADD.u32 r0, r0, r1\n"
      "IADD_IMM.i32 r4, 0x0, #6\nIMUL.i32 r1, r56, r4\nIADD.u32 r0, r0, r1\n"
      "IADD_IMM.i32 r4, 0x0, #12\n"
      "IMUL.i32 r1, warp_id.w0, r4\nIADD.u32 r0, r0, r1\n"
      "SHADDX.u64 r2, u0, r0.w0, shift:0x2\n";
  for (unsigned reg = 55; reg <= 63; ++reg) {
    const Finished finished =
        run_source(place + "MOV.i32 r4, r" + std::to_string(reg) + "\n" + kStoreR4, options);
    ASSERT_TRUE(finished.status.ok() && !finished.report.first_fault);
    for (std::uint32_t group = 0; group < 8; ++group)
      for (std::uint32_t t = 0; t < 12; ++t) {
        const std::uint32_t local[] = {t % 3, t / 3 % 2, t / 6}, sizes[] = {3, 2, 2};
        const std::uint32_t id[] = {10 + group % 2, 20 + group / 2 % 2, 30 + group / 4};
        const std::uint32_t wanted = reg == 55   ? local[0] | local[1] << 16
                                     : reg == 56 ? local[2]
                                     : reg < 60  ? id[reg - 57]
                                     : reg < 63  ? id[reg - 60] * sizes[reg - 60] + local[reg - 60]
                                                 : 0U;
        EXPECT_EQ(finished.memory[12 * group + t], wanted) << "r" << reg << " of " << group << ", " << t;
      }
  }
}

TEST(ValhallRun, SpecialValues) {
  GuestOptions options;
  options.grid.block = {40, 1, 1};
  options.grid.grid = {2, 1, 1};
  options.address = 0x700004000;
  const auto value = [&](const std::string& name) {
    return words_of("MOV.i32 r4, " + name + "\nSHADDX.u64 r2, u0, r60.w0, shift:0x2\n", options);
  };
  const auto lanes = value("lane_id.w0"), warps = value("warp_id.w0");
  for (std::uint32_t t = 0; t < 80; ++t) {
    EXPECT_EQ(lanes[t], t % 40 % 16) << t;
    EXPECT_EQ(warps[t], t / 40 * 3 + t % 40 / 16) << t;
  }
  for (const char* zero : {"lane_id.w1", "warp_id.w1", "core_id.w0", "core_id.w1", "thread_local_pointer.w0",
                           "workgroup_local_pointer.w0"})
    EXPECT_EQ(value(zero)[79], 0U) << zero;
  EXPECT_EQ(value("thread_local_pointer.w1")[0], 0xffffU);
  EXPECT_EQ(value("workgroup_local_pointer.w1")[0], 0xfffeU);
  EXPECT_EQ(value("program_counter.w0")[0], 0x4018U);  // after the third instruction
  EXPECT_EQ(value("program_counter.w1")[0], 7U);
  std::vector<std::uint32_t> mapped(2);
  options.grid.high_words = {0xffff};
  options.grid.globals[1] = {{0, std::as_writable_bytes(std::span(mapped))}};
  EXPECT_EQ(value("thread_local_pointer.w1")[0], 0xfffeU);
  EXPECT_EQ(value("workgroup_local_pointer.w1")[0], 0xfffdU);
}

TEST(ValhallRun, Uniforms) {
  GuestOptions options;
  options.uniforms = {5, 6};
  EXPECT_EQ(words_of("IADD.u32 r4, u2, u3\n", options)[0], 11U);
  const Finished finished =
      run_body("MOV.i32 r4, u3\nIADD.u64 r6, u4, 0x0\nMOV.i32 r4, r7\nIADD.u32 r4, r4, u3\n", options);
  ASSERT_TRUE(finished.report.first_fault);
  const frontend::BlockFault& fault = *finished.report.first_fault;
  EXPECT_EQ(fault.access.space, ir::Space::constant);
  EXPECT_EQ(fault.access.index, kUniformSpace);
  EXPECT_EQ(fault.access.address, 16U);
  EXPECT_EQ(fault.access.guest_address, 24U);
  EXPECT_EQ(finished.memory[0], 6U);
  // The lowest lane that executes it; the second page.
  const Finished later = run_body(bit_of_r0(2) + "BRANCHZ.eq r1, offset:1\nMOV.i32 r4, u100\n", options);
  ASSERT_TRUE(later.report.first_fault);
  EXPECT_EQ(later.report.first_fault->access.thread, 4U);
  EXPECT_EQ(later.report.first_fault->access.address, 400U);
}

TEST(ValhallRun, ExchangeSeesWhoIsThere) {
  const auto words = words_of(bit_of_r0(1) +
                              "IADD_IMM.i32 r4, 0x0, #0\n"
                              "BRANCHZ r1, offset:1\n"
                              "CLPER.i32.subgroup4.xor.umax r4, r0, 0x3020100.b2\n");
  for (std::uint32_t t = 0; t < 16; ++t) EXPECT_EQ(words[t], t % 4 < 2 ? 0xffffffffU : 0U) << t;
}

// CLPER and WMASK of all sizes where some lanes of each warp are elsewhere, of two warps.
TEST(ValhallRun, ExchangeOfWholeWarps) {
  GuestOptions options;
  options.grid.block = {24, 1, 1};  // the second warp has 8 threads
  options.compiled = true;
  // Threads 0, 2, 8 and 10 do not.
  const auto takes_part = [](std::uint32_t t) { return t < 24 && (t & 0x35) != 0; };
  const std::string head =
      "IADD_IMM.i32 r4, 0x0, #0x777\nIADD_IMM.i32 r7, r0, #0x100\nIADD_IMM.i32 r1, 0x0, #0x35\n"
      "LSHIFT_AND.i32 r1, r0, 0x0.b00, r1\nBRANCHZ.eq r1, offset:1\n";
  const std::pair<const char*, std::uint32_t> sizes[] = {
      {".subgroup2", 2}, {".subgroup4", 4}, {".subgroup8", 8}, {"", 16}};
  const char* const operations[] = {"", ".xor", ".shift", ".rotate"};
  std::uint64_t runs = 0;
  for (const auto& [size_name, size] : sizes) {
    const auto votes = words_of(head + "WMASK" + size_name + " r4, r1\n", options);
    const auto first_of = [&, n = size](std::uint32_t t) { return t & ~(n - 1); };
    for (std::uint32_t t = 0; t < 24; ++t) {
      std::uint32_t wanted = 0;
      for (std::uint32_t n = 0; n < size; ++n) wanted |= takes_part(first_of(t) + n) ? 1U << n : 0;
      EXPECT_EQ(votes[t], takes_part(t) ? wanted : 0x777U) << size << ", " << t;
    }
    for (const char* const operation : operations)
      for (const std::int32_t count : {0, 1, 3, 7, 9, 15, 100, -1, -6}) {
        if (!in_share(runs++)) continue;
        // A number that all have, and the thread's own with that.
        for (const bool own : {false, true}) {
          options.uniforms = {static_cast<std::uint32_t>(count)};
          const auto words = words_of(std::string(own ? "IADD.u32 r8, r0, u2\n" : "MOV.i32 r8, u2\n") + head +
                                          "CLPER.i32" + size_name + operation + ".i1 r4, r7, r8.b0\n",
                                      options);
          for (std::uint32_t t = 0; t < 24; ++t) {
            const auto byte = static_cast<std::uint8_t>(own ? static_cast<std::int32_t>(t) + count : count);
            const std::uint32_t first = first_of(t), place = t - first;
            const std::int32_t shifted = static_cast<std::int32_t>(place) + static_cast<std::int8_t>(byte);
            std::uint32_t from = byte % size;
            bool any = true;
            if (operation == operations[1]) from ^= place;
            if (operation == operations[3]) from = (place + from) % size;
            if (operation == operations[2]) {
              any = shifted >= 0 && shifted < static_cast<std::int32_t>(size);
              from = static_cast<std::uint32_t>(shifted);
            }
            const std::uint32_t wanted = any && takes_part(first + from) ? 0x100 + first + from : 1;
            EXPECT_EQ(words[t], takes_part(t) ? wanted : 0x777U)
                << size << operation << " " << count << (own ? " own, " : ", ") << t;
          }
        }
      }
  }
}

TEST(ValhallRun, Fuel) {
  const std::string loop =
      "IADD_IMM.i32 r4, 0x0, #100\n"
      "head:\n"
      "IADD_IMM.i32 r4, r4, #0xFFFFFFFF\n"
      "BRANCHZ r4, offset:head\n";
  GuestOptions options;
  options.grid.fuel = 99;
  EXPECT_EQ(words_of(loop, options)[0], 0U);
  options.grid.fuel = 98;
  EXPECT_EQ(
      failure(run_body(loop, options).status),
      "out of fuel: a thread made more backward transfers than the launch allows, in warp 0 of block (0, "
      "0), at test, byte 0x20 (0x001fc007fffffe04)");
  // A branch to itself is a backward transfer; one past itself goes forward.
  options.grid.fuel = 0;
  EXPECT_NE(failure("BRANCHZ.eq 0x0, offset:-1\n", options).find("out of fuel"), std::string::npos);
  EXPECT_EQ(words_of("IADD_IMM.i32 r4, 0x0, #1\nBRANCHZ.eq 0x0, offset:0\n", options)[3], 1U);
  // Each thread has its own: together the lanes make more transfers than one may.
  options.grid.fuel = 15;
  const auto words = words_of(
      "IADD_IMM.i32 r4, 0x0, #0\n"
      "head:\n"
      "IADD_IMM.i32 r4, r4, #1\n"
      "ICMP_OR.u32.le.m1 r1, r4, r0, 0x0\n"
      "BRANCHZ r1, offset:head\n",
      options);
  EXPECT_EQ(words[15], 16U);
}

TEST(ValhallRun, ControlThatLeavesTheCode) {
  const std::string gone =
      "control reaches code that is not there, in warp 0 of block (0, 0), at test, byte ";
  EXPECT_EQ(failure("NOP\n"), "fault: " + gone + "0x0 (0x0000c00000000000)");
  EXPECT_EQ(failure("NOP\nBRANCHZ.eq 0x0, offset:5\nNOP.end\n"),
            "fault: " + gone + "0x8 (0x001fc010000005c0)");
  EXPECT_EQ(failure("BRANCHZ.eq 0x0, offset:-2\nNOP.end\n"), "fault: " + gone + "0x0 (0x001fc017fffffec0)");
  // Nobody takes it.
  EXPECT_EQ(failure("BRANCHZ r0, offset:1000\nNOP.end\n"), "runs");
  EXPECT_EQ(failure("BRANCHZ r0, offset:-1000\nNOP.end\n"), "runs");
}

TEST(ValhallRun, ReachedInstructionsMustBeDefined) {
  EXPECT_NE(failure("NOP\n.word 0x8000000000000000\nNOP.end\n").find("bit 63"), std::string::npos);
  // After a branch that is always taken, or the end, nothing is reached.
  EXPECT_EQ(
      failure("BRANCHZ.eq 0x0, offset:1\n.word 0x8000000000000000\nNOP.end\n.word 0x8000000000000000\n"),
      "runs");
  EXPECT_EQ(failure("BRANCHZ 0x0, offset:1\nNOP.end\n.word 0x8000000000000000\n"), "runs");
  EXPECT_NE(failure("BRANCHZ r0, offset:1\nNOP.end\n.word 0x8000000000000000\n").find("byte 0x10"),
            std::string::npos);
  GuestOptions options;
  options.entry = 8;
  EXPECT_EQ(failure(".word 0x8000000000000000\nNOP.end\n", options), "runs");
  for (const std::uint32_t entry : {4U, 16U}) {
    options.entry = entry;
    EXPECT_NE(failure("NOP\nNOP.end\n", options).find("the entry is no word of the code"), std::string::npos);
  }
}

TEST(ValhallRun, RefusedByName) {
  const std::pair<const char*, const char*> cases[] = {
      {"BRANCHZI.eq.absolute 0x0, r1", "BRANCHZI: "},
      {"DISCARD.f32.lt r0, r1", "DISCARD.f32: "},
      {"MOV.i32 r0, framebuffer_size.w0", "MOV.i32: compute programs have no framebuffer_size"},
      {"MOV.i32 r0, atest_datum.w0", "MOV.i32: compute programs have no atest_datum"},
      {"MOV.i32 r0, sample.w0", "MOV.i32: compute programs have no sample"},
      {"MOV.i32 r0, blend_descriptor_3.w1", "MOV.i32: compute programs have no blend_descriptor_3"},
      {"MOV.i32 r0, resource_table_pointer.w0", "MOV.i32: compute programs have no resource_table_pointer"},
      {"LEA_PKA.slot0 @r0, r2, r3", "LEA_PKA: 1 staging registers are not 2"},
      {"ATOM_RETURN.i32.slot0.aadd.compare @r0, @r2:r3, r4, offset:0x0",
       "ATOM_RETURN.i32: `compare` is of axchg"},
      {"ATOM_RETURN.i32.slot0.axchg.compare @r0, @r2, r4, offset:0x0",
       "ATOM_RETURN.i32: 1 staging registers are not 2"},
      {"ATOM1_RETURN.i64.slot0.ainc @r0, r4, offset:0x0", "ATOM1_RETURN.i64: 1 staging registers are not 2"},
      {"LOAD.i64.unsigned.slot0 @r0, r4, offset:0", "LOAD.i64: 1 staging registers are not 2"},
      {"LOAD.i8.d0.slot0 @r0, r4, offset:0", "LOAD.i8: 1 staging registers are not 2"},
      {"STORE.i48.slot0 @r0, r4, offset:0", "STORE.i48: 1 staging registers are not 2"},
      {"LOAD.i64.unsigned.slot0 @r1:r2, r4, offset:0 {unchecked}",
       "LOAD.i64: several staging registers begin with an even one"},
      {"STORE.i32.slot0 @r0, r5, offset:0 {unchecked}",
       "STORE.i32: a source of 64 bits begins with an even word"},
      {"IADD.u64 r1, r2, r4 {unchecked}", "IADD.u64: a pair of registers begins with an even one"},
      {".word 0x00617e0838000004", "STORE.i128: the staging registers end behind r63"},
      {"CLPER.i32.accumulate r0, r1, r2.b0", "CLPER.i32: `accumulate` is not defined"},
      {"LD_VAR_SPECIAL.f32.slot0.v2.center.store @r0:r1, r2, index:0x2", "LD_VAR_SPECIAL: "},
      {"LD_ATTR_IMM.f32.slot0 @r0, r60, r61, index:0x0, table:0x1",
       "LD_ATTR_IMM: compute programs do not have it"},
      {"LEA_BUF_IMM.slot0 @r0:r1, r59, table:0xD, index:0x0", "LEA_BUF_IMM: compute programs do not have it"},
  };
  for (const auto& [text, message] : cases) {
    const std::string got = failure(std::string(text) + "\nNOP.end\n");
    EXPECT_EQ(got.find("not supported: " + std::string(message)), 0U) << text << ": " << got;
    EXPECT_NE(got.find("test, byte 0x0"), std::string::npos) << got;
  }
  const auto fragment = assemble(".stage fragment\nNOP.end\n", "test");
  ASSERT_TRUE(fragment.ok());
  const auto interpreter = Interpreter::prepare(*fragment);
  ASSERT_TRUE(interpreter.ok());
  RunReport report;
  EXPECT_FALSE(interpreter->run({}, report).ok());
  // Bits of words without destination that no source gives a meaning.
  EXPECT_EQ(failure("BRANCHZ.eq 0x0, offset:0 {unused 0xff0000000000}\nNOP.end {unused 0x1}\n"), "runs");
  EXPECT_NE(failure("BRANCHZ.eq 0x0, offset:0 {unused 0x200000000000000}\nNOP.end\n").find("not supported"),
            std::string::npos);
}

TEST(ValhallRun, Launches) {
  GuestOptions options;
  options.grid.block = {1024, 1, 2};
  EXPECT_NE(failure("NOP.end\n", options).find("1024 threads"), std::string::npos);
  options.grid.block = {1024, 1, 1};
  options.grid.grid = {2, 1, 1};
  const Finished finished = run_source("NOP.end\n", options);
  EXPECT_TRUE(finished.status.ok());
  EXPECT_EQ(finished.report.warp_instructions, 128U);
  EXPECT_EQ(finished.report.lane_instructions, 2048U);
}

}  // namespace
}  // namespace warpjit::valhall
