// Textures of the shared corpus: control words, memory, and what samples of them are, bit by bit.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/bits.h"
#include "base/float_environment.h"
#include "frontend/usse/container/texture.h"
#include "frontend/usse/facts/texels.h"
#include "frontend/usse/interpret/sample.h"
#include "support/source_dir.h"
#include "textures/view.h"
#include "usse/launch_file.h"
#include "usse/usse_test.h"

namespace warpjit::usse {
namespace {

struct Piece {
  std::uint32_t address = 0;
  std::vector<std::byte> bytes;
};
std::vector<Piece> memory_of(const nlohmann::json& list) {
  std::vector<Piece> pieces;
  for (const auto& entry : list) {
    Piece& piece = pieces.emplace_back();
    piece.address = hex_word(entry["address"]);
    const std::string data = entry["data"];
    for (std::size_t k = 0; k + 1 < data.size(); k += 2)
      piece.bytes.push_back(static_cast<std::byte>(std::stoul(data.substr(k, 2), nullptr, 16)));
  }
  return pieces;
}

TEST(UsseSharedTexels, GuestSampler) {
  const std::filesystem::path file = tests::shared_file("corpus/usse/texels.jsonl");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the shared corpus is not there";
  const FloatEnvironment environment;
  std::ifstream stream(file);
  unsigned textures = 0, fetches = 0;
  for (std::string line; std::getline(stream, line); ++textures) {
    const auto json = nlohmann::json::parse(line);
    SCOPED_TRACE(json["id"].get<std::string>());
    ControlWords words{};
    for (unsigned k = 0; k < 4; ++k) words[k] = hex_word(json["words"][k]);
    const auto state = read_texture(words);
    ASSERT_TRUE(state.ok()) << to_string(state.error());
    const std::vector<Piece> pieces = memory_of(json["memory"]);
    const auto memory = [&](std::uint32_t address, std::uint64_t size) -> std::span<const std::byte> {
      for (const Piece& piece : pieces)
        if (address >= piece.address && address - piece.address + size <= piece.bytes.size())
          return std::span(piece.bytes).subspan(address - piece.address, static_cast<std::size_t>(size));
      return {};
    };
    const auto bound = bind_texture(*state, memory);
    ASSERT_TRUE(bound.ok()) << to_string(bound.error());
    const auto view = textures::make_view(bound->texture, "texture");
    ASSERT_TRUE(view.ok()) << to_string(view.error());
    EXPECT_EQ(texel_components(view->swizzle), json["components"].get<unsigned>());
    const TextureSampler sampler(*view, bound->sampler);
    EXPECT_EQ(sampler.is_cube(), json["coords"][0].size() == 3);
    for (std::size_t n = 0; n < json["coords"].size(); ++n, ++fetches) {
      Coordinates at{};
      for (std::size_t k = 0; k < json["coords"][n].size(); ++k)
        at[k] = to_float(hex_word(json["coords"][n][k]));
      const Texels texel = sampler.sample(at, to_float(hex_word(json["lod"])));
      for (unsigned k = 0; k < 4; ++k) {
        const std::uint32_t wanted = hex_word(json["rgba"][n][k]), got = to_bits(texel[k]);
        EXPECT_TRUE(got == wanted || (texel[k] != texel[k] && (wanted & 0x7fffffff) > 0x7f800000))
            << "place " << n << " component " << k << std::hex << ": " << got << ", wanted " << wanted;
      }
    }
  }
  EXPECT_EQ(textures, 281U);
  EXPECT_GT(fetches, 800U);
}

}  // namespace
}  // namespace warpjit::usse
