#include "scene/thumbnails.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "files.h"
#include "frontend/pica200/interpret/fragment/texture.h"
#include "picture_file.h"

namespace warpjit::tool {

namespace {

constexpr std::uint32_t kMostExtent = 128;

// Each pixel is the mean of those that it stands for.
Image shrunk(pica200::TexelFormat format, const std::byte* data, std::uint32_t width, std::uint32_t height) {
  std::uint32_t step = 1;
  while (std::max(width, height) / step > kMostExtent) step *= 2;
  Image image{std::max(1U, width / step), std::max(1U, height / step), {}};
  image.rgba.resize(std::size_t{4} * image.width * image.height);
  for (std::uint32_t y = 0; y < image.height; ++y)
    for (std::uint32_t x = 0; x < image.width; ++x) {
      std::array<std::uint64_t, 4> sums{};
      std::uint64_t count = 0;
      for (std::uint32_t row = y * step; row < std::min((y + 1) * step, height); ++row)
        for (std::uint32_t column = x * step; column < std::min((x + 1) * step, width); ++column, ++count) {
          const auto texel = pica200::fragment::read_texel(format, data, width, column, row);
          for (std::size_t n = 0; n < 4; ++n) sums[n] += texel[n];
        }
      // The row with the highest number is on top.
      std::uint8_t* const to = image.rgba.data() + 4 * (std::size_t{image.height - 1 - y} * image.width + x);
      for (std::size_t n = 0; n < 4; ++n)
        to[n] = static_cast<std::uint8_t>((sums[n] + count / 2) / std::max<std::uint64_t>(1, count));
    }
  return image;
}

}  // namespace

Result<std::vector<std::string>> Thumbnails::write(const pica200::FragmentSetup& setup, unsigned unit,
                                                   const pica200::FoundTexture& texture) {
  std::vector<std::string> names;
  const pica200::TextureState& state = setup.state.textures[unit];
  const pica200::TextureValues& values = setup.values.textures[unit];
  const std::uint32_t width = values.width >> texture.first_level,
                      height = values.height >> texture.first_level;
  const std::size_t size = std::size_t{width} * height * pica200::texel_bits(state.format) / 8;
  for (unsigned face = 0; face < (state.is_cube() ? 6U : 1U); ++face) {
    if (texture.data == nullptr || texture.faces[face] > texture.size ||
        size > texture.size - texture.faces[face])
      continue;
    const std::byte* const data = texture.data + texture.faces[face];
    const std::string what = fmt::format("texture_{:08x}_{}x{}_{}", values.addresses[face], width, height,
                                         static_cast<unsigned>(state.format));
    auto& known = files_[what];
    const auto [file, added] = known.try_emplace(hash_bytes({data, size}), "");
    if (added) {
      // The same memory may hold another texture later.
      file->second = known.size() == 1 ? what + ".png" : fmt::format("{}_{}.png", what, known.size());
      WARPJIT_CHECK(write_picture(name_of(path_of(folder_) / file->second),
                                  write_png(shrunk(state.format, data, width, height))));
    }
    names.push_back(file->second);
  }
  return names;
}

}  // namespace warpjit::tool
