// warpjit golden: how many host instructions each guest opcode and each example costs. The text lies in
// tests/golden; a test compares it, so that a change of code quality shows in review.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "backend/target.h"
#include "command.h"
#include "files.h"
#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/shader.h"
#include "frontend/tesla/assembly/assemble.h"
#include "frontend/tesla/assembly/disassemble.h"
#include "frontend/tesla/encoding/encoding.h"
#include "frontend/tesla/shader.h"
#include "frontend/valhall/assembly/assemble.h"
#include "frontend/valhall/assembly/disassemble.h"
#include "frontend/valhall/encoding/encoding.h"
#include "frontend/valhall/interpret/arithmetic.h"
#include "frontend/valhall/translate/translate.h"
#include "golden.h"
#include "ir/pipeline.h"
#include "launch/template.h"
#include "output.h"
#include "program.h"
#include "runtime/work/launch.h"
#include "stop.h"
#include "warpjit/tesla.hpp"

namespace warpjit::tool {

namespace {

struct GoldenOptions {
  std::string folder = "tests/golden", examples = "examples";
  std::vector<std::string> targets;
  bool check = false, print = false;
};

using Case = GoldenCase;

// The names of the launch files in a folder, in order.
Result<std::vector<std::string>> launch_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(path_of(folder), failure))
    if (entry.path().extension() == ".json") files.push_back(name_of(entry.path()));
  if (failure) return Error{ErrorCode::io, failure.message(), folder};
  std::sort(files.begin(), files.end());
  return files;
}

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

Status add_pica(std::vector<Case>& cases, std::string name, pica200::Program program) {
  WARPJIT_TRY(const auto shader, pica200::Shader::make(std::move(program)));
  WARPJIT_TRY(frontend::Shader::Translation translation, shader->translate(general_facts(*shader), false));
  cases.push_back({std::move(name), std::move(translation.function)});
  return {};
}
Status add_example(std::vector<Case>& cases, const std::string& file, const char* kind,
                   bool half_arithmetic = false) {
  ProgramInput input;
  input.file = file;
  WARPJIT_TRY(Translated example, translate(input, false, half_arithmetic));
  cases.push_back({fmt::format("{} {}", kind, name_of(path_of(file).stem())), std::move(example.function)});
  return {};
}
// The launch files of a folder.
Status add_examples(std::vector<Case>& cases, const std::string& folder) {
  WARPJIT_TRY(const std::vector<std::string> files, launch_files(folder));
  for (const std::string& file : files) WARPJIT_CHECK(add_example(cases, file, "example"));
  return {};
}

Result<std::vector<Case>> collect_pica(const std::string& examples) {
  std::vector<Case> cases;
  for (int k = 0; k < pica200::kOpcodeCount; ++k) {
    const auto opcode = static_cast<pica200::Opcode>(k);
    const pica200::OpcodeInfo& info = pica200::info(opcode);
    if ((info.traits & (pica200::kFlow | pica200::kGeometry)) != 0 ||
        (info.traits & pica200::kWritesDest) == 0)
      continue;
    WARPJIT_CHECK(add_pica(cases, std::string(info.name), single(opcode, false)));
    if (pica200::wide_source(info.format) != 0)
      WARPJIT_CHECK(add_pica(cases, std::string(info.name) + " c", single(opcode, true)));
  }
  for (const Sketch& sketch : kSketches) {
    const pica200::SourceFile source{
        sketch.name, std::string(".verbatim\n.out out position\n.bool b0_\n.alias unused v0\n.proc main\n") +
                         sketch.body + "end\n.end\n.proc part\nmov r0, v0\n.end\n"};
    WARPJIT_TRY(const pica200::Container container, pica200::assemble({&source, 1}));
    WARPJIT_TRY(pica200::Program program, pica200::select_program(container));
    WARPJIT_CHECK(add_pica(cases, sketch.name, std::move(program)));
  }
  WARPJIT_CHECK(add_examples(cases, examples + "/pica200"));
  std::vector<Case> pixels = collect_pica_pixels();
  std::ranges::move(pixels, std::back_inserter(cases));
  return cases;
}

