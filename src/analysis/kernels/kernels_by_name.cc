#include "analysis/kernels/kernels_by_name.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/kernels/outlier_rows.h"
#include "analysis/op_models/modelled_ops.h"
#include "analysis/op_models/size_text.h"
#include "base/saturating.h"
#include "facts/windows.h"
#include "schemas/kernels.h"
#include "stage/reducer.h"
#include "statistics/duration_sketch.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"

namespace rankscope {

template const KernelNamePartial& SchemaOf<KernelNamePartial>();
template const KernelStepPartial& SchemaOf<KernelStepPartial>();
template const KernelSizePartial& SchemaOf<KernelSizePartial>();
namespace {

struct KernelsByNameSum {
  std::int64_t count = 0;
  std::int64_t total = 0;
  std::int64_t shortest = INT64_MAX;
  std::int64_t longest = 0;
  std::int64_t bytes = -1;

  void Add(const KernelsByNameSum& other) {
    AddSaturating(count, other.count);
    AddSaturating(total, other.total);
    shortest = std::min(shortest, other.shortest);
    longest = std::max(longest, other.longest);
    if (other.bytes >= 0) bytes = SaturatingAdd(std::max<std::int64_t>(bytes, 0), other.bytes);
  }
  double Mean() const { return static_cast<double>(total) / static_cast<double>(count); }
};

// Sum of squared durations, exact, so that neither digits are lost of a long kernel that hardly
// varies nor the order of the ranks matters.
__extension__ using Squares = unsigned __int128;

Squares SquareOf(std::int64_t value) {
  const auto wide = static_cast<Squares>(static_cast<std::uint64_t>(value));
  return wide * wide;
}

// Unbiased: (squares - total^2 / count) / (count - 1). The whole part of the difference is exact.
double Variance(std::int64_t count, std::int64_t total, Squares squares) {
  const auto n = static_cast<Squares>(static_cast<std::uint64_t>(count));
  const Squares whole = SquareOf(total) / n;
  const auto rest = static_cast<double>(SquareOf(total) % n) / static_cast<double>(count);
  const double sum = squares > whole ? static_cast<double>(squares - whole) - rest : 0;
  return std::max(sum, 0.0) / static_cast<double>(count - 1);
}

struct Distribution {
  KernelsByNameSum sum;
  Squares squares = 0;
  DurationSketch sketch;
  std::int64_t outliers = 0;

  void Merge(const Distribution& other) {
    sum.Add(other.sum);
    squares += other.squares;
    sketch.Merge(other.sketch);
    AddSaturating(outliers, other.outliers);
  }
};

using KernelsByNameKey = std::pair<StringId, KernelClass>;

// The second table of the partial, for kernel_steps: the same work by complete step. A name is
// given by its row in the first table, since names are most of a partial's bytes.
Table StepTotals(const TraceFacts& facts, const Windows& windows,
                 const std::map<KernelsByNameKey, std::int64_t>& index) {
  const RankTrace& trace = facts.trace();
  std::map<std::pair<std::size_t, std::int64_t>, std::pair<std::int64_t, std::int64_t>> sums;
  for (const DeviceTime& device : facts.devices()) {
    for (const Row row : device.work) {
      const std::size_t window = windows.OfWork(row);
      if (window == Windows::kNone || !windows[window].step || !windows[window].complete) continue;
      auto& [count, total] =
          sums[{window, index.at({trace.name[row], facts.classes().ClassOf(row)})}];
      ++count;
      AddSaturating(total, trace.dur_ns[row]);
    }
  }
  const auto& columns = SchemaOf<KernelStepPartial>();
  auto table = columns.NewPartial("kernel_steps");
  for (const auto& [key, sum] : sums) {
    table.Add({columns.step = *windows[key.first].step, columns.name_row = key.second,
               columns.count = sum.first, columns.total_ns = sum.second});
  }
  return table;
}

// Device work by name and by the cost of the op that launched it.
class Sizes {
 public:
  explicit Sizes(const RankTrace& trace) : trace_(trace), ops_(trace), texts_(ops_.size()) {}

  Distribution& Of(Row work, KernelClass kernel_class) {
    const Row owner = trace_.kind[work] == EventKind::kKernel ? ops_.OwnerOf(work) : kNoRow;
    const std::uint32_t cost = owner == kNoRow ? kNoCost : ops_.IndexOfOwner(owner);
    if (cost != kNoCost && texts_[cost].empty()) texts_[cost] = SizeText(ops_.CostOfOwner(owner));
    return by_cost_[{{trace_.name[work], kernel_class}, cost}];
  }

  std::map<KernelsByNameKey, Distribution> ByName() const {
    std::map<KernelsByNameKey, Distribution> by_name;
    for (const auto& [key, of] : by_cost_) by_name[key.first].Merge(of);
    return by_name;
  }

