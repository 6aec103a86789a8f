// Vertex data in the console's formats, as rows of primary attributes (docs/guests/usse.md 7).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontend/usse/stage_values.h"

namespace warpjit::usse {

inline constexpr unsigned kAttributeRows = 16, kRowWords = 4;  // of pa that vertices bring
inline constexpr std::size_t kMaxStreams = 16, kMaxAttributes = 16;

// Some rows of pa for each of some elements.
struct AttributeRows {
  unsigned rows = 0;                 // bit n: pa[4n] to pa[4n + 3]
  std::vector<std::uint32_t> words;  // element by element, of each the rows in their order

  std::size_t row_count() const;
  std::size_t element_words() const { return kRowWords * row_count(); }
};
struct FetchedAttributes {
  AttributeRows of_vertices, of_instances;
};

// An attribute's parameter; one of the same width if the container has none.
Parameter parameter_of(const Program& program, const VertexAttribute& attribute);

// Names attributes (by `names`, if they are given) and streams in errors: bad_input; unsupported for
// attributes that the program wants untyped, or whose rows are of vertices and of several instances;
// resource_limit.
Result<FetchedAttributes> fetch_attributes(const Program& vertex, std::span<const VertexStream> streams,
                                           std::span<const VertexAttribute> attributes,
                                           std::uint32_t vertices, std::uint32_t instances,
                                           std::span<const std::string> names = {});

}  // namespace warpjit::usse
