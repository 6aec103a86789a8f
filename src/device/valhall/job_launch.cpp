#include "device/valhall/job_launch.h"

#include <algorithm>
#include <unordered_set>

#include "frontend/valhall/encoding/decode.h"
#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/flow/buffer_uses.h"
#include "frontend/valhall/flow/control_flow.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint32_t kBufferTable = 0, kAttributeTable = 1, kMostAttributes = 16;

Error job_error(const Image& image, const std::string& place, const std::string& what,
                ErrorCode code = ErrorCode::bad_input) {
  return {code, place + ": " + what, image.name()};
}

Status read_uniforms(const Image& image, const Environment& environment, JobLaunch& launch) {
  if (environment.uniform_words > kMaxUniformWords)
    return job_error(image, environment.place,
                     "uniforms: there are " + std::to_string(environment.uniform_words) +
                         " words, more than " + std::to_string(kMaxUniformWords),
                     ErrorCode::resource_limit);
  if (environment.uniform_words == 0) return {};
  const auto bytes = image.find(environment.uniforms, std::uint64_t{4} * environment.uniform_words);
  if (!bytes)
    return job_error(image, environment.place,
                     "uniforms: " + std::to_string(environment.uniform_words) + " words at " +
                         hex_text(environment.uniforms) + " are not all in the image");
  launch.grid.parameters.assign(bytes->begin(), bytes->end());
  launch.descriptors.push_back({environment.place + ", uniforms", environment.uniforms, bytes->size()});
  return {};
}

std::string descriptor_place(const Environment& environment, const char* kind, std::uint64_t address) {
  return environment.place + ", " + kind + " " + hex_text(address);
}

// The descriptors of a table that a launch reads.
void add_table(const Environment& environment, std::uint32_t table, std::uint64_t count, JobLaunch& launch) {
  if (count != 0)
    launch.descriptors.push_back({environment.place + ", table " + std::to_string(table),
                                  environment.tables[table].address, kDescriptorBytes * count});
}

Status read_constants(const Image& image, const Environment& environment, JobLaunch& launch) {
  if (environment.tables.empty()) return {};
  const std::uint64_t count = std::min<std::uint64_t>(environment.tables[kBufferTable].count(), kMaxBuffers);
  add_table(environment, kBufferTable, count, launch);
  for (std::uint32_t n = 0; n < count; ++n) {
    WARPJIT_TRY(const auto buffer, read_buffer(image, environment, kBufferTable, n));
    if (!buffer || buffer->size == 0) continue;
    const auto fail = [&](const std::string& what, ErrorCode code = ErrorCode::bad_input) {
      return job_error(image, descriptor_place(environment, "buffer", buffer->address), what, code);
    };
    if (buffer->kind != 1)
      return fail("buffer type is " + std::to_string(buffer->kind) + ", not 1", ErrorCode::unsupported);
    if (buffer->size % 4 != 0)
      return fail("size is " + std::to_string(buffer->size) + ", no multiple of 4", ErrorCode::unsupported);
    const auto bytes = image.find(buffer->memory, buffer->size);
    if (!bytes)
      return fail("address: " + hex_text(buffer->size) + " bytes at " + hex_text(buffer->memory) +
                  " are not all in the image");
    launch.grid.constants[n] = *bytes;
  }
  return {};
}

// One that its program names. What is no buffer is left out: an access is a fault.
Status read_named_buffer(const Image& image, const Environment& environment, std::uint32_t handle,
                         JobLaunch& launch) {
  const std::uint32_t table = handle >> 24, entry = handle & kMaxBufferEntry;
  WARPJIT_TRY(const auto buffer, read_buffer(image, environment, table, entry));
  if (!buffer) return {};
  const std::string place = descriptor_place(environment, "buffer", buffer->address);
  if (buffer->kind != 1)
    return job_error(image, place, "buffer type is " + std::to_string(buffer->kind) + ", not 1",
                     ErrorCode::unsupported);
  if (launch.grid.buffers.size() == kMaxBufferSources)
    return job_error(image, environment.place,
                     "the program may name more than " + std::to_string(kMaxBufferSources) + " buffers",
                     ErrorCode::resource_limit);
  launch.descriptors.push_back({place, buffer->address, kDescriptorBytes});
  launch.grid.buffers.push_back({.table = static_cast<std::uint8_t>(table),
                                 .entry = entry,
                                 .address = buffer->memory,
                                 .bytes = buffer->size});
  return {};
}

