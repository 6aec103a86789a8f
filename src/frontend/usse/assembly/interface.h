// Directives that say what a container would: how many registers a program has, what a vertex or
// fragment program takes and gives, where control words of textures lie. Lines of a source, before or
// between its instructions:
//
//   .registers pa:8 sa:16 r:4                what is not said stays 256
//   .flags native_color reads_color
//   .literal sa:6 0x3f800000
//   .sampler unit:0 sa:8                     four control words
//   .control unit:0 word:2 sa:10             one of them
//   .cube unit:0
//   .input texcoord0 f16 2 words:1           of fragment programs, one after the other in pa
//   .texel texcoord0 f16 unit:0 words:2      the same; also by_z, by_w, centroid, own
//   .output f16 4 pa:0
//   .results position color0 texcoord0.xy texcoord1.xyz.half point_size clip0     of vertex programs
//   .reads 0xff                              words of pa that are read
//   .numbers index:4 instance:5              words of pa
#pragma once

#include <span>
#include <string>
#include <utility>

#include "base/text.h"
#include "frontend/usse/container/program.h"

namespace warpjit::usse {

std::span<const std::pair<Flag, const char*>> flag_names();

// Reads a line into the program. False: it is no such directive.
Result<bool> read_interface(std::span<const text::Token> words, Program& program);
// Their names, for messages.
std::string list_directives();
// What the directives together must be, and what is implied, after the last line.
Status finish_interface(Program& program);

// The directives that give all of a program again that a launch needs: not names, types of attributes and
// uniform buffers. Nothing of a program that came without them.
std::string list_interface(const Program& program);

}  // namespace warpjit::usse
