#include "mcp/explain.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>
#include <vector>

#include "base/nearest_name.h"
#include "catalog/findings.h"
#include "catalog/pages.h"
#include "catalog/tables.h"

namespace rankscope::mcp {
namespace {

template <typename... Args>
void Print(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

// How a client gets at the rows.
std::string_view WayTo(const TableEntry& table) {
  switch (table.subject) {
    case Subject::kEvents:
      return "A view of SQL: the tool query.";
    case Subject::kJob:
      return "The tool table, and a view of the tool query.";
    case Subject::kPair:
      return "The tool diff, by its argument table.";
    default:
      return "Not of the traces of a job: see the example.";
  }
}

std::string PageOfTable(const TableEntry& table) {
  std::string out;
  Print(out, "# {}\n\n{}. {}\n", table.name, table.summary, WayTo(table));
  if (!table.definition.empty()) Print(out, "\n{}\n", table.definition);
  Print(out, "\nColumns:\n");
  for (const ColumnSpec& column : table.columns) {
    Print(out, "- {} ({}{}{}){}{}\n", column.name, ToString(column.type),
          column.unit.empty() ? "" : ", ", column.unit, column.doc.empty() ? "" : ": ", column.doc);
  }
  if (!table.options.empty()) Print(out, "\nOptions (set):\n");
  for (const TableOption& option : table.options)
    Print(out, "- {} (default {}): {}\n", option.name,
          option.default_value.empty() ? "none" : option.default_value, option.doc);
  Print(out, "\nIn a shell: {}\n", table.example);
  return out;
}

std::string ListOfAll() {
  std::string out = "# Findings\n\n";
  for (const FindingEntry& finding : catalog::AllFindings())
    Print(out, "- {}: {}\n", finding.id, finding.summary);
  Print(out, "\n# Verdicts on recordings\n\n");
  for (const catalog::Page& verdict : catalog::VerdictPages())
    Print(out, "- {}: {}\n", verdict.id, catalog::FirstSentence(verdict));
  for (const TableTopic* topic : catalog::AllTopics()) {
    Print(out, "\n# Tables: {}\n\n", topic->title);
    for (const TableEntry& table : topic->tables)
      Print(out, "- {}: {}\n", table.name, table.summary);
  }
  return out;
}

std::vector<std::string> TableNames() {
  std::vector<std::string> names;
  for (const TableTopic* topic : catalog::AllTopics()) {
    for (const TableEntry& table : topic->tables) names.push_back(table.name);
  }
  return names;
}

// `what` is what one of these names is called.
Status NothingIs(std::string_view what, std::string_view name,
                 const std::vector<std::string>& names) {
  const std::string_view nearest = NearestName(name, names);
  return Error(StatusCode::kInvalidArgument, "there is no {} '{}'; {}explain without id lists all",
               what, name, nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest));
}

}  // namespace

Result<const TableEntry*> TableOfName(std::string_view name) {
  const auto table = catalog::FindTable(name);
  return table.ok() ? table : NothingIs("table", name, TableNames());
}

Result<std::string> TableExplained(std::string_view name) {
  RS_ASSIGN_OR_RETURN(const TableEntry* const table, TableOfName(name));
  return PageOfTable(*table);
}

Result<std::string> Explained(std::string_view id) {
  if (id.empty()) return ListOfAll();
  if (const auto page = catalog::PageOf(id); page.ok()) return std::string(*page);
  if (auto table = TableExplained(id); table.ok()) return table;
  std::vector<std::string> names = catalog::PageNames();
  for (std::string& name : TableNames()) names.push_back(std::move(name));
  return NothingIs("finding, verdict or table", id, names);
}

}  // namespace rankscope::mcp
