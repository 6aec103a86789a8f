// Reduces a program that shows something, such as a difference between engines,
// to the instructions that matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace warpjit::random {

// Replaces instructions by `nop` while shows() holds, until no single further one can be replaced. shows()
// must hold for the code as given. An instruction has nop.size() words. Returns how many were replaced.
template <class Word, class Shows>
std::size_t replace_by_nops(std::vector<Word>& code, std::type_identity_t<std::span<const Word>> nop,
                            const Shows& shows) {
  const std::size_t words = nop.size();
  std::size_t replaced = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t at = 0; at + words <= code.size(); at += words) {
      bool is_nop = true;
      std::vector<Word> before(words);
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
