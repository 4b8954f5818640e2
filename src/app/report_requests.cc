#include "app/report_requests.h"

#include "report/html/html_tables.h"
#include "training/list.h"

namespace rankscope::app {

std::vector<TableRequest> SummaryRequests() {
  std::vector<TableRequest> requests;
  for (const Analysis* analysis : AllAnalyses()) {
    if (analysis->group == Group::kDefault && analysis->size == Size::kSummary)
      requests.push_back({.table = analysis->name});
  }
  return requests;
}

std::vector<TableRequest> DrawnRequests() {
  std::vector<TableRequest> requests = SummaryRequests();
  for (const DrawnTable& drawn : DrawnTables()) {
    if (drawn.is_detail)
      requests.push_back({.table = std::string(drawn.name), .settings = OptionsOf(drawn)});
  }
  return requests;
}

}  // namespace rankscope::app
