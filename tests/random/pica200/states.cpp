#include "random/pica200/states.h"

#include <bit>
#include <cmath>
#include <limits>

#include "base/random.h"

namespace warpjit::pica200 {

namespace {

constexpr std::uint32_t kColor = 0, kDepth = 0xA000, kTextures = 0x14000, kBytes = 0x30000;

// A float of a register: sign, exponent, fraction.
std::uint32_t encode(float value, unsigned exponent_bits, unsigned fraction_bits) {
  if (value == 0 || !std::isfinite(value)) return 0;
  int exponent = 0;
  const float fraction = std::frexp(std::fabs(value), &exponent);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto stored = static_cast<std::uint32_t>(exponent - 1 + bias);
  const auto digits =
      static_cast<std::uint32_t>((2 * fraction - 1) * static_cast<float>(1U << fraction_bits));
  return (value < 0 ? 1U : 0U) << (exponent_bits + fraction_bits) | stored << fraction_bits | digits;
}

class StateGenerator {
 public:
  explicit StateGenerator(std::uint64_t seed) : random_(seed) {}

  RandomDraw draw() {
    for (std::uint32_t& word : registers()) word = 0;
    set_raster();
    set_textures();
    set_procedural();
    set_combiners();
    set_lighting();
    set_output();
    set_tables();
    set_memory();
    set_vertices();
    // Something that nobody thought of.
    if (random_.one_in(8)) registers()[0x040 + random_.below(0x2C0)] ^= 1U << random_.below(32);
    return std::move(draw_);
  }

 private:
  std::array<std::uint32_t, kGpuRegisters>& registers() { return draw_.registers; }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_.next() >> 32); }
  float unit() { return static_cast<float>(random_.below(1 << 20)) / static_cast<float>(1 << 20); }
  float between(float low, float high) { return low + (high - low) * unit(); }
  std::uint32_t f16(float low, float high) { return encode(between(low, high), 5, 10); }
  std::uint32_t f20(float low, float high) { return encode(between(low, high), 7, 12); }
  std::uint32_t f24(float low, float high) { return encode(between(low, high), 7, 16); }
  template <std::size_t N>
  std::uint32_t one_of(const std::uint32_t (&values)[N]) {
    return values[random_.below(N)];
  }

  void set_raster() {
    auto& r = registers();
    width_ = 8 * (1 + random_.below(12));
    height_ = random_.one_in(3) ? 1 + random_.below(90) : 8 * (1 + random_.below(11));
    r[0x040] = random_.one_in(6) ? random_.below(4) : 0;
    const auto half = [&](std::uint32_t extent) {
      return random_.one_in(4) ? f24(0.5f, 60) : encode(static_cast<float>(extent) / 2, 7, 16);
    };
    r[0x041] = half(width_);
    r[0x043] = half(height_);
    if (random_.one_in(6)) {
      r[0x047] = 1;
      for (unsigned n = 0; n < 4; ++n) r[0x048 + n] = f24(-2, 2);
    }
    r[0x04D] = random_.one_in(4) ? f24(-2, 2) : encode(-1, 7, 16);
    r[0x04E] = random_.one_in(4) ? f24(-1, 1) : 0;
    r[0x058] = random_.one_in(5);
    if (random_.one_in(4)) {
      r[0x065] = random_.one_in(2) ? 3 : 1;
      r[0x066] = random_.below(48) | random_.below(48) << 16;
      r[0x067] = random_.below(96) | random_.below(96) << 16;
    }
    if (random_.one_in(4)) r[0x068] = (word() & 0x3F) | (word() & 0x3F) << 16;
    r[0x06D] = random_.one_in(4) ? 0 : 1;
    r[0x11E] = width_ | (height_ - 1) << 12 | (random_.one_in(3) ? 0U : 1U) << 24;
  }

  void set_textures() {
    auto& r = registers();
    r[0x080] = random_.below(8) | random_.below(3) << 8 | (random_.one_in(3) ? 1U : 0U) << 10 |
               random_.below(2) << 13;
    constexpr std::uint32_t kFirst[] = {0x081, 0x091, 0x099}, kFormat[] = {0x08E, 0x096, 0x09E};
    for (unsigned unit = 0; unit < 3; ++unit) {
      const std::uint32_t id = kFirst[unit];
      const std::uint32_t type = unit != 0 || random_.one_in(2) ? 0 : one_of({1, 2, 3, 4});
      const bool shadow = type == 2 || type == 4;
      r[id] = word();
      const std::uint32_t log_width = 3 + random_.below(4), log_height = 3 + random_.below(4);
      r[id + 1] = 1U << log_height | 1U << log_width << 16;
      r[id + 2] = random_.below(2) << 1 | random_.below(2) << 2 | random_.below(8) << 8 |
                  random_.below(8) << 12 | random_.below(2) << 24 | type << 28;
      const std::uint32_t most = std::min(log_width, log_height) - 3;
      const std::uint32_t greatest =
                              random_.one_in(8) ? most + 1 + random_.below(2) : random_.below(most + 1),
                          least = random_.one_in(3) ? random_.below(3) : 0;
      r[id + 3] = (random_.one_in(3) ? word() & 0x1FFF : 0) | greatest << 16 | least << 24;
      r[id + 4] = random_.one_in(40) ? 0 : (RandomDraw::kAddress + kTextures + 64 * random_.below(64)) >> 3;
      if (unit == 0 && (type == 1 || type == 4))
        for (unsigned face = 1; face < 6; ++face)
          r[id + 4 + face] =
              random_.one_in(40) ? 0 : ((r[id + 4] & 0x3FFFFF) + 8 * random_.below(512)) & 0x3FFFFF;
      r[kFormat[unit]] = shadow ? 0 : random_.below(14);
    }
    r[0x08B] = random_.below(2) | (random_.one_in(2) ? word() & 0xFFFFFE : 0);
  }

