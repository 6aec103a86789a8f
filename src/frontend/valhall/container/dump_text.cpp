#include "frontend/valhall/container/dump_text.h"

#include <algorithm>
#include <array>
#include <optional>

#include "frontend/valhall/container/capture_file.h"

namespace warpjit::valhall {
namespace {

constexpr std::string_view kJobHeader = "Job Header (", kBufferLine = "Buffer: ", kGpuWord = " gpu ",
                           kTypeLine = "Type: ";
constexpr std::size_t kLineBytes = 16;  // bytes of memory that a line has
// Shorter runs of zeros are bytes among others.
constexpr std::uint64_t kShortestZeroPiece = 4096;
// Sizes of buffers are multiples of it.
constexpr std::uint64_t kPageBytes = 4096;
constexpr std::size_t kMostToLookAt = 65536, kMostDigits = 16, kMostOfType = 64;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::string_view without_spaces(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}
unsigned digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  return 16;
}
// All of the text is a number of at most 16 digits.
std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  if (text.empty() || text.size() > kMostDigits) return {};
  std::uint64_t value = 0;
  for (const char c : text) {
    if (digit(c) == 16) return {};
    value = value << 4 | digit(c);
  }
  return value;
}
// "000010  ": what a line of a hexdump begins with, and where the rest is.
struct Offset {
  std::uint64_t value = 0;
  std::size_t end = 0;
};
std::optional<Offset> offset_of(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && end <= kMostDigits && digit(line[end]) != 16) ++end;
  if (end < 6 || end > kMostDigits || line.substr(end, 2) != "  ") return {};
  return Offset{*hexadecimal(line.substr(0, end)), end + 2};
}

}  // namespace

bool is_dump_text(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes.first(std::min(bytes.size(), kMostToLookAt)));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (line.starts_with(kJobHeader)) return true;
    if (line.starts_with(kBufferLine) && line.find(kGpuWord) != std::string_view::npos) return true;
    if (line.find('\0') != std::string_view::npos) return false;
    begin = end + 1;
  }
  return false;
}

class DumpTextReader::Text {
 public:
  Text(DumpTextReader& reader, std::span<const std::byte> bytes, const std::string& name)
      : reader_(reader), text_(as_text(bytes)), name_(name) {}

  Status read() {
    while (next()) {
      const std::string_view line = without_spaces(line_);
      if (line.starts_with(kJobHeader)) {
        WARPJIT_CHECK(read_header(line));
      } else if (line_.starts_with(kBufferLine)) {
        WARPJIT_CHECK(read_buffer());
      } else if (line.starts_with(kTypeLine)) {
        if (chain_ && chain_->jobs.back().type.empty())
          chain_->jobs.back().type = line.substr(kTypeLine.size(), kMostOfType);
      } else if (const auto offset = offset_of(line_); offset && line_.size() > offset->end) {
        return fail("a line of a hexdump is in no buffer: expected \"Buffer: NAME gpu ADDRESS\" before it");
      }
    }
    if (chain_) WARPJIT_CHECK(finish_chain());
    if (chains_ != 0) return {};
    return fail(
        "the text has no jobs: expected \"Job Header (ADDRESS):\", as PAN_MESA_DEBUG=trace,dump writes it");
  }

 private:
  // An error of a line, by default the last one.
  Error fail_at(std::uint64_t line, std::size_t byte, std::string what,
                ErrorCode code = ErrorCode::bad_input) const {
    return {code, std::move(what), name_ + ", line " + std::to_string(line) + ", byte " + hex_text(byte)};
  }
  Error fail(std::string what, ErrorCode code = ErrorCode::bad_input) const {
    return fail_at(std::max<std::uint64_t>(number_, 1), begin_, std::move(what), code);
  }
  // The text ends where more was expected.
  Error fail_at_end(const std::string& expected) const {
    return fail_at(number_ + (whole_ ? 1 : 0), text_.size(), "the text ends: expected " + expected);
  }

