// Uploads a job's files to a server as one run; continues where an earlier attempt ended.
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
  std::size_t by_server = 0;  // files sent through the server although `direct` was requested
  bool was_there = false;     // the server had these files already, and nothing was sent
};

// Bytes of all files; false ends the upload with kCancelled.
using PushProgress = std::function<bool(std::uint64_t sent, std::uint64_t total)>;

// One more connection to the server. Called by several threads at a time.
using Connect = std::function<Result<Server>()>;

// Makes a run with the names and tags of `run`, sends the files and finishes the run. Up to eight
// files are sent in parallel, each over a separate connection. A file of up to 16 MiB is sent at
// once, a larger one in parts of that size. The same files under the same name (store/run_key.h)
// are the same run, so a second attempt sends only missing data. An interrupted part is sent again
// from the end of the server's file; a file interrupted a hundred times is kIo. The files are read
// twice, first for their hashes; a file that changes in between is kBadData. `progress` is called
// by one thread at a time.
//
// With `direct`, files are put directly into the server's content storage if the server gives
// addresses. The server gets the hash of each file, and takes it if the storage has exactly these
// bytes.
Result<Pushed> PushRun(const Connect& connect, const store::Run& run,
                       const std::vector<store::LocalFile>& files, const PushProgress& progress,
                       fetch::Transport* direct = nullptr);

// Requests to content storage, through libcurl. kResource if it is missing.
Result<std::shared_ptr<fetch::Transport>> OpenDirect();

// Polls twice a second until the run's report exists. kBadData with the server's reason if it
// failed, kCancelled if `wait` is stopped; the server continues.
Result<RunStatus> WaitForReport(Server& server, const std::string& run, Wait& wait);

}  // namespace rankscope::client
