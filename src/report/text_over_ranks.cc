#include <fmt/core.h>

#include <array>

#include "report/table_view.h"
#include "report/text_lines.h"
#include "report/text_sections.h"
#include "report/wording.h"
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

std::string WithRank(const RowsOf<OverRanks>& rows, std::size_t row, RealColumn value,
                     IntColumn rank) {
  const auto number = rows.Int(row, rank);
  return HumanValue(rows.Number(row, value), rows.String(row, rows->unit)) +
         (number ? fmt::format(" (rank {})", *number) : "");
}

}  // namespace

void AppendOverRanks(std::string& out, const Report& report) {
  const RowsOf<OverRanks> rows(report);
  const bool has_ranks = report.ranks.size() > 1;
  std::string lines;
  for (const Chosen& chosen : kChosen) {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      if (rows.String(row, rows->analysis) != chosen.analysis ||
          rows.String(row, rows->metric) != chosen.metric.text())
        continue;
      const std::string key = SafeForTerminal(rows.String(row, rows->key));
      if (!chosen.not_key.empty() && key == chosen.not_key) continue;
      const std::string of_metric =
          chosen.label.empty() ? MetricLabel(chosen.metric.text(), "") : std::string(chosen.label);
      const std::string label = key.empty() ? of_metric : fmt::format("{} {}", key, of_metric);
      std::string line =
          fmt::format("  {:<25}{:>10}", ShortenMiddle(label, 25),
                      HumanValue(rows.Number(row, rows->median), rows.String(row, rows->unit)));
      if (has_ranks)
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
