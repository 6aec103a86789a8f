// Throughput of a vertex program that fetches its attributes and stores its results itself
// (examples/valhall/transform.valhall: a matrix, the division, the window, a colour), beside Mesa's llvmpipe,
// which draws triangles of the same vertices of which each lies outside of the picture, so that nothing is
// rasterized. Scenes: vertices and results that fit the second cache, and such that do not. Items are
// vertices. Times are of the processor. At the end: ratios, from medians where there are repetitions.
#include <benchmark/benchmark.h>

#include <bit>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "peers/opengl.h"
#include "rates.h"
#include "warpjit/valhall.hpp"
#include "warpjit/warpjit.hpp"

namespace warpjit::bench {
namespace {

constexpr std::uint32_t kStride = 48, kPacketStride = 32;
constexpr std::uint64_t kAddress = 0x700010000;
constexpr std::uint32_t kRgba32 = 191 << 12, kRgb32 = 183 << 12 | 16;
// Columns first. Everything is far to the right.
constexpr float kMatrix[16] = {0.9F,  -0.1F, 0.05F, 0.01F, 0.1F, 1.1F,  0.15F, 0.1F,
                               -0.2F, 0.2F,  0.8F,  0.9F,  50,   -0.2F, 2,     3};

std::string text(const std::string& path) {
  std::stringstream all;
  all << std::ifstream(WARPJIT_SOURCE_DIR + path).rdbuf();
  return all.str();
}

// Three vec4 of each vertex: position, colour, one that is not used.
std::vector<float> vertices(std::uint32_t count) {
  std::vector<float> words(std::size_t{count} * 12);
  std::mt19937 random(7);
  for (float& word : words) word = static_cast<float>(random() % 2001) / 1000 - 1;
  return words;
}

void count(benchmark::State& state, std::uint32_t vertices) {
  state.counters["items"] = benchmark::Counter(vertices, benchmark::Counter::kIsIterationInvariantRate);
}

void run(benchmark::State& state, std::uint32_t vertex_count, const RunOptions& options) {
  const auto fail = [&](const Error& error) { state.SkipWithError(to_string(error).c_str()); };
  const auto program = valhall::load_assembly(text("examples/valhall/transform.valhall"));
  if (!program) return fail(program.error());
  std::vector<float> memory = vertices(vertex_count);
  std::vector<std::uint32_t> results(std::size_t{vertex_count} * kPacketStride / 4);
  std::vector<float> uniforms{320, 320, 240, 240, 0.5F, 0.5F, 0, 0};
  uniforms.insert(uniforms.end(), std::begin(kMatrix), std::end(kMatrix));
  Launch launch(*program);
  const auto bytes = static_cast<std::uint32_t>(memory.size() * 4);
  const AttributeSource attributes[] = {
      {.address = kAddress, .bytes = bytes, .format = kRgb32, .stride = kStride},
      {.address = kAddress, .bytes = bytes, .format = kRgba32, .offset = 16, .stride = kStride}};
  for (const Status& status : {launch.set_parameters(std::as_bytes(std::span(uniforms))),
                               launch.set_count(vertex_count), launch.set_attributes(attributes),
                               launch.map_results(results.data(), results.size() * 4, kPacketStride),
                               launch.map_memory("mem", kAddress, memory.data(), bytes)})
    if (!status) return fail(status.error());
  const Engine engine;
  for (auto _ : state)
    if (const auto report = engine.run(launch, options); !report) return fail(report.error());
  count(state, vertex_count);
}

void run_peer(benchmark::State& state, std::uint32_t vertex_count) {
#if defined(WARPJIT_BENCH_OPENGL)
  const std::vector<float> words = vertices(vertex_count);
  PeerDraw draw;
  draw.vertex = text("bench/peers/transform.vert");
  draw.fragment = text("bench/peers/pass_through.frag");
  draw.size = 256;
  draw.vertex_count = vertex_count;
  draw.attributes = words;
  draw.matrix = kMatrix;
  std::string why_not;
  const auto peer = make_opengl(draw, why_not);
  if (!peer) return state.SkipWithError(why_not.c_str());
  for (auto _ : state) peer->draw();
  count(state, vertex_count);
#else
  state.SkipWithError("built without EGL");
#endif
}

void add_scene(const std::string& scene, std::uint32_t count) {
  const auto add = [&](const std::string& engine, auto with) {
    benchmark::RegisterBenchmark((scene + "/" + engine).c_str(), with)->Unit(benchmark::kMillisecond);
  };
  RunOptions options;
  options.threads = 1;
  for (const Target target : Engine().info().targets) {
    options.target = target;
    add(name(target), [=](benchmark::State& state) { run(state, count, options); });
  }
  options = {};
  options.engine = EngineKind::guest;
  options.threads = 1;
  add("guest", [=](benchmark::State& state) { run(state, count, options); });
  add("llvmpipe", [=](benchmark::State& state) { run_peer(state, count); });
}

void add_all() {
  add_scene("in_cache", 3 * 4096);
  add_scene("in_memory", 3 * 65536);
}

}  // namespace
}  // namespace warpjit::bench

int main(int argc, char** argv) {
  return warpjit::bench::run_rates(argc, argv, warpjit::bench::add_all, [](const auto& reporter) {
    reporter.print_ratios({"llvmpipe", "guest"});
  });
}
