#include "game.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace {

// ---- Programs: shaders/*.usse, assembled by `warpjit asm`

const std::vector<std::uint64_t> kMeshVertex = {
    0xfa44070000000000, 0x08004180b0000000, 0x08004180b0400001, 0x00009184c0040080, 0x00009184c04400c1,
    0x00009184c0001100, 0x00009184c0401141, 0x0824418530041006, 0x0824418530441047, 0x3800052183080080,
    0x08244184b0840108, 0x0824108400841082, 0x00000084c0805242, 0x0825008410846080, 0x0824108430841089,
    0x38000521030c0080, 0xfb275000a0200000};
const std::vector<std::uint64_t> kMeshFragment = {0xfa44070000000000, 0xe001c404e0000000, 0xf920000000000000,
                                                  0x0824018420040001, 0x0824008420440041, 0x40000d7e00198002,
                                                  0xf804014000000000};
const std::vector<std::uint64_t> kGlow = {
    0xfa44070000000000, 0x086441aca03f9000, 0x0824418400040000, 0x0800108000001000, 0x0824408400041000,
    0x0824408400041000, 0x082500a410041003, 0x0825008410046000, 0x0824008400040000, 0x0800418030400000,
    0x0800418030800001, 0x40000d7e00198104, 0xf804014000000000};

// A GXP, as the console's compiler leaves it, as far as these programs need one.
class Gxp {
 public:
  explicit Gxp(bool fragment) : bytes_(0x9c) {
    put(0x00, 0x00505847, 4);
    put(0x04, 1, 1);
    put(0x05, 5, 1);
    put(0x14, fragment ? 1 : 0, 4);
    put(0x3a, 1, 2);
  }
  // Words of pa, of sa, of r.
  Gxp& registers(unsigned pa, unsigned sa, unsigned r) {
    put(0x30, pa, 2);
    put(0x32, sa, 2);
    put(0x34, r, 4);
    return *this;
  }
  // The default uniform buffer is in sa, from word 0 on.
  Gxp& uniforms(unsigned words) {
    container(14, words);
    put(0x64, words, 4);
    return *this;
  }
  // The control words of texture unit 0 are sa0 to sa3.
  Gxp& texture() {
    container(19, 4);
    table(0x80, 4);
    for (unsigned word = 0; word < 4; ++word) add(word | word << 16, 4);
    return *this;
  }
  // Position, texcoord0.xy and texcoord1.xy come out.
  Gxp& vertex_outputs(std::uint64_t read_words) {
    point(0x2c);
    add(read_words, 8);
    add(0, 8);
    add(8U << 24 | 1U << 12, 4);
    add(1 | 1 << 3, 4);
    add(0, 8);
    return *this;
  }
  // Texture coordinates 0, 1, ... with so many components, f32; the result is four halves in pa0.
  Gxp& fragment_inputs(const std::vector<unsigned>& components) {
    point(0x2c);
    add(0, 8);
    add(1U << 16 | 4U << 24, 4);
    add(components.size(), 4);
    add(4, 4);
    for (unsigned n = 0; n < components.size(); ++n) {
      add(15 | n << 12 | (components[n] - 1) << 22, 4);
      add(0, 4);
      add((components[n] - 1) << 4, 4);
      add(0, 4);
    }
    return *this;
  }
  std::vector<std::uint8_t> finish(const std::vector<std::uint64_t>& code) {
    table(0x3c, static_cast<std::uint32_t>(code.size()));
    for (const std::uint64_t word : code) add(word, 8);
    put(0x08, bytes_.size(), 4);
    return bytes_;
  }

 private:
  void put(std::size_t at, std::uint64_t value, unsigned size) {
    for (unsigned k = 0; k < size; ++k) bytes_[at + k] = static_cast<std::uint8_t>(value >> 8 * k);
  }
  void add(std::uint64_t value, unsigned size) {
    bytes_.resize(bytes_.size() + size);
    put(bytes_.size() - size, value, size);
  }
  void point(std::size_t field) { put(field, bytes_.size() - field, 4); }
  void table(std::size_t field, std::uint32_t count) {
    put(field, count, 4);
    point(field + 4);
  }
  void container(unsigned number, unsigned words) {
    table(0x90, 1);
    for (const unsigned word : {number, 0U, 0U, words}) add(word, 2);
  }
  std::vector<std::uint8_t> bytes_;
};

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
  mesh_ = {place(Gxp(false).registers(12, 20, 8).uniforms(20).vertex_outputs(0xfff).finish(kMeshVertex)),
           attributes,
           {{sizeof(Vertex), 0}}};
  textured_.gxp = place(Gxp(true).registers(4, 4, 8).texture().fragment_inputs({2, 1}).finish(kMeshFragment));
  glow_.gxp = place(Gxp(true).registers(4, 4, 8).uniforms(4).fragment_inputs({2}).finish(kGlow));
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
              3U << 29 | 0x0c << 24 | 15 << 12 | 15, address, 0};

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
