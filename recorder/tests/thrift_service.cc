// thrift_service FILE (pool|nonblocking) WORKERS CLIENTS CALLS SLEEP_MS LOCKED_MS
//
// A real server of Apache Thrift with so many workers and clients that each make so many calls, one
// after the other, each over a connection of its own (pool: CALLS connections a client). Its
// requests are recorded into FILE; standard output has what the service itself knows of them.
#include <thrift/concurrency/ThreadFactory.h>
#include <thrift/concurrency/ThreadManager.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/server/TNonblockingServer.h>
#include <thrift/server/TThreadPoolServer.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TNonblockingServerSocket.h>
#include <thrift/transport/TServerSocket.h>
#include <thrift/transport/TSocket.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <thread>
#include <vector>

#include "Ranker.h"
#include "rankscope/thrift_requests.h"
#include "truth.h"

namespace {

namespace protocol = apache::thrift::protocol;
namespace server = apache::thrift::server;
namespace transport = apache::thrift::transport;
using rankscope::requests::Now;
using rankscope::truth::Call;
using rankscope::truth::Truth;

void Sleep(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

class Handler : public rankscope::ranker::RankerIf {
 public:
  explicit Handler(Truth& truth) : truth_(truth) {}

  void rank(std::string& answer, int sleep_ms, int locked_ms, int call) override {
    const std::int64_t begin = Now();
    std::int64_t waited = 0;
    rankscope::requests::Current().SetId(std::to_string(call));
    Sleep(sleep_ms);
    if (locked_ms > 0) {
      const std::int64_t before = Now();
      const rankscope::requests::LockGuard<std::mutex> lock(mutex_, "index");
      waited = Now() - before;
      Sleep(locked_ms);
    }
    answer.assign(100, 'a');
    truth_.Note(call, [&](Call& own) {
      own.begin_ns = begin;
      own.lock_ns = waited;
      own.end_ns = Now();
    });
    if (call < 0) {
      rankscope::ranker::TooMany problem;
      problem.why = "declared";
      throw problem;
    }
  }
  void fail() override { throw std::runtime_error("undeclared"); }
  void note(int sleep_ms) override {
    Sleep(sleep_ms);
    noted_.set_value();
  }

  std::promise<void> noted_;

 private:
  Truth& truth_;
  std::mutex mutex_;
};

class Listening : public rankscope::requests::ThriftConnections {
 public:
  void preServe() override { serves_.set_value(); }
  std::promise<void> serves_;
};

struct Client {
  Client(int port, bool is_framed) {
    auto socket = std::make_shared<transport::TSocket>("127.0.0.1", port);
    if (is_framed) {
      wire = std::make_shared<transport::TFramedTransport>(socket);
    } else {
      wire = std::make_shared<transport::TBufferedTransport>(socket);
    }
    ranker = std::make_unique<rankscope::ranker::RankerClient>(
        std::make_shared<protocol::TBinaryProtocol>(wire));
  }
  std::shared_ptr<transport::TTransport> wire;
  std::unique_ptr<rankscope::ranker::RankerClient> ranker;
};

}  // namespace

int main(int count, char** values) {
  if (count != 8) return 2;
  const bool is_pool = std::string(values[2]) == "pool";
  const int workers = std::atoi(values[3]), clients = std::atoi(values[4]);
  const int calls = std::atoi(values[5]), sleep_ms = std::atoi(values[6]);
  const int locked_ms = std::atoi(values[7]);

  Truth truth;
  rankscope::requests::Options options;
  options.path = values[1];
  options.service = "ranker";
  rankscope::requests::Recorder recorder(options);
  if (!recorder.problem().empty()) {
    std::fprintf(stderr, "%s\n", recorder.problem().c_str());
    return 1;
  }
  auto handler = std::make_shared<Handler>(truth);
  auto processor = std::make_shared<rankscope::ranker::RankerProcessor>(handler);
  processor->setEventHandler(std::make_shared<rankscope::requests::ThriftCalls>(recorder));
  auto connections = std::make_shared<Listening>();
  auto pool = apache::thrift::concurrency::ThreadManager::newSimpleThreadManager(
      static_cast<std::size_t>(workers));
  pool->threadFactory(std::make_shared<apache::thrift::concurrency::ThreadFactory>());
  pool->start();

  std::unique_ptr<server::TServer> serving;
  std::shared_ptr<transport::TServerSocket> blocking_socket;
  std::shared_ptr<transport::TNonblockingServerSocket> socket;
  if (is_pool) {
    blocking_socket = std::make_shared<transport::TServerSocket>("127.0.0.1", 0);
    serving = std::make_unique<server::TThreadPoolServer>(
        processor, blocking_socket, std::make_shared<transport::TBufferedTransportFactory>(),
        std::make_shared<protocol::TBinaryProtocolFactory>(), pool);
  } else {
    socket = std::make_shared<transport::TNonblockingServerSocket>("127.0.0.1", 0);
    serving = std::make_unique<server::TNonblockingServer>(
        processor, std::make_shared<protocol::TBinaryProtocolFactory>(), socket, pool);
  }
  serving->setServerEventHandler(connections);
  std::thread server_thread([&] { serving->serve(); });
  connections->serves_.get_future().wait();
  const int port = is_pool ? blocking_socket->getPort() : socket->getListenPort();

  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < calls; ++j) {
        const int number = 1 + i * calls + j;
        Client client(port, !is_pool);
        client.wire->open();
        truth.Note(number, [](Call& own) { own.sent_ns = Now(); });
        std::string answer;
        client.ranker->rank(answer, sleep_ms, locked_ms, number);
        truth.Note(number, [](Call& own) { own.had_ns = Now(); });
        client.wire->close();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  // One connection for calls of other kinds, which come while a worker waits for them.
  {
    Client client(port, !is_pool);
    client.wire->open();
    std::string answer;
    try {
      client.ranker->rank(answer, 0, 0, -1);
    } catch (const rankscope::ranker::TooMany&) {
    }
    try {
      client.ranker->fail();
    } catch (const apache::thrift::TApplicationException&) {
    }
    client.ranker->note(1);
    handler->noted_.get_future().wait();
    client.ranker->rank(answer, 0, 0, 1'000'000);
    client.wire->close();
  }
  serving->stop();
  server_thread.join();
  pool->stop();
  truth.Print();
  return 0;
}
