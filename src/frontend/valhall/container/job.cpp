#include "frontend/valhall/container/job.h"

#include <algorithm>
#include <unordered_set>

#include "frontend/encoding/names.h"
#include "frontend/valhall/container/descriptor.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint32_t kHeaderBytes = 32, kEnvironmentBytes = 64;

Result<ShaderProgram> read_program(const Image& image, const std::string& place, std::uint64_t address) {
  WARPJIT_TRY(const Descriptor d,
              Descriptor::read(image, place + ", program " + hex_text(address), address, kDescriptorBytes));
  if (address % kDescriptorBytes != 0) return d.error("its address is no multiple of 32");
  if (const std::uint32_t type = d.bits(0, 0, 4); type != 8)
    return d.error("type is " + std::to_string(type) + ", not 8");
  ShaderProgram program{.address = address};
  const std::uint32_t stage = d.bits(0, 4, 4);
  if (stage == 0 || stage > 3) return d.error("stage is " + std::to_string(stage) + ", not 1, 2 or 3");
  program.stage = stage == 1 ? Stage::compute : stage == 2 ? Stage::fragment : Stage::vertex;
  const std::uint32_t flush = d.bits(0, 17, 2);
  program.mode = {.flush_single = flush != 0,
                  .flush_half = flush >= 2,
                  .suppress_nan = d.bit(0, 16),
                  .suppress_infinity = d.bit(0, 19)};
  program.requires_helpers = d.bit(0, 28);
  const std::uint32_t registers = d.bits(0, 30, 2);
  if (registers != 0 && registers != 2)
    return d.error("register allocation is " + std::to_string(registers) + ", not 0 or 2");
  program.registers = registers == 0 ? 64 : 32;
  program.preload = static_cast<std::uint16_t>(d.bits(1, 0, 16));
  program.code = d.address(2);
  return program;
}

Result<LocalStorage> read_storage(const Image& image, const std::string& place, std::uint64_t address) {
  WARPJIT_TRY(const Descriptor d, Descriptor::read(image, place + ", local storage " + hex_text(address),
                                                   address, kDescriptorBytes));
  LocalStorage storage{.address = address};
  const bool has_base = d.word(2) != 0 || d.bits(3, 0, 16) != 0;
  // Sizes above the limits of a launch are kept, as far as they fit.
  if (const std::uint32_t size = d.bits(0, 0, 5); size != 0 || has_base)
    storage.thread_bytes = 16U << std::min(size, 27U);
  const std::uint32_t scale = d.bits(1, 8, 5);
  if (d.bits(1, 0, 5) != 31 && scale != 0) storage.workgroup_bytes = std::max(1U << (scale - 1), 128U);
  return storage;
}

}  // namespace

Result<Environment> read_environment(const Image& image, std::string place, std::uint64_t address) {
  WARPJIT_TRY(const Descriptor d, Descriptor::read(image, place, address, kEnvironmentBytes));
  Environment environment{.address = address,
                          .place = std::move(place),
                          .attribute_offset = d.word(0),
                          .uniforms = d.address(14),
                          .uniform_words = 2 * d.bits(1, 0, 8),
                          .resources = d.address(8) & ~std::uint64_t{63}};
  const std::uint64_t tables = environment.resources, count = d.address(8) & 63;
  for (std::uint64_t n = 0; n < count; ++n) {
    WARPJIT_TRY(const Descriptor entry,
                Descriptor::read(image, environment.place + ", resources, entry " + std::to_string(n),
                                 tables + kTableBytes * n, kTableBytes));
    const Table table{.address = entry.address(0) & ((std::uint64_t{1} << 56) - 1),
                      .size = entry.address(2),
                      .descriptors = entry.bit(1, 24)};
    const bool own = table.address <= tables ? tables - table.address < table.size
                                             : table.address - tables < kTableBytes * count;
    if (table.count() != 0 && own)
      return entry.error("address: the " + std::to_string(table.size) + " bytes of descriptors at " +
                         hex_text(table.address) + " are the resources themselves, at " + hex_text(tables));
    environment.tables.push_back(table);
  }
  if (const std::uint64_t at = d.address(10); at != 0) {
    WARPJIT_TRY(environment.program, read_program(image, environment.place, at));
  }
  if (const std::uint64_t at = d.address(12); at != 0) {
    WARPJIT_TRY(environment.storage, read_storage(image, environment.place, at));
  }
  return environment;
}

