// The values and rows of threads: uniforms, state and inputs.
#include <algorithm>
#include <limits>

#include "launch/numbers.h"
#include "launch/reading.h"

namespace warpjit::tool {

namespace {

constexpr std::uint32_t kOne = 0x3f800000;

Status expect_components(const JsonField& field, std::size_t most) {
  WARPJIT_CHECK(field.expect_array());
  if (field.size() == 0 || field.size() > most)
    return field.error("has " + std::to_string(field.size()) + " components, must have 1 to " +
                       std::to_string(most));
  return {};
}

// The value of a uniform register. Missing components are 0, 0, 0, 1.
Result<LaunchValue> read_uniform(const Reading& reading, const JsonField& field, const Location& location) {
  LaunchValue value{location, {}};
  if (location.kind == LocationKind::bool_uniform) {
    WARPJIT_TRY(const bool on, field.boolean());
    value.words = {on ? 1u : 0u};
    return value;
  }
  if (location.components == 1 && !field.json().is_array()) {
    WARPJIT_TRY(const std::uint32_t word, field.float_bits());
    value.words = {word};
    return value;
  }
  WARPJIT_CHECK(expect_components(field, location.components));
  const bool integer = location.kind == LocationKind::int_uniform;
  const std::uint32_t largest = reading.launch.program->declarations().largest_word(location);
  for (unsigned k = 0; k < location.components; ++k) {
    std::uint32_t word = k != 3 ? 0 : integer ? 1 : kOne;
    if (k < field.size() && integer) {
      WARPJIT_TRY(const std::int64_t number, field.at(k).integer(0, largest, 32));
      word = static_cast<std::uint32_t>(number);
    } else if (k < field.size()) {
      WARPJIT_TRY(word, field.at(k).float_bits());
    }
    value.words.push_back(word);
  }
  return value;
}

// A component of a state register: a float, an integer or a flag.
Result<std::uint32_t> read_state_word(const Reading& reading, const JsonField& field,
                                      const Location& location) {
  if (reading.guest->is_float(location)) return field.float_bits();
  const std::uint32_t largest = reading.launch.program->declarations().largest_word(location);
  if (largest == 1 && field.json().is_boolean()) return field.json().boolean() ? 1u : 0u;
  const bool flag = largest == 1;
  WARPJIT_TRY(const std::int64_t number, flag ? field.integer(0, 1, 1)
                                              : field.integer(std::numeric_limits<std::int32_t>::min(),
                                                              std::numeric_limits<std::int32_t>::max(), 32));
  return static_cast<std::uint32_t>(number);
}

// How many rows threads read.
std::uint64_t row_count(const Reading& reading, const LaunchInput& input) {
  return input.divisor == 0 ? reading.launch.count : (reading.instances - 1) / input.divisor + 1;
}

// `data` in the launch file: packed rows.
Status read_inline(Reading& reading, const JsonField& field, LaunchInput& input) {
  for (const char* key : {"offset", "stride"})
    if (field.has(key)) return field.at(key).error("belongs to 'file'; 'data' is packed");
  LaunchFile& launch = reading.launch;
  const JsonField data = field.at("data");
  WARPJIT_CHECK(data.expect_array());
  const std::uint64_t rows = row_count(reading, input), wanted = rows * input.format.components;
  if (data.size() != wanted)
    return data.error("has " + std::to_string(data.size()) + " numbers, but " + std::to_string(rows) +
                      (input.divisor == 0 ? " threads of " : " rows of ") + warpjit::name(input.format) +
                      " need " + std::to_string(wanted));
  input.buffer = launch.buffers.size();
  launch.buffers.emplace_back();
  return append_components(data, input.format.type, launch.buffers.back().bytes);
}

// Rows of a file.
Status read_rows(Reading& reading, const JsonField& field, LaunchInput& input) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  LaunchFile& launch = reading.launch;
  const JsonField file = field.at("file");
  WARPJIT_TRY(const std::string file_name, file.string());
  WARPJIT_TRY(input.offset, number_at(field, "offset", 0, kMost, 0));
  WARPJIT_TRY(input.stride,
              number_at(field, "stride", 0, kMost, static_cast<std::uint32_t>(size(input.format))));
  const auto [place, fresh] = reading.buffers_of_files.emplace(file_name, launch.buffers.size());
  input.buffer = place->second;
  if (fresh) {
    auto bytes = reading.files(file_name);
    if (!bytes) return file.wrap(bytes.error());
    WARPJIT_CHECK(reading.count_bytes(file, bytes->size()));
    launch.buffers.push_back({file_name, std::move(*bytes)});
  }
  // Below 2^31 + 2^24 * 2^31: no overflow.
  const std::uint64_t rows = row_count(reading, input);
  const std::uint64_t end = input.offset + (rows - 1) * input.stride + size(input.format);
  const std::uint64_t available = launch.buffers[input.buffer].bytes.size();
  if (end > available)
    return field.error("reads " + std::to_string(end) + " bytes (offset " + std::to_string(input.offset) +
                       ", " + std::to_string(rows) + " rows of stride " + std::to_string(input.stride) +
                       "), but '" + file_name + "' has " + std::to_string(available));
  return {};
}

}  // namespace