  // False: there is no further line.
  bool next() {
    if (at_ == text_.size()) return false;
    begin_ = at_;
    const std::size_t end = text_.find('\n', at_);
    whole_ = end != std::string_view::npos;
    line_ = text_.substr(at_, (whole_ ? end : text_.size()) - at_);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    at_ = whole_ ? end + 1 : text_.size();
    ++number_;
    return true;
  }

  Status read_header(std::string_view line) {
    const std::size_t end = line.find(')');
    const auto address = end == std::string_view::npos
                             ? std::nullopt
                             : hexadecimal(line.substr(kJobHeader.size(), end - kJobHeader.size()));
    if (!address) return fail("expected \"Job Header (ADDRESS):\", with a hexadecimal address");
    if (chain_ && !chain_->buffers.empty()) WARPJIT_CHECK(finish_chain());
    if (!chain_) {
      if (reader_.chains_.size() == kMaxChains)
        return fail("more than " + std::to_string(kMaxChains) + " chains of jobs", ErrorCode::resource_limit);
      chain_.emplace();
      chain_->chain.address = *address;
      chain_->file = name_;
      chain_byte_ = begin_;
    }
    chain_->jobs.push_back({.address = *address, .type = {}, .line = number_});
    return {};
  }

  Status read_buffer() {
    const std::size_t gpu = line_.rfind(kGpuWord);
    const auto address =
        gpu == std::string_view::npos ? std::nullopt : hexadecimal(line_.substr(gpu + kGpuWord.size()));
    if (!address) return fail("expected \"Buffer: NAME gpu ADDRESS\", with a hexadecimal address");
    if (!chain_)
      return fail(
          "memory without jobs: expected \"Job Header (ADDRESS):\" before it, which PAN_MESA_DEBUG=dump does "
          "not write without trace");
    if (chain_->buffers.size() == reader_.limits_.records)
      return fail("more than " + std::to_string(reader_.limits_.records) + " buffers",
                  ErrorCode::resource_limit);
    DumpedBuffer buffer{.address = *address, .size = 0, .open = false, .line = number_};
    if (!next() || !line_.empty()) {
      if (at_ == text_.size() && line_.empty()) return fail_at_end("an empty line, then a hexdump");
      return fail("expected an empty line between the buffer and its hexdump");
    }
    WARPJIT_CHECK(read_hexdump(buffer));
    if (buffer.size != 0) chain_->buffers.push_back(buffer);
    return {};
  }

  // What the lines of a buffer have said.
  struct Hexdump {
    std::size_t last = 0;                 // place of the last line's bytes among the memory's
    bool any = false;                     // there is one
    bool partial = false;                 // it has less than 16 bytes
    bool zeros = false, repeats = false;  // up to the next line
  };

  Status read_hexdump(DumpedBuffer& buffer) {
    Hexdump dump;
    const std::string place = "the buffer at " + hex_text(buffer.address);
    for (;;) {
      if (!next()) return fail_at_end("a line of the hexdump of " + place + ", or an empty one after it");
      if (!whole_) return fail_at_end("a whole line of the hexdump of " + place);
      if (line_.empty()) break;
      if (line_ == "*") {
        if (!dump.any || dump.partial || dump.repeats || dump.zeros)
          return fail("\"*\" repeats the line before: expected one with 16 bytes before it");
        dump.repeats = true;
        continue;
      }
      const auto offset = offset_of(line_);
      if (!offset)
        return fail(
            "expected an offset of six digits or more, two spaces and bytes, \"*\", or an empty line");
      if (dump.partial) return fail("a line after one with less than 16 bytes: expected an empty line");
      WARPJIT_CHECK(skip_to(*offset, dump, buffer));
      const std::string_view rest = line_.substr(offset->end);
      if (rest == "*")
        dump.zeros = true;
      else
        WARPJIT_CHECK(read_bytes(rest, dump, buffer));
    }
    if (dump.repeats) return fail("expected the line up to which \"*\" repeats the one before");
    if (dump.zeros) {
      // The mark stands for 32 zeros or more.
      buffer.open = true;
      WARPJIT_CHECK(add_zeros(buffer, 2 * kLineBytes));
    }
    return {};
  }