// Kernels of Tesla read $r4 to $r11, which each thread loads, and store $r12 and what $c1 says.
constexpr const char* kLoads =
    ".kernel golden\n.registers 16\n.shared 0x100\nand b32 $r0 $r0 0xffff\nshl b32 $r0 $r0 0x5\nshl $a1 $r0 "
    "0x0\n"
    "ld b128 $r4q g0[$r0]\nadd b32 $r1 $r0 0x10\nld b128 $r8q g0[$r1]\n";
constexpr const char* kStores = "st b32 g1[$r0] $r12\nexit st b32 g1[$r1] $r13\n";

Result<ir::Function> translate_tesla(const std::string& body) {
  WARPJIT_TRY(tesla::Container container, tesla::assemble(kLoads + body + kStores, "golden"));
  WARPJIT_TRY(tesla::Program program, tesla::select_program(container, {}));
  WARPJIT_TRY(const auto shader, tesla::Shader::make(std::move(program)));
  Launch launch{Program(shader)};
  WARPJIT_CHECK(launch.set_block(64));
  WARPJIT_CHECK(launch.state().check());
  WARPJIT_TRY(const frontend::Facts facts, launch.state().facts(0));
  WARPJIT_TRY(frontend::Shader::Translation translation, shader->translate(facts, false));
  return std::move(translation.function);
}

// The pattern's instruction with the lowest value in each of its modifiers, or with wide operands where a bit
// chooses: sources $r4, $r6 and $r8, destination $r12. Nothing if that says what the narrow one says.
std::optional<tesla::Instruction> instruction_of(const tesla::Pattern& pattern, bool wide) {
  std::uint64_t word = pattern.match;
  for (const tesla::SyntaxToken& token : pattern.syntax())
    if (token.width == 0 && token.width_bit != 0 && wide) word |= std::uint64_t{1} << token.width_bit;
  if (wide && word == pattern.match) return {};
  auto instruction = tesla::try_decode(tesla::ProgramType::compute, static_cast<std::uint32_t>(word),
                                       static_cast<std::uint32_t>(word >> 32));
  if (!instruction) return {};
  instruction->condition = tesla::kAlways;
  instruction->lanes = 15;
  instruction->unused = 0;
  const auto place = [](tesla::Operand& operand, std::uint32_t reg) {
    if (operand.kind == tesla::Operand::Kind::gpr)
      operand.value = operand.type == tesla::Type::b16 ? 2 * reg : reg;
    if (operand.kind == tesla::Operand::Kind::number) operand.value = 3;
    if (operand.kind == tesla::Operand::Kind::immediate) operand.value = 0x12345;
  };
  place(instruction->dst, 12);
  for (std::uint32_t n = 0; n < 3; ++n) place(instruction->src[n], 4 + 2 * n);
  return instruction;
}

constexpr Sketch kTeslaSketches[] = {
    {"nothing", "mov b32 $r12 $r4\n"},
    {"set+if", "set $c0 # l s32 $r4 $r5\nmov b32 $r12 $r6\n(lg $c0) add b32 $r12 $r6 $r7\n"},
    {"set+if+long",
     "set $c0 # l s32 $r4 $r5\nmov b32 $r12 $r6\njoinat #l\n(e $c0) bra #l\nrcp f32 $r12 $r6\n"
     "rsqrt f32 $r13 $r7\nadd rn f32 $r12 $r12 $r13\nl:\njoin nop\n"},
    {"loop",
     "and b32 $r4 $r4 0xff\nmov b32 $r12 0x0\nmov b32 $r2 0x1\nbreakaddr #done\nl:\nset $c0 # ge u32 $r12 "
     "$r4\n"
     "(lg $c0) break\nadd b32 $r12 $r12 $r2\nbra #l\ndone:\n"},
    {"barrier", "st b32 s[$a1+0x20] $r4\nbar inc wait 0x0 all\nld $r12 b32 s[$a1+0x24]\n"},
    {"call", "call #f\nbra #e\nf:\nadd b32 $r12 $r4 $r5\nret\ne:\n"},
    {"texprep",
     "mov b32 $r12 $r4\nmov b32 $r13 $r5\nmov b32 $r14 $r6\nmov b32 $r15 $r7\n"
     "texprep cube all $r12:$r13:$r14:# $t0 $s0 $r12:$r13:$r14:$r15\nxor b32 $r13 $r13 $r14\n"},
};

