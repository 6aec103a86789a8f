// Any bytes as .wjcap of version 2, of any guest: what is read can be written, and is the same file then. Guests run
// theirs in targets of their own. Input: the file.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "capture/frames.h"
#include "capture/section_file.h"
#include "target.h"
#include "warpjit/capture.hpp"

namespace {

using namespace warpjit;

// True if the memory that the file claims is little; the limits of the format take too long to reach.
bool is_little(const capture::SectionFile& file) {
  constexpr std::uint64_t kMost = 1 << 20, kMostExtent = 1 << 24;
  constexpr std::size_t kMostPieces = 64;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> extents;  // by high words of addresses
  std::size_t pieces = 0;
  for (const capture::Section& section : file.sections) {
    if (section.kind > capture::SectionKind::memory_zero || section.bytes.size() < 16) continue;
    const capture::Fields fields(file.file, section);
    const std::uint64_t address = fields.long_word(0), size = fields.long_word(8);
    if (size > kMost || ++pieces > kMostPieces) return false;
    auto& [first, last] = extents.try_emplace(address >> 32, UINT64_MAX, 0).first->second;
    first = std::min(first, address);
    last = std::max(last, address + size);
    if (file.guest == capture::FileGuest::valhall && last - first > kMostExtent) return false;
  }
  return true;
}

std::vector<std::byte> written(const Capture& capture) {
  std::vector<std::byte> bytes;
  const Status done = capture.write(fuzz::append, &bytes);
  fuzz::require(done.ok(), "what was read can be written");
  return bytes;
}

}  // namespace

int warpjit::fuzz::fuzz_capture(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file = fuzz::bytes(data, size);
  if (size > 1 << 17 || capture::version_of(file) != capture::kVersion) return 0;
  const auto sections = capture::read_sections(file, "capture");
  if (sections && !is_little(*sections)) return 0;
  const auto read = Capture::load(file, "capture");
  if (!read) {
    fuzz::require(!read.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  fuzz::require(sections.ok() && read->frames() != 0, "a capture has a frame");
  const std::vector<std::byte> bytes = written(*read);
  const auto again = Capture::load(bytes, "written");
  fuzz::require(again.ok(), "what was written can be read");
  fuzz::require(again->jobs() == read->jobs() && again->frames() == read->frames() &&
                    again->names().size() == read->names().size() &&
                    again->notes().size() == read->notes().size() && again->product() == read->product(),
                "it is the same capture");
  fuzz::require(written(*again) == bytes, "it is the same file");
  const capture::Frames& frames = *read->state().frames;
  for (const capture::Part part : {capture::Part::state, capture::Part::vertices}) {
    const std::size_t count = frames.parts(part);
    std::vector<bool> half(count);
    for (std::size_t n = 0; n < count; n += 2) half[n] = true;
    const auto less = count == 0 ? nullptr : frames.without(part, half);
    fuzz::require(less == nullptr || part == capture::Part::state || less->vertices() <= frames.vertices(),
                  "without vertices there are fewer");
  }
  return 0;
}
