// Places as text.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "base/words.h"
#include "warpjit/debug.hpp"

namespace warpjit {
namespace {

// What a message shows of a word that somebody gave.
std::string shown(std::string_view word) { return '"' + text::shortened(word, 40) + '"'; }

// One number, or several with commas between them.
Status read_numbers(std::string_view word, std::string_view of, std::span<std::uint64_t> numbers,
                    std::uint64_t largest, bool all) {
  const auto fail = [&] {
    return Error{
        ErrorCode::bad_input,
        shown(word) + " after \"" + std::string(of) + "\" is not " +
            (numbers.size() == 1 ? "a number" : std::to_string(numbers.size()) + " numbers with commas") +
            " up to " + std::to_string(largest),
        "place"};
  };
  std::size_t count = 0;
  for (const char *at = word.data(), *const end = at + word.size();; ++at) {
    if (count == numbers.size()) return fail();
    const auto [next, error] = std::from_chars(at, end, numbers[count]);
    if (error != std::errc() || numbers[count] > largest) return fail();
    ++count;
    at = next;
    if (at == end) break;
    if (*at != ',') return fail();
  }
  return all && count != numbers.size() ? fail() : Status();
}

constexpr std::uint64_t kMostWord = 0xffffffff, kMost = std::uint64_t{1} << 48;
using Numbers = std::span<const std::uint64_t>;

std::array<std::uint32_t, 3> words_from(Numbers numbers) {
  return {static_cast<std::uint32_t>(numbers[0]), static_cast<std::uint32_t>(numbers[1]),
          static_cast<std::uint32_t>(numbers[2])};
}

// A word of places, and the numbers after it, of which the last ones may be left out if not `all` must be there.
struct Part {
  std::string_view word;
  std::size_t numbers;
  std::uint64_t largest;
  bool all;
  std::optional<DebugPlace::Of> of;  // which threads it is about
  void (*set)(DebugPlace& place, Numbers numbers);
};
constexpr void set_number(DebugPlace& place, Numbers numbers) { place.number = numbers[0]; }
constexpr void set_draw(DebugPlace& place, Numbers numbers) {
  place.draw = static_cast<std::size_t>(numbers[0]);
}
using Of = DebugPlace::Of;
constexpr Part kParts[] = {
    {"draw", 1, kMost, true, std::nullopt, set_draw},
    {"launch", 1, kMost, true, std::nullopt, set_draw},
    {"vertex", 1, kMost, true, Of::vertex, set_number},
    {"row", 1, kMost, true, Of::vertex, set_number},
    {"invocation", 1, kMost, true, Of::invocation, set_number},
    {"pixel", 2, kMostWord, true, Of::pixel,
     [](DebugPlace& place, Numbers numbers) {
       place.x = static_cast<std::uint32_t>(numbers[0]);
       place.y = static_cast<std::uint32_t>(numbers[1]);
     }},
    {"fragment", 1, kMost, true, Of::pixel, set_number},
    {"thread", 3, kMostWord, false, Of::thread,
     [](DebugPlace& place, Numbers numbers) { place.thread = words_from(numbers); }},
    {"block", 3, kMostWord, false, Of::thread,
     [](DebugPlace& place, Numbers numbers) { place.block = words_from(numbers); }},
    {"secondary", 1, 1, true, Of::secondary, set_number},
    {"program", 1, 255, true, std::nullopt,
     [](DebugPlace& place, Numbers numbers) { place.program = static_cast<unsigned>(numbers[0]); }},
    {"step", 1, kMost, true, std::nullopt,
     [](DebugPlace& place, Numbers numbers) { place.step = numbers[0]; }},
};

}  // namespace

Result<DebugPlace> DebugPlace::parse(std::string_view given) try {
  const auto wrong = [](std::string message) {
    return Error{ErrorCode::bad_input, std::move(message), "place"};
  };
  DebugPlace place;
  const std::vector<std::string_view> words = text::words_of(given);
  std::string_view is;  // which of the kinds of threads it names
  for (std::size_t k = 0; k < words.size(); k += 2) {
    const std::string_view word = words[k];
    const Part* const part = std::ranges::find(kParts, word, &Part::word);
    if (k + 1 == words.size()) return wrong("nothing follows " + shown(word));
    if (part == std::end(kParts))
      return wrong(
          shown(word) +
          " is no part of a place; these are: draw N, vertex N, invocation N, pixel X,Y, fragment N, "
          "thread X,Y,Z, block X,Y,Z, secondary N, program N, step N");
    if (part->of && !is.empty() && place.of != *part->of)
      return wrong("a place is of one thread: " + shown(word) + " does not go with " + shown(is));
    if (part->of) {
      is = word;
      place.of = *part->of;
    }
    std::array<std::uint64_t, 3> numbers{};
    WARPJIT_CHECK(
        read_numbers(words[k + 1], word, std::span(numbers).first(part->numbers), part->largest, part->all));
    part->set(place, numbers);
  }
  return place;
} catch (...) {
  return caught();
}

std::string DebugPlace::text() const {
  const auto triple = [](const std::array<std::uint32_t, 3>& of) {
    return std::to_string(of[0]) + "," + std::to_string(of[1]) + "," + std::to_string(of[2]);
  };
  std::string result = "draw " + std::to_string(draw);
  switch (of) {
    case Of::vertex:
      result += " vertex " + std::to_string(number);
      break;
    case Of::invocation:
      result += " invocation " + std::to_string(number);
      break;
    case Of::pixel:
      result +=
          " pixel " + std::to_string(x) + "," + std::to_string(y) + " fragment " + std::to_string(number);
      break;
    case Of::thread:
      result += " thread " + triple(thread) + " block " + triple(block);
      break;
    case Of::secondary:
      result += " secondary " + std::to_string(number);
      break;
  }
  if (program != 0) result += " program " + std::to_string(program);
  if (step != 0) result += " step " + std::to_string(step);
  return result;
}

}  // namespace warpjit
