#include "report/words/headline.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "report/base/kernel_name.h"
#include "report/base/table_view.h"
#include "report/base/wording.h"
#include "report/words/exposed_words.h"
#include "report/words/finding_words.h"
#include "report/words/rank_words.h"
#include "schemas/findings.h"
#include "schemas/kernels.h"
#include "schemas/memory.h"
#include "schemas/ranks.h"
#include "schemas/steps.h"
#include "schemas/words.h"
#include "table/human_number.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

// Below this share of device time a loss is not worth a sentence.
constexpr double kLeastLossPct = 1;
constexpr std::size_t kMostLosses = 4;
constexpr std::size_t kHeadlineMostRanks = 3;
constexpr std::size_t kMostMetrics = 3;
// A kernel is said to have changed from here on.
constexpr double kLeastChangePct = 25;
constexpr std::size_t kMostChanges = 2;
// A change of nine times and more is said as a factor.
constexpr double kHeadlineLeastFactorPct = 900;
// Growth of memory is said when it is hardly chance and not next to nothing.
constexpr double kLargestP = 0.05;
constexpr double kLeastGrowthPct = 1;

// Rows 0..rows in descending order of `key`.
template <typename Key>
std::vector<std::size_t> Descending(std::size_t rows, const Key& key) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  return order;
}

// " (from 3.1% on rank 3 to 25.1% on rank 4)"; nothing when all show the same.
std::string Spread(const RowsOf<JobBreakdown>& parts, std::size_t row) {
  const auto least = parts.Number(row, parts->min_pct);
  const auto most = parts.Number(row, parts->max_pct);
  const auto least_rank = parts.Int(row, parts->min_rank);
  const auto most_rank = parts.Int(row, parts->max_rank);
  if (!least || !most || !least_rank || !most_rank || *least_rank == *most_rank) return "";
  const std::string from = HumanValue(least, "%"), to = HumanValue(most, "%");
  return from == to ? ""
                    : fmt::format(" (from {} on rank {} to {} on rank {})", from, *least_rank, to,
                                  *most_rank);
}

// ": 57.5% waiting for other ranks, 4.9% transfer", of device time as what stands before it. What
// takes less than one percent is not said.
std::string Divided(const Report& report) {
  std::string text;
  for (const ExposedPart& part : ExposedParts(report)) {
    if (part.share_pct < kLeastLossPct) continue;
    text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", HumanValue(part.share_pct, "%"),
                        part.sentence);
  }
  return text;
}

void AddLosses(std::vector<Headline>& out, const Report& report) {
  const RowsOf<JobBreakdown> parts(report);
  const auto share = [&](std::size_t row) {
    return parts.Number(row, parts->share_pct).value_or(0);
  };
  std::size_t said = 0;
  for (const std::size_t row : Descending(parts.rows(), share)) {
    const PartWords* words = FindWords(kParts, parts.String(row, parts->part));
    if (words == nullptr || words->id == "compute") continue;
    if (share(row) < kLeastLossPct || said++ == kMostLosses) break;
    const bool is_communication = words->id == "exposed_communication";
    out.push_back(
        {fmt::format("{} of device time is {}{}{}.",
                     HumanValue(parts.Number(row, parts->share_pct), "%"), words->sentence,
                     Spread(parts, row), is_communication ? Divided(report) : ""),
         words->id,
         is_communication              ? "overlap"
         : words->id == "exposed_copy" ? "copies"
                                       : "idle"});
  }
}

// "Rank 3 stands out: computing 94.5% (median 73.0%), ..."
void AddOutliers(std::vector<Headline>& out, const Report& report) {
  const RowsOf<RankMetrics> metrics(report);
  const auto distance = [&](std::size_t row) {
    return metrics.Flag(row, metrics->outlier)
               ? std::abs(metrics.Number(row, metrics->deviation).value_or(0))
               : -1;
  };
  std::vector<std::int64_t> ranks;  // in the order of their largest deviation
  std::map<std::int64_t, std::vector<std::size_t>> rows_of;
  for (const std::size_t row : Descending(metrics.rows(), distance)) {
    const auto rank = metrics.Int(row, metrics->rank);
    if (!metrics.Flag(row, metrics->outlier) || !rank) break;
    std::vector<std::size_t>& rows = rows_of[*rank];
    if (rows.empty()) ranks.push_back(*rank);
    rows.push_back(row);
  }
  for (std::size_t i = 0; i < std::min(ranks.size(), kHeadlineMostRanks); ++i) {
    // The table lists metrics in the order in which a reader asks for them.
    std::vector<std::size_t>& rows = rows_of[ranks[i]];
    std::sort(rows.begin(), rows.end());
    std::string text = fmt::format("Rank {} stands out: ", ranks[i]);
    for (std::size_t at = 0; at < std::min(rows.size(), kMostMetrics); ++at) {
      const std::string_view unit = metrics.String(rows[at], metrics->unit);
      text += fmt::format("{}{} {} (median {})", at == 0 ? "" : ", ",
                          MetricLabel(metrics.String(rows[at], metrics->metric), unit),
                          HumanValue(metrics.Number(rows[at], metrics->value), unit),
                          HumanValue(metrics.Number(rows[at], metrics->median), unit));
    }
    out.push_back({text + ".", "", "ranks"});
  }
  if (ranks.size() > kHeadlineMostRanks) {
    const std::vector<std::int64_t> more(ranks.begin() + kHeadlineMostRanks, ranks.end());
    std::string text = RanksInWords(report, more);
    text.front() = 'R';
    out.push_back(
        {fmt::format("{} stand{} out, too.", text, more.size() == 1 ? "s" : ""), "", "ranks"});
  }
}

