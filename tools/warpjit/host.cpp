// warpjit host: the host code of a program, annotated with the guest's instructions.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "backend/target.h"
#include "command.h"
#include "files.h"
#include "ir/pipeline.h"
#include "output.h"

namespace warpjit::tool {

namespace {

struct HostOptions {
  ProgramInput input;
  std::string target = "automatic", out;
  std::uint32_t parts = 0, registers = 0;
  bool dispatch = false, exact = false, json = false, statistics = false, win64 = false, cost = false;
};

Json to_json(const backend::MachineCode& code) {
  const backend::CodeStatistics& s = code.statistics;
  return {{"target", backend::name(code.target)},
          {"lanes", code.lanes},
          {"parts", code.parts},
          {"code_bytes", code.code_size},
          {"pool_bytes", code.bytes.size() - code.code_size},
          {"table_bytes", code.table_bytes},
          {"instructions", s.instructions},
          {"group_instructions", s.group_instructions},
          {"vector_arithmetic", s.vector_arithmetic},
          {"vector_operands", s.vector_operands},
          {"spill_stores", s.spill_stores},
          {"spill_loads", s.spill_loads},
          {"rematerialized", s.rematerialized},
          {"moves", s.moves},
          {"group_clocks", s.group_clocks}};
}

Json to_json(const backend::LoopCost& loop) {
  Json clocks;
  for (std::size_t n = 0; n < backend::kBoundCount; ++n)
    clocks[std::string(name(static_cast<backend::Bound>(n)))] = loop.clocks[n];
  return {{"begin", loop.begin},           {"end", loop.end},     {"depth", loop.depth},
          {"operations", loop.operations}, {"turn", loop.turn()}, {"bound", name(loop.bound())},
          {"clocks", std::move(clocks)}};
}

// What a turn takes if one thing alone bounds it, the greatest first.
std::string list_bounds(const backend::LoopCost& loop) {
  std::vector<std::size_t> order(backend::kBoundCount);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return loop.clocks[a] > loop.clocks[b]; });
  std::string text;
  for (const std::size_t n : order)
    if (loop.clocks[n] >= 0.05)
      text += fmt::format("{}{} {:.1f}", text.empty() ? "" : ", ", name(static_cast<backend::Bound>(n)),
                          loop.clocks[n]);
  return text;
}

void print_loops(const backend::MachineCode& code) {
  if (code.loops.empty()) print_out("; no costs: there is no table of this target\n");
  for (std::size_t n = 0; n < code.loops.size(); ++n) {
    const backend::LoopCost& loop = code.loops[n];
    print_out("; loop {}{}, {:05x} to {:05x}{}: {} operations, {:.1f} clocks a turn, bound by {}\n;   {}\n",
              n, loop.depth == 0 ? " over groups" : fmt::format(" at depth {}", loop.depth), loop.begin,
              loop.end, loop.depth == 0 && code.loops.size() > 1 ? ", with a turn of each within it" : "",
              loop.operations, loop.turn(), name(loop.bound()), list_bounds(loop));
  }
}

