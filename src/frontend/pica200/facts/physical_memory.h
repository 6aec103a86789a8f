// The guest's physical memory as the fixed function reads and writes it: pieces, each at its address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpjit::pica200 {

class PhysicalMemory {
 public:
  struct Piece {
    std::uint32_t address = 0;
    std::byte* data = nullptr;
    std::size_t size = 0;
  };

  PhysicalMemory() = default;
  explicit PhysicalMemory(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}

  // The bytes from `address` on, all in one piece; null if they are not. No bytes are nowhere.
  std::byte* find(std::uint64_t address, std::uint64_t size) const {
    for (const Piece& piece : pieces_)
      if (address >= piece.address && size != 0 && address - piece.address < piece.size &&
          size <= piece.size - (address - piece.address))
        return piece.data + (address - piece.address);
    return nullptr;
  }
  std::span<const Piece> pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
};

}  // namespace warpjit::pica200
