#include "game.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <span>
#include <utility>

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr float kTorusUnit = 4096;
constexpr std::uint32_t kRings = 48, kSides = 24, kPoints = 200;

// ---- Programs: shaders/*.pica, assembled by `warpjit asm`. Both programs of the sparks share one upload.

constexpr std::uint32_t kMeshCode[] = {0x4E000000, 0x4E07F001, 0x0A224802, 0x0A225803, 0x0A226804, 0x4E27F001,
                                       0x08020882, 0x08021883, 0x08022884, 0x08023885, 0x4E401006, 0x06624902,
                                       0x06625903, 0x06626904, 0x06813982, 0x3E814002, 0x22614987, 0x06828982,
                                       0x3287FA02, 0x0287FA08, 0x20229A06, 0x88000000};
constexpr std::uint32_t kMeshDescriptors[] = {0x0000036E, 0x00000AA1, 0x0006C368, 0x0006C364, 0x0006C362,
                                              0x0006C361, 0x0000036F, 0x0006C00E, 0x00001548};
constexpr std::uint32_t kSparkCode[] = {
    0x4E000000, 0x4E07F001, 0x0A224802, 0x0A225803, 0x0A226804, 0x4E27F001, 0x08020882, 0x08021883,
    0x08022884, 0x08023885, 0x2027F086, 0x4E400007, 0x4C212005, 0x88000000, 0x4E000007, 0x4E201007,
    0x22420887, 0xAC000000, 0x2267F908, 0x02610989, 0x90008803, 0xAD000000, 0x2267F90A, 0x02610989,
    0x90008803, 0xAE800000, 0x2267F90B, 0x02610989, 0x90008803, 0xACC00000, 0x2267F90C, 0x02610989,
    0x90008803, 0x88000000, 0x4C013007, 0x4C211007, 0xA8000000};
constexpr std::uint32_t kSparkDescriptors[] = {0x0000036E, 0x00000AA1, 0x0006C368, 0x0006C364, 0x0006C362,
                                               0x0006C361, 0x0006D54E, 0x003FC36F, 0x0006CB4F, 0x0006C36F,
                                               0x0006C34F, 0x0006C94F, 0x0006C14F};
constexpr std::uint32_t kSparkGeometryEntry = 14;

// ---- The GPU's registers

constexpr std::uint32_t kOutputMap = 0x04F, kBase = 0x200, kIndexList = 0x227, kVertexCount = 0x228,
                        kGeometry = 0x229, kFirstVertex = 0x22A, kDrawArrays = 0x22E, kDrawElements = 0x22F,
                        kVertexAttributes = 0x242, kVertexOutputs = 0x24A, kVertexOutputsToo = 0x251,
                        kGeometryMode = 0x252, kTopology = 0x25E, kGeometryUnit = 0x280, kVertexUnit = 0x2B0;
// Registers of a shader unit, counted from its first one.
constexpr std::uint32_t kInput = 0x9, kEntry = 0xA, kPermutation = 0xB, kOutputMask = 0xD, kCodeEnd = 0xF,
                        kFloatIndex = 0x10, kFloatData = 0x11, kCodeIndex = 0x1B, kCodeData = 0x1C,
                        kDescriptorIndex = 0x25, kDescriptorData = 0x26;

using Vector = std::array<float, 4>;

class CommandList {
 public:
  // Writes one register: one word, or all of `values`, one after the other.
  void write(std::uint32_t id, std::span<const std::uint32_t> values) { command(id, values, false); }
  void write(std::uint32_t id, std::uint32_t value) { write(id, {&value, 1}); }
  // Registers from `id` on.
  void write_from(std::uint32_t id, std::initializer_list<std::uint32_t> values) {
    command(id, {values.begin(), values.size()}, true);
  }
  void write_floats(std::uint32_t unit, std::uint32_t first, std::span<const Vector> vectors) {
    constexpr std::uint32_t kBits32 = 0x80000000;
    write(unit + kFloatIndex, kBits32 | first);
    std::vector<std::uint32_t> words;
    for (const Vector& v : vectors)
      for (int c = 3; c >= 0; --c) words.push_back(std::bit_cast<std::uint32_t>(v[static_cast<unsigned>(c)]));
    write(unit + kFloatData, words);
  }
  void write_float(std::uint32_t unit, std::uint32_t index, const Vector& vector) {
    write_floats(unit, index, {&vector, 1});
  }
  void write_program(std::uint32_t unit, std::span<const std::uint32_t> code,
                     std::span<const std::uint32_t> descriptors, std::uint32_t entry) {
    write(unit + kCodeIndex, 0);
    write(unit + kCodeData, code);
    write(unit + kCodeEnd, 1);
    write(unit + kDescriptorIndex, 0);
    write(unit + kDescriptorData, descriptors);
    write(unit + kEntry, 0x7FFF0000 | entry);
  }
  std::vector<std::uint32_t> take() { return std::move(words_); }

