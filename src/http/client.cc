#include "http/client.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>

#include "http/client_tls.h"

// As in connection.cc: every co_await alone in its statement.

namespace rankscope::http {
namespace {

namespace bh = beast::http;

constexpr std::size_t kUploadPieceBytes = 256 << 10;
constexpr std::uint64_t kMostReply = std::uint64_t{256} << 20;

class FileReader {
 public:
  explicit FileReader(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~FileReader() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  bool Read(std::string& piece, std::uint64_t offset) const {
    return pread(descriptor_, piece.data(), piece.size(), static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(piece.size());
  }

 private:
  int descriptor_;
};

class BeastClient final : public Client {
 public:
  BeastClient(Address address, ClientOptions options)
      : address_(std::move(address)),
        options_(std::move(options)),
        secure_(asio::ssl::context::tls_client) {}

  Result<ClientReply> Send(const ClientRequest& request) override {
    // A connection that was idle may have been ended by the server: once more, on a new one.
    const bool is_old = is_connected_;
    Result<ClientReply> reply = SendOnce(request);
    if (!reply.ok() && is_old && reply.status().code() == StatusCode::kIo && !has_sent_body_)
      reply = SendOnce(request);
    return reply;
  }

  void Abort() override {
    is_aborted_ = true;
    context_.stop();
  }

 private:
  Result<ClientReply> SendOnce(const ClientRequest& request) {
    status_ = OkStatus();
    reply_ = {};
    has_sent_body_ = false;
    context_.restart();
    asio::co_spawn(context_, Exchange(request), asio::detached);
    if (!is_aborted_) context_.run();
    if (is_aborted_) return Error(StatusCode::kCancelled, "stopped");
    if (status_.ok()) return std::move(reply_);
    Disconnect();
    return status_;
  }

  void Disconnect() {
    is_connected_ = false;
    stream_.reset();
  }

  Status Failed(std::string_view what, const error_code& error) const {
    return Error(StatusCode::kIo, "{}: cannot {}: {}", address_.Text(), what, error.message());
  }

  beast::tcp_stream& lowest() { return stream_->next_layer(); }
  void SetTime() { lowest().expires_after(options_.time); }

  asio::awaitable<void> Exchange(const ClientRequest& request) {
    if (!is_connected_) status_ = co_await Connect();
    if (status_.ok()) status_ = co_await Write(request);
    // A server that refuses a body may have said why.
    const Status written = status_;
    status_ = co_await Read(request);
    if (!status_.ok() && !written.ok()) status_ = written;
    if (!written.ok()) is_connected_ = false;
  }

  // Once, and not at all without TLS: reading the system's certificates takes tens of ms.
  Status LoadCertificates() {
    if (has_certificates_ || !address_.is_secure) return OkStatus();
    RS_RETURN_IF_ERROR(LoadClientCertificates(options_, secure_));
    has_certificates_ = true;
    return OkStatus();
  }

  Status Prepare() {
    RS_RETURN_IF_ERROR(LoadCertificates());
    buffer_.clear();
    stream_.emplace(context_, secure_);
    if (address_.is_secure) ExpectHost(*stream_, address_.host);
    return OkStatus();
  }

  asio::awaitable<Status> Connect() {
    const Status prepared = Prepare();
    if (!prepared.ok()) co_return prepared;
    tcp::resolver resolver(context_);
    auto [unresolved, found] =
        co_await resolver.async_resolve(address_.host, address_.port, kToTuple);
    if (unresolved) co_return Failed("find it", unresolved);
    SetTime();
    auto [refused, end] = co_await lowest().async_connect(found, kToTuple);
    if (refused) co_return Failed("connect", refused);
    error_code ignored;
    lowest().socket().set_option(tcp::no_delay(true), ignored);
    if (address_.is_secure) {
      SetTime();
      auto [untrusted] =
          co_await stream_->async_handshake(asio::ssl::stream_base::client, kToTuple);
      if (untrusted) co_return Failed("agree on TLS", untrusted);
    }
    is_connected_ = true;
    co_return OkStatus();
  }

  asio::awaitable<error_code> WriteAll(std::string_view data) {
    SetTime();
    auto all = asio::buffer(data.data(), data.size());
    if (address_.is_secure) {
      auto [error, count] = co_await asio::async_write(*stream_, all, kToTuple);
      co_return error;
    }
    auto [error, count] = co_await asio::async_write(lowest(), all, kToTuple);
    co_return error;
  }

  asio::awaitable<Status> Write(const ClientRequest& request) {
    const bool is_file = !request.file.path.empty();
    const std::uint64_t bytes = is_file ? request.file.bytes : request.text.size();
    std::string piece =
        HeadText(address_, request.method, request.target, options_.fields, request.fields, bytes);
    if (!is_file) piece += request.text;
    error_code error = co_await WriteAll(piece);
    if (error) co_return Failed("send", error);
    if (!is_file) co_return OkStatus();
    const FileReader file(request.file.path);
    for (std::uint64_t sent = 0; sent < bytes; sent += piece.size()) {
      piece.resize(std::min<std::uint64_t>(kUploadPieceBytes, bytes - sent));
      if (!file.Read(piece, request.file.offset + sent)) {
        co_return Error(StatusCode::kBadData, "{}: it became shorter while it was sent",
                        request.file.path);
      }
      has_sent_body_ = true;
      error = co_await WriteAll(piece);
      if (error) co_return Failed("send", error);
      if (request.progress && !request.progress(sent + piece.size()))
        co_return Error(StatusCode::kCancelled, "stopped");
    }
    co_return OkStatus();
  }

  asio::awaitable<Status> Read(const ClientRequest& request) {
    if (!stream_ || !is_connected_) co_return status_;
    bh::response_parser<bh::string_body> parser;
    parser.body_limit(kMostReply);
    parser.skip(request.method == "HEAD");
    SetTime();
    error_code failed;
    if (address_.is_secure) {
      auto [error, count] = co_await bh::async_read(*stream_, buffer_, parser, kToTuple);
      failed = error;
    } else {
      auto [error, count] = co_await bh::async_read(lowest(), buffer_, parser, kToTuple);
      failed = error;
    }
    if (failed) co_return Failed("read its answer", failed);
    auto message = parser.release();
    reply_.status = static_cast<int>(message.result_int());
    for (const auto& field : message) {
      reply_.fields.emplace_back(
          std::string(field.name_string().data(), field.name_string().size()), field.value());
    }
    reply_.body = std::move(message.body());
    if (!message.keep_alive()) is_connected_ = false;
    co_return OkStatus();
  }

  const Address address_;
  const ClientOptions options_;
  asio::io_context context_{1};
  asio::ssl::context secure_;
  std::optional<beast::ssl_stream<beast::tcp_stream>> stream_;
  beast::flat_buffer buffer_;
  std::atomic<bool> is_aborted_ = false;
  bool has_certificates_ = false;
  bool is_connected_ = false;
  bool has_sent_body_ = false;
  Status status_;
  ClientReply reply_;
};

}  // namespace

std::string Address::Text() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", is_secure ? "https" : "http", is_v6 ? "[" : "", host,
                     is_v6 ? "]" : "", port);
}

Result<Address> ParseAddress(std::string_view text) {
  const auto wrong = [&] {
    return Error(StatusCode::kInvalidArgument,
                 "'{}' is no server: give an address such as http://127.0.0.1:8723", text);
  };
  Address address;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    address.is_secure = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return wrong();
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  std::size_t colon = rest.rfind(':');
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return wrong();
    address.host = rest.substr(1, end - 1);
    colon = end + 1 < rest.size() ? end + 1 : std::string_view::npos;
    if (colon != std::string_view::npos && rest[colon] != ':') return wrong();
  } else {
    address.host = rest.substr(0, colon);
  }
  address.port = colon == std::string_view::npos ? (address.is_secure ? "443" : "80")
                                                 : std::string(rest.substr(colon + 1));
  const bool is_host =
      !address.host.empty() && address.host.find_first_of("/@?# ") == std::string::npos;
  const bool is_port = !address.port.empty() && address.port.size() <= 5 &&
                       address.port.find_first_not_of("0123456789") == std::string::npos;
  if (!is_host || !is_port) return wrong();
  return address;
}

std::unique_ptr<Client> MakeClient(const Address& address, const ClientOptions& options) {
  return std::make_unique<BeastClient>(address, options);
}

}  // namespace rankscope::http
