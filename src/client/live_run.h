// A run of a server that grows while its files are made, so its page shows the results so far.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "client/server.h"
#include "store/local_file.h"
#include "store/run.h"

namespace rankscope::client {

class LiveRun {
 public:
  // Makes a run with the names and tags of `run`; files are sent later.
  static Result<LiveRun> Begin(Server server, const store::Run& run);

  const std::string& id() const { return id_; }
  std::string page() const { return server_.PageOf(id_); }

  // Sends these small files, replacing those with the same names, and requests a report of the
  // whole run. False if the server still makes the previous report; then nothing was sent.
  Result<bool> Send(const std::vector<store::LocalFile>& files);

 private:
  LiveRun(Server server, std::string id) : server_(std::move(server)), id_(std::move(id)) {}
  // Whether it takes files.
  Result<bool> Open();

  Server server_;
  std::string id_;
  bool is_finished_ = false;
};

}  // namespace rankscope::client
