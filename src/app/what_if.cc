#include "app/what_if.h"

#include "insight/what_if/change.h"
#include "insight/what_if/what_if.h"
#include "schemas/findings.h"

namespace rankscope::app {

std::vector<ChangeForm> ChangeForms() {
  std::vector<ChangeForm> forms;
  for (const rankscope::ChangeForm& form : rankscope::ChangeForms())
    forms.push_back({form.form, form.what});
  return forms;
}

namespace {

Result<TableRequest> RequestOfChanges(const std::vector<std::string>& changes) {
  std::string joined;
  for (const std::string& change : changes) {
    RS_RETURN_IF_ERROR(ParseChange(change).status());
    joined += (joined.empty() ? "" : ";") + change;
  }
  return TableRequest{.table = WhatIfAnalysis().name, .settings = {{"changes", joined}}};
}

Result<Table> Predict(OpenedJob& job, const TableRequest& request, Listener& listener) {
  RS_ASSIGN_OR_RETURN(Table table, job.Run(request));
  job.TellLeftOut(listener);
  const auto& columns = SchemaOf<WhatIf>();
  const ViewOf<WhatIf> rows = table;
  if (rows.row_count() > 0 && !rows.IsNull(0, columns.refused_reason))
    return Error(StatusCode::kBadData, "the replay of this job predicts nothing: {}",
                 rows.String(0, columns.refused_reason));
  return table;
}

}  // namespace

Result<Table> WhatIfOf(const JobSpec& spec, const std::vector<std::string>& changes,
                       Listener& listener) {
  RS_ASSIGN_OR_RETURN(const TableRequest request, RequestOfChanges(changes));
  RS_ASSIGN_OR_RETURN(const auto job, OpenJob(spec, {request}, listener));
  return Predict(*job, request, listener);
}

Result<Table> WhatIfOf(OpenedJob& job, const std::vector<std::string>& changes,
                       Listener& listener) {
  RS_ASSIGN_OR_RETURN(const TableRequest request, RequestOfChanges(changes));
  return Predict(job, request, listener);
}

}  // namespace rankscope::app
