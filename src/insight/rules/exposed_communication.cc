// exposed-communication: traffic of data parallelism, which computing could hide, that nothing
// hides.
//
// Gradients may be reduced while the backward still computes those of earlier layers, and shards of
// parameters gathered while the layers before are computed: all but the last reduction and the
// first gathering of a step can be hidden, as far as there is computing to hide them behind. A
// reduction that begins during the backward is as early as its gradients, and a gathering cannot
// begin before the one before it has ended.
// Communication inside a layer (tensor, expert, context parallel) is needed at once.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/communication/alone_communication.h"
#include "insight/evidence/communication/gatherings.h"
#include "insight/evidence/communication/hiding.h"
#include "insight/evidence/communication/link_use.h"
#include "insight/evidence/kernels/roof.h"
#include "insight/evidence/setting/hosts.h"
#include "insight/evidence/setting/setting.h"
#include "insight/rules/rules.h"
#include "table/human_number.h"

namespace rankscope {
namespace {

// Within a host, where the links between its devices bear far more.
void TellSlowLinks(const RuleInput& input, const std::vector<HideableOfStep>& hideable,
                   Cause& cause) {
  const std::vector<const DevicePeaks*> peaks = PeaksOfRanks(input);
  const auto& hosts = input.Shared<Hosts>();
  LinkUse use;
  double least_peak = 0;
  for (const HideableOfStep& of_step : hideable) {
    for (const Exchange* exchange : of_step.exchanges) {
      const std::optional<double> peak = LinkUse::PeakOf(peaks, *exchange);
      if (!peak || hosts.Spanned(exchange->ranks) > 1 || exchange->bytes < kLargeTransferBytes)
        continue;
      least_peak = least_peak == 0 ? *peak : std::min(least_peak, *peak);
      use.Add(*exchange);
    }
  }
  if (use.empty() || use.BusBandwidth() >= kLowLinkUse * least_peak) return;
  cause.what += fmt::format("; at {:.3g} GB/s it reaches {} of what the links of a host bear",
                            use.BusBandwidth() / 1e9, PercentText(use.BusBandwidth() / least_peak));
  const std::string then = cause.recommendation.empty()
                               ? "Then start reductions during the backward."
                               : std::move(cause.recommendation);
  cause.recommendation = fmt::format(
      "See why NVLink or Infinity Fabric is not used: nvidia-smi topo -m, nvidia-smi nvlink -s, "
      "NCCL_DEBUG=INFO (\"via P2P\", not SHM or NET), NCCL_P2P_DISABLE, IOMMU or a container "
      "without shared memory. {}",
      then);
}

constexpr std::array<Advice, 3> kExposedCommunicationAdvice = {{
    {[](const Setting& of) { return of.IsJax(); },
     "XLA's latency-hiding scheduler (--xla_gpu_enable_latency_hiding_scheduler=true) with "
     "pipelined collectives (--xla_gpu_enable_pipelined_all_gather=true, _reduce_scatter, "
     "_all_reduce)."},
    {[](const Setting& of) { return of.trainer == Setting::Trainer::kMegatron; },
     "--overlap-grad-reduce and --overlap-param-gather, with --ddp-bucket-size for smaller "
     "buckets."},
    {[](const Setting& of) { return of.trainer == Setting::Trainer::kDeepSpeed; },
     "\"overlap_comm\": true and contiguous_gradients in zero_optimization, with "
     "reduce_bucket_size small enough that reductions begin during the backward."},
}};

constexpr std::string_view kAdviceForReductions =
    "Start reductions during the backward: DistributedDataParallel with bucket_cap_mb=25 and "
    "gradient_as_bucket_view=True, overlap_grad_reduce=True (Megatron-LM), and no synchronisation "
    "between layers.";
constexpr std::string_view kAdviceForShards =
    "Gather ahead of use: FSDP with forward_prefetch=True and backward_prefetch=BACKWARD_PRE "
    "(fully_shard: set_modules_to_forward_prefetch), and no synchronisation between layers.";

// What the program chose: what it gathers, how often and in which pieces. Other trainers have
// settings of their own (kExposedCommunicationAdvice).
void TellHabits(const RuleInput& input, const std::vector<HideableOfStep>& hideable, Cause& cause) {
  constexpr double kManyGatherings = 48, kSmallUnit = 6e6;
  const auto& setting = input.Shared<Setting>();
  const bool has_own = std::ranges::any_of(
      kExposedCommunicationAdvice, [&](const Advice& advice) { return advice.fits(setting); });
  if (has_own) return;
  const Gatherings gatherings(input, hideable);
  if (!gatherings.are_of_shards) {
    cause.recommendation = kAdviceForReductions;
    return;
  }
  std::vector<std::string> changes;
  if (gatherings.are_too_wide) {
    cause.what += "; parameters are gathered in fp32, though most products compute in 16 bits";
    const std::string_view half = setting.has_bf16 ? "bfloat16" : "float16";
    changes.push_back(
        fmt::format("Gather in 16 bits, which halves the bytes: FSDP with "
                    "MixedPrecision(param_dtype=torch.{}), fully_shard with "
                    "MixedPrecisionPolicy(param_dtype=torch.{}).",
                    half, half));
  }
  if (gatherings.micro_batches > 1) {
    cause.what += fmt::format("; each of {} micro-batches of a step gathers the parameters again",
                              gatherings.micro_batches);
    changes.emplace_back(
        "Keep the parameters of a step where memory allows: reshard_after_forward=False (FSDP1: "
        "SHARD_GRAD_OP), and reduce gradients behind the last micro-batch alone "
        "(set_requires_gradient_sync(False), FSDP1: no_sync()); or fewer and larger "
        "micro-batches.");
  }
  if (gatherings.per_step >= kManyGatherings && gatherings.mean_bytes < kSmallUnit) {
    cause.what += fmt::format("; parameters are gathered in pieces of {} in the mean, {}",
                              HumanBytes(gatherings.mean_bytes), TimesAStep(gatherings.per_step));
    changes.emplace_back(
        "Wrap whole blocks in place of their layers: auto_wrap_policy=transformer_auto_wrap_policy "
        "with the class of the block, fully_shard once for each block, so that a gathering brings "
        "tens of MB.");
  }
  if (changes.empty()) changes.emplace_back(kAdviceForShards);
  cause.recommendation = fmt::format("{}", fmt::join(changes, " "));
}

// Reductions that are as early as their gradients, and still take far longer than the backward has
// computing: only less traffic or a faster network helps.
std::optional<Cause> FindNetworkBound(const RuleInput& input,
                                      const std::vector<HideableOfStep>& hideable) {
  Scenario without = input.recorded();
  TransferSums sums(input);
  LinkUse use;
  for (const HideableOfStep& of_step : hideable) {
    if (of_step.gathers) continue;
    for (const Exchange* exchange : of_step.exchanges) {
      if (!IsOfBackward(input, *exchange)) continue;
      Exchanges::SetTransfer(input.graph(), *exchange, 0, without);
      sums.Add(*exchange, exchange->transfer_ns);
      if (exchange->bytes > 0) use.Add(*exchange);
    }
  }
  if (sums.count() == 0 || sums.MostGain() < kHighGain) return std::nullopt;
  const double gain = input.GainOf(without);
  if (gain < kHighGain) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.lost_ns = static_cast<std::int64_t>(gain * input.step_ns());
  cause.without = std::move(without);
  cause.is_unproven = true;
  cause.what = fmt::format(
      "gradients take the network {} a step longer than the backward can hide, though their "
      "reductions begin during it",
      TimeText(static_cast<double>(*cause.lost_ns)));
  if (!use.empty()) cause.what += fmt::format("; at {:.3g} GB/s", use.BusBandwidth() / 1e9);
  cause.why =
      "reductions of data parallelism that begin with the backward and end long after it; replayed "
      "without all but the last, which is more than can be had";
  cause.recommendation =
      "Send less: gradients in bf16 (a communication hook of DDP), accumulation over more "
      "micro-batches, sharding within a host (HSDP). Compare the bandwidth with what the network "
      "can do (rankscope table collective_sizes, nccl-tests).";
  return cause;
}

// What hosts exchange themselves (gloo, MPI) while they launch nothing.
std::optional<Cause> FindOfHosts(const RuleInput& input) {
  const bool has_devices = std::ranges::any_of(
      input.graph().kinds(), [](const NodeKind& kind) { return kind.work == Work::kCompute; });
  if (!has_devices) return std::nullopt;
  Scenario without = input.recorded();
  TransferSums sums(input);
  std::map<std::string, std::int64_t> by_kind;
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    const auto members = Exchanges::MembersOf(input.graph(), exchange);
    if (!IsExchangeOfHosts(input.graph().KindOf(members.front()))) continue;
    Exchanges::SetTransfer(input.graph(), exchange, 0, without);
    sums.Add(exchange, exchange.transfer_ns);
    if (exchange.counts) by_kind[Exchanges::Describe(input, exchange)] += exchange.transfer_ns;
  }
  if (by_kind.empty() || sums.MostGain() < kHighGain) return std::nullopt;
  const double gain = input.GainOf(without);
  if (gain < kHighGain) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.lost_ns = static_cast<std::int64_t>(gain * input.step_ns());
  cause.without = std::move(without);
  cause.what = fmt::format(
      "devices wait {} a step while hosts exchange values among themselves, most of it {}",
      TimeText(static_cast<double>(*cause.lost_ns)),
      std::ranges::max_element(by_kind, {}, [](const auto& one) { return one.second; })->first);
  cause.why =
      "collectives of the hosts (gloo, MPI) on threads that launch nothing meanwhile; replayed "
      "with "
      "no time for their transfers";
  cause.recommendation =
      "Reduce on the device (NCCL, RCCL) and read the result later; gather several values into one "
      "tensor; every hundredth step; async_op=True, or another thread with a group of its own.";
  return cause;
}

constexpr std::string_view kGatheredAtOnce =
    "Gather layer by layer, each while the layers before it compute. FSDP: wrap the embedding and "
    "the output layer as units of their own, beside the blocks. Sharded optimizers (ZeRO-1): "
    "--overlap-param-gather (Megatron-LM), overlap_with_ddp=True (ZeroRedundancyOptimizer), or "
    "FSDP "
    "with reshard_after_forward=False.";

// Parameters that are gathered in 32 bits, in 16 in place of that: of each transfer half of what it
// took is gone from what is left of it.
void GatherInHalf(const RuleInput& input, const std::vector<HideableOfStep>& hideable,
                  Scenario& without) {
  const JobGraph& graph = input.graph();
  const auto halve = [&](const Exchange& exchange) {
    for (const NodeId node : Exchanges::MembersOf(graph, exchange)) {
      if (!graph.IsEager(node))
        without.SetDuration(node,
                            std::max<std::int64_t>(
                                0, without.DurationOf(node) - graph.nodes().DurationOf(node) / 2));
    }
  };
  for (const HideableOfStep& of_step : hideable) {
    if (!of_step.gathers) continue;
    for (const Exchange* exchange : of_step.exchanges) halve(*exchange);
    if (of_step.first != nullptr && of_step.first != of_step.giant) halve(*of_step.first);
  }
}

std::optional<Cause> FindOfDataParallelism(const RuleInput& input) {
  const std::vector<HideableOfStep> hideable = Hideable(input);
  if (hideable.empty()) return std::nullopt;
  Hiding hiding(input, hideable);
  if (hiding.has_any() && Gatherings(input, hideable).are_too_wide)
    GatherInHalf(input, hideable, hiding.without());
  const double gain = hiding.has_any() ? std::max(0.0, input.GainOf(hiding.without())) : 0;
  if (gain < kLowGain) {
    if (std::optional<Cause> of_network = FindNetworkBound(input, hideable)) return of_network;
  }
  if (!hiding.has_any()) return std::nullopt;
  const auto are_giant = [&](bool gathers) {
    return std::ranges::any_of(hideable, [&](const HideableOfStep& of_step) {
      return of_step.giant != nullptr && of_step.gathers == gathers;
    });
  };
  Cause cause;
  hiding.sums().TellIn(cause);
  cause.lost_ns = static_cast<std::int64_t>(gain * input.step_ns());
  cause.without = std::move(hiding.without());
  cause.what = fmt::format(
      "data-parallel communication that is not hidden by computing costs {} a step, most of it {}",
      TimeText(static_cast<double>(*cause.lost_ns)), hiding.Largest());
  if (are_giant(false))
    cause.what += "; nearly all gradients go in one reduction, which begins when the last is there";
  TellHabits(input, hideable, cause);
  if (are_giant(true)) {
    // To gather late and at once is how such optimizers and wrappings usually work.
    std::int64_t giant_ns = 0;
    for (const HideableOfStep& of_step : hideable) {
      if (of_step.gathers && of_step.giant != nullptr && of_step.giant->counts)
        giant_ns += of_step.giant->transfer_ns;
    }
    cause.is_unproven = 2 * static_cast<double>(giant_ns) > hiding.sums().lost_ns();
    cause.what +=
        "; parameters that only later layers need are gathered before the first of them computes";
    cause.recommendation = kGatheredAtOnce;
  }
  TellSlowLinks(input, hideable, cause);
  return cause;
}

std::optional<Cause> FindExposedCommunication(const RuleInput& input) {
  if (MostIsAlone(input)) return CauseOfAlone(input);
  std::optional<Cause> of_hosts = FindOfHosts(input);
  std::optional<Cause> of_data = FindOfDataParallelism(input);
  const bool is_of_hosts =
      of_hosts && (!of_data || of_hosts->lost_ns.value_or(0) > of_data->lost_ns.value_or(0));
  return is_of_hosts ? std::move(of_hosts) : std::move(of_data);
}

}  // namespace

const Rule& ExposedCommunicationRule() {
  static const Rule kRule{
      .id = "exposed-communication",
      .summary = "collectives that no computing hides",
      .tier = Tier::kNature,
      .takes = Takes::kTransfer,
      .find = FindExposedCommunication,
      .why =
          "all but the last reduction and the first gathering of a step could run beside the "
          "computing of other layers; replayed with as much of them hidden as there is computing: "
          "for reductions that of the backward, for a gathering what runs since the one before it, "
          "for one of all parameters at once the forward; what begins during the backward is as "
          "early as its gradients",
      .recommendation =
          "Start reductions during the backward: DistributedDataParallel with bucket_cap_mb=25 and "
          "gradient_as_bucket_view=True, overlap_grad_reduce=True (Megatron-LM); FSDP: "
          "forward_prefetch=True, backward_prefetch=BACKWARD_PRE, and no synchronisation between "
          "layers.",
      .command = "rankscope table exposed_communication TRACES",
      .advice = kExposedCommunicationAdvice,
  };
  return kRule;
}

}  // namespace rankscope
