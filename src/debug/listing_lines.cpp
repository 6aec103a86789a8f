#include "debug/listing_lines.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace warpjit::debug {

std::map<std::uint32_t, std::string> lines_of(const std::string& listing) {
  std::map<std::uint32_t, std::string> lines;
  for (std::size_t at = 0; at < listing.size();) {
    const std::size_t end = std::min(listing.find('\n', at), listing.size());
    const std::string_view line(listing.data() + at, end - at);
    at = end + 1;
    const std::size_t comment = line.rfind("// ");
    if (comment == std::string_view::npos) continue;
    std::uint64_t address = 0;
    std::size_t digits = comment + 3;
    for (; digits < line.size(); ++digits) {
      const char* const found = std::strchr("0123456789abcdef", line[digits]);
      if (found == nullptr || line[digits] == '\0') break;
      address = address * 16 + static_cast<std::uint64_t>(found - "0123456789abcdef");
    }
    if (digits == comment + 3 || digits == line.size() || line[digits] != ':') continue;
    std::string_view text = line.substr(0, comment);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    lines.emplace(static_cast<std::uint32_t>(address), text);
  }
  return lines;
}

}  // namespace warpjit::debug
