// warpjit import: a capture of any kind as .wjcap.
#include <fmt/core.h>

#include "capture/frames.h"
#include "capture/import_draw.h"
#include "capture/neutral.h"
#include "capture/valhall/chain_sections.h"
#include "capture_names.h"
#include "device/valhall/capture.h"
#include "files.h"
#include "launch/capture_launch.h"
#include "output.h"
#include "render_capture.h"
#include "scene/citrace.h"
#include "scene/load_scene.h"

namespace warpjit::tool {

namespace {

struct ImportOptions {
  CaptureInput input;
  std::string out, note, names;
};

// Options of captures of Valhall GPUs alone.
Status check_plain(const ImportOptions& options) {
  if (options.input.jobs.empty() && options.note.empty() && options.input.more.empty() &&
      options.input.gpu.empty() && !options.input.expected)
    return {};
  return Error{ErrorCode::bad_input,
               "further files, --job, --gpu, --note and --expected are for captures of Valhall GPUs",
               options.input.file};
}

int import_scene(const ImportOptions& options) {
  if (const Status checked = check_plain(options); !checked) return fail(checked.error());
  auto scene = load_scene(options.input.file);
  if (!scene) return fail(scene.error());
  const bool as_capture = options.out.ends_with(".wjcap");
  if (!options.names.empty()) {
    if (!as_capture)
      return fail({ErrorCode::bad_input, "scenes have no names: --out must end in .wjcap", "--names"});
    auto names = read_names(options.names);
    if (!names) return fail(names.error());
    scene->texts.names = std::move(*names);
  }
  if (const Status written =
          as_capture ? write_scene_capture(*scene, options.out) : write_scene(*scene, options.out);
      !written)
    return fail(written.error());
  print_out("{}: {} jobs, {} outputs\n", options.out, scene->jobs.size(), scene->outputs.size());
  return kOk;
}

bool is_draw(const std::string& file) {
  if (!is_launch_file(file)) return false;
  const auto bytes = read_file(file, kMaxJsonBytes);
  return bytes && is_draw_text(as_text(*bytes));
}

int import_draw_file(const ImportOptions& options) {
  if (const Status checked = check_plain(options); !checked) return fail(checked.error());
  const auto text = read_file(options.input.file, kMaxJsonBytes);
  if (!text) return fail(text.error());
  const auto bytes =
      import_draw(as_text(*text), options.input.file, path_of(options.input.file).parent_path());
  if (!bytes) return fail(bytes.error());
  if (const Status written = write_file(options.out, *bytes); !written) return fail(written.error());
  print_out("{}: 1 scene, 1 draw, {} bytes\n", options.out, bytes->size());
  return kOk;
}

// The same capture, written again.
int import_neutral(const ImportOptions& options) {
  if (const Status checked = check_plain(options); !checked) return fail(checked.error());
  auto capture = load_neutral_capture(options.input.file);
  if (!capture) return fail(capture.error());
  if (!options.names.empty()) {
    const auto names = read_names(options.names);
    if (!names) return fail(names.error());
    if (const Status set = capture->set_names(*names); !set) return fail(set.error());
  }
  std::vector<std::byte> bytes;
  const auto append = [](void* to, std::span<const std::byte> part) {
    auto& all = *static_cast<std::vector<std::byte>*>(to);
    all.insert(all.end(), part.begin(), part.end());
    return true;
  };
  if (const Status done = capture->write(append, &bytes); !done) return fail(done.error());
  if (const Status written = write_file(options.out, bytes); !written) return fail(written.error());
  print_out("{}: {} frames, {} jobs, {} bytes\n", options.out, capture->frames(), capture->jobs(),
            bytes.size());
  return kOk;
}

// Launch files, which run once.
int import_launch_file(const ImportOptions& options) {
  ImportOptions first = options;
  first.input.more.clear();
  if (const Status checked = check_plain(first); !checked) return fail(checked.error());
  std::vector<std::string> files{options.input.file};
  files.insert(files.end(), options.input.more.begin(), options.input.more.end());
  if (const Status written = import_launches(files, options.out); !written) return fail(written.error());
  print_out("{}: {} launch{}\n", options.out, files.size(), files.size() == 1 ? "" : "es");
  return kOk;
}

int import_capture(const ImportOptions& options) {
  auto capture = load_capture(options.input);
  if (!capture) return fail(capture.error());
  print_notes(*capture);
  // Chains that cannot be run are found now.
  const auto draws = valhall::count_draws(*capture);
  if (!draws) return fail(draws.error());
  valhall::CaptureFile& file = *capture;
  if (!options.names.empty()) {
    auto names = read_names(options.names);
    if (!names) return fail(names.error());
    if (const Status checked = capture::check_names(*names); !checked) return fail(checked.error());
    file.names = std::move(*names);
  }
  std::string source = "imported from";
  // Files are for others, who have no use for folders.
  const auto names = sorted_files(options.input);
  for (const std::string& name : names)
    source += (&name == &names.front() ? " " : ", ") + name_of(path_of(name).filename());
  file.notes.push_back(source);
  if (!options.note.empty()) file.notes.push_back(options.note);
  std::vector<std::byte> bytes;
  const Status taken = valhall::write_capture(
      file,
      [](void* to, std::span<const std::byte> part) {
        auto& all = *static_cast<std::vector<std::byte>*>(to);
        all.insert(all.end(), part.begin(), part.end());
        return true;
      },
      &bytes);
  if (!taken) return fail(taken.error());
  if (const Status written = write_file(options.out, bytes); !written) return fail(written.error());
  print_out("{}: {} chains, {} draws, {} bytes\n", options.out, file.chains.size(), *draws, bytes.size());
  return kOk;
}

}  // namespace

void add_import(Command& app) {
  const auto options = std::make_shared<ImportOptions>();
  Command command = app.add_command(
      "import", "Write a capture or a scene as .wjcap, a trace or a capture of a 3DS as a scene");
  command
      .option("file", options->input.file,
              "a device core dump of panfrost, a text of PAN_MESA_DEBUG=trace,dump, memory records, or "
              ".wjcap; a scene of the PICA200, a CiTrace (.ctf); a draw of the Vita (.json) with its GXPs; a "
              "launch file")
      .required();
  add_capture_options(command, options->input);
  add_expected(command, options->input);
  command.option("--job", options->input.jobs,
                 "where a chain of jobs begins, instead of those that the file names; several in the order "
                 "of their submission");
  command.option("-o,--out", options->out, "the file to write").required();
  command.option(
      "--names", options->names,
      "a side file with names of addresses, registers, draws and uniforms, to keep in the capture");
  command.option("--note", options->note, "text to keep in the file");
  command.footer(
      "Examples:\n"
      "  warpjit import devcoredump.bin -o hang.wjcap\n"
      "  PAN_MESA_DEBUG=trace,dump,noafbc PANDECODE_DUMP_FILE=run program\n"
      "  warpjit import run.0000 run.0001 --gpu G57 -o frame.wjcap\n"
      "  warpjit import memory.pages --job 0xf7fd3180 --job 0xf7fd3980 -o frame.wjcap\n"
      "  warpjit import trace.ctf -o scene.json   # and files beside it, whose names begin with scene_\n"
      "  warpjit import wall.json glow.json -o frame.wjcap   # launch files: draws of one frame on the first "
      "one's targets\n"
      "  warpjit import scene.json --names scene.names.json -o frame.wjcap\n"
      "  warpjit import draw.json -o draw.wjcap   # a draw of the Vita, whose GXPs lie beside it\n"
      "  warpjit import run.json -o run.wjcap      # a launch file\n"
      "docs/captures.md has the formats.");
  command.action([options] {
    if (is_scene(options->input.file)) return import_scene(*options);
    if (is_draw(options->input.file)) return import_draw_file(*options);
    if (is_launch_file(options->input.file)) return import_launch_file(*options);
    return is_neutral_capture(options->input.file) ? import_neutral(*options) : import_capture(*options);
  });
}

}  // namespace warpjit::tool
