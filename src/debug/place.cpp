// Places as text.
#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/result.h"
#include "warpjit/debug.hpp"

namespace warpjit {
namespace {

// The words of a text, without the blanks between them.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return words;
    text.remove_prefix(first);
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

// What a message shows of a text that somebody gave.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string result;
  for (const char letter : text.substr(0, kMost))
    result += static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f ? '?' : letter;
  return '"' + result + (text.size() > kMost ? "..." : "") + '"';
}

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

}  // namespace

Result<DebugPlace> DebugPlace::parse(std::string_view text) try {
  constexpr std::uint64_t kMostWord = 0xffffffff, kMost = std::uint64_t{1} << 48;
  DebugPlace place;
  const std::vector<std::string_view> words = words_of(text);
  bool has_thread = false;
  std::string_view is;  // which of the kinds of threads it names
  for (std::size_t k = 0; k < words.size(); k += 2) {
    const std::string_view word = words[k];
    if (k + 1 == words.size()) return Error{ErrorCode::bad_input, "nothing follows " + shown(word), "place"};
    std::array<std::uint64_t, 3> numbers{};
    const auto read = [&](std::size_t count, std::uint64_t largest, bool all = false) {
      return read_numbers(words[k + 1], word, std::span(numbers).first(count), largest, all);
    };
    const auto becomes = [&](Of of) -> Status {
      if (has_thread && place.of != of)
        return Error{ErrorCode::bad_input,
                     "a place is of one thread: " + shown(word) + " does not go with " + shown(is), "place"};
      has_thread = true;
      is = word;
      place.of = of;
      return {};
    };
    if (word == "draw" || word == "launch") {
      WARPJIT_CHECK(read(1, kMost));
      place.draw = static_cast<std::size_t>(numbers[0]);
    } else if (word == "vertex" || word == "row" || word == "invocation") {
      WARPJIT_CHECK(becomes(word == "invocation" ? Of::invocation : Of::vertex));
      WARPJIT_CHECK(read(1, kMost));
      place.number = numbers[0];
    } else if (word == "pixel") {
      WARPJIT_CHECK(becomes(Of::pixel));
      WARPJIT_CHECK(read(2, kMostWord, true));
      place.x = static_cast<std::uint32_t>(numbers[0]);
      place.y = static_cast<std::uint32_t>(numbers[1]);
    } else if (word == "fragment") {
      WARPJIT_CHECK(becomes(Of::pixel));
      WARPJIT_CHECK(read(1, kMost));
      place.number = numbers[0];
    } else if (word == "thread" || word == "block") {
      WARPJIT_CHECK(becomes(Of::thread));
      WARPJIT_CHECK(read(3, kMostWord));
      for (std::size_t n = 0; n < 3; ++n)
        (word == "thread" ? place.thread : place.block)[n] = static_cast<std::uint32_t>(numbers[n]);
    } else if (word == "program") {
      WARPJIT_CHECK(read(1, 255));
      place.program = static_cast<unsigned>(numbers[0]);
    } else if (word == "step") {
      WARPJIT_CHECK(read(1, kMost));
      place.step = numbers[0];
    } else {
      return Error{
          ErrorCode::bad_input,
          shown(word) +
              " is no part of a place; these are: draw N, vertex N, invocation N, pixel X,Y, fragment N, "
              "thread X,Y,Z, block X,Y,Z, program N, step N",
          "place"};
    }
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
  }
  if (program != 0) result += " program " + std::to_string(program);
  if (step != 0) result += " step " + std::to_string(step);
  return result;
}

}  // namespace warpjit
