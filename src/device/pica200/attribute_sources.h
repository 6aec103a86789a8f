// Where the attributes of a draw come from: arrays that were bound, else arrays that the loader's registers
// find in the guest's memory, else the fixed values (docs/guests/pica200.md 11).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/pica200/registers.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {

class AttributeSources {
 public:
  Status bind(unsigned attribute, const AttributeArray& array);
  void unbind(unsigned attribute);
  Status set_memory(std::span<const MemoryRange> ranges);

  // Sets the arrays for a draw of vertices in memory ...
  void update(const Registers& registers);
  // ... or of vertices that were sent in immediate mode.
  void use(std::span<const Registers::ImmediateVertex> vertices);
  // True if an array was bound.
  bool any_bound() const {
    return std::ranges::any_of(bound_, [](const auto& array) { return array.has_value(); });
  }
  // True from use() to the next update().
  bool sent() const { return used_given_ == 0; }

  // The array of an attribute; null if it has none. What the loader does not find in memory has no bytes.
  const AttributeArray* array(unsigned attribute) const {
    return arrays_[attribute] ? &*arrays_[attribute] : nullptr;
  }
  // Advances when an array changes.
  std::uint64_t version() const { return version_; }
  // "attribute 3", with the loader's register if it set the array.
  std::string name(unsigned attribute) const;

  std::span<const MemoryRange> ranges() const { return memory_; }
  // `size` bytes of the guest's memory; fewer if it ends before.
  std::span<const std::byte> memory(std::uint64_t address, std::size_t size) const;

 private:
  using Arrays = std::array<std::optional<AttributeArray>, kAttributes>;
  void load(const Registers& registers, unsigned loader);

  Arrays bound_;
  std::vector<MemoryRange> memory_;                 // by address
  std::uint64_t given_version_ = 1;                 // of the two above
  std::uint64_t used_given_ = 0, used_loader_ = 0;  // versions that arrays_ was made from; 0: from others
  Arrays arrays_;
  std::array<std::uint32_t, kAttributes> loader_register_{};  // 0: not set by a loader
  std::uint64_t version_ = 1;
};

}  // namespace warpjit::pica200
