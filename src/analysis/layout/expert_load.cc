// expert_load and expert_ranks: how evenly a router shares out tokens over the ranks of experts.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "analysis/across/across_fact.h"
#include "analysis/layout/analyses.h"
#include "analysis/layout/expert_exchanges.h"
#include "base/saturating.h"
#include "schemas/layout.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

// Mean and spread of the loads of one exchange, the mean as 1.
struct Spread {
  double most = 0;
  double variation = 0;  // standard deviation of the population
  double gini = 0;
};

Spread SpreadOf(const ExpertExchange& exchange) {
  Spread spread;
  const double mean = exchange.Mean();
  if (mean <= 0) return spread;
  std::vector<double> loads;
  loads.reserve(exchange.loads.size());
  for (const auto& load : exchange.loads) loads.push_back(static_cast<double>(load.rows) / mean);
  std::sort(loads.begin(), loads.end());
  const auto count = static_cast<double>(loads.size());
  for (std::size_t i = 0; i < loads.size(); ++i) {
    spread.variation += (loads[i] - 1) * (loads[i] - 1) / count;
    spread.gini += (2 * static_cast<double>(i + 1) - count - 1) * loads[i] / (count * count);
  }
  spread.variation = std::sqrt(spread.variation);
  spread.most = loads.back();
  return spread;
}

// What the experts of the slowest rank take longer than those of the mean rank; -1 when unknown.
double ExcessOf(const ExpertExchange& exchange) {
  double sum = 0;
  double most = 0;
  for (const auto& load : exchange.loads) {
    if (load.experts_ns < 0) return -1;
    sum += static_cast<double>(load.experts_ns);
    most = std::max(most, static_cast<double>(load.experts_ns));
  }
  return most - sum / static_cast<double>(exchange.loads.size());
}

