// warpjit render: runs a launch over pixels and writes a picture.
#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "capture/neutral.h"
#include "command.h"
#include "files.h"
#include "heatmap.h"
#include "launch/pixel_results.h"
#include "output.h"
#include "picture.h"
#include "progress.h"
#include "render_capture.h"
#include "render_scene.h"
#include "runtime/work/launch.h"
#include "scene/load_scene.h"

namespace warpjit::tool {

namespace {

struct RenderCommand {
  RunInput input;
  std::string engine = "jit", target = "automatic", out, picture = "color0", size, compare, uniform, raw;
  unsigned frames = 1, milliseconds = 40;
  double from = 0, to = 1;
  CaptureInput capture;  // but for its file
  bool json = false, heatmap = false;
};

// A word of a constant space that frames step, "c0[16]", or a uniform register, "sa2".
struct Stepped {
  std::string space;
  std::size_t offset = 0;
};
Result<Stepped> parse_uniform(const std::string& text) {
  const std::size_t open = text.find('[');
  if (open == std::string::npos && text.starts_with("sa")) return Stepped{text, 0};
  std::optional<std::uint64_t> offset;
  if (open != std::string::npos && text.ends_with(']'))
    offset = text::parse_unsigned(std::string_view(text).substr(open + 1, text.size() - open - 2), 65532);
  if (!offset || *offset % 4 != 0)
    return Error{ErrorCode::bad_input,
                 text::quoted(text) + " is no place of a constant: c0[16] is one, up to c0[65532]",
                 "--uniform"};
  return Stepped{text.substr(0, open), static_cast<std::size_t>(*offset)};
}

// The value is the fragment program's, else the vertex program's.
Status set_constant(LaunchFile& file, const Stepped& stepped, float value) {
  for (LaunchValue& uniform : file.uniforms) {
    const std::string name = file.program->register_name(uniform.location);
    if (name != stepped.space || stepped.offset != 0 || uniform.words.size() != 1) continue;
    uniform.words[0] = std::bit_cast<std::uint32_t>(value);
    return {};
  }
  for (LaunchMemory& piece : file.grid.memory) {
    if (piece.space != stepped.space) continue;
    if (stepped.offset + 4 > piece.bytes.size()) break;
    const auto word = std::bit_cast<std::array<std::byte, 4>>(value);
    std::copy(word.begin(), word.end(), piece.bytes.begin() + static_cast<std::ptrdiff_t>(stepped.offset));
    return {};
  }
  if (!file.vertex.empty()) return set_constant(file.vertex.front(), stepped, value);
  return Error{ErrorCode::bad_input, "the launch gives no such constant", "--uniform"};
}

// The same view on targets of another size.
Status set_size(LaunchFile& file, const std::string& text) {
  const std::size_t between = text.find('x');
  const auto width = text::parse_unsigned(text.substr(0, between), kMaxTargetExtent);
  const auto height = between == std::string::npos
                          ? std::nullopt
                          : text::parse_unsigned(text.substr(between + 1), kMaxTargetExtent);
  if (!width || !height || *width == 0 || *height == 0)
    return Error{ErrorCode::bad_input,
                 fmt::format("{} is no size: 640x480 is one, up to {}", text::quoted(text), kMaxTargetExtent),
                 "--size"};
  set_target_size(file, static_cast<unsigned>(*width), static_cast<unsigned>(*height));
  return {};
}

Result<unsigned> picture_number(const std::string& name, const BoundLaunch& bound) {
  std::string known;
  for (const BoundLaunch::Picture& picture : bound.pictures()) {
    if (BoundLaunch::picture_name(picture.target) == name) return picture.target;
    known += (known.empty() ? "" : ", ") + BoundLaunch::picture_name(picture.target);
  }
  return Error{
      ErrorCode::bad_input,
      "the launch has no target '" + name + "'" + (known.empty() ? " and no other" : ", but " + known),
      "--show"};
}

struct Rendered {
  std::vector<Image> images;
  Report report;
  std::chrono::nanoseconds run_time{};
  std::optional<Mismatch> mismatch;
  std::optional<MemoryFault> fault;                // of the first frame that had one
  std::string note;                                // if the first frame changed nothing
  std::vector<std::vector<std::uint32_t>> counts;  // of each frame, if instructions are counted
  std::uint32_t width = 0, height = 0;             // of the targets
};

Result<Rendered> render(const RenderCommand& options, LaunchFile file) {
  const EngineKind kind = options.heatmap ? EngineKind::guest : *parse_engine(options.engine);
  const RunOptions run = options.input.on(kind, *parse_target(options.target));
  std::optional<Stepped> stepped;
  if (!options.uniform.empty()) {
    WARPJIT_TRY(stepped, parse_uniform(options.uniform));
  }
  const Engine engine;
  Rendered rendered;
  rendered.width = file.pixels.width;
  rendered.height = file.pixels.height;
  Progress progress(options.frames);
  for (unsigned frame = 0; frame < options.frames; ++frame) {
    LaunchFile launch = file;
    if (stepped) {
      const double part = options.frames > 1 ? static_cast<double>(frame) / options.frames : 0;
      WARPJIT_CHECK(set_constant(launch, *stepped,
                                 static_cast<float>(options.from + (options.to - options.from) * part)));
      launch.pixels.expected.clear();
    }
    WARPJIT_TRY(BoundLaunch bound, BoundLaunch::make(std::move(launch)));
    WARPJIT_TRY(const unsigned target, picture_number(options.picture, bound));
    progress.begin_step(frame);
    runtime::LaunchPixels& work = *bound.launch().state().pixels;
    work.progress = progress.thousandths();
    if (options.heatmap) {
      rendered.counts.emplace_back(std::size_t{rendered.width} * rendered.height);
      work.instructions = rendered.counts.back().data();
    }
    WARPJIT_TRY(rendered.report, bound.run(engine, run));
    rendered.run_time += rendered.report.run_time;
    if (!rendered.fault) rendered.fault = rendered.report.fault;
    if (frame == 0) {
      rendered.mismatch = check_expectations(bound);
      rendered.note = unchanged_note(bound, rendered.report);
    }
    if (!options.heatmap)
      rendered.images.push_back(to_image(*bound.picture(target), rendered.width, rendered.height));
  }
  // All frames have one scale.
  std::uint32_t most = 0;
  for (const auto& counts : rendered.counts) most = std::max(most, summarize(counts).most);
  for (const auto& counts : rendered.counts)
    rendered.images.push_back(heat_image(counts, rendered.width, rendered.height, most));
  return rendered;
}

// The file that --compare names, against the first frame.
Result<Difference> compare(const RenderCommand& options, const Image& image) {
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(options.compare, kMaxJsonBytes));
  WARPJIT_TRY(const Image other, read_png(bytes, options.compare));
  if (other.width != image.width || other.height != image.height)
    return Error{ErrorCode::bad_input,
                 fmt::format("has {} x {} pixels, the launch {} x {}", other.width, other.height, image.width,
                             image.height),
                 options.compare};
  return compare_images(image, other);
}

int run_render(const RenderCommand& options) {
  CaptureInput capture = options.capture;
  capture.file = options.input.file;
  if (is_capture(capture))
    return render_capture({capture,
                           options.input.on(*parse_engine(options.engine), *parse_target(options.target)),
                           options.out, options.picture, options.json, options.input.ignore_faults});
  if (!capture.more.empty() || !capture.gpu.empty() || capture.expected)
    return fail({ErrorCode::bad_input, "further files, --gpu and --expected are for captures of Valhall GPUs",
                 options.input.file});
  if (is_scene(options.input.file)) {
    return render_scene({options.input.file,
                         options.input.on(*parse_engine(options.engine), *parse_target(options.target)),
                         options.out, options.raw, options.heatmap, options.json});
  }
  auto file = load_launch(options.input);
  if (!file) return fail(file.error());
  if (file->work != Work::pixels)
    return fail(
        {ErrorCode::bad_input, "only launches of fragment programs make pictures", options.input.file});
  if (!options.size.empty())
    if (const Status sized = set_size(*file, options.size); !sized) return fail(sized.error());
  const std::uint64_t pixels = std::uint64_t{file->pixels.width} * file->pixels.height;
  const std::string modes = modes_warning(*file);
  const Json modes_given = file->guest().modes_json(*file->program);
  auto rendered = render(options, std::move(*file));
  if (!rendered) return fail(rendered.error());
  std::optional<Difference> difference;
  if (!options.compare.empty()) {
    auto compared = compare(options, rendered->images.front());
    if (!compared) return fail(compared.error());
    difference = std::move(*compared);
  }
  if (!options.out.empty()) {
    const std::vector<std::byte> bytes = difference ? write_png(difference->image)
                                         : rendered->images.size() > 1
                                             ? write_apng(rendered->images, options.milliseconds)
                                             : write_png(rendered->images.front());
    if (const Status written = write_picture(options.out, bytes); !written) return fail(written.error());
  }
  std::optional<HeatSummary> heat;
  if (options.heatmap) heat = summarize(rendered->counts.front());
  const Report& report = rendered->report;
  const double seconds = static_cast<double>(std::max<std::int64_t>(1, rendered->run_time.count())) / 1e9;
  const double rate = static_cast<double>(pixels * rendered->images.size()) / seconds / 1e6;
  if (options.json) {
    Json json{{"file", options.input.file},        {"engine", name(report.engine)},
              {"frames", rendered->images.size()}, {"width", rendered->width},
              {"height", rendered->height},        {"run_ns", rendered->run_time.count()},
              {"primitives", report.primitives},   {"groups", report.groups}};
    if (!modes_given.empty()) json["modes"] = modes_given;
    if (heat) json["heatmap"] = {{"most", heat->most}, {"total", heat->total}, {"pixels", heat->pixels}};
    if (difference) json["compare"] = {{"largest", difference->largest}, {"pixels", difference->pixels}};
    json["draw"] = draw_json(report.draw);
    if (!rendered->note.empty()) json["note"] = rendered->note;
    if (rendered->fault) json["fault"] = fault_json(*rendered->fault);
    if (rendered->mismatch) json["mismatch"] = mismatch_json(*rendered->mismatch);
    print_json(json);
  } else {
    print_out("{}: {} x {} pixels, {} frame{}, engine {}, {:.2f} ms ({:.1f} M target pixels/s){}\n",
              options.input.file, rendered->width, rendered->height, rendered->images.size(),
              rendered->images.size() == 1 ? "" : "s", name(report.engine), seconds * 1e3, rate, modes);
    if (heat)
      print_out(
          "{} instructions in {} pixels: {:.1f} each, {} at most\n", heat->total, heat->pixels,
          static_cast<double>(heat->total) / static_cast<double>(std::max<std::uint64_t>(1, heat->pixels)),
          heat->most);
    if (difference)
      print_out("{}: {} pixels differ, by {} of 255 at most\n", options.compare, difference->pixels,
                difference->largest);
  }
  if (!rendered->note.empty()) print_err("warpjit: note: {}\n", rendered->note);
  if (rendered->fault) print_err("warpjit: fault: {}\n", fault_text(*rendered->fault));
  if (rendered->mismatch) print_err("warpjit: mismatch: {}\n", to_string(*rendered->mismatch));
  return run_exit_code(rendered->mismatch || (difference && difference->pixels != 0),
                       rendered->fault.has_value(), options.input.ignore_faults);
}

}  // namespace

