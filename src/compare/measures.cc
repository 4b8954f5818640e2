#include "compare/measures.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/saturating.h"
#include "schemas/captures.h"
#include "schemas/steps.h"
#include "schemas/work.h"

namespace rankscope {
namespace {

// A window's step, as far as all ranks share it.
using StepKey = std::pair<std::int64_t, std::optional<std::int64_t>>;  // group, number

class Counting {
 public:
  Counting(const JobTables& tables, DiffUnit unit, SpreadOf spread)
      : tables_(tables), unit_(unit), spread_(spread) {}

  Measures Count() {
    ReadCaptures();
    ReadUnits();
    CountWindows();
    ReadWork();
    FindOutside();
    return std::move(result_);
  }

 private:
  void ReadCaptures() {
    const auto& columns = SchemaOf<Captures>();
    const ViewOf<Captures> captures = *tables_.captures;
    for (std::size_t row = 0; row < captures.row_count(); ++row) {
      if (!captures.Bool(row, columns.analysed)) continue;
      const std::int64_t rank = captures.Int(row, columns.rank);
      const std::int64_t group = captures.Int(row, columns.group);
      group_of_[{rank, captures.Int(row, columns.capture)}] = group;
      result_.ranks.insert(rank);
      if (!captures.IsNull(row, columns.device))
        result_.devices.emplace(captures.String(row, columns.device));
      result_.contents.emplace(captures.String(row, columns.content));
      if (unit_ == DiffUnit::kRecording)
        result_.units.push_back({group, std::nullopt, captures.Int(row, columns.duration_ns)});
    }
  }

  void ReadUnits() {
    if (unit_ == DiffUnit::kRecording) {
      for (const auto& [recording, group] : group_of_) ++host_windows_of_rank_[recording.first];
      result_.host_windows = std::ssize(result_.units);
      return;
    }
    const auto& columns = SchemaOf<JobSteps>();
    const ViewOf<JobSteps> steps = *tables_.job_steps;
    for (std::size_t row = 0; row < steps.row_count(); ++row) {
      if (!steps.Bool(row, columns.complete)) continue;
      const StepKey key{steps.Int(row, columns.group), steps.Int(row, columns.step)};
      replicate_of_step_.emplace(key, result_.units.size());
      result_.units.push_back({key.first, key.second, steps.Int(row, columns.duration_ns)});
    }
    const auto& of_rank = SchemaOf<StepTimes>();
    const ViewOf<StepTimes> times = *tables_.step_times;
    for (std::size_t row = 0; row < times.row_count(); ++row) {
      const std::int64_t rank = times.Int(row, of_rank.rank);
      const StepKey step{GroupOf(rank, times.Int(row, of_rank.capture)),
                         times.Known(row, of_rank.step)};
      if (!IsCounted(step.first, step.second)) continue;
      ++result_.host_windows;
      ++host_windows_of_rank_[rank];
      ++host_windows_of_step_[step];
    }
  }

  std::int64_t GroupOf(std::int64_t rank, std::int64_t capture) const {
    const auto found = group_of_.find({rank, capture});
    return found == group_of_.end() ? -1 : found->second;
  }

  bool IsCounted(std::int64_t group, std::optional<std::int64_t> step) const {
    return unit_ == DiffUnit::kRecording || replicate_of_step_.contains({group, step});
  }

  // The replicate that a window is of; none when it does not count or nothing is replicated.
  std::optional<std::size_t> ReplicateOf(StepKey step, std::optional<std::int64_t> rank) const {
    if (spread_ == SpreadOf::kSteps && unit_ == DiffUnit::kStep)
      return replicate_of_step_.find(step)->second;
    if (spread_ == SpreadOf::kRanks && rank)
      return static_cast<std::size_t>(
          std::distance(result_.ranks.begin(), result_.ranks.find(*rank)));
    return std::nullopt;
  }

  void CountWindows() {
    result_.replicates = spread_ == SpreadOf::kSteps   ? result_.units.size()
                         : spread_ == SpreadOf::kRanks ? result_.ranks.size()
                                                       : 0;
    windows_of_.resize(result_.replicates);
    window_ns_of_.resize(result_.replicates);
    const auto& columns = SchemaOf<TimeBreakdown>();
    const ViewOf<TimeBreakdown> times = *tables_.time_breakdown;
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> recordings;
    for (std::size_t row = 0; row < times.row_count(); ++row) {
      const std::int64_t rank = times.Int(row, columns.rank);
      const std::int64_t capture = times.Int(row, columns.capture);
      const StepKey step{GroupOf(rank, capture), times.Known(row, columns.step)};
      if (!IsCounted(step.first, step.second)) continue;
      // The windows of a recording are one.
      const bool is_new = unit_ == DiffUnit::kStep ||
                          recordings.emplace(rank, capture, times.Int(row, columns.device)).second;
      if (is_new) ++result_.windows;
      RankParts& parts = result_.parts_of_rank[rank];
      if (is_new) ++parts.windows;
      const auto columns_of_parts = columns.PartColumns();
      for (std::size_t i = 0; i < kParts.size(); ++i)
        AddSaturating(parts.total_ns[std::string(kParts[i].id)],
                      times.Int(row, columns_of_parts[i]));
      AddSaturating(parts.total_ns["not_observed"], times.Int(row, columns.not_observed_ns));
      if (const auto replicate = ReplicateOf(step, rank)) {
        if (is_new) ++windows_of_[*replicate];
        AddSaturating(window_ns_of_[*replicate], times.Int(row, columns.duration_ns));
      }
    }
  }

