// Tells on stderr how far a long run is: on a terminal on one line, else a line for every tenth, and neither
// for runs of less than a second.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace warpjit::tool {

class Progress {
 public:
  // `steps` that are alike, such as frames.
  explicit Progress(unsigned steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void begin_step(unsigned number);
  // Thousandths of the step that are done; a run writes them.
  std::atomic<std::uint32_t>* thousandths() { return &thousandths_; }

 private:
  void watch();

  const unsigned steps_;
  std::atomic<unsigned> step_{0};
  std::atomic<std::uint32_t> thousandths_{0};
  std::atomic<bool> ended_{false};
  std::thread watcher_;
};

}  // namespace warpjit::tool
