// The way of the C library against std::from_chars, which this test's library has for floats.
#include "base/parse_float.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <system_error>

namespace warpjit::test {
namespace {

template <class Float>
void expect_same(const std::string& text) {
  Float expected = 42, found = 42, usual = 42;
  const char *first = text.data(), *last = first + text.size();
  const auto by_standard = std::from_chars(first, last, expected);
  const auto by_c = parse_float_by_c_library(first, last, found);
  const auto result = parse_float(first, last, usual);
  EXPECT_EQ(by_c.ec, by_standard.ec) << text;
  EXPECT_EQ(by_c.ptr - first, by_standard.ptr - first) << text;
  EXPECT_EQ(std::memcmp(&found, &expected, sizeof found), 0) << text << ": " << found << ", not " << expected;
  EXPECT_EQ(result.ec, by_standard.ec) << text;
  EXPECT_EQ(std::memcmp(&usual, &expected, sizeof usual), 0) << text;
}

TEST(ParseFloat, FormsAndEdges) {
  for (const char* text : {"0",
                           "-0",
                           "1",
                           "-1.5",
                           ".5",
                           "5.",
                           ".",
                           "-",
                           "",
                           "+1",
                           " 1",
                           "1 ",
                           "1e",
                           "1e+",
                           "1e5",
                           "1E-5",
                           "1e+05x",
                           "0e99999",
                           "1e39",
                           "-1e39",
                           "1e400",
                           "1e-46",
                           "1e-400",
                           "1.4e-45",
                           "1e-45",
                           "7e-46",
                           "1.17549435e-38",
                           "1.1754942e-38",
                           "3.4028235e38",
                           "3.4028236e38",
                           "3.40282357e38",
                           "4.9e-324",
                           "2.4e-324",
                           "1.7976931348623157e308",
                           "0.1",
                           "16777217",
                           "0.000000000000000000000000000000000000000000001",
                           "00012.50",
                           "1.2.3",
                           "1e5e5",
                           "e5",
                           "x"}) {
    expect_same<float>(text);
    expect_same<double>(text);
  }
}

TEST(ParseFloat, RandomNumbersInAnyLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"C", "de_DE.UTF-8"}) {
    std::setlocale(LC_ALL, name);  // stays as it is if the machine does not have it
    std::mt19937_64 random(7);
    for (int n = 0; n < 20000; ++n) {
      const std::uint64_t bits = random();
      double value = 0;
      std::memcpy(&value, &bits, sizeof value);
      char text[64];
      std::snprintf(text, sizeof text, "%.*g", static_cast<int>(random() % 20 + 1), value);
      if (std::strpbrk(text, "in,") != nullptr) continue;  // infinity, NaN, a comma
      expect_same<float>(text);
      expect_same<double>(text);
    }
  }
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace warpjit::test
