// dense-embedding-gradients: an optimizer goes over whole tables of embeddings, of which a batch
// meets few rows.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/communication/exchanges.h"
#include "insight/evidence/kernels/awkward_size.h"
#include "insight/evidence/kernels/roof.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// A table of so many rows for each index that a batch looks up in it.
constexpr std::int64_t kRowsOfIndex = 64;
// Of the optimizer's time, from which tables are what it is about.
constexpr double kMuchOfOptimizer = 0.4;
// Adam reads weight, gradient and two moments, and writes three, in fp32; at what a good kernel
// reaches of the bandwidth.
constexpr double kBytesOfUpdate = 28;
constexpr double kReached = 0.8;
// An optimizer of several kernels for each value reads and writes so many times as much.
constexpr double kUnfused = 4;
// Smaller gathers and scatters are of no parameters.
constexpr std::int64_t kShardBytes = 1'000'000;

struct TableSize {
  std::int64_t rows = 0, width = 0;
  double values() const { return static_cast<double>(rows) * static_cast<double>(width); }
  friend bool operator<(const TableSize& a, const TableSize& b) {
    return std::pair(a.rows, a.width) < std::pair(b.rows, b.width);
  }
};

// The table that the op looks up, where it has many rows for each index: "[[8000000, 64], [8192]]".
std::optional<TableSize> LargeTable(const NodeKind& kind) {
  if (kind.op != "aten::embedding" && !kind.op.starts_with("aten::_embedding_bag"))
    return std::nullopt;
  const std::vector<std::vector<std::int64_t>> sizes = SizesOf(kind.shapes);
  if (sizes.size() < 2 || sizes[0].size() != 2 || sizes[1].empty()) return std::nullopt;
  std::int64_t indices = 1;
  for (const std::int64_t size : sizes[1]) {
    if (size <= 0 || indices > INT64_MAX / kRowsOfIndex / size) return std::nullopt;
    indices *= size;
  }
  const TableSize table{sizes[0][0], sizes[0][1]};
  if (table.rows / kRowsOfIndex < indices || table.width <= 0) return std::nullopt;
  return table;
}

bool IsDenseBackward(const NodeKind& kind) {
  return Contains(kind.op, "embedding_dense_backward") ||
         Contains(kind.op, "embedding_bag_dense_backward");
}

// The sizes of matrices that products of the job take: a table among them is an output layer's
// weight as well, whose gradient has all rows.
std::set<TableSize> SizesInProducts(const JobGraph& graph) {
  std::set<TableSize> sizes;
  for (const NodeKind& kind : graph.kinds()) {
    if (kind.kernel_class != KernelClass::kGemm) continue;
    for (const std::vector<std::int64_t>& size : SizesOf(kind.shapes)) {
      if (size.size() != 2) continue;
      sizes.insert({size[0], size[1]});
      sizes.insert({size[1], size[0]});
    }
  }
  return sizes;
}

// Counts the tables of one rank, by size: each is looked up once between two dense backwards, in
// however many micro-batches. A pipeline's first stage looks up several times before its first
// backward, and once for each later on, so the fewest in a row count.
class TablesOfRank {
 public:
  void LookUp(const TableSize& table) { ++run_[table]; }
  void EndRun() {
    for (const auto& [table, lookups] : run_) {
      const auto [found, is_new] = tables_.try_emplace(table, lookups);
      if (!is_new) found->second = std::min(found->second, lookups);
    }
    run_.clear();
  }
  bool Has(const TableSize& table) const { return tables_.contains(table); }
  // 0 without any.
  double ValuesOfLargest() const {
    double most = 0;
    for (const auto& [table, count] : tables_) most = std::max(most, table.values());
    return most;
  }
  double Values() const {
    double values = 0;
    for (const auto& [table, count] : tables_)
      values += table.values() * static_cast<double>(count);
    return values;
  }

 private:
  std::map<TableSize, std::size_t> run_, tables_;  // how many
};

// Fills the gradient of such a table with zeros.
bool IsFillOf(const NodeKind& kind, const TablesOfRank& tables) {
  if (kind.op != "aten::fill_" && kind.op != "aten::zero_") return false;
  const std::vector<std::vector<std::int64_t>> sizes = SizesOf(kind.shapes);
  return !sizes.empty() && sizes[0].size() == 2 && tables.Has(TableSize{sizes[0][0], sizes[0][1]});
}