// A fragment program with a texture of rgba8 and a little arithmetic, by filter.
Status add_sampling(std::vector<Case>& cases, const std::string& file) {
  constexpr struct {
    const char* name;
    Filter filter;
    MipFilter mip;
  } kKinds[] = {{"nearest", Filter::nearest, MipFilter::none},
                {"bilinear", Filter::linear, MipFilter::none},
                {"trilinear", Filter::linear, MipFilter::linear}};
  constexpr std::uint32_t kSide = 64, kLevels = 7;
  WARPJIT_TRY(const std::vector<std::byte> source, read_file(file));
  WARPJIT_TRY(const Program program, tesla::load_assembly(as_text(source), {.entry = "coherent"}));
  std::vector<std::uint32_t> texels(std::size_t{2} * kSide * kSide), pixels(kSide);
  for (const auto& kind : kKinds) {
    Launch launch{program};
    Texture texture;
    texture.format = *parse_texture_format("rgba8");
    texture.width = texture.height = kSide;
    texture.levels = kind.mip == MipFilter::none ? 1 : kLevels;
    texture.data = texels.data();
    texture.size = 4 * texels.size();
    Sampler sampler;
    sampler.magnify = sampler.minify = kind.filter;
    sampler.mip = kind.mip;
    WARPJIT_CHECK(launch.set_texture(0, texture));
    WARPJIT_CHECK(launch.set_sampler(0, sampler));
    WARPJIT_CHECK(launch.bind_color(0, {pixels.data(), 4 * pixels.size(), 4 * kSide, PixelFormat::rgba8}));
    WARPJIT_TRY(const frontend::Facts facts, launch.state().facts(0));
    WARPJIT_TRY(frontend::Shader::Translation translation,
                frontend::shader_of(program).translate(facts, false));
    cases.push_back({fmt::format("sampled {}", kind.name), std::move(translation.function)});
  }
  return {};
}

Result<std::vector<Case>> collect_tesla(const std::string& examples) {
  std::vector<Case> cases;
  std::vector<std::string> seen;
  for (const tesla::Pattern& pattern : tesla::patterns()) {
    // A short form does what a long one does.
    if (pattern.form != tesla::Form::long_ && pattern.form != tesla::Form::immediate) continue;
    if (tesla::is_texture(pattern.opcode)) continue;  // their operands are several registers
    for (const bool wide : {false, true}) {
      const auto instruction = instruction_of(pattern, wide);
      if (!instruction) continue;
      const std::string text = tesla::disassemble(*instruction);
      if (std::find(seen.begin(), seen.end(), text) != seen.end()) continue;
      seen.push_back(text);
      auto function = translate_tesla(text + "\n");
      if (function) cases.push_back({text, std::move(*function)});  // else it is not for compute
    }
  }
  for (const Sketch& sketch : kTeslaSketches) {
    auto function = translate_tesla(sketch.body);
    if (!function) return Error{function.error().code, function.error().message, sketch.name};
    cases.push_back({sketch.name, std::move(*function)});
  }
  WARPJIT_CHECK(add_examples(cases, examples + "/tesla"));
  for (const char* name : {"mandelbrot", "raymarch", "phong", "depth_blend"})
    WARPJIT_CHECK(add_example(cases, fmt::format("{}/tesla/graphics/{}.json", examples, name), "fragment"));
  WARPJIT_CHECK(add_sampling(cases, name_of(path_of(examples).parent_path() / "bench/tesla/textures.tesla")));
  return cases;
}

