// Sends the events of runs to listeners, as server-sent events.
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

// Safe for many threads. Keeps the last kKept events. A listener that returns with the number of
// the last event it saw gets the later ones. If these are gone, it gets one event "resync", which
// means: read everything again. The process's start distinguishes the numbers of earlier processes.
class EventHub {
 public:
  static constexpr std::size_t kKept = 4096;
  static constexpr std::size_t kMostListeners = 2000;
  static constexpr std::size_t kMostOfClient = 200;  // nobody takes the others' places

  // `start` distinguishes this process from earlier ones; for example, the time at which it began.
  explicit EventHub(std::int64_t start) : start_(start), sink_() {}

  // For a cluster: events have numbers of a database, come from there (cluster_events.h), and the
  // last is `last`. Events published here go to `sink`.
  using Sink =
      std::function<void(std::string_view team, std::string_view type, std::string_view data)>;
  EventHub(std::int64_t start, std::int64_t last, Sink sink)
      : start_(start), sink_(std::move(sink)), last_(last) {}

  // `team` owns the event; listeners of other teams do not get it. `data` is one line.
  void Publish(std::string_view team, std::string_view type, std::string_view data);
  // Event `number` of a cluster, in order; without a `type` no listener gets it. If some numbers
  // are missing, listeners read everything again.
  void Put(std::int64_t number, std::string_view team, std::string_view type,
           std::string_view data);

  // Starts after event `last_id` ("" is from now on), with events of teams for which `hears` is
  // true. nullptr if there are too many listeners, or too many of that client. The hub outlives its
  // listeners.
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
