#include "game.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace {

// A GXP of this folder, as the console's compiler leaves it. Beside it is its source.
std::vector<char> shader(const std::string& name) {
  std::ifstream file(std::string(SHADERS "/") + name + ".gxp", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// ---- Data

struct Vertex {
  std::int16_t position[4];     // S16N
  std::uint16_t coordinate[2];  // U16N
  std::int8_t normal[4];        // S8N
};
constexpr std::uint8_t kS8N = 5, kU16N = 6, kS16N = 7;

std::vector<Vertex> cube() {
  std::vector<Vertex> vertices;
  for (int face = 0; face < 6; ++face)
    for (int corner = 0; corner < 4; ++corner) {
      Vertex vertex{};
      const int axis = face / 2, sign = face % 2 == 0 ? 1 : -1;
      const int along = (corner & 1) != 0 ? sign : -sign, across = (corner & 2) != 0 ? 1 : -1;
      const int place[] = {sign, along, across};
      for (int k = 0; k < 3; ++k)
        vertex.position[(axis + k) % 3] = static_cast<std::int16_t>(32767 * place[k]);
      vertex.normal[axis] = static_cast<std::int8_t>(127 * sign);
      vertex.coordinate[0] = (corner & 1) != 0 ? 65535 : 0;
      vertex.coordinate[1] = (corner & 2) != 0 ? 65535 : 0;
      vertices.push_back(vertex);
    }
  return vertices;
}

using Matrix = std::array<float, 16>;  // by columns
Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix result{};
  for (unsigned column = 0; column < 4; ++column)
    for (unsigned row = 0; row < 4; ++row)
      for (unsigned k = 0; k < 4; ++k) result[4 * column + row] += a[4 * k + row] * b[4 * column + k];
  return result;
}

}  // namespace

Game::Game() {
  memory_.words.resize(1 << 16);
  pixels_ = place(std::vector<std::uint32_t>(kWidth * kHeight));
  const std::vector<gxm::VertexAttribute> attributes = {
      {0, 0, kS16N, 3, 0}, {0, 8, kU16N, 2, 4}, {0, 12, kS8N, 3, 8}};
  mesh_ = {place(shader("mesh_vertex")), attributes, {{sizeof(Vertex), 0}}};
  textured_.gxp = place(shader("mesh_fragment"));
  glow_.gxp = place(shader("glow"));
  glow_.blend = 15 | 1 << 8 | 1 << 12 | 1 << 16 | 1 << 20 | 1 << 24 | 1U << 28;  // add, one and one

  vertices_ = place(cube());
  std::vector<std::uint16_t> indices;
  for (std::uint16_t face = 0; face < 6; ++face)
    for (const int corner : {0, 1, 2, 2, 1, 3})
      indices.push_back(static_cast<std::uint16_t>(4 * face + corner));
  indices_ = place(indices);
  std::vector<Vertex> spot(4);
  for (std::size_t n = 0; n < 4; ++n) {
    spot[n].position[0] = (n & 1) != 0 ? 32767 : -32767;
    spot[n].position[1] = (n & 2) != 0 ? 32767 : -32767;
    spot[n].coordinate[0] = (n & 1) != 0 ? 65535 : 0;
    spot[n].coordinate[1] = (n & 2) != 0 ? 65535 : 0;
  }
  spot_ = place(spot);
  spot_indices_ = place(std::vector<std::uint16_t>{0, 1, 2, 3});

  // 16 by 16 texels of 8 bits a channel, linear: rows without padding.
  std::vector<std::uint32_t> texels;
  for (unsigned y = 0; y < 16; ++y)
    for (unsigned x = 0; x < 16; ++x) {
      const bool edge = x == 0 || y == 0 || x == 15 || y == 15;
      texels.push_back(edge ? 0xff202830 : (x / 4 + y / 4) % 2 == 0 ? 0xff40b0f0 : 0xffd0d8e0);
    }
  const std::uint32_t address = place(texels);
  texture_ = {2 << 3 | 2 << 6 | 1 << 10 | 1 << 12 | 15 << 17 | 31 << 21,
              3U << 29 | 0x0c << 24 | 15 << 12 | 15, address, 1U << 31};

  uniforms_ = place(std::vector<float>(20));
  spot_uniforms_ = place(std::vector<float>(20));
  glow_uniforms_ = place(std::vector<float>{0.9F, 0.45F, 0.15F, 0});
}

