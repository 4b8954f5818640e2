// kernel_sketches: device work by name with all of its durations, in a form that merges over runs.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "analysis/kernels/analyses.h"
#include "analysis/kernels/kernels_by_name.h"
#include "base/saturating.h"
#include "schemas/kernels.h"
#include "stage/reducer.h"
#include "statistics/duration_buckets.h"
#include "statistics/duration_sketch.h"

namespace rankscope {
namespace {

struct OfName {
  std::set<std::int64_t> ranks;
  std::int64_t count = 0, total = 0, shortest = INT64_MAX, longest = 0;
  DurationSketch sketch;

  void Merge(const OfName& other) {
    ranks.insert(other.ranks.begin(), other.ranks.end());
    AddSaturating(count, other.count);
    AddSaturating(total, other.total);
    shortest = std::min(shortest, other.shortest);
    longest = std::max(longest, other.longest);
    sketch.Merge(other.sketch);
  }
};

struct State {
  explicit State(const Options& /*options*/) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    const auto& columns = SchemaOf<KernelNamePartial>();
    const ViewOf<KernelNamePartial> table = tables.front();
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      OfName one{.ranks = {capture.rank},
                 .count = table.Int(row, columns.count),
                 .total = table.Int(row, columns.total_ns),
                 .shortest = table.Int(row, columns.min_ns),
                 .longest = table.Int(row, columns.max_ns),
                 .sketch = {}};
      RS_ASSIGN_OR_RETURN(one.sketch, DurationSketch::Decode(table.String(row, columns.sketch)));
      names[{std::string(table.String(row, columns.name)),
             std::string(table.String(row, columns.class_)),
             std::string(table.String(row, columns.work))}]
          .Merge(one);
    }
    return OkStatus();
  }

  void Merge(State&& other) {
    names.merge(other.names);  // leaves those that are in both
    for (const auto& [key, one] : other.names) names.at(key).Merge(one);
  }

  Result<Table> Finish(const JobContext&) {
    const auto& columns = SchemaOf<KernelSketches>();
    auto table = columns.NewTable(std::string(KernelSketches::kName));
    for (const auto& [key, one] : names) {
      DurationBuckets buckets;
      one.sketch.ForEach(
          [&](std::int64_t value, std::int64_t count) { buckets.Add(value, count); });
      const std::string sketch = buckets.Encode();
      table.Add({columns.name = key[0], columns.class_ = key[1], columns.work = key[2],
                 columns.ranks = static_cast<std::int64_t>(one.ranks.size()),
                 columns.count = one.count, columns.total_ns = one.total,
                 columns.min_ns = one.shortest, columns.max_ns = one.longest,
                 columns.sketch = sketch});
    }
    table.SortBy({{columns.total_ns, true}, {columns.name}});
    return table;
  }

  std::map<std::array<std::string, 3>, OfName> names;  // name, class, work
};

}  // namespace

const Analysis& KernelSketchesAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(KernelSketches::kName),
      .size = Size::kDetail,
      .summary = "kernels, copies and memsets by name, with all durations in mergeable form",
      .definition =
          "What a store keeps of a run's kernels for questions over many runs (rankscope fleet). "
          "Rows as in kernels_by_name. sketch holds every duration: a value x counts in bucket "
          "ceil(ln x / ln gamma), gamma = 1.01 / 0.99, which merges exactly in any order and reads "
          "back within 1%; durations were read from the 64 buckets per power of two of "
          "kernels_by_name before, so within 1.8% in all.",
      .example = "rankscope table kernel_sketches traces/ --format csv",
      .columns = SchemaOf<KernelSketches>().columns(),
      .mapper = KernelsByNameAnalysis().mapper,
      .reducer = ReduceBy<State>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
