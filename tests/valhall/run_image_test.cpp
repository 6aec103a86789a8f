// Images: addresses of texels, conversions, what is outside (docs/guests/valhall.md 8.5).
#include <bit>

#include "frontend/valhall/interpret/image.h"
#include "support/share.h"
#include "valhall/run_program.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint32_t kRgba8 = 187 << 12, kRgba8ui = 155 << 12, kR32ui = 133 << 12, kRgba16f = 223 << 12;

// An image from byte 1024 of memory on.
frontend::ImageSource image_of(std::uint32_t format, std::uint32_t width, std::uint32_t height,
                               std::uint32_t row_stride) {
  return {.address = std::uint64_t{kMemoryHigh} << 32 | (kMemoryLow + 1024),
          .format = format,
          .width = width,
          .height = height,
          .row_stride = row_stride};
}
GuestOptions options_of(const frontend::ImageSource& image) {
  GuestOptions options;
  options.grid.images = {image};
  options.compiled = true;
  return options;
}

std::uint32_t bits_of(float number) { return std::bit_cast<std::uint32_t>(number); }

// The word that thread `x` of 16 finds in r4.
const std::string kLoad = "LD_TEX_IMM.u32.slot0.wait0 @r4, r0, 0x0, index:0x0, table:0x5\n";

TEST(ValhallImages, LoadsOneRow) {
  GuestOptions options = options_of(image_of(kR32ui, 5, 1, 20));
  for (std::uint32_t n = 0; n < 16; ++n) options.memory[256 + n] = 100 + n;
  const auto words = words_of(kLoad, options);
  for (std::uint32_t x = 0; x < 16; ++x) EXPECT_EQ(words[x], x < 5 ? 100 + x : 0) << x;
}

// Rows, slices and tiles: thread t reads (t % 4, t / 4) of slice 1.
TEST(ValhallImages, PlacesOfTexels) {
  const std::string body =
      "RSHIFT_AND.i32 r5, r0, u2.b00, u3\nLSHIFT_OR.i32 r5, r5, u4.b00, 0x0\nRSHIFT_AND.i32 r6, r0, 0x0.b00, "
      "u5\n"
      "IADD.u32 r5, r5, r6\nLD_TEX_IMM.u32.slot0.wait0 @r4, r5, u6, index:0x0, table:0x5\n";
  auto image = image_of(kR32ui, 3, 3, 16);
  image.depth = 2;
  image.slice_stride = 64;
  GuestOptions options = options_of(image);
  options.uniforms = {2, 3, 16, 3, 1 << 16};
  for (std::uint32_t n = 0; n < 256; ++n) options.memory[256 + n] = 1000 + n;
  const auto linear = words_of(body, options);
  for (std::uint32_t t = 0; t < 16; ++t) {
    const std::uint32_t x = t % 4, y = t / 4;
    EXPECT_EQ(linear[t], x < 3 && y < 3 ? 1000 + 16 + 4 * y + x : 0) << t;
  }
  options.uniforms[4] = 2 << 16;  // no such slice
  EXPECT_EQ(words_of(body, options)[0], 0U);
  // The first 4 x 4 texels of a tile, by hand.
  constexpr std::uint32_t kPlaces[16] = {0, 1, 4, 5, 3, 2, 7, 6, 12, 13, 8, 9, 15, 14, 11, 10};
  image = image_of(kR32ui, 4, 4, 1024);
  image.interleaved = true;
  options.grid.images = {image};
  options.uniforms[4] = 0;
  const auto tiles = words_of(body, options);
  for (std::uint32_t t = 0; t < 16; ++t) EXPECT_EQ(tiles[t], 1000 + kPlaces[t]) << t;
}

