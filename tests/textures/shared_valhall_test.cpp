// Textures out of the memory of a Mali GPU, of the shared corpus: one in tiles of 16 x 16 beside the same in
// rows, and the picture of a seamless cube map with levels.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/bits.h"
#include "frontend/interpret/textures/sample.h"
#include "support/source_dir.h"
#include "support/unpacked.h"

namespace warpjit::interpret {
namespace {

std::string valhall_file(const std::string& name) { return tests::shared_file("corpus/valhall/" + name); }

// Memory in pieces of {address, length, bytes}; later pieces lie over earlier ones.
class Memory {
 public:
  explicit Memory(std::initializer_list<std::string> files) {
    for (const std::string& name : files) {
      const std::vector<std::byte> all = tests::unpacked(valhall_file(name));
      for (std::size_t at = 0; at + 16 <= all.size();) {
        std::array<std::uint64_t, 2> header{};
        std::memcpy(header.data(), all.data() + at, 16);
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(at) + 16;
        pieces_[header[0]].assign(first, first + static_cast<std::ptrdiff_t>(header[1]));
        at += 16 + header[1];
      }
    }
  }
  bool empty() const { return pieces_.empty(); }
  template <std::size_t N>
  std::array<std::uint32_t, N> words(std::uint64_t address) const {
    std::array<std::uint32_t, N> result{};
    for (std::size_t n = 0; n < 4 * N; ++n)
      result[n / 4] |= static_cast<std::uint32_t>(byte(address + n)) << 8 * (n % 4);
    return result;
  }
  // From the first to the last byte that is there, with zeros between pieces.
  std::vector<std::byte> all() const {
    std::vector<std::byte> bytes;
    for (const auto& [address, piece] : pieces_) {
      bytes.resize(address - first());
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    }
    return bytes;
  }
  std::uint64_t first() const { return pieces_.begin()->first; }

 private:
  std::byte byte(std::uint64_t address) const {
    auto piece = pieces_.upper_bound(address);
    if (piece == pieces_.begin()) return {};
    --piece;
    const std::uint64_t at = address - piece->first;
    return at < piece->second.size() ? piece->second[at] : std::byte{};
  }
  std::map<std::uint64_t, std::vector<std::byte>> pieces_;
};

std::uint32_t field_of(std::uint32_t word, unsigned first, unsigned width) {
  return word >> first & ((1U << width) - 1);
}

struct Described {
  std::vector<std::byte> bytes;
  std::vector<TextureLevelPlace> places;
  textures::TextureView view;
};

// A texture of rgba8 with its descriptor at an address; its planes are levels, face by face.
void read_texture(const Memory& memory, std::uint64_t address, Described& out) {
  const auto w = memory.words<8>(address);
  Texture texture;
  ASSERT_EQ(field_of(w[0], 22, 8), 187u);  // rgba8
  const bool is_cube = field_of(w[0], 4, 2) == 0;
  texture.dimension = is_cube ? TextureDimension::cube : TextureDimension::d2;
  texture.format = *parse_texture_format("rgba8");
  texture.width = field_of(w[1], 0, 16) + 1;
  texture.height = field_of(w[1], 16, 16) + 1;
  texture.levels = field_of(w[2], 16, 5) + 1;
  const std::uint64_t planes = w[4] | std::uint64_t{w[5]} << 32;
  const auto pointer = [&](std::uint32_t plane) {
    const auto found = memory.words<8>(planes + 32 * plane);
    return found[2] | std::uint64_t{found[3]} << 32;
  };
  for (std::uint32_t level = 0; level < texture.levels; ++level) {
    const auto plane = memory.words<8>(planes + 32 * level);
    texture.layout = field_of(plane[0], 8, 4) == 1 ? TextureLayout::u_interleaved : TextureLayout::linear;
    TextureLevelPlace place;
    place.offset = pointer(level) - pointer(0);
    place.row_bytes = plane[4];
    out.places.push_back(place);
  }
  if (is_cube) texture.layer_bytes = pointer(texture.levels) - pointer(0);
  texture.level_places = out.places;
  out.bytes = memory.all();
  const std::uint64_t offset = pointer(0) - memory.first();
  ASSERT_LT(offset, out.bytes.size());
  texture.data = out.bytes.data() + offset;
  texture.size = out.bytes.size() - offset;
  auto view = textures::make_view(texture, "texture");
  ASSERT_TRUE(view) << to_string(view.error());
  out.view = std::move(*view);
}

constexpr std::uint64_t kTextures = 0xf7fd4420, kCube = 0xf7fd0420;  // descriptors

TEST(TextureSharedValhall, TilesHoldWhatRowsHold) {
  const Memory tiled({"fs_texture2d/mem.pages.xz"});
  const Memory linear({"fs_texture2d/mem.pages.xz", "variants/tex_linear.pages.xz"});
  if (tiled.empty()) GTEST_SKIP() << "the shared corpus is not there";
  unsigned texels = 0, others = 0;
  for (const std::uint64_t address : {kTextures, kTextures + 32}) {
    Described a, b;
    read_texture(tiled, address, a);
    read_texture(linear, address, b);
    ASSERT_FALSE(HasFatalFailure());
    ASSERT_EQ(a.view.layout, TextureLayout::u_interleaved);
    ASSERT_EQ(b.view.layout, TextureLayout::linear);
    for (std::uint32_t level = 0; level <= a.view.last_level; ++level)
      for (std::uint32_t y = 0; y < a.view.levels[level].height; ++y)
        for (std::uint32_t x = 0; x < a.view.levels[level].width; ++x) {
          SamplePlace place;
          place.coordinates = {x, y, 0};
          const TexelWords got = fetch(a.view, place, static_cast<std::int32_t>(level));
          ASSERT_EQ(got, fetch(b.view, place, static_cast<std::int32_t>(level)))
              << "level " << level << ", " << x << ", " << y;
          place.coordinates = {y, x, 0};
          others += got != fetch(a.view, place, static_cast<std::int32_t>(level)) ? 1 : 0;
          ++texels;
        }
  }
  EXPECT_EQ(texels, 2u * (256 + 64 + 16 + 4 + 1));
  EXPECT_GT(others, 300u);  // texels that are not those of the mirrored place
}

using Vector = std::array<float, 3>;

Vector scaled(const Vector& v, float factor) { return {v[0] * factor, v[1] * factor, v[2] * factor}; }
float dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector normalized(const Vector& v) { return scaled(v, 1 / std::sqrt(dot(v, v))); }
float largest(const Vector& v) { return std::max({std::fabs(v[0]), std::fabs(v[1]), std::fabs(v[2])}); }

// The fragment program of the draw: its picture of 64 x 64 pixels covers the target.
class CubePicture {
 public:
  CubePicture(const textures::TextureView& cube, bool seamless) : cube_(cube) {
    sampler_.magnify = sampler_.minify = Filter::linear;
    sampler_.mip = MipFilter::linear;
    sampler_.wrap.fill(Wrap::clamp_to_edge);
    sampler_.seamless = seamless;
  }

