#include "launch/read_launch.h"

#include <algorithm>
#include <limits>

#include "launch/reading.h"

namespace warpjit::tool {

namespace {

constexpr unsigned bit(Work work) { return 1u << static_cast<unsigned>(work); }
constexpr unsigned kThreaded = bit(Work::rows) | bit(Work::primitives),
                   kPrimitiveWork = bit(Work::primitives), kGrid = bit(Work::grid),
                   kPixels = bit(Work::pixels),
                   kVertices = 1u << 7,  // vertex programs that fetch attributes, in place of Work::grid
    kAll = kThreaded | kGrid | kPixels | kVertices;

// The keys of a launch file, and the kinds of work that have them.
struct Key {
  std::string_view name;
  unsigned works;
};
constexpr Key kKeys[] = {{"warpjit", kAll},
                         {"isa", kAll},
                         {"stage", kAll},
                         {"program", kAll},
                         {"modes", kAll},
                         {"count", kThreaded | kPixels},
                         {"uniforms", kThreaded | kPixels},
                         {"state", kThreaded},
                         {"inputs", kThreaded},
                         {"geometry", kPrimitiveWork | kPixels},
                         {"vertex", kPrimitiveWork | kPixels},
                         {"grid", kGrid},
                         {"block", kGrid},
                         {"first_block", kGrid},
                         {"shared", kGrid},
                         {"params", kGrid | kVertices | kPixels},
                         {"memory", kGrid | kVertices | kPixels | bit(Work::rows)},
                         {"outputs", kThreaded | kGrid | kVertices},
                         {"expect", kAll},
                         {"targets", kPixels},
                         {"vertices", kPixels | kVertices},
                         {"streams", bit(Work::rows)},
                         {"attributes", kVertices | bit(Work::rows)},
                         {"buffers", bit(Work::rows) | kPixels},
                         {"images", kGrid | kVertices | kPixels},
                         {"table_buffers", kGrid | kVertices | kPixels},
                         {"indices", kPixels},
                         {"instances", kPixels},
                         {"raster", kPixels},
                         {"output", kPixels},
                         {"textures", kGrid | kPixels | bit(Work::rows)},
                         {"samplers", kGrid | kPixels | bit(Work::rows)}};
// Keys that launches of later guests and stages have.
constexpr std::string_view kLaterKeys[] = {"registers", "chip", "varyings"};

std::string stages_of(unsigned works) {
  std::string stages;
  for (const auto& [work, stage] : {std::pair{kGrid, "'compute'"},
                                    {bit(Work::rows), "'vertex'"},
                                    {bit(Work::primitives), "'geometry'"},
                                    {kPixels, "'fragment'"},
                                    {kVertices, "'vertex' of Valhall"}})
    if ((works & work) != 0) stages += (stages.empty() ? "" : " and ") + std::string(stage);
  return stages;
}

Work work_of(const Guest& guest, Stage stage) {
  if (stage == Stage::compute || (stage == Stage::vertex && guest.attributes() != nullptr)) return Work::grid;
  if (stage == Stage::fragment) return Work::pixels;
  return stage == Stage::geometry ? Work::primitives : Work::rows;
}

template <class Container>
bool contains(const Container& container, std::string_view text) {
  return std::find(std::begin(container), std::end(container), text) != std::end(container);
}

class Reader {
 public:
  Reader(const JsonField& root, const FileReader& files) : reading_{root, files} {}

  Result<LaunchFile> read() {
    WARPJIT_CHECK(read_head());
    WARPJIT_TRY(const JsonField program, root().require("program"));
    WARPJIT_CHECK(read_modes());
    WARPJIT_CHECK(read_program(program));
    if (launch().work == Work::primitives) WARPJIT_CHECK(read_primitives(program));
    WARPJIT_CHECK(read_textures(reading_));
    WARPJIT_CHECK(read_images(reading_));
    WARPJIT_CHECK(read_buffers(reading_));
    if (launch().work == Work::pixels) WARPJIT_CHECK(read_draw(program));
    if (launch().work == Work::grid && !program.has("image"))
      WARPJIT_CHECK(stage_ == Stage::vertex ? read_fetching_vertices(reading_) : read_grid(reading_));
    if (launch().work == Work::rows || launch().work == Work::primitives) WARPJIT_CHECK(read_values());
    WARPJIT_CHECK(read_outputs(reading_));
    WARPJIT_CHECK(read_expectations(reading_));
    return std::move(launch());
  }

