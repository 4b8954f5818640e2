// rankscope worker: takes work of a cluster and does it. It serves nothing; its input lies in the
// folder that it shares with the servers.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "http/server.h"
#include "store/blob_place.h"

namespace rankscope::service {

struct WorkerOptions {
  std::string catalogue;    // postgresql://...
  std::string data_folder;  // that of the servers
  store::BlobPlace blobs;   // where contents lie, that of the servers, too
  int workers = 1;
  std::uint64_t worker_memory_bytes = 0;  // of each; 0: any
  std::chrono::seconds worker_time{3600};
  std::uint64_t shard_bytes = std::uint64_t{2} << 30;  // of text that is read at once, about
  std::chrono::milliseconds lease{30'000};
  // The address of this worker's metrics, at /metrics (worker_metrics.h); none: no metrics.
  std::optional<http::ServerOptions> metrics = {};
  std::string program;                        // the path of this program
  std::string version;                        // of it
  std::function<void(std::string_view)> log;  // a line, JSON; empty: none
};

class Worker {
 public:
  // Takes work until it is destroyed; unfinished work is handed back.
  static Result<std::unique_ptr<Worker>> Start(WorkerOptions options);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // HOST-PID, and the place of its work, without a password.
  std::string name() const;
  std::string catalogue() const;
  // "http://127.0.0.1:9000/metrics"; "" without metrics.
  std::string metrics_address() const;

 private:
  struct State;
  explicit Worker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rankscope::service
