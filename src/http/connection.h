// One connection: reads, forwards and answers requests, one after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>

#include "http/asio.h"
#include "http/server.h"

namespace rankscope::http {

// What connections share with their server.
struct Shared {
  const ServerOptions* options = nullptr;
  Handler* handler = nullptr;
  asio::thread_pool* blocking = nullptr;
  std::atomic<bool> stopping = false;
};

// One thread of a server and its own data.
struct Lane {
  asio::io_context context{1};
  // Connections between two requests, by the begin of their wait.
  std::map<std::uint64_t, beast::tcp_stream*> idle;
  std::uint64_t waits = 0;  // so far
};

// A connected stream, after its handshake.
using PlainStream = beast::tcp_stream;
using SecureStream = beast::ssl_stream<beast::tcp_stream>;

// Ends when the connection does. The stream is closed.
asio::awaitable<void> Serve(PlainStream stream, Shared& shared, Lane& lane);
asio::awaitable<void> Serve(SecureStream stream, Shared& shared, Lane& lane);

}  // namespace rankscope::http
