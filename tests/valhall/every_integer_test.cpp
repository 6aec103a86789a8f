// Every integer instruction that has elements, in every type, with edge values, beside the same element by
// element as docs/guests/valhall.md 6.2 and 6.3 say it.
#include <algorithm>
#include <array>
#include <vector>

#include "base/random.h"
#include "valhall/evaluate.h"

namespace warpjit::valhall {
namespace {

struct Elements {
  const char* type;
  unsigned width, count;
  bool is_signed;

  std::uint64_t mask() const { return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }
  std::uint64_t bits(std::uint64_t word, unsigned n) const { return word >> (n * width) & mask(); }
  // Component n, which has at most 32 bits.
  std::int64_t number(std::uint64_t word, unsigned n) const {
    const auto value = static_cast<std::int64_t>(bits(word, n));
    return is_signed && value >> (width - 1) != 0 ? value - static_cast<std::int64_t>(mask()) - 1 : value;
  }
  std::int64_t least() const { return is_signed ? -(std::int64_t{1} << (width - 1)) : 0; }
  std::int64_t greatest() const { return static_cast<std::int64_t>(is_signed ? mask() >> 1 : mask()); }
  std::string sources() const { return width == 64 ? " r0, r2, r4" : " r0, r1, r2"; }
  std::string third() const { return width == 64 ? ", r6" : ", r3"; }
};
constexpr Elements kAll[] = {{"u32", 32, 1, false},  {"s32", 32, 1, true},  {"v2u16", 16, 2, false},
                             {"v2s16", 16, 2, true}, {"v4u8", 8, 4, false}, {"v4s8", 8, 4, true}};
constexpr Elements kPlain[] = {
    {"i32", 32, 1, false}, {"v2i16", 16, 2, false}, {"v4i8", 8, 4, false}, {"i64", 64, 1, false}};

// Words whose elements are edges of their width, in all mixtures, and any words.
std::vector<std::uint64_t> edge_words(const Elements& elements) {
  const std::uint64_t most = elements.mask(), top = most ^ most >> 1;
  const std::uint64_t edges[] = {0, 1, 2, most, most - 1, top, top - 1, top + 1, 0x5555555555555555 & most,
                                 7};
  std::vector<std::uint64_t> words;
  Random random(elements.width);
  for (std::size_t first = 0; first < std::size(edges); ++first)
    for (std::size_t step = 0; step < (elements.count == 1 ? 1 : std::size(edges)); ++step) {
      std::uint64_t word = 0;
      for (unsigned n = 0; n < elements.count; ++n)
        word |= edges[(first + n * step) % std::size(edges)] << (n * elements.width);
      words.push_back(word);
    }
  for (int n = 0; n < 10; ++n)
    words.push_back(elements.width == 64 ? random.next() : random.next() & 0xffffffff);
  return words;
}

// made(n, a, b) is element n of the result.
template <class Made>
void expect_elements(const Elements& elements, const std::string& text, Made made) {
  const std::vector<std::uint64_t> words = edge_words(elements);
  for (std::size_t k = 0; k < words.size(); ++k)
    for (std::size_t step = 0; step < words.size(); step += elements.count == 1 ? 1 : 7) {
      const std::uint64_t a = words[k], b = words[(k + step) % words.size()];
      std::uint64_t wanted = 0;
      for (unsigned n = 0; n < elements.count; ++n)
        wanted |= (static_cast<std::uint64_t>(made(n, a, b)) & elements.mask()) << (n * elements.width);
      ASSERT_EQ(run(text, {a, b}), wanted) << text << std::hex << ' ' << a << ' ' << b;
    }
}

TEST(ValhallEveryInteger, SumsDifferencesAndMeans) {
  for (const Elements& e : kAll)
    for (const bool minus : {false, true})
      for (const bool saturate : {false, true}) {
        const std::string text =
            (minus ? "ISUB." : "IADD.") + std::string(e.type) + (saturate ? ".saturate" : "") + e.sources();
        expect_elements(e, text, [&](unsigned n, std::uint64_t a, std::uint64_t b) {
          const std::int64_t sum = minus ? e.number(a, n) - e.number(b, n) : e.number(a, n) + e.number(b, n);
          return saturate ? std::clamp(sum, e.least(), e.greatest()) : sum;
        });
      }
  for (const Elements& e : kAll)
    for (const bool up : {false, true})
      expect_elements(e, "HADD." + std::string(e.type) + (up ? ".rhadd" : "") + e.sources(),
                      [&](unsigned n, std::uint64_t a, std::uint64_t b) {
                        return (e.number(a, n) + e.number(b, n) + (up ? 1 : 0)) >> 1;
                      });
  for (const Elements& e : {Elements{"u64", 64, 1, false}, Elements{"s64", 64, 1, true}})
    for (const bool minus : {false, true})
      expect_elements(e, (minus ? "ISUB." : "IADD.") + std::string(e.type) + e.sources(),
                      [&](unsigned, std::uint64_t a, std::uint64_t b) { return minus ? a - b : a + b; });
}

TEST(ValhallEveryInteger, Products) {
  for (const Elements& e : kAll)
    for (const bool saturate : {false, true}) {
      std::string type = e.type;
      std::ranges::replace(type, 'u', 'i');
      expect_elements(e, "IMUL." + type + (saturate ? ".saturate" : "") + e.sources(),
                      [&](unsigned n, std::uint64_t a, std::uint64_t b) {
                        if (!e.is_signed) {
                          const std::uint64_t product = e.bits(a, n) * e.bits(b, n);
                          return saturate ? std::min(product, e.mask()) : product;
                        }
                        const std::int64_t product = e.number(a, n) * e.number(b, n);
                        return static_cast<std::uint64_t>(
                            saturate ? std::clamp(product, e.least(), e.greatest()) : product);
                      });
    }
}

std::uint64_t shifted(const Elements& e, const std::string& kind, bool is_signed, std::uint64_t a,
                      unsigned count) {
  const unsigned n = count % e.width, back = (e.width - n) % e.width;
  if (kind == "LSHIFT") return a << n & e.mask();
  if (kind == "LROT") return (a << n | a >> back) & e.mask();
  if (kind == "RROT") return (a >> n | a << back) & e.mask();
  const bool ones = is_signed && a >> (e.width - 1) != 0;
  return (a >> n | (ones && n != 0 ? e.mask() << (e.width - n) : 0)) & e.mask();
}

TEST(ValhallEveryInteger, Shifts) {
  constexpr std::uint8_t kCounts[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255};
  for (const Elements& e : kPlain)
    for (const std::string kind : {"RSHIFT", "LSHIFT", "RROT", "LROT"})
      for (const std::string with : {"AND", "OR", "XOR"})
        for (unsigned how = 0; how < 8; ++how) {
          const bool is_signed = (how & 1) != 0, not_result = (how & 2) != 0, not_third = (how & 4) != 0;
          if (is_signed && kind != "RSHIFT") continue;
          // The bytes that count elements 0, 1, 2 and 3.
          const std::string counts = e.count == 1 ? ".b00" : e.count == 2 ? ".b01" : ".b02";
          std::string text = kind + "_" + with + "." + e.type;
          if (is_signed) text += ".signed";
          if (not_result) text += ".not_result";
          text += e.sources() + counts + e.third() + (not_third ? ".not" : "");
          const std::vector<std::uint64_t> words = edge_words(e);
          for (std::size_t k = 0; k < words.size(); ++k) {
            std::uint64_t b = 0;
            for (unsigned n = 0; n < 4; ++n)
              b |= std::uint64_t{kCounts[(k + 5 * n) % std::size(kCounts)]} << (8 * n);
            const std::uint64_t a = words[k], c = words[(3 * k + 1) % words.size()];
            std::uint64_t wanted = 0;
            for (unsigned n = 0; n < e.count; ++n) {
              std::uint64_t third = e.bits(c, n);
              if (not_third) third = ~third;
              const std::uint64_t moved =
                  shifted(e, kind, is_signed, e.bits(a, n), static_cast<unsigned>(b >> (8 * n) & 255));
              std::uint64_t made = with == "AND"  ? moved & third
                                   : with == "OR" ? moved | third
                                                  : moved ^ third;
              if (not_result) made = ~made;
              wanted |= (made & e.mask()) << (n * e.width);
            }
            ASSERT_EQ(run(text, {a, b, c}), wanted) << text << std::hex << ' ' << a << ' ' << b << ' ' << c;
          }
        }
}

TEST(ValhallEveryInteger, Comparisons) {
  struct Comparison {
    const char* name;
    bool (*holds)(std::int64_t, std::int64_t);
  };
  constexpr Comparison kComparisons[] = {
      {"lt", [](auto a, auto b) { return a < b; }},   {"le", [](auto a, auto b) { return a <= b; }},
      {"gt", [](auto a, auto b) { return a > b; }},   {"ge", [](auto a, auto b) { return a >= b; }},
      {"eq", [](auto a, auto b) { return a == b; }},  {"ne", [](auto a, auto b) { return a != b; }},
      {"gtlt", [](auto a, auto b) { return a != b; }}};
  for (const Elements& e : kAll)
    for (const Comparison& comparison : kComparisons)
      for (const bool both : {false, true})
        for (const std::string result : {"i1", "m1", "f1"}) {
          if (result == "f1" && e.width == 8) continue;
          const std::uint64_t yes = result == "i1"   ? 1
                                    : result == "m1" ? e.mask()
                                                     : std::uint64_t{e.width == 16 ? 0x3c00U : 0x3f800000U};
          const std::string text = (both ? "ICMP_AND." : "ICMP_OR.") + std::string(e.type) + "." +
                                   comparison.name + "." + result + e.sources() + e.third();
          const std::vector<std::uint64_t> words = edge_words(e);
          for (std::size_t k = 0; k < words.size(); ++k) {
            const std::uint64_t a = words[k], b = words[k * 3 % words.size()],
                                c = words[(k * 7 + 2) % words.size()];
            std::uint64_t wanted = 0;
            for (unsigned n = 0; n < e.count; ++n) {
              const bool holds = comparison.holds(e.number(a, n), e.number(b, n)), third = e.bits(c, n) != 0;
              if (both ? holds && third : holds || third) wanted |= yes << (n * e.width);
            }
            ASSERT_EQ(run(text, {a, b, c}), wanted) << text << std::hex << ' ' << a << ' ' << b << ' ' << c;
          }
        }
}

}  // namespace
}  // namespace warpjit::valhall
