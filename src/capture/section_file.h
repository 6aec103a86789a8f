// Files of the format .wjcap, version 2: a header, then sections in the order of time (docs/captures.md has every
// byte). Nothing in a file points forward, so that it is written and read from its beginning to its end. Files may
// be hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "warpjit/capture.hpp"

namespace warpjit::capture {

inline constexpr std::uint32_t kMagic = 0x31434a57;  // "WJC1", of all versions
inline constexpr std::uint32_t kVersion = 2;
inline constexpr std::size_t kFileHeader = 32, kSectionHeader = 16, kAlign = 16;
inline constexpr std::uint64_t kMaxSections = std::uint64_t{1} << 22;

enum class FileGuest : std::uint32_t { pica200 = 1, tesla = 2, usse = 3, valhall = 4 };
FileGuest guest_of(Isa isa);
const char* name_of(FileGuest guest);  // "a PICA200"

enum class SectionKind : std::uint32_t {
  memory = 1,        // address, size, bytes
  memory_again = 2,  // address, size, place of bytes before this section
  memory_zero = 3,   // address, size
  registers = 4,     // pairs of register and value
  state = 5,         // bytes of a guest's own saved state
  commands = 6,
  fill = 7,
  transfer = 8,
  copy = 9,
  output = 10,
  frame_end = 11,
  name = 12,
  note = 13,
  end = 14,
  program = 15,
  scene = 16,
  scene_draw = 17,
  scene_end = 18,
  launch = 19,
  chain = 20,
  expected = 21,
  calls = 22,            // of the PICA200
  expected_target = 23,  // of Valhall GPUs
};
inline constexpr std::uint32_t kLastKind = 23;
// Of sections of memory: nothing before them reads or writes these bytes.
inline constexpr std::uint32_t kFirstFlag = 1;
// Of states: of the vertices' part alone.
inline constexpr std::uint32_t kPipelineFlag = 1;
// Of outputs: what is expected is there.
inline constexpr std::uint32_t kExpectedFlag = 1;
// Of any section: a reader that does not know its kind must refuse the file.
inline constexpr std::uint32_t kMustKnow = std::uint32_t{1} << 31;

std::string hex_text(std::uint64_t value);  // "0x1f"
// "1 vertex", "2 vertices".
std::string count_text(std::uint64_t count, const char* one, const char* many);

// The version of a .wjcap file by its first bytes; 0 for other files.
std::uint32_t version_of(std::span<const std::byte> bytes);

struct Section {
  SectionKind kind{};
  std::uint32_t flags = 0;
  std::size_t at = 0;  // of its header in the file
  std::span<const std::byte> bytes;
};

// Little-endian numbers of a file, and errors that name its bytes.
class FileBytes {
 public:
  FileBytes(std::span<const std::byte> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}
  std::span<const std::byte> bytes() const { return bytes_; }
  const std::string& name() const { return name_; }
  // They lie in the file.
  std::uint32_t word(std::size_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }
  std::uint64_t long_word(std::size_t at) const { return number(at, 8); }
  Error fail(std::size_t at, std::string what, ErrorCode code = ErrorCode::bad_input) const;

 private:
  std::uint64_t number(std::size_t at, std::size_t size) const;
  std::span<const std::byte> bytes_;
  std::string name_;
};

// The sections of a file, all within it, without the last one, which says that the file is whole. Kinds that this
// version does not know are left out. Sizes are checked, contents are not. Errors name the byte and what was
// expected there: bad_input, resource_limit; unsupported for another version, and for what must be known.
struct SectionFile {
  FileBytes file;
  FileGuest guest{};
  std::uint32_t product = 0;
  std::vector<Section> sections;
};
Result<SectionFile> read_sections(std::span<const std::byte> bytes, std::string name);

// The numbers of a section by their places in it, and errors that name its bytes.
class Fields {
 public:
  Fields(const FileBytes& file, const Section& section) : file_(file), section_(section) {}
  // `what`: "memory", as in "the section of memory has".
  Status expect_size(std::uint64_t size, const char* what) const;
  Status expect_least(std::uint64_t size, const char* what) const;
  // Their bytes are there.
  std::uint32_t word(std::size_t at) const { return file_.word(section_.at + kSectionHeader + at); }
  std::uint64_t long_word(std::size_t at) const { return file_.long_word(section_.at + kSectionHeader + at); }
  std::span<const std::byte> rest(std::size_t at) const { return section_.bytes.subspan(at); }
  std::string text(std::size_t at, std::size_t size) const;
  // At a byte of its contents.
  Error fail(std::size_t at, std::string what, ErrorCode code = ErrorCode::bad_input) const {
    return file_.fail(section_.at + kSectionHeader + at, std::move(what), code);
  }
  const Section& section() const { return section_; }
  const FileBytes& file() const { return file_; }

 private:
  const FileBytes& file_;
  const Section& section_;
};

// What is left when a reader knows its own kinds: texts, which others read, and the end of a frame, before number `next`
// of what happens. `ends`: null if files have no such ends. Errors: bad_input for other kinds, which captures of
// `whose`, such as "a USSE", do not have.
Status read_other(const FileBytes& file, const Section& section, const char* whose, std::size_t next,
                  std::vector<std::size_t>* ends);

// Writes a file to a sink, from its beginning to its end, in large parts: a sink has all of a frame once that ends. The
// first error of the sink is kept; then nothing more is written.
class SectionWriter {
 public:
  SectionWriter(CaptureSink sink, void* context, FileGuest guest, std::uint32_t product = 0);
  // Parts of the contents one after the other. Returns where they begin in the file.
  std::uint64_t write(SectionKind kind, std::uint32_t flags, std::span<const std::byte> first,
                      std::span<const std::byte> second = {});
  // The ends of frames before number `next` of what happens.
  void write_ends(const std::vector<std::size_t>& ends, std::size_t next);
  // The section that ends the file. Errors: io for a sink that did not take bytes.
  Status finish();
  std::uint64_t place() const { return place_; }

 private:
  void put(std::span<const std::byte> bytes);
  void pass(std::span<const std::byte> bytes);  // to the sink
  void flush();

  CaptureSink sink_;
  void* context_;
  std::vector<std::byte> waiting_;
  std::uint64_t place_ = 0, sections_ = 0;
  bool failed_ = false;
};

// The contents of a section of numbers.
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(std::size_t room) { grow(room); }
  Numbers& word(std::uint32_t value) { return put<4>(value); }
  Numbers& words(std::span<const std::uint32_t> values);
  Numbers& long_word(std::uint64_t value) { return put<8>(value); }
  Numbers& text(std::string_view value);  // without its size
  std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }
  void clear() { size_ = 0; }  // keeps its memory

 private:
  template <unsigned kBytes>
  Numbers& put(std::uint64_t value) {
    std::byte* const to = add(kBytes);
    for (unsigned k = 0; k < kBytes; ++k) to[k] = static_cast<std::byte>(value >> 8 * k);
    return *this;
  }
  // Where as many bytes follow.
  std::byte* add(std::size_t size) {
    if (room_ - size_ < size) grow(size);
    size_ += size;
    return bytes_.get() + (size_ - size);
  }
  void grow(std::size_t size);

  std::unique_ptr<std::byte[]> bytes_;  // not a vector, which sets what it then gets
  std::size_t size_ = 0, room_ = 0;
};

}  // namespace warpjit::capture
