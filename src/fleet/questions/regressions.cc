#include "fleet/questions/regressions.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fleet/changes/attribute_split.h"
#include "fleet/changes/false_discovery.h"
#include "fleet/questions/found_change.h"
#include "table/or_null.h"

namespace rankscope::fleet {
namespace {

// Others that got cheaper by this part of what the kernel costs more are where its work came from.
constexpr double kShifted = 0.8;
// Less of the variance explains nothing.
constexpr double kLeastExplained = 0.5;
constexpr std::size_t kShownRuns = 3;
constexpr double kDayNs = 86400e9;
constexpr double kMsPerHour = 3.6e6;

enum class Kind { kRegression, kNewKernel, kCostShift, kImprovement };  // in the order of rows

const char* WordOf(Kind kind) {
  switch (kind) {
    case Kind::kRegression:
      return "regression";
    case Kind::kNewKernel:
      return "new kernel";
    case Kind::kCostShift:
      return "cost shift";
    case Kind::kImprovement:
      break;
  }
  return "improvement";
}

Kind KindOf(const FoundChange& change) {
  if (change.step && change.step->offset >= kShifted) return Kind::kCostShift;
  if (change.is_new) return Kind::kNewKernel;
  return change.after_ns > change.before_ns ? Kind::kRegression : Kind::kImprovement;
}

std::optional<AttributeSplit> CauseOf(const RunSeries& series, const FoundChange& change) {
  std::vector<Attribute> attributes;
  for (std::size_t i = 0; i < kCauses.size(); ++i) {
    Attribute attribute{kCauses[i], {}};
    for (const auto* runs : {&change.before, &change.after}) {
      for (const std::uint32_t run : *runs) attribute.values.push_back(series.runs[run].causes[i]);
    }
    attributes.push_back(std::move(attribute));
  }
  return ExplainChange(change.values, change.before.size(), attributes, kLeastExplained);
}

// GPU hours a day that the new level costs more than the old one would: of each run the part of its
// time that is beyond it.
std::optional<double> HoursPerDay(const RunSeries& series, const FoundChange& change) {
  std::optional<double> ms;
  for (const Sighting& seen : change.sightings_after) {
    if (seen.fleet_ms) ms = ms.value_or(0) + static_cast<double>(*seen.fleet_ms);
  }
  if (!ms || change.after.empty()) return std::nullopt;
  const double beyond = change.is_new ? 1 : 1 - change.before_ns / change.after_ns;
  const double days =
      std::max(1.0, static_cast<double>(series.runs[change.after.back()].start_ns -
                                        series.runs[change.after.front()].start_ns) /
                        kDayNs);
  return *ms / kMsPerHour * beyond / days;
}

std::string IdsOf(const RunSeries& series, const std::vector<std::uint32_t>& runs, bool last) {
  std::string ids;
  const std::size_t count = std::min(kShownRuns, runs.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (!ids.empty()) ids += ' ';
    ids += series.runs[runs[last ? runs.size() - count + i : i]].id;
  }
  return ids;
}

// A path as a shell takes it.
std::string ShellWord(const std::string& text) {
  const bool is_plain = std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("/._-+:@").find(c) != std::string_view::npos;
  });
  if (is_plain && !text.empty()) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string CommandOf(const RunSeries& series, const FoundChange& change, const std::string& data) {
  const std::string folder = ShellWord(data);
  return fmt::format(
      "rankscope store get {0} --data {2} -o before && rankscope store get {1} --data {2} -o after "
      "&& rankscope diff before/traces after/traces",
      series.runs[change.before.back()].id, series.runs[change.after.front()].id, folder);
}

struct Told {
  const FoundChange* change;
  Kind kind;
  double q;
  std::optional<double> hours;
};

void AddRow(const RunSeries& series, const Told& told, const RegressionOptions& options,
            TableOf<FleetRegressions>& table) {
  const FoundChange& change = *told.change;
  const auto& columns = SchemaOf<FleetRegressions>();
  const auto cause = CauseOf(series, change);
  std::string why, or_else;
  if (cause) {
    why = fmt::format("{} {} -> {}", cause->attribute,
                      cause->before.empty() ? "unknown" : cause->before, cause->value);
    for (const std::string_view other : cause->or_else)
      or_else += (or_else.empty() ? "" : ", ") + std::string(other);
  }
  const std::string before_runs = IdsOf(series, change.before, true);
  const std::string after_runs = IdsOf(series, change.after, false);
  const std::string command = CommandOf(series, change, options.data);
  const auto ns = [](double value) { return static_cast<std::int64_t>(std::llround(value)); };
  const bool has_step = change.step && change.step->computing_ns > 0;
  const std::string& since = series.runs[change.after.front()].day;
  table.Add(
      {columns.kind = WordOf(told.kind),
       columns.kernel_key = change.stratum.kernel_key,
       columns.kernel_class = change.stratum.kernel_class,
       columns.device_model = TextOrNull(change.stratum.device_model),
       columns.shape_bucket = TextOrNull(change.stratum.shape_bucket),
       columns.dtype = TextOrNull(change.stratum.dtype),
       columns.model = TextOrNull(change.stratum.model),
       columns.since = since,
       columns.until = change.came_back ? Value(series.runs[*change.came_back].day) : Value(kNull),
       columns.before_ns = change.is_new ? Value(kNull) : Value(ns(change.before_ns)),
       columns.after_ns = ns(change.after_ns),
       columns.change_pct =
           change.is_new ? Value(kNull) : Value(100 * (change.after_ns / change.before_ns - 1)),
       columns.step_pct = has_step ? Value(100 * change.step->kernel_ns / change.step->computing_ns)
                                   : Value(kNull),
       columns.hours_per_day = told.hours,
       columns.p = change.p,
       columns.q = told.q,
       columns.runs_before = static_cast<std::int64_t>(change.before.size()),
       columns.runs_after = static_cast<std::int64_t>(change.after.size()),
       columns.cause = TextOrNull(why),
       columns.cause_pct = cause ? Value(100 * cause->explained) : Value(kNull),
       columns.cause_or = TextOrNull(or_else),
       columns.before_runs = before_runs,
       columns.after_runs = after_runs,
       columns.command = command});
}

}  // namespace