namespace {

Result<ComputePayload> read_compute(const Image& image, const Descriptor& d, std::uint64_t address) {
  ComputePayload payload;
  for (unsigned k = 0; k < 3; ++k) {
    payload.size[k] = d.bits(8, 10 * k, 10) + 1;
    payload.count[k] = d.word(10 + k);
    payload.offset[k] = d.word(13 + k);
  }
  payload.may_merge = d.bit(8, 31);
  WARPJIT_TRY(payload.environment, read_environment(image, d.place() + ", environment", address + 64));
  return payload;
}

Result<MallocVertexPayload> read_malloc_vertex(const Image& image, const Descriptor& d,
                                               std::uint64_t address) {
  MallocVertexPayload payload;
  payload.mode = static_cast<DrawMode>(d.bits(8, 0, 8));
  if (name(payload.mode).empty())
    return d.error("primitive, draw mode: there is no " + std::to_string(d.bits(8, 0, 8)));
  const std::uint32_t index = d.bits(8, 8, 3);
  if (index > 3) return d.error("primitive, index type: there is no " + std::to_string(index));
  payload.index_bytes = static_cast<std::uint8_t>(index == 3 ? 4 : index);
  payload.secondary = d.bit(8, 18);
  payload.restart = d.bit(8, 19);
  payload.base_vertex = static_cast<std::int32_t>(d.word(9));
  payload.instance_offset = d.word(10);
  payload.index_count = d.word(11);
  payload.instance_count = d.word(12);
  payload.packet_stride = static_cast<std::uint16_t>(d.bits(13, 0, 16));
  payload.attribute_stride = static_cast<std::uint16_t>(d.bits(13, 16, 16));
  payload.tiler = d.address(14);
  payload.indices = d.address(30);
  WARPJIT_TRY(payload.position, read_environment(image, d.place() + ", position environment", address + 256));
  WARPJIT_TRY(payload.varying, read_environment(image, d.place() + ", varying environment", address + 320));
  return payload;
}

std::uint64_t entry_address(const Environment& environment, std::uint32_t table, std::uint32_t index) {
  return environment.tables[table].address + std::uint64_t{kDescriptorBytes} * index;
}

}  // namespace

std::string_view name(JobKind kind) {
  using enum JobKind;
  constexpr std::pair<JobKind, std::string_view> kNames[] = {
      {null, "null"},       {write_value, "write value"}, {cache_flush, "cache flush"},
      {compute, "compute"}, {fragment, "fragment"},       {malloc_vertex, "malloc vertex"}};
  return encoding::look_up(kNames, kind);
}

std::string_view name(DrawMode mode) {
  using enum DrawMode;
  constexpr std::pair<DrawMode, std::string_view> kNames[] = {{none, "none"},
                                                              {points, "points"},
                                                              {lines, "lines"},
                                                              {line_strip, "line strip"},
                                                              {line_loop, "line loop"},
                                                              {triangles, "triangles"},
                                                              {triangle_strip, "triangle strip"},
                                                              {triangle_fan, "triangle fan"},
                                                              {polygon, "polygon"},
                                                              {quads, "quads"}};
  return encoding::look_up(kNames, mode);
}

std::string Job::place() const { return std::string(name(kind)) + " job at " + hex_text(address); }

