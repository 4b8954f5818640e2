#include "tune/subject/ready.h"

#include <fmt/format.h>

#include <thread>

namespace rankscope::tune {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetween{100};
constexpr std::chrono::seconds kOneLook{5};

}  // namespace

std::string WhyNotReady(const ReadyCheck& check) {
  const Result<http::Address> address = http::ParseAddress(check.url);
  if (!address.ok()) return address.status().message();
  http::ClientOptions options = check.client;
  options.time = kOneLook;
  const auto reply =
      http::MakeClient(*address, options)->Send({.method = "GET", .target = check.path});
  if (!reply.ok()) return reply.status().message();
  if (reply->status >= 200 && reply->status < 300) return "";
  return fmt::format("{}{} answers {}", check.url, check.path, reply->status);
}

Result<std::string> WaitReady(const ReadyCheck& check, std::chrono::seconds within,
                              const std::function<std::string()>& gone,
                              const std::function<bool()>& is_stopped) {
  const auto until = Clock::now() + within;
  while (true) {
    if (is_stopped()) return Status(StatusCode::kCancelled, "stopped");
    if (std::string why = gone(); !why.empty()) return why;
    const std::string why = WhyNotReady(check);
    if (why.empty()) return "";
    if (Clock::now() >= until)
      return fmt::format("it was not ready within {} s: {}", within.count(), why);
    std::this_thread::sleep_for(kBetween);
  }
}

}  // namespace rankscope::tune
