#include "report/html/html_tables.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "report/base/table_view.h"
#include "schemas/across.h"
#include "schemas/blame.h"
#include "schemas/captures.h"
#include "schemas/copies.h"
#include "schemas/critical_path.h"
#include "schemas/findings.h"
#include "schemas/graphs.h"
#include "schemas/host.h"
#include "schemas/kernels.h"
#include "schemas/layout.h"
#include "schemas/memory.h"
#include "schemas/ops.h"
#include "schemas/ranks.h"
#include "schemas/roofline.h"
#include "schemas/snoop.h"
#include "schemas/stacks.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

using Rows = std::vector<std::size_t>;

Rows AllRows(const Report&, const Table& table) {
  Rows rows(table.row_count());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

// The steps of every rank, unless they are too many: a chosen rank's line then.
Rows StepsOfRanks(const Report& report, const Table& table) {
  constexpr std::size_t kMost = 20'000;
  return table.row_count() > kMost ? Rows{} : AllRows(report, table);
}

// The row over all ranks of every bin: a thousand ranks' own bins cannot be told apart in a plot.
Rows OfAllRanks(const Report&, const Table& table) {
  Rows rows;
  const RowsOf<CopyBandwidth> view(&table);
  for (std::size_t row = 0; row < view.rows(); ++row) {
    if (!view.Int(row, view->rank)) rows.push_back(row);
  }
  return rows;
}

Rows LeftOut(const Report&, const Table& table) {
  Rows rows;
  const RowsOf<Captures> view(&table);
  for (std::size_t row = 0; row < view.rows(); ++row) {
    if (!view.Flag(row, view->analysed)) rows.push_back(row);
  }
  return rows;
}

// Only drawn for jobs without device work.
Rows OfHostOnlyJob(const Report& report, const Table& table) {
  if (!RowsOf<JobBreakdown>(report).empty()) return {};
  return AllRows(report, table);
}

// Adds the `most` rows with the largest values of a column; unknown and 0 are none.
template <typename View, typename Column>
void AddLargest(std::set<std::size_t>& chosen, const View& view, const Column& column,
                std::size_t most) {
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(view.rows());
  for (std::size_t row = 0; row < view.rows(); ++row) {
    const double value = view.Number(row, column).value_or(0);
    if (value > 0) order.emplace_back(-value, row);
  }
  const std::size_t count = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end());
  for (std::size_t i = 0; i < count; ++i) chosen.insert(order[i].second);
}

template <typename View, typename... Columns>
Rows LargestBy(const View& view, std::size_t most, const Columns&... columns) {
  std::set<std::size_t> chosen;
  (AddLargest(chosen, view, columns, most), ...);
  return {chosen.begin(), chosen.end()};
}

// A reader orders them by any of these.
Rows LargestOps(const Report&, const Table& table) {
  const RowsOf<OpsByName> ops(&table);
  return LargestBy(ops, 60, ops->device_self_ns, ops->device_total_ns, ops->host_self_ns,
                   ops->host_total_ns);
}
Rows LargestModules(const Report&, const Table& table) {
  const RowsOf<Modules> modules(&table);
  return LargestBy(modules, 60, modules->device_total_ns, modules->forward_self_ns,
                   modules->backward_self_ns, modules->host_self_ns);
}

// The points with most time, those with most to gain, and what has no model.
Rows LargestPoints(const Report&, const Table& table) {
  const RowsOf<Roofline> view(&table);
  std::set<std::size_t> chosen;
  AddLargest(chosen, view, view->device_ns, 200);
  AddLargest(chosen, view, view->headroom_ns, 50);
  for (std::size_t row = 0; row < view.rows(); ++row) {
    if (view.String(row, view->op).empty()) chosen.insert(row);
  }
  return {chosen.begin(), chosen.end()};
}