std::uint32_t Job::bytes() const {
  using enum JobKind;
  constexpr std::pair<JobKind, std::uint32_t> kBytes[] = {
      {write_value, 56}, {compute, 128}, {fragment, 64}, {malloc_vertex, 384}};
  return encoding::look_up(kBytes, kind, kHeaderBytes);
}

Result<Job> read_job(const Image& image, std::uint64_t address) {
  WARPJIT_TRY(const Descriptor header,
              Descriptor::read(image, "job at " + hex_text(address), address, kHeaderBytes));
  if (address % 128 != 0) return header.error("its address is no multiple of 128");
  const std::uint32_t type = header.bits(4, 1, 7);
  if (type == 7 || type == 10)
    return header.error("type is " + std::to_string(type) + ", " + (type == 7 ? "tiler" : "indexed vertex"),
                        ErrorCode::unsupported);
  Job job{.address = address,
          .kind = static_cast<JobKind>(type),
          .exception_status = header.word(0),
          .barrier = header.bit(4, 8),
          .index = static_cast<std::uint16_t>(header.bits(4, 16, 16)),
          .dependencies = {static_cast<std::uint16_t>(header.bits(5, 0, 16)),
                           static_cast<std::uint16_t>(header.bits(5, 16, 16))},
          .next = header.address(6),
          .payload = {}};
  if (name(job.kind).empty()) return header.error("type: there is no " + std::to_string(type));
  const auto whole = [&] { return Descriptor::read(image, job.place(), address, job.bytes()); };
  switch (job.kind) {
    case JobKind::null:
    case JobKind::cache_flush:
      break;
    case JobKind::write_value: {
      WARPJIT_TRY(const Descriptor d, whole());
      const WriteValue payload{.address = d.address(8), .value = d.address(12), .kind = d.word(10)};
      if (payload.kind == 0 || payload.kind > 7)
        return d.error("value kind: there is no " + std::to_string(payload.kind));
      job.payload = payload;
      break;
    }
    case JobKind::compute: {
      WARPJIT_TRY(const Descriptor d, whole());
      WARPJIT_TRY(job.payload, read_compute(image, d, address));
      break;
    }
    case JobKind::fragment: {
      WARPJIT_TRY(const Descriptor d, whole());
      FragmentPayload payload{.framebuffer = d.address(10) & ~std::uint64_t{63}};
      for (unsigned k = 0; k < 2; ++k) {
        payload.first[k] = static_cast<std::uint16_t>(d.bits(8, 16 * k, 12));
        payload.last[k] = static_cast<std::uint16_t>(d.bits(9, 16 * k, 12));
      }
      job.payload = payload;
      break;
    }
    case JobKind::malloc_vertex: {
      WARPJIT_TRY(const Descriptor d, whole());
      WARPJIT_TRY(job.payload, read_malloc_vertex(image, d, address));
      break;
    }
  }
  return job;
}

Result<std::vector<Job>> read_jobs(const Image& image, std::uint64_t address) {
  std::vector<Job> jobs;
  std::unordered_set<std::uint64_t> seen;
  const auto fail = [&](const std::string& what, ErrorCode code) {
    return Error{code, jobs.back().place() + ", next: " + what, image.name()};
  };
  do {
    if (!seen.insert(address).second)
      return fail("the chain comes back to the job at " + hex_text(address), ErrorCode::bad_input);
    if (jobs.size() == kMaxJobs)
      return fail("a chain has at most " + std::to_string(kMaxJobs) + " jobs", ErrorCode::resource_limit);
    WARPJIT_TRY(Job job, read_job(image, address));
    address = job.next;
    jobs.push_back(std::move(job));
  } while (address != 0);
  return jobs;
}

