#include "report/documents/notebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "json/writer.h"
#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/documents/markdown_report.h"
#include "report/words/finding_words.h"
#include "schemas/findings.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

constexpr std::string_view kHelpers = R"py(import os
import subprocess

import pandas
import rankscope


def evidence(finding):
    """Its numbers, else the events in which it is seen best."""
    shown = finding.raw["evidence"]
    rows = [row for part in shown for row in part.get("rows", [])]
    places = [f"({part['rank']}, {part['capture']}, {part['event']})" for part in shown if "event" in part]
    if rows or not places:
        return pandas.DataFrame(rows)
    return job.query(
        "SELECT rank, step, name, ts_ns, dur_ns FROM events "
        f"WHERE (rank, capture, event) IN ({', '.join(places)})"
    ).to_pandas()


def rows_of(table, finding):
    """The first rows of a table that are of its ranks."""
    frame = job.table(table).to_pandas()
    return (frame[frame["rank"].isin(finding.ranks)] if "rank" in frame else frame).head(20)


def rerun(command, after, environment):
    """Runs the job with a change, and compares what it records in `after` with the recording."""
    if not command:
        return "Say how the job is run; it must leave its traces in " + after
    subprocess.run(command, shell=True, check=True, env={**os.environ, **environment})
    return rankscope.diff(job, after))py";

class Cells {
 public:
  explicit Cells(std::string& out) : writer_(out) {
    writer_.BeginObject().Key("cells").BeginArray();
  }

  void Text(std::string_view markdown) {
    Begin("markdown");
    writer_.Member("source", Trimmed(markdown)).EndObject();
  }
  void Code(std::string_view python) {
    Begin("code");
    writer_.Key("execution_count").Null();
    writer_.Key("outputs").BeginArray().EndArray();
    writer_.Member("source", Trimmed(python)).EndObject();
  }
  void Finish() {
    writer_.EndArray().Key("metadata").BeginObject();
    writer_.Key("kernelspec")
        .BeginObject()
        .Member("display_name", "Python 3")
        .Member("language", "python")
        .Member("name", "python3")
        .EndObject();
    writer_.Key("language_info").BeginObject().Member("name", "python").EndObject();
    writer_.EndObject().Member("nbformat", 4).Member("nbformat_minor", 5).EndObject();
  }

 private:
  void Begin(std::string_view type) {
    writer_.Line().BeginObject().Member("cell_type", type);
    writer_.Member("id", fmt::format("cell-{}", ++count_));
    writer_.Key("metadata").BeginObject().EndObject();
  }
  static std::string_view Trimmed(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    while (text.starts_with('\n')) text.remove_prefix(1);
    return text;
  }

  json::Writer writer_;
  int count_ = 0;
};

std::string Opening(const NotebookJob& job) {
  if (!job.run_url.empty())
    return fmt::format(
        "# The traces, once; a token is taken from $RANKSCOPE_TOKEN.\n"
        "job = rankscope.open(rankscope.fetch({}))\njob",
        PythonText(job.run_url));
  std::string code = "job = rankscope.open(\n    [";
  for (std::size_t i = 0; i < job.paths.size(); ++i)
    code += (i == 0 ? "" : ", ") + PythonText(job.paths[i]);
  code += "],\n";
  for (const auto& [name, literal] : job.choices)
    code += fmt::format("    {}={},\n", name, literal);
  return code + ")\njob";
}

std::string Comment(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    std::string wrapped;
    AppendWrapped(wrapped, "", line);
    std::string_view rest = wrapped;
    while (!rest.empty()) {
      const std::string_view one = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), one.size() + 1));
      out += fmt::format("# {}\n", one);
    }
  }
  return out;
}

// Of "rankscope table copies TRACES --limit 20" the table; of `top kernels` and `top ops` the one
// whose rows they show.
std::optional<std::string_view> TableOf(std::string_view command) {
  const auto behind = [&](std::string_view words) -> std::optional<std::string_view> {
    if (!command.starts_with(words)) return std::nullopt;
    const std::string_view rest = command.substr(words.size());
    return rest.substr(0, rest.find(' '));
  };
  if (const auto table = behind("rankscope table ")) return table;
  const auto top = behind("rankscope top ");
  if (!top) return std::nullopt;
  if (*top == "kernels") return "kernel_places";
  return *top == "ops" ? "ops_by_shape" : *top;
}

