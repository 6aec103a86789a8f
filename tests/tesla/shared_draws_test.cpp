// Whole draws on every engine: those of the repository by the hashes of their pictures; those of the shared
// corpus, textures included, word by word and beside what another driver drew.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/engine_ways.h"
#include "support/unpacked.h"
#include "tesla/draw_file.h"

namespace warpjit::tesla {
namespace {

using Json = nlohmann::json;

using test::engine_ways;
using test::EngineWay;

// What a run of a draw left, on the engine that was asked for.
Picture drawn(const DrawFile& draw, const Engine& engine, const RunOptions& options) {
  LaunchedDraw launched(draw);
  const auto report = engine.run(launched.launch(), options);
  EXPECT_TRUE(report.ok()) << to_string(report.error());
  if (report) {
    EXPECT_EQ(report->engine, options.engine);
    EXPECT_FALSE(report->fault);
  }
  return launched.picture();
}

const std::vector<std::byte>& target_of(const Picture& picture, int target) {
  return target < 0 ? picture.depth : picture.colors.at(static_cast<std::size_t>(target));
}

class LaunchedDraws : public testing::TestWithParam<std::string> {};

TEST_P(LaunchedDraws, Pictures) {
  const DrawFile draw = read_draw(GetParam());
  const Engine engine;
  for (const EngineWay& way : engine_ways(engine)) {
    SCOPED_TRACE(way.name);
    const Picture picture = drawn(draw, engine, way.options);
    for (const auto& [target, hash] : draw.expected)
      EXPECT_EQ(picture_hash(target_of(picture, target)), hash) << "target " << target;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, LaunchedDraws, testing::ValuesIn(draw_names()),
                         [](const auto& name) { return name.param; });

// Pixels in which a component is further off than `relative` of the larger of it, the other one and 1.
unsigned pixels_beyond(const std::vector<std::byte>& got, const std::vector<std::byte>& wanted,
                       unsigned components, double relative) {
  const auto word = [](const std::vector<std::byte>& bytes, std::size_t at) {
    float value = 0;
    std::memcpy(&value, bytes.data() + 4 * at, 4);
    return double{value};
  };
  unsigned count = 0;
  for (std::size_t first = 0; first < got.size() / 4; first += components) {
    bool beyond = false;
    for (std::size_t k = first; k < first + components; ++k) {
      const double a = word(got, k), b = word(wanted, k);
      const bool close = std::fabs(a - b) <= relative * std::max({std::fabs(a), std::fabs(b), 1.0});
      beyond = beyond || !(close || (std::isnan(a) && std::isnan(b)));
    }
    count += beyond ? 1 : 0;
  }
  return count;
}

TEST(SharedDraws, PicturesOnEveryEngine) {
  const std::string folder = shared_folder() + "/graphics/";
  if (shared_folder().empty()) GTEST_SKIP() << "the shared corpus is not there";
  const Engine engine;
  unsigned draws = 0, exact = 0, compared = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!entry.path().filename().string().starts_with("render") || entry.path().extension() != ".json")
      continue;
    SCOPED_TRACE(path);
    const Json json = Json::parse(read_text(path));
    // One draw's texture is not there.
    if (json.contains("textures") && json["textures"]["memory"]["file"].is_null()) continue;
    const DrawFile draw = read_shared_draw(path);
    std::optional<Picture> first;
    for (const EngineWay& way : engine_ways(engine)) {
      SCOPED_TRACE(way.name);
      const Picture picture = drawn(draw, engine, way.options);
      if (!first) first = picture;
      EXPECT_TRUE(picture.colors == first->colors && picture.depth == first->depth);
    }
    ++draws;
    const auto beside = [&](const Json& name) {
      return tests::unpacked(entry.path().parent_path().string() + "/" + name.get<std::string>());
    };
    for (const Json& expected : json["expect"]) {
      const bool depth = !expected["target"].is_number();
      const auto& got = target_of(*first, depth ? -1 : expected["target"].get<int>());
      for (const char* kind : {"exact", "exact_rgba8"})
        if (expected.contains(kind)) {
          EXPECT_TRUE(got == beside(expected[kind])) << expected["target"];
          ++exact;
        }
      if (!expected.contains("driver")) continue;
      const auto wanted = beside(expected["driver"]);
      ASSERT_EQ(wanted.size(), got.size());
      const Json& tolerance = expected["tolerance"];
      EXPECT_LE(pixels_beyond(got, wanted, depth ? 1 : 4, tolerance["relative"].get<double>()),
                tolerance["pixels_beyond"].get<unsigned>())
          << expected["target"];
      ++compared;
    }
  }
  std::printf("%u draws, %u exact pictures, %u of another driver\n", draws, exact, compared);
  EXPECT_GE(draws, 25U);
  EXPECT_GE(exact, 31U);
  EXPECT_GE(compared, 23U);
}

}  // namespace
}  // namespace warpjit::tesla
