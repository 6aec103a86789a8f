// warpjit disasm: listings of guest code.
#include <fmt/core.h>

#include "command.h"

namespace warpjit::tool {

namespace {

struct DisasmOptions {
  ProgramInput input;
  std::string out;
  bool exact = false, no_names = false, no_words = false, flat = false, json = false;
};

int disassemble_program(const DisasmOptions& options) {
  const auto given = load_program(options.input);
  if (!given) return fail(given.error());
  const frontend::Shader& shader = *given->shader;
  if (options.json) {
    const Json json{{"isa", name(shader.isa())},
                    {"stage", name(shader.stage())},
                    {"name", shader.name()},
                    {"entry", shader.entry()},
                    {"code", given->guest->list_json(shader)}};
    const Status written = write_text(options.out, json_text(json));
    return written ? kOk : fail(written.error());
  }
  const ListOptions list{.exact = options.exact,
                         .names = !options.no_names,
                         .words = !options.no_words,
                         .labels = !options.flat};
  // A file is listed as a whole unless one of its programs is chosen.
  const bool whole =
      given->container != nullptr && options.input.entry.empty() && options.input.stage.empty();
  std::optional<std::string> text = whole ? given->container->list(list) : std::nullopt;
  if (!text) {
    auto one = given->guest->list(shader, list);
    if (!one) return fail(one.error());
    text = std::move(*one);
  }
  const Status written = write_text(options.out, *text);
  return written ? kOk : fail(written.error());
}

}  // namespace

void add_disasm(Command& app) {
  const auto options = std::make_shared<DisasmOptions>();
  Command command = app.add_command("disasm", "List guest code");
  add_program(command, options->input);
  command.option("-o,--out", options->out, "file to write instead of stdout");
  const Option exact =
      command.flag("--exact", options->exact,
                   "every field of every instruction (pica200; each form but --flat assembles to the same)");
  const Option names =
      command.flag("--no-names", options->no_names, "registers by number only (pica200)").excludes(exact);
  const Option words =
      command.flag("--no-words", options->no_words, "without addresses and words").excludes(exact);
  const Option flat =
      command.flag("--flat", options->flat, "addresses instead of blocks, procedures and labels")
          .excludes(exact);
  command.flag("--json", options->json, "print JSON, one object an instruction")
      .excludes(exact)
      .excludes(names)
      .excludes(words)
      .excludes(flat);
  command.footer(
      "Examples:\n"
      "  warpjit disasm shader.shbin\n"
      "  warpjit disasm shader.shbin -o shader.pica && warpjit asm shader.pica -o same.shbin\n"
      "  warpjit disasm code.bin --words tesla\n"
      "  warpjit disasm shader.bin --words valhall --program fragment");
  command.action([options] { return disassemble_program(*options); });
}

}  // namespace warpjit::tool
