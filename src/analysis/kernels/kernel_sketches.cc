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
#include "table/or_null.h"

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

// Sizes of one kernel that are told apart: inputs that differ from step to step have as many as
// steps.
constexpr std::size_t kMostSizes = 16;

struct KernelSketchesState {
  explicit KernelSketchesState(const Options& /*options*/) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    const auto& columns = SchemaOf<KernelNamePartial>();
    const auto& of_size = SchemaOf<KernelSizePartial>();
    const ViewOf<KernelNamePartial> names_table = tables.front();
    const ViewOf<KernelSizePartial> sizes = tables.back();
    std::vector<bool> has_sizes(names_table.row_count(), false);
    const auto add = [&](std::size_t name_row, std::string_view size, OfName one,
                         std::string_view sketch) -> Status {
      RS_ASSIGN_OR_RETURN(one.sketch, DurationSketch::Decode(sketch));
      one.ranks = {capture.rank};
      names[{std::string(names_table.String(name_row, columns.name)),
             std::string(names_table.String(name_row, columns.class_)),
             std::string(names_table.String(name_row, columns.work))}][std::string(size)]
          .Merge(one);
      return OkStatus();
    };
    for (std::size_t row = 0; row < sizes.row_count(); ++row) {
      const std::int64_t name_row = sizes.Int(row, of_size.name_row);
      if (name_row < 0 || static_cast<std::size_t>(name_row) >= has_sizes.size())
        return Error(StatusCode::kBadData, "a size of row {} of {} names", name_row,
                     has_sizes.size());
      has_sizes[static_cast<std::size_t>(name_row)] = true;
      RS_RETURN_IF_ERROR(add(static_cast<std::size_t>(name_row), sizes.String(row, of_size.size),
                             {.count = sizes.Int(row, of_size.count),
                              .total = sizes.Int(row, of_size.total_ns),
                              .shortest = sizes.Int(row, of_size.min_ns),
                              .longest = sizes.Int(row, of_size.max_ns)},
                             sizes.String(row, of_size.sketch)));
    }
    for (std::size_t row = 0; row < names_table.row_count(); ++row) {
      if (has_sizes[row]) continue;
      RS_RETURN_IF_ERROR(add(row, "",
                             {.count = names_table.Int(row, columns.count),
                              .total = names_table.Int(row, columns.total_ns),
                              .shortest = names_table.Int(row, columns.min_ns),
                              .longest = names_table.Int(row, columns.max_ns)},
                             names_table.String(row, columns.sketch)));
    }
    return OkStatus();
  }

  void Merge(KernelSketchesState&& other) {
    for (auto& [key, sizes] : other.names) {
      for (auto& [size, one] : sizes) names[key][size].Merge(one);
    }
  }

  Result<Table> Finish(const JobContext&) {
    const auto& columns = SchemaOf<KernelSketches>();
    auto table = columns.NewTable(std::string(KernelSketches::kName));
    for (auto& [key, sizes] : names) {
      PutRareTogether(sizes);
      for (const auto& [size, one] : sizes) {
        DurationBuckets buckets;
        one.sketch.ForEach(
            [&](std::int64_t value, std::int64_t count) { buckets.Add(value, count); });
        const std::string sketch = buckets.Encode();
        table.Add({columns.name = key[0], columns.class_ = key[1], columns.work = key[2],
                   columns.size = TextOrNull(size),
                   columns.ranks = static_cast<std::int64_t>(one.ranks.size()),
                   columns.count = one.count, columns.total_ns = one.total,
                   columns.min_ns = one.shortest, columns.max_ns = one.longest,
                   columns.sketch = sketch});
      }
    }
    table.SortBy({{columns.total_ns, true}, {columns.name}, {columns.size}});
    return table;
  }

  using Sizes = std::map<std::string, OfName>;  // "": not known

  static void PutRareTogether(Sizes& sizes) {
    if (sizes.size() <= kMostSizes + (sizes.contains("") ? 1 : 0)) return;
    std::vector<std::pair<std::int64_t, std::string>> by_time;
    for (const auto& [size, one] : sizes) {
      if (!size.empty()) by_time.emplace_back(-one.total, size);
    }
    std::sort(by_time.begin(), by_time.end());
    OfName rest;
    for (std::size_t i = kMostSizes; i < by_time.size(); ++i) {
      const auto rare = sizes.find(by_time[i].second);
      rest.Merge(rare->second);
      sizes.erase(rare);
    }
    sizes[""].Merge(rest);
  }

  std::map<std::array<std::string, 3>, Sizes> names;  // name, class, work
};

}  // namespace

const Analysis& KernelSketchesAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(KernelSketches::kName),
      .size = Size::kDetail,
      .summary = "kernels, copies and memsets by name, with all durations in mergeable form",
      .definition =
          "What a store keeps of a run's kernels for questions over many runs (rankscope fleet). "
          "Rows as in kernels_by_name, by size where that is known. sketch holds every duration: a "
          "value x counts in bucket "
          "ceil(ln x / ln gamma), gamma = 1.01 / 0.99, which merges exactly in any order and reads "
          "back within 1%; durations were read from the 64 buckets per power of two of "
          "kernels_by_name before, so within 1.8% in all.",
      .example = "rankscope table kernel_sketches traces/ --format csv",
      .columns = SchemaOf<KernelSketches>().columns(),
      .mapper = KernelsByNameAnalysis().mapper,
      .reducer = ReduceBy<KernelSketchesState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
