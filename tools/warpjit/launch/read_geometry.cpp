// What launches of geometry programs have besides: how vertices become invocations, and triangles to expect.
#include "launch/reading.h"

namespace warpjit::tool {

namespace {

Result<unsigned> read_count(const JsonField& field, std::int64_t low, std::int64_t high) {
  WARPJIT_TRY(const std::int64_t number, field.integer(low, high, 32));
  return static_cast<unsigned>(number);
}

// The number of a register, given by its number or name.
Result<unsigned> read_register(const Reading& reading, const JsonField& field, LocationKind kind) {
  if (!field.json().is_string()) return field.error("must be the name of a register");
  const std::string text = field.json().string();
  const auto location = reading.launch.program->find(kind, text);
  if (!location || reading.launch.program->register_name(*location) != text)
    return field.error("must be " + std::string(reading.guest->register_names(kind)));
  return unsigned{location->first};
}

}  // namespace

Status read_geometry_input(Reading& reading) {
  const auto given = reading.root.find("geometry");
  if (!given) return {};
  const JsonField& field = *given;
  GeometryInput& input = reading.launch.geometry;
  WARPJIT_CHECK(field.expect_object());
  WARPJIT_CHECK(field.expect_keys(
      {"mode", "first", "vertices", "full_vertices", "registers", "max_triangles", "primitives"}));
  if (const auto mode = field.find("mode")) {
    WARPJIT_TRY(const std::string text, mode->string());
    const auto parsed = parse_primitive_mode(text);
    if (!parsed) return mode->error("unknown mode '" + text + "', point, variable and fixed are known");
    input.mode = *parsed;
  }
  const auto only_in = [&](const char* key, PrimitiveMode mode) -> Status {
    if (field.has(key) && input.mode != mode)
      return field.at(key).error("belongs to mode '" + std::string(warpjit::name(mode)) + "'");
    return {};
  };
  for (const char* key : {"first", "vertices"}) WARPJIT_CHECK(only_in(key, PrimitiveMode::fixed));
  for (const char* key : {"full_vertices", "primitives"})
    WARPJIT_CHECK(only_in(key, PrimitiveMode::variable));
  WARPJIT_CHECK(only_in("registers", PrimitiveMode::point));
  if (const auto first = field.find("first")) {
    WARPJIT_TRY(input.first, read_register(reading, *first, LocationKind::float_uniform));
  }
  if (const auto vertices = field.find("vertices")) {
    WARPJIT_TRY(input.vertices, read_count(*vertices, 1, 96));
  }
  if (const auto full = field.find("full_vertices")) {
    WARPJIT_TRY(input.full_vertices, read_count(*full, 0, 96));
  }
  if (const auto most = field.find("max_triangles")) {
    WARPJIT_TRY(input.max_triangles, read_count(*most, 1, 96));
  }
  if (const auto registers = field.find("registers")) {
    WARPJIT_CHECK(registers->expect_array());
    input.registers.clear();
    for (std::size_t k = 0; k < registers->size(); ++k) {
      WARPJIT_TRY(const unsigned reg, read_register(reading, registers->at(k), LocationKind::input));
      for (const std::uint8_t other : input.registers)
        if (other == reg) return registers->at(k).error("is listed twice");
      input.registers.push_back(static_cast<std::uint8_t>(reg));
    }
  }
  if (const auto list = field.find("primitives")) {
    WARPJIT_CHECK(list->expect_array());
    for (std::size_t k = 0; k < list->size(); ++k) {
      WARPJIT_TRY(const std::int64_t number, list->at(k).integer(0, kMaxThreads, 32));
      reading.launch.primitives.push_back(static_cast<std::uint32_t>(number));
    }
  }
  return {};
}

namespace {

Status read_triangle(const Reading& reading, const JsonField& entry, ExpectedTriangle& triangle) {
  const std::uint64_t possible = reading.launch.program->declarations().vertex_outputs;
  WARPJIT_CHECK(entry.expect_object());
  for (const auto& [key, value] : entry.json().members()) {
    const JsonField part = entry.at(key);
    if (key == "inverted") {
      WARPJIT_TRY(triangle.inverted, part.boolean());
      continue;
    }
    const auto location = reading.launch.program->find(LocationKind::output, key);
    if (!location || location->first >= triangle.words.size() || (possible >> location->first & 1) == 0)
      return part.error("'" + key + "' is not an output register that vertices have");
    WARPJIT_CHECK(part.expect_array());
    if (part.size() != 3) return part.error("must have the values of 3 vertices");
    for (std::size_t vertex = 0; vertex < 3; ++vertex) {
      const JsonField row = part.at(vertex);
      WARPJIT_CHECK(row.expect_array());
      if (row.size() != 4) return row.error("must have 4 components");
      for (std::size_t c = 0; c < 4; ++c) {
        WARPJIT_TRY(triangle.words[location->first][vertex][c], row.at(c).float_bits());
      }
    }
    triangle.given = static_cast<std::uint16_t>(triangle.given | 1u << location->first);
  }
  return {};
}

}  // namespace

Status read_triangles(Reading& reading, const JsonField& field) {
  WARPJIT_CHECK(field.expect_array());
  auto& triangles = reading.launch.triangles.emplace();
  for (std::size_t k = 0; k < field.size(); ++k) {
    WARPJIT_CHECK(read_triangle(reading, field.at(k), triangles.emplace_back()));
    reading.launch.geometry.outputs |= triangles.back().given;  // what is expected need not be listed
  }
  return {};
}

}  // namespace warpjit::tool
