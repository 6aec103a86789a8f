// Throughput of the 3DS's pixels by pica200::Gpu: STATE/ENGINE draws 400 x 240 pixels by command lists, items are
// fragments; draw/ENGINE is a draw of two triangles, states/ENGINE one with a state of its own; frame/ENGINE 100
// draws of 100 triangles of about 24 pixels, with 10 states. At the end: ratios to the scalar guest interpreter.
// WARPJIT_BENCH_THREADS: host threads, 1 if unset.
#include <benchmark/benchmark.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "warpjit/pica200.hpp"

namespace warpjit::bench {
namespace {

constexpr std::uint32_t kMemory = 0x18000000, kBytes = 16 << 20, kColor = kMemory,
                        kDepth = kMemory + (1 << 21), kTexture = kMemory + (4 << 20),
                        kVertices = kMemory + (6 << 20), kList = kMemory + (10 << 20);
// As the console's screens lie in memory, WARPJIT_BENCH_SCALE times as large both ways, 1 or 2.
std::uint32_t scale() {
  const char* const given = std::getenv("WARPJIT_BENCH_SCALE");
  return given != nullptr && *given == '2' ? 2 : 1;
}
const std::uint32_t kWidth = 240 * scale(), kHeight = 400 * scale();

std::uint32_t f24(float value) {
  if (value == 0) return 0;
  int exponent = 0;
  const float fraction = std::frexp(std::fabs(value), &exponent);
  return (value < 0 ? 1U << 23 : 0U) | static_cast<std::uint32_t>(exponent - 1 + 63) << 16 |
         static_cast<std::uint32_t>((2 * fraction - 1) * 65536);
}

class List {
 public:
  void write(std::uint32_t id, std::uint32_t value) {
    words_.push_back(value);
    words_.push_back(id | 0xF0000);
  }
  void finish() {
    write(0x010, 0x12345678);
    write(0x010, 0x12345678);
  }
  const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  std::vector<std::uint32_t> words_;
};

enum class State { color, texture, textures, light };
constexpr const char* kStates[] = {"color", "texture", "textures", "light"};

// A vertex: position, colour, quaternion, view, two texture coordinates, each four floats.
struct Vertex {
  float position[4], color[4], quaternion[4], view[4], coordinates[4];
};

class Machine {
 public:
  Machine() : bytes_(kBytes) {
    for (std::size_t n = 0; n < bytes_.size(); ++n) bytes_[n] = static_cast<std::byte>(n * 2654435761U >> 24);
    const pica200::GpuMemory memory{kMemory, bytes_.data(), bytes_.size()};
    if (!gpu_.set_memory({&memory, 1})) std::abort();
    List list;
    set_up(list);
    run(list, EngineKind::guest);
  }

  // The registers that all draws have.
  static void set_up(List& list) {
    constexpr std::uint32_t kMove = 0x4c000000, kEnd = 0x88000000;
    list.write(0x2CB, 0);
    for (std::uint32_t n = 0; n < 5; ++n) list.write(0x2CC, kMove | n << 21 | n << 12);
    list.write(0x2CC, kEnd);
    list.write(0x2D5, 0);
    list.write(0x2D6, 0x0d86c36f);
    list.write(0x2BA, 0x7FFF0000);
    list.write(0x2B9, 0xA0000004);
    list.write(0x2BB, 0x76543210);
    list.write(0x2BD, 0x1F);
    list.write(0x04F, 5);
    list.write(0x050, 0x03020100);
    list.write(0x051, 0x0B0A0908);
    list.write(0x052, 0x07060504);
    list.write(0x053, 0x1F141312);
    list.write(0x054, 0x0F0E0D0C);
    list.write(0x200, kVertices >> 3);
    list.write(0x201, 0xFFFFF);
    list.write(0x202, 4U << 28);
    list.write(0x203, 0);
    list.write(0x204, 0x43210);
    list.write(0x205, 5U << 28 | static_cast<std::uint32_t>(sizeof(Vertex)) << 16);
    list.write(0x041, f24(static_cast<float>(kWidth) / 2));
    list.write(0x043, f24(static_cast<float>(kHeight) / 2));
    list.write(0x04D, f24(-1));
    list.write(0x06D, 1);
    for (const std::uint32_t id : {0x0C8u, 0x0D0u, 0x0D8u, 0x0F0u, 0x0F8u}) list.write(id, 0x000F000F);
    list.write(0x100, 0x00E40100);
    list.write(0x101, 0x01010000);
    list.write(0x107, 0x0F00);
    list.write(0x113, 0xF);
    list.write(0x115, 0);
    list.write(0x116, 3);
    list.write(0x117, 0);
    list.write(0x11C, kDepth >> 3);
    list.write(0x11D, kColor >> 3);
    list.write(0x11E, kWidth | (kHeight - 1) << 12 | 1U << 24);
  }

