#include "app/requests.h"

#include "catalog/tables.h"
#include "training/list.h"

namespace rankscope::app {
namespace {

// An error for a table that is not made of a job's traces names the command that has it.
Result<const Analysis*> AnalysisOf(const std::string& table) {
  Result<const Analysis*> analysis = FindAnalysis(table);
  if (analysis.ok()) return analysis;
  const Result<const TableEntry*> entry = catalog::FindTable(table);
  if (!entry.ok()) return analysis;
  const Subject subject = (*entry)->subject;
  if (subject == Subject::kEvents)
    return Error(StatusCode::kInvalidArgument,
                 "{} is a view of SQL: rankscope query TRACES 'SELECT * FROM {} LIMIT 10'", table,
                 table);
  return Error(StatusCode::kInvalidArgument,
               "{} is not made of the traces of a job (its subject is {}): {}", table,
               ToString(subject), (*entry)->example);
}

}  // namespace

Result<Request> RequestOf(const TableRequest& request) {
  RS_ASSIGN_OR_RETURN(const Analysis* analysis, AnalysisOf(request.table));
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
  RS_ASSIGN_OR_RETURN(const Analysis* analysis, AnalysisOf(request.table));
  return CompleteOptions(*analysis, request.settings).status();
}

}  // namespace rankscope::app