// Of one rank.
struct OfRank {
  TablesOfRank tables;
  bool is_dense = false;
  double optimizer_ns = 0;  // in steps that count
};

// Over how many ranks the parameters of each rank are sharded for its optimizer (FSDP, ZeRO): those
// of the largest data-parallel group that scatters gradients or gathers parameters; else 1.
std::vector<double> ShardsOfRanks(const RuleInput& input) {
  const std::set<std::uint32_t> groups = DataParallelGroups(input);
  std::vector<double> shards(input.ranks(), 1);
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    const bool shards_state =
        exchange.op == CollectiveOp::kReduceScatter || exchange.op == CollectiveOp::kAllGather;
    if (!shards_state || exchange.bytes < kShardBytes || !groups.contains(exchange.group) ||
        input.graph().meetings()[exchange.meeting].collective == UINT32_MAX)
      continue;
    const auto members =
        static_cast<double>(input.across().collectives().groups()[exchange.group].ranks.size());
    for (const std::uint32_t rank : exchange.ranks) shards[rank] = std::max(shards[rank], members);
  }
  return shards;
}

// A reduction of gradients, and how many they are.
struct Reduction {
  const Exchange* exchange;
  double elements;
};

// The all-reduces whose sizes are known, but for those of layers.
std::vector<Reduction> ReductionsOf(const RuleInput& input) {
  const JobCollectives& collectives = input.across().collectives();
  const std::set<std::uint32_t> of_layers = NamedGroupsOfLayers(input);
  std::vector<Reduction> reductions;
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    if (exchange.op != CollectiveOp::kAllReduce || of_layers.contains(exchange.group)) continue;
    const std::uint32_t at = input.graph().meetings()[exchange.meeting].collective;
    if (at == UINT32_MAX) continue;
    const std::uint32_t event = collectives.MembersOf(collectives.collectives()[at]).front();
    const std::int64_t elements = collectives.events()[event].in;
    if (elements > 0) reductions.push_back({&exchange, static_cast<double>(elements)});
  }
  return reductions;
}

// By rank, how many gradients are reduced in a step that counts.
std::vector<double> ReducedByRank(const RuleInput& input,
                                  const std::vector<Reduction>& reductions) {
  std::vector<double> reduced(input.ranks(), 0);
  for (const Reduction& reduction : reductions) {
    if (!reduction.exchange->counts) continue;
    for (const std::uint32_t rank : reduction.exchange->ranks)
      reduced[rank] += reduction.elements / static_cast<double>(input.counted().size());
  }
  return reduced;
}

// What the rows of the largest table take of the reduction that they are in. A reduction of the
// rows that were looked up takes a small part of it.
void Reduce(const JobGraph& graph, const Reduction& reduction, double values, Scenario& without,
            NodeSums& sums) {
  const Exchange& exchange = *reduction.exchange;
  if (values <= 0 || reduction.elements < values) return;
  const double part = values / reduction.elements;
  const auto took = static_cast<double>(exchange.transfer_ns);
  Exchanges::SetTransfer(graph, exchange, static_cast<std::int64_t>(took * (1 - part)), without);
  for (const NodeId node : Exchanges::MembersOf(graph, exchange)) sums.Add(node, took * part);
}

// In the order of a rank's time.
void Read(const RuleInput& input, std::vector<OfRank>& ranks) {
  const JobGraph& graph = input.graph();
  const std::set<TableSize> in_products = SizesInProducts(graph);
  const auto table_of = [&](const NodeKind& kind) {
    const std::optional<TableSize> table = LargeTable(kind);
    return table && in_products.contains(*table) ? std::nullopt : table;
  };
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    OfRank& rank = ranks[capture.rank];
    std::vector<std::pair<std::int64_t, NodeId>> lookups;
    for (const NodeId node : capture.nodes()) {
      const NodeKind& kind = graph.KindOf(node);
      if (!input.Counts(node) || kind.work != Work::kCompute) continue;
      if (IsDenseBackward(kind) || table_of(kind))
        lookups.emplace_back(input.now().BeginOf(node), node);
      if (kind.phase == Phase::kOptimizer)
        rank.optimizer_ns += static_cast<double>(graph.nodes()[node].duration_ns);
    }
    std::sort(lookups.begin(), lookups.end());
    for (const auto& [begin, node] : lookups) {
      const NodeKind& kind = graph.KindOf(node);
      if (IsDenseBackward(kind)) {
        rank.is_dense = true;
        rank.tables.EndRun();
      } else {
        rank.tables.LookUp(*table_of(kind));
      }
    }
    rank.tables.EndRun();
  }
}

