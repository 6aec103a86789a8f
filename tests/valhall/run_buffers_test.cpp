// Buffers that programs name by tables and entries, in memory (docs/guests/valhall.md 8.3).
#include <cstring>

#include "valhall/run_program.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint64_t kBase = std::uint64_t{kMemoryHigh} << 32 | kMemoryLow;
constexpr std::uint32_t kBufferAt = 256, kTable = 6;  // byte of memory; its table

// Bytes 0x80, 0x81, ... from kBufferAt on, of which `bytes` are entry 2 of table 6.
GuestOptions options_with(std::uint32_t bytes) {
  GuestOptions options;
  options.compiled = true;
  for (std::uint32_t k = 0; k < 64; ++k)
    reinterpret_cast<std::uint8_t*>(options.memory.data())[kBufferAt + k] =
        static_cast<std::uint8_t>(0x80 + k);
  options.grid.buffers = {{.table = kTable, .entry = 2, .address = kBase + kBufferAt, .bytes = bytes}};
  return options;
}

std::string handle_text(std::uint32_t handle) {
  char text[64];
  std::snprintf(text, sizeof text, "IADD_IMM.i32 r8, 0x0, #0x%x\n", handle);
  return text;
}

TEST(ValhallBuffers, Loads) {
  struct Case {
    const char *type, *staging;
    std::uint32_t offset, r4, r5;
    bool fault;
  };
  constexpr Case kCases[] = {{"i32.unsigned", "@r4", 4, 0x87868584, 0, false},
                             {"i32.unsigned", "@r4", 8, 0, 0, false},  // ends past the buffer
                             {"i32.unsigned", "@r4", 0xfffffffc, 0, 0, false},
                             {"i64.unsigned", "@r4:r5", 4, 0x87868584, 0, false},
                             {"i64.unsigned", "@r4:r5", 0xfffffffc, 0, 0, false},
                             {"i48.unsigned", "@r4:r5", 4, 0x87868584, 0x8988, false},
                             {"i24.unsigned", "@r4", 7, 0x898887, 0, false},
                             {"i24.unsigned", "@r4", 8, 0, 0, false},  // as a whole
                             {"i16.w0.unsigned", "@r4", 8, 0x8988, 0, false},
                             {"i16.w0.unsigned", "@r4", 10, 0, 0, false},
                             {"i8.w0", "@r4", 9, 0xffffff89, 0, false},
                             {"i8.w0", "@r4", 10, 0, 0, false},
                             {"i16.w0", "@r4", 1, 0, 0, true},
                             {"i48", "@r4:r5", 1, 0, 0, true},
                             {"i32", "@r4", 2, 0, 0, true}};
  for (const Case& c : kCases)
    for (const bool constant : {true, false}) {
      GuestOptions options = options_with(10);
      options.uniforms = {c.offset, kTable << 24 | 2};
      const Finished finished =
          run_body((constant ? handle_text(kTable << 24 | 2) : "MOV.i32 r8, u3\n") + "LD_BUFFER." + c.type +
                       ".slot0.wait0 " + c.staging + ", u2, r8\nSTORE.i32.slot0 @r5, r2, offset:64\n",
                   options);
      const std::string what = std::string(c.type) + " " + std::to_string(c.offset);
      EXPECT_EQ(finished.memory[0], c.r4) << what;
      EXPECT_EQ(finished.memory[16], c.r5) << what;
      ASSERT_EQ(finished.report.first_fault.has_value(), c.fault) << what;
      if (!c.fault) continue;
      EXPECT_EQ(finished.report.first_fault->access.space, ir::Space::global) << what;
      EXPECT_EQ(finished.report.first_fault->access.address, kMemoryLow + kBufferAt + c.offset) << what;
    }
}

TEST(ValhallBuffers, EmptyBuffersAndMissingMemory) {
  GuestOptions options = options_with(0);
  const std::string load = handle_text(kTable << 24 | 2) + "LD_BUFFER.i32.unsigned.slot0 @r4, 0x0, r8\n";
  EXPECT_EQ(words_of(load, options)[0], 0U);
  // The last word is not mapped.
  options = options_with(8);
  options.grid.buffers[0].address = kBase + 4 * options.memory.size() - 4;
  options.memory.back() = 77;
  const Finished finished =
      run_body(handle_text(kTable << 24 | 2) +
                   "LD_BUFFER.i64.unsigned.slot0.wait0 @r4:r5, 0x0, r8\nSTORE.i32.slot0 @r5, r2, offset:64\n",
               options);
  EXPECT_EQ(finished.memory[0], 77U);
  EXPECT_EQ(finished.memory[16], 0U);
  ASSERT_TRUE(finished.report.first_fault);
  EXPECT_EQ(finished.report.first_fault->access.address, kMemoryLow + 4 * options.memory.size());
}

