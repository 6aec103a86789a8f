#include "frontend/listing_lines.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace warpjit::frontend {

std::map<std::uint32_t, std::string> lines_of(const std::string& listing) {
  std::map<std::uint32_t, std::string> lines;
  for (std::size_t at = 0; at < listing.size();) {
    const std::size_t end = std::min(listing.find('\n', at), listing.size());
    const std::string_view line(listing.data() + at, end - at);
    at = end + 1;
    const bool slashes = line.find("// ") != std::string_view::npos;
    const std::size_t comment = slashes ? line.rfind("// ") : line.find("; ");
    if (comment == std::string_view::npos) continue;
    std::uint64_t address = 0;
    const std::size_t first = comment + (slashes ? 3 : 2);
    std::size_t digits = first;
    for (; digits < line.size(); ++digits) {
      const char* const found = std::strchr("0123456789abcdef", line[digits]);
      if (found == nullptr || line[digits] == '\0') break;
      address = address * 16 + static_cast<std::uint64_t>(found - "0123456789abcdef");
    }
    if (digits == first || digits == line.size() || line[digits] != (slashes ? ':' : ' ')) continue;
    std::string_view text = line.substr(0, comment);
    // The exact form of a listing has the instruction's usual text after its word.
    const std::size_t word = slashes ? line.npos : line.find(' ', digits + 1);
    if (word != line.npos) text = line.substr(word);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    lines.emplace(static_cast<std::uint32_t>(address), text);
  }
  return lines;
}

}  // namespace warpjit::frontend
