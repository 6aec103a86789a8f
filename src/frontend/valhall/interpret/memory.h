// The memory of a workgroup or of 64 vertices (docs/guests/valhall.md 8.3): every access is checked; what
// fails reads 0 or writes nothing and is reported.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/interpret/attribute.h"

namespace warpjit::valhall {

class GroupMemory {
 public:
  // Who makes an access: an instruction, and the thread's number in its workgroup.
  struct Accessor {
    std::uint32_t instruction, thread;
  };

  // Both must outlive it.
  GroupMemory(const Program& program, const frontend::Grid& launch, const frontend::CheckedGrid& checked);
  // Clears what the workgroup and its threads have of their own.
  void begin(const ir::BlockPosition& block);

  // The bytes, or null after reporting that they do not lie in one piece or the address is not aligned.
  const std::byte* read(std::uint64_t address, unsigned size, unsigned alignment, Accessor by) {
    return find(address, size, alignment, by, false);
  }
  std::byte* write(std::uint64_t address, unsigned size, unsigned alignment, Accessor by) {
    return find(address, size, alignment, by, true);
  }
  // The buffer of the launch that a handle names: a constant space by its number, or one in memory.
  struct NamedBuffer {
    std::uint32_t constant = kMaxBuffers;
    const frontend::BufferSource* source = nullptr;  // if it is no constant space
  };
  // `loads`: for a load; LEA_PKA sees buffers in memory alone.
  // Nothing: no buffer has the handle, which is reported.
  std::optional<NamedBuffer> find_buffer(std::uint32_t handle, bool loads, Accessor by);
  std::uint64_t bytes_of(const NamedBuffer& buffer) const;
  // Bytes before its end; null after reporting that they cannot be read.
  const std::byte* read_buffer(const NamedBuffer& buffer, std::uint64_t offset, unsigned size,
                               unsigned alignment, Accessor by);
  // The bytes of an attribute's element, each at an address with the high word of the first. If one is not
  // mapped, all are 0 and that one is reported.
  ElementBytes read_element(std::uint64_t address, unsigned size, Accessor by);
  // A store to a texel whose format there is not.
  void report_no_format(std::uint64_t address, Accessor by);
  void report_no_texture(std::uint32_t handle, Accessor by);
  void report_no_image(std::uint32_t index, Accessor by);
  void report_no_attribute(std::uint32_t index, Accessor by);
  // A uniform word.
  std::uint32_t uniform(unsigned number, Accessor by);
  std::uint32_t uniform_or_zero(unsigned number) const {
    return number < uniforms_.size() ? uniforms_[number] : 0;
  }

  // True if the address is one of the thread's own memory.
  bool is_local(std::uint64_t address) const { return local_bytes_ != 0 && address >> 32 == private_.local; }

  std::uint64_t local_pointer() const { return std::uint64_t{private_.local} << 32; }
  bool is_shared(std::uint64_t address) const {
    return checked_.shared_bytes != 0 && address >> 32 == private_.shared;
  }
  std::uint64_t shared_pointer() const { return std::uint64_t{private_.shared} << 32; }
  std::uint64_t result_pointer() const { return std::uint64_t{private_.results} << 32; }
  // The faults since the last call.
  std::optional<frontend::BlockFault> take_fault() { return std::exchange(fault_, {}); }

 private:
  std::byte* find(std::uint64_t address, unsigned size, unsigned alignment, Accessor by, bool is_store);
  void report(ir::Space space, std::uint32_t index, std::uint32_t address, Accessor by, bool is_store);

  const frontend::Grid& launch_;
  const frontend::CheckedGrid& checked_;
  PrivateWindows private_;
  bool has_results_;
  std::uint32_t local_bytes_, local_stride_;   // of a thread
  std::vector<std::uint64_t> local_, shared_;  // words, so that atomics are aligned
  std::vector<std::uint32_t> uniforms_;
  ir::BlockPosition block_{};
  std::optional<frontend::BlockFault> fault_;
};

}  // namespace warpjit::valhall