  // The vertex stage of a geometry launch; that one's program, count and modes are used
  // where it has none of its own.
  Result<LaunchFile> read_vertex_stage(const Reader& geometry, const JsonField& program) {
    WARPJIT_CHECK(root().expect_object());
    WARPJIT_CHECK(root().expect_keys({"program", "modes", "uniforms", "state", "inputs", "streams",
                                      "attributes", "buffers", "outputs", "memory", "textures", "samplers"}));
    reading_.guest = geometry.reading_.guest;
    if (!root().has("modes")) modes_ = geometry.modes_;
    launch().count = launch().rows = geometry.reading_.launch.count;
    if (geometry.reading_.launch.work == Work::pixels) {
      reading_.instances = geometry.reading_.launch.pixels.instances;
      before_geometry_ = geometry.root().has("geometry");
    }
    WARPJIT_CHECK(read_modes());
    WARPJIT_CHECK(read_program(root().has("program") ? root().at("program") : program));
    WARPJIT_CHECK(read_textures(reading_));
    WARPJIT_CHECK(read_values());
    if (geometry.reading_.launch.work == Work::pixels) {
      if (root().has("outputs")) return root().at("outputs").error("all slots come to the rasterizer");
      if (launch().program->varyings().result_slots < (before_geometry_ ? 1 : 4))
        return root().error(before_geometry_ ? "the vertex program gives nothing"
                                             : "the vertex program gives no position");
      return std::move(launch());
    }
    if (root().has("outputs")) {
      WARPJIT_CHECK(read_outputs(reading_));
    } else {
      const frontend::Shader& shader = *launch().program;
      for (unsigned n = 0; n < 64; ++n) {
        if ((shader.declarations().enabled_outputs >> n & 1) == 0) continue;
        WARPJIT_TRY(LaunchOutput output,
                    register_output(shader, shader.register_name(numbered(LocationKind::output, n))));
        launch().outputs.push_back(std::move(output));
      }
    }
    const std::uint64_t possible = launch().program->declarations().vertex_outputs;
    for (const LaunchOutput& output : launch().outputs)
      if ((possible >> output.reg.first & 1) == 0)
        return root().at("outputs").error("'" + output.name +
                                          "' is not an output register that a vertex can have");
    if (launch().outputs.empty())
      return root().error("the vertex program enables no outputs: list 'outputs'");
    return std::move(launch());
  }

  // The geometry stage of a launch over pixels.
  Result<LaunchFile> read_geometry_stage(const Reader& pixels, const JsonField& fragment) {
    WARPJIT_CHECK(root().expect_object());
    WARPJIT_CHECK(root().expect_keys({"program", "modes", "memory", "textures", "samplers"}));
    reading_.guest = pixels.reading_.guest;
    stage_ = Stage::geometry;
    if (!root().has("modes")) modes_ = pixels.modes_;
    WARPJIT_CHECK(read_modes());
    const JsonField program = root().has("program") ? root().at("program") : fragment;
    WARPJIT_CHECK(read_program(program));
    if (!launch().program->varyings().strips)
      return program.error("is no geometry program that makes strips for a rasterizer");
    if (root().has("memory")) WARPJIT_CHECK(read_memory(reading_));
    WARPJIT_CHECK(read_textures(reading_));
    return std::move(launch());
  }

 private:
  const JsonField& root() const { return reading_.root; }
  LaunchFile& launch() { return reading_.launch; }

  Status read_head() {
    WARPJIT_CHECK(root().expect_object());
    WARPJIT_TRY(const JsonField version, root().require("warpjit"));
    WARPJIT_TRY(const std::int64_t number, version.integer(0, std::numeric_limits<std::int64_t>::max()));
    if (number != 1)
      return version.error("version " + std::to_string(number) +
                           " of the launch format is not known; this build reads 1");
    WARPJIT_CHECK(read_guest());
    WARPJIT_CHECK(read_stage());
    WARPJIT_CHECK(check_keys());
    if (launch().work == Work::grid) return {};
    WARPJIT_TRY(const JsonField count, root().require("count"));
    WARPJIT_TRY(const std::int64_t threads, count.integer(1, kMaxThreads, 32));
    launch().count = launch().rows = static_cast<std::uint64_t>(threads);
    return {};
  }