// z of a 3D image is the lower half of the word, the layer of others the upper one; the other half means
// nothing.
TEST(ValhallImages, SlicesAndLayers) {
  auto image = image_of(kR32ui, 4, 2, 16);
  image.depth = 3;
  image.slice_stride = 32;
  for (std::uint32_t n = 0; n < 2; ++n) {
    image.is_3d = n != 0;
    GuestOptions options = options_of(image);
    for (std::uint32_t k = 0; k < 64; ++k) options.memory[256 + k] = 1000 + k;
    const auto loaded = [&](std::uint32_t slice, std::uint32_t other) {
      options.uniforms = {image.is_3d ? other << 16 | slice : slice << 16 | other};
      return words_of("LD_TEX_IMM.u32.slot0.wait0 @r4, r0, u2, index:0x0, table:0x5\n", options)[1];
    };
    options.uniforms = {0};
    EXPECT_EQ(loaded(0, 0), 1001U);
    EXPECT_EQ(loaded(2, 0), 1017U);
    EXPECT_EQ(loaded(1, 2), 1009U);
    EXPECT_EQ(loaded(1, 0xffff), 1009U);
    EXPECT_EQ(loaded(3, 0), 0U);
    EXPECT_EQ(loaded(0xffff, 1), 0U);
    const auto address = [&](std::uint32_t slice, std::uint32_t other) {
      options.uniforms = {image.is_3d ? other << 16 | slice : slice << 16 | other};
      return words_of("LEA_TEX_IMM.slot0.wait0 @r8:r9:r10, r0, u2, table:0x5, index:0x0\nMOV.i32 r4, r8\n",
                      options)[1];
    };
    EXPECT_EQ(address(2, 1), kMemoryLow + 1024 + 68);
    EXPECT_EQ(address(3, 1), 0U);
  }
}

TEST(ValhallImages, Addresses) {
  const auto word = [&](unsigned n, std::uint32_t x) {
    return words_of("LEA_TEX_IMM.slot0.wait0 @r8:r9:r10, r0, 0x0, table:0x5, index:0x0\nMOV.i32 r4, r" +
                        std::to_string(8 + n) + "\n",
                    options_of(image_of(kRgba8, 3, 1, 12)))[x];
  };
  EXPECT_EQ(word(0, 2), kMemoryLow + 1024 + 8);
  EXPECT_EQ(word(1, 2), kMemoryHigh);
  EXPECT_EQ(word(2, 2), kRgba8);
  EXPECT_EQ(word(0, 3), 0U);  // outside
  EXPECT_EQ(word(1, 3), 0U);
  EXPECT_EQ(word(2, 3), kRgba8);
}

// What threads 0 to `width` - 1 store of the components u2 to u5, as words from the image's first byte on.
std::vector<std::uint32_t> stored(std::uint32_t format, const std::string& modifiers,
                                  const std::string& staging, std::vector<std::uint32_t> components,
                                  std::uint32_t bytes = 4) {
  GuestOptions options = options_of(image_of(format, 2, 1, 2 * bytes));
  options.uniforms = std::move(components);
  options.uniforms.resize(4);
  for (std::uint32_t n = 256; n < 512; ++n) options.memory[n] = 0xcccccccc;
  const auto words = words_of(
      "LEA_TEX_IMM.slot0.wait0 @r8:r9:r10, r0, 0x0, table:0x5, index:0x0\n"
      "MOV.i32 r12, u2\nMOV.i32 r13, u3\nMOV.i32 r14, u4\nMOV.i32 r15, u5\n"
      "ST_CVT" +
          modifiers + ".slot0.wait0 @" + staging + ", r8, r10, offset:0x0\n",
      std::move(options));
  return {words.begin() + 256, words.begin() + 262};
}
const std::string kFour = "r12:r13:r14:r15";

