#include "client/agent_channel.h"

#include <charconv>
#include <chrono>
#include <utility>

#include "json/reader.h"
#include "json/writer.h"
#include "wire/rpc_client.h"

namespace rankscope::client {
namespace {

using std::chrono::microseconds;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kAnswerTime{5000};
constexpr std::int64_t kClockUs = 1000;  // Kineto takes milliseconds

std::int64_t UnixUs() {
  return std::chrono::duration_cast<microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class RpcChannel final : public capture::AgentChannel {
 public:
  RpcChannel(std::map<std::string, AgentAddress> addresses, std::string token)
      : addresses_(std::move(addresses)), token_(std::move(token)) {}

  // By the quickest of a few exchanges, half of which leaves open where between question and answer
  // the clock was read.
  Result<capture::HostClock> Meet(const std::string& host) override {
    capture::HostClock clock;
    std::int64_t best = INT64_MAX;
    for (int i = 0; i < 5; ++i) {
      const std::int64_t before = UnixUs();
      const Clock::time_point began = Clock::now();
      RS_ASSIGN_OR_RETURN(const std::string answer, Call(host, capture::WritePing));
      const auto took = std::chrono::duration_cast<microseconds>(Clock::now() - began).count();
      const auto parsed = json::Reader::Parse(answer);
      if (!parsed.ok())
        return Error(StatusCode::kBadData, "{}: what answers there is no agent", host);
      const std::string error = parsed->root()["error"].TextOr("");
      if (!error.empty()) return Error(StatusCode::kInvalidArgument, "{}: {}", host, error);
      if (took >= best) continue;
      best = took;
      clock.ahead_us = parsed->root()["unix_us"].IntegerOr(before) - before - took / 2;
      clock.uncertainty_us = took / 2 + kClockUs;
    }
    return clock;
  }

  Result<std::string> Call(const std::string& host,
                           const capture::RequestWriter& request) override {
    const AgentAddress& address = addresses_.at(host);
    return wire::Call(address.host, address.port, capture::TextOf(request, token_), kAnswerTime);
  }

 private:
  const std::map<std::string, AgentAddress> addresses_;
  const std::string token_;
};

}  // namespace

Result<AgentAddress> ParseAgentAddress(std::string_view text) {
  const auto wrong = [&] {
    return Error(StatusCode::kInvalidArgument, "'{}' is no HOST:PORT", text);
  };
  AgentAddress address;
  std::string_view host = text;
  const std::size_t colon = text.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (text.find(':') == colon || text[colon - 1] == ']');
  if (has_port) {
    unsigned port = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + colon + 1, last, port);
    if (error != std::errc() || end != last || port == 0 || port > 65535) return wrong();
    address.port = static_cast<std::uint16_t>(port);
    host = text.substr(0, colon);
  }
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  if (host.empty()) return wrong();
  address.host = host;
  return address;
}

std::unique_ptr<capture::AgentChannel> MakeAgentChannel(
    std::map<std::string, AgentAddress> addresses, std::string token) {
  return std::make_unique<RpcChannel>(std::move(addresses), std::move(token));
}

}  // namespace rankscope::client