// The address plus the offset, with a carry, whatever the size.
TEST(ValhallBuffers, Addresses) {
  GuestOptions options = options_with(4);
  options.grid.buffers[0].address = 0x3'ffff'fff0;
  for (const std::uint32_t offset : {0U, 15U, 16U, 0xffffffffU}) {
    options.uniforms = {offset};
    const std::vector<std::uint32_t> words = words_of(
        handle_text(kTable << 24 | 2) + "LEA_PKA.slot0 @r4:r5, u2, r8\nSTORE.i32.slot0 @r5, r2, offset:64\n",
        options);
    const std::uint64_t address = 0x3'ffff'fff0 + std::uint64_t{offset};
    EXPECT_EQ(words[0], static_cast<std::uint32_t>(address)) << offset;
    EXPECT_EQ(words[16], address >> 32) << offset;
  }
}

// What is stored through an address is what a later load gives.
TEST(ValhallBuffers, LoadsSeeStores) {
  const std::vector<std::uint32_t> words =
      words_of(handle_text(kTable << 24 | 2) +
                   "IADD.u32 r10, r0, r0\nIADD.u32 r10, r10, r10\nLEA_PKA.slot0.wait0 @r6:r7, r10, r8\n"
                   "LD_BUFFER.i32.unsigned.slot0.wait0 @r4, r10, r8\nSTORE.i32.slot0 @r0, r6, offset:0\n"
                   "LD_BUFFER.i32.unsigned.slot0.wait0 @r5, r10, r8\nIADD.u32 r4, r5, 0x0\n",
               options_with(64));
  for (std::uint32_t t = 0; t < 16; ++t) {
    EXPECT_EQ(words[t], t);
    EXPECT_EQ(words[kBufferAt / 4 + t], t);
  }
}

// A constant space is the first buffer of table 0; it has no address.
TEST(ValhallBuffers, ConstantSpaces) {
  const std::uint32_t constant[] = {50, 51};
  GuestOptions options = options_with(16);
  options.grid.constants[2] = std::as_bytes(std::span(constant));
  options.grid.buffers.push_back({.table = 0, .entry = 2, .address = kBase + kBufferAt + 4, .bytes = 16});
  options.grid.buffers.push_back({.table = 0, .entry = 20, .address = kBase + kBufferAt + 8, .bytes = 16});
  const std::string load = "LD_BUFFER.i32.unsigned.slot0.wait0 @r4, 0x0, r8\n";
  EXPECT_EQ(words_of(handle_text(2) + load, options)[0], 50U);
  EXPECT_EQ(words_of(handle_text(20) + load, options)[0], 0x8b8a8988U);
  const std::string address = "LEA_PKA.slot0 @r4:r5, 0x0, r8\n";
  EXPECT_EQ(words_of(handle_text(2) + address, options)[0], kMemoryLow + kBufferAt + 4);
  options.grid.buffers.clear();
  const Finished none = run_body(handle_text(2) + address, options);
  EXPECT_EQ(none.memory[0], 0U);
  ASSERT_TRUE(none.report.first_fault);
  EXPECT_EQ(none.report.first_fault->access.index, kBufferSpace);
  EXPECT_EQ(none.report.first_fault->access.address, 2U);
}

// Each lane its own: a constant space, two in memory, none.
TEST(ValhallBuffers, ComputedByLanes) {
  const std::uint32_t constant[] = {50, 51};
  GuestOptions options = options_with(16);
  options.grid.block = {4, 1, 1};
  options.grid.constants[3] = std::as_bytes(std::span(constant));
  options.grid.buffers = {{.table = 0, .entry = 5, .address = kBase + kBufferAt, .bytes = 16},
                          {.table = 0, .entry = 6, .address = kBase + kBufferAt + 8, .bytes = 4}};
  options.uniforms = {3};
  const Finished finished = run_body(
      "IADD.u32 r8, r0, u2\n"  // 3, 4, 5, 6
      "LD_BUFFER.i64.unsigned.slot0.wait0 @r4:r5, 0x0, r8\nSTORE.i32.slot0 @r5, r2, offset:64\n",
      options);
  const std::uint32_t first[] = {50, 0, 0x83828180, 0x8b8a8988}, second[] = {51, 0, 0x87868584, 0};
  for (unsigned lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(finished.memory[lane], first[lane]) << lane;
    EXPECT_EQ(finished.memory[16 + lane], second[lane]) << lane;
  }
  ASSERT_TRUE(finished.report.first_fault);
  EXPECT_EQ(finished.report.first_fault->access.address, 4U);
  EXPECT_EQ(finished.report.first_fault->access.thread, 1U);
}

