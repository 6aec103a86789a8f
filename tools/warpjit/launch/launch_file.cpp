// What launch values mean: names, rows, counts and comparisons.
#include "launch/launch_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace warpjit::tool {

namespace {

// Bits in an order in which neighbours differ by 1; -0 and +0 are the same.
std::int64_t ordered(std::uint32_t bits) {
  const std::int64_t magnitude = bits & 0x7FFFFFFF;
  return bits >> 31 != 0 ? -magnitude : magnitude;
}

bool is_nan(std::uint32_t bits) { return (bits & 0x7FFFFFFF) > 0x7F800000; }

}  // namespace

std::uint64_t LaunchFile::threads() const {
  if (work == Work::pixels) return std::uint64_t{pixels.width} * pixels.height;
  if (work != Work::grid) return count;
  if (grid.vertices) return std::uint64_t{grid.vertices->count} * grid.vertices->instances;
  std::uint64_t product = 1;
  for (const auto& extents : {grid.grid, grid.block})
    for (const std::uint32_t extent : extents) product *= extent;
  return product;
}

Result<LaunchOutput> register_output(const frontend::Shader& shader, const std::string& name,
                                     unsigned components) {
  LaunchOutput output;
  output.name = name;
  WARPJIT_TRY(output.reg, shader.find(LocationKind::output, name));
  output.format.type = guest_of(shader.isa()).is_float(output.reg) ? ComponentType::f32 : ComponentType::s32;
  output.format.components = static_cast<std::uint8_t>(components != 0 ? components : output.reg.components);
  return output;
}

bool Expectation::accepts(std::uint32_t got, std::uint32_t wanted) const {
  if (got == wanted) return true;
  if (what.format.type != ComponentType::f32) return false;
  if (is_nan(got) || is_nan(wanted)) return is_nan(got) && is_nan(wanted);
  if (!ulp && !absolute && !relative) return false;
  const std::int64_t distance = std::abs(ordered(got) - ordered(wanted));
  if (distance == 0 || (ulp && distance <= *ulp)) return true;
  const double a = std::bit_cast<float>(got), b = std::bit_cast<float>(wanted);
  if (std::isinf(a) || std::isinf(b)) return false;  // no distance is meaningful
  return (absolute && std::fabs(a - b) <= *absolute) ||
         (relative && std::fabs(a - b) <= *relative * std::fabs(b));
}

void set_target_size(LaunchFile& launch, std::uint32_t width, std::uint32_t height) {
  LaunchPixels& pixels = launch.pixels;
  const float x = static_cast<float>(width) / static_cast<float>(pixels.width);
  const float y = static_cast<float>(height) / static_cast<float>(pixels.height);
  pixels.raster.viewport_scale[0] *= x;
  pixels.raster.viewport_translate[0] *= x;
  pixels.raster.viewport_scale[1] *= y;
  pixels.raster.viewport_translate[1] *= y;
  pixels.raster.scissor = {};
  pixels.width = width;
  pixels.height = height;
  pixels.expected.clear();
  pixels.depth.data.reset();
  for (LaunchTarget& target : pixels.colors) target.data.reset();
}

Status set_count(LaunchFile& launch, std::uint64_t count) {
  if (launch.work == Work::grid)
    return Error{ErrorCode::bad_input,
                 "the grid and block of a launch, or its vertices, say how many threads it has", launch.name};
  if (launch.work == Work::pixels)
    return Error{ErrorCode::bad_input, "the targets of a launch over pixels say how much work there is",
                 launch.name};
  if (count == 0 || count > kMaxThreads)
    return Error{ErrorCode::bad_input,
                 "the count must be 1 to " + std::to_string(kMaxThreads) + ", not " + std::to_string(count),
                 launch.name};
  launch.count = count;
  for (LaunchFile& vertex : launch.vertex) {
    const std::size_t listed = launch.primitives.size();
    for (std::uint64_t turn = 1; listed != 0 && turn < count / vertex.rows; ++turn)
      for (std::size_t at = 0, vertices = 0; at < listed; ++at) {
        const bool starts = vertices == 0;
        vertices = starts ? launch.primitives[at] : vertices - 1;
        launch.primitives.push_back(launch.primitives[at] +
                                    (starts ? 0 : static_cast<std::uint32_t>(turn * vertex.rows)));
      }
    WARPJIT_CHECK(set_count(vertex, count));
  }
  if (count <= launch.rows) return {};

  // Inputs of one buffer and stride that lie within one row are interleaved and stay together.
  std::uint64_t total = 0;
  std::vector<LaunchBuffer> buffers;
  std::vector<bool> done(launch.inputs.size());
  for (std::size_t first = 0; first < launch.inputs.size(); ++first) {
    if (done[first]) continue;
    const LaunchInput leader = launch.inputs[first];
    const auto same_rows = [&](std::size_t k) {
      return !done[k] && launch.inputs[k].buffer == leader.buffer && launch.inputs[k].stride == leader.stride;
    };
    std::uint64_t begin = leader.offset, end = 0;
    for (std::size_t k = first; k < launch.inputs.size(); ++k) {
      if (!same_rows(k)) continue;
      begin = std::min(begin, launch.inputs[k].offset);
      end = std::max(end, launch.inputs[k].offset + size(launch.inputs[k].format));
    }
    const bool interleaved = end - begin <= leader.stride;
    if (!interleaved) begin = leader.offset, end = begin + size(leader.format);
    const std::uint64_t row = end - begin;
    const std::uint64_t stride = leader.stride == 0 ? 0 : interleaved ? leader.stride : row;
    total += (count - 1) * stride + row;
    if (total > kMaxInputBytes)
      return Error{ErrorCode::resource_limit,
                   "the inputs of " + std::to_string(count) + " threads need more than " +
                       std::to_string(kMaxInputBytes) + " bytes",
                   launch.name};

    const LaunchBuffer& source = launch.buffers[leader.buffer];
    LaunchBuffer target{source.name,
                        std::vector<std::byte>(static_cast<std::size_t>((count - 1) * stride + row))};
    const std::uint64_t rows = stride == 0 ? 1 : count, old_stride = leader.stride;
    for (std::uint64_t k = 0; k < rows; ++k)
      std::memcpy(target.bytes.data() + k * stride,
                  source.bytes.data() + begin + k % launch.rows * old_stride, static_cast<std::size_t>(row));
    for (std::size_t k = first; k < launch.inputs.size(); ++k) {
      if (!same_rows(k) || (k != first && !interleaved)) continue;
      LaunchInput& input = launch.inputs[k];
      input.offset -= begin;
      input.stride = stride;
      input.buffer = buffers.size();
      done[k] = true;
    }
    buffers.push_back(std::move(target));
  }
  launch.buffers = std::move(buffers);
  return {};
}

}  // namespace warpjit::tool