Result<std::optional<Descriptor>> read_descriptor(const Image& image, const Environment& environment,
                                                  std::uint32_t table, std::uint32_t index,
                                                  DescriptorType type) {
  if (table >= environment.tables.size() || index >= environment.tables[table].count())
    return std::optional<Descriptor>();
  WARPJIT_TRY(
      const Descriptor d,
      Descriptor::read(
          image,
          environment.place + ", table " + std::to_string(table) + ", descriptor " + std::to_string(index),
          environment.tables[table].address + std::uint64_t{kDescriptorBytes} * index, kDescriptorBytes));
  if (d.bits(0, 0, 4) != static_cast<std::uint32_t>(type)) return std::optional<Descriptor>();
  return std::optional(d);
}

namespace {

std::string_view name(DescriptorType type) {
  using enum DescriptorType;
  constexpr std::pair<DescriptorType, std::string_view> kNames[] = {{empty, "empty"},
                                                                    {sampler, "a sampler"},
                                                                    {texture, "a texture"},
                                                                    {attribute, "an attribute"},
                                                                    {depth_stencil, "depth and stencil"},
                                                                    {shader, "a program"},
                                                                    {buffer, "a buffer"},
                                                                    {plane, "a plane"}};
  return encoding::look_up(kNames, type);
}

}  // namespace

std::string missing_descriptor(const Image& image, const Environment& environment, std::uint32_t table,
                               std::uint32_t index, DescriptorType type) {
  const std::string number = std::to_string(table);
  if (table >= environment.tables.size())
    return "there are " + std::to_string(environment.tables.size()) + " tables, no table " + number;
  const std::uint64_t count = environment.tables[table].count();
  if (index >= count)
    return "table " + number + " has " + std::to_string(count) +
           (count == 1 ? " descriptor, no " : " descriptors, no ") + std::to_string(index);
  const std::string place = "descriptor " + std::to_string(index) + " of table " + number + " is ";
  const auto word = image.u64(entry_address(environment, table, index));
  const auto found = static_cast<DescriptorType>(word ? *word & 15 : 0);
  const std::string_view kind = name(found);
  const std::string text =
      kind.empty() ? "of type " + std::to_string(static_cast<unsigned>(found)) : std::string(kind);
  return place + text + ", not " + std::string(name(type));
}

Result<std::optional<BufferDescriptor>> read_buffer(const Image& image, const Environment& environment,
                                                    std::uint32_t table, std::uint32_t index) {
  WARPJIT_TRY(const auto d, read_descriptor(image, environment, table, index, DescriptorType::buffer));
  if (!d) return std::optional<BufferDescriptor>();
  return std::optional<BufferDescriptor>({.address = entry_address(environment, table, index),
                                          .kind = static_cast<std::uint8_t>(d->bits(0, 4, 4)),
                                          .size = d->word(1),
                                          .memory = d->address(2)});
}

Result<std::optional<AttributeDescriptor>> read_attribute(const Image& image, const Environment& environment,
                                                          std::uint32_t table, std::uint32_t index) {
  WARPJIT_TRY(const auto d, read_descriptor(image, environment, table, index, DescriptorType::attribute));
  if (!d) return std::optional<AttributeDescriptor>();
  const std::uint32_t frequency = d->bits(1, 6, 2);
  if (frequency > 1) return d->error("frequency: there is no " + std::to_string(frequency));
  return std::optional<AttributeDescriptor>({.address = entry_address(environment, table, index),
                                             .kind = static_cast<std::uint8_t>(d->bits(0, 4, 4)),
                                             .from_offset = d->bit(0, 8),
                                             .per_instance = frequency == 1,
                                             .format = d->bits(0, 10, 22),
                                             .table = static_cast<std::uint8_t>(d->bits(1, 0, 6)),
                                             .shift = static_cast<std::uint8_t>(d->bits(1, 24, 5)),
                                             .add = d->bit(1, 29),
                                             .offset = static_cast<std::int32_t>(d->word(2)),
                                             .buffer = d->word(3),
                                             .stride = d->word(4),
                                             .multiplier = d->word(5)});
}

}  // namespace warpjit::valhall
