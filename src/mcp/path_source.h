// PathSource: a job from files on this machine.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/open_job.h"
#include "mcp/served_folders.h"
#include "mcp/source.h"

namespace rankscope::mcp {

// Opens the job at the first question, and again when its files have changed: traces may arrive
// after the client, or be recorded again. The first question reads them. The cache keeps what was
// read, so a question that was stopped continues from there when it is asked again.
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
  std::string state_;  // of job_'s files, to detect changes
};

}  // namespace rankscope::mcp
