// PathSource: a job of this machine's files.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/open_job.h"
#include "mcp/served_folders.h"
#include "mcp/source.h"

namespace rankscope::mcp {

// Opens the job when something is asked of it, and anew when its files changed since: traces may
// come later than the client, or be recorded again. The first question reads them; what was read
// lies in the cache, so that a question that was stopped goes on when it is asked again.
class PathSource final : public Source {
 public:
  PathSource(app::JobSpec spec, ServedFolders folders);

  Result<FindingsResult> Findings(app::Listener& listener) override;
  Result<RowsResult> Rows(const TableArguments& arguments, app::Listener& listener) override;
  Result<RowsResult> Query(const QueryArguments& arguments, app::Listener& listener) override;
  Result<RowsResult> WhatIf(const WhatIfArguments& arguments, app::Listener& listener) override;
  Result<DiffResult> Diff(const DiffArguments& arguments, app::Listener& listener) override;
  Result<FixResult> Fix(const FixArguments& arguments, app::Listener& listener) override;
  Result<std::string> Report(app::Listener& listener) override;

 private:
  class Listening;

  Result<app::OpenedJob*> Open(app::Listener& listener);
  Result<Table> Make(const TableArguments& arguments, app::Listener& listener);
  Result<app::JobSpec> SideOf(const std::string& path, const std::string& ranks) const;

  const app::JobSpec spec_;
  const ServedFolders folders_;
  std::unique_ptr<app::OpenedJob> job_;
  std::string state_;  // of the files of job_
};

}  // namespace rankscope::mcp
