// What memory holds, to be put back, or to be compared.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace warpjit::debug {

class SavedMemory {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 30;

  using Pieces = std::vector<std::span<std::byte>>;
  // Errors: resource_limit, and then nothing is saved.
  Status save(const Pieces& pieces) {
    std::size_t bytes = 0;
    for (const auto piece : pieces) bytes += piece.size();
    if (bytes > kMostBytes)
      return Error{ErrorCode::resource_limit,
                   "the launch may write " + std::to_string(bytes) + " bytes; a debugger keeps at most " +
                       std::to_string(kMostBytes),
                   ""};
    pieces_ = pieces;
    copies_.clear();
    for (const auto piece : pieces) copies_.emplace_back(piece.begin(), piece.end());
    return {};
  }
  void restore() const {
    for (std::size_t k = 0; k < pieces_.size(); ++k) std::ranges::copy(copies_[k], pieces_[k].begin());
  }
  // Saves the pieces, calls what may write to them, and puts them back however that ends, also by an exception.
  // Errors: those of save(), and then it is not called.
  template <class Run>
  Status lend(const Pieces& pieces, Run&& run) {
    WARPJIT_CHECK(save(pieces));
    struct PutBack {
      const SavedMemory& memory;
      ~PutBack() { memory.restore(); }
    } const put_back{*this};
    run();
    return {};
  }
  const Pieces& pieces() const { return pieces_; }
  const std::vector<std::byte>& copy(std::size_t piece) const { return copies_[piece]; }

 private:
  Pieces pieces_;
  std::vector<std::vector<std::byte>> copies_;
};

}  // namespace warpjit::debug