int print_host(const HostOptions& options) {
  if (options.input.file.empty()) return print_costs(options.target, options.json);
  // Code can be made for targets that this machine does not run.
  const auto target = pick_target(options.target);
  if (!target) return fail(target.error());
  const auto translated = translate(options.input, options.dispatch, backend::has_half_arithmetic(*target));
  if (!translated) return fail(translated.error());
  ir::PipelineOptions pipeline = backend::pipeline_options(*target);
  pipeline.dispatch_all = options.dispatch;
  pipeline.assume_no_zero_inf = !options.exact;
  if (options.parts != 0)
    pipeline.group_lanes = [&](const ir::Function&) { return options.parts * backend::lanes(*target); };
  const auto program = ir::run_pipeline(translated->function, pipeline);
  if (!program) return fail(program.error());
  backend::CompileOptions compile;
  compile.abi = options.win64 ? backend::Abi::win64 : backend::Abi::native;
  compile.tuning = backend::tuning_here();
  compile.parts = options.parts;
  compile.registers = options.registers;
  compile.validate = true;
  compile.listing = !options.statistics;
  compile.costs = options.cost;
  const auto code = backend::compile(*program, *target, compile);
  if (!code) return fail(code.error());

  if (!options.out.empty()) {
    const auto* bytes = reinterpret_cast<const std::byte*>(code->bytes.data());
    if (const Status written = write_file(options.out, std::span(bytes, code->bytes.size())); !written)
      return fail(written.error());
  }
  const std::string listing = backend::list(*code, [&](std::uint32_t address) {
    return translated->guest->instruction(*translated->shader, address);
  });
  if (options.json) {
    Json json = to_json(*code);
    if (!options.statistics) json["listing"] = listing;
    if (options.cost) {
      json["loops"] = Json::array();
      for (const backend::LoopCost& loop : code->loops) json["loops"].push_back(to_json(loop));
    }
    print_json(json);
    return kOk;
  }
  const backend::CodeStatistics& s = code->statistics;
  print_out(
      "; target {}, {} threads a group in {} part{}, {} bytes of code, {} of constants, table of {} bytes\n",
      backend::name(code->target), code->lanes, code->parts, code->parts == 1 ? "" : "s", code->code_size,
      code->bytes.size() - code->code_size, code->table_bytes);
  print_out(
      "; {} instructions, {} of them in the group loop ({:.1f} per 16 threads): {} vector arithmetic, {} "
      "constants and uniforms, {} spill stores, {} spill loads, {} rematerialized, {} moves\n",
      s.instructions, s.group_instructions,
      code->lanes == 0 ? 0.0 : s.group_instructions * 16.0 / code->lanes, s.vector_arithmetic,
      s.vector_operands, s.spill_stores, s.spill_loads, s.rematerialized, s.moves);
  if (s.group_clocks != 0)
    print_out(
        "; {:.1f} clocks a group that takes each loop once, if each operation takes what it does alone\n",
        s.group_clocks);
  if (options.cost) print_loops(*code);
  if (!options.statistics) write_out(listing);
  return kOk;
}

}  // namespace

void add_host(Command& app) {
  const auto options = std::make_shared<HostOptions>();
  Command command = app.add_command("host", "List the host code, annotated with guest instructions");
  add_program(command, options->input);
  command.existing("file").required(false);
  command.option("--draw", options->input.draw, "the file is a scene: its draw of this number (default: 0)");
  command.flag(
      "--cost", options->cost,
      "what a turn of each loop takes by the table of costs and what bounds it, and each instruction's "
      "clocks and latency; without a file: measure what operations cost on this machine, beside the table");
  command
      .option("--target", options->target,
              "v3 (AVX2), v4 (AVX-512), a64 (NEON); one that this machine lacks works too")
      .one_of(target_names())
      .show_default();
  command.option("--parts", options->parts, "vectors per value; 0: chosen by register pressure").range(0, 16);
  command.option("--registers", options->registers, "registers per class that the allocator may use; 0: all")
      .range(0, 32);
  command.option("-o,--out", options->out, "file for the machine code bytes");
  add_timeout(command);
  command.flag("--win64", options->win64, "the calling convention of Windows");
  command.flag("--dispatch", options->dispatch, "run all control flow in the dispatcher");
  command.flag("--exact", options->exact,
               "the version for runs in which 0 is multiplied by infinity, not the one that is tried first");
  command.flag("--statistics", options->statistics, "no listing, only the counts");
  command.flag("--json", options->json, "print JSON");
  command.footer(
      "Examples:\n"
      "  warpjit host run.json --target v4\n"
      "  warpjit host shader.shbin --target v3 --statistics\n"
      "  warpjit host run.json --cost --statistics\n"
      "  warpjit host scene.json --draw 3 --target v3\n"
      "  warpjit host --cost");
  command.action([options, command] {
    if (options->input.file.empty()) {
      if (!options->cost) command.fail_without("file");
      for (const std::string& name : command.given())
        if (name != "cost" && name != "target" && name != "json") command.fail_without("file");
    }
    return print_host(*options);
  });
}

}  // namespace warpjit::tool
