#include "app/requests.h"

#include "training/list.h"

namespace rankscope::app {

Result<Request> RequestOf(const TableRequest& request) {
  RS_ASSIGN_OR_RETURN(const Analysis* analysis, FindAnalysis(request.table));
  return Request{analysis, request.settings};
}

Result<std::vector<Request>> RequestsOf(const std::vector<TableRequest>& requests) {
  std::vector<Request> resolved;
  resolved.reserve(requests.size());
  for (const TableRequest& request : requests) {
    RS_ASSIGN_OR_RETURN(Request one, RequestOf(request));
    resolved.push_back(std::move(one));
  }
  return resolved;
}

Status CheckSettings(const TableRequest& request) {
  RS_ASSIGN_OR_RETURN(const Analysis* analysis, FindAnalysis(request.table));
  return CompleteOptions(*analysis, request.settings).status();
}

}  // namespace rankscope::app
