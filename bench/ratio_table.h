// A Google Benchmark reporter that keeps the median CPU time per benchmark, so that a program can
// print ratios of one run.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace rankscope::bench {

class RatioReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;

  // Median over the repetitions, in seconds per iteration; 0 when it did not run.
  double CpuSeconds(const std::string& name) const;
  double WallSeconds(const std::string& name) const;

 private:
  std::map<std::string, std::vector<double>> cpu_;
  std::map<std::string, std::vector<double>> wall_;
};

}  // namespace rankscope::bench
