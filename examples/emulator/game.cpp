#include "game.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "command_list.h"

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr float kMeshUnit = 4096;
constexpr std::uint32_t kRings = 48, kSides = 24, kPoints = 200, kTilesSide = 64, kGlowSide = 16;

// ---- Programs: shaders/*.pica, assembled by `warpjit asm`. Both programs of the sparks share one upload.

constexpr std::uint32_t kMeshCode[] = {0x4E000000, 0x4E07F001, 0x0A224802, 0x0A225803, 0x0A226804, 0x4E27F001,
                                       0x08020882, 0x08021883, 0x08022884, 0x08023885, 0x4C611006, 0x20428107,
                                       0x4E401007, 0x06624902, 0x06625903, 0x06626904, 0x06813982, 0x3E814002,
                                       0x22614988, 0x4E87F009, 0x4E81300A, 0x4E81300B, 0x0287F981, 0x3287FA0C,
                                       0x02A14A0D, 0x3EA15002, 0x20215A09, 0x88000000};
constexpr std::uint32_t kMeshDescriptors[] = {0x0000036E, 0x00008AA1, 0x0006C368, 0x0006C364, 0x0006C362,
                                              0x0006C361, 0x0000037F, 0x0006C36F, 0x0006C00E, 0x0006C00F,
                                              0x00000AB8, 0x00000004, 0x003FD541, 0x003FDFE8};
constexpr std::uint32_t kSparkCode[] = {
    0x4E000000, 0x4E07F001, 0x0A224802, 0x0A225803, 0x0A226804, 0x4E27F001, 0x08020882,
    0x08021883, 0x08022884, 0x08023885, 0x2027F086, 0x4E400007, 0x4C212005, 0x88000000,
    0x4E000007, 0x4E201007, 0x22420887, 0xAC000000, 0x4E87F008, 0x2267F908, 0x02610989,
    0x90009804, 0xAD000000, 0x4E87F00A, 0x2267F90A, 0x02610989, 0x90009804, 0xAE800000,
    0x4E87F00B, 0x2267F90B, 0x02610989, 0x90009804, 0xACC00000, 0x4E87F00C, 0x2267F90C,
    0x02610989, 0x90009804, 0x88000000, 0x4C013007, 0x4C211007, 0x4C414007, 0xA8000000};
constexpr std::uint32_t kSparkDescriptors[] = {0x0000036E, 0x00000AA1, 0x0006C368, 0x0006C364, 0x0006C362,
                                               0x0006C361, 0x0006D54E, 0x003FC36F, 0x0006CB4F, 0x0006C36F,
                                               0x0006C34F, 0x0006C94F, 0x0006C14F};
constexpr std::uint32_t kSparkGeometryEntry = 14;

// ---- The GPU's registers

constexpr std::uint32_t kViewport = 0x041, kDepthScale = 0x04D, kOutputMap = 0x04F, kDepthMode = 0x06D,
                        kTextures = 0x080, kTextureSize = 0x082, kTextureFormat = 0x08E, kLighting = 0x08F,
                        kFog = 0x0E0, kFogColor = 0x0E1, kFogIndex = 0x0E6, kFogData = 0x0E8,
                        kColorMode = 0x100, kTests = 0x104, kAccess = 0x112, kTargets = 0x116,
                        kTargetPlace = 0x11C, kLight = 0x140, kAmbient = 0x1C0, kLights = 0x1C2,
                        kLightTable = 0x1C5, kLightData = 0x1C8, kLightInputs = 0x1D0, kLightSlots = 0x1D9,
                        kBase = 0x200, kIndexList = 0x227, kVertexCount = 0x228, kGeometry = 0x229,
                        kFirstVertex = 0x22A, kDrawArrays = 0x22E, kDrawElements = 0x22F,
                        kVertexAttributes = 0x242, kVertexOutputs = 0x24A, kVertexOutputsToo = 0x251,
                        kGeometryMode = 0x252, kTopology = 0x25E, kGeometryUnit = 0x280, kVertexUnit = 0x2B0;
