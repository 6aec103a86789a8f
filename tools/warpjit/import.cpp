// warpjit import: a capture of any kind as .wjcap.
#include "device/valhall/capture.h"
#include "files.h"
#include "output.h"
#include "render_capture.h"
#include "scene/citrace.h"
#include "scene/scene_machine.h"

namespace warpjit::tool {

namespace {

struct ImportOptions {
  CaptureInput input;
  std::string out, note;
};

int import_scene(const ImportOptions& options) {
  if (!options.input.jobs.empty() || !options.note.empty())
    return fail(
        {ErrorCode::bad_input, "--job and --note are for captures of Valhall GPUs", options.input.file});
  const auto scene = load_scene(options.input.file);
  if (!scene) return fail(scene.error());
  const bool as_capture = options.out.ends_with(".wjcap");
  if (const Status written =
          as_capture ? write_scene_capture(*scene, options.out) : write_scene(*scene, options.out);
      !written)
    return fail(written.error());
  print_out("{}: {} jobs, {} outputs\n", options.out, scene->jobs.size(), scene->outputs.size());
  return kOk;
}

int import_capture(const ImportOptions& options) {
  const auto capture = load_capture(options.input);
  if (!capture) return fail(capture.error());
  // Chains that cannot be run are found now.
  const auto draws = capture->count_draws();
  if (!draws) return fail(draws.error());
  const Json note = options.note.empty() ? Json{{"source", options.input.file}}
                                         : Json{{"source", options.input.file}, {"note", options.note}};
  const std::vector<std::byte> bytes = valhall::write_capture(capture->state().file, json_text(note));
  if (const Status written = write_file(options.out, bytes); !written) return fail(written.error());
  print_out("{}: {} chains, {} draws, {} bytes\n", options.out, capture->chains().size(), *draws,
            bytes.size());
  return kOk;
}

}  // namespace

void add_import(Command& app) {
  const auto options = std::make_shared<ImportOptions>();
  Command command = app.add_command(
      "import", "Write a capture or a scene as .wjcap, a trace or a capture of a 3DS as a scene");
  command
      .option("file", options->input.file,
              "a device core dump of panfrost, memory records, or .wjcap; a scene of the PICA200, a CiTrace "
              "(.ctf)")
      .required();
  command.option("--job", options->input.jobs,
                 "where a chain of jobs begins, instead of those that the file names; several in the order "
                 "of their submission");
  command.option("-o,--out", options->out, "the file to write").required();
  command.option("--note", options->note, "text to keep in the file");
  command.footer(
      "Examples:\n"
      "  warpjit import devcoredump.bin -o hang.wjcap\n"
      "  warpjit import memory.pages --job 0xf7fd3180 --job 0xf7fd3980 -o frame.wjcap\n"
      "  warpjit import trace.ctf -o scene.json   # and files beside it, whose names begin with scene_\n"
      "  warpjit import scene.json -o frame.wjcap\n"
      "docs/captures.md has the formats.");
  command.action([options] {
    return is_scene(options->input.file) ? import_scene(*options) : import_capture(*options);
  });
}

}  // namespace warpjit::tool