  // The bytes before the line that `offset` begins.
  Status skip_to(const Offset& offset, Hexdump& dump, DumpedBuffer& buffer) {
    const bool skips = dump.zeros || dump.repeats;
    if (skips ? offset.value <= buffer.size || offset.value % kLineBytes != 0 : offset.value != buffer.size)
      return fail("offset " + hex_text(offset.value) + ": expected " +
                  (skips ? "a multiple of 0x10 above " : "") + hex_text(buffer.size));
    const std::uint64_t count = offset.value - buffer.size;
    if (dump.zeros) WARPJIT_CHECK(add_zeros(buffer, count));
    if (dump.repeats) WARPJIT_CHECK(repeat(buffer, dump.last, count));
    dump.zeros = dump.repeats = false;
    return {};
  }

  Status read_bytes(std::string_view rest, Hexdump& dump, DumpedBuffer& buffer) {
    std::array<std::byte, kLineBytes> bytes{};
    std::size_t count = 0, at = 0;
    for (; at < rest.size() && count < kLineBytes; at += 3, ++count) {
      const unsigned high = digit(rest[at]), low = at + 1 < rest.size() ? digit(rest[at + 1]) : 16;
      if (high == 16 || low == 16 || (at + 2 < rest.size() && rest[at + 2] != ' '))
        return fail_at(number_, begin_ + static_cast<std::size_t>(rest.data() - line_.data()) + at,
                       "expected two hexadecimal digits and a space");
      bytes[count] = static_cast<std::byte>(high << 4 | low);
    }
    if (at < rest.size()) return fail("a line has more than 16 bytes");
    if (count == 0) return fail("expected bytes after the offset");
    WARPJIT_CHECK(check_room(buffer, count));
    dump.last = memory().bytes.size();
    dump.any = true;
    dump.partial = count < kLineBytes;
    add_bytes(buffer, std::span(bytes).first(count));
    return {};
  }

  ChainMemory& memory() { return chain_->memory; }
  Status check_room(const DumpedBuffer& buffer, std::uint64_t count) const {
    if (count > reader_.limits_.bytes || buffer.size > reader_.limits_.bytes - count)
      return fail("the buffer at " + hex_text(buffer.address) + " has more than " +
                      hex_text(reader_.limits_.bytes) + " bytes",
                  ErrorCode::resource_limit);
    if (buffer.address + buffer.size + count < buffer.address)
      return fail("the addresses of the buffer at " + hex_text(buffer.address) + " wrap");
    return {};
  }
  // What lines stand for and do not have.
  Status expand(std::uint64_t count) {
    if (count > reader_.expanded_left_)
      return fail("the lines marked with * stand for more than " + hex_text(reader_.limits_.bytes) + " bytes",
                  ErrorCode::resource_limit);
    reader_.expanded_left_ -= count;
    return {};
  }
  void add_bytes(DumpedBuffer& buffer, std::span<const std::byte> bytes) {
    const std::uint64_t address = buffer.address + buffer.size;
    std::vector<MemoryPiece>& pieces = memory().pieces;
    const bool follows =
        buffer.size != 0 && !pieces.back().zero && pieces.back().address + pieces.back().size == address;
    if (!follows) pieces.push_back({address, 0, memory().bytes.size(), false});
    pieces.back().size += bytes.size();
    memory().bytes.insert(memory().bytes.end(), bytes.begin(), bytes.end());
    buffer.size += bytes.size();
  }
  Status add_zeros(DumpedBuffer& buffer, std::uint64_t count) {
    WARPJIT_CHECK(check_room(buffer, count));
    if (count < kShortestZeroPiece) {
      WARPJIT_CHECK(expand(count));
      constexpr std::array<std::byte, kShortestZeroPiece> kZeros{};
      add_bytes(buffer, std::span(kZeros).first(static_cast<std::size_t>(count)));
    } else {
      memory().pieces.push_back({buffer.address + buffer.size, count, 0, true});
      buffer.size += count;
    }
    return {};
  }
  Status repeat(DumpedBuffer& buffer, std::size_t last, std::uint64_t count) {
    std::array<std::byte, kLineBytes> line{};
    std::ranges::copy(std::span(memory().bytes).subspan(last, kLineBytes), line.begin());
    if (std::ranges::all_of(line, [](std::byte b) { return b == std::byte{0}; }))
      return add_zeros(buffer, count);
    WARPJIT_CHECK(check_room(buffer, count));
    WARPJIT_CHECK(expand(count));
    for (std::uint64_t k = 0; k < count; k += kLineBytes) add_bytes(buffer, line);
    return {};
  }

