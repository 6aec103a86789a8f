#include "ratios.h"

#include <unistd.h>

#include <cstdlib>

namespace warpjit::bench {

RatioReporter::RatioReporter() : ConsoleReporter(isatty(STDOUT_FILENO) != 0 ? OO_ColorTabular : OO_Tabular) {}

void RatioReporter::ReportRuns(const std::vector<Run>& runs) {
  ConsoleReporter::ReportRuns(runs);
  for (const Run& run : runs) {
    const bool aggregate = run.run_type == Run::RT_Aggregate;
    const auto items = run.counters.find("items_per_second");
    if (items == run.counters.end() || (aggregate && run.aggregate_name != "median")) continue;
    // "mvp_light/jit-v4/4096[/host_threads:2]/real_time"
    const std::string name =
        run.run_name.function_name + (run.run_name.args.empty() ? "" : "/" + run.run_name.args);
    const std::size_t first = name.find('/'), second = name.find('/', first + 1);
    if (second == std::string::npos) continue;
    std::string engine = name.substr(first + 1, second - first - 1);
    if (name.find("host_threads:2") != std::string::npos) engine += " x2";
    double& best = rows_[{name.substr(0, first), std::atoll(name.c_str() + second + 1)}][engine];
    best = aggregate ? items->second.value : std::max<double>(best, items->second.value);
  }
}

void RatioReporter::print_ratios() const {
  constexpr const char* kReferences[] = {"guest",       "ir",          "lanes16-copy",
                                         "lanes16-soa", "lanes8-copy", "lanes8-soa"};
  std::printf("\n%-14s %9s  %-8s %12s", "shader", "threads", "engine", "M items/s");
  for (const char* reference : kReferences) std::printf("  %12s", reference);
  std::printf("  %12s\n", "x2/x1");
  for (const auto& [key, row] : rows_)
    for (const char* engine : {"jit-v4", "jit-v3"}) {
      const auto jit = row.find(engine);
      if (jit == row.end()) continue;
      std::printf("%-14s %9lld  %-8s %12.2f", key.shader.c_str(), key.count, engine, jit->second / 1e6);
      for (const char* reference : kReferences) {
        const auto other = row.find(reference);
        if (other == row.end())
          std::printf("  %12s", "-");
        else
          std::printf("  %11.2fx", jit->second / other->second);
      }
      const auto two = row.find(std::string(engine) + " x2");
      if (two == row.end())
        std::printf("  %12s\n", "-");
      else
        std::printf("  %11.2fx\n", two->second / jit->second);
    }
}

}  // namespace warpjit::bench
