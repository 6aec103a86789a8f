// Throughput of fragment programs: engines and targets of warpjit beside Mesa's llvmpipe (peers/opengl.h), in
// one run. SCENE/ENGINE[/fast], fast with the modes fast-fmad and fast-sfu; items are pixels of the target,
// in `triangles` those that are drawn. Times are of the processor, because other programs on the machine add
// to those of the wall. At the end: ratios to llvmpipe, from medians where there are repetitions.
#include <benchmark/benchmark.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <sstream>

#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "peers/opengl.h"
#include "rates.h"

namespace warpjit::bench {
namespace {

struct Scene {
  const char* name;
  const char* launch;       // bench/tesla/pixels/*.json
  const char* vertex;       // bench/peers/*.vert
  const char* fragment;     // bench/peers/*.frag
  std::uint32_t triangles;  // 0: one over all of the target
  bool has_attributes;
  // The launch is examples/valhall/graphics/LAUNCH.json, whose first uniform is a step from pixel to pixel.
  bool valhall = false;

  std::uint32_t size() const { return std::string_view(fragment) == "raymarch" ? 512 : 1024; }
};
constexpr Scene kScenes[] = {
    {"mandelbrot", "mandelbrot", "full_screen", "mandelbrot", 0, false},
    {"raymarch", "raymarch", "full_screen", "raymarch", 0, false},
    {"valhall_mandelbrot", "mandelbrot", "full_screen", "mandelbrot", 0, false, true},
    {"valhall_raymarch", "raymarch", "full_screen", "raymarch", 0, false, true},
    {"hash", "hash", "full_screen", "hash", 0, false},
    {"pass_through", "pass_through", "attributes", "pass_through", 0, true},
    {"phong", "phong", "attributes", "phong", 0, true},
    {"triangles", "phong", "attributes", "phong", 10000, true},
};
constexpr double kPixelsOfATriangle = 50;

std::string text(const std::string& path) {
  std::stringstream all;
  all << std::ifstream(WARPJIT_BENCH_FOLDER + path).rdbuf();
  return all.str();
}

// Three vec4 of each vertex: position, normal, direction of the eye.
std::vector<float> vertices(const Scene& scene) {
  if (scene.triangles == 0)
    return {-1, -1, 0.5F, 1, 0, 0, 0.5F, 1, 0, 0, 0, 0,  //
            3,  -1, 0.5F, 1, 2, 0, 0.5F, 1, 0, 0, 0, 0,  //
            -1, 3,  0.5F, 1, 0, 2, 0.5F, 1, 0, 0, 0, 0};
  constexpr std::uint32_t kAcross = 100;
  constexpr float kLegs = 10.0F / 512;  // of right triangles, in clip coordinates
  std::mt19937 random(1);
  const auto unit = [&] { return static_cast<float>(random() >> 8) * 0x1p-24F; };
  std::vector<float> words;
  for (std::uint32_t n = 0; n < scene.triangles; ++n) {
    const float x = static_cast<float>(n % kAcross) / 50 - 1 + unit() / 2048;
    const float y = static_cast<float>(n / kAcross % kAcross) / 50 - 1 + unit() / 2048;
    const float corners[3][2] = {{x, y}, {x + kLegs, y}, {x, y + kLegs}};
    for (const auto& corner : corners)
      words.insert(words.end(), {corner[0], corner[1], 0.5F, 1, unit(), unit(), unit() + 0.1F, 1, unit(),
                                 unit(), unit() + 0.1F, 1});
  }
  return words;
}

Result<tool::BoundLaunch> make_valhall(const Scene& scene) {
  const std::string path =
      std::string(WARPJIT_BENCH_FOLDER "../examples/valhall/graphics/") + scene.launch + ".json";
  WARPJIT_TRY(tool::LaunchFile file, tool::read_launch(path));
  float step = 0;
  std::memcpy(&step, file.grid.parameters.data(), 4);
  step *= static_cast<float>(file.pixels.width) / static_cast<float>(scene.size());
  std::memcpy(file.grid.parameters.data(), &step, 4);
  file.pixels.width = file.pixels.height = scene.size();
  file.pixels.expected.clear();
  return tool::BoundLaunch::make(std::move(file));
}

std::optional<tool::BoundLaunch> make(const Scene& scene, bool fast, benchmark::State& state) {
  const auto fail = [&](const Error& error) {
    state.SkipWithError(to_string(error).c_str());
    return std::nullopt;
  };
  if (scene.valhall) {
    auto bound = make_valhall(scene);
    if (!bound) return fail(bound.error());
    return std::move(*bound);
  }
  const std::string path = std::string("tesla/pixels/") + scene.launch + ".json";
  nlohmann::json json = nlohmann::json::parse(text(path));
  if (fast) json["modes"] = {{"fast-fmad", true}, {"fast-sfu", true}};
  auto file = tool::parse_launch(json.dump(), path, {});
  if (!file) return fail(file.error());
  if (scene.has_attributes) {
    const std::vector<float> words = vertices(scene);
    tool::LaunchFile& stage = file->vertex.front();
    stage.count = stage.rows = file->count = file->rows = words.size() / 12;
    stage.buffers.resize(1);
    stage.buffers[0].bytes.resize(words.size() * 4);
    std::memcpy(stage.buffers[0].bytes.data(), words.data(), words.size() * 4);
    for (tool::LaunchInput& input : stage.inputs) {
      input.buffer = 0;
      input.offset = std::uint64_t{16} * input.reg;
      input.stride = 48;
    }
  }
  auto bound = tool::BoundLaunch::make(std::move(*file));
  if (!bound) return fail(bound.error());
  return std::move(*bound);
}

double items(const Scene& scene, std::uint32_t size) {
  return scene.triangles == 0 ? static_cast<double>(size) * size : scene.triangles * kPixelsOfATriangle;
}

void run_warpjit(benchmark::State& state, const Scene& scene, RunOptions options, bool fast) {
  auto bound = make(scene, fast, state);
  if (!bound) return;
  const Engine engine;
  for (auto _ : state) {
    const auto report = engine.run(bound->launch(), options);
    if (!report) return state.SkipWithError(to_string(report.error()).c_str());
  }
  state.counters["items"] = benchmark::Counter(items(scene, bound->file().pixels.width),
                                               benchmark::Counter::kIsIterationInvariantRate);
}

void run_peer(benchmark::State& state, const Scene& scene, std::uint32_t size) {
  PeerDraw draw;
  draw.vertex = text(std::string("peers/") + scene.vertex + ".vert");
  draw.fragment = text(std::string("peers/") + scene.fragment + ".frag");
  draw.size = size;
  const std::vector<float> words = scene.has_attributes ? vertices(scene) : std::vector<float>{};
  draw.attributes = words;
  draw.vertex_count = scene.triangles == 0 ? 3 : 3 * scene.triangles;
  std::string why_not = "built without EGL";
#if defined(WARPJIT_BENCH_OPENGL)
  const auto peer = make_opengl(draw, why_not);
  if (!peer) return state.SkipWithError(why_not.c_str());
  for (auto _ : state) peer->draw();
  state.counters["items"] =
      benchmark::Counter(items(scene, size), benchmark::Counter::kIsIterationInvariantRate);
#else
  state.SkipWithError(why_not.c_str());
#endif
}

void print_ratios(const RateReporter& reporter) {
  for (const auto& [scene, rates] : reporter.rates()) {
    const auto peer = rates.find("llvmpipe");
    for (const auto& [engine, rate] : rates)
      if (peer != rates.end() && engine != "llvmpipe")
        std::printf("%-14s %-14s %8.2f M pixels/s %7.2f x llvmpipe\n", scene.c_str(), engine.c_str(),
                    rate / 1e6, rate / peer->second);
    const auto guest = rates.find("guest");
    for (const char* jit : {"jit-v3", "jit-v4"})
      if (guest != rates.end() && rates.contains(jit))
        std::printf("%-14s %-14s %30.1f x guest\n", scene.c_str(), jit, rates.at(jit) / guest->second);
  }
}

void add() {
  constexpr std::pair<const char*, Target> kTargets[] = {{"jit-v3", Target::v3}, {"jit-v4", Target::v4}};
  for (const Scene& scene : kScenes) {
    const auto one = [&](const std::string& engine, auto body) {
      benchmark::RegisterBenchmark((std::string(scene.name) + '/' + engine).c_str(), body)
          ->MeasureProcessCPUTime()
          ->Unit(benchmark::kMillisecond);
    };
    for (const auto& [name, target] : kTargets)
      for (const bool fast : {false, true}) {
        if (fast && scene.valhall) continue;
        RunOptions options;
        options.target = target;
        options.threads = 1;
        one(std::string(name) + (fast ? "/fast" : ""),
            [=](benchmark::State& state) { run_warpjit(state, scene, options, fast); });
      }
    one("llvmpipe", [=](benchmark::State& state) { run_peer(state, scene, scene.size()); });
    if (std::strcmp(scene.name, "phong") != 0) continue;
    RunOptions guest;
    guest.engine = EngineKind::guest;
    guest.threads = 1;
    one("guest", [=](benchmark::State& state) { run_warpjit(state, scene, guest, false); });
  }
  // Two threads: of the wall's time.
  for (const unsigned threads : {1U, 2U}) {
    RunOptions options;
    options.threads = threads;
    benchmark::RegisterBenchmark(
        ("two_threads/" + std::to_string(threads)).c_str(),
        [=](benchmark::State& state) { run_warpjit(state, kScenes[0], options, false); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace
}  // namespace warpjit::bench

int main(int argc, char** argv) {
  return warpjit::bench::run_rates(argc, argv, warpjit::bench::add, warpjit::bench::print_ratios);
}
