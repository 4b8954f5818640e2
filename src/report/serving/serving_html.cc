#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "json/writer.h"
#include "report/html/html_data.h"
#include "report/html/html_page.h"
#include "report/serving/load_words.h"
#include "report/serving/serving_report.h"
#include "report/serving/serving_words.h"

namespace rankscope {
namespace {

using Rows = std::vector<std::size_t>;

// Requests that the page lists; those that its pictures lead to come on top.
constexpr std::size_t kMostRequests = 200;
// Steps around them: of the slowest ones, as many as are whole.
constexpr std::size_t kMostIterations = 10'000;
constexpr std::size_t kMostOthers = 1'000;

Rows First(const Table& table, std::size_t most) {
  Rows rows(std::min(table.row_count(), most));
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

std::int64_t TimeOf(const RowsOf<ServingRequests>& requests, std::size_t row) {
  const auto whole = requests.Int(row, requests->e2e_ns);
  if (!whole) return -1;
  return *whole + std::max<std::int64_t>(requests.Int(row, requests->network_ns).value_or(0), 0);
}

// The slowest, then the slowest of each bin of time.
Rows RequestRows(const ServingReport& report, const Table& table) {
  const RowsOf<ServingRequests> requests(&table);
  Rows rows(requests.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), kMostRequests));
  std::partial_sort(rows.begin(), end, rows.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(-TimeOf(requests, a), a) < std::pair(-TimeOf(requests, b), b);
  });
  rows.erase(end, rows.end());
  const RowsOf<ServingOverTime> bins(report.Find(ServingOverTime::kName));
  std::set<std::size_t> seen(rows.begin(), rows.end());
  for (std::size_t bin = 0; bin < bins.rows(); ++bin) {
    const auto slowest = bins.Int(bin, bins->slowest_request);
    const auto row = static_cast<std::size_t>(slowest.value_or(-1));
    if (slowest && row < requests.rows() && seen.insert(row).second) rows.push_back(row);
  }
  return rows;
}

// Steps that overlap a request's time by the same clock.
Rows IterationRows(const ServingReport& report, const Table& table) {
  const RowsOf<ServingIterations> steps(&table);
  const Table* const all = report.Find(ServingRequests::kName);
  if (steps.empty() || all == nullptr) return {};
  const RowsOf<ServingRequests> requests(all);
  // By their ends: a step that ended within a request's time, or just behind it.
  std::vector<std::pair<std::int64_t, std::size_t>> ends;
  for (std::size_t row = 0; row < steps.rows(); ++row) {
    if (const auto end = steps.Int(row, steps->time_ns)) ends.emplace_back(*end, row);
  }
  std::ranges::sort(ends);
  std::set<std::size_t> chosen;
  for (const std::size_t row : RequestRows(report, *all)) {
    const auto arrival = requests.Int(row, requests->arrival_ns);
    const std::int64_t time = TimeOf(requests, row);
    if (!arrival || time < 0 || requests.Flag(row, requests->has_own_clock)) continue;
    const std::int64_t end = *arrival + time;
    Rows own;
    auto at = std::ranges::lower_bound(ends, std::pair(*arrival, std::size_t{0}));
    for (; at != ends.end() && own.size() <= kMostIterations; ++at) {
      const std::int64_t took = steps.Int(at->second, steps->elapsed_ns).value_or(0);
      if (at->first - took >= end) break;
      own.push_back(at->second);
    }
    std::set<std::size_t> with = chosen;
    with.insert(own.begin(), own.end());
    if (with.size() > kMostIterations) break;
    chosen = std::move(with);
  }
  return {chosen.begin(), chosen.end()};
}

Rows RowsOfPage(const ServingReport& report, const Table& table) {
  if (table.name() == ServingRequests::kName) return RequestRows(report, table);
  if (table.name() == ServingIterations::kName) return IterationRows(report, table);
  return First(table, kMostOthers);
}

}  // namespace

std::string WriteServingView(const ServingReport& report) {
  const ServingView view(report);
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("subject", "serving");
  writer.Line().Member("path", report.path);
  writer.Line().Member("headline", ServingHeadlineOf(view));
  // Without a request's time there is nothing that it could be of.
  writer.Line().Member("stages_of", view.stages.empty() ? "" : StagesFrom(view));
  writer.Line().Member("focus", FocusWords(view));
  writer.Line().Member("level_sentences", LevelSentences(view));
  writer.Line().Key("lines").BeginArray();
  for (const ServingLine& line : ServingLines(view))
    writer.BeginObject().Member("name", line.name).Member("text", line.text).EndObject();
  writer.EndArray();
  writer.Line().Key("gains").BeginArray();
  for (std::size_t row = 0; row < view.findings.rows(); ++row) writer.Write(GainWords(view, row));
  writer.EndArray();
  WriteHtmlWords(writer);
  writer.Line().Key("tables").BeginObject();
  for (const Table& table : report.tables)
    WriteTableData(writer, table, RowsOfPage(report, table), "");
  writer.EndObject().EndObject();
  return EscapedForScript(json + "\n");
}

std::string WriteServingHtml(const ServingReport& report) {
  return WriteHtmlPage({.title = "rankscope serving",
                        .without_script =
                            "This page draws its plots with JavaScript. Without it: rankscope "
                            "serving PATH writes them as text.",
                        .style = &ServingStyle(),
                        .data = WriteServingView(report),
                        .script = &ServingScript()});
}

}  // namespace rankscope
