// A USSE program of one stage: its primary program, which every vertex or pixel runs, and its secondary
// program, which runs once for a draw and fills the secondary attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::usse {

inline constexpr std::size_t kMaxCodeWords = 1 << 16;  // of a primary or secondary program

// Programs are for vertices or fragments.
std::string_view stage_name(Stage stage);
std::optional<Stage> find_stage(std::string_view name);

struct Program {
  Stage stage = Stage::vertex;
  std::vector<std::uint64_t> primary, secondary;
  std::string source_name;  // for messages
  bool operator==(const Program&) const = default;

  // "file, primary word 3 (0x0091c10000000002)".
  std::string where(bool in_secondary, std::size_t word) const;
};

// A bare binary: the little-endian words of a primary program. Errors: bad_input for a size that is no
// multiple of 8 or nothing, resource_limit above kMaxCodeWords.
Result<Program> read_words(std::span<const std::byte> bytes, Stage stage, const std::string& file_name);
// Errors: bad_input for a program with a secondary one, which bare binaries cannot hold.
Result<std::vector<std::byte>> write_words(const Program& program);

}  // namespace warpjit::usse
