#include "guest/usse/console.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "device/usse/attributes.h"
#include "device/usse/state.h"
#include "frontend/usse/facts/slots.h"
#include "launch/words.h"

namespace warpjit::tool {

namespace {

constexpr std::int64_t kMost = 0x7fffffff;

// `data`, numbers or bit patterns of words, or `file`.
using Bytes = std::shared_ptr<const std::vector<std::byte>>;
Result<Bytes> read_bytes(Reading& reading, const JsonField& field) {
  if (field.has("data") == field.has("file")) return field.error("must have either 'data' or 'file'");
  if (const auto file = field.find("file")) return reading.shared_file(*file);
  const JsonField data = field.at("data");
  WARPJIT_CHECK(data.expect_array());
  std::vector<std::byte> bytes(4 * data.size());
  for (std::size_t k = 0; k < data.size(); ++k) {
    WARPJIT_TRY(const std::uint32_t word, data.at(k).float_bits());
    for (unsigned byte = 0; byte < 4; ++byte) bytes[4 * k + byte] = static_cast<std::byte>(word >> 8 * byte);
  }
  return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

std::vector<std::uint32_t> words_of(const std::vector<std::byte>& bytes) {
  std::vector<std::uint32_t> words((bytes.size() + 3) / 4);
  for (std::size_t n = 0; n < bytes.size(); ++n)
    words[n / 4] |= std::to_integer<std::uint32_t>(bytes[n]) << 8 * (n % 4);
  return words;
}

struct Streams {
  std::vector<Bytes> bytes;
  std::vector<usse::VertexStream> streams;
};
Result<Streams> read_streams(Reading& reading, const JsonField& field) {
  Streams read;
  for (std::size_t n = 0; n < field.size(); ++n) {
    const JsonField one = field.at(n);
    WARPJIT_CHECK(one.expect_object());
    WARPJIT_CHECK(one.expect_keys({"data", "file", "offset", "stride", "per_instance"}));
    WARPJIT_TRY(const Bytes bytes, read_bytes(reading, one));
    WARPJIT_TRY(const std::uint32_t offset, number_at(one, "offset", 0, kMost, 0));
    if (offset > bytes->size())
      return one.at("offset").error("is " + std::to_string(offset) + ", but the data have only " +
                                    std::to_string(bytes->size()) + " bytes");
    usse::VertexStream stream;
    WARPJIT_TRY(stream.stride, number_at(one, "stride", 0, kMost, 0));
    WARPJIT_CHECK(read_flag(one, "per_instance", stream.per_instance));
    stream.data = bytes->data() + offset;
    stream.size = bytes->size() - offset;
    read.bytes.push_back(bytes);
    read.streams.push_back(stream);
  }
  return read;
}

// A name of the container's, or "pa4".
Result<std::uint16_t> read_register(const JsonField& field, const std::string& key,
                                    const usse::Program& program) {
  for (const usse::Parameter& parameter : program.parameters)
    if (parameter.category == usse::Category::attribute && parameter.name == key &&
        parameter.resource < usse::kAttributeRows * usse::kRowWords)
      return static_cast<std::uint16_t>(parameter.resource);
  for (unsigned n = 0; n < usse::kAttributeRows * usse::kRowWords; ++n)
    if (key == "pa" + std::to_string(n)) return static_cast<std::uint16_t>(n);
  return field.error("'" + key + "' is neither a register (pa0-pa63) nor an attribute of the program");
}

// A name, or the console's number.
Result<usse::AttributeFormat> read_format(const JsonField& field) {
  if (field.json().is_number()) {
    WARPJIT_TRY(const std::int64_t number, field.integer(0, usse::kAttributeFormats - 1));
    return static_cast<usse::AttributeFormat>(number);
  }
  WARPJIT_TRY(const std::string text, field.string());
  if (const auto format = usse::parse_attribute_format(text)) return *format;
  std::string known;
  for (unsigned n = 0; n < usse::kAttributeFormats; ++n)
    known += (n == 0 ? "" : ", ") + std::string(usse::name(static_cast<usse::AttributeFormat>(n)));
  return field.error("'" + text + "' is none of " + known);
}

struct Attributes {
  std::vector<usse::VertexAttribute> list;
  std::vector<std::string> names;
};
Result<Attributes> read_attribute_list(const JsonField& field, const usse::Program& program,
                                       std::size_t streams) {
  Attributes attributes;
  std::array<std::string, std::size_t{usse::kAttributeRows} * usse::kRowWords> owners;  // of words of pa
  for (const auto& [key, value] : field.json().members()) {
    const JsonField one = field.at(key);
    WARPJIT_CHECK(one.expect_object());
    WARPJIT_CHECK(one.expect_keys({"stream", "offset", "format", "components"}));
    usse::VertexAttribute attribute;
    WARPJIT_TRY(attribute.reg, read_register(one, key, program));
    if (streams == 0) return one.error("needs 'streams', in which attributes lie");
    WARPJIT_TRY(attribute.stream, number_at(one, "stream", 0, static_cast<std::int64_t>(streams) - 1, 0));
    WARPJIT_TRY(attribute.offset, number_at(one, "offset", 0, kMost, 0));
    WARPJIT_TRY(const JsonField format, one.require("format"));
    WARPJIT_TRY(attribute.format, read_format(format));
    WARPJIT_TRY(const std::uint32_t components, number_at(one, "components", 1, 4, 4));
    attribute.components = static_cast<std::uint8_t>(components);
    const unsigned words =
        usse::attribute_words(usse::parameter_of(program, attribute), attribute.format, attribute.components);
    for (std::size_t n = attribute.reg; n < std::min<std::size_t>(attribute.reg + words, owners.size());
         ++n) {
      if (!owners[n].empty()) return one.error("has a word of '" + owners[n] + "', pa" + std::to_string(n));
      owners[n] = key;
    }
    attributes.list.push_back(attribute);
    attributes.names.push_back(key);
  }
  return attributes;
}

// What has rows of its own. Without a draw there is one instance, whose rows all vertices read.
enum class Element : std::uint8_t { vertex, instance, only };

// Rows of pa as inputs that lie in one buffer. The words are released.
Status add_rows(Reading& reading, const JsonField& field, usse::AttributeRows rows, Element element) {
  if (rows.rows == 0) return {};
  LaunchFile& launch = reading.launch;
  std::uint64_t offset = 0;
  for (unsigned row = 0; row < usse::kAttributeRows; ++row) {
    if ((rows.rows >> row & 1) == 0) continue;
    LaunchInput input;
    input.name = "pa" + std::to_string(usse::kRowWords * row);
    WARPJIT_TRY(const Location location, read_location(reading, field, input.name, LocationKind::input));
    WARPJIT_CHECK(reading.claim(field, location));
    input.reg = static_cast<std::uint8_t>(location.first);
    input.format = f32x4;
    input.buffer = launch.buffers.size();
    input.offset = offset;
    input.stride = element == Element::only ? 0 : 4 * rows.element_words();
    input.divisor = element == Element::instance ? 1 : 0;
    offset += 4 * usse::kRowWords;
    launch.inputs.push_back(std::move(input));
  }
  WARPJIT_CHECK(reading.count_bytes(field, 4 * rows.words.size()));
  std::vector<std::byte>& bytes = launch.buffers.emplace_back().bytes;
  bytes.resize(4 * rows.words.size());
  std::memcpy(bytes.data(), rows.words.data(), bytes.size());
  return {};
}

}  // namespace

Status read_usse_attributes(Reading& reading, const usse::Program& program) {
  const auto streams = reading.root.find("streams"), attributes = reading.root.find("attributes");
  // Before any file is read.
  if (streams) {
    WARPJIT_CHECK(streams->expect_most(usse::kMaxStreams, "streams"));
    if (!attributes) return streams->error("needs 'attributes', which say what lies in the streams");
  }
  if (!attributes) return {};
  WARPJIT_CHECK(attributes->expect_object());
  if (attributes->json().size() > usse::kMaxAttributes)
    return attributes->error("has " + std::to_string(attributes->size()) + " attributes; at most " +
                             std::to_string(usse::kMaxAttributes) + " are allowed");
  Streams read;
  if (streams) {
    WARPJIT_TRY(read, read_streams(reading, *streams));
  }
  WARPJIT_TRY(const Attributes given, read_attribute_list(*attributes, program, read.streams.size()));
  auto fetched = usse::fetch_attributes(program, read.streams, given.list,
                                        static_cast<std::uint32_t>(reading.launch.count),
                                        std::max(reading.instances, 1U), given.names);
  if (!fetched) return attributes->wrap(fetched.error());
  WARPJIT_CHECK(add_rows(reading, *attributes, std::move(fetched->of_vertices), Element::vertex));
  return add_rows(reading, *attributes, std::move(fetched->of_instances),
                  reading.instances != 0 ? Element::instance : Element::only);
}

namespace {

// Buffers by their numbers, "it takes that of 0, default".
template <class List, class Number>
std::string buffers_text(const List& list, const char* has, const Number& number) {
  std::string text;
  for (unsigned buffer = 0; buffer <= usse::kDefaultContainer; ++buffer)
    if (std::ranges::any_of(list, [&](const auto& one) { return number(one) == buffer; }))
      text += (text.empty() ? " " : ", ") +
              (buffer == usse::kDefaultContainer ? std::string("default") : std::to_string(buffer));
  return std::string(has) + (text.empty() ? " none" : text);
}

}  // namespace

Status read_usse_buffers(Reading& reading, const usse::Program& program) {
  const auto buffers = reading.root.find("buffers");
  if (!buffers) return {};
  WARPJIT_CHECK(buffers->expect_object());
  const usse::RegisterContainer* const data = program.container(usse::kDataContainer);
  for (const auto& [key, value] : buffers->json().members()) {
    const JsonField field = buffers->at(key);
    unsigned number = 0;
    while (number < usse::kDefaultContainer && key != std::to_string(number)) ++number;
    if (number == usse::kDefaultContainer && key != "default")
      return field.error("'" + key + "' is no buffer; they are 0 to 13 and default");
    WARPJIT_CHECK(field.expect_object());
    WARPJIT_CHECK(field.expect_keys({"data", "file", "address"}));
    if (!field.has("data") && !field.has("file") && !field.has("address"))
      return field.error("needs words, an 'address', or both");
    const auto set = [&](std::size_t word, std::uint32_t given) -> Status {
      WARPJIT_TRY(const Location first,
                  read_location(reading, field, "sa" + std::to_string(word), LocationKind::uniform));
      Location location = first;
      location.count = 1;
      WARPJIT_CHECK(reading.claim(field, location));
      reading.launch.uniforms.push_back({location, {given}});
      return {};
    };
    if (field.has("data") || field.has("file")) {
      const usse::RegisterContainer* const container = program.container(static_cast<std::uint16_t>(number));
      if (container == nullptr)
        return field.error("the program has no registers for words of this buffer; " +
                           buffers_text(program.containers, "it has registers for",
                                        [](const auto& one) { return one.index; }));
      WARPJIT_TRY(const Bytes bytes, read_bytes(reading, field));
      const std::vector<std::uint32_t> words = words_of(*bytes);
      // A buffer may go on in memory.
      for (std::size_t k = 0; k < std::min<std::size_t>(container->words, words.size()); ++k)
        WARPJIT_CHECK(set(container->base + k, words[k]));
    }
    if (const auto address = field.find("address")) {
      WARPJIT_TRY(const std::int64_t place, address->integer(0, 0xffffffff, 32));
      bool taken = false;
      for (const usse::UniformBuffer& buffer : program.uniform_buffers) {
        if (buffer.buffer != number) continue;
        taken = true;
        WARPJIT_CHECK(set((data == nullptr ? 0U : data->base) + buffer.offset,
                          static_cast<std::uint32_t>(place) + static_cast<std::uint32_t>(buffer.bias)));
      }
      if (!taken)
        return address->error("the program does not take this buffer's address; " +
                              buffers_text(program.uniform_buffers, "it takes that of",
                                           [](const auto& one) { return one.buffer; }));
    }
  }
  return {};
}

Result<BlendState> usse_blend(std::uint32_t word, const usse::Program& fragment, PixelFormat target) {
  const auto bits = [&](unsigned first, unsigned count) {
    return static_cast<std::uint8_t>(word >> first & ((1U << count) - 1));
  };
  usse::Draw draw;
  draw.blend = {.color_mask = bits(0, 8),
                .color_function = bits(8, 4),
                .alpha_function = bits(12, 4),
                .color_source = bits(16, 4),
                .color_target = bits(20, 4),
                .alpha_source = bits(24, 4),
                .alpha_target = bits(28, 4)};
  WARPJIT_TRY(const OutputState output,
              usse::convert_output(draw, target, PixelFormat::none, fragment.has(usse::Flag::native_color)));
  return output.blend[0];
}

Result<RasterState> usse_raster(const usse::Program* vertex, Topology topology) {
  usse::Draw draw;
  if (topology == Topology::points) draw.primitive = usse::Primitive::points;
  WARPJIT_TRY(RasterState raster, usse::convert_raster(draw, vertex != nullptr ? *vertex : usse::Program()));
  raster.topology = topology;
  // Vertices that are given say themselves whether they have one, by `point-size-slot`.
  if (vertex == nullptr) raster.point_size_slot = 0;
  return raster;
}

}  // namespace warpjit::tool
