// A Valhall program: the words that a driver's compiler leaves in memory. Bare binaries hold nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "warpjit/valhall.hpp"

namespace warpjit::valhall {

inline constexpr std::uint32_t kMaxLocalBytes = 1U << 16, kMaxSharedBytes = 1U << 16;
inline constexpr std::size_t kMaxCodeWords = std::size_t{1} << 21;  // of 64 bits: 16 MiB

// Programs are for compute, vertices or fragments.
std::string_view stage_name(Stage stage);
std::optional<Stage> find_stage(std::string_view name);

struct Program {
  Stage stage = Stage::compute;
  std::vector<std::uint64_t> code;
  std::string source_name;         // for messages
  std::uint64_t address = 0;       // in the guest's memory, of its first word
  std::uint32_t entry = 0;         // byte of the code where threads begin
  std::uint32_t local_bytes = 0;   // of each thread's own memory
  std::uint32_t shared_bytes = 0;  // of the memory of a workgroup
  FloatMode mode{};
  FragmentSetup fragment{};  // of fragment programs
  bool operator==(const Program&) const = default;

  // "file, byte 0x18 (0x00c0000000000000)".
  std::string where(std::uint64_t address) const;
};

// Errors: bad_input, resource_limit for what is outside the limits above.
Status check_limits(const Program& program);

// A bare binary: little-endian words. Errors: bad_input for a size that is no multiple of 8 or nothing,
// resource_limit above kMaxCodeWords.
Result<Program> read_words(std::span<const std::byte> bytes, Stage stage, const std::string& file_name);
std::vector<std::byte> write_words(const Program& program);

}  // namespace warpjit::valhall
