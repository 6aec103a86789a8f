#include "scene/overdraw.h"

#include <algorithm>
#include <array>

#include "frontend/pica200/interpret/fragment/output.h"

namespace warpjit::tool {

namespace {

constexpr std::uint32_t kAddress = 0x18000000;
constexpr unsigned kPixelBytes = 4;

using RegisterWords = std::array<std::uint32_t, pica200::kGpuRegisters>;

// The draw's rasterization, and one more in each channel of an RGBA8 target at kAddress.
RegisterWords counting_registers(pica200::GpuRegisters registers) {
  constexpr std::uint32_t kPrevious = 0x000F000F, kConstant = 0x000E000E;
  constexpr std::uint32_t kAllOnes = 0x11110000;  // factors of a sum
  RegisterWords words{};
  std::ranges::copy(registers, words.begin());
  for (const std::uint32_t stage : {0x0C0U, 0x0C8U, 0x0D0U, 0x0D8U, 0x0F0U, 0x0F8U}) {
    std::fill_n(words.begin() + stage, 5, 0);
    words[stage] = kPrevious;
  }
  words[0x0F8] = kConstant;
  words[0x0FB] = 0x01010101;
  words[0x080] = words[0x08F] = words[0x0E0] = words[0x104] = words[0x105] = words[0x115] = words[0x117] = 0;
  words[0x100] = 1U << 8;  // blending
  words[0x101] = kAllOnes;
  words[0x107] = 0xF00;  // all channels, no depth
  words[0x113] = 15;
  words[0x11D] = kAddress >> 3;
  return words;
}

}  // namespace

Overdraw::Target& Overdraw::find_target(const pica200::FragmentSetup& setup) {
  const pica200::TargetSetup& target = setup.target;
  const std::uint32_t address =
      setup.state.output.touches_color() ? target.color_address : target.depth_address;
  const auto found = std::ranges::find_if(targets_, [&](const Target& other) {
    return other.address == address && other.width == target.width && other.height == target.height;
  });
  if (found != targets_.end()) return *found;
  Target& added = targets_.emplace_back(Target{address, target.width, target.height, {}});
  added.counts.resize(std::size_t{target.width} * target.height);
  return added;
}

Result<bool> Overdraw::visit(const pica200::DrawView& draw) {
  const pica200::FragmentSetup& setup = draw.setup;
  if (!setup.state.output.touches_color() && !setup.state.output.touches_depth()) return true;
  const pica200::TargetSetup& shape = setup.target;
  constexpr std::uint32_t kBlock = 8;
  pixels_.assign(std::size_t{shape.width} * ((shape.height + kBlock - 1) / kBlock * kBlock) * kPixelBytes,
                 {});
  const pica200::PhysicalMemory memory({{kAddress, pixels_.data(), pixels_.size()}});
  RunOptions run;
  run.engine = engine_.info().jit ? EngineKind::jit : EngineKind::ir;
  run.threads = 1;
  WARPJIT_CHECK(draws_.begin(counting_registers(draw.registers), 1, tables_, memory));
  WARPJIT_CHECK(draws_.add(engine_, draw.triangles, run));
  WARPJIT_CHECK(draws_.flush(engine_, run));
  Target& target = find_target(setup);
  for (std::uint32_t row = 0; row < shape.height; ++row)
    for (std::uint32_t column = 0; column < shape.width; ++column)
      target.counts[std::size_t{row} * shape.width + column] += std::to_integer<std::uint32_t>(
          pixels_[pica200::fragment::pixel_number(shape, column, row) * kPixelBytes]);
  return true;
}

}  // namespace warpjit::tool