Status Reading::claim(const JsonField& field, const Location& location) {
  const auto [place, fresh] = claimed.emplace(std::pair{location.kind, location.first}, field.path());
  if (!fresh)
    return field.error(launch.program->register_name(location) + " is already set by " + place->second);
  return {};
}

Status Reading::count_bytes(const JsonField& field, std::size_t bytes) {
  file_bytes += bytes;
  if (file_bytes <= kMaxInputBytes) return {};
  return field.error(
      "the files of this launch have more than " + std::to_string(kMaxInputBytes) + " bytes together",
      ErrorCode::resource_limit);
}

Result<std::shared_ptr<const std::vector<std::byte>>> Reading::shared_file(const JsonField& field) {
  WARPJIT_TRY(const std::string name, field.string());
  auto& known = shared_files[name];
  if (known == nullptr) {
    auto bytes = files(name);
    if (!bytes) return field.wrap(bytes.error());
    WARPJIT_CHECK(count_bytes(field, bytes->size()));
    known = std::make_shared<const std::vector<std::byte>>(std::move(*bytes));
  }
  return known;
}

Result<std::uint32_t> number_at(const JsonField& object, std::string_view key, std::int64_t low,
                                std::int64_t high, std::uint32_t otherwise) {
  const auto field = object.find(key);
  if (!field) return otherwise;
  WARPJIT_TRY(const std::int64_t value, field->integer(low, high));
  return static_cast<std::uint32_t>(value);
}

Result<Location> read_location(const Reading& reading, const JsonField& field, const std::string& text,
                               LocationKind kind) {
  const frontend::Shader& shader = *reading.launch.program;
  if (auto location = shader.find(kind, text)) return *location;
  const auto declared = kind == LocationKind::input    ? shader.declarations().inputs
                        : kind == LocationKind::output ? shader.declarations().outputs
                        : kind == LocationKind::state  ? std::span<const Symbol>()
                                                       : shader.declarations().uniforms;
  std::string known;
  for (const Symbol& symbol : declared)
    if (known.size() < 400) known += (known.empty() ? "" : ", ") + symbol.name;
  return field.error("'" + text + "' is neither a register (" +
                     std::string(reading.guest->register_names(kind)) +
                     ") nor a name that the program declares" + (known.empty() ? "" : " (" + known + ")"));
}

Status read_uniforms(Reading& reading) {
  const auto uniforms = reading.root.find("uniforms");
  if (!uniforms) return {};
  WARPJIT_CHECK(uniforms->expect_object());
  const frontend::Shader& shader = *reading.launch.program;
  for (const auto& [key, value] : uniforms->json().members()) {
    const JsonField field = uniforms->at(key);
    WARPJIT_TRY(Location location, read_location(reading, field, key, LocationKind::uniform));
    // One register's value, or an array of them:
    // rows of rows, or an array where a register has one component.
    const bool single = location.kind == LocationKind::bool_uniform || location.components == 1;
    const bool rows =
        field.json().is_array() && (single || (field.size() > 0 && field.json().begin()->is_array()));
    const std::size_t count = rows ? field.size() : 1;
    const bool is_register = shader.register_name(location) == key;
    if (count > location.count) {
      const std::string limit = std::to_string(location.count);
      return field.error("has " + std::to_string(count) + " registers, but " +
                         (is_register ? "only " + limit + " follow" : key + " is declared with " + limit));
    }
    if (!single && !rows && field.json().is_array() && field.size() > location.components &&
        location.count > 1)
      return field.error("has " + std::to_string(field.size()) + " numbers, but a row has 1 to " +
                         std::to_string(location.components) + "; " + std::to_string(location.count) +
                         " rows are written [[x, y, z, w], ...]");
    if (!single && !is_register && count < location.count)
      reading.launch.notes.push_back(field.path() + " has " + std::to_string(count) +
                                     (count == 1 ? " row" : " rows") + ", but " + key + " is declared with " +
                                     std::to_string(location.count) +
                                     "; the others keep what they have, 0 or a constant of the program");
    for (std::size_t k = 0; k < count; ++k) {
      const JsonField row = rows ? field.at(k) : field;
      WARPJIT_CHECK(reading.claim(row, location));
      WARPJIT_TRY(LaunchValue one, read_uniform(reading, row, location));
      reading.launch.uniforms.push_back(std::move(one));
      ++location.first;
      location.word += location.components;
    }
  }
  return {};
}

