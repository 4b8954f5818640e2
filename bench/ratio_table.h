// Benchmarks whose medians a program prints itself, as ratios of one run.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace rankscope::bench {

// Times work(): CPU time of the process and wall time, some repetitions of at least 50 ms.
template <typename Work>
void Register(const std::string& name, Work work, int repetitions = 5) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [work](benchmark::State& state) {
                                 for (auto _ : state) work();
                               })
      ->MeasureProcessCPUTime()
      ->Unit(benchmark::kMillisecond)
      ->Repetitions(repetitions)
      ->MinTime(0.05);
}

// Keeps the times of every repetition.
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

// Runs what was registered, repetitions interleaved at random, and forgets it.
void RunRegistered(RatioReporter& times);

}  // namespace rankscope::bench
