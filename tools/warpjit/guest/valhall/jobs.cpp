#include "guest/valhall/jobs.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "capture/valhall/chain_sections.h"
#include "capture_names.h"
#include "device/valhall/capture.h"
#include "device/valhall/images.h"
#include "device/valhall/job_launch.h"
#include "frontend/valhall/container/draw.h"
#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/shader.h"
#include "launch/launch_file.h"

namespace warpjit::tool {

namespace {

// What is listed, so that hostile images end: jobs, and descriptors of the tables of buffers,
// attributes and images.
constexpr std::size_t kMostJobs = 1024;
constexpr std::uint64_t kMostDescriptors = 16, kTablesListed = 3;

std::string hex_address(std::uint64_t address) { return fmt::format("{:#x}", address); }

Json program_json(const valhall::Image& image, const valhall::Environment& environment) {
  const valhall::ShaderProgram& program = *environment.program;
  Json json{{"address", hex_address(program.address)},
            {"stage", name(program.stage)},
            {"code", hex_address(program.code)}};
  if (const auto code = valhall::read_code(image, environment)) {
    json["words"] = code->code.size();
    json["entry"] = code->entry;
  } else {
    json["error"] = to_string(code.error());
  }
  json["registers"] = program.registers;
  Json preload = Json::array();
  for (unsigned bit = 0; bit < 16; ++bit)
    if ((program.preload >> bit & 1) != 0) preload.push_back(fmt::format("r{}", 48 + bit));
  json["preload"] = std::move(preload);
  for (const auto& [set, mode] : {std::pair(program.mode.flush_single, "flush_single"),
                                  std::pair(program.mode.flush_half, "flush_half"),
                                  std::pair(program.mode.suppress_nan, "suppress_nan"),
                                  std::pair(program.mode.suppress_infinity, "suppress_infinity"),
                                  std::pair(program.requires_helpers, "requires_helpers")})
    if (set) json[mode] = true;
  return json;
}

Json attribute_json(const valhall::AttributeDescriptor& attribute) {
  Json json{{"kind", "attribute"},
            {"type", attribute.kind},
            {"format", hex(attribute.format)},
            {"table", attribute.table},
            {"buffer", attribute.buffer},
            {"offset", attribute.offset},
            {"stride", attribute.stride},
            {"per_instance", attribute.per_instance},
            {"from_offset", attribute.from_offset}};
  if (attribute.kind != 1) {
    json["shift"] = attribute.shift;
    json["add"] = attribute.add;
    json["multiplier"] = hex(attribute.multiplier);
  }
  return json;
}

Json texture_json(const valhall::TextureDescriptor& texture) {
  return {{"kind", "texture"},        {"format", hex(texture.format)},
          {"width", texture.width},   {"height", texture.height},
          {"depth", texture.depth},   {"layers", texture.layers},
          {"levels", texture.levels}, {"surfaces", hex_address(texture.surfaces)}};
}

Json table_json(const valhall::Image& image, const valhall::Environment& environment, std::uint32_t n) {
  const valhall::Table& table = environment.tables[n];
  Json json{{"table", n}, {"address", hex_address(table.address)}, {"size", table.size}};
  if (n >= kTablesListed && n != valhall::kImageTable) return json;
  Json list = Json::array();
  for (std::uint32_t k = 0; k < std::min(table.count(), kMostDescriptors); ++k) {
    if (n == valhall::kImageTable) {
      const auto texture = valhall::read_texture(image, environment, n, k);
      list.push_back(!texture   ? Json{{"error", to_string(texture.error())}}
                     : *texture ? texture_json(**texture)
                                : Json{{"kind", "none"}});
      continue;
    }
    const auto buffer = valhall::read_buffer(image, environment, n, k);
    const auto attribute = valhall::read_attribute(image, environment, n, k);
    if (!buffer || !attribute) {
      list.push_back({{"error", to_string(buffer ? attribute.error() : buffer.error())}});
      break;
    }
    if (*buffer)
      list.push_back({{"kind", "buffer"},
                      {"type", (*buffer)->kind},
                      {"address", hex_address((*buffer)->memory)},
                      {"size", (*buffer)->size}});
    else if (*attribute)
      list.push_back(attribute_json(**attribute));
    else
      list.push_back({{"kind", "none"}});
  }
  json["descriptors"] = std::move(list);
  return json;
}

Json environment_json(const valhall::Image& image, const valhall::Environment& environment) {
  Json json{{"attribute_offset", environment.attribute_offset}};
  if (environment.program) json["program"] = program_json(image, environment);
  if (environment.storage)
    json["local_storage"] = {{"address", hex_address(environment.storage->address)},
                             {"thread", environment.storage->thread_bytes},
                             {"workgroup", environment.storage->workgroup_bytes}};
  json["uniforms"] = {{"address", hex_address(environment.uniforms)}};
  Json words = Json::array();
  for (std::uint32_t k = 0; k < environment.uniform_words; ++k) {
    const auto word = image.u32(environment.uniforms + std::uint64_t{4} * k);
    words.push_back(word ? Json(hex(*word)) : Json(nullptr));
  }
  json["uniforms"]["words"] = std::move(words);
  Json tables = Json::array();
  for (std::uint32_t n = 0; n < environment.tables.size(); ++n)
    if (environment.tables[n].size != 0) tables.push_back(table_json(image, environment, n));
  json["tables"] = std::move(tables);
  return json;
}

// What only one kind of job has.
struct PayloadJson {
  const valhall::Image& image;
  Json& json;

