#include "http/server.h"

#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "base/caught.h"
#include "http/connection.h"
#include "http/run_to_end.h"

namespace rankscope::http {
namespace {

using std::chrono::milliseconds;

Result<tcp::endpoint> EndpointOf(const ServerOptions& options) {
  error_code error;
  const std::string host = options.host == "localhost" ? "127.0.0.1" : options.host;
  const auto address = asio::ip::make_address(host, error);
  if (error) {
    return Error(StatusCode::kInvalidArgument,
                 "'{}' is no address to listen on: give one such as 127.0.0.1 or [::1]",
                 options.host);
  }
  return tcp::endpoint(address, options.port);
}

class BeastServer final : public Server {
 public:
  BeastServer(const ServerOptions& options, Handler& handler)
      : options_(options),
        blocking_(static_cast<std::size_t>(options.blocking_threads)),
        secure_(asio::ssl::context::tls_server) {
    shared_.options = &options_;
    shared_.handler = &handler;
    shared_.blocking = &blocking_;
    for (int i = 0; i < options_.io_threads; ++i) lanes_.push_back(std::make_unique<Lane>());
  }

  ~BeastServer() override { Stop(milliseconds(0)); }

  Status Begin() {
    if (!options_.certificate_file.empty()) RS_RETURN_IF_ERROR(ReadCertificate());
    RS_ASSIGN_OR_RETURN(const tcp::endpoint end, EndpointOf(options_));
    error_code error;
    acceptor_ = std::make_unique<tcp::acceptor>(lanes_.front()->context);
    acceptor_->open(end.protocol(), error);
    if (!error) acceptor_->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_->bind(end, error);
    if (!error) acceptor_->listen(SOMAXCONN, error);
    if (error) {
      return Error(StatusCode::kIo, "cannot listen on {}:{}: {}", options_.host, options_.port,
                   error.message());
    }
    port_ = acceptor_->local_endpoint().port();
    asio::co_spawn(lanes_.front()->context, Accept(), asio::detached);
    for (const auto& lane : lanes_) {
      guards_.push_back(asio::make_work_guard(lane->context));
      threads_.emplace_back([context = &lane->context] { RunToEnd(*context); });
    }
    return OkStatus();
  }

  std::string host() const override { return options_.host; }
  std::uint16_t port() const override { return port_; }
  ServerNumbers numbers() const override {
    return {.connections = connections_.load(),
            .accepted = accepted_.load(),
            .turned_away = turned_away_.load(),
            .closed_idle = closed_idle_.load()};
  }

  void Stop(milliseconds patience) override {
    if (threads_.empty()) return;
    shared_.stopping = true;
    asio::post(lanes_.front()->context, [this] {
      error_code error;
      acceptor_->close(error);
    });
    for (const auto& lane : lanes_) {
      asio::post(lane->context, [lane = lane.get()] {
        for (const auto& [since, stream] : lane->idle) stream->cancel();
      });
    }
    {
      std::unique_lock lock(mutex_);
      all_gone_.wait_for(lock, patience, [this] { return connections_ == 0; });
    }
    for (const auto& lane : lanes_) lane->context.stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    // Blocking work ends by itself; what it would wake is gone with the contexts, after it.
    blocking_.join();
    acceptor_.reset();
    guards_.clear();
    lanes_.clear();
  }

 private:
  Status ReadCertificate() {
    error_code error;
    secure_.set_options(asio::ssl::context::no_sslv2 | asio::ssl::context::no_sslv3 |
                            asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1,
                        error);
    if (!error) secure_.use_certificate_chain_file(options_.certificate_file, error);
    if (error) {
      return Error(StatusCode::kBadData, "{}: no certificate in PEM form: {}",
                   options_.certificate_file, error.message());
    }
    secure_.use_private_key_file(options_.key_file, asio::ssl::context::pem, error);
    if (error) {
      return Error(StatusCode::kBadData, "{}: not the private key of {}: {}", options_.key_file,
                   options_.certificate_file, error.message());
    }
    if (options_.client_ca_file.empty()) return OkStatus();
    secure_.load_verify_file(options_.client_ca_file, error);
    if (error) {
      return Error(StatusCode::kBadData, "{}: no certificates in PEM form: {}",
                   options_.client_ca_file, error.message());
    }
    // One that is shown and not trusted ends the connection.
    secure_.set_verify_mode(asio::ssl::verify_peer, error);
    SSL_CTX_set_client_CA_list(secure_.native_handle(),
                               SSL_load_client_CA_file(options_.client_ca_file.c_str()));
    // Without it a session that is taken up again would be refused.
    static constexpr unsigned char kContext[] = "rankscope";
    SSL_CTX_set_session_id_context(secure_.native_handle(), kContext, sizeof(kContext) - 1);
    return OkStatus();
  }

