#include "sim/serving/capacity.h"

#include <algorithm>
#include <vector>

#include "sim/serving/run_to_end.h"

namespace rankscope::sim {
namespace {

constexpr std::int64_t kRounds = 6;
constexpr std::int64_t kCapacityMostSequences = 2048;  // that are more than any pool holds
constexpr std::int64_t kLeastRequests = 120;

// Those that begin together are of all lengths, evenly, so that their places become free one after
// the other, as they do later on.
std::vector<PlannedRequest> Plan(const RequestMix& mix, std::int64_t at_once) {
  const std::int64_t count = std::max(kLeastRequests, kRounds * at_once);
  std::vector<PlannedRequest> planned;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t output =
        i < at_once ? 1 + i * mix.output_tokens / at_once : mix.output_tokens;
    planned.push_back({.spec = {.prompt_tokens = mix.prompt_tokens, .output_tokens = output}});
  }
  return planned;
}

}  // namespace

Result<Capacity> FindCapacity(const CostShape& shape, const EngineSettings& settings,
                              const RequestMix& mix) {
  const auto planned =
      Plan(mix, std::clamp<std::int64_t>(settings.max_num_seqs, 1, kCapacityMostSequences));
  double running_ns = 0;
  RS_ASSIGN_OR_RETURN(const RunOutcome outcome,
                      RunToEnd(shape, settings, {.sigma = 0}, planned, [&](const Step& step) {
                        running_ns += static_cast<double>(step.running) *
                                      static_cast<double>(step.end_ns - step.begin_ns);
                      }));
  Capacity capacity{.dies = outcome.died_ns.has_value()};
  if (capacity.dies) return capacity;
  std::vector<std::int64_t> ends;
  for (const RequestRecord& record : outcome.requests) ends.push_back(record.end_ns);
  std::ranges::sort(ends);
  const std::size_t first = ends.size() / 3, last = 2 * ends.size() / 3;
  capacity.requests_per_s =
      static_cast<double>(last - first) * 1e9 / static_cast<double>(ends[last] - ends[first]);
  capacity.mean_running = running_ns / static_cast<double>(outcome.busy_ns);
  capacity.preemptions_per_request =
      static_cast<double>(outcome.preemptions) / static_cast<double>(ends.size());
  return capacity;
}

}  // namespace rankscope::sim