  Status finish_chain() {
    DumpedChain& chain = *chain_;
    const DumpedJob& first = chain.jobs.front();
    const auto fail_chain = [&](std::string what) {
      return fail_at(first.line, chain_byte_,
                     "the chain of jobs at " + hex_text(first.address) + ": " + what);
    };
    if (chain.buffers.empty())
      return fail_chain(
          "no memory follows its trace: expected \"Buffer: NAME gpu ADDRESS\" and a hexdump before the next "
          "chain or the end of the text, as PAN_MESA_DEBUG=trace,dump writes them; trace alone does not");
    std::vector<DumpedBuffer>& buffers = chain.buffers;
    std::ranges::sort(buffers, {}, &DumpedBuffer::address);
    for (std::size_t k = 1; k < buffers.size(); ++k)
      if (buffers[k].address - buffers[k - 1].address < buffers[k - 1].size)
        return fail_chain("the buffer at " + hex_text(buffers[k].address) + " of line " +
                          std::to_string(buffers[k].line) + " overlaps the one at " +
                          hex_text(buffers[k - 1].address) + " of line " +
                          std::to_string(buffers[k - 1].line) + ", as where two contexts write one text");
    close_buffers();
    if (std::ranges::none_of(buffers, [&](const DumpedBuffer& buffer) {
          return first.address - buffer.address < buffer.size;
        }))
      return fail_chain("it is in none of the buffers that follow its trace: expected one with its address");
    std::ranges::sort(memory().pieces, {}, &MemoryPiece::address);
    chain.chain.fragment = first.type == "Fragment";
    reader_.chains_.push_back(std::move(chain));
    chain_.reset();
    ++chains_;
    return {};
  }

  // Buffers that end in zeros go on to the end of a page, or to the next one.
  void close_buffers() {
    std::vector<DumpedBuffer>& buffers = chain_->buffers;
    for (std::size_t k = 0; k < buffers.size(); ++k) {
      if (!buffers[k].open) continue;
      const std::uint64_t end = buffers[k].address + buffers[k].size,
                          page = (end + kPageBytes - 1) / kPageBytes * kPageBytes;
      std::uint64_t more = std::max(page, end) - end;  // none where that wraps
      if (k + 1 < buffers.size()) more = std::min(more, buffers[k + 1].address - end);
      if (more != 0) memory().pieces.push_back({end, more, 0, true});
      buffers[k].size += more;
    }
  }

  DumpTextReader& reader_;
  std::string_view text_, line_;
  const std::string& name_;
  std::size_t at_ = 0, begin_ = 0;  // of the next line; of this one
  std::uint64_t number_ = 0;        // of this line, from 1
  bool whole_ = true;               // it has an end
  std::optional<DumpedChain> chain_;
  std::size_t chain_byte_ = 0, chains_ = 0;
};

Status DumpTextReader::read(std::span<const std::byte> text, const std::string& name) {
  return Text(*this, text, name).read();
}

}  // namespace warpjit::valhall
