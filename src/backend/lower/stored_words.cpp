#include "backend/lower/stored_words.h"

namespace warpjit::backend {

using Kind = StoredWords::Access::Kind;

void StoredWords::begin(std::vector<Access> accesses, bool read_behind) {
  accesses_ = std::move(accesses);
  read_behind_ = read_behind;
  known_.reset();
  read_.assign(accesses_.size(), 0);
  for (std::size_t n = 0; n < accesses_.size(); ++n)
    if (accesses_[n].kind == Kind::store) read_[n] = is_read(n) ? 1 : 0;
}

bool StoredWords::is_needless(std::size_t n) const {
  const Access& stored = accesses_[n];
  if (stored.kind != Kind::store) return false;
  bool known = true;  // still in registers
  for (std::size_t m = n + 1; m < accesses_.size(); ++m) {
    const Access& next = accesses_[m];
    const bool same_span = next.kind != Kind::other && next.span == stored.span;
    if (next.kind == Kind::store) {
      if (is_same_place(stored, next) && next.guard == stored.guard) return true;
      known =
          known && (is_same_place(stored, next) || (same_span && !overlap(stored, next) && read_[m] == 0));
    } else if (!same_span || (overlap(stored, next) &&
                              !(known && next.kind == Kind::load && whole_words_apart(stored, next)))) {
      return false;
    }
  }
  return !read_behind_;
}

// True if a load reads what store n leaves, before that is lost.
bool StoredWords::is_read(std::size_t n) const {
  const Access& stored = accesses_[n];
  for (std::size_t m = n + 1; m < accesses_.size(); ++m) {
    const Access& next = accesses_[m];
    if (next.kind == Kind::load_of_one) continue;
    if (next.kind == Kind::other || next.span != stored.span) {
      if (next.kind != Kind::load) return false;
      continue;
    }
    if (next.kind == Kind::load && overlap(stored, next) && whole_words_apart(stored, next)) return true;
    if (next.kind == Kind::store &&
        (is_same_place(stored, next) ? is_constant(next.guard) : overlap(stored, next)))
      return false;
  }
  return false;
}

bool StoredWords::holds(std::size_t n) const {
  if (!known_ || accesses_[n].kind != Kind::load) return false;
  const Access& stored = accesses_[known_->store];
  return accesses_[n].span == stored.span && overlap(accesses_[n], stored) &&
         whole_words_apart(accesses_[n], stored);
}

}  // namespace warpjit::backend
