#include "report/fleet/fleet_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "json/writer.h"
#include "schemas/fleet_answers.h"
#include "table/human_number.h"
#include "table/terminal_text.h"
#include "table/write_json.h"

namespace rankscope {
namespace {

std::string HeadingOf(std::string_view table) {
  static const std::map<std::string_view, std::string_view> kHeadings = {
      {FleetShares::kName, "Whose device hours"},
      {FleetClasses::kName, "GPU time by kernel class and bound"},
      {FleetKernels::kName, "Most costly kernels"},
      {FleetFrequent::kName, "Most launched kernels"},
      {FleetFindings::kName, "Findings by what they cost"},
      {FleetUnknown::kName, "What is not known"},
      {FleetRegressions::kName, "What changed"},
      {FleetMovers::kName, "What moved the GPU time: duration, count, mix"},
      {FleetModels::kName, "Models over time"}};
  const auto found = kHeadings.find(table);
  return std::string(found == kHeadings.end() ? table : found->second);
}

// What a table of a terminal has room for; other formats have all columns.
Table Shown(const Table& table) {
  static const std::set<std::string_view> kWide = {
      "work", "fleet_launches", "total_ns", "example_run", "dtype", "models", "unweighted_pct"};
  std::vector<ColumnSpec> columns;
  std::vector<std::size_t> kept;
  const bool is_kernels =
      table.name() == FleetKernels::kName || table.name() == FleetFrequent::kName;
  for (std::size_t i = 0; i < table.column_count(); ++i) {
    bool is_known = false;
    for (std::size_t row = 0; row < table.row_count() && !is_known; ++row)
      is_known = !table.IsNull(row, i);
    if (!is_known || (is_kernels && kWide.contains(table.columns()[i].name))) continue;
    columns.push_back(table.columns()[i]);
    kept.push_back(i);
  }
  Table shown(table.name(), columns);
  if (kept.empty()) return shown;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    std::vector<Value> cells;
    for (const std::size_t i : kept) {
      const bool is_all = table.name() == FleetMovers::kName && table.IsNull(row, i) &&
                          table.columns()[i].name == "kernel_key";
      cells.push_back(is_all ? Value(std::string_view("all computing kernels")) : table.At(row, i));
    }
    shown.AddRow(cells);
  }
  return shown;
}

// On each side of a change (docs/fleet.md).
constexpr std::int64_t kFewestRuns = 5;

class Changes {
 public:
  Changes(const Table& table, std::int64_t runs) : rows_(table), runs_(runs) {}

  std::string Text() const {
    if (rows_.row_count() == 0)
      return runs_ < 2 * kFewestRuns
                 ? fmt::format("{} too few: a change is told from {} runs on each side.\n",
                               runs_ == 1 ? "1 run is" : fmt::format("{} runs are", runs_),
                               kFewestRuns)
                 : fmt::format(
                       "No kernel changed by more than chance, its own spread and 3% in {} "
                       "runs.\n",
                       runs_);
    std::string text;
    for (std::size_t row = 0; row < rows_.row_count(); ++row) text += Paragraph(row);
    return text;
  }

 private:
  std::string Words(std::size_t row,
                    ColumnHandle<FleetRegressions, std::string_view> column) const {
    return SafeForTerminal(rows_.TextOrEmpty(row, column));
  }
  static std::string Signed(double value, std::string_view unit) {
    return fmt::format("{:+.1f}{}", value, unit);
  }

  std::string Stratum(std::size_t row) const {
    std::string text;
    for (const auto& column : {of_.device_model, of_.shape_bucket, of_.dtype, of_.model}) {
      const std::string word = Words(row, column);
      if (!word.empty()) text += (text.empty() ? "" : ", ") + word;
    }
    return text.empty() ? "unknown device" : text;
  }

