// warpjit asm: assembles PICA200 sources into an SHBIN container.
#include <fmt/core.h>

#include "command.h"
#include "compute.h"
#include "files.h"
#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/container/shbin.h"

namespace warpjit::tool {

namespace {

struct AsmOptions {
  std::vector<std::string> files;
  std::string out;
  bool labels = false;
  bool json = false;
};

Json words_json(const std::vector<std::uint32_t>& words) {
  Json list = Json::array();
  for (const std::uint32_t word : words) list.push_back(hex(word));
  return list;
}

int assemble_files(const AsmOptions& options) {
  if (options.out.empty() && !options.json)
    return fail({ErrorCode::bad_input, "say where to: -o FILE, or --json to print the words", "asm"});
  if (is_compute(options.files[0])) {
    if (options.labels) return fail({ErrorCode::bad_input, "cubins have no labels", "--labels"});
    if (options.files.size() != 1)
      return fail({ErrorCode::bad_input, "kernels are assembled one source at a time", options.files[1]});
    return assemble_compute(options.files[0], options.out, options.json);
  }
  std::vector<pica200::SourceFile> sources;
  for (const std::string& file : options.files) {
    const auto bytes = read_file(file, 16 << 20);
    if (!bytes) return fail(bytes.error());
    sources.push_back({file, std::string(as_text(*bytes))});
  }
  const auto container = pica200::assemble(sources);
  if (!container) return fail(container.error());
  if (!options.out.empty()) {
    const std::vector<std::byte> bytes = pica200::write_shbin(*container, {.labels = options.labels});
    if (const Status written = write_file(options.out, bytes); !written) return fail(written.error());
    fmt::print(stderr, "{}: {} code words, {} descriptors, {} bytes\n", options.out, container->code.size(),
               container->descriptors.size(), bytes.size());
  }
  if (options.json) {
    Json programs = Json::array();
    for (const pica200::ProgramInfo& info : container->programs)
      programs.push_back({{"stage", pica200::name(info.stage)}, {"entry", info.entry}});
    print_json({{"words", words_json(container->code)},
                {"descriptors", words_json(container->descriptors)},
                {"programs", programs}});
  }
  return kOk;
}

}  // namespace

void add_asm(CLI::App& app, int& exit) {
  const auto options = std::make_shared<AsmOptions>();
  CLI::App* command =
      app.add_subcommand("asm", "Assemble sources into an SHBIN container; *.tesla into a text cubin");
  command->add_option("files", options->files, "sources; each without .nodvle gives one program")->required();
  command->add_option("-o,--out", options->out, "container to write");
  command->add_flag("--labels", options->labels, "store procedure and label names");
  command->add_flag("--json", options->json, "print code and descriptor words, as launch files take them");
  command->footer(
      "Examples:\n  warpjit asm transform.v.pica -o transform.shbin\n  warpjit asm transform.v.pica --json");
  command->callback([options, &exit] { exit = assemble_files(*options); });
}

}  // namespace warpjit::tool
