// Listener: a thread that receives notifications. They are only hints: some are lost while nobody
// listens or when the connection breaks. So the callback must check the tables, and is also called
// every few seconds.
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
    std::vector<std::string> channels;  // names chosen by the program: letters and _
    std::chrono::milliseconds at_least_every{2'000};
    // Called on the listener's thread, one call at a time: once at the start, after a notification
    // on one of the channels, and at_least_every. Exceptions are ignored.
    std::function<void()> wake;
    std::function<void(std::string_view message)> on_message;  // connection made or lost
  };
  // Also works without a connection, by the clock alone, and keeps trying to connect.
  Listener(std::string address, ConnectionOptions connection, Options options);
  // Waits until a running call of `wake` ends.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  void Work();
  Status Connect();
  // Until a notification, the timeout, or the end of the object.
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
