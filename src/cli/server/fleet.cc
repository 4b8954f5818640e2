// `rankscope fleet`: questions over all runs of a store.
#include <fmt/core.h>

#include "app/fleet/ask_fleet.h"
#include "app/fleet/kept_answers.h"
#include "catalog/tables.h"
#include "cli/arguments/table_output.h"
#include "cli/base/command.h"
#include "cli/base/listener.h"
#include "cli/base/output.h"
#include "cli/server/fleet_hours.h"
#include "cli/server/store.h"
#include "fleet/questions/costs.h"
#include "report/fleet/fleet_report.h"

namespace rankscope::cli {
namespace {

// How answers are written.
struct Shape {
  std::string format = "text";
  std::string output;
  std::string table;
};

Status WriteFleet(const FleetReport& report, const Shape& shape) {
  if (!shape.table.empty()) {
    const Table* table = report.Find(shape.table);
    if (table != nullptr) return TableOutput(shape.format, shape.output).Write(*table);
    std::string names;
    for (const Table& one : report.tables) names += (names.empty() ? "" : ", ") + one.name();
    return Error(StatusCode::kInvalidArgument, "--table {}: this command has {}", shape.table,
                 names);
  }
  if (shape.format == "text") {
    const bool to_terminal = shape.output.empty();
    return WriteOutput(shape.output,
                       WriteFleetText(report, {.max_width = to_terminal ? TerminalWidth() : 0,
                                               .colour = to_terminal && TakesColour()}));
  }
  if (report.tables.size() == 1)
    return TableOutput(shape.format, shape.output).Write(report.tables.front());
  return Error(StatusCode::kInvalidArgument, "--format {} needs --table NAME: it is of one table",
               shape.format);
}

void AddPeriod(CommandSpec& command, app::FleetSpec& fleet) {
  command.AddOption("DATA", fleet.data, "the store's folder").Type(kFolderType).Required();
  AddCatalogue(command, fleet.catalogue);
  command.AddOption("--since", fleet.since, "the first day, by the begin of recordings, UTC")
      .Type("YYYY-MM-DD");
  command.AddOption("--until", fleet.until, "the last day").Type("YYYY-MM-DD");
}

void AddShape(CommandSpec& command, Shape& shape) {
  command
      .AddOption("--format", shape.format, "text or json; of one table csv, jsonl or parquet, too")
      .OneOf({"text", "json", "csv", "jsonl", "parquet"})
      .ShowDefault();
  command.AddOption("-o,--output", shape.output, "write to this file").Type(kFileType);
  command.AddOption("--table", shape.table, "one table in place of all")
      .Offers(catalog::TableNames(Subject::kFleet));
}

// All of a question on which its answer depends.
std::string WordsOf(const app::FleetSpec& fleet) {
  return fmt::format("{}\n{}\n{}\n{}", ProgramVersion(), fleet.data, fleet.since, fleet.until);
}
std::string WordsOf(const app::OverviewQuestion& of) {
  return fmt::format("overview\n{}\n{}\n{}", WordsOf(of.fleet), of.by, of.top);
}
std::string WordsOf(const app::KernelsQuestion& of) {
  return fmt::format("kernels\n{}\n{}\n{}", WordsOf(of.fleet), of.by_launches, of.top);
}
std::string WordsOf(const app::RegressionsQuestion& of) {
  return fmt::format("regressions\n{}\n{}\n{}\n{}\n{}", WordsOf(of.fleet), of.most_q,
                     of.least_hours_per_day, of.split, of.top);
}
std::string WordsOf(const app::FindingsQuestion& of) {
  return fmt::format("findings\n{}\n{}", WordsOf(of.fleet), of.by);
}
std::string WordsOf(const app::ModelsQuestion& of) {
  return fmt::format("models\n{}\n{}\n{}", WordsOf(of.fleet), of.model, of.every);
}

// A question with its own arguments: `declare` adds them and the example.
template <typename Question>
void AddQuestion(CommandSpec& fleet, const std::string& name, const std::string& about,
                 Result<FleetReport> (*ask)(const Question&, app::Listener&),
                 void (*declare)(CommandSpec&, Question&)) {
  struct Arguments {
    Question question;
    Shape shape;
  };
  CommandSpec& command = fleet.AddCommand(name, about);
  auto arguments = std::make_shared<Arguments>();
  AddPeriod(command, arguments->question.fleet);
  declare(command, arguments->question);
  AddShape(command, arguments->shape);
  command.SetRun(MakeAction([arguments, ask]() -> Status {
    TerminalListener listener;
    const Question& question = arguments->question;
    const Shape& shape = arguments->shape;
    // What pages ask for.
    if (shape.format == "json" && shape.table.empty()) {
      const auto make = [&]() -> Result<std::string> {
        RS_ASSIGN_OR_RETURN(const FleetReport report, ask(question, listener));
        return WriteFleetJson(report);
      };
      RS_ASSIGN_OR_RETURN(const std::string text,
                          app::KeptAnswer(question.fleet, WordsOf(question), listener, make));
      return WriteOutput(shape.output, text);
    }
    RS_ASSIGN_OR_RETURN(const FleetReport report, ask(question, listener));
    return WriteFleet(report, shape);
  }));
}

constexpr int kMostRows = 100'000;

void DeclareOverview(CommandSpec& command, app::OverviewQuestion& question) {
  command.AddOption("--by", question.by, "whose device hours")
      .OneOf(fleet::DivisionNames())
      .ShowDefault();
  command.AddOption("--top", question.top, "kernels to show").Range(1, kMostRows).ShowDefault();
  command.Footer("Example:\n  rankscope fleet overview /var/lib/rankscope --by model");
}

void DeclareKernels(CommandSpec& command, app::KernelsQuestion& question) {
  command.AddFlag("--by-launches", question.by_launches,
                  "the most launched first (default: those with the most GPU time)");
  command.AddOption("--top", question.top, "kernels to show").Range(1, kMostRows).ShowDefault();
  command.Footer(
      "Example:\n  rankscope fleet kernels /var/lib/rankscope --since 2026-11-01 --format csv");
}

void DeclareRegressions(CommandSpec& command, app::RegressionsQuestion& question) {
  command
      .AddOption("--most-q", question.most_q, "false discovery rate over all kernels that is borne")
      .Range(0.0, 1.0)
      .ShowDefault();
  command
      .AddOption("--least-hours", question.least_hours_per_day,
                 "leave out what is known to cost or save fewer GPU hours a day")
      .NonNegative()
      .ShowDefault();
  command
      .AddOption("--split", question.split,
                 "the first day of the second part, for fleet_movers (default: the day in the "
                 "middle)")
      .Type("YYYY-MM-DD");
  command.AddOption("--top", question.top, "movers to show").Range(1, kMostRows).ShowDefault();
  command.Footer("Example:\n  rankscope fleet regressions /var/lib/rankscope --since 2026-10-01");
}

void DeclareFindings(CommandSpec& command, app::FindingsQuestion& question) {
  command.AddOption("--by", question.by, "a row for each of these, too")
      .OneOf(fleet::DivisionNames());
  command.Footer("Example:\n  rankscope fleet findings /var/lib/rankscope --by team");
}

void DeclareModels(CommandSpec& command, app::ModelsQuestion& question) {
  command.AddOption("--model", question.model, "this one alone");
  command.AddOption("--every", question.every, "how long a period is")
      .OneOf({"day", "week", "month"})
      .ShowDefault();
  command.Footer(
      "Example:\n  rankscope fleet models /var/lib/rankscope --model llama-70b --every week");
}

void AddFleetQuery(CommandSpec& fleet) {
  struct Arguments {
    app::FleetSpec fleet;
    std::string sql;
    TableOutput table;
  };
  CommandSpec& command =
      fleet.AddCommand("query", "SQL over the runs, kernels and findings of the store");
  auto arguments = std::make_shared<Arguments>();
  AddPeriod(command, arguments->fleet);
  command
      .AddOption("SQL", arguments->sql,
                 "one SELECT over fleet_run, kernel_run, finding_run and kernel_day")
      .Required();
  arguments->table.AddTo(command);
  command.Footer(
      "Example:\n  rankscope fleet query /var/lib/rankscope 'SELECT model, count(*) FROM fleet_run "
      "GROUP BY ALL'");
  command.SetRun(MakeAction([arguments]() -> Status {
    TerminalListener listener;
    RS_ASSIGN_OR_RETURN(const Table rows,
                        app::AskFleet(arguments->fleet, arguments->sql, listener));
    return arguments->table.Write(rows);
  }));
}

}  // namespace

void AddFleet(CommandSpec& app) {
  CommandSpec& fleet = app.AddCommand("fleet", "ask questions over all runs of a store");
  AddQuestion<app::OverviewQuestion>(fleet, "overview", "say where the GPU hours go",
                                     app::AskOverview, DeclareOverview);
  AddQuestion<app::KernelsQuestion>(fleet, "kernels", "list the most costly kernels of all runs",
                                    app::AskKernels, DeclareKernels);
  AddQuestion<app::RegressionsQuestion>(fleet, "regressions",
                                        "say which kernels got slower, since when and why",
                                        app::AskRegressions, DeclareRegressions);
  AddQuestion<app::FindingsQuestion>(fleet, "findings", "list the findings that cost most",
                                     app::AskFindings, DeclareFindings);
  AddQuestion<app::ModelsQuestion>(fleet, "models", "show models over months", app::AskModels,
                                   DeclareModels);
  AddFleetHours(fleet);
  AddFleetQuery(fleet);
  fleet.Footer("Example:\n  rankscope fleet overview /var/lib/rankscope");
}

}  // namespace rankscope::cli
