// The time of the first draw with a shader that is new to an engine: waiting for the kernel ("blocking"), or
// run by the interpreter until it is ready ("background"); beside a draw whose kernel is cached. Medians, and
// the 99th percentile as a counter, in microseconds. The same of all examples ("example/"): a little of each,
// 8 threads, a block or 8 x 8 pixels; the least ("least"), a thread, a block or 2 x 2 pixels; and all of
// those over pixels ("whole").
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "launch/bound_launch.h"
#include "launch/read_launch.h"

namespace {

using namespace warpjit;
using Clock = std::chrono::steady_clock;

enum class Mode { cached, blocking, background };
constexpr const char* kModes[] = {"cached", "blocking", "background"};

double percentile(std::vector<double>& sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

// How much of a launch is run: `extent` threads, or `extent` x `extent` pixels. A block is always run as a
// whole; `whole` runs all pixels.
struct Size {
  const char* name;
  std::uint32_t extent;
  bool whole;
};
constexpr Size kLittle{"", 8, false}, kLeast{"least/", 1, false}, kWhole{"whole/", 8, true};

void first_run(benchmark::State& state, const std::string& path, Mode mode, const Size& size = kLittle) {
  auto file = tool::read_launch(path);
  if (!file) return state.SkipWithError(to_string(file.error()).c_str());
  if (file->work == Work::grid) {  // one block
    file->grid.grid = {1, 1, 1};
  } else if (file->work == Work::pixels) {
    const std::uint32_t extent = std::max(size.extent, 2U);  // a quad
    if (!size.whole) tool::set_target_size(*file, extent, extent);
  } else if (Status extended = tool::set_count(*file, static_cast<std::uint64_t>(state.range(0)));
             !extended) {
    return state.SkipWithError(to_string(extended.error()).c_str());
  }
  auto bound = tool::BoundLaunch::make(std::move(*file));
  if (!bound) return state.SkipWithError(to_string(bound.error()).c_str());
  const Engine engine;
  RunOptions options;
  options.threads = 1;
  options.background = mode == Mode::background;
  std::vector<double> times;
  double interpreted = 0;
  for (auto iteration : state) {
    static_cast<void>(iteration);
    // Background work of the run before has ended.
    engine.wait_for_compilations();
    if (mode != Mode::cached) engine.clear_cache();
    const Launch launch = bound->launch();  // remembers no kernel
    if (mode == Mode::cached && !engine.run(launch, options)) return state.SkipWithError("the run failed");
    bound->clear_pictures();
    const Clock::time_point start = Clock::now();
    const auto report = engine.run(launch, options);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (!report) return state.SkipWithError(to_string(report.error()).c_str());
    state.SetIterationTime(seconds);
    times.push_back(seconds * 1e6);
    interpreted += static_cast<double>(report->interpreted);
  }
  std::sort(times.begin(), times.end());
  state.counters["median_us"] = percentile(times, 0.5);
  state.counters["p99_us"] = percentile(times, 0.99);
  state.counters["interpreted"] = interpreted / static_cast<double>(times.size());
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const std::string shader : {"mvp_light", "skin_loop", "../tesla/saxpy", "../tesla/reduce"})
    for (const Mode mode : {Mode::cached, Mode::blocking, Mode::background}) {
      const bool is_kernel = shader.starts_with("../");
      auto* bench = benchmark::RegisterBenchmark(
          ((is_kernel ? shader.substr(3) : shader) + "/" + kModes[static_cast<int>(mode)]).c_str(),
          [=](benchmark::State& state) { first_run(state, WARPJIT_EXAMPLES + shader + ".json", mode); });
      bench->UseManualTime()->Iterations(300);
      if (!is_kernel) bench->Arg(8)->Arg(100)->Arg(1000)->Arg(10000);
    }
  std::vector<std::filesystem::path> examples;
  const std::filesystem::path root = std::filesystem::path(WARPJIT_EXAMPLES) / "..";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".json" && tool::read_launch(entry.path()))
      examples.push_back(entry.path());
  std::sort(examples.begin(), examples.end());
  for (const std::filesystem::path& path : examples)
    for (const Size& size : {kLittle, kLeast, kWhole})
      for (const Mode mode : {Mode::cached, Mode::blocking, Mode::background}) {
        if (size.whole && tool::read_launch(path)->work != Work::pixels) continue;
        const std::string name = "example/" + (path.parent_path() / path.stem())
                                                  .lexically_normal()
                                                  .lexically_relative(root.lexically_normal())
                                                  .string();
        benchmark::RegisterBenchmark(
            (name + "/" + size.name + kModes[static_cast<int>(mode)]).c_str(),
            [=](benchmark::State& state) { first_run(state, path.string(), mode, size); })
            ->UseManualTime()
            ->Iterations(size.whole ? 10 : 30)
            ->Arg(size.extent);
      }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
