// Jobs of a chain in the memory of a Mali v9, and the descriptors that they name
// (docs/guests/valhall.md 9). Fields that nothing here needs are left out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontend/valhall/container/image.h"
#include "frontend/valhall/container/program.h"

namespace warpjit::valhall {

inline constexpr std::size_t kMaxJobs = 65536;

enum class JobKind : std::uint8_t {
  null = 1,
  write_value = 2,
  cache_flush = 3,
  compute = 4,
  fragment = 9,
  malloc_vertex = 11,
};
std::string_view name(JobKind kind);

// The size of descriptors other than environments and tables.
inline constexpr std::uint32_t kDescriptorBytes = 32;
// `address` is always where a descriptor lies.
struct ShaderProgram {
  std::uint64_t address = 0;
  Stage stage = Stage::compute;
  FloatMode mode{};
  bool requires_helpers = false;
  std::uint8_t registers = 64;  // that threads have
  std::uint16_t preload = 0;    // bit n: register 48 + n
  std::uint64_t code = 0;
};

struct LocalStorage {
  std::uint64_t address = 0;
  std::uint32_t thread_bytes = 0, workgroup_bytes = 0;
};

// 16 bytes.
inline constexpr std::uint32_t kTableBytes = 16;
struct Table {
  std::uint64_t address = 0, size = 0;  // of its descriptors, which are 32 bytes each
  bool descriptors = false;
  // How many descriptors it has; 0 if it holds anything else.
  std::uint64_t count() const { return descriptors ? size / kDescriptorBytes : 0; }
};

// 64 bytes, and what it names.
struct Environment {
  std::uint64_t address = 0;
  std::string place;  // "compute job at 0xf7fda180, environment": for messages
  std::uint32_t attribute_offset = 0;
  std::uint64_t uniforms = 0;              // address
  std::uint32_t uniform_words = 0;         // of 32 bits
  std::uint64_t resources = 0;             // address of the tables' entries, 16 bytes each
  std::vector<Table> tables{};             // up to 63
  std::optional<ShaderProgram> program{};  // if there is one
  std::optional<LocalStorage> storage{};
};

// 64 bytes at the address. `place` begins messages.
Result<Environment> read_environment(const Image& image, std::string place, std::uint64_t address);

struct WriteValue {
  std::uint64_t address = 0, value = 0;
  std::uint32_t kind = 0;  // 1 cycles, 2 time, 3 zero, 4 to 7 a value of 8, 16, 32, 64 bits
};

struct ComputePayload {
  std::array<std::uint32_t, 3> size{}, count{}, offset{};  // of a workgroup; workgroups; number of the first
  bool may_merge = false;
  Environment environment;
};

enum class DrawMode : std::uint8_t {
  none = 0,
  points = 1,
  lines = 2,
  line_strip = 4,
  line_loop = 6,
  triangles = 8,
  triangle_strip = 10,
  triangle_fan = 12,
  polygon = 13,
  quads = 14,
};
std::string_view name(DrawMode mode);  // empty: there is no such mode

struct MallocVertexPayload {
  DrawMode mode = DrawMode::none;
  std::uint8_t index_bytes = 0;  // 0: vertices are numbered one after the other
  bool secondary = false;        // varyings have a program of their own
  bool restart = false;
  std::int32_t base_vertex = 0;
  std::uint32_t instance_offset = 0, index_count = 0, instance_count = 0;
  std::uint16_t packet_stride = 0, attribute_stride = 0;  // bytes, of the tiler's memory
  std::uint64_t tiler = 0, indices = 0;                   // addresses
  Environment position, varying;
};

struct FragmentPayload {
  std::array<std::uint16_t, 2> first{}, last{};  // tiles of 16 x 16 pixels
  std::uint64_t framebuffer = 0;                 // address
};

struct Job {
  std::uint64_t address = 0;
  JobKind kind = JobKind::null;
  std::uint32_t exception_status = 0;
  bool barrier = false;
  std::uint16_t index = 0;
  std::array<std::uint16_t, 2> dependencies{};
  std::uint64_t next = 0;
  std::variant<std::monostate, WriteValue, ComputePayload, MallocVertexPayload, FragmentPayload> payload;

  std::string place() const;    // "compute job at 0xf7fda180"
  std::uint32_t bytes() const;  // of header and payload, with the environments in it
};

// Errors name descriptor, address and field: bad_input; unsupported for jobs of other kinds.
Result<Job> read_job(const Image& image, std::uint64_t address);
// The job and those that follow it. Errors: also a chain that comes back to a job (bad_input) or has more
// than kMaxJobs (resource_limit).
Result<std::vector<Job>> read_jobs(const Image& image, std::uint64_t address);

enum class DescriptorType : std::uint8_t {
  empty = 0,
  sampler = 1,
  texture = 2,
  attribute = 5,
  depth_stencil = 7,
  shader = 8,
  buffer = 9,
  plane = 10,
};

struct BufferDescriptor {
  std::uint64_t address = 0;
  std::uint8_t kind = 0;  // 1: a plain one
  std::uint32_t size = 0;
  std::uint64_t memory = 0;  // address
};

struct AttributeDescriptor {
  std::uint64_t address = 0;
  std::uint8_t kind = 0;  // 1: one element after the other; 2, 3: numbers are divided
  bool from_offset = false, per_instance = false;
  std::uint32_t format = 0;
  std::uint8_t table = 0;
  std::uint8_t shift = 0;  // divisor R
  bool add = false;        // E
  std::int32_t offset = 0;
  std::uint32_t buffer = 0, stride = 0;
  std::uint32_t multiplier = 0;  // D
};

// Entry `index` of a table. Nothing: the table or entry does not exist, is empty or of another type. Errors:
// it is outside of the image.
class Descriptor;
Result<std::optional<Descriptor>> read_descriptor(const Image& image, const Environment& environment,
                                                  std::uint32_t table, std::uint32_t index,
                                                  DescriptorType type);
// Why read_descriptor gives nothing: "table 4 has 2 descriptors, no 5", "descriptor 1 of table 4 is a
// sampler, no texture".
std::string missing_descriptor(const Image& image, const Environment& environment, std::uint32_t table,
                               std::uint32_t index, DescriptorType type);
Result<std::optional<BufferDescriptor>> read_buffer(const Image& image, const Environment& environment,
                                                    std::uint32_t table, std::uint32_t index);
Result<std::optional<AttributeDescriptor>> read_attribute(const Image& image, const Environment& environment,
                                                          std::uint32_t table, std::uint32_t index);

}  // namespace warpjit::valhall
