// Geometry programs beside a scalar interpreter (peers/scalar.h): the points of the examples through their
// vertex and geometry programs, 48 of them and some thousands, with a unit that is kept and without. Both
// give the same triangles, which is checked first. Each way is measured in turn, in many short rounds, of
// which the fastest counts, because other programs on the machine only add time.
//   bench_geometry [points...]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "frontend/pica200/container/shbin.h"
#include "frontend/pica200/interpret/interpret.h"
#include "peers/scalar.h"
#include "warpjit/pica200.hpp"

namespace {

using namespace warpjit;

constexpr int kRounds = 300;
constexpr const char* kShaders[] = {"point_quads", "flat_quads", "blended_triangles", "kept_registers",
                                    "trail"};
constexpr unsigned kMaxTriangles = 2;
constexpr float kIdentity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0.5f, 1};
constexpr float kExtent[4] = {0.5f, 0.25f, 0, 0};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "bench_geometry: %s\n", what.c_str());
  std::exit(2);
}
void require(const Status& status) {
  if (!status) fail(to_string(status.error()));
}

struct Point {
  bench::Vector position, size, color;
};
std::vector<Point> make_points(std::size_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<Point> points(count);
  for (Point& p : points)
    for (bench::Vector* v : {&p.position, &p.size, &p.color})
      for (float& x : *v) x = value(random);
  return points;
}

// The scalar way: one vertex a call, one invocation a call, one call for each EMIT.
class Scalar {
 public:
  explicit Scalar(const pica200::Container& container)
      : vertex_(program(container, pica200::Stage::vertex)),
        geometry_(program(container, pica200::Stage::geometry)),
        assembly_(3, [this](const auto& corners, bool) { take(corners); }) {
    std::memcpy(vertex_.c.data(), kIdentity, sizeof kIdentity);
    std::memcpy(geometry_.c.data(), kExtent, sizeof kExtent);
    geometry_unit_.emit = [this](bench::ScalarUnit& unit, unsigned vertex, bool primitive, bool winding) {
      assembly_.emit(unit, vertex, primitive, winding);
    };
  }

  void run(const std::vector<Point>& points, std::vector<bench::Vector>& triangles) {
    triangles.clear();
    triangles_ = &triangles;
    for (const Point& point : points) {
      vertex_unit_.v[0] = point.position;
      vertex_unit_.v[1] = point.size;
      vertex_unit_.v[2] = point.color;
      vertex_unit_.run(vertex_);
      for (unsigned n = 0; n < 2; ++n) geometry_unit_.v[n] = vertex_unit_.banks[0][n];
      geometry_unit_.run(geometry_);
      geometry_.b |= 0x8000;
    }
  }

 private:
  static bench::ScalarProgram program(const pica200::Container& container, pica200::Stage stage) {
    bench::ScalarProgram program{container.code, container.descriptors, 0, {}, {}, 0};
    for (const pica200::ProgramInfo& info : container.programs) {
      if (info.stage != stage) continue;
      pica200::Uniforms uniforms;
      pica200::apply_constants(info, uniforms);
      program.entry = info.entry;
      std::memcpy(program.c.data(), uniforms.c, sizeof uniforms.c);
    }
    return program;
  }
  void take(const std::array<std::array<bench::Vector, 16>, 3>& corners) {
    for (const auto& corner : corners)
      for (unsigned n = 0; n < 2; ++n) triangles_->push_back(corner[n]);
  }

  bench::ScalarProgram vertex_, geometry_;
  bench::ScalarUnit vertex_unit_, geometry_unit_;
  bench::ScalarAssembly assembly_;
  std::vector<bench::Vector>* triangles_ = nullptr;
};

// warpjit's way.
struct Jit {
  Launch launch;
  pica200::GeometryUnit unit;
  std::vector<bench::Vector> triangles;
  RunOptions options;
  bool ordered = false;

