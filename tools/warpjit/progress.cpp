#include "progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace warpjit::tool {

Progress::Progress(unsigned steps) : steps_(steps), watcher_([this] { watch(); }) {}

Progress::~Progress() {
  ended_ = true;
  watcher_.join();
}

void Progress::begin_step(unsigned number) {
  thousandths_ = 0;
  step_ = number;
}

void Progress::watch() {
  constexpr auto kPause = std::chrono::milliseconds(10);
  constexpr unsigned kSecond = 100, kBetweenUpdates = 10;  // pauses
  const bool terminal = isatty(fileno(stderr)) != 0;
  unsigned tenths = 0;
  bool shown = false;
  for (unsigned pauses = 0; !ended_; ++pauses) {
    std::this_thread::sleep_for(kPause);
    if (pauses < kSecond || pauses % kBetweenUpdates != 0) continue;
    const double done = (step_ + thousandths_ / 1000.0) / steps_;
    if (terminal) {
      fmt::print(stderr, "\r{:3.0f} %", 100 * done);
      std::fflush(stderr);
    } else if (const auto now = static_cast<unsigned>(10 * done); !shown || now > tenths) {
      tenths = now;
      fmt::print(stderr, "{:.0f} %\n", 100 * done);
    }
    shown = true;
  }
  if (terminal && shown) fmt::print(stderr, "\r      \r");
}

}  // namespace warpjit::tool
