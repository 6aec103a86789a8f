// The guest's physical memory as the fixed function reads and writes it: pieces, each at its address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpjit::pica200 {

// Whoever reads or writes memory tells a watch before it does, on the thread of the call.
class MemoryWatch {
 public:
  virtual ~MemoryWatch() = default;
  virtual void reach(const std::byte* data, std::size_t size, bool writes) = 0;
};

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
  // The same for one who reads or writes it now.
  std::byte* access(std::uint64_t address, std::uint64_t size, bool writes) const {
    std::byte* const found = find(address, size);
    if (found != nullptr) reach(found, static_cast<std::size_t>(size), writes);
    return found;
  }
  // The same for bytes that were found before.
  void reach(const std::byte* data, std::size_t size, bool writes) const {
    if (watch_ != nullptr && size != 0) watch_->reach(data, size, writes);
  }
  // Null: nobody watches.
  void set_watch(MemoryWatch* watch) { watch_ = watch; }
  std::span<const Piece> pieces() const { return pieces_; }

 private:
  MemoryWatch* watch_ = nullptr;
  std::vector<Piece> pieces_;
};

}  // namespace warpjit::pica200
