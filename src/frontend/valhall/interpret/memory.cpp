#include "frontend/valhall/interpret/memory.h"

#include <algorithm>
#include <cstring>

#include "frontend/valhall/interpret/lanes.h"

namespace warpjit::valhall {
namespace {

// The bytes if they lie in one of the pieces, which are sorted.
std::byte* in_pieces(const std::vector<frontend::MappedRange>& pieces, std::uint32_t address, unsigned size) {
  for (const frontend::MappedRange& piece : pieces) {
    if (address < piece.address) return nullptr;
    const std::uint64_t start = address - piece.address;
    if (start + size <= piece.bytes.size()) return piece.bytes.data() + start;
  }
  return nullptr;
}

}  // namespace

GroupMemory::GroupMemory(const Program& program, const frontend::Grid& launch,
                         const frontend::CheckedGrid& checked)
    : launch_(launch),
      checked_(checked),
      private_(private_windows(launch.high_words)),
      has_results_(program.stage == Stage::vertex),
      local_bytes_(program.local_bytes),
      local_stride_((local_bytes_ + 7) / 8 * 8),
      local_(std::size_t{program.stage == Stage::fragment ? kWarpLanes : checked.threads} * local_stride_ /
             8),
      shared_((checked.shared_bytes + 7) / 8),
      uniforms_(launch.parameters.size() / 4) {
  if (!uniforms_.empty()) std::memcpy(uniforms_.data(), launch.parameters.data(), 4 * uniforms_.size());
}

void GroupMemory::begin(const ir::BlockPosition& block) {
  block_ = block;
  std::ranges::fill(local_, std::uint64_t{0});
  std::ranges::fill(shared_, std::uint64_t{0});
}

std::byte* GroupMemory::find(std::uint64_t address, unsigned size, unsigned alignment, Accessor by,
                             bool is_store) {
  const auto high = static_cast<std::uint32_t>(address >> 32), low = static_cast<std::uint32_t>(address);
  const std::uint64_t end = std::uint64_t{low} + size;
  std::byte* at = nullptr;
  ir::Space space = ir::Space::global;
  std::uint32_t index = kNoWindow;
  if (is_local(address)) {
    space = ir::Space::local;
    index = 0;
    if (end <= local_bytes_)
      at = reinterpret_cast<std::byte*>(local_.data()) + std::size_t{by.thread} * local_stride_ + low;
  } else if (checked_.shared_bytes != 0 && high == private_.shared) {
    space = ir::Space::shared;
    index = 0;
    if (end <= checked_.shared_bytes) at = reinterpret_cast<std::byte*>(shared_.data()) + low;
  } else if (has_results_ && high == private_.results) {
    index = kResultSpace;
    at = in_pieces(launch_.globals[kResultSpace], low, size);
  } else if (const auto window = std::ranges::find(launch_.high_words, high);
             window != launch_.high_words.end()) {
    index = static_cast<std::uint32_t>(window - launch_.high_words.begin());
    at = in_pieces(launch_.globals[index], low, size);
  }
  if (at != nullptr && low % alignment == 0) return at;
  report(space, index, low, by, is_store);
  return nullptr;
}

std::optional<GroupMemory::NamedBuffer> GroupMemory::find_buffer(std::uint32_t handle, bool loads,
                                                                 Accessor by) {
  if (loads && handle < kMaxBuffers && !checked_.constants[handle].empty())
    return NamedBuffer{.constant = handle};
  const auto found = std::ranges::find(launch_.buffers, handle, buffer_handle);
  if (found != launch_.buffers.end()) return NamedBuffer{.source = &*found};
  report(ir::Space::global, kBufferSpace, handle, by, false);
  return std::nullopt;
}

std::uint64_t GroupMemory::bytes_of(const NamedBuffer& buffer) const {
  return buffer.source != nullptr ? buffer.source->bytes : checked_.constants[buffer.constant].size();
}

const std::byte* GroupMemory::read_buffer(const NamedBuffer& buffer, std::uint64_t offset, unsigned size,
                                          unsigned alignment, Accessor by) {
  if (buffer.source != nullptr) return read(buffer.source->address + offset, size, alignment, by);
  if (offset % alignment == 0) return checked_.constants[buffer.constant].data() + offset;
  report(ir::Space::constant, buffer.constant, static_cast<std::uint32_t>(offset), by, false);
  return nullptr;
}

ElementBytes GroupMemory::read_element(std::uint64_t address, unsigned size, Accessor by) {
  const auto window = std::ranges::find(launch_.high_words, static_cast<std::uint32_t>(address >> 32));
  const auto index = static_cast<std::size_t>(window - launch_.high_words.begin());
  const bool known = index < launch_.high_words.size();
  ElementBytes bytes{};
  for (unsigned n = 0; n < size; ++n) {
    const auto low = static_cast<std::uint32_t>(address + n);
    const std::byte* const at = known ? in_pieces(launch_.globals[index], low, 1) : nullptr;
    if (at == nullptr) {
      report(ir::Space::global, known ? static_cast<std::uint32_t>(index) : kNoWindow, low, by, false);
      return {};
    }
    bytes[n] = *at;
  }
  return bytes;
}

void GroupMemory::report_no_format(std::uint64_t address, Accessor by) {
  report(ir::Space::global, kNoWindow, static_cast<std::uint32_t>(address), by, true);
}

void GroupMemory::report_no_texture(std::uint32_t handle, Accessor by) {
  report(ir::Space::global, kTextureSpace, handle, by, false);
}

void GroupMemory::report_no_image(std::uint32_t index, Accessor by) {
  report(ir::Space::global, kNoWindow, index, by, false);
}

void GroupMemory::report_no_attribute(std::uint32_t index, Accessor by) {
  report(ir::Space::constant, kAttributeSpace, index, by, false);
}

std::uint32_t GroupMemory::uniform(unsigned number, Accessor by) {
  if (number < uniforms_.size()) return uniforms_[number];
  report(ir::Space::constant, kUniformSpace, 4 * number, by, false);
  return 0;
}

void GroupMemory::report(ir::Space space, std::uint32_t index, std::uint32_t address, Accessor by,
                         bool is_store) {
  if (fault_) {
    ++fault_->access.accesses;
    return;
  }
  fault_ = frontend::BlockFault{{.happened = true,
                                 .is_store = is_store,
                                 .space = space,
                                 .index = static_cast<std::uint8_t>(index),
                                 .address = address,
                                 .guest_address = by.instruction,
                                 .thread = by.thread,
                                 .block = block_,
                                 .accesses = 1},
                                block_};
}

}  // namespace warpjit::valhall
