// The launch file (docs/launch.md): JSON that says which program runs over which data. This module reads it
// into plain values and knows nothing of engines. Everything in it is hostile until it has been checked; an
// error names the file and the field.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files.h"
#include "frontend/pica200/container/program.h"
#include "frontend/pica200/interpret/interpret.h"
#include "frontend/pica200/translate/translate.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tool {

inline constexpr std::uint64_t kMaxThreads = 16'777'216;
inline constexpr std::uint64_t kMaxInputBytes = std::uint64_t{4} << 30;  // of all inputs of a launch together

// What can be read after a thread: a register, the flags or, of geometry programs, what SETEMIT latched. All
// but o and that can be set before it.
using StateName = pica200::ExitRegister;
std::string name(StateName state);
// "o3", "r15", "a0", "aL", "cmp", "emit"; nothing for other texts.
std::optional<StateName> parse_state_name(std::string_view text);
unsigned components(StateName state);  // 4 to 1
bool is_float(StateName state);        // o and r; the others are integers, flags are 0 or 1

// Bytes that inputs lie in.
struct LaunchBuffer {
  std::string name;  // the file, or empty for data in the launch file
  std::vector<std::byte> bytes;
};

// Register v`reg` of thread t comes from buffers[buffer] at offset + t * stride.
struct LaunchInput {
  std::string name;  // as written
  std::uint8_t reg = 0;
  Format format;
  std::size_t buffer = 0;
  std::uint64_t offset = 0;
  std::uint64_t stride = 0;  // 0: every thread reads the same
};

struct LaunchOutput {
  std::string name;
  StateName state;
  std::uint8_t components = 4;  // the first so many
};

// What a result must be: words[t * components + k] for component k of thread t. Without a tolerance bits
// are compared; any NaN equals any NaN.
struct Expectation {
  std::string name;
  StateName state;
  std::uint8_t components = 4;
  std::vector<std::uint32_t> words;
  std::optional<std::uint32_t> ulp;
  std::optional<double> absolute, relative;
  // Whether one component satisfies it.
  bool accepts(std::uint32_t got, std::uint32_t wanted) const;
};

// A triangle that a geometry program must emit: words[register][vertex][component] of the registers in
// `given`. Bits are compared; any NaN equals any NaN.
struct WantedTriangle {
  bool inverted = false;
  std::uint16_t given = 0;
  std::array<std::array<std::array<std::uint32_t, 4>, 3>, 16> words{};
};

struct LaunchFile {
  std::string name;              // of the file, for messages
  pica200::Program program;      // its entry lies in its code
  std::uint64_t count = 0;       // threads (of the first stage), 1 to kMaxThreads
  pica200::Uniforms uniforms;    // the program's constants, then what the file binds
  pica200::ThreadState start;    // state of every thread before its inputs are loaded
  std::vector<StateName> state;  // what of `start` the file gives
  std::vector<LaunchBuffer> buffers;
  std::vector<LaunchInput> inputs;  // each v register at most once; every read lies in its buffer
  std::vector<LaunchOutput> outputs;
  std::vector<Expectation> expectations;
  std::uint64_t rows = 0;  // rows that the data has: the count that the file says

  // Of a geometry program. The vertex stage, if there is one, has the inputs.
  GeometryInput geometry;
  std::vector<std::uint32_t> primitives;
  std::vector<LaunchFile> vertex;  // none or one; its outputs are the attributes
  std::optional<std::vector<WantedTriangle>> triangles;
  bool is_geometry() const { return program.stage == pica200::Stage::geometry; }
};

// Reads the text of a launch file; `files` gives what it names.
Result<LaunchFile> parse_launch(std::string_view text, const std::string& name, const FileReader& files);
// Reads a launch file; names in it are relative to its folder.
Result<LaunchFile> read_launch(const std::filesystem::path& path);

// Makes the launch run over `count` threads. Inputs that have fewer rows repeat from the first; data that
// is interleaved stays so, and so does a list of primitives. Errors: 0, more than kMaxThreads, more than
// kMaxInputBytes.
Status set_count(LaunchFile& launch, std::uint64_t count);

}  // namespace warpjit::tool
