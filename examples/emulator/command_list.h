// The words of a command list, as a console's library writes them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

using Vector = std::array<float, 4>;

// Registers of a shader unit, counted from its first one.
constexpr std::uint32_t kInput = 0x9, kEntry = 0xA, kPermutation = 0xB, kOutputMask = 0xD, kCodeEnd = 0xF,
                        kFloatIndex = 0x10, kFloatData = 0x11, kCodeIndex = 0x1B, kCodeData = 0x1C,
                        kDescriptorIndex = 0x25, kDescriptorData = 0x26;

class CommandList {
 public:
  // Writes one register: one word, or all of `values`, one after the other.
  void write(std::uint32_t id, std::span<const std::uint32_t> values) { command(id, values, false); }
  void write(std::uint32_t id, std::uint32_t value) { write(id, {&value, 1}); }
  // Registers from `id` on.
  void write_from(std::uint32_t id, std::initializer_list<std::uint32_t> values) {
    command(id, {values.begin(), values.size()}, true);
  }
  void write_floats(std::uint32_t unit, std::uint32_t first, std::span<const Vector> vectors) {
    constexpr std::uint32_t kBits32 = 0x80000000;
    write(unit + kFloatIndex, kBits32 | first);
    std::vector<std::uint32_t> words;
    for (const Vector& v : vectors)
      for (int c = 3; c >= 0; --c) words.push_back(std::bit_cast<std::uint32_t>(v[static_cast<unsigned>(c)]));
    write(unit + kFloatData, words);
  }
  void write_float(std::uint32_t unit, std::uint32_t index, const Vector& vector) {
    write_floats(unit, index, {&vector, 1});
  }
  void write_program(std::uint32_t unit, std::span<const std::uint32_t> code,
                     std::span<const std::uint32_t> descriptors, std::uint32_t entry) {
    write(unit + kCodeIndex, 0);
    write(unit + kCodeData, code);
    write(unit + kCodeEnd, 1);
    write(unit + kDescriptorIndex, 0);
    write(unit + kDescriptorData, descriptors);
    write(unit + kEntry, 0x7FFF0000 | entry);
  }
  // Ends the list with the interrupt P3D; a list has a multiple of 16 bytes.
  std::vector<std::uint32_t> finish() {
    write(0x010, 0x12345678);
    while (words_.size() % 4 != 0) words_.push_back(0);
    return std::move(words_);
  }

 private:
  // The first value, the header, the others; whole pairs of words.
  void command(std::uint32_t id, std::span<const std::uint32_t> values, bool consecutive) {
    constexpr std::size_t kMost = 256;
    while (!values.empty()) {
      const auto part = values.first(std::min(values.size(), kMost));
      values = values.subspan(part.size());
      const auto extra = static_cast<std::uint32_t>(part.size() - 1);
      words_.push_back(part[0]);
      words_.push_back(id | 0xFu << 16 | extra << 20 | (consecutive ? 1u << 31 : 0));
      words_.insert(words_.end(), part.begin() + 1, part.end());
      if (words_.size() % 2 != 0) words_.push_back(0);
    }
  }
  std::vector<std::uint32_t> words_;
};
