#include "device/valhall/primitives.h"

#include <algorithm>
#include <optional>
#include <span>

namespace warpjit::valhall {
namespace {

// Modes that all GPUs have, as long as nothing restarts.
std::optional<Topology> plain_topology(DrawMode mode) {
  switch (mode) {
    case DrawMode::points:
      return Topology::points;
    case DrawMode::lines:
      return Topology::lines;
    case DrawMode::line_strip:
      return Topology::line_strip;
    case DrawMode::triangles:
      return Topology::triangles;
    case DrawMode::triangle_strip:
      return Topology::triangle_strip;
    case DrawMode::triangle_fan:
    case DrawMode::polygon:
      return Topology::triangle_fan;
    default:
      return std::nullopt;
  }
}

// Adds the primitives of one run of vertices as a list.
class PrimitiveList {
 public:
  PrimitiveList(DrawMode mode, bool first_provoking) : mode_(mode), first_(first_provoking) {}

  Topology topology() const {
    switch (mode_) {
      case DrawMode::points:
        return Topology::points;
      case DrawMode::lines:
      case DrawMode::line_strip:
      case DrawMode::line_loop:
        return Topology::lines;
      default:
        return Topology::triangles;
    }
  }

  void add(std::span<const std::uint32_t> v) {
    const std::size_t n = v.size();
    switch (mode_) {
      case DrawMode::none:
        break;
      case DrawMode::points:
        list_.insert(list_.end(), v.begin(), v.end());
        break;
      case DrawMode::lines:
        list_.insert(list_.end(), v.begin(), v.end() - static_cast<std::ptrdiff_t>(n % 2));
        break;
      case DrawMode::line_strip:
      case DrawMode::line_loop:
        for (std::size_t i = 1; i < n; ++i) put({v[i - 1], v[i]});
        if (mode_ == DrawMode::line_loop && n > 1) put({v[n - 1], v[0]});
        break;
      case DrawMode::triangles:
        list_.insert(list_.end(), v.begin(), v.end() - static_cast<std::ptrdiff_t>(n % 3));
        break;
      case DrawMode::triangle_strip:
        for (std::size_t i = 2; i < n; ++i) {
          const std::uint32_t a = v[i - 2], b = v[i - 1], c = v[i];
          if (i % 2 == 0)
            put({a, b, c});
          else if (first_)
            put({a, c, b});
          else
            put({b, a, c});
        }
        break;
      case DrawMode::triangle_fan:
      case DrawMode::polygon:
        for (std::size_t i = 2; i < n; ++i) {
          if (first_)
            put({v[i - 1], v[i], v[0]});
          else
            put({v[0], v[i - 1], v[i]});
        }
        break;
      case DrawMode::quads:
        for (std::size_t i = 0; i + 3 < n; i += 4) {
          if (first_)
            put({v[i], v[i + 1], v[i + 2], v[i], v[i + 2], v[i + 3]});
          else
            put({v[i], v[i + 1], v[i + 3], v[i + 1], v[i + 2], v[i + 3]});
        }
        break;
    }
  }

  std::vector<std::uint32_t> take() { return std::move(list_); }

 private:
  void put(std::initializer_list<std::uint32_t> vertices) {
    list_.insert(list_.end(), vertices.begin(), vertices.end());
  }

  DrawMode mode_;
  bool first_;
  std::vector<std::uint32_t> list_;
};

}  // namespace

Result<Primitives> assemble_primitives(const Image& image, const Job& job, bool first_provoking) {
  const auto& payload = std::get<MallocVertexPayload>(job.payload);
  const auto fail = [&](const std::string& what, ErrorCode code) {
    return Error{code, job.place() + ", indices: " + what, image.name()};
  };
  const auto plain = plain_topology(payload.mode);
  if (payload.index_bytes == 0 && plain)
    return Primitives{.topology = *plain, .indexed = false, .indices = {}};
  const std::uint64_t count = payload.index_count;
  if (count > kMaxDrawIndices)
    return fail(std::to_string(count) + " are more than " + std::to_string(kMaxDrawIndices),
                ErrorCode::resource_limit);
  std::vector<std::uint32_t> numbers(count);
  std::vector<std::size_t> ends;  // of runs of vertices
  if (payload.index_bytes == 0) {
    for (std::size_t k = 0; k < count; ++k) numbers[k] = static_cast<std::uint32_t>(k);
  } else {
    const std::size_t bytes = payload.index_bytes;
    const auto from = image.find(payload.indices, bytes * count);
    if (!from)
      return fail(std::to_string(count) + " at " + hex_text(payload.indices) + " are not all in the image",
                  ErrorCode::bad_input);
    const std::uint32_t restart = ~std::uint32_t{0} >> (32 - 8 * bytes);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count; ++k) {
      std::uint32_t index = 0;
      for (std::size_t b = 0; b < bytes; ++b)
        index |= std::to_integer<std::uint32_t>((*from)[k * bytes + b]) << 8 * b;
      if (payload.restart && index == restart)
        ends.push_back(kept);
      else
        numbers[kept++] = index;
    }
    numbers.resize(kept);
    if (ends.empty() && plain)
      return Primitives{.topology = *plain, .indexed = true, .indices = std::move(numbers)};
  }
  ends.push_back(numbers.size());
  PrimitiveList list(payload.mode, first_provoking);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    list.add(std::span(numbers).subspan(begin, end - begin));
    begin = end;
  }
  return Primitives{.topology = list.topology(), .indexed = true, .indices = list.take()};
}

}  // namespace warpjit::valhall