Table GroupsTable(const ExpertLoads& loads) {
  struct Sum {
    std::size_t ranks = 0;
    double rows = 0;
    std::vector<double> most, variation, gini, excess;
    std::map<std::int64_t, std::int64_t> hottest;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Sum> sums;  // group and ordinal
  for (const ExpertExchange& exchange : loads.exchanges) {
    const Spread spread = SpreadOf(exchange);
    Sum& sum = sums[{exchange.group, exchange.ordinal}];
    sum.ranks = std::max(sum.ranks, exchange.loads.size());
    sum.rows += exchange.Mean();
    sum.most.push_back(spread.most);
    sum.variation.push_back(spread.variation);
    sum.gini.push_back(spread.gini);
    ++sum.hottest[exchange.Hottest().rank];
    if (const double excess = ExcessOf(exchange); excess >= 0) sum.excess.push_back(excess);
  }
  const auto& columns = SchemaOf<ExpertLoad>();
  auto table = columns.NewTable("expert_load");
  std::int64_t group = -1;
  std::int64_t last = INT64_MIN;
  for (const auto& [key, sum] : sums) {
    if (key.first != last) ++group;
    last = key.first;
    const auto steps = static_cast<std::int64_t>(sum.most.size());
    const auto hottest =
        std::max_element(sum.hottest.begin(), sum.hottest.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    table.Add({columns.group = group, columns.exchange = key.second,
               columns.source = ToString(loads.source),
               columns.ranks = static_cast<std::int64_t>(sum.ranks), columns.steps = steps,
               columns.mean_rows = sum.rows / static_cast<double>(steps),
               columns.max_over_mean = Median(sum.most), columns.variation = Median(sum.variation),
               columns.gini = Median(sum.gini), columns.hottest_rank = hottest->first,
               columns.persistence_pct = Percent(hottest->second, steps),
               columns.excess_ns = sum.excess.empty() ? Value(kNull) : Value(Median(sum.excess))});
  }
  return table;
}

Table RanksTable(const ExpertLoads& loads) {
  struct Sum {
    std::int64_t exchanges = 0;
    std::int64_t rows = 0;
    double means = 0;
    double most = 0;
    std::int64_t hottest = 0;
    std::int64_t experts_ns = 0;
    bool is_time_known = true;
  };
  std::map<std::int64_t, Sum> sums;
  for (const ExpertExchange& exchange : loads.exchanges) {
    const double mean = exchange.Mean();
    ++sums[exchange.Hottest().rank].hottest;
    for (const ExpertExchange::Load& load : exchange.loads) {
      Sum& sum = sums[load.rank];
      ++sum.exchanges;
      AddSaturating(sum.rows, load.rows);
      sum.means += mean;
      if (mean > 0) sum.most = std::max(sum.most, static_cast<double>(load.rows) / mean);
      sum.is_time_known &= load.experts_ns >= 0;
      AddSaturating(sum.experts_ns, std::max<std::int64_t>(load.experts_ns, 0));
    }
  }
  const auto& columns = SchemaOf<ExpertRanks>();
  auto table = columns.NewTable("expert_ranks");
  for (const auto& [rank, sum] : sums) {
    table.Add({columns.rank = rank, columns.exchanges = sum.exchanges, columns.rows = sum.rows,
               columns.load =
                   sum.means > 0 ? Value(static_cast<double>(sum.rows) / sum.means) : Value(kNull),
               columns.max_load = sum.most, columns.hottest_count = sum.hottest,
               columns.experts_ns = sum.is_time_known ? Value(sum.experts_ns) : Value(kNull)});
  }
  return table;
}

// Makes a table of the loads of all ranks.
template <Table (*kRows)(const ExpertLoads&)>
struct ExpertLoadState {
  explicit ExpertLoadState(const Options&) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    if (tables.front().row_count() > 0)
      gemms.Keep(capture, TableOf<GroupedGemmPartial>(std::move(tables.front())));
    return OkStatus();
  }
  void Merge(ExpertLoadState&& other) { gemms.Merge(std::move(other.gemms)); }
  Result<Table> Finish(const JobContext& job) { return kRows(ExpertLoadsOf(gemms, job)); }

  PerCapture<TableOf<GroupedGemmPartial>> gemms;
};

constexpr std::string_view kExpertLoadDefinition =
    "A rank's load is the rows that it receives in a dispatch, the first of a pair of all-to-alls "
    "of an expert parallel group (layout) of which the second sends back as many as came; where "
    "the trace has no such sizes, the rows of the inputs of grouped matrix products, the k-th of "
    "the step's forward on every rank. Forward passes only: the backward has the same loads. "
    "Experts' time reaches from the dispatch's end to the combine's begin. See docs/layout.md.";

}  // namespace

const Analysis& ExpertLoadAnalysis() {
  static const Analysis kAnalysis = {
      .name = "expert_load",
      .summary = "mixtures of experts: how even the loads of ranks are, layer by layer",
      .definition = std::string(kExpertLoadDefinition),
      .example = "rankscope table expert_load traces/",
      .columns = SchemaOf<ExpertLoad>().columns(),
      .mapper = {.name = "expert_load",
                 .tables = {SchemaOf<GroupedGemmPartial>().BareColumns()},
                 .map = MapGroupedGemms},
      .reducer = ReduceBy<ExpertLoadState<GroupsTable>>(),
      .facts = {&AcrossFact()},
  };
  return kAnalysis;
}

const Analysis& ExpertRanksAnalysis() {
  static const Analysis kAnalysis = {
      .name = "expert_ranks",
      .summary = "mixtures of experts: the load of every rank",
      .definition = std::string(kExpertLoadDefinition),
      .example = "rankscope table expert_ranks traces/",
      .columns = SchemaOf<ExpertRanks>().columns(),
      .mapper = ExpertLoadAnalysis().mapper,
      .reducer = ReduceBy<ExpertLoadState<RanksTable>>(),
      .facts = {&AcrossFact()},
  };
  return kAnalysis;
}

}  // namespace rankscope
