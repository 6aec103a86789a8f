#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "files.h"
#include "frontend/valhall/assembly/assemble.h"
#include "frontend/valhall/assembly/disassemble.h"
#include "frontend/valhall/encoding/encoding.h"
#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/flow/constants.h"
#include "frontend/valhall/interpret/attribute.h"
#include "frontend/valhall/interpret/op.h"
#include "frontend/valhall/shader.h"
#include "guest/guest.h"
#include "guest/valhall/formats.h"
#include "guest/valhall/jobs.h"
#include "guest/valhall/textures.h"
#include "launch/reading.h"
#include "launch/words.h"

namespace warpjit::tool {

namespace {

const valhall::Program& valhall_program(const frontend::Shader& shader) {
  return static_cast<const valhall::Shader&>(shader).program();
}

constexpr std::uint32_t kBufferBytes = 64;  // code does not say how much of a buffer it reads

// Those of table 0 that are loaded, and handles of those whose address must be known.
struct NamedBuffers {
  std::array<bool, valhall::kMaxBuffers> constants{};
  std::set<std::uint32_t> in_memory;
  bool computed = false;  // others, too

  void note(bool loads, std::uint32_t handle) {
    if (loads && handle < constants.size())
      constants[handle] = true;
    else
      in_memory.insert(handle);
  }
};

// The buffer that an instruction names, as far as that is known.
void note_buffer(const valhall::Instruction& i, const valhall::RegisterConstants* registers,
                 NamedBuffers& buffers) {
  const bool loads = i.opcode == valhall::Opcode::ld_buffer;
  if (!loads && i.opcode != valhall::Opcode::lea_pka) return;
  const auto handle =
      valhall::constant_of(i.source[1], registers != nullptr ? *registers : valhall::RegisterConstants{});
  if (handle)
    buffers.note(loads, *handle);
  else if (registers != nullptr)
    buffers.computed = true;
}

// Where control comes, constants are followed through registers.
NamedBuffers buffers_of_flow(const valhall::Program& program) {
  NamedBuffers buffers;
  if (const auto code = valhall::find_reached(program))
    valhall::follow_constants(program, *code, valhall::constants_at_start(),
                              [&](std::uint32_t pc, const valhall::RegisterConstants& registers) {
                                note_buffer(*code->at(pc), &registers, buffers);
                              });
  return buffers;
}

// What the code names of uniforms, buffers and memory, wherever it is.
GridUse find_use(const valhall::Program& program) {
  GridUse use;
  std::uint32_t uniforms = 0;
  bool memory = false, stores = false;
  NamedBuffers buffers = buffers_of_flow(program);
  for (const std::uint64_t word : program.code) {
    const auto i = valhall::decode(word);
    if (!i) continue;
    for (const valhall::Source& source : i->source)
      if (source.kind == valhall::Source::Kind::uniform)
        uniforms = std::max(uniforms, source.value + (source.wide ? 2U : 1U));
      else if (source.kind == valhall::Source::Kind::special)
        use.shared = use.shared ||
                     valhall::special_name(valhall::special_page(source.value),
                                           valhall::special_entry(source.value)) == "workgroup_local_pointer";
    note_buffer(*i, nullptr, buffers);
    const bool changes = i->opcode == valhall::Opcode::store || i->opcode == valhall::Opcode::atom ||
                         i->opcode == valhall::Opcode::st_cvt || i->opcode == valhall::Opcode::atom_return ||
                         i->opcode == valhall::Opcode::atom1_return;
    stores = stores || changes;
    memory = memory || changes || i->opcode == valhall::Opcode::load;
    if (const auto entry = valhall::image_entry(*i);
        entry && entry->table == valhall::kImageTable && entry->index < valhall::kMaxImages)
      use.images = std::max(use.images, entry->index + 1U);
    if (const auto entry = valhall::attribute_entry(*i); entry && entry->index < valhall::kMaxAttributes)
      use.attributes = std::max(use.attributes, entry->index + 1U);
    use.results = use.results || (i->opcode == valhall::Opcode::lea_buf_imm && i->table == 0xd);
  }
  if (program.stage == Stage::vertex) {  // what they store are results
    stores = false;
    memory = use.attributes != 0;
  }
  use.buffers.assign(buffers.in_memory.begin(), buffers.in_memory.end());
  if (use.buffers.size() > valhall::kMaxBufferSources) use.buffers.resize(valhall::kMaxBufferSources);
  memory = memory || use.images != 0 || !use.buffers.empty() || buffers.computed;
  use.shared = use.shared && program.stage == Stage::compute && program.shared_bytes == 0;
  use.parameter_bytes = 4 * uniforms;
  for (std::size_t k = 0; k < buffers.constants.size(); ++k)
    if (buffers.constants[k])
      use.spaces.push_back({.name = fmt::format("c{}", k), .constant = true, .bytes = kBufferBytes});
  if (memory) use.spaces.push_back({.name = "mem", .written = stores});
  return use;
}

// The only program of a source.
class ValhallContainer final : public Container {
 public:
  explicit ValhallContainer(valhall::Program program) : program_(std::move(program)) {}

