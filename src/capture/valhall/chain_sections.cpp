#include "capture/valhall/chain_sections.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "capture/memory_reader.h"
#include "capture/memory_writer.h"
#include "device/valhall/dump_capture.h"
#include "frontend/valhall/container/dump_text.h"

namespace warpjit::valhall {
namespace {

using capture::Fields;
using capture::FileGuest;
using capture::Numbers;
using capture::Section;
using capture::SectionFile;
using capture::SectionKind;

constexpr std::uint32_t kFragmentFlag = 1;  // of chains

class ChainReader {
 public:
  ChainReader(const SectionFile& sections, capture::FileOwner owner, const ImageLimits& limits)
      : sections_(sections),
        owner_(std::move(owner)),
        limits_(limits),
        memory_(sections.file, {.address_bits = 64}) {}

  Result<CaptureFile> read() {
    for (const Section& section : sections_.sections) WARPJIT_CHECK(read(section));
    WARPJIT_TRY(const std::vector<capture::MemoryReader::Piece> memory, memory_.finish_in_place());
    std::vector<ImagePiece> pieces;
    pieces.reserve(memory.size());
    for (const auto& piece : memory)
      pieces.push_back({.address = piece.address, .size = piece.size, .bytes = piece.bytes, .at = piece.at});
    WARPJIT_TRY(chains_.image, Image::make(std::move(pieces), sections_.file.name(), limits_));
    WARPJIT_TRY(capture::Texts texts, capture::read_texts(sections_));
    chains_.names = std::move(texts.names);
    chains_.notes = std::move(texts.notes);
    chains_.gpu = sections_.product;
    return std::move(chains_);
  }

 private:
  Status read(const Section& section) {
    if (capture::is_memory(section.kind)) {
      WARPJIT_TRY(const auto change, memory_.read(section, !chains_.chains.empty()));
      if (change) next_.list.push_back({change->address, change->size, change->bytes});
      return {};
    }
    const Fields fields(sections_.file, section);
    switch (section.kind) {
      case SectionKind::chain:
        return read_chain(fields);
      case SectionKind::expected_target:
        return read_expected(fields);
      default:
        return capture::read_other(sections_.file, section, "a Valhall GPU", 0, nullptr);
    }
  }

  Status read_chain(const Fields& fields) {
    WARPJIT_CHECK(fields.expect_size(8, "a chain"));
    if (chains_.chains.size() == kMaxChains)
      return sections_.file.fail(fields.section().at,
                                 "more than " + std::to_string(kMaxChains) + " chains of jobs",
                                 ErrorCode::resource_limit);
    chains_.chains.push_back({fields.long_word(0), (fields.section().flags & kFragmentFlag) != 0});
    if (!next_.list.empty()) next_.owner = owner_;
    chains_.changes.push_back(std::exchange(next_, {}));
    return {};
  }

  Status read_expected(const Fields& fields) {
    constexpr std::size_t kHeader = 32;
    constexpr std::uint32_t kMostTolerance = 255;
    WARPJIT_CHECK(fields.expect_least(kHeader, "an expected target"));
    const std::uint64_t size = fields.long_word(8);
    if (size > fields.section().bytes.size() - kHeader || size == 0)
      return fields.fail(8, "the target has " + hex_text(size) + " bytes, expected " +
                                hex_text(fields.section().bytes.size() - kHeader) + ", and at least one");
    WARPJIT_CHECK(fields.expect_size(kHeader + size, "an expected target"));
    if (fields.word(20) >= kMaxColorTargets)
      return fields.fail(20, "the target is " + std::to_string(fields.word(20)) + ", expected 0 to 7");
    if (fields.word(24) > kMostTolerance)
      return fields.fail(24,
                         "the tolerance is " + std::to_string(fields.word(24)) + ", expected at most 255");
    if (fields.word(28) != 0)
      return fields.fail(28, "the word is " + hex_text(fields.word(28)) + ", expected 0");
    if (chains_.expected.size() == kMaxExpected)
      return sections_.file.fail(fields.section().at,
                                 "more than " + std::to_string(kMaxExpected) + " expected targets",
                                 ErrorCode::resource_limit);
    chains_.expected.push_back({.job = fields.word(16),
                                .target = fields.word(20),
                                .tolerance = fields.word(24),
                                .address = fields.long_word(0),
                                .bytes = fields.rest(kHeader),
                                .at = fields.section().at,
                                .owner = owner_});
    return {};
  }

