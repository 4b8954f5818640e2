#include "http/request_loop.h"

#include <atomic>
#include <deque>
#include <optional>
#include <unordered_set>
#include <vector>

#include "http/client_tls.h"

// As in connection.cc: every co_await alone in its statement.

namespace rankscope::http {
namespace {

namespace bh = beast::http;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadBytes = 16 << 10;

// Hands an answer on as it comes; keeps nothing of it.
class AnswerParser final : public bh::basic_parser<false> {
 public:
  explicit AnswerParser(Call& call) : call_(call) {
    eager(true);
    body_limit(boost::none);
  }
  std::int64_t now_ns = 0;

 private:
  void on_request_impl(bh::verb, beast::string_view, beast::string_view, int,
                       error_code&) override {}
  void on_response_impl(int code, beast::string_view, int, error_code&) override { code_ = code; }
  void on_field_impl(bh::field, beast::string_view, beast::string_view, error_code&) override {}
  void on_header_impl(error_code&) override { call_.OnHead(now_ns, code_); }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(beast::string_view piece, error_code&) override {
    call_.OnPiece(now_ns, {piece.data(), piece.size()});
    return piece.size();
  }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view piece, error_code&) override {
    call_.OnPiece(now_ns, {piece.data(), piece.size()});
    return piece.size();
  }
  void on_finish_impl(error_code&) override {}

  Call& call_;
  int code_ = 0;
};

struct OpenConnection {
  std::optional<beast::tcp_stream> plain;
  std::optional<beast::ssl_stream<beast::tcp_stream>> secure;
  beast::flat_buffer buffer;

  beast::tcp_stream& lowest() { return plain ? *plain : secure->next_layer(); }
};

struct Waiting {
  LoopRequest request;
  std::shared_ptr<Call> call;
};

class AsioLoop final : public RequestLoop {
 public:
  AsioLoop(Address address, ClientOptions options, std::size_t most_connections)
      : address_(std::move(address)),
        options_(std::move(options)),
        most_connections_(most_connections),
        secure_(asio::ssl::context::tls_client) {}

  Status Prepare() {
    if (address_.is_secure) RS_RETURN_IF_ERROR(LoadClientCertificates(options_, secure_));
    tcp::resolver resolver(context_);
    error_code error;
    ends_ = resolver.resolve(address_.host, address_.port, error);
    if (error)
      return Error(StatusCode::kIo, "{}: cannot find it: {}", address_.Text(), error.message());
    return OkStatus();
  }

  void At(std::int64_t moment_ns, std::function<void()> then) override {
    auto timer = std::make_shared<asio::steady_timer>(
        context_, Clock::time_point(std::chrono::nanoseconds(moment_ns)));
    timer->async_wait([timer, then = std::move(then)](const error_code& error) {
      if (!error) then();
    });
  }

  void Send(LoopRequest request, std::shared_ptr<Call> call) override {
    calls_.insert(call);
    if (active_ >= most_connections_) {
      waiting_.push_back({std::move(request), std::move(call)});
      return;
    }
    Begin({std::move(request), std::move(call)});
  }

  LoopNumbers numbers() const override {
    return {.open = active_ + idle_.size(), .opened = opened_, .waiting = waiting_.size()};
  }

  void Run() override {
    if (!is_stopped_) context_.run();
    waiting_.clear();
    const std::int64_t now = SteadyNow();
    const auto left = std::exchange(calls_, {});
    for (const auto& call : left) call->OnEnd(now, Error(StatusCode::kCancelled, "stopped"));
  }

  void Stop() override {
    is_stopped_ = true;
    context_.stop();
  }

 private:
  void Begin(Waiting next) {
    ++active_;
    next.call->OnBegin(SteadyNow());
    asio::co_spawn(context_, Exchange(std::move(next)), asio::detached);
  }

  void EndCall(const std::shared_ptr<Call>& call, const Status& status) {
    calls_.erase(call);
    call->OnEnd(SteadyNow(), status);
  }

  Status Failed(std::string_view what, const error_code& error) const {
    if (error == boost::system::errc::too_many_files_open)
      return Error(StatusCode::kResource,
                   "{}: cannot {}: too many files are open: raise `ulimit -n` or set fewer "
                   "connections",
                   address_.Text(), what);
    if (error == beast::error::timeout)
      return Error(StatusCode::kIo, "{}: cannot {}: it took longer than allowed", address_.Text(),
                   what);
    return Error(StatusCode::kIo, "{}: cannot {}: {}", address_.Text(), what, error.message());
  }

