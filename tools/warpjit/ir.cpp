// warpjit ir: the intermediate representation after each stage.
#include <algorithm>

#include "backend/target.h"
#include "command.h"
#include "ir/pipeline.h"
#include "ir/printer.h"
#include "output.h"

namespace warpjit::tool {

namespace {

struct IrOptions {
  ProgramInput input;
  std::string stage, target;
  bool all = false, list = false, dispatch = false, no_optimize = false, halves = false, json = false;
};

int print_stages(const IrOptions& options) {
  ir::PipelineOptions pipeline;
  bool halves = options.halves;
  if (!options.target.empty()) {
    const auto target = pick_target(options.target);
    if (!target) return fail(target.error());
    pipeline = backend::pipeline_options(*target);
    halves = halves || backend::has_half_arithmetic(*target);
  }
  pipeline.dispatch_all = options.dispatch;
  pipeline.optimize = !options.no_optimize;
  pipeline.verify = true;
  auto translated = translate(options.input, options.dispatch, halves);
  if (!translated) return fail(translated.error());
  struct Stage {
    std::string name, text;
  };
  std::vector<Stage> stages;
  const auto program = ir::run_pipeline(std::move(translated->function), pipeline,
                                        [&](std::string_view name, const ir::Function& f) {
                                          stages.push_back({std::string(name), ir::print(f)});
                                        });
  if (!program) {
    // What was there before the failure helps to find it.
    for (const Stage& stage : stages) write_err("-- " + stage.name + "\n" + stage.text + "\n");
    return fail(program.error());
  }
  stages.push_back({"preamble", ir::print(program->preamble)});
  stages.push_back({"kernel", ir::print(program->kernel)});

  if (!options.stage.empty()) {
    std::erase_if(stages, [&](const Stage& stage) { return stage.name != options.stage; });
    if (stages.empty())
      return fail(
          {ErrorCode::bad_input, "there is no stage '" + options.stage + "'; --list names them", "--stage"});
  } else if (!options.all && !options.list) {
    stages.erase(stages.begin(), stages.end() - 2);  // what the backend gets
  }
  if (options.json) {
    Json list = Json::array();
    for (const Stage& stage : stages) {
      Json row{{"stage", stage.name}};
      if (!options.list) row["text"] = stage.text;
      list.push_back(std::move(row));
    }
    print_json(list);
    return kOk;
  }
  for (const Stage& stage : stages) {
    if (options.list)
      print_out("{}\n", stage.name);
    else if (!options.stage.empty())
      write_out(stage.text);
    else
      write_out("; ---- " + stage.name + "\n" + stage.text + "\n");
  }
  return kOk;
}

}  // namespace

void add_ir(Command& app) {
  const auto options = std::make_shared<IrOptions>();
  Command command = app.add_command("ir", "Print the IR after a stage");
  add_program(command, options->input);
  command.option("--draw", options->input.draw, "the file is a scene: its draw of this number (default: 0)");
  const Option stage = command.option(
      "--stage", options->stage, "the stage to print (default: preamble and kernel, what a backend gets)");
  command.flag("--all", options->all, "print all stages").excludes(stage);
  command.flag("--list", options->list, "only name the stages").excludes(stage);
  command
      .option("--target", options->target,
              "as for this host: how wide groups are, whether lanes count turns (default: as for none)")
      .one_of(target_names());
  add_timeout(command);
  command.flag("--dispatch", options->dispatch, "run all control flow in the dispatcher");
  command.flag("--no-optimize", options->no_optimize, "only what correctness needs");
  command.flag("--half-arithmetic", options->halves, "as for hosts that have arithmetic of f16");
  command.flag("--json", options->json, "print JSON");
  command.footer(
      "A launch file fixes which inputs are bound and what booleans are; a program alone is taken at its "
      "most general, a kernel with a block of 64 threads.\n"
      "Examples:\n"
      "  warpjit ir shader.shbin --list\n"
      "  warpjit ir run.json --stage linearize\n"
      "  warpjit ir run.json --target v3\n"
      "  warpjit ir shader.v.pica --all\n"
      "  warpjit ir scene.json --draw 3");
  command.action([options] { return print_stages(*options); });
}

}  // namespace warpjit::tool