  static void set_state(List& list, State state) {
    const bool texture = state == State::texture || state == State::textures;
    list.write(0x080, texture ? 3 : 0);
    for (const std::uint32_t id : {0x081u, 0x091u}) {
      list.write(id, 0);
      list.write(id + 1, 256U << 16 | 256);
      list.write(id + 2, 6 | 2U << 8 | 2U << 12);
      list.write(id + 3, 0);
      list.write(id + 4, (kTexture + (id == 0x091 ? 1 << 19 : 0)) >> 3);
    }
    list.write(0x08E, 0);
    list.write(0x096, 0);
    const auto stage = [&](std::uint32_t id, std::uint32_t sources, std::uint32_t op) {
      list.write(id, sources | sources << 16);
      list.write(id + 1, 0);
      list.write(id + 2, op | op << 16);
      list.write(id + 3, 0);
      list.write(id + 4, 0);
    };
    // Primary; texture 0 times primary, then times texture 1; both lights added.
    stage(0x0C0,
          state == State::color   ? 0
          : state == State::light ? 0x21
                                  : 0x03,
          state == State::color   ? 0
          : state == State::light ? 2
                                  : 1);
    stage(0x0C8, state == State::textures ? 0x4F : 0x0F, state == State::textures ? 1 : 0);
    const bool light = state == State::light;
    list.write(0x08F, light ? 1 : 0);
    list.write(0x1C6, light ? 0 : 1);
    list.write(0x1C2, 0);
    list.write(0x1C3, 2U << 4);  // D0, D1 and RR
    list.write(0x1C4, ~0U & ~(1U << 16 | 1U << 17 | 1U << 22));
    list.write(0x1D0, 0);
    list.write(0x1D1, 0x0030000 | 2 << 4);
    list.write(0x1D2, 0);
    list.write(0x1D9, 0);
    list.write(0x1C0, 0x20 | 0x20 << 10 | 0x20 << 20);
    for (std::uint32_t n = 0; n < 4; ++n) list.write(0x140 + n, 0x80 | 0x70 << 10 | 0x60 << 20);
    list.write(0x144, 0x3800 | 0x3400 << 16);
    list.write(0x145, 0x3C00);
    list.write(0x149, 0);
  }

  static void draw(List& list, std::uint32_t first, std::uint32_t count) {
    list.write(0x25E, 0);
    list.write(0x25F, 1);
    list.write(0x228, count);
    list.write(0x22A, first);
    list.write(0x22E, 1);
  }

  void set_vertices(const std::vector<Vertex>& vertices) {
    std::memcpy(bytes_.data() + (kVertices - kMemory), vertices.data(), vertices.size() * sizeof(Vertex));
  }
  void load(const List& list) {
    list_bytes_ = static_cast<std::uint32_t>(4 * list.words().size());
    std::memcpy(bytes_.data() + (kList - kMemory), list.words().data(), list_bytes_);
  }
  void run(const List& list, EngineKind kind) {
    List ended = list;
    ended.finish();
    load(ended);
    RunOptions options;
    options.engine = kind;
    run(options);
  }
  void run(const RunOptions& options) {
    const auto report = gpu_.run_commands(engine_, kList, list_bytes_ & ~15U, options);
    if (report) return;
    std::fprintf(stderr, "%s\n", to_string(report.error()).c_str());
    std::abort();
  }
  const Engine& engine() const { return engine_; }