  const SectionFile& sections_;
  capture::FileOwner owner_;
  ImageLimits limits_;
  capture::MemoryReader memory_;
  CaptureFile chains_;
  ChainChanges next_;  // what is written before the next chain
};

}  // namespace

Result<CaptureFile> read_chain_sections(const SectionFile& sections, capture::FileOwner owner,
                                        const ImageLimits& limits) {
  return ChainReader(sections, std::move(owner), limits).read();
}

namespace {

// Pages of zeros between others are not written: they are there all the same. Ends of windows are.
void write_window(capture::MemoryWriter& memory, const ImageWindow& window) {
  constexpr std::size_t kEnd = 8;  // sizes of windows are multiples of it
  const std::span<const std::byte> bytes = window.bytes();
  std::size_t written = 0;
  const auto write_run = [&](std::size_t begin, std::size_t end) {
    if (begin == end) return;
    if (written == 0 && begin != 0) memory.write_zeros(window.address(), kEnd, true);
    memory.write(window.address() + begin, bytes.subspan(begin, end - begin), true);
    written = end;
  };
  std::size_t begin = 0;  // of the run
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = std::min<std::size_t>(
        capture::kPageBytes - (window.address() + at) % capture::kPageBytes, bytes.size() - at);
    if (bytes[at] == std::byte{0} && std::memcmp(&bytes[at], &bytes[at + 1], size - 1) == 0) {
      write_run(begin, at);
      begin = at + size;
    }
    at += size;
  }
  write_run(begin, bytes.size());
  if (written == 0 && bytes.size() > kEnd) memory.write_zeros(window.address(), kEnd, true);
  if (written < bytes.size()) memory.write_zeros(window.address() + bytes.size() - kEnd, kEnd, true);
}

}  // namespace

void write_chains(capture::SectionWriter& file, const CaptureFile& chains) {
  capture::MemoryWriter memory(file);
  for (const ImageWindow& window : chains.image.windows()) write_window(memory, window);
  for (std::size_t n = 0; n < chains.chains.size(); ++n) {
    if (n < chains.changes.size()) {
      for (const MemoryChange& change : chains.changes[n].list)
        memory.write_change(change.address, change.size, change.bytes);
    }
    const JobChain& chain = chains.chains[n];
    Numbers numbers;
    file.write(SectionKind::chain, chain.fragment ? kFragmentFlag : 0,
               numbers.long_word(chain.address).bytes());
  }
  for (const ExpectedTarget& expected : chains.expected) {
    Numbers numbers;
    numbers.long_word(expected.address).long_word(expected.bytes.size());
    numbers.word(static_cast<std::uint32_t>(expected.job))
        .word(expected.target)
        .word(expected.tolerance)
        .word(0);
    file.write(SectionKind::expected_target, 0, numbers.bytes(), expected.bytes);
  }
}

Status write_capture(const CaptureFile& chains, CaptureSink sink, void* context) {
  capture::SectionWriter file(sink, context, FileGuest::valhall, chains.gpu);
  write_chains(file, chains);
  capture::write_texts(file, {chains.names, chains.notes});
  return file.finish();
}

Result<CaptureFile> load_captures(std::span<const CaptureBytes> files, const ImageLimits& limits,
                                  bool expected) {
  if (files.size() != 1 || capture::version_of(files[0].bytes) != capture::kVersion)
    return read_captures(files, limits, expected);
  if (expected) return read_captures(files, limits, expected);
  const auto owner =
      std::make_shared<const std::vector<std::byte>>(files[0].bytes.begin(), files[0].bytes.end());
  WARPJIT_TRY(const SectionFile sections, capture::read_sections(*owner, std::string(files[0].name)));
  if (sections.guest != FileGuest::valhall)
    return sections.file.fail(8, "the capture is of another guest than a Valhall GPU",
                              ErrorCode::unsupported);
  return read_chain_sections(sections, owner, limits);
}

bool is_chain_file(std::span<const std::byte> bytes) {
  constexpr std::uint32_t kGuestAt = 8;
  const capture::FileBytes file(bytes, {});
  const std::uint32_t version = capture::version_of(bytes);
  if (version == capture::kVersion)
    return bytes.size() >= kGuestAt + 4 &&
           file.word(kGuestAt) == static_cast<std::uint32_t>(FileGuest::valhall);
  return version == 1 || is_core_dump(bytes) || is_dump_text(bytes);
}

}  // namespace warpjit::valhall
