// Prints what Google Benchmark prints and keeps the rates of benchmarks whose names are SCENE/ENGINE, from
// their counter "items": for ratios of one run.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace warpjit::bench {

class RateReporter : public benchmark::ConsoleReporter {
 public:
  using Rates = std::map<std::string, double>;  // items per second, by engine

  // With repetitions the medians stay.
  void ReportRuns(const std::vector<Run>& runs) override {
    benchmark::ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      const auto items = run.counters.find("items");
      if (run.error_occurred || items == run.counters.end()) continue;
      if (run.run_type == Run::RT_Aggregate && run.aggregate_name != "median") continue;
      const std::string& name = run.run_name.function_name;
      const std::size_t slash = name.find('/');
      rates_[name.substr(0, slash)][name.substr(slash + 1)] = items->second.value;
    }
  }
  const std::map<std::string, Rates>& rates() const { return rates_; }  // by scene

 private:
  std::map<std::string, Rates> rates_;
};

}  // namespace warpjit::bench
