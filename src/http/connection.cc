#include "http/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>

#include "http/blocking.h"
#include "http/url.h"

// In this file every co_await stands alone in its statement, and beside none is a lambda that
// captures: compilers of our time free what those hold twice, or never.

namespace rankscope::http {
namespace {

namespace bh = beast::http;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kPieceBytes = 256 << 10;
// A small body of a refused request is read away, so that the connection can go on.
constexpr std::uint64_t kMostDrained = 64 << 10;
constexpr milliseconds kAskAgain{20};
// How often it is looked whether the other end is still there.
constexpr milliseconds kLookAround{200};

beast::tcp_stream& Lowest(PlainStream& stream) { return stream; }
beast::tcp_stream& Lowest(SecureStream& stream) { return stream.next_layer(); }
constexpr bool IsSecure(const PlainStream&) { return false; }
constexpr bool IsSecure(const SecureStream&) { return true; }

std::optional<ClientIdentity> IdentityOf(PlainStream&) { return std::nullopt; }

// The handshake has ended, so a certificate that was shown was signed by one that is trusted.
std::optional<ClientIdentity> IdentityOf(SecureStream& stream) {
  SSL* const session = stream.native_handle();
  X509* const certificate = SSL_get0_peer_certificate(session);
  if (certificate == nullptr || SSL_get_verify_result(session) != X509_V_OK) return std::nullopt;
  const auto text = [certificate](int kind) {
    X509_NAME* const subject = X509_get_subject_name(certificate);
    const int place = X509_NAME_get_index_by_NID(subject, kind, -1);
    if (place < 0) return std::string();
    unsigned char* utf8 = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, place)));
    if (size < 0) return std::string();
    std::string copy(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(size));
    OPENSSL_free(utf8);
    return copy;
  };
  return ClientIdentity{.name = text(NID_commonName), .unit = text(NID_organizationalUnitName)};
}

std::string SmallLetters(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

struct ReadHead {
  Head head;
  int refused = 0;  // a status, 0 when it is good
  std::string why;
  bool keep_alive = false;
  bool expects_continue = false;
};

template <typename Parser>
ReadHead HeadOf(const Parser& parser, std::string peer, bool is_secure) {
  ReadHead read;
  const auto& message = parser.get();
  read.keep_alive = message.keep_alive();
  Head& head = read.head;
  head.method = std::string(message.method_string());
  head.peer = std::move(peer);
  head.is_secure = is_secure;
  int lengths = 0;
  int hosts = 0;
  bool is_encoded = false;
  for (const auto& field : message) {
    std::string name = SmallLetters({field.name_string().data(), field.name_string().size()});
    lengths += name == "content-length" ? 1 : 0;
    hosts += name == "host" ? 1 : 0;
    is_encoded |= name == "transfer-encoding";
    std::string value(field.value());
    if (name == "expect") read.expects_continue = SmallLetters(value) == "100-continue";
    head.fields.emplace_back(std::move(name), std::move(value));
  }
  const auto refuse = [&read](int status, std::string why) {
    read.refused = status;
    read.why = std::move(why);
    read.keep_alive = false;
  };
  auto target = ParseTarget({message.target().data(), message.target().size()});
  head.has_body = lengths > 0;
  if (is_encoded) {
    refuse(501, "Transfer-Encoding is not taken; send Content-Length");
  } else if (lengths > 1 || hosts > 1) {
    refuse(400, "Content-Length and Host may stand in a request once");
  } else if (lengths == 1 && !parser.content_length()) {
    refuse(400, "Content-Length is no number");
  } else if (lengths == 0 &&
             (head.method == "POST" || head.method == "PUT" || head.method == "PATCH")) {
    refuse(411, "say with Content-Length how long the body is");
  } else if (!target.ok()) {
    refuse(400, target.status().message());
  } else {
    head.path = std::move(target->path);
    head.query = std::move(target->query);
  }
  if (lengths == 1 && parser.content_length()) head.content_length = *parser.content_length();
  return read;
}

// A server's own pieces of the file, closed with the object.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  bool ok() const { return descriptor_ >= 0; }
  // Fills `piece`; false when the file gives less.
  bool Read(std::string& piece, std::uint64_t offset) const {
    for (std::size_t have = 0; have < piece.size();) {
      const ssize_t count = pread(descriptor_, piece.data() + have, piece.size() - have,
                                  static_cast<off_t>(offset + have));
      if (count <= 0) return false;
      have += static_cast<std::size_t>(count);
    }
    return true;
  }

 private:
  int descriptor_;
};

