// The state that a driver sets for graphics programs, by name: the same names are keys of launch files,
// directives of the assembler and lines of text cubins.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/tesla/container/program.h"

namespace warpjit::tesla {

struct GraphicsField {
  std::string_view name;  // "result-count"
  ProgramType type;       // of the programs that have it
  std::size_t most;       // numbers
  std::uint32_t limit;    // of each
  bool list;              // written as a list
  bool flag;              // a number that is 0 or 1
  std::vector<std::uint32_t> (*get)(const GraphicsState& state);
  void (*set)(GraphicsState& state, std::span<const std::uint32_t> numbers);
};
std::span<const GraphicsField> graphics_fields();
// Null: programs of this type have no such field.
const GraphicsField* find_graphics_field(ProgramType type, std::string_view name);

// Sets a field; numbers that a list lacks at its end are 0.
// Errors: too many numbers, none, one over the limit.
Status set_graphics_field(const GraphicsField& field, GraphicsState& state,
                          std::span<const std::uint32_t> numbers);

// The fields of the program that are not as in GraphicsState{}.
struct GivenGraphicsField {
  const GraphicsField* field;
  std::vector<std::uint32_t> numbers;
};
std::vector<GivenGraphicsField> given_graphics(const Program& program);

}  // namespace warpjit::tesla
