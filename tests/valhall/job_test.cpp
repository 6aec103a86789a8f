// Jobs and descriptors in images made by hand: what launches of them leave, what is wrong with others, and
// images in which anything is changed.
#include <functional>

#include "base/random.h"
#include "frontend/valhall/facts/launch.h"
#include "support/share.h"
#include "valhall/engines.h"
#include "valhall/image_builder.h"
#include "valhall/valhall_test.h"

namespace warpjit::valhall {
namespace {

using Change = std::function<void(ImagePage&)>;

// The end of a job at the start of the page, run everywhere, or why it does not run. Memory is the image's.
struct Ended {
  Status status;
  std::optional<Image> image;
  std::vector<std::uint32_t> results;
  std::optional<JobLaunch> launch;
  std::optional<frontend::BlockFault> fault;
};
Ended run_job(const ImagePage& page, bool vertices) {
  Ended ended;
  auto image = page.image();
  if (!image) {
    ended.status = image.error();
    return ended;
  }
  ended.image = std::move(*image);
  const auto job = read_job(*ended.image, page.address(at::kJob));
  if (!job) {
    ended.status = job.error();
    return ended;
  }
  auto launch = vertices ? vertex_launch(*ended.image, *job, VertexProgram::position)
                         : compute_launch(*ended.image, *job);
  if (!launch) {
    ended.status = launch.error();
    return ended;
  }
  frontend::Grid& grid = launch->grid;
  if (vertices) {
    ended.results.assign(std::size_t{32} * grid.vertices.count * grid.grid[1], 0xcccccccc);
    grid.globals[kResultSpace] = {{0, std::as_writable_bytes(std::span(ended.results))}};
  }
  DescriptorCopies copies;
  copies.add(*ended.image, launch->descriptors);
  RunReport report;
  ended.status = run_everywhere(launch->program, grid, report);
  if (ended.status) ended.status = copies.unchanged(*ended.image);
  ended.fault = report.first_fault;
  ended.launch = std::move(*launch);
  return ended;
}
std::string failure_with(ImagePage page, bool vertices, const Change& change) {
  change(page);
  const Ended ended = run_job(page, vertices);
  return ended.status ? "runs"
                      : std::string(name(ended.status.error().code)) + ", " + ended.status.error().message;
}
std::string compute_failure(const Change& change) { return failure_with(compute_page(), false, change); }
std::string vertex_failure(const Change& change) { return failure_with(vertex_page(), true, change); }

TEST(ValhallJob, Compute) {
  const ImagePage page = compute_page();
  const Ended ended = run_job(page, false);
  ASSERT_TRUE(ended.status.ok()) << to_string(ended.status.error());
  EXPECT_FALSE(ended.fault);
  for (std::uint32_t k = 0; k < 8; ++k)
    EXPECT_EQ(*ended.image->u32(page.address(at::kMemory + 4 * k)), 20 + k);
  const frontend::Grid& grid = ended.launch->grid;
  EXPECT_EQ(grid.first_block, (std::array<std::uint32_t, 3>{5, 0, 0}));
  EXPECT_EQ(grid.constants[0].size(), 16U);
  EXPECT_EQ(ended.launch->program.address, page.address(at::kCode));
  EXPECT_EQ(ended.launch->program.code.size(), 4U);
}

TEST(ValhallJob, ProgramFields) {
  ImagePage page = compute_page();
  page.u32(at::kProgram, 8 | 1 << 4 | 1 << 16 | 1 << 17 | 1 << 19 | 1 << 28 | 2U << 30);
  page.u32(at::kProgram + 4, 0xabcd);
  page.u32(at::kStorage, 3);
  page.u32(at::kStorage + 4, 8 | 9 << 8);
  const auto image = page.image();
  const auto job = read_job(*image, page.address(at::kJob));
  ASSERT_TRUE(job.ok()) << to_string(job.error());
  const Environment& environment = std::get<ComputePayload>(job->payload).environment;
  const ShaderProgram& program = *environment.program;
  EXPECT_EQ(program.mode, (FloatMode{.flush_single = true, .suppress_nan = true, .suppress_infinity = true}));
  EXPECT_TRUE(program.requires_helpers);
  EXPECT_EQ(program.registers, 32);
  EXPECT_EQ(program.preload, 0xabcd);
  EXPECT_EQ(environment.storage->thread_bytes, 128U);
  EXPECT_EQ(environment.storage->workgroup_bytes, 256U);
  const auto code = read_code(*image, environment);
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(code->local_bytes, 128U);
  EXPECT_EQ(code->shared_bytes, 256U);
  const auto storage = [&](const Change& change) {
    ImagePage changed = compute_page();
    change(changed);
    const auto other = changed.image();
    const auto read = read_job(*other, changed.address(at::kJob));
    return *std::get<ComputePayload>(read->payload).environment.storage;
  };
  // Small workgroups have 128 bytes; no memory of a thread has neither size nor base.
  EXPECT_EQ(storage([](ImagePage& p) { p.u32(at::kStorage + 4, 2 << 8); }).workgroup_bytes, 128U);
  EXPECT_EQ(storage([](ImagePage& p) { p.u32(at::kStorage + 4, 31 | 9 << 8); }).workgroup_bytes, 0U);
  EXPECT_EQ(storage([](ImagePage&) {}).thread_bytes, 0U);
  EXPECT_EQ(storage([](ImagePage& p) { p.u64(at::kStorage + 8, 0x1000); }).thread_bytes, 16U);
  // DX11 flushes f32 alone, the others both.
  for (const std::uint32_t flush : {0U, 1U, 2U, 3U}) {
    page.u32(at::kProgram, 8 | 1 << 4 | flush << 17);
    const auto other = page.image();
    const auto read = read_job(*other, page.address(at::kJob));
    const FloatMode mode = std::get<ComputePayload>(read->payload).environment.program->mode;
    EXPECT_EQ(mode, (FloatMode{.flush_single = flush != 0, .flush_half = flush >= 2})) << flush;
  }
}

TEST(ValhallJob, Code) {
  // An entry above the lowest word, a branch back to it, and one that leaves the page.
  ImagePage page = compute_page();
  page.code(at::kCode - 24, "NOP.end");
  page.code(at::kCode, "BRANCHZ r60.h0, offset:-4\nNOP\nBRANCHZ r60.h0, offset:100000\nNOP.end");
  const Ended ended = run_job(page, false);
  ASSERT_TRUE(ended.launch) << to_string(ended.status.error());
  const Program& program = ended.launch->program;
  EXPECT_EQ(program.entry, 24U);
  EXPECT_EQ(program.code.size(), 7U);
  EXPECT_EQ(program.address, page.address(at::kCode - 24));
}

TEST(ValhallJob, Vertices) {
  ImagePage page = vertex_page();
  page.u32(at::kJob + 36, ~0U);  // base vertex -1
  page.u32(at::kJob + 40, 7);    // first instance
  page.u32(at::kJob + 48, 2);    // instances
  page.u32(at::kJob + 256, 2);   // attribute offset
  const Ended ended = run_job(page, true);
  ASSERT_TRUE(ended.status.ok()) << to_string(ended.status.error());
  EXPECT_FALSE(ended.fault);
  for (std::uint32_t v = 0; v < 6; ++v) {
    const std::uint32_t vertex = v % 3 - 1;
    EXPECT_EQ(ended.results[32 * v], vertex);
    EXPECT_EQ(ended.results[32 * v + 1], 0x3f800000 + vertex + 2);
    EXPECT_EQ(ended.results[32 * v + 2], 7 + v / 3);
    EXPECT_EQ(ended.results[32 * v + 3], 0xcccccccc);
  }
}

TEST(ValhallJob, Indices) {
  for (const std::uint32_t type : {1U, 2U, 3U})
    for (const bool restart : {false, true}) {
      ImagePage page = vertex_page();
      const std::uint32_t size = type == 3 ? 4 : type, all = ~0U >> (32 - 8 * size);
      page.u32(at::kJob + 32, 8 | type << 8 | (restart ? 1U << 19 : 0));
      page.u32(at::kJob + 36, 100);
      page.u32(at::kJob + 44, 4);
      page.point(at::kJob + 120, at::kIndices);
      const std::uint32_t indices[] = {5, 3, restart ? all : 7, 4};
      for (std::uint32_t k = 0; k < 4; ++k) page.set(at::kIndices + size * k, indices[k], size);
      const Ended ended = run_job(page, true);
      ASSERT_TRUE(ended.launch) << to_string(ended.status.error());
      EXPECT_EQ(ended.launch->first_index, 3U);
      EXPECT_EQ(ended.launch->grid.vertices.count, restart ? 3U : 5U) << type;
      EXPECT_EQ(ended.results[0], 103U);
    }
  EXPECT_EQ(
      vertex_failure([](ImagePage& page) {
        page.u32(at::kJob + 32, 1 | 3 << 8);
        page.u64(at::kJob + 120, 0x200001ff8);
      }),
      "bad input, malloc vertex job at 0x200001000: indices: 3 at 0x200001ff8 are not all in the image");
}

TEST(ValhallJob, Attributes) {
  ImagePage page = vertex_page();
  page.u32(at::kTables + 16 + 8, 64);  // the second descriptor of the table is its neighbour, a buffer
  page.u32(at::kAttributes, 5 | 3 << 4 | (167U << 12 | 16) << 10);
  page.u32(at::kAttributes + 4, 2 | 1 << 6 | 4 << 24 | 1 << 29);
  page.u32(at::kAttributes + 8, ~0U - 3);
  page.u32(at::kAttributes + 20, 0x123);
  const Ended ended = run_job(page, true);
  ASSERT_TRUE(ended.launch) << to_string(ended.status.error());
  const auto& attributes = ended.launch->grid.vertices.attributes;
  ASSERT_EQ(attributes.size(), 2U);
  EXPECT_EQ(attributes[0], (AttributeSource{.address = page.address(at::kMemory),
                                            .bytes = 32,
                                            .format = 167 << 12 | 16,
                                            .offset = -4,
                                            .stride = 4,
                                            .per_instance = true,
                                            .division = AttributeSource::Division::multiply,
                                            .shift = 4,
                                            .add = true,
                                            .multiplier = 0x80000123}));
  EXPECT_EQ(attributes[1].bytes, 0U);
  EXPECT_EQ(vertex_failure([](ImagePage& p) { p.u32(at::kAttributes, 5 | 5 << 4); }),
            "not supported, malloc vertex job at 0x200001000, position environment, attribute 0x200001380: "
            "attribute type is 5, not 1, 2 or 3");
  // Without its buffer an attribute is 0.
  page = vertex_page();
  page.u32(at::kAttributes + 12, 1);
  const Ended empty = run_job(page, true);
  ASSERT_TRUE(empty.status.ok());
  EXPECT_EQ(empty.results[1], 0U);
}

TEST(ValhallJob, Errors) {
  const std::string job = "bad input, compute job at 0x200001000", environment = job + ", environment";
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u32(at::kProgram, 3 | 1 << 4); }),
            environment + ", program 0x200001200: type is 3, not 8");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u32(at::kProgram, 8 | 4 << 4); }),
            environment + ", program 0x200001200: stage is 4, not 1, 2 or 3");
  EXPECT_EQ(
      compute_failure([](ImagePage& p) { p.u32(at::kProgram, 8 | 2 << 4); }),
      "not supported, compute job at 0x200001000, environment: program 0x200001200, stage: it is a fragment "
      "program, not a compute program");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u64(at::kProgram + 8, 0x1004); }),
            environment + ", program 0x200001200: code address 0x1004 is no multiple of 8");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u64(at::kProgram + 8, 0x1008); }),
            environment + ", program 0x200001200: code address 0x1008 is outside of the image");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u64(at::kJob + 64 + 40, 0); }),
            environment + ": there is no program");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u64(at::kJob + 64 + 40, 0x200001ff0); }),
            environment + ", program 0x200001ff0: its 32 bytes at 0x200001ff0 are outside of the image");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u64(at::kJob + 64 + 48, 0x20); }),
            environment + ", local storage 0x20: its 32 bytes at 0x20 are outside of the image");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u64(at::kJob + 64 + 32, 0x41); }),
            environment + ", resources, entry 0: its 16 bytes at 0x40 are outside of the image");
  // A table of descriptors that is the list of the tables, begins before it or ends past its start.
  const std::string own = environment + ", resources, entry 1: address: the 32 bytes of descriptors at ";
  EXPECT_EQ(
      compute_failure([](ImagePage& p) { p.point(at::kTables + 16, at::kTables, std::uint64_t{1} << 56); }),
      own + "0x200001280 are the resources themselves, at 0x200001280");
  EXPECT_EQ(compute_failure(
                [](ImagePage& p) { p.point(at::kTables + 16, at::kTables + 47, std::uint64_t{1} << 56); }),
            own + "0x2000012af are the resources themselves, at 0x200001280");
  EXPECT_EQ(compute_failure(
                [](ImagePage& p) { p.point(at::kTables + 16, at::kTables - 31, std::uint64_t{1} << 56); }),
            own + "0x200001261 are the resources themselves, at 0x200001280");
  EXPECT_EQ(compute_failure(
                [](ImagePage& p) { p.point(at::kTables + 16, at::kTables - 32, std::uint64_t{1} << 56); }),
            "runs");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u64(at::kTables, 0x40 | std::uint64_t{1} << 56); }),
            environment + ", table 0, descriptor 0: its 32 bytes at 0x40 are outside of the image");
  EXPECT_EQ(
      compute_failure([](ImagePage& p) { p.u64(at::kBuffers + 8, 0x200001ff8); }),
      environment + ", buffer 0x200001340: address: 0x10 bytes at 0x200001ff8 are not all in the image");
  EXPECT_EQ(
      compute_failure([](ImagePage& p) { p.u32(at::kBuffers, 9 | 2 << 4); }),
      "not supported, compute job at 0x200001000, environment, buffer 0x200001340: buffer type is 2, not 1");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u64(at::kJob + 64 + 56, 8); }),
            environment + ": uniforms: 2 words at 0x8 are not all in the image");
  EXPECT_EQ(
      compute_failure([](ImagePage& p) { p.u32(at::kJob + 64 + 4, 129); }),
      "resource limit, compute job at 0x200001000, environment: uniforms: there are 258 words, more than "
      "256");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u32(at::kJob + 44, 0); }),
            job + ": workgroup count y is 0: there is nothing to run");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u32(at::kJob + 32, 1023 | 1 << 10); }),
            job + ": a workgroup has at most 1024 threads");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u32(at::kStorage, 14); }),
            "resource limit, compute job at 0x200001000, environment: a thread has at most 64 KiB of memory");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u32(at::kJob + 16, 7 << 1); }),
            "not supported, job at 0x200001000: type is 7, tiler");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u32(at::kJob + 16, 10 << 1); }),
            "not supported, job at 0x200001000: type is 10, indexed vertex");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u32(at::kJob + 16, 5 << 1); }),
            "bad input, job at 0x200001000: type: there is no 5");
  EXPECT_EQ(vertex_failure([](ImagePage& p) { p.u32(at::kJob + 32, 3); }),
            "bad input, malloc vertex job at 0x200001000: primitive, draw mode: there is no 3");
  EXPECT_EQ(vertex_failure([](ImagePage& p) { p.u32(at::kJob + 32, 1 | 4 << 8); }),
            "bad input, malloc vertex job at 0x200001000: primitive, index type: there is no 4");
  EXPECT_EQ(
      vertex_failure([](ImagePage& p) { p.u32(at::kJob + 48, 0); }),
      "bad input, malloc vertex job at 0x200001000: there are no vertices or instances: there is nothing to "
      "run");
  // Empty slots and descriptors of other types are as if they were not there.
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u32(at::kBuffers, 0); }), "runs");
  EXPECT_EQ(compute_failure([](ImagePage& p) { p.u32(at::kBuffers, 1); }), "runs");
}