  // The third table of the partial. `index` has the rows of the names.
  Table Finish(const std::map<KernelsByNameKey, std::int64_t>& index) const {
    const auto& columns = SchemaOf<KernelSizePartial>();
    auto table = columns.NewPartial("kernel_sizes");
    for (auto at = by_cost_.begin(); at != by_cost_.end();) {
      const KernelsByNameKey& key = at->first.first;
      std::map<std::string_view, Distribution> by_text;  // of one name
      for (; at != by_cost_.end() && at->first.first == key; ++at) {
        const std::uint32_t cost = at->first.second;
        by_text[cost == kNoCost ? std::string_view() : texts_[cost]].Merge(at->second);
      }
      if (by_text.size() == 1 && by_text.begin()->first.empty()) continue;
      for (const auto& [text, of] : by_text) {
        const std::string sketch = of.sketch.Encode();
        table.Add({columns.name_row = index.at(key), columns.size = text,
                   columns.count = of.sum.count, columns.total_ns = of.sum.total,
                   columns.min_ns = of.sum.shortest, columns.max_ns = of.sum.longest,
                   columns.sketch = sketch});
      }
    }
    return table;
  }

 private:
  static constexpr std::uint32_t kNoCost = UINT32_MAX;

  const RankTrace& trace_;
  const ModelledOps ops_;
  std::vector<std::string> texts_;  // by cost
  std::map<std::pair<KernelsByNameKey, std::uint32_t>, Distribution> by_cost_;
};

std::vector<Table> MapKernelsByName(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  Sizes sizes(trace);
  const Windows windows = Windows::OfHost(facts, options.steps);
  for (const DeviceTime& device : facts.recorded_devices()) {
    for (const Row row : device.work) {
      if (options.steps && windows.OfWork(row) == Windows::kNone) continue;
      const std::int64_t duration = trace.dur_ns[row];
      const bool has_bytes = trace.kind[row] != EventKind::kKernel && trace.aux[row] != kNoAux;
      Distribution& entry = sizes.Of(row, facts.classes().ClassOf(row));
      entry.sum.Add(
          {1, duration, duration, duration, has_bytes ? trace.copies[trace.aux[row]].bytes : -1});
      entry.squares += SquareOf(duration);
      entry.sketch.Add(duration);
    }
  }
  std::map<KernelsByNameKey, Distribution> by_name = sizes.ByName();
  for (const OutlierRow& outlier : FindOutliers(facts, windows))
    ++by_name[{trace.name[outlier.row], facts.classes().ClassOf(outlier.row)}].outliers;
  const auto& columns = SchemaOf<KernelNamePartial>();
  auto table = columns.NewPartial("kernels_by_name");
  std::map<KernelsByNameKey, std::int64_t> index;
  for (const auto& [key, entry] : by_name) {
    index[key] = static_cast<std::int64_t>(table.row_count());
    const KernelsByNameSum& sum = entry.sum;
    const std::string sketch = entry.sketch.Encode();
    table.Add(
        {columns.name = trace.strings.Get(key.first), columns.class_ = ToString(key.second),
         columns.work = ToString(WorkOf(key.second)), columns.count = sum.count,
         columns.total_ns = sum.total, columns.min_ns = sum.shortest, columns.max_ns = sum.longest,
         columns.bytes = sum.bytes >= 0 ? Value(sum.bytes) : Value(kNull),
         columns.squares_high = static_cast<std::int64_t>(entry.squares >> 64),
         columns.squares_low = static_cast<std::int64_t>(static_cast<std::uint64_t>(entry.squares)),
         columns.outliers = entry.outliers, columns.sketch = sketch});
  }
  return MoveTables(std::move(table), StepTotals(facts, windows, index), sizes.Finish(index));
}

struct NameOverRanks {
  Distribution all;
  std::map<std::int64_t, KernelsByNameSum> by_rank;
};

// Within what is known exactly: a bucket's middle may lie outside of the values.
std::int64_t QuantileOf(const Distribution& entry, double q) {
  return std::min(std::max(entry.sketch.Quantile(q), entry.sum.shortest), entry.sum.longest);
}

// A row of the partial.
Result<Distribution> DistributionAt(ViewOf<KernelNamePartial> table, std::size_t row) {
  const auto& columns = SchemaOf<KernelNamePartial>();
  Distribution entry;
  entry.sum = {table.Int(row, columns.count), table.Int(row, columns.total_ns),
               table.Int(row, columns.min_ns), table.Int(row, columns.max_ns),
               table.Known(row, columns.bytes).value_or(-1)};
  entry.squares =
      (Squares{static_cast<std::uint64_t>(table.Int(row, columns.squares_high))} << 64) |
      static_cast<std::uint64_t>(table.Int(row, columns.squares_low));
  entry.outliers = table.Int(row, columns.outliers);
  RS_ASSIGN_OR_RETURN(entry.sketch, DurationSketch::Decode(table.String(row, columns.sketch)));
  return entry;
}

struct KernelsByNameState {
  explicit KernelsByNameState(const Options& options) : top(CountOption(options, "top")) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    const auto& columns = SchemaOf<KernelNamePartial>();
    const ViewOf<KernelNamePartial> table = tables.front();
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      RS_ASSIGN_OR_RETURN(const Distribution entry, DistributionAt(table, row));
      NameOverRanks& sums = names[{std::string(table.String(row, columns.name)),
                                   std::string(table.String(row, columns.class_)),
                                   std::string(table.String(row, columns.work))}];
      sums.all.Merge(entry);
      sums.by_rank[capture.rank].Add(entry.sum);
    }
    return OkStatus();
  }