  std::string Paragraph(std::size_t row) const {
    std::string text = Words(row, of_.kind) + ": " + Words(row, of_.kernel_key);
    if (const auto change = rows_.Known(row, of_.change_pct)) text += " " + Signed(*change, "%");
    text += fmt::format("\n    on {}, since {}", Stratum(row), Words(row, of_.since));
    if (const std::string until = Words(row, of_.until); !until.empty()) text += " until " + until;
    const auto before = rows_.Known(row, of_.before_ns);
    text += fmt::format(": {}{} a launch ({} runs before, {} after, q {:.2g})\n",
                        before ? HumanDuration(static_cast<double>(*before)) + " -> " : "",
                        HumanDuration(static_cast<double>(rows_.Int(row, of_.after_ns))),
                        rows_.Int(row, of_.runs_before), rows_.Int(row, of_.runs_after),
                        rows_.Double(row, of_.q));
    const std::string cause = Words(row, of_.cause);
    if (cause.empty()) {
      text += "    cause: no recorded attribute goes with it\n";
    } else {
      text += fmt::format("    cause: {} (explains {:.0f}% of the variance", cause,
                          rows_.Double(row, of_.cause_pct));
      const std::string other = Words(row, of_.cause_or);
      text += other.empty() ? ")\n" : fmt::format("; {} as well)\n", other);
    }
    const auto hours = rows_.Known(row, of_.hours_per_day);
    const auto step = rows_.Known(row, of_.step_pct);
    text += fmt::format("    worth: {} GPU hours a day, {} of the computing time of a step\n",
                        hours ? fmt::format("{:+.2f}", *hours) : "an unknown number of",
                        step ? fmt::format("{:+.2f}%", *step) : "an unknown part");
    text += fmt::format("    runs: before {}, after {}\n    {}\n\n", Words(row, of_.before_runs),
                        Words(row, of_.after_runs), Words(row, of_.command));
    return text;
  }

  const ViewOf<FleetRegressions> rows_;
  const std::int64_t runs_;
  const FleetRegressions& of_ = SchemaOf<FleetRegressions>();
};

// "driver: not known of 57.1% of runs, so a driver is not suspected as a cause." and the remedy.
std::string UnknownText(const Table& table) {
  if (table.row_count() == 0) return "nothing\n";
  const ViewOf<FleetUnknown> rows = table;
  const auto& of = SchemaOf<FleetUnknown>();
  std::string text;
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    const auto words = [&](auto column) { return SafeForTerminal(rows.TextOrEmpty(row, column)); };
    text += fmt::format("{}: not known of {} of {}, so {}\n    remedy: {}\n", words(of.what),
                        HumanPercent(rows.Double(row, of.unknown_pct)), words(of.of),
                        words(of.effect), words(of.remedy));
  }
  return text;
}

}  // namespace

const Table* FleetReport::Find(std::string_view name) const {
  const auto found = std::ranges::find_if(tables, [&](const Table& t) { return t.name() == name; });
  return found == tables.end() ? nullptr : &*found;
}

std::string WriteFleetText(const FleetReport& report, const TextOptions& options) {
  if (report.runs == 0)
    return "No run of this time has been analysed: rankscope store list has those of the store.\n";
  std::string text;
  for (const Table& table : report.tables) {
    if (!text.empty() && !text.ends_with("\n\n")) text += "\n";
    text += HeadingOf(table.name()) + "\n\n";
    if (table.name() == FleetRegressions::kName) {
      text += Changes(table, report.runs).Text();
    } else if (table.name() == FleetUnknown::kName) {
      text += UnknownText(table);
    } else if (table.name() == FleetMovers::kName && table.row_count() == 0) {
      text += "One of the two parts of the time has no runs.\n";
    } else if (table.row_count() == 0) {
      text += "nothing\n";
    } else {
      text += WriteText(Shown(table), options);
    }
  }
  return text;
}

std::string WriteFleetJson(const FleetReport& report) {
  std::string text;
  json::Writer writer(text);
  writer.BeginObject().TextMember("schema", "rankscope.fleet/1").Member("runs", report.runs);
  writer.Key("tables").BeginObject();
  for (const Table& table : report.tables) {
    writer.Key(table.name());
    WriteTableJson(writer, table);
  }
  writer.EndObject().EndObject();
  return text + "\n";
}

}  // namespace rankscope