constexpr std::uint32_t kCombiners[] = {0x0C0, 0x0C8, 0x0D0, 0x0D8, 0x0F0, 0x0F8};
// Sources of combiners, and what they do.
constexpr std::uint32_t kPrimary = 0, kDiffuse = 1, kSpecular = 2, kTexture = 3, kConstant = 14,
                        kPrevious = 15;
constexpr std::uint32_t kReplace = 0, kModulate = 1, kAdd = 2;

// 1 bit of sign, 7 of exponent, 16 of mantissa.
std::uint32_t f24(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (bits << 1 == 0) return bits >> 31 << 23;
  return bits >> 31 << 23 | ((bits >> 23 & 0xFF) - 64) << 16 | (bits >> 7 & 0xFFFF);
}
// 5 of exponent, 10 of mantissa.
std::uint32_t f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (bits << 1 == 0) return bits >> 31 << 15;
  return bits >> 31 << 15 | ((bits >> 23 & 0xFF) - 112) << 10 | (bits >> 13 & 0x3FF);
}
constexpr std::uint32_t rgb(std::uint32_t color) {  // red lowest
  return color >> 16 | (color & 0xFF00) | (color & 0xFF) << 16;
}
constexpr std::uint32_t light_rgb(std::uint32_t color) {  // of lighting: ten bits each, red highest
  return (color >> 16) << 20 | (color >> 8 & 0xFF) << 10 | (color & 0xFF);
}

// One combiner: colour and alpha alike.
void combine(CommandList& list, unsigned stage, std::uint32_t operation, std::uint32_t a, std::uint32_t b,
             std::uint32_t constant = 0) {
  const std::uint32_t sources = a | b << 4;
  list.write_from(kCombiners[stage], {sources | sources << 16, 0, operation | operation << 16, constant, 0});
}

// A depth of 24 bits, larger for what is nearer; combiners that do nothing; no tests but that of depth.
void write_targets(CommandList& list) {
  list.write(kViewport, f24(Video::kWidth / 2.0f));
  list.write(kViewport + 2, f24(Video::kHeight / 2.0f));
  list.write_from(kDepthScale, {f24(-1), 0});
  list.write(kDepthMode, 1);
  list.write_from(kTests, {0x10, 0});
  list.write_from(kAccess, {15, 15, 2, 2});
  list.write_from(kTargets, {2, 2});  // depth of 24 bits; colours of 32: RGBA8
  list.write_from(kTargetPlace, {Video::kDepth >> 3, Video::kColor >> 3,
                                 Video::kWidth | (Video::kHeight - 1) << 12 | 1u << 24});
  for (unsigned stage = 0; stage < 6; ++stage) combine(list, stage, kReplace, kPrevious, kPrevious);
}

void write_texture(CommandList& list, std::uint32_t address, std::uint32_t side, std::uint32_t levels,
                   std::uint32_t wrap) {
  list.write(kTextures, 0x1001);  // unit 0
  list.write_from(kTextureSize, {side | side << 16, 6 | wrap << 8 | wrap << 12 | 1u << 24, (levels - 1) << 16,
                                 address >> 3});
  list.write(kTextureFormat, 7);  // intensity, 8 bits
}

// One light that shines along a direction, with a highlight; and fog in the background's colour.
void write_light_and_fog(CommandList& list) {
  list.write(kLighting, 1);
  list.write_from(kLight,
                  {light_rgb(0xC0C0B0), 0, light_rgb(0xE0E0E0), 0, f16(0.4f) | f16(0.7f) << 16, f16(0.6f)});
  list.write(kLight + 9, 1);
  list.write(kAmbient, light_rgb(0x30303C));
  list.write_from(kLights, {0, 0, 0xFFFEFFFF});  // one light; of the tables that of highlights alone
  list.write_from(kLightInputs, {0, 0, 0});      // its input is N.H
  list.write(kLightSlots, 0);
  list.write(kLightTable, 0);
  std::vector<std::uint32_t> words;
  const auto highlight = [](int n) { return std::pow(n / 256.0, 24.0); };
  for (int n = 0; n < 256; ++n)
    words.push_back(static_cast<std::uint32_t>(std::lround(4095 * highlight(n))) |
                    static_cast<std::uint32_t>(std::lround(2047 * (highlight(n + 1) - highlight(n)))) << 12);
  list.write(kLightData, words);
  // The index of the table is the depth, 1 at the near plane: what stays of a colour in a distance of 1 / depth.
  list.write_from(kFog, {5, rgb(Video::kBackground)});
  list.write(kFogIndex, 0);
  words.clear();
  const auto clear = [](int n) { return std::clamp(n / 128.0 * 9 - 0.05, 0.0, 1.0); };
  for (int n = 0; n < 128; ++n)
    words.push_back(static_cast<std::uint32_t>(std::lround(2047 * clear(n))) << 13 |
                    static_cast<std::uint32_t>(std::lround(2047 * (clear(n + 1) - clear(n)))));
  list.write(kFogData, words);
}