TEST(ValhallImages, Stores) {
  const std::uint32_t nan = 0x7fc00001, half = bits_of(0.5F);
  // 127.5 goes to the even 128; what is outside of 0 to 1 is limited.
  EXPECT_EQ(
      stored(kRgba8, ".f32.v4", kFour, {half, bits_of(-1), bits_of(2), nan}),
      (std::vector<std::uint32_t>{0x00ff0080, 0x00ff0080, 0xcccccccc, 0xcccccccc, 0xcccccccc, 0xcccccccc}));
  // Order BGRA; components that are not given.
  EXPECT_EQ(stored(kRgba8 | 4, ".f32.v2", "r12:r13", {bits_of(1), half})[0], 0xffff8000U);
  EXPECT_EQ(stored(123 << 12, ".f32.v4", kFour, {bits_of(-2), bits_of(1), half, bits_of(-0.5F)})[0],
            0xc0407f81U);
  EXPECT_EQ(stored(kRgba8ui, ".u32.v4", kFour, {256, 7, ~0U, 0})[0], 0x00ff07ffU);
  EXPECT_EQ(stored(kRgba8ui, ".s32.v4", kFour, {~0U, 7, 300, 0})[0], 0x00ff0700U);
  EXPECT_EQ(stored(219 << 12, ".s16.v4", "r12:r13", {0x00ffff80, 0x7fff8000})[0], 0x7f807f80U);
  EXPECT_EQ(stored(kRgba8ui, ".f32.v4", kFour, {bits_of(1.9F), bits_of(-3), nan, bits_of(1e9F)})[0],
            0xff000001U);
  EXPECT_EQ(
      stored(kRgba16f, ".f32.v4", kFour, {bits_of(1), nan, half, bits_of(1e9F)}, 8),
      (std::vector<std::uint32_t>{0x7e003c00, 0x7c003800, 0x7e003c00, 0x7c003800, 0xcccccccc, 0xcccccccc}));
  EXPECT_EQ(stored(kRgba8, ".f16.v4", "r12:r13", {0x38003c00, 0x7e00bc00})[0], 0x000080ffU);
  EXPECT_EQ(stored(kR32ui, ".auto", "r12", {0xfffffff0})[0], 0xfffffff0U);
  EXPECT_EQ(stored(167 << 12, ".auto", "r12", {nan})[0], nan);
  EXPECT_EQ(stored(64 << 12, ".f32.v4", kFour, {bits_of(1), 0, half, 0}, 2)[0], 0x801f801fU);  // 15.5 to 16
}

// Half of the threads.
TEST(ValhallImages, StoresOfSomeThreads) {
  GuestOptions options = options_of(image_of(kR32ui, 16, 1, 64));
  const auto words = words_of(
      "LEA_TEX_IMM.slot0.wait0 @r8:r9:r10, r0, 0x0, table:0x5, index:0x0\nMOV.i32 r4, 0x0\n"
      "LSHIFT_AND.i32 r5, r0, 0x0.b00, u2\nBRANCHZ.eq r5, offset:skip\n"
      "ST_CVT.u32.slot0.wait0 @r0, r8, r10, offset:0x0\nskip:\n",
      [&] {
        options.uniforms = {1};
        return options;
      }());
  for (std::uint32_t t = 0; t < 16; ++t) EXPECT_EQ(words[256 + t], t % 2 == 1 ? t : 0) << t;
}

// Numbers at the edges of formats.
constexpr std::uint32_t kEdges[] = {0,          0x3f800000, 0xbf800000, 0x3f000000, 0x7fc00001, 0x7f800000,
                                    0xff800000, 0x80000000, 0xffffffff, 0x7fffffff, 0x3c00,     0x7e00bc00,
                                    0x80017fff, 0x437f0000, 0xcf000000, 1,          0x4f800000, 0x00800001,
                                    0x3b808081, 0x38003555, 300,        0xfffffed4, 0x477fe000, 0xc7000080};

