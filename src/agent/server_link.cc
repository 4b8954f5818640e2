#include "agent/server_link.h"

#include <openssl/rand.h>

#include <algorithm>
#include <chrono>

#include "base/caught.h"
#include "json/reader.h"
#include "json/writer.h"

namespace rankscope::agent {
namespace {

constexpr std::int64_t kFirstPauseMs = 1000;
constexpr std::int64_t kLongestPauseMs = 30'000;
constexpr std::size_t kKeptTimes = 16;
constexpr std::chrono::seconds kServerLinkNetworkTime{20};

std::int64_t UnixUs() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Tells this process from another agent of the same name.
std::string NewInstance() {
  std::uint64_t number = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&number), sizeof(number));
  return fmt::format("{:016x}", number);
}

std::string SentenceIn(const std::string& reply) {
  const Result<json::Reader> reader = json::Reader::Parse(reply);
  const std::optional<std::string_view> text =
      reader.ok() ? reader->root()["error"]["message"].Text() : std::nullopt;
  return std::string(text.value_or("it is no rankscope"));
}

}  // namespace

ServerLink::ServerLink(ServerLinkOptions options, const Rpc& rpc,
                       std::function<void(json::Writer&)> write_state,
                       std::function<void(const json::Value& reply)> arrived,
                       std::function<void(std::string_view)> said)
    : options_(std::move(options)),
      rpc_(rpc),
      write_state_(std::move(write_state)),
      arrived_(std::move(arrived)),
      said_(std::move(said)),
      instance_(NewInstance()),
      thread_([this] { Run(); }) {}

ServerLink::~ServerLink() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
    if (client_) client_->Abort();
  }
  wake_.notify_all();
  thread_.join();
}

bool ServerLink::Sleep(std::int64_t ms) {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, std::chrono::milliseconds(ms), [this] { return is_ending_; });
}

void ServerLink::Run() {
  std::int64_t pause = 0;
  std::string last_problem;
  while (Sleep(pause)) {
    const Status done = Caught([this] { return Exchange(); });
    if (done.ok()) {
      if (!last_problem.empty())
        said_(fmt::format("{}: reports arrive again", options_.server.url));
      last_problem.clear();
      pause = 0;
      continue;
    }
    {
      const std::scoped_lock lock(mutex_);
      client_.reset();
    }
    // What was asked over a connection that broke is asked again, or not.
    answers_.clear();
    if (done.message() != last_problem) said_(fmt::format("{}; it is tried again", done.message()));
    last_problem = done.message();
    pause = std::clamp(2 * pause, kFirstPauseMs, kLongestPauseMs);
  }
}

Status ServerLink::Exchange() {
  if (client_ == nullptr) {
    RS_ASSIGN_OR_RETURN(auto client, options_.server.Client(kServerLinkNetworkTime));
    const std::scoped_lock lock(mutex_);
    client_ = std::move(client);
    if (is_ending_) client_->Abort();
  }
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("host", options_.host).Member("instance", instance_);
  writer.Member("version", options_.version);
  if (!options_.rack.empty()) writer.Member("rack", options_.rack);
  // The first tells the clocks apart.
  writer.Member("wait_ms", times_.empty() ? 0 : options_.interval_ms);
  if (!times_.empty()) {
    // The quickest says most.
    const auto best = std::ranges::min_element(times_, {}, &ExchangeTimes::RttUs);
    writer.Member("ahead_us", best->AheadUs()).Member("rtt_us", best->RttUs());
  }
  write_state_(writer);
  writer.Key("answers").BeginArray();
  for (const auto& [id, answer] : answers_)
    writer.BeginObject().Member("id", id).Member("answer", answer).EndObject();
  writer.EndArray().EndObject();
  ExchangeTimes times{.sent_us = UnixUs()};
  const Result<http::ClientReply> reply =
      client_->Send({.method = "POST",
                     .target = "/api/v1/hosts",
                     .fields = {{"Content-Type", "application/json"}},
                     .text = json});
  times.returned_us = UnixUs();
  if (!reply.ok()) return reply.status();
  if (reply->status != 200) {
    return Error(StatusCode::kIo, "{} takes no reports ({}): {}", options_.server.url,
                 reply->status, SentenceIn(reply->body));
  }
  answers_.clear();
  const Result<json::Reader> reader = json::Reader::Parse(reply->body);
  const auto no_rankscope = [this] {
    return Error(StatusCode::kIo, "{} takes no reports: it is no rankscope", options_.server.url);
  };
  if (!reader.ok()) return no_rankscope();
  const json::Value root = reader->root();
  const auto received_us = root["received_us"].Integer();
  const auto replied_us = root["replied_us"].Integer();
  if (!root["requests"].IsArray() || !received_us || !replied_us) return no_rankscope();
  times.received_us = *received_us;
  times.replied_us = *replied_us;
  arrived_(root);
  const std::string warning = root["warning"].TextOr("");
  if (!warning.empty() && warning != warning_)
    said_(fmt::format("{} says: {}", options_.server.url, warning));
  warning_ = warning;
  // A clock that is set meanwhile makes nonsense of it.
  if (times.RttUs() >= 0) times_.push_back(times);
  if (times_.size() > kKeptTimes) times_.erase(times_.begin());
  for (const json::Value& one : root["requests"].Items()) {
    const auto id = one["id"].Integer();
    const auto text = one["request"].Text();
    if (id && text)
      answers_.emplace_back(
          *id,
          rpc_.Answer(*text, {.is_trusted = true, .uid = {}, .name = "the server", .problem = ""}));
  }
  return OkStatus();
}

}  // namespace rankscope::agent
