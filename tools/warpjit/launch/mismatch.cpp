// Compares the results of a run with those that are expected.
#include <fmt/core.h>

#include <algorithm>

#include "launch/bound_launch.h"
#include "launch/numbers.h"

namespace warpjit::tool {

namespace {

constexpr ComponentType kFlag = ComponentType::u32;

std::string component_name(const BoundLaunch& bound, const ResultColumn& column, unsigned k) {
  std::string text = bound.file().program->register_name(column.reg);
  if (column.reg.components > 1) text += std::string(".") + "xyzw"[k];
  return text;
}

Mismatch row_mismatch(const BoundLaunch& bound, const ResultColumn& column, std::uint64_t thread, unsigned k,
                      ComponentType type, std::uint32_t got, std::uint32_t wanted) {
  return {fmt::format("thread {}, {}", thread, component_name(bound, column, k)), thread, type, got, wanted};
}

// Word `place` of a triangle, its flag being word 0.
Mismatch triangle_mismatch(const BoundLaunch& bound, std::uint64_t triangle, unsigned place,
                           std::uint32_t got, std::uint32_t wanted) {
  if (place == 0) return {fmt::format("triangle {}, inverted", triangle), 0, kFlag, got, wanted};
  const unsigned word = place - 1, vertex = word / bound.vertex_words();
  const std::string reg = bound.vertex_registers()[word % bound.vertex_words() / 4];
  return {fmt::format("triangle {}, vertex {}, {}.{}", triangle, vertex, reg, "xyzw"[word % 4]), 0,
          ComponentType::f32, got, wanted};
}

// A word of memory, `offset` bytes after the start of a piece.
Mismatch memory_mismatch(const BoundLaunch& bound, std::size_t piece, std::size_t offset, ComponentType type,
                         std::uint32_t got, std::uint32_t wanted) {
  const LaunchMemory& memory = bound.file().grid.memory[piece];
  return {fmt::format("{}[{}]", memory.space, address_text(memory.address + offset)), 0, type, got, wanted};
}

Mismatch other_count(std::string name, std::uint64_t got, std::uint64_t wanted) {
  return {std::move(name), 0, kFlag, static_cast<std::uint32_t>(got), static_cast<std::uint32_t>(wanted)};
}

std::optional<Mismatch> check_rows(const BoundLaunch& bound, const Expectation& wanted) {
  const LaunchFile& file = bound.file();
  const unsigned components = wanted.what.format.components;
  const std::uint64_t rows = wanted.words.size() / components;
  if (rows == 0 || rows * components != wanted.words.size() ||
      (!file.vertex.empty() && file.count == file.rows && rows != bound.threads()))
    return other_count("number of values of " + wanted.what.name, bound.threads() * components,
                       wanted.words.size());
  const ResultColumn& column = bound.column(wanted.what);
  for (std::uint64_t thread = 0; thread < bound.threads(); ++thread)
    for (unsigned k = 0; k < components; ++k) {
      const std::uint32_t word = wanted.words[static_cast<std::size_t>(thread % rows) * components + k];
      const std::uint32_t got = bound.word(column, thread, k);
      if (!wanted.accepts(got, word))
        return row_mismatch(bound, column, thread, k, wanted.what.format.type, got, word);
    }
  return std::nullopt;
}

std::optional<Mismatch> check_range(const BoundLaunch& bound, const Expectation& wanted) {
  for (std::size_t k = 0; k < wanted.words.size(); ++k)
    if (const std::uint32_t got = bound.word(wanted.what, k); !wanted.accepts(got, wanted.words[k]))
      return memory_mismatch(bound, wanted.what.piece, wanted.what.offset + 4 * k, wanted.what.format.type,
                             got, wanted.words[k]);
  return std::nullopt;
}

std::optional<Mismatch> check_triangle(const BoundLaunch& bound, std::uint64_t n,
                                       const ExpectedTriangle& wanted) {
  const Expectation exact;
  if (wanted.inverted != bound.inverted(n))
    return triangle_mismatch(bound, n, 0, bound.inverted(n), wanted.inverted);
  for (unsigned vertex = 0; vertex < 3; ++vertex)
    for (unsigned reg = 0, place = 0; reg < wanted.words.size(); ++reg) {
      if ((bound.file().geometry.outputs >> reg & 1) == 0) continue;
      for (unsigned c = 0; c < 4; ++c, ++place) {
        if ((wanted.given >> reg & 1) == 0) continue;
        const unsigned word = vertex * bound.vertex_words() + place;
        const std::uint32_t got = bound.triangle(n)[word], want = wanted.words[reg][vertex][c];
        if (!exact.accepts(got, want)) return triangle_mismatch(bound, n, 1 + word, got, want);
      }
    }
  return std::nullopt;
}

std::optional<Mismatch> check_triangles(const BoundLaunch& bound) {
  const LaunchFile& file = bound.file();
  if (!file.triangles || file.count != file.rows) return std::nullopt;
  if (bound.triangle_count() != file.triangles->size())
    return other_count("number of triangles", bound.triangle_count(), file.triangles->size());
  for (std::uint64_t n = 0; n < bound.triangle_count(); ++n)
    if (auto mismatch = check_triangle(bound, n, (*file.triangles)[static_cast<std::size_t>(n)]))
      return mismatch;
  return std::nullopt;
}

// A word of a target, counted through all of them.
Mismatch picture_mismatch(const BoundLaunch& bound, std::size_t position, std::uint32_t got,
                          std::uint32_t wanted) {
  std::size_t k = 0;
  for (; position * 4 >= bound.pictures()[k].bytes.size(); ++k)
    position -= (bound.pictures()[k].bytes.size() + 3) / 4;
  const BoundLaunch::Picture& picture = bound.pictures()[k];
  const std::size_t pixel = position * 4 / pixel_size(picture.format), width = bound.file().pixels.width;
  return {fmt::format("{} at column {}, row {}", BoundLaunch::picture_name(picture.target), pixel % width,
                      pixel / width),
          0, kFlag, got, wanted};
}

std::optional<Mismatch> check_picture(const BoundLaunch& bound, const ExpectedPicture& wanted) {
  const BoundLaunch::Picture& picture = *bound.picture(wanted.target);
  if (wanted.hash) {
    const std::uint64_t hash = picture.hash();
    if (hash == *wanted.hash) return std::nullopt;
    return Mismatch{fmt::format("hash of {} (all of it {:#018x})", wanted.name, hash), 0, kFlag,
                    static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(*wanted.hash)};
  }
  if (picture.bytes.size() != wanted.bytes.size())
    return other_count("bytes of " + wanted.name, picture.bytes.size(), wanted.bytes.size());
  const auto [got, want] = std::ranges::mismatch(picture.bytes, wanted.bytes);
  if (got == picture.bytes.end()) return std::nullopt;
  const auto at = static_cast<std::size_t>(got - picture.bytes.begin());
  const std::size_t pixel = at / pixel_size(picture.format), width = bound.file().pixels.width;
  return Mismatch{fmt::format("{} at column {}, row {}, byte {}", wanted.name, pixel % width, pixel / width,
                              at % pixel_size(picture.format)),
                  0, kFlag, static_cast<std::uint32_t>(*got), static_cast<std::uint32_t>(*want)};
}

// Word `position` of results() and where it lies.
Mismatch mismatch_at(const BoundLaunch& bound, std::size_t position, std::uint32_t got,
                     std::uint32_t wanted) {
  const std::size_t rows = static_cast<std::size_t>(bound.threads()) * bound.row_words();
  if (position < rows) {
    const std::uint64_t thread = position / bound.row_words();
    const auto place = static_cast<unsigned>(position % bound.row_words());
    for (const ResultColumn& column : bound.columns())
      if (place >= column.first && place < column.first + column.components) {
        const bool is_float = bound.file().guest().is_float(column.reg);
        return row_mismatch(bound, column, thread, place - column.first,
                            is_float ? ComponentType::f32 : ComponentType::s32, got, wanted);
      }
  }
  position -= rows;
  const std::size_t each = bound.triangle_words() + 1, triangles = bound.triangle_count() * each;
  if (position < triangles)
    return triangle_mismatch(bound, position / each, static_cast<unsigned>(position % each), got, wanted);
  position -= triangles;
  for (std::size_t piece = 0; piece < bound.memory().size(); ++piece) {
    const std::size_t words = (bound.memory()[piece].size() + 3) / 4;
    if (position < words)
      return memory_mismatch(bound, piece, position * 4, bound.file().grid.memory[piece].type, got, wanted);
    position -= words;
  }
  return picture_mismatch(bound, position, got, wanted);
}

}  // namespace

std::string to_string(const Mismatch& m) {
  return fmt::format("{}: got {}, wanted {}", m.place, number_text(m.type, m.got),
                     number_text(m.type, m.wanted));
}

std::optional<Mismatch> check_expectations(const BoundLaunch& bound) {
  const bool grid = bound.file().work == Work::grid;
  for (const Expectation& wanted : bound.file().expectations)
    if (auto mismatch = grid ? check_range(bound, wanted) : check_rows(bound, wanted)) return mismatch;
  for (const ExpectedPicture& wanted : bound.file().pixels.expected)
    if (auto mismatch = check_picture(bound, wanted)) return mismatch;
  return check_triangles(bound);
}

std::optional<Mismatch> compare_results(const BoundLaunch& bound, const std::vector<std::uint32_t>& wanted) {
  const std::vector<std::uint32_t> all = bound.results();
  const auto [got, expected] =
      std::mismatch(all.begin(), all.end(), wanted.begin(),
                    wanted.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), wanted.size())));
  const auto position = static_cast<std::size_t>(got - all.begin());
  if (position < std::min(all.size(), wanted.size())) return mismatch_at(bound, position, *got, *expected);
  if (all.size() == wanted.size()) return std::nullopt;
  const std::size_t rows = static_cast<std::size_t>(bound.threads()) * bound.row_words();
  const std::size_t each = bound.triangle_words() + 1;
  return other_count("number of triangles", (all.size() - rows) / each, (wanted.size() - rows) / each);
}

}  // namespace warpjit::tool
