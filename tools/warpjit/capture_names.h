// Names that a user gives to addresses, registers, draws and uniforms: from a side file into a capture, and into
// listings.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json.h"
#include "warpjit/capture.hpp"

namespace warpjit::tool {

// [{"address": "0x18000000", "name": "screen"}, {"draw": 3, "name": "sky"}, ...]: also `register` and `uniform`.
// Errors name file and field: bad_input, io, resource_limit.
Result<std::vector<CaptureName>> read_names(const std::string& file);

class NameTable {
 public:
  explicit NameTable(std::span<const CaptureName> names);
  // Empty: it has none.
  std::string_view find(CaptureName::Of of, std::uint64_t number) const;
  // The text with a name after each hexadecimal number that is a named address: "fill from 0x18000000 (screen)".
  std::string with_addresses(std::string_view text) const;
  // All strings in a document.
  Json with_addresses(const Json& document) const;
  // A message with names of addresses, and after each "draw 3" and "register 0x041".
  std::string in(std::string_view message) const;
  Error in(Error error) const;
  // " (sky)"; of a draw without a name nothing.
  std::string of_draw(std::uint64_t number) const;
  Json json() const;                       // as a side file has them
  std::vector<std::string> lines() const;  // "address 0x18000000: screen"

 private:
  // With a name after each number that follows the word.
  std::string after(std::string_view word, CaptureName::Of of, std::string_view text) const;

  std::map<std::pair<CaptureName::Of, std::uint64_t>, std::string> names_;
};

}  // namespace warpjit::tool