  std::size_t size() const override { return 1; }
  Stage stage(std::size_t) const override { return program_.stage; }
  Result<ShaderPtr> load(const ProgramRequest& request, const GuestModes& modes) const override {
    WARPJIT_CHECK(
        check_only_program(request, program_.stage, 8 * program_.code.size(), 8, program_.source_name));
    valhall::Program program = program_;
    program.entry = request.address.value_or(0);
    program.fragment = modes_or_usual<valhall::FragmentSetup>(modes);
    return ShaderPtr(std::make_shared<valhall::Shader>(std::move(program)));
  }

 private:
  valhall::Program program_;
};

class ValhallGuest final : public Guest,
                           public MemorySpaces,
                           public SampledTextures,
                           public FetchedAttributes,
                           public MemoryJobs {
 public:
  ValhallGuest()
      : Guest({.isa = Isa::valhall,
               .stages = kStages,
               .file_kinds = "a Valhall assembly source (whose name ends in .valhall)",
               .words = {.code = std::size_t{2} * valhall::kMaxCodeWords,
                         .entry_unit = 4,
                         .registers = 64,
                         .local_bytes = valhall::kMaxLocalBytes}},
              {.spaces = this, .samples = this, .attributes = this, .jobs = this}) {}

  bool recognizes(std::string_view, const std::string& name) const override {
    return name.ends_with(".valhall");
  }
  Result<std::unique_ptr<Container>> read(std::span<const std::byte> bytes,
                                          const std::string& name) const override {
    WARPJIT_TRY(valhall::Program program, valhall::assemble(as_text(bytes), name));
    return std::unique_ptr<Container>(new ValhallContainer(std::move(program)));
  }
  Result<ShaderPtr> load_words(const RawWords& words, const GuestModes& modes) const override {
    WARPJIT_TRY(valhall::Program program,
                valhall::read_words(std::as_bytes(std::span(words.code)), words.stage, words.source_name));
    if (words.entry % 8 != 0)
      return Error{ErrorCode::bad_input, fmt::format("no instruction begins at byte {:#x}", words.entry),
                   words.source_name};
    program.entry = words.entry;
    program.local_bytes = words.local_bytes;
    program.fragment = modes_or_usual<valhall::FragmentSetup>(modes);
    return ShaderPtr(std::make_shared<valhall::Shader>(std::move(program)));
  }
  Result<Assembled> assemble(std::span<const SourceText> sources,
                             const AssembleOptions& options) const override {
    WARPJIT_TRY(const SourceText source, only_source(sources, options));
    WARPJIT_TRY(valhall::Program program, valhall::assemble(source.text, source.name));
    Assembled assembled;
    assembled.container = valhall::write_words(program);
    assembled.summary = fmt::format("{} instructions", program.code.size());
    assembled.programs = std::make_unique<ValhallContainer>(std::move(program));
    return assembled;
  }

  // Fragment programs have modes: what their draw says.
  Result<GuestModes> read_modes(const JsonField& field) const override {
    WARPJIT_CHECK(
        field.expect_keys({"blend-targets", "points-from-bottom", "texture-table", "sampler-table"}));
    valhall::FragmentSetup setup;
    WARPJIT_CHECK(read_flag(field, "points-from-bottom", setup.points_from_bottom));
    for (const auto& [key, table] : {std::pair("texture-table", &setup.texture_table),
                                     std::pair("sampler-table", &setup.sampler_table)}) {
      WARPJIT_TRY(const std::uint32_t number, number_at(field, key, 0, valhall::kMaxTable, *table));
      *table = static_cast<std::uint8_t>(number);
    }
    const auto targets = field.find("blend-targets");
    if (!targets) return GuestModes(setup);
    WARPJIT_CHECK(targets->expect_array());
    if (targets->size() > setup.blend_targets.size())
      return targets->error(fmt::format("at most {} descriptors", setup.blend_targets.size()));
    setup.blend_targets.fill(valhall::FragmentSetup::kNoTarget);
    for (std::size_t k = 0; k < targets->size(); ++k) {
      if (targets->at(k).json().is_null()) continue;
      WARPJIT_TRY(const std::int64_t target, targets->at(k).integer(0, kMaxColorTargets - 1));
      setup.blend_targets[k] = static_cast<std::uint8_t>(target);
    }
    return GuestModes(setup);
  }
  Json words_json(const frontend::Shader& shader) const override {
    Json words = Json::array();
    for (const std::uint64_t word : valhall_program(shader).code)
      for (const unsigned half : {0, 32}) words.push_back(hex(static_cast<std::uint32_t>(word >> half)));
    Json json{{"words", std::move(words)}};
    if (const std::uint32_t local = valhall_program(shader).local_bytes; local != 0) json["local"] = local;
    if (const std::uint32_t entry = valhall_program(shader).entry; entry != 0) json["entry"] = entry;
    return json;
  }
  Json modes_json(const frontend::Shader& shader) const override {
    const valhall::FragmentSetup &setup = valhall_program(shader).fragment, usual;
    Json json = Json::object();
    if (setup.blend_targets != usual.blend_targets)
      for (const std::uint8_t target : setup.blend_targets)
        json["blend-targets"].push_back(target < kMaxColorTargets ? Json(target) : Json());
    if (setup.points_from_bottom) json["points-from-bottom"] = true;
    if (setup.texture_table != usual.texture_table) json["texture-table"] = setup.texture_table;
    if (setup.sampler_table != usual.sampler_table) json["sampler-table"] = setup.sampler_table;
    return json;
  }
  Json textures(const frontend::Shader& shader) const override { return valhall_textures(shader); }
  Json samplers(const frontend::Shader& shader) const override { return valhall_samplers(shader); }

  Result<std::uint32_t> read_format(const JsonField& field) const override {
    std::uint32_t format = 0;
    if (field.json().is_string() && !field.json().string().starts_with("0x")) {
      WARPJIT_TRY(const std::string text, field.string());
      const auto found = find_valhall_format(text);
      if (!found)
        return field.error("there is no format '" + text + "'; a number of 22 bits, or one of " +
                           valhall_format_names());
      format = *found;
    } else {
      WARPJIT_TRY(const std::int64_t number, field.integer(0, 0xffffffff, 32));
      format = static_cast<std::uint32_t>(number);
    }
    if (const auto known = valhall::find_vertex_format(format); !known)
      return field.error(known.error().message, known.error().code);
    return format;
  }
  std::string format_name(std::uint32_t format) const override { return valhall_format_name(format); }
  GridLimits grid_limits() const override {
    constexpr std::uint32_t kMost = valhall::kMaxBlockThreads;
    return {.grid = {65535, 65535, 65535},
            .block = {kMost, kMost, kMost},
            .shared_bytes = valhall::kMaxSharedBytes,
            .parameter_bytes = 4 * valhall::kMaxUniformWords,
            .first_block = true};
  }
  Result<GridUse> use(const frontend::Shader& shader) const override {
    return find_use(valhall_program(shader));
  }

  Result<std::string> list(const frontend::Shader& shader, const ListOptions& options) const override {
    WARPJIT_CHECK(check_names(options));
    // Every form of the listing is exact.
    return valhall::disassemble(valhall_program(shader), {.words = options.words, .labels = options.labels});
  }
  Json list_json(const frontend::Shader& shader) const override {
    const std::vector<std::uint64_t>& code = valhall_program(shader).code;
    Json list = Json::array();
    for (std::size_t k = 0; k < code.size(); ++k) {
      Json row{{"address", 8 * k}, {"words", {fmt::format("{:#018x}", code[k])}}};
      if (const auto decoded = valhall::decode(code[k])) {
        row["text"] = valhall::disassemble(*decoded);
        row["mnemonic"] = valhall::mnemonic(*decoded);
      } else {
        row["why"] = decoded.error().message;
      }
      list.push_back(std::move(row));
    }
    return list;
  }
  std::string instruction(const frontend::Shader& shader, std::uint32_t address) const override {
    const auto decoded = valhall::decode(valhall_program(shader).code, address);
    return decoded ? valhall::disassemble(*decoded) : std::string();
  }
  void describe(const frontend::Shader& shader, Json& json) const override {
    const auto images = static_cast<const valhall::Shader&>(shader).image_uses();
    if (!images.empty()) json["images"] = images;
  }
  std::string_view source_ending() const override { return ".valhall"; }
  Result<std::optional<assembly::SourceNotes>> source_notes(const frontend::Shader& shader,
                                                            const SourceText& source) const override {
    assembly::SourceNotes notes;
    WARPJIT_TRY(const valhall::Program program, valhall::assemble(source.text, source.name, &notes));
    if (program.code != valhall_program(shader).code) return std::optional<assembly::SourceNotes>();
    return std::optional(std::move(notes));
  }
  Result<Json> list(std::span<const std::byte> image, const std::string& name,
                    std::uint64_t address) const override {
    return valhall_jobs(image, name, address);
  }
  Result<Json> summarize(std::span<const valhall::CaptureBytes> files) const override {
    return valhall_capture(files);
  }
  Status read(const ImageJob& job, LaunchFile& launch) const override {
    return read_valhall_job(job, launch);
  }

 private:
  static constexpr Stage kStages[] = {Stage::compute, Stage::vertex, Stage::fragment};
};

}  // namespace

const Guest& valhall_guest() {
  static const ValhallGuest kGuest;
  return kGuest;
}

}  // namespace warpjit::tool
