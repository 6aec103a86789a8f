// Throughput of sampling: a texture over a target of 1024 x 1024 and a little arithmetic
// (tesla/textures.tesla), beside Mesa's llvmpipe and a loop in C++ that knows texture and filter; coherent
// ones by programs of Valhall, too, with f32 and with halves. Names are SIZE_FILTER_COORDINATES/ENGINE; items
// are pixels. Times are of the processor. At the end: ratios, from medians where there are repetitions.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "hand_textures.h"
#include "peers/opengl.h"
#include "rates.h"
#include "warpjit/tesla.hpp"
#include "warpjit/valhall.hpp"
#include "warpjit/warpjit.hpp"

namespace warpjit::bench {
namespace {

constexpr std::uint32_t kSide = 1024;  // of the target

enum class Kind : std::uint8_t { nearest, bilinear, trilinear };
constexpr const char* kKinds[] = {"nearest", "bilinear", "trilinear"};
struct Scene {
  std::uint32_t size;  // of the texture, both ways
  Kind kind;
  bool scattered;

  std::string name() const {
    return std::to_string(size) + '_' + kKinds[static_cast<unsigned>(kind)] +
           (scattered ? "_scattered" : "_coherent");
  }
  // Coordinates per pixel: a texel, or a level of detail of about a half.
  float scale() const { return (kind == Kind::trilinear ? 1.5F : 1.0F) / static_cast<float>(size); }
};

std::string text(const std::string& path) {
  std::stringstream all;
  all << std::ifstream(WARPJIT_BENCH_FOLDER + path).rdbuf();
  return all.str();
}

// All levels, one after the other; each is the mean of two by two of the last.
std::vector<std::uint32_t> texels(std::uint32_t size) {
  std::vector<std::uint32_t> words(std::size_t{size} * size);
  std::mt19937 random(4242);
  for (std::uint32_t y = 0; y < size; ++y)
    for (std::uint32_t x = 0; x < size; ++x)
      words[std::size_t{y} * size + x] = x * 255 / size | (y * 255 / size) << 8 |
                                         (((x ^ y) & 255) / 2 + (random() & 31)) << 16 | 0xff000000U;
  std::size_t above = 0;
  for (std::uint32_t side = size / 2; side != 0; side /= 2) {
    const std::size_t at = words.size();
    words.resize(at + std::size_t{side} * side);
    for (std::uint32_t y = 0; y < side; ++y)
      for (std::uint32_t x = 0; x < side; ++x) {
        std::uint32_t mean = 0;
        for (unsigned shift = 0; shift < 32; shift += 8) {
          std::uint32_t sum = 2;
          for (unsigned k = 0; k < 4; ++k)
            sum += words[above + (std::size_t{2} * y + k / 2) * 2 * side + 2 * x + k % 2] >> shift & 255;
          mean |= sum / 4 << shift;
        }
        words[at + std::size_t{y} * side + x] = mean;
      }
    above = at;
  }
  return words;
}

void count(benchmark::State& state) {
  state.counters["items"] =
      benchmark::Counter(double{kSide} * kSide, benchmark::Counter::kIsIterationInvariantRate);
}

// The picture of the scene; false on an error, which `state` gets.
class Draw {
 public:
  // `valhall`: the file of a program of Valhall; null: Tesla's.
  Draw(const Scene& scene, benchmark::State& state, const char* valhall = nullptr)
      : texels_(texels(scene.size)) {
    const Result<Program> program =
        valhall != nullptr ? valhall::load_assembly(text(valhall), {})
                           : tesla::load_assembly(text("tesla/textures.tesla"),
                                                  {.entry = scene.scattered ? "scattered" : "coherent"});
    if (!program) {
      fail(program.error(), state);
      return;
    }
    launch_.emplace(*program);
    RasterState raster;
    raster.window_positions = true;
    Texture texture;
    texture.format = *parse_texture_format("rgba8");
    texture.data = texels_.data();
    texture.size = texels_.size() * 4;
    texture.width = texture.height = scene.size;
    texture.levels = static_cast<std::uint32_t>(std::bit_width(scene.size));
    Sampler sampler;
    const Filter filter = scene.kind == Kind::nearest ? Filter::nearest : Filter::linear;
    sampler.magnify = sampler.minify = filter;
    sampler.mip = scene.kind == Kind::trilinear ? MipFilter::linear : MipFilter::none;
    const float scale = scene.scale();
    for (const Status& status :
         {launch_->set_raster_state(raster), launch_->set_target_size(kSide, kSide),
          launch_->bind_color(0, {pixels_.data(), pixels_.size() * 4, kSide * 4, PixelFormat::rgba8}),
          launch_->bind_vertices({kVertices, sizeof kVertices, 16, 4}),
          valhall != nullptr ? Status() : launch_->bind_constants("c0", &scale, sizeof scale),
          valhall != nullptr ? launch_->set_parameters(std::as_bytes(std::span(&scale, 1))) : Status(),
          launch_->set_count(3), launch_->set_texture(0, texture), launch_->set_sampler(0, sampler)})
      if (!status) {
        fail(status.error(), state);
        return;
      }
  }
  void run(benchmark::State& state, const RunOptions& options) {
    if (!launch_) return;
    for (auto _ : state)
      if (const auto report = engine_.run(*launch_, options); !report) return fail(report.error(), state);
    count(state);
  }