TEST(ValhallJob, Chains) {
  // Null, cache flush, write value and fragment jobs, then a compute job.
  ImagePage page = compute_page();
  const auto header = [&](std::uint32_t at, std::uint32_t type, std::uint32_t next) {
    page.u32(at + 16, type << 1 | 1 << 8 | 9 << 16);
    page.u32(at + 20, 3 | 4 << 16);
    if (next != ~0U) page.point(at + 24, next);
  };
  header(0x800, 1, 0x880);
  header(0x880, 3, 0x900);
  header(0x900, 2, 0x980);
  page.u64(0x900 + 32, 0x1234);
  page.u32(0x900 + 40, 7);
  page.u64(0x900 + 48, 0x123456789);
  header(0x980, 9, at::kJob);
  page.u32(0x980 + 32, 2 | 3 << 16);
  page.u32(0x980 + 36, 4 | 5 << 16);
  page.u64(0x980 + 40, 0x10003);
  const auto image = page.image();
  const auto jobs = read_jobs(*image, page.address(0x800));
  ASSERT_TRUE(jobs.ok()) << to_string(jobs.error());
  ASSERT_EQ(jobs->size(), 5U);
  EXPECT_EQ((*jobs)[0].place(), "null job at 0x200001800");
  EXPECT_EQ((*jobs)[1].place(), "cache flush job at 0x200001880");
  EXPECT_TRUE((*jobs)[0].barrier);
  EXPECT_EQ((*jobs)[0].index, 9);
  EXPECT_EQ((*jobs)[0].dependencies, (std::array<std::uint16_t, 2>{3, 4}));
  const auto& write = std::get<WriteValue>((*jobs)[2].payload);
  EXPECT_EQ(write.address, 0x1234U);
  EXPECT_EQ(write.kind, 7U);
  EXPECT_EQ(write.value, 0x123456789U);
  const auto& fragment = std::get<FragmentPayload>((*jobs)[3].payload);
  EXPECT_EQ(fragment.first, (std::array<std::uint16_t, 2>{2, 3}));
  EXPECT_EQ(fragment.last, (std::array<std::uint16_t, 2>{4, 5}));
  EXPECT_EQ(fragment.framebuffer, 0x10000U);
  EXPECT_EQ((*jobs)[4].kind, JobKind::compute);

  page.point(at::kJob + 24, 0x880);
  const auto cycle = read_jobs(*page.image(), page.address(0x800));
  ASSERT_FALSE(cycle.ok());
  EXPECT_EQ(cycle.error().message,
            "compute job at 0x200001000, next: the chain comes back to the job at 0x200001880");
  page.u64(at::kJob + 24, 0x40);
  EXPECT_EQ(to_string(read_jobs(*page.image(), page.address(0x800)).error()),
            "test: job at 0x40: its 32 bytes at 0x40 are outside of the image");
  page.u64(at::kJob + 24, page.address(0x840));
  EXPECT_EQ(read_jobs(*page.image(), page.address(0x800)).error().message,
            "job at 0x200001840: its address is no multiple of 128");
}

