#include "frontend/tesla/facts/launch.h"

#include <algorithm>
#include <cstring>

#include "frontend/tesla/facts/limits.h"

namespace warpjit::tesla {
namespace {

Error bad_launch(const char* message) { return {ErrorCode::bad_input, message, "launch"}; }

Status check_extents(const frontend::Grid& launch) {
  const auto& [x, y, z] = launch.block;
  for (const std::uint32_t extent : launch.grid)
    if (extent == 0 || extent > 65535) return bad_launch("a grid has 1 to 65535 blocks in each direction");
  if (launch.grid[2] != 1) return bad_launch("a grid has two dimensions");
  if (x == 0 || y == 0 || z == 0 || x > 512 || y > 512 || z > 64)
    return bad_launch("a block has 1 to 512 threads in x and y, 1 to 64 in z");
  if (x * y * z > kMaxBlockThreads) return bad_launch("a block has at most 512 threads");
  return {};
}

Status check_globals(const frontend::Grid& launch) {
  for (const auto& ranges : launch.globals) {
    std::uint64_t end = 0;
    for (const frontend::MappedRange& range : ranges) {
      if (range.address < end) return bad_launch("ranges of g[] are not sorted or overlap");
      end = std::uint64_t{range.address} + range.bytes.size();
      if (end > std::uint64_t{1} << 32) return bad_launch("a range of g[] ends above 4 GiB");
      if (range.address % 8 != 0 || reinterpret_cast<std::uintptr_t>(range.bytes.data()) % 8 != 0)
        return bad_launch("a range of g[] is not aligned to 8 bytes");
    }
  }
  return {};
}

// Given constants replace the beginning of the container's preset ones.
Status bind_constants(const Program& program, const frontend::Grid& launch, frontend::CheckedGrid& checked) {
  for (std::uint32_t space = 0; space < kConstantSpaces; ++space) {
    const std::span<const std::byte> given = launch.constants[space];
    if (given.size() > kMaxConstantBytes) return bad_launch("a c[] space is at most 64 KiB");
    std::size_t preset = 0;
    for (const ConstantSegment& segment : program.constants)
      if (segment.space == space) preset = std::max(preset, std::size_t{segment.offset} + segment.bytes);
    checked.constants[space] = given;
    if (preset <= given.size()) continue;
    checked.lasting = checked.lasting && given.empty();
    std::vector<std::byte>& merged = checked.merged[space];
    merged.assign(preset, std::byte{0});
    for (const ConstantSegment& segment : program.constants)
      if (segment.space == space)
        std::ranges::copy(std::as_bytes(std::span(segment.words))
                              .first(std::min<std::size_t>(segment.bytes, 4 * segment.words.size())),
                          merged.begin() + segment.offset);
    std::copy(given.begin(), given.end(), merged.begin());
    checked.constants[space] = merged;
  }
  return {};
}

}  // namespace

ir::Space space_of(Operand::Kind kind) {
  switch (kind) {
    case Operand::Kind::constant:
      return ir::Space::constant;
    case Operand::Kind::shared:
      return ir::Space::shared;
    case Operand::Kind::local:
      return ir::Space::local;
    default:
      return ir::Space::global;
  }
}

Result<frontend::CheckedGrid> check_memory(const Program& program, const frontend::Grid& launch) {
  frontend::CheckedGrid checked;
  WARPJIT_CHECK(check_globals(launch));
  WARPJIT_CHECK(bind_constants(program, launch, checked));
  return checked;
}

Result<frontend::CheckedGrid> check_launch(const Program& program, const frontend::Grid& launch) {
  WARPJIT_CHECK(check_extents(launch));
  WARPJIT_TRY(frontend::CheckedGrid checked, check_memory(program, launch));
  checked.threads = launch.block[0] * launch.block[1] * launch.block[2];
  const std::size_t needed = kParameterOffset + launch.parameters.size();
  const std::size_t shared =
      std::max({needed, std::size_t{program.shared_bytes}, std::size_t{launch.shared_bytes}});
  if (shared > kMaxSharedBytes)
    return bad_launch("shared memory, header and parameters are more than 16 KiB");
  checked.shared_bytes = static_cast<std::uint32_t>((shared + 63) / 64 * 64);
  return checked;
}

void write_header(const frontend::Grid& launch, const ir::BlockPosition& block, std::span<std::byte> shared) {
  const auto& [x, y, z] = launch.block;
  const std::uint32_t header[8] = {launch.grid_id, x,        y,       z, launch.grid[0],
                                   launch.grid[1], block[0], block[1]};
  for (std::size_t k = 0; k < 8 && 2 * k + 2 <= shared.size(); ++k) {
    const auto half = static_cast<std::uint16_t>(header[k]);
    std::memcpy(shared.data() + 2 * k, &half, 2);
  }
  if (shared.size() <= kParameterOffset) return;
  const std::size_t bytes = std::min(launch.parameters.size(), shared.size() - kParameterOffset);
  std::copy_n(launch.parameters.begin(), bytes, shared.begin() + kParameterOffset);
}

}  // namespace warpjit::tesla
