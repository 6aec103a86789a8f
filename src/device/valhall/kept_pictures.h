// What targets in AFBC hold. Their codec is not public, so that their memory never gets their pixels: they
// are kept beside it, and textures of the same memory read them there (docs/guests/valhall.md 11.4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace warpjit::valhall {

// Bytes of all pictures together.
inline constexpr std::uint64_t kMaxKeptBytes = std::uint64_t{1} << 30;

struct KeptPicture {
  std::string place;                    // of the target, for messages
  std::uint64_t address = 0, size = 0;  // of the target's header; bytes that it takes with the bodies
  std::uint32_t width = 0, height = 0, pixel_bytes = 0;
  // Bits of a pixel's components from the lowest up; none: it is raw, or depth.
  std::array<std::uint8_t, 4> bits{};
  std::uint8_t depth = 0;  // the texture's format of depth, bits 12 to 19; 0: it is a colour
  bool stencil = false;    // with the depth, in the upper byte
  // Rows without padding, of pixels as they would lie in memory. Empty: the formats are not supported, and
  // `why` says which these are.
  std::vector<std::byte> bytes{};
  std::vector<std::uint8_t> known{};  // of each pixel: 1 if it was ever drawn or cleared
  std::string why{};
};

class KeptPictures {
 public:
  // Whose header is there; null: no target was.
  const KeptPicture* find(std::uint64_t address) const;
  // The first one that takes any of these bytes; null: none.
  const KeptPicture* find_over(std::uint64_t address, std::uint64_t size) const;
  // In place of those of the same memory. Errors: all are more than kMaxKeptBytes (resource_limit).
  Status keep(KeptPicture picture);
  // These bytes are something else now.
  void forget(std::uint64_t address, std::uint64_t size);

 private:
  std::map<std::uint64_t, KeptPicture> pictures_;  // by their addresses; none overlap
  std::uint64_t bytes_ = 0;
};

}  // namespace warpjit::valhall
