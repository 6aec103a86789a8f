// Prints what Google Benchmark prints and keeps the rates of benchmarks whose names are SCENE/ENGINE, from
// their counter "items": for ratios of one run.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <initializer_list>
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

  // A line for each engine, with its rate as multiples of those of the peers.
  void print_ratios(std::initializer_list<const char*> peers) const {
    std::printf("\n%-26s %-10s %14s", "scene", "engine", "millions/s");
    for (const char* const peer : peers) std::printf(" %11s", ("x " + std::string(peer)).c_str());
    std::printf("\n");
    for (const auto& [scene, rates] : rates_)
      for (const auto& [engine, rate] : rates) {
        std::printf("%-26s %-10s %14.2f", scene.c_str(), engine.c_str(), rate / 1e6);
        for (const char* const peer : peers) {
          const auto found = rates.find(peer);
          if (found == rates.end())
            std::printf(" %11s", "-");
          else
            std::printf(" %11.2f", rate / found->second);
        }
        std::printf("\n");
      }
  }

 private:
  std::map<std::string, Rates> rates_;
};

// The main program of benchmarks that `add` registers: runs them, and ends as `finish` says.
template <class Add, class Finish>
int run_rates(int argc, char** argv, Add add, Finish finish) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  add();
  RateReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  finish(reporter);
  return 0;
}

}  // namespace warpjit::bench
