#include <algorithm>
#include <utility>

#include "capture/pica200/scene_sections.h"

namespace warpjit::pica200 {
namespace {

using capture::hex_text;
using capture::Section;
using capture::SectionFile;
using capture::SectionKind;

constexpr std::size_t kMaxOutputs = 4096, kMaxNames = std::size_t{1} << 20;

bool is_memory(SectionKind kind) {
  return kind == SectionKind::memory || kind == SectionKind::memory_again || kind == SectionKind::memory_zero;
}

// Memory of a section.
struct Piece {
  std::uint64_t address = 0, size = 0;
  std::span<const std::byte> bytes;  // empty: zeros
  std::size_t at = 0;                // of the section in the file
  std::uint64_t end() const { return address + size; }
};

class SceneReader {
 public:
  SceneReader(SectionFile sections, std::shared_ptr<const void> owner, const SceneLimits& limits)
      : sections_(std::move(sections)), owner_(std::move(owner)), limits_(limits) {}

  Result<Scene> read() {
    if (sections_.guest != capture::FileGuest::pica200) {
      const char* const kNames[] = {"PICA200", "Tesla", "USSE", "Valhall"};
      return fail(8,
                  std::string("the capture is of a ") + kNames[static_cast<unsigned>(sections_.guest) - 1] +
                      ": of version 2 only captures of a PICA200 can be run",
                  ErrorCode::unsupported);
    }
    for (const Section& section : sections_.sections) WARPJIT_CHECK(read(section));
    WARPJIT_CHECK(make_memory());
    return std::move(scene_);
  }

 private:
  Error fail(std::size_t at, std::string what, ErrorCode code = ErrorCode::bad_input) const {
    return sections_.file.fail(at, std::move(what), code);
  }
  static std::size_t contents(const Section& section) { return section.at + capture::kSectionHeader; }
  std::uint32_t word(const Section& section, std::size_t n) const {
    return sections_.file.word(contents(section) + 4 * n);
  }
  Status expect_size(const Section& section, std::uint64_t size, const char* what) const {
    if (section.bytes.size() == size) return {};
    return fail(section.at + 8, std::string("the section of ") + what + " has " +
                                    hex_text(section.bytes.size()) + " bytes, expected " + hex_text(size));
  }
  Status expect_least(const Section& section, std::uint64_t size, const char* what) const {
    if (section.bytes.size() >= size) return {};
    return fail(section.at + 8, std::string("the section of ") + what + " has " +
                                    hex_text(section.bytes.size()) + " bytes, expected at least " +
                                    hex_text(size));
  }
  std::string text(std::span<const std::byte> bytes) const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  Status read(const Section& section) {
    if (is_memory(section.kind)) return read_memory(section);
    switch (section.kind) {
      case SectionKind::registers:
        return read_registers(section);
      case SectionKind::state:
        scene_.jobs.emplace_back(StateLoad{
            std::make_shared<const std::vector<std::byte>>(section.bytes.begin(), section.bytes.end())});
        return {};
      case SectionKind::commands:
        WARPJIT_CHECK(expect_size(section, 8, "a command list"));
        add_job(CommandList{word(section, 0), word(section, 1)});
        return {};
      case SectionKind::fill:
        WARPJIT_CHECK(expect_size(section, 16, "a fill"));
        add_job(MemoryFill{word(section, 0), word(section, 1), word(section, 2), word(section, 3)});
        return {};
      case SectionKind::transfer:
        WARPJIT_CHECK(expect_size(section, 20, "a transfer"));
        add_job(DisplayTransfer{word(section, 0), word(section, 1), word(section, 2), word(section, 3),
                                word(section, 4)});
        return {};
      case SectionKind::copy:
        WARPJIT_CHECK(expect_size(section, 20, "a copy"));
        add_job(TextureCopy{word(section, 0), word(section, 1), word(section, 2), word(section, 3),
                            word(section, 4)});
        return {};
      case SectionKind::output:
        return read_output(section);
      case SectionKind::frame_end:
        WARPJIT_CHECK(expect_size(section, 0, "a frame's end"));
        scene_.frame_ends.push_back(scene_.jobs.size());
        return {};
      case SectionKind::name:
        return read_name(section);
      default:
        scene_.notes.push_back(text(section.bytes));
        return {};
    }
  }

  void add_job(SceneJob job) {
    scene_.jobs.push_back(std::move(job));
    started_ = true;
  }