TEST(ValhallJob, LongestChain) {
  for (const std::size_t extra : {0U, 1U}) {
    const std::size_t count = kMaxJobs + extra;
    ImagePage page(0x100000000, 128 * count);
    for (std::size_t k = 0; k < count; ++k) {
      const auto at = static_cast<std::uint32_t>(128 * k);
      page.u32(at + 16, 1 << 1);
      if (k + 1 < count) page.point(at + 24, at + 128);
    }
    const auto jobs = read_jobs(*page.image(), page.address(0));
    EXPECT_EQ(jobs.ok(), extra == 0);
    if (!jobs) {
      EXPECT_EQ(jobs.error().code, ErrorCode::resource_limit);
    }
  }
}

// What programs may store to, and what not: the last and first bytes of ranges that were read.
TEST(ValhallJob, OwnDescriptors) {
  // A program that stores one byte that is not there yet.
  const auto storing = [](bool vertices, std::uint32_t to) {
    const std::string code = "IADD_IMM.i32 r0, 0x0, #0x55\nIADD_IMM.i32 r2, u0, #" +
                             hex_text(to - at::kMemory) +
                             "\nMOV.i32 r3, u1\nSTORE.i8.slot0.wait0 @r0, r2, offset:0\nNOP.end\n";
    return failure_with(vertices ? vertex_page() : compute_page(), vertices, [&](ImagePage& page) {
      page.code(at::kCode, vertices ? ".stage vertex\n" + code : code);
    });
  };
  const auto refused = [](const std::string& what, std::uint64_t size, std::uint32_t offset) {
    return "not supported, " + what + ": the program writes its own descriptors, " + std::to_string(size) +
           " bytes at " + hex_text(0x200001000 + offset);
  };
  const std::string job = "compute job at 0x200001000", environment = job + ", environment, ";
  EXPECT_EQ(storing(false, at::kMemory), "runs");
  EXPECT_EQ(storing(false, at::kJob), refused(job, 128, at::kJob));
  EXPECT_EQ(storing(false, at::kJob + 127), refused(job, 128, at::kJob));
  EXPECT_EQ(storing(false, at::kJob + 128), "runs");
  EXPECT_EQ(storing(false, at::kProgram + 31), refused(environment + "program", 32, at::kProgram));
  EXPECT_EQ(storing(false, at::kProgram + 32), "runs");
  EXPECT_EQ(storing(false, at::kStorage), refused(environment + "local storage", 32, at::kStorage));
  EXPECT_EQ(storing(false, at::kTables + 47), refused(environment + "resources", 48, at::kTables));
  EXPECT_EQ(storing(false, at::kTables + 48), "runs");
  EXPECT_EQ(storing(false, at::kUniforms + 7), refused(environment + "uniforms", 8, at::kUniforms));
  EXPECT_EQ(storing(false, at::kUniforms + 8), "runs");
  EXPECT_EQ(storing(false, at::kBuffers + 31), refused(environment + "table 0", 32, at::kBuffers));
  EXPECT_EQ(storing(false, at::kAttributes), "runs");
  EXPECT_EQ(storing(false, at::kCode + 39), refused(environment + "code", 40, at::kCode));
  EXPECT_EQ(storing(false, at::kCode + 40), "runs");
  const std::string vertex = "malloc vertex job at 0x200001000",
                    position = vertex + ", position environment, ";
  EXPECT_EQ(storing(true, at::kAttributes), refused(position + "table 1", 32, at::kAttributes));
  EXPECT_EQ(storing(true, at::kAttributeBuffers + 31),
            refused(position + "buffer 0x2000013c0", 32, at::kAttributeBuffers));
  EXPECT_EQ(storing(true, at::kJob + 0x17f), refused(vertex, 384, at::kJob));
  EXPECT_EQ(storing(true, at::kJob + 0x180), "runs");
}

