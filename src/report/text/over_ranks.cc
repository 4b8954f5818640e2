#include <fmt/core.h>

#include <array>
#include <functional>
#include <set>
#include <string>

#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/text/sections.h"
#include "schemas/ranks.h"
#include "schemas/words.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

struct Chosen {
  std::string_view analysis;
  MetricId metric;
  std::string_view label = {};  // the key is put in front of it; without: the metric's own
  std::string_view not_key = {};
};

// What a first look asks for; rankscope table over_ranks has the rest.
constexpr std::array<Chosen, 9> kChosen = {{
    {"overlap", "communication_hidden"},
    {"utilisation", "busy", "device busy"},
    {"utilisation", "sm_efficiency"},
    {"utilisation", "occupancy"},
    {"flop_utilisation", "hfu"},
    {"queue_length", "mean", "queue length"},
    {"copies", "bytes", "copied per step"},
    {"copies", "bandwidth"},
    // Of the host's memory only what was allocated under the profiler is known.
    {"memory_peaks", "peak", "memory peak", "cpu"},
}};

std::string WithRank(const RowsOf<OverRanks>& rows, std::size_t row, OverRanks::RealColumn value,
                     OverRanks::IntColumn rank) {
  const auto number = rows.Int(row, rank);
  return HumanValue(rows.Number(row, value), rows.String(row, rows->unit)) +
         (number ? fmt::format(" (rank {})", *number) : "");
}

// What shows as nothing, or is next to nothing, is in the table.
bool SaysNothing(const RowsOf<OverRanks>& rows, std::size_t row) {
  constexpr double kLeastBytes = 1e5;
  const std::string_view unit = rows.String(row, rows->unit);
  const double most = rows.Number(row, rows->max).value_or(0);
  return (unit == "%" && most < 0.05) || (unit.starts_with("bytes") && most < kLeastBytes);
}

// Directions of copies in which next to nothing is copied.
std::set<std::string, std::less<>> IdleDirections(const RowsOf<OverRanks>& rows) {
  std::set<std::string, std::less<>> idle;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const bool is_copied = rows.String(row, rows->analysis) == "copies" &&
                           rows.String(row, rows->metric) == MetricId("bytes").text();
    if (is_copied && SaysNothing(rows, row)) idle.emplace(rows.String(row, rows->key));
  }
  return idle;
}

}  // namespace

void AppendOverRanks(std::string& out, const Report& report) {
  const RowsOf<OverRanks> rows(report);
  const bool has_ranks = report.ranks.size() > 1;
  const auto idle = IdleDirections(rows);
  std::string lines;
  for (const Chosen& chosen : kChosen) {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      if (rows.String(row, rows->analysis) != chosen.analysis ||
          rows.String(row, rows->metric) != chosen.metric.text())
        continue;
      if (SaysNothing(rows, row) ||
          (chosen.analysis == "copies" && idle.contains(rows.String(row, rows->key))))
        continue;
      const std::string key = SafeForTerminal(rows.String(row, rows->key));
      if (!chosen.not_key.empty() && key == chosen.not_key) continue;
      const std::string of_metric =
          chosen.label.empty() ? MetricLabel(chosen.metric.text(), "") : std::string(chosen.label);
      const std::string label = key.empty()        ? of_metric
                                : key == "unknown" ? of_metric + ", direction unknown"
                                                   : fmt::format("{} {}", key, of_metric);
      std::string line =
          fmt::format("  {:<25}{:>10}", ShortenMiddle(label, 25),
                      HumanValue(rows.Number(row, rows->median), rows.String(row, rows->unit)));
      const bool is_same = rows.Number(row, rows->min) == rows.Number(row, rows->max);
      if (has_ranks && !is_same)
        line += fmt::format("  {:>20}{:>21}", WithRank(rows, row, rows->min, rows->min_rank),
                            WithRank(rows, row, rows->max, rows->max_rank));
      lines += line + "\n";
    }
  }
  if (lines.empty()) return;
  AppendHeading(out, has_ranks ? "OVER RANKS" : "ALSO");
  if (has_ranks)
    out += fmt::format("  {:<25}{:>10}  {:>20}{:>21}\n", "", "median", "least", "most");
  out += lines;
}

}  // namespace rankscope
