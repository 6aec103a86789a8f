// warpjit info: what a program declares; without a file, what this build and machine can do.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "capture/neutral.h"
#include "capture/texture_rows.h"
#include "command.h"
#include "files.h"
#include "launch/texture_fields.h"
#include "output.h"
#include "render_capture.h"
#include "scene/load_scene.h"
#include "scene/scene_commands.h"

namespace warpjit::tool {

namespace {

// The word that names an instruction: after its condition and what it does besides.
std::string mnemonic(const std::string& text) {
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(text[begin] == '(' ? ')' : ' ', begin);
    const std::string word = text.substr(begin, end - begin);
    if (end == std::string::npos || (word != "exit" && word != "join" && word[0] != '(')) return word;
    begin = text.find_first_not_of(") ", end);
    if (begin == std::string::npos) return word;
  }
}

// How often the code has each instruction.
Json count_instructions(const GivenProgram& given) {
  std::map<std::string, unsigned> counts;
  const Json list = given.guest->list_json(*given.shader);
  for (const Json& row : list)
    ++counts[row.contains("mnemonic") ? row["mnemonic"].string()
             : row.contains("text")   ? mnemonic(row["text"].string())
                                      : "undefined"];
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[name] = count;
  return json;
}

Json symbols_json(std::span<const Symbol> symbols) {
  Json list = Json::array();
  for (const Symbol& symbol : symbols)
    list.push_back({{"name", symbol.name}, {"register", symbol.reg}, {"count", symbol.count}});
  return list;
}

// "rgba8, 2d, block-linear, 16 x 16, 5 levels".
std::string describe_texture(const Texture& texture) {
  std::string text(name(texture.format).value_or("a format without a name"));
  text += fmt::format(", {}{}, {}, {}", kDimensions[static_cast<std::size_t>(texture.dimension)],
                      texture.array ? " array" : "", kLayouts[static_cast<std::size_t>(texture.layout)],
                      texture.width);
  if (texture.height > 1) text += fmt::format(" x {}", texture.height);
  if (texture.depth_extent > 1) text += fmt::format(" x {}", texture.depth_extent);
  if (texture.layers > 1) text += fmt::format(", {} layers", texture.layers);
  if (texture.levels > 1) text += fmt::format(", {} levels", texture.levels);
  return text;
}

// What a program samples and, of a launch, what that is.
void add_samples(const frontend::Shader& shader, const LaunchFile* launch, Json& list) {
  for (const frontend::TextureUse& use : shader.sampling().uses) {
    Json row{{"stage", name(shader.stage())}, {"texture", use.texture}};
    if (use.needs_sampler) row["sampler"] = use.sampler;
    if (launch != nullptr) {
      const auto bound = std::ranges::find(launch->textures, unsigned{use.texture}, &LaunchTexture::slot);
      row["bound"] = bound == launch->textures.end() ? "nothing" : describe_texture(bound->texture);
    }
    list.push_back(std::move(row));
  }
}
Json samples_json(const GivenProgram& given) {
  Json list = Json::array();
  add_samples(*given.shader, given.launch ? &*given.launch : nullptr, list);
  if (!given.launch) return list;
  for (const auto* stages : {&given.launch->vertex, &given.launch->geometry_stage})
    for (const LaunchFile& stage : *stages) add_samples(*stage.program, &stage, list);
  return list;
}

Json program_json(const GivenProgram& given) {
  const frontend::Shader& shader = *given.shader;
  const Resources resources = shader.resources();
  Json json{{"stage", name(shader.stage())},
            {"name", shader.name()},
            {"entry", shader.entry()},
            {"code_words", shader.code_words()},
            {"registers", resources.registers},
            {"shared", resources.shared_bytes},
            {"local", resources.local_bytes},
            {"inputs", symbols_json(shader.declarations().inputs)},
            {"uniforms", symbols_json(shader.declarations().uniforms)},
            {"outputs", symbols_json(shader.declarations().outputs)},
            {"constants", Json::array()},
            {"labels", Json::array()}};
  if (Json samples = samples_json(given); !samples.empty()) json["samples"] = std::move(samples);
  given.guest->describe(shader, json);
  json["instructions"] = count_instructions(given);
  return json;
}

// A value of the JSON as text: strings without their quotes, long ones in short.
std::string plain(const Json& value) {
  return value.is_string() ? text::shortened(value.string()) : value.dump();
}

// The parts of a list, with spaces between.
std::string list_text(const Json& list) {
  std::string text;
  for (const Json& part : list) text += (text.empty() ? "" : " ") + plain(part);
  return text;
}

// The members of an object, "key value" each.
std::string members(const Json& object) {
  std::string text;
  for (const auto& [key, value] : object.members())
    if (value != "")
      text += (text.empty() ? "" : ", ") + key + " " + (value.is_array() ? list_text(value) : plain(value));
  return text;
}

void print_symbols(const char* kind, const Json& list) {
  for (const Json& symbol : list) {
    std::string reg = plain(symbol["register"]);
    if (symbol.contains("count") && symbol["count"] != 1) reg += " x" + plain(symbol["count"]);
    if (symbol.contains("components")) reg += "." + plain(symbol["components"]);
    print_out("  {:8} {:10} {}{}\n", kind, reg, plain(symbol["name"]),
              symbol.contains("alias") ? " (" + plain(symbol["alias"]) + ")" : "");
  }
}

void print_program(const Json& json, std::size_t index) {
  print_out("\nprogram {}: {}, entry {:#x}{}{}\n", index, plain(json["stage"]), json["entry"].natural(),
            json["name"] == "" ? std::string() : " (" + plain(json["name"]) + ")",
            json.contains("geometry") ? ", " + plain(json["geometry"]["mode"]) + " primitives" : "");
  if (json.contains("geometry") && json["geometry"].size() > 1)
    print_out("  geometry {}\n", members(json["geometry"]));
  if (json["registers"] != 0)
    print_out("  needs    {} registers, {} bytes of shared memory, {} bytes of local memory\n",
              plain(json["registers"]), plain(json["shared"]), plain(json["local"]));
  if (json.contains("graphics")) print_out("  graphics {}\n", members(json["graphics"]));
  print_symbols("input", json["inputs"]);
  print_symbols("uniform", json["uniforms"]);
  for (const Json& constant : json["constants"])
    if (constant.contains("register"))
      print_out("  constant {:10} {}\n", plain(constant["register"]), plain(constant["value"]));
    else
      print_out("  constant {}\n", members(constant));
  print_symbols("output", json["outputs"]);
  if (json.contains("images")) {
    std::string numbers;
    for (const Json& number : json["images"]) numbers += (numbers.empty() ? "" : ", ") + plain(number);
    print_out("  images   {}\n", numbers);
  }
  if (json.contains("samples"))
    for (const Json& row : json["samples"]) print_out("  samples  {}\n", members(row));
  for (const Json& label : json["labels"])
    print_out("  label    {:#010x} {}\n", label["address"].natural(), plain(label["name"]));
}

int show_programs(const ProgramInput& input, bool as_json) {
  const auto list = load_programs(input);
  if (!list) return fail(list.error());
  Json programs = Json::array();
  for (const GivenProgram& given : *list) programs.push_back(program_json(given));
  const char* isa = list->empty() ? "" : name(list->front().guest->isa());
  if (as_json) {
    print_json({{"file", input.file}, {"isa", isa}, {"programs", std::move(programs)}});
    return kOk;
  }
  print_out("{}: {}, {} program{}\n", input.file, isa, programs.size(), programs.size() == 1 ? "" : "s");
  for (std::size_t k = 0; k < programs.size(); ++k) {
    const Json& program = programs[k];
    if (k == 0 || program["instructions"] != programs[k - 1]["instructions"])
      print_out("{} code words: {}\n", plain(program["code_words"]), members(program["instructions"]));
    print_program(program, k);
  }
  return kOk;
}

// A tree of objects and lists, the keys of an object below each other; what has no parts is on one line.
void print_tree(const Json& json, int indent) {
  const auto flat = [](const Json& value) {
    return std::ranges::none_of(value, &Json::is_structured) &&
           std::ranges::none_of(value.members(), &Json::is_structured, &JsonMember::value);
  };
  const auto print = [&](std::string_view label, const Json& value) {
    if (!value.is_structured())
      print_out("{:{}}{} {}\n", "", indent, label, plain(value));
    else if (value.is_array() && flat(value))
      print_out("{:{}}{} {}\n", "", indent, label, list_text(value));
    else if (value.is_object() && flat(value))
      print_out("{:{}}{} {}\n", "", indent, label, members(value));
    else {
      print_out("{:{}}{}\n", "", indent, label);
      print_tree(value, indent + 2);
    }
  };
  for (const Json& value : json) print("-", value);
  for (const auto& [key, value] : json.members()) print(key, value);
}

int show(const Result<Json>& json, bool as_json) {
  if (!json) return fail(json.error());
  if (as_json)
    print_json(*json);
  else
    print_tree(*json, 0);
  return kOk;
}

// Nothing in an image says whose memory it is; one guest has them.
int show_jobs(const std::string& file, const std::string& job, bool as_json) {
  const auto address = text::parse_unsigned(job, UINT64_MAX);
  if (!address) return fail({ErrorCode::bad_input, "an address is a number, as 0xf7fda180", "--job"});
  const auto bytes = read_file(file);
  if (!bytes) return fail(bytes.error());
  return show(guest_of(Isa::valhall).jobs()->list(*bytes, file, *address), as_json);
}

int show_capture(const std::string& file, const std::vector<std::string>& more, const std::string& textures,
                 bool as_json) {
  const auto files = read_capture_files({.file = file, .jobs = {}, .more = more, .gpu = {}});
  if (!files) return fail(files.error());
  const auto with_textures = [&]() -> Result<Json> {
    WARPJIT_TRY(Json json, guest_of(Isa::valhall).jobs()->summarize(files->list()));
    if (textures.empty()) return json;
    WARPJIT_TRY(const Capture capture, Capture::load(files->list()));
    WARPJIT_TRY(json["textures"], list_textures(capture, textures));
    return json;
  };
  return show(with_textures(), as_json);
}

const char* name(CodeMemory mode) {
  constexpr const char* kNames[] = {"automatic", "dual", "flip", "none"};
  return kNames[static_cast<std::size_t>(mode)];
}

int show_build(bool as_json) {
  const Version v = version();
  const EngineOptions defaults;
  const EngineInfo host = Engine(defaults).info(), again = Engine(defaults).info();
  // Where memory is short for a moment, an engine does without code memory or with another kind.
  if (host.jit != again.jit || host.code_memory != again.code_memory || host.concurrency != again.concurrency)
    return fail({ErrorCode::resource_limit, "out of memory", {}});
  std::vector<std::string> targets;
  for (const Target target : host.targets) targets.push_back(warpjit::name(target));
  Json isas = Json::array();
  std::string names;
  for (const Guest* guest : guests()) {
    std::string stages;
    for (const Stage stage : guest->traits().stages)
      stages += (stages.empty() ? "" : ", ") + std::string(warpjit::name(stage));
    isas.push_back(warpjit::name(guest->isa()));
    names += (names.empty() ? "" : ", ") + std::string(warpjit::name(guest->isa())) + " (" + stages + ")";
  }
  if (as_json) {
    Json json{{"version", fmt::format("{}.{}.{}", v.major, v.minor, v.patch)},
              {"isas", std::move(isas)},
              {"targets", targets},
              {"jit", host.jit}};
    if (host.jit)
      json["code_memory"] = name(host.code_memory);
    else
      json["no_jit_reason"] = host.no_jit_reason;
    json["concurrency"] = host.concurrency;
    json["cache_bytes"] = defaults.cache_bytes;
    json["compile_threads"] = defaults.compile_threads;
    print_json(json);
    return kOk;
  }
  print_out("warpjit {}.{}.{}\nguests:  {}\n", v.major, v.minor, v.patch, names);
  std::string list;
  for (const std::string& target : targets) list += (list.empty() ? "" : ", ") + target;
  print_out(
      "targets: {}\njit:     {}\nthreads: {}, and {} that compiles in the background\ncache:   {} MiB\n",
      list.empty() ? "none" : list,
      host.jit ? fmt::format("yes, code memory {}", name(host.code_memory)) : "no: " + host.no_jit_reason,
      host.concurrency, defaults.compile_threads, defaults.cache_bytes >> 20);
  return kOk;
}

}  // namespace

