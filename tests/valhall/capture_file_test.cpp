// Files of captures: what is read of each kind, what is wrong with others, and what is written.
#include "frontend/valhall/container/capture_file.h"

#include "capture/valhall/chain_sections.h"
#include "support/byte_sink.h"
#include "support/same_bytes.h"
#include "valhall/image_builder.h"

namespace warpjit::valhall {
namespace {

class FileBytes {
 public:
  void put(std::uint64_t value, std::size_t size) { append_number(bytes_, value, size); }
  void text(std::string_view text) {
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
  }
  void section(std::uint32_t kind, std::uint32_t flags, std::uint64_t address, std::uint64_t from,
               std::uint64_t size) {
    put(kind, 4);
    put(flags, 4);
    put(address, 8);
    put(from, 8);
    put(size, 8);
  }
  void set(std::size_t at, std::uint64_t value, std::size_t size) {
    for (std::size_t k = 0; k < size; ++k) bytes_[at + k] = static_cast<std::byte>(value >> 8 * k);
  }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Memory at 0x1000 and 0x2000, zeros at 0x3000, two chains, something unknown and a note.
FileBytes sections() {
  FileBytes file;
  file.text("WJC1");
  file.put(1, 4);
  file.put(0x9093, 4);
  file.put(7, 4);
  constexpr std::uint64_t kData = 16 + 7 * 32;
  file.section(1, 1, 0x1000, kData, 8);
  file.section(3, 0, 0x1000, 0, 0);
  file.section(1, 0, 0x2000, kData + 8, 4);
  file.section(2, 0, 0x3000, 0, 0x100);
  file.section(77, 0, 0, ~std::uint64_t{0}, 1);
  file.section(3, 1, 0x2000, 0, 0);
  file.section(5, 0, 0, kData, 2);
  file.put(0x1122334455667788, 8);
  file.put(0x99aabbcc, 4);
  return file;
}

// The registers, two buffers of which one is not valid, page maps and the trailer.
FileBytes dump() {
  FileBytes file;
  std::vector<std::byte>& bytes = file.bytes();
  const auto object = [&](std::uint32_t type, std::uint32_t size, std::uint32_t from) {
    const std::size_t at = bytes.size();
    bytes.resize(at + 2000);
    file.set(at, 0x464e4150, 4);
    file.set(at + 4, type, 4);
    file.set(at + 8, size, 4);
    file.set(at + 12, from, 4);
    return at;
  };
  const std::size_t registers = object(0, 0, 0);
  file.set(registers + 16, 0x200001180, 8);
  file.set(registers + 24, 0x9093, 4);
  object(1, 8, 2000);
  const std::size_t first = object(2, 16, 10000);
  file.set(first + 16, 1, 4);
  file.set(first + 24, 0x200001000, 8);
  const std::size_t second = object(2, 16, 10000);
  file.set(second + 24, 0x300001000, 8);
  object(3, 0, 0);
  file.put(0x0102030405060708, 8);
  file.put(0x1112131415161718, 8);
  return file;
}

std::string failure_of(const std::vector<std::byte>& bytes) {
  const auto read = read_capture(bytes, "file");
  return read ? "is read" : std::string(name(read.error().code)) + ", " + to_string(read.error());
}

TEST(ValhallCaptureFile, Sections) {
  const auto read = read_capture(sections().bytes(), "file");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(read->gpu, 0x9093U);
  ASSERT_EQ(read->chains.size(), 2U);
  EXPECT_EQ(read->chains[0].address, 0x1000U);
  EXPECT_FALSE(read->chains[0].fragment);
  EXPECT_EQ(read->chains[1].address, 0x2000U);
  EXPECT_TRUE(read->chains[1].fragment);
  EXPECT_EQ(*read->image.u64(0x1000), 0x1122334455667788U);
  EXPECT_EQ(*read->image.u32(0x2000), 0x99aabbccU);
  EXPECT_EQ(*read->image.u32(0x30fc), 0U);
  EXPECT_FALSE(read->image.u32(0x3100).ok());
}

TEST(ValhallCaptureFile, BadSections) {
  const auto with = [](std::size_t at, std::uint64_t value, std::size_t size) {
    FileBytes file = sections();
    file.set(at, value, size);
    return failure_of(file.bytes());
  };
  constexpr std::size_t kRow = 32;
  EXPECT_EQ(with(4, 2, 4), "not supported, file, byte 0x4: version is 2, not 1");
  EXPECT_EQ(with(12, 8, 4), "bad input, file, byte 0xc: 8 sections are not all in the file");
  EXPECT_EQ(with(12, ~0U, 4), "bad input, file, byte 0xc: 4294967295 sections are not all in the file");
  EXPECT_EQ(with(16 + 16, 300, 8),
            "bad input, file, byte 0x10: 0x8 bytes at byte 0x12c are not all in the file");
  EXPECT_EQ(with(16 + 24, ~std::uint64_t{0}, 8),
            "bad input, file, byte 0x10: 0xffffffffffffffff bytes at byte 0xf0 are not all in the file");
  EXPECT_EQ(with(16 + 4 * kRow + 4, 1U << 31, 4), "not supported, file, byte 0x90: a section of kind 77");
  EXPECT_EQ(with(16 + 6 * kRow + 24, 100, 8),
            "bad input, file, byte 0xd0: 0x64 bytes at byte 0xf0 are not all in the file");
  EXPECT_EQ(with(16 + 3 * kRow + 24, 0, 8), "bad input, file, byte 0x70: a record has a length of 0");
  EXPECT_EQ(with(16 + 3 * kRow + 24, ~std::uint64_t{0} - 0x3000, 8).substr(0, 14), "resource limit");
  EXPECT_EQ(with(16 + 3 * kRow + 8, 0x1004, 8),
            "bad input, file, byte 0x70: a record overlaps the one at byte 0x10, at address 0x1004");
  FileBytes many;
  many.text("WJC1");
  many.put(1, 4);
  many.put(0, 4);
  many.put(4097, 4);
  for (unsigned k = 0; k < 4097; ++k) many.section(3, 0, 0x1000, 0, 0);
  EXPECT_EQ(failure_of(many.bytes()).substr(0, 35), "resource limit, file, byte 0x20010:");
}

TEST(ValhallCaptureFile, Dump) {
  const auto read = read_capture(dump().bytes(), "file");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(read->gpu, 0x9093U);
  ASSERT_EQ(read->chains.size(), 1U);
  EXPECT_EQ(read->chains[0].address, 0x200001180U);
  ASSERT_EQ(read->image.windows().size(), 1U);
  EXPECT_EQ(*read->image.u64(0x200001000), 0x0102030405060708U);
  EXPECT_EQ(*read->image.u64(0x200001008), 0x1112131415161718U);
}

TEST(ValhallCaptureFile, BadDump) {
  const auto with = [](std::size_t at, std::uint64_t value) {
    FileBytes file = dump();
    file.set(at, value, 4);
    return failure_of(file.bytes());
  };
  EXPECT_EQ(with(2000, 0), "bad input, file, byte 0x7d0: an object does not begin with PANF");
  EXPECT_EQ(with(2004, 0),
            "bad input, file, byte 0x7d0: type: the object of the registers is not the first, alone");
  EXPECT_EQ(with(4, 2),
            "bad input, file, byte 0x0: type: the object of the registers is not the first, alone");
  EXPECT_EQ(with(2004, 9), "bad input, file, byte 0x7d0: type: there is no 9");
  EXPECT_EQ(with(4012, 10001),
            "bad input, file, byte 0xfa0: 0x10 bytes at byte 0x2711 are not all in the file");
  EXPECT_EQ(with(8004, 1).substr(0, 48), "bad input, file, byte 0x2710: the file ends befo");
}

// Every file that is cut is refused.
TEST(ValhallCaptureFile, TruncatedFiles) {
  const std::vector<std::byte> whole = sections().bytes();
  for (std::size_t size = 4; size < whole.size(); ++size)
    EXPECT_FALSE(read_capture(std::span(whole).first(size), "file").ok()) << size;
  const std::vector<std::byte> dumped = dump().bytes();
  for (std::size_t size = 4; size < dumped.size(); size += 37)
    EXPECT_FALSE(read_capture(std::span(dumped).first(size), "file").ok()) << size;
}

TEST(ValhallCaptureFile, WrittenFilesReadBack) {
  CaptureFile capture;
  std::vector<std::byte> records;
  append_record(records, 0x1008, std::vector<std::byte>(0x4000, std::byte{0}));
  append_record(records, 0x6004, std::vector<std::byte>(3, std::byte{7}));
  append_record(records, 0x9ff8, std::vector<std::byte>(0x1010, std::byte{9}));
  append_record(records, 0x300001000, std::vector<std::byte>(8, std::byte{1}));
  auto image = Image::read(records, "records");
  ASSERT_TRUE(image.ok());
  capture.image = std::move(*image);
  capture.chains = {{0x1000, false}, {0x2000, true}};
  capture.gpu = 0x9091;
  std::vector<std::byte> bytes;
  const Status written = write_capture(capture, tests::append, &bytes);
  ASSERT_TRUE(written.ok());
  // Pages of zeros are not stored.
  EXPECT_LT(bytes.size(), 0x5000U);
  const warpjit::CaptureBytes whole{bytes, "file"};
  const auto read = load_captures(std::span(&whole, 1));
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(read->gpu, 0x9091U);
  ASSERT_EQ(read->chains.size(), 2U);
  EXPECT_TRUE(read->chains[1].fragment);
  ASSERT_EQ(read->image.windows().size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    const ImageWindow &was = capture.image.windows()[k], &is = read->image.windows()[k];
    EXPECT_EQ(is.address(), was.address());
    ASSERT_EQ(is.size(), was.size());
    EXPECT_TRUE(tests::same_bytes(is.bytes(), was.bytes()));
  }
}

}  // namespace
}  // namespace warpjit::valhall
