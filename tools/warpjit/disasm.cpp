// warpjit disasm: listings of guest code.
#include <fmt/core.h>

#include "command.h"
#include "compute.h"
#include "files.h"
#include "frontend/pica200/assembly/disassemble.h"

namespace warpjit::tool {

namespace {

struct DisasmOptions {
  ProgramInput input;
  std::string out;
  bool exact = false, no_names = false, no_words = false, flat = false, json = false;
};

int disassemble_program(const DisasmOptions& options) {
  if (is_compute(options.input.file)) {
    for (const auto& [given, name] :
         {std::pair(options.no_names, "--no-names"), std::pair(options.no_words, "--no-words"),
          std::pair(options.flat, "--flat")})
      if (given) return fail({ErrorCode::bad_input, "listings of kernels have one form", name});
    return disassemble_compute(options.input, options.out, options.json);
  }
  const auto loaded = load_program(options.input);
  if (!loaded) return fail(loaded.error());
  const pica200::Program& program = loaded->program;
  if (options.json) {
    Json list = Json::array();
    for (std::uint32_t address = 0; address < program.code.size(); ++address) {
      const std::uint32_t word = program.code[address];
      Json row{{"address", address}, {"word", hex(word)}};
      if (const auto instruction = pica200::try_decode(word))
        row["text"] = pica200::disassemble(*instruction, program.descriptor(instruction->descriptor));
      list.push_back(std::move(row));
    }
    print_json(
        {{"entry", program.entry}, {"stage", pica200::name(program.stage)}, {"code", std::move(list)}});
    return kOk;
  }
  const std::string text = options.exact ? pica200::disassemble_exact(program)
                                         : pica200::disassemble(program, {.names = !options.no_names,
                                                                          .structure = !options.flat,
                                                                          .words = !options.no_words});
  if (options.out.empty()) {
    fmt::print("{}", text);
  } else if (const Status written = write_file(options.out, text); !written) {
    return fail(written.error());
  }
  return kOk;
}

}  // namespace

void add_disasm(CLI::App& app, int& exit) {
  const auto options = std::make_shared<DisasmOptions>();
  CLI::App* command = app.add_subcommand("disasm", "List guest code");
  options->input.add_to(*command);
  command->add_option("-o,--out", options->out, "file to write instead of stdout");
  command->add_flag("--exact", options->exact, "the form that assembles to the same words, bit by bit");
  command->add_flag("--no-names", options->no_names, "registers by number only");
  command->add_flag("--no-words", options->no_words, "without addresses and words");
  command->add_flag("--flat", options->flat, "addresses instead of blocks and procedures");
  command->add_flag("--json", options->json, "print JSON, one object an instruction");
  command->footer(
      "Examples:\n  warpjit disasm shader.shbin\n  warpjit disasm shader.shbin --exact -o shader.v.pica && "
      "warpjit asm shader.v.pica -o same.shbin");
  command->callback([options, &exit] { exit = disassemble_program(*options); });
}

}  // namespace warpjit::tool
