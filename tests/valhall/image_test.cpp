// Memory images: records, windows, reads, and what is wrong with others.
#include "valhall/image_builder.h"
#include "valhall/valhall_test.h"

namespace warpjit::valhall {
namespace {

std::vector<std::byte> filled(std::size_t size, std::uint8_t value) {
  return std::vector<std::byte>(size, std::byte{value});
}
struct TestRecord {
  std::uint64_t address;
  std::size_t size;
};
std::vector<std::byte> records_of(std::initializer_list<TestRecord> list) {
  std::vector<std::byte> records;
  std::uint8_t value = 1;
  for (const TestRecord& record : list) append_record(records, record.address, filled(record.size, value++));
  return records;
}
std::string failure_of(const std::vector<std::byte>& records, const ImageLimits& limits = {}) {
  const auto image = Image::read(records, "file", limits);
  return image ? "is read" : std::string(name(image.error().code)) + ", " + to_string(image.error());
}

TEST(ValhallImage, WindowsAndReads) {
  const auto image = Image::read(
      records_of({{0x300001000, 16}, {0x1004, 3}, {0x1ffffffff, 2}, {0x2000, 5}, {0x1007, 4}}), "file");
  ASSERT_TRUE(image.ok()) << to_string(image.error());
  struct Wanted {
    std::uint64_t address;
    std::size_t size;
  };
  const Wanted wanted[] = {{0x1000, 0x1008}, {0x1fffffff8, 8}, {0x200000000, 8}, {0x300001000, 16}};
  ASSERT_EQ(image->windows().size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(image->windows()[k].address(), wanted[k].address);
    EXPECT_EQ(image->windows()[k].size(), wanted[k].size);
  }
  EXPECT_EQ(*image->u64(0x1000), 0x0502020200000000U);
  EXPECT_EQ(*image->u32(0x1008), 0x00050505U);
  EXPECT_EQ(*image->u32(0x1800), 0U);
  EXPECT_EQ(*image->u8(0x1ffffffff), 3U);
  EXPECT_EQ(*image->u16(0x200000000), 3U);
  EXPECT_EQ(*image->u64(0x300001008), 0x0101010101010101U);
  EXPECT_TRUE(image->find(0x300001010, 0));
  EXPECT_FALSE(image->find(0x1fffffffc, 8));  // in two windows
  EXPECT_FALSE(image->find(0xfff, 1));
  EXPECT_FALSE(image->find(0x2000, ~std::uint64_t{0}));
  const auto outside = image->u32(0x300001010);
  ASSERT_FALSE(outside.ok());
  EXPECT_EQ(to_string(outside.error()), "file: 0x4 bytes at 0x300001010 are outside of the image");
}

TEST(ValhallImage, LastAddress) {
  const auto image = Image::read(records_of({{~std::uint64_t{0} - 3, 4}}), "file");
  ASSERT_TRUE(image.ok()) << to_string(image.error());
  EXPECT_EQ(*image->u32(~std::uint64_t{0} - 3), 0x01010101U);
  EXPECT_FALSE(image->u32(~std::uint64_t{0} - 2).ok());
}

TEST(ValhallImage, BadRecords) {
  EXPECT_EQ(failure_of({}), "bad input, file, byte 0x0: an image needs at least one record");
  EXPECT_EQ(failure_of(records_of({{0x1000, 4}, {0x2000, 0}})),
            "bad input, file, byte 0x14: a record has a length of 0");
  EXPECT_EQ(failure_of(records_of({{0x1000, 4}, {~std::uint64_t{0} - 2, 4}})),
            "bad input, file, byte 0x14: the addresses of a record from 0xfffffffffffffffd on wrap");
  EXPECT_EQ(failure_of(records_of({{0x1000, 4}, {0xffd, 4}})),
            "bad input, file, byte 0x14: a record overlaps the one at byte 0x0, at address 0x1000");
  EXPECT_EQ(failure_of(records_of({{0x1000, 4}, {0x1000, 4}})).substr(0, 46),
            "bad input, file, byte 0x14: a record overlaps ");
  EXPECT_EQ(failure_of(records_of({{0x1000, 4}, {0x1004, 4}, {0xffc, 4}})), "is read");
  auto absurd = records_of({{0x1000, 4}});
  for (std::size_t k = 8; k < 16; ++k) absurd[k] = std::byte{0xff};
  EXPECT_EQ(failure_of(absurd),
            "bad input, file, byte 0x0: a record has a length of 0xffffffffffffffff, but 0x4 bytes follow");
}

TEST(ValhallImage, Limits) {
  const auto two = records_of({{0x1000, 8}, {0x2000, 8}});
  EXPECT_EQ(failure_of(two, {.bytes = 16, .records = 2, .window_bytes = 0x1008}), "is read");
  EXPECT_EQ(failure_of(two, {.bytes = 15}),
            "resource limit, file, byte 0x18: the records have more than 0xf bytes");
  EXPECT_EQ(failure_of(two, {.records = 1}), "resource limit, file, byte 0x18: more than 1 records");
  EXPECT_EQ(
      failure_of(two, {.window_bytes = 0x1007}),
      "resource limit, file, byte 0x0: from the lowest to the highest record with the high word 0x0 there "
      "are 0x1008 bytes, more than 0x1007");
  EXPECT_EQ(failure_of(records_of({{0, 8}, {(1U << 30) - 8, 8}})), "is read");
  EXPECT_EQ(failure_of(records_of({{0, 8}, {(1U << 30) - 7, 8}})).substr(0, 14), "resource limit");
  constexpr std::uint64_t kLine = std::uint64_t{1} << 32;
  EXPECT_EQ(failure_of(records_of({{0, 8}, {kLine, 8}, {2 * kLine, 8}, {3 * kLine, 8}})), "is read");
  EXPECT_EQ(failure_of(records_of({{0, 8}, {kLine, 8}, {2 * kLine, 8}, {3 * kLine, 8}, {9 * kLine, 8}})),
            "resource limit, file, byte 0x60: records at more than four high words of addresses");
}

// Every file that is cut inside a record is refused; one that ends with a record is not.
TEST(ValhallImage, TruncatedFiles) {
  const auto records = records_of({{0x1000, 4}, {0x3000, 9}, {0x2000, 1}});
  for (std::size_t size = 0; size <= records.size(); ++size) {
    const bool whole = size == 20 || size == 45 || size == 62;
    const auto image = Image::read(std::span(records).first(size), "file");
    EXPECT_EQ(image.ok(), whole) << size;
    if (!image) {
      EXPECT_NE(to_string(image.error()).find("file, byte 0x"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace warpjit::valhall