  void operator()(std::monostate) const {}
  void operator()(const valhall::WriteValue& payload) const {
    json["address"] = hex_address(payload.address);
    json["value_kind"] = payload.kind;
    json["value"] = hex_address(payload.value);
  }
  void operator()(const valhall::ComputePayload& payload) const {
    json["grid"] = payload.count;
    json["block"] = payload.size;
    json["first_block"] = payload.offset;
    json["environment"] = environment_json(image, payload.environment);
  }
  void operator()(const valhall::MallocVertexPayload& payload) const {
    json["draw_mode"] = name(payload.mode);
    json["index_bytes"] = payload.index_bytes;
    json["indices"] = hex_address(payload.indices);
    json["index_count"] = payload.index_count;
    json["restart"] = payload.restart;
    json["base_vertex"] = payload.base_vertex;
    json["instance_count"] = payload.instance_count;
    json["instance_offset"] = payload.instance_offset;
    json["packet_stride"] = payload.packet_stride;
    json["attribute_stride"] = payload.attribute_stride;
    json["tiler"] = hex_address(payload.tiler);
    json["position"] = environment_json(image, payload.position);
    if (payload.varying.program) json["varying"] = environment_json(image, payload.varying);
  }
  void operator()(const valhall::FragmentPayload& payload) const {
    json["first_tile"] = payload.first;
    json["last_tile"] = payload.last;
    json["framebuffer"] = hex_address(payload.framebuffer);
  }
};

// The environment of the program that a launch file chose.
const valhall::Environment& environment_of(const valhall::Job& job, const ImageJob& given) {
  if (given.stage == Stage::compute) return std::get<valhall::ComputePayload>(job.payload).environment;
  const auto& payload = std::get<valhall::MallocVertexPayload>(job.payload);
  return given.varying ? payload.varying : payload.position;
}

// What a capture runs, in short.
class CaptureSummary {
 public:
  Json job(const valhall::Image& image, const valhall::Job& job) {
    Json row{{"job", name(job.kind)}, {"address", hex_address(job.address)}};
    if (const auto* compute = std::get_if<valhall::ComputePayload>(&job.payload)) {
      row["grid"] = compute->count;
      row["block"] = compute->size;
      add(image, "program", compute->environment, row);
    }
    if (const auto* draw = std::get_if<valhall::MallocVertexPayload>(&job.payload)) {
      row["draw"] = draws_++;
      row["mode"] = name(draw->mode);
      row["vertices"] = draw->index_count;
      row["instances"] = draw->instance_count;
      add(image, "position", draw->position, row);
      add(image, "varying", draw->varying, row);
      if (const auto state = valhall::read_draw(image, job))
        add(image, "fragment", state->fragment, row);
      else
        row["error"] = to_string(state.error());
    }
    return row;
  }
  std::size_t draws() const { return draws_; }
  Json programs() const {
    Json list = Json::array();
    for (const auto& [address, program] : programs_) {
      Json row = program.json;
      row["jobs"] = program.jobs;
      list.push_back(std::move(row));
    }
    return list;
  }

 private:
  struct Program {
    Json json;
    std::size_t jobs = 0;
  };

