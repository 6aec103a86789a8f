// An element of a vector that may still grow, found by its index at each use, because a reference would
// dangle when the vector grows.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace warpjit {

template <class T>
class ElementRef {
 public:
  ElementRef(std::vector<T>& elements, std::size_t place) : elements_(&elements), place_(place) {}
  T* operator->() const { return &(*elements_)[place_]; }

 private:
  std::vector<T>* elements_;
  std::size_t place_;
};

// A new last element.
template <class T>
ElementRef<T> append(std::vector<T>& elements, T element = {}) {
  elements.push_back(std::move(element));
  return {elements, elements.size() - 1};
}

}  // namespace warpjit
