#include "analysis/critical_path/analyses.h"
#include "facts/path_charges.h"
#include "facts/window_pieces.h"
#include "facts/windows.h"
#include "stage/reduce.h"
#include "schemas/columns.h"

namespace rankscope {

const std::string_view kPathDefinition =
    "The critical path goes back from the end of the recording (the last work of the main thread "
    "or of a device) to its begin: from each piece of work to what it waited for last, so that "
    "every instant has one owner, and work that is not on the path did not decide when the "
    "recording ended. Waiting is never on it. Work depends on what ran before it on its thread or "
    "stream; device work also on its launch and on streams whose events it waits for; the host on "
    "the device work that synchronisation, cudaFree, blocking copies and launches into a full "
    "queue "
    "wait for, and the main thread on autograd's threads. The time between the begin of a launch "
    "call and its work, when the stream was free, is launch (until 100 us after the call's "
    "return); between work and what it waited for else, up to 30 us, kernel gap. Time for which "
    "the trace shows no reason is unexplained.";

namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = [] {
    std::vector<ColumnSpec> columns = {
        column::StepOfWindow(),
        column::Int("duration_ns", "ns",
                    "length of the window; the columns behind it sum to it exactly")};
    for (const CauseText& cause : kCauseTexts)
      columns.push_back(column::Int(std::string(cause.column), "ns", std::string(cause.doc)));
    columns.push_back(column::Complete());
    return column::BehindRank(columns);
  }();
  return kColumns;
}

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  const Windows windows(facts.trace(), options.steps);
  std::vector<std::array<std::int64_t, kChargeCauseCount>> sums(windows.size());
  WindowPieces pieces(windows);
  for (const Charge& charge : facts.path().charges) {
    pieces.Divide({charge.begin_ns, charge.end_ns}, [&](std::size_t window, std::int64_t length) {
      sums[window][static_cast<std::size_t>(charge.cause)] += length;
    });
  }
  Table table("critical_path", column::OfMap(Columns()));
  for (std::size_t i = 0; i < windows.size(); ++i) {
    std::vector<Value> row = {windows[i].StepValue(), windows[i].Duration()};
    row.insert(row.end(), sums[i].begin(), sums[i].end());
    row.emplace_back(windows[i].complete);
    table.AddRow(row);
  }
  return {table};
}

}  // namespace

const Analysis& CriticalPathAnalysis() {
  static const Analysis kAnalysis = {
      .name = "critical_path",
      .summary = "what decides the length of each step, by cause; sums exactly to the wall time",
      .definition =
          std::string(kPathDefinition) +
          " The path is found once for the whole recording, and each window has the part "
          "of it that lies inside. One rank is looked at: how long a collective waits for "
          "other ranks is inside communication.",
      .example = "rankscope table critical_path traces/ --steps 551",
      .columns = Columns(),
      .mapper = {.name = "critical_path", .tables = {column::OfMap(Columns())}, .map = Map},
      .reducer = JoinRows(CriticalPathAnalysis, 3),
  };
  return kAnalysis;
}

}  // namespace rankscope
