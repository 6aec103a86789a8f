#include "tesla/interpret_test.h"

namespace warpjit::tesla {

Finished run_source(const std::string& source, RunOptions options) {
  Finished finished;
  auto interpreter = Interpreter::prepare(program_of(source), options.modes);
  if (!interpreter) {
    finished.status = interpreter.error();
    return finished;
  }
  finished.g0 = std::move(options.g0);
  options.launch.globals[0] = {{.address = 0, .bytes = std::as_writable_bytes(std::span(finished.g0))}};
  finished.status = interpreter->run(options.launch, finished.report);
  return finished;
}

Finished run_body(const std::string& body, RunOptions options) {
  if (options.launch.block[0] == 1) options.launch.block[0] = kLanes;
  return run_source(kPrologue + body + kStoreR2, std::move(options));
}

}  // namespace warpjit::tesla
