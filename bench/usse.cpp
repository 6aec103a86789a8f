// Throughput of USSE fragment programs: the scalers crt and lcd of examples/usse/graphics, from 32 x 32
// texels to a target of 1024 x 1024, beside Mesa's llvmpipe with the same in GLSL and the guest interpreter;
// coordinates repeat. Items are pixels. Times are of the processor. At the end: ratios, from medians where
// there are repetitions.
#include <benchmark/benchmark.h>

#include <bit>
#include <cstdio>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/facts/slots.h"
#include "frontend/usse/shader.h"
#include "peers/opengl.h"
#include "rates.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::bench {
namespace {

constexpr std::uint32_t kSide = 1024, kTexels = 32;

struct Scene {
  const char* name;
  const char* program;  // in examples/usse/graphics and bench/peers
  std::span<const float> uniforms;
  float low;  // the coordinate where the target begins; where it ends it is 1
  bool linear;
};
constexpr float kCrtUniforms[] = {0.06F, 0.92F,        16, 0.03125F,     3,    1.8F,        2,
                                  1.6F,  0.333333343F, 0,  0.166666672F, 0.5F, 0.833333313F};
constexpr float kLcdUniforms[] = {32,          32,          0.333333343F, -0.333333343F,
                                  33.1134816F, 18.3963787F, -18.4928592F, -10.2738107F,
                                  2.826576F,   1.57032F,    0.75F,        0.95F};
constexpr Scene kScenes[] = {{"scaler", "crt", kCrtUniforms, -1, true},
                             {"lcd", "lcd", kLcdUniforms, 0, false}};

std::string text(const std::string& path) {
  std::stringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

std::vector<std::uint32_t> texels() {
  const std::string bytes = text(WARPJIT_SOURCE_DIR "examples/usse/graphics/screen.rgba8");
  std::vector<std::uint32_t> words(kTexels * kTexels);
  for (std::size_t n = 0; n < bytes.size() && n < 4 * words.size(); ++n)
    words[n / 4] |= std::uint32_t{static_cast<unsigned char>(bytes[n])} << 8 * (n % 4);
  return words;
}

void count(benchmark::State& state) {
  state.counters["items"] =
      benchmark::Counter(double{kSide} * kSide, benchmark::Counter::kIsIterationInvariantRate);
}

void run_scaler(benchmark::State& state, const Scene& scene, EngineKind kind, Target target) {
  const Engine engine;
  const std::string file = std::string(scene.program) + ".usse";
  auto program = usse::assemble(text(WARPJIT_SOURCE_DIR "examples/usse/graphics/" + file), file);
  if (!program) return state.SkipWithError(to_string(program.error()).c_str());
  Launch launch{Program(std::make_shared<const usse::Shader>(std::move(*program)))};
  std::vector<std::uint32_t> uniforms;
  for (const float value : scene.uniforms) uniforms.push_back(std::bit_cast<std::uint32_t>(value));
  const std::vector<std::uint32_t> words = texels();
  Texture texture;
  texture.format = *parse_texture_format("rgba8");
  texture.data = words.data();
  texture.size = words.size() * 4;
  texture.width = texture.height = kTexels;
  Sampler sampler;
  sampler.magnify = sampler.minify = scene.linear ? Filter::linear : Filter::nearest;
  std::vector<std::uint32_t> pixels(std::size_t{kSide} * kSide);
  std::vector<float> vertices(std::size_t{3} * usse::kSlots);
  constexpr float kPlaces[3][2] = {{-1, -1}, {3, -1}, {-1, 3}};
  for (std::size_t n = 0; n < 3; ++n) {
    float* const vertex = vertices.data() + n * usse::kSlots;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      vertex[axis] = kPlaces[n][axis];
      vertex[usse::kTexcoordSlot + axis] = scene.low + (kPlaces[n][axis] + 1) / 2 * (1 - scene.low);
    }
    vertex[3] = 1;
  }
  RasterState raster;
  raster.viewport_scale = raster.viewport_translate = {kSide / 2.0F, kSide / 2.0F, 0.5F};
  for (const Status& status :
       {launch.set_bits("sa4", uniforms), launch.set_raster_state(raster),
        launch.set_target_size(kSide, kSide),
        launch.bind_color(0, {pixels.data(), pixels.size() * 4, kSide * 4, PixelFormat::rgba8}),
        launch.bind_vertices(
            {vertices.data(), vertices.size() * 4, std::size_t{4} * usse::kSlots, usse::kSlots}),
        launch.set_count(3), launch.set_texture(0, texture), launch.set_sampler(0, sampler)})
    if (!status) return state.SkipWithError(to_string(status.error()).c_str());
  RunOptions options;
  options.engine = kind;
  options.target = target;
  options.threads = 1;
  for (auto _ : state)
    if (const auto report = engine.run(launch, options); !report)
      return state.SkipWithError(to_string(report.error()).c_str());
  count(state);
}

void run_peer(benchmark::State& state, const Scene& scene) {
#if defined(WARPJIT_BENCH_OPENGL)
  std::vector<std::uint32_t> words = texels();
  for (std::uint32_t side = kTexels / 2; side != 0; side /= 2)  // levels that nobody samples
    words.resize(words.size() + std::size_t{side} * side);
  PeerDraw draw;
  draw.vertex = text(WARPJIT_SOURCE_DIR "bench/peers/full_screen.vert");
  draw.fragment = text(std::string(WARPJIT_SOURCE_DIR "bench/peers/") + scene.program + ".frag");
  draw.size = kSide;
  draw.texture.texels = words;
  draw.texture.size = kTexels;
  draw.texture.linear = scene.linear;
  draw.scale = (1 - scene.low) / kSide;
  std::string why_not;
  const auto peer = make_opengl(draw, why_not);
  if (!peer) return state.SkipWithError(why_not.c_str());
  for (auto _ : state) peer->draw();
  count(state);
#else
  static_cast<void>(scene);
  state.SkipWithError("built without EGL");
#endif
}

void add() {
  for (const Scene& scene : kScenes) {
    const auto one = [&](const char* engine, auto body) {
      benchmark::RegisterBenchmark((std::string(scene.name) + "/" + engine).c_str(),
                                   [&scene, body](benchmark::State& state) { body(state, scene); })
          ->MeasureProcessCPUTime()
          ->Unit(benchmark::kMillisecond);
    };
    const auto run = [&one](const char* engine, EngineKind kind, Target target) {
      one(engine,
          [=](benchmark::State& state, const Scene& shown) { run_scaler(state, shown, kind, target); });
    };
    run("jit-v3", EngineKind::jit, Target::v3);
    run("jit-v4", EngineKind::jit, Target::v4);
    run("guest", EngineKind::guest, Target::automatic);
    one("llvmpipe", run_peer);
  }
}

}  // namespace
}  // namespace warpjit::bench

int main(int argc, char** argv) {
  return warpjit::bench::run_rates(argc, argv, warpjit::bench::add, [](const auto& reporter) {
    reporter.print_ratios({"llvmpipe", "guest"});
  });
}
