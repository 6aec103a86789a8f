// A frame loop in small: two shaders, draws of different sizes, one shader announced before it is needed.
#include <cstdio>

#include "shader_engine.h"

namespace {

// mul r0, c0, v0; add o0, c1, r0; mov o1, v1; end
const std::vector<std::uint32_t> kTransform = {0x22020000, 0x00021800, 0x4C201000, 0x88000000};
// mov o0, v0; mul o1, c2, v1; end
const std::vector<std::uint32_t> kTint = {0x4C000000, 0x20222080, 0x88000000};
const std::vector<std::uint32_t> kDescriptors = {0x0006C36F};

struct GuestVertex {
  std::int16_t position[3];
  std::uint8_t color[4];
};

int failed(const warpjit::Error& error) {
  std::fprintf(stderr, "emulator: %s\n", warpjit::to_string(error).c_str());
  return 1;
}

}  // namespace

int main() {
  std::vector<GuestVertex> memory(1000);
  for (int n = 0; n < 1000; ++n)
    memory[static_cast<std::size_t>(n)] = {{std::int16_t(n), std::int16_t(-n), 7},
                                           {std::uint8_t(n), 0, 0, 255}};
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(memory.data());
  const std::size_t size = memory.size() * sizeof(GuestVertex), color = offsetof(GuestVertex, color);
  const VertexAttribute attributes[] = {
      {0, bytes, size, sizeof(GuestVertex), {warpjit::ComponentType::s16, 3}},
      {1, bytes + color, size - color, sizeof(GuestVertex), {warpjit::ComponentType::unorm8, 4}}};

  ShaderEngine engine(true);
  ShaderSetup transform{.code = kTransform, .descriptors = kDescriptors};
  ShaderSetup tint{.code = kTint, .descriptors = kDescriptors};
  if (auto status = engine.announce(tint, attributes, 0b11); !status) return failed(status.error());

  std::vector<ShaderEngine::Output> out(memory.size());
  for (int frame = 0; frame < 3; ++frame) {
    transform.c[0] = {0.5f, 0.5f, 0.5f, 1};
    transform.c[1] = {static_cast<float>(frame), 0, 0, 0};
    transform.uniforms_changed = true;
    tint.c[2] = {1, 0.25f * static_cast<float>(frame), 0, 1};
    tint.uniforms_changed = tint.code_changed = transform.code_changed = true;
    if (auto status = engine.setup_batch(transform, 0b11); !status) return failed(status.error());
    const auto large = engine.run(attributes, 0, out);
    if (!large) return failed(large.error());
    const std::array<float, 4> last = out.back()[0];
    if (auto status = engine.setup_batch(tint, 0b11); !status) return failed(status.error());
    const auto small = engine.run(attributes, 100, {out.data(), 6});
    if (!small) return failed(small.error());
    std::printf("frame %d: %llu of 1000 and %llu of 6 vertices interpreted; last position %g %g %g %g\n",
                frame, static_cast<unsigned long long>(large->interpreted),
                static_cast<unsigned long long>(small->interpreted), last[0], last[1], last[2], last[3]);
    if (last[0] != 0.5f * 999 + static_cast<float>(frame) || out[5][0][0] != 105) return 1;
  }
  const warpjit::EngineStatistics statistics = engine.statistics();
  std::printf("%llu compiled in the background, %llu hits, %zu bytes of kernels\n",
              static_cast<unsigned long long>(statistics.background_compiles),
              static_cast<unsigned long long>(statistics.hits), statistics.bytes);
  return 0;
}