 private:
  // The first value, the header, the others; whole pairs of words.
  void command(std::uint32_t id, std::span<const std::uint32_t> values, bool consecutive) {
    constexpr std::size_t kMost = 256;
    while (!values.empty()) {
      const auto part = values.first(std::min(values.size(), kMost));
      values = values.subspan(part.size());
      const auto extra = static_cast<std::uint32_t>(part.size() - 1);
      words_.push_back(part[0]);
      words_.push_back(id | 0xFu << 16 | extra << 20 | (consecutive ? 1u << 31 : 0));
      words_.insert(words_.end(), part.begin() + 1, part.end());
      if (words_.size() % 2 != 0) words_.push_back(0);
    }
  }
  std::vector<std::uint32_t> words_;
};

// Rows of projection and modelview (c0-c7), light and tint; of a model whose unit is 1 / scale.
std::array<Vector, 10> uniforms(unsigned frame, float scale) {
  constexpr float kNear = 1, kFar = 10, kAspect = 400.0f / 240, kScale = 1.8f;
  constexpr float kA = kNear / (kFar - kNear), kB = -kNear * kFar / (kFar - kNear);  // depth is -1 to 0
  const double turn = 0.1 * frame + 0.5, tilt = 1.0;
  const auto cy = static_cast<float>(std::cos(turn)), sy = static_cast<float>(std::sin(turn));
  const auto cx = static_cast<float>(std::cos(tilt)), sx = static_cast<float>(std::sin(tilt));
  return {Vector{kScale / kAspect, 0, 0, 0},
          Vector{0, kScale, 0, 0},
          Vector{0, 0, -kA, kB},
          Vector{0, 0, -1, 0},
          Vector{scale * cy, -scale * sy, 0, 0},
          Vector{scale * cx * sy, scale * cx * cy, -scale * sx, 0},
          Vector{scale * sx * sy, scale * sx * cy, scale * cx, -4},
          Vector{0, 0, 0, 1},
          Vector{0.4f, 0.6f, 0.69f, 0},
          Vector{0.9f, 0.5f, 0.2f, 1}};
}

template <class T>
void append(std::vector<std::uint8_t>& bytes, std::initializer_list<T> values) {
  for (const T value : values) {
    bytes.resize(bytes.size() + sizeof value);
    std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
  }
}

}  // namespace

