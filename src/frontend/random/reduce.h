// Reduces a program that shows something, such as a difference between engines,
// to what matters of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpjit::random {

// Replaces instructions by `nop` as long as shows() holds, which it does for
// the code as it is; no single further one can be replaced then. An
// instruction, as the NOP, has nop.size() words. Gives how many were replaced.
template <class Shows>
std::size_t replace_by_nops(std::vector<std::uint32_t>& code, std::span<const std::uint32_t> nop,
                            const Shows& shows) {
  const std::size_t words = nop.size();
  std::size_t replaced = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t at = 0; at + words <= code.size(); at += words) {
      bool is_nop = true;
      std::vector<std::uint32_t> before(words);
      for (std::size_t k = 0; k < words; ++k) {
        before[k] = code[at + k];
        is_nop = is_nop && before[k] == nop[k];
        code[at + k] = nop[k];
      }
      if (is_nop) continue;
      if (shows()) {
        changed = true;
        ++replaced;
      } else {
        for (std::size_t k = 0; k < words; ++k) code[at + k] = before[k];
      }
    }
  }
  return replaced;
}

}  // namespace warpjit::random
