// Memory images made by hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "device/valhall/job_launch.h"
#include "frontend/valhall/assembly/assemble.h"

namespace warpjit::valhall {

inline void append_number(std::vector<std::byte>& bytes, std::uint64_t value, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) bytes.push_back(static_cast<std::byte>(value >> 8 * k));
}
inline void append_record(std::vector<std::byte>& records, std::uint64_t address,
                          std::span<const std::byte> bytes) {
  append_number(records, address, 8);
  append_number(records, bytes.size(), 8);
  records.insert(records.end(), bytes.begin(), bytes.end());
}

// One page of memory, in which tests set words.
class ImagePage {
 public:
  explicit ImagePage(std::uint64_t address = 0x200001000, std::size_t size = 0x1000)
      : address_(address), bytes_(size) {}

  std::uint64_t address(std::uint32_t offset) const { return address_ + offset; }
  std::uint64_t get(std::uint32_t offset, std::size_t size) const {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < size; ++k)
      value |= std::to_integer<std::uint64_t>(bytes_[offset + k]) << 8 * k;
    return value;
  }
  void set(std::uint32_t offset, std::uint64_t value, std::size_t size) {
    for (std::size_t k = 0; k < size; ++k) bytes_[offset + k] = static_cast<std::byte>(value >> 8 * k);
  }
  void u32(std::uint32_t offset, std::uint32_t value) { set(offset, value, 4); }
  void u64(std::uint32_t offset, std::uint64_t value) { set(offset, value, 8); }
  // An address in this page.
  void point(std::uint32_t offset, std::uint32_t to, std::uint64_t tag = 0) {
    u64(offset, address(to) | tag);
  }
  void code(std::uint32_t offset, const std::string& source) {
    const auto program = assemble(source, "test");
    if (!program) {
      ADD_FAILURE() << to_string(program.error());
      return;
    }
    for (const std::uint64_t word : program->code) {
      u64(offset, word);
      offset += 8;
    }
  }
  std::vector<std::byte> records() const {
    std::vector<std::byte> all;
    append_record(all, address_, bytes_);
    return all;
  }
  Result<Image> image() const { return Image::read(records(), "test"); }

 private:
  std::uint64_t address_;
  std::vector<std::byte> bytes_;
};

// Where the pages below have their descriptors.
namespace at {
inline constexpr std::uint32_t kJob = 0x000, kProgram = 0x200, kStorage = 0x240, kTables = 0x280,
                               kUniforms = 0x300, kBuffers = 0x340, kAttributes = 0x380,
                               kAttributeBuffers = 0x3c0, kMemory = 0x400, kIndices = 0x500, kCode = 0x600;
}

// The environment at `offset` with everything above, two uniforms (the address of kMemory) and three tables:
// c0 is 16 bytes of kMemory, attribute 0 is 32 bytes of f32 there.
inline void set_environment(ImagePage& page, std::uint32_t offset, std::uint32_t stage) {
  page.u32(offset + 4, 1);
  page.point(offset + 32, at::kTables, 3);
  page.point(offset + 40, at::kProgram);
  page.point(offset + 48, at::kStorage);
  page.point(offset + 56, at::kUniforms);
  page.u32(at::kProgram, 8 | stage << 4);
  page.point(at::kProgram + 8, at::kCode);
  page.u32(at::kStorage + 4, 31);
  page.point(at::kUniforms, at::kMemory);
  const std::uint32_t tables[] = {at::kBuffers, at::kAttributes, at::kAttributeBuffers};
  for (std::uint32_t k = 0; k < 3; ++k) {
    page.point(at::kTables + 16 * k, tables[k], std::uint64_t{1} << 56);
    page.u32(at::kTables + 16 * k + 8, 32);
  }
  page.u32(at::kBuffers, 9 | 1 << 4);
  page.u32(at::kBuffers + 4, 16);
  page.point(at::kBuffers + 8, at::kMemory);
  page.u32(at::kAttributes, 5 | 1 << 4 | 1 << 8 | (167U << 12 | 16) << 10);
  page.u32(at::kAttributes + 4, 2);
  page.u32(at::kAttributes + 16, 4);
  page.u32(at::kAttributeBuffers, 9 | 1 << 4);
  page.u32(at::kAttributeBuffers + 4, 32);
  page.point(at::kAttributeBuffers + 8, at::kMemory);
}

// Two workgroups of 4 threads, the first one being number 5, that store x of the thread to its word of
// kMemory.
inline ImagePage compute_page() {
  ImagePage page;
  page.u32(at::kJob + 16, 4 << 1 | 1 << 16);
  page.u32(at::kJob + 32, 3);
  for (std::uint32_t k = 0; k < 3; ++k) page.u32(at::kJob + 40 + 4 * k, k == 0 ? 2 : 1);
  page.u32(at::kJob + 52, 5);
  set_environment(page, at::kJob + 64, 1);
  page.code(at::kCode,
            "IADD_IMM.i32 r4, r60, #0xFFFFFFEC\n"
            "SHADDX.u64 r2, u0, r4.w0, shift:0x2\n"
            "STORE.i32.slot0 @r60, r2, offset:0\n"
            "NOP.end\n");
  return page;
}

// Three points whose position program stores r60, attribute 0 and r61.
inline ImagePage vertex_page() {
  ImagePage page;
  page.u32(at::kJob + 16, 11 << 1 | 1 << 16);
  page.u32(at::kJob + 32, 1);
  page.u32(at::kJob + 44, 3);
  page.u32(at::kJob + 48, 1);
  page.u32(at::kJob + 52, 16);
  set_environment(page, at::kJob + 256, 3);
  page.code(at::kCode,
            ".stage vertex\n"
            "LD_ATTR_IMM.f32.slot0.wait0 @r1, r60, r61, index:0x0, table:0x1\n"
            "MOV.i32 r0, r60\n"
            "MOV.i32 r2, r61\n"
            "LEA_BUF_IMM.slot1.wait01 @r8:r9, r59, table:0xD, index:0x0\n"
            "STORE.i96.slot2.end @r0:r1:r2, r8, offset:0\n");
  for (std::uint32_t k = 0; k < 8; ++k) page.u32(at::kMemory + 4 * k, 0x3f800000 + k);
  return page;
}

}  // namespace warpjit::valhall