struct Place {
  double turn = 0, tilt = 0, y = 0, z = 0;
  float scale = 1;
};
// Rows of projection and modelview (c0-c7). The screen lies on its side: x of the picture goes down there.
std::array<Vector, 8> uniforms(const Place& place) {
  constexpr float kNear = 1, kFar = 16, kAspect = 400.0f / 240, kScale = 1.8f;
  constexpr float kA = kNear / (kFar - kNear), kB = -kNear * kFar / (kFar - kNear);  // depth is -1 to 0
  const auto cy = static_cast<float>(std::cos(place.turn)), sy = static_cast<float>(std::sin(place.turn));
  const auto cx = static_cast<float>(std::cos(place.tilt)), sx = static_cast<float>(std::sin(place.tilt));
  const float scale = place.scale;
  return {Vector{0, kScale, 0, 0},
          Vector{-kScale / kAspect, 0, 0, 0},
          Vector{0, 0, -kA, kB},
          Vector{0, 0, -1, 0},
          Vector{scale * cy, -scale * sy, 0, 0},
          Vector{scale * cx * sy, scale * cx * cy, -scale * sx, static_cast<float>(place.y)},
          Vector{scale * sx * sy, scale * sx * cy, scale * cx, static_cast<float>(place.z)},
          Vector{0, 0, 0, 1}};
}

template <class T>
void append(std::vector<std::uint8_t>& bytes, std::initializer_list<T> values) {
  for (const T value : values) {
    bytes.resize(bytes.size() + sizeof value);
    std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
  }
}

// A vertex of the torus and the floor: position as 16-bit, normal as 8-bit integers, and texture coordinates.
void append_vertex(std::vector<std::uint8_t>& bytes, const std::array<double, 3>& position,
                   const std::array<double, 3>& normal, std::uint32_t u, std::uint32_t v) {
  for (const double x : position)
    append<std::int16_t>(bytes, {static_cast<std::int16_t>(std::lround(kMeshUnit * x))});
  append<std::int16_t>(bytes, {0});
  for (const double x : normal) append<std::int8_t>(bytes, {static_cast<std::int8_t>(std::lround(120 * x))});
  append<std::uint8_t>(bytes, {0, static_cast<std::uint8_t>(u), static_cast<std::uint8_t>(v), 0, 0});
}

// A square texture of bytes, in tiles of 8 x 8 texels whose bits of x and y alternate.
template <class Texel>
void append_texture(std::vector<std::uint8_t>& bytes, std::uint32_t side, const Texel& texel) {
  for (std::uint32_t tile = 0; tile < side * side / 64; ++tile)
    for (std::uint32_t n = 0; n < 64; ++n) {
      const std::uint32_t x = (n & 1) | (n >> 1 & 2) | (n >> 2 & 4),
                          y = (n >> 1 & 1) | (n >> 2 & 2) | (n >> 3 & 4);
      bytes.push_back(texel(tile % (side / 8) * 8 + x, tile / (side / 8) * 8 + y));
    }
}

// Registers of draws with the mesh's program: three attributes of 16 bytes, four outputs.
void write_mesh(CommandList& list) {
  list.write(kGeometry, 0);
  list.write(kTopology, 0);
  list.write(kVertexAttributes, 2);
  list.write(kVertexUnit + kInput, 0xA0000002);
  list.write_from(kVertexUnit + kPermutation, {0x76543210, 0xFEDCBA98});
  list.write(kVertexUnit + kOutputMask, 15);
  list.write(kVertexOutputs, 3);
  list.write(kVertexOutputsToo, 3);
  list.write_from(kOutputMap, {4, 0x03020100, 0x07060504, 0x1F1F0D0C, 0x1F141312});
  list.write_from(kBase + 1, {0x5CE, 2u << 28});
  list.write_program(kVertexUnit, kMeshCode, kMeshDescriptors, 0);
  list.write_float(kVertexUnit, 95, Vector{0, 1, 0.001f, 0});
}

}  // namespace

