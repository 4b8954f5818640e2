#include "hta/subsystem.h"

#include "hta/list.h"
#include "stage/table_entry_of.h"

namespace rankscope::hta {
namespace {

TableTopic Tables() {
  TableTopic topic{
      .title = "Tables of Holistic Trace Analysis, number for number",
      .about =
          "The columns and numbers of the tool's own tables, defects included, for people who come "
          "from it; [hta.md](hta.md) says where they differ from the tables above, and why.",
      .tables = {}};
  for (const Analysis* analysis : HtaAnalyses()) topic.tables.push_back(TableEntryOf(*analysis));
  return topic;
}

}  // namespace

const Subsystem& HtaSubsystem() {
  static const Subsystem kSubsystem = {
      .name = "hta",
      .about = "Holistic Trace Analysis's tables of a job",
      .topics = {Tables()},
  };
  return kSubsystem;
}

}  // namespace rankscope::hta
