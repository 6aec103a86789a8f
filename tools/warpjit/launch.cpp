// warpjit launch: a launch file to fill in, for a program that someone just has.
#include "command.h"
#include "files.h"
#include "guest/valhall/draw.h"
#include "launch/capture_launch.h"
#include "launch/template.h"
#include "launch/write_launch.h"
#include "output.h"
#include "render_capture.h"

namespace warpjit::tool {

namespace {

struct LaunchOptions {
  ProgramInput input;
  std::string out;
  std::uint32_t count = 0;
  std::optional<std::size_t> draw;
  CaptureInput capture;  // but for its file
};

// With --out, the program is a listing in a file beside the launch file.
int print_draw_launch(const LaunchOptions& options) {
  if (is_launch_capture(options.input.file)) {
    if (options.out.empty() || !options.capture.jobs.empty())
      return fail({ErrorCode::bad_input,
                   "a launch of this capture has files beside it: -o names it; --job is for Valhall GPUs",
                   options.input.file});
    if (const Status written = write_capture_launch(options.input.file, *options.draw, options.out); !written)
      return fail(written.error());
    return kOk;
  }
  CaptureInput input = options.capture;
  input.file = options.input.file;
  auto capture = load_capture(input);
  if (!capture) return fail(capture.error());
  const auto launch = launch_of_draw(*capture, *options.draw);
  if (!launch) return fail(launch.error());
  Json json = write_launch(*launch, 0, launch->count);
  if (!options.out.empty()) {
    const std::filesystem::path listing = path_of(options.out).replace_extension(".valhall");
    const auto text = launch->guest().list(*launch->program, {});
    if (!text) return fail(text.error());
    if (const Status written = write_file(listing, *text); !written) return fail(written.error());
    json["program"] = {{"file", name_of(listing.filename())}};
    if (launch->program->entry() != 0) json["program"]["entry"] = launch->program->entry();
  }
  if (const Status written = write_text(options.out, launch_text(json)); !written)
    return fail(written.error());
  return kOk;
}

int print_template(const LaunchOptions& options) {
  if (options.draw) return print_draw_launch(options);
  const auto given = load_program(options.input);
  if (!given) return fail(given.error());
  if (given->launch) return fail({ErrorCode::bad_input, "this is a launch file already", options.input.file});
  const auto json = launch_template(*given, options.count);
  if (!json) return fail(json.error());
  if (const Status written = write_text(options.out, launch_text(*json)); !written)
    return fail(written.error());
  if (given->container != nullptr && given->container->size() > 1)
    print_err("{} holds {} programs; this is of a {} program, --program and --entry choose another.\n",
              options.input.file, given->container->size(), name(given->shader->stage()));
  print_err("Fill in {}; keep the launch file in the program's folder. See docs/launch.md.\n",
            template_advice(*given));
  return kOk;
}

}  // namespace

void add_launch(Command& app) {
  const auto options = std::make_shared<LaunchOptions>();
  Command command = app.add_command("launch", "Print a launch file to fill in");
  add_program(command, options->input);
  command.existing("file").description(
      "SHBIN, cubin, assembly source (*.pica, *.tesla) or bare words (--words)");
  command.option("--count", options->count, "threads that the template has data for; of a kernel: of a block")
      .range(1, 4096);
  command.option("-o,--out", options->out, "file to write instead of stdout");
  const Option draw =
      command.option("--draw", options->draw,
                     "the file is a capture of launches or of a Valhall GPU: a whole launch of "
                     "its draw of this number (as `warpjit render` counts them), of a "
                     "Valhall GPU with targets that begin with their clear values");
  command
      .option("--job", options->capture.jobs,
              "with --draw: where a chain of jobs begins, instead of those that the file names")
      .needs(draw);
  add_capture_options(command, options->capture);
  for (const char* option : {"more", "--gpu"}) command.existing(option).needs(draw);
  add_timeout(command);
  command.footer(
      "Example:\n"
      "  warpjit launch shader.shbin -o run.json && warpjit run run.json\n"
      "  warpjit launch pipeline.shbin --program geometry -o run.json\n"
      "  warpjit launch kernel.cubin --entry saxpy -o run.json\n"
      "  warpjit launch frame.wjcap --draw 3 -o draw.json && warpjit render draw.json -o draw.png");
  command.action([options] { return print_template(*options); });
}

}  // namespace warpjit::tool