// Every format to every register format and back, of one to four components, in both layouts, beyond the last
// column and row: the engines agree. What is right, other tests say of a few.
TEST(ValhallImages, EveryFormat) {
  constexpr std::uint32_t kData = 16, kTexels = 1024, kStored = 2048, kLoaded = 4096, kEnd = 4608;  // words
  static constexpr const char* kRegisters[] = {"auto", "f32", "f16", "s32", "u32", "s16", "u16"};
  static constexpr const char* kVectors[] = {"", ".v2", ".v3", ".v4"};
  std::vector<std::uint32_t> formats;
  for (std::uint32_t code = 64; code < 224; ++code)
    if (find_vertex_format(code << 12).ok()) formats.push_back(code << 12);
  for (const std::uint32_t order : {2U, 4U, 8U, 12U, 16U, 28U, 226U, 229U, 231U, 240U})
    formats.insert(formats.end(), {kRgba8 | order, 67U << 12 | order, 89U << 12 | order});
  for (std::size_t n = 0; n < formats.size(); ++n) {
    if (!in_share(n)) continue;
    const std::uint32_t bytes = find_vertex_format(formats[n])->bytes();
    const bool stores = can_store(*find_vertex_format(formats[n]));
    std::string body =
        "SHADDX.u64 r4, u0, r0.w0, shift:0x4\nLOAD.i128.unsigned.slot0.wait0 @r12:r13:r14:r15, r4, offset:" +
        std::to_string(4 * kData) + "\n";
    GuestOptions options;
    options.compiled = true;
    for (unsigned k = 0; k < std::size(kRegisters); ++k) {
      const unsigned count = 1 + static_cast<unsigned>(n + k) % 4;
      const bool halves = k == 2 || k > 4;
      const unsigned words = halves ? (count + 1) / 2 : count;
      const auto staging = [&](unsigned first) {
        std::string list = "@";
        for (unsigned w = 0; w < words; ++w) list += (w == 0 ? "r" : ":r") + std::to_string(first + w);
        return list;
      };
      const std::string modifiers = std::string(kVectors[count - 1]) + "." + kRegisters[k] + ".slot0.wait0 ";
      body += "IADD.u32 r6, r0, u" + std::to_string(2 + k) + "\n";
      body += "MOV.i32 r20, 0x0\nMOV.i32 r21, 0x0\nMOV.i32 r22, 0x0\nMOV.i32 r23, 0x0\n";
      body += "LD_TEX_IMM" + modifiers + staging(20) + ", r6, 0x0, index:0x0, table:0x5\n";
      body += "STORE.i128.slot0.wait0 @r20:r21:r22:r23, r4, offset:" + std::to_string(4 * kLoaded + 256 * k) +
              "\n";
      options.uniforms.push_back(k << 16);
      if (!stores) continue;
      body += "LEA_TEX_IMM.slot0.wait0 @r8:r9:r10, r6, 0x0, table:0x5, index:0x1\n";
      body += "ST_CVT" + modifiers + staging(12) + ", r8, r10, offset:0x0\n";
    }
    const std::uint64_t base = std::uint64_t{kMemoryHigh} << 32 | kMemoryLow;
    const bool tiles = n % 2 == 1;
    frontend::ImageSource image{.address = base + 4 * kTexels,
                                .format = formats[n],
                                .width = 13,
                                .height = tiles ? 4U : 7U,
                                .row_stride = tiles ? 0 : 16 * bytes,
                                .interleaved = tiles};
    options.grid.images = {image};
    image.address = base + 4 * kStored;
    options.grid.images.push_back(image);
    options.memory.assign(kEnd, 0xcccccccc);
    for (std::uint32_t w = 0; w < 64; ++w)
      options.memory[kData + w] = kEdges[(5 * w + static_cast<std::uint32_t>(n)) % std::size(kEdges)];
    for (std::uint32_t w = kTexels; w < kStored; ++w) options.memory[w] = w * 0x9e3779b9U ^ kEdges[w % 5];
    const Finished run = run_body(body + "MOV.i32 r4, 0x0\n", options);
    EXPECT_TRUE(run.status.ok()) << formats[n] << failure(run.status);
    EXPECT_FALSE(run.report.first_fault) << formats[n];
  }
}

