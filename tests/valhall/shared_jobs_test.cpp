// The memory images of the shared corpus: their jobs are what pandecode.txt says, and the compute programs
// run from them leave what another driver left.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "device/valhall/job_launch.h"
#include "frontend/valhall/interpret/numbers.h"
#include "support/source_dir.h"
#include "support/unpacked.h"
#include "valhall/engines.h"
#include "valhall/listing.h"
#include "valhall/valhall_test.h"

namespace warpjit::valhall {
namespace {

std::size_t attributes_seen = 0, buffers_seen = 0;

void expect_buffer(const Section& part, const BufferDescriptor& buffer) {
  EXPECT_EQ(part.at("Buffer type"), "Simple");
  EXPECT_EQ(buffer.kind, 1);
  EXPECT_EQ(buffer.size, part.number("Size"));
  EXPECT_EQ(buffer.memory, part.number("Address"));
  ++buffers_seen;
}

void expect_attribute(const Section& part, const AttributeDescriptor& attribute) {
  EXPECT_EQ(part.at("Attribute type"), "1D");
  EXPECT_EQ(attribute.kind, 1);
  EXPECT_EQ(attribute.from_offset, part.truth("Offset enable"));
  EXPECT_EQ(attribute.per_instance, part.at("Frequency") == "Instance");
  EXPECT_EQ(attribute.table, part.number("Table"));
  EXPECT_EQ(attribute.shift, part.number("Divisor R"));
  EXPECT_EQ(attribute.add, part.number("Divisor E") != 0);
  EXPECT_EQ(attribute.offset, static_cast<std::int64_t>(part.number("Offset")));
  EXPECT_EQ(attribute.buffer, part.number("Buffer index"));
  EXPECT_EQ(attribute.stride, part.number("Stride"));
  EXPECT_EQ(attribute.multiplier, part.number("Divisor D"));
  static const std::map<std::string, std::uint32_t> kFormats = {{"RGBA32F RGBA", 191 << 12},
                                                                {"RGB32F RGB1", 183 << 12 | 16},
                                                                {"RG32F RGB1", 175 << 12 | 16},
                                                                {"R32F RGB1", 167 << 12 | 16}};
  const auto format = kFormats.find(part.at("Format (v7)"));
  EXPECT_NE(format, kFormats.end()) << part.at("Format (v7)");
  if (format != kFormats.end()) {
    EXPECT_EQ(attribute.format, format->second);
  }
  ++attributes_seen;
}

void expect_table(const Image& image, const Section& section, const Environment& environment,
                  std::uint32_t n) {
  const Table& table = environment.tables[n];
  EXPECT_EQ(table.address, section.number("Address"));
  EXPECT_EQ(table.descriptors, section.truth("Contains descriptors"));
  EXPECT_EQ(table.size, section.number("Size"));
  std::size_t buffers = 0, attributes = 0;
  for (std::uint32_t k = 0; k < table.count(); ++k) {
    const auto buffer = read_buffer(image, environment, n, k);
    const auto attribute = read_attribute(image, environment, n, k);
    ASSERT_TRUE(buffer.ok() && attribute.ok());
    if (*buffer) expect_buffer(section.part("Buffer", buffers++), **buffer);
    if (*attribute) expect_attribute(section.part("Attribute", attributes++), **attribute);
  }
  EXPECT_EQ(section.part("Buffer", buffers).fields.size(), 0U);
  EXPECT_EQ(section.part("Attribute", attributes).fields.size(), 0U);
}

void expect_environment(const Image& image, Listing& listing, const Environment& environment) {
  const Section& shader = listing.next("Shader Shader");
  ASSERT_TRUE(environment.program);
  const ShaderProgram& program = *environment.program;
  EXPECT_EQ(shader.at("Stage"), program.stage == Stage::compute ? "Compute" : "Vertex");
  EXPECT_EQ(shader.at("Flush to zero mode"), "Preserve subnormals");
  EXPECT_EQ(program.mode, (FloatMode{.suppress_nan = shader.truth("Suppress NaN"),
                                     .suppress_infinity = shader.truth("Suppress Inf")}));
  EXPECT_EQ(program.requires_helpers, shader.truth("Requires helper threads"));
  EXPECT_EQ(program.registers, shader.number("Register allocation"));
  EXPECT_EQ(program.preload, shader.number("R48-R63"));
  EXPECT_EQ(program.code, shader.number("Binary"));

  const bool compute = program.stage == Stage::compute;
  const auto tables = [&] {
    ASSERT_EQ(environment.tables.size(), 12U);
    for (std::uint32_t n = 0; n < 12; ++n)
      expect_table(image, listing.next("Entry " + std::to_string(n)), environment, n);
  };
  const auto storage = [&] {
    const Section& local = listing.next("Local Storage");
    ASSERT_TRUE(environment.storage);
    EXPECT_EQ(environment.storage->thread_bytes, 16 * local.number("TLS Size"));
    const std::uint64_t scale = local.number("WLS Size Scale");
    EXPECT_EQ(environment.storage->workgroup_bytes, scale == 0 ? 0 : 1U << (scale - 1));
  };
  const auto uniforms = [&] {
    if (environment.uniform_words == 0) return;
    const Section& words = listing.next("FAU");
    for (std::uint32_t n = 0; n < environment.uniform_words; ++n) {
      const std::string pair = words.at("words", n / 2);
      const auto word = image.u32(environment.uniforms + 4 * n);
      ASSERT_TRUE(word.ok());
      EXPECT_EQ(*word, std::strtoul(pair.substr(n % 2 * 9, 8).c_str(), nullptr, 16)) << pair;
    }
    EXPECT_EQ(words.at("words", environment.uniform_words / 2), "(none)");
  };
  if (!compute) tables();
  storage();
  uniforms();
  if (compute) tables();
}

void expect_compute(const Image& image, Listing& listing, const ComputePayload& payload) {
  const Environment& environment = payload.environment;
  expect_environment(image, listing, environment);
  const Section& section = listing.next("Compute");
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string axis(1, "XYZ"[k]);
    EXPECT_EQ(payload.size[k], section.number("Workgroup size " + axis));
    EXPECT_EQ(payload.count[k], section.number("Workgroup count " + axis));
    EXPECT_EQ(payload.offset[k], section.number("Offset " + axis));
  }
  EXPECT_EQ(payload.may_merge, section.truth("Allow merging workgroups"));
  EXPECT_EQ(environment.attribute_offset, section.number("Attribute offset"));
  EXPECT_EQ(environment.uniform_words, 2 * section.number("FAU count"));
  EXPECT_EQ(environment.program->address, section.number("Shader"));
  EXPECT_EQ(environment.storage->address, section.number("Thread storage"));
  EXPECT_EQ(environment.uniforms, section.number("FAU"));
}

void expect_vertices(const Image& image, Listing& listing, const MallocVertexPayload& payload) {
  const Section& primitive = listing.next("Primitive");
  std::string mode(name(payload.mode));
  mode[0] = static_cast<char>(std::toupper(mode[0]));
  EXPECT_EQ(mode, primitive.at("Draw mode"));
  EXPECT_EQ(primitive.at("Index type"), "None");
  EXPECT_EQ(payload.index_bytes, 0);
  EXPECT_EQ(payload.secondary, primitive.truth("Secondary Shader"));
  EXPECT_EQ(payload.base_vertex, static_cast<std::int64_t>(primitive.number("Base vertex offset")));
  EXPECT_EQ(payload.instance_offset, primitive.number("Instance offset"));
  EXPECT_EQ(payload.index_count, primitive.number("Index count"));
  EXPECT_EQ(payload.instance_count, listing.next("Instance count").number("Count"));
  const Section& allocation = listing.next("Allocation");
  EXPECT_EQ(payload.packet_stride, allocation.number("Vertex packet stride"));
  EXPECT_EQ(payload.attribute_stride, allocation.number("Vertex attribute stride"));
  EXPECT_EQ(payload.tiler, listing.next("Tiler").number("Address"));
  EXPECT_EQ(payload.indices, listing.next("Indices").number("Address"));
  listing.next("Draw");
  expect_environment(image, listing, payload.position);
  if (payload.varying.program) expect_environment(image, listing, payload.varying);
}

TEST(ValhallSharedJobs, Fields) {
  if (!std::filesystem::is_directory(corpus(""))) GTEST_SKIP() << "the shared corpus is not there";
  std::size_t images = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus(""))) {
    const std::string folder = entry.path().string();
    const auto bytes = tests::unpacked(folder + "/mem.pages.xz");
    if (bytes.empty()) continue;
    SCOPED_TRACE(folder);
    ++images;
    const auto image = Image::read(bytes, folder);
    ASSERT_TRUE(image.ok()) << to_string(image.error());
    std::ifstream text(folder + "/pandecode.txt");
    Listing listing(folder + "/pandecode.txt");
    std::size_t headers = 0;
    for (std::string line; std::getline(text, line);) {
      if (!line.starts_with("Job Header (")) continue;
      ++headers;
      const std::uint64_t address = std::strtoull(line.c_str() + 12, nullptr, 16);
      const auto job = read_job(*image, address);
      ASSERT_TRUE(job.ok()) << to_string(job.error());
      const Section& header = listing.next("Job Header ");
      std::string kind(name(job->kind));
      kind[0] = static_cast<char>(std::toupper(kind[0]));
      EXPECT_EQ(kind, header.at("Type"));
      EXPECT_EQ(job->exception_status, header.number("Exception Status"));
      EXPECT_EQ(job->barrier, header.truth("Barrier"));
      EXPECT_EQ(job->index, header.number("Index"));
      EXPECT_EQ(job->dependencies[0], header.number("Dependency 1"));
      EXPECT_EQ(job->dependencies[1], header.number("Dependency 2"));
      EXPECT_EQ(job->next, header.number("Next"));
      if (const auto* compute = std::get_if<ComputePayload>(&job->payload))
        expect_compute(*image, listing, *compute);
      if (const auto* vertices = std::get_if<MallocVertexPayload>(&job->payload))
        expect_vertices(*image, listing, *vertices);
      if (const auto* fragment = std::get_if<FragmentPayload>(&job->payload)) {
        const Section& section = listing.next("Fragment Job Payload");
        EXPECT_EQ(fragment->first[0], section.number("Bound Min X"));
        EXPECT_EQ(fragment->first[1], section.number("Bound Min Y"));
        EXPECT_EQ(fragment->last[0], section.number("Bound Max X"));
        EXPECT_EQ(fragment->last[1], section.number("Bound Max Y"));
        EXPECT_EQ(fragment->framebuffer, section.number("Framebuffer") & ~std::uint64_t{63});
      }
      const auto chain = read_jobs(*image, address);
      EXPECT_TRUE(chain.ok());
    }
    EXPECT_GT(headers, 0U);
  }
  EXPECT_GE(images, 20U);
  EXPECT_GE(attributes_seen, 40U);
  EXPECT_GE(buffers_seen, 60U);
}

