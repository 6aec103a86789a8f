#include "random_launch.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpjit::tool {

namespace {

using pica200::Register;
using pica200::RegisterFile;

// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  // In [-range, range).
  float uniform(float range) { return (static_cast<float>(next() >> 40) * 0x1p-23f - 1.0f) * range; }

 private:
  std::uint64_t state_;
};

std::uint32_t random_float(Random& random) {
  constexpr std::uint32_t kSpecial[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                        0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x00000001,
                                        0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x34000000,
                                        0x4b000000, 0x4f000000, 0xcf000000};
  switch (random.below(8)) {
    case 0:
    case 1:
      return kSpecial[random.below(std::size(kSpecial))];
    case 2:
      return static_cast<std::uint32_t>(random.next());
    case 3:
      return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(random.below(257)) - 128));
    default:
      return std::bit_cast<std::uint32_t>(random.uniform(4.0f));
  }
}

}  // namespace

void randomize_inputs(LaunchFile& launch, std::uint64_t count, std::uint64_t seed) {
  Random random(seed);
  launch.count = launch.rows = count;
  launch.expectations.clear();
  const std::size_t stride = 16 * launch.inputs.size();
  LaunchBuffer buffer{{}, std::vector<std::byte>(count * stride)};
  for (std::size_t k = 0; k < buffer.bytes.size(); k += 4) {
    const std::uint32_t bits = random_float(random);
    std::memcpy(buffer.bytes.data() + k, &bits, 4);
  }
  for (std::size_t k = 0; k < launch.inputs.size(); ++k) {
    launch.inputs[k].format = f32x4;
    launch.inputs[k].buffer = 0;
    launch.inputs[k].offset = 16 * k;
    launch.inputs[k].stride = stride;
  }
  launch.buffers.clear();
  launch.buffers.push_back(std::move(buffer));
}

LaunchFile random_launch(const pica200::Program& program, std::uint64_t count, std::uint64_t seed) {
  LaunchFile launch;
  launch.name = program.source_name;
  launch.program = program;
  Random random(seed ^ 0x5851f42d4c957f2d);
  for (auto& reg : launch.uniforms.c)
    for (float& component : reg) component = random.uniform(2.0f);
  for (auto& reg : launch.uniforms.i) {
    const std::uint8_t values[4] = {static_cast<std::uint8_t>(random.below(8)),
                                    static_cast<std::uint8_t>(random.below(8)),
                                    static_cast<std::uint8_t>(random.below(3)), 0};
    std::memcpy(reg, values, 4);
  }
  launch.uniforms.b = static_cast<std::uint16_t>(random.next());
  pica200::apply_constants(program, launch.uniforms);
  for (std::uint8_t reg = 0; reg < 16; ++reg) {
    LaunchInput input;
    input.name = "v" + std::to_string(reg);
    input.reg = reg;
    launch.inputs.push_back(std::move(input));
    const bool declared = std::any_of(program.outputs.begin(), program.outputs.end(),
                                      [&](const pica200::Output& output) { return output.reg == reg; });
    if (declared || program.outputs.empty())
      launch.outputs.push_back({"o" + std::to_string(reg), {pica200::ExitFile::o, reg}, 4});
  }
  randomize_inputs(launch, count, seed);
  return launch;
}

}  // namespace warpjit::tool