warpjit::Status Game::frame(Renderer& renderer, unsigned number) {
  constexpr float kNear = 2, kFar = 10;
  const float aspect = static_cast<float>(kWidth) / kHeight;
  const float turn = 0.25F * static_cast<float>(number) + 0.6F, c = std::cos(turn), s = std::sin(turn);
  const float tilt_c = std::cos(0.5F), tilt_s = std::sin(0.5F);
  const Matrix projection = {2.4F / aspect,
                             0,
                             0,
                             0,
                             0,
                             2.4F,
                             0,
                             0,
                             0,
                             0,
                             (kFar + kNear) / (kNear - kFar),
                             -1,
                             0,
                             0,
                             2 * kFar * kNear / (kNear - kFar),
                             0};
  const Matrix around_y = {c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, 0, 0, 0, 1};
  const Matrix around_x = {1, 0, 0, 0, 0, tilt_c, tilt_s, 0, 0, -tilt_s, tilt_c, 0, 0, 0, -5, 1};
  const Matrix matrix = multiply(projection, multiply(around_x, around_y));
  const Matrix spot = {
      0.5F, 0, 0, 0, 0, 0.5F * aspect, 0, 0, 0, 0, 1, 0, -0.4F + 0.1F * static_cast<float>(number),
      0.3F, 0, 1};
  write(uniforms_, matrix.data(), sizeof matrix);
  // The light, as the turned cube sees it; what it leaves in the dark.
  const float light[] = {0.5F * c - 0.6F * s, 0.65F, 0.5F * s + 0.6F * c, 0.2F};
  write(uniforms_ + sizeof matrix, light, sizeof light);
  write(spot_uniforms_, spot.data(), sizeof spot);
  const std::vector<std::uint32_t> background(kWidth * kHeight, 0xff302418);
  write(pixels_, background.data(), 4 * background.size());

  if (auto begun = renderer.begin_scene({0, 0, kWidth, kHeight, kWidth, pixels_}); !begun) return begun;
  gxm::Context context;
  context.viewport = {kWidth / 2.0F, kWidth / 2.0F, kHeight / 2.0F, -(kHeight / 2.0F), 0.5F, 0.5F};
  context.vertex_program = &mesh_;
  context.fragment_program = &textured_;
  context.streams[0] = vertices_;
  context.default_uniforms[gxm::kVertex] = uniforms_;
  context.textures[gxm::kFragment][0] = texture_;
  if (auto drawn = renderer.draw(context, gxm::kTriangles, gxm::kIndices16, indices_, 36); !drawn)
    return drawn;

  context.fragment_program = &glow_;
  context.streams[0] = spot_;
  context.default_uniforms = {spot_uniforms_, glow_uniforms_};
  context.depth_function = gxm::kAlways;
  context.depth_write = gxm::kWriteDisabled;
  if (auto drawn = renderer.draw(context, gxm::kStrip, gxm::kIndices16, spot_indices_, 4); !drawn)
    return drawn;
  return renderer.end_scene();
}

const std::uint8_t* Game::pixels() const {
  return reinterpret_cast<const std::uint8_t*>(memory_.words.data()) + (pixels_ - gxm::Memory::kAddress);
}

std::uint32_t Game::place(const void* data, std::size_t size) {
  const std::uint32_t address = gxm::Memory::kAddress + used_;
  write(address, data, size);
  used_ += static_cast<std::uint32_t>((size + 63) / 64 * 64);
  return address;
}
void Game::write(std::uint32_t address, const void* data, std::size_t size) {
  auto* const bytes = reinterpret_cast<std::uint8_t*>(memory_.words.data());
  std::memcpy(bytes + (address - gxm::Memory::kAddress), data, size);
}