// Every thread stores in another format, a word of memory, to 16 bytes of its own: all formats in all orders,
// from registers of all formats. What is right, the interpreter says, and a few words by hand.
TEST(ValhallImages, FormatsInRegisters) {
  constexpr std::uint32_t kFormats = 16, kData = 32, kStored = 128;  // words
  static constexpr const char* kRegisters[] = {"auto", "f32", "f16", "s32", "u32", "s16", "u16"};
  static constexpr const char* kVectors[] = {"", ".v2", ".v3", ".v4"};
  std::vector<std::uint32_t> formats;
  for (std::uint32_t code = 64; code < 224; ++code)
    for (std::uint32_t order = 0; order < 1U << 12; ++order)
      if (const auto format = find_vertex_format(code << 12 | order); format.ok() && can_store(*format))
        formats.push_back(code << 12 | order);
  ASSERT_GT(formats.size(), 1000U);
  formats.resize((formats.size() + 15) / 16 * 16, kRgba8);
  std::uint64_t runs = 0;
  for (unsigned k = 0; k < 28; ++k) {
    const bool halves = k % 7 == 2 || k % 7 > 4;
    const unsigned count = 1 + k / 7, words = halves ? (count + 1) / 2 : count;
    std::string list = "@r12";
    for (unsigned w = 1; w < words; ++w) list += ":r" + std::to_string(12 + w);
    const std::string body =
        "SHADDX.u64 r6, u0, r0.w0, shift:0x4\nLOAD.i32.unsigned.slot0.wait0 @r10, r2, offset:" +
        std::to_string(4 * kFormats) +
        "\nLOAD.i128.unsigned.slot0.wait0 @r12:r13:r14:r15, r6, offset:" + std::to_string(4 * kData) +
        "\nIADD_IMM.i32 r8, r6, #" + std::to_string(4 * kStored) + "\nMOV.i32 r9, r7\nST_CVT" +
        kVectors[count - 1] + "." + kRegisters[k % 7] + ".slot0.wait0 " + list + ", r8, r10, offset:0x0\n";
    for (std::size_t first = 16 * (k % 4); first < formats.size(); first += 16 * 7) {
      if (!in_share(runs++)) continue;
      GuestOptions options;
      options.compiled = true;
      for (std::uint32_t w = 0; w < 512; ++w) options.memory[w] = 0xcccccccc;
      for (std::uint32_t t = 0; t < 16; ++t) options.memory[kFormats + t] = formats[first + t];
      for (std::uint32_t w = 0; w < 64; ++w)
        options.memory[kData + w] = kEdges[(5 * w + k + first / 16) % std::size(kEdges)];
      const Finished run = run_body(body + "MOV.i32 r4, 0x0\n", options);
      EXPECT_TRUE(run.status.ok()) << body << failure(run.status);
      EXPECT_FALSE(run.report.first_fault) << body;
    }
  }
  GuestOptions options;
  options.compiled = true;
  options.uniforms = {kRgba8 | 4, 8, bits_of(1), bits_of(0.5F), 0x400};
  const auto stored = [&](const std::string& modifiers, const std::string& staging) {
    return run_body(
        "IADD_IMM.i32 r8, u0, #0x400\nMOV.i32 r9, u1\nMOV.i32 r12, u4\nMOV.i32 r13, u5\n"
        "ST_CVT" +
            modifiers + ".slot0.wait0 @" + staging + ", r8, u2, offset:0x0\n",
        options);
  };
  EXPECT_EQ(stored(".f32.v2", "r12:r13").memory[256], 0xffff8000U);
  options.uniforms[0] = kRgba8ui;
  EXPECT_EQ(stored(".u32.v2", "r12:r13").memory[256], 0x0100ffffU);
  // At one place: small texels first, of a size the parts one after the other, in the order of the threads.
  options.uniforms[0] = kR32ui;
  const Finished overlapping = run_body(
      "IADD_IMM.i32 r8, u0, #0x400\nMOV.i32 r9, u1\nIADD_IMM.i32 r12, r0, #0x100\nMOV.i32 r13, r12\n"
      "IADD_IMM.i32 r14, 0x0, #0x7\nIADD_IMM.i32 r16, 0x0, #0x8D000\n"
      "CSEL.s32.lt r10, r0, r14, r16, u2\nIADD_IMM.i32 r16, 0x0, #0x84000\nIADD_IMM.i32 r14, 0x0, #0xC\n"
      "CSEL.s32.lt r10, r0, r14, r10, r16\nST_CVT.u32.v2.slot0.wait0 @r12:r13, r8, r10, offset:0x0\n",
      options);
  EXPECT_EQ(overlapping.memory[256], 0x106U);
  EXPECT_EQ(overlapping.memory[257], 0x106U);
  // What no format is drops the texel.
  for (const std::uint32_t none :
       {0U, 81U << 12, 89U << 12, kRgba8 | 1, kRgba8 | 1 << 20, kRgba8 | 1 << 22}) {
    options.uniforms[0] = none;
    const Finished dropped = stored(".u32.v2", "r12:r13");
    EXPECT_TRUE(dropped.status.ok()) << failure(dropped.status);
    EXPECT_TRUE(dropped.report.first_fault) << none;
    EXPECT_EQ(dropped.memory[256], 0U) << none;
  }
}