  void Merge(KernelsByNameState&& other) {
    names.merge(other.names);  // leaves those that are in both
    for (const auto& [key, sums] : other.names) {
      NameOverRanks& into = names.at(key);
      into.all.Merge(sums.all);
      for (const auto& [rank, sum] : sums.by_rank) into.by_rank[rank].Add(sum);
    }
  }

  Result<Table> Finish(const JobContext&) {
    std::int64_t everything = 0;
    for (const auto& [key, entry] : names) AddSaturating(everything, entry.all.sum.total);
    const auto& columns = SchemaOf<KernelsByName>();
    auto table = columns.NewTable("kernels_by_name");
    for (const auto& [key, entry] : names) {
      const auto slowest = std::max_element(
          entry.by_rank.begin(), entry.by_rank.end(),
          [](const auto& a, const auto& b) { return a.second.Mean() < b.second.Mean(); });
      const KernelsByNameSum& sum = entry.all.sum;
      table.Add({columns.name = key[0], columns.class_ = key[1], columns.work = key[2],
                 columns.ranks = static_cast<std::int64_t>(entry.by_rank.size()),
                 columns.count = sum.count, columns.total_ns = sum.total,
                 columns.share_pct = Percent(sum.total, everything), columns.mean_ns = sum.Mean(),
                 columns.stddev_ns = sum.count > 1 ? Value(std::sqrt(Variance(sum.count, sum.total,
                                                                              entry.all.squares)))
                                                   : Value(kNull),
                 columns.min_ns = sum.shortest, columns.p50_ns = QuantileOf(entry.all, 0.5),
                 columns.p90_ns = QuantileOf(entry.all, 0.9),
                 columns.p99_ns = QuantileOf(entry.all, 0.99), columns.max_ns = sum.longest,
                 columns.outliers = entry.all.outliers, columns.slowest_rank = slowest->first,
                 columns.slowest_mean_ns = slowest->second.Mean(),
                 columns.bytes = sum.bytes >= 0 ? Value(sum.bytes) : Value(kNull)});
    }
    table.SortBy({{columns.total_ns, true}, {columns.name}});
    if (top > 0) table.Truncate(static_cast<std::size_t>(top));
    return table;
  }

  std::int64_t top = 0;
  std::map<std::array<std::string, 3>, NameOverRanks> names;  // name, class, work
};

}  // namespace

const Analysis& KernelsByNameAnalysis() {
  static const Analysis kAnalysis = {
      .name = "kernels_by_name",
      .summary = "kernels, copies and memsets by name, over all ranks",
      .definition =
          std::string(
              "Device work grouped by its full name and class. share_pct = 100 * total / total of "
              "all device work of the job (durations summed, so work that overlaps counts more "
              "than once). Percentiles are nearest-rank values read from 64 buckets per power of "
              "two, so they are within 0.8% of the exact ones. An outlier is ") +
          kOutlierText +
          " (kernel_outliers lists them). The slowest rank is the one with the largest mean "
          "duration.",
      .example = "rankscope table kernels_by_name traces/ --set top=20",
      .columns = SchemaOf<KernelsByName>().columns(),
      .options = {{"top", "0", "keep the names with the largest totals; 0 = all",
                   OptionType::kCount}},
      .mapper = {.name = "kernels_by_name",
                 .version = 7,
                 .tables = {SchemaOf<KernelNamePartial>().BareColumns(),
                            SchemaOf<KernelStepPartial>().BareColumns(),
                            SchemaOf<KernelSizePartial>().BareColumns()},
                 .uses = {kOpCostComponent},
                 .map = MapKernelsByName},
      .reducer = ReduceBy<KernelsByNameState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