// One Valhall instruction in a kernel that loads its operands, from r4 on, and stores r12 and r13. None for
// what does not compute.
std::optional<valhall::Instruction> valhall_instruction(const valhall::Pattern& pattern) {
  std::uint64_t word = pattern.word_with(0);
  std::uint8_t reg = 4;
  for (const valhall::SyntaxToken& token : pattern.syntax()) {
    if (token.kind != valhall::SyntaxToken::Kind::source) continue;
    word = token.field.set(word, reg);
    reg = static_cast<std::uint8_t>(reg + 2);
    if (token.select == valhall::kNoSelect) continue;
    const valhall::Select& select = valhall::selects()[token.select];
    const auto wanted = [&](valhall::Lanes lanes) {
      return select.implied != valhall::Lanes::reserved ? lanes == select.implied
                                                        : lanes != valhall::Lanes::reserved;
    };
    const auto* const lanes = std::ranges::find_if(select.lanes, wanted);
    word = valhall::write_bits(word, token.select_bit, select.width,
                               static_cast<std::uint64_t>(lanes - select.lanes.begin()));
  }
  auto instruction = valhall::decode(word);
  if (!instruction || valhall::is_message(*instruction)) return std::nullopt;
  instruction->destination = 12;
  instruction->write_mask = 3;
  if (!valhall::find_operation(*instruction)) return std::nullopt;
  return *instruction;
}

Result<ir::Function> translate_valhall(const std::string& body, bool half_arithmetic = false) {
  constexpr const char* kBefore =
      "U16_TO_U32 r0, r55.h00\nSHADDX.u64 r2, u0, r0.w0, shift:0x6\n"
      "LOAD.i128.unsigned.slot0 @r4:r5:r6:r7, r2, offset:0\n"
      "LOAD.i128.unsigned.slot0 @r8:r9:r10:r11, r2, offset:16\n";
  WARPJIT_TRY(valhall::Program program,
              valhall::assemble(kBefore + body + "STORE.i64.slot0.end @r12:r13, r2, offset:32\n", "golden"));
  WARPJIT_TRY(const valhall::ReachedCode code, valhall::find_reached(program));
  return valhall::translate(
      program, code,
      {.block = {64, 1, 1}, .uniform_words = 4, .high_words = {0}, .half_arithmetic = half_arithmetic});
}

constexpr Sketch kValhallSketches[] = {
    {"nothing", ""},
    {"if",
     "ICMP_OR.u32.lt.m1 r12, r4, r5, 0x0\nBRANCHZ.eq.reconverge r12.h0, offset:end\nMOV.i32 r12, r6\n"
     "end:\n"},
    {"load of a uniform's memory", "LOAD.i32.unsigned.slot0 @r12, u2, offset:0\n"},
    {"load, indexed", "SHADDX.u64 r12, u2, r4.w0, shift:0x2\nLOAD.i32.unsigned.slot0 @r12, r12, offset:0\n"},
    {"atomic", "SHADDX.u64 r12, u2, r4.w0, shift:0x2\nATOM.i32.slot0.aadd @r5, r12, offset:0x0\n"},
    {"quad", "CLPER.i32.subgroup4.xor r12, r4, 0x3020100.b1\n"},
};

Result<std::vector<Case>> collect_valhall(const std::string& examples) {
  std::vector<Case> cases;
  for (const valhall::Pattern& pattern : valhall::patterns()) {
    const auto instruction = valhall_instruction(pattern);
    if (!instruction) continue;
    const std::string text = valhall::disassemble(*instruction);
    auto function = translate_valhall(text + "\n");
    if (!function) return Error{function.error().code, function.error().message, text};
    cases.push_back({text, std::move(*function)});
  }
  for (const Sketch& sketch : kValhallSketches) {
    auto function = translate_valhall(sketch.body);
    if (!function) return Error{function.error().code, function.error().message, sketch.name};
    cases.push_back({sketch.name, std::move(*function)});
  }
  WARPJIT_CHECK(add_examples(cases, examples + "/valhall"));
  for (const char* name : {"glass", "mandelbrot", "raymarch", "sphere"})
    WARPJIT_CHECK(add_example(cases, fmt::format("{}/valhall/graphics/{}.json", examples, name), "fragment"));
  return cases;
}