  void ReadWork() {
    Read(*tables_.step_work);
    if (spread_ == SpreadOf::kRanks) Read(*tables_.step_work_of_ranks);
    for (auto& [place, sum] : work_) {
      for (std::size_t i = 0; i < sum.values.size(); ++i)
        sum.values[i] =
            windows_of_[i] > 0 ? sum.values[i] / static_cast<double>(windows_of_[i]) : 0;
      result_.work.push_back(std::move(sum));
    }
    const std::vector<std::int64_t> host_windows = HostWindowsOfReplicates();
    for (auto& [place, sum] : host_) {
      for (std::size_t i = 0; i < sum.values.size(); ++i)
        sum.values[i] =
            host_windows[i] > 0 ? sum.values[i] / static_cast<double>(host_windows[i]) : 0;
      result_.host.push_back(std::move(sum));
    }
  }

  std::vector<std::int64_t> HostWindowsOfReplicates() const {
    std::vector<std::int64_t> windows(result_.replicates);
    if (spread_ == SpreadOf::kSteps) {
      for (const auto& [step, count] : host_windows_of_step_)
        windows[replicate_of_step_.find(step)->second] = count;
    } else if (spread_ == SpreadOf::kRanks) {
      std::size_t i = 0;
      for (const std::int64_t rank : result_.ranks) {
        const auto found = host_windows_of_rank_.find(rank);
        windows[i++] = found == host_windows_of_rank_.end() ? 0 : found->second;
      }
    }
    return windows;
  }

  // Sums come of the table of all ranks, values of the one whose rows are replicates.
  void Read(ViewOf<StepWork> rows) {
    const auto& columns = SchemaOf<StepWork>();
    const bool is_of_ranks = &rows.table() == tables_.step_work_of_ranks;
    for (std::size_t row = 0; row < rows.row_count(); ++row) {
      const StepKey step{rows.Int(row, columns.group), rows.Known(row, columns.step)};
      if (!IsCounted(step.first, step.second)) continue;
      const auto text = [&](StepWork::StringColumn column) {
        return std::string(rows.TextOrEmpty(row, column));
      };
      WorkPlace place{text(columns.part),  text(columns.phase),  text(columns.module),
                      text(columns.path),  text(columns.shapes), text(columns.name),
                      text(columns.class_)};
      const bool is_host = place.part == kHostWork;
      const auto [found, is_new] = (is_host ? host_ : work_).try_emplace(place);
      PlaceSum& sum = found->second;
      if (is_new) {
        sum.place = std::move(place);
        sum.first_ns = std::numeric_limits<std::int64_t>::max();
        sum.values.resize(result_.replicates);
      }
      const std::int64_t ns = rows.Int(row, columns.duration_ns);
      if (!is_of_ranks) {
        AddSaturating(sum.count, rows.Int(row, columns.count));
        AddSaturating(sum.total_ns, ns);
        if (const auto first = rows.Known(row, columns.first_ns))
          sum.first_ns = std::min(sum.first_ns, *first);
      }
      if (is_of_ranks != (spread_ == SpreadOf::kRanks)) continue;
      if (const auto replicate = ReplicateOf(step, rows.Known(row, columns.rank)))
        sum.values[*replicate] += static_cast<double>(ns);
    }
  }

  // Of single ranks nothing is outside: they have no step of the job.
  void FindOutside() {
    result_.outside.resize(result_.replicates);
    if (spread_ != SpreadOf::kSteps || unit_ != DiffUnit::kStep) return;
    for (std::size_t i = 0; i < result_.units.size(); ++i) {
      const double mean = windows_of_[i] > 0 ? static_cast<double>(window_ns_of_[i]) /
                                                   static_cast<double>(windows_of_[i])
                                             : 0;
      result_.outside[i] = static_cast<double>(result_.units[i].duration_ns) - mean;
    }
  }

  const JobTables& tables_;
  const DiffUnit unit_;
  const SpreadOf spread_;
  Measures result_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> group_of_;  // by rank and capture
  std::map<StepKey, std::size_t> replicate_of_step_;
  std::vector<std::int64_t> windows_of_;  // of each replicate
  std::vector<std::int64_t> window_ns_of_;
  std::map<WorkPlace, PlaceSum> work_;
  std::map<WorkPlace, PlaceSum> host_;
  std::map<std::int64_t, std::int64_t> host_windows_of_rank_;
  std::map<StepKey, std::int64_t> host_windows_of_step_;
};

}  // namespace

std::string WorkPlace::op() const {
  const std::size_t at = path.rfind(StepWork::kBetween);
  return at == std::string::npos ? path : path.substr(at + StepWork::kBetween.size());
}

std::size_t CompleteSteps(const JobTables& tables) {
  const auto& columns = SchemaOf<JobSteps>();
  std::size_t complete = 0;
  const ViewOf<JobSteps> steps = *tables.job_steps;
  for (std::size_t row = 0; row < steps.row_count(); ++row)
    complete += steps.Bool(row, columns.complete) ? 1U : 0U;
  return complete;
}

Measures MeasuresOf(const JobTables& tables, DiffUnit unit, SpreadOf spread) {
  return Counting(tables, unit, spread).Count();
}

std::int64_t RoundedMean(std::int64_t sum, std::int64_t n) {
  if (n <= 0) return 0;
  const std::int64_t quotient = sum / n;
  const std::int64_t rest = sum % n;
  if (rest < 0) return quotient - (-rest >= n - -rest ? 1 : 0);
  return quotient + (rest >= n - rest ? 1 : 0);
}

std::int64_t ExactMeans::Next(std::int64_t sum) {
  AddSaturating(sum_, sum);
  const std::int64_t mean = RoundedMean(sum_, n_);
  return mean - std::exchange(told_, mean);
}

}  // namespace rankscope
