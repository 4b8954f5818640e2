#include "insight/rule_ids.h"

#include <fmt/core.h>

#include <array>

#include "base/nearest_name.h"

namespace rankscope {
namespace {

constexpr EvidenceSource kTraces = EvidenceSource::kTraces;
constexpr EvidenceSource kTelemetry = EvidenceSource::kTelemetry;
constexpr EvidenceSource kServing = EvidenceSource::kServing;

constexpr std::array kRules = {
    RuleId{"slow-gpu", kTraces, "one rank's device runs the same kernels slower"},
    RuleId{"slow-host", kTraces, "one rank's CPU issues work late"},
    RuleId{"data-starvation", kTraces, "all ranks wait for input"},
    RuleId{"data-straggler", kTraces, "one rank waits for input, the others for that rank"},
    RuleId{"host-sync", kTraces, "the host waits for the device again and again"},
    RuleId{"launch-bound", kTraces, "the device waits for launches of short kernels"},
    RuleId{"gc-pause", kTraces, "Python stops for garbage collection"},
    RuleId{"recompilation", kTraces, "graphs are compiled again in steady state"},
    RuleId{"checkpoint-stall", kTraces, "all ranks stop while a checkpoint is written"},
    RuleId{"exposed-communication", kTraces, "collectives that no computing hides"},
    RuleId{"slow-link", kTraces, "a group communicates slowly though all arrive together"},
    RuleId{"network-jitter", kTraces, "single collectives take far longer than their like"},
    RuleId{"small-collectives", kTraces, "many collectives too small to use the network"},
    RuleId{"redundant-collectives", kTraces, "the same data is moved in every step"},
    RuleId{"sharding-imbalance", kTraces, "the sharding plan gives ranks unequal work"},
    RuleId{"expert-imbalance", kTraces, "routers send some experts far more tokens"},
    RuleId{"sequence-imbalance", kTraces, "batches of uneven length give ranks unequal work"},
    RuleId{"pipeline-bubble", kTraces, "too few micro-batches keep pipeline stages idle"},
    RuleId{"pipeline-stage-imbalance", kTraces, "one pipeline stage has more work than the rest"},
    RuleId{"no-tensor-cores", kTraces, "matrix kernels run without tensor cores"},
    RuleId{"low-roofline", kTraces, "heavy kernels far below what the device can do"},
    RuleId{"unfused-attention", kTraces, "attention as separate matmuls, masks and softmax"},
    RuleId{"unfused-elementwise", kTraces, "chains of small kernels that one kernel could do"},
    RuleId{"unfused-optimizer", kTraces, "the optimizer launches kernels for every parameter"},
    RuleId{"redundant-copies", kTraces, "copies and casts on the device that could be avoided"},
    RuleId{"pageable-copy", kTraces, "copies from unpinned host memory block the host"},
    RuleId{"allocator-thrash", kTraces, "device memory is requested and freed in steady state"},
    RuleId{"memory-leak", kTraces, "device memory grows with every step"},
    RuleId{"memory-pressure", kTraces, "device memory is nearly full"},
    RuleId{"cpu-contention", kTelemetry, "the host has too few cores for its threads"},
    RuleId{"power-throttle", kTelemetry, "the device's clocks are held down"},
    RuleId{"underused-gpu", kTelemetry, "the device has room for more work"},
    RuleId{"queueing", kServing, "requests wait long before they are served"},
    RuleId{"small-batches", kServing, "batches of the server far below what pays"},
    RuleId{"kv-cache-pressure", kServing, "the key-value cache is full and requests are preempted"},
};

}  // namespace

std::string_view ToString(EvidenceSource source) {
  switch (source) {
    case EvidenceSource::kTraces:
      return "traces";
    case EvidenceSource::kTelemetry:
      return "telemetry";
    case EvidenceSource::kServing:
      return "serving data";
  }
  return "";
}

std::span<const RuleId> RuleIds() { return kRules; }

const RuleId* FindRule(std::string_view id) {
  for (const RuleId& rule : kRules) {
    if (rule.id == id) return &rule;
  }
  return nullptr;
}

std::vector<std::string> RuleNames() {
  std::vector<std::string> names;
  names.reserve(kRules.size());
  for (const RuleId& rule : kRules) names.emplace_back(rule.id);
  return names;
}

std::string NoSuchFinding(std::string_view typed) {
  const std::vector<std::string> names = RuleNames();
  const std::string_view nearest = NearestName(typed, names);
  return fmt::format("there is no finding '{}'{}; rankscope explain lists all", typed,
                     nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
}

}  // namespace rankscope
