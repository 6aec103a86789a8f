// warpjit launch: a launch file to fill in, for a container that someone just has.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "command.h"
#include "compute_file.h"
#include "compute_template.h"
#include "files.h"

namespace warpjit::tool {

namespace {

using pica200::RegisterFile;

struct LaunchOptions {
  std::string file, entry, out;
  std::optional<unsigned> count;
};
constexpr unsigned kThreads = 3, kKernelThreads = 64;  // without --count

// What a uniform starts as: an identity for a 4x4 or 3x4 matrix, else zeros.
Json uniform_value(const pica200::Symbol& symbol) {
  const unsigned count = symbol.last - symbol.first.index + 1u;
  if (symbol.first.file == RegisterFile::b)
    return count == 1 ? Json(false) : Json(std::vector<bool>(count, false));
  Json rows = Json::array();
  for (unsigned row = 0; row < count; ++row) {
    const bool matrix = symbol.first.file == RegisterFile::c && (count == 3 || count == 4);
    Json values = Json::array({0, 0, 0, 0});
    if (matrix) values[row] = 1;
    rows.push_back(std::move(values));
  }
  return count == 1 ? rows[0] : rows;
}

// Whether the container itself gives the symbol a value.
bool is_preset(const pica200::Program& program, const pica200::Symbol& symbol) {
  return std::any_of(program.constants.begin(), program.constants.end(),
                     [&](const pica200::Constant& constant) {
                       return constant.reg.file == symbol.first.file &&
                              constant.reg.index >= symbol.first.index && constant.reg.index <= symbol.last;
                     });
}

// The v registers that the code names; containers of homebrew often declare no inputs.
std::uint32_t registers_read(const pica200::Program& program) {
  std::uint32_t mask = 0;
  for (const std::uint32_t word : program.code) {
    const auto instruction = pica200::try_decode(word);
    if (!instruction) continue;
    for (int n = 1; n <= instruction->source_count(); ++n)
      if (instruction->source(n) < 16) mask |= 1u << instruction->source(n);
  }
  return mask;
}

Json make_template(const pica200::Program& program, const std::string& file_name,
                   const LaunchOptions& options) {
  const unsigned count = options.count.value_or(kThreads);
  Json json{{"warpjit", 1},
            {"isa", "pica200"},
            {"stage", "vertex"},
            {"program", {{"file", file_name}}},
            {"count", count}};
  if (!options.entry.empty()) json["program"]["entry"] = options.entry;
  Json uniforms = Json::object(), inputs = Json::object(), outputs = Json::object();
  std::uint32_t named = 0;
  const auto add_input = [&](const std::string& key) {
    Json data = Json::array();
    for (unsigned thread = 0; thread < count; ++thread)
      for (const int number : {0, 0, 0, 1}) data.push_back(number);
    inputs[key] = {{"format", "f32x4"}, {"data", std::move(data)}};
  };
  for (const pica200::Symbol& symbol : program.symbols) {
    if (symbol.first.file == RegisterFile::v) {
      add_input(symbol.name);
      named |= 1u << symbol.first.index;
    } else if (!is_preset(program, symbol)) {
      uniforms[symbol.name] = uniform_value(symbol);
    }
  }
  const std::uint32_t unnamed = registers_read(program) & ~named;
  for (unsigned reg = 0; reg < 16; ++reg)
    if ((unnamed >> reg & 1) != 0) add_input(fmt::format("v{}", reg));
  for (unsigned reg = 0; reg < 16; ++reg) {
    const bool written = std::any_of(program.outputs.begin(), program.outputs.end(),
                                     [&](const pica200::Output& output) { return output.reg == reg; });
    if (written || (program.output_mask >> reg & 1) != 0)
      outputs[fmt::format("o{}", reg)] = {{"format", "f32x4"}};
  }
  if (outputs.empty()) outputs["o0"] = {{"format", "f32x4"}};
  if (!uniforms.empty()) json["uniforms"] = std::move(uniforms);
  if (!inputs.empty()) json["inputs"] = std::move(inputs);
  json["outputs"] = std::move(outputs);
  return json;
}

// An array of numbers on one line, everything else indented: launch files are read and edited by people.
void write_value(const Json& value, std::string indent, std::string& text) {
  const bool flat = value.is_array() && std::none_of(value.begin(), value.end(),
                                                     [](const Json& item) { return item.is_structured(); });
  if (!value.is_structured() || flat || value.size() <= 1) {
    text += value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  const bool object = value.is_object();
  text += object ? '{' : '[';
  std::size_t position = 0;
  for (const auto& [key, item] : value.items()) {
    text += position++ == 0 ? "\n" : ",\n";
    text += indent + "  ";
    if (object) text += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
    write_value(item, indent + "  ", text);
  }
  text += "\n" + indent + (object ? '}' : ']');
}

Result<Json> make_template(const LaunchOptions& options) {
  const std::string file_name = std::filesystem::path(options.file).filename().string();
  if (is_compute(options.file)) {
    WARPJIT_TRY(const tesla::Program program, read_kernel(options.file, options.entry));
    return compute_template(program, file_name, options.count.value_or(kKernelThreads));
  }
  ProgramRequest request;
  request.stage = pica200::Stage::vertex;
  if (!options.entry.empty()) set_entry(request, options.entry);
  WARPJIT_TRY(const auto bytes, read_file(options.file));
  WARPJIT_TRY(const auto container, read_container(bytes, options.file));
  WARPJIT_TRY(const auto program, choose_program(container, request));
  return make_template(program, file_name, options);
}

int print_template(const LaunchOptions& options) {
  const auto json = make_template(options);
  if (!json) return fail(json.error());
  std::string text;
  write_value(*json, "", text);
  text += '\n';
  if (options.out.empty()) {
    fmt::print("{}", text);
  } else if (const Status written = write_file(options.out, text); !written) {
    return fail(written.error());
  }
  fmt::print(stderr, "Fill in {}; keep the launch file in the container's folder. See docs/launch.md.\n",
             is_compute(options.file) ? "grid, block, params and memory" : "uniforms and inputs");
  return kOk;
}

}  // namespace

void add_launch(CLI::App& app, int& exit) {
  const auto options = std::make_shared<LaunchOptions>();
  CLI::App* command = app.add_subcommand("launch", "Print a launch file to fill in");
  command->add_option("file", options->file, "SHBIN container, cubin, or assembly source (*.pica, *.tesla)")
      ->required();
  command->add_option("--entry", options->entry,
                      "entry point: a name, or a word address; of a cubin its kernel");
  command
      ->add_option("--count", options->count,
                   "threads that the template has data for; of a kernel: of a block")
      ->check(CLI::Range(1u, 4096u));
  command->add_option("-o,--out", options->out, "file to write instead of stdout");
  command->footer(
      "Example:\n  warpjit launch shader.shbin -o run.json && warpjit run run.json\n"
      "  warpjit launch kernel.cubin --entry saxpy -o run.json");
  command->callback([options, &exit] { exit = print_template(*options); });
}

}  // namespace warpjit::tool
