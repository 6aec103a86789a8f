// Throughput of the four example vertex shaders on every engine and target, beside the hand-written lane
// kernels of the same process and a plain copy. Vertices are arrays of structures of float4, in and out.
// Items are vertices; bytes those of the structures, read and written.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <limits>

#include "engines.h"
#include "lanes.h"
#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "ratios.h"

namespace {

using namespace warpjit;

constexpr const char* kShaders[] = {"mvp_light", "skin_loop", "branchy", "breakc_loop"};
constexpr std::uint64_t kCounts[] = {64, 4096, 1'000'000};

const Engine& engine() {
  static const Engine instance;
  return instance;
}

void run_launch(benchmark::State& state, const std::string& shader, tool::EngineChoice choice,
                std::uint64_t count, unsigned threads, bool special) {
  auto file = tool::read_launch(WARPJIT_EXAMPLES + shader + ".json");
  if (!file) return state.SkipWithError(to_string(file.error()).c_str());
  if (const Status status = tool::set_count(*file, count); !status)
    return state.SkipWithError(to_string(status.error()).c_str());
  if (special) {  // a product of 0 and infinity in every group
    const tool::LaunchInput& position = file->inputs.at(0);
    const float infinity = std::numeric_limits<float>::infinity();
    for (std::uint64_t t = 0; t < count; t += 8)
      std::memcpy(&file->buffers[position.buffer].bytes[position.offset + t * position.stride], &infinity, 4);
  }
  // Inputs are parts of one structure, outputs are apart.
  const std::uint64_t bytes = file->inputs.at(0).stride + file->outputs.size() * 16;
  const auto bound = tool::BoundLaunch::make(std::move(*file));
  if (!bound) return state.SkipWithError(to_string(bound.error()).c_str());
  RunOptions options;
  options.engine = choice.engine;
  options.target = choice.target;
  options.threads = threads;
  for (auto iteration : state) {
    const auto report = engine().run(bound->launch(), options);
    if (!report) return state.SkipWithError(to_string(report.error()).c_str());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * count));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * count * bytes));
}

// What memory gives: as many bytes as `mvp_light` reads and writes.
void run_copy(benchmark::State& state, std::uint64_t count) {
  constexpr std::size_t kBytes = 64;  // of an item, read and written
  const std::vector<char> in(count * kBytes, 1);
  std::vector<char> out(in.size());
  for (auto iteration : state) {
    std::memcpy(out.data(), in.data(), in.size());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * count));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * count * 2 * kBytes));
}

void run_lanes(benchmark::State& state, const bench::LaneKernel& kernel, bool copy) {
  constexpr std::size_t kVertices = 4096;
  const bench::LaneConstants constants = bench::make_lane_constants();
  const std::vector<float> in =
      bench::make_lane_rows(kVertices, std::string_view(kernel.shader) == "skin_loop");
  std::vector<float> out(in.size());
  for (auto iteration : state) {
    kernel.run(constants, in.data(), out.data(), kVertices, copy);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kVertices));
}

void register_all(const std::vector<tool::EngineChoice>& choices) {
  for (const std::string shader : kShaders)
    for (const std::uint64_t count : kCounts)
      for (const tool::EngineChoice& choice : choices)
        for (const unsigned threads : {1u, 2u}) {
          // Two host threads matter where there is work for them; interpreters scale alike.
          if (threads == 2 && (count == 64 || choice.engine != EngineKind::jit)) continue;
          const std::string name = shader + "/" + tool::name(choice) + "/" + std::to_string(count) +
                                   (threads == 2 ? "/host_threads:2" : "");
          benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            run_launch(state, shader, choice, count, threads, false);
          })->UseRealTime();
          if (threads == 2 || count != 4096 || choice.engine != EngineKind::jit) continue;
          benchmark::RegisterBenchmark((name + "/zero_times_infinity").c_str(), [=](benchmark::State& state) {
            run_launch(state, shader, choice, count, 1, true);
          })->UseRealTime();
        }
  for (const std::uint64_t count : kCounts)
    benchmark::RegisterBenchmark(("copy/" + std::to_string(count)).c_str(), [=](benchmark::State& state) {
      run_copy(state, count);
    })->UseRealTime();
  for (const auto& kernels : {bench::lane_kernels_16(), bench::lane_kernels_8()})
    for (const bench::LaneKernel& kernel : kernels)
      for (const bool copy : {false, true}) {
        const std::string name = std::string(kernel.shader) + "/lanes" + std::to_string(kernel.width) +
                                 (copy ? "-copy" : "-soa") + "/4096";
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
          run_lanes(state, kernel, copy);
        })->UseRealTime();
      }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const auto choices = tool::choose_engines(engine(), {});
  if (!choices) return 2;
  for (const std::string& text : choices->unusable) std::fprintf(stderr, "skipped %s\n", text.c_str());
  register_all(choices->usable);
  bench::RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print_ratios();
  benchmark::Shutdown();
  return 0;
}