// One thread, whose program names buffers of any table.
ImagePage buffer_page(const std::string& code) {
  ImagePage page = compute_page();
  page.u32(at::kJob + 32, 0);
  page.u32(at::kJob + 40, 1);
  page.u32(at::kJob + 52, 0);
  for (std::uint32_t k = 0; k < 16; ++k) page.u32(at::kMemory + 4 * k, 100 + k);
  page.code(at::kCode, code);
  return page;
}

TEST(ValhallJob, BuffersOfAnyTable) {
  const auto handle = [](std::uint32_t table, std::uint32_t entry) {
    return "IADD_IMM.i32 r8, 0x0, #" + hex_text(table << 24 | entry) + "\n";
  };
  const std::string copy =
      "LEA_PKA.slot0.wait0 @r4:r5, 0x0, r8\nLD_BUFFER.i32.unsigned.slot0.wait0 @r6, 0x0, r8\n"
      "IADD_IMM.i32 r6, r6, #0x64\nSTORE.i32.slot0.end @r6, r4, offset:4\n";
  Ended ended = run_job(buffer_page(handle(2, 0) + copy), false);
  ASSERT_TRUE(ended.status.ok()) << to_string(ended.status.error());
  EXPECT_FALSE(ended.fault);
  EXPECT_EQ(*ended.image->u32(0x200001000 + at::kMemory + 4), 200U);
  ASSERT_EQ(ended.launch->grid.buffers.size(), 1U);
  const frontend::BufferSource wanted{
      .table = 2, .entry = 0, .address = 0x200001000 + at::kMemory, .bytes = 32};
  EXPECT_EQ(ended.launch->grid.buffers[0], wanted);
  // No entry, no table, and a descriptor that is no buffer.
  for (const auto& [table, entry] : {std::pair{2U, 1U}, std::pair{3U, 0U}, std::pair{1U, 0U}}) {
    ended = run_job(buffer_page(handle(table, entry) + copy), false);
    ASSERT_TRUE(ended.status.ok()) << to_string(ended.status.error());
    ASSERT_TRUE(ended.fault);
    EXPECT_EQ(ended.fault->access.index, kBufferSpace);
    EXPECT_EQ(ended.fault->access.address, table << 24 | entry);
  }
  // Where the program computes which, all are there.
  ended = run_job(buffer_page("IADD_IMM.i32 r8, r55, #0x2000000\n" + copy), false);
  ASSERT_TRUE(ended.status.ok()) << to_string(ended.status.error());
  EXPECT_FALSE(ended.fault);
  EXPECT_EQ(ended.launch->grid.buffers.size(), 2U);
  EXPECT_EQ(*ended.image->u32(0x200001000 + at::kMemory + 4), 200U);
  // An empty one of table 0 is there, too.
  ImagePage page = buffer_page(handle(0, 0) + "LD_BUFFER.i32.unsigned.slot0.end @r6, 0x0, r8\n");
  page.u32(at::kBuffers + 4, 0);
  ended = run_job(page, false);
  EXPECT_TRUE(ended.status.ok() && !ended.fault);
}

