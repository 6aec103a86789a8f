// What `.header` sets and the disassembler prints: fields of a program that other directives only set
// together, for programs that another assembler made.
#pragma once

#include <cstdint>
#include <string_view>

#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {

struct HeaderField {
  std::string_view name;
  std::uint32_t most;
  std::uint32_t (*get)(const ProgramInfo&);
  void (*set)(ProgramInfo&, std::uint32_t);
};

#define PICA_HEADER_FIELD(name, most, member)                                \
  {                                                                          \
#name, most, [](const ProgramInfo& i) { return std::uint32_t{i.member}; }, \
        [](ProgramInfo& i, std::uint32_t v) { i.member = static_cast<decltype(i.member)>(v); } \
  }
inline constexpr HeaderField kHeaderFields[] = {
    PICA_HEADER_FIELD(version, 0xffff, version),
    PICA_HEADER_FIELD(merge, 1, merge_output_maps),
    PICA_HEADER_FIELD(end, UINT32_MAX, main_end),
    PICA_HEADER_FIELD(inputs, 0xffff, input_mask),
    PICA_HEADER_FIELD(outputs, 0xffff, output_mask),
    {"mode", 2, [](const ProgramInfo& i) { return static_cast<std::uint32_t>(i.geometry_mode); },
     [](ProgramInfo& i, std::uint32_t v) { i.geometry_mode = static_cast<GeometryMode>(v); }},
    PICA_HEADER_FIELD(start, 255, fixed_start),
    PICA_HEADER_FIELD(variable, 255, variable_vertices),
    PICA_HEADER_FIELD(fixed, 255, fixed_vertices),
};
#undef PICA_HEADER_FIELD

}  // namespace warpjit::pica200