std::optional<Cause> FindDenseEmbeddingGradients(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const auto steps = static_cast<double>(input.counted().size());
  std::vector<OfRank> ranks(input.ranks());
  Read(input, ranks);
  const std::vector<double> shards = ShardsOfRanks(input);
  const std::vector<Reduction> reductions = ReductionsOf(input);
  const std::vector<double> reduced = ReducedByRank(input, reductions);
  const std::vector<const DevicePeaks*> peaks = PeaksOfRanks(input);
  std::vector<double> left(input.ranks(), 1);  // of the optimizer's time
  double values = 0;
  for (std::uint32_t rank = 0; rank < input.ranks(); ++rank) {
    const OfRank& of = ranks[rank];
    if (!of.is_dense || of.tables.Values() <= 0 || of.optimizer_ns <= 0 || peaks[rank] == nullptr ||
        peaks[rank]->memory.value <= 0)
      continue;
    constexpr double kNsPerSecond = 1e9;
    const double updated = of.tables.Values() / shards[rank];
    const double update_ns =
        kNsPerSecond * kBytesOfUpdate * updated / (kReached * peaks[rank]->memory.value);
    const double of_bytes = update_ns * steps / of.optimizer_ns;
    // All gradients are as many as are reduced, where each is reduced once.
    const double of_all = reduced[rank] >= updated ? updated / reduced[rank] : 0;
    const double part = std::min(1.0, std::clamp(of_all, of_bytes, kUnfused * of_bytes));
    if (part < kMuchOfOptimizer) continue;
    left[rank] = 1 - part;
    values = std::max(values, updated);
  }
  Scenario without = input.recorded();
  NodeSums sums(input);
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    const std::uint32_t rank = input.RankOf(node);
    if (left[rank] == 1 || kind.work != Work::kCompute) return;
    const bool is_fill = IsFillOf(kind, ranks[rank].tables);
    if (kind.phase != Phase::kOptimizer && !is_fill) return;
    const auto took = static_cast<double>(graph.nodes()[node].duration_ns);
    const double then = is_fill ? 0 : left[rank] * took;
    without.SetDuration(node, static_cast<std::int64_t>(then));
    sums.Add(node, took - then);
  });
  if (sums.empty()) return std::nullopt;
  const double of_optimizer = sums.LostPerStep();
  for (const Reduction& reduction : reductions) {
    const std::uint32_t rank = reduction.exchange->ranks.front();
    if (left[rank] != 1)
      Reduce(graph, reduction, ranks[rank].tables.ValuesOfLargest(), without, sums);
  }
  const double of_reductions = sums.LostPerStep() - of_optimizer;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.confidence = 0.7;
  cause.what = fmt::format(
      "the optimizer goes over tables of {:.3g} million values a step, of which a batch looks up "
      "one row in {} or fewer: {} for rows without a gradient{}",
      values / 1e6, kRowsOfIndex, TimeText(of_optimizer),
      of_reductions > 0 ? fmt::format(", and {} to reduce them", TimeText(of_reductions)) : "");
  return cause;
}

}  // namespace

const Rule& DenseEmbeddingGradientsRule() {
  static const Rule kRule{
      .id = "dense-embedding-gradients",
      .summary = "the optimizer goes over embedding rows without gradients",
      .needs = RuleNeeds::kShapes,
      .find = FindDenseEmbeddingGradients,
      .why =
          "lookups of few rows in large tables, by their shapes, whose backward makes a gradient "
          "of the whole table; replayed without filling it, without its part of the reduction that "
          "it is in, and without its part of the optimizer's time: its part of all reduced "
          "gradients, or if that is more, what 28 bytes a value take at 80% of the device's "
          "bandwidth",
      .recommendation =
          "Gradients of the rows that were looked up alone: nn.Embedding(..., sparse=True) or "
          "nn.EmbeddingBag(..., sparse=True) with torch.optim.SparseAdam or SGD, the other "
          "parameters in an optimizer of their own; TorchRec's or FBGEMM's tables update their "
          "rows "
          "in backward.",
      .command = "rankscope table kernel_places TRACES",
  };
  return kRule;
}

}  // namespace rankscope
