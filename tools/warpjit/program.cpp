#include "program.h"

#include <fmt/core.h>

#include <filesystem>

#include "files.h"
#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "launch/template.h"
#include "scene/load_scene.h"
#include "scene/scene_program.h"

namespace warpjit::tool {

namespace {

Error wrong(std::string message, std::string where) {
  return {ErrorCode::bad_input, std::move(message), std::move(where)};
}

std::string file_name(const std::string& path) { return name_of(path_of(path).filename()); }

Result<GivenProgram> load_launch_program(const ProgramInput& input) {
  for (const auto& [given, option] :
       {std::pair(&input.entry, "--entry"), std::pair(&input.stage, "--program")})
    if (!given->empty())
      return wrong("a launch file says this itself; the option is for files of programs", option);
  GivenProgram given;
  WARPJIT_TRY(given.launch, read_launch(input.file));
  given.shader = given.launch->program;
  given.guest = &given.launch->guest();
  return given;
}

Result<ProgramRequest> request_of(const ProgramInput& input, const Guest& guest) {
  ProgramRequest request;
  if (!input.entry.empty()) set_entry(request, input.entry);
  if (input.stage.empty()) return request;
  request.stage = parse_stage(input.stage);
  for (const Stage stage : guest.traits().stages)
    if (request.stage == stage) return request;
  return wrong(std::string(name(guest.isa())) + " has no " + input.stage + " programs", "--program");
}

Result<GivenProgram> load_words(const ProgramInput& input) {
  const auto isa = parse_isa(input.words);
  if (!isa) return wrong("there is no guest '" + input.words + "'; known: " + guest_names(), "--words");
  GivenProgram given;
  given.guest = &guest_of(*isa);
  const WordsLimits& limits = given.guest->traits().words;
  WARPJIT_TRY(const ProgramRequest request, request_of(input, *given.guest));
  if (!input.descriptors.empty() && limits.descriptors == 0)
    return wrong(input.words + " has no operand descriptors", "--descriptors");
  if (!request.entry.empty())
    return wrong("'" + request.entry + "' is no address; bare words have no names", "--entry");
  if (request.address && limits.entry_unit == 0)
    return wrong("programs in bare words of " + input.words + " begin with the first word", "--entry");
  RawWords raw;
  raw.stage = request.stage.value_or(given.guest->traits().stages.front());
  raw.entry = request.address.value_or(0);
  raw.guess_state = true;
  raw.source_name = input.file;
  WARPJIT_TRY(const std::vector<std::byte> code, read_file(input.file));
  WARPJIT_TRY(raw.code, words_from(code, input.file));
  given.json["words"] = file_name(input.file);
  if (!input.descriptors.empty()) {
    WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(input.descriptors));
    WARPJIT_TRY(raw.descriptors, words_from(bytes, input.descriptors));
    given.json["descriptors"] = file_name(input.descriptors);
  }
  if (request.address) given.json["entry"] = *request.address;
  WARPJIT_TRY(given.shader, given.guest->load_words(raw, {}));
  // What is only guessed is there to be filled in.
  const Json whole = given.guest->words_json(*given.shader);
  if (whole.contains("graphics")) given.json["graphics"] = whole["graphics"];
  if (whole.contains("local") && whole["local"] != 0) given.json["local"] = whole["local"];
  return given;
}

// A container or source, none of its programs chosen yet.
Result<GivenProgram> read_program_file(const ProgramInput& input) {
  if (!input.descriptors.empty()) return wrong("descriptors belong to bare words: --words", "--descriptors");
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(input.file));
  GivenProgram given;
  given.guest = find_guest(as_text(bytes), input.file);
  if (given.guest == nullptr)
    return wrong("no program of a known kind: " + all_file_kinds() +
                     "; a launch file; a capture of a Valhall GPU (.wjcap), for `info`, `launch --draw` and "
                     "`render`. With --words it can hold bare words, with --job memory of a Valhall GPU",
                 input.file);
  WARPJIT_TRY(given.container, given.guest->read(bytes, input.file));
  given.json["file"] = file_name(input.file);
  return given;
}

}  // namespace

Result<GivenProgram> load_program(const ProgramInput& input) {
  if (!input.words.empty()) return load_words(input);
  if (is_launch_file(input.file)) return load_launch_program(input);
  WARPJIT_TRY(GivenProgram given, read_program_file(input));
  WARPJIT_TRY(const ProgramRequest request, request_of(input, *given.guest));
  WARPJIT_TRY(given.shader, given.container->load(request, {}));
  if (request.address) given.json["entry"] = *request.address;
  if (!request.entry.empty()) given.json["entry"] = request.entry;
  return given;
}

Result<std::vector<GivenProgram>> load_programs(const ProgramInput& input) {
  std::vector<GivenProgram> list;
  if (!input.words.empty() || !input.entry.empty() || !input.stage.empty() || is_launch_file(input.file)) {
    WARPJIT_TRY(GivenProgram given, load_program(input));
    list.push_back(std::move(given));
    return list;
  }
  WARPJIT_TRY(const GivenProgram file, read_program_file(input));
  for (std::size_t k = 0; k < file.container->size(); ++k) {
    list.push_back(file);
    ProgramRequest request;
    request.index = k;
    WARPJIT_TRY(list.back().shader, file.container->load(request, {}));
  }
  return list;
}

Result<LaunchFile> launch_of(const GivenProgram& given, const ProgramInput& input, std::uint32_t count) {
  if (given.launch) return *given.launch;
  WARPJIT_TRY(const Json document, launch_template(given, count));
  // What the template names lies beside the program, or is a link there.
  const std::filesystem::path folder = path_of(input.file).parent_path();
  const FileReader files = [&](const std::string& name) {
    return read_file(name == file_name(input.descriptors) ? path_of(input.descriptors)
                                                          : folder / path_of(name));
  };
  return parse_launch(document.dump(), input.file, files);
}

Result<frontend::Facts> facts_of(const GivenProgram& given, const ProgramInput& input) {
  const bool rows = given.shader->stage() == Stage::vertex && given.guest->attributes() == nullptr;
  // What textures are is known from those of a launch.
  const bool alone = (rows && given.shader->sampling().uses.empty()) || given.shader->varyings().strips;
  if (given.launch || !alone) {
    WARPJIT_TRY(LaunchFile launch, launch_of(given, input, 0));
    WARPJIT_TRY(const BoundLaunch bound, BoundLaunch::make(std::move(launch)));
    return bound.facts(!given.launch);
  }
  frontend::Facts facts = general_facts(*given.shader);
  WARPJIT_TRY(facts.samples, template_samples(given));
  return facts;
}

Result<Translated> translate(const ProgramInput& input, bool dispatch, bool half_arithmetic) {
  if (is_scene(input.file)) return translate_scene_draw(input);
  if (input.draw) return wrong("only scenes have draws", "--draw");
  WARPJIT_TRY(const GivenProgram given, load_program(input));
  WARPJIT_TRY(frontend::Facts facts, facts_of(given, input));
  facts.half_arithmetic = half_arithmetic;
  WARPJIT_TRY(frontend::Shader::Translation translation, given.shader->translate(facts, dispatch));
  return Translated{given.guest, given.shader, std::move(translation.function)};
}

}  // namespace warpjit::tool
