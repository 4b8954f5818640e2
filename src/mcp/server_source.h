// ServerSource: a run stored on a server (docs/server.md), with the rights of a token.
#pragma once

#include <string>

#include "client/server.h"
#include "mcp/source.h"

namespace rankscope::mcp {

// The server computes, in its own processes with their own limits. A stopped question ends only
// when the server has answered it.
class ServerSource final : public Source {
 public:
  // `run` is an id; "": the newest run that is ready at the first question.
  ServerSource(client::Server server, std::string run);

  Result<FindingsResult> Findings(app::Listener& listener) override;
  Result<RowsResult> Rows(const TableArguments& arguments, app::Listener& listener) override;
  Result<RowsResult> Query(const QueryArguments& arguments, app::Listener& listener) override;
  Result<RowsResult> WhatIf(const WhatIfArguments& arguments, app::Listener& listener) override;
  // `base` and `test` are ids of runs.
  Result<DiffResult> Diff(const DiffArguments& arguments, app::Listener& listener) override;
  // For the code that came with the run, or that its commit identifies.
  Result<FixResult> Fix(const FixArguments& arguments, app::Listener& listener) override;
  Result<std::string> Report(app::Listener& listener) override;

 private:
  // The run; tells the listener which one if the user named none.
  Result<std::string> Run(app::Listener& listener);
  Result<std::string> SideOf(const std::string& run, app::Listener& listener);

  client::Server server_;
  std::string run_;
  bool is_chosen_ = false;  // by us, not by the user
};

}  // namespace rankscope::mcp
