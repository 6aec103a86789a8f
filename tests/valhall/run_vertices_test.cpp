// Launches of vertex programs: numbers, results, addresses of attributes, what is refused.
#include "valhall/run_vertices.h"
#include "frontend/valhall/container/format_names.h"

namespace warpjit::valhall {
namespace {

using Words = std::array<std::uint32_t, 4>;
using Source = frontend::AttributeSource;
using Division = Source::Division;
constexpr std::uint32_t kUint32 = 133 << 12, kUint8x3 = 147 << 12 | 16, kFloat32 = 167 << 12 | 16;

const std::string kFetch = "LD_ATTR_IMM.u32.slot0.wait0 @r0, r60, r61, index:0x0, table:0x1\n";

TEST(ValhallVertices, RegistersAtStart) {
  VertexOptions options;
  options.compiled = true;
  options.vertices.count = 67;
  options.vertices.first = 0xffffffff;
  options.vertices.first_instance = 0xfffffffe;
  options.vertices.packet_stride = 32;
  options.instances = 3;
  const FinishedVertices run = run_vertices(
      "MOV.i32 r0, r59\nMOV.i32 r1, r60\nMOV.i32 r2, r61\nIADD.u32 r3, r62, r63\nIADD.u32 r3, r3, r55\n"
      "IADD.u32 r3, r3, r57\nIADD.u32 r3, r3, r58\nIADD.u32 r3, r3, r20\nIADD_IMM.i32 r3, r3, #0x5\n"
      "LEA_BUF_IMM.slot1.wait01 @r8:r9, r59, table:0xD, index:0x0\n"
      "STORE.i128.slot2 @r0:r1:r2:r3, r8, offset:0\n"
      "MOV.i32 r4, warp_id.w0\nMOV.i32 r5, lane_id.w0\nMOV.i32 r6, 0x0\nMOV.i32 r7, r8\n"
      "STORE.i128.slot2.end @r4:r5:r6:r7, r8, offset:16\n",
      options);
  ASSERT_TRUE(run.status.ok()) << to_string(run.status.error());
  EXPECT_FALSE(run.report.first_fault);
  for (std::uint32_t instance = 0; instance < 3; ++instance)
    for (std::uint32_t n = 0; n < 67; ++n) {
      const std::uint32_t v = instance * 67 + n;
      EXPECT_EQ(run.of(v), (Words{8 * v, n - 1, instance - 2, 5})) << v;
      const std::uint32_t block = 2 * instance + n / 64;
      const Words more{run.results[8 * v + 4], run.results[8 * v + 5], run.results[8 * v + 6],
                       run.results[8 * v + 7]};
      EXPECT_EQ(more, (Words{4 * block + n % 64 / 16, n % 16, 0, 32 * v})) << v;
    }
  // Vertices that there are not run nothing: 67 of an instance in warps of 16, 16, 16, 16, 3.
  EXPECT_EQ(run.report.lane_instructions, 3U * 67 * 16);
  EXPECT_EQ(run.report.warp_instructions, 3U * 5 * 16);
}

// Which lanes are active in the last warp.
TEST(ValhallVertices, LanesOfTheLastWarp) {
  for (const std::uint32_t count : {1U, 15U, 16U, 17U, 63U, 64U}) {
    VertexOptions options;
    options.vertices.count = count;
    const FinishedVertices run = run_vertices("WMASK r0, 0xFFFFFFFF\n" + kStoreResults, options);
    ASSERT_TRUE(run.status.ok()) << to_string(run.status.error());
    const std::uint32_t rest = count % 16;
    EXPECT_EQ(run.of(count - 1)[0], rest == 0 ? 0xffffU : (1U << rest) - 1) << count;
    if (count > 16) {
      EXPECT_EQ(run.of(0)[0], 0xffffU);
    }
  }
}

TEST(ValhallVertices, AddressesOfResults) {
  const auto address = [](std::uint32_t id, std::uint32_t stride) {
    VertexOptions options;
    options.vertices.packet_stride = stride;
    options.uniforms = {id};
    const FinishedVertices run =
        run_vertices("LEA_BUF_IMM.slot1.wait1 @r0:r1, u0, table:0xD, index:0x0\n" + kStoreResults, options);
    EXPECT_TRUE(run.status.ok());
    return std::pair(run.of(0)[0], run.of(0)[1]);
  };
  EXPECT_EQ(address(0, 16), std::pair(0U, 0xfffdU));
  EXPECT_EQ(address(4, 128).first, 64U);
  EXPECT_EQ(address(15, 128).first, 128U + 112);
  EXPECT_EQ(address(15, 16).first, 16U + 112);
  EXPECT_EQ(address(0xffffffff, 16).first, 0x1fffffffU * 16 + 112);
  EXPECT_EQ(address(0xffffffff, 2048).first, static_cast<std::uint32_t>(0x1fffffffULL * 2048 + 112));
  EXPECT_EQ(address(0x10000000, 128).first, 0U);  // modulo 2^32
  EXPECT_EQ(address(0x80000008, 48).first, 48U);
}

// The greatest high words that the launch does not map are those of a thread, a workgroup and results.
TEST(ValhallVertices, HighWordsOfResults) {
  VertexOptions options;
  options.high_words = {kMemoryHigh, 0xffff, 0xfffd};
  EXPECT_EQ(
      run_vertices("LEA_BUF_IMM.slot1.wait1 @r0:r1, r59, table:0xD, index:0x0\n" + kStoreResults, options)
          .of(0)[1],
      0xfffbU);
}

TEST(ValhallVertices, ResultMemory) {
  VertexOptions options;
  options.vertices.count = 20;
  options.result_bytes = 19 * 16 + 8;
  options.vertices.packet_stride = 16;
  // Vertex 19's 16 bytes are not there as a whole.
  const FinishedVertices run = run_vertices("MOV.i32 r0, r60\n" + kStoreResults, options);
  ASSERT_TRUE(run.status.ok());
  EXPECT_EQ(run.of(18)[0], 18U);
  EXPECT_EQ(run.results[76], 0xccccccccU);
  EXPECT_TRUE(run.fault().is_store);
  EXPECT_EQ(run.fault().space, ir::Space::global);
  EXPECT_EQ(run.fault().index, kResultSpace);
  EXPECT_EQ(run.fault().address, 19U * 16);
  EXPECT_EQ(run.fault().thread, 19U);
  // Loads and atomics reach results; lanes take turns.
  options.result_bytes = 20 * 16;
  const FinishedVertices counted = run_vertices(
      "IADD_IMM.i32 r0, 0x0, #0x0\nLEA_BUF_IMM.slot1.wait01 @r8:r9, r59, table:0xD, index:0x0\n"
      "LEA_BUF_IMM.slot1.wait01 @r10:r11, 0x0, table:0xD, index:0x0\n"
      "STORE.i32.slot2.wait2 @r0, r8, offset:0\nATOM1_RETURN.i32.slot0.wait0.ainc @r1, r10, offset:4\n"
      "LOAD.i32.unsigned.slot0.wait0 @r2, r8, offset:12\nSTORE.i32.slot2.end @r2, r8, offset:8\n",
      options);
  ASSERT_TRUE(counted.status.ok()) << to_string(counted.status.error());
  EXPECT_FALSE(counted.report.first_fault);
  EXPECT_EQ(counted.results[1], 0xccccccccU + 20);
  EXPECT_EQ(counted.results[4 * 19 + 2], 0xccccccccU);
}

// What a launch of one vertex with this attribute fetches; memory has 256 bytes, byte k is k.
FinishedVertices fetch(Source source, std::uint32_t vertex = 0, std::uint32_t instance = 0,
                       std::uint32_t attribute_offset = 0, const std::string& program = kFetch) {
  VertexOptions options;
  for (std::uint32_t k = 0; k < 256; ++k) options.memory[k / 4] |= k << k % 4 * 8;
  options.vertices.first = vertex;
  options.vertices.first_instance = instance;
  options.vertices.attribute_offset = attribute_offset;
  if (source.address == 0) source.address = memory_at(0);
  options.vertices.attributes = {source};
  FinishedVertices run =
      run_vertices("IADD_IMM.i32 r0, 0x0, #0x77777777\n" + program + kStoreResults, options);
  EXPECT_TRUE(run.status.ok()) << (run.status ? "" : to_string(run.status.error()));
  return run;
}
std::uint32_t word_at(std::uint32_t k) { return k | (k + 1) << 8 | (k + 2) << 16 | (k + 3) << 24; }
// The word, if that is no fault.
std::uint32_t fetched(const Source& source, std::uint32_t vertex = 0, std::uint32_t instance = 0,
                      std::uint32_t attribute_offset = 0) {
  const FinishedVertices run = fetch(source, vertex, instance, attribute_offset);
  EXPECT_FALSE(run.report.first_fault);
  return run.of(0)[0];
}

TEST(ValhallAttributes, OffsetsAndStrides) {
  Source s{.bytes = 256, .format = kUint32, .stride = 4};
  EXPECT_EQ(fetched(s, 3), word_at(12));
  s.offset = 7;
  EXPECT_EQ(fetched(s, 3), word_at(19));  // not aligned
  s.offset = -12;
  EXPECT_EQ(fetched(s, 3), word_at(0));
  EXPECT_EQ(fetched(s, 2), 0U);  // byte -4
  s.offset = -1;
  EXPECT_EQ(fetched(s, 0), 0U);
  s.offset = std::numeric_limits<std::int32_t>::min();
  s.stride = 1U << 31;
  EXPECT_EQ(fetched(s, 1), word_at(0));
  EXPECT_EQ(fetched(s, 0), 0U);
  EXPECT_EQ(fetched(s, 2), 0U);
  s = {.bytes = 256, .format = kUint32, .offset = 8, .stride = 0};
  EXPECT_EQ(fetched(s, 0xffffffff), word_at(8));
  // 64 bits: 2^32 - 1 times itself and byte 2^33 are not in the buffer, although the low words are.
  s.stride = 0xffffffff;
  EXPECT_EQ(fetched(s, 0xffffffff), 0U);
  s.offset = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(fetched(s, 0xffffffff), 0U);
  s.offset = 0;
  s.stride = 1U << 31;
  EXPECT_EQ(fetched(s, 4), 0U);
}

TEST(ValhallAttributes, EndsOfBuffers) {
  Source s{.bytes = 12, .format = kUint32, .stride = 4};
  EXPECT_EQ(fetched(s, 2), word_at(8));
  EXPECT_EQ(fetched(s, 3), 0U);
  s.bytes = 11;
  EXPECT_EQ(fetched(s, 1), word_at(4));
  EXPECT_EQ(fetched(s, 2), 0U);
  s.bytes = 3;
  EXPECT_EQ(fetched(s, 0), 0U);
  s.bytes = 0;
  EXPECT_EQ(fetched(s, 0), 0U);
  // Outside, alpha is 0, too.
  const std::string four = "LD_ATTR_IMM.v4.f32.slot0.wait0 @r0:r1:r2:r3, r60, r61, index:0x0, table:0x1\n";
  s = {.bytes = 5, .format = kUint8x3, .stride = 3};
  EXPECT_EQ(fetch(s, 0, 0, 0, four).of(0), (Words{0, 0x3f800000, 0x40000000, 0x3f800000}));
  EXPECT_EQ(fetch(s, 1, 0, 0, four).of(0), (Words{0, 0, 0, 0}));
}

TEST(ValhallAttributes, NumbersOfElements) {
  Source s{.bytes = 256, .format = kUint32, .stride = 4};
  EXPECT_EQ(fetched(s, 5, 9, 3), word_at(20));
  s.from_first = true;
  EXPECT_EQ(fetched(s, 5, 9, 3), word_at(32));
  EXPECT_EQ(fetched(s, 5, 9, 0xfffffffe), word_at(12));  // modulo 2^32
  s.per_instance = true;
  EXPECT_EQ(fetched(s, 5, 9, 3), word_at(48));
  s.from_first = false;
  EXPECT_EQ(fetched(s, 5, 9, 3), word_at(36));
  s.per_instance = false;
  s.division = Division::shift;
  s.shift = 0;
  EXPECT_EQ(fetched(s, 5), word_at(20));
  s.shift = 2;
  EXPECT_EQ(fetched(s, 23), word_at(20));
  s.shift = 31;
  EXPECT_EQ(fetched(s, 0xffffffff), word_at(4));
  EXPECT_EQ(fetched(s, 0x7fffffff), word_at(0));
}

// Multipliers of exact divisions, by 3, 7 and 1.
TEST(ValhallAttributes, Divisions) {
  Source s{.bytes = 256, .format = kUint32, .stride = 4, .division = Division::multiply};
  s.shift = 1;
  s.multiplier = 0xaaaaaaab;
  EXPECT_EQ(fetched(s, 29), word_at(36));
  EXPECT_EQ(fetched(s, 30), word_at(40));
  s.offset = -0x55555555 + 8;  // element 0x55555555
  s.stride = 1;
  EXPECT_EQ(fetched(s, 0xffffffff), word_at(8));
  EXPECT_EQ(fetched(s, 0xfffffffe), word_at(7));
  s = {.bytes = 256,
       .format = kUint32,
       .stride = 4,
       .division = Division::multiply,
       .shift = 2,
       .add = true,
       .multiplier = 0x92492492};
  EXPECT_EQ(fetched(s, 13), word_at(4));
  EXPECT_EQ(fetched(s, 14), word_at(8));
  s.offset = -0x24924924 + 12;
  s.stride = 1;
  EXPECT_EQ(fetched(s, 0xffffffff), word_at(12));
  // The number plus 1 is 2^32, the product 2^64 - 2^32; nothing is lost.
  s.shift = 31;
  s.multiplier = 0xffffffff;
  s.offset = 0;
  s.stride = 4;
  EXPECT_EQ(fetched(s, 0xffffffff), word_at(4));
  EXPECT_EQ(fetched(s, 0x7fffffff), word_at(0));
  s.add = false;
  s.shift = 0;
  s.multiplier = 0;
  EXPECT_EQ(fetched(s, 0xffffffff), word_at(0));
}

// Numbers come from sources, not from what the vertex is.
TEST(ValhallAttributes, NumbersFromRegisters) {
  const Source s{.bytes = 256, .format = kUint32, .stride = 4};
  EXPECT_EQ(
      fetch(s, 0, 0, 0,
            "IADD_IMM.i32 r0, 0x0, #0x7\nLD_ATTR_IMM.u32.slot0.wait0 @r0, r0, r61, index:0x0, table:0x1\n")
          .of(0)[0],
      word_at(28));
  EXPECT_EQ(fetch(s, 9, 0, 0, "LD_ATTR.u32.slot0.wait0 @r0, r60, r61, 0x01000000\n").of(0)[0], word_at(36));
  // The vertex's own element is in the buffer, this one is not.
  EXPECT_EQ(
      fetch(s, 9, 0, 0,
            "IADD_IMM.i32 r0, r60, #0x40\nLD_ATTR_IMM.u32.slot0.wait0 @r0, r0, r61, index:0x0, table:0x1\n")
          .of(0)[0],
      0U);
}

// Code may know that all vertices of a launch have elements in the buffer; at its ends some have none.
TEST(ValhallAttributes, AllElementsOrSome) {
  constexpr std::uint32_t kCount = 100, kOffset = 3;
  for (const std::uint32_t first : {0U, 1U, 20U})
    for (const std::int32_t more : {-1, 0, 1})
      for (const std::int32_t offset : {0, -8, -12})
        for (const bool from_first : {false, true}) {
          VertexOptions options;
          options.compiled = true;
          options.memory.resize(256);
          for (std::uint32_t k = 0; k < options.memory.size(); ++k) options.memory[k] = 0x1000 + k;
          const std::uint32_t number = first + (from_first ? kOffset : 0);
          const auto end = static_cast<std::int32_t>(8 * (number + kCount - 1) + 4 + 4 * more) + offset;
          options.vertices = {.count = kCount,
                              .first = first,
                              .attribute_offset = kOffset,
                              .packet_stride = 16,
                              .attributes = {{.address = memory_at(0),
                                              .bytes = static_cast<std::uint32_t>(end),
                                              .format = kUint32,
                                              .offset = offset,
                                              .stride = 8,
                                              .from_first = from_first}}};
          const FinishedVertices run = run_vertices(kFetch + std::string(kStoreResults), options);
          ASSERT_TRUE(run.status.ok()) << to_string(run.status.error());
          EXPECT_FALSE(run.report.first_fault);
          for (std::uint32_t n = 0; n < kCount; ++n) {
            const std::int32_t byte = static_cast<std::int32_t>(8 * (number + n)) + offset;
            const bool inside = byte >= 0 && byte + 4 <= end;
            ASSERT_EQ(run.of(n)[0], inside ? 0x1000U + static_cast<std::uint32_t>(byte) / 4 : 0U)
                << n << " of " << first << ", " << more << ", " << offset << ", " << from_first;
          }
        }
}

TEST(ValhallAttributes, Faults) {
  const Source s{.bytes = 256, .format = kUint32, .stride = 4};
  const auto faulty = [&](const std::string& program, std::uint32_t address) {
    const FinishedVertices run = fetch(s, 0, 0, 0, program);
    EXPECT_EQ(run.of(0)[0], 0U) << program;
    EXPECT_EQ(run.fault().space, ir::Space::constant) << program;
    EXPECT_EQ(run.fault().index, kAttributeSpace) << program;
    EXPECT_EQ(run.fault().address, address) << program;
    EXPECT_FALSE(run.fault().is_store);
  };
  faulty("LD_ATTR_IMM.u32.slot0.wait0 @r0, r60, r61, index:0x1, table:0x1\n", 1);
  faulty("LD_ATTR_IMM.u32.slot0.wait0 @r0, r60, r61, index:0xF, table:0x1\n", 15);
  faulty("LD_ATTR_IMM.u32.slot0.wait0 @r0, r60, r61, index:0x0, table:0x0\n", 0);
  faulty("LD_ATTR_IMM.u32.slot0.wait0 @r0, r60, r61, index:0x3, table:0xD\n", 3);
  faulty("LD_ATTR.u32.slot0.wait0 @r0, r60, r61, 0x0\n", 0);
  faulty("LD_ATTR.u32.slot0.wait0 @r0, r60, r61, 0x03020100\n", 0x20100);
  const FinishedVertices address =
      fetch(s, 0, 0, 0, "LEA_ATTR_IMM.slot0.wait0 @r0:r1:r2, r60, r61, table:0x1, index:0x2\n");
  EXPECT_EQ(address.of(0), (Words{0, 0, 0, 0}));
  EXPECT_EQ(address.fault().address, 2U);
}

TEST(ValhallAttributes, MemoryThatIsNotMapped) {
  const std::string two = "LD_ATTR_IMM.v2.f32.slot0.wait0 @r0:r1, r60, r61, index:0x0, table:0x1\n";
  // The last two bytes of 256 are there, the next ones are not.
  Source s{.address = memory_at(254), .bytes = 64, .format = 164 << 12, .stride = 2};
  EXPECT_FALSE(fetch(s).report.first_fault);
  s.format = kUint32;
  const FinishedVertices run = fetch(s);
  EXPECT_EQ(run.of(0)[0], 0U);
  EXPECT_EQ(run.fault().space, ir::Space::global);
  EXPECT_EQ(run.fault().index, 0U);
  EXPECT_EQ(run.fault().address, kMemoryLow + 256);
  s.address = memory_at(-2);
  EXPECT_EQ(fetch(s).fault().address, kMemoryLow - 2);
  // Other high words: none of the launch, and those of a thread and of results.
  for (const std::uint32_t high : {8U, 0xffffU, 0xfffdU, 0xffffffffU}) {
    s.address = std::uint64_t{high} << 32;
    s.format = kFloat32;
    const FinishedVertices other = fetch(s, 0, 0, 0, two);
    EXPECT_EQ(other.of(0)[0], 0U) << high;
    EXPECT_EQ(other.fault().index, kNoWindow) << high;
  }
}

// After the last byte of 4 GiB comes the first one with the same high word.
TEST(ValhallAttributes, AddressesWrap) {
  VertexOptions options;
  options.memory_address = 0;
  options.memory[0] = 0x12345678;
  options.memory[1] = 0x9abcdef0;
  options.vertices.attributes = {{.address = std::uint64_t{kMemoryHigh} << 32 | 0xfffffff0,
                                  .bytes = 64,
                                  .format = kUint32,
                                  .offset = 18}};
  const FinishedVertices run = run_vertices(kFetch + kStoreResults, options);
  EXPECT_FALSE(run.report.first_fault);
  EXPECT_EQ(run.of(0)[0], 0xdef01234U);
  options.vertices.attributes[0].offset = 14;
  const FinishedVertices first = run_vertices(kFetch + kStoreResults, options);
  EXPECT_EQ(first.of(0)[0], 0U);
  EXPECT_EQ(first.fault().address, 0xfffffffeU);
}

TEST(ValhallAttributes, Addresses) {
  const std::string lea = "LEA_ATTR_IMM.slot0.wait0 @r0:r1:r2, r60, r61, table:0x1, index:0x0\n";
  Source s{.address = 0x00000007fffffff0, .bytes = 4, .format = kFloat32, .offset = -4, .stride = 12};
  EXPECT_EQ(fetch(s, 1, 0, 0, lea).of(0), (Words{0xfffffff8, 7, kFloat32, 0}));
  EXPECT_EQ(fetch(s, 2, 0, 0, lea).of(0), (Words{4, 7, kFloat32, 0}));  // with the same high word
  EXPECT_FALSE(fetch(s, 2, 0, 0, lea).report.first_fault);
  s.per_instance = true;
  EXPECT_EQ(fetch(s, 2, 1, 0, "LEA_ATTR.slot0.wait0 @r0:r1:r2, r60, r61, 0x01000000\n").of(0),
            (Words{0xfffffff8, 7, kFloat32, 0}));
}

TEST(ValhallVertices, RefusedByName) {
  const std::pair<const char*, const char*> cases[] = {
      {"BARRIER.slot7.wait", "BARRIER: vertex programs have no workgroup"},
      {"MOV.i32 r0, workgroup_local_pointer.w0", "MOV.i32: vertex programs have no workgroup_local_pointer"},
      {"LEA_BUF_IMM.slot1 @r0:r1, r59, table:0xC, index:0x0",
       "LEA_BUF_IMM: table 12, index 0 is not that of results"},
      {"LEA_BUF_IMM.slot1 @r0:r1, r59, table:0xD, index:0x1",
       "LEA_BUF_IMM: table 13, index 1 is not that of results"},
      {"LEA_BUF_IMM.slot1 @r0:r1:r2, r59, table:0xD, index:0x0",
       "LEA_BUF_IMM: 3 staging registers are not 2"},
      {"LD_ATTR.f32.slot0 @r0, r60, r61, r4", "LD_ATTR: the attribute is not a constant"},
      {"LD_ATTR.f32.slot0 @r0, r60, r61, u4", "LD_ATTR: the attribute is not a constant"},
      {"LEA_ATTR.slot0 @r0:r1:r2, r60, r61, r4", "LEA_ATTR: the attribute is not a constant"},
      {"LEA_ATTR_IMM.slot0 @r0:r1, r60, r61, table:0x1, index:0x0",
       "LEA_ATTR_IMM: 2 staging registers are not 3"},
      {"LD_ATTR_IMM.v2.f32.slot0 @r0, r60, r61, index:0x0, table:0x1",
       "LD_ATTR_IMM: 1 staging registers are not 2"},
      {"LD_ATTR_IMM.v2.f32.slot0 @r1:r2, r60, r61, index:0x0, table:0x1 {unchecked}",
       "LD_ATTR_IMM: several staging registers begin with an even one"},
  };
  for (const auto& [text, message] : cases) {
    const std::string got = failure(run_vertices(std::string(text) + "\nNOP.end\n").status);
    EXPECT_EQ(got.find("not supported: " + std::string(message)), 0U) << text << ": " << got;
  }
}

// The error of a launch of a program that does nothing.
std::string refused(const VertexOptions& options) {
  const auto program = assemble(".stage vertex\nNOP.end\n", "test");
  RunReport report;
  return failure(Interpreter::prepare(*program)->run(grid_of(options), 0, 0, report));
}

TEST(ValhallVertices, LimitsOfLaunches) {
  const auto with = [](const auto& change) {
    VertexOptions options;
    change(options);
    return refused(options);
  };
  using O = VertexOptions&;
  EXPECT_EQ(with([](O) {}), "runs");
  EXPECT_EQ(with([](O o) { o.vertices.count = 65535 * 64; }), "runs");
  EXPECT_NE(with([](O o) { o.vertices.count = 65535 * 64 + 1; }).find("65535"), std::string::npos);
  EXPECT_NE(with([](O o) { o.vertices.count = 0; }).find("1 to 2^24 vertices"), std::string::npos);
  EXPECT_NE(with([](O o) { o.vertices.count = (1U << 24) + 1; }).find("1 to 2^24 vertices"),
            std::string::npos);
  EXPECT_NE(with([](O o) { o.instances = 0; }).find("1 to 2^24 instances"), std::string::npos);
  EXPECT_NE(with([](O o) { o.instances = (1U << 24) + 1; }).find("1 to 2^24 instances"), std::string::npos);
  EXPECT_NE(with([](O o) { o.instances = 65536; }).find("65535"), std::string::npos);
  EXPECT_EQ(with([](O o) { o.instances = 32768, o.vertices.count = 65536; }), "runs");
  EXPECT_NE(with([](O o) { o.instances = 32768, o.vertices.count = 65537; }).find("at most 2^31 vertices"),
            std::string::npos);
  for (const std::uint32_t stride : {0U, 8U, 2064U, 0xfffffff0U})
    EXPECT_NE(with([&](O o) { o.vertices.packet_stride = stride; }).find("stride of results"),
              std::string::npos);
  EXPECT_EQ(with([](O o) { o.vertices.packet_stride = 2048; }), "runs");
  EXPECT_EQ(with([](O o) { o.vertices.attributes.resize(16, {.format = kUint32}); }), "runs");
  EXPECT_NE(
      with([](O o) { o.vertices.attributes.resize(17, {.format = kUint32}); }).find("at most 16 attributes"),
      std::string::npos);
  frontend::Grid grid = grid_of({});
  const auto program = assemble(".stage vertex\nNOP.end\n", "test");
  grid.block = {32, 2, 1};
  EXPECT_FALSE(check_launch(*program, grid).ok());
  grid = grid_of({});
  grid.grid = {2, 1, 1};
  EXPECT_FALSE(check_launch(*program, grid).ok());
  grid.grid = {1, 1, 2};
  EXPECT_FALSE(check_launch(*program, grid).ok());
}

TEST(ValhallVertices, RefusedAttributes) {
  const auto with = [](Source source) {
    VertexOptions options;
    options.vertices.attributes = {{.format = kUint32}, source};
    return refused(options);
  };
  EXPECT_EQ(with({.format = 187 << 12}), "runs");
  for (const std::uint32_t code :
       {0U,  32U,  63U,  75U,  76U,  77U,  78U,  80U,  85U,  90U,  91U,  92U,  93U,  94U,  95U,
        96U, 103U, 106U, 121U, 135U, 138U, 161U, 166U, 170U, 186U, 218U, 222U, 224U, 237U, 255U})
    EXPECT_EQ(with({.format = code << 12}),
              "bad input: attribute 1, format: components of the pixel format " + std::to_string(code) +
                  " are not supported: " + pixel_format_text(code << 12) + ", at launch");
  EXPECT_EQ(pixel_format_text(90 << 12), "0x5a000 (b10g11r11f)");
  for (const std::uint32_t order : {1U, 3U, 6U, 14U, 22U, 30U, 225U, 241U, 243U, 0xfffU})
    EXPECT_EQ(with({.format = 187 << 12 | order}),
              "bad input: attribute 1, format: the component order " + std::to_string(order) +
                  " is not known: " + pixel_format_text(187 << 12 | order) + ", at launch");
  EXPECT_NE(with({.format = 187 << 12 | 1 << 20}).find("attribute 1, format: sRGB"), std::string::npos);
  EXPECT_NE(with({.format = 187 << 12 | 1 << 21}).find("attribute 1, format: bit 21"), std::string::npos);
  EXPECT_NE(with({.format = 187 << 12 | 1 << 22}).find("attribute 1, format: "), std::string::npos);
  EXPECT_NE(with({.format = kUint32, .shift = 32}).find("attribute 1, shift"), std::string::npos);
  EXPECT_NE(with({.format = kUint32, .division = static_cast<Division>(3)}).find("attribute 1, division"),
            std::string::npos);
}

// Programs that store where they should not: only results and what the launch maps change.
TEST(ValhallVertices, HostilePrograms) {
  VertexOptions options;
  options.vertices.count = 40;
  options.local_bytes = 16;
  for (const char* id : {"0xFFFFFFFF", "0x40000000", "0x1000", "0x7FFFFFF8"}) {
    const FinishedVertices run =
        run_vertices("IADD_IMM.i32 r4, r59, #" + std::string(id) +
                         "\nLEA_BUF_IMM.slot1.wait1 @r8:r9, r4, table:0xD, index:0x0\n"
                         "STORE.i128.slot2.end @r0:r1:r2:r3, r8, offset:0\n",
                     options);
    ASSERT_TRUE(run.status.ok());
    EXPECT_TRUE(run.fault().is_store) << id;
    EXPECT_EQ(run.fault().index, kResultSpace);
  }
  // Every vertex stores to the results of all: the last lane's value stays.
  const FinishedVertices all = run_vertices(
      "LEA_BUF_IMM.slot1.wait1 @r8:r9, 0x0, table:0xD, index:0x0\nSTORE.i32.slot2.end @r60, r8, offset:0\n",
      options);
  EXPECT_FALSE(all.report.first_fault);
  EXPECT_EQ(all.results[0], 39U);
  // A vertex's own memory is its own, and begins with zeros.
  const FinishedVertices own = run_vertices(
      "MOV.i32 r4, thread_local_pointer.w0\nMOV.i32 r5, thread_local_pointer.w1\n"
      "LOAD.i32.unsigned.slot0.wait0 @r1, r4, offset:0\nSTORE.i32.slot2.wait2 @r60, r4, offset:0\n"
      "LOAD.i32.unsigned.slot0.wait0 @r0, r4, offset:0\n" +
          kStoreResults,
      options);
  EXPECT_FALSE(own.report.first_fault);
  for (std::uint32_t v = 0; v < 40; ++v) EXPECT_EQ(own.of(v), (Words{v, 0, 0, 0}));
}

}  // namespace
}  // namespace warpjit::valhall
