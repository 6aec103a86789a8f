#include "frontend/valhall/launch.h"

#include <algorithm>

namespace warpjit::valhall {
namespace {

Error bad_launch(const char* message) { return {ErrorCode::bad_input, message, "launch"}; }

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
  WARPJIT_CHECK(check_extents(launch));
  WARPJIT_CHECK(check_memory(launch));
  if (launch.shared_bytes > kMaxSharedBytes) return bad_launch("a workgroup has at most 64 KiB of memory");
  frontend::CheckedGrid checked;
  checked.threads = launch.block[0] * launch.block[1] * launch.block[2];
  checked.shared_bytes = (std::max(program.shared_bytes, launch.shared_bytes) + 63) / 64 * 64;
  checked.constants = launch.constants;
  checked.constants[kUniformSpace] = launch.parameters;
  return checked;
}

}  // namespace warpjit::valhall
