// ClusterEvents: sends the events of a cluster to the listeners of this server (event_hub.h). Each
// event is a row, written in the transaction that changed the run. Listeners get the run as it is
// when this server reads the row. Event numbers belong to the cluster, so a listener of another
// server can continue here from the last number that it saw.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "postgres/listener.h"
#include "service/runs/event_hub.h"
#include "store/postgres_catalogue.h"

namespace rankscope::service {

class ClusterEvents {
 public:
  // A run as listeners see it, JSON.
  using Shown = std::function<std::string(const store::Run& run)>;
  struct Parts {
    store::PostgresCatalogue& catalogue;  // outlives it
    Shown shown;
    std::function<void()> before_reading;  // such as to look how far runs are
    std::function<void(std::string_view)> on_message;
  };
  // Reads the last events into `hub`. Later ones follow automatically after Begin.
  static Result<std::unique_ptr<ClusterEvents>> Open(Parts parts);

  EventHub& hub() { return *hub_; }
  void Begin();
  // Sends no more events.
  void Stop() { listener_.reset(); }
  // Removes rows that no server would send any more.
  Status Trim();

 private:
  explicit ClusterEvents(Parts parts) : parts_(std::move(parts)) {}
  Status Read();
  void Publish(std::string_view team, std::string_view type, std::string_view data);

  Parts parts_;
  std::unique_ptr<EventHub> hub_;
  std::int64_t last_ = 0;
  std::unique_ptr<postgres::Listener> listener_;
};

}  // namespace rankscope::service