  Status read_guest() {
    WARPJIT_TRY(const JsonField field, root().require("isa"));
    WARPJIT_TRY(const std::string text, field.string());
    const auto isa = parse_isa(text);
    if (!isa) return field.error("unknown isa '" + text + "'; known: " + guest_names());
    reading_.guest = &guest_of(*isa);
    return {};
  }

  Status read_stage() {
    WARPJIT_TRY(const JsonField field, root().require("stage"));
    WARPJIT_TRY(const std::string text, field.string());
    std::string known;
    for (const Stage stage : reading_.guest->traits().stages) {
      known += (known.empty() ? "" : " and ") + std::string(warpjit::name(stage));
      if (text != warpjit::name(stage)) continue;
      stage_ = stage;
      launch().work = work_of(*reading_.guest, stage);
      return {};
    }
    const std::string isa = warpjit::name(reading_.guest->isa());
    if (parse_stage(text))
      return field.error("stage '" + text + "' of " + isa + " is not supported, only " + known,
                         ErrorCode::unsupported);
    return field.error("unknown stage '" + text + "', " + known + " are known");
  }

  // The launch has no keys but those of its kind of work.
  Status check_keys() const {
    const unsigned work =
        reading_.launch.work == Work::grid && stage_ == Stage::vertex ? kVertices : bit(reading_.launch.work);
    std::string known;
    for (const Key& key : kKeys)
      if ((key.works & work) != 0) known += (known.empty() ? "" : ", ") + std::string(key.name);
    for (const auto& [name, value] : root().json().members()) {
      const auto* key = std::find_if(std::begin(kKeys), std::end(kKeys),
                                     [&, &name = name](const Key& k) { return k.name == name; });
      if (contains(kLaterKeys, name))
        return root().at(name).error("not supported yet: '" + name + "' belongs to other guests and stages",
                                     ErrorCode::unsupported);
      if (key == std::end(kKeys)) return root().at(name).error("unknown key (known here: " + known + ")");
      if ((key->works & work) == 0 && work == kVertices)
        return root().at(name).error("does not belong to vertex programs of this guest");
      if ((key->works & work) == 0) return root().at(name).error("belongs to stage " + stages_of(key->works));
    }
    return {};
  }

  Status read_modes() {
    const auto modes = root().find("modes");
    if (!modes) return {};
    WARPJIT_CHECK(modes->expect_object());
    WARPJIT_TRY(modes_, reading_.guest->read_modes(*modes));
    return {};
  }

  Status read_program(const JsonField& program) {
    WARPJIT_CHECK(program.expect_object());
    if (program.has("words")) return read_words(program);
    if (program.has("source") && reading_.guest->traits().takes_source) return read_source(program);
    if (program.has("image") && launch().work == Work::grid && reading_.guest->jobs() != nullptr)
      return read_job(program);
    const bool kernels = stage_ == Stage::compute;
    WARPJIT_CHECK(kernels ? program.expect_keys({"file", "entry", "index", "kernel"})
                          : program.expect_keys({"file", "entry", "index"}));
    if (program.has("entry") && program.has("kernel"))
      return program.error("'kernel' is an older name of 'entry': give one of them");
    WARPJIT_TRY(const JsonField file, program.require("file"));
    WARPJIT_TRY(const std::string file_name, file.string());
    ProgramRequest request;
    request.stage = stage_;
    const auto entry = program.has("kernel") ? program.find("kernel") : program.find("entry");
    if (entry && entry->json().is_string()) {
      set_entry(request, entry->json().string());
    } else if (entry) {
      WARPJIT_TRY(const std::int64_t address,
                  entry->integer(0, static_cast<std::int64_t>(reading_.guest->traits().words.code) - 1, 32));
      request.address = static_cast<std::uint32_t>(address);
    }
    if (const auto index = program.find("index")) {
      WARPJIT_TRY(const std::int64_t number, index->integer(0, 1023, 32));
      request.index = static_cast<std::size_t>(number);
    }
    const auto bytes = reading_.files(file_name);
    if (!bytes) return file.wrap(bytes.error());
    const auto container = reading_.guest->read(*bytes, file_name);
    if (!container) return file.wrap(container.error());
    const auto chosen = (*container)->load(request, modes_);
    if (!chosen) return program.wrap(chosen.error());
    launch().program = *chosen;
    return {};
  }

