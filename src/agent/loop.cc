#include "agent/loop.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "agent/rpc_places.h"
#include "base/caught.h"
#include "http/asio.h"
#include "http/run_to_end.h"
#include "wire/kineto_message.h"
#include "wire/rpc_frame.h"

namespace rankscope::agent {
namespace {

namespace asio = http::asio;
using http::error_code;
using http::tcp;
using namespace asio::experimental::awaitable_operators;

constexpr auto kToTuple = asio::as_tuple(asio::use_awaitable);
// Of datagrams in a row before others have their turn.
constexpr int kMostInARow = 256;

TcpEnd EndOf(const tcp::endpoint& endpoint) {
  TcpEnd end{.port = endpoint.port()};
  asio::ip::address address = endpoint.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  end.is_v6 = address.is_v6();
  if (end.is_v6) {
    const auto bytes = address.to_v6().to_bytes();
    std::ranges::copy(bytes, end.address);
  } else {
    const auto bytes = address.to_v4().to_bytes();
    std::ranges::copy(bytes, end.address);
  }
  return end;
}

class AsioLoop final : public Loop {
 public:
  AsioLoop(const LoopOptions& options, std::unique_ptr<wire::LocalSocket> kineto,
           Captures& captures, const Rpc& rpc, std::function<Now()> clock,
           std::function<void()> tick)
      : options_(options),
        captures_(captures),
        rpc_(rpc),
        clock_(std::move(clock)),
        tick_(std::move(tick)),
        kineto_(std::move(kineto)),
        places_({.connections = options.most_connections,
                 .connections_of_caller = options.most_of_caller,
                 .bytes = options.most_bytes,
                 .bytes_of_caller = options.most_bytes_of_caller}),
        datagrams_(context_),
        acceptor_(context_) {}

  ~AsioLoop() override {
    context_.stop();
    if (thread_.joinable()) thread_.join();
    // The descriptor stays the socket's.
    if (datagrams_.is_open()) datagrams_.release();
  }

  Status Begin() {
    if (!options_.rpc_host.empty()) RS_RETURN_IF_ERROR(Listen());
    if (kineto_) {
      datagrams_.assign(kineto_->descriptor());
      asio::co_spawn(context_, AnswerKineto(), asio::detached);
    }
    asio::co_spawn(context_, TickNowAndThen(), asio::detached);
    thread_ = std::thread([this] { http::RunToEnd(context_); });
    return OkStatus();
  }

  std::string rpc_address() const override { return rpc_address_; }

  LoopNumbers numbers() const override {
    return {.datagrams = datagram_count_,
            .bad_datagrams = bad_datagrams_,
            .lost_replies = lost_replies_,
            .requests = requests_,
            .bad_requests = bad_requests_,
            .turned_away = turned_away_};
  }

