// Prints what Google Benchmark prints, and at the end ratios: absolute figures depend on the machine and its
// load, ratios of one run much less.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>

namespace warpjit::bench {

// Names are SHADER/ENGINE/COUNT, with /host_threads:2 for two threads. With repetitions medians are used.
class RatioReporter final : public benchmark::ConsoleReporter {
 public:
  RatioReporter();
  void ReportRuns(const std::vector<Run>& runs) override;
  // JIT to interpreters and to the lane kernels, and two host threads to one.
  void print_ratios() const;

 private:
  struct Key {
    std::string shader;
    long long count;
    auto operator<=>(const Key&) const = default;
  };
  using Row = std::map<std::string, double>;  // items per second by engine
  std::map<Key, Row> rows_;
};

}  // namespace warpjit::bench
