// What launches of vertex programs have that fetch attributes and store results themselves.
#include <limits>

#include "launch/reading.h"

namespace warpjit::tool {

namespace {

constexpr std::uint32_t kMostAttributes = 16, kMostStride = 2048;

Result<bool> flag_at(const JsonField& object, std::string_view key) {
  const auto field = object.find(key);
  return field ? field->boolean() : Result<bool>(false);
}

Result<AttributeSource> read_attribute(const Reading& reading, const JsonField& field) {
  constexpr std::int64_t kMost = 0xffffffff;
  WARPJIT_CHECK(field.expect_object());
  WARPJIT_CHECK(field.expect_keys({"format", "address", "bytes", "offset", "stride", "per_instance",
                                   "from_first", "shift", "add", "multiplier"}));
  AttributeSource source;
  WARPJIT_TRY(const JsonField format, field.require("format"));
  WARPJIT_TRY(source.format, reading.guest->attributes()->read_format(format));
  WARPJIT_TRY(const JsonField address, field.require("address"));
  WARPJIT_TRY(const std::int64_t place, address.integer(0, std::numeric_limits<std::int64_t>::max()));
  source.address = static_cast<std::uint64_t>(place);
  WARPJIT_TRY(const JsonField bytes, field.require("bytes"));
  WARPJIT_TRY(const std::int64_t size, bytes.integer(0, kMost, 32));
  source.bytes = static_cast<std::uint32_t>(size);
  if (const auto offset = field.find("offset")) {
    WARPJIT_TRY(const std::int64_t value, offset->integer(std::numeric_limits<std::int32_t>::min(),
                                                          std::numeric_limits<std::int32_t>::max(), 32));
    source.offset = static_cast<std::int32_t>(value);
  }
  WARPJIT_TRY(source.stride, number_at(field, "stride", 0, kMost, 0));
  WARPJIT_TRY(source.per_instance, flag_at(field, "per_instance"));
  WARPJIT_TRY(source.from_first, flag_at(field, "from_first"));
  WARPJIT_TRY(const std::uint32_t shift, number_at(field, "shift", 0, 31, 0));
  source.shift = static_cast<std::uint8_t>(shift);
  WARPJIT_TRY(source.add, flag_at(field, "add"));
  WARPJIT_TRY(source.multiplier, number_at(field, "multiplier", 0, kMost, 0));
  using Division = AttributeSource::Division;
  source.division = field.has("multiplier") ? Division::multiply
                    : field.has("shift")    ? Division::shift
                                            : Division::none;
  if (field.has("add") && !field.has("multiplier"))
    return field.at("add").error("belongs to 'multiplier', which is missing");
  return source;
}

// Where vertices store their results: a piece of memory with a name of its own.
Status add_results(Reading& reading, const JsonField& field) {
  const LaunchVertices& vertices = *reading.launch.grid.vertices;
  const std::uint64_t bytes = reading.launch.threads() * vertices.packet_stride;
  if (bytes > kMaxMemoryBytes)
    return field.error("the results need more than " + std::to_string(kMaxMemoryBytes) + " bytes");
  reading.launch.grid.memory.push_back({.space = kResultSpace,
                                        .bytes = std::vector<std::byte>(static_cast<std::size_t>(bytes)),
                                        .type = ComponentType::f32});
  return {};
}

}  // namespace

Status read_fetching_vertices(Reading& reading) {
  constexpr std::int64_t kMost = 0xffffffff;
  const GridLimits limits = reading.guest->grid_limits();
  LaunchVertices& vertices = reading.launch.grid.vertices.emplace();
  WARPJIT_TRY(const JsonField field, reading.root.require("vertices"));
  WARPJIT_CHECK(field.expect_object());
  WARPJIT_CHECK(field.expect_keys(
      {"count", "instances", "first", "first_instance", "attribute_offset", "packet_stride"}));
  WARPJIT_TRY(const JsonField count, field.require("count"));
  WARPJIT_TRY(const std::int64_t number, count.integer(1, std::int64_t{64} * limits.grid[0], 32));
  vertices.count = static_cast<std::uint32_t>(number);
  WARPJIT_TRY(vertices.instances, number_at(field, "instances", 1, limits.grid[1], 1));
  if (reading.launch.threads() > kMaxThreads)
    return field.error("more than " + std::to_string(kMaxThreads) + " vertices");
  WARPJIT_TRY(vertices.first, number_at(field, "first", 0, kMost, 0));
  WARPJIT_TRY(vertices.first_instance, number_at(field, "first_instance", 0, kMost, 0));
  WARPJIT_TRY(vertices.attribute_offset, number_at(field, "attribute_offset", 0, kMost, 0));
  WARPJIT_TRY(vertices.packet_stride,
              number_at(field, "packet_stride", 16, kMostStride, vertices.packet_stride));
  if (vertices.packet_stride % 16 != 0) return field.at("packet_stride").error("must be a multiple of 16");
  if (const auto attributes = reading.root.find("attributes")) {
    WARPJIT_CHECK(attributes->expect_array());
    if (attributes->size() > kMostAttributes)
      return attributes->error("at most " + std::to_string(kMostAttributes) + " attributes");
    for (std::size_t k = 0; k < attributes->size(); ++k) {
      WARPJIT_TRY(AttributeSource source, read_attribute(reading, attributes->at(k)));
      vertices.attributes.push_back(source);
    }
  }
  WARPJIT_CHECK(read_parameters(reading));
  WARPJIT_CHECK(read_memory(reading));
  return add_results(reading, field);
}

}  // namespace warpjit::tool
