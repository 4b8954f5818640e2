#include <utility>

#include "app/top.h"
#include "cli/arguments/row_arguments.h"
#include "cli/arguments/table_output.h"
#include "cli/base/command.h"
#include "cli/base/listener.h"
#include "cli/base/messages.h"
#include "cli/base/several_runs.h"
#include "report/base/kernel_name.h"

namespace rankscope::cli {
namespace {

struct TopArguments {
  std::string kind;
  JobArguments job;
  TableOutput output;
  RowArguments rows{20};
};

// Names of kernels as people write them: templates of a screen's width hide what differs.
Table WithShortNames(const Table& kernels) {
  constexpr std::size_t kWidth = 36;
  const auto name = kernels.Find("name");
  if (!name) return kernels;
  Table shown(kernels.name(), kernels.columns());
  for (std::size_t row = 0; row < kernels.row_count(); ++row) {
    std::vector<Value> cells;
    for (std::size_t column = 0; column < kernels.column_count(); ++column)
      cells.push_back(kernels.At(row, column));
    const std::string text = ShortKernelName(kernels.String(row, *name), kWidth);
    cells[*name] = text;
    shown.AddRow(cells);
  }
  return shown;
}

Result<ExitCode> RunTop(const TopArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const app::JobSpec spec, arguments.job.Spec());
  TerminalListener listener;
  Result<app::TopList> top = app::TopOf(arguments.kind, spec, listener);
  if (!top.ok() && !listener.runs().empty()) {
    TellRuns(listener.runs(), "rankscope top " + arguments.kind, "");
    return kCouldNot;
  }
  if (!top.ok()) return top.status();
  RS_ASSIGN_OR_RETURN(const Table shown, arguments.rows.Of(std::move(top->table), top->columns));
  if (!top->missing.empty()) Tell(top->missing);
  const bool are_kernels = arguments.kind == "kernels";
  RS_RETURN_IF_ERROR(arguments.output.Write(
      are_kernels && arguments.output.is_text() ? WithShortNames(shown) : shown));
  return kDone;
}

}  // namespace

void AddTop(CommandSpec& app) {
  CommandSpec& command = app.AddCommand(
      "top", "the dearest kernels, ops, modules or lines of code, with shapes and % of roofline");
  auto arguments = std::make_shared<TopArguments>();
  command.AddOption("WHAT", arguments->kind, "kernels, ops, modules or lines")
      .OneOf(app::TopKinds())
      .Required();
  arguments->job.AddTo(command);
  arguments->output.AddTo(command);
  arguments->rows.AddTo(command);
  command.Footer(
      "Example:\n  rankscope top kernels traces/ --limit 5\n"
      "rankscope list kernel_places, ops_by_shape, modules and lines define their columns.");
  command.SetRun(MakeActionWithCode([arguments] { return RunTop(*arguments); }));
}

}  // namespace rankscope::cli
