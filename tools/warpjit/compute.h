// What the commands do with compute kernels. Each returns the exit code.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "compute_file.h"

namespace warpjit::tool {

struct ComputeOptions {
  RunInput input;
  std::string out;
  bool all = false, json = false;
  bool stats = false;  // run_compute: profiled, in the guest interpreter
};
int run_compute(const ComputeOptions& options, const RunOptions& run, bool dispatch);
// `dispatch`: also with the warp's control stack.
int verify_compute(const ComputeOptions& options, const std::vector<std::string>& engines, bool dispatch);
// `chart`: a file for a bar chart; empty: none.
int bench_compute(const ComputeOptions& options, const std::vector<std::string>& engines, double seconds,
                  const std::string& chart);
int disassemble_compute(const ProgramInput& input, const std::string& out, bool json);
int info_compute(const std::string& file, bool json);
// A text cubin of all kernels into a file, or the code words of the only one as JSON.
int assemble_compute(const std::string& file, const std::string& out, bool json);

// A kernel's thread form, for the launch of a launch file or, without one, one block of 256 threads; and the
// text of its instructions.
struct ComputeCode {
  ir::Function function;
  tesla::Program program;
  std::string instruction(std::uint32_t address) const;
};
Result<ComputeCode> translate_compute(const ProgramInput& input, bool dispatch);

}  // namespace warpjit::tool
