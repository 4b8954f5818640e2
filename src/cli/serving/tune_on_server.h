// Publishes the state of a tuning run on a server, as a run of its own whose page shows the trials
// as they end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/base/interrupt.h"
#include "client/live_run.h"
#include "contract/command.h"

namespace rankscope::cli {

class TuneOnServer {
 public:
  void AddTo(CommandSpec& app);
  // Creates the run and prints the address of its page, if a server was given. `slo` is "" without
  // an objective.
  Status Begin(const std::string& adapter, const std::string& slo, const InterruptFlag& stop);
  // Sends the contents of the tuning folder (tune.json, the diagnosis). A server that is
  // unreachable, or still busy with the last report, does not stop the run: the next report has
  // more. Warns once.
  void Report(const std::string& folder);
  // The same for the last report; waits for it.
  void ReportLast(const std::string& folder);

 private:
  Result<bool> Send(const std::string& folder);
  void TellOnce(const Status& status);

  Result<client::Server> Connect() const;

  client::ServerAccess access_;
  std::string token_file_, of_, name_;
  std::optional<client::LiveRun> run_;
  const InterruptFlag* stop_ = nullptr;
  bool has_diagnosis_ = false;  // on the server
  bool has_told_ = false;
};

}  // namespace rankscope::cli
