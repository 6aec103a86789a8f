// warpjit info: what a container declares; without a file, what this build and machine can do.
#include <fmt/core.h>

#include <map>

#include "command.h"
#include "compute.h"

namespace warpjit::tool {

namespace {

std::string registers(pica200::Register first, unsigned last) {
  std::string text = pica200::name(first);
  if (last > first.index) text += "-" + pica200::name({first.file, static_cast<std::uint8_t>(last)});
  return text;
}

std::string components(std::uint8_t mask) {
  std::string text;
  for (unsigned k = 0; k < 4; ++k)
    if ((mask >> k & 1) != 0) text += "xyzw"[k];
  return text;
}

std::string value_text(const pica200::Constant& constant) {
  if (constant.reg.file == pica200::RegisterFile::b) return constant.raw[0] != 0 ? "true" : "false";
  const std::array<float, 4> f = constant.floats();
  if (constant.reg.file == pica200::RegisterFile::c)
    return fmt::format("({}, {}, {}, {})", f[0], f[1], f[2], f[3]);
  return fmt::format("({}, {}, {}, {})", constant.raw[0], constant.raw[1], constant.raw[2], constant.raw[3]);
}

Json value_json(const pica200::Constant& constant) {
  if (constant.reg.file == pica200::RegisterFile::b) return constant.raw[0] != 0;
  Json values = Json::array();
  for (unsigned k = 0; k < 4; ++k) {
    if (constant.reg.file == pica200::RegisterFile::c)
      values.push_back(hex(std::bit_cast<std::uint32_t>(constant.floats()[k])));
    else
      values.push_back(constant.raw[k]);
  }
  return values;
}

// Names that give the entry of a program, itself first.
std::string entry_name(const pica200::ProgramInfo& info) {
  if (!info.entry_name.empty()) return info.entry_name;
  for (const pica200::Label& label : info.labels)
    if (label.address == info.entry) return label.name;
  return {};
}

Json program_json(const pica200::ProgramInfo& info) {
  Json json;
  json["stage"] = pica200::name(info.stage);
  json["entry"] = info.entry;
  if (const std::string text = entry_name(info); !text.empty()) json["entry_name"] = text;
  if (info.stage == pica200::Stage::geometry) {
    constexpr const char* kModes[] = {"point", "variable", "fixed"};
    json["geometry"] = {{"mode", kModes[static_cast<std::size_t>(info.geometry_mode)]}};
    if (info.geometry_mode == pica200::GeometryMode::fixed) {
      json["geometry"]["first"] = fmt::format("c{}", info.fixed_start);
      json["geometry"]["vertices"] = info.fixed_vertices;
    } else if (info.geometry_mode == pica200::GeometryMode::variable) {
      json["geometry"]["full_vertices"] = info.variable_vertices;
    }
  }
  json["inputs"] = json["uniforms"] = json["outputs"] = json["constants"] = json["labels"] = Json::array();
  for (const pica200::Symbol& symbol : info.symbols) {
    Json& list = json[symbol.first.file == pica200::RegisterFile::v ? "inputs" : "uniforms"];
    list.push_back({{"name", symbol.name},
                    {"register", pica200::name(symbol.first)},
                    {"count", symbol.last - symbol.first.index + 1}});
  }
  for (const pica200::Output& output : info.outputs)
    json["outputs"].push_back({{"semantic", pica200::name(output.semantic)},
                               {"register", fmt::format("o{}", output.reg)},
                               {"components", components(output.mask)}});
  for (const pica200::Constant& constant : info.constants)
    json["constants"].push_back({{"register", pica200::name(constant.reg)}, {"value", value_json(constant)}});
  for (const pica200::Label& label : info.labels)
    json["labels"].push_back({{"name", label.name}, {"address", label.address}});
  return json;
}

void print_program(const pica200::ProgramInfo& info, std::size_t index) {
  fmt::print("\nprogram {}: {}, entry {:#x}", index, pica200::name(info.stage), info.entry);
  const std::string text = entry_name(info);
  fmt::print("{}", text.empty() ? "" : " (" + text + ")");
  if (info.stage == pica200::Stage::geometry) {
    using pica200::GeometryMode;
    if (info.geometry_mode == GeometryMode::point) fmt::print(", point primitives");
    if (info.geometry_mode == GeometryMode::variable)
      fmt::print(", variable primitives, {} full vertices", info.variable_vertices);
    if (info.geometry_mode == GeometryMode::fixed)
      fmt::print(", fixed primitives of {} vertices from c{}", info.fixed_vertices, info.fixed_start);
  }
  fmt::print("\n");
  for (const bool input : {true, false})
    for (const pica200::Symbol& symbol : info.symbols)
      if ((symbol.first.file == pica200::RegisterFile::v) == input)
        fmt::print("  {:8} {:10} {}\n", input ? "input" : "uniform", registers(symbol.first, symbol.last),
                   symbol.name);
  for (const pica200::Constant& constant : info.constants)
    fmt::print("  {:8} {:10} {}\n", "constant", pica200::name(constant.reg), value_text(constant));
  for (const pica200::Output& output : info.outputs)
    fmt::print("  {:8} {:10} {}{}\n", "output", fmt::format("o{}.{}", output.reg, components(output.mask)),
               pica200::name(output.semantic), output.name.empty() ? "" : " (" + output.name + ")");
  for (const pica200::Label& label : info.labels)
    fmt::print("  {:8} {:#010x} {}\n", "label", label.address, label.name);
}

// How often each instruction appears in the code.
std::map<std::string, unsigned> histogram(const std::vector<std::uint32_t>& code) {
  std::map<std::string, unsigned> counts;
  for (const std::uint32_t word : code) {
    const auto instruction = pica200::try_decode(word);
    ++counts[instruction ? std::string(instruction->info().name) : "undefined"];
  }
  return counts;
}

int show_container(const std::string& file, bool as_json) {
  const auto bytes = read_file(file);
  if (!bytes) return fail(bytes.error());
  const auto container = read_container(*bytes, file);
  if (!container) return fail(container.error());
  const auto counts = histogram(container->code);
  if (as_json) {
    Json json{{"file", file},
              {"isa", "pica200"},
              {"code_words", container->code.size()},
              {"descriptors", container->descriptors.size()}};
    json["programs"] = Json::array();
    for (const pica200::ProgramInfo& info : container->programs)
      json["programs"].push_back(program_json(info));
    json["instructions"] = counts;
    print_json(json);
    return kOk;
  }
  fmt::print("{}: PICA200, {} code words, {} operand descriptors, {} program{}\n", file,
             container->code.size(), container->descriptors.size(), container->programs.size(),
             container->programs.size() == 1 ? "" : "s");
  std::string line;
  for (const auto& [mnemonic, count] : counts) line += fmt::format(" {} {}", count, mnemonic);
  fmt::print("instructions:{}\n", line);
  for (std::size_t k = 0; k < container->programs.size(); ++k) print_program(container->programs[k], k);
  return kOk;
}

const char* name(CodeMemory mode) {
  constexpr const char* kNames[] = {"automatic", "dual", "flip", "none"};
  return kNames[static_cast<std::size_t>(mode)];
}

int show_build(bool as_json) {
  const Version v = version();
  const EngineOptions defaults;
  const EngineInfo host = Engine(defaults).info();
  std::vector<std::string> targets;
  for (const Target target : host.targets) targets.push_back(warpjit::name(target));
  if (as_json) {
    Json json{{"version", fmt::format("{}.{}.{}", v.major, v.minor, v.patch)},
              {"isas", {"pica200", "tesla"}},
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
  fmt::print("warpjit {}.{}.{}\nguests:  pica200 (vertex, geometry), tesla (compute)\n", v.major, v.minor,
             v.patch);
  std::string list;
  for (const std::string& target : targets) list += (list.empty() ? "" : ", ") + target;
  fmt::print(
      "targets: {}\njit:     {}\nthreads: {}, and {} that compiles in the background\ncache:   {} MiB\n",
      list.empty() ? "none" : list,
      host.jit ? fmt::format("yes, code memory {}", name(host.code_memory)) : "no: " + host.no_jit_reason,
      host.concurrency, defaults.compile_threads, defaults.cache_bytes >> 20);
  return kOk;
}

}  // namespace

void add_info(CLI::App& app, int& exit) {
  struct InfoOptions {
    std::string file;
    bool json = false;
  };
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand("info", "What a container declares, or what this machine can run");
  command->add_option(
      "file", options->file,
      "SHBIN container, cubin, or assembly source (*.pica, *.tesla); none: this build and machine");
  command->add_flag("--json", options->json, "print JSON");
  command->footer(
      "Examples:\n  warpjit info\n  warpjit info examples/pica200/mvp_light.shbin\n  warpjit info "
      "shader.shbin --json");
  command->callback([options, &exit] {
    exit = options->file.empty()       ? show_build(options->json)
           : is_compute(options->file) ? info_compute(options->file, options->json)
                                       : show_container(options->file, options->json);
  });
}

}  // namespace warpjit::tool
