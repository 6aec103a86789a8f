#include "render_scene.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "command.h"
#include "files.h"
#include "output.h"
#include "scene_file.h"

namespace warpjit::tool {

namespace {

Result<Scene> load_scene(const std::string& file) {
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(file, kMaxJsonBytes));
  return read_scene(as_text(bytes), file, path_of(file).parent_path());
}

struct JobRunner {
  pica200::Gpu& gpu;
  const Engine& engine;
  const RunOptions& options;
  pica200::GpuReport total;

  Status operator()(const CommandList& list) {
    WARPJIT_TRY(const pica200::GpuReport report, gpu.run_commands(engine, list.address, list.bytes, options));
    total.draws += report.draws;
    total.triangles += report.triangles;
    total.fragments += report.fragments;
    return {};
  }
  Status operator()(const pica200::MemoryFill& job) { return gpu.fill(job); }
  Status operator()(const pica200::DisplayTransfer& job) { return gpu.transfer(job); }
  Status operator()(const pica200::TextureCopy& job) { return gpu.copy(job); }
};

// The bytes of an output; none: they do not lie in the scene's memory.
std::span<const std::byte> bytes_of(const Scene& scene, const SceneOutput& output) {
  for (const SceneMemory& memory : scene.memory)
    if (output.address >= memory.address && output.address - memory.address <= memory.bytes.size() &&
        output.size <= memory.bytes.size() - (output.address - memory.address))
      return std::span(memory.bytes).subspan(output.address - memory.address, output.size);
  return {};
}

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
Result<OutputResult> finish_output(const RenderScene& options, const Scene& scene,
                                   const SceneOutput& output) {
  const std::span<const std::byte> bytes = bytes_of(scene, output);
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
  const SceneDifference difference = compare_output(output, bytes);
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

}  // namespace

bool is_scene(const std::string& file) {
  if (!is_launch_file(file)) return false;
  const auto bytes = read_file(file, kMaxJsonBytes);
  return bytes && is_scene_text(as_text(*bytes));
}

int render_scene(const RenderScene& options) {
  auto scene = load_scene(options.file);
  if (!scene) return fail(scene.error());
  pica200::Gpu gpu;
  std::vector<pica200::GpuMemory> memory;
  for (SceneMemory& piece : scene->memory)
    memory.push_back({piece.address, piece.bytes.data(), piece.bytes.size()});
  if (const Status set = gpu.set_memory(memory); !set) return fail(set.error());
  for (const pica200::RegisterWrite& write : scene->registers)
    if (const Status set = gpu.set_register(write.id, write.value); !set) return fail(set.error());

  const Engine engine;
  JobRunner runner{gpu, engine, options.run, {}};
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t n = 0; n < scene->jobs.size(); ++n) {
    Status done = std::visit(runner, scene->jobs[n]);
    if (done) continue;
    Error error = done.error();
    error.where =
        fmt::format("{}, job {}{}{}", options.file, n, error.where.empty() ? "" : ", ", error.where);
    return fail(error);
  }
  const double milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();

  for (const std::string& folder : {options.out, options.raw})
    if (const Status made = make_folder(folder); !made) return fail(made.error());
  bool holds = true;
  Json outputs = Json::array();
  std::vector<std::string> texts;
  for (const SceneOutput& output : scene->outputs) {
    auto result = finish_output(options, *scene, output);
    if (!result) return fail(result.error());
    holds = holds && result->holds;
    outputs.push_back(std::move(result->json));
    texts.push_back(std::move(result->text));
  }
  if (options.json) {
    print_json({{"file", options.file},
                {"engine", name(options.run.engine)},
                {"draws", runner.total.draws},
                {"triangles", runner.total.triangles},
                {"fragments", runner.total.fragments},
                {"total_ms", milliseconds},
                {"outputs", std::move(outputs)}});
  } else {
    for (const std::string& text : texts) print_out("{}\n", text);
    const std::string fragments =
        options.run.engine == EngineKind::guest ? fmt::format("{} fragments, ", runner.total.fragments) : "";
    print_out("{}: {} jobs, {} draws, {} triangles, {}engine {}, {:.2f} ms\n", options.file,
              scene->jobs.size(), runner.total.draws, runner.total.triangles, fragments,
              name(options.run.engine), milliseconds);
  }
  if (scene->refused) print_err("warpjit: mismatch: the scene must be refused, and was drawn\n");
  return scene->refused || !holds ? kMismatch : kOk;
}

}  // namespace warpjit::tool
