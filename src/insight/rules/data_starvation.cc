// data-starvation: all hosts wait for their batches.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/host_work/data_loading.h"
#include "insight/evidence/loss/ranks_in_turn.h"
#include "insight/evidence/peers/peer_speed.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Where it is another rank in each step: "1 of the 8 ranks, from step to step another one, waits
// for its batch, 35.0 ms a step, and the others for it"; "" elsewhere.
std::string InTurn(const RuleInput& input, std::size_t ranks) {
  RanksInTurn in_turn;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work == Work::kDataLoading)
      in_turn.Add(input, node, input.graph().nodes().DurationOf(node));
  });
  const std::string who = in_turn.Who(input, ranks);
  if (who.empty()) return "";
  const double each_ns =
      static_cast<double>(in_turn.MostOfSteps()) / static_cast<double>(input.counted().size());
  return fmt::format("{} waits for its batch, {} a step, and the others for it", who,
                     TimeText(each_ns));
}

// Taking a batch that is ready takes a slow host longer, as all that it does.
double SlownessOf(const PeerSpeed& host) {
  return host.typical_ns > 0 ? std::max(1.0, host.own_ns / host.typical_ns) : 1;
}

constexpr std::string_view kAllHosts = "the hosts";

// Where others fetch as well and hardly wait: "ranks 2, 3".
std::string WaitingText(const RuleInput& input, const DataLoading& loading,
                        const std::vector<std::uint32_t>& waiting) {
  const std::size_t fetch =
      RanksThat(input, [&](std::uint32_t rank) { return !loading.each[rank].empty(); }).size();
  return waiting.size() < fetch ? WhoText(input, waiting) : std::string(kAllHosts);
}

std::optional<Cause> FindDataStarvation(const RuleInput& input) {
  const auto& loading = input.Shared<DataLoading>();
  // Where few wait, that is data-straggler.
  if (!loading.late.empty()) return std::nullopt;
  // Who makes batches himself calls the device meanwhile: no stretch of it is a batch.
  const bool is_in_process = IsLoadedInProcess(input);
  const auto batches = [&](std::uint32_t rank) {
    return is_in_process ? static_cast<double>(input.counted().size())
                         : static_cast<double>(loading.fetches[rank]);
  };
  const std::vector<PeerSpeed>& hosts = input.Shared<SlowHosts>().speeds;
  const std::vector<std::uint32_t> waiting = RanksThat(input, [&](std::uint32_t rank) {
    return input.ShareOfSteps(loading.of_rank[rank]) >= kLowGain &&
           static_cast<double>(loading.of_rank[rank]) >
               kReadyBatchNs * batches(rank) * SlownessOf(hosts[rank]);
  });
  if (waiting.empty()) return std::nullopt;
  Cause cause = CauseOfLoading(input, loading, waiting, 0);
  const std::string who = WaitingText(input, loading, waiting);
  const bool is_one = waiting.size() == 1 && who != kAllHosts;
  const std::string time = TimeText(static_cast<double>(*cause.lost_ns));
  const std::string share = PercentText(static_cast<double>(*cause.lost_ns) / input.step_ns());
  cause.what = is_in_process
                   ? fmt::format("{} make{} {} batches {} (num_workers=0), {} a step, {} of it",
                                 who, is_one ? "s" : "", is_one ? "its" : "their",
                                 is_one ? "itself" : "themselves", time, share)
                   : fmt::format("{} wait{} {} a step for batches, {} of it", who,
                                 is_one ? "s" : "", time, share);
  const std::string in_turn = is_in_process ? "" : InTurn(input, waiting.size());
  if (!in_turn.empty()) cause.what = in_turn;
  if (in_turn.empty() && who != kAllHosts) cause.what += "; the others hardly wait for theirs";
  cause.what += LoadingInFewSteps(input, cause);
  if (is_in_process)
    cause.recommendation =
        "DataLoader(..., num_workers=8, prefetch_factor=4, pin_memory=True, "
        "persistent_workers=True): other processes make batches while devices compute; or move "
        "decoding and augmentation to the device.";
  const bool are_few = !cause.steps.empty() && 2 * cause.steps.size() <= input.counted().size();
  if (are_few)
    cause.recommendation =
        "See what is read there: workers that start anew with an epoch (persistent_workers=True), "
        "a shuffle buffer that fills, a shard or file that comes late; a larger prefetch_factor "
        "bridges what is short.";
  return cause;
}

constexpr std::array<Advice, 3> kDataStarvationAdvice = {{
    {[](const Setting& of) { return of.IsJax(); },
     "Load ahead of use: grain or tf.data with prefetch, more worker processes, and "
     "jax.device_put of the next batch while this one computes."},
    {[](const Setting& of) { return of.IsTensorFlow(); },
     "dataset.map(..., num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE), "
     "interleaved reads, cache() of what fits; read from faster storage."},
    {[](const Setting& of) { return of.trainer == Setting::Trainer::kTransformers; },
     "TrainingArguments(dataloader_num_workers=8, dataloader_prefetch_factor=4, "
     "dataloader_pin_memory=True, dataloader_persistent_workers=True); tokenise ahead of "
     "training (dataset.map); read from faster storage."},
}};

}  // namespace

const Rule& DataStarvationRule() {
  static const Rule kRule{
      .id = "data-starvation",
      .summary = "all ranks wait for input",
      .tier = Tier::kRoot,
      .takes = Takes::kData,
      .find = FindDataStarvation,
      .why = "host time inside data-loading ranges, on all ranks that fetch",
      .recommendation =
          "DataLoader(..., num_workers=8, prefetch_factor=4, pin_memory=True, "
          "persistent_workers=True); move decoding and augmentation to the workers or the device; "
          "read from faster storage.",
      .command = "rankscope table host_breakdown TRACES",
      .advice = kDataStarvationAdvice,
  };
  return kRule;
}

}  // namespace rankscope
