// The vertex programs of the shared draws: positions are the attribute times the matrix.
#include <cmath>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/bits.h"
#include "base/float_environment.h"
#include "frontend/usse/container/gxp.h"
#include "frontend/usse/interpret/run.h"
#include "frontend/usse/stage_values.h"
#include "support/source_dir.h"
#include "usse/launch_file.h"
#include "usse/usse_test.h"

namespace warpjit::usse {
namespace {

AttributeFormat attribute_format(const std::string& name) {
  constexpr std::array<std::string_view, kAttributeFormats> kNames{
      "U8", "S8", "U16", "S16", "U8N", "S8N", "U16N", "S16N", "F16", "F32", "UNTYPED"};
  for (std::size_t n = 0; n < kNames.size(); ++n)
    if (kNames[n] == name) return static_cast<AttributeFormat>(n);
  ADD_FAILURE() << name;
  return AttributeFormat::f32;
}

TEST(UsseSharedLaunches, Positions) {
  const std::filesystem::path folder = tests::corpus_file("usse/launches");
  const FloatEnvironment environment;
  unsigned launches = 0, compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().string());
    std::ifstream stream(entry.path());
    const nlohmann::json vertex = nlohmann::json::parse(stream)["vertex"];
    std::ifstream file(folder / vertex["program"].get<std::string>(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto program = read_gxp(std::as_bytes(std::span(text)), "v.gxp");
    ASSERT_TRUE(program.ok()) << to_string(program.error());
    const auto interpreter = Interpreter::prepare(*program);
    ASSERT_TRUE(interpreter.ok()) << to_string(interpreter.error());
    ++launches;

    std::vector<std::uint32_t> uniforms(program->default_words);
    std::vector<float> matrix;
    for (const Parameter& parameter : program->parameters) {
      if (parameter.category != Category::uniform) continue;
      const nlohmann::json& words = vertex["uniforms"][parameter.name];
      for (std::size_t k = 0; k < words.size(); ++k) uniforms.at(parameter.resource + k) = hex_word(words[k]);
      if (words.size() == 16)
        for (const auto& word : words) matrix.push_back(to_float(hex_word(word)));
    }
    StageValues values;
    values.buffers[kDefaultContainer] = uniforms;
    std::array<std::uint32_t, kMaxRegisters> sa{};
    fill_secondary_attributes(*program, values, sa);
    QuadRun run{.fuel = 1000};
    ASSERT_TRUE(interpreter->run_secondary(sa, run).ok());

    const std::string data = vertex["data"];
    std::vector<std::byte> bytes;
    for (std::size_t k = 0; k + 1 < data.size(); k += 2)
      bytes.push_back(static_cast<std::byte>(std::stoul(data.substr(k, 2), nullptr, 16)));
    const std::size_t stride = vertex["stride"];
    for (std::size_t n = 0; n < bytes.size() / stride; ++n) {
      Quad quad;
      std::array<std::uint32_t, kMaxRegisters> pa{};
      std::array<double, 4> position{0, 0, 0, 1};
      for (const auto& attribute : vertex["attributes"])
        for (const Parameter& parameter : program->parameters) {
          if (parameter.category != Category::attribute || parameter.resource != attribute["register"])
            continue;
          const unsigned components = attribute["components"];
          const AttributeFormat format = attribute_format(attribute["format"]);
          const auto memory = std::span(bytes).subspan(n * stride + attribute["offset"].get<std::size_t>(),
                                                       components * bytes_of(format));
          ASSERT_TRUE(store_attribute(parameter, format, components, memory, pa).ok());
          if (parameter.resource == 0 && format == AttributeFormat::f32)
            for (unsigned k = 0; k < components && k < 4; ++k)
              position[k] = static_cast<double>(to_float(pa[k]));
        }
      for (unsigned k = 0; k < kMaxRegisters; ++k) quad.pa[k].fill(pa[k]);
      ASSERT_TRUE(interpreter->run_primary(quad, sa, run).ok());
      EXPECT_TRUE(run.emitted && !run.fault);
      if (matrix.size() != 16) continue;
      for (unsigned row = 0; row < 4; ++row) {
        double wanted = 0;
        for (unsigned k = 0; k < 4; ++k) wanted += position[k] * static_cast<double>(matrix[4 * k + row]);
        EXPECT_NEAR(static_cast<double>(to_float(quad.o[row][0])), wanted, 1e-5 * (1 + std::fabs(wanted)));
        ++compared;
      }
    }
  }
  EXPECT_EQ(launches, tests::has_whole_corpus() ? 13U : 3U);
  EXPECT_GT(compared, 4 * launches);
}

}  // namespace
}  // namespace warpjit::usse
