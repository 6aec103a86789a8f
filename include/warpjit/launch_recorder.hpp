// Records launches of any kind as a capture (docs/captures.md).
//
//   warpjit::LaunchRecorder recorder(sink, context);
//   auto report = recorder.run(engine, launch);   // in place of engine.run(launch)
//   recorder.end_frame();
//   if (auto status = recorder.finish(); !status) return status;
#pragma once

#include <memory>

#include "warpjit/capture.hpp"
#include "warpjit/engine.hpp"
#include "warpjit/launch.hpp"

namespace warpjit {

// What a run reads is stored before it: programs once, memory that it binds when a launch first does, later only
// what changed since. Buffers that launches share are one memory in the capture, too. Memory may be freed
// between runs. A recorder is an object of its own, as an engine's runs may overlap, and those of a capture are
// in an order. Calls on one recorder must not overlap.
class WARPJIT_API LaunchRecorder {
 public:
  LaunchRecorder(CaptureSink sink, void* context);
  LaunchRecorder(LaunchRecorder&&) noexcept;
  LaunchRecorder& operator=(LaunchRecorder&&) noexcept;
  ~LaunchRecorder();  // a capture that is not finished is cut

  // Runs a launch as Engine::run, and records it. One that ends with fault or out_of_fuel is the last one of
  // the file; one that ends with another error is not in it. Whatever cannot be recorded, the launch runs, and
  // finish() says it.
  Result<Report> run(const Engine& engine, const Launch& launch, const RunOptions& options);
  Result<Report> run(const Engine& engine, const Launch& launch) { return run(engine, launch, RunOptions()); }
  // What follows is another frame.
  void end_frame();
  // Writes what the launches have left as expected outputs, and the file's end. Later runs are not recorded.
  // Errors: bad_input if nothing was recorded, or for launches of several guests; unsupported for what captures
  // do not have: a compressed or unaligned texture whose memory was changed after it was set, programs that a
  // section cannot say; resource_limit; io for a sink that does not take bytes; that of the launch which ended
  // the capture.
  Status finish();

  // For warpjit's own modules.
  class State;

 private:
  std::unique_ptr<State> state_;  // null without memory for it
};

}  // namespace warpjit