TEST(ValhallJob, BuffersThatAreRefused) {
  const std::string load = "LD_BUFFER.i32.unsigned.slot0.end @r6, 0x0, r8\n",
                    constant = "IADD_IMM.i32 r8, 0x0, #0x2000000\n",
                    computed = "IADD_IMM.i32 r8, r55, #0x2000000\n",
                    place = "compute job at 0x200001000, environment";
  EXPECT_EQ(failure_with(buffer_page(constant + load), false,
                         [](ImagePage& page) { page.u32(at::kAttributeBuffers, 9 | 2 << 4); }),
            "not supported, " + place + ", buffer 0x2000013c0: buffer type is 2, not 1");
  EXPECT_EQ(failure_with(buffer_page(constant + load), false,
                         [](ImagePage& page) { page.u64(at::kAttributeBuffers + 8, 0xffff'fff0); }),
            "bad input, compute job at 0x200001000: buffer 0 of table 2: it crosses a multiple of 4 GiB");
  // More than a launch has.
  const auto many = [](ImagePage& page) {
    page.point(at::kTables + 32, 0x700, std::uint64_t{1} << 56);
    page.u32(at::kTables + 40, 65 * 32);
    for (std::uint32_t k = 0; k < 65; ++k) page.u32(0x700 + 32 * k, 9 | 1 << 4);
  };
  EXPECT_EQ(failure_with(buffer_page(constant + load), false, many), "runs");
  EXPECT_EQ(failure_with(buffer_page(computed + load), false, many),
            std::string(name(ErrorCode::resource_limit)) + ", " + place +
                ": the program may name more than 64 buffers");
  // The descriptor is one of the program's own.
  EXPECT_EQ(failure_with(
                buffer_page(constant + "LEA_PKA.slot0.wait0 @r4:r5, 0x0, r8\n"
                                       "STORE.i32.slot0.end @r8, r4, offset:4\n"),
                false, [](ImagePage& page) { page.point(at::kAttributeBuffers + 8, at::kAttributeBuffers); }),
            "not supported, " + place +
                ", buffer 0x2000013c0: the program writes its own descriptors, 32 bytes at 0x2000013c0");
}

// As transform feedback has it: workgroups of one thread are the vertices of a vertex program.
TEST(ValhallJob, VerticesOfWorkgroups) {
  ImagePage page = compute_page();
  page.u32(at::kJob + 32, 0);
  const std::uint32_t counts[] = {5, 3, 1}, offsets[] = {1, 2, 0};
  for (std::uint32_t k = 0; k < 3; ++k) {
    page.u32(at::kJob + 40 + 4 * k, counts[k]);
    page.u32(at::kJob + 52 + 4 * k, offsets[k]);
  }
  page.u32(at::kProgram, 8 | 3 << 4);
  page.u32(at::kJob + 64, 2);  // attribute offset
  page.point(at::kAttributeBuffers + 8, at::kIndices);
  for (std::uint32_t k = 0; k < 8; ++k) page.u32(at::kIndices + 4 * k, 70 + k);
  page.code(at::kCode,
            ".stage vertex\n"
            "LD_ATTR_IMM.f32.slot0.wait0 @r6, r60, r61, index:0x0, table:0x1\n"
            "LSHIFT_OR.i32 r7, r61, 0x3020100.b11, r60\n"
            "MOV.i32 r8, r59\nSHADDX.u64 r2, u0, r8.w0, shift:0x0\n"
            "STORE.i64.slot0.end @r6:r7, r2, offset:0\n");
  const Ended ended = run_job(page, false);
  ASSERT_TRUE(ended.status.ok()) << to_string(ended.status.error());
  EXPECT_FALSE(ended.fault);
  for (std::uint32_t n = 0; n < 15; ++n) {
    const std::uint32_t vertex = 1 + n % 5, instance = 2 + n / 5;
    const std::uint64_t at = page.address(at::kMemory) + 8 * std::uint64_t{n};
    EXPECT_EQ(*ended.image->u32(at), 70 + vertex + 2) << n;
    EXPECT_EQ(*ended.image->u32(at + 4), instance << 1 | vertex) << n;
  }
  const auto refused = [&](std::uint32_t offset, std::uint32_t value) {
    return failure_with(page, false, [&](ImagePage& changed) { changed.u32(offset, value); });
  };
  const std::string job = "not supported, compute job at 0x200001000: ",
                    why = ": its program is a vertex program";
  EXPECT_EQ(refused(at::kJob + 32, 1 << 10), job + "workgroup size y is 2, not 1" + why);
  EXPECT_EQ(refused(at::kJob + 48, 2), job + "workgroup count z is 2, not 1" + why);
  EXPECT_EQ(refused(at::kJob + 60, 1), job + "workgroup offset z is 1, not 0" + why);
}

// Launches of all jobs of the image, which may be anything.
void try_jobs(Image& image, std::uint64_t address) {
  const auto jobs = read_jobs(image, address);
  if (!jobs) {
    EXPECT_FALSE(jobs.error().message.empty());
    return;
  }
  for (const Job& job : *jobs)
    for (const auto& launch : {compute_launch(image, job), vertex_launch(image, job, VertexProgram::position),
                               vertex_launch(image, job, VertexProgram::varying)}) {
      if (!launch) {
        EXPECT_FALSE(launch.error().message.empty());
      }
    }
}

TEST(ValhallJob, RandomBitsAndBytes) {
  for (const bool vertices : {false, true}) {
    const ImagePage page = vertices ? vertex_page() : compute_page();
    for (std::uint32_t at = 0; at < 0x800; ++at)
      for (unsigned bit = 0; bit < 8; ++bit) {
        if (!in_share(at * 9 + bit)) continue;
        ImagePage changed = page;
        changed.set(at, page.get(at, 1) ^ 1U << bit, 1);
        auto image = changed.image();
        ASSERT_TRUE(image.ok());
        try_jobs(*image, page.address(0));
      }
    Random random(vertices ? 1 : 2);
    const std::vector<std::byte> records = page.records();
    for (std::uint64_t n = 0; n < share(3000); ++n) {
      std::vector<std::byte> bytes = records;
      for (unsigned k = random.below(8) + 1; k > 0; --k)
        bytes[random.below(0x700)] = static_cast<std::byte>(random.next());
      const std::size_t cut = random.one_in(4) ? random.below(0x1000) : 0;
      auto image = Image::read(std::span(bytes).first(bytes.size() - cut), "test");
      if (image) try_jobs(*image, page.address(0));
    }
  }
}

}  // namespace
}  // namespace warpjit::valhall
