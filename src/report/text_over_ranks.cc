#include <fmt/core.h>

#include <array>

#include "report/table_view.h"
#include "report/text_lines.h"
#include "report/text_sections.h"
#include "report/wording.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

struct Chosen {
  std::string_view analysis;
  std::string_view metric;
  std::string_view label;  // the key is put in front of it
  std::string_view not_key = {};
};

// What a first look asks for; rankscope table over_ranks has the rest.
constexpr std::array<Chosen, 9> kChosen = {{
    {"overlap", "communication_hidden", "communication hidden"},
    {"utilisation", "busy", "device busy"},
    {"utilisation", "sm_efficiency", "SM efficiency"},
    {"utilisation", "occupancy", "occupancy"},
    {"flop_utilisation", "hfu", "FLOP utilisation (HFU)"},
    {"queue_length", "mean", "queue length"},
    {"copies", "bytes", "copied per step"},
    {"copies", "bandwidth", "bandwidth"},
    // Of the host's memory only what was allocated under the profiler is known.
    {"memory_peaks", "peak", "memory peak", "cpu"},
}};

std::string WithRank(const TableView& rows, std::size_t row, std::string_view value,
                     std::string_view rank) {
  const auto number = rows.Int(row, rank);
  return HumanValue(rows.Number(row, value), rows.String(row, "unit")) +
         (number ? fmt::format(" (rank {})", *number) : "");
}

}  // namespace

void AppendOverRanks(std::string& out, const Report& report) {
  const TableView rows(report, "over_ranks");
  const bool has_ranks = report.ranks.size() > 1;
  std::string lines;
  for (const Chosen& chosen : kChosen) {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      if (rows.String(row, "analysis") != chosen.analysis ||
          rows.String(row, "metric") != chosen.metric)
        continue;
      const std::string key = SafeForTerminal(rows.String(row, "key"));
      if (!chosen.not_key.empty() && key == chosen.not_key) continue;
      const std::string label =
          key.empty() ? std::string(chosen.label) : fmt::format("{} {}", key, chosen.label);
      std::string line =
          fmt::format("  {:<25}{:>10}", ShortenMiddle(label, 25),
                      HumanValue(rows.Number(row, "median"), rows.String(row, "unit")));
      if (has_ranks)
        line += fmt::format("  {:>20}{:>21}", WithRank(rows, row, "min", "min_rank"),
                            WithRank(rows, row, "max", "max_rank"));
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