  void set_procedural() {
    auto& r = registers();
    r[0x0A8] = random_.below(5) | random_.below(5) << 3 | random_.below(10) << 6 | random_.below(10) << 10 |
               random_.below(2) << 14 | random_.below(2) << 15 | random_.below(3) << 16 |
               random_.below(3) << 18;
    const std::uint32_t bias = random_.one_in(2) ? f16(0, 2) : 0;
    r[0x0A8] |= (bias & 0xFF) << 20;
    r[0x0A9] = (word() & 0xFFFF) | f16(-2, 2) << 16;
    r[0x0AA] = (word() & 0xFFFF) | f16(-2, 2) << 16;
    r[0x0AB] = f16(-4, 4) | f16(-4, 4) << 16;
    r[0x0AC] = random_.below(6) | random_.below(4) << 3 | random_.below(9) << 7 | random_.below(256) << 11 |
               (bias >> 8) << 19;
    r[0x0AD] = word();
    r[0x0AE] = word();
  }

  void set_combiners() {
    auto& r = registers();
    constexpr std::uint32_t kStages[] = {0x0C0, 0x0C8, 0x0D0, 0x0D8, 0x0F0, 0x0F8};
    const unsigned used = 1 + random_.below(6);
    for (unsigned stage = 0; stage < 6; ++stage) {
      const std::uint32_t id = kStages[stage];
      if (stage >= used) {
        r[id] = 0x000F000F;
        continue;
      }
      const auto source = [&] { return one_of({0, 0, 1, 2, 3, 3, 4, 5, 6, 13, 14, 15, 15}); };
      const auto operand = [&] { return one_of({0, 0, 0, 1, 2, 3, 4, 5, 8, 9, 12, 13}); };
      for (unsigned n = 0; n < 3; ++n) {
        r[id] |= source() << 4 * n | source() << (16 + 4 * n);
        r[id + 1] |= operand() << 4 * n | random_.below(8) << (12 + 4 * n);
      }
      r[id + 2] = random_.below(10) | one_of({0, 1, 1, 2, 3, 4, 5, 8, 9}) << 16;
      r[id + 3] = word();
      r[id + 4] = random_.below(4) | random_.below(4) << 16;
    }
    r[0x0E0] = (random_.one_in(4) ? 5 : 0) | random_.below(256) << 8 | random_.below(2) << 16;
    r[0x0E1] = word();
    r[0x0FD] = word();
  }

  void set_lighting() {
    auto& r = registers();
    r[0x08F] = random_.one_in(3) ? 0 : 1;
    r[0x1C6] = random_.one_in(16);
    const unsigned count = random_.one_in(4) ? 1 + random_.below(8) : 1 + random_.below(2);
    for (unsigned light = 0; light < 8; ++light) {
      const std::uint32_t id = 0x140 + 16 * light;
      for (unsigned n = 0; n < 4; ++n) r[id + n] = word() & 0x0FF3FCFF;
      r[id + 4] = f16(-3, 3) | f16(-3, 3) << 16;
      r[id + 5] = f16(-3, 3);
      r[id + 6] = word() & 0x1FFF1FFF;
      r[id + 7] = word() & 0x1FFF;
      r[id + 9] = random_.below(16);
      r[id + 10] = f20(-1, 1);
      r[id + 11] = f20(0, 1);
    }
    r[0x1C0] = word() & 0x0FF3FCFF;
    r[0x1C2] = count - 1;
    r[0x1C3] = random_.below(2) | random_.below(4) << 2 | one_of({0, 1, 2, 3, 4, 5, 6, 8}) << 4 |
               random_.below(16) << 16 | random_.below(3) << 22 | random_.below(4) << 24 |
               random_.below(2) << 27 | (random_.one_in(2) ? random_.below(3) << 28 : 0) |
               random_.below(2) << 30;
    r[0x1C4] = random_.one_in(2) ? word() : 0;
    r[0x1D0] = word() & 0x22222222;
    for (unsigned n = 0; n < 7; ++n) {
      r[0x1D1] |= random_.below(6) << 4 * n;
      r[0x1D2] |= one_of({0, 0, 1, 2, 3, 6, 7}) << 4 * n;
    }
    r[0x1D9] = word() & 0x77777777;
  }

