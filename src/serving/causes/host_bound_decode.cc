// host-bound-decode: the host is slower than a decode step of the device.
//
// In a trace of the engine with its marks, the devices are idle for 30% or more of their observed
// time in decode steps, of which it has ten. What waits for requests is not in these steps. The
// idle share is at most what can be gained, less what the profiler itself costs the host.
#include <fmt/core.h>

#include <algorithm>

#include "serving/causes/cause.h"
#include "table/human_number.h"

namespace rankscope::serving {
namespace {

constexpr std::int64_t kHostBoundDecodeLeastSteps = 10;
constexpr double kIdlePct = 30;

// Of requests' time the share that is decode; of a trace alone, of its steps.
double DecodeShare(const Analysis& analysis, const TracePhase& phase) {
  double decode = 0, total = 0;
  for (const Parts& parts : analysis.population.parts) {
    decode += static_cast<double>(parts.of(Stage::kDecode).value_or(0));
    total += static_cast<double>(parts.total);
  }
  return total > 0 ? decode / total : phase.time_pct / 100;
}

}  // namespace

void FindHostBoundDecode(const Analysis& analysis, Causes& causes) {
  const auto decode = std::ranges::find(analysis.data.trace_phases, "decode", &TracePhase::phase);
  if (decode != analysis.data.trace_phases.end() && !decode->busy_pct) {
    causes.unchecked.emplace_back(
        "host-bound-decode: needs a trace in which the work of devices was recorded");
    return;
  }
  if (decode == analysis.data.trace_phases.end() || decode->steps < kHostBoundDecodeLeastSteps) {
    causes.unchecked.push_back(fmt::format(
        "host-bound-decode: needs a profiler's trace of the engine with {} decode steps{}",
        kHostBoundDecodeLeastSteps,
        decode == analysis.data.trace_phases.end() ? ""
                                                   : fmt::format("; here are {}", decode->steps)));
    return;
  }
  const double idle = 100 - *decode->busy_pct;
  if (idle < kIdlePct) return;
  Finding finding{.id = "host-bound-decode", .lost_pct = idle * DecodeShare(analysis, *decode)};
  finding.title =
      fmt::format("Devices are idle for {} of the decode steps, which take {} on average",
                  HumanPercent(idle), HumanDuration(decode->mean_ns));
  finding.evidence = fmt::format(
      "{} decode steps of a trace{}; the profiler slows the host, too",
      GroupedInteger(decode->steps),
      decode->works ? fmt::format(", {} kernels and copies each", HumanDecimal(*decode->works))
                    : "");
  finding.change =
      "Replay graphs for all batch sizes (no --enforce-eager, larger --cuda-graph-max-bs), "
      "schedule "
      "asynchronously (--async-scheduling), and keep Python out of the step.";
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::serving
