// One connection: requests read, handed on and answered, one after the other.
#pragma once

#include <atomic>
#include <set>

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

// One thread of a server and what belongs to it alone.
struct Lane {
  asio::io_context context{1};
  std::set<beast::tcp_stream*> idle;  // connections between two requests
};

// A stream that is connected, after its handshake.
using PlainStream = beast::tcp_stream;
using SecureStream = beast::ssl_stream<beast::tcp_stream>;

// Ends when the connection does. The stream is closed.
asio::awaitable<void> Serve(PlainStream stream, Shared& shared, Lane& lane);
asio::awaitable<void> Serve(SecureStream stream, Shared& shared, Lane& lane);

}  // namespace rankscope::http
