// Vertex programs whose results a console drew: bytes of a picture, from outputs of four vertices.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/float_environment.h"
#include "frontend/usse/interpret/numbers.h"
#include "frontend/usse/interpret/run.h"
#include "support/source_dir.h"
#include "usse/usse_test.h"

namespace warpjit::usse {
namespace {

std::vector<std::uint64_t> code_of(const nlohmann::json& words) {
  std::vector<std::uint64_t> code;
  for (const auto& word : words) code.push_back(std::stoull(word.get<std::string>(), nullptr, 16));
  return code;
}
std::uint32_t word_of(const nlohmann::json& word) {
  return static_cast<std::uint32_t>(std::stoul(word.get<std::string>(), nullptr, 16));
}

// How much of each vertex is in the pixel in the corner of one.
std::array<double, 4> weights(unsigned vertex) {
  constexpr double x = 0.5 / 960, y = 0.5 / 544;
  switch (vertex) {
    case 0:
      return {1 - x - y, x, y, 0};
    case 1:
      return {0, 1 - y, x, y - x};
    case 2:
      return {y - x, x, 1 - y, 0};
    default:
      return {0, y, x, 1 - x - y};
  }
}
bool contributes(unsigned vertex, unsigned other) {
  // The triangle of the corner: 0 1 2 or 2 1 3; that of corner 1 has 3, that of corner 2 has 0.
  return vertex == 0 || vertex == 2 ? other != 3 : other != 0;
}

TEST(UsseSharedCaptures, VertexPrograms) {
  const std::filesystem::path file = tests::shared_file("corpus/usse/captures/captures.jsonl");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the shared corpus is not there";
  const FloatEnvironment environment;
  std::ifstream stream(file);
  unsigned captures = 0, bytes = 0, unequal = 0;
  for (std::string line; std::getline(stream, line); ++captures) {
    const auto json = nlohmann::json::parse(line);
    SCOPED_TRACE(json["id"].get<std::string>());
    Program program;
    program.primary = code_of(json["primary"]);
    program.secondary = code_of(json["secondary"]);
    const auto interpreter = Interpreter::prepare(program);
    ASSERT_TRUE(interpreter.ok()) << to_string(interpreter.error());
    std::array<std::uint32_t, kMaxRegisters> sa{};
    for (std::size_t n = 0; n < json["sa"].size(); ++n) sa[n] = word_of(json["sa"][n]);
    QuadRun run;
    ASSERT_TRUE(interpreter->run_secondary(sa, run).ok());
    Quad quad;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (std::size_t n = 0; n < json["pa"][lane].size(); ++n)
        quad.pa[n][lane] = word_of(json["pa"][lane][n]);
    ASSERT_TRUE(interpreter->run_primary(quad, sa, run).ok());
    EXPECT_TRUE(run.emitted);
    EXPECT_FALSE(run.fault);
    const unsigned last = json["last"];
    for (unsigned vertex = 0; vertex < 4; ++vertex)
      for (unsigned k = 4; k <= last; ++k) {
        double sum = 0;
        bool nan = false;
        for (unsigned other = 0; other < 4; ++other) {
          if (!contributes(vertex, other)) continue;
          const float value = to_float(quad.o[k][other]);
          nan = nan || value != value;
          sum += weights(vertex)[other] * static_cast<double>(value);
        }
        unsigned byte = 0;
        if (!nan && !std::isnan(sum)) {
          const float clamped = static_cast<float>(std::fmin(std::fmax(sum, 0.0), 1.0));
          byte = static_cast<unsigned>(
              std::floor(255.0 * static_cast<double>(half_value(to_half(clamped))) + 0.5));
        }
        const unsigned wanted = json["pixel"][vertex][k - 4];
        ++bytes;
        if (byte == wanted) continue;
        ++unequal;
        EXPECT_LE(byte > wanted ? byte - wanted : wanted - byte, 1U) << "vertex " << vertex << ", o" << k;
      }
  }
  EXPECT_EQ(captures, 219U);
  EXPECT_LE(unequal * 1000, bytes) << "of " << bytes;
}

}  // namespace
}  // namespace warpjit::usse