Status read_state(Reading& reading) {
  const auto state = reading.root.find("state");
  if (!state) return {};
  WARPJIT_CHECK(state->expect_object());
  for (const auto& [key, value] : state->json().members()) {
    const JsonField field = state->at(key);
    const auto location = reading.launch.program->find(LocationKind::state, key);
    if (!location)
      return field.error("'" + key + "' cannot be set: " +
                         std::string(reading.guest->register_names(LocationKind::state)) + " can");
    const unsigned count = location->components;
    const bool scalar = count == 1 && !field.json().is_array();
    if (!scalar) WARPJIT_CHECK(expect_components(field, count));
    LaunchValue start{*location, {}};
    for (unsigned k = 0; k < count; ++k) {
      std::uint32_t word = k == 3 ? kOne : 0;
      if (scalar || k < field.size()) {
        WARPJIT_TRY(word, read_state_word(reading, scalar ? field : field.at(k), *location));
      }
      start.words.push_back(word);
    }
    reading.launch.state.push_back(std::move(start));
  }
  return {};
}

Status read_inputs(Reading& reading) {
  const auto inputs = reading.root.find("inputs");
  if (!inputs) return {};
  WARPJIT_CHECK(inputs->expect_object());
  for (const auto& [key, value] : inputs->json().members()) {
    const JsonField field = inputs->at(key);
    WARPJIT_TRY(const Location location, read_location(reading, field, key, LocationKind::input));
    WARPJIT_CHECK(reading.claim(field, location));
    WARPJIT_CHECK(reading.instances != 0
                      ? field.expect_keys({"format", "data", "file", "offset", "stride", "divisor"})
                      : field.expect_keys({"format", "data", "file", "offset", "stride"}));
    LaunchInput input;
    input.name = key;
    input.reg = static_cast<std::uint8_t>(location.first);
    WARPJIT_TRY(const JsonField format, field.require("format"));
    WARPJIT_TRY(input.format, read_format(format));
    if (input.format.type == ComponentType::u32 || input.format.type == ComponentType::s32)
      return format.error("'" + warpjit::name(input.format) + "' is for outputs; inputs are floats");
    if (field.has("data") == field.has("file")) return field.error("must have either 'data' or 'file'");
    input.stride = size(input.format);
    WARPJIT_TRY(input.divisor, number_at(field, "divisor", 0, 0xffffffff, 0));
    WARPJIT_CHECK(field.has("data") ? read_inline(reading, field, input) : read_rows(reading, field, input));
    reading.launch.inputs.push_back(std::move(input));
  }
  return {};
}

Status check_declared(const Reading& reading) {
  const frontend::Shader& shader = *reading.launch.program;
  for (const bool input : {false, true})
    for (const Symbol& symbol : input ? shader.declarations().inputs : shader.declarations().uniforms) {
      WARPJIT_TRY(Location location,
                  shader.find(input ? LocationKind::input : LocationKind::uniform, symbol.reg));
      unsigned bound = 0;
      for (unsigned k = 0; k < symbol.count; ++k, ++location.first)
        bound += reading.claimed.contains({location.kind, location.first}) ||
                 reading.guest->is_preset(shader, location);
      if (input ? bound == symbol.count : bound != 0) continue;
      std::string message = "the program declares '" + symbol.name + "' (" + symbol.reg;
      if (symbol.count > 1) {
        --location.first;
        message += "-" + shader.register_name(location);
      }
      message += bound == 0 ? "), but nothing binds it" : "), but not all of it is bound";
      const std::string section = input ? "inputs" : "uniforms";
      const auto field = reading.root.find(section);
      return field ? field->error(message) : reading.root.error(message + ": there is no '" + section + "'");
    }
  return {};
}

}  // namespace warpjit::tool
