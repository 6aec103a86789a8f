#include "capture/memory_reader.h"

#include <algorithm>

namespace warpjit::capture {

Result<MemoryReader::Piece> MemoryReader::read_piece(const Section& section) const {
  const Fields fields(file_, section);
  const bool again = section.kind == SectionKind::memory_again,
             zero = section.kind == SectionKind::memory_zero;
  const std::size_t header = again ? 32 : 16;
  WARPJIT_CHECK(fields.expect_least(header, "memory"));
  Piece piece{{fields.long_word(0), fields.long_word(8), {}}, section.at};
  const std::uint64_t last =
      limits_.address_bits < 64 ? (std::uint64_t{1} << limits_.address_bits) - 1 : UINT64_MAX;
  // A piece ends before the last address, so that its end is a number.
  if (piece.address > last || piece.size == 0 || piece.size - 1 > last - piece.address ||
      piece.size > UINT64_MAX - piece.address)
    return fields.fail(0, hex_text(piece.size) + " bytes at " + hex_text(piece.address) +
                              ", expected at least one below 2^" + std::to_string(limits_.address_bits));
  if (again) {
    const std::uint64_t from = fields.long_word(16);
    // What it names lies before it: nothing goes in a circle.
    if (from > section.at || piece.size > section.at - from)
      return fields.fail(
          16, hex_text(piece.size) + " bytes at byte " + hex_text(from) + " do not lie before the section");
    piece.bytes = file_.bytes().subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(piece.size));
  }
  WARPJIT_CHECK(fields.expect_size(again || zero ? header : header + piece.size, "memory"));
  if (!again && !zero) piece.bytes = fields.rest(header);
  return piece;
}

Result<std::optional<MemoryChange>> MemoryReader::read(const Section& section, bool started) {
  WARPJIT_TRY(const Piece piece, read_piece(section));
  if (!started || (section.flags & kFirstFlag) != 0) {
    first_.push_back(piece);
    return std::optional<MemoryChange>();
  }
  if (piece.size > limits_.loads - loaded_)
    return file_.fail(section.at, "the jobs load more than " + hex_text(limits_.loads) + " bytes",
                      ErrorCode::resource_limit);
  loaded_ += piece.size;
  changes_.push_back(piece);
  return std::optional<MemoryChange>(piece);
}

Status MemoryReader::sort_first() {
  std::ranges::sort(first_, {}, &Piece::address);
  for (std::size_t n = 1; n < first_.size(); ++n)
    if (first_[n].address < first_[n - 1].end()) {
      const auto [before, after] = std::minmax(first_[n - 1].at, first_[n].at);
      return file_.fail(after + kSectionHeader,
                        "the memory lies over that of the section at byte " + hex_text(before));
    }
  return {};
}

// Ranges with gaps of at most `most` bytes become one.
MemoryReader::Ranges MemoryReader::unite(const Ranges& ranges, std::uint64_t most) {
  Ranges united;
  for (const auto& [begin, end] : ranges)
    if (!united.empty() && (begin <= united.back().second || begin - united.back().second <= most))
      united.back().second = std::max(united.back().second, end);
    else
      united.emplace_back(begin, end);
  return united;
}

Status MemoryReader::check_given() const {
  Ranges ranges;
  for (const auto* pieces : {&first_, &changes_})
    for (const Piece& piece : *pieces)
      if (!piece.bytes.empty()) ranges.emplace_back(piece.address, piece.end());
  std::ranges::sort(ranges);
  std::uint64_t left = kMaxMemoryPerByte * file_.bytes().size();
  for (const auto& [begin, end] : unite(ranges, 0)) {
    if (end - begin > left)
      return file_.fail(0,
                        "the file names its bytes again as more than " + std::to_string(kMaxMemoryPerByte) +
                            " times as much memory",
                        ErrorCode::resource_limit);
    left -= end - begin;
  }
  return {};
}

Result<std::vector<MemoryReader::Piece>> MemoryReader::finish_in_place() {
  WARPJIT_CHECK(check_given());
  WARPJIT_CHECK(sort_first());
  std::vector<Piece> all = first_;
  std::ranges::sort(changes_, {}, &Piece::address);
  // What is known up to an address, of both.
  std::uint64_t end = 0;
  std::size_t next = 0;
  for (const Piece& change : changes_) {
    end = std::max(end, change.address);
    while (end < change.end()) {
      while (next < first_.size() && first_[next].end() <= end) ++next;
      const bool known = next < first_.size() && first_[next].address <= end;
      const std::uint64_t to =
          known ? first_[next].end()
                : std::min(change.end(), next < first_.size() ? first_[next].address : UINT64_MAX);
      if (!known) all.push_back({{end, to - end, {}}, change.at});
      end = to;
    }
  }
  std::ranges::sort(all, {}, &Piece::address);
  return all;
}

Result<std::vector<MemoryPiece>> MemoryReader::finish() {
  WARPJIT_CHECK(check_given());
  WARPJIT_CHECK(sort_first());
  Ranges ranges;
  for (const Piece& piece : first_) ranges.emplace_back(piece.address, piece.end());
  for (const Piece& piece : changes_) ranges.emplace_back(piece.address, piece.end());
  WARPJIT_TRY(ranges, join(std::move(ranges)));
  std::vector<MemoryPiece> memory;
  for (const auto& [begin, end] : ranges)
    memory.push_back({begin, LazyBytes(static_cast<std::size_t>(end - begin))});
  std::size_t range = 0;
  for (const Piece& piece : first_) {
    while (piece.address >= ranges[range].second) ++range;
    lazy::write(memory[range].bytes.data() + (piece.address - ranges[range].first), piece.bytes);
  }
  return memory;
}

Result<MemoryReader::Ranges> MemoryReader::join(Ranges ranges) const {
  std::ranges::sort(ranges);
  ranges = unite(ranges, 0);
  if (ranges.size() > limits_.pieces) {
    std::vector<std::uint64_t> gaps;
    for (std::size_t n = 1; n < ranges.size(); ++n) gaps.push_back(ranges[n].first - ranges[n - 1].second);
    const auto last = gaps.begin() + static_cast<std::ptrdiff_t>(ranges.size() - limits_.pieces - 1);
    std::ranges::nth_element(gaps, last);
    ranges = unite(ranges, *last);
  }
  std::uint64_t total = 0;
  for (const auto& [begin, end] : ranges) {
    const std::uint64_t size = end - begin;
    if (size > limits_.memory - total)
      return file_.fail(0, "the memory has more than " + hex_text(limits_.memory) + " bytes",
                        ErrorCode::resource_limit);
    total += size;
  }
  return ranges;
}

}  // namespace warpjit::capture
