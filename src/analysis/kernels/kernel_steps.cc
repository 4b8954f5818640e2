#include "analysis/kernels/analyses.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/kernels/kernels_by_name.h"
#include "base/saturating.h"
#include "schemas/kernels.h"
#include "stage/reducer.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

struct KernelsOfStep {
  std::int64_t count = 0;
  std::int64_t total = 0;
  std::set<std::int64_t> ranks;
  std::set<std::pair<std::int64_t, std::int64_t>> recordings;  // rank, capture

  // Inferred steps count from 0 in every recording, so a rank may have several of one number.
  double PerRank() const {
    return static_cast<double>(total) / static_cast<double>(recordings.size());
  }
  void Merge(KernelsOfStep& other) {
    AddSaturating(count, other.count);
    AddSaturating(total, other.total);
    ranks.merge(other.ranks);
    recordings.merge(other.recordings);
  }
};
using Name = std::pair<std::string, std::string>;  // name, class
using Steps = std::map<std::int64_t, KernelsOfStep>;

struct KernelStepsState {
  explicit KernelStepsState(const Options& options) : top(CountOption(options, "top")) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    const auto& name_columns = SchemaOf<KernelNamePartial>();
    const auto& columns = SchemaOf<KernelStepPartial>();
    const ViewOf<KernelNamePartial> of_names = tables[0];
    const ViewOf<KernelStepPartial> of_steps = tables[1];
    for (std::size_t row = 0; row < of_steps.row_count(); ++row) {
      const std::int64_t name_row = of_steps.Int(row, columns.name_row);
      if (name_row < 0 || name_row >= static_cast<std::int64_t>(of_names.row_count()))
        return Error(StatusCode::kIo,
                     "{}: the stored sums of kernels do not fit together; run again with "
                     "--no-cache",
                     capture.path);
      const auto at = static_cast<std::size_t>(name_row);
      KernelsOfStep& step = names[{std::string(of_names.String(at, name_columns.name)),
                                   std::string(of_names.String(at, name_columns.class_))}]
                                 [of_steps.Int(row, columns.step)];
      AddSaturating(step.count, of_steps.Int(row, columns.count));
      AddSaturating(step.total, of_steps.Int(row, columns.total_ns));
      step.ranks.insert(capture.rank);
      step.recordings.emplace(capture.rank, capture.index);
    }
    return OkStatus();
  }

  void Merge(KernelStepsState&& other) {
    names.merge(other.names);  // leaves those that are in both
    for (auto& [name, steps] : other.names) {
      Steps& into = names.at(name);
      into.merge(steps);
      for (auto& [number, step] : steps) into.at(number).Merge(step);
    }
  }

  Result<Table> Finish(const JobContext&) {
    std::vector<std::pair<std::int64_t, const Name*>> order;
    order.reserve(names.size());
    for (const auto& [name, steps] : names) {
      std::int64_t total = 0;
      for (const auto& [number, step] : steps) AddSaturating(total, step.total);
      order.emplace_back(-total, &name);
    }
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : *a.second < *b.second;
    });
    if (top > 0) order.resize(std::min(order.size(), static_cast<std::size_t>(top)));

    const auto& columns = SchemaOf<KernelSteps>();
    auto table = columns.NewTable("kernel_steps");
    for (const auto& [negative_total, name] : order) {
      const Steps& steps = names.at(*name);
      std::vector<double> per_rank;
      per_rank.reserve(steps.size());
      for (const auto& [number, step] : steps) per_rank.push_back(step.PerRank());
      std::sort(per_rank.begin(), per_rank.end());
      const double median = Quantile(std::span<const double>(per_rank), 0.5);
      for (const auto& [number, step] : steps) {
        const Value change = median > 0 ? Value(100 * (step.PerRank() / median - 1)) : Value(kNull);
        table.Add({columns.step = number, columns.name = name->first, columns.class_ = name->second,
                   columns.ranks = static_cast<std::int64_t>(step.ranks.size()),
                   columns.count = step.count, columns.total_ns = step.total,
                   columns.mean_per_rank_ns = step.PerRank(), columns.change_pct = change});
      }
    }
    return table;
  }

  std::int64_t top = 0;
  std::map<Name, Steps> names;
};

}  // namespace

const Analysis& KernelStepsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "kernel_steps",
      .summary = "how the time of the heaviest kernels changes from step to step",
      .definition =
          "Device work that was launched in a complete step, by step and full name, over all "
          "ranks: the names with the largest totals over all steps first. change_pct = 100 * "
          "(mean_per_rank / median - 1), the median over the steps in which the name ran.",
      .example = "rankscope table kernel_steps traces/ --set top=5",
      .columns = SchemaOf<KernelSteps>().columns(),
      .options = {{"top", "20", "keep the names with the largest totals; 0 = all",
                   OptionType::kCount}},
      .mapper = KernelsByNameAnalysis().mapper,
      .reducer = ReduceBy<KernelStepsState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