 private:
  Status Listen() {
    error_code error;
    const std::string host = options_.rpc_host == "localhost" ? "127.0.0.1" : options_.rpc_host;
    const auto address = asio::ip::make_address(host, error);
    if (error)
      return Error(StatusCode::kInvalidArgument, "rpc.listen: '{}' is no address",
                   options_.rpc_host);
    const tcp::endpoint endpoint(address, options_.rpc_port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      return Error(StatusCode::kIo, "rpc.listen: {}:{} cannot be listened on: {}", host,
                   options_.rpc_port, error.message());
    const std::uint16_t port = acceptor_.local_endpoint().port();
    rpc_address_ =
        address.is_v6() ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
    asio::co_spawn(context_, Accept(), asio::detached);
    return OkStatus();
  }

  asio::awaitable<void> AnswerKineto() {
    for (;;) {
      const auto [error] =
          co_await datagrams_.async_wait(asio::posix::descriptor_base::wait_read, kToTuple);
      if (error) co_return;
      for (int i = 0; i < kMostInARow; ++i) {
        const auto datagram = kineto_->Receive(wire::kMostKinetoBytes);
        if (!datagram) break;
        ++datagram_count_;
        if (!Caught([&] { Answer(*datagram); }).ok()) ++lost_replies_;
      }
    }
  }

  void Answer(const wire::Datagram& datagram) {
    const auto message = datagram.is_cut ? Error(StatusCode::kBadData, "too long")
                                         : wire::ParseKinetoMessage(datagram.bytes);
    if (!message.ok()) {
      ++bad_datagrams_;
      return;
    }
    std::string reply;
    if (const auto* poll = std::get_if<wire::KinetoPoll>(&*message)) {
      reply = wire::KinetoConfigReply(captures_.OnPoll(datagram.from, *poll, clock_()));
    } else {
      reply = wire::KinetoContextReply(
          captures_.OnContext(datagram.from, std::get<wire::KinetoContext>(*message), clock_()));
    }
    if (!kineto_->SendTo(datagram.from.address, reply).ok()) ++lost_replies_;
  }

  asio::awaitable<void> Accept() {
    for (;;) {
      auto [error, socket] = co_await acceptor_.async_accept(kToTuple);
      if (error == asio::error::operation_aborted) co_return;
      if (error) {
        // Out of descriptors: those that end give some back.
        asio::steady_timer pause(context_, std::chrono::milliseconds(50));
        co_await pause.async_wait(kToTuple);
        continue;
      }
      // Where there is no place or no memory for it, it is closed.
      bool is_taken = false;
      (void)Caught([&, &taken = socket] { is_taken = Take(std::move(taken)); });
      if (!is_taken) ++turned_away_;
    }
  }

  bool Take(tcp::socket socket) {
    if (places_.AreAllTaken()) return false;
    RpcCaller caller = CallerOf(socket);
    const std::string key = KeyOf(caller, socket);
    if (places_.HasAll(key)) return false;
    asio::co_spawn(context_, Serve(std::move(socket), std::move(caller), {places_, key}),
                   asio::detached);
    return true;
  }

  // Under what a caller's connections are counted.
  static std::string KeyOf(const RpcCaller& caller, const tcp::socket& socket) {
    if (caller.uid) return fmt::format("user {}", *caller.uid);
    error_code error;
    const tcp::endpoint theirs = socket.remote_endpoint(error);
    return error ? "nobody" : theirs.address().to_string();
  }

  RpcCaller CallerOf(const tcp::socket& socket) const {
    error_code theirs_error, ours_error;
    const tcp::endpoint theirs = socket.remote_endpoint(theirs_error);
    const tcp::endpoint ours = socket.local_endpoint(ours_error);
    if (theirs_error || ours_error)
      return {.uid = {}, .name = "nobody", .problem = "the connection is over"};
    const std::string at = fmt::format("{}:{}", theirs.address().to_string(), theirs.port());
    // Who asks from elsewhere is let in by a token, or by rpc.insecure.
    const Result<uid_t> uid = UserOfPeer(EndOf(theirs), EndOf(ours));
    RpcCaller caller{.name = uid.ok() ? fmt::format("user {} ({})", *uid, at) : at,
                     .problem = uid.status().message()};
    // An end of this host that the kernel does not know is one that is closed by now: nobody's.
    const bool is_elsewhere = !uid.ok() && !IsOfThisHost(EndOf(theirs));
    caller.is_trusted = options_.trusts_loopback || is_elsewhere;
    if (uid.ok()) caller.uid = *uid;
    return caller;
  }

  // One request after the other until the other end closes; a silent one is closed.
  asio::awaitable<void> Serve(tcp::socket socket, RpcCaller caller, RpcPlaces::Place place) {
    std::string bytes;
    for (;;) {
      asio::steady_timer timer(context_, options_.request_time);
      const auto done = co_await (One(socket, caller, place, bytes) || timer.async_wait(kToTuple));
      if (done.index() == 1) {
        if (!bytes.empty()) ++bad_requests_;
        break;
      }
      if (!std::get<0>(done)) break;
    }
  }

  // False: the connection is over.
  asio::awaitable<bool> One(tcp::socket& socket, const RpcCaller& caller, RpcPlaces::Place& place,
                            std::string& bytes) {
    const std::size_t most =
        rpc_.LetsIn(caller) ? wire::kMostFrameBytes : wire::kMostStrangersFrameBytes;
    char buffer[8192];
    for (;;) {
      const auto frame = wire::FrameIn(bytes, most);
      if (!frame.ok()) {
        ++bad_requests_;
        co_return false;
      }
      if (*frame) {
        ++requests_;
        std::string reply;
        const Status answered =
            Caught([&] { reply = wire::ToFrame(rpc_.Answer(**frame, caller)); });
        if (!answered.ok()) co_return false;
        // Its memory, too.
        bytes = bytes.substr(4 + (*frame)->size());
        // One reply is sent however long it is.
        const bool is_too_much = place.IsTooMuch();
        place.Hold(bytes.size() + reply.size());
        if (is_too_much) {
          ++turned_away_;
          co_return false;
        }
        const auto [error, sent] =
            co_await asio::async_write(socket, asio::buffer(reply), kToTuple);
        place.Hold(bytes.size());
        co_return !error;
      }
      const auto [error, got] = co_await socket.async_read_some(asio::buffer(buffer), kToTuple);
      if (error) {
        if (!bytes.empty()) ++bad_requests_;
        co_return false;
      }
      bytes.append(buffer, got);
      place.Hold(bytes.size());
      if (place.IsTooMuch()) {
        ++turned_away_;
        co_return false;
      }
    }
  }

  asio::awaitable<void> TickNowAndThen() {
    asio::steady_timer timer(context_);
    for (;;) {
      timer.expires_after(options_.tick);
      const auto [error] = co_await timer.async_wait(kToTuple);
      if (error) co_return;
      (void)Caught(tick_);  // the next one may do what this one could not
    }
  }

  const LoopOptions options_;
  Captures& captures_;
  const Rpc& rpc_;
  const std::function<Now()> clock_;
  const std::function<void()> tick_;
  std::unique_ptr<wire::LocalSocket> kineto_;
  RpcPlaces places_;
  asio::io_context context_{1};
  asio::posix::stream_descriptor datagrams_;
  tcp::acceptor acceptor_;
  std::string rpc_address_;
  std::atomic<std::uint64_t> datagram_count_ = 0, bad_datagrams_ = 0, lost_replies_ = 0,
                             requests_ = 0, bad_requests_ = 0, turned_away_ = 0;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Loop>> Loop::Start(const LoopOptions& options,
                                          std::unique_ptr<wire::LocalSocket> kineto,
                                          Captures& captures, const Rpc& rpc,
                                          std::function<Now()> clock, std::function<void()> tick) {
  auto loop = std::make_unique<AsioLoop>(options, std::move(kineto), captures, rpc,
                                         std::move(clock), std::move(tick));
  RS_RETURN_IF_ERROR(loop->Begin());
  return std::unique_ptr<Loop>(std::move(loop));
}

}  // namespace rankscope::agent
