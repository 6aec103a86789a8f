// Any words as a Tesla kernel: prepared and run with little fuel by both loops of the guest interpreter.
// Input: a byte for the block, then words.
#include <cstring>

#include "frontend/tesla/facts/reach.h"
#include "frontend/tesla/interpret/interpret.h"
#include "target.h"

int warpjit::fuzz::fuzz_tesla_run(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  if (size < 5 || size > 1 << 12) return 0;
  tesla::Program program;
  program.source_name = "fuzz";
  program.registers = 64;
  program.local_bytes = 32;
  program.code.resize((size - 1) / 4);
  std::memcpy(program.code.data(), data + 1, program.code.size() * 4);
  // Addresses in the code, for branches through c[].
  std::vector<std::uint32_t> constants(64);
  for (std::uint32_t k = 0; k < constants.size(); ++k) constants[k] = 8 * k;
  tesla::Launch launch;
  launch.constants.fill(std::as_bytes(std::span(constants)));
  const auto interpreter = tesla::Interpreter::prepare(
      program, {}, tesla::branch_targets(program, tesla::branch_spaces(program), launch.constants));
  if (!interpreter) {
    fuzz::require(!interpreter.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  std::vector<std::uint64_t> memory[2];
  std::string outcome[2];
  std::uint64_t executed[2] = {};
  for (const auto code : {tesla::HostCode::best, tesla::HostCode::portable}) {
    const std::size_t k = code == tesla::HostCode::best ? 0 : 1;
    memory[k].assign(64, 7);
    launch.block = {1 + data[0] % 96U, 1, 1};
    launch.grid = {2, 1, 1};
    launch.fuel = 64;
    launch.globals[0] = {{.address = 0, .bytes = std::as_writable_bytes(std::span(memory[k]))}};
    tesla::RunReport report;
    const Status status = interpreter->run(launch, report, code);
    outcome[k] = status.ok() ? "" : to_string(status.error());
    if (report.first_fault) outcome[k] += to_string(*report.first_fault);
    executed[k] = report.lane_instructions;
  }
  fuzz::require(memory[0] == memory[1] && outcome[0] == outcome[1] && executed[0] == executed[1],
                "both loops give the same");
  return 0;
}
