// Files that xz has compressed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace warpjit::tests {

// Nothing without that tool or file.
inline std::vector<std::byte> unpacked(const std::string& path) {
  std::vector<std::byte> bytes;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(
      popen(("xz -dc '" + path + "' 2>/dev/null").c_str(), "r"), pclose);
  if (!pipe) return bytes;
  std::array<std::byte, 65536> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe.get()))
    bytes.insert(bytes.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(count));
  return bytes;
}

}  // namespace warpjit::tests
