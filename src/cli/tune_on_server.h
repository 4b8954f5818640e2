// What a tuning run knows so far, on a server: a run of its own, whose page shows the trials as
// they end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "client/live_run.h"
#include "contract/command.h"

namespace rankscope::cli {

class TuneOnServer {
 public:
  void AddTo(CommandSpec& app);
  // Makes the run and prints where its page is, if a server was named. `slo` "" where there is
  // none.
  Status Begin(const std::string& adapter, const std::string& slo, const InterruptFlag& stop);
  // Sends what the folder of the tuning has (tune.json, the diagnosis). A server that is away, or
  // still at the report before, is no reason to stop: the next one has more. Says once what it is.
  void Report(const std::string& folder);
  // The same for the last one, for which it waits.
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
