// warpjit golden: how many host instructions each guest opcode and each example costs. The text lies in
// tests/golden; a test compares it, so that a change of code quality shows in review.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "backend/target.h"
#include "command.h"
#include "compile_input.h"
#include "files.h"
#include "frontend/pica200/assemble.h"

namespace warpjit::tool {

namespace {

struct GoldenOptions {
  std::string folder = "tests/golden", examples = "examples/pica200";
  std::vector<std::string> targets;
  bool check = false, print = false;
};

struct Case {
  std::string name;
  pica200::Program program;
  std::optional<LaunchFile> launch;
};

constexpr std::uint32_t kEnd = 0x22u << 26;

// One instruction that reads v0, v1, v2 (or c0 in the source that may) and writes o0; then END.
pica200::Program single(pica200::Opcode opcode, bool uniform_operand) {
  pica200::Instruction instruction;
  instruction.opcode = opcode;
  const int wide = pica200::wide_source(instruction.info().format);
  std::uint16_t* const sources[] = {&instruction.src1, &instruction.src2, &instruction.src3};
  for (int n = 0; n < instruction.source_count(); ++n)
    *sources[n] = static_cast<std::uint16_t>(uniform_operand && n + 1 == wide ? 0x20 : n);
  instruction.cmp_x = instruction.cmp_y = 2;  // less than
  pica200::Program program;
  program.source_name = std::string(instruction.info().name);
  program.code = {pica200::encode(instruction), kEnd};
  program.outputs = {pica200::Output{}};  // o0
  pica200::Descriptor descriptor;
  descriptor.mask = pica200::kXYZW;
  descriptor.selector = {pica200::kIdentitySelector, pica200::kIdentitySelector, pica200::kIdentitySelector};
  program.descriptors = {pica200::encode_descriptor(descriptor)};
  return program;
}

// What cannot be told from one instruction: control flow, address and flags with a use.
struct Sketch {
  const char* name;
  const char* body;
};
constexpr Sketch kSketches[] = {
    {"cmp+ifc", "cmp v0, lt, lt, v1\nifc cmp.x\n mov o0, v0\n.else\n mov o0, v1\n.end\n"},
    {"cmp+ifc+long",
     "cmp v0, lt, lt, v1\nifc cmp.x\n rsq r0, v0\n rsq r1, v1\n mul o0, r0, r1\n.else\n mov o0, v1\n.end\n"},
    {"ifu", "ifu b0\n mov o0, v0\n.else\n mov o0, v1\n.end\n"},
    {"call", "call part\nmov o0, r0\n"},
    {"for", "mov r0, v0\nfor i0\n add r0, r0, v1\n.end\nmov o0, r0\n"},
    {"for+breakc",
     "mov r0, v0\nfor i0\n add r0, r0, v1\n cmp r0, lt, lt, v2\n breakc cmp.x\n.end\nmov o0, r0\n"},
    {"mova+relative", "mova a0.x, v0\nadd o0, c0[a0.x], v1\n"},
};

Result<std::vector<Case>> collect(const GoldenOptions& options) {
  std::vector<Case> cases;
  for (int k = 0; k < pica200::kOpcodeCount; ++k) {
    const auto opcode = static_cast<pica200::Opcode>(k);
    const pica200::OpcodeInfo& info = pica200::info(opcode);
    if ((info.traits & (pica200::kFlow | pica200::kGeometry)) != 0 ||
        (info.traits & pica200::kWritesDest) == 0)
      continue;
    cases.push_back({std::string(info.name), single(opcode, false), {}});
    if (pica200::wide_source(info.format) != 0)
      cases.push_back({std::string(info.name) + " c", single(opcode, true), {}});
  }
  for (const Sketch& sketch : kSketches) {
    const pica200::SourceFile source{
        sketch.name, std::string(".out out position\n.bool b0_\n.alias unused v0\n.proc main\n") +
                         sketch.body + "end\n.end\n.proc part\nmov r0, v0\n.end\n"};
    WARPJIT_TRY(const pica200::Container container, pica200::assemble({&source, 1}));
    WARPJIT_TRY(pica200::Program program, pica200::select_program(container));
    cases.push_back({sketch.name, std::move(program), {}});
  }
  std::vector<std::filesystem::path> files;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(options.examples, failure))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  if (failure) return Error{ErrorCode::io, failure.message(), options.examples};
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    WARPJIT_TRY(LaunchFile launch, read_launch(file));
    pica200::Program program = launch.program;
    cases.push_back({"example " + file.stem().string(), std::move(program), std::move(launch)});
  }
  return cases;
}