 private:
  static constexpr float kVertices[] = {0, 0, 0, 1, 2 * kSide, 0, 0, 1, 0, 2 * kSide, 0, 1};
  void fail(const Error& error, benchmark::State& state) {
    state.SkipWithError(to_string(error).c_str());
    launch_.reset();
  }

  std::vector<std::uint32_t> texels_;
  std::vector<std::uint32_t> pixels_ = std::vector<std::uint32_t>(std::size_t{kSide} * kSide);
  std::optional<Launch> launch_;
  Engine engine_;
};

void run_peer(benchmark::State& state, const Scene& scene) {
#if defined(WARPJIT_BENCH_OPENGL)
  const std::vector<std::uint32_t> words = texels(scene.size);
  PeerDraw draw;
  draw.vertex = text("peers/full_screen.vert");
  draw.fragment = text("peers/texture.frag");
  draw.size = kSide;
  draw.texture = {words, scene.size, scene.kind != Kind::nearest, scene.kind == Kind::trilinear};
  draw.scale = scene.scale();
  draw.scattered = scene.scattered;
  std::string why_not;
  const auto peer = make_opengl(draw, why_not);
  if (!peer) return state.SkipWithError(why_not.c_str());
  for (auto _ : state) peer->draw();
  count(state);
#else
  (void)scene;
  state.SkipWithError("built without EGL");
#endif
}

void run_hand(benchmark::State& state, const Scene& scene) {
  const std::vector<std::uint32_t> words = texels(scene.size);
  std::vector<std::uint32_t> pixels(std::size_t{kSide} * kSide);
  const HandTexture texture{words.data(), scene.size, scene.scale(), scene.scattered};
  for (auto _ : state) {
    (scene.kind == Kind::nearest ? hand_nearest : hand_bilinear)(texture, pixels.data(), kSide);
    benchmark::DoNotOptimize(pixels.data());
  }
  count(state);
}

void add() {
  std::vector<Scene> scenes;
  for (const std::uint32_t size : {256U, 2048U})
    for (const Kind kind : {Kind::nearest, Kind::bilinear, Kind::trilinear})
      for (const bool scattered : {false, true})
        // Scattered coordinates have no level of detail to speak of.
        if (!scattered || kind != Kind::trilinear) scenes.push_back({size, kind, scattered});
  const std::vector<Target> targets = Engine().info().targets;
  for (const Scene& scene : scenes) {
    const auto one = [&](const std::string& engine, auto body) {
      benchmark::RegisterBenchmark((scene.name() + '/' + engine).c_str(), body)
          ->MeasureProcessCPUTime()
          ->Unit(benchmark::kMillisecond);
    };
    for (const Target target : {Target::v3, Target::v4, Target::v4_fp16}) {
      RunOptions options;
      options.engine = EngineKind::jit;
      options.target = target;
      options.threads = 1;
      const auto valhall = [&](const char* kind, const char* file) {
        one(kind + std::string(name(target)),
            [=](benchmark::State& state) { Draw(scene, state, file).run(state, options); });
      };
      if (target == Target::v4_fp16 && std::ranges::find(targets, target) == targets.end()) continue;
      if (target != Target::v4_fp16)
        one(std::string("jit-") + name(target),
            [=](benchmark::State& state) { Draw(scene, state).run(state, options); });
      if (scene.scattered) continue;
      valhall("valhall-", "valhall/texture.valhall");
      valhall("valhall-halves-", "valhall/texture_halves.valhall");
    }
    one("llvmpipe", [=](benchmark::State& state) { run_peer(state, scene); });
    if (scene.kind != Kind::trilinear) one("loop", [=](benchmark::State& state) { run_hand(state, scene); });
  }
}

}  // namespace
}  // namespace warpjit::bench

int main(int argc, char** argv) {
  return warpjit::bench::run_rates(argc, argv, warpjit::bench::add, [](const auto& reporter) {
    reporter.print_ratios({"llvmpipe", "loop"});
  });
}