// Those of all tables, if the program computes which.
constexpr std::uint64_t kMostNamedEntries = 65536;
Status read_named_buffers(const Image& image, const Environment& environment, JobLaunch& launch) {
  if (!names_buffers(launch.program)) return {};
  // Code that calls a blend shader is not followed yet.
  const auto code = find_reached(launch.program);
  const BufferUses uses =
      code ? buffer_uses(launch.program, *code) : BufferUses{.computed = true, .addresses = true};
  // Constant spaces are there already.
  const auto read = [&](std::uint32_t handle) -> Status {
    const bool loaded_alone = handle < kMaxBuffers && !uses.addresses;
    if (loaded_alone && !launch.grid.constants[handle].empty()) return {};
    return read_named_buffer(image, environment, handle, launch);
  };
  if (!uses.computed) {
    for (const std::uint32_t handle : uses.handles) WARPJIT_CHECK(read(handle));
    return {};
  }
  std::uint64_t all = 0;
  for (std::uint32_t table = 0; table < environment.tables.size(); ++table) {
    const std::uint64_t count =
        std::min<std::uint64_t>(environment.tables[table].count(), kMaxBufferEntry + std::uint64_t{1});
    all += count;
    if (all > kMostNamedEntries)
      return job_error(image, environment.place,
                       "its tables have more than " + std::to_string(kMostNamedEntries) +
                           " entries, of which its program computes one",
                       ErrorCode::resource_limit);
    for (std::uint32_t entry = 0; entry < count; ++entry) {
      const auto word =
          image.u64(environment.tables[table].address + std::uint64_t{kDescriptorBytes} * entry);
      if (word && static_cast<DescriptorType>(*word & 15) != DescriptorType::buffer) continue;
      WARPJIT_CHECK(read(table << 24 | entry));
    }
  }
  return {};
}

// Errors: the entry of a table is a descriptor of another type, and not empty.
Status check_type(const Image& image, const Environment& environment, std::uint32_t table,
                  std::uint32_t index, DescriptorType type) {
  if (table >= environment.tables.size() || index >= environment.tables[table].count()) return {};
  const auto word = image.u64(environment.tables[table].address + std::uint64_t{kDescriptorBytes} * index);
  if (!word || (*word & 15) == 0 || (*word & 15) == static_cast<std::uint64_t>(type)) return {};
  return job_error(image, environment.place, missing_descriptor(image, environment, table, index, type));
}

// An attribute whose descriptor is empty, or that of its buffer, is one of an empty buffer: elements are 0.
Result<AttributeSource> read_source(const Image& image, const Environment& environment, std::uint32_t n,
                                    JobLaunch& launch) {
  constexpr std::uint32_t kSingle = 167 << 12 | 16;  // any format
  AttributeSource source{.format = kSingle};
  WARPJIT_TRY(const auto attribute, read_attribute(image, environment, kAttributeTable, n));
  WARPJIT_CHECK(check_type(image, environment, kAttributeTable, n, DescriptorType::attribute));
  if (!attribute) return source;
  const auto fail = [&](const std::string& what) {
    return job_error(image, descriptor_place(environment, "attribute", attribute->address), what,
                     ErrorCode::unsupported);
  };
  source.format = attribute->format;
  source.offset = attribute->offset;
  source.stride = attribute->stride;
  source.per_instance = attribute->per_instance;
  source.from_first = attribute->from_offset;
  switch (attribute->kind) {
    case 1:
      break;
    case 2:
      source.division = AttributeSource::Division::shift;
      source.shift = attribute->shift;
      break;
    case 3:
      source.division = AttributeSource::Division::multiply;
      source.shift = attribute->shift;
      source.add = attribute->add;
      source.multiplier = attribute->multiplier | std::uint32_t{1} << 31;
      break;
    default:
      return fail("attribute type is " + std::to_string(attribute->kind) + ", not 1, 2 or 3");
  }
  WARPJIT_TRY(const auto buffer, read_buffer(image, environment, attribute->table, attribute->buffer));
  WARPJIT_CHECK(check_type(image, environment, attribute->table, attribute->buffer, DescriptorType::buffer));
  if (!buffer) return source;
  const std::string place = descriptor_place(environment, "buffer", buffer->address);
  launch.descriptors.push_back({place, buffer->address, kDescriptorBytes});
  if (buffer->kind != 1)
    return job_error(image, place, "buffer type is " + std::to_string(buffer->kind) + ", not 1",
                     ErrorCode::unsupported);
  source.address = buffer->memory;
  source.bytes = buffer->size;
  return source;
}