// Where the cause is seen better than in the picture of the whole job, if it is.
std::optional<std::string_view> PictureOf(const Report& report, std::string_view what,
                                          std::size_t ranks) {
  if (what == "outlier step") return "step_times";
  if (what == "transfers") return "collectives";
  if (ranks < report.ranks.size()) return "ranks";
  return std::nullopt;
}

void AddEvidence(const Report& report, const RowsOf<Findings>& findings, std::size_t row,
                 Cells& cells) {
  const std::string finding =
      fmt::format("findings[{}]", PythonText(findings.String(row, findings->id)));
  cells.Code(fmt::format("evidence({})", finding));
  const std::size_t ranks = ParseRanges(findings.String(row, findings->ranks)).size();
  const auto picture = PictureOf(report, findings.String(row, findings->what), ranks);
  if (picture && !RowsOf<JobBreakdown>(report).empty())
    cells.Code(fmt::format("job.plot.{}();", *picture));
  if (const auto table = TableOf(findings.String(row, findings->command)))
    cells.Code(fmt::format("rows_of({}, {})", PythonText(*table), finding));
}

std::string Change(const Report& report, const RowsOf<Findings>& findings, std::size_t row) {
  const std::string_view id = findings.String(row, findings->id);
  const bool has_gain = findings.Number(row, findings->gain_pct).has_value();
  return fmt::format(
      "{}{}command = \"\"  # how the job is run with the change\n"
      "environment = {{}}\nrerun(command, {}, environment)",
      has_gain ? fmt::format("# Promised: {}.\n", GainWords(report, row)) : "",
      Comment(fmt::format("Change: {}", findings.String(row, findings->recommendation))),
      PythonText(fmt::format("after-{}", id)));
}

bool IsReplayed(const RowsOf<Findings>& findings, std::size_t row) {
  return findings.String(row, findings->gain_method) == "replay";
}

}  // namespace

std::string PythonText(std::string_view text) {
  // JSON's escapes are Python's; what lies beyond 16 bits is written as it is.
  std::string literal;
  json::Writer(literal).Write(text);
  return literal;
}

std::string WriteNotebook(const Report& report, const NotebookJob& job) {
  const RowsOf<Findings> findings(report);
  std::string out;
  Cells cells(out);
  cells.Text(fmt::format("# {}\n\n{}", findings.empty() ? "Where time goes" : "Why the job is slow",
                         MarkdownSummary(report)));
  cells.Code(kHelpers);
  cells.Code(Opening(job));
  if (findings.rows() > 0)
    cells.Code(
        "findings = {finding.id: finding for finding in job.findings}\n"
        "job.table(\"findings\").to_pandas()[[\"id\", \"severity\", \"gain_pct\", \"who\", "
        "\"title\"]]");
  if (!RowsOf<JobBreakdown>(report).empty()) cells.Code("job.plot.time();");
  std::string cures;
  for (std::size_t row = 0; row < findings.rows(); ++row) {
    const std::string id(findings.String(row, findings->id));
    cells.Text(MarkdownOfFinding(report, row));
    AddEvidence(report, findings, row, cells);
    cells.Code(Change(report, findings, row));
    if (IsReplayed(findings, row))
      cures += (cures.empty() ? "" : ", ") + PythonText("cure:finding=" + id);
  }
  if (!cures.empty()) {
    cells.Text("## All of them\n\nEach alone and all together, by a replay of the recording.");
    cells.Code(fmt::format("job.whatif([{}]).to_pandas()", cures));
  }
  cells.Text("## More\n\nSQL over the events of all ranks, and the whole report.");
  cells.Code(
      "job.query(\n    \"SELECT rank, name, count(*) AS calls, sum(dur_ns) AS ns FROM ops \"\n"
      "    \"GROUP BY rank, name ORDER BY ns DESC LIMIT 20\"\n).to_pandas()");
  cells.Code("job.report()");
  cells.Finish();
  return out + "\n";
}

}  // namespace rankscope