Result<std::string> count_instructions(const std::vector<Case>& cases, backend::Target target) {
  std::string text = fmt::format(
      "# Host instructions of PICA200 code on {}. Made by `warpjit golden`; a test compares it.\n"
      "# One instruction and END, operands v0 v1 v2 (\"c\": a uniform where the format allows one), result "
      "o0.\n"
      "# group: instructions of the group loop for `lanes` threads; per16: for 16 threads; vec: vector\n"
      "# arithmetic among them; ops: what brings constants and uniforms into vectors; spill: stores + "
      "loads;\n"
      "# code: bytes. qgroup, qvec: the same of the quick version, tried first, in which 0 times infinity is "
      "not\n"
      "# minded.\n"
      "{:24} {:>5} {:>5} {:>6} {:>8} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}\n",
      backend::name(target), "name", "lanes", "parts", "group", "per16", "vec", "ops", "spill", "code",
      "qgroup", "qvec");
  for (const Case& item : cases) {
    const LoadedProgram loaded{item.program, item.launch};
    const auto input = prepare_compile(loaded);
    if (!input)
      return Error{input.error().code, item.name + ": " + input.error().message, input.error().where};
    auto made = input->shader->translate(input->facts, false);
    if (!made) return Error{made.error().code, item.name + ": " + made.error().message, made.error().where};
    backend::MachineCode versions[2];
    for (const bool assume : {false, true}) {
      const auto program = ir::run_pipeline(ir::Function(made->function), {.assume_no_zero_inf = assume});
      if (!program)
        return Error{program.error().code, item.name + ": " + program.error().message, program.error().where};
      auto code = backend::compile(*program, target, {});
      if (!code) return Error{code.error().code, item.name + ": " + code.error().message, code.error().where};
      versions[assume] = std::move(*code);
    }
    const backend::MachineCode *code = &versions[0], *quick = &versions[1];
    const backend::CodeStatistics& s = code->statistics;
    text +=
        fmt::format("{:24} {:>5} {:>5} {:>6} {:>8.1f} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}\n", item.name,
                    code->lanes, code->parts, s.group_instructions, s.group_instructions * 16.0 / code->lanes,
                    s.vector_arithmetic, s.vector_operands, s.spill_stores + s.spill_loads, code->code_size,
                    quick->statistics.group_instructions, quick->statistics.vector_arithmetic);
  }
  return text;
}

// The lines of two texts that differ, as a person would want to see them.
void print_difference(const std::string& file, std::string_view committed, std::string_view now) {
  const auto next_line = [](std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
  };
  while (!committed.empty() || !now.empty()) {
    const std::string_view before = next_line(committed), after = next_line(now);
    if (before != after) fmt::print("{}:\n- {}\n+ {}\n", file, before, after);
  }
}

int make_golden(const GoldenOptions& options) {
  const auto cases = collect(options);
  if (!cases) return fail(cases.error());
  std::vector<std::string> targets = options.targets;
  if (targets.empty()) targets = {"v3", "v4", "a64"};
  int exit = kOk;
  for (const std::string& name : targets) {
    const auto target = backend::parse_target(name);
    if (!target) return fail(target.error());
    const auto text = count_instructions(*cases, *target);
    if (!text) return fail(text.error());
    const std::string file = options.folder + "/pica200_" + name + ".txt";
    if (options.print) {
      fmt::print("{}", *text);
    } else if (options.check) {
      const auto committed = read_file(file);
      if (!committed) return fail(committed.error());
      if (as_text(*committed) == *text) continue;
      print_difference(file, as_text(*committed), *text);
      exit = kMismatch;
    } else if (const Status written = write_file(file, *text); !written) {
      return fail(written.error());
    }
  }
  if (exit == kMismatch)
    fmt::print(stderr, "warpjit: host instruction counts have changed; if that is meant: warpjit golden\n");
  return exit;
}

}  // namespace

void add_golden(CLI::App& app, int& exit) {
  const auto options = std::make_shared<GoldenOptions>();
  CLI::App* command = app.add_subcommand("golden", "Regenerate or check the golden host instruction counts");
  command->add_option("--folder", options->folder, "where pica200_TARGET.txt lie")->capture_default_str();
  command->add_option("--examples", options->examples, "folder of example launches")->capture_default_str();
  command->add_option("--target", options->targets, "v3, v4, a64 (default: all)")
      ->check(CLI::IsMember({"v3", "v4", "a64"}))
      ->delimiter(',');
  auto* check = command->add_flag("--check", options->check, "compare instead; exit code 1 if they differ");
  command->add_flag("--print", options->print, "print to stdout instead")->excludes(check);
  command->footer("Examples (in the source tree):\n  warpjit golden\n  warpjit golden --check");
  command->callback([options, &exit] { exit = make_golden(*options); });
}

}  // namespace warpjit::tool