Status read_attributes(const Image& image, const Environment& environment, JobLaunch& launch) {
  frontend::Vertices& vertices = launch.grid.vertices;
  vertices.attribute_offset = environment.attribute_offset;
  if (environment.tables.size() <= kAttributeTable) return {};
  const std::uint64_t count = environment.tables[kAttributeTable].count();
  if (count > kMostAttributes)
    return job_error(
        image, environment.place,
        "table 1 has " + std::to_string(count) + " attributes, more than " + std::to_string(kMostAttributes),
        ErrorCode::resource_limit);
  add_table(environment, kAttributeTable, count, launch);
  for (std::uint32_t n = 0; n < count; ++n) {
    WARPJIT_TRY(AttributeSource source, read_source(image, environment, n, launch));
    vertices.attributes.push_back(source);
  }
  return {};
}

// The lowest index and how many there are from it to the highest.
struct IndexRange {
  std::uint32_t first = 0;
  std::uint64_t count = 0;
};
Result<IndexRange> read_indices(const Image& image, const Job& job, const MallocVertexPayload& payload) {
  if (payload.index_bytes == 0) return IndexRange{0, payload.index_count};
  const auto bytes = image.find(payload.indices, std::uint64_t{payload.index_bytes} * payload.index_count);
  if (!bytes)
    return job_error(image, job.place(),
                     "indices: " + std::to_string(payload.index_count) + " at " + hex_text(payload.indices) +
                         " are not all in the image");
  const std::uint32_t restart = ~std::uint32_t{0} >> (32 - 8 * payload.index_bytes);
  std::uint32_t low = ~0U, high = 0;
  bool any = false;
  for (std::size_t at = 0; at < bytes->size(); at += payload.index_bytes) {
    std::uint32_t index = 0;
    for (std::size_t k = 0; k < payload.index_bytes; ++k)
      index |= std::to_integer<std::uint32_t>((*bytes)[at + k]) << 8 * k;
    if (payload.restart && index == restart) continue;
    low = std::min(low, index);
    high = std::max(high, index);
    any = true;
  }
  return any ? IndexRange{low, std::uint64_t{high} - low + 1} : IndexRange{};
}

