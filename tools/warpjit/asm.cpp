// warpjit asm: assembles sources into a container.
#include "command.h"
#include "files.h"
#include "output.h"

namespace warpjit::tool {

namespace {

constexpr std::uint64_t kMaxSourceBytes = 16 << 20;

struct AsmOptions {
  std::vector<std::string> files;
  std::string out;
  bool labels = false;
  bool json = false;
  bool werror = false;
};

Json warnings_json(const Assembled& assembled) {
  Json list = Json::array();
  for (const AssemblyWarning& warning : assembled.warnings)
    list.push_back({{"where", warning.where}, {"message", warning.message}});
  return list;
}

int assemble_files(const AsmOptions& options) {
  if (options.out.empty() && !options.json)
    return fail({ErrorCode::bad_input, "say where to: -o FILE, or --json to print the words", "asm"});
  std::vector<SourceText> sources;
  for (const std::string& file : options.files) {
    const auto bytes = read_file(file, kMaxSourceBytes);
    if (!bytes) return fail(bytes.error());
    sources.push_back({file, std::string(as_text(*bytes))});
  }
  // The end of its name says whose source it is.
  const Guest* const known = find_guest({}, options.files[0]);
  const Guest* const guest = known != nullptr ? known : guests().front();
  const auto assembled = guest->assemble(sources, {.labels = options.labels});
  if (!assembled && known == nullptr)
    return fail({assembled.error().code,
                 assembled.error().message + " (" + text::shortened(options.files[0]) +
                     " is taken as a source of " + name(guest->isa()) +
                     "; the others' names end in .tesla, .valhall and .usse)",
                 assembled.error().where});
  if (!assembled) return fail(assembled.error());
  for (const AssemblyWarning& warning : assembled->warnings)
    print_err("{}: {}: {}\n", warning.where, options.werror ? "error" : "warning", warning.message);
  if (options.werror && !assembled->warnings.empty()) return kBadInput;
  if (!options.out.empty()) {
    if (const Status written = write_file(options.out, assembled->container); !written)
      return fail(written.error());
    print_err("{}: {}, {} bytes\n", options.out, assembled->summary, assembled->container.size());
  }
  if (!options.json) return kOk;
  Json programs = Json::array();
  for (std::size_t k = 0; k < assembled->programs->size(); ++k) {
    ProgramRequest request;
    request.index = k;
    const auto shader = assembled->programs->load(request, {});
    if (!shader) return fail(shader.error());
    programs.push_back({{"stage", name((*shader)->stage())},
                        {"name", (*shader)->name()},
                        {"program", guest->words_json(**shader)}});
  }
  Json json{{"isa", name(guest->isa())}, {"programs", std::move(programs)}};
  if (!assembled->warnings.empty()) json["warnings"] = warnings_json(*assembled);
  print_json(json);
  return kOk;
}

}  // namespace

void add_asm(Command& app) {
  const auto options = std::make_shared<AsmOptions>();
  Command command = app.add_command("asm",
                                    "Assemble sources: *.pica into an SHBIN container, *.tesla into a text "
                                    "cubin, *.valhall and *.usse into bare words");
  command
      .option("files", options->files,
              "sources; of *.pica each without .nodvle gives one program, of others one source")
      .required();
  command.option("-o,--out", options->out, "container to write");
  command.flag("--labels", options->labels, "store procedure and label names (SHBIN)");
  command.flag("--json", options->json,
               "print each program's words, as the key `program` of launch files takes them");
  command.flag("--werror", options->werror,
               "take warnings (of *.pica: what the hardware does not do, and what picasso reads otherwise) "
               "as errors");
  command.footer(
      "Examples:\n"
      "  warpjit asm transform.v.pica -o transform.shbin\n"
      "  warpjit asm transform.v.pica --json\n"
      "  warpjit asm saxpy.tesla -o saxpy.cubin\n"
      "  warpjit asm reduce.valhall -o reduce.bin");
  command.action([options] { return assemble_files(*options); });
}

}  // namespace warpjit::tool
