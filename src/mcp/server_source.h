// ServerSource: a run that a server keeps (docs/server.md), with the rights of a token.
#pragma once

#include <string>

#include "client/server.h"
#include "mcp/source.h"

namespace rankscope::mcp {

// The server computes, in processes of its own with bounds of their own; a question that is stopped
// is over when the server has answered it.
class ServerSource final : public Source {
 public:
  // `run` is an id; "": the newest run that is ready when something is asked first.
  ServerSource(client::Server server, std::string run);

  Result<FindingsResult> Findings(app::Listener& listener) override;
  Result<RowsResult> Rows(const TableArguments& arguments, app::Listener& listener) override;
  Result<RowsResult> Query(const QueryArguments& arguments, app::Listener& listener) override;
  Result<RowsResult> WhatIf(const WhatIfArguments& arguments, app::Listener& listener) override;
  // `base` and `test` are ids of runs.
  Result<DiffResult> Diff(const DiffArguments& arguments, app::Listener& listener) override;
  // Of the code that came with the run, or is known by its commit.
  Result<FixResult> Fix(const FixArguments& arguments, app::Listener& listener) override;
  Result<std::string> Report(app::Listener& listener) override;

 private:
  // The run, which the listener is told where nobody named it.
  Result<std::string> Run(app::Listener& listener);
  Result<std::string> SideOf(const std::string& run, app::Listener& listener);

  client::Server server_;
  std::string run_;
  bool is_chosen_ = false;  // by us
};

}  // namespace rankscope::mcp