Game::Game() {
  std::vector<std::uint8_t>& bytes = memory_.bytes;
  for (std::uint32_t ring = 0; ring <= kRings; ++ring)
    for (std::uint32_t side = 0; side <= kSides; ++side) {
      const double a = 2 * kPi * ring / kRings, b = 2 * kPi * side / kSides, radius = 1 + 0.4 * std::cos(b);
      append_vertex(bytes, {radius * std::cos(a), radius * std::sin(a), 0.4 * std::sin(b)},
                    {std::cos(b) * std::cos(a), std::cos(b) * std::sin(a), std::sin(b)}, ring, side);
    }
  index_offset_ = static_cast<std::uint32_t>(bytes.size());
  for (std::uint32_t ring = 0; ring < kRings; ++ring)
    for (std::uint32_t side = 0; side < kSides; ++side) {
      const auto at = [&](std::uint32_t r, std::uint32_t s) {
        return static_cast<std::uint16_t>((ring + r) * (kSides + 1) + side + s);
      };
      append<std::uint16_t>(bytes, {at(0, 0), at(1, 0), at(0, 1), at(0, 1), at(1, 0), at(1, 1)});
    }
  index_count_ = kRings * kSides * 6;
  floor_offset_ = static_cast<std::uint32_t>(bytes.size());
  for (const auto& [x, y] : {std::pair(0, 0), {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}})
    append_vertex(bytes, {7.9 * (2 * x - 1), 7.9 * (2 * y - 1), 0}, {0, 0, 1}, static_cast<std::uint32_t>(x),
                  static_cast<std::uint32_t>(y));
  points_offset_ = static_cast<std::uint32_t>(bytes.size());
  for (std::uint32_t n = 0; n < kPoints; ++n) {
    const double a = 2 * kPi * n / kPoints;
    append<float>(bytes, {static_cast<float>(1.9 * std::cos(a)), static_cast<float>(1.9 * std::sin(a)),
                          static_cast<float>(0.3 * std::sin(9 * a)), 1.0f + static_cast<float>(n % 3)});
    append<std::uint8_t>(
        bytes, {static_cast<std::uint8_t>(128 + n % 128), 120, static_cast<std::uint8_t>(255 - n), 255});
  }
  while (bytes.size() % 16 != 0) bytes.push_back(0);
  // Two by two tiles with dark joints, in four levels: a texel of a smaller one stands for more.
  tiles_ = static_cast<std::uint32_t>(bytes.size());
  for (std::uint32_t level = 0; level < 4; ++level)
    append_texture(bytes, kTilesSide >> level, [&](std::uint32_t column, std::uint32_t row) {
      const std::uint32_t texels = 1u << level, half = kTilesSide / 2;
      std::uint32_t sum = 0;
      for (std::uint32_t y = row * texels; y < (row + 1) * texels; ++y)
        for (std::uint32_t x = column * texels; x < (column + 1) * texels; ++x)
          sum += x % half < 2 || y % half < 2 ? 70u : (x / half + y / half) % 2 == 0 ? 255u : 190u;
      return static_cast<std::uint8_t>(sum / (texels * texels));
    });
  // A quarter of a spark: light that fades from a corner; t counts from the last row.
  glow_ = static_cast<std::uint32_t>(bytes.size());
  append_texture(bytes, kGlowSide, [](std::uint32_t x, std::uint32_t y) {
    const double distance = std::hypot(x + 0.5, kGlowSide - 0.5 - y) / kGlowSide;
    return static_cast<std::uint8_t>(255 * std::pow(std::max(0.0, 1 - distance), 1.5));
  });
}

