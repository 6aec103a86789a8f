#include "capture/pica200/scene.h"

#include <algorithm>
#include <array>

namespace warpjit::pica200 {

using Layout = SceneOutput::Layout;

ColorFormat transfer_format(std::uint32_t code) {
  constexpr std::array<ColorFormat, 5> kFormats = {ColorFormat::rgba8, ColorFormat::rgb8, ColorFormat::rgb565,
                                                   ColorFormat::rgb5a1, ColorFormat::rgba4};
  return kFormats[code];
}

std::size_t unit_bytes(const SceneOutput& output) {
  switch (output.layout) {
    case Layout::bytes:
      return 1;
    case Layout::depth:
      return pixel_bytes(static_cast<DepthFormat>(output.format));
    case Layout::linear:
      return pixel_bytes(transfer_format(output.format));
    case Layout::color:
      break;
  }
  return pixel_bytes(static_cast<ColorFormat>(output.format));
}

std::optional<OutputProblem> check_output(const SceneOutput& output) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (output.name.empty() || !std::ranges::all_of(output.name, is_plain))
    return OutputProblem{"name", "names have letters, digits, _ and -"};
  if (output.layout == Layout::bytes) return std::nullopt;
  constexpr std::uint32_t kMostExtent = 65535;
  const std::uint32_t most = output.layout == Layout::depth ? 3 : 4;
  if (output.width > kMostExtent || output.height > kMostExtent)
    return OutputProblem{"width", "width and height are at most 65535"};
  if (output.format > most)
    return OutputProblem{
        "format", "format " + std::to_string(output.format) + ", allowed are 0 to " + std::to_string(most)};
  if (output.layout == Layout::depth && output.format == 1)
    return OutputProblem{"", "depth format 1 is reserved"};
  if (output.layout != Layout::linear && (output.width % 8 != 0 || output.height % 8 != 0))
    return OutputProblem{"", "width and height are no multiples of 8"};
  if (std::uint64_t{output.width} * output.height * unit_bytes(output) != output.size)
    return OutputProblem{"", "bytes are not those of width, height and format"};
  return std::nullopt;
}

std::optional<SceneOutput> presented_picture(const DisplayTransfer& job) {
  constexpr std::uint32_t kTiled = 1 << 1 | 1 << 5, kFormats = 5;
  const std::uint32_t format = job.flags >> 12 & 7, scale = job.flags >> 24 & 3;
  if ((job.flags & kTiled) != 0 || format >= kFormats) return std::nullopt;
  SceneOutput output;
  output.layout = Layout::linear;
  output.address = job.output;
  output.format = format;
  output.width = (job.output_size & 0xFFFF) >> (scale != 0 ? 1 : 0);
  output.height = (job.output_size >> 16) >> (scale == 2 ? 1 : 0);
  const std::uint64_t size = std::uint64_t{output.width} * output.height * unit_bytes(output);
  if (size > UINT32_MAX || size == 0) return std::nullopt;
  output.size = static_cast<std::uint32_t>(size);
  return output;
}

}  // namespace warpjit::pica200