  // Lines of assembly.
  Status read_source(const JsonField& program) {
    WARPJIT_CHECK(program.expect_keys({"source"}));
    const JsonField source = program.at("source");
    WARPJIT_CHECK(source.expect_array());
    std::string text;
    for (std::size_t k = 0; k < source.size(); ++k) {
      WARPJIT_TRY(const std::string line, source.at(k).string());
      text += line + "\n";
    }
    const auto container = reading_.guest->read(std::as_bytes(std::span(text)), "program.source");
    if (!container) return source.wrap(container.error());
    ProgramRequest request;
    request.stage = stage_;
    const auto chosen = (*container)->load(request, modes_);
    if (!chosen) return source.wrap(chosen.error());
    launch().program = *chosen;
    return {};
  }

  // A job of a memory image, which says everything but results.
  Status read_job(const JsonField& program) {
    WARPJIT_CHECK(stage_ == Stage::vertex ? program.expect_keys({"image", "job", "varying"})
                                          : program.expect_keys({"image", "job"}));
    for (const char* key : {"grid", "block", "first_block", "shared", "params", "memory", "vertices",
                            "attributes", "images", "table_buffers"})
      if (root().has(key)) return root().at(key).error("the job says this: 'program' names one");
    ImageJob job;
    job.stage = stage_;
    WARPJIT_TRY(const JsonField image, program.require("image"));
    WARPJIT_TRY(job.name, image.string());
    WARPJIT_TRY(const JsonField field, program.require("job"));
    WARPJIT_TRY(const std::int64_t address, field.integer(0, std::numeric_limits<std::int64_t>::max(), 64));
    job.job = static_cast<std::uint64_t>(address);
    if (const auto varying = program.find("varying")) {
      WARPJIT_TRY(job.varying, varying->boolean());
    }
    const auto bytes = reading_.files(job.name);
    if (!bytes) return image.wrap(bytes.error());
    job.image = *bytes;
    if (const Status read = reading_.guest->jobs()->read(job, launch()); !read)
      return program.wrap(read.error());
    return {};
  }

  Status read_words(const JsonField& program) {
    const WordsLimits limits = reading_.guest->traits().words;
    if (limits.descriptors != 0) {
      WARPJIT_CHECK(program.expect_keys({"words", "descriptors", "entry"}));
    } else if (limits.entry_unit != 0) {
      WARPJIT_CHECK(program.expect_keys({"words", "entry", "registers", "local", "graphics"}));
    } else {
      WARPJIT_CHECK(program.expect_keys({"words", "registers", "local", "graphics"}));
    }
    RawWords raw;
    raw.stage = stage_;
    raw.graphics.geometry_enabled = before_geometry_;
    raw.source_name = "program.words";
    const JsonField words = program.at("words");
    WARPJIT_CHECK(read_word_list(reading_.files, words, limits.code, false, raw.code));
    if (words.json().is_string()) raw.source_name = words.json().string();
    if (raw.code.empty()) return words.error("a program needs at least one word");
    if (const auto descriptors = program.find("descriptors"))
      WARPJIT_CHECK(read_word_list(reading_.files, *descriptors, limits.descriptors, false, raw.descriptors));
    const auto last_word = (static_cast<std::int64_t>(raw.code.size()) - 1) * limits.entry_unit;
    WARPJIT_TRY(raw.entry, number_at(program, "entry", 0, last_word, 0));
    WARPJIT_TRY(raw.registers, number_at(program, "registers", 1, limits.registers, limits.registers));
    WARPJIT_TRY(raw.local_bytes, number_at(program, "local", 0, limits.local_bytes, 0));
    if (const auto graphics = program.find("graphics")) {
      if (reading_.guest->driver() == nullptr)
        return graphics->error("programs of this guest have no such state");
      WARPJIT_CHECK(reading_.guest->driver()->read_graphics(*graphics, raw));
    }
    const auto loaded = reading_.guest->load_words(raw, modes_);
    if (!loaded) return words.wrap(loaded.error());
    launch().program = *loaded;
    return {};
  }

