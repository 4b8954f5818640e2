// rankscope serve: a store, its queue of analyses, the HTTP API over both, and the pages.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "http/server.h"
#include "service/access/quotas.h"
#include "service/access/shares.h"
#include "service/processes/commands.h"
#include "service/queue/queue.h"
#include "service/requests/assistant.h"
#include "service/requests/route.h"
#include "service/runs/upload.h"
#include "service/sign_in/people_options.h"
#include "store/store.h"

namespace rankscope::service {

struct ServiceOptions {
  // DATA: the store (docs/store.md), and beside it uploads/, shares/, cache/, work/ and the queue's
  // journal.
  std::string data_folder;
  http::ServerOptions http;
  std::string token_file;  // "", and no provider: everybody may do everything
  PeopleOptions people;
  bool is_insecure = false;  // listens elsewhere than on loopback without tokens or TLS
  std::vector<std::string> allowed_hosts;  // beside those of loopback and the address itself
  std::string perfetto;                    // where its UI is; "": the public site
  Limits limits;
  CommandLimits commands;
  std::vector<std::string> repositories;  // repositories.h
  std::string launcher_file;              // launcher.h; "": nobody starts anything
  std::string tuner_file;                 // the same, of searches for settings
  // "": in the data folder. postgresql://...: in this database, shared with other servers and
  // workers; then all of them must see the data folder.
  std::string catalogue;
  std::chrono::milliseconds lease{30'000};  // of work that a worker of a cluster has taken
  int workers = 1;                          // 0: others analyse
  std::uint64_t worker_memory_bytes = 0;    // of each; 0: any
  std::chrono::seconds worker_time{3600};
  store::BlobPlace blobs;  // where contents lie; as the store remembers it where nothing is said
  store::Retention retention;
  ShareLimits shares;
  Quotas quotas;
  std::string agent_settings;     // a file (agent_settings.h); "": none
  std::string program;            // the path of this program, which the workers run
  std::string version;            // of it
  std::string table_definitions;  // JSON
  // Of a finding or a verdict on recordings, in Markdown; null: of none.
  Result<std::string_view> (*explanation_of)(std::string_view id) = nullptr;
  Assistant assistant;                        // empty: the address is not there
  std::function<void(std::string_view)> log;  // a line, JSON; empty: none
  bool logs_requests = false;
};

class Service {
 public:
  // Serves until it is destroyed. kInvalidArgument if it would be open to the network, kResource
  // while another process writes to the store.
  static Result<std::unique_ptr<Service>> Start(ServiceOptions options);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // "http://127.0.0.1:8723"
  std::string address() const;
  const RouteTable& routes() const;

 private:
  struct State;
  explicit Service(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rankscope::service
