#include "serving/base/metric_names.h"

#include <boost/unordered/unordered_flat_map.hpp>

namespace rankscope::serving {
namespace {

constexpr double kSeconds = 1e9;
constexpr double kMillis = 1e6;
constexpr double kMicros = 1e3;

struct Meaning {
  MetricKind kind;
  std::string_view name;
  std::string_view unit;
};

constexpr Meaning MeaningOf(Metric metric) {
  using enum MetricKind;
  switch (metric) {
    case Metric::kRunning:
      return {kGauge, "running", "requests"};
    case Metric::kRunningContext:
      return {kGauge, "running_context", "requests"};
    case Metric::kRunningGeneration:
      return {kGauge, "running_generation", "requests"};
    case Metric::kWaitingAtReplica:
      return {kGauge, "waiting_at_replica", "requests"};
    case Metric::kWaiting:
      return {kGauge, "waiting", "requests"};
    case Metric::kWaitingByReason:
      return {kGauge, "waiting_by_reason", "requests"};
    case Metric::kKvUsage:
      return {kGauge, "kv_cache_usage", "1"};
    case Metric::kMaxBatch:
      return {kGauge, "max_batch", "requests"};
    case Metric::kBusySlots:
      return {kGauge, "busy_slots_per_decode", "requests"};
    case Metric::kProcessStart:
      return {kGauge, "process_start", "ns"};
    case Metric::kPreemptions:
      return {kCounter, "preemptions", "requests"};
    case Metric::kPromptTokens:
      return {kCounter, "prompt_tokens", "tokens"};
    case Metric::kCachedTokens:
      return {kCounter, "cached_prompt_tokens", "tokens"};
    case Metric::kPromptTokensBySource:
      return {kCounter, "prompt_tokens_by_source", "tokens"};
    case Metric::kGenerationTokens:
      return {kCounter, "generation_tokens", "tokens"};
    case Metric::kFinished:
      return {kCounter, "finished", "requests"};
    case Metric::kFailed:
      return {kCounter, "failed", "requests"};
    case Metric::kDecodeCalls:
      return {kCounter, "decode_calls", "calls"};
    case Metric::kInferences:
      return {kCounter, "inferences", "requests"};
    case Metric::kExecutions:
      return {kCounter, "executions", "calls"};
    case Metric::kQueueTime:
      return {kCounter, "queue_time", "ns"};
    case Metric::kInferTime:
      return {kCounter, "infer_time", "ns"};
    case Metric::kRequestTime:
      return {kCounter, "request_time", "ns"};
    case Metric::kPrefillTime:
      return {kCounter, "prefill_time", "ns"};
    case Metric::kDecodeTime:
      return {kCounter, "decode_time", "ns"};
    case Metric::kTtft:
      return {kHistogram, "time_to_first_token", "ns"};
    case Metric::kItl:
      return {kHistogram, "inter_token_latency", "ns"};
    case Metric::kTpot:
      return {kHistogram, "time_per_output_token", "ns"};
    case Metric::kE2e:
      return {kHistogram, "e2e", "ns"};
    case Metric::kQueue:
      return {kHistogram, "queue", "ns"};
    case Metric::kPrefill:
      return {kHistogram, "prefill", "ns"};
    case Metric::kDecode:
      return {kHistogram, "decode", "ns"};
    case Metric::kInference:
      return {kHistogram, "inference", "ns"};
  }
  return {kGauge, "", ""};
}

constexpr std::string_view kVllm = "vLLM";
constexpr std::string_view kSglang = "SGLang";
constexpr std::string_view kTrtLlm = "TensorRT-LLM";
constexpr std::string_view kTriton = "Triton";
constexpr std::string_view kRay = "Ray Serve";
constexpr std::string_view kLlama = "llama.cpp";
constexpr std::string_view kTgi = "TGI";

constexpr KnownMetric kMetrics[] = {
    {"process_start_time_seconds", "", Metric::kProcessStart, kSeconds},
    {"vllm:num_requests_running", kVllm, Metric::kRunning},
    {"vllm:num_requests_waiting", kVllm, Metric::kWaiting},
    {"vllm:num_requests_waiting_by_reason", kVllm, Metric::kWaitingByReason},
    {"vllm:kv_cache_usage_perc", kVllm, Metric::kKvUsage},
    {"vllm:gpu_cache_usage_perc", kVllm, Metric::kKvUsage},
    {"vllm:num_preemptions", kVllm, Metric::kPreemptions},
    {"vllm:prompt_tokens", kVllm, Metric::kPromptTokens},
    {"vllm:prompt_tokens_cached", kVllm, Metric::kCachedTokens},
    {"vllm:prompt_tokens_by_source", kVllm, Metric::kPromptTokensBySource},
    {"vllm:generation_tokens", kVllm, Metric::kGenerationTokens},
    {"vllm:request_success", kVllm, Metric::kFinished},
    {"vllm:time_to_first_token_seconds", kVllm, Metric::kTtft, kSeconds},
    {"vllm:inter_token_latency_seconds", kVllm, Metric::kItl, kSeconds},
    {"vllm:time_per_output_token_seconds", kVllm, Metric::kItl, kSeconds},
    {"vllm:request_time_per_output_token_seconds", kVllm, Metric::kTpot, kSeconds},
    {"vllm:e2e_request_latency_seconds", kVllm, Metric::kE2e, kSeconds},
    {"vllm:request_queue_time_seconds", kVllm, Metric::kQueue, kSeconds},
    {"vllm:request_prefill_time_seconds", kVllm, Metric::kPrefill, kSeconds},
    {"vllm:request_decode_time_seconds", kVllm, Metric::kDecode, kSeconds},
    {"vllm:request_inference_time_seconds", kVllm, Metric::kInference, kSeconds},
    {"sglang:num_running_reqs", kSglang, Metric::kRunning},
    {"sglang:num_queue_reqs", kSglang, Metric::kWaiting},
    {"sglang:token_usage", kSglang, Metric::kKvUsage},
    {"sglang:num_retracted_requests", kSglang, Metric::kPreemptions},
    {"sglang:prompt_tokens", kSglang, Metric::kPromptTokens},
    {"sglang:cached_tokens", kSglang, Metric::kCachedTokens},
    {"sglang:generation_tokens", kSglang, Metric::kGenerationTokens},
    {"sglang:num_requests", kSglang, Metric::kFinished},
    {"sglang:num_aborted_requests", kSglang, Metric::kFailed},
    {"sglang:time_to_first_token_seconds", kSglang, Metric::kTtft, kSeconds},
    {"sglang:inter_token_latency_seconds", kSglang, Metric::kItl, kSeconds},
    {"sglang:e2e_request_latency_seconds", kSglang, Metric::kE2e, kSeconds},
    {"sglang:queue_time_seconds", kSglang, Metric::kQueue, kSeconds},
    // By their label `stage`, whose value stands behind the slash.
    {"sglang:per_stage_req_latency_seconds/prefill_waiting", kSglang, Metric::kQueue, kSeconds},
    {"sglang:per_stage_req_latency_seconds/prefill_forward", kSglang, Metric::kPrefill, kSeconds},
    {"sglang:per_stage_req_latency_seconds/decode_forward", kSglang, Metric::kDecode, kSeconds},
    {"trtllm_num_scheduled_requests", kTrtLlm, Metric::kRunning},
    {"trtllm_num_context_requests", kTrtLlm, Metric::kRunningContext},
    {"trtllm_num_generation_requests", kTrtLlm, Metric::kRunningGeneration},
    {"trtllm_kv_cache_utilization", kTrtLlm, Metric::kKvUsage},
    {"trtllm_max_batch_size_runtime", kTrtLlm, Metric::kMaxBatch},
    {"trtllm_request_success", kTrtLlm, Metric::kFinished},
    {"trtllm_time_to_first_token_seconds", kTrtLlm, Metric::kTtft, kSeconds},
    {"trtllm_time_per_output_token_seconds", kTrtLlm, Metric::kTpot, kSeconds},
    {"trtllm_e2e_request_latency_seconds", kTrtLlm, Metric::kE2e, kSeconds},
    {"trtllm_request_queue_time_seconds", kTrtLlm, Metric::kQueue, kSeconds},
    {"trtllm_request_prefill_time_seconds", kTrtLlm, Metric::kPrefill, kSeconds},
    {"trtllm_request_decode_time_seconds", kTrtLlm, Metric::kDecode, kSeconds},
    {"trtllm_request_inference_time_seconds", kTrtLlm, Metric::kInference, kSeconds},
    {"nv_inference_request_success", kTriton, Metric::kFinished},
    {"nv_inference_request_failure", kTriton, Metric::kFailed},
    {"nv_inference_count", kTriton, Metric::kInferences},
    {"nv_inference_exec_count", kTriton, Metric::kExecutions},
    {"nv_inference_pending_request_count", kTriton, Metric::kWaiting},
    {"nv_inference_request_duration_us", kTriton, Metric::kRequestTime, kMicros},
    {"nv_inference_queue_duration_us", kTriton, Metric::kQueueTime, kMicros},
    {"nv_inference_compute_infer_duration_us", kTriton, Metric::kInferTime, kMicros},
    {"ray_serve_replica_processing_queries", kRay, Metric::kRunning},
    {"ray_serve_deployment_queued_queries", kRay, Metric::kWaiting},
    {"ray_serve_replica_queued_queries", kRay, Metric::kWaitingAtReplica},
    {"ray_serve_deployment_queuing_latency_ms", kRay, Metric::kQueue, kMillis},
    {"ray_serve_deployment_processing_latency_ms", kRay, Metric::kInference, kMillis},
    {"llamacpp:requests_processing", kLlama, Metric::kRunning},
    {"llamacpp:requests_deferred", kLlama, Metric::kWaiting},
    {"llamacpp:kv_cache_usage_ratio", kLlama, Metric::kKvUsage},
    {"llamacpp:n_busy_slots_per_decode", kLlama, Metric::kBusySlots},
    {"llamacpp:n_decode", kLlama, Metric::kDecodeCalls},
    {"llamacpp:prompt_tokens", kLlama, Metric::kPromptTokens},
    {"llamacpp:prompt_seconds", kLlama, Metric::kPrefillTime, kSeconds},
    {"llamacpp:tokens_predicted", kLlama, Metric::kGenerationTokens},
    {"llamacpp:tokens_predicted_seconds", kLlama, Metric::kDecodeTime, kSeconds},
    {"tgi_batch_current_size", kTgi, Metric::kRunning},
    {"tgi_queue_size", kTgi, Metric::kWaiting},
    {"tgi_request_success", kTgi, Metric::kFinished},
    {"tgi_request_failure", kTgi, Metric::kFailed},
    {"tgi_request_duration", kTgi, Metric::kE2e, kSeconds},
    {"tgi_request_queue_duration", kTgi, Metric::kQueue, kSeconds},
    {"tgi_request_inference_duration", kTgi, Metric::kInference, kSeconds},
    {"tgi_request_mean_time_per_token_duration", kTgi, Metric::kTpot, kSeconds},
};

}  // namespace

MetricKind KindOf(Metric metric) { return MeaningOf(metric).kind; }
std::string_view NameOf(Metric metric) { return MeaningOf(metric).name; }
std::string_view UnitOf(Metric metric) { return MeaningOf(metric).unit; }

std::span<const KnownMetric> KnownMetrics() { return kMetrics; }

std::optional<std::uint16_t> FindMetric(std::string_view name) {
  static const auto kByName = [] {
    boost::unordered_flat_map<std::string_view, std::uint16_t> by_name;
    std::uint16_t index = 0;
    for (const KnownMetric& metric : kMetrics) by_name.emplace(metric.name, index++);
    return by_name;
  }();
  if (const auto found = kByName.find(name); found != kByName.end()) return found->second;
  constexpr std::string_view kTotal = "_total";
  if (!name.ends_with(kTotal)) return std::nullopt;
  name.remove_suffix(kTotal.size());
  const auto found = kByName.find(name);
  return found == kByName.end() || KindOf(kMetrics[found->second].metric) != MetricKind::kCounter
             ? std::nullopt
             : std::optional(found->second);
}

}  // namespace rankscope::serving
