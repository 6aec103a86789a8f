#include "ir/sample.h"

#include <algorithm>

namespace warpjit::ir {

std::string_view name(SampleOperation operation) {
  constexpr std::string_view kNames[kSampleOperations] = {"automatic", "bias", "lod",      "fetch",
                                                          "gather",    "size", "query_lod"};
  return kNames[static_cast<std::size_t>(operation)];
}

FilterPath filter_path(const SampleKey& key) {
  FilterPath path;
  for (const TexelSource source : key.swizzle)
    if (source <= TexelSource::alpha) path.components |= 1U << static_cast<unsigned>(source);
  path.integers = !key.is_srgb();
  for (unsigned c = 0; c < 4; ++c) {
    const TexelComponent& component = key.format.components[c];
    if ((path.components >> c & 1) == 0 || component.type == TexelType::none) continue;
    const bool normalized = component.type == TexelType::unorm || component.type == TexelType::snorm;
    path.integers = path.integers && normalized && component.bits <= 8;
  }
  path.integers = path.integers || key.compare;
  return path;
}

bool has_border(const SampleKey& key) {
  if (key.crosses_edges()) return false;
  for (unsigned axis = 0; axis < key.axes(); ++axis) {
    const Wrap wrap = key.wrap[axis];
    if (wrap == Wrap::clamp_to_border || wrap == Wrap::mirror_once_to_border) return true;
    if (key.linear() && (wrap == Wrap::clamp || wrap == Wrap::mirror_once)) return true;
  }
  return false;
}

bool may_be_nan(const SampleKey& key) {
  const auto& components = key.format.components;
  const auto is_float = [](const TexelComponent& component) {
    return component.type == TexelType::float_bits;
  };
  return has_border(key) || (!key.compare && std::any_of(components.begin(), components.end(), is_float));
}

const char* unsupported(const SampleKey& key) {
  const auto bytes = key.format.bytes;
  if (key.format.compression != BlockCompression::none) return "a compressed format, as it stands in memory";
  if (bytes == 0 || (bytes > 4 && bytes != 6 && bytes % 4 != 0)) return "texels of this size";
  const bool mixes = key.linear() || key.mip == MipFilter::linear;
  const FilterPath path = filter_path(key);
  for (unsigned c = 0; c < 4; ++c) {
    const TexelType type = key.format.components[c].type;
    if ((path.components >> c & 1) != 0 && (type == TexelType::uint || type == TexelType::sint) && mixes)
      return "a linear filter over integers";
  }
  return nullptr;
}

}  // namespace warpjit::ir
