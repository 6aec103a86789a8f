// Any bytes as draws of the PlayStation Vita: surface, state, streams, attributes, textures by their control
// words and indices, with programs of its own. What can be drawn gives the same pixels in the guest
// interpreter, the IR interpreter and the JIT.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/shader.h"
#include "reader.h"
#include "target.h"
#include "warpjit/usse.hpp"

namespace {

using namespace warpjit;
using fuzz::Reader;

constexpr std::uint32_t kAddress = 0x1000, kMemoryBytes = 1 << 13, kMostSurfaceSize = 24;

constexpr const char* kVertices[] = {
    ".results position texcoord0.xy\n.primary\nvmov.f32 o0.xy, pa0\nvmov.f32 o2.xy, pa2\nvmov.f32 o4.xy, "
    "pa4\nemit.end",
    // A uniform scale, a colour, the size of points, a clip distance.
    ".registers pa:16 sa:8 r:4\n.literal sa:0 0x3f800000\n.literal sa:1 0xbf000000\n.literal sa:2 "
    "0x3f000000\n"
    ".literal sa:3 0x3f800000\n.literal sa:4 0x40400000\n.literal sa:5 0x3e800000\n.results position color0 "
    "texcoord0.xy point_size clip0\n.primary\n"
    "vmul.f32 o0.xy, pa0, sa0\nvmul.f32 o2.xy, pa2, sa2\nvmov.f32 o4.xy, pa4\nvmov.f32 o6.xy, pa6\n"
    "vmov.f32 o8.xy, pa4\nvmov.f32 o10.xy, sa4\nemit.end"};
constexpr const char* kFragments[] = {
    ".registers pa:4 sa:4 r:4\n.literal sa:0 0x3f400000\n.literal sa:2 0xbf800000\n.literal sa:3 0x3f000000\n"
    ".output f32 4 pa:0\n.primary\nvmov.f32 pa0.xy, sa0\nvmov.f32 pa2.xy, "
    "sa2\nnop.end",
    ".registers pa:4 sa:4 r:4\n.sampler unit:0 sa:0\n.input texcoord0 f32 2\n.output f32 4 pa:0\n.primary\n"
    "smp.2d.f32.f32.drc0 r0, pa0, sa0, #0\nvmov.f32 pa0.xy, r0\nvmov.f32 pa2.xy, r2\nnop.end",
    ".registers pa:8 sa:4 r:4\n.texel texcoord0 f16 unit:0 words:2\n.input color0 f16 4\n.output f16 4 pa:2\n"
    ".primary\nnop.end",
    // Blends itself; kills where the colour is 0.
    ".registers pa:4 sa:4 r:4\n.flags native_color reads_color discards\n.input texcoord0 f32 2\n"
    ".output u8 4 pa:0\n.primary\nvtst.add.f32.negative.nonzero.both.chan0.p0 c0, pa0, c0\n"
    "p0 kill sa0, sa0\nor r0, o0, #42, rot:0\nor o0, r0, #0, rot:0\nnop.end",
    // A depth of its own, from memory.
    ".registers pa:4 sa:4 r:4\n.flags replaces_depth\n.literal sa:0 0x1000\n.input texcoord0 f32 2\n.output "
    "f32 4 pa:0\n.primary\n"
    "ld.b32.x4.drc0 r0, sa0, #0, #0\nwdf.drc0\ndepthf feedback:0, r0, sa0, sa0\nvmov.f32 pa2.xy, "
    "r2\nnop.end"};

Program program(const char* stage, const char* text) {
  auto assembled = usse::assemble(std::string(".stage ") + stage + "\n" + text, "fuzz");
  if (!assembled) std::fprintf(stderr, "%s\n", to_string(assembled.error()).c_str());
  fuzz::require(assembled.ok(), "the target's programs assemble");
  return Program(std::make_shared<const usse::Shader>(std::move(*assembled)));
}

float small_number(Reader& reader) {
  const auto byte = reader.take<std::uint8_t>();
  if (byte == 255) {
    const auto bits = reader.take<std::uint32_t>();
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  return static_cast<float>(static_cast<int>(byte) - 64) / 8;
}

// A draw and what it refers to.
struct DrawWork {
  usse::Draw draw;
  std::vector<std::byte> vertices;
  usse::VertexStream stream;
  std::vector<usse::VertexAttribute> attributes;
  std::vector<std::uint32_t> indices;
  std::vector<std::uint64_t> memory;
  usse::Memory piece;
  std::array<usse::TextureBinding, 1> texture;
};

void read_vertices(Reader& reader, DrawWork& work) {
  work.vertices.resize(reader.take<std::uint8_t>());
  for (std::byte& byte : work.vertices) byte = static_cast<std::byte>(reader.take<std::uint8_t>());
  work.stream = {work.vertices.data(), work.vertices.size(), reader.take<std::uint8_t>(),
                 reader.take<std::uint8_t>() == 255};
  for (unsigned count = reader.take<std::uint8_t>() % 4U; count != 0; --count) {
    usse::VertexAttribute attribute;
    attribute.stream = reader.take<std::uint8_t>() == 255 ? 1 : 0;
    attribute.offset = reader.take<std::uint8_t>();
    attribute.format = static_cast<usse::AttributeFormat>(reader.take<std::uint8_t>() % 12);
    attribute.components = reader.take<std::uint8_t>() % 6;
    attribute.reg = reader.take<std::uint8_t>() % 20;
    work.attributes.push_back(attribute);
  }
  work.indices.resize(reader.take<std::uint8_t>() % 24U);
  for (std::uint32_t& index : work.indices) index = reader.take<std::uint8_t>() % 12U;
  work.draw.streams = {&work.stream, 1};
  work.draw.attributes = work.attributes;
  work.draw.indices = work.indices;
}

void read_values(Reader& reader, DrawWork& work) {
  work.memory.resize(kMemoryBytes / 8);
  for (std::size_t n = 0; n < work.memory.size(); ++n) work.memory[n] = n * 0x9e3779b97f4a7c15U;
  work.piece = {kAddress, work.memory.data(), kMemoryBytes};
  work.texture[0].unit = 0;
  for (std::uint32_t& word : work.texture[0].control) word = reader.take<std::uint32_t>();
  if (reader.take<std::uint8_t>() != 255)
    work.texture[0].control[2] = (work.texture[0].control[2] & 0xfff) + kAddress;
  for (usse::StageSetup* stage : {&work.draw.vertex, &work.draw.fragment}) {
    stage->textures = work.texture;
  }
  work.draw.memory = {&work.piece, 1};
}

void read_state(Reader& reader, usse::Draw& draw, bool depth) {
  draw.primitive = static_cast<usse::Primitive>(reader.take<std::uint8_t>() % 5);
  draw.cull = static_cast<usse::Cull>(reader.take<std::uint8_t>() % 3);
  draw.instances = reader.take<std::uint8_t>() % 3U;
  draw.viewport = {small_number(reader), small_number(reader), small_number(reader),
                   small_number(reader), small_number(reader), small_number(reader)};
  const auto parts = reader.take<std::uint8_t>();
  if ((parts & 1) != 0)
    draw.region.emplace(std::array<std::uint32_t, 4>{
        reader.take<std::uint8_t>(), reader.take<std::uint8_t>(), reader.take<std::uint8_t>(),
        (parts & 8) != 0 ? reader.take<std::uint32_t>() : reader.take<std::uint8_t>()});
  const auto low = [&](unsigned count) {
    return static_cast<std::uint8_t>(reader.take<std::uint8_t>() % count);
  };
  if ((parts & 2) != 0)
    draw.blend.emplace(usse::Blend{low(17), low(7), low(7), low(12), low(12), low(12), low(12)});
  if ((parts & 4) == 0 || !depth) return;
  const auto function = [&] {
    return usse::StencilFunction{static_cast<Compare>(low(8)),
                                 static_cast<StencilOp>(low(8)),
                                 static_cast<StencilOp>(low(8)),
                                 static_cast<StencilOp>(low(8)),
                                 low(255),
                                 low(255),
                                 low(255)};
  };
  draw.depth_stencil = {
      static_cast<Compare>(low(8)), low(2) != 0, low(2) != 0, low(2) != 0, function(), function()};
}

}  // namespace

int warpjit::fuzz::fuzz_usse_draw(const std::uint8_t* data, std::size_t size) {
  static const Engine engine;
  static const std::array vertices{program("vertex", kVertices[0]), program("vertex", kVertices[1])};
  static const std::array fragments{program("fragment", kFragments[0]), program("fragment", kFragments[1]),
                                    program("fragment", kFragments[2]), program("fragment", kFragments[3]),
                                    program("fragment", kFragments[4])};
  Reader reader(data, size);
  const auto choice = reader.take<std::uint8_t>();
  usse::ColorSurface surface;
  // Formats are few of the numbers: bits 20, 21, 23, 24 and 28 to 31.
  const std::uint32_t bits = reader.take<std::uint16_t>();
  surface.format = (bits & 3) << 20 | (bits >> 2 & 3) << 23 | (bits >> 4 & 15) << 28 | (bits >> 15) << 3;
  surface.type = (bits >> 8 & 3) << 26;
  surface.width = reader.take<std::uint8_t>() % (kMostSurfaceSize + 1);
  surface.height = reader.take<std::uint8_t>() % (kMostSurfaceSize + 1);
  surface.stride = surface.width + reader.take<std::uint8_t>() % 4U;
  std::optional<usse::DepthSurface> depth;
  if ((choice & 64) != 0)
    depth.emplace(usse::DepthSurface{static_cast<PixelFormat>(16 + reader.take<std::uint8_t>() % 3),
                                     small_number(reader), reader.take<std::uint8_t>()});
  DrawWork work;
  work.draw.vertex.program = &vertices[choice & 1];
  work.draw.fragment.program = &fragments[(choice >> 1 & 15) % fragments.size()];
  read_state(reader, work.draw, depth.has_value());
  read_values(reader, work);
  read_vertices(reader, work);

  struct Drawn {
    bool ok = false;
    ErrorCode code = ErrorCode::internal;
    std::vector<std::byte> pixels;
  };
  const auto run = [&](EngineKind kind) {
    Drawn drawn;
    drawn.pixels.assign((choice & 128) != 0 ? reader.left() : 32 * 32 * 16, std::byte{0x55});
    usse::ColorSurface own = surface;
    own.data = drawn.pixels.data();
    own.size = drawn.pixels.size();
    RunOptions options;
    options.engine = kind;
    options.threads = 1;
    auto scene = usse::Scene::begin(own, depth);
    Status status;
    if (!scene) {
      status = scene.error();
    } else {
      for (int turn = 0; turn < 2 && status; ++turn)  // the second one sees the first one's pixels
        if (const auto report = scene->draw(engine, work.draw, options); !report) status = report.error();
      require(scene->end().ok(), "a scene ends");
    }
    drawn.ok = status.ok();
    if (!status) {
      drawn.code = status.error().code;
      require(!status.error().message.empty(), "an error says what is wrong");
      require(drawn.code != ErrorCode::internal, "no internal error");
    }
    return drawn;
  };
  const Drawn guest = run(EngineKind::guest);
  for (const EngineKind kind : {EngineKind::ir, EngineKind::jit}) {
    const Drawn other = run(kind);
    // Translation refuses textures of another dimension where no pixel samples them, too.
    if (guest.ok && !other.ok && other.code == ErrorCode::bad_input) continue;
    require(guest.ok == other.ok && guest.code == other.code, "engines draw or refuse the same");
    require(!guest.ok || guest.pixels == other.pixels, "engines give the same pixels");
  }
  engine.clear_cache();
  return 0;
}
