#include "frontend/valhall/container/descriptor_copies.h"

#include <algorithm>

namespace warpjit::valhall {

Error overwritten_descriptor(const DescriptorRange& range, const std::string& image_name) {
  return {ErrorCode::unsupported,
          range.what + ": the program writes its own descriptors, " + std::to_string(range.size) +
              " bytes at " + hex_text(range.address),
          image_name};
}

void DescriptorCopies::add(const Image& image, std::span<const DescriptorRange> ranges) {
  for (const DescriptorRange& range : ranges)
    if (const auto bytes = image.find(range.address, range.size))
      copies_.push_back({range, {bytes->begin(), bytes->end()}});
}

Status DescriptorCopies::unchanged(const Image& image) const {
  for (const Copy& copy : copies_) {
    const auto bytes = image.find(copy.range.address, copy.range.size);
    if (bytes && !std::ranges::equal(*bytes, copy.bytes))
      return overwritten_descriptor(copy.range, image.name());
  }
  return {};
}

}  // namespace warpjit::valhall
