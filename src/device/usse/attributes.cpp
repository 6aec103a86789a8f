#include "device/usse/attributes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace warpjit::usse {
namespace {

constexpr std::uint64_t kMaxRowBytes = std::uint64_t{1} << 30;

Error attribute_error(std::string message, ErrorCode code = ErrorCode::bad_input) {
  return {code, std::move(message), {}};
}

class Fetcher {
 public:
  Fetcher(const Program& program, std::span<const VertexStream> streams,
          std::span<const VertexAttribute> attributes, std::span<const std::string> names)
      : program_(program), streams_(streams), attributes_(attributes), names_(names) {}

  Result<FetchedAttributes> run(std::uint32_t vertices, std::uint32_t instances) {
    if (streams_.size() > kMaxStreams) return attribute_error("streams are more than 16");
    if (attributes_.size() > kMaxAttributes) return attribute_error("attributes are more than 16");
    FetchedAttributes fetched;
    for (std::size_t n = 0; n < attributes_.size(); ++n) {
      WARPJIT_CHECK(check(n, attributes_[n]));
      const Parameter& parameter = parameters_.emplace_back(parameter_of(program_, attributes_[n]));
      const unsigned words = attribute_words(parameter, attributes_[n].format, attributes_[n].components);
      AttributeRows& rows = is_of_instances(n) ? fetched.of_instances : fetched.of_vertices;
      for (unsigned word = 0; word < words && attributes_[n].reg + word < kAttributeRows * kRowWords; ++word)
        rows.rows |= 1U << (attributes_[n].reg + word) / kRowWords;
    }
    const unsigned both = fetched.of_vertices.rows & fetched.of_instances.rows;
    if (both != 0 && instances > 1)
      return attribute_error("attributes per vertex and per instance have words of one row, pa" +
                                 std::to_string(kRowWords * static_cast<unsigned>(std::countr_zero(both))) +
                                 " and the next three",
                             ErrorCode::unsupported);
    fetched.of_instances.rows &= ~both;
    const std::uint64_t bytes = 16 * (std::uint64_t{vertices} * fetched.of_vertices.row_count() +
                                      std::uint64_t{instances} * fetched.of_instances.row_count());
    if (bytes > kMaxRowBytes)
      return attribute_error("vertices take more than 1 GiB", ErrorCode::resource_limit);
    WARPJIT_CHECK(fetch(fetched.of_vertices, false, vertices));
    WARPJIT_CHECK(fetch(fetched.of_instances, true, instances));
    return fetched;
  }

 private:
  bool is_of_instances(std::size_t attribute) const {
    return streams_[attributes_[attribute].stream].per_instance;
  }

  Status check(std::size_t number, const VertexAttribute& attribute) const {
    const std::string place =
        "attribute " + (number < names_.size() ? "'" + names_[number] + "'" : std::to_string(number));
    if (attribute.stream >= streams_.size())
      return attribute_error(place + ": there is no stream " + std::to_string(attribute.stream) +
                             "; there are " + std::to_string(streams_.size()));
    if (static_cast<unsigned>(attribute.format) >= kAttributeFormats)
      return attribute_error(place + ": its format " +
                             std::to_string(static_cast<unsigned>(attribute.format)) +
                             " is not defined; formats are 0 (u8) to 10 (untyped)");
    if (attribute.components < 1 || attribute.components > 4)
      return attribute_error(place + ": it has " + std::to_string(attribute.components) +
                             " components, not 1 to 4");
    if (attribute.reg >= kAttributeRows * kRowWords)
      return attribute_error(place + ": there is no register pa" + std::to_string(attribute.reg) +
                             "; attributes are in pa0 to pa" +
                             std::to_string(kAttributeRows * kRowWords - 1));
    if (program_.vertex.words != 0 && (program_.vertex.untyped >> attribute.reg & 1) != 0 &&
        attribute.format != AttributeFormat::untyped)
      return attribute_error(
          place + ": the program wants it untyped (format 10), not " + name(attribute.format),
          ErrorCode::unsupported);
    return {};
  }

  // Rows of that many elements; of attributes of the other kind the first element's.
  Status fetch(AttributeRows& rows, bool of_instances, std::uint32_t count) const {
    if (rows.rows == 0) return {};
    rows.words.resize(count * rows.element_words());
    std::uint32_t* to = rows.words.data();
    std::array<std::uint32_t, kAttributeRows * kRowWords> pa{};
    for (std::uint32_t element = 0; element < count; ++element) {
      pa.fill(0);
      for (std::size_t n = 0; n < attributes_.size(); ++n)
        WARPJIT_CHECK(store(n, is_of_instances(n) == of_instances ? element : 0, pa));
      for (unsigned row = 0; row < kAttributeRows; ++row)
        if ((rows.rows >> row & 1) != 0) to = std::copy_n(pa.begin() + kRowWords * row, kRowWords, to);
    }
    return {};
  }

  Status store(std::size_t number, std::uint32_t element, std::span<std::uint32_t> pa) const {
    const VertexAttribute& attribute = attributes_[number];
    const VertexStream& stream = streams_[attribute.stream];
    const std::uint64_t first = attribute.offset + std::uint64_t{element} * stream.stride;
    const std::uint64_t bytes = std::uint64_t{attribute.components} * bytes_of(attribute.format);
    std::array<std::byte, 16> memory{};  // beyond the stream it is 0
    if (stream.data != nullptr && first < stream.size)
      std::memcpy(memory.data(), static_cast<const std::byte*>(stream.data) + first,
                  static_cast<std::size_t>(std::min<std::uint64_t>(bytes, stream.size - first)));
    return store_attribute(parameters_[number], attribute.format, attribute.components,
                           std::span(memory).first(static_cast<std::size_t>(bytes)), pa);
  }

  const Program& program_;
  const std::span<const VertexStream> streams_;
  const std::span<const VertexAttribute> attributes_;
  const std::span<const std::string> names_;
  std::vector<Parameter> parameters_;
};

}  // namespace

Parameter parameter_of(const Program& program, const VertexAttribute& attribute) {
  for (const Parameter& parameter : program.parameters)
    if (parameter.category == Category::attribute && parameter.resource == attribute.reg) return parameter;
  Parameter parameter;
  parameter.components = attribute.components;
  parameter.resource = attribute.reg;
  return parameter;
}

std::size_t AttributeRows::row_count() const { return static_cast<std::size_t>(std::popcount(rows)); }

Result<FetchedAttributes> fetch_attributes(const Program& vertex, std::span<const VertexStream> streams,
                                           std::span<const VertexAttribute> attributes,
                                           std::uint32_t vertices, std::uint32_t instances,
                                           std::span<const std::string> names) {
  return Fetcher(vertex, streams, attributes, names).run(vertices, instances);
}

}  // namespace warpjit::usse