  void set_output() {
    auto& r = registers();
    const bool shadow = random_.one_in(12);
    r[0x100] = (shadow ? 3 : 0) | (random_.one_in(4) ? 0U : 1U) << 8;
    r[0x101] = random_.below(5) | random_.below(5) << 8;
    for (unsigned n = 0; n < 4; ++n) r[0x101] |= random_.below(15) << (16 + 4 * n);
    r[0x102] = random_.below(16);
    r[0x103] = word();
    r[0x104] = !random_.one_in(4) ? 0 : 1 | random_.below(8) << 4 | random_.below(256) << 8;
    r[0x105] = !random_.one_in(3) ? 0 : 1 | random_.below(8) << 4 | (word() & 0xFFFFFF00);
    r[0x106] = random_.below(8) | random_.below(8) << 4 | random_.below(8) << 8;
    r[0x107] = (random_.one_in(3) ? 1U : 0U) | random_.below(8) << 4 |
               (random_.one_in(3) ? random_.below(16) : 15) << 8 | random_.below(2) << 12;
    r[0x113] = random_.one_in(16) ? 0 : 15;
    r[0x115] = random_.below(4);
    r[0x116] = one_of({0, 2, 3, 3});
    r[0x117] = shadow ? 0 : random_.below(5) << 16;
    r[0x11C] = (RandomDraw::kAddress + kDepth) >> 3;
    r[0x11D] = (RandomDraw::kAddress + kColor) >> 3;
    r[0x130] = f16(-1, 2) | f16(-1, 2) << 16;
  }

  void set_tables() {
    const auto fill = [&](auto& table) {
      for (std::uint32_t& entry : table) entry = word();
    };
    FragmentTables& tables = draw_.tables;
    for (auto& table : tables.lights) fill(table);
    fill(tables.fog);
    fill(tables.noise);
    fill(tables.color_map);
    fill(tables.alpha_map);
    fill(tables.colors);
    fill(tables.color_differences);
  }

  void set_memory() {
    draw_.memory.resize(kBytes);
    const bool plain = random_.one_in(3);
    for (std::size_t n = 0; n < kBytes; ++n)
      draw_.memory[n] = static_cast<std::byte>(plain && n < kTextures ? 0x80 : random_.below(256));
  }

  float coordinate(float low, float high) {
    switch (random_.below(200)) {
      case 0:
        return std::numeric_limits<float>::quiet_NaN();
      case 1:
        return std::numeric_limits<float>::infinity();
      case 2:
        return 1e30f;
      case 3:
        return -0.0f;
      case 4:
        return 1e-40f;
      case 5:
        return 0.0f;
      default:
        return between(low, high);
    }
  }

  Vertex vertex() {
    Vertex v{};
    const float reach = random_.one_in(6) ? 3.0f : 1.1f;
    const float w = flat_w_ ? 1.0f : random_.one_in(20) ? between(-1, 1) : between(0.2f, 3);
    const float plane = random_.one_in(100) ? coordinate(-4, 4) : between(-reach, reach);
    v.position[0] = plane * w;
    v.position[1] = between(-reach, reach) * w;
    v.position[2] = random_.one_in(10) ? coordinate(-2, 1) : -unit() * w;
    v.position[3] = w;
    for (float& c : v.quaternion) c = coordinate(-1, 1);
    for (float& c : v.color) c = coordinate(-0.2f, 1.2f);
    const float scale = random_.one_in(4) ? 8.0f : 1.5f;
    for (float* t : {v.texcoord0, v.texcoord1, v.texcoord2})
      for (unsigned n = 0; n < 2; ++n) t[n] = coordinate(-scale, scale);
    v.texcoord0_w = coordinate(-2, 2);
    for (float& c : v.view) c = coordinate(-2, 2);
    return v;
  }

  void set_vertices() {
    flat_w_ = random_.one_in(3);
    const unsigned triangles = 1 + random_.below(6), count = 3 * triangles;
    for (unsigned n = 0; n < count; ++n) draw_.vertices.push_back(vertex());
    if (random_.one_in(2))
      for (unsigned n = 0; n < count; ++n)
        draw_.indices.push_back(static_cast<std::uint16_t>(random_.below(count)));
  }

  Random random_;
  RandomDraw draw_;
  std::uint32_t width_ = 8, height_ = 8;
  bool flat_w_ = false;
};

}  // namespace

RandomDraw random_draw(std::uint64_t seed) { return StateGenerator(seed).draw(); }

}  // namespace warpjit::pica200
