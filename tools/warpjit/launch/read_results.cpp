// What a launch wants to see of its results, and what they must be.
#include <cstring>

#include "launch/numbers.h"
#include "launch/reading.h"

namespace warpjit::tool {

namespace {

constexpr std::int64_t kMostRows = 1 << 28;  // of a range of memory

// A register or flags, or an output by its declared name.
Result<LaunchOutput> read_register(const Reading& reading, const JsonField& field, const std::string& key) {
  const frontend::Shader& shader = *reading.launch.program;
  if (key == "triangles" && !shader.find(LocationKind::output, key))
    return field.error("triangles belong to geometry programs, and there to 'expect'");
  WARPJIT_CHECK(read_location(reading, field, key, LocationKind::output));
  WARPJIT_TRY(LaunchOutput output, register_output(shader, key));
  const auto format_field = field.find("format");
  if (!format_field) return output;
  WARPJIT_TRY(const Format format, read_format(*format_field));
  const bool integer = format.type == ComponentType::u32 || format.type == ComponentType::s32;
  const bool is_float = output.format.type == ComponentType::f32;
  if (!integer && !(is_float && format.type == ComponentType::f32))
    return format_field->error("'" + warpjit::name(format) +
                               "' is not possible: " + shader.register_name(output.reg) + " gives " +
                               (is_float ? "f32 (or its bits as u32 or s32)" : "s32 or u32"));
  if (format.components > output.format.components)
    return format_field->error(shader.register_name(output.reg) + " has " +
                               std::to_string(output.format.components) + " components");
  output.format = format;
  return output;
}

// A range of memory: as many words as `data_size` says, else as the field's `count`.
Result<LaunchOutput> read_range(const Reading& reading, const JsonField& field,
                                std::optional<std::size_t> data_size) {
  LaunchOutput output;
  WARPJIT_TRY(const JsonField space_field, field.require("space"));
  WARPJIT_TRY(const std::string space, space_field.string());
  const auto found = find_space(reading, space);
  if (!found) return space_field.error(found.error().message);
  WARPJIT_TRY(const JsonField address_field, field.require("address"));
  WARPJIT_TRY(const std::uint64_t address, read_address(address_field, *found));
  WARPJIT_TRY(const JsonField format, field.require("format"));
  WARPJIT_TRY(output.format, read_format(format));
  if (component_size(output.format.type) != 4) return format.error("results are f32, u32 or s32");
  if (data_size) {
    output.count = *data_size;
    if (output.count % output.format.components != 0)
      return field.at("data").error("has not a whole number of rows of the format");
  } else {
    WARPJIT_TRY(const JsonField count, field.require("count"));
    WARPJIT_TRY(const std::int64_t rows, count.integer(1, kMostRows));
    output.count = static_cast<std::size_t>(rows) * output.format.components;
  }
  output.name = space + "[" + address_text(address) + "]";
  const std::vector<LaunchMemory>& memory = reading.launch.grid.memory;
  for (std::size_t k = 0; k < memory.size(); ++k) {
    if (memory[k].space != space || address < memory[k].address) continue;
    output.piece = k;
    output.offset = static_cast<std::size_t>(address - memory[k].address);
    if (output.offset % 4 == 0 && output.offset + output.count * 4 <= memory[k].bytes.size()) return output;
  }
  return field.error(space == kResultSpace ? "is outside the results" : "lies in no piece of 'memory'");
}

Status read_tolerances(const JsonField& field, Expectation& wanted) {
  for (const char* key : {"ulp", "abs", "rel"})
    if (field.has(key) && wanted.what.format.type != ComponentType::f32)
      return field.at(key).error("integers are compared exactly");
  if (const auto ulp = field.find("ulp")) {
    WARPJIT_TRY(const std::int64_t distance, ulp->integer(0, 0xFFFFFFFF));
    wanted.ulp = static_cast<std::uint32_t>(distance);
  }
  if (const auto absolute = field.find("abs")) {
    WARPJIT_TRY(wanted.absolute, absolute->tolerance());
  }
  if (const auto relative = field.find("rel")) {
    WARPJIT_TRY(wanted.relative, relative->tolerance());
  }
  return {};
}

// `data`, in the format of the expectation.
Status read_words(const JsonField& data, Expectation& wanted) {
  std::vector<std::byte> bytes;
  WARPJIT_CHECK(append_components(data, wanted.what.format.type, bytes));
  wanted.words.resize(data.size());
  if (!bytes.empty()) std::memcpy(wanted.words.data(), bytes.data(), bytes.size());
  return {};
}

Status read_expected_register(Reading& reading, const JsonField& field, const std::string& key) {
  LaunchFile& launch = reading.launch;
  WARPJIT_CHECK(field.expect_keys({"format", "data", "ulp", "abs", "rel"}));
  Expectation wanted;
  WARPJIT_TRY(wanted.what, read_register(reading, field, key));
  if (launch.work == Work::primitives &&
      (launch.program->declarations().vertex_outputs >> wanted.what.reg.first & 1) != 0)
    return field.error("output registers of geometry programs are expected in 'triangles'");
  // Without a format of its own it has that of the output.
  if (!field.has("format"))
    for (const LaunchOutput& output : launch.outputs)
      if (output.reg.first == wanted.what.reg.first) wanted.what.format = output.format;
  WARPJIT_CHECK(read_tolerances(field, wanted));
  WARPJIT_TRY(const JsonField data, field.require("data"));
  WARPJIT_CHECK(data.expect_array());
  const unsigned count = wanted.what.format.components;
  // Invocations that a vertex stage makes are counted when they have run.
  if (launch.vertex.empty() && data.size() != launch.count * count)
    return data.error("has " + std::to_string(data.size()) + " numbers, but " + std::to_string(launch.count) +
                      " threads of " + std::to_string(count) + " components need " +
                      std::to_string(launch.count * count));
  WARPJIT_CHECK(read_words(data, wanted));
  launch.expectations.push_back(std::move(wanted));
  return {};
}

Status read_registers(Reading& reading, const JsonField& outputs) {
  LaunchFile& launch = reading.launch;
  WARPJIT_CHECK(outputs.expect_object());
  for (const auto& [key, value] : outputs.json().members()) {
    const JsonField field = outputs.at(key);
    WARPJIT_CHECK(field.expect_keys({"format"}));
    WARPJIT_TRY(LaunchOutput output, read_register(reading, field, key));
    for (const LaunchOutput& other : launch.outputs)
      if (other.reg.first == output.reg.first)
        return field.error(launch.program->register_name(output.reg) + " is already read by " +
                           outputs.path() + "." + other.name);
    launch.outputs.push_back(std::move(output));
  }
  if (launch.work != Work::primitives) return {};
  // Output registers are what vertices have: those listed, else those that the container enables.
  const std::uint64_t possible = launch.program->declarations().vertex_outputs;
  std::uint64_t listed = 0;
  std::erase_if(launch.outputs, [&](const LaunchOutput& output) {
    if ((possible >> output.reg.first & 1) == 0) return false;
    listed |= std::uint64_t{1} << output.reg.first;
    return true;
  });
  if (listed != 0) launch.geometry.outputs = listed;
  return {};
}

Status read_ranges(Reading& reading, const JsonField& list) {
  WARPJIT_CHECK(list.expect_array());
  for (std::size_t k = 0; k < list.size(); ++k) {
    WARPJIT_CHECK(list.at(k).expect_keys({"space", "address", "format", "count"}));
    WARPJIT_TRY(LaunchOutput output, read_range(reading, list.at(k), {}));
    reading.launch.outputs.push_back(std::move(output));
  }
  return {};
}

Status read_expected_ranges(Reading& reading, const JsonField& list) {
  WARPJIT_CHECK(list.expect_array());
  for (std::size_t k = 0; k < list.size(); ++k) {
    const JsonField field = list.at(k);
    WARPJIT_CHECK(field.expect_keys({"space", "address", "format", "data", "ulp", "abs", "rel"}));
    WARPJIT_TRY(const JsonField data, field.require("data"));
    WARPJIT_CHECK(data.expect_array());
    Expectation wanted;
    WARPJIT_TRY(wanted.what, read_range(reading, field, data.size()));
    WARPJIT_CHECK(read_tolerances(field, wanted));
    WARPJIT_CHECK(read_words(data, wanted));
    reading.launch.expectations.push_back(std::move(wanted));
  }
  return {};
}

}  // namespace

Status read_outputs(Reading& reading) {
  if (reading.launch.work == Work::grid) {
    const auto list = reading.root.find("outputs");
    return list ? read_ranges(reading, *list) : Status();
  }
  if (reading.launch.work == Work::pixels) return {};  // the targets
  WARPJIT_TRY(const JsonField outputs, reading.root.require("outputs"));
  return read_registers(reading, outputs);
}

Status read_expectations(Reading& reading) {
  const auto expect = reading.root.find("expect");
  if (!expect) return {};
  if (reading.launch.work == Work::grid) return read_expected_ranges(reading, *expect);
  if (reading.launch.work == Work::pixels) return read_pictures(reading, *expect);
  WARPJIT_CHECK(expect->expect_object());
  for (const auto& [key, value] : expect->json().members()) {
    const JsonField field = expect->at(key);
    const bool triangles = reading.launch.work == Work::primitives && key == "triangles";
    WARPJIT_CHECK(triangles ? read_triangles(reading, field) : read_expected_register(reading, field, key));
  }
  return {};
}

}  // namespace warpjit::tool