// "flash_fwd took 35.0% longer in step 14 than in its median step (1.23 ms per rank)."
void AddChanges(std::vector<Headline>& out, const Report& report) {
  const RowsOf<KernelSteps> kernels(report);
  const auto change = [&](std::size_t row) {
    return kernels.Number(row, kernels->change_pct).value_or(0);
  };
  // By the time that changed: a big change of a small kernel is no news.
  const auto weight = [&](std::size_t row) {
    return change(row) < kLeastChangePct
               ? -1
               : change(row) * kernels.Number(row, kernels->mean_per_rank_ns).value_or(0);
  };
  std::vector<std::string_view> said;
  for (const std::size_t row : Descending(kernels.rows(), weight)) {
    const auto step = kernels.Int(row, kernels->step);
    if (weight(row) < 0 || !step || said.size() == kMostChanges) break;
    const std::string_view name = kernels.String(row, kernels->name);
    if (std::find(said.begin(), said.end(), name) != said.end()) continue;
    said.push_back(name);
    const bool is_factor = change(row) >= kHeadlineLeastFactorPct;
    const std::string longer = is_factor ? HumanDecimal(1 + change(row) / 100) + " times as long"
                                         : HumanValue(change(row), "%") + " longer";
    out.push_back({fmt::format("{} took {} in step {} {} in its median step ({} per rank).",
                               ShortKernelName(SafeForTerminal(name), 48), longer, *step,
                               is_factor ? "as" : "than",
                               HumanValue(kernels.Number(row, kernels->mean_per_rank_ns), "ns")),
                   "", "kernel-steps"});
  }
}

// "Memory of rank 3 (cuda 3) grows by 12.5 MB per step: from 6.4 GB to 6.5 GB over 8 steps."
void AddGrowth(std::vector<Headline>& out, const Report& report) {
  const RowsOf<MemoryGrowth> growth(report);
  const auto speed = [&](std::size_t row) {
    const double first = growth.Number(row, growth->first_end_bytes).value_or(0);
    const double last = growth.Number(row, growth->last_end_bytes).value_or(0);
    const bool is_growth = growth.Number(row, growth->p_value).value_or(1) < kLargestP &&
                           100 * (last - first) >= kLeastGrowthPct * first;
    return is_growth ? growth.Number(row, growth->bytes_per_step).value_or(0) : 0;
  };
  const std::vector<std::size_t> order = Descending(growth.rows(), speed);
  const auto count = static_cast<std::size_t>(
      std::count_if(order.begin(), order.end(), [&](std::size_t row) { return speed(row) > 0; }));
  if (count == 0) return;
  const std::size_t row = order.front();
  const auto device = growth.Int(row, growth->device);
  std::string text = fmt::format(
      "Memory of rank {} ({}{}) grows by {} per step: from {} to {} over {}.",
      growth.Int(row, growth->rank).value_or(-1), growth.String(row, growth->device_type),
      device ? fmt::format(" {}", *device) : "",
      HumanValue(growth.Number(row, growth->bytes_per_step), "bytes"),
      HumanValue(growth.Number(row, growth->first_end_bytes), "bytes"),
      HumanValue(growth.Number(row, growth->last_end_bytes), "bytes"),
      Plural(static_cast<std::size_t>(growth.Int(row, growth->steps).value_or(0)), "step"));
  if (count > 1)
    text += fmt::format(" {} more grow{}.", Plural(count - 1, "device"), count == 2 ? "s" : "");
  out.push_back({std::move(text), "", "memory"});
}

bool IsFound(const Report& report, std::string_view id) {
  const RowsOf<Findings> findings(report);
  for (std::size_t row = 0; row < findings.rows(); ++row) {
    if (findings.String(row, findings->id) == id) return true;
  }
  return false;
}

}  // namespace

std::vector<Headline> Headlines(const Report& report) {
  std::vector<Headline> out;
  AddLosses(out, report);
  // A rank that differs is news when it costs the job time, and then it is a finding.
  if (!HasFindings(report)) AddOutliers(out, report);
  AddChanges(out, report);
  if (!IsFound(report, "memory-leak")) AddGrowth(out, report);
  return out;
}

}  // namespace rankscope
