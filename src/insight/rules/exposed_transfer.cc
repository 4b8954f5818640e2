// exposed-transfer: what layers exchange, and need at once, takes much of the step.
//
// Communication of tensor, context and expert parallelism stands between the computing of one layer
// and of the next: only what computes beside it could hide it. It is told where the recording shows
// that it could be faster, or where it takes so much that the layout itself is the matter:
//
//   - groups span hosts, each of which has room for a whole group: replayed at what links within a
//     host usually reach;
//   - tensor or context parallel groups span hosts that have no such room: what it costs in all, as
//     a bound;
//   - other groups take a fifth of the step: the same, with low severity, as it is the layout's
//     price;
//   - groups of one host exchange little many times a step, and each exchange takes longer than
//     kernels made for that (decoding with tensor parallelism): replayed at what these take.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/median.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/communication/layer_transfers.h"
#include "insight/evidence/communication/link_use.h"
#include "insight/evidence/communication/transfer_sums.h"
#include "insight/evidence/kernels/roof.h"
#include "insight/evidence/setting/hosts.h"
#include "insight/evidence/setting/setting.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Of a step: less is what a layout usually costs, or one that could be another.
constexpr double kMuchOfALayout = 0.2;
constexpr double kMuchMisplaced = 0.05;

// What kernels for small exchanges between devices with links of their own are assumed to take on a
// host of eight (the custom all-reduce of vLLM and SGLang, NVLS, one shot); not measured here.
constexpr std::int64_t kLittleTakesNs = 10'000;

std::string_view NameOf(Dimension of) {
  switch (of) {
    case Dimension::kContext:
      return "context";
    case Dimension::kExpert:
      return "expert";
    default:
      return "tensor";
  }
}

// Embeddings that ranks look up in their tables for each other, in place of tokens of experts.
bool AreEmbeddings(const RuleInput& input, const LayerTransferKind& kind) {
  return kind.of == Dimension::kExpert && input.Shared<Setting>().has_tables;
}

std::string WhoExchanges(const RuleInput& input, const LayerTransferKind& kind) {
  return AreEmbeddings(input, kind) ? "ranks with shards of embedding tables"
                                    : fmt::format("{}-parallel groups", NameOf(kind.of));
}

std::string AdviceFor(const RuleInput& input, const LayerTransferKind& kind) {
  if (AreEmbeddings(input, kind))
    return "Exchange the embeddings of the next batch while this one computes (TorchRec's "
           "TrainPipelineSparseDist), send less (quantised communication, qcomms in fp16 or bf16, "
           "where it is in fp32), and keep rows of a table within a host (table-row-wise or grid "
           "sharding); within a host see that NVLink is used (nvidia-smi nvlink -s, "
           "NCCL_DEBUG=INFO).";
  if (kind.spans && kind.has_room)
    return fmt::format(
        "Place each {}-parallel group on devices of one host: ranks of a group in a row, as "
        "launchers number them, and its degree at most the devices of a host; data or pipeline "
        "parallelism between hosts.",
        NameOf(kind.of));
  if (kind.of == Dimension::kExpert)
    return "Hide dispatch and combine behind computing (shared experts, a second micro-batch; "
           "DeepEP, Megatron's --moe-shared-expert-overlap), send less (fp8 dispatch, tokens once "
           "to each host), or spread experts over fewer ranks.";
  if (kind.spans)
    return fmt::format(
        "A {}-parallel degree of at most the devices of a host, with pipeline parallelism or FSDP "
        "between hosts; more links between them where that cannot be.",
        NameOf(kind.of));
  return fmt::format(
      "Let computing run beside it (Megatron's --tp-comm-overlap with --sequence-parallel, "
      "PyTorch's asynchronous tensor parallelism), a smaller {}-parallel degree, or larger batches "
      "per device; see that NVLink is used (nvidia-smi nvlink -s, NCCL_DEBUG=INFO).",
      NameOf(kind.of));
}

// Small exchanges within a host, in each layer.
std::optional<Cause> CauseOfLatency(const RuleInput& input, const LayerTransferKind& kind,
                                    const std::vector<const Exchange*>& exchanges) {
  const std::vector<const DevicePeaks*> peaks = PeaksOfRanks(input);
  Scenario without = input.recorded();
  TransferSums sums(input);
  std::vector<std::int64_t> times;
  std::set<std::uint32_t> ranks;
  double of_ranks = 0, lost_of_ranks_ns = 0;
  bool is_known = true;
  for (const Exchange* exchange : exchanges) {
    const std::optional<double> peak = LinkUse::PeakOf(peaks, *exchange);
    // Over PCIe nothing is known to be faster, and nothing of what has no size.
    is_known = is_known && peak && exchange->bytes >= 0;
    const double bytes_ns = peak ? static_cast<double>(std::max<std::int64_t>(exchange->bytes, 0)) /
                                       (kUsualLinkUse * *peak) * 1e9
                                 : 0;
    const std::int64_t then =
        std::min(exchange->transfer_ns, kLittleTakesNs + static_cast<std::int64_t>(bytes_ns));
    Exchanges::SetTransfer(input.graph(), *exchange, then, without);
    sums.Add(*exchange, exchange->transfer_ns - then);
    if (!exchange->counts) continue;
    times.push_back(exchange->transfer_ns);
    ranks.insert(exchange->ranks.begin(), exchange->ranks.end());
    const auto members = static_cast<double>(exchange->ranks.size());
    of_ranks += members;
    lost_of_ranks_ns += members * static_cast<double>(exchange->transfer_ns - then);
  }
  if (input.GainOf(without) < kMuchMisplaced) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  const double of_a_rank = 1 / static_cast<double>(ranks.size());
  cause.lost_ns = static_cast<std::int64_t>(sums.PerStep(lost_of_ranks_ns * of_a_rank));
  cause.without = std::move(without);
  cause.is_unproven = !is_known;
  cause.what = fmt::format(
      "layers wait {} for what {} exchange, little each time: {} "
      "in the median where kernels for that take some {}",
      TimesAStep(sums.PerStep(of_ranks * of_a_rank)), WhoExchanges(input, kind),
      TimeText(static_cast<double>(MedianOf(times))),
      TimeText(static_cast<double>(kLittleTakesNs)));
  cause.why =
      "exchanges of at most 512 kB, or inside of graphs of at most 100 us, without waiting for "
      "late "
      "ranks; replayed with 10 us and their bytes at the links' usual rate for each, which "
      "one-shot "
      "kernels take";
  cause.recommendation =
      "Use the engine's own all-reduce for small messages: vLLM and SGLang without "
      "--disable-custom-all-reduce, TensorRT-LLM's AllReduceStrategy AUTO; their logs say why it "
      "is "
      "off (no peer access, a container without shared memory, an odd number of devices). NCCL: "
      "NVLS and the LL protocols (NCCL_DEBUG=INFO). Larger batches exchange more at a time, a "
      "smaller degree less often.";
  return cause;
}

