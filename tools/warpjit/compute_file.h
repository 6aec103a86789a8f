// Launch files of compute kernels (docs/launch.md): JSON that says which kernel runs on which grid over which
// memory. Everything in it is hostile until it has been checked; an error names the file and the field.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files.h"
#include "frontend/tesla/container/program.h"
#include "launch_file.h"
#include "warpjit/tesla.hpp"

namespace warpjit::tool {

// A piece of g0 to g15, or a whole c0 to c15 (from address 0 on).
struct ComputeMemory {
  std::string name;  // "g14"
  bool constant = false;
  unsigned space = 0;
  std::uint32_t address = 0;
  std::vector<std::byte> bytes;
};

// Words of a memory that are results. They lie in memory[piece] from `offset` on.
struct ComputeRange {
  std::string name;  // "g14[0x1000]"
  std::size_t piece = 0;
  std::size_t offset = 0;
  Format format;
  std::size_t count = 0;  // components
};

struct ComputeExpectation {
  ComputeRange range;
  Expectation wanted;  // words and tolerances
};

struct ComputeFile {
  std::string name;  // of the file, for messages
  tesla::Program program;
  std::array<std::uint32_t, 2> grid{1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t shared_bytes = 0;
  std::vector<std::byte> parameters;
  tesla::Modes modes;
  std::vector<ComputeMemory> memory;
  std::vector<ComputeRange> outputs;
  std::vector<ComputeExpectation> expectations;

  std::uint64_t threads() const { return std::uint64_t{grid[0]} * grid[1] * block[0] * block[1] * block[2]; }
};

// Does the file hold a compute kernel: a launch file of such a guest, a cubin, or Tesla assembly?
bool is_compute(const std::string& path);

Result<tesla::Container> read_kernels(const std::string& path);
// A cubin, or a source whose name ends in .tesla. `kernel`: its name; empty: the only one.
Result<tesla::Program> read_kernel(const std::string& path, const std::string& kernel);

Result<ComputeFile> read_compute_launch(const std::string& path);
Result<ComputeFile> parse_compute_launch(std::string_view text, const std::string& name,
                                         const FileReader& files);

}  // namespace warpjit::tool