// What hosts with arithmetic of halves make otherwise.
Result<std::vector<Case>> collect_valhall_halves(const std::string& examples) {
  std::vector<Case> cases;
  for (const valhall::Pattern& pattern : valhall::patterns()) {
    const auto instruction = valhall_instruction(pattern);
    if (!instruction || instruction->type != valhall::Type::v2f16) continue;
    const std::string text = valhall::disassemble(*instruction);
    WARPJIT_TRY(ir::Function function, translate_valhall(text + "\n", true));
    cases.push_back({text, std::move(function)});
  }
  WARPJIT_CHECK(add_example(cases, examples + "/valhall/graphics/sphere_halves.json", "fragment", true));
  return cases;
}

Result<std::vector<Case>> collect_usse_cases(const std::string& examples) {
  WARPJIT_TRY(std::vector<Case> cases, collect_usse());
  for (const char* name : {"blend", "crt", "cube", "lcd", "mandelbrot", "sphere"})
    WARPJIT_CHECK(add_example(cases, fmt::format("{}/usse/graphics/{}.json", examples, name), "fragment"));
  return cases;
}

struct GoldenGuest {
  const char* name;
  Result<std::vector<Case>> (*collect)(const std::string& examples);
  int name_width;
  bool has_quick_version;
  const char* title;
  bool half_arithmetic = false;  // counted for targets that have it, else for those that have not
};
constexpr GoldenGuest kGuests[] = {
    {"pica200", collect_pica, 24, true,
     "# Host instructions of PICA200 code on {}. Made by `warpjit golden`; a test compares it.\n"
     "# One instruction and END, operands v0 v1 v2 (\"c\": a uniform where the format allows one), result "
     "o0; states of the fixed function (pixels).\n"},
    {"tesla", collect_tesla, 56, false,
     "# Host instructions of Tesla code on {}. Made by `warpjit golden`; a test compares it.\n"
     "# One instruction in a kernel that loads its operands and stores its results, as in \"nothing\".\n"},
    {"valhall", collect_valhall, 56, false,
     "# Host instructions of Valhall code on {}. Made by `warpjit golden`; a test compares it.\n"
     "# One instruction in a kernel that loads its operands and stores its results, as in \"nothing\".\n"},
    {"valhall", collect_valhall_halves, 56, false,
     "# Host instructions of Valhall code on {}, which has arithmetic of halves. Made by `warpjit golden`; a "
     "test\n"
     "# compares it. One instruction in a kernel that loads its operands and stores its results.\n",
     true},
    {"usse", collect_usse_cases, 66, false,
     "# Host instructions of USSE code on {}. Made by `warpjit golden`; a test compares it.\n"
     "# One instruction in a vertex program that reads its inputs and leaves its results, as in "
     "\"nothing\".\n"},
};
constexpr const char* kColumns =
    "# group: instructions of the group loop for `lanes` threads; per16: for 16 threads; vec: vector\n"
    "# arithmetic among them; ops: what brings constants and uniforms into vectors; spill: stores + loads;\n";
constexpr const char* kCodeColumn = "# code: bytes.\n";
constexpr const char* kQuickColumns =
    "# code: bytes. qgroup, qvec: the same of the quick version, tried first, in which 0 times infinity is "
    "not\n"
    "# minded.\n";

