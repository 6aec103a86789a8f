// Rates with 1, 2, 4 ... host threads, up to as many as the machine has CPUs: SCENE/THREADS, real time.
// Vertices of PICA200, and draws of the examples over 1024 x 1024 pixels, each in tiles that threads own. At
// the end, multiples of the rate of one thread. Do not pin it to fewer CPUs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <thread>

#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "rates.h"

namespace warpjit::bench {
namespace {

struct Scene {
  const char* name;
  const char* launch;
  std::uint64_t vertices;  // 0: a draw
};
constexpr Scene kScenes[] = {{"pica200_skin_loop", "pica200/skin_loop", 1'000'000},
                             {"pica200_in_cache", "pica200/skin_loop", 4096},
                             {"tesla_mandelbrot", "tesla/graphics/mandelbrot", 0},
                             {"tesla_raymarch", "tesla/graphics/raymarch", 0},
                             {"tesla_phong", "tesla/graphics/phong", 0},
                             {"valhall_raymarch", "valhall/graphics/raymarch", 0},
                             {"usse_crt", "usse/graphics/crt", 0}};
constexpr std::uint32_t kExtent = 1024;

void run(benchmark::State& state, const Scene& scene, unsigned threads) {
  const auto fail = [&](const Error& error) { state.SkipWithError(to_string(error).c_str()); };
  auto file = tool::read_launch(WARPJIT_EXAMPLES + std::string(scene.launch) + ".json");
  if (!file) return fail(file.error());
  if (scene.vertices == 0) {
    tool::set_target_size(*file, kExtent, kExtent);
  } else if (const Status extended = tool::set_count(*file, scene.vertices); !extended) {
    return fail(extended.error());
  }
  const auto bound = tool::BoundLaunch::make(std::move(*file));
  if (!bound) return fail(bound.error());
  const Engine engine;
  RunOptions options;
  options.threads = threads;
  for (auto iteration : state) {
    static_cast<void>(iteration);
    if (const auto report = engine.run(bound->launch(), options); !report) return fail(report.error());
  }
  const double items = scene.vertices != 0 ? static_cast<double>(scene.vertices) : double{kExtent} * kExtent;
  state.counters["items"] = benchmark::Counter(items, benchmark::Counter::kIsIterationInvariantRate);
}

void add() {
  const unsigned most = std::max(std::thread::hardware_concurrency(), 1U);
  for (const Scene& scene : kScenes)
    for (unsigned threads = 1; threads <= most; threads *= 2)
      benchmark::RegisterBenchmark((std::string(scene.name) + "/" + std::to_string(threads)).c_str(),
                                   [=](benchmark::State& state) { run(state, scene, threads); })
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace warpjit::bench

int main(int argc, char** argv) {
  return warpjit::bench::run_rates(argc, argv, warpjit::bench::add,
                                   [](const auto& reporter) { reporter.print_ratios({"1"}); });
}
