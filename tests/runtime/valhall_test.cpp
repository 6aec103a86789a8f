// Valhall's compute programs through the public interface.
#include <gtest/gtest.h>

#include "warpjit/valhall.hpp"

namespace warpjit {
namespace {

const char* const kAddOne =
    "U16_TO_U32 r0, r55.h00\nSHADDX.u64 r2, u0, r0.w0, shift:0x2\nLOAD.i32.unsigned.slot0 @r4, r2, offset:0\n"
    "IADD_IMM.i32 r4, r4, #1\nSTORE.i32.slot0.end @r4, r2, offset:0\n";

Program program(const std::string& source) {
  auto loaded = valhall::load_assembly(source, {.source_name = "test"});
  EXPECT_TRUE(loaded.ok()) << to_string(loaded.error());
  return *loaded;
}

TEST(Valhall, RunsOnAGrid) {
  std::vector<std::uint32_t> memory(64, 5);
  const std::uint32_t uniforms[] = {0x1000, 0x7};
  for (const EngineKind kind : {EngineKind::guest, EngineKind::jit}) {
    Launch launch(program(kAddOne));
    EXPECT_TRUE(launch.set_grid(2));
    EXPECT_TRUE(launch.set_block(40));
    EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(uniforms))));
    ASSERT_TRUE(launch.map_memory("mem", 0x700001000, memory.data(), 4 * memory.size()).ok());
    const Engine engine;
    RunOptions options;
    options.engine = kind;
    const auto report = engine.run(launch, options);
    ASSERT_TRUE(report.ok()) << to_string(report.error());
    EXPECT_FALSE(report->fault);
  }
  EXPECT_EQ(memory[0], 9U);
  EXPECT_EQ(memory[39], 9U);
  EXPECT_EQ(memory[40], 5U);
}

TEST(Valhall, FaultsNameTheirPlace) {
  std::vector<std::uint32_t> memory(4);
  const Engine engine;
  const auto fault = [&](const std::string& source, std::uint32_t low, std::uint32_t high) {
    Launch launch(program(source));
    EXPECT_TRUE(launch.set_block(2));
    const std::uint32_t uniforms[] = {low, high};
    EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(uniforms))));
    EXPECT_TRUE(launch.map_memory("mem", 0x700001000, memory.data(), 4 * memory.size()).ok());
    RunOptions options;
    options.engine = EngineKind::guest;
    const auto report = engine.run(launch, options);
    EXPECT_TRUE(report.ok());
    return report && report->fault ? report->fault->what : "none";
  };
  EXPECT_EQ(fault(kAddOne, 0x1000, 7), "none");
  EXPECT_EQ(fault(kAddOne, 0x100c, 7), "load from mem[0x700001010] by thread 1 of block (0, 0)");
  EXPECT_EQ(fault(kAddOne, 0x1000, 6),
            "load from mem, with a high word that is not mapped, [0x1000] by thread 0 of block (0, 0)");
  EXPECT_EQ(fault("MOV.i32.end r0, u5\n", 0, 0), "load from u5 by thread 0 of block (0, 0)");
  EXPECT_EQ(fault("LD_BUFFER.i32.unsigned.slot0.end @r0, 0x0, 0x0\n", 0, 0),
            "load from buffer 0 of table 0, which there is not by thread 0 of block (0, 0)");
  EXPECT_EQ(fault(".local 8\nSTORE.i32.slot0.end @r0, thread_local_pointer.w0, offset:8\n", 0, 0),
            "store to the thread's memory[0x8] by thread 0 of block (0, 0)");
  EXPECT_EQ(fault(".shared 8\nSTORE.i32.slot0.end @r0, workgroup_local_pointer.w0, offset:1024\n", 0, 0),
            "store to the workgroup's memory[0x400] by thread 0 of block (0, 0)");
  // Threads that have no such memory.
  for (const std::string pointer : {"thread_local_pointer", "workgroup_local_pointer"})
    EXPECT_EQ(fault("STORE.i32.slot0.end @r0, " + pointer + ".w0, offset:8\n", 0, 0),
              "store to mem, with a high word that is not mapped, [0x8] by thread 0 of block (0, 0)");
  // The guest interpreter counts what the lanes did.
  Launch launch(program(kAddOne));
  EXPECT_TRUE(launch.set_block(8));
  const std::uint32_t uniforms[] = {0x1000, 7};
  EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(uniforms))));
  ASSERT_TRUE(launch.map_memory("mem", 0x700001000, memory.data(), 4 * memory.size()).ok());
  for (const EngineKind kind : {EngineKind::guest, EngineKind::ir, EngineKind::jit}) {
    RunOptions options;
    options.engine = kind;
    const auto report = engine.run(launch, options);
    ASSERT_TRUE(report.ok() && report->fault);
    EXPECT_EQ(report->fault->accesses, kind == EngineKind::guest ? 8U : 0U);  // four loads, four stores
  }
}

