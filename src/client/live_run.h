// A run of a server that is added to while what makes its files goes on: whoever looks at its page
// sees what is known so far.
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
  // Makes a run of the names and tags of `run`, whose files are sent later.
  static Result<LiveRun> Begin(Server server, const store::Run& run);

  const std::string& id() const { return id_; }
  std::string page() const { return server_.PageOf(id_); }

  // Sends the files, which are small, in place of those of their names, and asks for a report of
  // all that the run has. False where the server still makes the one before: nothing was sent then.
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
