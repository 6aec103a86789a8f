#include "render_scene.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "capture_names.h"
#include "command.h"
#include "files.h"
#include "heatmap.h"
#include "output.h"
#include "scene/load_scene.h"
#include "scene/overdraw.h"

namespace warpjit::tool {

namespace {

Status write_to(const std::string& folder, const std::string& name, std::span<const std::byte> bytes) {
  return write_file(path_of(folder) / path_of(name), bytes);
}

Status make_folder(const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code failure;
  std::filesystem::create_directories(path_of(folder), failure);
  if (failure) return Error{ErrorCode::io, "the folder cannot be made: " + failure.message(), folder};
  return {};
}

struct OutputResult {
  std::string text;
  Json json;
  bool holds = true;
};
Result<OutputResult> finish_output(const RenderScene& options, const SceneMachine& machine,
                                   const SceneOutput& output) {
  const std::span<const std::byte> bytes = machine.bytes_of(output);
  if (bytes.size() != output.size)
    return Error{ErrorCode::bad_input, "the output " + output.name + " does not lie in the scene's memory",
                 options.file};
  if (!options.raw.empty()) WARPJIT_CHECK(write_to(options.raw, output.name + ".bin", bytes));
  OutputResult result;
  result.json = {{"name", output.name}, {"bytes", bytes.size()}};
  if (!options.out.empty())
    if (const auto picture = output_picture(output, bytes)) {
      const std::string name = name_of(path_of(options.out) / path_of(output.name + ".png"));
      WARPJIT_CHECK(write_picture(name, write_png(*picture)));
      result.json["file"] = name;
    }
  if (!output.expected) {
    result.text = output.name + ": not compared";
    return result;
  }
  const CaptureComparison difference = compare_output(output, bytes);
  const char* const what = output.layout == SceneOutput::Layout::bytes ? "bytes" : "pixels";
  result.holds = difference.holds();
  result.text =
      difference.differ == 0
          ? fmt::format("{}: {} {}, equal", output.name, difference.units, what)
          : fmt::format("{}: {} of {} {} differ, {} by more than {} (allowed {}): {}", output.name,
                        difference.differ, difference.units, what, difference.beyond, output.tolerance,
                        difference.allowed, result.holds ? "within its tolerance" : "wrong");
  result.json["differ"] = difference.differ;
  result.json["beyond"] = difference.beyond;
  result.json["allowed"] = difference.allowed;
  return result;
}

struct HeatResult {
  std::vector<std::string> texts;
  Json json = Json::array();
};
Result<HeatResult> write_heat(const RenderScene& options, const Overdraw& overdraw) {
  HeatResult result;
  for (const Overdraw::Target& target : overdraw.targets()) {
    const HeatSummary heat = summarize(target.counts);
    const std::string name =
        fmt::format("overdraw_{:08x}_{}x{}", target.address, target.width, target.height);
    Json json{{"address", fmt::format("{:#010x}", target.address)},
              {"width", target.width},
              {"height", target.height},
              {"most", heat.most},
              {"total", heat.total},
              {"pixels", heat.pixels}};
    if (!options.out.empty()) {
      const std::string file = name_of(path_of(options.out) / path_of(name + ".png"));
      WARPJIT_CHECK(
          write_picture(file, write_png(heat_image(target.counts, target.width, target.height, heat.most))));
      json["file"] = file;
    }
    result.json.push_back(std::move(json));
    result.texts.push_back(fmt::format(
        "{}: {} fragments in {} pixels: {:.1f} each, {} at most", name, heat.total, heat.pixels,
        static_cast<double>(heat.total) / static_cast<double>(std::max<std::uint64_t>(1, heat.pixels)),
        heat.most));
  }
  return result;
}

}  // namespace

int render_scene(const RenderScene& options) {
  auto scene = load_scene(options.file);
  if (!scene) return fail(scene.error());
  const auto machine = SceneMachine::make(*scene, options.file);
  if (!machine) return fail(machine.error());
  const Engine engine;
  Overdraw overdraw(engine);
  if (options.heatmap) (*machine)->set_visitor(&overdraw);
  const auto start = std::chrono::steady_clock::now();
  if (const Status done = (*machine)->run(engine, options.run); !done)
    return fail(NameTable(scene->texts.names).in(done.error()));
  const double milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();

  for (const std::string& folder : {options.out, options.raw})
    if (const Status made = make_folder(folder); !made) return fail(made.error());
  const pica200::GpuReport& total = (*machine)->total();
  bool holds = true;
  Json outputs = Json::array();
  std::vector<std::string> texts;
  for (const SceneOutput& output : scene->outputs) {
    auto result = finish_output(options, **machine, output);
    if (!result) return fail(result.error());
    holds = holds && result->holds;
    outputs.push_back(std::move(result->json));
    texts.push_back(std::move(result->text));
  }
  auto heat = write_heat(options, overdraw);
  if (!heat) return fail(heat.error());
  if (options.json) {
    Json json{{"file", options.file},         {"engine", name(options.run.engine)},
              {"draws", total.draws},         {"triangles", total.triangles},
              {"fragments", total.fragments}, {"total_ms", milliseconds},
              {"outputs", std::move(outputs)}};
    if (options.heatmap) json["overdraw"] = std::move(heat->json);
    print_json(json);
  } else {
    for (const std::string& text : texts) print_out("{}\n", text);
    for (const std::string& text : heat->texts) print_out("{}\n", text);
    const std::string fragments =
        options.run.engine == EngineKind::guest ? fmt::format("{} fragments, ", total.fragments) : "";
    print_out("{}: {} jobs, {} draws, {} triangles, {}engine {}, {:.2f} ms\n", options.file,
              scene->jobs.size(), total.draws, total.triangles, fragments, name(options.run.engine),
              milliseconds);
  }
  if (scene->refused) print_err("warpjit: mismatch: the scene must be refused, and was drawn\n");
  return scene->refused || !holds ? kMismatch : kOk;
}

}  // namespace warpjit::tool
