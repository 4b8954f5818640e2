#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "catalog/table_definitions.h"
#include "catalog/tables.h"
#include "cli/base/command.h"
#include "cli/base/output.h"
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

void DescribeOne(const TableEntry& table, std::string& out) {
  Print(out, "{}: {}\n", table.name, table.summary);
  if (!table.definition.empty()) Print(out, "\n{}\n", table.definition);
  DescribeColumns(table.columns, out);
  if (table.subject == Subject::kJob || !table.options.empty()) {
    Print(out, "\noptions (--set OPTION=VALUE)\n");
    for (const TableOption& option : table.options)
      Print(out, "  {:<26} {:<14} {}\n", option.name, option.default_value, option.doc);
    if (table.options.empty()) Print(out, "  none\n");
  }
  Print(out, "\nexample\n  {}\n", table.example);
}

// Names and summaries, by topic.
void ListNames(std::string& out) {
  std::size_t width = 0;
  for (const TableTopic* topic : catalog::AllTopics()) {
    for (const TableEntry& table : topic->tables) {
      const bool is_counted = table.subject == Subject::kJob && !table.is_compat;
      if (is_counted) width = std::max(width, table.name.size());
    }
  }
  for (const TableTopic* topic : catalog::AllTopics()) {
    if (!out.empty()) out += '\n';
    Print(out, "{}\n", Marked(Style::kHeading, topic->title));
    for (const TableEntry& table : topic->tables)
      Print(out, "  {:<{}}  {}\n", table.name, width, table.summary);
  }
  Print(out, "\nrankscope list NAME describes one, with the command that shows it.\n");
}

void DescribeColumnsInMarkdown(std::span<const ColumnSpec> columns, std::string& out) {
  Print(out, "\n| column | type | unit | meaning |\n|---|---|---|---|\n");
  for (const ColumnSpec& column : columns) {
    Print(out, "| {} | {} | {} | {} |\n", column.name, ToString(column.type), column.unit,
          column.doc);
  }
}

// A level deeper are tables that are not of one job: those take one path.
std::string_view HeadingOf(const TableEntry& table) {
  const bool is_of_job = table.subject == Subject::kJob || table.subject == Subject::kEvents;
  return is_of_job ? "##" : "###";
}

// docs/tables.md: everything that `list NAME` says, of everything.
void DescribeAllInMarkdown(std::string& out) {
  Print(out,
        "# Tables\n\nEvery table and every view of SQL, its definition and columns. Made by "
        "`rankscope list --markdown`; times in `ns` are int64.\n");
  for (const TableTopic* topic : catalog::AllTopics()) {
    Print(out, "\n# {}\n", topic->title);
    if (!topic->about.empty()) Print(out, "\n{}\n", topic->about);
    for (const TableEntry& table : topic->tables) {
      Print(out, "\n{} {}\n\n{}.\n", HeadingOf(table), table.name, table.summary);
      if (!table.definition.empty()) Print(out, "\n{}\n", table.definition);
      Print(out, "\n    {}\n", table.example);
      DescribeColumnsInMarkdown(table.columns, out);
      if (table.options.empty()) continue;
      Print(out, "\n| option | default | meaning |\n|---|---|---|\n");
      for (const TableOption& option : table.options)
        Print(out, "| {} | {} | {} |\n", option.name, option.default_value, option.doc);
    }
  }
}

Status RunList(const std::string& name, bool markdown, bool json) {
  if (json) return WriteOutput("", catalog::TableDefinitionsJson() + "\n");
  std::string out;
  if (markdown) {
    DescribeAllInMarkdown(out);
  } else if (!name.empty()) {
    RS_ASSIGN_OR_RETURN(const TableEntry* table, catalog::FindTable(name));
    DescribeOne(*table, out);
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
  command.SetRun(MakeAction([name, markdown, json] { return RunList(*name, *markdown, *json); }));
}

}  // namespace rankscope::cli
