#include "runtime/work/row_format.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>

namespace warpjit {
namespace {

using runtime::load_rows;
using runtime::store_rows;

constexpr ComponentType kAll[] = {ComponentType::f32,    ComponentType::u8,      ComponentType::s8,
                                  ComponentType::u16,    ComponentType::s16,     ComponentType::unorm8,
                                  ComponentType::snorm8, ComponentType::unorm16, ComponentType::snorm16,
                                  ComponentType::u32,    ComponentType::s32};

TEST(RowFormat, NamesRoundTrip) {
  for (const ComponentType type : kAll)
    for (std::uint8_t n = 1; n <= 4; ++n) {
      const Format format{type, n};
      EXPECT_EQ(parse_format(name(format)), format) << name(format);
    }
  EXPECT_EQ(name(f32x3), "f32x3");
  EXPECT_EQ(name(f32x1), "f32");
  EXPECT_EQ(parse_format("f32x1"), f32x1);
  EXPECT_EQ(size(Format{ComponentType::unorm16, 3}), 6u);
  for (const char* bad : {"", "f32x", "f32x0", "f32x5", "f64", "u8x4 ", "unorm8x44", "f32y2"})
    EXPECT_FALSE(parse_format(bad)) << bad;
}

template <class T, std::size_t kCount>
std::array<float, 4> one_row(Format format, const std::array<T, kCount>& components) {
  std::array<float, 4> row;
  load_rows(format)(reinterpret_cast<const std::byte*>(components.data()), 0, 1,
                    reinterpret_cast<std::byte*>(row.data()));
  return row;
}

TEST(RowFormat, MissingComponentsAreZeroZeroZeroOne) {
  using Row = std::array<float, 4>;
  const std::array<float, 4> f{5, 6, 7, 8};
  EXPECT_EQ(one_row(f32x1, f), (Row{5, 0, 0, 1}));
  EXPECT_EQ(one_row(f32x2, f), (Row{5, 6, 0, 1}));
  EXPECT_EQ(one_row(f32x3, f), (Row{5, 6, 7, 1}));
  EXPECT_EQ(one_row(f32x4, f), (Row{5, 6, 7, 8}));
  const std::array<std::uint8_t, 4> u{0, 1, 254, 255};
  EXPECT_EQ(one_row(Format{ComponentType::u8, 4}, u), (Row{0, 1, 254, 255}));
  EXPECT_EQ(one_row(Format{ComponentType::u8, 1}, u), (Row{0, 0, 0, 1}));
  EXPECT_EQ(one_row(Format{ComponentType::unorm8, 4}, u), (Row{0, 1 / 255.0f, 254 / 255.0f, 1}));
}

TEST(RowFormat, SignedAndNormalized) {
  using Row = std::array<float, 4>;
  const std::array<std::int8_t, 4> b{-128, -127, 127, 1};
  EXPECT_EQ(one_row(Format{ComponentType::s8, 4}, b), (Row{-128, -127, 127, 1}));
  EXPECT_EQ(one_row(Format{ComponentType::snorm8, 4}, b), (Row{-1, -1, 1, 1 / 127.0f}));
  const std::array<std::int16_t, 4> s{-32768, -32767, 32767, 2};
  EXPECT_EQ(one_row(Format{ComponentType::s16, 4}, s), (Row{-32768, -32767, 32767, 2}));
  EXPECT_EQ(one_row(Format{ComponentType::snorm16, 4}, s), (Row{-1, -1, 1, 2 / 32767.0f}));
  const std::array<std::uint16_t, 4> w{0, 65535, 32768, 3};
  EXPECT_EQ(one_row(Format{ComponentType::u16, 4}, w), (Row{0, 65535, 32768, 3}));
  EXPECT_EQ(one_row(Format{ComponentType::unorm16, 4}, w), (Row{0, 1, 32768 / 65535.0f, 3 / 65535.0f}));
}

TEST(RowFormat, FloatsKeepTheirBits) {
  const std::array<std::uint32_t, 4> bits{0x7f800001, 0xffc12345, 0x80000000, 0x00000001};
  std::array<std::uint32_t, 4> row{}, back{};
  load_rows(f32x4)(reinterpret_cast<const std::byte*>(bits.data()), 0, 1,
                   reinterpret_cast<std::byte*>(row.data()));
  EXPECT_EQ(row, bits);
  store_rows(Format{ComponentType::u32, 4})(reinterpret_cast<const std::byte*>(row.data()),
                                            reinterpret_cast<std::byte*>(back.data()), 0, 1);
  EXPECT_EQ(back, bits);
}

TEST(RowFormat, UnalignedStridesTouchNothingElse) {
  for (const ComponentType type : kAll)
    for (std::uint8_t n = 1; n <= 4; ++n) {
      const Format format{type, n};
      const std::size_t stride = size(format) + 3, count = 5;
      // Exactly the bytes of the rows, the last one cut after its components (ASan sees the end).
      std::vector<std::byte> data((count - 1) * stride + size(format));
      for (std::size_t k = 0; k < data.size(); ++k) data[k] = static_cast<std::byte>(k * 37 + 11);
      std::vector<std::byte> rows(count * runtime::kRowBytes);
      if (const auto load = load_rows(format))
        load(data.data(), static_cast<std::ptrdiff_t>(stride), count, rows.data());
      const auto store = store_rows(format);
      if (store == nullptr) continue;
      std::vector<std::byte> out(data.size(), std::byte{0xEE});
      store(rows.data(), out.data(), static_cast<std::ptrdiff_t>(stride), count);
      for (std::size_t k = 0; k < out.size(); ++k)
        if (k % stride >= size(format)) {
          EXPECT_EQ(out[k], std::byte{0xEE}) << name(format) << " byte " << k;
        }
    }
}

TEST(RowFormat, UnusableFormatsAreNull) {
  EXPECT_EQ(load_rows(Format{ComponentType::u32, 4}), nullptr);
  EXPECT_EQ(store_rows(Format{ComponentType::u8, 4}), nullptr);
  EXPECT_EQ(load_rows(Format{ComponentType::f32, 0}), nullptr);
  EXPECT_EQ(load_rows(Format{ComponentType::f32, 5}), nullptr);
  EXPECT_EQ(load_rows(Format{static_cast<ComponentType>(200), 1}), nullptr);
}

}  // namespace
}  // namespace warpjit
