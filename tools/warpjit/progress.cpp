#include "progress.h"

#include <fmt/core.h>

#include <chrono>
#include <system_error>

#include "output.h"
#include "system.h"

namespace warpjit::tool {

Progress::Progress(unsigned steps) : steps_(steps) {
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {  // no thread: nothing is told
  }
}

Progress::~Progress() {
  ended_ = true;
  if (watcher_.joinable()) watcher_.join();
}

void Progress::begin_step(unsigned number) {
  thousandths_ = 0;
  step_ = number;
}

void Progress::watch() {
  constexpr auto kPause = std::chrono::milliseconds(10);
  constexpr unsigned kSecond = 100, kBetweenUpdates = 10;  // pauses
  const bool terminal = system::is_terminal(system::kStderr);
  unsigned tenths = 0;
  bool shown = false;
  for (unsigned pauses = 0; !ended_; ++pauses) {
    std::this_thread::sleep_for(kPause);
    if (pauses < kSecond || pauses % kBetweenUpdates != 0) continue;
    const double done = (step_ + thousandths_ / 1000.0) / steps_;
    if (terminal) {
      write_progress(fmt::format("\r{:3.0f} %", 100 * done));
    } else if (const auto now = static_cast<unsigned>(10 * done); !shown || now > tenths) {
      tenths = now;
      write_progress(fmt::format("{:.0f} %\n", 100 * done));
    }
    shown = true;
  }
  if (terminal && shown) write_progress("\r      \r");
}

}  // namespace warpjit::tool