  void add(const valhall::Image& image, const char* key, const valhall::Environment& environment, Json& row) {
    if (!environment.program) return;
    const std::uint64_t address = environment.program->address;
    row[key] = hex_address(address);
    Program& program = programs_[address];
    if (program.jobs++ == 0) program.json = program_json(image, environment);
  }

  std::size_t draws_ = 0;
  std::map<std::uint64_t, Program> programs_;
};

}  // namespace

namespace {

// With the names of addresses, draws and uniforms.
Json with_names(const Json& json, const NameTable& names) {
  if (json.is_array()) {
    Json list = Json::array();
    for (const Json& item : json) list.push_back(with_names(item, names));
    return list;
  }
  if (!json.is_object()) return names.with_addresses(json);
  Json object = Json::object();
  for (const JsonMember& member : json.members()) {
    object[member.key] = with_names(member.value, names);
    if (member.key == "draw" && member.value.is_number())
      if (const auto name = names.find(CaptureName::Of::draw, member.value.natural()); !name.empty())
        object["name"] = name;
  }
  const Json* const uniforms = json.find("uniforms");
  if (uniforms == nullptr || !uniforms->is_object()) return object;
  for (std::size_t n = 0; n < (*uniforms)["words"].size(); ++n)
    if (const auto name = names.find(CaptureName::Of::uniform, n); !name.empty())
      object["uniforms"]["names"][fmt::format("u{}", n)] = name;
  return object;
}

}  // namespace

Result<Json> valhall_capture(std::span<const valhall::CaptureBytes> files) {
  const std::string file(files.front().name);
  WARPJIT_TRY(const valhall::CaptureFile capture, valhall::load_captures(files));
  if (capture.chains.empty())
    return Error{ErrorCode::bad_input,
                 "the capture names no jobs: --job ADDRESS says where a chain of them begins", file};
  Json json{{"file", file}, {"isa", name(Isa::valhall)}};
  if (capture.gpu != 0) json["gpu"] = hex_address(capture.gpu);
  for (const valhall::ImageWindow& window : capture.image.windows())
    json["windows"].push_back({{"address", hex_address(window.address())}, {"size", window.size()}});
  if (!capture.notes.empty()) json["notes"] = capture.notes;
  CaptureSummary summary;
  Json chains = Json::array();
  std::size_t count = 0;
  valhall::ChainImages images(capture);
  for (const valhall::JobChain& chain : capture.chains) {
    WARPJIT_TRY(const valhall::Image* const image, images.next());
    WARPJIT_TRY(const std::vector<valhall::Job> jobs, valhall::read_jobs(*image, chain.address));
    count += jobs.size();
    if (count > valhall::kMaxJobs)
      return Error{ErrorCode::resource_limit,
                   fmt::format("the chains have more than {} jobs", valhall::kMaxJobs), file};
    Json list = Json::array();
    for (const valhall::Job& job : jobs) list.push_back(summary.job(*image, job));
    chains.push_back({{"address", hex_address(chain.address)}, {"jobs", std::move(list)}});
  }
  const NameTable names(capture.names);
  json["draws"] = summary.draws();
  json["chains"] = with_names(chains, names);
  json["programs"] = with_names(summary.programs(), names);
  if (Json list = names.json(); !list.empty()) json["names"] = std::move(list);
  return json;
}

namespace {

// The memory of the first chain that begins with the job, else that of the first chain.
Result<valhall::Image> image_with_job(std::span<const std::byte> bytes, const std::string& file,
                                      std::uint64_t address, std::vector<CaptureName>* names = nullptr) {
  const valhall::CaptureBytes one{bytes, file};
  WARPJIT_TRY(valhall::CaptureFile capture, valhall::load_captures(std::span(&one, 1)));
  if (names != nullptr) *names = capture.names;
  valhall::ChainImages images(capture);
  for (const valhall::JobChain& chain : capture.chains) {
    WARPJIT_TRY(const valhall::Image* const image, images.next());
    if (chain.address != address) continue;
    if (image != &capture.image) return image->copy();
    break;
  }
  return std::move(capture.image);
}

}  // namespace

Result<Json> valhall_jobs(std::span<const std::byte> bytes, const std::string& file, std::uint64_t address) {
  std::vector<CaptureName> given;
  WARPJIT_TRY(const valhall::Image image, image_with_job(bytes, file, address, &given));
  const NameTable names(given);
  WARPJIT_TRY(const std::vector<valhall::Job> jobs, valhall::read_jobs(image, address));
  if (jobs.size() > kMostJobs)
    return Error{ErrorCode::resource_limit,
                 fmt::format("the chain has {} jobs, more than {}", jobs.size(), kMostJobs), file};
  Json json{{"file", file}, {"isa", name(Isa::valhall)}, {"windows", Json::array()}, {"jobs", Json::array()}};
  for (const valhall::ImageWindow& window : image.windows())
    json["windows"].push_back({{"address", hex_address(window.address())}, {"size", window.size()}});
  for (const valhall::Job& job : jobs) {
    Json row{{"job", name(job.kind)},        {"address", hex_address(job.address)},
             {"index", job.index},           {"dependencies", job.dependencies},
             {"barrier", job.barrier},       {"exception_status", job.exception_status},
             {"next", hex_address(job.next)}};
    std::visit(PayloadJson{image, row}, job.payload);
    json["jobs"].push_back(with_names(row, names));
  }
  return json;
}

Status read_valhall_job(const ImageJob& given, LaunchFile& launch) {
  WARPJIT_TRY(valhall::Image image, image_with_job(given.image, given.name, given.job));
  WARPJIT_TRY(const valhall::Job job, valhall::read_job(image, given.job));
  using valhall::VertexProgram;
  WARPJIT_TRY(const valhall::JobLaunch read,
              given.stage == Stage::compute
                  ? valhall::compute_launch(image, job)
                  : valhall::vertex_launch(image, job,
                                           given.varying ? VertexProgram::varying : VertexProgram::position));
  const auto shader = std::make_shared<valhall::Shader>(read.program);
  const valhall::Environment& environment = environment_of(job, given);
  WARPJIT_TRY(launch.grid.images, valhall::read_images(image, environment, shader->image_uses()));
  const frontend::Grid& from = read.grid;
  const auto fail = [&](std::string what, ErrorCode code) {
    return Error{code, job.place() + ": " + std::move(what), given.name};
  };
  launch.program = shader;
  LaunchGrid& grid = launch.grid;
  grid.parameters = from.parameters;
  grid.buffers = from.buffers;
  if (shader->stage() == Stage::compute) {
    grid.grid = from.grid;
    grid.block = from.block;
    grid.first_block = from.first_block;
  } else {
    grid.vertices = {.count = from.vertices.count,
                     .instances = from.grid[1],
                     .first = from.vertices.first,
                     .first_instance = from.vertices.first_instance,
                     .attribute_offset = from.vertices.attribute_offset,
                     .packet_stride = from.vertices.packet_stride,
                     .attributes = from.vertices.attributes};
    if (launch.threads() > kMaxThreads)
      return fail(fmt::format("more than {} vertices", kMaxThreads), ErrorCode::resource_limit);
  }
  for (const valhall::DescriptorRange& range : read.descriptors)
    grid.descriptors.push_back(
        {range.address, range.size, valhall::overwritten_descriptor(range, given.name)});
  std::uint64_t total = 0;
  const auto add = [&](const std::string& space, bool constant, std::uint64_t address,
                       std::span<const std::byte> bytes) {
    total += bytes.size();
    if (bytes.empty() || total > kMaxMemoryBytes) return;
    // Pieces are multiples of 8 bytes; what follows a buffer also reads 0.
    std::vector<std::byte> copy(bytes.begin(), bytes.end());
    copy.resize((copy.size() + 7) / 8 * 8);
    grid.memory.push_back({.space = space,
                           .constant = constant,
                           .address = address,
                           .bytes = std::move(copy),
                           .given = bytes.size()});
  };
  for (const valhall::ImageWindow& window : image.windows())
    add("mem", false, window.address(), window.bytes());
  for (std::size_t k = 0; k < valhall::kMaxBuffers; ++k)
    add(fmt::format("c{}", k), true, 0, from.constants[k]);
  if (grid.vertices) {
    const std::uint64_t bytes = launch.threads() * grid.vertices->packet_stride;
    if (bytes > kMaxMemoryBytes) total = bytes;
    if (total <= kMaxMemoryBytes)
      grid.memory.push_back({.space = kResultSpace,
                             .bytes = std::vector<std::byte>(static_cast<std::size_t>(bytes)),
                             .type = ComponentType::f32});
  }
  if (total > kMaxMemoryBytes)
    return fail(fmt::format("memory, buffers and results have more than {} bytes", kMaxMemoryBytes),
                ErrorCode::resource_limit);
  return {};
}

}  // namespace warpjit::tool