TEST(Valhall, HighWordsOfAddresses) {
  std::vector<std::uint64_t> memory(2);
  Launch launch(program("NOP.end\n"));
  for (const std::uint64_t high : {0U, 5U, 0xffffffffU, 9U, 5U})
    EXPECT_TRUE(launch
                    .map_memory("mem", (high << 32) + (memory.empty() ? 0 : 0x100 * high % 0x10000),
                                memory.data(), 16)
                    .ok() ||
                high == 5)
        << high;
  EXPECT_FALSE(launch.map_memory("mem", 0xa00000000, memory.data(), 16).ok());
  launch.unmap_memory();
  EXPECT_TRUE(launch.map_memory("mem", 0xa00000000, memory.data(), 16).ok());
  const Engine engine;
  EXPECT_TRUE(engine.run(launch).ok());
  EXPECT_TRUE(launch.map_memory("mem", 0xafffffff8, memory.data(), 16).ok());
  EXPECT_FALSE(engine.run(launch).ok());  // crosses 4 GiB
  EXPECT_FALSE(launch.map_memory("g0", 0, memory.data(), 16).ok());
  for (const char* name : {"c15", "c00", "c", "c-1", "m", ""})
    EXPECT_FALSE(launch.bind_constants(name, memory.data(), 16).ok()) << name;
  EXPECT_TRUE(launch.bind_constants("c14", memory.data(), 16).ok());
  EXPECT_FALSE(launch.bind_constants("mem", memory.data(), 16).ok());
}

TEST(Valhall, Limits) {
  const std::uint64_t end = 0x7800c00000000000;
  const auto error = [&](valhall::RawProgram raw) {
    raw.source_name = "raw";
    const auto loaded = valhall::load_words(raw);
    return loaded ? std::string("loads") : loaded.error().message;
  };
  const std::span<const std::uint64_t> code(&end, 1);
  EXPECT_EQ(error({.code = code}), "loads");
  EXPECT_EQ(error({}), "a program needs at least one word");
  EXPECT_EQ(error({.code = code, .entry = 8}), "the entry is no word of the code");
  EXPECT_EQ(error({.code = code, .entry = 4}), "the entry is no word of the code");
  EXPECT_EQ(error({.code = code, .local_bytes = 65537}), "a thread has at most 64 KiB of memory");
  EXPECT_EQ(error({.code = code, .shared_bytes = 65537}), "a workgroup has at most 64 KiB of memory");
  EXPECT_EQ(error({.code = code, .stage = Stage::geometry}), "this GPU has no programs for this stage");
  Launch vertex(*valhall::load_words({.code = code, .stage = Stage::vertex}));
  EXPECT_FALSE(vertex.set_grid(1).ok());
  EXPECT_FALSE(vertex.set_count(std::uint64_t{1} << 32).ok());
  EXPECT_FALSE(Engine().run(vertex).ok());  // no vertices
  EXPECT_TRUE(vertex.set_count(1));
  EXPECT_TRUE(Engine().run(vertex).ok());
  EXPECT_FALSE(valhall::load_assembly("NOP.end\n", {.stage = Stage::fragment}).ok());
  EXPECT_FALSE(valhall::load_assembly("NOP.end\n", {.entry = "main"}).ok());
}

}  // namespace
}  // namespace warpjit
