// ServerLink: reports this host to the server, and serves the server's requests, those of RPC. The
// connection goes out from here, so no port of the host has to be open.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "agent/captures/captures.h"
#include "agent/rpc.h"
#include "agent/server_access.h"

namespace rankscope::json {
class Value;
class Writer;
}  // namespace rankscope::json

namespace rankscope::agent {

struct ServerLinkOptions {
  ServerAccess server;
  std::string host;
  std::string rack;  // "": not said
  std::string version;
  // The server delays its reply by this time if there is nothing to do.
  std::int64_t interval_ms = 5000;
};

// The four times of an exchange: sent and returned by this host's clock, received and replied by
// the server's.
struct ExchangeTimes {
  std::int64_t sent_us = 0, received_us = 0, replied_us = 0, returned_us = 0;
  // The time of the network, both ways; and the lead of this host's clock, uncertain by half of
  // that (RFC 5905, 8).
  std::int64_t RttUs() const { return returned_us - sent_us - (replied_us - received_us); }
  std::int64_t AheadUs() const {
    return ((sent_us - received_us) + (returned_us - replied_us)) / 2;
  }
};

class ServerLink {
 public:
  // `write_state` writes members of the report's object. `arrived` is called with the reply when
  // the server has them. Both run on one thread. `rpc` answers the server's requests without a
  // token, because the settings authenticate the server.
  ServerLink(ServerLinkOptions options, const Rpc& rpc,
             std::function<void(json::Writer&)> write_state,
             std::function<void(const json::Value& reply)> arrived,
             std::function<void(std::string_view)> said);
  ~ServerLink();

 private:
  void Run();
  Status Exchange();
  bool Sleep(std::int64_t ms);  // false: it is ending

  const ServerLinkOptions options_;
  const Rpc& rpc_;
  const std::function<void(json::Writer&)> write_state_;
  const std::function<void(const json::Value& reply)> arrived_;
  const std::function<void(std::string_view)> said_;
  const std::string instance_;
  std::unique_ptr<http::Client> client_;
  // Answers to the last exchange's requests, by their ids, to go with the next.
  std::vector<std::pair<std::int64_t, std::string>> answers_;
  std::vector<ExchangeTimes> times_;
  std::string warning_;  // of the server, said once
  std::mutex mutex_;     // of who may abort client_
  std::condition_variable wake_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace rankscope::agent
