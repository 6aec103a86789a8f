#include "frontend/valhall/facts/launch.h"

#include <algorithm>

#include "frontend/valhall/facts/attribute.h"

namespace warpjit::valhall {
namespace {

Error bad_launch(const std::string& message) { return {ErrorCode::bad_input, message, "launch"}; }

Status check_extents(const frontend::Grid& launch) {
  for (const std::uint32_t extent : launch.grid)
    if (extent == 0 || extent > 65535)
      return bad_launch("a grid has 1 to 65535 workgroups in each direction");
  if (launch.blocks() > std::uint64_t{1} << 31) return bad_launch("a grid has at most 2^31 workgroups");
  std::uint64_t threads = 1;
  for (const std::uint32_t extent : launch.block) {
    if (extent == 0 || extent > kMaxBlockThreads)
      return bad_launch("a workgroup has 1 to 1024 threads in each direction");
    threads *= extent;
  }
  if (threads > kMaxBlockThreads) return bad_launch("a workgroup has at most 1024 threads");
  return {};
}

Status check_memory(const frontend::Grid& launch) {
  if (launch.high_words.size() > kMaxWindows)
    return bad_launch("memory is mapped at more than four high words of addresses");
  for (const auto& ranges : launch.globals) {
    std::uint64_t end = 0;
    for (const frontend::MappedRange& range : ranges) {
      if (range.address < end) return bad_launch("pieces of memory are not sorted or overlap");
      end = std::uint64_t{range.address} + range.bytes.size();
      if (end > std::uint64_t{1} << 32) return bad_launch("a piece of memory crosses a multiple of 4 GiB");
      if (range.address % 8 != 0 || reinterpret_cast<std::uintptr_t>(range.bytes.data()) % 8 != 0)
        return bad_launch("a piece of memory is not aligned to 8 bytes");
      if (range.bytes.size() % 4 != 0) return bad_launch("the size of a piece of memory is no multiple of 4");
    }
  }
  for (std::uint32_t k = 0; k < kMaxBuffers; ++k)
    if (launch.constants[k].size() % 4 != 0) return bad_launch("the size of a buffer is no multiple of 4");
  if (launch.parameters.size() % 4 != 0 || launch.parameters.size() > std::size_t{4} * kMaxUniformWords)
    return bad_launch("uniforms are up to 256 words");
  return {};
}

Status check_attribute(const frontend::AttributeSource& attribute, std::size_t number) {
  const auto bad = [&](const std::string& what) {
    return bad_launch("attribute " + std::to_string(number) + ", " + what);
  };
  if (const auto format = find_vertex_format(attribute.format); !format)
    return bad("format: " + format.error().message);
  if (attribute.division > frontend::AttributeSource::Division::multiply)
    return bad("division: there is no " + std::to_string(static_cast<int>(attribute.division)));
  if (attribute.shift >= 32) return bad("shift: it is at most 31");
  return {};
}

// All texels of an image lie in one piece of memory, so that none is ever missing.
Status check_image(const frontend::Grid& launch, std::size_t number) {
  constexpr std::uint32_t kMost = 65536;
  const frontend::ImageSource& image = launch.images[number];
  if (image.width == 0) return {};
  const auto bad = [&](const std::string& what) {
    return bad_launch("image " + std::to_string(number) + ", " + what);
  };
  const auto format = find_vertex_format(image.format);
  if (!format) return bad("format: " + format.error().message);
  if (image.width > kMost || image.height > kMost || image.depth > kMost || image.height == 0 ||
      image.depth == 0)
    return bad("extent: width, height and depth are 1 to 65536");
  const std::uint32_t bytes = format->bytes(), unit = access_unit(bytes);
  if ((image.address | image.row_stride | image.slice_stride) % unit != 0)
    return bad("address and strides are multiples of " + std::to_string(unit));
  const std::uint64_t last_row = image.interleaved ? (image.height - 1) / 16 : image.height - 1;
  const std::uint64_t row_bytes = image.interleaved
                                      ? std::uint64_t{256} * bytes * ((image.width - 1) / 16 + 1)
                                      : std::uint64_t{bytes} * image.width;
  const std::uint64_t size =
      last_row * image.row_stride + std::uint64_t{image.depth - 1} * image.slice_stride + row_bytes;
  const auto window = std::ranges::find(launch.high_words, static_cast<std::uint32_t>(image.address >> 32));
  const std::uint64_t low = image.address & 0xffffffff;
  if (window != launch.high_words.end())
    for (const frontend::MappedRange& piece :
         launch.globals[static_cast<std::size_t>(window - launch.high_words.begin())])
      if (low >= piece.address && low + size <= std::uint64_t{piece.address} + piece.bytes.size()) return {};
  return bad("address: its " + std::to_string(size) + " bytes are not all in one piece of memory");
}

Status check_buffers(const frontend::Grid& launch) {
  if (launch.buffers.size() > kMaxBufferSources) return bad_launch("there are at most 64 buffers of tables");
  std::vector<std::uint32_t> handles;
  for (const frontend::BufferSource& buffer : launch.buffers) {
    const auto bad = [&](const std::string& what) {
      return bad_launch("buffer " + std::to_string(buffer.entry) + " of table " +
                        std::to_string(buffer.table) + ": " + what);
    };
    if (buffer.entry > kMaxBufferEntry) return bad("an entry is below 2^24");
    if ((buffer.address & 0xffffffff) + buffer.bytes > std::uint64_t{1} << 32)
      return bad("it crosses a multiple of 4 GiB");
    handles.push_back(buffer_handle(buffer));
    if (std::ranges::count(handles, handles.back()) > 1) return bad("it is given twice");
  }
  return {};
}

Status check_vertices(const frontend::Grid& launch) {
  constexpr std::uint32_t kOfBlock = frontend::Vertices::kOfBlock, kMost = 1U << 24;
  const frontend::Vertices& vertices = launch.vertices;
  const std::uint32_t instances = launch.grid[1];
  if (vertices.count == 0 || vertices.count > kMost) return bad_launch("an instance has 1 to 2^24 vertices");
  if (instances == 0 || instances > kMost) return bad_launch("there are 1 to 2^24 instances");
  if (std::uint64_t{vertices.count} * instances > std::uint64_t{1} << 31)
    return bad_launch("a launch has at most 2^31 vertices");
  if (launch.block != std::array<std::uint32_t, 3>{kOfBlock, 1, 1} ||
      launch.grid[0] != (vertices.count + kOfBlock - 1) / kOfBlock || launch.grid[2] != 1)
    return bad_launch("the grid is not one of blocks of 64 vertices and of instances");
  if (launch.first_block != std::array<std::uint32_t, 3>{})
    return bad_launch("the first block of vertices has the number 0");
  if (launch.shared_bytes != 0) return bad_launch("vertices have no memory of a workgroup");
  if (vertices.packet_stride == 0 || vertices.packet_stride % 16 != 0 ||
      vertices.packet_stride > kMaxPacketStride)
    return bad_launch("the stride of results is a multiple of 16 up to 2048");
  if (vertices.attributes.size() > kMaxAttributes) return bad_launch("there are at most 16 attributes");
  for (std::size_t n = 0; n < vertices.attributes.size(); ++n)
    WARPJIT_CHECK(check_attribute(vertices.attributes[n], n));
  return {};
}

}  // namespace

PrivateWindows private_windows(std::span<const std::uint32_t> high_words) {
  std::uint32_t next = 0xffff;
  const auto take = [&] {
    while (std::ranges::find(high_words, next) != high_words.end()) --next;
    return next--;
  };
  PrivateWindows windows;
  windows.local = take();
  windows.shared = take();
  windows.results = take();
  return windows;
}

Result<frontend::CheckedGrid> check_launch(const Program& program, const frontend::Grid& launch) {
  const bool of_vertices = program.stage == Stage::vertex, of_pixels = program.stage == Stage::fragment;
  if (of_vertices) WARPJIT_CHECK(check_vertices(launch));
  if (!of_pixels) WARPJIT_CHECK(check_extents(launch));
  WARPJIT_CHECK(check_memory(launch));
  if (launch.images.size() > kMaxImages) return bad_launch("there are at most 16 images");
  for (std::size_t n = 0; n < launch.images.size(); ++n) WARPJIT_CHECK(check_image(launch, n));
  WARPJIT_CHECK(check_buffers(launch));
  if (launch.shared_bytes > kMaxSharedBytes) return bad_launch("a workgroup has at most 64 KiB of memory");
  frontend::CheckedGrid checked;
  checked.threads = launch.block[0] * launch.block[1] * launch.block[2];
  if (!of_vertices && !of_pixels)
    checked.shared_bytes = (std::max(program.shared_bytes, launch.shared_bytes) + 63) / 64 * 64;
  checked.constants = launch.constants;
  checked.constants[kUniformSpace] = launch.parameters;
  return checked;
}

}  // namespace warpjit::valhall