Game::Game() {
  std::vector<std::uint8_t>& bytes = memory_.bytes;
  // The torus: position as 16-bit, normal as 8-bit integers.
  for (std::uint32_t ring = 0; ring < kRings; ++ring)
    for (std::uint32_t side = 0; side < kSides; ++side) {
      const double a = 2 * kPi * ring / kRings, b = 2 * kPi * side / kSides, radius = 1 + 0.4 * std::cos(b);
      const auto position = [](double x) { return static_cast<std::int16_t>(std::lround(kTorusUnit * x)); };
      const auto normal = [](double x) { return static_cast<std::int8_t>(std::lround(120 * x)); };
      append<std::int16_t>(bytes, {position(radius * std::cos(a)), position(radius * std::sin(a)),
                                   position(0.4 * std::sin(b)), 0});
      append<std::int8_t>(bytes, {normal(std::cos(b) * std::cos(a)), normal(std::cos(b) * std::sin(a)),
                                  normal(std::sin(b)), 0});
    }
  index_offset_ = static_cast<std::uint32_t>(bytes.size());
  for (std::uint32_t ring = 0; ring < kRings; ++ring)
    for (std::uint32_t side = 0; side < kSides; ++side) {
      const auto at = [&](std::uint32_t r, std::uint32_t s) {
        return static_cast<std::uint16_t>((ring + r) % kRings * kSides + (side + s) % kSides);
      };
      append<std::uint16_t>(bytes, {at(0, 0), at(1, 0), at(0, 1), at(0, 1), at(1, 0), at(1, 1)});
    }
  index_count_ = kRings * kSides * 6;
  while (bytes.size() % 8 != 0) bytes.push_back(0);
  points_offset_ = static_cast<std::uint32_t>(bytes.size());
  for (std::uint32_t n = 0; n < kPoints; ++n) {
    const double a = 2 * kPi * n / kPoints;
    append<float>(bytes, {static_cast<float>(1.9 * std::cos(a)), static_cast<float>(1.9 * std::sin(a)),
                          static_cast<float>(0.3 * std::sin(9 * a)), 1.0f + static_cast<float>(n % 3)});
    append<std::uint8_t>(
        bytes, {static_cast<std::uint8_t>(128 + n % 128), 220, static_cast<std::uint8_t>(255 - n), 255});
  }
}

std::vector<std::uint32_t> Game::frame(unsigned number) const {
  CommandList list;
  // What both draws have: two attributes, two outputs, position and colour.
  list.write(kBase, Memory::kAddress >> 3);
  list.write(kVertexAttributes, 1);
  list.write(kVertexUnit + kInput, 0xA0000001);
  list.write_from(kVertexUnit + kPermutation, {0x76543210, 0xFEDCBA98});
  list.write(kVertexUnit + kOutputMask, 3);
  list.write(kVertexOutputs, 1);
  list.write(kVertexOutputsToo, 1);
  list.write_from(kOutputMap, {2, 0x03020100, 0x0B0A0908});

  // The torus: 3 of s16 and 3 of s8, each with a fourth that nobody reads; 12 bytes a vertex.
  list.write(kGeometry, 0);
  list.write(kTopology, 0);
  list.write_from(kBase + 1, {0xCE, 1u << 28});
  list.write_from(kBase + 3, {0, 0x10, 2u << 28 | 12u << 16});
  list.write_program(kVertexUnit, kMeshCode, kMeshDescriptors, 0);
  list.write_floats(kVertexUnit, 0, uniforms(number, 1 / kTorusUnit));
  list.write_float(kVertexUnit, 95, Vector{0, 1, 0.25f, 0});
  list.write_from(kIndexList, {1u << 31 | index_offset_, index_count_});
  list.write(kDrawElements, 1);

  // The sparks: 4 floats and 4 of u8, 20 bytes a point; each point is an invocation of the geometry program.
  list.write(kGeometry, 2);
  list.write(kGeometryMode, 0);
  list.write(kTopology, 3u << 8);
  list.write_from(kBase + 1, {0xDF, 1u << 28});
  list.write_from(kBase + 3, {points_offset_, 0x10, 2u << 28 | 20u << 16});
  list.write_program(kVertexUnit, kSparkCode, kSparkDescriptors, 0);
  list.write_floats(kVertexUnit, 0, uniforms(number, 1));
  list.write_float(kVertexUnit, 95, Vector{0, 1, 1.0f / 255, 0});
  list.write_program(kGeometryUnit, kSparkCode, kSparkDescriptors, kSparkGeometryEntry);
  list.write(kGeometryUnit + kInput, 0x08000001);
  list.write_from(kGeometryUnit + kPermutation, {0x76543210, 0xFEDCBA98});
  list.write(kGeometryUnit + kOutputMask, 3);
  list.write_float(kGeometryUnit, 0, Vector{0.02f * 240 / 400, 0.02f, 0, 0});
  list.write_float(kGeometryUnit, 95, Vector{1, -1, 0, 0});
  list.write_from(kVertexCount, {kPoints});
  list.write(kFirstVertex, 0);
  list.write(kDrawArrays, 1);
  return list.take();
}
