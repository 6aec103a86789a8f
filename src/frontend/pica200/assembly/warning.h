// What an assembler notices and does not refuse.
#pragma once

#include <string>
#include <vector>

#include "base/text.h"

namespace warpjit::pica200 {

struct Warning {
  std::string message;
  std::string where;  // "file:line:column"
};

// No source makes more than kMost; what comes after them is counted.
class Warnings {
 public:
  static constexpr std::size_t kMost = 1000;
  void add(const text::Position& position, std::string message) {
    if (list_.size() == kMost) {
      ++left_out_;
      return;
    }
    Error error = position.error(std::move(message));
    list_.push_back({std::move(error.message), std::move(error.where)});
  }
  const std::vector<Warning>& list() const { return list_; }
  std::size_t left_out() const { return left_out_; }

 private:
  std::vector<Warning> list_;
  std::size_t left_out_ = 0;
};

}  // namespace warpjit::pica200
