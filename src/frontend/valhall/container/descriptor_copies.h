// Copies of what launches have read as descriptors: programs that store to it are refused
// (docs/guests/valhall.md 9.2).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontend/valhall/container/image.h"

namespace warpjit::valhall {

// Bytes that were read as a descriptor, as uniforms or as code.
struct DescriptorRange {
  std::string what;  // "compute job at 0x200001000, environment, uniforms": for messages
  std::uint64_t address = 0, size = 0;
};

// The error of a program that has stored to one: unsupported.
Error overwritten_descriptor(const DescriptorRange& range, const std::string& image_name);

class DescriptorCopies {
 public:
  // Ranges that are not inside the image as a whole are left out: nothing was read there.
  void add(const Image& image, std::span<const DescriptorRange> ranges);
  // After a launch. Errors: one range is not what it was (overwritten_descriptor).
  Status unchanged(const Image& image) const;

 private:
  struct Copy {
    DescriptorRange range;
    std::vector<std::byte> bytes;
  };
  std::vector<Copy> copies_;
};

}  // namespace warpjit::valhall
