#include "sim/server/server_metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/prometheus_label.h"

namespace rankscope::sim {
namespace {

std::vector<double> TtftBounds() {
  return {.001, .005, .01, .02, .04, .06, .08, .1, .25, .5,  .75,
          1,    2.5,  5,   7.5, 10,  20,  40,  80, 160, 640, 2560};
}
std::vector<double> TokenBounds() {
  return {.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80};
}
std::vector<double> RequestBounds() {
  return {.3, .5, .8, 1,  1.5, 2,   2.5, 5,   10,   15,  20,
          30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680};
}
std::vector<double> IterationBounds() {
  return {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
}
// 1, 2, 5, 10, 20, 50 ... up to `most`.
std::vector<double> LengthBounds(std::int64_t most) {
  std::vector<double> bounds;
  for (double decade = 1;; decade *= 10) {
    for (const double digit : {1, 2, 5}) {
      if (digit * decade > static_cast<double>(most)) return bounds;
      bounds.push_back(digit * decade);
    }
  }
}

void Begin(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

template <typename Number>
void Value(std::string& out, std::string_view name, std::string_view labels, Number value) {
  out += fmt::format("{}{{{}}} {}\n", name, labels, value);
}

template <typename Number>
void Gauge(std::string& out, std::string_view name, std::string_view labels, Number value,
           std::string_view help) {
  Begin(out, name, "gauge", help);
  Value(out, name, labels, value);
}

void Counter(std::string& out, std::string_view name, std::string_view labels, std::uint64_t value,
             std::string_view help) {
  const std::string total = fmt::format("{}_total", name);
  Begin(out, total, "counter", help);
  Value(out, total, labels, value);
}

}  // namespace

MetricHistogram::MetricHistogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

void MetricHistogram::Observe(double value) {
  ++counts_[static_cast<std::size_t>(std::ranges::lower_bound(bounds_, value) - bounds_.begin())];
  sum_ += value;
}

void MetricHistogram::Write(std::string& out, std::string_view name,
                            std::string_view labels) const {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    count += counts_[i];
    const std::string bound = i < bounds_.size() ? fmt::format("{}", bounds_[i]) : "+Inf";
    out += fmt::format("{}_bucket{{{},le=\"{}\"}} {}\n", name, labels, bound, count);
  }
  out += fmt::format("{0}_sum{{{1}}} {2}\n{0}_count{{{1}}} {3}\n", name, labels, sum_, count);
}

ServerMetrics::ServerMetrics(std::string_view model, std::int64_t model_len, double time_scale,
                             double process_start_s)
    : labels_(fmt::format("engine=\"0\",model_name=\"{}\"", EscapedLabel(model))),
      time_scale_(time_scale),
      process_start_s_(process_start_s),
      ttft_(TtftBounds()),
      inter_token_(TokenBounds()),
      per_output_token_(TokenBounds()),
      e2e_(RequestBounds()),
      queue_(RequestBounds()),
      prefill_(RequestBounds()),
      decode_(RequestBounds()),
      inference_(RequestBounds()),
      request_prompt_(LengthBounds(model_len)),
      request_generation_(LengthBounds(model_len)),
      iteration_tokens_(IterationBounds()) {}

void ServerMetrics::OnStep(const Step&, const StepResult& result) {
  const std::lock_guard lock(mutex_);
  std::int64_t iteration_tokens = 0;
  for (const StepResult::Token& token : result.tokens) {
    ++generation_tokens_;
    ++iteration_tokens;
    if (!token.is_first) {
      inter_token_.Observe(Seconds(token.since_ns));
      continue;
    }
    // vLLM counts a whole prompt when its last piece is computed.
    iteration_tokens += token.prompt_tokens;
    prompt_tokens_ += static_cast<std::uint64_t>(token.prompt_tokens);
    cached_tokens_ += static_cast<std::uint64_t>(token.cached_tokens);
    ttft_.Observe(Seconds(token.since_ns));
  }
  iteration_tokens_.Observe(static_cast<double>(iteration_tokens));
  for (const RequestRecord& record : result.ended) OnEnded(record);
}

void ServerMetrics::OnEnded(const RequestRecord& record) {
  ++(record.ended_by_itself ? stopped_ : cut_);
  e2e_.Observe(Seconds(record.end_ns - record.arrival_ns));
  queue_.Observe(Seconds(record.scheduled_ns - record.arrival_ns));
  prefill_.Observe(Seconds(record.first_token_ns - record.scheduled_ns));
  decode_.Observe(Seconds(record.end_ns - record.first_token_ns));
  inference_.Observe(Seconds(record.end_ns - record.scheduled_ns));
  per_output_token_.Observe(record.TpotNs() * 1e-9 / time_scale_);
  request_prompt_.Observe(static_cast<double>(record.prompt_tokens));
  request_generation_.Observe(static_cast<double>(record.output_tokens));
}

void ServerMetrics::OnAbort(const RequestRecord&) {
  const std::lock_guard lock(mutex_);
  ++aborted_;
}

std::string ServerMetrics::Text(const EngineGauges& gauges, std::int64_t kv_blocks,
                                const EngineSettings& settings) const {
  const std::lock_guard lock(mutex_);
  std::string out;
  Begin(out, "process_start_time_seconds", "gauge", "When the server began, since 1970.");
  out += fmt::format("process_start_time_seconds {:.3f}\n", process_start_s_);
  Gauge(out, "vllm:num_requests_running", labels_, gauges.running, "Requests in batches.");
  Gauge(out, "vllm:num_requests_waiting", labels_, gauges.waiting, "Requests in the queue.");
  Begin(out, "vllm:num_requests_waiting_by_reason", "gauge", "Requests in the queue, by why.");
  Value(out, "vllm:num_requests_waiting_by_reason", labels_ + ",reason=\"capacity\"",
        gauges.waiting);
  Value(out, "vllm:num_requests_waiting_by_reason", labels_ + ",reason=\"deferred\"", 0);
  Gauge(out, "vllm:kv_cache_usage_perc", labels_, gauges.kv_usage, "Used blocks; 1 is all.");
  Begin(out, "vllm:cache_config_info", "gauge", "Settings of the KV cache.");
  Value(out, "vllm:cache_config_info",
        fmt::format("block_size=\"{}\",enable_prefix_caching=\"{}\",engine=\"0\","
                    "gpu_memory_utilization=\"{}\",num_gpu_blocks=\"{}\"",
                    EngineSettings::kBlockTokens, settings.caches_prefixes ? "True" : "False",
                    settings.gpu_memory_utilization, kv_blocks),
        1);
  Counter(out, "vllm:num_preemptions", labels_, static_cast<std::uint64_t>(gauges.preemptions),
          "Requests that lost their blocks.");
  Counter(out, "vllm:prompt_tokens", labels_, prompt_tokens_, "Tokens of prompts.");
  Begin(out, "vllm:prompt_tokens_by_source_total", "counter", "Tokens of prompts, by where from.");
  Value(out, "vllm:prompt_tokens_by_source_total", labels_ + ",source=\"local_compute\"",
        prompt_tokens_ - cached_tokens_);
  Value(out, "vllm:prompt_tokens_by_source_total", labels_ + ",source=\"local_cache_hit\"",
        cached_tokens_);
  Counter(out, "vllm:prompt_tokens_cached", labels_, cached_tokens_,
          "Tokens of prompts that the prefix cache held.");
  Counter(out, "vllm:generation_tokens", labels_, generation_tokens_, "Tokens of answers.");
  Begin(out, "vllm:request_success_total", "counter", "Requests that ended, by why.");
  for (const auto& [reason, count] :
       {std::pair("abort", aborted_), std::pair("length", cut_), std::pair("stop", stopped_)})
    Value(out, "vllm:request_success_total",
          fmt::format("{},finished_reason=\"{}\"", labels_, reason), count);
  const auto histogram = [&](std::string_view name, const MetricHistogram& values,
                             std::string_view help) {
    Begin(out, name, "histogram", help);
    values.Write(out, name, labels_);
  };
  histogram("vllm:time_to_first_token_seconds", ttft_, "From arrival to the first token.");
  histogram("vllm:inter_token_latency_seconds", inter_token_, "Between two tokens of a request.");
  histogram("vllm:request_time_per_output_token_seconds", per_output_token_,
            "A token behind the first, the mean of a request.");
  histogram("vllm:e2e_request_latency_seconds", e2e_, "From arrival to the last token.");
  histogram("vllm:request_queue_time_seconds", queue_, "From arrival to the first scheduling.");
  histogram("vllm:request_prefill_time_seconds", prefill_,
            "From the first scheduling to the first token.");
  histogram("vllm:request_decode_time_seconds", decode_, "From the first token to the last.");
  histogram("vllm:request_inference_time_seconds", inference_,
            "From the first scheduling to the last token.");
  histogram("vllm:request_prompt_tokens", request_prompt_, "Tokens of a prompt.");
  histogram("vllm:request_generation_tokens", request_generation_, "Tokens of an answer.");
  histogram("vllm:iteration_tokens_total", iteration_tokens_,
            "Tokens of answers in a step, with the prompts that it ended.");
  return out;
}

}  // namespace rankscope::sim
