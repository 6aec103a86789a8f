// What the formats of attributes become in registers, at their extremes.
#include "frontend/valhall/interpret/attribute.h"
#include "valhall/run_vertices.h"

namespace warpjit::valhall {
namespace {

using Words = std::array<std::uint32_t, 4>;
using Bytes = std::vector<std::uint8_t>;
constexpr std::uint32_t kOneF = 0x3f800000, kMinusOneF = 0xbf800000, kHalfF = 0x3f000000;
constexpr std::uint32_t kRgba = 0;

// Each element, which has `size` bytes, as four components in this register format, those of 16 bits apart.
std::vector<Words> fetched(std::uint32_t code, std::uint32_t order, const std::string& format, unsigned size,
                           const Bytes& bytes) {
  VertexOptions options;
  options.compiled = true;
  options.vertices.count = static_cast<std::uint32_t>(bytes.size() / size);
  options.vertices.attributes = {{.address = memory_at(0),
                                  .bytes = static_cast<std::uint32_t>(bytes.size()),
                                  .format = code << 12 | order,
                                  .stride = size}};
  std::memcpy(options.memory.data(), bytes.data(), bytes.size());
  const bool halves = format.ends_with("16");
  const FinishedVertices run =
      run_vertices("LD_ATTR_IMM.v4." + format + ".slot0.wait0 @r0:r1" + (halves ? "" : ":r2:r3") +
                       ", r60, r61, index:0x0, table:0x1\n" + kStoreResults,
                   options);
  EXPECT_TRUE(run.status.ok()) << code << (run.status ? "" : to_string(run.status.error()));
  EXPECT_FALSE(run.report.first_fault) << code;
  std::vector<Words> elements;
  for (std::uint32_t n = 0; n < options.vertices.count && run.status; ++n) {
    Words words = run.of(n);
    if (halves) words = {words[0] & 0xffff, words[0] >> 16, words[1] & 0xffff, words[1] >> 16};
    elements.push_back(words);
  }
  return elements;
}
Words fetched_one(std::uint32_t code, const std::string& format, const Bytes& bytes,
                  std::uint32_t order = kRgba) {
  const auto elements = fetched(code, order, format, static_cast<unsigned>(bytes.size()), bytes);
  return elements.empty() ? Words{} : elements[0];
}

Bytes words(std::initializer_list<std::uint32_t> list) {
  Bytes bytes;
  for (const std::uint32_t word : list)
    for (unsigned k = 0; k < 4; ++k) bytes.push_back(static_cast<std::uint8_t>(word >> 8 * k));
  return bytes;
}
Bytes halves(std::initializer_list<std::uint32_t> list) {
  Bytes bytes;
  for (const std::uint32_t half : list)
    for (unsigned k = 0; k < 2; ++k) bytes.push_back(static_cast<std::uint8_t>(half >> 8 * k));
  return bytes;
}
// The first component of elements of one word.
std::vector<std::uint32_t> first_of(std::uint32_t code, const std::string& format,
                                    std::initializer_list<std::uint32_t> list) {
  std::vector<std::uint32_t> firsts;
  for (const Words& element : fetched(code, kRgba, format, 4, words(list))) firsts.push_back(element[0]);
  return firsts;
}
using List = std::vector<std::uint32_t>;

TEST(ValhallVertexFormat, Bytes8) {
  EXPECT_EQ(fetched_one(187, "f32", {0, 1, 128, 255}), (Words{0, 0x3b808081, 0x3f008081, kOneF}));
  EXPECT_EQ(fetched_one(187, "auto", {0, 1, 128, 255}), (Words{0, 0x3b808081, 0x3f008081, kOneF}));
  EXPECT_EQ(fetched_one(187, "f16", {0, 1, 128, 255}), (Words{0, 0x1c04, 0x3804, 0x3c00}));
  EXPECT_EQ(fetched_one(187, "u16", {0, 1, 254, 255}), (Words{0, 0, 0, 1}));
  EXPECT_EQ(fetched_one(123, "f32", {0x80, 0x81, 0, 0x7f}), (Words{kMinusOneF, kMinusOneF, 0, kOneF}));
  EXPECT_EQ(fetched_one(123, "s16", {0x80, 0x82, 1, 0x7f}), (Words{0xffff, 0, 0, 1}));
  EXPECT_EQ(fetched_one(123, "u32", {0x80, 0x82, 1, 0x7f}), (Words{0, 0, 0, 1}));
  EXPECT_EQ(fetched_one(155, "auto", {0, 1, 128, 255}), (Words{0, 1, 128, 255}));
  EXPECT_EQ(fetched_one(155, "f32", {0, 1, 128, 255}), (Words{0, kOneF, 0x43000000, 0x437f0000}));
  EXPECT_EQ(fetched_one(155, "f16", {0, 1, 128, 255}), (Words{0, 0x3c00, 0x5800, 0x5bf8}));
  EXPECT_EQ(fetched_one(219, "auto", {0x80, 0xff, 0x7f, 0}), (Words{0xffffff80, 0xffffffff, 127, 0}));
  EXPECT_EQ(fetched_one(219, "s16", {0x80, 0xff, 0x7f, 0}), (Words{0xff80, 0xffff, 127, 0}));
  EXPECT_EQ(fetched_one(219, "u32", {0x80, 0xff, 0x7f, 0}), (Words{0, 0, 127, 0}));
  EXPECT_EQ(fetched_one(219, "f16", {0x80, 0xff, 0x7f, 0}), (Words{0xd800, 0xbc00, 0x57f0, 0}));
}

TEST(ValhallVertexFormat, FewerComponents) {
  EXPECT_EQ(fetched_one(163, "f32", {255}), (Words{kOneF, 0, 0, kOneF}));
  EXPECT_EQ(fetched_one(171, "f32", {255, 0}), (Words{kOneF, 0, 0, kOneF}));
  EXPECT_EQ(fetched_one(179, "f32", {255, 0, 255}), (Words{kOneF, 0, kOneF, kOneF}));
  EXPECT_EQ(fetched_one(99, "f32", {0x81}), (Words{kMinusOneF, 0, 0, kOneF}));
  EXPECT_EQ(fetched_one(107, "f32", {0x81, 0x7f}), (Words{kMinusOneF, kOneF, 0, kOneF}));
  EXPECT_EQ(fetched_one(115, "f32", {0x81, 0x7f, 0x80}), (Words{kMinusOneF, kOneF, kMinusOneF, kOneF}));
  EXPECT_EQ(fetched_one(131, "auto", {7}), (Words{7, 0, 0, 1}));
  EXPECT_EQ(fetched_one(139, "s32", {7, 8}), (Words{7, 8, 0, 1}));
  EXPECT_EQ(fetched_one(147, "f16", {7, 8, 9}), (Words{0x4700, 0x4800, 0x4880, 0x3c00}));
  EXPECT_EQ(fetched_one(195, "u16", {7}), (Words{7, 0, 0, 1}));
  EXPECT_EQ(fetched_one(203, "auto", {0xf9, 8}), (Words{0xfffffff9, 8, 0, 1}));
  EXPECT_EQ(fetched_one(211, "f32", {0xff, 8, 9}), (Words{kMinusOneF, 0x41000000, 0x41100000, kOneF}));
  EXPECT_EQ(fetched_one(175, "auto", words({1, 2})), (Words{1, 2, 0, kOneF}));
  EXPECT_EQ(fetched_one(167, "u32", words({kOneF})), (Words{1, 0, 0, 1}));
}

TEST(ValhallVertexFormat, Halves16) {
  EXPECT_EQ(fetched_one(188, "f32", halves({0xffff, 0x8000, 1, 0})),
            (Words{kOneF, 0x3f000080, 0x37800080, 0}));
  EXPECT_EQ(fetched_one(188, "f16", halves({0xffff, 0x8000, 1, 0})), (Words{0x3c00, 0x3800, 0x0100, 0}));
  EXPECT_EQ(fetched_one(124, "f32", halves({0x8000, 0x8001, 0x7fff, 1})),
            (Words{kMinusOneF, kMinusOneF, kOneF, 0x38000100}));
  EXPECT_EQ(fetched_one(156, "auto", halves({0xffff, 0x8000, 1, 0})), (Words{0xffff, 0x8000, 1, 0}));
  EXPECT_EQ(fetched_one(156, "s16", halves({0xffff, 0x8000, 0x7fff, 0})), (Words{0x7fff, 0x7fff, 0x7fff, 0}));
  EXPECT_EQ(fetched_one(156, "f16", halves({0xffff, 65519, 65520, 2049})),
            (Words{0x7c00, 0x7bff, 0x7c00, 0x6800}));
  EXPECT_EQ(fetched_one(220, "auto", halves({0xffff, 0x8000, 1, 0})), (Words{0xffffffff, 0xffff8000, 1, 0}));
  EXPECT_EQ(fetched_one(220, "u16", halves({0xffff, 0x8000, 1, 0x7fff})), (Words{0, 0, 1, 0x7fff}));
  EXPECT_EQ(fetched_one(164, "f32", halves({0xffff})), (Words{kOneF, 0, 0, kOneF}));
  EXPECT_EQ(fetched_one(108, "f32", halves({0x8000, 0x7fff})), (Words{kMinusOneF, kOneF, 0, kOneF}));
  EXPECT_EQ(fetched_one(148, "s32", halves({1, 2, 3})), (Words{1, 2, 3, 1}));
  EXPECT_EQ(fetched_one(204, "s32", halves({0x8000, 2})), (Words{0xffff8000, 2, 0, 1}));
}

TEST(ValhallVertexFormat, HalfFloats) {
  const Bytes special = halves({0x7c00, 0xfc00, 0x0001, 0x83ff});
  EXPECT_EQ(fetched_one(223, "f32", special), (Words{0x7f800000, 0xff800000, 0x33800000, 0xb87fc000}));
  EXPECT_EQ(fetched_one(223, "auto", special), (Words{0x7f800000, 0xff800000, 0x33800000, 0xb87fc000}));
  EXPECT_EQ(fetched_one(223, "f16", special), (Words{0x7c00, 0xfc00, 0x0001, 0x83ff}));
  EXPECT_EQ(fetched_one(223, "s32", special), (Words{0x7fffffff, 0x80000000, 0, 0}));
  EXPECT_EQ(fetched_one(223, "s16", special), (Words{0x7fff, 0x8000, 0, 0}));
  EXPECT_EQ(fetched_one(223, "u16", special), (Words{0xffff, 0, 0, 0}));
  const Bytes more = halves({0x7c01, 0xfe00, 0x8000, 0x7bff});
  EXPECT_EQ(fetched_one(223, "f16", more), (Words{0x7e00, 0x7e00, 0x8000, 0x7bff}));
  EXPECT_EQ(fetched_one(223, "u32", more), (Words{0, 0, 0, 65504}));
  EXPECT_EQ(fetched_one(223, "s16", more), (Words{0, 0, 0, 0x7fff}));
  EXPECT_EQ(fetched_one(199, "f32", halves({0x3c00})), (Words{kOneF, 0, 0, kOneF}));
  EXPECT_EQ(fetched_one(207, "f32", halves({0x3c00, 0xbc00})), (Words{kOneF, kMinusOneF, 0, kOneF}));
  EXPECT_EQ(fetched_one(215, "f32", halves({0x3c00, 0, 0xbc00})), (Words{kOneF, 0, kMinusOneF, kOneF}));
}

// A NaN becomes quiet and keeps sign and payload.
TEST(ValhallVertexFormat, HalfNaNs) {
  const auto format = find_vertex_format(223 << 12);
  ASSERT_TRUE(format.ok());
  const Bytes nans = halves({0x7c01, 0xfe00, 0xffff, 0x8000});
  ElementBytes bytes{};
  std::memcpy(bytes.data(), nans.data(), nans.size());
  const Words widened{0x7fc02000, 0xffc00000, 0xffffe000, 0x80000000};
  EXPECT_EQ(convert_element(*format, bytes, RegisterFormat::f32), widened);
  EXPECT_EQ(fetched(223, kRgba, "f32", 4, nans)[0], widened);
}

TEST(ValhallVertexFormat, Words32) {
  EXPECT_EQ(first_of(165, "f32", {0xffffffff, 0x80000000, 1, 0x01000001}),
            (List{kOneF, kHalfF, 0x2f800000, 0x3b800000}));
  EXPECT_EQ(first_of(101, "f32", {0x80000000, 0x7fffffff, 0xffffffff, 0x80000001}),
            (List{kMinusOneF, kOneF, 0xb0000000, kMinusOneF}));
  EXPECT_EQ(first_of(133, "f32", {0xffffffff, 0x01000001, 0x01000003, 0x80000080}),
            (List{0x4f800000, 0x4b800000, 0x4b800002, 0x4f000000}));
  EXPECT_EQ(first_of(133, "auto", {0xffffffff, 0}), (List{0xffffffff, 0}));
  EXPECT_EQ(first_of(133, "s32", {0xffffffff, 0x7fffffff, 0x80000000}),
            (List{0x7fffffff, 0x7fffffff, 0x7fffffff}));
  EXPECT_EQ(first_of(133, "s16", {0xffffffff, 0x7fff, 0x8000}), (List{0x7fff, 0x7fff, 0x7fff}));
  EXPECT_EQ(first_of(133, "u16", {0xffffffff, 0xffff, 0x10000}), (List{0xffff, 0xffff, 0xffff}));
  EXPECT_EQ(first_of(133, "f16", {0xffffffff, 65519, 65520, 2051}), (List{0x7c00, 0x7bff, 0x7c00, 0x6802}));
  EXPECT_EQ(first_of(197, "auto", {0x80000000}), (List{0x80000000}));
  EXPECT_EQ(first_of(197, "f32", {0x80000000, 0x7fffffff, 0xfeffffff}),
            (List{0xcf000000, 0x4f000000, 0xcb800000}));
  EXPECT_EQ(first_of(197, "u32", {0x80000000, 0xffffffff, 0x7fffffff}), (List{0, 0, 0x7fffffff}));
  EXPECT_EQ(first_of(197, "s16", {0x80000000, 0xffff7fff, 0xffff8000, 0x8000}),
            (List{0x8000, 0x8000, 0x8000, 0x7fff}));
  EXPECT_EQ(first_of(197, "u16", {0x80000000, 0x10000}), (List{0, 0xffff}));
  EXPECT_EQ(first_of(197, "f16", {0x80000000, 0xffff0010, 0xffff0011}), (List{0xfc00, 0xfc00, 0xfbff}));
  EXPECT_EQ(fetched_one(189, "f32", words({0xffffffff, 0, 0x80000000, 1})),
            (Words{kOneF, 0, kHalfF, 0x2f800000}));
  EXPECT_EQ(fetched_one(221, "s32", words({0xffffffff, 0, 0x80000000, 1})),
            (Words{0xffffffff, 0, 0x80000000, 1}));
  EXPECT_EQ(fetched_one(157, "u16", words({0xffffffff, 0, 0x80000000, 1})), (Words{0xffff, 0, 0xffff, 1}));
  EXPECT_EQ(fetched_one(125, "f32", words({0x80000000, 0, 0x7fffffff, 0})), (Words{kMinusOneF, 0, kOneF, 0}));
}

TEST(ValhallVertexFormat, SingleFloats) {
  // Bits stay, also those of a NaN and of a denormal number.
  const std::initializer_list<std::uint32_t> special = {0x7f800001, 0xffc12345, 1, 0x80000000, 0x7f800000};
  EXPECT_EQ(first_of(167, "f32", special), List(special));
  EXPECT_EQ(first_of(167, "auto", special), List(special));
  EXPECT_EQ(first_of(167, "f16", special), (List{0x7e00, 0x7e00, 0, 0x8000, 0x7c00}));
  EXPECT_EQ(first_of(167, "s32", special), (List{0, 0, 0, 0, 0x7fffffff}));
  EXPECT_EQ(first_of(167, "u16", special), (List{0, 0, 0, 0, 0xffff}));
  // 1.99, -1.99, -inf, 2^31, -2^31, 2^32 - 256, -0.5
  const std::initializer_list<std::uint32_t> numbers = {0x3ffeb852, 0xbffeb852, 0xff800000, 0x4f000000,
                                                        0xcf000000, 0x4f7fffff, 0xbf000000};
  EXPECT_EQ(first_of(167, "s32", numbers),
            (List{1, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000000, 0x7fffffff, 0}));
  EXPECT_EQ(first_of(167, "u32", numbers), (List{1, 0, 0, 0x80000000, 0, 0xffffff00, 0}));
  EXPECT_EQ(first_of(167, "s16", numbers), (List{1, 0xffff, 0x8000, 0x7fff, 0x8000, 0x7fff, 0}));
  EXPECT_EQ(first_of(167, "u16", numbers), (List{1, 0, 0, 0xffff, 0, 0xffff, 0}));
  // Around 2^-25, the least f16 by half, and 65520, where infinity begins.
  EXPECT_EQ(first_of(167, "f16", {0x33000000, 0x33000001, 0xb3000001, 0x477fefff, 0x477ff000, 0x387fe000}),
            (List{0, 1, 0x8001, 0x7bff, 0x7c00, 0x0400}));
  EXPECT_EQ(fetched_one(191, "f32", words({1, 2, 3, 4})), (Words{1, 2, 3, 4}));
  EXPECT_EQ(fetched_one(183, "f32", words({1, 2, 3})), (Words{1, 2, 3, kOneF}));
}

TEST(ValhallVertexFormat, Fixed) {
  const std::initializer_list<std::uint32_t> list = {0x00018000, 0xffff0000, 0x80000000,
                                                     0x7fffffff, 0xfffe8000, 1};
  EXPECT_EQ(first_of(81, "f32", list),
            (List{0x3fc00000, kMinusOneF, 0xc7000000, 0x47000000, 0xbfc00000, 0x37800000}));
  EXPECT_EQ(first_of(81, "auto", list), first_of(81, "f32", list));
  EXPECT_EQ(first_of(81, "s32", list), (List{1, 0xffffffff, 0xffff8000, 32768, 0xffffffff, 0}));
  EXPECT_EQ(first_of(81, "s16", list), (List{1, 0xffff, 0x8000, 0x7fff, 0xffff, 0}));
  EXPECT_EQ(first_of(81, "u16", list), (List{1, 0, 0, 0x8000, 0, 0}));
  EXPECT_EQ(first_of(81, "f16", list), (List{0x3e00, 0xbc00, 0xf800, 0x7800, 0xbe00, 0x0100}));
  EXPECT_EQ(fetched_one(82, "f32", words({0x10000, 0x8000})), (Words{kOneF, kHalfF, 0, kOneF}));
  EXPECT_EQ(fetched_one(83, "f32", words({0x10000, 0x8000, 0})), (Words{kOneF, kHalfF, 0, kOneF}));
  EXPECT_EQ(fetched_one(84, "f32", words({0x10000, 0x8000, 0, 0x8000})), (Words{kOneF, kHalfF, 0, kHalfF}));
}

TEST(ValhallVertexFormat, Packed) {
  constexpr std::uint32_t kAbgr = 12;
  EXPECT_EQ(fetched_one(64, "f32", halves({0xf81f})), (Words{kOneF, 0, kOneF, kOneF}));
  EXPECT_EQ(fetched_one(64, "f32", halves({0x07e0})), (Words{0, kOneF, 0, kOneF}));
  EXPECT_EQ(fetched_one(64, "f32", halves({0x0421})), (Words{0x3d042108, 0x3f061862, 0, kOneF}));
  EXPECT_EQ(fetched_one(65, "f32", halves({0x7c01})), (Words{0x3d042108, 0, kOneF, 0}));
  EXPECT_EQ(fetched_one(65, "f32", halves({0x83e0})), (Words{0, kOneF, 0, kOneF}));
  EXPECT_EQ(fetched_one(66, "f32", halves({0xf801}), kAbgr), (Words{kOneF, 0, 0, kOneF}));
  EXPECT_EQ(fetched_one(66, "f32", halves({0x07fe}), kAbgr), (Words{0, kOneF, kOneF, 0}));
  EXPECT_EQ(fetched_one(66, "f32", halves({0x0001})), (Words{kOneF, 0, 0, 0}));  // the lowest one is red
  EXPECT_EQ(fetched_one(67, "f32", words({0xc00003ff})), (Words{kOneF, 0, 0, kOneF}));
  EXPECT_EQ(fetched_one(67, "f32", words({0x7ff00000})), (Words{0, 0, kOneF, 0x3eaaaaab}));
  EXPECT_EQ(fetched_one(68, "f32", words({0xffc00001}), kAbgr), (Words{kOneF, 0, 0, 0x3eaaaaab}));
  EXPECT_EQ(fetched_one(69, "f32", words({0x9ff80600})), (Words{kMinusOneF, kMinusOneF, kOneF, kMinusOneF}));
  EXPECT_EQ(fetched_one(69, "f32", words({0x40000201})), (Words{kMinusOneF, 0, 0, kOneF}));
  EXPECT_EQ(fetched_one(70, "f32", words({0x80000001}), kAbgr), (Words{kMinusOneF, 0, 0, kOneF}));
  EXPECT_EQ(fetched_one(71, "auto", words({0xbff007ff})), (Words{0x3ff, 1, 0x3ff, 2}));
  EXPECT_EQ(fetched_one(72, "f32", words({0xffc00003}), kAbgr), (Words{0x447fc000, 0, 0, 0x40400000}));
  EXPECT_EQ(fetched_one(73, "auto", words({0xe00003ff})), (Words{0xffffffff, 0, 0xfffffe00, 0xffffffff}));
  EXPECT_EQ(fetched_one(74, "s16", words({0x80000002}), kAbgr), (Words{0xfe00, 0, 0, 0xfffe}));
}

TEST(ValhallVertexFormat, SmallFloats) {
  // 1, 1, 1; infinities; NaNs; the least numbers.
  EXPECT_EQ(fetched_one(89, "f32", words({0x781e03c0})), (Words{kOneF, kOneF, kOneF, kOneF}));
  EXPECT_EQ(fetched_one(89, "f32", words({0xf83e07c0})), (Words{0x7f800000, 0x7f800000, 0x7f800000, kOneF}));
  EXPECT_EQ(fetched_one(89, "f32", words({0xf87e0fc1})), (Words{0x7fc20000, 0x7fc20000, 0x7fc40000, kOneF}));
  EXPECT_EQ(fetched_one(89, "f32", words({0x00400801})), (Words{0x35800000, 0x35800000, 0x36000000, kOneF}));
  EXPECT_EQ(fetched_one(89, "f16", words({0x00400801})), (Words{0x0010, 0x0010, 0x0020, 0x3c00}));
  EXPECT_EQ(fetched_one(89, "s32", words({0xf83e07c1})), (Words{0, 0x7fffffff, 0x7fffffff, 1}));
}

TEST(ValhallVertexFormat, ComponentOrders) {
  const auto order = [](std::uint32_t code) { return fetched_one(155, "auto", {11, 12, 13, 14}, code); };
  EXPECT_EQ(order(0), (Words{11, 12, 13, 14}));
  EXPECT_EQ(order(2), (Words{12, 11, 13, 14}));
  EXPECT_EQ(order(4), (Words{13, 12, 11, 14}));
  EXPECT_EQ(order(8), (Words{12, 13, 14, 11}));
  EXPECT_EQ(order(10), (Words{13, 12, 14, 11}));
  EXPECT_EQ(order(12), (Words{14, 13, 12, 11}));
  EXPECT_EQ(order(16), (Words{11, 12, 13, 1}));
  EXPECT_EQ(order(18), (Words{12, 11, 13, 1}));
  EXPECT_EQ(order(20), (Words{13, 12, 11, 1}));
  EXPECT_EQ(order(24), (Words{12, 13, 14, 1}));
  EXPECT_EQ(order(26), (Words{13, 12, 14, 1}));
  EXPECT_EQ(order(28), (Words{14, 13, 12, 1}));
  EXPECT_EQ(order(226), (Words{11, 11, 11, 11}));
  EXPECT_EQ(order(227), (Words{11, 11, 11, 1}));
  EXPECT_EQ(order(228), (Words{11, 11, 11, 14}));
  EXPECT_EQ(order(229), (Words{0, 0, 0, 14}));
  EXPECT_EQ(order(230), (Words{0, 0, 0, 1}));
  EXPECT_EQ(order(231), (Words{0, 0, 0, 0}));
  EXPECT_EQ(order(240), (Words{11, 0, 0, 0}));
  EXPECT_EQ(order(242), (Words{11, 13, 12, 14}));
  EXPECT_EQ(fetched_one(163, "f32", {255}, 229), (Words{0, 0, 0, kOneF}));
  EXPECT_EQ(fetched_one(171, "auto", {255, 0}, 228), (Words{kOneF, kOneF, kOneF, 0}));
  EXPECT_EQ(fetched_one(171, "auto", {255, 0}, 4), (Words{0, 0, kOneF, kOneF}));
  EXPECT_EQ(fetched_one(131, "auto", {7}, 8), (Words{0, 0, 0, 7}));
}

// Fewer components than the element has; halves in pairs.
TEST(ValhallVertexFormat, VectorSizes) {
  const auto run = [](const std::string& modifiers, const std::string& staging) {
    VertexOptions options;
    options.memory[0] = 0x04030201;
    options.vertices.attributes = {{.address = memory_at(0), .bytes = 4, .format = 155 << 12}};
    return run_vertices(
        "IADD_IMM.i32 r0, 0x0, #0x11\nIADD_IMM.i32 r1, 0x0, #0x22\nIADD_IMM.i32 r2, 0x0, #0x33\n"
        "IADD_IMM.i32 r3, 0x0, #0x44\nLD_ATTR_IMM" +
            modifiers + ".slot0.wait0 " + staging + ", r60, r61, index:0x0, table:0x1\n" + kStoreResults,
        options);
  };
  EXPECT_EQ(run(".u32", "@r0").of(0), (Words{1, 0x22, 0x33, 0x44}));
  EXPECT_EQ(run(".v2.u32", "@r0:r1").of(0), (Words{1, 2, 0x33, 0x44}));
  EXPECT_EQ(run(".v3.u32", "@r0:r1:r2").of(0), (Words{1, 2, 3, 0x44}));
  EXPECT_EQ(run(".u16", "@r0").of(0), (Words{1, 0x22, 0x33, 0x44}));
  EXPECT_EQ(run(".v2.s16", "@r0").of(0), (Words{0x20001, 0x22, 0x33, 0x44}));
  EXPECT_EQ(run(".v3.f16", "@r0:r1").of(0), (Words{0x40003c00, 0x4200, 0x33, 0x44}));
  EXPECT_EQ(run(".v4.u16", "@r0:r1").of(0), (Words{0x20001, 0x40003, 0x33, 0x44}));
  EXPECT_NE(failure(run(".v3.u16", "@r0:r1:r2").status).find("LD_ATTR_IMM: 3 staging registers are not 2"),
            std::string::npos);
}

}  // namespace
}  // namespace warpjit::valhall