void add_render(Command& app) {
  const auto options = std::make_shared<RenderCommand>();
  Command command =
      app.add_command("render", "Run a launch over pixels, a capture or a scene, and write pictures");
  options->input.add_to(command);
  options->input.add_faults_to(command);
  add_capture_options(command, options->capture);
  add_expected(command, options->capture);
  command.option("-o,--out", options->out,
                 "the picture, a PNG; with --frames an animated one; of a capture also a folder for all "
                 "pictures; of a scene that folder");
  command.option("--raw", options->raw,
                 "a folder for the bytes of each output of a scene or a capture, as NAME.bin");
  command.option("--show", options->picture, "the target to show: color0 to color7, depth").show_default();
  command.option("--engine", options->engine, "guest, ir or jit").one_of(engine_names()).show_default();
  command.option("--target", options->target, "host instructions for jit: v3, v4, v4-fp16, a64, a64-fp16")
      .one_of(target_names())
      .show_default();
  command.option("--size", options->size, "columns x rows of the targets, such as 640x480");
  command.option("--frames", options->frames, "pictures of an animation").range(1, 1000).show_default();
  command.option("--uniform", options->uniform,
                 "the constant that frames step, such as c0[16], or the uniform, such as sa2; of the "
                 "vertex program if the fragment program has none");
  command.option("--from", options->from, "the value of --uniform in the first frame").show_default();
  command.option("--to", options->to, "the value of --uniform that a frame after the last would have")
      .show_default();
  command.option("--milliseconds", options->milliseconds, "how long a frame is shown")
      .range(1, 65535)
      .show_default();
  command.option(
      "--compare", options->compare,
      "a PNG to compare with; --out is then a picture of the differences, exit code 1 if there are any");
  command.flag("--heatmap", options->heatmap,
               "show how many guest instructions each pixel executed, in the guest interpreter, with a "
               "legend: black is 0, white the most; for a scene how many fragments triangles covered in each "
               "pixel, before tests, as further pictures of the targets");
  command.option("--job", options->capture.jobs,
                 "the file is a capture of a Valhall GPU: where a chain of its jobs begins, instead of "
                 "those that the file names; several in their order");
  command.flag("--json", options->json, "print JSON");
  command.footer(
      "If the launch has `expect`, compares (exit code 1 on a mismatch).\n"
      "Says faults, accesses outside of memory or not aligned, on stderr: the first one of a launch, or of "
      "each program that a job or draw of a capture ran (exit code 1, but with --ignore-faults).\n"
      "Examples:\n"
      "  warpjit render examples/tesla/graphics/phong.json -o phong.png\n"
      "  warpjit render examples/tesla/graphics/phong.json --frames 30 --uniform c0[0] --to 0.3927 -o "
      "turning.png\n"
      "  warpjit render examples/tesla/graphics/raymarch.json --size 640x480 --heatmap -o heat.png\n"
      "  warpjit render examples/tesla/graphics/noise.json --engine guest --compare noise.png -o "
      "difference.png\n"
      "  warpjit render frame.wjcap -o pictures\n"
      "  warpjit render memory.pages --job 0xf7fd3180 --job 0xf7fd3980 --json -o frame.png\n"
      "  warpjit render frame.0000 frame.0001 -o pictures   # texts of PAN_MESA_DEBUG=trace,dump\n"
      "  warpjit render scene.json -o pictures --raw bytes --heatmap\n"
      "A scene is one of the PICA200, \"format\": \"pica-frame 1\" (docs/pica-pixels.md).\n"
      "Captures take --engine, --target, --threads, --fuel, --show, --out and --ignore-faults. Runs "
      "of more than a second say on stderr how far they are.");
  command.action([options, command] {
    if (is_neutral_capture(options->input.file)) {
      if (const Status checked = check_scene_options(command,
                                                     {"out", "raw", "show", "engine", "target", "threads",
                                                      "fuel", "timeout", "ignore-faults", "json"},
                                                     "such captures");
          !checked)
        return fail(checked.error());
      return render_neutral(
          {options->input.file,
           options->input.on(*parse_engine(options->engine), *parse_target(options->target)), options->out,
           options->raw, options->picture, options->json, options->input.ignore_faults});
    }
    if (is_scene(options->input.file))
      if (const Status checked =
              check_scene_options(command, {"out", "raw", "engine", "target", "threads", "fuel", "timeout",
                                            "ignore-faults", "heatmap", "json"});
          !checked)
        return fail(checked.error());
    return run_render(*options);
  });
}

}  // namespace warpjit::tool
