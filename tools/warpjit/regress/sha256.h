// SHA-256: hashes of pictures that mean the same in every build, and that other programs can compute.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace warpjit::tool {

inline constexpr std::size_t kSha256Digits = 64;
std::string sha256(std::span<const std::byte> bytes);  // hexadecimal digits

}  // namespace warpjit::tool
