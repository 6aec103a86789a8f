// The program that a command names: of a container, a source, bare words or a launch file.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "launch/launch_file.h"

namespace warpjit::tool {

struct ProgramInput {
  std::string file;
  std::string entry;             // a name or an address; empty: the file's own
  std::string stage;             // "": the first program of the file
  std::string words;             // the name of a guest: the file holds bare words of it
  std::string descriptors;       // a file of more bare words
  std::optional<unsigned> draw;  // of a scene; none: the first
};

struct GivenProgram {
  const Guest* guest = nullptr;
  ShaderPtr shader;
  std::optional<LaunchFile> launch;            // of a launch file
  std::shared_ptr<const Container> container;  // of a container or source
  Json json;                                   // of these and bare words: `program` of a launch file
};
Result<GivenProgram> load_program(const ProgramInput& input);

// All programs of the file: with an entry, a stage or bare words the one that they choose.
Result<std::vector<GivenProgram>> load_programs(const ProgramInput& input);

// A launch file of it, as the file says or to be filled in (launch/template.h). `count`: threads of a
// template; 0: a few.
Result<LaunchFile> launch_of(const GivenProgram& given, const ProgramInput& input, std::uint32_t count);

// What the translation of the program depends on: as its launch file says, else as general as can be.
Result<frontend::Facts> facts_of(const GivenProgram& given, const ProgramInput& input);

// The thread form that commands look at.
struct Translated {
  const Guest* guest = nullptr;
  ShaderPtr shader;
  ir::Function function;
};
// `half_arithmetic`: for hosts that have it.
Result<Translated> translate(const ProgramInput& input, bool dispatch, bool half_arithmetic = false);

}  // namespace warpjit::tool
