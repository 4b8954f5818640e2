#include "agent/server_link.h"

#include <openssl/rand.h>
#include <simdjson.h>

#include <algorithm>
#include <chrono>

#include "json/json_text.h"

namespace rankscope::agent {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

constexpr std::int64_t kFirstPauseMs = 1000;
constexpr std::int64_t kLongestPauseMs = 30'000;
constexpr std::size_t kKeptTimes = 16;
constexpr std::chrono::seconds kNetworkTime{20};

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
  simdjson::dom::parser parser;
  std::string_view text;
  if (parser.parse(reply)["error"]["message"].get(text)) return "it is no rankscope";
  return std::string(text);
}

}  // namespace

ServerLink::ServerLink(ServerLinkOptions options, const Rpc& rpc,
                       std::function<std::string()> state, std::function<void()> arrived,
                       std::function<void(std::string_view)> said)
    : options_(std::move(options)),
      rpc_(rpc),
      state_(std::move(state)),
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
    const Status done = Exchange();
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
    RS_ASSIGN_OR_RETURN(auto client, options_.server.Client(kNetworkTime));
    const std::scoped_lock lock(mutex_);
    client_ = std::move(client);
    if (is_ending_) client_->Abort();
  }
  std::string json = "{\"host\":";
  AppendJsonString(json, options_.host);
  json += fmt::format(",\"instance\":\"{}\",\"version\":\"{}\"", instance_, options_.version);
  // The first tells the clocks apart.
  json += fmt::format(",\"wait_ms\":{}", times_.empty() ? 0 : options_.interval_ms);
  if (!times_.empty()) {
    // The quickest says most.
    const auto best = std::ranges::min_element(times_, {}, &ExchangeTimes::RttUs);
    json += fmt::format(",\"ahead_us\":{},\"rtt_us\":{}", best->AheadUs(), best->RttUs());
  }
  json += "," + state_() + ",\"answers\":[" + answers_ + "]}";
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
  simdjson::dom::parser parser;
  element root;
  array requests;
  if (parser.parse(reply->body).get(root) || root["requests"].get(requests) ||
      root["received_us"].get(times.received_us) || root["replied_us"].get(times.replied_us))
    return Error(StatusCode::kIo, "{} takes no reports: it is no rankscope", options_.server.url);
  arrived_();
  // A clock that is set meanwhile makes nonsense of it.
  if (times.RttUs() >= 0) times_.push_back(times);
  if (times_.size() > kKeptTimes) times_.erase(times_.begin());
  for (const element one : requests) {
    std::int64_t id = 0;
    std::string_view text;
    if (one["id"].get(id) || one["request"].get(text)) continue;
    if (!answers_.empty()) answers_ += ',';
    answers_ += fmt::format("{{\"id\":{},\"answer\":", id);
    AppendJsonString(answers_, rpc_.Answer(text));
    answers_ += '}';
  }
  return OkStatus();
}

}  // namespace rankscope::agent