Result<std::string> count_instructions(const GoldenGuest& guest, const std::vector<Case>& cases,
                                       backend::Target target) {
  std::string text = fmt::format(fmt::runtime(guest.title), backend::name(target));
  text += std::string(kColumns) + (guest.has_quick_version ? kQuickColumns : kCodeColumn);
  text += fmt::format("{:{}} {:>5} {:>5} {:>6} {:>8} {:>6} {:>6} {:>6} {:>6}", "name", guest.name_width,
                      "lanes", "parts", "group", "per16", "vec", "ops", "spill", "code");
  text += guest.has_quick_version ? fmt::format(" {:>6} {:>6}\n", "qgroup", "qvec") : "\n";
  for (const Case& item : cases) {
    if (stopping()) return stop_error();
    const auto compile = [&](bool assume) -> Result<backend::MachineCode> {
      ir::PipelineOptions pipeline = backend::pipeline_options(target);
      pipeline.assume_no_zero_inf = assume;
      WARPJIT_TRY(const auto program, ir::run_pipeline(ir::Function(item.function), pipeline));
      backend::CompileOptions options;
      if (target != backend::Target::a64 && target != backend::Target::a64_fp16)
        options.abi = backend::Abi::system_v;  // the same counts on Windows
      return backend::compile(program, target, options);
    };
    const auto code = compile(false);
    if (!code) return Error{code.error().code, item.name + ": " + code.error().message, code.error().where};
    const backend::CodeStatistics& s = code->statistics;
    text +=
        fmt::format("{:{}} {:>5} {:>5} {:>6} {:>8.1f} {:>6} {:>6} {:>6} {:>6}", item.name, guest.name_width,
                    code->lanes, code->parts, s.group_instructions, s.group_instructions * 16.0 / code->lanes,
                    s.vector_arithmetic, s.vector_operands, s.spill_stores + s.spill_loads, code->code_size);
    if (guest.has_quick_version) {
      const auto quick = compile(true);
      if (!quick)
        return Error{quick.error().code, item.name + ": " + quick.error().message, quick.error().where};
      text += fmt::format(" {:>6} {:>6}", quick->statistics.group_instructions,
                          quick->statistics.vector_arithmetic);
    }
    text += '\n';
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
    if (before != after) print_out("{}:\n- {}\n+ {}\n", file, before, after);
  }
}

// One file: made, compared or printed.
int golden_file(const GoldenOptions& options, const std::string& file, const std::string& text) {
  if (options.print) {
    write_out(text);
    return kOk;
  }
  if (!options.check) {
    const Status written = write_file(file, text);
    return written ? kOk : fail(written.error());
  }
  const auto committed = read_file(file);
  if (!committed) return fail(committed.error());
  if (as_text(*committed) == text) return kOk;
  print_difference(file, as_text(*committed), text);
  return kMismatch;
}

constexpr std::array<const char*, 5> kTargetNames = {"v3", "v4", "a64", "v4-fp16", "a64-fp16"};

bool counted_for(const GoldenGuest& guest, const Result<backend::Target>& target) {
  return target && backend::has_half_arithmetic(*target) == guest.half_arithmetic;
}

int make_golden(const GoldenOptions& options) {
  std::vector<std::string> targets = options.targets;
  if (targets.empty()) targets.assign(kTargetNames.begin(), kTargetNames.end());
  int exit = kOk;
  for (const GoldenGuest& guest : kGuests) {
    const bool any = std::ranges::any_of(
        targets, [&](const std::string& name) { return counted_for(guest, backend::parse_target(name)); });
    if (!any) continue;
    const auto cases = guest.collect(options.examples);
    if (!cases) return fail(cases.error());
    for (const std::string& name : targets) {
      const auto target = backend::parse_target(name);
      if (!counted_for(guest, target)) continue;
      const auto text = count_instructions(guest, *cases, *target);
      if (!text) return fail(text.error());
      const int code = golden_file(options, options.folder + "/" + guest.name + "_" + name + ".txt", *text);
      if (code != kOk && code != kMismatch) return code;
      exit = std::max(exit, code);
    }
  }
  if (exit == kMismatch)
    print_err("warpjit: host instruction counts have changed; if that is meant: warpjit golden\n");
  return exit;
}

}  // namespace

void add_golden(Command& app) {
  const auto options = std::make_shared<GoldenOptions>();
  Command command = app.add_command("golden", "Regenerate or check the golden host instruction counts");
  command.option("--folder", options->folder, "where GUEST_TARGET.txt lie").show_default();
  command.option("--examples", options->examples, "folder of the guests' example launches").show_default();
  command.option("--target", options->targets, "v3, v4, a64, v4-fp16, a64-fp16 (default: all)")
      .one_of(std::vector<std::string>(kTargetNames.begin(), kTargetNames.end()))
      .separated_by_commas();
  const Option check = command.flag("--check", options->check, "compare instead; exit code 1 if they differ");
  command.flag("--print", options->print, "print to stdout instead").excludes(check);
  add_timeout(command);
  command.footer("Examples (in the source tree):\n  warpjit golden\n  warpjit golden --check");
  command.action([options] { return make_golden(*options); });
}

}  // namespace warpjit::tool