  Jit(std::span<const std::byte> bytes, const std::vector<Point>& points, Target target, bool keeps)
      : launch(load(bytes, Stage::geometry)), triangles(points.size() * kMaxTriangles * 6) {
    Launch vertex(load(bytes, Stage::vertex));
    require(vertex.set_uniform("c0", kIdentity));
    const auto* data = reinterpret_cast<const std::byte*>(points.data());
    for (unsigned n = 0; n < 3; ++n)
      require(
          vertex.bind_input("v" + std::to_string(n),
                            {data + 16 * n, points.size() * sizeof(Point) - 16 * n, sizeof(Point), f32x4}));
    require(vertex.set_count(points.size()));
    require(launch.set_vertex_stage(vertex));
    GeometryInput input = launch.geometry_input();
    input.max_triangles = kMaxTriangles;
    require(launch.set_geometry_input(input));
    require(launch.set_uniform("c0", kExtent));
    require(launch.bind_triangles({triangles.data(), triangles.size() * 16, nullptr, 0}));
    if (keeps) require(launch.bind_unit(unit.words()));
    options.target = target;
    options.threads = 1;
  }
  static Program load(std::span<const std::byte> bytes, Stage stage) {
    Selection selection;
    selection.stage = stage;
    auto program = pica200::load_shbin(bytes, selection);
    if (!program) fail(to_string(program.error()));
    return *program;
  }
  std::size_t run(const Engine& engine) {
    const auto report = engine.run(launch, options);
    if (!report) fail(to_string(report.error()));
    ordered = report->ordered;
    return static_cast<std::size_t>(report->triangles);
  }
};

struct Way {
  std::string name;
  std::function<void()> run;
  double best = 1e30;  // nanoseconds of one run
};

void measure(std::vector<Way>& ways, std::size_t runs) {
  using Clock = std::chrono::steady_clock;
  for (int round = -1; round < kRounds; ++round)
    for (Way& way : ways) {
      const auto start = Clock::now();
      for (std::size_t n = 0; n < runs; ++n) way.run();
      const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
      if (round >= 0) way.best = std::min(way.best, elapsed.count() / static_cast<double>(runs));
    }
}

void check(const char* shader, const std::vector<bench::Vector>& wanted, const Jit& jit, std::size_t made) {
  if (made * 6 != wanted.size()) fail(std::string(shader) + ": another number of triangles");
  for (std::size_t n = 0; n < wanted.size(); ++n)
    for (unsigned c = 0; c < 4; ++c)
      if (std::abs(wanted[n][c] - jit.triangles[n][c]) > 1e-5f * (1 + std::abs(wanted[n][c])))
        fail(std::string(shader) + ": triangle " + std::to_string(n / 6) + " differs");
}

void compare(const Engine& engine, const char* shader, std::size_t count) {
  const std::string path = std::string(WARPJIT_EXAMPLES) + shader + ".shbin";
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto bytes = std::as_bytes(std::span(text));
  const auto container = pica200::read_shbin(bytes, path);
  if (!container) fail(to_string(container.error()));
  const std::vector<Point> points = make_points(count);

  std::vector<bench::Vector> triangles;
  triangles.reserve(count * kMaxTriangles * 6);
  Scalar scalar(*container);
  scalar.run(points, triangles);
  std::vector<std::unique_ptr<Jit>> jits;
  std::vector<Way> ways = {{"scalar", [&] { scalar.run(points, triangles); }}};
  for (const Target target : {Target::v3, Target::v4})
    for (const bool keeps : {false, true}) {
      auto jit = std::make_unique<Jit>(bytes, points, target, keeps);
      if (!engine.run(jit->launch, jit->options)) continue;  // another machine's target
      jit->unit = {};
      check(shader, triangles, *jit, jit->run(engine));
      ways.push_back(
          {std::string(name(target)) + (keeps ? ", unit kept" : "") + (jit->ordered ? " (ordered)" : ""),
           [&engine, each = jit.get()] { each->run(engine); }});
      jits.push_back(std::move(jit));
    }
  measure(ways, std::max<std::size_t>(1, 2000 / count));
  std::printf("%-18s %6zu points", shader, count);
  for (const Way& way : ways) {
    std::printf("  | %s %.0f ns", way.name.c_str(), way.best);
    if (&way != ways.data()) std::printf(" %.2fx", ways[0].best / way.best);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const Engine engine;
  std::vector<std::size_t> counts;
  for (int k = 1; k < argc; ++k) counts.push_back(std::strtoull(argv[k], nullptr, 10));
  if (counts.empty()) counts = {48, 4096};
  for (const char* shader : kShaders)
    for (const std::size_t count : counts)
      if (count != 0) compare(engine, shader, count);
}