  asio::awaitable<void> Accept() {
    asio::steady_timer pause(lanes_.front()->context);
    for (std::size_t next = 0; !shared_.stopping; ++next) {
      Lane& lane = *lanes_[next % lanes_.size()];
      auto [error, socket] = co_await acceptor_->async_accept(lane.context, kToTuple);
      if (shared_.stopping) co_return;
      if (error) {
        // Out of descriptors: those in use come back.
        pause.expires_after(milliseconds(50));
        co_await pause.async_wait(kToTuple);
        continue;
      }
      ++accepted_;
      error_code ignored;
      const auto peer = socket.remote_endpoint(ignored).address();
      if (connections_ >= FewLeft()) CloseOneThatIsIdle(next % lanes_.size(), lanes_.size());
      if (connections_ >= options_.most_connections || !TakePlace(peer)) {
        ++turned_away_;
        continue;
      }
      socket.set_option(tcp::no_delay(true), ignored);
      const Status handed = Caught([&, &taken = socket] { Hand(lane, std::move(taken), peer); });
      if (handed.ok()) continue;
      GivePlace(peer);
      ++turned_away_;
    }
  }

  // From so many on a connection that comes takes the place of one that asks nothing.
  std::size_t FewLeft() const {
    const std::size_t kept = std::max<std::size_t>(options_.most_connections / 10, 1);
    return options_.most_connections - std::min(kept, options_.most_connections);
  }

  // The one of the lane that has waited longest, else of the next, `lanes` at most.
  void CloseOneThatIsIdle(std::size_t lane, std::size_t lanes) {
    if (lanes == 0) return;
    asio::post(lanes_[lane]->context, [this, lane, lanes] {
      auto& idle = lanes_[lane]->idle;
      if (idle.empty()) return CloseOneThatIsIdle((lane + 1) % lanes_.size(), lanes - 1);
      idle.begin()->second->cancel();
      idle.erase(idle.begin());
      ++closed_idle_;
    });
  }

  // False: the address has as many connections as it may.
  bool TakePlace(const asio::ip::address& peer) {
    const std::scoped_lock lock(mutex_);
    bool is_taken = false;
    const Status looked = Caught([&] {
      std::size_t& of_peer = of_peer_[peer];
      is_taken = of_peer < options_.most_of_peer || peer.is_loopback();
      if (is_taken) ++of_peer;
    });
    if (!looked.ok() || !is_taken) return false;
    ++connections_;
    return true;
  }
  void GivePlace(const asio::ip::address& peer) {
    const std::scoped_lock lock(mutex_);
    if (--of_peer_[peer] == 0) of_peer_.erase(peer);
    --connections_;
    all_gone_.notify_all();
  }

  void Hand(Lane& lane, tcp::socket socket, const asio::ip::address& peer) {
    asio::co_spawn(lane.context, ServeSocket(std::move(socket), lane),
                   [this, peer](const std::exception_ptr&) { GivePlace(peer); });
  }

  asio::awaitable<void> ServeSocket(tcp::socket socket, Lane& lane) {
    beast::tcp_stream plain(std::move(socket));
    if (options_.certificate_file.empty()) {
      co_await Serve(std::move(plain), shared_, lane);
      co_return;
    }
    SecureStream stream(std::move(plain), secure_);
    stream.next_layer().expires_after(options_.head_time);
    auto [error] = co_await stream.async_handshake(asio::ssl::stream_base::server, kToTuple);
    if (!error) co_await Serve(std::move(stream), shared_, lane);
  }

  ServerOptions options_;
  Shared shared_;
  asio::thread_pool blocking_;
  asio::ssl::context secure_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::unique_ptr<tcp::acceptor> acceptor_;
  std::vector<asio::executor_work_guard<asio::io_context::executor_type>> guards_;
  std::vector<std::thread> threads_;
  std::uint16_t port_ = 0;
  std::map<asio::ip::address, std::size_t> of_peer_;
  std::atomic<std::size_t> connections_ = 0;
  std::atomic<std::uint64_t> accepted_ = 0;
  std::atomic<std::uint64_t> turned_away_ = 0;
  std::atomic<std::uint64_t> closed_idle_ = 0;
  std::mutex mutex_;
  std::condition_variable all_gone_;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::Start(const ServerOptions& options, Handler& handler) {
  auto server = std::make_unique<BeastServer>(options, handler);
  RS_RETURN_IF_ERROR(server->Begin());
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace rankscope::http
