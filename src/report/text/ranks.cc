#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/text/sections.h"
#include "schemas/ranks.h"
#include "schemas/steps.h"
#include "schemas/words.h"
#include "table/style.h"

namespace rankscope {
namespace {

constexpr std::size_t kTextRanksMostRanks = 16;

struct MetricColumn {
  MetricId metric;
  std::string_view heading;
  int width;
};

constexpr std::array<MetricColumn, 5> kMetricColumns = {
    {{"step_time", "step time", 11},
     {"compute", "computing", 11},
     {"exposed_communication", "exp. comm.", 12},
     {"exposed_copy", "copies", 8},
     {"idle", "idle", 8}}};

struct RankLine {
  std::array<std::optional<std::size_t>, kMetricColumns.size()> rows;  // of rank_metrics
  bool is_outlier = false;
  double distance = 0;  // the largest deviation, by which ranks are chosen
};

std::map<std::int64_t, RankLine> LinesByRank(const RowsOf<RankMetrics>& metrics) {
  std::map<std::int64_t, RankLine> lines;
  for (std::size_t row = 0; row < metrics.rows(); ++row) {
    const auto rank = metrics.Int(row, metrics->rank);
    if (!rank) continue;
    RankLine& line = lines[*rank];
    for (std::size_t i = 0; i < kMetricColumns.size(); ++i) {
      if (metrics.String(row, metrics->metric) != kMetricColumns[i].metric.text()) continue;
      line.rows[i] = row;
      line.is_outlier |= metrics.Flag(row, metrics->outlier);
      line.distance =
          std::max(line.distance, std::abs(metrics.Number(row, metrics->deviation).value_or(0)));
    }
  }
  return lines;
}

// Those that differ most, in the order of ranks.
std::vector<std::int64_t> ChooseRanks(const std::map<std::int64_t, RankLine>& lines) {
  std::vector<std::int64_t> ranks;
  ranks.reserve(lines.size());
  for (const auto& [rank, line] : lines) ranks.push_back(rank);
  std::stable_sort(ranks.begin(), ranks.end(), [&](std::int64_t a, std::int64_t b) {
    const RankLine& left = lines.at(a);
    const RankLine& right = lines.at(b);
    if (left.is_outlier != right.is_outlier) return left.is_outlier;
    return left.distance > right.distance;
  });
  if (ranks.size() > kTextRanksMostRanks) ranks.resize(kTextRanksMostRanks);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

// The largest idle part of every rank, as its label without "idle: ".
std::map<std::int64_t, std::string_view> IdleCauses(const RowsOf<RankBreakdown>& parts) {
  std::map<std::int64_t, std::pair<std::int64_t, std::string_view>> largest;
  for (std::size_t row = 0; row < parts.rows(); ++row) {
    const auto rank = parts.Int(row, parts->rank);
    const auto duration = parts.Int(row, parts->duration_ns);
    const PartWords* words = FindWords(kParts, parts.String(row, parts->part));
    if (!rank || !duration || words == nullptr || !words->is_idle) continue;
    auto& [most, label] = largest[*rank];
    if (*duration <= most) continue;
    most = *duration;
    label = words->label.substr(std::string_view("idle: ").size());
  }
  std::map<std::int64_t, std::string_view> causes;
  for (const auto& [rank, cause] : largest) causes[rank] = cause.second;
  return causes;
}

}  // namespace

void AppendRanks(std::string& out, const Report& report) {
  const RowsOf<RankMetrics> metrics(report);
  const std::map<std::int64_t, RankLine> lines = LinesByRank(metrics);
  // Without device work there is nothing but the step time.
  if (lines.size() < 2 || RowsOf<JobBreakdown>(report).empty()) return;
  const auto causes = IdleCauses(RowsOf<RankBreakdown>(report));
  AppendHeading(out,
                lines.size() <= kTextRanksMostRanks
                    ? "BY RANK (* = far from the median of its peers)"
                    : "BY RANK (the 16 that differ most; rankscope table rank_metrics has all)");
  out += fmt::format("  {:>6}", "rank");
  for (const MetricColumn& column : kMetricColumns)
    out += fmt::format("{:>{}}", column.heading, column.width);
  out += "  mostly idle for\n";
  for (const std::int64_t rank : ChooseRanks(lines)) {
    const RankLine& line = lines.at(rank);
    std::string text = fmt::format("  {:>6}", rank);
    for (std::size_t i = 0; i < kMetricColumns.size(); ++i) {
      const auto row = line.rows[i];
      const std::string value = row ? HumanValue(metrics.Number(*row, metrics->value),
                                                 metrics.String(*row, metrics->unit))
                                    : "?";
      const bool is_outlier = row && metrics.Flag(*row, metrics->outlier);
      const std::string cell =
          fmt::format("{:>{}}", (is_outlier ? "*" : "") + value, kMetricColumns[i].width);
      text += is_outlier ? Marked(Style::kNotice, cell) : cell;
    }
    const auto cause = causes.find(rank);
    if (cause != causes.end()) text += fmt::format("  {}", cause->second);
    out += text + "\n";
  }
}

}  // namespace rankscope