void add_info(Command& app) {
  struct InfoOptions {
    ProgramInput input;
    std::optional<std::string> file;
    std::vector<std::string> more;
    bool json = false, all = false, registers = false;
    std::string job, textures;
  };
  const auto options = std::make_shared<InfoOptions>();
  Command command = app.add_command("info", "What a program declares, or what this machine can run");
  const Option file = command.option("file", options->file,
                                     "SHBIN, cubin, assembly source (*.pica, *.tesla), bare words, "
                                     "launch file, capture or scene; none: this build and machine");
  command.option("more", options->more, "further texts of PAN_MESA_DEBUG=trace,dump, of the same run")
      .needs(file);
  add_program_options(command, options->input);
  for (const char* option : {"--entry", "--program", "--words"}) command.existing(option).needs(file);
  command
      .option("--job", options->job,
              "the file is a memory image of a Valhall GPU: the chain of jobs that begins at this address")
      .needs(file);
  for (const char* option : {"--entry", "--program", "--words"})
    command.existing("--job").excludes(command.existing(option));
  command.flag("--all", options->all, "of a scene or a capture all draws, not only the first 16");
  command.flag("--registers", options->registers,
               "of a scene the registers that changed since the draw before, by name");
  command
      .option(
          "--textures", options->textures,
          "of a scene or a capture a folder for the textures of its draws, as pictures of at most 128 x 128")
      .needs(file);
  command.flag("--json", options->json, "print JSON");
  command.footer(
      "Examples:\n"
      "  warpjit info\n"
      "  warpjit info examples/pica200/mvp_light.shbin\n"
      "  warpjit info shader.shbin --json\n"
      "  warpjit info frame.wjcap\n"
      "  warpjit info run.0000 run.0001\n"
      "  warpjit info scene.json --all --registers --textures pictures\n"
      "  warpjit info memory.pages --job 0xf7fda180");
  command.action([options] {
    if (!options->file && (options->all || options->registers))
      return fail({ErrorCode::bad_input, "--all and --registers are for scenes", {}});
    if (!options->file) return show_build(options->json);
    options->input.file = *options->file;
    if (!options->job.empty()) return show_jobs(options->input.file, options->job, options->json);
    const ProgramInput& input = options->input;
    const bool chosen = !input.entry.empty() || !input.stage.empty() || !input.words.empty();
    if (!chosen && is_neutral_capture(input.file)) {
      if (!options->more.empty() || options->registers)
        return fail(
            {ErrorCode::bad_input, "such captures take neither further files nor --registers", input.file});
      return show_neutral({input.file, options->all, options->json, options->textures});
    }
    if (!chosen && is_capture({input.file, {}}))
      return show_capture(input.file, options->more, options->textures, options->json);
    if (!options->more.empty())
      return fail(
          {ErrorCode::bad_input, "further files are for texts of PAN_MESA_DEBUG=trace,dump", input.file});
    if (!chosen && is_scene(input.file))
      return show_scene({input.file, options->all, options->registers, options->json, options->textures});
    if (options->all || options->registers || !options->textures.empty())
      return fail({ErrorCode::bad_input, "--all, --registers and --textures are for scenes", input.file});
    return show_programs(options->input, options->json);
  });
}

}  // namespace warpjit::tool
