// ServerMetrics: what a simulated server reports at /metrics, with vLLM's metric names and
// histogram buckets.
//
// Durations are in real time, as a client of the server sees them: with a time scale of N they are
// N times shorter than the simulated ones.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sim/server/live_engine.h"
#include "sim/serving/engine.h"

namespace rankscope::sim {

// Counts by ascending upper bounds; the last bucket is +Inf.
class MetricHistogram {
 public:
  explicit MetricHistogram(std::vector<double> bounds);
  void Observe(double value);
  // NAME_bucket{LABELS,le="..."}, NAME_sum and NAME_count.
  void Write(std::string& out, std::string_view name, std::string_view labels) const;

 private:
  std::vector<double> bounds_;
  std::vector<std::uint64_t> counts_;  // one more entry than bounds
  double sum_ = 0;
};

// Thread-safe.
class ServerMetrics {
 public:
  ServerMetrics(std::string_view model, std::int64_t model_len, double time_scale,
                double process_start_s);

  void OnStep(const Step& step, const StepResult& result);
  void OnAbort(const RequestRecord& record);
  // Text of Prometheus' exposition format, 0.0.4.
  std::string Text(const EngineGauges& gauges, std::int64_t kv_blocks,
                   const EngineSettings& settings) const;

 private:
  void OnEnded(const RequestRecord& record);
  double Seconds(std::int64_t ns) const { return static_cast<double>(ns) * 1e-9 / time_scale_; }

  const std::string labels_;
  const double time_scale_;
  const double process_start_s_;
  mutable std::mutex mutex_;
  std::uint64_t prompt_tokens_ = 0, cached_tokens_ = 0, generation_tokens_ = 0;
  std::uint64_t stopped_ = 0, cut_ = 0, aborted_ = 0;  // requests, by the reason why they ended
  MetricHistogram ttft_, inter_token_, per_output_token_;
  MetricHistogram e2e_, queue_, prefill_, decode_, inference_;
  MetricHistogram request_prompt_, request_generation_, iteration_tokens_;
};

}  // namespace rankscope::sim
