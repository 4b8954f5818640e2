#include "catalog/tables.h"

#include <fmt/core.h>

#include "base/nearest_name.h"
#include "catalog/subsystems.h"

namespace rankscope::catalog {

std::span<const TableTopic* const> AllTopics() {
  static const std::vector<const TableTopic*> kTopics = [] {
    std::vector<const TableTopic*> topics;
    for (const Subsystem* subsystem : AllSubsystems()) {
      for (const TableTopic& topic : subsystem->topics) topics.push_back(&topic);
    }
    return topics;
  }();
  return kTopics;
}

Result<const TableEntry*> FindTable(std::string_view name) {
  std::vector<std::string> names;
  for (const TableTopic* topic : AllTopics()) {
    if (const TableEntry* found = FindEntry(topic->tables, name)) return found;
    for (const TableEntry& table : topic->tables) names.push_back(table.name);
  }
  const std::string_view nearest = NearestName(name, names);
  return Error(StatusCode::kInvalidArgument, "there is no table '{}'; {}rankscope list has all",
               name, nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest));
}

std::vector<std::string> TableNames(Subject subject) {
  std::vector<std::string> names;
  for (const TableTopic* topic : AllTopics()) {
    for (const TableEntry& table : topic->tables) {
      if (table.subject == subject) names.push_back(table.name);
    }
  }
  return names;
}

}  // namespace rankscope::catalog
