#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "catalog/list.h"
#include "cli/command.h"
#include "cli/command_tables.h"
#include "cli/output.h"
#include "cli/table_definitions.h"
#include "sql/query.h"
#include "table/style.h"

namespace rankscope::cli {
namespace {

template <typename... Args>
void Print(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

void DescribeColumns(std::span<const ColumnSpec> columns, std::string& out) {
  Print(out, "\ncolumns\n");
  for (const ColumnSpec& column : columns) {
    const std::string type = column.unit.empty()
                                 ? std::string(ToString(column.type))
                                 : fmt::format("{}, {}", ToString(column.type), column.unit);
    Print(out, "  {:<26} {:<14} {}\n", column.name, type, column.doc);
  }
}

void DescribeOne(const Analysis& analysis, std::string& out) {
  Print(out, "{}: {}\n\n{}\n", analysis.name, analysis.summary, analysis.definition);
  DescribeColumns(analysis.columns, out);
  Print(out, "\noptions (--set OPTION=VALUE)\n");
  for (const OptionSpec& option : analysis.AllOptions()) {
    Print(out, "  {:<26} {:<14} {}\n", option.name, option.default_value, option.doc);
  }
  if (analysis.AllOptions().empty()) Print(out, "  none\n");
  Print(out, "\nexample\n  {}\n", analysis.example);
}

std::string ExampleOf(const sql::View& view) {
  return fmt::format("rankscope query traces/ 'FROM {} LIMIT 10'", view.name);
}

void DescribeOne(const sql::View& view, std::string& out) {
  Print(out, "{}: {}\n", view.name, view.summary);
  DescribeColumns(view.columns, out);
  Print(out, "\nexample\n  {}\n", ExampleOf(view));
}

void DescribeOne(const CommandTable& table, std::string& out) {
  Print(out, "{}: {}\n", table.name, table.summary);
  DescribeColumns(table.columns, out);
  Print(out, "\nexample\n  {}\n", table.example);
}

constexpr std::string_view kViewsTitle = "Views of SQL, besides every table below";

// Names and summaries, by topic.
void ListNames(std::string& out) {
  std::size_t width = 0;
  for (const Analysis* analysis : AllAnalyses()) {
    if (analysis->group == Group::kDefault) width = std::max(width, analysis->name.size());
  }
  Print(out, "{}\n", Marked(Style::kHeading, kViewsTitle));
  for (const sql::View& view : sql::Views())
    Print(out, "  {:<{}}  {}\n", view.name, width, view.summary);
  for (const Topic& topic : AllTopics()) {
    Print(out, "\n{}\n", Marked(Style::kHeading, topic.title));
    for (const Analysis* analysis : topic.analyses)
      Print(out, "  {:<{}}  {}\n", analysis->name, width, analysis->summary);
  }
  for (const CommandTables& command : TablesOfCommands()) {
    Print(out, "\n{}\n", Marked(Style::kHeading, command.title));
    for (const CommandTable& table : command.tables)
      Print(out, "  {:<{}}  {}\n", table.name, width, table.summary);
  }
  Print(out,
        "\nrankscope list NAME describes one; rankscope table NAME PATH and rankscope query PATH "
        "show them.\n");
}

void DescribeColumnsInMarkdown(std::span<const ColumnSpec> columns, std::string& out) {
  Print(out, "\n| column | type | unit | meaning |\n|---|---|---|---|\n");
  for (const ColumnSpec& column : columns) {
    Print(out, "| {} | {} | {} | {} |\n", column.name, ToString(column.type), column.unit,
          column.doc);
  }
}

constexpr std::string_view kCompatAbout =
    "The columns and numbers of the tool's own tables, defects included, for people who come from "
    "it; [hta.md](hta.md) says where they differ from the tables above, and why.";

// docs/tables.md: everything that `list NAME` says, of everything.
void DescribeAllInMarkdown(std::string& out) {
  Print(out,
        "# Tables\n\nEvery analysis and every view of SQL, its definition and columns. Made by "
        "`rankscope list --markdown`; times in `ns` are int64.\n");
  Print(out, "\n# {}\n", kViewsTitle);
  for (const sql::View& view : sql::Views()) {
    Print(out, "\n## {}\n\n{}.\n\n    {}\n", view.name, view.summary, ExampleOf(view));
    DescribeColumnsInMarkdown(view.columns, out);
  }
  for (const Topic& topic : AllTopics()) {
    Print(out, "\n# {}\n", topic.title);
    if (topic.analyses.front()->group == Group::kCompat) Print(out, "\n{}\n", kCompatAbout);
    for (const Analysis* analysis : topic.analyses) {
      Print(out, "\n## {}\n\n{}.\n\n{}\n\n    {}\n", analysis->name, analysis->summary,
            analysis->definition, analysis->example);
      DescribeColumnsInMarkdown(analysis->columns, out);
      if (analysis->AllOptions().empty()) continue;
      Print(out, "\n| option | default | meaning |\n|---|---|---|\n");
      for (const OptionSpec& option : analysis->AllOptions())
        Print(out, "| {} | {} | {} |\n", option.name, option.default_value, option.doc);
    }
  }
  for (const CommandTables& command : TablesOfCommands()) {
    Print(out, "\n# {}\n\n{}\n", command.title, command.about);
    for (const CommandTable& table : command.tables) {
      // A level below the tables of one job, which take one path.
      Print(out, "\n### {}\n\n{}.\n\n    {}\n", table.name, table.summary, table.example);
      DescribeColumnsInMarkdown(table.columns, out);
    }
  }
}

Status Describe(const std::string& name, std::string& out) {
  if (const CommandTable* const table = FindCommandTable(name)) {
    DescribeOne(*table, out);
    return OkStatus();
  }
  for (const sql::View& view : sql::Views()) {
    if (view.name != name) continue;
    DescribeOne(view, out);
    return OkStatus();
  }
  RS_ASSIGN_OR_RETURN(const Analysis* analysis, FindAnalysis(name));
  DescribeOne(*analysis, out);
  return OkStatus();
}

Status Run(const std::string& name, bool markdown, bool json) {
  if (json) return WriteOutput("", TableDefinitionsJson() + "\n");
  std::string out;
  if (markdown) {
    DescribeAllInMarkdown(out);
  } else if (!name.empty()) {
    RS_RETURN_IF_ERROR(Describe(name, out));
  } else {
    ListNames(out);
  }
  return WriteOutput("", Resolve(out, TakesColour()));
}

}  // namespace

void AddList(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("list", "list the tables and views by topic, or describe one");
  auto name = std::make_shared<std::string>();
  command.AddOption("NAME", *name, "a table or view").Type(kTableType);
  auto markdown = std::make_shared<bool>(false);
  command.AddFlag("--markdown", *markdown, "everything as a Markdown page");
  auto json = std::make_shared<bool>(false);
  command.AddFlag("--json", *json, "everything as JSON, for programs");
  command.Footer("Example:\n  rankscope list time_breakdown");
  command.SetRun(MakeAction([name, markdown, json] { return Run(*name, *markdown, *json); }));
}

}  // namespace rankscope::cli