  Result<Piece> read_piece(const Section& section) const {
    const capture::FileBytes& file = sections_.file;
    const std::size_t at = contents(section);
    const bool again = section.kind == SectionKind::memory_again,
               zero = section.kind == SectionKind::memory_zero;
    const std::size_t header = again ? 32 : 16;
    WARPJIT_CHECK(expect_least(section, header, "memory"));
    Piece piece{file.long_word(at), file.long_word(at + 8), {}, section.at};
    constexpr std::uint64_t kAddresses = std::uint64_t{1} << 32;
    if (piece.address >= kAddresses || piece.size == 0 || piece.size > kAddresses - piece.address)
      return fail(at, hex_text(piece.size) + " bytes at " + hex_text(piece.address) +
                          ", expected at least one below 2^32");
    if (again) {
      const std::uint64_t from = file.long_word(at + 16);
      // What it names lies before it: nothing goes in a circle.
      if (from > section.at || piece.size > section.at - from)
        return fail(at + 16, hex_text(piece.size) + " bytes at byte " + hex_text(from) +
                                 " do not lie before the section");
      piece.bytes =
          file.bytes().subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(piece.size));
    }
    if (again || zero) WARPJIT_CHECK(expect_size(section, header, "memory"));
    if (again || zero) return piece;
    WARPJIT_CHECK(expect_size(section, header + piece.size, "memory"));
    piece.bytes = section.bytes.subspan(header);
    return piece;
  }

  Status read_memory(const Section& section) {
    WARPJIT_TRY(const Piece piece, read_piece(section));
    if (!started_ || (section.flags & capture::kFirstFlag) != 0) {
      first_.push_back(piece);
      return {};
    }
    if (piece.size > limits_.loads - loaded_)
      return fail(section.at, "the jobs load more than " + hex_text(limits_.loads) + " bytes",
                  ErrorCode::resource_limit);
    loaded_ += piece.size;
    changes_.push_back(piece);
    scene_.jobs.emplace_back(MemoryLoad{static_cast<std::uint32_t>(piece.address),
                                        static_cast<std::uint32_t>(piece.size), piece.bytes, owner_});
    return {};
  }

  Status read_registers(const Section& section) {
    if (started_)
      return fail(section.at, "registers after a job, expected before the first: later ones are in lists");
    if (section.bytes.size() % 8 != 0)
      return fail(section.at + 8, "the section of registers has " + hex_text(section.bytes.size()) +
                                      " bytes, expected a multiple of 8");
    constexpr std::uint32_t kRegisters = 0x300;
    for (std::size_t n = 0; n < section.bytes.size() / 4; n += 2) {
      if (word(section, n) >= kRegisters)
        return fail(contents(section) + 4 * n,
                    "register " + hex_text(word(section, n)) + ", expected at most 0x2ff");
      scene_.registers.push_back({word(section, n), word(section, n + 1)});
    }
    return {};
  }

  Status read_output(const Section& section) {
    constexpr std::size_t kHeader = 32, kMaxName = 256;
    if (scene_.outputs.size() == kMaxOutputs)
      return fail(section.at, "more than " + std::to_string(kMaxOutputs) + " outputs",
                  ErrorCode::resource_limit);
    WARPJIT_CHECK(expect_least(section, kHeader, "an output"));
    SceneOutput output;
    output.address = word(section, 0);
    output.size = word(section, 1);
    output.tolerance = word(section, 2);
    constexpr std::uint32_t kMostTolerance = 255, kMostLayout = 3;
    if (output.tolerance > kMostTolerance)
      return fail(contents(section) + 8,
                  "tolerance is " + std::to_string(output.tolerance) + ", expected at most 255");
    if (word(section, 3) > kMostLayout)
      return fail(contents(section) + 12,
                  "layout is " + std::to_string(word(section, 3)) + ", expected 0 to 3");
    output.layout = static_cast<SceneOutput::Layout>(word(section, 3));
    output.width = word(section, 4);
    output.height = word(section, 5);
    output.format = word(section, 6);
    const std::size_t name = word(section, 7);
    if (name > kMaxName)
      return fail(contents(section) + 28,
                  "the name has " + std::to_string(name) + " bytes, expected at most 256");
    const bool expected = (section.flags & capture::kExpectedFlag) != 0;
    WARPJIT_CHECK(expect_size(section, kHeader + name + (expected ? std::uint64_t{output.size} : 0),
                              expected ? "an output with what is expected" : "an output"));
    output.name = text(section.bytes.subspan(kHeader, name));
    if (const auto problem = check_output(output)) return fail(contents(section), problem->message);
    if (expected) {
      const std::span<const std::byte> bytes = section.bytes.subspan(kHeader + name);
      output.expected.emplace(bytes.begin(), bytes.end());
    }
    scene_.outputs.push_back(std::move(output));
    return {};
  }