std::vector<std::uint32_t> Game::frame(unsigned number) const {
  CommandList list;
  write_targets(list);
  write_light_and_fog(list);
  list.write(kBase, Memory::kAddress >> 3);

  // The torus and the floor: the texture in a colour, times diffuse light, and highlights on it.
  write_mesh(list);
  write_texture(list, Memory::kAddress + tiles_, kTilesSide, 4, 2);  // repeats
  combine(list, 1, kModulate, kPrevious, kDiffuse);
  combine(list, 2, kAdd, kPrevious, kSpecular);
  list.write_from(kColorMode, {0x00E40100, 0x01010000});  // the new colour alone
  list.write(kTests + 3, 0x1F00 | 6u << 4 | 1);           // nearer than what is there
  const Place torus = {0.1 * number + 0.5, 1.0, 0, -4, 1 / kMeshUnit};
  combine(list, 0, kModulate, kTexture, kConstant, 0xFF000000 | rgb(0xF0903C));
  list.write_from(kBase + 3, {0, 0x210, 3u << 28 | 16u << 16});
  list.write_floats(kVertexUnit, 0, uniforms(torus));
  list.write_float(kVertexUnit, 8, Vector{8.0f / kRings, 2.0f / kSides, 0, 0});
  list.write_from(kIndexList, {1u << 31 | index_offset_, index_count_});
  list.write(kDrawElements, 1);
  combine(list, 0, kModulate, kTexture, kConstant, 0xFF000000 | rgb(0x5078A0));
  list.write_from(kBase + 3, {floor_offset_, 0x210, 3u << 28 | 16u << 16});
  list.write_floats(kVertexUnit, 0, uniforms({0.3, -kPi / 2, -1.3, -7, 1 / kMeshUnit}));
  list.write_float(kVertexUnit, 8, Vector{8, 8, 0, 0});
  list.write(kVertexCount, 6);
  list.write(kFirstVertex, 0);
  list.write(kDrawArrays, 1);

  // The sparks: 4 floats and 4 of u8, 20 bytes a point; each point is an invocation of the geometry program.
  // Their light is added to the picture, and hides nothing.
  write_texture(list, Memory::kAddress + glow_, kGlowSide, 1, 3);  // mirrors: a quarter makes a spark
  list.write(kLighting, 0);
  list.write(kFog, 0);
  combine(list, 0, kModulate, kTexture, kPrimary);
  combine(list, 1, kReplace, kPrevious, kPrevious);
  combine(list, 2, kReplace, kPrevious, kPrevious);
  list.write(kColorMode + 1, 0x11110000);
  list.write(kTests + 3, 0x0F00 | 6u << 4 | 1);
  list.write(kGeometry, 2);
  list.write(kGeometryMode, 0);
  list.write(kTopology, 3u << 8);
  list.write(kVertexAttributes, 1);
  list.write(kVertexUnit + kInput, 0xA0000001);
  list.write(kVertexUnit + kOutputMask, 3);
  list.write(kVertexOutputs, 1);
  list.write(kVertexOutputsToo, 1);
  list.write_from(kOutputMap, {3, 0x03020100, 0x0B0A0908, 0x1F1F0D0C});
  list.write_from(kBase + 1, {0xDF, 1u << 28});
  list.write_from(kBase + 3, {points_offset_, 0x10, 2u << 28 | 20u << 16});
  list.write_program(kVertexUnit, kSparkCode, kSparkDescriptors, 0);
  list.write_floats(kVertexUnit, 0, uniforms({torus.turn, torus.tilt, torus.y, torus.z, 1}));
  list.write_float(kVertexUnit, 95, Vector{0, 1, 1.0f / 255, 0});
  list.write_program(kGeometryUnit, kSparkCode, kSparkDescriptors, kSparkGeometryEntry);
  list.write(kGeometryUnit + kInput, 0x08000001);
  list.write_from(kGeometryUnit + kPermutation, {0x76543210, 0xFEDCBA98});
  list.write(kGeometryUnit + kOutputMask, 7);
  list.write_float(kGeometryUnit, 0, Vector{0.08f, 0.08f * 240 / 400, 0, 0});
  list.write_float(kGeometryUnit, 95, Vector{1, -1, 0, 0});
  list.write_from(kVertexCount, {kPoints});
  list.write(kFirstVertex, 0);
  list.write(kDrawArrays, 1);
  return list.finish();
}