 private:
  Engine engine_;
  pica200::Gpu gpu_;
  std::vector<std::byte> bytes_;
  std::uint32_t list_bytes_ = 0;
};

Vertex vertex(float x, float y) {
  const float w = 1.5f + 0.25f * x;
  return {{x * w, y * w, -0.5f * w, w},
          {0.5f + 0.5f * x, 0.5f + 0.5f * y, 0.5f, 1},
          {0.1f * x, 0.1f * y, 0.2f, 1},
          {x, y, 2, 0},
          {0.5f + 0.5f * x, 0.8f + 0.8f * y, 0, 0}};
}
std::vector<Vertex> screen() {
  return {vertex(-1, -1), vertex(1, -1), vertex(1, 1), vertex(-1, -1), vertex(1, 1), vertex(-1, 1)};
}

struct Run {
  const char* name;
  EngineKind kind;
  Target target = Target::automatic;
};

RunOptions options_of(const Run& run) {
  RunOptions options;
  options.engine = run.kind;
  options.target = run.target;
  const char* const threads = std::getenv("WARPJIT_BENCH_THREADS");
  options.threads = threads != nullptr ? static_cast<unsigned>(std::atoi(threads)) : 1;
  return options;
}

void draw_state(benchmark::State& bench, State state, const Run& run) {
  Machine machine;
  machine.set_vertices(screen());
  List list;
  Machine::set_state(list, state);
  Machine::draw(list, 0, 6);
  list.finish();
  machine.load(list);
  const RunOptions options = options_of(run);
  machine.run(options);
  for (auto _ : bench) machine.run(options);
  bench.SetItemsProcessed(static_cast<std::int64_t>(bench.iterations()) * kWidth * kHeight);
}

void draw_two(benchmark::State& bench, const Run& run) {
  constexpr std::uint32_t kDraws = 100;
  Machine machine;
  std::vector<Vertex> vertices = screen();
  for (Vertex& v : vertices)
    for (unsigned n = 0; n < 2; ++n) v.position[n] *= 0.02f;
  machine.set_vertices(vertices);
  List list;
  Machine::set_state(list, State::color);
  for (std::uint32_t n = 0; n < kDraws; ++n) Machine::draw(list, 0, 6);
  list.finish();
  machine.load(list);
  const RunOptions options = options_of(run);
  machine.run(options);
  for (auto _ : bench) machine.run(options);
  bench.SetItemsProcessed(static_cast<std::int64_t>(bench.iterations()) * kDraws);
}

// A thousand states in turn, each with a draw of two triangles.
void draw_states(benchmark::State& bench, const Run& run) {
  constexpr std::uint32_t kStates = 1000;
  Machine machine;
  std::vector<Vertex> vertices = screen();
  for (Vertex& v : vertices)
    for (unsigned n = 0; n < 2; ++n) v.position[n] *= 0.02f;
  machine.set_vertices(vertices);
  List list;
  Machine::set_state(list, State::color);
  list.write(0x100, 0x00E40000);
  for (std::uint32_t n = 0; n < kStates; ++n) {
    list.write(0x102, n & 15);
    list.write(0x107, 0xF00 | 1 | (n >> 4 & 7) << 4);
    list.write(0x104, 1 | (n >> 7) << 4 | 0x80 << 8);
    Machine::draw(list, 0, 6);
  }
  list.finish();
  machine.load(list);
  const RunOptions options = options_of(run);
  machine.run(options);
  for (auto _ : bench) machine.run(options);
  bench.SetItemsProcessed(static_cast<std::int64_t>(bench.iterations()) * kStates);
}

void draw_frame(benchmark::State& bench, const Run& run) {
  constexpr std::uint32_t kDraws = 100, kTriangles = 100;
  Machine machine;
  std::vector<Vertex> vertices;
  for (std::uint32_t n = 0; n < kDraws * kTriangles; ++n) {
    const auto at = [](std::uint32_t k) {
      return static_cast<float>(k * 2654435761U >> 16 & 1023) / 512.0f - 1;
    };
    const float x = at(2 * n), y = at(2 * n + 1), size = 0.045f;
    vertices.push_back(vertex(x, y));
    vertices.push_back(vertex(x + size, y));
    vertices.push_back(vertex(x, y + size));
  }
  machine.set_vertices(vertices);
  List list;
  for (std::uint32_t n = 0; n < kDraws; ++n) {
    if (n % 10 == 0) Machine::set_state(list, static_cast<State>(n / 10 % 4));
    Machine::draw(list, 3 * kTriangles * n, 3 * kTriangles);
  }
  list.finish();
  machine.load(list);
  const RunOptions options = options_of(run);
  machine.run(options);
  for (auto _ : bench) machine.run(options);
  bench.SetItemsProcessed(static_cast<std::int64_t>(bench.iterations()));
}

class Ratios final : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (!run.error_occurred) {
        const std::string name = run.run_name.function_name;
        const std::size_t slash = name.find('/');
        const bool counts = run.run_type == Run::RT_Iteration || run.aggregate_name == "median";
        if (slash != std::string::npos && counts)
          rates_[name.substr(0, slash)][name.substr(slash + 1)] = 1 / run.GetAdjustedCPUTime();
      }
    ConsoleReporter::ReportRuns(runs);
  }
  void print() const {
    for (const auto& [state, rates] : rates_) {
      const auto guest = rates.find("guest");
      for (const auto& [engine, rate] : rates)
        if (guest != rates.end() && engine != "guest")
          std::printf("%s/%s is %.1f times the guest interpreter\n", state.c_str(), engine.c_str(),
                      rate / guest->second);
    }
  }

 private:
  std::map<std::string, std::map<std::string, double>> rates_;
};

}  // namespace
}  // namespace warpjit::bench

int main(int argc, char** argv) {
  using namespace warpjit;
  using namespace warpjit::bench;
  benchmark::Initialize(&argc, argv);
  std::vector<Run> runs = {{"guest", EngineKind::guest}};
  for (const Target target : Engine().info().targets) runs.push_back({name(target), EngineKind::jit, target});
  for (const State state : {State::color, State::texture, State::textures, State::light})
    for (const Run& run : runs)
      benchmark::RegisterBenchmark((std::string(kStates[static_cast<int>(state)]) + "/" + run.name).c_str(),
                                   [=](benchmark::State& bench) { draw_state(bench, state, run); })
          ->UseRealTime();
  for (const Run& run : runs) {
    benchmark::RegisterBenchmark((std::string("draw/") + run.name).c_str(),
                                 [=](benchmark::State& bench) { draw_two(bench, run); });
    benchmark::RegisterBenchmark((std::string("states/") + run.name).c_str(),
                                 [=](benchmark::State& bench) { draw_states(bench, run); });
    benchmark::RegisterBenchmark((std::string("frame/") + run.name).c_str(),
                                 [=](benchmark::State& bench) { draw_frame(bench, run); });
  }
  Ratios reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print();
  return 0;
}
