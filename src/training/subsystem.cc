#include "training/subsystem.h"

#include "insight/job_findings.h"
#include "stage/table_entry_of.h"
#include "training/list.h"

namespace rankscope {
namespace {

std::vector<TableTopic> Topics() {
  std::vector<TableTopic> topics;
  for (const Topic& topic : TrainingTopics()) {
    TableTopic& made = topics.emplace_back(
        TableTopic{.title = std::string(topic.title), .about = "", .tables = {}});
    for (const Analysis* analysis : topic.analyses) made.tables.push_back(TableEntryOf(*analysis));
  }
  return topics;
}

}  // namespace

const Subsystem& TrainingSubsystem() {
  static const Subsystem kSubsystem = {
      .name = "training",
      .about = "training jobs: tables of all ranks, replay, findings",
      .topics = Topics(),
      .findings = {JobFindings().begin(), JobFindings().end()},
  };
  return kSubsystem;
}

}  // namespace rankscope