// What launches of all programs have.
Result<JobLaunch> read_launch(Image& image, const Job& job, const Environment& environment, Stage stage) {
  JobLaunch launch;
  WARPJIT_TRY(launch.program, read_code(image, environment));
  if (launch.program.stage != stage)
    return job_error(image, environment.place,
                     "program " + hex_text(environment.program->address) + ", stage: it is a " +
                         std::string(stage_name(launch.program.stage)) + " program, not a " +
                         std::string(stage_name(stage)) + " program",
                     ErrorCode::unsupported);
  if (const Status limits = check_limits(launch.program); !limits)
    return job_error(image, environment.place, limits.error().message, limits.error().code);
  const Program& program = launch.program;
  const std::string& place = environment.place;
  launch.descriptors = {
      {job.place(), job.address, job.bytes()},
      {place + ", resources", environment.resources, kTableBytes * environment.tables.size()},
      {place + ", program", environment.program->address, kDescriptorBytes},
      {place + ", code", program.address, 8 * program.code.size()}};
  if (environment.storage)
    launch.descriptors.push_back({place + ", local storage", environment.storage->address, kDescriptorBytes});
  WARPJIT_CHECK(read_uniforms(image, environment, launch));
  WARPJIT_CHECK(read_constants(image, environment, launch));
  WARPJIT_CHECK(read_named_buffers(image, environment, launch));
  for (std::size_t k = 0; k < image.windows().size(); ++k) {
    ImageWindow& window = image.windows()[k];
    launch.grid.high_words.push_back(window.high_word());
    launch.grid.globals[k] = {{window.low_word(), window.bytes()}};
  }
  return launch;
}

}  // namespace

Result<Program> read_code(const Image& image, const Environment& environment) {
  if (!environment.program) return job_error(image, environment.place, "there is no program");
  const ShaderProgram& shader = *environment.program;
  const auto fail = [&](const std::string& what, ErrorCode code = ErrorCode::bad_input) {
    return job_error(image, descriptor_place(environment, "program", shader.address), what, code);
  };
  const std::uint64_t entry = shader.code;
  if (entry % 8 != 0) return fail("code address " + hex_text(entry) + " is no multiple of 8");
  if (!image.find(entry, 8)) return fail("code address " + hex_text(entry) + " is outside of the image");
  std::vector<std::uint64_t> work{entry};
  std::unordered_set<std::uint64_t> seen{entry};
  std::uint64_t low = entry, high = entry;
  while (!work.empty()) {
    const std::uint64_t address = work.back();
    work.pop_back();
    low = std::min(low, address);
    high = std::max(high, address);
    if ((high - low) / 8 >= kMaxCodeWords)
      return fail("code from " + hex_text(low) + " to " + hex_text(high) + " is more than 16 MiB",
                  ErrorCode::resource_limit);
    WARPJIT_TRY(const std::uint64_t word, image.u64(address));
    const auto decoded = decode(word);
    if (!decoded || decoded->flow == Flow::end) continue;
    // What is not in the entry's window is where control leaves the code.
    const auto go = [&](std::uint64_t to) {
      if (to >> 32 == entry >> 32 && image.find(to, 8) && seen.insert(to).second) work.push_back(to);
    };
    const std::optional<bool> taken =
        decoded->opcode == Opcode::branchz ? always_taken(*decoded) : std::optional(false);
    if (taken.value_or(true)) go(address + 8 + 8 * static_cast<std::uint64_t>(std::int64_t{decoded->offset}));
    if (!taken.value_or(false)) go(address + 8);
  }
  Program program{.stage = shader.stage,
                  .code = std::vector<std::uint64_t>((high - low) / 8 + 1),
                  .source_name = image.name(),
                  .address = low,
                  .entry = static_cast<std::uint32_t>(entry - low),
                  .mode = shader.mode};
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    WARPJIT_TRY(program.code[k], image.u64(low + 8 * k));
  }
  if (environment.storage) {
    program.local_bytes = environment.storage->thread_bytes;
    if (shader.stage == Stage::compute) program.shared_bytes = environment.storage->workgroup_bytes;
  }
  return program;
}

