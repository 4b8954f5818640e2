#include "ratio_table.h"

#include <algorithm>

namespace rankscope::bench {
namespace {

double Median(const std::map<std::string, std::vector<double>>& times, const std::string& name) {
  const auto found = times.find(name);
  if (found == times.end()) return 0;
  std::vector<double> values = found->second;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

void RatioReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
    const std::string name = run.run_name.function_name;
    cpu_[name].push_back(run.cpu_accumulated_time / static_cast<double>(run.iterations));
    wall_[name].push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
  }
}

double RatioReporter::CpuSeconds(const std::string& name) const { return Median(cpu_, name); }
double RatioReporter::WallSeconds(const std::string& name) const { return Median(wall_, name); }

void RunRegistered(RatioReporter& times) {
  std::string program = "bench";
  std::string interleave = "--benchmark_enable_random_interleaving=true";
  char* arguments[] = {program.data(), interleave.data()};
  int count = 2;
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks(&times);
  benchmark::ClearRegisteredBenchmarks();
}

}  // namespace rankscope::bench
