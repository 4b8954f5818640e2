// What happens to runs, told to whoever listens, as server-sent events.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "http/message.h"

namespace rankscope::service {

// Safe for many threads. Keeps the last kKept events: who comes back with the number of the last
// that it saw gets those since, or, when they are gone, one event "resync": look again at
// everything. Numbers of an earlier process are told apart by its beginning.
class EventHub {
 public:
  static constexpr std::size_t kKept = 4096;
  static constexpr std::size_t kMostListeners = 2000;
  static constexpr std::size_t kMostOfClient = 200;  // nobody takes the others' places

  // `start` tells this process from earlier ones, such as the time at which it began.
  explicit EventHub(std::int64_t start) : start_(start), sink_() {}

  // Of a cluster: events have numbers of a database, the last of which is `last`, and come from
  // there (cluster_events.h); what is published here goes to `sink`.
  using Sink =
      std::function<void(std::string_view team, std::string_view type, std::string_view data)>;
  EventHub(std::int64_t start, std::int64_t last, Sink sink)
      : start_(start), sink_(std::move(sink)), last_(last) {}

  // `team` is whose it is; listeners of other teams do not hear of it. `data` is one line.
  void Publish(std::string_view team, std::string_view type, std::string_view data);
  // Event `number` of a cluster, in their order; with no `type` one of which nobody hears. Where
  // some are missing, who listens looks again at everything.
  void Put(std::int64_t number, std::string_view team, std::string_view type,
           std::string_view data);

  // From the event after `last_id` on ("" is from now on); those that `hears` a team. nullptr when
  // there are too many listeners, or too many of that client. The hub outlives what it gives.
  std::shared_ptr<http::Stream> Listen(std::string_view last_id, std::string client,
                                       std::function<bool(std::string_view team)> hears);
  std::size_t listeners() const;

 private:
  friend class Listener;
  struct Event {
    std::int64_t number = 0;
    std::string team;
    std::string text;
  };
  std::string IdOf(std::int64_t number) const;

  void AddLocked(std::int64_t number, std::string_view team, std::string_view type,
                 std::string_view data);

  const std::int64_t start_;
  const Sink sink_;
  mutable std::mutex mutex_;
  std::int64_t last_ = 0;
  std::deque<Event> kept_;
  std::set<class Listener*> listeners_;
  std::map<std::string, std::size_t> of_client_;
};

}  // namespace rankscope::service
