#include "device/valhall/pre_frame.h"

#include <algorithm>
#include <bit>

#include "frontend/valhall/facts/varyings.h"
#include "frontend/valhall/interpret/attribute.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint32_t kVaryingTable = 0, kCorners = 4, kWords = 4, kBytes = 4 * kWords;

using CornerValues = std::array<std::array<std::uint32_t, kWords>, kCorners>;

Result<CornerValues> read_elements(const Image& image, const Environment& environment, std::uint32_t index) {
  const auto fail = [&](const std::string& what, ErrorCode code = ErrorCode::bad_input) {
    return Error{code, environment.place + ", varying " + std::to_string(index) + ": " + what, image.name()};
  };
  WARPJIT_TRY(const auto attribute, read_attribute(image, environment, kVaryingTable, index));
  if (!attribute)
    return fail(missing_descriptor(image, environment, kVaryingTable, index, DescriptorType::attribute));
  if (attribute->kind != 1 || attribute->per_instance || attribute->from_offset)
    return fail("it is not an attribute of type 1 for each vertex", ErrorCode::unsupported);
  const auto format = find_vertex_format(attribute->format);
  if (!format) return fail(format.error().message, format.error().code);
  WARPJIT_TRY(const auto buffer, read_buffer(image, environment, attribute->table, attribute->buffer));
  if (!buffer)
    return fail(
        missing_descriptor(image, environment, attribute->table, attribute->buffer, DescriptorType::buffer));
  CornerValues elements{};
  for (std::uint32_t corner = 0; corner < kCorners; ++corner) {
    const std::int64_t first = std::int64_t{attribute->offset} + std::int64_t{corner} * attribute->stride;
    if (first < 0 || first + format->bytes() > buffer->size) continue;  // as of any element
    const std::uint64_t address = buffer->memory + static_cast<std::uint64_t>(first);
    const auto bytes = image.find(address, format->bytes());
    if (!bytes)
      return fail(std::to_string(format->bytes()) + " bytes at " + hex_text(address) +
                  " are not all in the image");
    ElementBytes element{};
    std::ranges::copy(*bytes, element.begin());
    elements[corner] = convert_element(*format, element, RegisterFormat::automatic);
  }
  return elements;
}

}  // namespace

std::optional<std::uint32_t> find_table_varying(const ReachedCode& code) {
  for (const auto& [address, i] : code.instructions())
    if (names_varying(i.opcode)) return address;
  return std::nullopt;
}

Result<ShadedVertices> pre_frame_vertices(const Image& image, const Environment& environment,
                                          const Framebuffer& framebuffer, const Program& program) {
  ShadedVertices vertices{
      .count = kCorners, .instances = 1, .words = {}, .primitives = {}, .position = {}, .varying = {}};
  std::uint32_t count = 0;
  if (const auto code = find_reached(program))
    for (const auto& [address, i] : code->instructions())
      if (const auto byte = varying_byte(i); byte && names_varying(i.opcode))
        count = std::max(count, *byte / kBytes + 1);
  vertices.primitives.topology = Topology::triangle_strip;
  vertices.slots = kFirstVarying + kWords * count;
  vertices.words.resize(std::size_t{kCorners} * vertices.slots);
  const auto corner_at = [&](std::uint32_t corner) {
    return vertices.words.data() + corner * vertices.slots;
  };
  for (std::uint32_t corner = 0; corner < kCorners; ++corner) {
    const float x = corner % 2 == 0 ? 0.0F : static_cast<float>(framebuffer.width),
                y = corner / 2 == 0 ? 0.0F : static_cast<float>(framebuffer.height);
    const float position[] = {x, y, 0, 1};
    for (unsigned k = 0; k < 4; ++k) corner_at(corner)[k] = std::bit_cast<std::uint32_t>(position[k]);
  }
  for (std::uint32_t n = 0; n < count; ++n) {
    WARPJIT_TRY(const CornerValues elements, read_elements(image, environment, n));
    for (std::uint32_t corner = 0; corner < kCorners; ++corner)
      std::ranges::copy(elements[corner], corner_at(corner) + kFirstVarying + kWords * n);
  }
  return vertices;
}

}  // namespace warpjit::valhall