// The report names the buffer, and is the same on all engines.
TEST(ValhallBuffers, FaultsAreTheSame) {
  const auto fault = [](const std::string& body, std::vector<std::uint32_t> uniforms) {
    GuestOptions options = options_with(10);
    auto program = assemble(kPrologue + body + kStoreR4, "test");
    EXPECT_TRUE(program.ok());
    frontend::Grid grid = options.grid;
    grid.block = {16, 1, 1};
    grid.high_words = {kMemoryHigh};
    grid.globals[0] = {{kMemoryLow, std::as_writable_bytes(std::span(options.memory))}};
    uniforms.insert(uniforms.begin(), {kMemoryLow, kMemoryHigh});
    const auto bytes = std::as_bytes(std::span(uniforms));
    grid.parameters.assign(bytes.begin(), bytes.end());
    return fault_everywhere(*program, grid);
  };
  const std::string load = "LD_BUFFER.i32.unsigned.slot0 @r4, 0x0, r8\n",
                    address = "LEA_PKA.slot0 @r4:r5, 0x0, r8\n";
  for (const std::string& access : {load, address}) {
    EXPECT_EQ(fault(handle_text(kTable << 24 | 2) + access, {}), "none");
    EXPECT_EQ(fault(handle_text(kTable << 24 | 3) + access, {}).substr(0, 54),
              "load from buffer 3 of table 6, which there is not by t");
    EXPECT_EQ(fault("MOV.i32 r8, u2\n" + access, {0xffffffff}).find("buffer 16777215 of table 255"), 10U);
    EXPECT_EQ(fault("IADD.u32 r8, r0, u2\n" + access, {kTable << 24 | 2}).find("buffer 3 of table 6"), 10U);
  }
}

TEST(ValhallBuffers, LaunchesThatAreRefused) {
  const auto refused = [](const std::vector<frontend::BufferSource>& buffers) {
    GuestOptions options;
    options.grid.buffers = buffers;
    return failure("NOP.end\n", options);
  };
  const frontend::BufferSource one{.table = 6, .entry = 1, .address = kBase, .bytes = 4};
  EXPECT_EQ(refused({one}), "runs");
  EXPECT_NE(refused({one, one}).find("buffer 1 of table 6: it is given twice"), std::string::npos);
  EXPECT_NE(refused({{.table = 6, .entry = 1 << 24}}).find("an entry is below 2^24"), std::string::npos);
  EXPECT_EQ(refused({{.address = 0x1'ffff'fff0, .bytes = 16}}), "runs");
  EXPECT_NE(refused({{.address = 0x1'ffff'fff0, .bytes = 17}}).find("it crosses a multiple of 4 GiB"),
            std::string::npos);
  std::vector<frontend::BufferSource> many(65, one);
  EXPECT_NE(refused(many).find("at most 64"), std::string::npos);
}

// All 64 of a launch, by a number that is computed.
TEST(ValhallBuffers, ManyBuffers) {
  GuestOptions options;
  options.compiled = true;
  options.grid.block = {64, 1, 1};
  for (std::uint32_t k = 0; k < 64; ++k) {
    options.memory[128 + k] = 1000 + k;
    options.grid.buffers.push_back(
        {.table = kTable, .entry = 63 - k, .address = kBase + 4 * (128 + std::uint64_t{k}), .bytes = 4});
  }
  options.uniforms = {kTable << 24};
  const std::vector<std::uint32_t> words =
      words_of("IADD.u32 r8, r0, u2\nLD_BUFFER.i32.unsigned.slot0 @r4, 0x0, r8\n", options);
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(words[t], 1063 - t);
}

}  // namespace
}  // namespace warpjit::valhall
