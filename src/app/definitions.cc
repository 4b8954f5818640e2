#include "app/definitions.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/command_tables.h"
#include "catalog/list.h"
#include "sql/query.h"

namespace rankscope::app {
namespace {

TableGroup OfViews() {
  TableGroup group{.title = "Views of SQL, besides every table below",
                   .about = "",
                   .subject = Subject::kEvents,
                   .tables = {}};
  for (const sql::View& view : sql::Views()) {
    group.tables.push_back(
        {.name = std::string(view.name),
         .summary = std::string(view.summary),
         .example = fmt::format("rankscope query traces/ 'FROM {} LIMIT 10'", view.name),
         .columns = view.columns});
  }
  return group;
}

TableDefinition Of(const Analysis& analysis) {
  TableDefinition table{.name = analysis.name,
                        .summary = analysis.summary,
                        .definition = analysis.definition,
                        .example = analysis.example,
                        .columns = analysis.columns,
                        .options = {},
                        .is_detail = analysis.size == Size::kDetail};
  for (const OptionSpec& option : analysis.AllOptions())
    table.options.push_back({option.name, option.default_value, option.doc});
  return table;
}

constexpr std::string_view kCompatAbout =
    "The columns and numbers of the tool's own tables, defects included, for people who come from "
    "it; [hta.md](hta.md) says where they differ from the tables above, and why.";

std::vector<TableGroup> MakeGroups() {
  std::vector<TableGroup> groups;
  groups.push_back(OfViews());
  for (const Topic& topic : AllTopics()) {
    const bool is_compat = topic.analyses.front()->group == Group::kCompat;
    TableGroup group{.title = std::string(topic.title),
                     .about = is_compat ? std::string(kCompatAbout) : "",
                     .subject = Subject::kJob,
                     .is_compat = is_compat,
                     .tables = {}};
    for (const Analysis* analysis : topic.analyses) group.tables.push_back(Of(*analysis));
    groups.push_back(std::move(group));
  }
  std::ranges::move(GroupsOfCommands(), std::back_inserter(groups));
  return groups;
}

}  // namespace

std::span<const TableGroup> TableGroups() {
  static const std::vector<TableGroup> kGroups = MakeGroups();
  return kGroups;
}

Result<const TableDefinition*> FindDefinition(std::string_view name) {
  for (const TableGroup& group : TableGroups()) {
    const auto found = std::ranges::find(group.tables, name, &TableDefinition::name);
    if (found != group.tables.end()) return &*found;
  }
  return FindAnalysis(name).status();
}

const TableGroup& GroupOf(const TableDefinition& table) {
  return *std::ranges::find_if(TableGroups(), [&](const TableGroup& group) {
    return &table >= group.tables.data() && &table < group.tables.data() + group.tables.size();
  });
}

std::vector<std::string> TableNames(Subject subject) {
  std::vector<std::string> names;
  for (const TableGroup& group : TableGroups()) {
    if (group.subject != subject) continue;
    for (const TableDefinition& table : group.tables) names.push_back(table.name);
  }
  return names;
}

}  // namespace rankscope::app