namespace {

// Attributes, and the blocks of vertices that the launch has.
Status finish_vertices(const Image& image, const Environment& environment, std::uint32_t instances,
                       JobLaunch& launch) {
  constexpr std::uint32_t kOfBlock = frontend::Vertices::kOfBlock;
  WARPJIT_CHECK(read_attributes(image, environment, launch));
  launch.grid.block = {kOfBlock, 1, 1};
  launch.grid.grid = {(launch.grid.vertices.count - 1) / kOfBlock + 1, instances, 1};
  if (const auto checked = check_launch(launch.program, launch.grid); !checked)
    return job_error(image, environment.place, checked.error().message, checked.error().code);
  return {};
}

// A compute job whose program is one of vertices: workgroup (x, y, 0) is vertex x of instance y. There is no
// memory of results.
Result<JobLaunch> vertices_of_workgroups(Image& image, const Job& job, const ComputePayload& payload) {
  const auto fail = [&](const std::string& what) {
    return job_error(image, job.place(), what + ": its program is a vertex program", ErrorCode::unsupported);
  };
  WARPJIT_TRY(JobLaunch launch, read_launch(image, job, payload.environment, Stage::vertex));
  for (unsigned k = 0; k < 3; ++k)
    if (payload.size[k] != 1)
      return fail(std::string("workgroup size ") + "xyz"[k] + " is " + std::to_string(payload.size[k]) +
                  ", not 1");
  if (payload.count[2] != 1)
    return fail("workgroup count z is " + std::to_string(payload.count[2]) + ", not 1");
  if (payload.offset[2] != 0)
    return fail("workgroup offset z is " + std::to_string(payload.offset[2]) + ", not 0");
  frontend::Vertices& vertices = launch.grid.vertices;
  vertices.count = payload.count[0];
  vertices.first = payload.offset[0];
  vertices.first_instance = payload.offset[1];
  vertices.packet_stride = 16;
  WARPJIT_CHECK(finish_vertices(image, payload.environment, payload.count[1], launch));
  return launch;
}

}  // namespace

Result<JobLaunch> compute_launch(Image& image, const Job& job) {
  const auto* payload = std::get_if<ComputePayload>(&job.payload);
  if (payload == nullptr) return job_error(image, job.place(), "it is no compute job");
  for (unsigned k = 0; k < 3; ++k)
    if (payload->count[k] == 0)
      return job_error(image, job.place(),
                       std::string("workgroup count ") + "xyz"[k] + " is 0: there is nothing to run");
  if (payload->environment.program && payload->environment.program->stage == Stage::vertex)
    return vertices_of_workgroups(image, job, *payload);
  WARPJIT_TRY(JobLaunch launch, read_launch(image, job, payload->environment, Stage::compute));
  launch.grid.grid = payload->count;
  launch.grid.block = payload->size;
  launch.grid.first_block = payload->offset;
  if (const auto checked = check_launch(launch.program, launch.grid); !checked)
    return job_error(image, job.place(), checked.error().message, checked.error().code);
  return launch;
}

Result<JobLaunch> vertex_launch(Image& image, const Job& job, VertexProgram program) {
  const auto* payload = std::get_if<MallocVertexPayload>(&job.payload);
  if (payload == nullptr) return job_error(image, job.place(), "it is no malloc vertex job");
  const bool position = program == VertexProgram::position;
  const Environment& environment = position ? payload->position : payload->varying;
  WARPJIT_TRY(JobLaunch launch, read_launch(image, job, environment, Stage::vertex));
  WARPJIT_TRY(const IndexRange indices, read_indices(image, job, *payload));
  if (indices.count == 0 || payload->instance_count == 0)
    return job_error(image, job.place(), "there are no vertices or instances: there is nothing to run");
  if (indices.count > ~std::uint32_t{0})
    return job_error(image, job.place(), "indices have all values", ErrorCode::resource_limit);
  launch.first_index = indices.first;
  frontend::Vertices& vertices = launch.grid.vertices;
  vertices.count = static_cast<std::uint32_t>(indices.count);
  vertices.first = indices.first + static_cast<std::uint32_t>(payload->base_vertex);
  vertices.first_instance = payload->instance_offset;
  vertices.packet_stride = position ? 128U : std::max<std::uint32_t>(payload->attribute_stride, 16);
  WARPJIT_CHECK(finish_vertices(image, environment, payload->instance_count, launch));
  return launch;
}

Result<JobLaunch> fragment_launch(Image& image, const Job& job, const Environment& environment) {
  return read_launch(image, job, environment, Stage::fragment);
}

}  // namespace warpjit::valhall
