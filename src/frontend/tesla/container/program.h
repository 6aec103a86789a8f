// A Tesla kernel or shader as containers and the assembler give it: code, what it needs of the machine, and
// constants that its container presets.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/tesla/encoding/decode.h"
#include "warpjit/tesla.hpp"

namespace warpjit::tesla {

// Limits of the hardware and of this implementation (docs/guests/tesla.md 10.1).
inline constexpr std::uint32_t kMaxCodeWords = 1 << 22;  // 16 MiB
inline constexpr std::uint32_t kMaxRegisters = 128;
inline constexpr std::uint32_t kMaxSharedBytes = 16 * 1024;
inline constexpr std::uint32_t kMaxLocalBytes = 64 * 1024;
inline constexpr std::uint32_t kMaxConstantBytes = 64 * 1024;
inline constexpr std::uint32_t kConstantSpaces = 16;
inline constexpr std::uint32_t kGlobalSpaces = 16;
inline constexpr std::uint32_t kBarriers = 16;
inline constexpr std::uint32_t kPositionOffset = 0xc;    // in the launch header: a block's column and row
inline constexpr std::uint32_t kParameterOffset = 0x10;  // in s[], after the launch header

// Words that are in c[] before a launch.
struct ConstantSegment {
  std::string name;
  std::uint32_t space = 0;   // c0 to c15
  std::uint32_t offset = 0;  // bytes
  std::uint32_t bytes = 0;   // its size; what `words` does not fill is for the launch
  std::vector<std::uint32_t> words{};
  bool operator==(const ConstantSegment&) const = default;
};

struct Program {
  ProgramType type = ProgramType::compute;
  std::string name;
  std::vector<std::uint32_t> code;
  std::uint32_t entry = 0;                  // byte address
  std::uint32_t registers = kMaxRegisters;  // 32-bit registers of a thread
  std::uint32_t shared_bytes = 0;           // launch header and parameters included
  std::uint32_t local_bytes = 0;            // of a thread
  std::uint32_t barriers = 0;               // as the container says
  std::uint32_t architecture = 0;           // 10 to 13 for sm_10 to sm_13; 0: not known
  std::vector<ConstantSegment> constants;   // the kernel's own ones after those of its module
  GraphicsState graphics;                   // of programs that are not for compute
  std::string source_name;                  // for messages
  bool operator==(const Program&) const = default;

  // "file, byte 0x18 (0x20008409)".
  std::string where(std::uint32_t address) const;
};

// An address of code that is in c[], where a `bra c[]` may go (tesla.md 12.1). Constants do not change while
// a launch runs, so these are facts of it.
struct BranchTarget {
  std::uint32_t space = 0;    // c0 to c15
  std::uint32_t address = 0;  // bytes
  auto operator<=>(const BranchTarget&) const = default;
};
using BranchTargets = std::vector<BranchTarget>;  // ascending, each once

// The sampler of tex*.
inline std::uint32_t sampler_of(const Instruction& i, const Modes& modes) {
  return modes.linked_samplers ? i.number : i.count;
}

// A container: kernels that share a module.
struct Container {
  std::vector<Program> programs;
  std::string source_name;
};

// The program with that name, or the only one if the name is empty; with a type, of those that have it.
// Errors: bad_input, naming what is there.
Result<Program> select_program(const Container& container, const std::string& name,
                               std::optional<ProgramType> type = std::nullopt);

// Little-endian words without a container. Errors: bad_input for a size that is no multiple of 4 or nothing,
// resource_limit above kMaxCodeWords.
Result<Program> read_words(std::span<const std::byte> bytes, ProgramType type, const std::string& file_name);

// Errors for a program whose numbers are over the limits above.
Status check_limits(const Program& program);

}  // namespace warpjit::tesla