// True when the other end has closed; false when it sent something.
bool IsGone(beast::tcp_stream& stream) {
  char byte = 0;
  const ssize_t count = recv(stream.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

bool IsReadable(int descriptor) {
  pollfd asked{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&asked, 1, 0) > 0;
}

template <typename Connected>
class Connection {
 public:
  Connection(Connected stream, Shared& shared, Lane& lane)
      : stream_(std::move(stream)), shared_(shared), lane_(lane), options_(*shared.options) {
    error_code error;
    const auto end = Lowest(stream_).socket().remote_endpoint(error);
    if (!error) peer_ = end.address().to_string();
    client_ = IdentityOf(stream_);
  }

  asio::awaitable<void> Run() {
    bool goes_on = true;
    while (goes_on && !shared_.stopping) goes_on = co_await ServeOne();
    // There is no reply that closing at once could take away.
    if (asked_nothing_) {
      Lowest(stream_).close();
    } else {
      co_await Close();
    }
  }

 private:
  using HeadParser = bh::request_parser<bh::empty_body>;
  using BodyParser = bh::request_parser<bh::buffer_body>;

  // True when another request may follow.
  asio::awaitable<bool> ServeOne() {
    served_ = {};
    failure_.clear();
    HeadParser parser;
    parser.header_limit(static_cast<std::uint32_t>(options_.most_head_bytes));
    parser.body_limit(boost::none);
    const error_code failed = co_await ReadHeadInto(parser);
    started_ = Clock::now();
    if (failed) {
      if (failed == bh::error::end_of_stream || !IsProtocolError(failed)) co_return false;
      const int status = failed == bh::error::header_limit ? 431 : 400;
      Reply reply = shared_.handler->Refuse(status, failed == bh::error::header_limit
                                                        ? "the head of the request is too long"
                                                        : "this is not HTTP: " + failed.message());
      co_await Send(reply, "GET", false);
      co_return false;
    }
    ReadHead read = HeadOf(parser, peer_, IsSecure(stream_));
    read.head.client = client_;
    served_.head = &read.head;
    const bool keep_alive = co_await Answer(parser, read);
    Tell();
    co_return keep_alive;
  }

  asio::awaitable<error_code> ReadHeadInto(HeadParser& parser) {
    // Waits for the first byte as long as an idle connection may last, then for the rest.
    if (buffer_.size() == 0) {
      Lowest(stream_).expires_after(options_.idle_time);
      auto room = buffer_.prepare(4096);
      const std::uint64_t wait = lane_.waits++;
      lane_.idle.emplace(wait, &Lowest(stream_));
      auto [error, count] = co_await stream_.async_read_some(room, kToTuple);
      lane_.idle.erase(wait);
      asked_nothing_ = static_cast<bool>(error);
      if (error) co_return error;
      buffer_.commit(count);
    }
    Lowest(stream_).expires_after(options_.head_time);
    auto [error, count] = co_await bh::async_read_header(stream_, buffer_, parser, kToTuple);
    co_return error;
  }

  static bool IsProtocolError(const error_code& error) {
    return error.category() == bh::make_error_code(bh::error::end_of_stream).category();
  }

  asio::awaitable<bool> Answer(HeadParser& parser, ReadHead& read) {
    const std::string& method = read.head.method;
    if (read.refused != 0) {
      Reply reply = shared_.handler->Refuse(read.refused, read.why);
      co_return co_await Send(reply, method, false);
    }
    std::variant<Reply, std::unique_ptr<Exchange>> begun;
    if (options_.begin_may_block) {
      begun = co_await OnPoolBegin(&read.head);
    } else {
      begun = Guarded(failure_, [&] { return shared_.handler->Begin(read.head); });
    }
    if (!failure_.empty()) begun = Failed();
    if (Reply* reply = std::get_if<Reply>(&begun)) {
      served_.topic = reply->topic;
      const bool is_read = co_await Drain(parser, read);
      co_return co_await Send(*reply, method, read.keep_alive && is_read);
    }
    auto exchange = std::move(std::get<std::unique_ptr<Exchange>>(begun));
    served_.topic = exchange->topic();
    if (read.head.content_length > exchange->MostBytes()) {
      Reply reply = shared_.handler->Refuse(
          413, fmt::format("the body has {} bytes; up to {} are taken here",
                           read.head.content_length, exchange->MostBytes()));
      const bool is_read = co_await Drain(parser, read);
      co_return co_await Send(reply, method, read.keep_alive && is_read);
    }
    const BodyEnd end = co_await TakeBody(parser, read, *exchange);
    Exchange* raw = exchange.get();
    const bool is_whole = end == BodyEnd::kWhole;
    Reply reply = co_await OnPoolReply(raw, is_whole);
    if (!failure_.empty()) reply = Failed();
    // What it holds is free before the other end learns that it is done.
    exchange.reset();
    if (end == BodyEnd::kGone) co_return false;
    // One may end in the next: an answer that is computed, then read in turn.
    while (Pending* pending = std::get_if<Pending>(&reply.body)) {
      Pending work = std::move(*pending);
      const bool is_there = co_await Await(work, reply);
      if (!is_there) co_return false;
      if (!failure_.empty()) reply = Failed();
    }
    co_return co_await Send(reply, method, read.keep_alive && is_whole);
  }

  enum class BodyEnd { kWhole, kRefused, kGone };

  asio::awaitable<bool> Drain(HeadParser& parser, const ReadHead& read) {
    if (read.head.content_length == 0) co_return true;
    if (read.head.content_length > kMostDrained || read.expects_continue) co_return false;
    BodyParser body(std::move(parser));
    std::string piece(kMostDrained, '\0');
    const error_code error = co_await ReadPiece(body, piece);
    co_return !error && body.is_done();
  }

  asio::awaitable<BodyEnd> TakeBody(HeadParser& parser, const ReadHead& read, Exchange& exchange) {
    if (read.head.content_length == 0) co_return BodyEnd::kWhole;
    if (read.expects_continue) {
      const bool is_sent = co_await Write("HTTP/1.1 100 Continue\r\n\r\n");
      if (!is_sent) co_return BodyEnd::kGone;
    }
    BodyParser body(std::move(parser));
    std::string piece;
    Exchange* raw = &exchange;
    while (!body.is_done()) {
      piece.resize(kPieceBytes);
      const error_code error = co_await ReadPiece(body, piece);
      served_.received_bytes += piece.size();
      // What came before the other end was lost counts.
      std::string_view come = piece;
      Status taken = co_await OnPoolTake(raw, come);
      if (error) co_return BodyEnd::kGone;
      if (!taken.ok() || !failure_.empty()) co_return BodyEnd::kRefused;
    }
    co_return BodyEnd::kWhole;
  }

  // Reads up to piece.size() bytes and makes it what has come.
  asio::awaitable<error_code> ReadPiece(BodyParser& body, std::string& piece) {
    body.get().body().data = piece.data();
    body.get().body().size = piece.size();
    body.get().body().more = true;
    Lowest(stream_).expires_after(TimeFor(piece.size()));
    auto [error, count] = co_await bh::async_read(stream_, buffer_, body, kToTuple);
    piece.resize(piece.size() - body.get().body().size);
    if (error == bh::error::need_buffer) co_return error_code();
    co_return error;
  }

  milliseconds TimeFor(std::uint64_t bytes) const {
    return options_.grace + milliseconds(bytes * 1000 / options_.least_bytes_per_s);
  }

  auto OnPoolBegin(const Head* head) {
    return OnPool(*shared_.blocking, [this, head] {
      return Guarded(failure_, [&] { return shared_.handler->Begin(*head); });
    });
  }
  auto OnPoolTake(Exchange* exchange, std::string_view piece) {
    return OnPool(*shared_.blocking, [this, exchange, piece] {
      return Guarded(failure_, [&] { return exchange->Take(piece); });
    });
  }
  auto OnPoolReply(Exchange* exchange, bool is_whole) {
    return OnPool(*shared_.blocking, [this, exchange, is_whole] {
      return Guarded(failure_, [&] { return exchange->Finish(is_whole); });
    });
  }
  auto OnPoolStart(Pending* work) {
    return OnPool(*shared_.blocking, [this, work] {
      const int descriptor = Guarded(failure_, [&] { return work->start(); });
      return failure_.empty() ? descriptor : Pending::kDone;
    });
  }
  auto OnPoolFinish(Pending* work) {
    return OnPool(*shared_.blocking, [this, work] {
      return failure_.empty() ? Guarded(failure_, [&] { return work->finish(); }) : Reply();
    });
  }
  auto OnPoolRead(const OpenFile* file, std::string* piece, std::uint64_t offset) {
    return OnPool(*shared_.blocking, [file, piece, offset] { return file->Read(*piece, offset); });
  }

  // The reply when an exception left the handler: it costs this request and nothing else.
  Reply Failed() {
    Reply reply =
        shared_.handler->Refuse(500, "the server failed at this request; its log says why");
    reply.note = failure_;
    return reply;
  }

  // Waits for it and makes `reply` what it gives; false when the other end left, or the server
  // stops.
  asio::awaitable<bool> Await(Pending& work, Reply& reply) {
    int descriptor = co_await OnPoolStart(&work);
    while (descriptor == Pending::kAskAgain) {
      const bool goes_on = co_await Pause();
      if (!goes_on) co_return false;
      descriptor = co_await OnPoolStart(&work);
    }
    if (descriptor != Pending::kDone) {
      const bool is_done = co_await AwaitReadable(descriptor, work);
      if (!is_done) {
        work.cancel();
        co_return false;
      }
    }
    reply = co_await OnPoolFinish(&work);
    co_return true;
  }

  // False when there is nobody to go on for.
  asio::awaitable<bool> Pause() {
    auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, kAskAgain);
    co_await timer.async_wait(kToTuple);
    co_return !shared_.stopping && !IsGone(Lowest(stream_));
  }

  asio::awaitable<bool> AwaitReadable(int descriptor, Pending& work) {
    using namespace asio::experimental::awaitable_operators;  // NOLINT: the library's way
    auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor);
    const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (own < 0) co_return false;
    asio::posix::stream_descriptor watched(executor, own);
    const auto end = Clock::now() + work.time;
    for (bool is_late = false; true;) {
      timer.expires_after(kLookAround);
      auto is_done = watched.async_wait(asio::posix::stream_descriptor::wait_read, kToTuple);
      auto is_time = timer.async_wait(kToTuple);
      auto either = std::move(is_done) || std::move(is_time);
      auto first = co_await std::move(either);
      // The reactor also wakes for what a closed descriptor has left behind.
      if (first.index() == 0 && IsReadable(watched.native_handle())) co_return true;
      if (shared_.stopping || IsGone(Lowest(stream_))) co_return false;
      if (!is_late && Clock::now() > end) {
        is_late = true;
        work.cancel();
      }
    }
  }

  // True when the connection may go on.
  asio::awaitable<bool> Send(Reply& reply, const std::string& method, bool keep_alive) {
    const bool goes_on = keep_alive && !shared_.stopping;
    served_.status = reply.status;
    served_.note = reply.note;
    if (auto* stream = std::get_if<std::shared_ptr<Stream>>(&reply.body)) {
      std::string head = HeadText(reply, std::nullopt, false);
      const bool is_sent = co_await Write(head);
      if (is_sent && method != "HEAD") co_await SendStream(**stream);
      co_return false;
    }
    if (auto* part = std::get_if<FilePart>(&reply.body)) {
      const bool is_sent = co_await SendFile(reply, *part, method, goes_on);
      co_return is_sent&& goes_on;
    }
    std::string& text = std::get<std::string>(reply.body);
    std::string whole = HeadText(reply, text.size(), goes_on);
    if (method != "HEAD") whole += text;
    const bool is_sent = co_await Write(whole);
    co_return is_sent&& goes_on;
  }

  static std::string HeadText(const Reply& reply, std::optional<std::uint64_t> bytes,
                              bool keep_alive) {
    std::string text = fmt::format("HTTP/1.1 {} {}\r\n", reply.status, ReasonOf(reply.status));
    for (const auto& [name, value] : reply.fields) {
      text += name;
      text += ": ";
      // What a handler took from elsewhere ends no line.
      for (const char c : value) {
        if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) text += c;
      }
      text += "\r\n";
    }
    const bool has_body = reply.status != 204 && reply.status != 304;
    if (bytes && has_body) text += fmt::format("Content-Length: {}\r\n", *bytes);
    text += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
    return text;
  }

  asio::awaitable<bool> SendFile(Reply& reply, const FilePart& part, const std::string& method,
                                 bool goes_on) {
    const OpenFile file(part.path);
    if (!file.ok()) {
      Reply refused = shared_.handler->Refuse(500, "a file of the store cannot be opened");
      co_return co_await Send(refused, method, false);
    }
    std::string head = HeadText(reply, part.bytes, goes_on);
    bool is_sent = co_await Write(head);
    if (method == "HEAD") co_return is_sent;
    std::string piece;
    for (std::uint64_t sent = 0; is_sent && sent < part.bytes; sent += piece.size()) {
      piece.resize(std::min<std::uint64_t>(kPieceBytes, part.bytes - sent));
      const bool is_read = co_await OnPoolRead(&file, &piece, part.offset + sent);
      // The head promised more: all that is left is to break off.
      if (!is_read) co_return false;
      if (part.check) {
        part.check->See(piece);
        if (sent + piece.size() == part.bytes && !part.check->IsGood()) {
          served_.note = fmt::format("damaged: {}: it was not sent to its end", part.path);
          co_return false;
        }
      }
      is_sent = co_await Write(piece);
    }
    co_return is_sent;
  }

  asio::awaitable<void> SendStream(Stream& stream) {
    auto executor = co_await asio::this_coro::executor;
    auto timer = std::make_shared<asio::steady_timer>(executor);
    const std::weak_ptr<asio::steady_timer> weak = timer;
    stream.OnReady(WakerOf(executor, weak));
    auto quiet_since = Clock::now();
    while (!shared_.stopping) {
      timer->expires_after(std::min<milliseconds>(options_.heartbeat, milliseconds(1000)));
      std::optional<std::string> text = stream.Take();
      if (!text) break;
      if (text->empty() && Clock::now() - quiet_since >= options_.heartbeat)
        *text = stream.Heartbeat();
      if (!text->empty()) {
        quiet_since = Clock::now();
        const bool is_sent = co_await Write(*text);
        if (!is_sent) break;
        continue;
      }
      co_await timer->async_wait(kToTuple);
      if (IsGone(Lowest(stream_))) break;
    }
    stream.OnReady({});
  }

  template <typename Executor>
  static std::function<void()> WakerOf(Executor executor, std::weak_ptr<asio::steady_timer> weak) {
    return [executor, weak] {
      asio::post(executor, [weak] {
        if (const auto timer = weak.lock()) timer->cancel();
      });
    };
  }

  // `data` outlives the call.
  asio::awaitable<bool> Write(std::string_view data) {
    while (!data.empty()) {
      const std::size_t size = std::min(kPieceBytes, data.size());
      Lowest(stream_).expires_after(TimeFor(size));
      auto piece = asio::buffer(data.data(), size);
      auto [error, count] = co_await asio::async_write(stream_, piece, kToTuple);
      served_.sent_bytes += count;
      if (error) co_return false;
      data.remove_prefix(size);
    }
    co_return true;
  }

  void Tell() {
    served_.duration_ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started_).count();
    shared_.handler->OnServed(served_);
  }

  asio::awaitable<void> Close() {
    error_code error;
    if constexpr (std::is_same_v<Connected, SecureStream>) {
      Lowest(stream_).expires_after(milliseconds(2000));
      co_await stream_.async_shutdown(kToTuple);
    }
    // A reset would take the reply away from an other end that still sends.
    Lowest(stream_).socket().shutdown(tcp::socket::shutdown_send, error);
    char rest[4096];
    for (int reads = 0; reads < 64; ++reads) {
      Lowest(stream_).expires_after(milliseconds(500));
      auto room = asio::buffer(rest);
      auto [failed, count] = co_await Lowest(stream_).async_read_some(room, kToTuple);
      if (failed) break;
    }
    Lowest(stream_).close();
  }

  Connected stream_;
  Shared& shared_;
  Lane& lane_;
  const ServerOptions& options_;
  beast::flat_buffer buffer_;
  std::string peer_;
  std::optional<ClientIdentity> client_;
  Clock::time_point started_;
  Served served_;
  bool asked_nothing_ = false;  // when it ended
  // Of the request on its way; written by the one thread that works for it.
  std::string failure_;
};

template <typename Connected>
asio::awaitable<void> RunConnection(Connected stream, Shared& shared, Lane& lane) {
  Connection<Connected> connection(std::move(stream), shared, lane);
  co_await connection.Run();
}

}  // namespace

asio::awaitable<void> Serve(PlainStream stream, Shared& shared, Lane& lane) {
  return RunConnection(std::move(stream), shared, lane);
}

asio::awaitable<void> Serve(SecureStream stream, Shared& shared, Lane& lane) {
  return RunConnection(std::move(stream), shared, lane);
}

}  // namespace rankscope::http
