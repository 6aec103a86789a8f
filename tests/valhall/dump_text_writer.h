// Texts as two versions of Mesa write them with PAN_MESA_DEBUG=trace,dump, of memory and chains.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpjit::valhall {

enum class DumpDialect : std::uint8_t { older, newer };  // 22.3.6, 25.0.7

class DumpTextWriter {
 public:
  explicit DumpTextWriter(DumpDialect dialect) : dialect_(dialect) {}

  void job(std::uint64_t address, std::string_view type) {
    text_ += "Job Header (" + lower(address) + "):\n  Exception Status: 0\n  Type: " + std::string(type) +
             "\n  Next: 0x0\n\nPrimitive:\n  Buffer: 0x0\n  Buffer type: Tiler heap\n  Buffer @700\n\n";
  }
  void buffer(std::uint64_t address, std::span<const std::byte> bytes) {
    const std::string where = lower(address);
    text_ += "Buffer: memory_" + where + " gpu " + where + "\n\n";
    if (dialect_ == DumpDialect::older)
      older(bytes);
    else
      newer(bytes);
    text_ += "\n\n";
  }
  const std::string& text() const { return text_; }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(text_)); }

 private:
  static std::string hexadecimal(std::uint64_t value, std::size_t digits, const char* of) {
    std::string text;
    for (; value != 0 || text.size() < digits; value >>= 4) text.insert(text.begin(), of[value & 15]);
    return text;
  }
  static std::string upper(std::uint64_t value, std::size_t digits) {
    return hexadecimal(value, digits, "0123456789ABCDEF");
  }
  static std::string lower(std::uint64_t value) { return hexadecimal(value, 1, "0123456789abcdef"); }
  void line(std::size_t at, std::span<const std::byte> bytes) {
    text_ += upper(at, 6) + "  ";
    for (const std::byte b : bytes) text_ += upper(std::to_integer<std::uint64_t>(b), 2) + " ";
    text_ += '\n';
  }
  // Runs of zeros are one line, at the end, too.
  void older(std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const auto zeros = static_cast<std::size_t>(
          std::ranges::find_if(bytes.subspan(at), [](std::byte b) { return b != std::byte{0}; }) -
          bytes.subspan(at).begin());
      if (zeros >= 32) {
        text_ += upper(at, 6) + "  *\n";
        at += zeros / 16 * 16;
        continue;
      }
      line(at, bytes.subspan(at, std::min<std::size_t>(16, bytes.size() - at)));
      at += 16;
    }
  }
  // Lines that are equal to the one before are one, but for the last.
  void newer(std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += 16) {
      std::size_t end = at;
      while (at != 0 && end + 16 < bytes.size() &&
             std::ranges::equal(bytes.subspan(end, 16), bytes.subspan(at - 16, 16)))
        end += 16;
      if (end > at) text_ += "*\n";
      at = end;
      line(at, bytes.subspan(at, std::min<std::size_t>(16, bytes.size() - at)));
    }
  }

  DumpDialect dialect_;
  std::string text_;
};

}  // namespace warpjit::valhall
