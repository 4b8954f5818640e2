// Records the requests of a server of Apache Thrift (C++, 0.17): its hooks are called, and nothing
// of the service changes.
//
//   rankscope::requests::Recorder recorder({.path = "requests.jsonl", .service = "ranker"});
//   processor->setEventHandler(
//       std::make_shared<rankscope::requests::ThriftCalls>(recorder));
//   server.setServerEventHandler(
//       std::make_shared<rankscope::requests::ThriftConnections>());
//
// What the hooks show, by the kind of the server:
//
//   arrival   when the last bytes of the request came, as the kernel keeps it for a TCP socket
//             (TCP_INFO, in its ticks of 1 to 10 ms). A request for which a worker was waiting
//             already arrives when it is read: its queue is 0. Of other sockets, and without
//             ThriftConnections, it is not known.
//   dequeue   a worker goes to the request: of TThreadPoolServer and TThreadedServer it takes the
//             connection, of TNonblockingServer its thread pool takes the whole request
//   begin     arguments are read
//   end       the handler has returned
//   sent      the answer is flushed to the kernel. TNonblockingServer sends it later by another
//             thread, which no hook tells: not known
//
// An exception that the interface declares is an answer like others; one that it does not is a
// failure. Of TLS the handshake of a connection counts as the arrival of its first request.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thrift/TProcessor.h>
#include <thrift/protocol/TProtocol.h>
#include <thrift/server/TServer.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TSocket.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "rankscope/request_recorder.h"

namespace rankscope::requests {

namespace detail {

struct ThriftConnection {
  std::uint64_t number = 0;
  bool is_buffered = false;      // TNonblockingServer: whole requests in memory, answers, too
  bool worker_waited = false;    // for the request that comes next
  std::int64_t ready_ns = 0;     // the worker went to it
  std::int64_t arrival_ns = 0;   // 0: not known
  std::int64_t last_end_ns = 0;  // of the request before
};

// The connection that this thread is about to read a request of.
inline thread_local ThriftConnection* thrift_connection = nullptr;

// When the last bytes came; 0 where the kernel does not tell.
inline std::int64_t LastDataAt(int descriptor, std::int64_t now) noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (descriptor < 0 || ::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
    return 0;
  if (size < offsetof(tcp_info, tcpi_last_data_recv) + sizeof info.tcpi_last_data_recv) return 0;
  return now - std::int64_t{info.tcpi_last_data_recv} * 1'000'000;
}

inline bool HasData(int descriptor) noexcept {
  pollfd one{descriptor, POLLIN, 0};
  return ::poll(&one, 1, 0) == 1;
}

}  // namespace detail

// Of a server: when a connection's requests come.
class ThriftConnections : public apache::thrift::server::TServerEventHandler {
 public:
  void* createContext(std::shared_ptr<apache::thrift::protocol::TProtocol> input,
                      std::shared_ptr<apache::thrift::protocol::TProtocol>) override {
    auto* connection = new (std::nothrow) detail::ThriftConnection;
    if (connection == nullptr) return nullptr;
    connection->number = numbers_.fetch_add(1, std::memory_order_relaxed) + 1;
    connection->is_buffered = dynamic_cast<apache::thrift::transport::TMemoryBuffer*>(
                                  input->getTransport().get()) != nullptr;
    return connection;
  }

  void deleteContext(void* context, std::shared_ptr<apache::thrift::protocol::TProtocol>,
                     std::shared_ptr<apache::thrift::protocol::TProtocol>) override {
    auto* connection = static_cast<detail::ThriftConnection*>(context);
    if (detail::thrift_connection == connection) detail::thrift_connection = nullptr;
    delete connection;
  }

  void processContext(void* context,
                      std::shared_ptr<apache::thrift::transport::TTransport> transport) override {
    auto* connection = static_cast<detail::ThriftConnection*>(context);
    detail::thrift_connection = connection;
    if (connection == nullptr) return;
    const auto* socket = dynamic_cast<apache::thrift::transport::TSocket*>(transport.get());
    const int descriptor =
        socket == nullptr ? -1
                          : const_cast<apache::thrift::transport::TSocket*>(socket)->getSocketFD();
    const std::int64_t now = Now();
    connection->ready_ns = now;
    connection->arrival_ns = 0;
    connection->worker_waited =
        descriptor >= 0 && !connection->is_buffered && !detail::HasData(descriptor);
    if (connection->worker_waited) return;
    const std::int64_t came = detail::LastDataAt(descriptor, now);
    if (came != 0) connection->arrival_ns = std::max(came, connection->last_end_ns);
  }

 private:
  std::atomic<std::uint64_t> numbers_{0};
};

// Of a processor: its calls.
class ThriftCalls : public apache::thrift::TProcessorEventHandler {
 public:
  // `recorder` outlives it.
  explicit ThriftCalls(Recorder& recorder) : recorder_(recorder) {}

  void* getContext(const char* method, void*) override {
    auto* call = new (std::nothrow) Call;
    if (call == nullptr) return nullptr;
    call->connection = detail::thrift_connection;
    detail::thrift_connection = nullptr;
    if (call->connection == nullptr) {
      call->request = recorder_.See(method);
      return call;
    }
    const detail::ThriftConnection& own = *call->connection;
    const std::int64_t now = Now();
    call->request = recorder_.See(method, own.worker_waited ? now : own.arrival_ns);
    call->request.SetConnection(own.number);
    call->request.Dequeue(own.worker_waited ? now : own.ready_ns);
    return call;
  }

  void postRead(void* context, const char*, std::uint32_t) override {
    if (auto* call = static_cast<Call*>(context)) {
      call->before = Current();
      call->request.BeginHandler();
      call->has_begun = true;
      SetCurrent(call->request);
    }
  }

  void preWrite(void* context, const char*) override { EndHandler(context); }

  void postWrite(void* context, const char*, std::uint32_t) override {
    if (auto* call = static_cast<Call*>(context)) Sent(*call);
  }

  // Of a oneway call, which has no answer: it is over.
  void asyncComplete(void* context, const char*) override {
    EndHandler(context);
    if (auto* call = static_cast<Call*>(context)) Sent(*call);
  }

  void handlerError(void* context, const char*) override {
    EndHandler(context);
    if (auto* call = static_cast<Call*>(context)) call->request.Fail();
  }

  void freeContext(void* context, const char*) override {
    auto* call = static_cast<Call*>(context);
    if (call == nullptr) return;
    if (!call->has_begun) {
      call->request.Fail();  // its arguments could not be read
    } else if (!call->has_ended) {
      EndHandler(context);
    } else if (!call->is_sent) {
      Sent(*call);  // the answer that says that it failed
    }
    if (call->connection != nullptr) call->connection->last_end_ns = Now();
    call->request.Finish();
    delete call;
  }

 private:
  struct Call {
    Request request;
    Request before;
    detail::ThriftConnection* connection = nullptr;
    bool has_begun = false, has_ended = false, is_sent = false;
  };

  static void EndHandler(void* context) {
    auto* call = static_cast<Call*>(context);
    if (call == nullptr || call->has_ended) return;
    call->has_ended = true;
    call->request.EndHandler();
    if (call->has_begun) SetCurrent(call->before);
  }

  static void Sent(Call& call) {
    call.is_sent = true;
    const bool is_buffered = call.connection != nullptr && call.connection->is_buffered;
    if (!is_buffered) call.request.Sent();
  }

  Recorder& recorder_;
};

}  // namespace rankscope::requests