  Status read_console_values() {
    if (reading_.guest->console() != nullptr) return reading_.guest->console()->read_values(reading_);
    for (const char* const key : {"streams", "attributes", "buffers"})
      if (root().has(key)) return root().at(key).error("does not belong to programs of this guest");
    return {};
  }

  Status read_values() {
    WARPJIT_CHECK(read_uniforms(reading_));
    WARPJIT_CHECK(read_state(reading_));
    WARPJIT_CHECK(read_inputs(reading_));
    WARPJIT_CHECK(read_console_values());
    if (root().has("memory")) WARPJIT_CHECK(read_memory(reading_));
    return check_declared(reading_);
  }

  // What a fragment program has.
  Status read_draw(const JsonField& program) {
    if (const auto uniforms = root().find("uniforms")) {
      if (!reading_.guest->traits().fragment_uniforms)
        return uniforms->error("does not belong to fragment programs of this guest");
      WARPJIT_CHECK(read_uniforms(reading_));
    }
    WARPJIT_CHECK(read_console_values());
    if (root().has("memory")) WARPJIT_CHECK(read_memory(reading_));
    if (const auto params = root().find("params")) {
      if (!launch().program->traits().memory.parameters)
        return params->error("does not belong to fragment programs of this guest");
      WARPJIT_CHECK(read_parameters(reading_));
    }
    WARPJIT_TRY(launch().pixels.instances, number_at(root(), "instances", 1, kMaxInstances, 1));
    if (const auto vertex = root().find("vertex")) {
      if (program.has("words") && !vertex->has("program"))
        return vertex->error("'program' is missing: raw words hold one program");
      WARPJIT_TRY(LaunchFile stage, Reader(*vertex, reading_.files).read_vertex_stage(*this, program));
      launch().vertex.push_back(std::move(stage));
    }
    if (const auto geometry = root().find("geometry")) {
      if (program.has("words") && !geometry->has("program"))
        return geometry->error("'program' is missing: raw words hold one program");
      WARPJIT_TRY(LaunchFile stage, Reader(*geometry, reading_.files).read_geometry_stage(*this, program));
      launch().geometry_stage.push_back(std::move(stage));
    }
    return read_pixels(reading_);
  }

  Status read_primitives(const JsonField& program) {
    if (launch().program->varyings().strips)
      return program.error("runs in draws: 'geometry' of a launch of stage 'fragment'");
    launch().geometry = launch().program->geometry_unit()->geometry_input();
    WARPJIT_CHECK(read_geometry_input(reading_));
    const auto vertex = root().find("vertex");
    if (!vertex) {
      if (launch().geometry.mode == PrimitiveMode::point) return {};
      return root().error(std::string(warpjit::name(launch().geometry.mode)) +
                          " primitives need a vertex stage: 'vertex' is missing");
    }
    if (program.has("words") && !vertex->has("program"))
      return vertex->error("'program' is missing: raw words hold one program");
    WARPJIT_TRY(LaunchFile stage, Reader(*vertex, reading_.files).read_vertex_stage(*this, program));
    launch().vertex.push_back(std::move(stage));
    if (root().has("inputs")) return root().at("inputs").error("inputs belong to the vertex stage");
    // Its outputs fill the registers in their order.
    if (launch().geometry.mode == PrimitiveMode::point)
      for (const std::uint8_t reg : launch().geometry.registers)
        reading_.claimed.emplace(std::pair{LocationKind::input, reg}, "vertex");
    return {};
  }

  Reading reading_;
  Stage stage_ = Stage::vertex;
  bool before_geometry_ = false;  // a vertex program whose results a geometry program reads
  GuestModes modes_;
};

}  // namespace

Result<LaunchFile> parse_launch(std::string_view text, const std::string& name, const FileReader& files) {
  WARPJIT_TRY(const auto document, parse_json(text, name));
  WARPJIT_TRY(LaunchFile launch, Reader(JsonField(document, name), files).read());
  launch.name = name;
  return launch;
}

Result<LaunchFile> read_launch(const std::string& name) { return read_launch(path_of(name)); }
Result<LaunchFile> read_launch(const std::filesystem::path& path) {
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(path, kMaxJsonBytes));
  return parse_launch(as_text(bytes), name_of(path), folder_reader(path.parent_path()));
}

}  // namespace warpjit::tool