  Status read_name(const Section& section) {
    constexpr std::size_t kHeader = 16;
    constexpr std::uint32_t kMostOf = 2;
    if (scene_.names.size() == kMaxNames)
      return fail(section.at, "more than " + std::to_string(kMaxNames) + " names", ErrorCode::resource_limit);
    WARPJIT_CHECK(expect_least(section, kHeader, "a name"));
    if (word(section, 0) > kMostOf)
      return fail(contents(section), "what is named is " + std::to_string(word(section, 0)) +
                                         ", expected 0 (address), 1 (register) or 2 (draw)");
    scene_.names.push_back({static_cast<SceneName::Of>(word(section, 0)),
                            sections_.file.long_word(contents(section) + 8),
                            text(section.bytes.subspan(kHeader))});
    return {};
  }

  // The pieces of memory that any section names, with what they hold at first.
  Status make_memory() {
    std::ranges::sort(first_, {}, &Piece::address);
    for (std::size_t n = 1; n < first_.size(); ++n)
      if (first_[n].address < first_[n - 1].end()) {
        const auto [before, after] = std::minmax(first_[n - 1].at, first_[n].at);
        return fail(after + capture::kSectionHeader,
                    "the memory lies over that of the section at byte " + hex_text(before));
      }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // begin, end
    for (const Piece& piece : first_) ranges.emplace_back(piece.address, piece.end());
    for (const Piece& piece : changes_) ranges.emplace_back(piece.address, piece.end());
    WARPJIT_TRY(ranges, join(std::move(ranges)));
    for (const auto& [begin, end] : ranges) {
      SceneMemory& memory = scene_.memory.emplace_back();
      memory.address = static_cast<std::uint32_t>(begin);
      memory.bytes.resize(static_cast<std::size_t>(end - begin));
    }
    std::size_t range = 0;
    for (const Piece& piece : first_) {
      while (piece.address >= ranges[range].second) ++range;
      std::ranges::copy(piece.bytes, scene_.memory[range].bytes.begin() +
                                         static_cast<std::ptrdiff_t>(piece.address - ranges[range].first));
    }
    return {};
  }

  // Joins neighbours, and those with the smallest gaps between them, until a GPU can have that number of pieces.
  Result<std::vector<std::pair<std::uint64_t, std::uint64_t>>> join(
      std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges) const {
    std::ranges::sort(ranges);
    const auto join_gaps = [&](std::uint64_t most) {
      std::vector<std::pair<std::uint64_t, std::uint64_t>> joined;
      for (const auto& [begin, end] : ranges)
        if (!joined.empty() && begin <= joined.back().second + most)
          joined.back().second = std::max(joined.back().second, end);
        else
          joined.emplace_back(begin, end);
      ranges = std::move(joined);
    };
    join_gaps(0);
    if (ranges.size() > kMaxMemoryRanges) {
      std::vector<std::uint64_t> gaps;
      for (std::size_t n = 1; n < ranges.size(); ++n) gaps.push_back(ranges[n].first - ranges[n - 1].second);
      const auto last = gaps.begin() + static_cast<std::ptrdiff_t>(ranges.size() - kMaxMemoryRanges - 1);
      std::ranges::nth_element(gaps, last);
      join_gaps(*last);
    }
    std::uint64_t total = 0;
    for (const auto& [begin, end] : ranges) total += end - begin;
    if (total > limits_.memory)
      return fail(0, "the memory has " + hex_text(total) + " bytes, allowed are " + hex_text(limits_.memory),
                  ErrorCode::resource_limit);
    return ranges;
  }

  SectionFile sections_;
  std::shared_ptr<const void> owner_;
  const SceneLimits& limits_;
  Scene scene_;
  bool started_ = false;  // a job was read
  std::vector<Piece> first_, changes_;
  std::uint64_t loaded_ = 0;
};

}  // namespace

Result<Scene> read_capture(std::shared_ptr<const std::vector<std::byte>> bytes, std::string name,
                           const SceneLimits& limits) {
  WARPJIT_TRY(SectionFile sections, capture::read_sections(*bytes, std::move(name)));
  return SceneReader(std::move(sections), std::move(bytes), limits).read();
}

}  // namespace warpjit::pica200