  static constexpr int kSide = 64;

  std::array<double, 4> pixel(int x, int y) const {
    constexpr float kLevel = 0.3125F;
    const Vector n = normal(x, y);
    const std::array<std::uint32_t, 4> reflected = sample_at(reflection(x, y), detail(x, y, reflection)),
                                       background = sample_at(scaled(n, -1), detail_operand(to_bits(kLevel))),
                                       turned = sample_at(turn(x, y), detail(x, y, turn) + 256);
    std::array<double, 4> color{};
    for (unsigned c = 0; c < 4; ++c)
      color[c] = to_float(reflected[c]) * 0.5 + to_float(background[c]) * 0.3 + to_float(turned[c]) * 0.2;
    return color;
  }

 private:
  static Vector normal(int x, int y) {
    // The vertices' coordinates are 1/32 beside the corners of the target.
    const auto place = [](int pixel) {
      return ((static_cast<float>(pixel) + 0.5F) / kSide + 1.0F / 32) * 2 - 1;
    };
    return normalized({place(x), place(y), 0.7F});
  }
  static Vector reflection(int x, int y) {
    const Vector eye = normalized({0.265625F, 0.28125F, 0.296875F}), n = normal(x, y);
    const Vector along = scaled(n, 2 * dot(n, eye));
    return {eye[0] - along[0], eye[1] - along[1], eye[2] - along[2]};
  }
  static Vector turn(int x, int y) {
    const Vector n = normal(x, y);
    return {n[2], n[0], n[1]};
  }

  std::array<std::uint32_t, 4> sample_at(const Vector& direction, std::int32_t detail) const {
    SamplePlace place;
    for (unsigned k = 0; k < 3; ++k) place.coordinates[k] = to_bits(direction[k] / largest(direction));
    return sample(cube_, sampler_, place, detail);
  }

  // From the neighbours in the quad, seen on the pixel's own face.
  std::int32_t detail(int x, int y, Vector (*direction)(int, int)) const {
    const Vector own = direction(x, y);
    unsigned major = 0;
    for (unsigned k = 1; k < 3; ++k)
      if (std::fabs(own[k]) > std::fabs(own[major])) major = k;
    const auto on_face = [&](const Vector& v) {
      std::array<std::uint32_t, 3> words{};
      for (unsigned k = 0; k < 3; ++k) words[k] = to_bits(v[k] / std::fabs(v[major]));
      return words;
    };
    std::uint32_t most = 0;
    for (const auto& [dx, dy] : {std::pair{1, 0}, std::pair{0, 1}})
      most = widen_gradient(most, cube_, on_face(own), on_face(direction(x ^ dx, y ^ dy)));
    return detail_of(most);
  }

  const textures::TextureView& cube_;
  Sampler sampler_;
};

TEST(TextureSharedValhall, SeamlessCube) {
  const Memory memory({"fs_cubemap/mem.pages.xz"});
  if (memory.empty()) GTEST_SKIP() << "the shared corpus is not there";
  Described cube;
  read_texture(memory, kCube, cube);
  ASSERT_FALSE(HasFatalFailure());
  const std::vector<std::byte> wanted = tests::unpacked(valhall_file("fs_cubemap/defn.raw.xz"));
  ASSERT_EQ(wanted.size(), std::size_t{4} * CubePicture::kSide * CubePicture::kSide);
  // Pixels of which a component is more than one step beside what the picture has.
  const auto beside = [&](bool seamless) {
    const CubePicture picture(cube.view, seamless);
    unsigned count = 0;
    for (int y = 0; y < CubePicture::kSide; ++y)
      for (int x = 0; x < CubePicture::kSide; ++x) {
        const std::array<double, 4> color = picture.pixel(x, y);
        bool is_far = false;
        for (unsigned c = 0; c < 4; ++c) {
          const std::size_t at = 4 * static_cast<std::size_t>(CubePicture::kSide * y + x) + c;
          const int byte = static_cast<int>(std::nearbyint(std::clamp(color[c], 0.0, 1.0) * 255));
          is_far = is_far || std::abs(byte - std::to_integer<int>(wanted[at])) > 1;
        }
        count += is_far ? 1 : 0;
      }
    return count;
  };
  EXPECT_LE(beside(true), 40u);
  EXPECT_GT(beside(false), 200u);
}

}  // namespace
}  // namespace warpjit::interpret
