// Launches of geometry programs for tests: what they emit, in every engine and target and with any thread
// count.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/shaders.h"
#include "warpjit/pica200.hpp"

namespace warpjit::test {

using Row = std::array<float, 4>;

inline Row row(float x) { return {x, x, x, x}; }

struct Emitted {
  std::vector<Row> rows;  // of all vertices
  std::vector<std::uint8_t> inverted;
  bool ordered = false;
  friend bool operator==(const Emitted& a, const Emitted& b) {
    const auto bits = [](const Row& row) { return std::bit_cast<std::array<std::uint32_t, 4>>(row); };
    return a.inverted == b.inverted && std::ranges::equal(a.rows, b.rows, {}, bits, bits);
  }
};

// Programs of one source; the geometry program is the one with .gsh.
inline Program geometry(const std::string& body, const std::string& gsh = ".gsh point c0") {
  return assemble(gsh + "\n" + body);
}

struct GeometryLaunch {
  Launch launch;
  std::vector<Row> triangles;
  std::vector<std::uint8_t> inverted;

  // Room for so many triangles of vertices with `registers`.
  GeometryLaunch(const Program& program, std::uint64_t registers, unsigned max_triangles,
                 std::size_t room = 4096)
      : launch(program),
        triangles(room * 3 * static_cast<std::size_t>(std::popcount(registers))),
        inverted(room) {
    GeometryInput input = launch.geometry_input();
    input.outputs = registers;
    input.max_triangles = max_triangles;
    EXPECT_TRUE(launch.set_geometry_input(input));
    EXPECT_TRUE(
        launch.bind_triangles({triangles.data(), triangles.size() * sizeof(Row), inverted.data(), room}));
  }

  void inputs(const char* reg, const std::vector<Row>& rows) {
    EXPECT_TRUE(launch.bind_input(reg, {rows.data(), rows.size() * sizeof(Row), sizeof(Row), f32x4}));
    EXPECT_TRUE(launch.set_count(rows.size()));
  }

  Result<Emitted> run(const Engine& engine, const RunOptions& options) {
    std::fill(triangles.begin(), triangles.end(), row(-77));
    const auto report = engine.run(launch, options);
    if (!report) return report.error();
    Emitted emitted;
    const std::size_t each = triangles.size() / inverted.size();
    emitted.rows.assign(triangles.begin(),
                        triangles.begin() + static_cast<std::ptrdiff_t>(report->triangles * each));
    emitted.inverted.assign(inverted.begin(),
                            inverted.begin() + static_cast<std::ptrdiff_t>(report->triangles));
    emitted.ordered = report->ordered;
    return emitted;
  }

  // What every way of running gives; they must agree. `ordered`: of the compiled ones.
  Emitted everywhere(bool ordered) {
    EngineOptions options;
    options.executor = make_thread_pool(3);
    const Engine engine(options);
    Emitted reference;
    bool first = true;
    for (const Way& way : all_ways(engine))
      for (const unsigned threads : {1u, 3u}) {
        RunOptions run_options = way.options;
        run_options.threads = threads;
        auto emitted = run(engine, run_options);
        EXPECT_TRUE(emitted) << way.name << ": " << (emitted ? "" : to_string(emitted.error()));
        if (!emitted) continue;
        EXPECT_EQ(emitted->ordered, ordered || run_options.engine == EngineKind::guest) << way.name;
        if (first) reference = *emitted;
        first = false;
        EXPECT_TRUE(*emitted == reference) << way.name << ", " << threads << " threads";
      }
    return reference;
  }

  void fails_everywhere(ErrorCode code, const std::string& message) {
    const Engine engine;
    for (const Way& way : all_ways(engine)) {
      const auto emitted = run(engine, way.options);
      ASSERT_FALSE(emitted) << way.name;
      EXPECT_EQ(emitted.error().code, code) << way.name;
      EXPECT_NE(emitted.error().message.find(message), std::string::npos) << to_string(emitted.error());
    }
  }
};

inline std::vector<Row> numbers(std::size_t count) {
  std::vector<Row> rows;
  for (std::size_t n = 0; n < count; ++n) rows.push_back(row(static_cast<float>(n)));
  return rows;
}

}  // namespace warpjit::test
