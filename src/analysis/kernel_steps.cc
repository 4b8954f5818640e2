#include "analysis/kernel_steps.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/kernels_by_name.h"
#include "analysis/statistics.h"
#include "analysis/vocabulary.h"
#include "base/saturating.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Int("step", "", "number of the step"),
      column::Text("name", "name of the kernel or copy as recorded"),
      column::Text("class", "what it is for (kernel_classes)"),
      column::Int("ranks", "", "ranks on which it ran in this step"),
      column::Int("count", "", "how often it began in the step, on all ranks"),
      column::Int("total_ns", "ns", "sum of its durations, on all ranks"),
      column::Real("mean_per_rank_ns", "ns",
                   "total_ns / ranks; every recording of a rank that has the step counts"),
      column::Real("change_pct", "%",
                   "mean_per_rank_ns above (+) or below (-) its median over the steps"),
  };
  return kColumns;
}

struct OfStep {
  std::int64_t count = 0;
  std::int64_t total = 0;
  std::set<std::int64_t> ranks;
  std::set<std::pair<std::int64_t, std::int64_t>> recordings;  // rank, capture

  // Inferred steps count from 0 in every recording, so a rank may have several of one number.
  double PerRank() const {
    return static_cast<double>(total) / static_cast<double>(recordings.size());
  }
};
using Name = std::pair<std::string, std::string>;  // name, class
using Steps = std::map<std::int64_t, OfStep>;

Result<Table> Reduce(PartialStream& partials, const JobContext& job, const Options& options) {
  const std::int64_t top = CountOption(options, "top");
  std::map<Name, Steps> names;
  std::map<Name, std::int64_t> totals;
  Partial partial;
  while (true) {
    RS_ASSIGN_OR_RETURN(const bool more, partials.Next(partial));
    if (!more) break;
    // kernels_by_name.cc: names, and sums by step that refer to their rows.
    const Capture& capture = job.captures[partial.capture];
    const Table& of_names = partial.tables[0];
    const Table& of_steps = partial.tables[1];
    for (std::size_t row = 0; row < of_steps.row_count(); ++row) {
      const auto name_row = static_cast<std::size_t>(of_steps.Int(row, 1));
      const Name name{std::string(of_names.String(name_row, 0)),
                      std::string(of_names.String(name_row, 1))};
      OfStep& step = names[name][of_steps.Int(row, 0)];
      step.count += of_steps.Int(row, 2);
      AddSaturating(step.total, of_steps.Int(row, 3));
      step.ranks.insert(capture.rank);
      step.recordings.emplace(capture.rank, capture.index);
      AddSaturating(totals[name], of_steps.Int(row, 3));
    }
  }
  std::vector<std::pair<std::int64_t, const Name*>> order;
  order.reserve(totals.size());
  for (const auto& [name, total] : totals) order.emplace_back(-total, &name);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : *a.second < *b.second;
  });
  if (top > 0) order.resize(std::min(order.size(), static_cast<std::size_t>(top)));

  Table table("kernel_steps", Columns());
  for (const auto& [negative_total, name] : order) {
    const Steps& steps = names[*name];
    std::vector<double> per_rank;
    per_rank.reserve(steps.size());
    for (const auto& [number, step] : steps) per_rank.push_back(step.PerRank());
    std::sort(per_rank.begin(), per_rank.end());
    const double median = Quantile(std::span<const double>(per_rank), 0.5);
    for (const auto& [number, step] : steps) {
      const Value change = median > 0 ? Value(100 * (step.PerRank() / median - 1)) : Value(kNull);
      table.AddRow({number, std::string_view(name->first), std::string_view(name->second),
                    static_cast<std::int64_t>(step.ranks.size()), step.count, step.total,
                    step.PerRank(), change});
    }
  }
  return table;
}

}  // namespace

const Analysis& KernelStepsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "kernel_steps",
      .summary = "how the time of the heaviest kernels changes from step to step",
      .definition =
          "Device work that begins in a complete step, by step and full name, over all ranks: the "
          "names with the largest totals over all steps first. change_pct = 100 * "
          "(mean_per_rank / median - 1), the median over the steps in which the name ran.",
      .example = "rankscope table kernel_steps traces/ --set top=5",
      .columns = Columns(),
      .options = {{"top", "20", "keep the names with the largest totals; 0 = all", false,
                   OptionType::kCount}},
      .reduce = Reduce,
      .partials_of = &KernelsByNameAnalysis(),
  };
  return kAnalysis;
}

}  // namespace rankscope