TEST(ValhallImages, Faults) {
  const auto fault = [](const std::string& body) {
    const Finished run = run_body(body, options_of(image_of(kR32ui, 16, 1, 64)));
    EXPECT_TRUE(run.status.ok()) << body;
    EXPECT_EQ(run.memory[256], 0U) << body;
    return run.report.first_fault.has_value();
  };
  EXPECT_FALSE(fault(kLoad));
  EXPECT_TRUE(fault("LD_TEX_IMM.u32.slot0.wait0 @r4, r0, 0x0, index:0x1, table:0x5\n"));
  EXPECT_TRUE(fault("LD_TEX_IMM.u32.slot0.wait0 @r4, r0, 0x0, index:0x0, table:0x4\n"));
  const std::string address = "LEA_TEX_IMM.slot0.wait0 @r8:r9:r10, r0, 0x0, table:0x5, index:0x0\n";
  EXPECT_TRUE(fault(address + "ST_CVT.u32.slot0.wait0 @r0, r8, 0x0, offset:0x0\n"));    // no format
  EXPECT_TRUE(fault(address + "ST_CVT.u32.slot0.wait0 @r0, r8, r10, offset:0x1\n"));    // not aligned
  EXPECT_FALSE(fault(address + "ST_CVT.u32.slot0.wait0 @r0, 0x0, r10, offset:0x0\n"));  // address 0
}

TEST(ValhallImages, Refused) {
  const auto with = [](const frontend::ImageSource& image) {
    return failure("NOP.end\n", options_of(image));
  };
  EXPECT_EQ(with(image_of(kR32ui, 16, 16, 64)), "runs");
  EXPECT_NE(with(image_of(kR32ui, 16, 17, 64)).find("image 0, address: its 1088 bytes are not all"),
            std::string::npos);
  EXPECT_NE(with(image_of(kR32ui, 16, 2, 66)).find("multiples of 4"), std::string::npos);
  EXPECT_NE(with(image_of(kRgba8 | 1 << 20, 1, 1, 4)).find("image 0, format: sRGB"), std::string::npos);
  EXPECT_NE(with(image_of(kR32ui, 65537, 1, 4)).find("extent"), std::string::npos);
  EXPECT_NE(failure("MOV.i32 r10, u0\nST_CVT.u32.slot0.wait0 @r4:r5, r8, r10, offset:0x0\nNOP.end\n")
                .find("2 staging registers are not 1"),
            std::string::npos);
  EXPECT_NE(failure("LD_TEX.u32.slot0.wait0 @r4, r0, r1, r2\nNOP.end\n").find("the image is not a constant"),
            std::string::npos);
  EXPECT_NE(failure("LEA_TEX_IMM.slot0.wait0 @r8:r9, r0, 0x0, table:0x5, index:0x0\nNOP.end\n")
                .find("2 staging registers are not 3"),
            std::string::npos);
}

}  // namespace
}  // namespace warpjit::valhall