// The steps of six devices at most: the lowest and the highest mean utilisation and those evenly
// between.
Rows SomeDevices(const Report&, const Table& table) {
  constexpr std::size_t kMostDevices = 6;
  using Device = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  const RowsOf<FlopUtilisation> view(&table);
  struct Sum {
    double value = 0;
    double count = 0;
    Rows rows;
  };
  std::map<Device, Sum> devices;
  for (std::size_t row = 0; row < view.rows(); ++row) {
    if (!view.Int(row, view->step) || !view.Flag(row, view->complete)) continue;
    Sum& sum =
        devices[{view.Int(row, view->rank).value_or(-1), view.Int(row, view->capture).value_or(-1),
                 view.Int(row, view->device).value_or(-1)}];
    sum.rows.push_back(row);
    const auto value = view.Number(row, view->hfu_pct);
    if (!value) continue;
    sum.value += *value;
    ++sum.count;
  }
  std::vector<std::pair<double, const Sum*>> order;
  order.reserve(devices.size());
  for (const auto& [device, sum] : devices)
    order.emplace_back(sum.count > 0 ? sum.value / sum.count : -1, &sum);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::size_t count = std::min(order.size(), kMostDevices);
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = count == 1 ? 0 : i * (order.size() - 1) / (count - 1);
    rows.insert(rows.end(), order[at].second->rows.begin(), order[at].second->rows.end());
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Of every device the window in which its memory was highest.
Rows HighestWindows(const Report&, const Table& table) {
  using Device = std::tuple<std::int64_t, std::int64_t, std::string_view, std::int64_t>;
  const RowsOf<MemoryPeaks> view(&table);
  std::map<Device, std::size_t> highest;
  for (std::size_t row = 0; row < view.rows(); ++row) {
    const Device device = {
        view.Int(row, view->rank).value_or(-1), view.Int(row, view->capture).value_or(-1),
        view.String(row, view->device_type), view.Int(row, view->device).value_or(-1)};
    const auto [place, is_new] = highest.emplace(device, row);
    if (!is_new && view.Int(row, view->peak_bytes) > view.Int(place->second, view->peak_bytes))
      place->second = row;
  }
  Rows rows;
  rows.reserve(highest.size());
  for (const auto& [device, row] : highest) rows.push_back(row);
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Where there are many, only those that grow.
Rows FastestGrowing(const Report& report, const Table& table) {
  if (table.row_count() <= 16) return AllRows(report, table);
  const RowsOf<MemoryGrowth> growth(&table);
  return LargestBy(growth, 50, growth->bytes_per_step, growth->growth_bytes);
}

// Calls after the first step come first: the others are expected.
Rows CostliestCalls(const Report&, const Table& table) {
  constexpr std::size_t kMost = 100;
  const RowsOf<AllocatorCalls> view(&table);
  Rows rows(view.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    const bool a_steady = view.Flag(a, view->steady);
    if (a_steady != view.Flag(b, view->steady)) return a_steady;
    const double a_idle = view.Number(a, view->idle_ns).value_or(0);
    const double b_idle = view.Number(b, view->idle_ns).value_or(0);
    if (a_idle != b_idle) return a_idle > b_idle;
    return view.Number(a, view->total_ns).value_or(0) > view.Number(b, view->total_ns).value_or(0);
  });
  if (rows.size() > kMost) rows.resize(kMost);
  std::sort(rows.begin(), rows.end());
  return rows;
}

// The clocks that are known worst; those that are not known come first.
Rows WorstClocks(const Report&, const Table& table) {
  constexpr std::size_t kMost = 100;
  const RowsOf<Clocks> view(&table);
  Rows rows(view.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return view.Number(a, view->uncertainty_ns).value_or(1e300) >
           view.Number(b, view->uncertainty_ns).value_or(1e300);
  });
  if (rows.size() > kMost) rows.resize(kMost);
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Of a schedule that is too long the front part in time, on all stages.
Rows EarliestPasses(const Report& report, const Table& table) {
  constexpr std::size_t kMost = 70'000;
  const RowsOf<PipelineSchedule> view(&table);
  Rows rows = AllRows(report, table);
  if (view.rows() <= kMost) return rows;
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return view.Int(a, view->start_ns).value_or(0) < view.Int(b, view->start_ns).value_or(0);
  });
  rows.resize(kMost);
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Whole matrices of groups that a reader can look at, as long as there is room. A source's first
// destination names its group: all members send to all.
Rows SmallMatrices(const Report&, const Table& table) {
  constexpr std::size_t kMostRanks = 64;
  constexpr std::size_t kMostCells = 4 * kMostRanks * kMostRanks;
  using Group = std::pair<std::string_view, std::int64_t>;
  const RowsOf<AllToAll> view(&table);
  std::map<std::pair<std::string_view, std::int64_t>, Rows> by_source;
  for (std::size_t row = 0; row < view.rows(); ++row) {
    by_source[{view.String(row, view->groups), view.Int(row, view->source_rank).value_or(-1)}]
        .push_back(row);
  }
  std::map<Group, Rows> by_group;
  for (const auto& [source, rows] : by_source) {
    if (rows.size() > kMostRanks) continue;
    std::int64_t first = INT64_MAX;
    for (const std::size_t row : rows)
      first = std::min(first, view.Int(row, view->destination_rank).value_or(-1));
    Rows& group = by_group[{source.first, first}];
    group.insert(group.end(), rows.begin(), rows.end());
  }
  Rows chosen;
  for (const auto& [group, rows] : by_group) {
    if (chosen.size() + rows.size() > kMostCells) continue;
    chosen.insert(chosen.end(), rows.begin(), rows.end());
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// The dispatches in which loads are most uneven.
Rows UnevenExchanges(const Report& report, const Table& table) {
  constexpr std::size_t kMost = 4000;
  if (table.row_count() <= kMost) return AllRows(report, table);
  const RowsOf<ExpertLoad> exchanges(&table);
  return LargestBy(exchanges, kMost, exchanges->max_over_mean);
}

// Of windows of snoop the stacks that keep, call or wait most.
Rows LargestKept(const Report&, const Table& table) {
  const RowsOf<SnoopAllocations> rows(&table);
  return LargestBy(rows, 300, rows->bytes);
}
Rows LargestUses(const Report&, const Table& table) {
  const RowsOf<SnoopUses> rows(&table);
  return LargestBy(rows, 300, rows->count, rows->time_ns);
}
Rows LargestWaits(const Report&, const Table& table) {
  const RowsOf<SnoopWaits> rows(&table);
  return LargestBy(rows, 300, rows->total_ns);
}

constexpr std::size_t kAll = SIZE_MAX;

constexpr std::array kDrawn = {
    DrawnTable{Findings::kName, AllRows, 200},
    DrawnTable{Contributions::kName, AllRows, 60},
    DrawnTable{Gains::kName, AllRows, 300},
    DrawnTable{ReplayFidelity::kName, AllRows, 1},
    DrawnTable{StepSpread::kName, AllRows, 5000, true},
    DrawnTable{StepTimes::kName, StepsOfRanks, kAll},
    DrawnTable{StepPhases::kName, AllRows, 20},
    DrawnTable{JobBreakdown::kName, AllRows, 100},
    DrawnTable{JobCriticalPath::kName, AllRows, 100},
    DrawnTable{"critical_path_ops", AllRows, 60},
    DrawnTable{"critical_path_modules", AllRows, 60},
    DrawnTable{CollectiveRanks::kName, AllRows, 20'000},
    DrawnTable{ExposedByRank::kName, AllRows, 20'000},
    DrawnTable{CollectiveSizes::kName, AllRows, 60},
    DrawnTable{BlameOfRanks::kName, AllRows, 2000},
    DrawnTable{"collective_timeline", AllRows, kAll, false, true, "ranks=32 rows=4000"},
    DrawnTable{Clocks::kName, WorstClocks, kAll},
    DrawnTable{Layout::kName, AllRows, 100},
    DrawnTable{LayoutRanks::kName, AllRows, 20'000},
    DrawnTable{Pipeline::kName, AllRows, 1000},
    DrawnTable{PipelineSchedule::kName, EarliestPasses, kAll},
    DrawnTable{ExpertLoad::kName, UnevenExchanges, kAll},
    DrawnTable{ExpertRanks::kName, AllRows, 20'000},
    DrawnTable{AllToAll::kName, SmallMatrices, kAll, false, true},
    DrawnTable{RankBreakdown::kName, AllRows, 200'000},
    DrawnTable{RankMetrics::kName, AllRows, 400'000},
    DrawnTable{OverRanks::kName, AllRows, 2000},
    DrawnTable{KernelsByName::kName, AllRows, 100},
    DrawnTable{KernelSteps::kName, AllRows, 20'000},
    DrawnTable{FlameGraph::kName, AllRows, kAll, false, true},
    DrawnTable{OpsByName::kName, LargestOps, kAll},
    DrawnTable{Modules::kName, LargestModules, kAll},
    DrawnTable{Graphs::kName, AllRows, 100},
    DrawnTable{GraphOps::kName, AllRows, 100},
    DrawnTable{Roofline::kName, LargestPoints, kAll, false, true},
    DrawnTable{FlopUtilisation::kName, SomeDevices, 6000},
    DrawnTable{MemoryPeaks::kName, HighestWindows, 20'000},
    DrawnTable{MemoryGrowth::kName, FastestGrowing, kAll},
    DrawnTable{MemoryOverTime::kName, AllRows, kAll, false, true, "bins=200 devices=4"},
    DrawnTable{MemoryAtPeak::kName, AllRows, kAll, false, true, "groups=40 frames=3 devices=4"},
    DrawnTable{AllocatorCalls::kName, CostliestCalls, kAll},
    DrawnTable{CopyBandwidth::kName, OfAllRanks, 5000},
    DrawnTable{HostBreakdown::kName, OfHostOnlyJob, 2000},
    DrawnTable{SnoopWindows::kName, AllRows, 200},
    DrawnTable{SnoopMemory::kName, AllRows, 1000},
    DrawnTable{SnoopMemoryOverTime::kName, AllRows, 8000, false, true},
    DrawnTable{SnoopAllocations::kName, LargestKept, kAll, false, true},
    DrawnTable{SnoopFailures::kName, AllRows, 100, false, true},
    DrawnTable{SnoopCalls::kName, AllRows, 1000},
    DrawnTable{SnoopRates::kName, AllRows, 4000, false, true},
    DrawnTable{SnoopUses::kName, LargestUses, kAll, false, true},
    DrawnTable{SnoopThreads::kName, AllRows, 500},
    DrawnTable{SnoopWaits::kName, LargestWaits, kAll, false, true},
    DrawnTable{Captures::kName, LeftOut, 100},
    DrawnTable{DataQuality::kName, AllRows, 100},
};

}  // namespace

std::span<const DrawnTable> DrawnTables() { return kDrawn; }

std::map<std::string, std::string, std::less<>> OptionsOf(const DrawnTable& table) {
  std::map<std::string, std::string, std::less<>> options;
  std::string_view rest = table.options;
  while (!rest.empty()) {
    const std::string_view option = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), option.size() + 1));
    const std::size_t equals = option.find('=');
    options.emplace(option.substr(0, equals), option.substr(equals + 1));
  }
  return options;
}

}  // namespace rankscope
