// A job's files to a server as one run: an upload that goes on where an earlier attempt ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "client/server.h"
#include "client/wait.h"
#include "store/local_file.h"
#include "store/run.h"

namespace rankscope::fetch {
class Transport;
}

namespace rankscope::client {

struct Pushed {
  std::string run;            // its id
  std::size_t by_server = 0;  // files that went through the server although they might not have
  bool was_there = false;     // the server had these files already, and nothing was sent
};

// Bytes of all files; false ends the upload with kCancelled.
using PushProgress = std::function<bool(std::uint64_t sent, std::uint64_t total)>;

// One more connection to the server. Called by several threads at a time.
using Connect = std::function<Result<Server>()>;

// Makes a run of the names and tags of `run`, sends the files and finishes the run: up to eight
// files side by side, each over a connection of its own. A file of up to 16 MiB goes as a whole,
// a bigger one in parts of that. The same files under the same name (store/run_key.h) are the same
// run, so that a second attempt sends what is missing. A part that is cut off is sent again from
// where the server's file ends; a file that was cut off a hundred times is kIo. The files are read
// twice, for their hashes first: one that changes meanwhile is kBadData. `progress` is called by
// one thread at a time.
//
// With `direct` files are put by it into the server's store of contents, where the server gives
// addresses for that; it is told the hash of each, and takes it when the store has just that.
Result<Pushed> PushRun(const Connect& connect, const store::Run& run,
                       const std::vector<store::LocalFile>& files, const PushProgress& progress,
                       fetch::Transport* direct = nullptr);

// Requests to stores of contents, by libcurl. kResource where that is missing.
Result<std::shared_ptr<fetch::Transport>> OpenDirect();

// Asks twice a second until the run's report is there. kBadData with the server's reason when it
// failed, kCancelled when `wait` is stopped: the server goes on.
Result<RunStatus> WaitForReport(Server& server, const std::string& run, Wait& wait);

}  // namespace rankscope::client
