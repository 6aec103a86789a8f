#include "launch/write_launch.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "launch/grid_fields.h"
#include "launch/numbers.h"
#include "launch/texture_fields.h"
#include "launch/write_pixels.h"

namespace warpjit::tool {

namespace {

std::string bits(std::uint64_t word, unsigned bytes) { return fmt::format("0x{:0{}x}", word, 2 * bytes); }

// A little-endian number of `width` bytes.
std::uint64_t number(const std::vector<std::byte>& bytes, std::uint64_t place, unsigned width) {
  std::uint64_t word = 0;
  for (unsigned byte = 0; byte < width; ++byte)
    word |= std::to_integer<std::uint64_t>(bytes[place + byte]) << (8 * byte);
  return word;
}

Json words_of(const std::vector<std::byte>& bytes, std::size_t size) {
  Json list = Json::array();
  for (std::size_t place = 0; place + 4 <= size; place += 4) list.push_back(bits(number(bytes, place, 4), 4));
  return list;
}

// Words as a member of an object, or with `side` in a file beside it.
void set_words(Json& json, SideFiles* side, const char* what, const std::vector<std::byte>& bytes,
               std::size_t size) {
  if (side != nullptr)
    json["file"] = side->add(what, std::span(bytes).first(std::min(size, bytes.size())));
  else
    json["data"] = words_of(bytes, size);
}

// The value of a register: floats as bits, integers and booleans as they are.
Json value_json(const LaunchValue& value, bool is_float) {
  if (value.location.kind == LocationKind::bool_uniform) return value.words.front() != 0;
  Json list = Json::array();
  for (const std::uint32_t word : value.words) {
    if (is_float)
      list.push_back(bits(word, 4));
    else
      list.push_back(static_cast<std::int32_t>(word));
  }
  return list;
}

// All uniforms that are not 0: what the container presets is not in the words of its code.
Json uniforms_json(const LaunchFile& launch) {
  const frontend::Shader& shader = *launch.program;
  frontend::Values values;
  shader.reset(values);
  for (const LaunchValue& value : launch.uniforms) {
    if (value.location.kind != LocationKind::bool_uniform) {
      std::copy(value.words.begin(), value.words.end(), values.words.begin() + value.location.word);
      continue;
    }
    const std::uint64_t flag = std::uint64_t{1} << value.location.first;
    values.bools = value.words.front() != 0 ? values.bools | flag : values.bools & ~flag;
  }
  // Declared ones must have a value.
  std::set<std::pair<LocationKind, std::uint16_t>> declared;
  for (const Symbol& symbol : shader.declarations().uniforms)
    if (const auto found = shader.find(LocationKind::uniform, symbol.reg))
      for (unsigned n = 0; n < symbol.count; ++n)
        declared.emplace(found->kind, static_cast<std::uint16_t>(found->first + n));
  Json json = Json::object();
  for (const std::string_view file : launch.guest().uniform_files()) {
    const auto found = shader.find(LocationKind::uniform, std::string(file));
    if (!found) continue;
    Location location = *found;
    for (unsigned left = location.count; left > 0; --left) {
      LaunchValue value{location, {}};
      if (location.kind == LocationKind::bool_uniform)
        value.words = {static_cast<std::uint32_t>(values.bools >> location.first & 1)};
      else
        value.words.assign(values.words.begin() + location.word,
                           values.words.begin() + location.word + location.components);
      if (declared.contains({location.kind, location.first}) ||
          std::any_of(value.words.begin(), value.words.end(), [](std::uint32_t word) { return word != 0; }))
        json[shader.register_name(location)] =
            value_json(value, location.kind == LocationKind::float_uniform);
      ++location.first;
      location.word += location.components;
    }
  }
  return json;
}

Json input_json(const LaunchFile& launch, const LaunchInput& input, std::uint64_t first, std::uint64_t count,
                SideFiles* side) {
  const std::vector<std::byte>& bytes = launch.buffers[input.buffer].bytes;
  if (side != nullptr) {
    Json json{{"format", warpjit::name(input.format)},
              {"file", side->add("inputs", bytes)},
              {"offset", input.offset},
              {"stride", input.stride}};
    if (input.divisor != 0) json["divisor"] = input.divisor;
    return json;
  }
  const unsigned width = static_cast<unsigned>(component_size(input.format.type));
  Json data = Json::array();
  for (std::uint64_t thread = first; thread < first + count; ++thread)
    for (unsigned k = 0; k < input.format.components; ++k)
      data.push_back(bits(number(bytes, input.offset + thread * input.stride + k * width, width), width));
  return {{"format", warpjit::name(input.format)}, {"data", std::move(data)}};
}

// The program, and of programs over threads the members that a launch and a vertex stage have.
Json stage_json(const LaunchFile& launch, std::uint64_t first, std::uint64_t count, SideFiles* side) {
  const frontend::Shader& shader = *launch.program;
  Json json{{"program", launch.guest().words_json(shader)}};
  if (Json modes = launch.guest().modes_json(shader); !modes.empty()) json["modes"] = std::move(modes);
  if (launch.work == Work::pixels && launch.guest().traits().fragment_uniforms)
    json["uniforms"] = uniforms_json(launch);
  if (launch.work == Work::grid || launch.work == Work::pixels) return json;
  json["uniforms"] = uniforms_json(launch);
  for (const LaunchValue& value : launch.state)
    json["state"][shader.register_name(value.location)] =
        value_json(value, launch.guest().is_float(value.location));
  if (launch.vertex.empty()) json["inputs"] = Json::object();
  for (const LaunchInput& input : launch.inputs)
    json["inputs"][shader.register_name(numbered(LocationKind::input, input.reg))] =
        input_json(launch, input, first, count, side);
  json["outputs"] = Json::object();
  for (const LaunchOutput& output : launch.outputs)
    json["outputs"][shader.register_name(output.reg)] = {{"format", warpjit::name(output.format)}};
  for (unsigned n = 0; launch.work == Work::primitives && n < 64; ++n) {
    if ((launch.geometry.outputs >> n & 1) == 0) continue;
    json["outputs"][shader.register_name(numbered(LocationKind::output, n))] = Json::object();
  }
  return json;
}

Json geometry_json(const LaunchFile& launch) {
  const GeometryInput& input = launch.geometry;
  const frontend::Shader& shader = *launch.program;
  const auto register_name = [&](LocationKind kind, unsigned number) {
    return shader.register_name(numbered(kind, number));
  };
  Json json{{"mode", warpjit::name(input.mode)}, {"max_triangles", input.max_triangles}};
  if (input.mode == PrimitiveMode::fixed) {
    json["first"] = register_name(LocationKind::float_uniform, input.first);
    json["vertices"] = input.vertices;
  } else if (input.mode == PrimitiveMode::variable) {
    json["full_vertices"] = input.full_vertices;
    json["primitives"] = launch.primitives;
  } else if (!launch.vertex.empty()) {
    json["registers"] = Json::array();
    for (const std::uint8_t reg : input.registers)
      json["registers"].push_back(register_name(LocationKind::input, reg));
  }
  return json;
}

template <class Number>
void add_unless(Json& json, const char* key, Number value, Number usual) {
  if (value != usual) json[key] = value;
}

Json attribute_json(const Guest& guest, const AttributeSource& source) {
  using Division = AttributeSource::Division;
  Json json{{"format", guest.attributes()->format_name(source.format)}};
  attribute_fields().write(source, json);
  if (source.division != Division::none) json["shift"] = source.shift;
  if (source.division == Division::multiply) {
    json["multiplier"] = source.multiplier;
    add_unless(json, "add", source.add, false);
  }
  return json;
}

void add_vertices(const LaunchFile& launch, Json& json) {
  const LaunchVertices& vertices = *launch.grid.vertices;
  Json& numbers = json["vertices"] = {{"count", vertices.count}};
  add_unless(numbers, "instances", vertices.instances, 1U);
  first_vertex_fields().write(vertices, numbers);
  numbers["packet_stride"] = vertices.packet_stride;
  json["attributes"] = Json::array();
  for (const AttributeSource& source : vertices.attributes)
    json["attributes"].push_back(attribute_json(launch.guest(), source));
}

void add_memory(const LaunchFile& launch, Json& json, SideFiles* side) {
  const LaunchGrid& grid = launch.grid;
  if (!grid.parameters.empty()) json["params"] = words_of(grid.parameters, grid.parameters.size());
  json["memory"] = Json::array();
  for (const LaunchMemory& piece : grid.memory) {
    if (piece.space == kResultSpace) continue;
    Json row{{"space", piece.space}, {"address", piece.address}, {"size", piece.bytes.size()}};
    // The rest is what the last byte is.
    std::size_t size = piece.bytes.size();
    while (size > 4 && piece.bytes[size - 1] == piece.bytes.back()) --size;
    set_words(row, side, "memory", piece.bytes, (size + 3) / 4 * 4);
    if (piece.bytes.back() != std::byte{0}) row["fill"] = std::to_integer<unsigned>(piece.bytes.back());
    json["memory"].push_back(std::move(row));
  }
}

void add_images(const LaunchFile& launch, Json& json) {
  for (const ImageSource& image : launch.grid.images) {
    if (image.width == 0) {
      json["images"].push_back(nullptr);
      continue;
    }
    Json row{{"format", launch.guest().attributes()->format_name(image.format)}};
    image_fields().write(image, row);
    json["images"].push_back(std::move(row));
  }
}

void add_buffers(const LaunchFile& launch, Json& json) {
  for (const BufferSource& buffer : launch.grid.buffers)
    json["table_buffers"].push_back(buffer_fields().json(buffer));
}

void add_grid(const LaunchFile& launch, Json& json, SideFiles* side) {
  const LaunchGrid& grid = launch.grid;
  if (grid.vertices) {
    add_vertices(launch, json);
  } else {
    json["grid"] = grid.grid;
    json["block"] = grid.block;
    add_unless(json, "first_block", grid.first_block, {});
    const std::uint32_t shared = std::max(grid.shared_bytes, launch.program->resources().shared_bytes);
    if (shared != 0) json["shared"] = {{"size", shared}};
  }
  add_images(launch, json);
  add_buffers(launch, json);
  add_memory(launch, json, side);
  json["outputs"] = Json::array();
  for (const LaunchOutput& output : launch.outputs) {
    const LaunchMemory& piece = grid.memory[output.piece];
    json["outputs"].push_back({{"space", piece.space},
                               {"address", piece.address + output.offset},
                               {"format", warpjit::name(output.format)},
                               {"count", output.count / output.format.components}});
  }
}

// By its name, or by its components.
Json texture_format_json(const TextureFormat& format) {
  if (const auto text = name(format)) return std::string(*text);
  Json json{{"bytes", format.bytes}, {"components", Json::array()}};
  if (format.srgb) json["srgb"] = true;
  for (const TexelComponent& component : format.components) {
    if (component.type == TexelType::none)
      json["components"].push_back(nullptr);
    else
      json["components"].push_back({{"type", kTexelTypes[static_cast<std::size_t>(component.type)]},
                                    {"first", component.first_bit},
                                    {"bits", component.bits}});
  }
  return json;
}

// Its memory from `data` on.
Json texture_json(const Texture& texture, SideFiles* side) {
  const auto* const bytes = static_cast<const std::byte*>(texture.data);
  std::vector<std::byte> whole(bytes, bytes + texture.size);
  whole.resize((whole.size() + 3) / 4 * 4);
  Json json{{"format", texture_format_json(texture.format)},
            {"size", {texture.width, texture.height, texture.depth_extent}}};
  for (const TextureLevelPlace& place : texture.level_places)
    json["level-places"].push_back({place.offset, place.row_bytes, place.slice_bytes});
  if (texture.array) json["layers"] = texture.layers;
  texture_memory_fields().write(texture, json);
  texture_view_fields().write(texture, json);
  std::string swizzle;
  for (const TexelSource source : texture.swizzle) swizzle += kSources[static_cast<std::size_t>(source)];
  json["swizzle"] = swizzle;
  set_words(json, side, "texture", whole, whole.size());
  return json;
}

Json sampler_json(const Sampler& sampler) {
  Json json = sampler_fields().json(sampler);
  for (const Wrap wrap : sampler.wrap) json["wrap"].push_back(kWraps[static_cast<std::size_t>(wrap)]);
  if (sampler.compare) json["compare"] = kCompares[static_cast<std::size_t>(sampler.compare_op)];
  for (const std::uint32_t word : sampler.border) json["border"].push_back(bits(word, 4));
  if (sampler.srgb_border)
    for (const std::uint32_t word : *sampler.srgb_border) json["srgb-border"].push_back(bits(word, 4));
  return json;
}

// What launch files have words for: no compressed formats without names.
void add_textures(const LaunchFile& launch, Json& json, SideFiles* side) {
  for (const LaunchTexture& texture : launch.textures)
    if (name(texture.texture.format) || texture.texture.format.compression == BlockCompression::none)
      json["textures"][std::to_string(texture.slot)] = texture_json(texture.texture, side);
  for (const LaunchSampler& sampler : launch.samplers)
    json["samplers"][std::to_string(sampler.slot)] = sampler_json(sampler.sampler);
}

// What stages have besides program and values.
void add_stage(const LaunchFile& stage, Json& json, SideFiles* side) {
  if (!stage.grid.memory.empty()) add_memory(stage, json, side);
  add_textures(stage, json, side);
  if (!json.contains("modes")) json["modes"] = Json::object();
}

void write_value(const Json& value, const std::string& indent, std::string& text) {
  const bool flat = value.is_array() && std::ranges::none_of(value, &Json::is_structured);
  if (!value.is_structured() || flat || value.size() <= 1) {
    text += value.dump();
    return;
  }
  text += value.is_object() ? '{' : '[';
  const char* separator = "\n";
  const auto write = [&](const std::string& key, const Json& item) {
    text += std::exchange(separator, ",\n") + indent + "  " + key;
    write_value(item, indent + "  ", text);
  };
  for (const Json& item : value) write("", item);
  for (const auto& [key, item] : value.members()) write(Json(key).dump() + ": ", item);
  text += "\n" + indent + (value.is_object() ? '}' : ']');
}

}  // namespace

std::string SideFiles::add(const std::string& what, std::span<const std::byte> bytes, const char* ending) {
  for (const auto& [name, contents] : files_)
    if (name.ends_with(ending) && std::ranges::equal(contents, bytes)) return name;
  std::string name = fmt::format("{}_{}{}{}", stem_, what, files_.size(), ending);
  files_.emplace_back(name, std::vector(bytes.begin(), bytes.end()));
  return name;
}

Json write_launch(const LaunchFile& launch, std::uint64_t first, std::uint64_t count, SideFiles* side) {
  const frontend::Shader& shader = *launch.program;
  Json json{{"warpjit", 1}, {"isa", warpjit::name(shader.isa())}, {"stage", warpjit::name(shader.stage())}};
  if (launch.work != Work::grid) json["count"] = count;
  json.update(stage_json(launch, first, count, side));
  add_textures(launch, json, side);
  if (launch.work == Work::grid) add_grid(launch, json, side);
  if (launch.work == Work::pixels) {
    add_images(launch, json);
    add_buffers(launch, json);
    add_memory(launch, json, side);
    add_pixels(launch, json, side);
  }
  if (launch.work == Work::rows && !launch.grid.memory.empty()) add_memory(launch, json, side);
  if (launch.work == Work::primitives) json["geometry"] = geometry_json(launch);
  if (!launch.vertex.empty()) {
    const LaunchFile& vertex = launch.vertex.front();
    json["vertex"] = stage_json(vertex, first, count, side);
    if (launch.work == Work::pixels) json["vertex"].erase("outputs");
    add_stage(vertex, json["vertex"], side);
  }
  for (const LaunchFile& geometry : launch.geometry_stage) {
    json["geometry"] = {{"program", launch.guest().words_json(*geometry.program)}};
    if (Json modes = launch.guest().modes_json(*geometry.program); !modes.empty())
      json["geometry"]["modes"] = std::move(modes);
    add_stage(geometry, json["geometry"], side);
  }
  return json;
}

std::string launch_text(const Json& document) {
  std::string text;
  write_value(document, "", text);
  return text + '\n';
}

}  // namespace warpjit::tool