  asio::awaitable<void> Exchange(Waiting next) {
    const std::shared_ptr<Call> call = std::move(next.call);
    const LoopRequest request = std::move(next.request);
    Status status;
    while (true) {
      std::unique_ptr<OpenConnection> connection;
      if (!idle_.empty()) {
        connection = std::move(idle_.back());
        idle_.pop_back();
      }
      const bool is_kept = connection != nullptr;
      bool has_answered = false, keeps = false;
      status = OkStatus();
      if (!is_kept) {
        connection = std::make_unique<OpenConnection>();
        status = co_await Connect(*connection, request.deadline_ns);
      }
      if (status.ok()) {
        status = co_await Converse(*connection, request, *call, has_answered, keeps);
      }
      if (status.ok() && keeps) idle_.push_back(std::move(connection));
      if (!status.ok() && is_kept && !has_answered && SteadyNow() < request.deadline_ns) continue;
      break;
    }
    --active_;
    EndCall(call, status);
    if (!waiting_.empty() && active_ < most_connections_) {
      Waiting after = std::move(waiting_.front());
      waiting_.pop_front();
      Begin(std::move(after));
    }
  }

  asio::awaitable<Status> Connect(OpenConnection& connection, std::int64_t deadline_ns) {
    ++opened_;
    if (address_.is_secure) {
      connection.secure.emplace(context_, secure_);
      ExpectHost(*connection.secure, address_.host);
    } else {
      connection.plain.emplace(context_);
    }
    SetDeadline(connection, deadline_ns);
    auto [refused, end] = co_await connection.lowest().async_connect(ends_, kToTuple);
    if (refused) co_return Failed("connect", refused);
    error_code ignored;
    connection.lowest().socket().set_option(tcp::no_delay(true), ignored);
    if (!connection.secure) co_return OkStatus();
    auto [untrusted] =
        co_await connection.secure->async_handshake(asio::ssl::stream_base::client, kToTuple);
    if (untrusted) co_return Failed("agree on TLS", untrusted);
    co_return OkStatus();
  }

  static void SetDeadline(OpenConnection& connection, std::int64_t deadline_ns) {
    connection.lowest().expires_at(Clock::time_point(std::chrono::nanoseconds(deadline_ns)));
  }

  asio::awaitable<error_code> Write(OpenConnection& connection, std::string_view text) {
    const auto all = asio::buffer(text.data(), text.size());
    if (connection.secure) {
      auto [error, count] = co_await asio::async_write(*connection.secure, all, kToTuple);
      co_return error;
    }
    auto [error, count] = co_await asio::async_write(*connection.plain, all, kToTuple);
    co_return error;
  }

  asio::awaitable<error_code> ReadSome(OpenConnection& connection) {
    const auto room = connection.buffer.prepare(kReadBytes);
    if (connection.secure) {
      auto [error, count] = co_await connection.secure->async_read_some(room, kToTuple);
      connection.buffer.commit(count);
      co_return error;
    }
    auto [error, count] = co_await connection.plain->async_read_some(room, kToTuple);
    connection.buffer.commit(count);
    co_return error;
  }

  asio::awaitable<Status> Converse(OpenConnection& connection, const LoopRequest& request,
                                   Call& call, bool& has_answered, bool& keeps) {
    const std::string text = HeadText(address_, request.method, request.target, options_.fields,
                                      request.fields, request.body.size()) +
                             request.body;
    SetDeadline(connection, request.deadline_ns);
    call.OnSending(SteadyNow());
    const error_code unsent = co_await Write(connection, text);
    // A server that refuses a body may have said why: what it sent is read all the same.
    AnswerParser parser(call);
    while (!parser.is_done()) {
      const error_code unread = co_await ReadSome(connection);
      parser.now_ns = SteadyNow();
      error_code wrong;
      if (unread) {
        const bool is_end = unread == asio::error::eof && has_answered;
        if (is_end) parser.put_eof(wrong);
        if (is_end && !wrong && parser.is_done()) break;
        if (unsent) co_return Failed("send", unsent);
        co_return Failed("read its answer", unread);
      }
      has_answered = true;
      connection.buffer.consume(parser.put(connection.buffer.data(), wrong));
      if (wrong && wrong != bh::error::need_more) {
        co_return Error(StatusCode::kIo, "{}: its answer is no HTTP: {}", address_.Text(),
                        wrong.message());
      }
    }
    keeps = !unsent && parser.keep_alive() && connection.buffer.size() == 0;
    co_return OkStatus();
  }

  const Address address_;
  const ClientOptions options_;
  const std::size_t most_connections_;
  asio::io_context context_{1};
  asio::ssl::context secure_;
  tcp::resolver::results_type ends_;
  std::atomic<bool> is_stopped_ = false;
  std::unordered_set<std::shared_ptr<Call>> calls_;  // that have not ended
  std::deque<Waiting> waiting_;
  std::vector<std::unique_ptr<OpenConnection>> idle_;
  std::size_t active_ = 0;
  std::uint64_t opened_ = 0;
};

}  // namespace

std::int64_t SteadyNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

Result<std::unique_ptr<RequestLoop>> RequestLoop::Make(const Address& address,
                                                       const ClientOptions& options,
                                                       std::size_t most_connections) {
  auto loop = std::make_unique<AsioLoop>(address, options, most_connections);
  RS_RETURN_IF_ERROR(loop->Prepare());
  return std::unique_ptr<RequestLoop>(std::move(loop));
}

}  // namespace rankscope::http
