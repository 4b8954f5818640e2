// Listener: a thread that hears of notifications. They are hints: some are lost when nobody listens
// or the connection breaks, so whoever is called looks at the tables, and is called every few
// seconds anyway.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "postgres/connection.h"

namespace rankscope::postgres {

class Listener {
 public:
  struct Options {
    std::vector<std::string> channels;  // names of the program: letters and _
    std::chrono::milliseconds at_least_every{2'000};
    // By the listener's thread, one call at a time: once at the beginning, when somebody notified
    // on one of the channels, and at_least_every. What throws is passed over.
    std::function<void()> wake;
    std::function<void(std::string_view message)> on_message;  // when the connection comes or goes
  };
  // Goes on without a connection, waking by the clock alone, and tries to get one.
  Listener(std::string address, ConnectionOptions connection, Options options);
  // Waits for a call of `wake` to end.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  void Work();
  Status Connect();
  // Until a notification, the time is over or the object ends.
  void Wait();

  const std::string address_;
  const ConnectionOptions connection_options_;
  const Options options_;
  const int stop_;  // an eventfd
  std::atomic<bool> is_stopping_ = false;
  std::unique_ptr<Connection> connection_;
  bool has_told_ = false;
  std::thread thread_;
};

}  // namespace rankscope::postgres