// `compiled`: every engine must compile the program. Runs the compute job and compares `count` buffers of
// 4096 bytes at these addresses with those of ref.raw.
void expect_buffers(const std::string& name, const std::map<std::size_t, std::uint64_t>& buffers,
                    double tolerance, bool compiled) {
  const auto bytes = tests::unpacked(tests::corpus_file("valhall/" + name + "/mem.pages.xz"));
  const auto wanted = tests::unpacked(tests::corpus_file("valhall/" + name + "/ref.raw.xz"));
  if (bytes.empty()) GTEST_SKIP() << "this program is in the whole collection alone";
  auto image = Image::read(bytes, name);
  ASSERT_TRUE(image.ok()) << to_string(image.error());
  const auto job = read_job(*image, 0xf7fda180);
  ASSERT_TRUE(job.ok()) << to_string(job.error());
  const auto launch = compute_launch(*image, *job);
  ASSERT_TRUE(launch.ok()) << to_string(launch.error());
  DescriptorCopies copies;
  copies.add(*image, launch->descriptors);
  RunReport report;
  const Status status = run_everywhere(launch->program, launch->grid, report, compiled);
  ASSERT_TRUE(status.ok()) << to_string(status.error());
  EXPECT_FALSE(report.first_fault);
  EXPECT_TRUE(copies.unchanged(*image).ok());
  for (const auto& [number, address] : buffers)
    for (std::size_t k = 0; k < 1024; ++k) {
      std::uint32_t word = 0;
      std::memcpy(&word, wanted.data() + 4096 * number + 4 * k, 4);
      const auto stored = image->u32(address + 4 * k);
      ASSERT_TRUE(stored.ok());
      if (tolerance == 0) {
        EXPECT_EQ(*stored, word) << number << ", " << k;
      } else {
        EXPECT_NEAR(to_float(*stored), to_float(word), tolerance * std::fabs(to_float(word)))
            << number << ", " << k;
      }
    }
}

TEST(ValhallSharedJobs, Basic) { expect_buffers("cs_basic", {{0, 0xf7ff1000}, {1, 0xf7fef000}}, 1e-5, true); }
TEST(ValhallSharedJobs, SharedReduce) {
  expect_buffers("cs_shared_reduce", {{0, 0xf7ff1000}, {1, 0xf7fef000}}, 0, true);
}

}  // namespace
}  // namespace warpjit::valhall