std::optional<Cause> CauseOfBandwidth(const RuleInput& input, const LayerTransferKind& kind,
                                      const std::vector<const Exchange*>& exchanges) {
  const std::vector<const DevicePeaks*> peaks = PeaksOfRanks(input);
  LinkUse use;
  for (const Exchange* exchange : exchanges) use.Add(*exchange);
  Scenario without = input.recorded();
  TransferSums sums(input);
  std::map<std::string, std::int64_t> by_kind;
  std::set<std::uint32_t> ranks;
  double of_ranks_ns = 0, lost_of_ranks_ns = 0;
  bool is_bound = !kind.spans || !kind.has_room || use.empty();
  for (const Exchange* exchange : exchanges) {
    const std::optional<double> peak = LinkUse::PeakOf(peaks, *exchange);
    is_bound = is_bound || !peak;
    // No faster than it is.
    const double part = is_bound ? 0 : std::min(1.0, use.BusBandwidth() / (kUsualLinkUse * *peak));
    Exchanges::SetTransfer(
        input.graph(), *exchange,
        static_cast<std::int64_t>(part * static_cast<double>(exchange->transfer_ns)), without);
    sums.Add(*exchange, exchange->transfer_ns);
    if (!exchange->counts) continue;
    by_kind[Exchanges::Describe(input, *exchange)] += exchange->transfer_ns;
    ranks.insert(exchange->ranks.begin(), exchange->ranks.end());
    const double ns =
        static_cast<double>(exchange->ranks.size()) * static_cast<double>(exchange->transfer_ns);
    of_ranks_ns += ns;
    lost_of_ranks_ns += (1 - part) * ns;
  }
  const double much = kind.IsMisplaced() ? kMuchMisplaced : kMuchOfALayout;
  if (sums.MostGain() < much || input.GainOf(without) < much) return std::nullopt;
  const auto largest =
      std::max_element(by_kind.begin(), by_kind.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  Cause cause;
  sums.TellIn(cause);
  const double of_a_rank = 1 / static_cast<double>(ranks.size());
  cause.lost_ns = static_cast<std::int64_t>(sums.PerStep(lost_of_ranks_ns * of_a_rank));
  cause.without = std::move(without);
  // What the layout buys is memory.
  cause.is_trade = !kind.IsMisplaced();
  if (is_bound) {
    cause.gain_method = "bound";
    cause.confidence = 0.6;
  }
  cause.what = fmt::format(
      "layers wait {} a step for what {} exchange{}, most of it {}{}",
      TimeText(sums.PerStep(of_ranks_ns * of_a_rank)), WhoExchanges(input, kind),
      use.empty() ? "" : fmt::format(" at {:.3g} GB/s", use.BusBandwidth() / 1e9), largest->first,
      !kind.spans     ? ""
      : kind.has_room ? "; the groups span hosts that have room for a whole one"
                      : "; the groups span hosts");
  cause.recommendation = AdviceFor(input, kind);
  return cause;
}

std::optional<Cause> FindExposedTransfer(const RuleInput& input) {
  const LayerTransfers transfers(input);
  std::optional<Cause> most;
  for (const bool of_latency : {false, true}) {
    const std::optional<LayerTransferKind> kind = transfers.Largest(of_latency);
    if (!kind) continue;
    std::optional<Cause> cause = of_latency ? CauseOfLatency(input, *kind, transfers.Of(*kind))
                                            : CauseOfBandwidth(input, *kind, transfers.Of(*kind));
    if (cause && (!most || cause->lost_ns.value_or(0) > most->lost_ns.value_or(0)))
      most = std::move(cause);
  }
  return most;
}

}  // namespace

const Rule& ExposedTransferRule() {
  static const Rule kRule{
      .id = "exposed-transfer",
      .summary = "layers wait for what they exchange",
      .tier = Tier::kNature,
      .takes = Takes::kTransfer,
      .needs = RuleNeeds::kSeveralRanks,
      .find = FindExposedTransfer,
      .why =
          "transfers of tensor, context and expert parallel groups, and of sharded embedding "
          "tables, without waiting for late ranks; "
          "replayed at what links within a host usually reach where a host has room for a group, "
          "else without them, which is more than can be had",
      .command = "rankscope table exposed_by_group TRACES",
  };
  return kRule;
}

}  // namespace rankscope
