// What launches of vertex programs have that fetch attributes and store results themselves.
#include "launch/grid_fields.h"
#include "launch/reading.h"

namespace warpjit::tool {

namespace {

constexpr std::uint32_t kMostAttributes = 16, kMostStride = 2048;

Result<AttributeSource> read_attribute(const Reading& reading, const JsonField& field) {
  AttributeSource source;
  WARPJIT_CHECK(attribute_fields().expect(field, {"format", "shift", "add", "multiplier"}));
  WARPJIT_TRY(const JsonField format, field.require("format"));
  WARPJIT_TRY(source.format, reading.guest->attributes()->read_format(format));
  WARPJIT_CHECK(attribute_fields().read(field, source));
  WARPJIT_CHECK(read_byte(field, "shift", source.shift, 31));
  WARPJIT_CHECK(read_flag(field, "add", source.add));
  WARPJIT_TRY(source.multiplier, number_at(field, "multiplier", 0, 0xffffffff, 0));
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
  const GridLimits limits = reading.guest->grid_limits();
  LaunchVertices& vertices = reading.launch.grid.vertices.emplace();
  WARPJIT_TRY(const JsonField field, reading.root.require("vertices"));
  WARPJIT_CHECK(first_vertex_fields().expect(field, {"count", "instances", "packet_stride"}));
  WARPJIT_TRY(const JsonField count, field.require("count"));
  WARPJIT_TRY(const std::int64_t number, count.integer(1, std::int64_t{64} * limits.grid[0], 32));
  vertices.count = static_cast<std::uint32_t>(number);
  WARPJIT_TRY(vertices.instances, number_at(field, "instances", 1, limits.grid[1], 1));
  if (reading.launch.threads() > kMaxThreads)
    return field.error("has " + std::to_string(reading.launch.threads()) +
                       " vertices in all instances; at most " + std::to_string(kMaxThreads) + " are allowed");
  WARPJIT_CHECK(first_vertex_fields().read(field, vertices));
  WARPJIT_TRY(vertices.packet_stride,
              number_at(field, "packet_stride", 16, kMostStride, vertices.packet_stride));
  if (vertices.packet_stride % 16 != 0) return field.at("packet_stride").error("must be a multiple of 16");
  if (const auto attributes = reading.root.find("attributes")) {
    WARPJIT_CHECK(attributes->expect_most(kMostAttributes, "attributes"));
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