Result<TableOf<FleetRegressions>> FindRegressions(FleetSql& sql, const RegressionOptions& options) {
  RS_ASSIGN_OR_RETURN(const RunSeries series, ReadSeries(sql));
  const FoundChanges found = FindChanges(series);
  std::vector<double> p;
  for (const FoundChange& change : found.changes) p.push_back(change.p);
  p.resize(found.changes.size() + found.tests_without, 1);
  const std::vector<double> q = FalseDiscoveryRates(p);
  std::vector<Told> told;
  for (std::size_t i = 0; i < found.changes.size(); ++i) {
    const FoundChange& change = found.changes[i];
    if (q[i] > options.most_q) continue;
    const std::optional<double> hours = HoursPerDay(series, change);
    if (hours && std::abs(*hours) < options.least_hours_per_day) continue;
    told.push_back({&change, KindOf(change), q[i], hours});
  }
  std::ranges::stable_sort(told, [](const Told& a, const Told& b) {
    if (a.kind != b.kind) return a.kind < b.kind;
    if (std::abs(a.hours.value_or(0)) != std::abs(b.hours.value_or(0)))
      return std::abs(a.hours.value_or(0)) > std::abs(b.hours.value_or(0));
    return a.q < b.q;
  });
  auto table = SchemaOf<FleetRegressions>().NewTable(std::string(FleetRegressions::kName));
  for (const Told& one : told) AddRow(series, one, options, table);
  return table;
}

}  // namespace rankscope::fleet
