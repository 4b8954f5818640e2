#include "serving/causes/server_words.h"

#include <fmt/core.h>

#include <set>

#include "base/text.h"

namespace rankscope::serving {
namespace {

struct Options {
  std::string_view server, slots, token_budget, cache_memory;
};

constexpr Options kOptions[] = {
    {"vLLM", "--max-num-seqs", "--max-num-batched-tokens", "--gpu-memory-utilization"},
    {"SGLang", "--max-running-requests", "--chunked-prefill-size", "--mem-fraction-static"},
    {"TensorRT-LLM", "max_batch_size", "max_num_tokens", "free_gpu_memory_fraction"},
    {"TGI", "--max-batch-size", "--max-batch-prefill-tokens", "--cuda-memory-fraction"},
    {"llama.cpp", "--parallel, -np", "--ubatch-size", "--ctx-size"},
    {"", "--max-num-seqs, --max-running-requests, max_batch_size, -np",
     "--max-num-batched-tokens, --chunked-prefill-size",
     "--gpu-memory-utilization, --mem-fraction-static"}};

}  // namespace

std::string ServerOf(const Analysis& analysis) {
  std::set<std::string> servers;
  for (const ReplicaSeries& series : analysis.replicas) servers.insert(series.server);
  servers.erase("");
  if (servers.empty()) {
    for (const Source& source : analysis.data.sources) {
      for (const Options& one : kOptions) {
        if (!one.server.empty() && Contains(source.format, one.server)) servers.emplace(one.server);
      }
    }
  }
  return servers.size() == 1 ? *servers.begin() : "";
}

bool HasKvCache(std::string_view server) { return server != "Ray Serve" && server != "Triton"; }

std::string_view OptionsOf(std::string_view server, Setting setting) {
  const Options* found = std::end(kOptions) - 1;
  for (const Options& one : kOptions) {
    if (one.server == server) found = &one;
  }
  switch (setting) {
    case Setting::kSlots:
      return found->slots;
    case Setting::kTokenBudget:
      return found->token_budget;
    case Setting::kCacheMemory:
      return found->cache_memory;
  }
  return "";
}

std::string MoreSlots(std::string_view server, std::string_view slots) {
  if (server == "Ray Serve")
    return "Add replicas (num_replicas, or autoscaling_config with more max_replicas and a lower "
           "target_ongoing_requests), or let each take more at once (max_ongoing_requests) where "
           "its handler can.";
  if (server == "llama.cpp")
    return fmt::format(
        "Raise the slots (--parallel, -np) beyond {} where memory allows, with --ctx-size, which "
        "they share, and with --cont-batching; or add a server.",
        slots);
  return fmt::format(
      "Raise the most requests at once ({}) beyond {} where memory allows, or add a replica.",
      OptionsOf(server, Setting::kSlots), slots);
}

std::string MoreServers(std::string_view server) {
  if (server == "Ray Serve")
    return "Add replicas (num_replicas, or autoscaling_config with more max_replicas), or refuse "
           "requests early (max_queued_requests).";
  if (server == "Triton")
    return "Add instances (instance_group count) or a server, or refuse requests early, unless "
           "larger batches serve more.";
  return "Add a replica, or refuse requests early, unless a setting gives more tokens a second.";
}

std::string MoreCache(std::string_view server) {
  if (server == "llama.cpp")
    return "Give the cache more room (--ctx-size) or a smaller type (--cache-type-k, "
           "--cache-type-v), or admit fewer requests at once (--parallel), so that none is "
           "computed twice.";
  return fmt::format(
      "Give the cache more memory ({}) or an FP8 cache, or admit fewer requests at once ({}), so "
      "that none is computed twice.",
      OptionsOf(server, Setting::kCacheMemory),
      server.empty() ? "--max-num-seqs" : OptionsOf(server, Setting::kSlots));
}

std::string MoreFrontend(std::string_view server) {
  if (server == "SGLang")
    return "Give the frontend more processes (--tokenizer-worker-num) and less to do "
           "(--stream-interval).";
  if (server.empty() || server == "vLLM")
    return "Give the frontend more processes (--api-server-count) and less to do "
           "(--stream-interval).";
  return "Give the frontend more processes, and less to do: fewer and larger pieces of a stream.";
}

std::string RecordMore(std::string_view server) {
  if (server == "Ray Serve")
    return "Record /metrics every second, to tell full replicas (ray_serve_replica_processing_"
           "queries at max_ongoing_requests) from replicas that autoscaling starts late.";
  if (server == "Triton")
    return "Record /metrics every second, with nv_inference_count and nv_inference_exec_count, to "
           "tell small batches from too few instances.";
  if (server == "SGLang" || server == "llama.cpp" || server == "TGI")
    return fmt::format("Record /metrics{} every second, to tell slots ({}) and KV cache apart.",
                       server == "SGLang"      ? " (--enable-metrics)"
                       : server == "llama.cpp" ? " (--metrics)"
                                               : "",
                       OptionsOf(server, Setting::kSlots));
  return "Record /metrics every second, and the engine's iterations, to tell slots, KV cache and "
         "token budget apart.";
}

std::string HowIterations(std::string_view server) {
  if (server.empty() || server == "vLLM") return " (--enable-logging-iteration-details)";
  if (server == "TensorRT-LLM") return " (print_iter_log)";
  return fmt::format(", which rankscope does not read from {}", server);
}

}  // namespace rankscope::serving
